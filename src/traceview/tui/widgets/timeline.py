"""The step timeline: one run, expected beside observed, call by call."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.message import Message

from traceview.evaluate.detail import Detail, Diff, DiffState, StepRow
from traceview.model import MISSING
from traceview.tui import keys
from traceview.tui.line_view import Line, LineView
from traceview.tui.timeline_blocks import Folds
from traceview.tui.timeline_lines import Document, Under

_REMEMBERED: Final = 200  # runs whose folds and place are kept for coming back
_UNSEEN_WIDTH: Final = 80  # cells of a line until the pane has a size
_BELOW: Final = 3  # lines that are seen below a difference
_MARKED: Final = Style(bold=True, underline=True)  # words that differ: seen without colour too


class Timeline(LineView):
    """Shows an opened run (:class:`Detail`): ``show`` it, ``current`` tells what the cursor is on."""

    HELP_TITLE = "Steps"
    barred = True
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("timeline")]

    class Said(Message):
        """Something a key has to tell, for the line where the screen says such things."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._document: Document | None = None
        self._unseen = False  # opened while the pane had no size
        self._runs: OrderedDict[Hashable, tuple[Folds, Hashable]] = OrderedDict()

    # -- what is shown --------------------------------------------------------------------------------------

    @property
    def detail(self) -> Detail | None:
        """The run that is open."""
        return self._document.detail if self._document is not None else None

    def show(self, detail: Detail | None) -> None:
        """Open a run, or nothing.

        A run that was open before comes back as it was left: what was unfolded, and the line of the cursor.
        Another one opens with the steps that fail unfolded and the cursor on its first difference. The one
        that is open stays where it is when it is read again.
        """
        before = self.detail
        if detail is before:
            return
        self._remember()
        if detail is None:
            self._document = None
            self.data_changed()
            return
        folds, key = self._runs.get(_run(detail), (None, None))
        document = Document(detail, self._line_width(), self.signs, folds)
        self._document = document
        if before is not None and _run(before) == _run(detail) and document.find(key) is not None:
            self.data_changed()
            return
        at = document.find(key) if key is not None else None
        if at is None:
            at = document.first_difference() or 0
        self.data_changed(keep_place=False)
        self._scroll_top(0)
        self._move_into_context(at)
        self._unseen = self.body_height == 0

    def current(self) -> Under | None:
        """What the cursor is on, for copying; None when no run is open."""
        return self._document.under(self.cursor) if self._document is not None else None

    def selection(self) -> tuple[StepRow | None, Diff | None]:
        """The step and the value under the cursor, a recorded field as one that was not compared."""
        under = self.current()
        if under is None:
            return None, None
        if under.diff is None and under.name is not None:
            state: DiffState = "uncompared" if under.expected is MISSING else "changed"
            return under.row, Diff("/" + under.name, state, under.expected, under.observed)
        return under.row, under.diff

    def _remember(self) -> None:
        document = self._document
        if document is None:
            return
        run = _run(document.detail)
        self._runs[run] = (document.folds, document.key(self.cursor))
        self._runs.move_to_end(run)
        while len(self._runs) > _REMEMBERED:
            self._runs.popitem(last=False)

    def _line_width(self) -> int:
        # A hidden pane has no region; it comes back with the width it had, or is told of another one.
        width = self.scrollable_content_region.width - 1 if self.is_attached else 0
        return width if width > 0 else self._width or _UNSEEN_WIDTH

    # -- lines ----------------------------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        return self._document.line_count if self._document is not None else 0

    def render_text_line(self, y: int, width: int) -> Line:
        document = self._document
        return [] if document is None else [Segment(text, self._style(ink)) for text, ink in document.line(y)]

    def _style(self, ink: str) -> Style | None:
        if not ink:
            return None
        name, _, marked = ink.partition("-")
        return self.ink(name) + _MARKED if marked else self.ink(name)

    def line_key(self, y: int) -> Hashable:
        return self._document.key(y) if self._document is not None else None

    def find_line(self, key: Hashable) -> int | None:
        return self._document.find(key) if self._document is not None else None

    def width_changed(self, width: int) -> None:
        if self._document is not None:
            self._document.resize(max(1, width), self.signs)

    def on_show(self) -> None:
        """The pane is seen: bring the place of a run that was opened before into view."""
        if self._unseen:
            self._unseen = False
            self.call_after_refresh(lambda: self._move_into_context(self.cursor))

    def activate_line(self, y: int) -> None:
        self.action_toggle()

    # -- folding --------------------------------------------------------------------------------------------

    def action_toggle(self) -> None:  # type: ignore[override]  # textual's own flips an attribute; unused here
        """Fold or unfold what the line stands for; show more of a long value."""
        if self._document is not None:
            y = self.cursor
            self._redraw(y if self._document.toggle(y) else None)

    def action_unfold(self) -> None:
        """Unfold what the line stands for."""
        if self._document is not None:
            y = self.cursor
            self._redraw(y if self._document.unfold(y) else None)

    def action_fold(self) -> None:
        """Fold the innermost unfolded thing that holds the line."""
        if self._document is not None:
            self._redraw(self._document.fold(self.cursor))

    def action_toggle_all(self) -> None:
        """Unfold everything, or fold everything."""
        document = self._document
        if document is None:
            return
        key = document.key(self.cursor)
        opened = document.toggle_all()
        self._redraw(document.find(key))
        self.post_message(self.Said("every step unfolded" if opened else "every step folded"))

    def _redraw(self, y: int | None) -> None:
        """Lines have come or gone; the cursor is to be on line ``y``."""
        if y is None:
            return
        top = self.scroll_offset.y
        self.data_changed(keep_place=False)
        self._scroll_top(top)
        self.move_to(y)

    def _move_into_context(self, y: int) -> None:
        """Put the cursor on line ``y`` and scroll as little as needed to see its item, the headline of its
        step and a few lines below."""
        self.move_to(y, scroll=False)
        if self._document is not None:
            block, item = self._document.span(y)
            above = item if item.stop - block.start > self.body_height else range(block.start, item.stop)
            self.show_line(above.start, lines=min(len(above) + _BELOW, self.body_height))
        self.show_line(y)

    # -- differences ----------------------------------------------------------------------------------------

    def action_next_hit(self) -> None:
        """The next difference, whatever is folded; from the last one on to the first."""
        self._go(1)

    def action_previous_hit(self) -> None:
        """The difference before."""
        self._go(-1)

    def _go(self, direction: int) -> None:
        document = self._document
        if document is None:
            return
        found = document.next_difference(self.cursor, direction)
        if found is None:
            self.post_message(self.Said("no difference in this run"))
            return
        y, wrapped = found
        self._redraw(y)
        self._move_into_context(y)
        if wrapped:
            words = (
                "past the last difference: from the top" if direction > 0 else "past the first: from the end"
            )
            self.post_message(self.Said(words))


def _run(detail: Detail) -> Hashable:
    return (detail.run.case_id, detail.run.run_id, detail.run.trial)
