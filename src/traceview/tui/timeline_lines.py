"""The lines of an opened run: how many there are, what each shows, and what is folded.

A run is a column of blocks: what stands above the steps, a block for each step (or group of evidence), the
final evidence. A block has a headline and items; its height follows from its items without drawing them, and
prefix sums over the heights find the block of a line by bisection. Items are made when a block is unfolded,
spans when a line is seen, and the body of a long value as far as it is shown. (The idea and its figures:
5,000 steps open in 46 ms, where a widget for each needs 6 s for 1,000.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, NamedTuple

from traceview.evaluate.detail import Detail, Diff, StepRow
from traceview.model import MISSING, Finding
from traceview.tui.cells import cut
from traceview.tui.signs import Signs
from traceview.tui.timeline_beside import BesideItem
from traceview.tui.timeline_blocks import (
    Folds,
    at_first,
    block_headline,
    block_items,
    blocks_of,
    has_difference,
)
from traceview.tui.timeline_compared import MoreItem
from traceview.tui.timeline_items import FindingItem, Item, SameItem, ValueItem
from traceview.tui.timeline_layout import Layout, Spans
from traceview.tui.timeline_pairs import PairItem
from traceview.tui.timeline_steps import Columns, step_height

__all__ = ["Document", "Place", "Under"]

_FIRST: Final = 20  # lines of a long value when it is unfolded
_NEXT: Final = 400  # lines that each further key adds


class Place(NamedTuple):
    """A line by what it shows: block, item in it (−1: the headline), line of that item."""

    block: int
    item: int
    offset: int


@dataclass(frozen=True, slots=True)
class Under:
    """What the cursor of the timeline is on: a run; ``row``, a step of it; a value by ``name`` with its two
    sides (MISSING where a side has none) and, if it was compared, its ``diff``; or a ``finding``."""

    detail: Detail
    row: StepRow | None = None
    name: str | None = None
    expected: Any = MISSING
    observed: Any = MISSING
    diff: Diff | None = None
    finding: Finding | None = None


class _Body:
    """The lines of a long value, made as far as they were asked for."""

    def __init__(self, lines: Iterator[Spans]) -> None:
        self._lines = lines
        self._made: list[Spans] = []
        self._ended = False

    def take(self, number: int) -> tuple[list[Spans], bool]:
        """The first ``number`` lines, and whether there are more."""
        while not self._ended and len(self._made) <= number:
            line = next(self._lines, None)
            if line is None:
                self._ended = True
            else:
                self._made.append(line)
        return self._made[:number], len(self._made) > number


class Document:
    """The lines of one :class:`Detail` at one width. ``y`` is the number of a line, counted from 0."""

    def __init__(self, detail: Detail, width: int, signs: Signs, folds: Folds | None = None) -> None:
        self.detail = detail
        self.blocks = blocks_of(detail)
        self._places = {block.key: index for index, block in enumerate(self.blocks)}
        self.folds = folds if folds is not None else at_first(detail, self.blocks)
        self.resize(width, signs)

    # -- layout -------------------------------------------------------------------------------------------

    def resize(self, width: int, signs: Signs) -> None:
        """Lay everything out for lines of ``width`` cells."""
        self.layout = Layout.of(width, signs)
        self._flush = Layout.of(width, signs, indent=0)
        self.columns = Columns.of(self.detail.rows, self.layout)
        self._items: dict[int, list[Item]] = {}
        self._starts: dict[int, list[int]] = {}
        self._bodies: dict[tuple[int, str], _Body] = {}
        self._measure()

    def _measure(self) -> None:
        """The height of every block; a folded one has a line."""
        indexes: Iterable[int] = range(len(self.blocks))
        self._heights = [1] * len(self.blocks)
        if not self.folds.all_open:
            opened = [self._places[key] for key in self.folds.flipped if key in self._places]
            indexes = (0, *opened)
        for index in indexes:
            self._heights[index] = self._height(index)
        self._sum()

    def _sum(self) -> None:
        self._tops = [0, *accumulate(self._heights)]

    @property
    def line_count(self) -> int:
        return self._tops[-1]

    def _height(self, index: int) -> int:
        block = self.blocks[index]
        if block.kind != "head" and not self.folds.is_open(block.key):
            return 1
        if block.kind == "step" and block.key not in self.folds.shown and index not in self._items:
            same_open = self.folds.is_open((block.key, "same"))
            return step_height(self.detail.rows[block.number], self.columns, self.layout, same_open)
        return self.starts(index)[-1]

    def starts(self, index: int) -> list[int]:
        """Of an open block: the first line of each item within it, and at the end its height."""
        starts = self._starts.get(index)
        if starts is None:
            starts = [int(self.blocks[index].kind != "head")]
            for item in self.items(index):
                starts.append(starts[-1] + item.height + self._body_height(index, item))
            self._starts[index] = starts
        return starts

    def _layout(self, index: int) -> Layout:
        return self._flush if self.blocks[index].kind == "head" else self.layout

    def items(self, index: int) -> list[Item]:
        """What an open block shows below its headline."""
        items = self._items.get(index)
        if items is None:
            block = self.blocks[index]
            rows = self.folds.shown.get(block.key, {}).get("rows", 0)
            same_open = self.folds.is_open((block.key, "same"))
            items = block_items(self.detail, block, self._layout(index), self.columns, rows, same_open)
            self._items[index] = items
        return items

    def _body_height(self, index: int, item: Item) -> int:
        number = self.folds.shown.get(self.blocks[index].key, {}).get(item.key, 0)
        if not number or isinstance(item, MoreItem):
            return 0
        lines, more = self._body(index, item).take(number)
        return len(lines) + more

    def _body(self, index: int, item: Item) -> _Body:
        body = self._bodies.get((index, item.key))
        if body is None:
            body = self._bodies[index, item.key] = _Body(item.body(self._layout(index)))
        return body

    def _changed(self, index: int) -> None:
        """A block has another height, or other items."""
        self._items.pop(index, None)
        self._starts.pop(index, None)
        self._heights[index] = self._height(index)
        self._sum()

    # -- lines --------------------------------------------------------------------------------------------

    def place(self, y: int) -> Place:
        """What line ``y`` is."""
        index = min(bisect_right(self._tops, y), len(self.blocks)) - 1
        offset = y - self._tops[index]
        if self._heights[index] == 1 and self.blocks[index].kind != "head":
            return Place(index, -1, 0)
        starts = self.starts(index)
        if offset < starts[0]:
            return Place(index, -1, offset)
        item = bisect_right(starts, offset) - 1
        return Place(index, item, offset - starts[item])

    def y_of(self, place: Place) -> int:
        """The line of a place; the headline where its block is folded."""
        top = self._tops[place.block]
        if place.item < 0 or not self.is_open(place.block):
            return top
        starts = self.starts(place.block)
        item = min(place.item, len(starts) - 2)
        if item < 0:
            return top
        return top + min(starts[item] + place.offset, starts[item + 1] - 1)

    def is_open(self, index: int) -> bool:
        return self.blocks[index].kind == "head" or self.folds.is_open(self.blocks[index].key)

    def span(self, y: int) -> tuple[range, range]:
        """The lines of the block that holds line ``y``, and those of the item."""
        place = self.place(y)
        top = self._tops[place.block]
        block = range(top, top + self._heights[place.block])
        if place.item < 0:
            return block, range(y, y + 1)
        starts = self.starts(place.block)
        return block, range(top + starts[place.item], top + starts[place.item + 1])

    def line(self, y: int) -> Spans:
        """Line ``y``, no wider than the layout."""
        place = self.place(y)
        if place.item < 0:
            block = self.blocks[place.block]
            return block_headline(self.detail, block, self.layout, self.columns, self.is_open(place.block))
        item = self.items(place.block)[place.item]
        layout, signs = self._layout(place.block), self.layout.signs
        number = self._shown(place.block, item)
        if place.offset < item.height:
            spans = item.head(layout, bool(number))[place.offset]
            foldable = place.offset == 0 and item.expandable(layout)
            return _with_fold_sign(spans, signs.unfolded if number else signs.folded) if foldable else spans
        lines, _ = self._body(place.block, item).take(number)
        at = place.offset - item.height
        if at < len(lines):
            return lines[at]
        words = cut(f"{signs.folded} more of it: enter shows {_NEXT} lines more", layout.text, signs.cut)
        return ((" " * (layout.indent + 2), ""), (words, "quiet"))

    def _shown(self, index: int, item: Item) -> int:
        return self.folds.shown.get(self.blocks[index].key, {}).get(item.key, 0)

    # -- identity -----------------------------------------------------------------------------------------

    def key(self, y: int) -> Hashable:
        """What line ``y`` shows, whatever its number: block, item, line of the item."""
        place = self.place(y)
        item = self.items(place.block)[place.item].key if place.item >= 0 else None
        return (self.blocks[place.block].key, item, place.offset)

    def find(self, key: Hashable) -> int | None:
        """The line of a key now: its block's headline where it is folded, None when the block is gone."""
        if not isinstance(key, tuple) or len(key) != 3:
            return None
        index = self._places.get(key[0])
        if index is None:
            return None
        if self.is_open(index):
            for number, item in enumerate(self.items(index)):
                if item.key == key[1]:
                    return self.y_of(Place(index, number, key[2]))
        return self._tops[index]

    def under(self, y: int) -> Under:
        """The case, step, argument or difference on line ``y``."""
        place = self.place(y)
        block = self.blocks[place.block]
        row = self.detail.rows[block.number] if block.kind == "step" else None
        item = self.items(place.block)[place.item] if place.item >= 0 else None
        if isinstance(item, PairItem | BesideItem):
            return Under(self.detail, row, item.name, item.expected, item.observed, item.diff)
        if isinstance(item, ValueItem):
            expected = item.diff.expected if item.diff is not None else MISSING
            return Under(self.detail, row, item.name, expected, item.value, item.diff)
        finding = item.finding if isinstance(item, FindingItem) else None
        return Under(self.detail, row, finding=finding)

    # -- folding ------------------------------------------------------------------------------------------

    def toggle(self, y: int) -> bool:
        """Fold or unfold what line ``y`` stands for; on the last line of a long value, show more of it.
        False when there is nothing to do."""
        place = self.place(y)
        if place.item < 0:
            self.folds.flip(self.blocks[place.block].key)
            self._changed(place.block)
            return True
        item = self.items(place.block)[place.item]
        if self._shown(place.block, item) and not self._on_more(place, item):
            return self._show(place.block, item, 0)
        return self._unfold_item(place.block, item)

    def unfold(self, y: int) -> bool:
        """Unfold what line ``y`` stands for; False when it is unfolded, or holds no more."""
        place = self.place(y)
        if place.item < 0:
            return not self.is_open(place.block) and self.toggle(y)
        item = self.items(place.block)[place.item]
        if self._shown(place.block, item) and not self._on_more(place, item):
            return False
        return not (isinstance(item, SameItem) and item.opened) and self._unfold_item(place.block, item)

    def fold(self, y: int) -> int:
        """Fold the innermost thing that holds line ``y`` and is unfolded; the line where it then stands."""
        place = self.place(y)
        if place.item >= 0:
            item = self.items(place.block)[place.item]
            if self._shown(place.block, item):
                self._show(place.block, item, 0)
                return self.y_of(place._replace(offset=0))
            if isinstance(item, SameItem) and item.opened:
                self._unfold_item(place.block, item)
                return self.y_of(place)
        if self.blocks[place.block].kind != "head" and self.is_open(place.block):
            self.folds.flip(self.blocks[place.block].key)
            self._changed(place.block)
        return self._tops[place.block]

    def toggle_all(self) -> bool:
        """Unfold every step and list of equal values, or fold everything again; True: unfolded."""
        self.folds.all_open = not self.folds.all_open
        self.folds.flipped.clear()
        if not self.folds.all_open:
            self.folds.shown.clear()
        self._items.clear()
        self._starts.clear()
        self._measure()
        return self.folds.all_open

    def _on_more(self, place: Place, item: Item) -> bool:
        """Whether a place is the line that stands for what is not shown yet."""
        if isinstance(item, MoreItem):
            return True
        lines, more = self._body(place.block, item).take(self._shown(place.block, item))
        return more and place.offset == item.height + len(lines)

    def _unfold_item(self, index: int, item: Item) -> bool:
        """More of an item: a list of equal values, further places, or the next lines of a long value."""
        if isinstance(item, SameItem):
            self.folds.flip((self.blocks[index].key, "same"))
            self._changed(index)
            return True
        if isinstance(item, MoreItem):
            return self._show(index, item, item.shown + _NEXT)
        number = self._shown(index, item)
        if number:
            return self._show(index, item, number + _NEXT)
        return item.expandable(self._layout(index)) and self._show(index, item, _FIRST)

    def _show(self, index: int, item: Item, lines: int) -> bool:
        numbers = self.folds.shown.setdefault(self.blocks[index].key, {})
        if lines:
            numbers[item.key] = lines
        else:
            numbers.pop(item.key, None)
        self._changed(index)
        return True

    # -- differences --------------------------------------------------------------------------------------

    def first_difference(self) -> int | None:
        """The line of the first difference, unfolded; None when there is none."""
        found = self._search(Place(0, -1, 0), 1, include=True)
        return None if found is None else self._reveal(found)

    def next_difference(self, y: int, direction: int = 1) -> tuple[int, bool] | None:
        """The line of the next difference from ``y`` on (``direction`` −1: the one before), unfolded, and
        whether the search went past the end; None when there is no difference."""
        place = self.place(y)
        found = self._search(place, direction)
        if found is not None:
            return self._reveal(found), False
        edge = Place(0, -1, 0) if direction > 0 else Place(len(self.blocks) - 1, 1 << 60, 0)
        found = self._search(edge, direction, include=True)
        return None if found is None else (self._reveal(found), True)

    def _search(self, place: Place, direction: int, *, include: bool = False) -> Place | None:
        index = place.block
        while 0 <= index < len(self.blocks):
            if has_difference(self.detail, self.blocks[index]):
                numbers = [number for number, item in enumerate(self.items(index)) if item.differs]
                if direction < 0:
                    numbers.reverse()
                for number in numbers:
                    beyond = (number - place.item) * direction
                    if index != place.block or beyond > 0 or (include and beyond == 0):
                        return Place(index, number, 0)
            index += direction
        return None

    def _reveal(self, place: Place) -> int:
        if not self.is_open(place.block):
            self.folds.flip(self.blocks[place.block].key)
            self._changed(place.block)
        return self.y_of(place)


def _with_fold_sign(spans: Spans, sign: str) -> Spans:
    """The sign of a foldable item, in the margin before its own sign or else instead of a blank one."""
    indent, mark = spans[0][0], spans[1][0]
    if len(indent) >= 2:
        return ((indent[:-2] + sign + " ", "quiet"), *spans[1:])
    return (spans[0], (sign + " ", "quiet"), *spans[2:]) if not mark.strip() else spans
