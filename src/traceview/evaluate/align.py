"""Which recorded call belongs to which expected call.

Two questions, two answers: :func:`common` aligns the tool names of both sides for the order check;
:func:`pair_in_order` and :func:`pair_freely` pair the calls of one tool for comparing arguments.
All are deterministic, and bounded for runs of thousands of steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

Cost = tuple[int, int, int]  # differences, values that can't be known, 1 if the call did not succeed
CostOf = Callable[[int, int], Cost]  # (expected index, observed index) -> what pairing them costs

_TABLE_LIMIT = 40_000  # cells of a pairing table; above it, runs are cut at the calls that agree
_ASSIGNMENT_LIMIT = 80


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
    rows = [
        full
    ]  # rows[k]: the last k expected calls; zeros in its low t bits = common length with the last t
    row = full
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


def pair_in_order(n: int, m: int, cost: CostOf) -> list[tuple[int, int]]:
    """Pair ``n`` expected with ``m`` observed calls of one tool without crossing: as many pairs as there can
    be, then the fewest differences; among equals calls that succeeded, then the earliest steps."""
    if n == m:
        return [(i, i) for i in range(n)]
    if n * m > _TABLE_LIMIT:
        return _pair_long(n, m, cost)
    few, many = min(n, m), max(n, m)
    swapped = n > m  # index the shorter side by `a`, the longer by `b`

    def price(a: int, b: int) -> Cost:
        return cost(b, a) if swapped else cost(a, b)

    slack = many - few
    infinite: Cost = (1 << 60, 0, 0)
    # best[a][s]: the cheapest way to pair the shorter side from a on, when s of the longer were skipped so far
    best: list[list[Cost]] = [[infinite] * (slack + 2) for _ in range(few + 1)]
    best[few] = [(0, 0, 0)] * (slack + 1) + [infinite]
    prices: dict[tuple[int, int], Cost] = {}
    for a in range(few - 1, -1, -1):
        for skipped in range(slack, -1, -1):
            here = prices[a, skipped] = price(a, a + skipped)
            take = _add(here, best[a + 1][skipped])
            skip = best[a][skipped + 1]
            best[a][skipped] = take if take <= skip else skip
    pairs = []
    a = skipped = 0
    while a < few:
        if _add(prices[a, skipped], best[a + 1][skipped]) <= best[a][skipped + 1]:
            pairs.append((a + skipped, a) if swapped else (a, a + skipped))
            a += 1
        else:
            skipped += 1
    return pairs


def _add(x: Cost, y: Cost) -> Cost:
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


def _pair_long(n: int, m: int, cost: CostOf) -> list[tuple[int, int]]:
    """As :func:`pair_in_order` for long runs: walk both sides together, and where they disagree look a little
    ahead for the next agreement. Bounded by the look-ahead times the length; may miss the very fewest."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    ahead = max(8, _TABLE_LIMIT // (n + m))
    while i < n and j < m:
        spare = (m - j) - (n - i)  # observed calls that may be passed over; below 0, expected ones
        reach = range(min(abs(spare), ahead) + 1)
        if spare > 0:
            j += next((k for k in reach if cost(i, j + k)[0] == 0), 0)
        elif spare < 0:
            i += next((k for k in reach if cost(i + k, j)[0] == 0), 0)
        pairs.append((i, j))
        i += 1
        j += 1
    return pairs


def pair_freely(
    n: int,
    m: int,
    cost: CostOf,
    want_keys: Sequence[object] = (),
    call_keys: Sequence[object] = (),
    failed: Sequence[bool] = (),
) -> list[tuple[int, int]]:
    """Pair ``n`` expected with ``m`` observed calls of one tool whatever their order: as many pairs as there
    can be, by the fewest differences; among equals calls that succeeded, then the earliest.

    Equal keys (hashable; None: no key) stand for calls without a difference, of which one that did not
    ``fail`` is taken first; they spare the costs of long runs. Past the assignment's limit each expected call takes the best of the next few.
    """
    pairs: list[tuple[int, int]] = []
    wants, calls = list(range(n)), list(range(m))
    if n * m > 1 and want_keys:
        # An exact match never costs more than what it displaces, so it is taken at once.
        buckets: dict[object, list[tuple[bool, int]]] = {}
        for j in calls:
            if call_keys[j] is not None:
                buckets.setdefault(call_keys[j], []).append((failed[j], j))
        for bucket in buckets.values():
            bucket.sort(reverse=True)
        for i in list(wants):
            if want_keys[i] is not None and buckets.get(want_keys[i]):
                j = buckets[want_keys[i]].pop()[1]
                pairs.append((i, j))
                wants.remove(i)
                calls.remove(j)
    if min(len(wants), len(calls)) > _ASSIGNMENT_LIMIT:
        for i in wants[: len(calls)]:
            j = min((*cost(i, j), j) for j in calls[:_ASSIGNMENT_LIMIT])[3]
            pairs.append((i, j))
            calls.remove(j)
    elif wants and calls:
        pairs.extend(_assign(wants, calls, cost))
    return sorted(pairs)


def _assign(wants: list[int], calls: list[int], cost: CostOf) -> list[tuple[int, int]]:
    """The cheapest assignment of the shorter side to the longer (Hungarian algorithm, shortest augmenting
    paths, O(n²m)); the earlier of equal calls by a last, tiny term."""
    swapped = len(wants) > len(calls)
    rows, cols = (calls, wants) if swapped else (wants, calls)

    def price(r: int, c: int) -> int:
        differences, unknown, failed = cost(cols[c], rows[r]) if swapped else cost(rows[r], cols[c])
        return ((differences * 4096 + unknown) * 4 + failed) * 65536 + c

    n, m = len(rows), len(cols)
    infinite = 1 << 90
    up, down = [0] * (n + 1), [0] * (m + 1)
    match = [0] * (m + 1)  # column -> row, counted from 1
    for r in range(1, n + 1):
        match[0] = r
        column = 0
        least = [infinite] * (m + 1)
        back = [0] * (m + 1)
        seen = [False] * (m + 1)
        while match[column]:
            seen[column] = True
            row, step, following = match[column], infinite, 0
            for c in range(1, m + 1):
                if not seen[c]:
                    reduced = price(row - 1, c - 1) - up[row] - down[c]
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
    pairs = [(rows[match[c] - 1], cols[c - 1]) for c in range(1, m + 1) if match[c]]
    return [(b, a) for a, b in pairs] if swapped else pairs
