"""Pairing expected with observed calls without crossing, freely only within parallel turns.

Deterministic and bounded, as :mod:`traceview.evaluate.assign` is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from traceview.evaluate.assign import (
    Cost,
    CostOf,
    Pairs,
    assigned,
    matched,
    not_different,
    pair_freely,
    paired_anew,
    plainly_equal,
)

__all__ = ["OTHER_TOOL", "align", "pair_in_order"]

OTHER_TOOL: Cost = (1 << 30, 0, 0)
"""What a pair costs that can't be one."""

_TABLE_LIMIT = 40_000  # costs that an exact pairing looks at
_WINDOW_LIMIT = 4_000  # assignments that an exact pairing turn by turn makes
_TURN_LIMIT = 250  # calls of a turn for which pairs without a difference are looked for turn by turn
_ALIGN_LIMIT = 250_000  # costs that aligning expected with observed calls looks at
_NONE: Cost = (0, 0, 0)
_DEAR = 1 << 200  # more than any way can cost


def _add(x: Cost, y: Cost) -> Cost:
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


def pair_in_order(
    n: int, m: int, cost: CostOf, turns: Sequence[int] = (), taken: Sequence[int | None] = ()
) -> Pairs:
    """Pair ``n`` expected with ``m`` observed calls of one tool without crossing: as many pairs as there can
    be, then the fewest differences; among equals calls that succeeded, then those ``taken``, then the
    earliest steps.

    :param turns: how many of the calls each parallel turn made, in order; within a turn pairs may cross.
        Empty: one by one.
    :param taken: the observed call that each expected one has by another look at the run. Empty: there was
        none.
    """
    if not n or not m:
        return []
    if n == 1:
        return [(0, _cheapest(m, cost, taken[0] if taken else None))]
    if taken:
        cost = _preferring(taken, cost)
    if m == 1:
        return [(min([(cost(i, 0), i) for i in range(n)])[1], 0)]
    if len(turns) == 1:
        return pair_freely(n, m, cost)
    one_by_one = not turns or len(turns) == m
    if n == m and one_by_one:
        return [(i, i) for i in range(n)]
    if one_by_one:
        if min(n, m) * (abs(n - m) + 1) <= _TABLE_LIMIT:
            return _table(n, m, cost)
        turns = [1] * m
    elif (n + 1) * len(turns) * (max(turns) + max(0, n - m) + 1) <= _WINDOW_LIMIT:
        return _by_turns(n, turns, cost)
    for clean in (plainly_equal, not_different):
        pairs = _fitting(n, turns, cost, clean)
        if pairs is not None:
            return pairs
    return _walked(n, m, cost, turns)


def align(n: int, m: int, cost: CostOf) -> Pairs | None:
    """Pair expected with observed calls of any tool without crossing, where either may be left over: as many
    as there can be, then the fewest differences, then the earliest. None where they are too many.

    :param cost: :data:`OTHER_TOOL` itself for calls that can't be a pair.
    """
    if n * m > _ALIGN_LIMIT:
        return None
    best = [[0] * (m + 1) for _ in range(n + 1)]
    takes: set[tuple[int, int]] = set()
    for i in range(n - 1, -1, -1):
        here, following = best[i], best[i + 1]
        for j in range(m - 1, -1, -1):
            least = min(following[j], here[j + 1])
            price = cost(i, j)
            if price is not OTHER_TOOL:
                take = following[j + 1] + _price(price) - _DEAR  # a pair more is worth any difference
                if take <= least:
                    least = take
                    takes.add((i, j))
            here[j] = least
    pairs = []
    i = j = 0
    while i < n and j < m:
        if (i, j) in takes:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j + 1] <= best[i + 1][j]:
            j += 1
        else:
            i += 1
    return pairs


def _price(cost: Cost) -> int:
    """A cost as one number, to be added and compared quickly."""
    different, unknown, failed = cost
    return (((different << 40) + unknown) << 40) + failed


def _preferring(taken: Sequence[int | None], cost: CostOf) -> CostOf:
    def preferring(i: int, j: int) -> Cost:
        wrong, unknown, off = cost(i, j)
        return (wrong, unknown, 2 * off + (taken[i] != j))

    return preferring


def _cheapest(m: int, cost: CostOf, first: int | None) -> int:
    """The observed call that costs the only expected one least: among equals the ``first``, then the
    earliest."""
    chosen = first or 0
    least = cost(0, chosen)
    for j in range(m):
        if least == _NONE:
            break
        here = cost(0, j)
        if here < least:
            least, chosen = here, j
    return chosen


