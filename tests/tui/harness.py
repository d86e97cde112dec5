"""Driving the screen in tests: open files or made-up rows, press keys, read what stands on the screen."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot

from traceview.model import Run
from traceview.results import ContractInfo, Report, Row
from traceview.tui.application import TraceviewApp
from traceview.tui.config import Config
from traceview.tui.request import Request

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES = str(SAMPLE / "booking_agent_cases.csv")
TRACES = str(SAMPLE / "booking_agent_traces.jsonl")


def driven(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """An async test as one that pytest calls."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


KEY_CHARACTERS = {"space": " ", "slash": "/", "question_mark": "?", "colon": ":", "quotation_mark": '"'}


class Driver:
    """One open screen."""

    def __init__(self, app: TraceviewApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot
        self.main = app.screen_main

    # -- acting ---------------------------------------------------------------------------------------------

    async def press(self, *names: str) -> None:
        """Press keys, and wait until what they led to is on the screen."""
        await self.pilot.press(*names)
        await self.settle()

    async def hammer(self, names: Sequence[str]) -> None:
        """Press many keys, each when the one before has been dealt with, not when the process is idle."""
        for name in names:
            name = _character_to_key(name) if len(name) == 1 and not name.isalnum() else name
            char = name if len(name) == 1 else KEY_CHARACTERS.get(name)
            self.app.post_message(events.Key(name, char))
            for _ in range(4):  # app, screen, pane: a message goes from queue to queue
                await asyncio.sleep(0)
                for _ in range(100_000):
                    nodes = [self.app, *self.app.screen.walk_children()]
                    if not any(node._message_queue.qsize() for node in nodes):
                        break
                    await asyncio.sleep(0)
                else:
                    busy = [node for node in nodes if node._message_queue.qsize()]
                    raise AssertionError(f"after {name} never at rest: {busy}")

    async def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        names = {" ": "space", ":": "colon", "/": "slash", "_": "underscore", "-": "minus", "*": "asterisk"}
        names |= {"[": "left_square_bracket", "]": "right_square_bracket", '"': "quotation_mark"}
        await self.press(*(names.get(char, char) for char in text))

    async def filter(self, text: str) -> None:
        """Type a filter and keep it."""
        await self.press("slash")
        await self.type(text)
        await self.press("enter")

    async def loaded(self) -> None:
        """Wait until everything is read and shown."""
        for _ in range(2000):
            if not self.app.session.loading and not self._waiting():
                break
            await self.pilot.pause(0.005)
        else:
            raise AssertionError("loading took too long")
        await self.settle()

    def _waiting(self) -> bool:
        feed = self.app._feed
        if feed is None or feed._load is None:
            return False
        return feed._load.waiting or feed._held is not None

    async def settle(self) -> None:
        """Let the opened run catch up with the selected case."""
        await self.pilot.pause()
        for _ in range(200):
            if self.main.case_list.selected is self.main.opened.of:
                break
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    # -- looking --------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """The lines of the screen, without styles."""
        return screen_lines(self.app)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def selected(self) -> str | None:
        """The selected case."""
        row = self.main.case_list.selected
        return row.result.case_id if row is not None else None

    @property
    def shown(self) -> list[str]:
        """The shown cases, in order."""
        table = self.app.session.table
        return [table.rows[place].result.case_id for place in table.shown]

    @property
    def said(self) -> str:
        """The status line."""
        return self.main.status.text.strip()

    def pane(self, name: str) -> list[str]:
        """The lines inside a pane, as they are drawn."""
        view = self.main.query_one(f"#{name}")
        return [view.render_line(y).text for y in range(view.content_size.height)]


def screen_lines(app: App[Any]) -> list[str]:
    """What stands on the screen, popups included."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


@asynccontextmanager
async def opened(
    cases: str | None = CASES,
    traces: Sequence[str] = (TRACES,),
    *,
    size: tuple[int, int] = (120, 36),
    contract: str | None = None,
    config: Config | None = None,
    filter_text: str = "",
) -> AsyncIterator[Driver]:
    """The screen on these files, read to the end."""
    own = cases is not None and Path(cases).is_relative_to(Path.cwd())
    triage = None if own else "marks.triage.jsonl"  # what keys mark is not kept beside the sample
    request = Request(cases, tuple(traces), contract, triage=triage)
    app = TraceviewApp(request, config=config, filter_text=filter_text)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        try:
            yield driver
        finally:
            app.close()


class NoReader:
    """Opens runs that were never recorded."""

    def run(self, row: Row) -> Run:
        return Run(row.result.case_id, row.result.run_id, row.result.trial, (), {})

    def detail(self, row: Row) -> Any:
        from traceview.evaluate.explain import unjudged

        return unjudged(row.case, row.title, self.run(row), row.result)

    def complete(self, row: Row) -> Row:
        return row


class MadeUpApp(TraceviewApp):
    """The application over rows that no file holds."""

    def __init__(
        self, rows: list[Row], contract: ContractInfo, columns: Sequence[str], **options: Any
    ) -> None:
        super().__init__(Request(None, ()), **options)
        self.made_up = rows, contract, columns

    def _begin(self) -> None:
        rows, contract, columns = self.made_up
        self.session.reader = NoReader()
        self.session.start(columns, contract, [])
        self.session.update(0, rows)
        self.session.finish(Report(contract, (), [], [], []))
        self.screen_main.ended()


@asynccontextmanager
async def made_up(
    rows: list[Row],
    *,
    checks: Sequence[str],
    priority: Sequence[str] = (),
    columns: Sequence[str] = (),
    size: tuple[int, int] = (120, 36),
    config: Config | None = None,
) -> AsyncIterator[Driver]:
    """The screen on rows made by hand."""
    contract = ContractInfo("made-up", "test", "", tuple(checks), priority=tuple(priority))
    app = MadeUpApp(rows, contract, columns, config=config)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.loaded()
        yield driver
