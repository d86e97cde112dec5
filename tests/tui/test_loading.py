"""Reading beside the screen: in a thread, in a process; unusable input; leaving at any moment."""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from traceview.desk import Reader
from traceview.evaluate.detail import Detail
from traceview.load import PENDING as LOADERS_PENDING
from traceview.load import Progress, Rows
from traceview.results import Row
from traceview.tui import process
from traceview.tui.application import TraceviewApp
from traceview.tui.counts import PENDING
from traceview.tui.loading import Ended, Failed, Load, Message, Started, read
from traceview.tui.process import ReaderProcess, is_large
from traceview.tui.progress import Pace
from traceview.tui.request import Request
from tui.harness import CASES, TRACES, Driver, driven, opened


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_LARGE", 0)


def results(driver: Driver) -> list[tuple[str, str, str]]:
    return [(r.result.case_id, r.result.verdict, r.result.diagnosis) for r in driver.app.session.table.rows]


def test_the_word_for_pending_is_the_loaders() -> None:
    assert PENDING == LOADERS_PENDING


@driven
async def test_a_process_gives_what_a_thread_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as driver:
        assert not driver.app.session.light
        in_thread = results(driver)
        counts = driver.app.session.table.totals
    monkeypatch.setattr(process, "_LARGE", 0)
    async with opened() as driver:
        assert driver.app.session.light
        assert results(driver) == in_thread
        assert driver.app.session.table.totals == counts
        await driver.press("e", "e")
        assert any("duration_min" in line and "60" in line for line in driver.pane("timeline"))


@driven
async def test_what_a_process_read_is_written_whole(everything_is_large: None, tmp_path: Path) -> None:
    from traceview import cli

    cli.main(["check", CASES, TRACES, "--output", str(tmp_path / "check.json")])
    async with opened() as driver:
        await driver.press("w")
        driver.app.screen.query_one("#path", Input).value = str(tmp_path / "screen.json")
        await driver.press("enter")
        for _ in range(300):
            if len(driver.app.screen_stack) == 1:
                break
            await driver.pilot.pause(0.01)
    assert (tmp_path / "screen.json").read_bytes() == (tmp_path / "check.json").read_bytes()


@driven
async def test_compressed_files_can_be_opened_after_a_process_read_them(
    everything_is_large: None, tmp_path: Path
) -> None:
    packed = tmp_path / "traces.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(TRACES).read_bytes()))
    async with opened(CASES, [str(packed)]) as driver:
        await driver.press("e", "e")
        assert any("duration_min" in line for line in driver.pane("timeline"))
        await driver.press("r")
        await driver.loaded()
        await driver.press("e")
        assert driver.selected == "B04"
        assert driver.main.opened.detail is not None


def test_a_process_and_its_folder_are_gone_afterwards(everything_is_large: None) -> None:
    reading = ReaderProcess(Request(CASES, (TRACES,)), None)
    folder = Path(reading._temp.path)
    assert folder.is_dir()
    reading.close()
    reading.close()
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(reading._process.pid, 0)


def test_first_rows_come_before_all_of_them() -> None:
    messages = list(read(Request(CASES, (TRACES,)), light=True))
    kinds = [type(message) for message in messages]
    assert kinds.index(Started) < kinds.index(Rows) < kinds.index(Ended)
    started = next(message for message in messages if isinstance(message, Started))
    assert [row.result.diagnosis for row in started.rows] == [PENDING] * 12
    findings = [f for m in messages if isinstance(m, Rows) for row in m.rows for f in row.result.findings]
    assert findings
    assert {repr(finding.expected) for finding in findings} == {"MISSING"}