def _table(n: int, m: int, cost: CostOf) -> Pairs:
    swapped = n > m  # index the shorter side by `a`, the longer by `b`
    few, slack = min(n, m), abs(n - m)
    # best[a][s]: the cheapest way to pair the shorter side from a on, when s of the longer were passed so far
    best: list[list[int]] = [[0] * (slack + 1) for _ in range(few + 1)]
    prices: list[list[int]] = [[0] * (slack + 1) for _ in range(few)]
    for a in range(few - 1, -1, -1):
        here, line, following = prices[a], best[a], best[a + 1]
        cheapest = _DEAR
        for passed in range(slack, -1, -1):
            here[passed] = price = _price(cost(a + passed, a) if swapped else cost(a, a + passed))
            take = price + following[passed]
            if take <= cheapest:
                cheapest = take
            line[passed] = cheapest
    pairs = []
    a = passed = 0
    while a < few:
        if passed == slack or prices[a][passed] + best[a + 1][passed] <= best[a][passed + 1]:
            pairs.append((a + passed, a) if swapped else (a, a + passed))
            a += 1
        else:
            passed += 1
    return pairs


def _by_turns(n: int, turns: Sequence[int], cost: CostOf) -> Pairs:
    """In order from turn to turn, freely within each: each turn takes the next few expected calls."""
    starts = [0, *accumulate(turns)]
    slack = max(0, n - starts[-1])  # expected calls that are left over
    # best[turn][first]: fewest pairs short, then the cheapest way, for the turns from `turn` on with the
    # expected calls from `first` on; and how many of them that turn takes.
    best: list[list[tuple[int, Cost, int]]] = [[(0, _NONE, 0)] * (n + 1) for _ in range(len(turns) + 1)]
    made: dict[tuple[int, int, int], Pairs] = {}
    for turn in range(len(turns) - 1, -1, -1):
        calls = range(starts[turn], starts[turn + 1])
        for first in range(n + 1):
            options: list[tuple[int, Cost, int]] = []
            for taken in range(min(n - first, len(calls) + slack) + 1):
                pairs = assigned(range(first, first + taken), calls, cost)
                made[turn, first, taken] = pairs
                total = best[turn + 1][first + taken][1]
                for i, j in pairs:
                    total = _add(total, cost(i, j))
                options.append((best[turn + 1][first + taken][0] - len(pairs), total, taken))
            # Among equals the earliest calls, or (where calls are missing) the earliest expected ones.
            best[turn][first] = min(options, key=lambda o: (o[0], o[1], o[2] if slack else -o[2]))
    out: Pairs = []
    first = 0
    for turn in range(len(turns)):
        taken = best[turn][first][2]
        out += made[turn, first, taken]
        first += taken
    return sorted(out)


def _fitting(n: int, turns: Sequence[int], cost: CostOf, fits: Callable[[Cost], bool]) -> Pairs | None:
    """Pairs that all fit, for the whole of the shorter side; None if there are none."""
    if max(turns) > _TURN_LIMIT:
        return None

    def row(i: int, start: int, size: int) -> list[int]:
        return [j for j in range(size) if fits(cost(i, start + j))]

    return _fill_expected(n, turns, row) if n <= sum(turns) else _fill_observed(n, turns, row)


Row = Callable[[int, int, int], list[int]]  # expected index, first call of a turn, its size -> calls that fit


def _fill_expected(n: int, turns: Sequence[int], row: Row) -> Pairs | None:
    """Each turn takes as many of the next expected calls as it can, which leaves the fewest for the rest."""
    left = sum(turns)
    out: Pairs = []
    first = start = 0
    for size in turns:
        may: list[list[int]] = []
        held: dict[int, int] = {}
        while first + len(may) < n and len(may) < size:
            may.append(row(first + len(may), start, size))
            more = matched(range(len(may)), may.__getitem__)
            if len(more) < len(may):
                may.pop()
                break
            held = more
        out += [(first + i, start + j) for i, j in held.items()]
        first += len(may)
        start += size
        left -= size
        if n - first > left:
            return None
    return sorted(out)


def _fill_observed(n: int, turns: Sequence[int], row: Row) -> Pairs | None:
    """Each turn takes the fewest of the next expected calls that hold all its own."""
    out: Pairs = []
    first = start = 0
    for size in turns:
        may: list[list[int]] = []
        held: dict[int, int] = {}
        while len(held) < size:
            if first + len(may) >= n:
                return None
            may.append(row(first + len(may), start, size))
            held = matched(range(len(may)), may.__getitem__)
        out += [(first + i, start + j) for i, j in held.items()]
        first += len(may)
        start += size
    return sorted(out)


def _walked(n: int, m: int, cost: CostOf, turns: Sequence[int]) -> Pairs:
    """For long runs that differ: both sides are walked together, looking a little ahead for a pair without a
    difference, and the pairs of each turn are then made anew."""
    swapped = n > m
    few, slack = min(n, m), abs(n - m)
    ahead = max(8, _TABLE_LIMIT // max(n, m))
    pairs: Pairs = []
    passed = 0
    for a in range(few):
        for k in range(min(slack - passed, ahead) + 1):
            if (cost(a + passed + k, a) if swapped else cost(a, a + passed + k))[0] == 0:
                passed += k
                break
        pairs.append((a + passed, a) if swapped else (a, a + passed))
    out: Pairs = []
    at = end = 0
    for size in turns:
        end += size
        start = at
        while at < len(pairs) and pairs[at][1] < end:
            at += 1
        if size == 1:
            out += pairs[start:at]
        else:
            out += paired_anew(pairs[start:at], cost)
    return sorted(out)
