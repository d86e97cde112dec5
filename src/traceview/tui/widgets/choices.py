"""One of a few words, chosen with the arrow keys, the space bar or a click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from traceview.tui import keys
from traceview.tui.cells import cell_len
from traceview.tui.widgets.lines import InkLine


class Choices(InkLine, can_focus=True):
    """``value`` is one of ``options``: (value, label)."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("choices")]
    DEFAULT_CSS = """
    Choices { height: 1; color: $foreground; background: $surface; }
    Choices:focus { background: $line-cursor; }
    Choices:nocolor:focus { text-style: underline; }
    """

    class Changed(Message):
        """Another option is chosen."""

        def __init__(self, choices: Choices) -> None:
            super().__init__()
            self.choices = choices

    def __init__(self, options: Sequence[tuple[str, str]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.options = options
        self._at = 0

    @property
    def value(self) -> str:
        return self.options[self._at][0]

    def choose(self, at: int) -> None:
        """Choose an option by its number; beyond the last comes the first."""
        at %= len(self.options)
        if at != self._at:
            self._at = at
            self.refresh()
            self.post_message(self.Changed(self))

    def action_next_choice(self) -> None:
        self.choose(self._at + 1)

    def action_previous_choice(self) -> None:
        self.choose(self._at - 1)

    def _marks(self) -> list[tuple[str, int, int]]:
        """Text, number and first cell of each option; from the first that lets the chosen one be seen."""
        width = self.content_region.width
        first = 0
        while True:
            marks, at = [], 0
            for number in range(first, len(self.options)):
                label = self.options[number][1]
                mark = f"[{label}]" if number == self._at else f" {label} "
                marks.append((mark, number, at))
                at += cell_len(mark) + 1
            chosen = next(mark for mark in marks if mark[1] == self._at)
            if chosen[2] + cell_len(chosen[0]) <= width or first == self._at:
                return marks
            first += 1

    def render_line(self, y: int) -> Strip:
        width = self.content_region.width
        segments: list[Segment] = []
        for mark, number, _ in self._marks():
            segments.append(Segment(mark, self._style("strong" if number == self._at else "quiet")))
            segments.append(Segment(" "))
        strip = Strip(segments)
        if strip.cell_length > width + 1:  # there are more; the last blank is none
            more = Segment(self.signs.cut, self._style("quiet"))
            strip = Strip([*strip.crop(0, width - 1), more])
        return strip.adjust_cell_length(width).apply_style(self.rich_style)

    def on_click(self, event: events.Click) -> None:
        for mark, number, at in self._marks():
            if at <= event.x < at + cell_len(mark):
                self.choose(number)
