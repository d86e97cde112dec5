"""What became of each run between two reports."""

from __future__ import annotations

from typing import Any

import pytest

from rows import CHECKS, bookings, report, row
from traceview.compare import (
    Comparison,
    check_tables,
    compare,
    diagnosis_table,
    exit_code,
    identity,
    kind_totals,
    narrow,
    problems,
    verdict_table,
)
from traceview.model import Problem
from traceview.query import Vocabulary, parse
from traceview.results import Row

NO_TRACE = row("1", "no_trace", signature="no_trace")
UNUSABLE = row("1", "unusable", signature="unusable")


def fails(
    case_id: str = "1",
    diagnosis: str = "wrong_arguments",
    signature: str = "s",
    failing: tuple[str, ...] = ("arguments_ok",),
    **more: Any,
) -> Row:
    return row(case_id, "fail", diagnosis, signature=signature, failing=failing, **more)


def of(before: list[Row], after: list[Row]) -> Comparison:
    return compare(report(before), report(after))


def kinds(comparison: Comparison) -> dict[Any, str]:
    return {key: transition.kind for key, transition in comparison.transitions.items()}


@pytest.mark.parametrize(
    ("before", "after", "kind", "code"),
    [
        (row("1"), row("1"), "same", 0),
        (row("1"), fails(), "worse", 1),
        (row("1"), row("1", "unknown"), "worse", 1),
        (row("1", "unknown"), fails(), "worse", 1),
        (fails(), row("1"), "better", 0),
        (fails(), row("1", "unknown"), "better", 0),
        (row("1", "unknown"), row("1"), "better", 0),
        (fails(), fails(), "same", 0),
        (fails(), fails(diagnosis="tool_error"), "reason", 0),
        (fails(), fails(signature="t"), "reason", 0),
        (fails(), fails(failing=("arguments_ok", "tools_succeeded")), "reason", 0),
        (row("1", checks={"arguments_ok": "n/a"}), row("1"), "same", 0),
        (row("1"), NO_TRACE, "vanished", 1),
        (fails(), NO_TRACE, "vanished", 1),
        (NO_TRACE, fails(), "new", 3),  # nothing at all was compared
        (NO_TRACE, NO_TRACE, "not_compared", 3),
        (row("1"), UNUSABLE, "not_compared", 3),
        (UNUSABLE, row("1"), "not_compared", 3),
        (UNUSABLE, NO_TRACE, "not_compared", 3),
    ],
)
def test_what_became_of_a_run(before: Row, after: Row, kind: str, code: int) -> None:
    comparison = of([before], [after])
    [transition] = comparison.transitions.values()
    assert transition.kind == kind
    assert transition.got_worse == (code == 1)
    assert exit_code(comparison) == code


def test_the_changed_checks_are_named_with_both_verdicts() -> None:
    after = row("1", "fail", checks={**dict.fromkeys(CHECKS, "pass"), CHECKS[3]: "fail", CHECKS[1]: "n/a"})
    [transition] = of([fails()], [after]).transitions.values()
    assert list(transition.checks.items()) == [
        ("arguments_ok", ("fail", "n/a")),
        ("single_reservation", ("pass", "fail")),
    ]
    assert transition.diagnoses == ("wrong_arguments", "fail")
    assert transition.verdicts == ("fail", "fail")


# -- which run belongs to which ----------------------------------------------------------------------------


def partners(before: list[Row], after: list[Row]) -> list[tuple[Any, ...]]:
    return [
        tuple(
            None if one is None else one.result.run_id or one.result.trial
            for one in (transition.baseline, transition.candidate)
        )
        for transition in of(before, after).transitions.values()
    ]


def test_runs_are_matched_by_id_then_by_trial_then_in_order() -> None:
    assert partners([row(run_id="a"), row(run_id="b")], [row(run_id="b"), row(run_id="a")]) == [
        ("b", "b"),
        ("a", "a"),
    ]
    assert partners(
        [row(run_id="a", trial="1"), row(run_id="b", trial="2")],
        [row(run_id="c", trial="2"), row(run_id="d", trial="1")],
    ) == [("b", "c"), ("a", "d")]
    assert partners([row(run_id="a"), row(run_id="b")], [row(run_id="c"), row(run_id="b")]) == [
        ("a", "c"),
        ("b", "b"),
    ]
    assert partners([row(run_id="a")], [row(run_id="z")]) == [("a", "z")]


def test_a_run_too_many_is_new_and_one_too_few_vanished() -> None:
    two, three = [row(trial="1"), row(trial="2")], [row(trial="1"), row(trial="2"), row(trial="3")]
    grown = of(two, three)
    assert kinds(grown)["B01", None, "3"] == "new"
    assert exit_code(grown) == 0
    shrunk = of(three, two)
    assert kinds(shrunk)["B01", None, "3"] == "vanished"
    assert shrunk.transitions["B01", None, "3"].row is three[2]
    assert exit_code(shrunk) == 1


def test_a_case_without_a_trace_takes_the_place_of_one_run() -> None:
    comparison = of([row("1", run_id="a"), fails(run_id="b")], [NO_TRACE])
    assert kinds(comparison) == {("1", None, None): "vanished", ("1", "b", None): "vanished"}


