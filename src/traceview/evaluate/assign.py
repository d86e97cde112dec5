"""Pairing expected with observed calls in whatever order, by the fewest differences.

All ways are deterministic, and bounded for runs of thousands of steps: where the exact way would cost too
much, a pairing without any difference is still looked for, so that a run that is right is not called wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

__all__ = [
    "ASSIGNMENT_LIMIT",
    "Cost",
    "CostOf",
    "Pairs",
    "assigned",
    "matched",
    "not_different",
    "pair_freely",
    "paired_anew",
    "plainly_equal",
]

Cost = tuple[int, int, int]  # differences, values that can't be known, 1 if the call did not succeed
CostOf = Callable[[int, int], Cost]  # (expected index, observed index) -> what pairing them costs
Pairs = list[tuple[int, int]]  # expected index, observed index
Likely = Callable[[int], Iterable[int]]  # expected index -> observed indexes

ASSIGNMENT_LIMIT = 80  # calls of the shorter side of an assignment
_TABLE_LIMIT = 40_000  # costs that an assignment looks at
_SEARCH_LIMIT = 250_000  # costs that the search for pairs without a difference looks at
_FEW = 8  # calls of which the nearest is taken where there are too many


def plainly_equal(cost: Cost) -> bool:
    return cost[0] == 0 and cost[1] == 0


def not_different(cost: Cost) -> bool:
    return cost[0] == 0


def paired_anew(pairs: Pairs, cost: CostOf) -> Pairs:
    """The same expected and observed calls, which have no order, by the fewest differences."""
    wants, calls = [i for i, _ in pairs], [j for _, j in pairs]
    anew = pair_freely(len(wants), len(calls), lambda i, j: cost(wants[i], calls[j]))
    return [(wants[i], calls[j]) for i, j in anew]


def pair_freely(
    n: int,
    m: int,
    cost: CostOf,
    want_keys: Sequence[Hashable] = (),
    call_keys: Sequence[Hashable] = (),
    failed: Sequence[bool] = (),
    likely: Likely | None = None,
) -> Pairs:
    """Pair ``n`` expected with ``m`` observed calls of one tool whatever their order: as many pairs as there
    can be, by the fewest differences; among equals calls that succeeded, then the earliest.

    Equal keys (None: no key) stand for calls without a difference, of which one that did not ``fail`` is
    taken first; they spare the costs of long runs.

    :param likely: for long runs, the observed calls among which are all that an expected one might not differ
        from.
    """
    wants, calls = list(range(n)), list(range(m))
    pairs: Pairs = []
    if n * m > 1 and want_keys:
        # An equal call never costs more than what it takes away from others, so it is taken at once.
        pairs = _by_keys(want_keys, call_keys, failed)
        wants, calls = _without(wants, calls, pairs)
    if not _assignable(wants, calls):
        for clean in (plainly_equal, not_different):
            pairs += _searched(wants, calls, cost, clean, likely)
            wants, calls = _without(wants, calls, pairs)
    if _assignable(wants, calls):
        pairs += assigned(wants, calls, cost)
    else:
        for i in wants[: len(calls)]:
            j = min([(cost(i, c), c) for c in calls[:_FEW]])[1]
            pairs.append((i, j))
            calls.remove(j)
    return sorted(pairs)


def _assignable(wants: Sequence[int], calls: Sequence[int]) -> bool:
    return min(len(wants), len(calls)) <= ASSIGNMENT_LIMIT and len(wants) * len(calls) <= _TABLE_LIMIT


def _without(wants: list[int], calls: list[int], pairs: Pairs) -> tuple[list[int], list[int]]:
    used, taken = {i for i, _ in pairs}, {j for _, j in pairs}
    return [i for i in wants if i not in used], [j for j in calls if j not in taken]


def _by_keys(want_keys: Sequence[Hashable], call_keys: Sequence[Hashable], failed: Sequence[bool]) -> Pairs:
    buckets: dict[Hashable, list[tuple[bool, int]]] = {}
    for j, key in enumerate(call_keys):
        if key is not None:
            buckets.setdefault(key, []).append((failed[j], j))
    taken: dict[Hashable, list[int]] = {}
    for i, key in enumerate(want_keys):
        if key is not None and len(taken.get(key, ())) < len(buckets.get(key, ())):
            taken.setdefault(key, []).append(i)
    # The best calls of a key, in the order of their steps to the expected calls in theirs.
    return [
        pair
        for key, wants in taken.items()
        for pair in zip(wants, sorted([j for _, j in sorted(buckets[key])[: len(wants)]]), strict=True)
    ]


def _searched(
    wants: list[int], calls: list[int], cost: CostOf, fits: Callable[[Cost], bool], likely: Likely | None
) -> Pairs:
    """As many pairs that fit as there are; for runs too long to be assigned."""
    among = dict.fromkeys(calls)
    known: dict[tuple[int, int], bool] = {}

    def may(i: int, j: int) -> bool:
        if (i, j) not in known:
            known[i, j] = fits(cost(i, j))
        return known[i, j]

    def candidates(i: int) -> Iterable[int]:
        return among if likely is None else [j for j in likely(i) if j in among]

    return list(
        matched(wants, candidates, may, most=len(among), enough=lambda: len(known) > _SEARCH_LIMIT).items()
    )


def assigned(wants: Sequence[int], calls: Sequence[int], cost: CostOf) -> Pairs:
    """The cheapest assignment of the shorter side to the longer (Hungarian algorithm, shortest augmenting
    paths, O(n²m)). Among equals the earliest of the longer side are taken, and pairs do not cross."""
    if not wants or not calls:
        return []
    swapped = len(wants) > len(calls)
    rows, columns = (calls, wants) if swapped else (wants, calls)
    n, m = len(rows), len(columns)
    late = n * n * m + 1  # more than all there is to gain from not crossing
    one = n * m * late + 1  # more than all there is to gain from being early
    table = []
    for r, row in enumerate(rows):
        line = []
        for c, column in enumerate(columns):
            different, unknown, failed = cost(column, row) if swapped else cost(row, column)
            line.append(((((different << 20) + unknown) << 20) + failed) * one + c * late - r * c)
        table.append(line)
    return sorted(
        [(columns[c], rows[r]) if swapped else (rows[r], columns[c]) for r, c in _hungarian(table, n, m)]
    )


def _hungarian(table: list[list[int]], n: int, m: int) -> list[tuple[int, int]]:
    """The cheapest (row, column) pairs that hold every row; n ≤ m."""
    endless = 1 << 200
    up, down = [0] * (n + 1), [0] * (m + 1)
    match = [0] * (m + 1)  # column -> row, counted from 1
    for r in range(1, n + 1):
        match[0] = r
        column = 0
        least = [endless] * (m + 1)
        back = [0] * (m + 1)
        seen = [False] * (m + 1)
        while match[column]:
            seen[column] = True
            row, step, following = match[column], endless, 0
            prices, high = table[row - 1], up[row]
            for c in range(1, m + 1):
                if not seen[c]:
                    reduced = prices[c - 1] - high - down[c]
                    if reduced < least[c]:
                        least[c], back[c] = reduced, column
                    if least[c] < step:
                        step, following = least[c], c
            for c in range(m + 1):
                if seen[c]:
                    up[match[c]] += step
                    down[c] -= step
                else:
                    least[c] -= step
            column = following
        while column:
            match[column] = match[back[column]]
            column = back[column]
    return [(match[c] - 1, c - 1) for c in range(1, m + 1) if match[c]]


def matched(
    rows: Iterable[int],
    candidates: Callable[[int], Iterable[int]],
    may: Callable[[int, int], bool] = lambda row, column: True,
    *,
    most: int | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> dict[int, int]:
    """As many pairs as there can be, row → column, each row with its first free candidate where that leaves
    one for the others (augmenting paths, Kuhn 1955).

    :param may: which of a row's candidates it may have.
    :param most: how many columns there are.
    :param enough: when to look no further.
    """
    holder: dict[int, int] = {}
    held: dict[int, int] = {}
    for row in rows:
        end = next((c for c in candidates(row) if c not in holder and may(row, c)), None)
        reached: dict[int, int] = {}  # column -> the row that leads to it
        waiting = [row] if end is None else []
        for other in waiting:
            for column in candidates(other):
                if column not in reached and may(other, column):
                    reached[column] = other
                    if column not in holder:
                        end = column
                        break
                    waiting.append(holder[column])
            if end is not None or enough():
                break
        while end is not None:
            other = reached.get(end, row)
            holder[end], held[other], end = other, end, held.get(other)
        if len(held) == most or enough():
            break
    return held
