"""The table behind the panes, without a screen: order, filter, counts, widths."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from rows import CHECKS, finding, row
from traceview.model import Number
from traceview.query import Vocabulary, parse
from traceview.results import ContractInfo, Row
from traceview.tui.columns import plan, short_heads
from traceview.tui.filtering import Filter, State, only_narrows, toggled
from traceview.tui.search import search_text
from traceview.tui.sorting import Sort, sort_columns, sort_rows, value_key
from traceview.tui.table import Table
from traceview.tui.widgets.summary import bar

CONTRACT = ContractInfo("c", "test", "", CHECKS, priority=("wrong_arguments", "wrong_sequence"))
COLUMNS = ("room", "priority")


def some_rows(count: int, seed: int = 0) -> list[Row]:
    rng = random.Random(seed)
    made = []
    for number in range(count):
        failing = rng.sample(CHECKS, rng.randint(0, 2))
        label = rng.choice(("wrong_arguments", "wrong_sequence")) if failing else "pass"
        made.append(
            row(
                f"C{number}",
                "fail" if failing else "pass",
                label,
                title=rng.choice(("Late booking", "ŁÓDŹ early", "two words", "")),
                failing=failing,
                cells={"room": rng.choice(("R1", "R2", "")), "priority": rng.choice(("1", "10", "high"))},
                tools=rng.sample(("check", "reserve", "confirm"), 2),
                statuses=rng.choice((("ok",), ("ok", "error"))),
                events=rng.randint(1, 9),
                findings=[finding(path=rng.choice(("/a", "/b/c")))] if failing else [],
                label=rng.choice((None, "PASS", "FAIL")),
            )
        )
    return made


def table_of(rows: list[Row]) -> tuple[Table, Filter]:
    table = Table()
    filter_ = Filter(table)
    table.start(COLUMNS, CONTRACT, [])
    table.update(0, rows)
    filter_.learn(Vocabulary(COLUMNS, CHECKS, (), CONTRACT.priority))
    return table, filter_


# -- filter --------------------------------------------------------------------------------------------

TERMS = (
    *("is:fail", "is:pass,unknown", "-is:fail", "diagnosis:wrong_arguments", "check:sequence_ok"),
    *("check:arguments_ok=pass", "tool:res*", "-tool:confirm", "status:error", "arg:c", "arg:/b", "steps>4"),
    *("label:disagree", "label:none", "late", "-late", "łódź", '"two words"', "C1", "/C1[0-3]/", "case:C2*"),
    *("room=R1", "priority>5", "room:r", "nobody:knows", "signature:x", "[old]", "*", "findings>0", "-C1"),
)


@settings(max_examples=150, deadline=None)
@given(terms=st.lists(st.sampled_from(TERMS), min_size=1, max_size=4), seed=st.integers(0, 5))
def test_every_way_to_filter_gives_what_the_language_says(terms: list[str], seed: int) -> None:
    rows = some_rows(60, seed)
    table, filter_ = table_of(rows)
    text = " ".join(terms)
    matches = parse(text, filter_.vocabulary).matches
    right = [place for place, each in enumerate(rows) if matches(each)]
    for end in range(1, len(text) + 1):  # as it is typed: narrowing from answers of before
        filter_.set(text[:end])
    assert list(table.shown) == right
    assert filter_.state == State(text)
    for _ in filter_.slowly(text):
        pass
    assert list(table.shown) == right
    table.set_sort(Sort("case", reverse=True))
    filter_.rows_changed()
    filter_.set(text)
    assert sorted(table.shown) == right


def test_search_text_is_that_of_the_language() -> None:
    vocabulary = Vocabulary()
    for each in [*some_rows(20), row("A", run_id="run-1", trial="7")]:
        assert search_text(each) == vocabulary.haystacks.of(each).rstrip("\n")


@given(before=st.text('ab-:/" <=!', max_size=6), more=st.text('ab-:/" <=!', max_size=4))
@settings(max_examples=400, deadline=None)
@example(before="/", more=" /")
def test_only_a_longer_text_that_narrows_is_said_to_narrow(before: str, more: str) -> None:
    if not only_narrows(before, before + more):
        return
    rows = [row(a + b, title=c) for a in "ab:" for b in ("", "b", "-a") for c in ("a", "b a", "/a/")]
    vocabulary = Vocabulary()
    try:
        wide, narrow = parse(before, vocabulary).matches, parse(before + more, vocabulary).matches
    except ValueError:
        return
    assert all(wide(each) for each in rows if narrow(each))


def test_rows_that_are_judged_later_join_the_answer() -> None:
    rows = some_rows(50)
    pending = [row(each.result.case_id, "unknown", "pending", checks={}) for each in rows]
    table, filter_ = Table(), None
    filter_ = Filter(table)
    table.start(COLUMNS, CONTRACT, pending)
    filter_.learn(Vocabulary(COLUMNS, CHECKS, (), CONTRACT.priority))
    filter_.set("is:fail")
    assert list(table.shown) == []
    assert table.totals.pending == 50
    for start in (20, 0, 40, 10, 30):
        filter_.rows_changed()
        table.update(start, rows[start : start + 10])
        right = [p for p, each in enumerate(table.rows) if each.result.verdict == "fail"]
        assert list(table.shown) == right
    assert table.totals.pending == 0
    assert table.totals.verdicts["fail"] == len(table.shown)
    filter_.set("is:pass")
    assert len(table.shown) == 50 - table.totals.verdicts["fail"]


def test_counts_are_those_of_the_report_functions() -> None:
    from traceview.results import check_totals, diagnosis_totals

    rows = some_rows(200)
    table, filter_ = table_of(rows)
    filter_.set("tool:reserve")
    for counts, part in ((table.totals, rows), (table.shown_counts, [rows[p] for p in table.shown])):
        assert {name: dict(c) for name, c in counts.checks.items()} == {
            name: {v: n for v, n in c.items() if n} for name, c in check_totals(part, CHECKS).items()
        }
        assert dict(counts.diagnoses) == diagnosis_totals(part)


def test_unreviewed_runs_are_shown_and_in_no_total() -> None:
    table, filter_ = table_of(some_rows(5))
    table.finish([row("X", "unreviewed", checks={})])
    assert len(table.shown) == 6
    assert table.reviewed == 5
    assert table.totals.runs == 5
    filter_.set("is:unreviewed")
    assert list(table.shown) == [5]
    assert table.shown_counts.runs == 0


def test_terms_are_added_replaced_and_taken_away() -> None:
    assert toggled("", "is:fail") == ("is:fail", True)
    assert toggled("late is:pass", "is:fail") == ("late is:fail", True)
    assert toggled('is:fail "two words"', "is:fail") == ('"two words"', False)
    assert toggled("diagnosis:a", 'diagnosis:"a b"') == ('diagnosis:"a b"', True)


# -- order ---------------------------------------------------------------------------------------------

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.text("0123456789.e-", max_size=8),
    st.sampled_from([Number("1e400"), Number("NaN"), "9" * 5000, "1e999999999999999999", "²", "٣", [1], {}]),
)


@settings(max_examples=200, deadline=None)
@given(values=st.lists(VALUES, max_size=12), reverse=st.booleans())
def test_any_column_sorts_totally_and_stably(values: list[Any], reverse: bool) -> None:
    rows = [row(f"C{n}", cells={"priority": value}) for n, value in enumerate(values)]
    order = sort_rows(rows, Sort("cell:priority", reverse))
    assert sorted(order) == list(range(len(rows)))
    keys = [value_key(values[place]) for place in order]
    gaps = keys.count(None)
    assert all(key is not None for key in keys[: len(keys) - gaps])  # gaps at one end
    for (first, a), (second, b) in itertools.pairwise(zip(order, keys, strict=True)):
        if a is not None and b is not None:
            assert a >= b if reverse else a <= b
        if a == b:
            assert first < second


def test_numbers_by_value_then_text_then_gaps() -> None:
    values = ["high", "10", "", "9", "1.5", "-2", "B10", "B2", None]
    rows = [row(f"C{n}", cells={"priority": value}) for n, value in enumerate(values)]
    order = [values[place] for place in sort_rows(rows, Sort("cell:priority"))]
    assert order == ["-2", "1.5", "9", "10", "B2", "B10", "high", "", None]


def test_everything_that_is_offered_can_be_sorted_by() -> None:
    rows = some_rows(30)
    for column, _ in sort_columns(CHECKS, COLUMNS):
        for reverse in (False, True):
            assert sorted(sort_rows(rows, Sort(column, reverse))) == list(range(30))


# -- columns -------------------------------------------------------------------------------------------


@given(names=st.lists(st.text(min_size=1, max_size=20), max_size=14, unique=True), longest=st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_heads_are_short_and_differ(names: list[str], longest: int) -> None:
    if longest == 1:
        names = names[:9]
    heads = short_heads(names, longest)
    assert len(set(heads)) == len(names)
    assert all(0 < cell_len(head) <= longest + 1 for head in heads)


def test_heads_of_the_sample() -> None:
    assert short_heads(CHECKS) == ["seq", "arg", "tool", "1×", "end"]


@given(
    width=st.integers(0, 250),
    case=st.integers(1, 200),
    run=st.integers(0, 40),
    diagnosis=st.integers(4, 60),
    checks=st.integers(0, 40),
)
@settings(max_examples=300, deadline=None)
def test_columns_fit_in_any_width(width: int, case: int, run: int, diagnosis: int, checks: int) -> None:
    names = [f"check_{n}" for n in range(checks)]
    columns = plan(width, case=case, run=run, diagnosis=diagnosis, title=1, checks=names)
    assert columns[0].key == "case"
    used = 2 + sum(column.width + 1 for column in columns) - 1
    assert used <= max(width, 3)
    assert all(column.width > 0 for column in columns)


@pytest.mark.parametrize(
    ("part", "whole", "filled"), [(0, 12, 0), (1, 10_000, 1), (9, 12, 18), (11_999, 12_000, 24), (12, 12, 24)]
)
def test_bars(part: int, whole: int, filled: int) -> None:
    text, rest = bar(part, whole, 24)
    assert cell_len(text) + cell_len(rest) == 24
    assert cell_len(text) == filled
    assert (text == "█" * 24) == (part == whole)
    plain, blank = bar(part, whole, 24, ascii_only=True)
    assert len(plain) + len(blank) == 24
    assert (plain == "#" * 24) == (part == whole)
