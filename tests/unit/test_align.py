"""Aligning and pairing, against every way there is of doing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traceview.evaluate.align import arranged, common
from traceview.evaluate.assign import Cost, Pairs, matched, pair_freely
from traceview.evaluate.in_order import pair_in_order

TOOLS = st.lists(st.sampled_from("abc"), max_size=7)
ROUNDS = settings(max_examples=300, deadline=None)


# -- every way ---------------------------------------------------------------------------------------------


def longest(expected: Sequence[str], observed: Sequence[str]) -> list[tuple[int, int]]:
    """The first longest common subsequence: earliest expected calls first, then earliest observed."""
    for size in range(min(len(expected), len(observed)), -1, -1):
        for kept in combinations(range(len(expected)), size):
            for used in combinations(range(len(observed)), size):
                if [expected[i] for i in kept] == [observed[j] for j in used]:
                    return list(zip(kept, used, strict=True))
    return []


def orders(turns: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Every order that the calls may have been made in."""
    for choice in product(*(permutations(turn) for turn in turns)):
        yield [call for turn in choice for call in turn]


def free_pairs(n: int, m: int) -> Iterator[Pairs]:
    """Every way to pair all of the shorter side."""
    if n <= m:
        for calls in permutations(range(m), n):
            yield list(enumerate(calls))
    else:
        for wants in permutations(range(n), m):
            yield [(i, j) for j, i in enumerate(wants)]


def crosses(pairs: Pairs, turn_of: Sequence[int]) -> bool:
    return any(i < k and turn_of[j] > turn_of[h] for i, j in pairs for k, h in pairs)


def total(pairs: Pairs, cost: Callable[[int, int], Cost]) -> Cost:
    sums = [sum(parts) for parts in zip(*(cost(i, j) for i, j in pairs), strict=True)]
    return (sums[0], sums[1], sums[2]) if sums else (0, 0, 0)


def sizes_to_turns(sizes: Sequence[int]) -> list[int]:
    return [turn for turn, size in enumerate(sizes) for _ in range(size)]


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, Callable[[int, int], Cost]]:
    """Numbers of expected and observed calls of one tool, and what each pair would cost."""
    n, m = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    small = st.integers(0, 2)
    costs = draw(st.lists(st.tuples(small, small, st.integers(0, 1)), min_size=n * m, max_size=n * m))
    return n, m, lambda i, j: costs[i * m + j]


# -- aligning ----------------------------------------------------------------------------------------------


@ROUNDS
@given(TOOLS, TOOLS)
def test_common_is_the_earliest_of_the_longest(expected: list[str], observed: list[str]) -> None:
    assert common(expected, observed) == longest(expected, observed)


@ROUNDS
@given(TOOLS, st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=3))
def test_parallel_calls_stand_as_they_are_expected(expected: list[str], blocks: list[list[str]]) -> None:
    tools = [tool for block in blocks for tool in block]
    calls = iter(range(len(tools)))
    turns = [[next(calls) for _ in block] for block in blocks]
    order = arranged(expected, turns, tools)
    assert order in list(orders(turns))
    found = len(common(expected, [tools[call] for call in order]))
    best = max(len(common(expected, [tools[c] for c in one])) for one in orders(turns))
    # Where all that is expected can be found, or all that was called is expected, the order shows it.
    if best in (len(expected), len(tools)):
        assert found == best
    assert found >= len(common(expected, tools))


# -- pairing -----------------------------------------------------------------------------------------------


@ROUNDS
@given(tables())
def test_pairs_in_order_are_the_cheapest_that_do_not_cross(
    table: tuple[int, int, Callable[[int, int], Cost]],
) -> None:
    n, m, cost = table
    pairs = pair_in_order(n, m, cost)
    every = [p for p in free_pairs(n, m) if not crosses(p, range(m))]
    if n == m:  # all are paired, there is nothing to choose
        assert pairs == [(i, i) for i in range(n)]
    else:
        assert pairs in [sorted(p) for p in every]
        assert total(pairs, cost) == min(total(p, cost) for p in every)


@ROUNDS
@given(tables(), st.data())
def test_pairs_within_a_turn_may_cross(
    table: tuple[int, int, Callable[[int, int], Cost]], data: st.DataObject
) -> None:
    n, m, cost = table
    sizes: list[int] = []
    while sum(sizes) < m:
        sizes.append(data.draw(st.integers(1, m - sum(sizes))))
    turn_of = sizes_to_turns(sizes)
    pairs = pair_in_order(n, m, cost, sizes)
    every = [p for p in free_pairs(n, m) if not crosses(p, turn_of)]
    assert not crosses(pairs, turn_of)
    if len(sizes) < m:  # some calls were parallel
        assert total(pairs, cost) == min(total(p, cost) for p in every)


