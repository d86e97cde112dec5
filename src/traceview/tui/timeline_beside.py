"""A value beside the one that a baseline had: expected, baseline and observed, or the last two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from traceview.evaluate.detail import Diff
from traceview.evaluate.values import same
from traceview.model import MISSING
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.timeline_items import Item, note_lines, notes_cut, notes_height
from traceview.tui.timeline_layout import (
    GAP,
    LABEL,
    Layout,
    Span,
    Spans,
    body_lines,
    json_lines,
    margin,
    shown,
    value_spans,
)
from traceview.tui.values import is_short, size_words

__all__ = ["BesideItem", "beside_height"]


def _sides(diff: Diff) -> list[tuple[str, Any]]:
    """What is shown of a place, under its words."""
    sides = [("baseline", diff.before), ("observed", diff.observed)]
    return sides if diff.state == "uncompared" else [("expected", diff.expected), *sides]


def _room(sides: int, layout: Layout) -> int:
    """Cells of each of so many values where they share a line."""
    return min(layout.side, (layout.value - sides * LABEL - (sides - 1) * GAP) // sides)


def _form(name: str, sides: list[tuple[str, Any]], layout: Layout) -> int:
    """Lines of the sides: 1 beside each other, else one each, and one more where the name needs its own."""
    if layout.narrow:
        return len(sides) + 1
    if cell_len(visible(name)) > layout.path:
        return len(sides) + 1
    room = _room(len(sides), layout)
    return 1 if room >= 4 and all(is_short(value, room) for _, value in sides) else len(sides)


def beside_height(diff: Diff, name: str, notes: tuple[str, ...], layout: Layout) -> int:
    """Lines of a :class:`BesideItem`."""
    return _form(name, _sides(diff), layout) + notes_height(notes, layout)


class BesideItem(Item):
    """A place at which the baseline had another value. ``style`` as for a pair."""

    __slots__ = ("diff", "expected", "name", "notes", "observed", "sides", "sign", "style")

    def __init__(
        self,
        key: str,
        name: str,
        diff: Diff,
        layout: Layout,
        *,
        sign: str,
        style: str,
        notes: tuple[str, ...],
        differs: bool,
    ) -> None:
        self.name = name
        self.diff = diff
        self.expected = diff.expected
        self.observed = diff.observed
        self.sides = _sides(diff)
        self.sign = sign
        self.style = style
        self.notes = notes
        super().__init__(key, beside_height(diff, name, notes, layout), differs)

    def _ink(self, word: str) -> str:
        if word == "baseline":
            before = self.diff.before
            kept = self.expected is not MISSING and before is not MISSING and same(self.expected, before)
            return "expected" if kept else "observed"
        return word if self.style in ("fail", "unknown") else self.style

    def _of_one(self, form: int, layout: Layout) -> int:
        """Cells of one value."""
        if form == 1:
            return _room(len(self.sides), layout)
        return layout.value - LABEL if form == len(self.sides) else max(4, layout.text - 2 - LABEL)

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        form = _form(self.name, self.sides, layout)
        room = self._of_one(form, layout)
        name = visible(self.name)
        start = margin(layout, self.sign, self.style)
        deeper: Span = (" " * (layout.indent + 4), "")
        values = [
            (f"{word} ", value_spans(value, room, layout, self._ink(word), opened))
            for word, value in self.sides
        ]
        lines: list[Spans] = []
        if form == 1:
            line: list[Span] = [*start, (pad(name, layout.path) + " ", "key")]
            for word, value in values[:-1]:
                used = sum(cell_len(text) for text, _ in value)
                line += [(word, "quiet"), *value, (" " * (room - used + GAP), "")]
            lines.append((*line, (values[-1][0], "quiet"), *values[-1][1]))
        elif form == len(self.sides):
            below = (" " * (layout.indent + 2 + layout.path + 1), "")
            for number, (word, value) in enumerate(values):
                first = (*start, (pad(name, layout.path) + " ", "key"))
                lines.append((*(first if number == 0 else (below,)), (word, "quiet"), *value))
        else:
            lines.append((*start, (cut(name, layout.text, layout.signs.cut), "key")))
            lines += [(deeper, (word, "quiet"), *value) for word, value in values]
        return [*lines, *[(deeper, (line, "quiet")) for line in note_lines(self.notes, layout)]]

    def expandable(self, layout: Layout) -> bool:
        room = self._of_one(_form(self.name, self.sides, layout), layout)
        return (
            cell_len(visible(self.name)) > layout.text
            or not all(shown(value, room, layout)[1] for _, value in self.sides)
            or notes_cut(self.notes, layout)
        )

    def body(self, layout: Layout) -> Iterator[Spans]:
        start = (" " * (layout.indent + 2), "")
        if cell_len(visible(self.name)) > layout.text:
            yield from body_lines(self.name, layout, "key")
        for note in self.notes if notes_cut(self.notes, layout) else ():
            yield from body_lines(note, layout, "quiet")
        for word, value in self.sides:
            size = size_words(value)
            yield (start, (f"{word}, all of it" + (f" ({size})" if size else ""), "quiet"))
            yield from json_lines(value, layout, self._ink(word))
