"""Opened runs built by hand, for the tests of the timeline and of copying."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traceview.evaluate.detail import Detail, Diff, EvidenceGroup, StepRow
from traceview.model import MISSING, Case, Event, Finding, Run, RunResult, RunVerdict, Source


def event(step: int, tool: str | None, arguments: Any, status: str | None = "ok", **fields: Any) -> Event:
    """One call; arguments that are no object are raw, MISSING ones absent."""
    recorded: dict[str, Any] = {"case_id": "B03", "step": step, "tool_name": tool}
    if arguments is not MISSING:
        recorded["arguments"] = arguments
    if status is not None:
        recorded["status"] = status
    recorded.update(fields)
    return Event(
        step=step,
        tool_name=tool,
        recorded_name=fields.pop("recorded_name", tool),
        arguments=arguments,
        args_state="object"
        if isinstance(arguments, dict)
        else ("absent" if arguments is MISSING else "raw"),
        status=status,
        call_id=fields.get("call_id"),
        group=None,
        actor=fields.get("actor", "assistant"),
        fields=recorded,
        source=Source("traces.jsonl", step + 6),
    )


def finding(check: str, kind: Any, message: str, **places: Any) -> Finding:
    """A finding; what is not given is absent."""
    return Finding(
        check=check,
        step=places.get("step"),
        tool=places.get("tool"),
        path=places.get("path"),
        kind=kind,
        expected=places.get("expected", MISSING),
        observed=places.get("observed", MISSING),
        message=message,
        note=places.get("note"),
    )


def detail(
    rows: tuple[StepRow, ...],
    *,
    title: str = "Book R2 for four people at nine, half an hour",
    verdict: RunVerdict = "fail",
    final: tuple[Diff, ...] = (),
    findings: tuple[Finding, ...] = (),
    groups: tuple[EvidenceGroup, ...] = (),
    observed: Mapping[str, Any] | None = None,
    checks: Mapping[str, Any] | None = None,
    evidence: tuple[tuple[str, str], ...] = (),
    **run: Any,
) -> Detail:
    """A run of case B03 with these steps."""
    events = tuple(row.event for row in rows if row.event is not None)
    last = observed if observed is not None else (events[-1].fields if events else {})
    source = events[-1].source if events and observed is None else Source("traces.jsonl", 99)
    found = (*(f for row in rows for f in row.findings), *findings)
    return Detail(
        case=Case("B03", {"case_id": "B03", "user_request": title}, 4),
        title=title,
        run=Run("B03", None, None, events, last, source, **run),
        result=RunResult(
            case_id="B03",
            run_id=None,
            trial=None,
            verdict=verdict,
            diagnosis="wrong_arguments",
            checks=checks
            if checks is not None
            else {"sequence_ok": "pass", "arguments_ok": "fail", "tools_succeeded": "unknown"},
            layers={},
            findings=found,
            signature=None,
            complete=True,
            execution_problem=False,
            events=len(events),
            tools=tuple(e.tool_name or "" for e in events),
        ),
        rows=rows,
        final=final,
        findings=findings,
        evidence=evidence,
        groups=groups,
    )


def same(path: str, value: Any) -> Diff:
    """Equal on both sides."""
    return Diff(path, "same", value, value)


def booking() -> Detail:
    """B03 of the sample: 60 minutes where 30 were reviewed, in two calls."""
    wrong = Diff("/duration_min", "changed", 30, 60, "changed")
    start = "2026-08-03T09:00:00Z"

    def changed(step: int, tool: str) -> Finding:
        return finding(
            "arguments_ok",
            "changed",
            "duration_min is 60, expected 30",
            step=step,
            tool=tool,
            path="/duration_min",
            expected=30,
            observed=60,
        )

    return detail(
        (
            StepRow(
                "changed",
                event(
                    1,
                    "check_availability",
                    {"attendees": 4, "duration_min": 60, "start_utc": start},
                    state_after="room_found",
                    run_outcome=None,
                ),
                1,
                "check_availability",
                (same("/attendees", 4), wrong, same("/start_utc", start)),
                (changed(1, "check_availability"),),
            ),
            StepRow(
                "changed",
                event(
                    2,
                    "reserve_room",
                    {"room_id": "R2", "start_utc": start, "duration_min": 60},
                    state_after="reserved",
                ),
                2,
                "reserve_room",
                (same("/room_id", "R2"), same("/start_utc", start), wrong),
                (changed(2, "reserve_room"),),
            ),
            StepRow(
                "matched",
                event(
                    3,
                    "send_confirmation",
                    {"booking_id": "K-3"},
                    state_after="confirmed",
                    run_outcome="completed",
                ),
                3,
                "send_confirmation",
                (same("", {"booking_id": "K-3"}),),
                (),
            ),
        ),
        final=(same("/state_after", "confirmed"), same("/run_outcome", "completed")),
        evidence=(
            ("arguments", "captured"),
            ("statuses", "known"),
            ("state", "known"),
            ("complete", "yes"),
        ),
    )
