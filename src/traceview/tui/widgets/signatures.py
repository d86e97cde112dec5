"""Kinds of failures, largest first: one line a group of :func:`traceview.signatures.signature_groups`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.message import Message

from traceview.results import Row
from traceview.sanitize import visible
from traceview.signatures import LEVELS, Level, SignatureGroup
from traceview.tui import keys
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.line_view import Line, LineView
from traceview.tui.marks import mark_cell
from traceview.tui.widgets.lines import InkLine, Piece

if TYPE_CHECKING:
    from traceview.triage import Mark

LEVEL_WORDS: Final[dict[Level, str]] = {
    "diagnosis": "diagnosis",
    "tool": "check and tool",
    "argument": "argument",
    "values": "argument and values",
}
_LEAST: Final = 24  # cells of a kind's name before tools and example have theirs
_SHARE: Final = 7  # "100.0 %"
_MARK: Final = 3  # the letter of a mark, the sign that it changed since, a blank
_LONGEST: Final = 400  # characters of a name that are looked at: a column is never wider than a screen


class SignatureList(LineView):
    """A line is known by the diagnosis and the key of its group."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("signatures")]
    header_rows = 1

    class Chosen(Message):
        """The line under the cursor was clicked again."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.groups: Sequence[SignatureGroup] = ()
        self.mark_of: Callable[[Row], Mark | None] = lambda row: None
        self._left: Mapping[tuple[str, str | None], int] | None = None
        self._widths = (0, 0, 0, 0)
        self._planned = 0  # the width that they are for

    def show(
        self, groups: Sequence[SignatureGroup], left: Mapping[tuple[str, str | None], int] | None = None
    ) -> None:
        """:param left: how many runs of each kind (diagnosis, key) are left to decide about; None: no column
        says so."""
        self.groups = groups
        self._left = left
        self._plan(self._width)
        self.data_changed()

    @property
    def left(self) -> int | None:
        """How many runs are left to decide about."""
        return None if self._left is None else sum(self._left.values())

    @property
    def selected(self) -> SignatureGroup | None:
        """The group under the cursor."""
        return self.groups[self.cursor] if self.groups else None

    # -- lines ----------------------------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        return len(self.groups)

    def line_key(self, y: int) -> Hashable:
        return self.groups[y].diagnosis, self.groups[y].key

    def find_line(self, key: Hashable) -> int | None:
        return next((y for y in range(len(self.groups)) if self.line_key(y) == key), None)

    def nearest_line(self, key: Hashable, before: int) -> int:
        return 0

    def width_changed(self, width: int) -> None:
        self._plan(width)

    def _plan(self, width: int) -> None:
        """Cells of count, kind, tools and example; a column that has no room has none."""
        self._planned = width
        count = max((len(f"{group.count:,}") for group in self.groups), default=0)
        count = max(count, len("runs"))
        kind = _widest([group.key for group in self.groups], "kind")
        tools = min(_widest([", ".join(group.tools) for group in self.groups], "tools"), width // 3)
        example = min(_widest([group.first.result.case_id for group in self.groups], "example"), width // 4)
        room = width - count - 2 - _SHARE - 2 - (0 if self._left is None else count + 2 + _MARK)
        least = min(kind, _LEAST)
        if room - example - 2 < least:
            example = 0
        room -= example + 2 if example else 0
        tools = min(tools, room - 2 - max(least, min(kind, room - 2 - 12)))
        tools = tools if tools >= len("tools") else 0
        room -= tools + 2 if tools else 0
        self._widths = (count, max(1, min(kind, room)), tools, example)

    def render_header_line(self, y: int, width: int) -> Line:
        if width != self._planned:
            self._plan(width)  # drawn before it was told how wide it is
        return self._line(width, ("runs", "left", "", "share"), "kind", "tools", "example", plain=True)

    def render_text_line(self, y: int, width: int) -> Line:
        if width != self._planned:
            self._plan(width)
        group = self.groups[y]
        words = (group.key, ", ".join(group.tools), group.first.result.case_id)
        kind, tools, example = (visible(text[:_LONGEST]) for text in words)
        found = self.mark_of(group.first) if self._left is not None else None
        whole = found is not None and found.scope == "signature" and group.level in ("argument", "values")
        mark = mark_cell(found, _MARK - 1, self.signs)[0] if whole else ""
        left = 0 if self._left is None else self._left.get((group.diagnosis, group.key), 0)
        share = f"{group.share:.1%}".replace("%", " %")
        done = self._left is not None and not left
        figures = (f"{group.count:,}", f"{left:,}", mark, share)
        return self._line(width, figures, kind, tools, example, done=done)

    def _line(
        self,
        width: int,
        figures: tuple[str, str, str, str],
        kind: str,
        tools: str,
        example: str,
        *,
        plain: bool = False,
        done: bool = False,
    ) -> Line:
        """A line of the list. ``figures``: runs, those left, the mark, the share."""
        counts, kinds, tooled, examples = self._widths
        ink = (lambda name: None) if plain else self.ink
        sign = self.signs.cut
        count, left, mark, share = figures
        segments = [Segment(count.rjust(counts) + "  ", ink("quiet" if done else "strong"))]
        if self._left is not None:
            segments.append(Segment(left.rjust(counts) + "  ", ink("quiet" if done else "strong")))
            segments.append(Segment(pad(mark, _MARK), ink("unknown")))
        segments += [
            Segment(share.rjust(_SHARE) + "  ", ink("quiet")),
            Segment(pad(cut(kind, kinds, sign), kinds) + "  ", ink("quiet" if done else "fail")),
        ]
        if tooled:
            segments.append(Segment(pad(cut(tools, tooled, sign), tooled) + "  ", ink("key")))
        if examples:
            segments.append(Segment(pad(cut(example, examples, sign), examples)))
        return segments

    def activate_line(self, y: int) -> None:
        self.post_message(self.Chosen())


class LevelLine(InkLine):
    """How fine the kinds are; a click on a word takes it."""

    DEFAULT_CSS = "LevelLine { background: $surface; color: $foreground; }"

    class Chosen(Message):
        def __init__(self, level: Level) -> None:
            super().__init__()
            self.level: Level = level

    def __init__(self) -> None:
        super().__init__()
        self._level: Level = "argument"

    def show(self, level: Level) -> None:
        self._level = level
        self.refresh()

    def _words(self) -> list[tuple[Level, str]]:
        return [
            (level, f"[{LEVEL_WORDS[level]}]" if level == self._level else f" {LEVEL_WORDS[level]} ")
            for level in LEVELS
        ]

    def pieces(self, width: int) -> Sequence[Piece]:
        """All levels; only the one in force where they have no room."""
        words = self._words()
        if 4 + sum(cell_len(word) for _, word in words) > width:
            words = [(level, word) for level, word in words if level == self._level]
        return [(" by ", "quiet"), *((word, "strong" if word[0] == "[" else "quiet") for _, word in words)]

    def on_click(self, event: events.Click) -> None:
        at = event.x - 4
        for level, word in self._words():
            if 0 <= at < cell_len(word):
                self.post_message(self.Chosen(level))
                return
            at -= cell_len(word)


def _widest(texts: Sequence[str], head: str) -> int:
    return max((cell_len(visible(text[:_LONGEST])) for text in (*texts, head)), default=0)
