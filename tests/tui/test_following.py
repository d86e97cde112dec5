"""Traces that grow while the screen shows them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from traceview import cli
from traceview.load import Loader
from traceview.results import Row
from traceview.tui import following, process
from traceview.tui.application import TraceviewApp
from traceview.tui.request import Request
from tui.harness import CASES, TRACES, Driver, driven

LINES = [line + "\n" for line in Path(TRACES).read_text().splitlines()]


def event(case_id: str, step: int, tool: str, **more: Any) -> str:
    record = {"case_id": case_id, "step": step, "tool_name": tool, "arguments": {}, "status": "ok"}
    return json.dumps(record | more) + "\n"


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traceview.tui.loading.EVERY", 0.01)


@pytest.fixture(params=["thread", "process"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "process":
        monkeypatch.setattr(process, "_LARGE", -1)
    return str(request.param)


@asynccontextmanager
async def followed(traces: Path, cases: str = CASES) -> AsyncIterator[Driver]:
    app = TraceviewApp(Request(cases, (str(traces),), follow=True))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        try:
            yield driver
        finally:
            app.close()


async def until(driver: Driver, true: Callable[[], bool]) -> None:
    for _ in range(500):
        if true():
            await driver.settle()
            return
        await driver.pilot.pause(0.02)
    raise AssertionError(driver.text)


def events(driver: Driver) -> int:
    return sum(info.records for info in driver.app.session.inputs if info.role == "traces")


def append(traces: Path, text: str) -> None:
    with traces.open("a") as file:
        file.write(text)


def told(rows: list[Row]) -> list[Any]:
    """What is known of each row but for the values of findings, which a process leaves out."""
    return [
        (
            r.result.case_id,
            r.result.run_id,
            r.result.trial,
            r.result.verdict,
            r.result.diagnosis,
            dict(r.result.checks),
            r.result.events,
            [f.message for f in r.result.findings],
        )
        for r in rows
    ]


def shows_what_a_new_reading_shows(driver: Driver, traces: Path, cases: str = CASES) -> None:
    session, table = driver.app.session, driver.app.session.table
    report = Loader(cases, [str(traces)]).report()
    assert told(table.rows[: table.reviewed]) == told(report.rows)
    assert told(table.rows[table.reviewed :]) == told(report.unreviewed)
    assert list(session.problems) == report.problems
    assert session.inputs == report.inputs
    assert session.report is not None and session.report.skipped == report.skipped
    assert table.totals.runs == len(report.rows)
    for verdict in ("pass", "fail", "unknown", "no_trace", "unusable"):
        assert table.totals.verdicts[verdict] == sum(r.result.verdict == verdict for r in report.rows)


@driven
async def test_line_by_line_with_half_lines(reading: str, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text(LINES[0])
    strangers = [event("Z", 1, "look"), "no json\n", event("Z", 2, "look"), event("Y", 1, "look")]
    async with followed(traces) as driver:
        assert driver.app.session.light == (reading == "process")
        assert "following · 1 event" in driver.said
        for line in [*LINES[1:9], *strangers, *LINES[9:]]:
            append(traces, line[: len(line) // 2])
            await driver.pilot.pause(0.015)
            append(traces, line[len(line) // 2 :])
            await driver.pilot.pause(0.015)
        await until(driver, lambda: events(driver) == len(LINES) + 3)
        assert f"following · {len(LINES) + 3} events" in driver.said
        shows_what_a_new_reading_shows(driver, traces)
        await driver.press("g", "e")
        assert driver.main.opened.detail is not None, "what was appended can be opened"
        assert driver.main.opened.detail.rows


@driven
async def test_selection_filter_folds_and_scroll_stay(reading: str, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(LINES))
    async with followed(traces) as driver:
        await driver.press("e", "e", "e")
        assert driver.selected == "B04"
        await driver.filter("is:fail")
        place = driver.main.case_list.selected_place
        await driver.press("2", "o", "j", "j", "j")
        timeline = driver.main.timeline
        under, top = timeline.line_key(timeline.cursor), timeline.scroll_offset.y
        append(traces, event("B01", 1, "check_availability", run_id="again"))
        await until(driver, lambda: events(driver) == len(LINES) + 1)
        assert driver.selected == "B04"
        assert driver.main.case_list.selected_place == (place or 0) + 1
        assert driver.app.session.filter.state.text == "is:fail"
        assert driver.shown[:2] == ["B01", "B02"]
        assert timeline.line_key(timeline.cursor) == under
        # the open run itself grows
        steps = sum('"B04"' in line for line in LINES)
        append(traces, event("B04", steps + 1, "reserve_room"))
        await until(driver, lambda: events(driver) == len(LINES) + 2)
        assert driver.selected == "B04"
        assert driver.main.opened.detail is not None and driver.main.opened.detail is timeline.detail
        assert timeline.line_key(timeline.cursor) == under
        assert timeline.scroll_offset.y == top
        shows_what_a_new_reading_shows(driver, traces)


@driven
async def test_a_filter_being_typed_and_left(tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(LINES))
    async with followed(traces) as driver:
        await driver.press("e", "e", "e", "slash")
        await driver.type("B1")
        append(traces, event("B01", 1, "check_availability", run_id="again"))
        await until(driver, lambda: events(driver) == len(LINES) + 1)
        assert driver.shown == ["B10", "B11", "B12"]
        await driver.press("escape")
        assert driver.selected == "B04"


@driven
async def test_a_rewritten_file_is_read_anew_with_a_note(reading: str, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(LINES))
    async with followed(traces) as driver:
        await driver.press("e", "e", "e")
        other = tmp_path / "other.jsonl"
        other.write_text("".join(LINES[:-1]))
        other.replace(traces)
        await until(driver, lambda: events(driver) == len(LINES) - 1 and not driver.app.session.loading)
        await driver.loaded()
        assert "traces.jsonl was replaced" in driver.said and "read again" in driver.said
        assert driver.selected == "B04"
        await until(driver, lambda: driver.app.session.following)
        append(traces, LINES[-1])
        await until(driver, lambda: events(driver) == len(LINES))
        shows_what_a_new_reading_shows(driver, traces)


@driven
async def test_a_file_that_is_gone_is_taken_up_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traceview.tui.feed._TRY_AGAIN", 0.05)
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(LINES))
    async with followed(traces) as driver:
        traces.unlink()
        await until(driver, lambda: "trying again" in driver.said)
        traces.write_text("".join(LINES[:4]))
        await until(driver, lambda: driver.app.session.following)
        shows_what_a_new_reading_shows(driver, traces)


@driven
async def test_what_cannot_be_followed_is_said(reading: str, tmp_path: Path) -> None:
    packed = tmp_path / "traces.jsonl.gz"
    packed.write_bytes(gzip.compress("".join(LINES).encode()))
    async with followed(packed) as driver:
        await until(driver, lambda: "cannot be followed" in driver.said)
        assert "traces.jsonl.gz" in driver.said
        assert not driver.app.session.following


@driven
async def test_a_process_that_dies_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_LARGE", -1)
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(LINES))
    async with followed(traces) as driver:
        await until(driver, lambda: driver.app.session.following)
        load = driver.app._feed._load  # type: ignore[union-attr]
        assert load is not None and load._process is not None
        load._process.stop()
        await until(driver, lambda: "following ended" in driver.said)
        assert not driver.app.session.following


def test_changes_can_be_sent_from_a_process(tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text(LINES[0])
    loader = Loader(CASES, [str(traces)], follow=True)
    loader.report()
    assert loader.follower is not None
    append(traces, "".join(LINES[1:]))
    looks = iter((True, False))
    first, grown = following.changes(loader.follower, light=True, wait=lambda: next(looks))
    assert first == following.Following(any=True, unfollowed=())
    sent = pickle.loads(pickle.dumps(grown))
    assert {repr(f.expected) for _, row in sent.changed for f in row.result.findings} == {"MISSING"}


def test_a_process_ends_when_its_screen_is_gone(tmp_path: Path) -> None:
    """Killed, it cannot end it itself; and while nothing grows the process writes nothing."""
    script = (
        "import os, sys, time\n"
        "from traceview.tui.process import ReaderProcess\n"
        "from traceview.tui.request import Request\n"
        "reading = ReaderProcess(Request(sys.argv[1], (sys.argv[2],), follow=True), None)\n"
        "import pickle\n"
        "while type(pickle.load(reading.messages)).__name__ != 'Following': pass\n"
        "print(reading._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", script, CASES, TRACES]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    reader = int(done.stdout)
    for _ in range(200):
        try:
            os.kill(reader, 0)
        except ProcessLookupError:
            return
        if (
            Path(f"/proc/{reader}/stat").exists()
            and Path(f"/proc/{reader}/stat").read_text().split()[2] == "Z"
        ):
            return
        time.sleep(0.02)
    raise AssertionError("the reading process lives on")


def test_without_a_terminal_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([CASES, TRACES, "--follow"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("traceview: --follow needs a terminal") and err.count("\n") == 1