def test_cases_of_one_side_alone() -> None:
    comparison = of([row("old"), row("both")], [row("both"), row("new")])
    assert kinds(comparison) == {
        ("both", None, None): "same",
        ("new", None, None): "new",
        ("old", None, None): "vanished",
    }
    figures = kind_totals(comparison.transitions.values())
    assert figures == {
        "cases": 3,
        "runs": 3,
        "worse": 0,
        "vanished": 1,
        "better": 0,
        "reason": 0,
        "same": 1,
        "new": 1,
        "not_compared": 0,
        "new_cases": 1,
        "vanished_cases": 1,
    }


def test_a_row_finds_its_transition() -> None:
    rows = [row("1", run_id="r", trial="2")]
    assert of([row("1")], rows).transitions[identity(rows[0])].candidate is rows[0]


# -- tables ------------------------------------------------------------------------------------------------


def planted() -> Comparison:
    """The sample against itself with B01 worse, B03 better, B05 for another reason, B12 vanished."""
    after = {one.result.case_id: one for one in bookings()}
    after["B01"] = fails("B01", "duplicate_write", failing=("single_reservation",))
    after["B03"] = row("B03")
    after["B05"] = fails("B05", "tool_error", failing=("tools_succeeded",))
    after["B12"] = row("B12", "no_trace")
    return of(bookings(), list(after.values()))


def test_planted_transitions_are_exactly_those() -> None:
    comparison = planted()
    changed = {key[0]: kind for key, kind in kinds(comparison).items() if kind != "same"}
    assert changed == {"B01": "worse", "B03": "better", "B05": "reason", "B12": "vanished"}
    assert exit_code(comparison) == 1


def test_verdicts_from_and_to() -> None:
    table = verdict_table(planted().transitions.values())
    assert table["pass"] == {"pass": 3, "fail": 1, "unknown": 0, "no_trace": 1, "unusable": 0}
    assert table["fail"] == {"pass": 1, "fail": 6, "unknown": 0, "no_trace": 0, "unusable": 0}
    assert sum(sum(row.values()) for row in table.values()) == 12


def test_every_check_has_its_whole_table() -> None:
    tables = check_tables(planted())
    assert list(tables) == list(CHECKS)
    assert tables["arguments_ok"] == {
        "pass": {"pass": 9, "fail": 0, "unknown": 0, "n/a": 0},
        "fail": {"pass": 1, "fail": 1, "unknown": 0, "n/a": 0},
        "unknown": {"pass": 0, "fail": 0, "unknown": 0, "n/a": 0},
        "n/a": {"pass": 0, "fail": 0, "unknown": 0, "n/a": 0},
    }
    assert tables["single_reservation"]["pass"]["fail"] == 1
    assert tables["final_state_ok"]["fail"] == {"pass": 1, "fail": 2, "unknown": 0, "n/a": 0}


def test_diagnoses_from_and_to() -> None:
    table = diagnosis_table(planted())
    assert list(table.index) == list(table.columns)
    assert (table.index[0], table.index[-1]) == ("pass", "no_trace")
    assert table.loc["pass", "duplicate_write"] == 1
    assert table.loc["wrong_arguments", "pass"] == 1
    assert table.loc["wrong_final_state", "tool_error"] == 1
    assert table.loc["pass", "no_trace"] == 1
    assert table.to_numpy().sum() == 12


def test_labels_of_the_table_are_text_whatever_they_look_like() -> None:
    rows = [fails(str(i), label) for i, label in enumerate(("NA", "nan", "1", "None", "1.0", " ", "True"))]
    table = diagnosis_table(of(rows, rows))
    assert sorted(table.index) == sorted(["NA", "nan", "1", "None", "1.0", " ", "True"])
    assert all(table.loc[label, label] == 1 for label in table.index)


def test_nothing_to_compare() -> None:
    comparison = of([], [])
    assert diagnosis_table(comparison).empty
    assert exit_code(comparison) == 3


def test_what_could_not_be_read_keeps_the_gate_from_saying_all_is_well() -> None:
    assert exit_code(compare(report([row("1")], skipped=1), report([row("1")]))) == 3
    assert exit_code(compare(report([row("1")]), report([row("1")], skipped=1))) == 3
    assert exit_code(compare(report([row("1")], skipped=1), report([fails()]))) == 1


def test_problems_have_their_side() -> None:
    shared = Problem("duplicate_case", "error", "cases.csv", 2, "1", "m")
    old = Problem("bad_json", "error", "old.jsonl", 9, None, "m")
    comparison = compare(report([], problems=[shared, old]), report([], problems=[shared]))
    assert problems(comparison) == [("both", shared), ("baseline", old)]


# -- filters -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("change:worse", "B01 B12"),
        ("change:vanished", "B12"),
        ("change:better,reason", "B03 B05"),
        ("change:reason check:tools_succeeded", "B05"),
        ("-change:same", "B01 B03 B05 B12"),
        ("diagnosis:duplicate_write", "B01 B06"),  # of the candidate
        ("text:anything", ""),
    ],
)
def test_narrowed(text: str, found: str) -> None:
    comparison = planted()
    words = Vocabulary(checks=CHECKS, transitions=comparison.transitions)
    narrowed = narrow(comparison, parse(text, words), lambda _: None, lambda _: None)
    assert " ".join(key[0] for key in narrowed.transitions) == found
    assert narrowed.filter == text


def test_a_vanished_run_is_filtered_by_what_it_was() -> None:
    comparison = of([fails("1", "tool_error"), row("2")], [row("2")])
    query = parse("diagnosis:tool_error", Vocabulary(transitions=comparison.transitions))
    narrowed = narrow(comparison, query, lambda _: None, lambda _: None)
    assert list(narrowed.transitions) == [("1", None, None)]
    assert exit_code(narrowed) == 1
