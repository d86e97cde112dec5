"""How the lines of the timeline are laid out: columns, spans of styled text, and values in a given room.

Pure: no screen is known here. A line is a tuple of spans; :mod:`traceview.tui.widgets.timeline` gives the
styles their colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from traceview.model import MISSING
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, fit, wrapped
from traceview.tui.signs import Signs
from traceview.tui.values import one_line, parsed, pretty, size_words

__all__ = [
    "LABEL",
    "Layout",
    "Span",
    "Spans",
    "body_lines",
    "flow",
    "fold_sign",
    "json_lines",
    "margin",
    "shown",
    "value_spans",
]

Span = tuple[str, str]
"""Visible text and a style: one of ``theme.INKS``, "expected-diff" or "observed-diff" for the words that
differ inside a longer text, or "" for plain text."""
Spans = tuple[Span, ...]

LABEL = len("expected ")
"""Cells of the word before a side; "observed " is as wide."""

GAP = 3
"""Cells between the two sides on one line."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide lines are and which signs they use. Cells: ``width`` of a line, ``indent`` before the sign of
    an item, ``path`` the column of names, ``half`` one value at most where two share a line, ``side`` the
    column of the first of them, ``value`` a value that has the line to itself, ``text`` a line of a body or
    message."""

    width: int
    signs: Signs
    narrow: bool
    indent: int
    path: int
    half: int
    side: int
    value: int
    text: int

    @classmethod
    def of(cls, width: int, signs: Signs, indent: int | None = None) -> Layout:
        """The layout for lines of ``width`` cells; below 56, each side of a difference has its own line."""
        width = max(12, width)
        narrow = width < 56
        if indent is None:
            indent = 2 if narrow else 4
        path = max(12, min(18, width * 2 // 9))
        before = indent + 2 + path + 1
        half = (width - before - 2 * LABEL - GAP) // 2
        value = width - before
        return cls(width, signs, narrow, indent, path, half, min(half, 30), value, width - indent - 2)

    @property
    def ascii(self) -> bool:
        """Whether only ASCII signs may be used."""
        return self.signs.cut.isascii()


def margin(layout: Layout, sign: str = " ", style: str = "") -> list[Span]:
    return [(" " * layout.indent, ""), (sign + " ", style)]


def fold_sign(layout: Layout, opened: bool) -> str:
    return layout.signs.unfolded if opened else layout.signs.folded


def body_lines(text: str, layout: Layout, style: str = "") -> Iterator[Spans]:
    """A text in full: its own lines, each wrapped; made visible piece by piece, so that its end may wait."""
    margin = (" " * (layout.indent + 2), "")
    for line in _raw_lines(text):
        for piece in _wrapped_visible(line, layout.text):
            yield (margin, (piece, style))


def _raw_lines(text: str) -> Iterator[str]:
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at : end - 1 if end > at and text[end - 1] == "\r" else end]
        at = end + 1
    yield text[at:]


def _wrapped_visible(line: str, cells: int) -> Iterator[str]:
    step = 8 * cells
    if len(line) <= step:
        yield from wrapped(visible(line), cells)
        return
    rest = ""
    for at in range(0, len(line), step):
        lines = list(wrapped(rest + visible(line[at : at + step]), cells))
        rest = lines.pop()
        yield from lines
    yield rest


def json_lines(value: Any, layout: Layout, style: str = "") -> Iterator[Spans]:
    """A value in full: JSON indented, a text as it is."""
    if isinstance(value, str):
        inner = parsed(value)
        if inner is MISSING:
            yield from body_lines(value, layout, style)
            return
        yield ((" " * (layout.indent + 2), ""), ("text that holds JSON:", "quiet"))
        value = inner
    for line in pretty(value):
        yield from body_lines(line, layout, style)


def shown(value: Any, cells: int, layout: Layout) -> tuple[str, bool]:
    """A value on one line of at most ``cells``, and whether that is all of it."""
    raw, whole = one_line(value, 4 * cells + 16)
    text = visible(raw, layout.signs.newline)
    fits = whole and (len(text) <= cells if text.isascii() else fit(text, 0, cells) == len(text))
    if fits:
        return text, True
    return text[: fit(text, 0, max(0, cells - 1))] + layout.signs.cut, False


def value_spans(value: Any, cells: int, layout: Layout, style: str, opened: bool) -> list[Span]:
    """A value on one line; one that is cut is followed by its size."""
    text, whole = shown(value, cells, layout)
    if whole:
        return [(text, style)]
    size = f" {fold_sign(layout, opened)} {size_words(value)}"
    room = cells - len(size)
    if room < 12:
        return [(text, style)]
    return [(shown(value, room, layout)[0], style), (size, "quiet")]


def flow(label: str, spans: list[Span], layout: Layout) -> Iterator[Spans]:
    """Spans wrapped below each other, with a label before the first line."""
    before: Span = (" " * (layout.indent + 2), "")
    line: list[Span] = [before, (label, "quiet")]
    room = full = max(4, layout.text - len(label))
    for text, style in spans:
        at = 0
        while at < len(text):
            end = fit(text, at, room)
            if end == at:
                if room == full:
                    end = at + 1
                else:
                    yield tuple(line)
                    line, room = [before, (" " * len(label), "")], full
                    continue
            line.append((text[at:end], style))
            room -= cell_len(text[at:end])
            at = end
    yield tuple(line)
