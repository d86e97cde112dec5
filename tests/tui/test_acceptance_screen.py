"""Observations on the screen: layers and the cases behind their figures, reviewed labels, evidence group by
group; cases that ran more than once; charts from the palette."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.harness import CASES, SAMPLE, TRACES, Driver, driven, opened

OBSERVATIONS = str(SAMPLE / "acceptance_observations.json")
CONTRACT = str(SAMPLE / "acceptance.toml")
SIZES = [(120, 36), (80, 24)]
ACCEPTED = [  # by "HTTP 2xx only", though they are invalid
    "wrong_day",
    "missing_confirmation",
    "duplicate_booking",
    "queued_but_claimed_done",
    "receipt_without_operation",
    "wrong_customer",
    "cancelled_but_claimed_done",
    "friendly_message_only",
]


async def to_layers(driver: Driver) -> None:
    await driver.press("3", "3", "3")
    assert driver.main.pane == "layers"


def shown_text(driver: Driver, pane: str) -> str:
    return "\n".join(driver.pane(pane))


# -- layers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_layers_say_how_often_they_would_be_wrong(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        if size[1] >= 30:
            assert "accepts 8/9 invalid" in driver.text  # without going there
        await to_layers(driver)
        http, shape = driver.pane("layers")[:2]
        assert "HTTP 2xx only" in http and "accepts 8/9 invalid · rejects 0/2 valid · unknown 1" in http
        assert "Booking shape only" in shape and "accepts 7/9 invalid · rejects 1/2 valid" in shape
        assert "wrongly accepted" in driver.lines[-1] and "wrongly rejected" in driver.lines[-1]


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_the_cases_behind_a_figure_of_a_layer(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        await to_layers(driver)
        await driver.press("enter")
        assert driver.shown == ACCEPTED
        assert 'layer:"HTTP 2xx only"=false_accept' in driver.said
        assert "accepts 8/9 invalid" in shown_text(driver, "layers")  # of all, whatever is shown
        await driver.press("enter")
        assert len(driver.shown) == 12
        await driver.press("j", "x")
        assert driver.shown == ["no_slot_explained"]
        await driver.press("x", "k", "x")
        assert len(driver.shown) == 12
        assert "no valid run is rejected by HTTP 2xx only" in driver.said
        await driver.press("i")
        assert "no unknown run is accepted by HTTP 2xx only" in driver.said
        await driver.press("escape")
        assert driver.main.pane == "cases"


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_contracts_and_diagnoses_open_as_filters(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        await driver.press("3", "enter")
        assert len(driver.shown) == 9
        assert "check:final_state_ok" in driver.said
        await driver.press("enter", "3", "G", "enter")
        assert driver.main.pane == "diagnoses"
        assert driver.shown == ["outcome_not_observable"]
        assert "diagnosis:not_observable" in driver.said


@driven
async def test_a_contract_without_layers_has_no_pane_of_them() -> None:
    async with opened(CASES, (TRACES,)) as driver:
        assert "Layers" not in driver.text
        await driver.press("3", "3", "3")
        assert driver.main.pane == "contracts"
        for _ in range(4):
            await driver.press("tab")
            assert driver.main.pane != "layers"


# -- labels -----------------------------------------------------------------------------------------------


def disagreeing(folder: Path) -> str:
    """The observations, with ``wrong_day`` reviewed as valid."""
    found = json.loads(Path(OBSERVATIONS).read_text(encoding="utf-8"))
    next(case for case in found if case["name"] == "wrong_day")["expected"] = "PASS"
    path = folder / "observations.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_labels_that_agree_are_counted(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        assert "labels 12 agree" in driver.lines[0]
        assert "disagree" not in driver.lines[0]
        assert "≠" not in driver.text
        assert "reviewed label PASS, agrees with" in driver.text
        first = driver.pane("cases")[1]
        assert ("✓ PASS" in first) == (size[0] >= 120)


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_a_label_that_disagrees_is_marked_and_counted(size: tuple[int, int], tmp_path: Path) -> None:
    async with opened(disagreeing(tmp_path), (), size=size, contract=CONTRACT) as driver:
        await driver.press("j", "j")
        assert driver.selected == "wrong_day"
        assert "labels 11 agree" in driver.lines[0]
        if size[0] >= 120:
            assert "1 disagree" in driver.lines[0]
            assert "≠ PASS" in driver.pane("cases")[3]
        assert [line for line in driver.pane("cases") if "≠" in line] == [driver.pane("cases")[3]]
        timeline = await evidence_of(driver, "wrong_day")
        assert "reviewed label PASS, disagrees: the verdict is" in timeline
        await driver.filter("label:disagree")
        assert driver.shown == ["wrong_day"]


# -- evidence group by group ------------------------------------------------------------------------------


async def evidence_of(driver: Driver, case: str) -> str:
    """The opened observation from its first line on, in one line of words."""
    driver.main.popups.open_case(case)
    await driver.settle()
    driver.main.go_to("timeline")
    await driver.press("g")
    lines: list[str] = []
    for _ in range(driver.main.timeline.line_count):
        shown = [line[1:].rstrip() for line in driver.pane("timeline")]
        lines.append(shown[driver.main.timeline.cursor - driver.main.timeline.scroll_offset.y])
        await driver.press("j")
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_an_unknown_outcome_names_the_evidence_that_is_missing(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        text = await evidence_of(driver, "outcome_not_observable")
        assert "HTTP 2xx only ✗ http expected between 200 and 299 observed 504" in text
        assert "Booking shape only ✗ response expected JSON schema observed null response is null" in text
        outcome = text[text.index("Task outcome ? unknown") : text.index("Explanation")]
        assert "required evidence is missing: bookings is null" in outcome
        assert "branch slot available can't be decided: available is not known (null)" in outcome
        assert "bookings required, is null" in text[text.index("Observability ? unknown") :]
        assert "Explanation recorded" in text  # no verdict stands beside it
        for noise in ("steps", "no calls", "not recorded", "n/a", "name outcome", "expected UNKNOWN"):
            assert noise not in text
        assert "steps" not in str(driver.main.timeline.border_title)


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_a_layer_that_rejects_says_why_and_the_branch_is_named_once(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        text = await evidence_of(driver, "no_slot_explained")
        assert "✓ http expected between 200 and 299 observed 200" in text
        assert "expected JSON schema" in text and "'booking_id' is a required property" in text
        assert text.count("branch") == 1
        assert "branch no slot: available is false" in text


@driven
async def test_required_evidence_that_was_never_recorded(tmp_path: Path) -> None:
    found = json.loads(Path(OBSERVATIONS).read_text(encoding="utf-8"))
    del found[0]["bookings"]
    path = tmp_path / "observations.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    async with opened(str(path), (), contract=CONTRACT) as driver:
        text = await evidence_of(driver, "correct_booking")
        assert "bookings required, not recorded" in text


# -- trials -----------------------------------------------------------------------------------------------


def repeated(folder: Path) -> tuple[str, str]:
    """Cases B01 and B02 of the sample with three runs each; the second run of B01 books another length."""
    cases = folder / "cases.csv"
    cases.write_text("\n".join(Path(CASES).read_text(encoding="utf-8").splitlines()[:3]), encoding="utf-8")
    lines = []
    for line in Path(TRACES).read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["case_id"] not in ("B01", "B02"):
            continue
        event.pop("run_id", None)
        for trial in ("1", "2", "3"):
            changed = {**event, "trial": trial}
            if (event["case_id"], event["step"], trial) == ("B01", 2, "2"):
                changed["arguments"] = {**event["arguments"], "duration_min": 90}
            lines.append(json.dumps(changed))
    traces = folder / "traces.jsonl"
    traces.write_text("\n".join(lines), encoding="utf-8")
    return str(cases), str(traces)


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_trials_of_a_case(size: tuple[int, int], tmp_path: Path) -> None:
    cases, traces = repeated(tmp_path)
    async with opened(cases, (traces,), size=size) as driver:
        head, first = driver.pane("cases")[:2]
        assert "run" in head
        if size[0] >= 120:
            assert "pass" in head and "2 of 3" in first
            assert "0 of 3" in driver.pane("cases")[4]
        assert "pass^3 0.00 · pass@3 0.50" in driver.text
        timeline = await evidence_of(driver, "B01")
        assert "trials 2 of 3 runs of this case pass; they differ first at call 2" in timeline
        assert "all with the same calls" in await evidence_of(driver, "B02")
        driver.main.filters.sort_by("trials")
        await driver.settle()
        assert driver.shown == ["B02"] * 3 + ["B01"] * 3


@driven
async def test_cases_that_ran_once_have_no_trials() -> None:
    async with opened(CASES, (TRACES,)) as driver:
        assert "pass^" not in driver.text and "1 of 1" not in driver.text


# -- charts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_a_chart_without_matplotlib_is_refused_in_one_line(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("traceview.write.chart.find_spec", lambda name: None)
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        await driver.press("ctrl+p")
        await driver.type("chart: write")
        await driver.pilot.pause(0.3)
        await driver.press("enter", "enter")
        for _ in range(100):
            if "need matplotlib" in driver.text:
                break
            await driver.press("enter") if "Write to a file" not in driver.text else await driver.pilot.pause(
                0.02
            )
        words = " ".join(driver.text.replace("│", " ").split())
        assert "traceview-report.svg" in words
        assert "png and svg need matplotlib" in words
        assert "traceview[charts]" in words
        assert not list(tmp_path.glob("*.svg"))


# -- keys -------------------------------------------------------------------------------------------------

KEYS = [
    *"jkgGhlonNeEzfdxiSTo?/123",
    "enter",
    "space",
    "escape",
    "tab",
    "shift+tab",
    "left",
    "right",
    "ctrl+d",
]
PANES = [["1"], ["2"], ["3"], ["3", "3"], ["3", "3", "3"]]


@pytest.mark.parametrize("size", [*SIZES, (40, 12)])
@driven
async def test_every_key_on_every_pane_leaves_the_screen_standing(size: tuple[int, int]) -> None:
    async with opened(OBSERVATIONS, (), size=size, contract=CONTRACT) as driver:
        for pane in PANES:
            for key in KEYS:
                await driver.hammer(["1", *pane, key, "j", "x"])
                assert driver.app.is_running, (pane, key)
                while len(driver.app.screen_stack) > 1:
                    await driver.app.pop_screen()
                await driver.hammer(["escape", "escape"])
        assert driver.app.return_code in (None, 0)
