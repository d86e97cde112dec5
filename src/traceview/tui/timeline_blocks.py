"""The parts of an opened run that fold, and which of them are unfolded."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from traceview.evaluate.detail import Detail
from traceview.tui.timeline_pairs import DIFFERING
from traceview.tui.timeline_steps import differs

__all__ = ["Block", "Folds", "at_first", "blocks_of", "has_difference"]

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


@dataclass(frozen=True, slots=True)
class Block:
    """One foldable part of a run. ``number`` counts within its kind."""

    kind: Literal["head", "step", "group", "final", "rest"]
    number: int
    key: Hashable


def has_difference(detail: Detail, block: Block) -> bool:
    """Whether n and N may stop inside a block, by a look at its states alone."""
    if block.kind == "step":
        return differs(detail.rows[block.number])
    if block.kind == "group":
        return any(diff.state in DIFFERING for diff in detail.groups[block.number].diffs)
    if block.kind == "final":
        return any(diff.state in DIFFERING for diff in detail.final)
    return block.kind == "head"


def blocks_of(detail: Detail) -> Iterator[Block]:
    yield Block("head", 0, "head")
    if detail.groups:
        yield from (Block("group", number, ("group", number)) for number in range(len(detail.groups)))
    seen: dict[Hashable, int] = {}
    for number, row in enumerate(detail.rows):
        key: tuple[Hashable, ...] = ("step", row.event.step if row.event else None, row.expected_step)
        times = seen.get(key, 0)  # an unusable run may have a step twice
        seen[key] = times + 1
        yield Block("step", number, (*key, times) if times else key)
    if detail.final and not detail.groups:
        yield Block("final", 0, "final")
    if detail.run.final and not detail.groups and _apart(detail):
        yield Block("rest", 0, "rest")


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
    for block in blocks:
        if block.kind == "step":
            opened = detail.rows[block.number].failing and len(folds.flipped) < _OPEN_AT_ONCE
        elif block.kind == "final":
            opened = any(diff.state in DIFFERING for diff in detail.final)
        else:
            opened = block.kind == "group" or (block.kind == "rest" and not detail.rows)
        if opened:
            folds.flipped.add(block.key)
    return folds
