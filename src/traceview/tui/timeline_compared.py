"""A comparison as items: what differs first, then what was forgiven, then the equal values, counted."""

from __future__ import annotations

from typing import Final

from traceview.evaluate.detail import ALIKE, Diff, spread
from traceview.model import MISSING
from traceview.tui.timeline_items import Item, SameItem
from traceview.tui.timeline_layout import Layout, Spans
from traceview.tui.timeline_pairs import diff_height, diff_item
from traceview.tui.values import path_words

__all__ = ["MoreItem", "compared", "compared_height"]

_SAME: Final = 6  # equal values up to which each has its line from the start
_ROWS: Final = 400  # places of a comparison shown before the rest is asked for
_STATE_ORDER: Final = {
    "changed": 0,
    "missing": 0,
    "unexpected": 0,
    "unknown": 0,
    "forgiven": 1,
    "ignored": 2,
    "same": 3,
    "uncompared": 3,
}
_SAME_ORDER: Final = 3


def _order(diff: Diff) -> int:
    """Differences first, then what is worth a line; an equal value that the baseline had not is."""
    order = _STATE_ORDER[diff.state]
    return order if diff.before is ALIKE else min(order, _SAME_ORDER - 1)


def compared(
    diffs: tuple[Diff, ...],
    whole: str,
    layout: Layout,
    rows: int,
    same_open: bool,
    *,
    differing: bool = True,
) -> list[Item]:
    """The places of a comparison: differences first, then what was forgiven or not compared, then the equal
    ones, behind one line when they are many. ``whole`` names the place that is everything; ``differing``
    False: no stop for n and N (the values of a call that was not made)."""
    different: list[Diff] = []
    equal: list[tuple[str, str, Diff]] = []  # key, name, place
    for diff in sorted(diffs, key=_order):
        if _order(diff) < _SAME_ORDER:
            different.append(diff)
        else:
            equal += [(each.path, path_words(each.path) or whole, each) for each in spread((diff,))]
    limit = rows or _ROWS
    items: list[Item] = []
    for diff in different[:limit]:
        item = diff_item(diff, path_words(diff.path) or whole, layout)
        item.differs = item.differs and differing
        items.append(item)
    if len(equal) > _SAME:
        word = "not compared" if all(diff.state == "uncompared" for _, _, diff in equal) else "equal"
        names = [name for _, name, _ in equal[:200]]
        items.append(SameItem("same", names, len(equal), word, same_open))
    if len(equal) <= _SAME or same_open:
        room = max(0, limit - len(different))
        items.extend(diff_item(diff, name, layout) for _, name, diff in equal[:room])
    else:
        room = len(equal)
    hidden = max(0, len(different) - limit) + max(0, len(equal) - room)
    if hidden:
        items.append(MoreItem("rows", hidden, limit))
    return items


def compared_height(diffs: tuple[Diff, ...], whole: str, layout: Layout, same_open: bool) -> int:
    """Lines of what :func:`compared` makes by default, worked out without making anything."""
    lines, equal, notes = 0, 0, 0
    for diff in diffs:
        if _order(diff) < _SAME_ORDER:
            lines += diff_height(diff, path_words(diff.path) or whole, layout)
        else:
            equal += 1 if diff.path else _equal_lines(diff)
            notes += diff_height(diff, "", layout) - 1 if diff.note is not None else 0
    if len(diffs) > _ROWS or lines + equal > _ROWS:
        return sum(item.height for item in compared(diffs, whole, layout, 0, same_open))
    if equal > _SAME:
        lines += 1
    return lines + equal + notes if equal <= _SAME or same_open else lines


def _equal_lines(diff: Diff) -> int:
    value = diff.observed if diff.observed is not MISSING else diff.expected
    return len(value) if isinstance(value, dict) and value and not diff.note else 1


class MoreItem(Item):
    """Stands for the places of a comparison that are not shown yet; ``shown`` are."""

    __slots__ = ("hidden", "shown")

    def __init__(self, key: str, hidden: int, shown: int) -> None:
        self.hidden = hidden
        self.shown = shown
        super().__init__(key, 1)

    def head(self, layout: Layout, opened: bool) -> list[Spans]:
        words = f"{layout.signs.folded} {self.hidden:,} more: enter shows them"
        return [((" " * layout.indent, ""), (words, "quiet"))]