@pytest.mark.parametrize("large", [False, True])
@driven
async def test_unusable_input_ends_with_one_line(
    large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(process, "_LARGE", -1)
    app = TraceviewApp(Request(str(tmp_path / "none.csv"), (TRACES,)))
    async with app.run_test() as pilot:
        for _ in range(500):
            if app._exit:
                break
            await pilot.pause(0.01)
    app.close()
    assert "none.csv: no such file" in str(app.return_value)
    assert "\n" not in str(app.return_value)


@driven
async def test_a_reader_that_dies_is_said(everything_is_large: None) -> None:
    async with opened() as driver:
        load = Load(Request(CASES, (TRACES,)), ReaderProcess(Request(CASES, (TRACES,)), None))
        assert load._process is not None
        load._process.stop()
        said: list[Message] = list(load._messages())
        assert isinstance(said[-1], Failed)
        load.close()
        assert driver.app.is_running


@driven
async def test_leaving_while_it_reads(everything_is_large: None) -> None:
    app = TraceviewApp(Request(CASES, (TRACES,)))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+c")
        assert app._exit
    began = time.monotonic()
    app.close()
    assert time.monotonic() - began < 1


@driven
async def test_keys_work_while_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are there, not judged yet; what a key does does not wait for the rest."""

    def slowly(request: Request, **options: Any) -> Iterator[Message]:
        for message in read(request, **options):
            if isinstance(message, Rows):
                while not go_on:
                    time.sleep(0.005)
            yield message

    go_on: list[bool] = []
    monkeypatch.setattr("traceview.tui.loading.read", slowly)
    app = TraceviewApp(Request(CASES, (TRACES,)))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        for _ in range(300):
            if app.session.table.rows:
                break
            await pilot.pause(0.01)
        await driver.press("j", "j")
        assert driver.selected == "B03"
        assert any("B03" in line and "…" in line for line in driver.pane("cases"))
        assert "12 …" in driver.text
        assert "not judged yet" in driver.text
        await driver.press("e")
        assert "still reading" in driver.said
        await driver.press("w")
        assert "still reading" in driver.said
        await driver.filter("gdańsk")
        assert driver.shown == ["B03"]
        go_on.append(True)
        await driver.loaded()
        assert driver.shown == ["B03"]
        assert driver.main.opened.detail is not None
        assert "wrong_arguments" in driver.text


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files here")
@pytest.mark.parametrize("large", [False, True])
@driven
async def test_reading_again_leaves_no_more_files_open(monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    if large:
        monkeypatch.setattr(process, "_LARGE", 0)

    def of_inputs() -> int:
        links = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
        return sum(link in (CASES, TRACES) for link in links)

    async with opened() as driver:
        before = of_inputs()
        for _ in range(3):
            await driver.press("r")
            await driver.loaded()
        assert of_inputs() <= before


@driven
async def test_a_long_run_that_takes_its_time_leaves_no_other_one_in_sight(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cases, traces = tmp_path / "cases.csv", tmp_path / "traces.jsonl"
    cases.write_text('case_id,expected_sequence\nshort,"[""first""]"\nlong,"[""second""]"\n')
    events = [("short", 1, "first"), *[("long", step, "second") for step in range(1, 401)]]
    traces.write_text(
        "".join(
            json.dumps({"case_id": case, "step": step, "tool_name": tool, "arguments": {}}) + "\n"
            for case, step, tool in events
        )
    )
    go_on = threading.Event()
    detail = Reader.detail

    def slow(reader: Reader, row: Row) -> Detail:
        if row.result.case_id == "long":
            go_on.wait(10)
        return detail(reader, row)

    async with opened(str(cases), [str(traces)]) as driver:
        await driver.press("g")
        assert driver.selected == "short" and any("first" in line for line in driver.pane("timeline"))
        monkeypatch.setattr(Reader, "detail", slow)
        await driver.press("G")
        assert driver.selected == "long"
        for _ in range(300):
            if not any("first" in line for line in driver.pane("timeline")):
                break
            await driver.pilot.pause(0.01)
        assert not any("first" in line or "second" in line for line in driver.pane("timeline"))
        go_on.set()
        for _ in range(300):
            if any("second" in line for line in driver.pane("timeline")):
                break
            await driver.pilot.pause(0.01)
        assert any("second" in line for line in driver.pane("timeline"))


@pytest.mark.parametrize("large", [False, True])
@driven
async def test_what_was_read_stays_where_it_cannot_be_read_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, large: bool
) -> None:
    if large:
        monkeypatch.setattr(process, "_LARGE", 0)
    cases, traces = tmp_path / "cases.csv", tmp_path / "traces.jsonl"
    cases.write_bytes(Path(CASES).read_bytes())
    traces.write_bytes(Path(TRACES).read_bytes())
    async with opened(str(cases), [str(traces)]) as driver:
        before = results(driver)
        for path in (traces, cases):
            kept = path.read_bytes()
            path.write_bytes(b"")
            await driver.press("r")
            await driver.loaded()
            assert "is empty" in driver.said
            assert results(driver) == before
            path.write_bytes(kept)
        await driver.press("r")
        await driver.loaded()
        assert results(driver) == before and "read again" in driver.said


def test_only_large_input_gets_a_process(tmp_path: Path) -> None:
    assert not is_large(Request(CASES, (TRACES,)))
    assert not is_large(Request(str(tmp_path / "none"), ()))
    assert is_large(Request("-", ()))
    big = tmp_path / "folder" / "big.jsonl.gz"
    big.parent.mkdir()
    big.write_bytes(b"x" * 1_100_000)
    assert is_large(Request(None, (str(big),)))
    assert is_large(Request(None, (str(big.parent),)))


def test_progress_counts_bytes_and_estimates() -> None:
    pace = Pace()
    assert pace.words(Progress("cases", 0, 0), 0.0) == "reading cases"
    assert pace.words(Progress("traces", 0, 262_000_000), 1.0) == "reading traces  0%  0 of 262 MB"
    assert (
        pace.words(Progress("traces", 131_000_000, 262_000_000), 3.0)
        == "reading traces  50%  131 of 262 MB  about 2 s left"
    )
    assert pace.words(Progress("runs", 500, 2000), 3.1) == "judging  25%  500 of 2,000"
