"""What stands below the headline of a step: findings, values, notes.

An item is a few lines that are always there (``height`` of them, from :meth:`Item.head`) and, where it holds
more than these can show, a body that is unfolded below them. The height follows from sizes alone, without
laying anything out, so that five thousand steps can be unfolded at one key.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from traceview.evaluate.detail import Diff
from traceview.model import Finding, Source
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut, cut_start, fit, pad, wrap
from traceview.tui.signs import Signs
from traceview.tui.timeline_layout import (
    Layout,
    Span,
    Spans,
    body_lines,
    fold_sign,
    json_lines,
    margin,
    shown,
    value_spans,
)

__all__ = [
    "FindingItem",
    "FlowItem",
    "Item",
    "SameItem",
    "SourceItem",
    "TextItem",
    "ValueItem",
    "check_words",
    "note_lines",
    "notes_cut",
    "notes_height",
    "text_height",
    "verdict_look",
]

MESSAGE_LINES: Final = 4
"""Lines of a message or note before it is folded."""


@lru_cache(512)
def check_words(name: str) -> str:
    """A check's name for a reader: ``sequence_ok`` is ``sequence``, ``single_write`` ``single write``."""
    for ending in ("_ok", "_succeeded"):
        if name.endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return visible(name.replace("_", " "))


_LOOK: Final = {"accept": "pass", "reject": "fail"}


def verdict_look(verdict: str, signs: Signs) -> tuple[str, str]:
    """Sign and ink of the verdict of a check or layer."""
    check = _LOOK.get(verdict, verdict)
    return signs.of_check(check), check if check in ("pass", "fail", "unknown") else "quiet"


class Item:
    """A few lines under a headline. ``key`` tells it from its neighbours, whatever their number;
    ``differs``: n and N stop here."""

    __slots__ = ("differs", "height", "key")

    def __init__(self, key: str, height: int, differs: bool = False) -> None:
        self.key = key
        self.height = height
        self.differs = differs

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        """The ``height`` lines that are always there."""
        raise NotImplementedError

    def expandable(self, layout: Layout) -> bool:
        """Whether there is more than the head shows."""
        return False

    def body(self, layout: Layout) -> Iterator[Spans]:
        """Everything, line by line, as it is asked for."""
        return iter(())


def _text_lines(label: str, text: str, layout: Layout, lines: int) -> list[str]:
    words = visible(text[: 2 * lines * layout.text + 16], layout.signs.newline)
    return wrap(f"{label} {words}" if label else words, layout.text, lines, layout.signs.cut)


def note_lines(notes: tuple[str, ...], layout: Layout) -> list[str]:
    """Notes below a value, wrapped; they must be visible text."""
    return [
        line
        for note in notes
        for line in wrap(note, max(8, layout.text - 2), MESSAGE_LINES, layout.signs.cut)
    ]


def notes_height(notes: tuple[str, ...], layout: Layout) -> int:
    """How many lines :func:`note_lines` gives."""
    return sum(
        1 if len(note) <= layout.text - 2 and note.isascii() else len(note_lines((note,), layout))
        for note in notes
    )


def notes_cut(notes: tuple[str, ...], layout: Layout) -> bool:
    """Whether :func:`note_lines` leaves something out."""
    room = max(8, layout.text - 2)
    return any(
        len(note) > room and len(wrap(note, room, MESSAGE_LINES + 1)) > MESSAGE_LINES for note in notes
    )


def text_height(label: str, text: str, layout: Layout, lines: int = MESSAGE_LINES) -> int:
    """Lines of a :class:`TextItem`."""
    size = len(text) + (len(label) + 1 if label else 0)
    if size <= layout.text and text.isascii() and text.isprintable() and label.isascii():
        return 1
    return len(_text_lines(label, text, layout, lines))


class TextItem(Item):
    """A label and a text: a note, a file and line, the branch. Long texts are folded."""

    __slots__ = ("label", "sign", "style", "text")

    def __init__(
        self,
        key: str,
        label: str,
        text: str,
        layout: Layout,
        *,
        style: str = "",
        sign: str = " ",
        differs: bool = False,
        lines: int = MESSAGE_LINES,
    ) -> None:
        self.label = label
        self.text = text
        self.style = style
        self.sign = sign
        super().__init__(key, text_height(label, text, layout, lines), differs)

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        first, *others = _text_lines(self.label, self.text, layout, self.height)
        at = len(self.label)
        start = margin(layout, self.sign, self.style or "quiet")
        below = (" " * (layout.indent + 2), "")
        return [
            (*start, (first[:at], "quiet" if self.style == "quiet" else "key"), (first[at:], self.style)),
            *((below, (line, self.style)) for line in others),
        ]

    def expandable(self, layout: Layout) -> bool:
        return len(_text_lines(self.label, self.text, layout, self.height + 1)) > self.height

    def body(self, layout: Layout) -> Iterator[Spans]:
        return body_lines(self.text, layout, self.style)


class FindingItem(TextItem):
    """A finding about a call, a limit or the run: what no pair of values shows."""

    __slots__ = ("finding",)

    def __init__(self, key: str, finding: Finding, layout: Layout) -> None:
        self.finding = finding
        unknown = finding.kind == "evidence"
        super().__init__(
            key,
            check_words(finding.check),
            finding.message,
            layout,
            style="unknown" if unknown else "fail",
            sign=layout.signs.unknown if unknown else layout.signs.failed,
            differs=True,
        )


