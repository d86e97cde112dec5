"""The screen begins as it was left with the same files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from traceview import state
from traceview.tui.application import TraceviewApp
from traceview.tui.memory import Memory
from traceview.tui.request import Request
from tui.harness import CASES, TRACES, Driver, driven


@asynccontextmanager
async def started(
    *, fresh: bool = False, filter_text: str = "", traces: Sequence[str] = (TRACES,)
) -> AsyncIterator[Driver]:
    """The screen as the command starts it."""
    request = Request(CASES, tuple(traces))
    app = TraceviewApp(request, filter_text=filter_text, memory=Memory(request, fresh=fresh))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        try:
            yield driver
        finally:
            app.close()


async def sort_by(driver: Driver, column: str) -> None:
    driver.main.filters.sort_by(column)
    await driver.settle()


async def leave_it() -> list[str]:
    """Filtered, sorted by diagnosis downward, B08 selected, in the timeline. Gives the shown cases."""
    async with started() as driver:
        await driver.filter("is:fail")
        await sort_by(driver, "diagnosis")
        await sort_by(driver, "diagnosis")
        while driver.selected != "B08":
            await driver.press("j")
        await driver.press("2")
        return driver.shown


@driven
async def test_it_begins_as_it_was_left() -> None:
    shown = await leave_it()
    async with started() as driver:
        assert driver.shown == shown
        assert driver.selected == "B08"
        assert driver.main.opened.detail is not None and driver.main.opened.detail.case.case_id == "B08"
        assert "is:fail" in driver.text
        assert "sorted by diagnosis, down" in driver.said
        assert driver.main.pane == "timeline" and driver.main.timeline.has_focus


@driven
async def test_a_filter_that_was_off_is_off() -> None:
    async with started() as driver:
        await driver.filter("is:fail")
        await driver.press("z")
    async with started() as driver:
        assert len(driver.shown) == 12
        await driver.press("z")
        assert len(driver.shown) == 7


@driven
async def test_fresh_begins_anew() -> None:
    await leave_it()
    async with started(fresh=True) as driver:
        assert len(driver.shown) == 12
        assert driver.selected == "B01"
        assert driver.main.pane == "cases"


@driven
async def test_a_given_filter_wins() -> None:
    await leave_it()
    async with started(filter_text="is:pass") as driver:
        assert len(driver.shown) == 5
        assert "sorted by diagnosis, down" in driver.said


@driven
async def test_other_files_have_a_memory_of_their_own(tmp_path: Path) -> None:
    await leave_it()
    other = tmp_path / "other.jsonl"
    other.write_bytes(Path(TRACES).read_bytes())
    async with started(traces=[str(other)]) as driver:
        assert len(driver.shown) == 12


@driven
async def test_a_kill_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traceview.tui.application._REMEMBER", 0.05)
    async with started() as driver:
        await driver.filter("is:fail")
        for _ in range(100):
            kept = state.restore(CASES, [TRACES])
            if kept is not None and kept.filter == "is:fail":
                break
            await asyncio.sleep(0.02)
        assert kept is not None and kept.filter == "is:fail"


@driven
async def test_what_was_kept_may_fit_no_longer() -> None:
    odd = state.Session(
        filter="nosuchfield:(", sort="cell:gone", selected=("gone", None, None), layout={"pane": ["x"]}
    )
    assert state.save(odd, CASES, [TRACES])
    async with started() as driver:
        assert len(driver.main.case_list.table.rows) == 12
        assert driver.main.opened.detail is not None or not driver.shown
        assert "sorted" not in driver.said


@driven
async def test_leaving_before_anything_is_read_forgets_nothing() -> None:
    await leave_it()
    before = state.restore(CASES, [TRACES])
    request = Request(CASES, (TRACES,))
    app = TraceviewApp(request, memory=Memory(request))
    app.close()
    assert state.restore(CASES, [TRACES]) == before
