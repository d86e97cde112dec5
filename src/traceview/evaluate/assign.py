"""Pairing expected with observed calls of one tool, by the fewest differences.

All ways are deterministic, and bounded for runs of thousands of steps: where the exact way would cost too
much, a pairing without any difference is still looked for, so that a run that is right is not called wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import accumulate

Cost = tuple[int, int, int]  # differences, values that can't be known, 1 if the call did not succeed
CostOf = Callable[[int, int], Cost]  # (expected index, observed index) -> what pairing them costs
Pairs = list[tuple[int, int]]  # expected index, observed index
Likely = Callable[[int], Iterable[int]]  # expected index -> observed indexes

_TABLE_LIMIT = 40_000  # costs that an exact pairing looks at
_WINDOW_LIMIT = 4_000  # assignments that an exact pairing turn by turn makes
_ASSIGNMENT_LIMIT = 80  # calls of the shorter side of an assignment
_SEARCH_LIMIT = 250_000  # costs that the search for pairs without a difference looks at
_TURN_LIMIT = 250  # calls of a turn for which such pairs are looked for turn by turn
_ALIGN_LIMIT = 250_000  # costs that aligning expected with observed calls looks at
_FEW = 8  # calls of which the nearest is taken where there are too many
_NONE: Cost = (0, 0, 0)
OTHER_TOOL: Cost = (1 << 30, 0, 0)
"""What a pair costs that can't be one."""
_DEAR = 1 << 200  # more than any way can cost


def _add(x: Cost, y: Cost) -> Cost:
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


def _plainly_equal(cost: Cost) -> bool:
    return cost[0] == 0 and cost[1] == 0


def _not_different(cost: Cost) -> bool:
    return cost[0] == 0


# -- keeping the order -------------------------------------------------------------------------------------


def pair_in_order(n: int, m: int, cost: CostOf, turns: Sequence[int] = ()) -> Pairs:
    """Pair ``n`` expected with ``m`` observed calls of one tool without crossing: as many pairs as there can
    be, then the fewest differences; among equals calls that succeeded, then the earliest steps.

    :param turns: how many of the calls each parallel turn made, in order; within a turn pairs may cross.
        Empty: one by one.
    """
    if not n or not m:
        return []
    if n == 1:
        return [(0, _cheapest(m, cost))]
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
    for clean in (_plainly_equal, _not_different):
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


def _cheapest(m: int, cost: CostOf) -> int:
    """The observed call that costs the only expected one least, the first of equals."""
    least, chosen = cost(0, 0), 0
    for j in range(1, m):
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
                pairs = _assigned(range(first, first + taken), calls, cost)
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
            more = matched(may, size)
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
            held = matched(may, size)
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


def paired_anew(pairs: Pairs, cost: CostOf) -> Pairs:
    """The same expected and observed calls, which have no order, by the fewest differences."""
    wants, calls = [i for i, _ in pairs], [j for _, j in pairs]
    anew = pair_freely(len(wants), len(calls), lambda i, j: cost(wants[i], calls[j]))
    return [(wants[i], calls[j]) for i, j in anew]


# -- in whatever order -------------------------------------------------------------------------------------


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
        for clean in (_plainly_equal, _not_different):
            pairs += _searched(wants, calls, cost, clean, likely)
            wants, calls = _without(wants, calls, pairs)
    if _assignable(wants, calls):
        pairs += _assigned(wants, calls, cost)
    else:
        for i in wants[: len(calls)]:
            j = min([(cost(i, c), c) for c in calls[:_FEW]])[1]
            pairs.append((i, j))
            calls.remove(j)
    return sorted(pairs)


def _assignable(wants: Sequence[int], calls: Sequence[int]) -> bool:
    return min(len(wants), len(calls)) <= _ASSIGNMENT_LIMIT and len(wants) * len(calls) <= _TABLE_LIMIT


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
    """As many pairs that fit as there are, each expected call with the first free one if that leaves one for
    the others (augmenting paths, Kuhn 1955); for runs too long to be assigned."""
    looked = 0
    known: dict[tuple[int, int], bool] = {}
    among = dict.fromkeys(calls)
    holder: dict[int, int] = {}  # observed -> expected
    held: dict[int, int] = {}

    def may(i: int, j: int) -> bool:
        nonlocal looked
        if (i, j) not in known:
            looked += 1
            known[i, j] = fits(cost(i, j))
        return known[i, j]

    for i in wants:
        own = next((j for j in _candidates(i, among, likely) if j not in holder and may(i, j)), None)
        reached: dict[int, int] = {}  # observed -> the expected one that leads to it
        waiting = [i] if own is None else []
        for other in waiting:
            for j in _candidates(other, among, likely):
                if j not in reached and may(other, j):
                    reached[j] = other
                    if j not in holder:
                        own = j
                        break
                    waiting.append(holder[j])
            if own is not None or looked > _SEARCH_LIMIT:
                break
        while own is not None:
            other = reached.get(own, i)
            before = held.get(other)
            holder[own], held[other] = other, own
            own = before
        if looked > _SEARCH_LIMIT or len(holder) == len(among):
            break
    return list(held.items())


def _candidates(i: int, among: dict[int, None], likely: Likely | None) -> Iterable[int]:
    return among if likely is None else [j for j in likely(i) if j in among]


def _assigned(wants: Sequence[int], calls: Sequence[int], cost: CostOf) -> Pairs:
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


def matched(may: Sequence[Sequence[int]], size: int) -> dict[int, int]:
    """As many pairs as there can be, row → column, where ``may`` lists the columns of each row (augmenting
    paths, Kuhn 1955)."""
    holder: list[int] = [-1] * size
    held: dict[int, int] = {}
    for row in range(len(may)):
        reached: dict[int, int] = {}  # column -> the row that leads to it
        waiting = [row]
        end = -1
        for other in waiting:
            for column in may[other]:
                if column not in reached:
                    reached[column] = other
                    if holder[column] < 0:
                        end = column
                        break
                    waiting.append(holder[column])
            if end >= 0:
                break
        while end >= 0:
            other = reached[end]
            before = held.get(other, -1)
            holder[end], held[other] = other, end
            end = before
    return held