class FlowItem(Item):
    """Short pieces in a row, broken between them: the checks of a run, its evidence. A piece that is longer
    than a line goes on on the next one."""

    __slots__ = ("_lines",)

    def __init__(self, key: str, label: str, pieces: list[Spans], layout: Layout, gap: Span) -> None:
        hanging = min(len(label), 4) if layout.narrow else len(label)
        left: Span = (" " * hanging, "")
        line: list[Span] = [(label, "key")]
        lines = [line]
        full = max(8, layout.width - hanging)
        room = max(8, layout.width - len(label))
        fresh = True
        for piece in pieces:
            size = sum(cell_len(text) for text, _ in piece)
            if not fresh and cell_len(gap[0]) + size <= room:
                line.append(gap)
                room -= cell_len(gap[0])
            elif not fresh:
                line, room = [left], full
                lines.append(line)
            fresh = False
            for text, style in piece:
                at = 0
                while (end := fit(text, at, room)) < len(text):
                    blank = text.rfind(" ", at, end)
                    end = blank + 1 if blank > at else end
                    line.append((text[at:end], style))
                    line, room = [left], full
                    lines.append(line)
                    at = end
                line.append((text[at:], style))
                room -= cell_len(text[at:])
        self._lines: list[Spans] = [tuple(spans) for spans in lines]
        super().__init__(key, len(self._lines))

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        return self._lines


class ValueItem(Item):
    """A name and one value: an equal argument, a recorded field. ``after``: words behind it on the same
    line; ``notes``: below it."""

    __slots__ = ("after", "diff", "name", "name_style", "notes", "sign", "style", "value")

    def __init__(
        self,
        key: str,
        name: str,
        value: Any,
        layout: Layout,
        *,
        diff: Diff | None = None,
        sign: str = " ",
        style: str = "",
        after: str = "",
        notes: tuple[str, ...] = (),
        differs: bool = False,
        name_style: str = "key",
    ) -> None:
        self.name = name
        self.name_style = name_style
        self.value = value
        self.diff = diff
        self.sign = sign
        self.style = style
        self.after = visible(after)
        self.notes = notes
        super().__init__(key, 1 + notes_height(notes, layout), differs)

    def _name_room(self, layout: Layout) -> int:
        return max(layout.path, layout.text // 2)

    def _value_room(self, layout: Layout, name: int) -> int:
        """Cells of the value behind a name of ``name`` cells."""
        after = min(layout.text // 3, cell_len(self.after) + 2) if self.after else 0
        return max(4, layout.text - name - 1 - after)

    def _name_and_room(self, layout: Layout) -> tuple[str, int]:
        """The name as it is shown, and the cells of its value. A value that only fits when it leaves its
        column and follows the name at once does so."""
        name = cut(visible(self.name), self._name_room(layout), layout.signs.cut)
        room = self._value_room(layout, max(layout.path, cell_len(name)))
        wider = self._value_room(layout, cell_len(name))
        if wider > room and not shown(self.value, room, layout)[1] and shown(self.value, wider, layout)[1]:
            return name, wider
        return pad(name, layout.path), room

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        signs = layout.signs
        start = margin(layout, self.sign, self.style)
        name, room = self._name_and_room(layout)
        value = value_spans(self.value, room, layout, self.style, opened)
        after: list[Span] = []
        if self.after:
            after = [("  " + cut(self.after, max(4, layout.text // 3 - 2), signs.cut), "quiet")]
        deeper = (" " * (layout.indent + 4), "")
        return [
            (*start, (name + " ", self.name_style), *value, *after),
            *((deeper, (line, "quiet")) for line in note_lines(self.notes, layout)),
        ]

    def expandable(self, layout: Layout) -> bool:
        return (
            cell_len(visible(self.name)) > self._name_room(layout)
            or not shown(self.value, self._name_and_room(layout)[1], layout)[1]
            or cell_len(self.after) > max(4, layout.text // 3 - 2)
            or notes_cut(self.notes, layout)
        )

    def body(self, layout: Layout) -> Iterator[Spans]:
        if cell_len(visible(self.name)) > self._name_room(layout):
            yield from body_lines(self.name, layout, "key")
        yield from json_lines(self.value, layout, self.style)
        for note in (self.after, *self.notes):
            if note:
                yield from body_lines(note, layout, "quiet")


class SourceItem(TextItem):
    """The file and line that something was read from; of a long path the end is shown."""

    __slots__ = ()

    def __init__(self, source: Source, layout: Layout) -> None:
        where = f"{source.path}:{source.line}" if source.line else source.path
        super().__init__("source", "read from", where, layout, style="quiet", lines=1)

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        name = pad(self.label, layout.path) + " "
        where = cut_start(visible(self.text), layout.text - cell_len(name), layout.signs.cut)
        return [(*margin(layout), (name + where, "quiet"))]

    def expandable(self, layout: Layout) -> bool:
        return cell_len(visible(self.text)) > layout.text - layout.path - 1


class SameItem(Item):
    """Stands for many equal values, until it is unfolded; ``names`` are the first of them."""

    __slots__ = ("names", "number", "opened", "word")

    def __init__(self, key: str, names: list[str], number: int, word: str, opened: bool) -> None:
        self.names = names
        self.number = number
        self.word = word
        self.opened = opened
        super().__init__(key, 1)

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        words = f"{fold_sign(layout, self.opened)} {self.number:,} {self.word}"
        line = [(" " * layout.indent, ""), (words, "quiet")]
        room = layout.width - layout.indent - cell_len(words) - 2
        if not self.opened and room > 8:
            line.append(("  " + cut(visible(", ".join(self.names)), room, layout.signs.cut), "quiet"))
        return [tuple(line)]
