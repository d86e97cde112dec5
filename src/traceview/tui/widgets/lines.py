"""The single lines above and below the panes: title, status, key hints.

They are drawn by hand so that what matters most is never what a narrow terminal cuts off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from traceview.tui.cells import cell_len, cut
from traceview.tui.signs import UNICODE, Signs
from traceview.tui.theme import INKS

Piece = tuple[str, str]  # text that is visible already, ink ("" for the line's own)


class InkLine(Widget):
    """One line of pieces, each with an ink."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ink--{name}" for name in INKS}
    DEFAULT_CSS = (
        "InkLine { height: 1; width: 1fr;\n"
        + "".join(f"    & > .ink--{name} {{ color: $diag-{name}; }}\n" for name in INKS)
        + "    & > .ink--strong { text-style: bold; }\n    &:nocolor > .ink--fail { text-style: bold; }\n}"
    )
    ALLOW_SELECT = False

    def pieces(self, width: int) -> Sequence[Piece]:
        """What to draw in that many cells."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        width = self.content_region.width
        base = self.rich_style
        if y or width <= 0:
            return Strip.blank(width, base)
        segments = [Segment(text, self._style(ink)) for text, ink in self.pieces(width)]
        return Strip(segments).adjust_cell_length(width).apply_style(base)

    @property
    def signs(self) -> Signs:
        """The alphabet of signs that the application uses."""
        signs = getattr(self.app, "signs", UNICODE)
        return signs if isinstance(signs, Signs) else UNICODE

    def cut(self, text: str, cells: int) -> str:
        """``text`` in at most that many cells."""
        return cut(text, cells, self.signs.cut)

    def _style(self, ink: str) -> Style | None:
        return self.get_component_rich_style(f"ink--{ink}", partial=True) if ink else None


class TitleLine(InkLine):
    """Files and contract on the left, the totals of all runs on the right; the totals are never cut."""

    DEFAULT_CSS = "TitleLine { background: $panel; color: $foreground; }"

    def __init__(self) -> None:
        super().__init__()
        self._about: Sequence[str] = ("",)
        self._totals: Sequence[Piece] = ()

    def show(self, about: Sequence[str], totals: Sequence[Piece]) -> None:
        """``about``: visible texts that say the same, longest first: the first that fits is shown (the last,
        cut); ``totals``: pieces such as ("7 fail", "fail")."""
        if (about, totals) != (self._about, self._totals):
            self._about, self._totals = about, totals
            self.refresh()

    def pieces(self, width: int) -> Sequence[Piece]:
        right: list[Piece] = []
        used = 1
        for text, ink in self._totals:
            cells = cell_len(text) + 2
            if used + cells > width:
                break
            right.append(("  " + text, ink))
            used += cells
        room = width - used
        name = " traceview"
        if room < len(name) + 2:
            return [(" " * max(0, room), ""), *right]
        fitting = (text for text in self._about if cell_len(text) <= room - len(name) - 3)
        about = next(fitting, "") or self.cut(self._about[-1], room - len(name) - 3)
        gap = room - len(name) - 3 - cell_len(about)
        return [(name, "strong"), ("   " + about, ""), (" " * gap, ""), *right]


class StatusLine(InkLine):
    """What just happened or is going on; else what is always said: filter, order, problems."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._facts: Sequence[Piece] = ()
        self._said: Piece | None = None
        self._progress: Piece | None = None

    def say(self, text: str, ink: str = "") -> None:
        """A message, until the next key changes something."""
        self._said = (text, ink) if text else None
        self.refresh()

    def progress(self, text: str | None) -> None:
        """What is being read, or None when nothing is."""
        self._progress = (text, "forgiven") if text else None
        self.refresh()

    def facts(self, facts: Sequence[Piece]) -> None:
        self._facts = facts
        self.refresh()

    @property
    def text(self) -> str:
        """What the line says, without styles."""
        return "".join(text for text, _ in self.pieces(10_000))

    def pieces(self, width: int) -> Sequence[Piece]:
        first = [piece for piece in (self._progress, self._said) if piece]
        shown: list[Piece] = [(" ", "")]
        used = 1
        for number, (text, ink) in enumerate([*first, *([] if self._said else self._facts)]):
            gap = f"  {self.signs.dot}  " if number else ""
            room = width - used - len(gap)
            if room < 2 or (number and room < min(cell_len(text), 12)):
                break
            text = self.cut(text, room)
            shown += [(gap, "quiet"), (text, ink)]
            used += len(gap) + cell_len(text)
        return shown


class HintLine(InkLine):
    """The keys of the focused pane, as many as fit; the last (help) always does. A click presses the key."""

    class Pressed(Message):
        """A hint was clicked."""

        def __init__(self, id: str) -> None:
            super().__init__()
            self.id = id

    DEFAULT_CSS = "HintLine { background: $panel; color: $foreground; }"

    def __init__(self) -> None:
        super().__init__()
        self._hints: Sequence[tuple[str, str, str]] = ()
        self._instead: Piece | None = None

    def show(self, hints: Sequence[tuple[str, str, str]]) -> None:
        """(binding id, keys as shown, what they do), most useful first."""
        self._hints = hints
        self.refresh()

    def instead(self, text: str | None, ink: str = "") -> None:
        """A text in place of the hints, such as what is wrong with the filter."""
        self._instead = (text, ink) if text else None
        self.refresh()

    @property
    def text(self) -> str:
        """What the line says, without styles."""
        return "".join(text for text, _ in self.pieces(10_000))

    def _fitting(self, width: int) -> list[tuple[str, str, str, int]]:
        """Hints that fit, each with the cell where it starts."""
        if not self._hints:
            return []
        *others, last = self._hints
        reserve = cell_len(last[1]) + cell_len(last[2]) + 3
        at, fitting = 1, []
        for hint in others:
            cells = cell_len(hint[1]) + 1 + cell_len(hint[2])
            if at + cells + reserve <= width:
                fitting.append((*hint, at))
                at += cells + 2
        return [*fitting, (*last, at)]

    def pieces(self, width: int) -> Sequence[Piece]:
        if self._instead:
            return [(" ", ""), (self.cut(self._instead[0], width - 2), self._instead[1])]
        shown: list[Piece] = [(" ", "")]
        for _, key, does, _ in self._fitting(width):
            shown += [(key, "strong"), (" " + does, "quiet"), ("  ", "")]
        return shown

    def on_click(self, event: events.Click) -> None:
        for id, key, does, at in self._fitting(self.content_region.width):
            if at <= event.x < at + cell_len(key) + 1 + cell_len(does):
                self.post_message(self.Pressed(id))
