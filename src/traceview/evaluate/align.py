"""Aligning the tools that were expected with those that were called, for the order check."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence


def common(expected: Sequence[str], observed: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence of two lists of tools, as index pairs.

    Among equals, the one that keeps the earliest expected calls, and of the observed ones the earliest.
    Bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): one big integer a row, so that
    5,000 × 5,000 calls take milliseconds.
    """
    n, m = len(expected), len(observed)
    if expected == observed:
        return [(i, i) for i in range(n)]
    masks: dict[str, int] = {}
    places: dict[str, list[int]] = {}
    for j, tool in enumerate(observed):
        masks[tool] = masks.get(tool, 0) | 1 << (m - 1 - j)
        places.setdefault(tool, []).append(j)
    full = (1 << m) - 1
    # rows[k] is for the last k expected calls; the zeros in its low t bits count what they have in common
    # with the last t observed ones.
    row = full
    rows = [row]
    for tool in reversed(expected):
        hit = row & masks.get(tool, 0)
        row = ((row + hit) | (row - hit)) & full
        rows.append(row)

    def length(i: int, j: int) -> int:
        tail = m - j
        return tail - (rows[n - i] & ((1 << tail) - 1)).bit_count()

    pairs = []
    i = j = 0
    left = length(0, 0)
    while left:
        where = places.get(expected[i], ())
        k = bisect_left(where, j)
        if k < len(where) and 1 + length(i + 1, where[k] + 1) == left:
            pairs.append((i, where[k]))
            j = where[k] + 1
            left -= 1
        i += 1
    return pairs


def arranged(expected: Sequence[str], turns: Sequence[Sequence[int]], tools: Sequence[str]) -> list[int]:
    """The calls with those of one parallel turn put in the order that the expected side has.

    ``turns`` holds indexes into ``tools``; a turn's calls have no order among themselves. Two ways to fill
    the expected sequence turn by turn are tried, with and without passing over expected calls: the first
    finds every arrangement that holds all that is expected, the second every one that holds nothing else. Of
    these and the recorded order the one that has most in common with the expected sequence is taken.
    """
    recorded = [call for turn in turns for call in turn]
    if all(len(turn) == 1 for turn in turns):
        return recorded
    best, most = recorded, -1
    for order in (
        _filled(expected, turns, tools, passing=False),
        _filled(expected, turns, tools, passing=True),
        recorded,
    ):
        have = len(common(expected, [tools[call] for call in order]))
        if have > most:
            best, most = order, have
    return best


def _filled(
    expected: Sequence[str], turns: Sequence[Sequence[int]], tools: Sequence[str], *, passing: bool
) -> list[int]:
    """Each turn's calls in the order in which they are expected next; ``passing`` over expected calls that
    the turn does not hold, or only as far as it holds them all."""
    places: dict[str, list[int]] = {}
    for place, tool in enumerate(expected):
        places.setdefault(tool, []).append(place)
    out: list[int] = []
    at = 0
    for turn in turns:
        found: list[tuple[int, int]] = []
        rest: list[int] = []
        used: Counter[str] = Counter()
        for call in turn:
            of_tool = places.get(tools[call], ())
            k = bisect_left(of_tool, at) + used[tools[call]]
            used[tools[call]] += 1
            if k < len(of_tool):
                found.append((of_tool[k], call))
            else:
                rest.append(call)
        found.sort()
        held = len(found)
        if not passing:
            held = next((i for i, (place, _) in enumerate(found) if place != at + i), held)
        if held:
            at = found[held - 1][0] + 1
        out += [call for _, call in found[:held]]
        out += sorted([call for _, call in found[held:]] + rest)
    return out
