"""A baseline beside the recording: what became of each run, and how it went before."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from traceview import cli
from traceview.compare import compare
from traceview.load import Loader
from traceview.tui import process
from traceview.tui.application import TraceviewApp
from traceview.tui.memory import Memory
from traceview.tui.request import Request
from tui.harness import CASES, TRACES, Driver, driven

LINES = [line + "\n" for line in Path(TRACES).read_text().splitlines()]


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """B03 asked for the right length then, B01 for a wrong one, and B04 was not recorded."""
    made = []
    for line in LINES:
        event = json.loads(line)
        if event["case_id"] == "B04":
            continue
        if "duration_min" in event["arguments"] and event["case_id"] in ("B01", "B03"):
            event["arguments"]["duration_min"] = 30 if event["case_id"] == "B03" else 7
        made.append(json.dumps(event) + "\n")
    path = tmp_path / "old.jsonl"
    path.write_text("".join(made))
    return path


@asynccontextmanager
async def compared(
    baseline: Path,
    *,
    traces: str = TRACES,
    filter_text: str = "",
    width: int = 140,
    follow: bool = False,
    remembered: bool = False,
) -> AsyncIterator[Driver]:
    request = Request(CASES, (traces,), baseline=str(baseline), follow=follow)
    memory = Memory(request) if remembered else None
    app = TraceviewApp(request, filter_text=filter_text, memory=memory)
    async with app.run_test(size=(width, 36)) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        for _ in range(500):
            if driver.app.session.transitions:
                break
            await driver.pilot.pause(0.02)
        await driver.settle()
        try:
            yield driver
        finally:
            app.close()


@pytest.mark.parametrize("large", [False, True])
@driven
async def test_every_row_says_what_became_of_it(
    large: bool, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(process, "_LARGE", -1)
    expected = compare(Loader(CASES, [str(baseline)]).report(), Loader(CASES, [TRACES]).report())
    async with compared(baseline) as driver:
        found = driver.app.session.transitions
        assert found is not None
        assert {k: t.kind for k, t in found.items()} == {k: t.kind for k, t in expected.transitions.items()}
        cases = driver.pane("cases")
        assert any("B01" in line and "✗→✓ better" in line for line in cases)
        assert any("B03" in line and "✓→✗ worse" in line for line in cases)
        assert any("B04" in line and "new" in line for line in cases)
        assert "baseline old.jsonl: 1 worse, 1 better" in driver.said


@driven
async def test_filter_by_change(baseline: Path) -> None:
    async with compared(baseline) as driver:
        await driver.filter("change:worse")
        assert driver.shown == ["B03"]
        await driver.filter("change:better")
        assert driver.shown == ["B01"]


@driven
async def test_sorted_by_change_worse_first_and_so_again_on_the_next_start(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with compared(baseline, remembered=True) as driver:
        driver.main.filters.sort_by("change")
        await driver.settle()
        assert driver.shown[:2] == ["B03", "B01"]  # worse, better
        assert driver.shown[-1] == "B04"  # new
        await driver.press("q")
    async with compared(baseline, remembered=True) as driver:
        assert driver.shown[:2] == ["B03", "B01"]


@driven
async def test_a_filter_by_change_from_the_start(baseline: Path) -> None:
    async with compared(baseline, filter_text="change:worse") as driver:
        assert driver.shown == ["B03"]
        assert driver.app.session.filter.state.on


@driven
async def test_the_steps_show_expected_baseline_and_observed(baseline: Path) -> None:
    async with compared(baseline) as driver:
        await driver.press("e", "e")
        steps = [" ".join(line.split()) for line in driver.pane("timeline")]
        assert any("duration_min expected 30 baseline 30 observed 60" in line for line in steps)
        assert any("check_availability 1 difference · baseline matched" in line for line in steps)
        await driver.press("g")
        assert driver.selected == "B01"
        await driver.press("enter", "o")
        steps = [" ".join(line.split()) for line in driver.pane("timeline")]
        assert any("baseline 7" in line and "observed 60" in line for line in steps)


@driven
async def test_a_baseline_whose_file_is_gone_does_not_hide_the_run(baseline: Path) -> None:
    async with compared(baseline) as driver:
        baseline.unlink()
        await driver.press("e", "e")
        assert driver.main.opened.detail is not None and driver.main.opened.detail.result.case_id == "B03"
        assert any("old.jsonl is gone" in line for line in driver.lines)
        assert any("expected 30" in line and "observed 60" in line for line in driver.pane("timeline"))


@driven
async def test_the_run_of_the_baseline_and_back(baseline: Path) -> None:
    async with compared(baseline) as driver:
        await driver.press("e", "e")
        assert driver.selected == "B03"
        assert any("since the baseline" in line and "worse: pass before" in line for line in driver.lines)
        assert any("duration_min" in line and "60" in line for line in driver.pane("timeline"))
        await driver.press("v")
        assert "BASELINE old.jsonl · B03 · pass" in driver.text
        assert driver.main.opened.detail is not None and driver.main.opened.detail.result.diagnosis == "pass"
        await driver.press("v")
        assert "BASELINE" not in driver.text
        assert driver.main.opened.detail.result.diagnosis == "wrong_arguments"
        await driver.press("v")
        assert "BASELINE" in driver.text
        await driver.press("m", "escape")
        driver.main.show_decided()
        await driver.settle()
        assert "BASELINE" not in driver.text
        assert driver.main.opened.detail is not None
        assert driver.main.opened.detail.result.diagnosis == "wrong_arguments", "what is told is of the run"
        await driver.press("v", "1", "j")
        assert "BASELINE" not in driver.text, "another case is that of the recording"


@driven
async def test_narrow_the_signs_stay(baseline: Path) -> None:
    async with compared(baseline, width=80) as driver:
        assert any("✓→✗" in line for line in driver.pane("cases"))


@driven
async def test_what_grows_is_compared(baseline: Path, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(LINES[:-4]))
    async with compared(baseline, traces=str(traces), follow=True) as driver:
        with traces.open("a") as file:
            file.write("".join(LINES[-4:]))
        expected = compare(Loader(CASES, [str(baseline)]).report(), Loader(CASES, [str(traces)]).report())
        kinds = {key: t.kind for key, t in expected.transitions.items()}
        for _ in range(300):
            found = driver.app.session.transitions
            assert found is not None
            if {key: t.kind for key, t in found.items()} == kinds:
                return
            await driver.pilot.pause(0.02)
        raise AssertionError(driver.text)


@driven
async def test_a_baseline_that_cannot_be_read(tmp_path: Path) -> None:
    app = TraceviewApp(Request(CASES, (TRACES,), baseline=str(tmp_path / "none.jsonl")))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        for _ in range(300):
            if "baseline: " in driver.said and "no such file" in driver.said:
                break
            await pilot.pause(0.02)
        assert "no such file" in driver.said
        assert len(driver.shown) == 12
        app.close()


@driven
async def test_without_a_baseline_the_key_says_so() -> None:
    app = TraceviewApp(Request(CASES, (TRACES,)))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        await driver.press("v")
        assert "there is no baseline" in driver.said
        app.close()


def test_without_a_terminal_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([CASES, TRACES, "--baseline", TRACES]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "traceview compare" in err
