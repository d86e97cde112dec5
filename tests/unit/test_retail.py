"""The worked example with expected calls in every case: its verdicts, one by one, and what its layer says."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceview.contract.lint import lint
from traceview.load import Loader
from traceview.read.cases import read_cases
from traceview.read.problems import Problems
from traceview.results import Report, exit_code, layer_totals
from traceview.trials import trials

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES, TRACES, CONTRACT = (
    str(SAMPLE / name) for name in ("retail_cases.csv", "retail_traces.jsonl", "retail.toml")
)


@pytest.fixture(scope="module")
def report() -> Report:
    return Loader(CASES, [TRACES], CONTRACT).report()


def test_what_each_run_is(report: Report) -> None:
    assert {(row.result.case_id, row.result.trial): row.result.diagnosis for row in report.rows} == {
        ("K-01", "t1"): "pass",  # the items in another order, a note, and a look at the customer are fine
        ("K-02", "t1"): "wrong_arguments",  # 35.60 instead of 36.50
        ("K-03", "t1"): "tool_error",  # said to be refunded, and was not
        ("K-04", "t1"): "refunded_twice",
        ("K-05", "t1"): "pass",  # refused, as the policy says
        ("K-06", "t1"): "forbidden_call",  # refunded against the policy
        ("K-07", "t1"): "forbidden_call",  # refunded before anyone looked
        ("K-08", "t1"): "pass",
        ("K-08", "t2"): "pass",  # two refunds of one turn: their order is free
        ("K-08", "t3"): "wrong_sequence",  # one refund short
        ("K-09", "t1"): "pass",  # an error that the same refund put right
        ("K-10", "t1"): "not_observable",  # the amount was taken away
    }


def test_the_evidence_behind_some_of_them(report: Report) -> None:
    rows = {(row.result.case_id, row.result.trial): row.result for row in report.rows}
    [amount, *_] = rows["K-02", "t1"].findings
    assert (amount.path, amount.expected, amount.observed) == ("/amount", 36.5, 35.6)
    assert rows["K-02", "t1"].checks["final_state_ok"] == "fail"
    assert rows["K-05", "t1"].checks["arguments_ok"] == "n/a"  # nothing is called, so nothing is compared
    assert rows["K-10", "t1"].checks["arguments_ok"] == "unknown"
    assert rows["K-10", "t1"].checks["final_state_ok"] == "pass"


def test_reviewers_agree_and_a_layer_alone_does_not(report: Report) -> None:
    assert {row.label for row in report.rows if row.label} == {"PASS", "FAIL", "UNKNOWN"}
    assert all(row.label.casefold() == row.result.verdict for row in report.rows if row.label)
    [layer] = layer_totals(report.rows, ("HTTP 2xx only",))
    assert (layer["invalid"], layer["false_acceptances"]) == (6, 5)
    assert (layer["valid"], layer["false_rejections"]) == (5, 1)
    assert exit_code(report) == 1


def test_a_case_that_ran_three_times(report: Report) -> None:
    found = trials(report.rows)
    assert found is not None
    [case] = [case for case in found.cases if case.n == 3]
    assert (case.case_id, case.passed, case.verdict) == ("K-08", 2, "fail")


def test_the_contract_is_sound_and_fits() -> None:
    problems = Problems()
    table = read_cases(CASES, problems)
    cases = table.with_id("case_id", problems)
    assert lint(Path(CONTRACT).read_text("utf-8"), "retail.toml", table.columns, cases) == []
