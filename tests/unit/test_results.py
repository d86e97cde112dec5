"""Totals, layers, labels, signatures, trials and exit codes, from rows made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from rows import CHECKS, PRIORITY, bookings, finding, report, row
from traceview.results import (
    Row,
    check_totals,
    diagnosis_totals,
    exit_code,
    label_totals,
    layer_totals,
    totals,
)
from traceview.signatures import signature_groups
from traceview.trials import pass_at_k, pass_hat_k, trials


def test_totals_of_the_sample() -> None:
    assert totals(bookings()) == {
        "cases": 12,
        "runs": 12,
        "events": 36,
        "pass": 5,
        "fail": 7,
        "unknown": 0,
        "no_trace": 0,
        "unusable": 0,
        "execution_problems": 1,
    }


def test_a_case_without_a_trace_is_a_case_and_no_run() -> None:
    rows = [row("A", trial="1"), row("A", trial="2"), row("B", "no_trace"), row("C", "unusable")]
    figures = totals(rows)
    assert (figures["cases"], figures["runs"]) == (3, 2)
    assert sum(figures[v] for v in ("pass", "fail", "unknown", "no_trace", "unusable")) == len(rows)


def test_a_run_that_cannot_be_judged_was_recorded_all_the_same() -> None:
    import msgspec

    recorded = msgspec.structs.replace(row("C", "unusable"), where=b"here")
    assert totals([recorded])["runs"] == 1


def test_check_totals_have_the_checks_of_the_contract_in_its_order() -> None:
    figures = check_totals([*bookings(), row("N", "no_trace")], (*CHECKS, "forbidden_ok"))
    assert list(figures) == [*CHECKS, "forbidden_ok"]
    assert [figures[check]["pass"] for check in CHECKS] == [9, 10, 11, 11, 9]
    assert figures["sequence_ok"] == {"pass": 9, "fail": 3, "unknown": 0, "n/a": 0}
    assert figures["forbidden_ok"] == {"pass": 0, "fail": 0, "unknown": 0, "n/a": 0}


def test_diagnoses_partition_the_runs_largest_first_then_by_priority() -> None:
    rows = [
        row("N", "no_trace"),
        *bookings(),
        row("U", "unknown", "not_observable"),
        row("O", "unusable"),
        row("O2", "unusable"),
    ]
    figures = diagnosis_totals(rows, PRIORITY)
    assert list(figures.items()) == [
        ("pass", 5),
        ("wrong_sequence", 2),
        ("wrong_arguments", 2),
        ("duplicate_write", 1),
        ("tool_error", 1),
        ("wrong_final_state", 1),
        ("not_observable", 1),
        ("no_trace", 1),
        ("unusable", 2),
    ]
    assert sum(figures.values()) == len(rows)


def test_layers_count_by_label_before_verdict() -> None:
    rows = [
        row("1", "fail", layers={"http": "accept"}),
        row("2", "fail", layers={"http": "reject"}),
        row("3", "fail", label="PASS", layers={"http": "reject"}),
        row("4", "pass", layers={"http": "reject"}),
        row("5", "pass", layers={"http": "n/a"}),
        row("6", "unknown", layers={"http": "accept"}),
        row("7", "fail", layers={"http": "unknown"}),
        row("8", "no_trace"),
    ]
    assert layer_totals(rows, ["http"]) == [
        {
            "name": "http",
            "invalid": 3,
            "false_acceptances": 1,
            "valid": 2,
            "false_rejections": 2,
            "unknown": 1,
            "accepted_unknown": 1,
        }
    ]


def test_labels() -> None:
    rows = [
        row("1", label="PASS"),
        row("2", "fail", label="PASS"),
        row("3", "unknown", label="UNKNOWN"),
        row("4"),
        row("5", "no_trace", label="PASS"),
    ]
    assert label_totals(rows) == {"agree": 2, "disagree": 1, "unlabelled": 1}


@pytest.mark.parametrize(
    ("rows", "options", "code"),
    [
        ([row()], {}, 0),
        ([row(), row("2", "fail")], {}, 1),
        ([row(), row("2", "unknown")], {}, 3),
        ([row(), row("2", "unknown")], {"unknown": "pass"}, 0),
        ([row(), row("2", "no_trace")], {"unknown": "fail"}, 1),
        ([row(), row("2", "unusable")], {"unknown": "pass"}, 3),
        ([row("1", "fail"), row("2", "unusable")], {}, 1),
        ([], {}, 3),
        ([], {"unknown": "fail"}, 3),
        ([row("1", "no_trace")], {"unknown": "pass"}, 3),
        ([row("1", "fail", label="FAIL")], {"fail_on": "label-disagree"}, 0),
        ([row("1", label="FAIL")], {"fail_on": "label-disagree"}, 1),
        ([row("1", "unknown", label="UNKNOWN")], {"fail_on": "label-disagree"}, 0),
        ([row("1", "no_trace", label="PASS"), row("2", label="PASS")], {"fail_on": "label-disagree"}, 3),
        ([row("1")], {"fail_on": "label-disagree"}, 3),
    ],
)
def test_exit_code(rows: list[Row], options: dict[str, Any], code: int) -> None:
    assert exit_code(report(rows), **options) == code


def test_a_skipped_line_is_not_green() -> None:
    assert exit_code(report([row()], skipped=1)) == 3
    assert exit_code(report([row()], skipped=1), unknown="pass") == 3
    assert exit_code(report([row("1", "fail")], skipped=1)) == 1


def test_any_passing_run_is_enough_where_the_contract_says_so() -> None:
    rows = [row("A", trial="1"), row("A", "fail", trial="2")]
    assert exit_code(report(rows)) == 1
    assert exit_code(report(rows, trials="any")) == 0
    assert exit_code(report([*rows, row("B", "fail")], trials="any")) == 1


def test_signatures_group_the_failures_largest_first() -> None:
    rows = bookings()
    groups = signature_groups(rows)
    assert [group.count for group in groups] == [2, 1, 1, 1, 1, 1]
    assert groups[0].signature == "arguments_ok reserve_room /duration_min changed"
    assert groups[0].first is rows[2]
    assert groups[0].tools == ("reserve_room",)
    assert groups[0].share == pytest.approx(2 / 7)
    assert groups[1].signature == "sequence_ok reserve_room moved_call"


def test_a_group_names_every_tool_once() -> None:
    two = [finding(tool="b"), finding(tool="a"), finding(tool="b"), finding(tool=None)]
    assert signature_groups([row("1", "fail", signature="s", findings=two)])[0].tools == ("b", "a")


def test_no_trials_without_a_second_run() -> None:
    assert trials(bookings()) is None


def test_trials_per_case_and_over_the_suite() -> None:
    rows = [
        row("A", "pass", trial="1"),
        row("A", "fail", trial="2"),
        row("B", "pass", trial="1"),
        row("B", "pass", trial="2"),
        row("B", "unusable", trial="3"),
        row("C", "unknown"),
    ]
    found = trials(rows)
    assert found is not None
    assert [(c.case_id, c.passed, c.n, c.verdict) for c in found.cases] == [
        ("A", 1, 2, "fail"),
        ("B", 2, 2, "pass"),
        ("C", 0, 1, "unknown"),
    ]
    one, two = found.by_k
    assert (one.k, one.cases, one.pass_hat, one.pass_at) == (1, 3, 0.5, 0.5)
    assert (two.k, two.cases, two.pass_hat, two.pass_at) == (2, 2, 0.5, 1.0)
    any_rule = trials(rows, "any")
    assert any_rule is not None and [c.verdict for c in any_rule.cases] == ["pass", "pass", "unknown"]


def test_the_estimators_are_unbiased_draws_without_replacement() -> None:
    assert pass_hat_k(4, 3, 2) == pytest.approx(3 / 6)
    assert pass_at_k(4, 1, 2) == pytest.approx(1 - 3 / 6)
    assert pass_at_k(4, 0, 4) == 0
    assert pass_hat_k(4, 4, 4) == 1


def test_a_case_with_a_thousand_runs_gives_a_short_table() -> None:
    found = trials([row("A", trial=str(n)) for n in range(1000)])
    assert found is not None
    assert [at.k for at in found.by_k] == [*range(1, 11), 20, 40, 80, 160, 320, 640, 1000]
