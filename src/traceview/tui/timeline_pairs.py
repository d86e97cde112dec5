"""Expected beside observed: the two sides of one place, and what each state of a comparison looks like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from traceview.evaluate.detail import ALIKE, Diff, DiffState
from traceview.model import MISSING
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.signs import Signs
from traceview.tui.text_diff import Hunk, Piece, around, code_points, differences
from traceview.tui.timeline_beside import BesideItem, beside_height
from traceview.tui.timeline_items import Item, ValueItem, note_lines, notes_cut, notes_height
from traceview.tui.timeline_layout import (
    GAP,
    LABEL,
    Layout,
    Span,
    Spans,
    body_lines,
    flow,
    fold_sign,
    json_lines,
    margin,
    shown,
    value_spans,
)
from traceview.tui.values import count, is_short, needs_quotes, one_line, size_words, type_word

__all__ = ["DIFFERING", "PairItem", "diff_height", "diff_item"]

DIFFERING: Final = frozenset({"changed", "missing", "unexpected", "unknown"})
"""States of a :class:`Diff` that a reader looks for."""

_COMPARE: Final = 100_000  # characters of two lists or objects that are looked at for their first difference


def _half(name: int, layout: Layout) -> int:
    """Cells of one value where both share a line with a name of ``name`` cells."""
    return layout.half - max(0, name - layout.path + 1) // 2


def _form(name: str, expected: Any, observed: Any, layout: Layout) -> int:
    """Lines of a pair: 1 side by side, 2 one under the other beside the name, 3 below the name."""
    if layout.narrow:
        return 3
    size = len(name) if name.isascii() and name.isprintable() else cell_len(visible(name))
    half = _half(size, layout)
    if half >= 8 and is_short(expected, half) and is_short(observed, half):
        return 1
    return 2 if size <= layout.path else 3


class PairItem(Item):
    """Expected beside observed, on one line where both are short, else one under the other."""

    __slots__ = ("_form", "diff", "expected", "name", "notes", "observed", "sign", "style")

    def __init__(
        self,
        key: str,
        name: str,
        expected: Any,
        observed: Any,
        layout: Layout,
        *,
        sign: str,
        style: str,
        notes: tuple[str, ...] = (),
        diff: Diff | None = None,
        differs: bool = True,
    ) -> None:
        self.name = name
        self.expected = expected
        self.observed = observed
        self.sign = sign
        self.style = style
        self.diff = diff
        self.notes = notes
        self._form = _form(name, expected, observed, layout)
        super().__init__(key, self._form + notes_height(notes, layout), differs)

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        start = margin(layout, self.sign, self.style)
        name = visible(self.name)
        room = self._room(layout)
        left, right = self._sides(room, layout, opened)
        expected, observed = ("expected ", "quiet"), ("observed ", "quiet")
        deeper = (" " * (layout.indent + 4), "")
        lines: list[Spans]
        if self._form == 3:
            label = (cut(name, layout.text, layout.signs.cut), "key")
            lines = [(*start, label), (deeper, expected, *left), (deeper, observed, *right)]
        else:
            label = (pad(name, layout.path) + " ", "key")
            if self._form == 1:
                used = sum(cell_len(text) for text, _ in left)
                fill = (" " * (max(0, min(layout.side, room) - used) + GAP), "")
                lines = [(*start, label, expected, *left, fill, observed, *right)]
            else:
                below = (" " * (layout.indent + 2 + layout.path + 1), "")
                lines = [(*start, label, expected, *left), (below, observed, *right)]
        style = "forgiven" if self.style == "forgiven" else "quiet"
        lines.extend((deeper, (line, style)) for line in note_lines(self.notes, layout))
        return lines

    def _inks(self) -> tuple[str, str]:
        if self.style in ("fail", "unknown"):
            return "expected", "observed"
        return self.style, self.style

    def _sides(self, room: int, layout: Layout, opened: bool) -> tuple[list[Span], list[Span]]:
        """Both values in ``room`` cells each; two that are cut show the stretch where they differ first."""
        ink_e, ink_o = self._inks()
        e, o = self.expected, self.observed
        if e is MISSING or o is MISSING or (shown(e, room, layout)[1] and shown(o, room, layout)[1]):
            if isinstance(e, str) and isinstance(o, str) and not (needs_quotes(e) or needs_quotes(o)):
                window = around(e, o, 4 * room)
                return (
                    _piece_spans(window.expected, ink_e, layout),
                    _piece_spans(window.observed, ink_o, layout),
                )
            return value_spans(e, room, layout, ink_e, opened), value_spans(o, room, layout, ink_o, opened)
        return self._window(room, layout, opened, ink_e, ink_o)

    def _window(
        self, room: int, layout: Layout, opened: bool, ink_e: str, ink_o: str
    ) -> tuple[list[Span], list[Span]]:
        e, o = self._texts()
        sizes = [
            f" {fold_sign(layout, opened)} {size_words(v) or type_word(v)}"
            for v in (self.expected, self.observed)
        ]
        tail = max(map(len, sizes))
        if room - tail < 24:
            sizes, tail = ["", ""], 0
        size = max(4, room - tail - 2)
        while True:  # wide characters and stand-ins take more cells than characters: then a shorter stretch
            window = around(e, o, size)
            sides = []
            for pieces, ink, more in zip(
                (window.expected, window.observed), (ink_e, ink_o), window.more, strict=True
            ):
                spans = _piece_spans(pieces, ink, layout)
                if window.start:
                    spans.insert(0, (layout.signs.cut, "quiet"))
                if more:
                    spans.append((layout.signs.cut, "quiet"))
                sides.append(spans)
            widest = max(sum(cell_len(text) for text, _ in spans) for spans in sides)
            if widest <= room - tail or size <= 4:
                break
            size = max(4, min(size - 1, size * (room - tail) // widest))
        for spans, words in zip(sides, sizes, strict=True):
            if words:
                spans.append((words, "quiet"))
        return sides[0], sides[1]

    def _texts(self) -> tuple[str, str]:
        e, o = self.expected, self.observed
        if isinstance(e, str) and isinstance(o, str):
            return e, o
        return one_line(e, _COMPARE)[0], one_line(o, _COMPARE)[0]

    def _room(self, layout: Layout) -> int:
        """Cells of one value."""
        if self._form == 1:
            return _half(cell_len(visible(self.name)), layout)
        return layout.value - LABEL if self._form == 2 else max(4, layout.text - 2 - LABEL)

    def expandable(self, layout: Layout) -> bool:
        room = self._room(layout)
        return (
            cell_len(visible(self.name)) > layout.text
            or not shown(self.expected, room, layout)[1]
            or not shown(self.observed, room, layout)[1]
            or notes_cut(self.notes, layout)
        )

    def body(self, layout: Layout) -> Iterator[Spans]:
        start = (" " * (layout.indent + 2), "")
        if cell_len(visible(self.name)) > layout.text:
            yield from body_lines(self.name, layout, "key")
        if notes_cut(self.notes, layout):
            for note in self.notes:
                yield from body_lines(note, layout, "quiet")
        ink_e, ink_o = self._inks()
        if isinstance(self.expected, str) and isinstance(self.observed, str):
            for hunk in differences(self.expected, self.observed):
                yield from self._hunk(hunk, layout)
        for word, value, ink in (("expected", self.expected, ink_e), ("observed", self.observed, ink_o)):
            size = size_words(value)
            yield (start, (f"{word}, all of it" + (f" ({size})" if size else ""), "quiet"))
            yield from json_lines(value, layout, ink)

    def _hunk(self, hunk: Hunk, layout: Layout) -> Iterator[Spans]:
        if hunk.skipped:
            words = f"{layout.signs.cut} {count(hunk.skipped, 'equal character')} {layout.signs.cut}"
            yield ((" " * (layout.indent + 2), ""), (words, "quiet"))
        for word, pieces, ink in (
            ("expected ", hunk.expected, "expected"),
            ("observed ", hunk.observed, "observed"),
        ):
            if hunk.expected or hunk.observed:
                yield from flow(word, _piece_spans(pieces, ink, layout), layout)


def _piece_spans(pieces: tuple[Piece, ...], ink: str, layout: Layout) -> list[Span]:
    """Words that differ stand out, unless nothing is equal and so everything would."""
    marked = ink
    if ink in ("expected", "observed") and not all(piece.differs for piece in pieces):
        marked = f"{ink}-diff"
    return [(visible(piece.text, layout.signs.newline), marked if piece.differs else ink) for piece in pieces]


def _notes(diff: Diff) -> tuple[str, ...]:
    """What is said below a pair: why it was forgiven or not compared, and how its sides differ."""
    state, note = diff.state, diff.note
    notes: tuple[str, ...] = (note,) if note else ()
    if state in _SAID:
        said = _SAID[state]
        notes = (note if note and note.startswith(said) else said + (f": {note}" if note else ""),)
    elif state not in DIFFERING:
        pass
    elif diff.kind == "type" and not notes:
        notes = (f"{type_word(diff.observed)} for {type_word(diff.expected)}",)
    elif diff.kind == "text_form" and isinstance(diff.expected, str) and isinstance(diff.observed, str):
        left, right = code_points(diff.expected, diff.observed)
        notes += (f"first difference: expected {left}, observed {right}",)
    return tuple(map(visible, notes))


_SAID: Final[dict[str, str]] = {
    "forgiven": "forgiven",
    "ignored": "not compared",
    "unknown": "cannot be compared",
}


def diff_item(diff: Diff, name: str, layout: Layout) -> Item:
    """One place of a comparison: a pair where there are two sides to see, else a name with its value."""
    signs = layout.signs
    state = diff.state
    key = f"diff {diff.path}"
    if diff.before is not ALIKE:
        sign, style = _look(state, signs)
        differs = state in DIFFERING
        return BesideItem(
            key, name, diff, layout, sign=sign, style=style, notes=_notes(diff), differs=differs
        )
    if state in ("same", "uncompared"):
        value = diff.observed if diff.observed is not MISSING else diff.expected
        return ValueItem(key, name, value, layout, diff=diff, notes=_notes(diff))
    if state == "ignored" and diff.expected is MISSING:
        after = _notes(diff)[0]
        return ValueItem(key, name, diff.observed, layout, diff=diff, style="quiet", after=after)
    sign, style = _look(state, signs)
    if state == "unknown" and diff.expected is MISSING and diff.observed is MISSING:
        notes = _notes(diff)
        return ValueItem(
            key, name, MISSING, layout, diff=diff, sign=sign, style=style, notes=notes, differs=True
        )
    return PairItem(
        key,
        name,
        diff.expected,
        diff.observed,
        layout,
        sign=sign,
        style=style,
        notes=_notes(diff),
        diff=diff,
        differs=state in DIFFERING,
    )


def _look(state: DiffState, signs: Signs) -> tuple[str, str]:
    """Sign and style of a place."""
    if state in ("same", "uncompared"):
        return " ", ""
    if state == "ignored":
        return " ", "quiet"
    if state in ("forgiven", "unknown"):
        return (signs.forgiven if state == "forgiven" else signs.unknown), state
    return {"missing": signs.missing, "unexpected": signs.unexpected}.get(state, signs.differs), "fail"


def diff_height(diff: Diff, name: str, layout: Layout) -> int:
    """Lines of what :func:`diff_item` makes."""
    state = diff.state
    if diff.before is not ALIKE:
        return beside_height(diff, name, _notes(diff), layout)
    if diff.expected is MISSING and state == "ignored":
        return 1
    single = state in ("same", "uncompared") or (
        state == "unknown" and diff.expected is MISSING and diff.observed is MISSING
    )
    lines = 1 if single else _form(name, diff.expected, diff.observed, layout)
    if diff.note is None and state not in _SAID and (single or diff.kind not in ("type", "text_form")):
        return lines
    return lines + notes_height(_notes(diff), layout)
