"""Rows and reports made by hand, for tests of what stands behind the evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from traceview.model import MISSING, Case, Finding, FindingKind, Problem, RunResult
from traceview.results import ContractInfo, InputInfo, Report, Row

CHECKS = ("sequence_ok", "arguments_ok", "tools_succeeded", "single_reservation", "final_state_ok")
PRIORITY = (
    "duplicate_write",
    "wrong_sequence",
    "missing_write",
    "wrong_arguments",
    "tool_error",
    "wrong_final_state",
)


def finding(
    check: str = "arguments_ok",
    path: str | None = "/duration_min",
    kind: FindingKind = "changed",
    expected: Any = 30,
    observed: Any = 60,
    *,
    step: int | None = 2,
    tool: str | None = "reserve_room",
    message: str = "reserve_room.duration_min is 60, expected 30",
) -> Finding:
    return Finding(check, step, tool, path, kind, expected, observed, message)


def row(
    case_id: str = "B01",
    verdict: Any = "pass",
    diagnosis: str | None = None,
    *,
    title: str = "",
    label: str | None = None,
    failing: Sequence[str] = (),
    checks: Mapping[str, Any] | None = None,
    findings: Sequence[Finding] = (),
    signature: str | None = None,
    cells: Mapping[str, Any] | None = None,
    run_id: str | None = None,
    trial: str | None = None,
    layers: Mapping[str, Any] | None = None,
    events: int = 3,
    tools: Sequence[str] = ("check_availability", "reserve_room", "send_confirmation"),
    statuses: Sequence[str] = ("ok",),
    execution_problem: bool = False,
    complete: bool = True,
    recorded: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    line: int = 2,
) -> Row:
    """One row; a row without evidence gets no checks, any other passes those that are not ``failing``."""
    judged = verdict in ("pass", "fail", "unknown")
    if checks is None:
        checks = {name: "fail" if name in failing else "pass" for name in CHECKS} if judged else {}
    return Row(
        Case(case_id, cells or {}, line, "broken" if verdict == "unusable" else None),
        title,
        label,
        RunResult(
            case_id,
            run_id,
            trial,
            verdict,
            diagnosis or verdict,
            checks,
            layers or {},
            tuple(findings),
            signature,
            complete,
            execution_problem,
            events if judged else 0,
            tuple(tools) if judged else (),
            tuple(notes),
            recorded or {},
            tuple(statuses) if judged else (),
        ),
    )


def bookings() -> list[Row]:
    """The shape of the sample: 5 pass, 7 fail, in six diagnoses."""
    args = "arguments_ok reserve_room /duration_min changed"
    return [
        row("B01", title="Book R1 at nine"),
        row(
            "B02",
            "fail",
            "wrong_sequence",
            failing=["sequence_ok"],
            signature="sequence_ok reserve_room moved_call",
            findings=[
                finding(
                    "sequence_ok", None, "moved_call", MISSING, MISSING, step=1, message="moved to step 1"
                )
            ],
        ),
        row("B03", "fail", "wrong_arguments", failing=["arguments_ok"], signature=args, findings=[finding()]),
        row(
            "B04",
            "fail",
            "tool_error",
            failing=["tools_succeeded", "final_state_ok"],
            signature="tools_succeeded send_confirmation status",
            execution_problem=True,
            statuses=["ok", "error"],
            findings=[
                finding(
                    "tools_succeeded",
                    None,
                    "status",
                    "ok",
                    "error",
                    step=3,
                    tool="send_confirmation",
                    message="send_confirmation reported error",
                )
            ],
        ),
        row(
            "B05",
            "fail",
            "wrong_final_state",
            failing=["final_state_ok"],
            signature="final_state_ok /state_after state",
            findings=[
                finding(
                    "final_state_ok",
                    "/state_after",
                    "state",
                    "confirmed",
                    "reserved",
                    step=None,
                    tool=None,
                    message="state_after is reserved, expected confirmed",
                )
            ],
        ),
        row(
            "B06",
            "fail",
            "duplicate_write",
            failing=["sequence_ok", "single_reservation"],
            events=4,
            signature="single_reservation reserve_room repeated_call",
            findings=[
                finding(
                    "single_reservation",
                    None,
                    "repeated_call",
                    MISSING,
                    MISSING,
                    step=3,
                    message="reserve_room again, identical, after success",
                )
            ],
        ),
        row("B07"),
        row(
            "B08",
            "fail",
            "wrong_arguments",
            failing=["arguments_ok"],
            signature=args,
            findings=[finding(observed=45, message="reserve_room.duration_min is 45, expected 30")],
        ),
        row(
            "B09",
            "fail",
            "wrong_sequence",
            failing=["sequence_ok", "final_state_ok"],
            events=2,
            signature="sequence_ok send_confirmation missing_call",
            findings=[
                finding(
                    "sequence_ok",
                    None,
                    "missing_call",
                    MISSING,
                    MISSING,
                    step=3,
                    tool="send_confirmation",
                    message="send_confirmation was not called",
                )
            ],
        ),
        row("B10"),
        row("B11"),
        row("B12"),
    ]


def report(
    rows: list[Row] | None = None,
    *,
    checks: Sequence[str] = CHECKS,
    layers: Sequence[str] = (),
    problems: Sequence[Problem] = (),
    skipped: int = 0,
    trials: Any = "all",
    filter_text: str | None = None,
) -> Report:
    return Report(
        ContractInfo(
            "room-booking",
            "built-in",
            "c0ffee",
            tuple(checks),
            tuple(layers),
            priority=PRIORITY,
            trials=trials,
        ),
        (
            InputInfo("cases", "cases.csv", "csv", 12, "ca5e5"),
            InputInfo("traces", "traces.jsonl", "events-jsonl", 36, None),
        ),
        bookings() if rows is None else rows,
        [],
        list(problems),
        skipped,
        filter_text,
    )
