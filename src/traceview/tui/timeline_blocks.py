"""The parts of an opened run that fold: which there are, what each shows, which are unfolded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from traceview.evaluate.detail import Detail, StepRow
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut
from traceview.tui.timeline_compared import compared
from traceview.tui.timeline_evidence import group_headline, group_items
from traceview.tui.timeline_head import head_items
from traceview.tui.timeline_items import Item, SourceItem
from traceview.tui.timeline_layout import Layout, Span, Spans, shown
from traceview.tui.timeline_pairs import DIFFERING
from traceview.tui.timeline_steps import Columns, differs, headline, recorded_items, step_items
from traceview.tui.values import count, path_words

__all__ = [
    "Block",
    "Folds",
    "at_first",
    "block_headline",
    "block_items",
    "blocks_of",
    "has_difference",
]

_OPEN_AT_ONCE: Final = 200  # failing steps that a run opens with unfolded


@dataclass(slots=True)
class Folds:
    """What is unfolded, by the keys of blocks: it outlives a change of width and a reload.

    ``flipped`` blocks (and lists of equal values, as (block, "same")) are not as ``all_open`` says.
    ``shown``: lines of long values, by block and item.
    """

    all_open: bool = False
    flipped: set[Hashable] = field(default_factory=set)
    shown: dict[Hashable, dict[str, int]] = field(default_factory=dict)

    def is_open(self, key: Hashable) -> bool:
        return (key in self.flipped) != self.all_open

    def flip(self, key: Hashable) -> None:
        self.flipped ^= {key}


class Block(NamedTuple):
    """One foldable part of a run. ``number`` counts within its kind."""

    kind: Literal["head", "step", "group", "final", "rest"]
    number: int
    key: Hashable


def has_difference(detail: Detail, block: Block) -> bool:
    """Whether n and N may stop inside a block, by a look at its states alone."""
    if block.kind == "step":
        return differs(detail.rows[block.number])
    if block.kind == "group":
        group = detail.groups[block.number]
        return bool(group.findings) or any(diff.state in DIFFERING for diff in group.diffs)
    if block.kind == "final":
        return any(diff.state in DIFFERING for diff in detail.final)
    return block.kind == "head"


def blocks_of(detail: Detail) -> list[Block]:
    """The parts of a run from top to bottom."""
    blocks = [Block("head", 0, "head")]
    blocks += [Block("group", number, ("group", number)) for number in range(len(detail.groups))]
    blocks += [Block("step", number, key) for number, key in enumerate(_keys(detail.rows))]
    if detail.final and not detail.groups:
        blocks.append(Block("final", 0, "final"))
    if detail.run.final and not detail.groups and _apart(detail):
        blocks.append(Block("rest", 0, "rest"))
    return blocks


def _keys(rows: Sequence[StepRow]) -> Sequence[Hashable]:
    """What each step is called: by its number and that of the expected call."""
    keys = [("step", None if row.event is None else row.event.step, row.expected_step) for row in rows]
    if len(set(keys)) == len(keys):
        return keys
    seen: Counter[Hashable] = Counter()  # an unusable run may have a step twice
    apart: list[Hashable] = []
    for key in keys:
        apart.append((*key, seen[key]) if seen[key] else key)
        seen[key] += 1
    return apart


def _apart(detail: Detail) -> bool:
    """Whether the final evidence is an object of its own, which no step shows."""
    last = next((row.event.source for row in reversed(detail.rows) if row.event is not None), None)
    source = detail.run.final_source
    if last is None or source is None:
        return last is None
    return (source.path, source.line, source.offset) != (last.path, last.line, last.offset)


def at_first(detail: Detail, blocks: list[Block]) -> Folds:
    """A run opens with what differs unfolded; with all evidence, where it has no steps."""
    folds = Folds()
    rows = detail.rows
    for block in blocks:
        if block.kind == "step":
            opened = len(folds.flipped) < _OPEN_AT_ONCE and rows[block.number].failing
        elif block.kind == "final":
            opened = any(diff.state in DIFFERING for diff in detail.final)
        else:
            opened = block.kind == "group" or (block.kind == "rest" and not rows)
        if opened:
            folds.flipped.add(block.key)
    return folds


# -- what a block shows -----------------------------------------------------------------------------------


def block_items(
    detail: Detail, block: Block, layout: Layout, columns: Columns, rows: int, same_open: bool
) -> list[Item]:
    """What stands below a block's headline; ``rows`` and ``same_open`` as for :func:`step_items`."""
    if block.kind == "head":
        return head_items(detail, layout)
    if block.kind == "step":
        return step_items(detail.rows[block.number], columns, layout, rows, same_open)
    if block.kind == "group":
        return group_items(detail.groups[block.number], layout, rows, same_open)
    if block.kind == "final":
        items = compared(detail.final, "final evidence", layout, rows, same_open)
        if detail.run.final_source is not None:
            items.append(SourceItem(detail.run.final_source, layout))
        return items
    return recorded_items(detail.run.final, layout)


def block_headline(detail: Detail, block: Block, layout: Layout, columns: Columns, opened: bool) -> Spans:
    """The line that a folded block leaves."""
    if block.kind == "step":
        return headline(detail.rows[block.number], columns, layout, opened)
    sign = layout.signs.unfolded if opened else layout.signs.folded
    spans: list[Span] = [(sign + " ", "quiet")]
    if block.kind == "group":
        spans += group_headline(detail.groups[block.number], layout)
    elif block.kind == "final":
        wrong = sum(diff.state in DIFFERING for diff in detail.final)
        spans.append(("final evidence", "strong" if wrong else ""))
        if wrong:
            spans.append((f"  {layout.signs.failed} {count(wrong, 'difference')}", "fail"))
        elif not opened:
            values = (
                f"{visible(path_words(diff.path))} {shown(diff.observed, 40, layout)[0]}".strip()
                for diff in detail.final[:8]
            )
            spans.append(("  " + f" {layout.signs.dot} ".join(values), "quiet"))
    else:
        spans += [
            ("everything recorded at the end", ""),
            (f"  {count(len(detail.run.final), 'key')}", "quiet"),
        ]
    return _cut_spans(spans, layout)


def _cut_spans(spans: list[Span], layout: Layout) -> Spans:
    room = layout.width
    kept: list[Span] = []
    for text, style in spans:
        text = cut(text, room, layout.signs.cut)
        kept.append((text, style))
        room -= cell_len(text)
    return tuple(kept)
