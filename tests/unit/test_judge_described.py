"""Cases that describe themselves: what each column asks of a run."""

from __future__ import annotations

from typing import Any

import pytest

from judging import call, run, said, told
from traceview.contract.described import from_columns
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Case, Event, RunResult


def judged(*made: Event, complete: Any = True, final: Any = None, **cells: Any) -> RunResult:
    contract = from_columns(list(cells))
    assert contract is not None
    case = Case("C1", {"case_id": "C1", **cells}, 2)
    return Evaluator(contract).judge(case, run(*made, complete=complete, final=final))


def test_expected_sequence() -> None:
    a, b = call("a", {}), call("b", {})
    assert judged(a, b, expected_sequence='["a", "b"]').checks == {
        "sequence_ok": "pass",
        "tools_succeeded": "pass",
    }
    assert judged(b, a, expected_sequence='["a", "b"]').diagnosis == "wrong_sequence"
    assert judged(a, expected_sequence="[]").checks["sequence_ok"] == "fail"
    assert judged(call(None, x=1), expected_sequence="[]").verdict == "pass"
    assert judged(a, expected_sequence="").checks == {"sequence_ok": "n/a", "tools_succeeded": "pass"}


def test_arguments_by_step() -> None:
    cells = {"expected_sequence": '["a", "b"]', "expected_arguments": '[{"x": 1}, {"x": 2}]'}
    assert judged(call("a", {"x": 1}), call("b", {"x": 2}), **cells).verdict == "pass"
    result = judged(call("a", {"x": 1}), call("b", {"x": 3}), **cells)
    assert told(result) == [("arguments_ok", 2, "b", "/x", "changed")]
    # A call that belongs to no step is a matter of order alone.
    result = judged(call("a", {"x": 1}), call("c", {}), call("b", {"x": 2}), call("b", {"x": 9}), **cells)
    assert {f.check for f in result.findings} == {"sequence_ok"}
    assert judged(call("a", {"x": 1}), **cells).checks["arguments_ok"] == "pass"


def test_arguments_by_place_alone() -> None:
    cells = {"expected_arguments": '[{"x": 1}, {"x": 2}]'}
    assert judged(call("a", {"x": 1}), call("b", {"x": 2}), call("c", {}), **cells).verdict == "pass"
    assert judged(call("a", {"x": 2}), call("b", {"x": 1}), **cells).diagnosis == "wrong_arguments"
    result = judged(call("a", {"x": 1}), **cells)  # no order check would miss the second call
    assert "there is no call 2 to take the expected arguments" in result.findings[0].message
    half = judged(call("a", {"x": 1}, step=1), call("c", {"x": 9}, step=3), complete=False, **cells)
    assert half.checks["arguments_ok"] == "unknown"  # the second is not known to be the second


def test_arguments_by_tool() -> None:
    cells = {"expected_arguments": '{"a": {"x": 1}}'}
    assert judged(call("a", {"x": 1}), call("b", {"y": 2}), call("a", {"x": 1.0}), **cells).verdict == "pass"
    result = judged(call("a", {"x": 1}), call("a", {"x": 2}), **cells)
    assert told(result) == [("arguments_ok", 2, "a", "/x", "changed")]
    assert judged(call("b", {}), **cells).checks["arguments_ok"] == "n/a"
    assert judged(call("a"), **cells).checks["arguments_ok"] == "unknown"
    assert judged(call("b", {}), complete=False, **cells).checks["arguments_ok"] == "unknown"
    assert judged(call("b", {}), expected_arguments="{}").checks["arguments_ok"] == "n/a"


def test_statuses() -> None:
    ok, error = call("a", {}), call("a", {}, "error")
    assert judged(ok, ok, write_tools="[]").verdict == "pass"
    assert judged(ok, error, write_tools="[]").diagnosis == "tool_error"
    cells = {"expected_statuses": '["error", "ok"]'}
    assert judged(error, ok, ok, **cells).verdict == "pass"
    assert [f.step for f in judged(ok, ok, error, **cells).findings] == [1, 3]
    result = judged(error, **cells)
    assert "there is no call 2 to report ok" in result.findings[0].message
    assert judged(error, expected_statuses="").checks == {"tools_succeeded": "n/a"}
    # Calls behind a gap may stand anywhere.
    lost = judged(call("a", {}, step=2), complete=False, **cells)
    assert lost.checks["tools_succeeded"] == "unknown"
    kept = judged(call("a", {}, step=1), complete=False, **cells)
    assert kept.checks["tools_succeeded"] == "fail"


@pytest.mark.parametrize("name", ["pay", "pay_*", "pa?"])
def test_single_writes(name: str) -> None:
    """A name is a name here, whatever characters it has."""
    cells = {"write_tools": f'["{name}"]', "expected_statuses": ""}
    pay, failed, other = call(name, {}), call(name, {}, "error"), call("pay_all", {})
    assert judged(pay, other, **cells).verdict == "pass"
    assert judged(failed, pay, **cells).verdict == "pass"
    assert judged(other, **cells).diagnosis == "missing_write"
    result = judged(pay, pay, **cells)
    assert (result.diagnosis, result.signature) == ("duplicate_write", f"single_write {name} repeated_call")
    assert judged(pay, call(name, {}, None), **cells).verdict == "unknown"
    assert judged(other, write_tools="[]").checks["single_write"] == "n/a"


def test_the_worst_of_several_writes_gives_the_label() -> None:
    pay = call("pay", {})
    result = judged(pay, pay, write_tools='["book", "pay"]')
    assert result.diagnosis == "duplicate_write"
    assert [f.tool for f in said(result, "single_write")] == ["book", "pay"]


def test_the_final_state() -> None:
    cells = {"expected_final_state": '{"n": 1}', "expected_run_outcome": "done"}
    fits = {"state_after": {"n": 1.0}, "run_outcome": "done"}
    assert judged(call("a", {}), final=fits, **cells).verdict == "pass"
    assert (
        judged(call("a", {}), final={**fits, "run_outcome": "DONE"}, **cells).diagnosis == "wrong_final_state"
    )
    assert judged(call("a", {}), final={"state_after": {"n": 1}}, **cells).verdict == "unknown"
    assert judged(call("a", {}), final={"state_after": None}, expected_final_state="null").verdict == "pass"
    assert judged(call("a", {}), final={}, expected_final_state="null").verdict == "unknown"


@pytest.mark.parametrize(
    "cells",
    [
        {"expected_sequence": '["a"]', "expected_arguments": "[{}, {}]"},
        {"expected_sequence": "[]", "expected_statuses": '["ok"]'},
        {"expected_sequence": "a"},
        {"expected_arguments": '[{"x": 1, "x": 2}]'},
    ],
)
def test_cells_that_contradict_each_other_or_cannot_be_read(cells: dict[str, str]) -> None:
    result = judged(call("a", {}), **cells)
    assert (result.verdict, result.checks) == ("unusable", {})
    assert "expected_" in result.notes[0]


def test_arguments_that_were_not_captured() -> None:
    result = judged(call("a", MISSING), expected_sequence='["a"]', expected_arguments='[{"x": 1}]')
    assert result.checks["arguments_ok"] == "unknown"
