"""The timeline as a widget: what it opens with, what its keys do, and how fast they are."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot

from details import booking, detail, event, finding, same
from traceview.evaluate.detail import Detail, Diff, StepRow
from traceview.model import MISSING
from traceview.tui.base import BaseApp
from traceview.tui.widgets.timeline import Timeline
from tui.harness import driven


class TimelineApp(BaseApp):
    """Nothing but a timeline, on one run."""

    def __init__(self, opened: Detail | None) -> None:
        super().__init__()
        self.opened = opened
        self.timeline = Timeline(id="timeline")
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.timeline

    def on_mount(self) -> None:
        self.timeline.show(self.opened)
        self.timeline.focus()

    def on_timeline_said(self, event: Timeline.Said) -> None:
        self.said.append(event.text)


class Shown:
    """The timeline while a test runs."""

    def __init__(self, app: TimelineApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.timeline = app.timeline
        self.pilot = pilot

    async def press(self, *names: str) -> None:
        await self.pilot.press(*names)
        await self.pilot.pause()

    @property
    def lines(self) -> list[str]:
        return [self.timeline.render_line(y).text.rstrip() for y in range(self.timeline.size.height)]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def under(self) -> str:
        """The line under the cursor."""
        return self.lines[self.timeline.cursor - self.timeline.scroll_offset.y]

    def cpu(self, action: Callable[[], object]) -> float:
        """Seconds of CPU that an action takes with the screenful it leaves."""
        started = time.process_time()
        action()
        self.timeline._strips.clear()
        for y in range(self.timeline.size.height):
            self.timeline.render_line(y)
        return time.process_time() - started


@asynccontextmanager
async def showing(opened: Detail | None, size: tuple[int, int] = (90, 30)) -> AsyncIterator[Shown]:
    app = TimelineApp(opened)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Shown(app, pilot)


@driven
async def test_opens_on_the_first_difference_with_the_title_in_sight() -> None:
    async with showing(booking()) as shown:
        assert "✗ duration_min" in shown.under
        assert "expected 30" in shown.under
        assert "observed 60" in shown.under
        assert "Book R2 for four people" in shown.lines[0]
        assert not any("booking_id" in line for line in shown.lines), "a matching step is folded"


@driven
async def test_the_difference_comes_with_its_step_where_the_pane_is_low() -> None:
    async with showing(booking(), (42, 8)) as shown:
        at = shown.lines.index(shown.under)
        assert "duration_min" in shown.lines[at]
        assert "check_availability" in shown.lines[at - 1]
        assert [line.strip() for line in shown.lines[at + 1 : at + 3]] == ["expected 30", "observed 60"]


@driven
async def test_a_run_opened_out_of_sight_is_in_place_when_it_is_seen() -> None:
    async with showing(None, (42, 8)) as shown:
        shown.timeline.display = False
        await shown.pilot.pause()
        shown.timeline.show(booking())
        await shown.pilot.pause()
        shown.timeline.display = True
        await shown.pilot.pause()
        await shown.pilot.pause()
        at = shown.lines.index(shown.under)
        assert "duration_min" in shown.lines[at]
        assert "check_availability" in shown.lines[at - 1]
        assert "observed 60" in shown.lines[at + 2]


@driven
async def test_n_goes_round_the_differences_and_says_so() -> None:
    async with showing(booking()) as shown:
        first = shown.timeline.cursor
        await shown.press("n")
        assert shown.timeline.cursor > first
        assert "duration_min" in shown.under
        assert shown.app.said == []
        await shown.press("n")
        assert shown.timeline.cursor == first
        assert "from the top" in shown.app.said[-1]
        await shown.press("N")
        assert "from the end" in shown.app.said[-1]


@driven
async def test_n_says_when_there_is_no_difference() -> None:
    row = StepRow("matched", event(1, "tool", {"a": 1}), 1, "tool", (same("/a", 1),), ())
    async with showing(detail((row,), verdict="pass")) as shown:
        await shown.press("n")
        assert shown.app.said == ["no difference in this run"]


@driven
async def test_n_unfolds_the_step_of_the_difference() -> None:
    async with showing(booking()) as shown:
        await shown.press("o", "o", "g")
        assert "expected 30" not in shown.text
        await shown.press("n")
        assert "duration_min" in shown.under


@driven
async def test_keys_fold_and_unfold() -> None:
    async with showing(booking()) as shown:
        await shown.press("h")
        assert "▸ 1 ✗ check_availability" in shown.under
        assert "observed 60" in shown.text, "the other failing step stays open"
        await shown.press("l")
        assert "▾ 1 ✗ check_availability" in shown.under
        await shown.press("space")
        assert "▸ 1 ✗ check_availability" in shown.under
        await shown.press("enter")
        assert "▾ 1 ✗ check_availability" in shown.under
        await shown.press("o")
        assert "booking_id" in shown.text
        assert "▾ 1 ✗ check_availability" in shown.under, "the cursor stays on its line"
        await shown.press("o")
        assert "duration_min" not in shown.text


@driven
async def test_a_click_selects_and_the_next_one_folds() -> None:
    async with showing(booking()) as shown:
        y = next(y for y, line in enumerate(shown.lines) if "reserve_room" in line)
        await shown.pilot.click(Timeline, offset=(10, y))
        assert "▾ 2 ✗ reserve_room" in shown.under
        await shown.pilot.click(Timeline, offset=(10, y))
        assert "▸ 2 ✗ reserve_room" in shown.under


@driven
async def test_a_long_value_is_unfolded_bit_by_bit() -> None:
    result = "\n".join(f"line {n}" for n in range(2000))
    row = StepRow("uncompared", event(1, "tool", {}, result=result), None, None, (), ())
    async with showing(detail((row,), verdict="unreviewed")) as shown:
        await shown.press("o")
        while "result" not in shown.under:
            await shown.press("j")
        assert "▸" in shown.under
        assert f"{len(result):,} characters" in shown.under
        await shown.press("enter")
        assert "line 19" in shown.text
        await shown.press(*["j"] * 21)
        assert "more of it" in shown.under
        await shown.press("enter")
        assert "line 20" in shown.text
        await shown.press("h")
        assert "result" in shown.under
        assert "line 30" not in shown.text


@driven
async def test_coming_back_to_a_run_finds_it_as_it_was_left() -> None:
    other = detail((StepRow("uncompared", event(1, "tool", {}), None, None, (), ()),))
    other = _of_case(other, "B04")
    async with showing(booking()) as shown:
        await shown.press("o", "G", "k")
        left = shown.under
        shown.timeline.show(other)
        await shown.pilot.pause()
        assert "tool" in shown.text
        shown.timeline.show(booking())  # read again: another object, the same run
        await shown.pilot.pause()
        assert shown.under == left
        assert "booking_id" in shown.text


def _of_case(opened: Detail, case_id: str) -> Detail:
    from msgspec.structs import replace

    return replace(opened, run=replace(opened.run, case_id=case_id))


@driven
async def test_another_width_keeps_the_place() -> None:
    async with showing(booking()) as shown:
        await shown.press("n")
        for width, height in ((40, 10), (20, 5), (200, 50), (90, 30)):
            await shown.pilot.resize_terminal(width, height)
            await shown.pilot.pause()
            assert "duration" in shown.under or width == 20
            assert shown.timeline.selection()[1] == Diff("/duration_min", "changed", 30, 60, "changed")
            assert all(len(line) <= width for line in shown.lines)


@driven
async def test_what_is_under_the_cursor_can_be_copied() -> None:
    async with showing(booking()) as shown:
        row, diff = shown.timeline.selection()
        assert row is not None
        assert row.expected_tool == "check_availability"
        assert diff is not None
        assert (diff.path, diff.expected, diff.observed) == ("/duration_min", 30, 60)
        while "state_after" not in shown.under:
            await shown.press("j")
        _, diff = shown.timeline.selection()
        assert diff == Diff("/state_after", "uncompared", MISSING, "room_found")
        await shown.press("g")
        assert shown.timeline.selection() == (None, None)
    async with showing(None) as shown:
        assert shown.timeline.selection() == (None, None)


@driven
async def test_nothing_open_takes_every_key() -> None:
    async with showing(None) as shown:
        await shown.press(*"jkgGonNhl", "enter", "space", "ctrl+d", "pagedown")
        assert shown.timeline.line_count == 0
        shown.timeline.show(booking())
        await shown.pilot.pause()
        assert "duration_min" in shown.under
        shown.timeline.show(None)
        await shown.pilot.pause()
        assert shown.text.strip() == ""


@pytest.mark.parametrize(
    "text", ["[/]", "[red]x[/red]", "\x1b]52;c;aGk=\x07", "\x9b31m", "\u202eabc", "a\tb\rc"]
)
@driven
async def test_text_from_data_is_text(text: str) -> None:
    places = (Diff("/" + text.replace("/", "~1"), "changed", text, text + "!", "changed", text),)
    wrong = finding(text or "x", "moved_call", text, step=1)
    row = StepRow(
        "moved", event(1, text, {text: text}, text, result=text, **{text: text}), 1, text, places, (wrong,)
    )
    async with showing(detail((row,), title=text, notes=(text,), recorded={text: text})) as shown:
        await shown.press("o")
        assert all(line.isprintable() for line in shown.lines)
        if text.isprintable():
            assert shown.text.count(text) > 6


@pytest.mark.parametrize("theme", ["traceview-dark", "traceview-light", "textual-ansi", "nord"])
@driven
async def test_every_theme_has_every_style(theme: str) -> None:
    async with showing(booking()) as shown:
        if theme in shown.app.available_themes:
            shown.app.theme = theme
        await shown.pilot.pause()
        assert "duration_min" in shown.under


def _large(steps: int) -> Detail:
    rows = []
    for n in range(1, steps + 1):
        arguments = {"attendees": 4, "duration_min": 60 + n, "start_utc": "2026-08-03T09:00:00Z"}
        rows.append(
            StepRow(
                "changed",
                event(n, "reserve_room", arguments, state_after="reserved", result={"id": n}),
                n,
                "reserve_room",
                (
                    Diff("/duration_min", "changed", 30, 60 + n, "changed"),
                    same("/attendees", 4),
                    same("/start_utc", arguments["start_utc"]),
                ),
                (finding("arguments_ok", "changed", "duration_min", path="/duration_min", step=n),),
            )
        )
    return detail(tuple(rows))


@driven
async def test_five_thousand_steps_answer_every_key_in_time() -> None:
    large = _large(5000)
    async with showing(booking(), (120, 40)) as shown:
        timeline = shown.timeline
        spent = {"open": shown.cpu(lambda: timeline.show(large))}
        for name in (
            "toggle_all",
            "cursor_bottom",
            "page_up",
            "half_up",
            "cursor_up",
            "previous_hit",
            "fold",
        ):
            spent[name] = shown.cpu(getattr(timeline, f"action_{name}"))
        for name in ("next_hit", "toggle", "toggle_all"):
            spent[f"{name} again"] = shown.cpu(getattr(timeline, f"action_{name}"))
        # Three times the budget of a key, for busy machines.
        assert max(spent.values()) < 0.15, spent