@ROUNDS
@given(tables())
def test_free_pairs_are_the_cheapest(table: tuple[int, int, Callable[[int, int], Cost]]) -> None:
    n, m, cost = table
    pairs = pair_freely(n, m, cost)
    assert len(pairs) == min(n, m)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert total(pairs, cost) == min(total(p, cost) for p in free_pairs(n, m))


@ROUNDS
@given(st.lists(st.integers(0, 2), max_size=5), st.lists(st.integers(0, 2), max_size=5))
def test_equal_keys_are_pairs_that_cost_nothing(wants: list[int], calls: list[int]) -> None:
    def cost(i: int, j: int) -> Cost:
        return (int(wants[i] != calls[j]), 0, 0)

    failed = [call == 0 for call in calls]
    pairs = pair_freely(len(wants), len(calls), cost, wants, calls, failed)
    without = pair_freely(len(wants), len(calls), cost)
    assert total(pairs, cost) == total(without, cost)


def test_among_equals_the_earliest_and_pairs_do_not_cross() -> None:
    assert pair_freely(2, 4, lambda i, j: (0, 0, 0)) == [(0, 0), (1, 1)]
    assert pair_freely(4, 2, lambda i, j: (1, 0, 0)) == [(0, 0), (1, 1)]
    assert pair_freely(2, 3, lambda i, j: (0, 0, int(j == 0))) == [(0, 1), (1, 2)]
    assert pair_in_order(1, 3, lambda i, j: (0, 0, int(j == 0))) == [(0, 1)]
    assert pair_in_order(2, 3, lambda i, j: (0, 0, 0)) == [(0, 0), (1, 1)]
    assert pair_freely(2, 3, lambda i, j: (0, 0, 0), "kk", "kkk", [True, False, False]) == [(0, 1), (1, 2)]


@ROUNDS
@given(st.lists(st.lists(st.integers(0, 4), unique=True, max_size=4), max_size=5))
def test_as_many_pairs_as_there_can_be(may: list[list[int]]) -> None:
    held = matched(range(len(may)), may.__getitem__)
    assert all(column in may[row] for row, column in held.items())
    assert len(set(held.values())) == len(held)
    best = max(
        sum(column in may[row] for row, column in enumerate(columns))
        for columns in permutations(range(5), len(may))
    )
    assert len(held) == best


# -- long runs ---------------------------------------------------------------------------------------------

LONG = 5000


def test_long_runs_are_aligned() -> None:
    rng = Random(1)
    expected = [rng.choice("abcdefgh") for _ in range(LONG)]
    observed = [tool for tool in expected if rng.random() < 0.9]
    assert len(common(expected, observed)) == len(observed)
    shuffled = sorted(observed, key=lambda _: rng.random())
    pairs = common(expected, shuffled)
    assert pairs == sorted(pairs)
    assert all(expected[i] == shuffled[j] for i, j in pairs)


@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.parametrize("fewer", ["expected", "observed"])
def test_long_runs_that_are_right_are_paired_without_a_difference(size: int, fewer: str) -> None:
    """Where the cheapest pairing would cost too much, one without a difference is found all the same."""
    rng = Random(2)
    whole = [rng.randrange(1000) for _ in range(LONG)]
    part = [whole[i] for i in sorted(rng.sample(range(LONG), LONG // 2))]
    wants, calls = (part, whole) if fewer == "expected" else (whole, part)

    def cost(i: int, j: int) -> Cost:
        return (int(wants[i] != calls[j]), 0, 0)

    pairs = pair_in_order(len(wants), len(calls), cost, (size,) * (len(calls) // size) if size else ())
    assert len(pairs) == min(len(wants), len(calls))
    assert total(pairs, cost) == (0, 0, 0)


def test_long_runs_that_differ_are_paired() -> None:
    def cost(i: int, j: int) -> Cost:
        return (int((i * 7) % 11 != (j * 5) % 11), 0, 0)

    for n, m in ((LONG, LONG - 1000), (LONG - 1000, LONG), (200, LONG), (LONG, 200)):
        pairs = pair_in_order(n, m, cost)
        assert len(pairs) == min(n, m)
        assert pairs == sorted(pairs)
        assert all(a[1] < b[1] for a, b in pairwise(pairs))


def test_long_runs_in_another_order_are_paired_without_a_difference() -> None:
    def cost(i: int, j: int) -> Cost:
        return (int(i != LONG - 1 - j), 0, 0)

    keys = list(range(LONG))
    pairs = pair_freely(LONG, LONG, cost, keys, keys[::-1], [False] * LONG)
    assert total(pairs, cost) == (0, 0, 0)
    size = 250  # too many to be assigned, few enough to be searched
    pairs = pair_freely(size, size, lambda i, j: (int(i != size - 1 - j), 0, 0))
    assert pairs == [(i, size - 1 - i) for i in range(size)]


def test_long_runs_without_keys_are_paired() -> None:
    pairs = pair_freely(LONG, LONG, lambda i, j: (1, 0, 0))
    assert sorted(j for _, j in pairs) == list(range(LONG))
