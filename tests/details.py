"""Opened runs built by hand, for the tests of the timeline and of copying."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from hypothesis import strategies as st
from msgspec.structs import replace

from traceview.evaluate.beside import with_baseline
from traceview.evaluate.detail import Detail, Diff, DiffState, EvidenceGroup, StepRow, StepState
from traceview.model import MISSING, Case, Event, Finding, Number, Run, RunResult, RunVerdict, Source


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
        args_state="object" if isinstance(arguments, dict) else ("absent" if arguments is MISSING else "raw"),
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


# -- any run at all ----------------------------------------------------------------------------------------

SHORT = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(
    ["30", "true", "[/]", "\x1b]52;c;x\x07", "七人火曜", "a\nb\r\nc", "e\u0301", "\u202eabc"]
)
TEXT = SHORT | SHORT | st.integers(4, 40).map(lambda n: "lorem ipsum " * n)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(Number("1.10")) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
SIDE = st.one_of(VALUE, VALUE, VALUE, st.just(MISSING))
POINTER = st.lists(
    st.sampled_from(["room_id", "guest", "0", "17", ""]) | SHORT,
    max_size=3,
).map(lambda keys: "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys))
KINDS: st.SearchStrategy[Any] = st.sampled_from(
    ["changed", "missing", "unexpected", "type", "order", "text_form", None]
)
DIFF_STATES: st.SearchStrategy[Any] = st.sampled_from(get_args(DiffState))
STEP_STATES: st.SearchStrategy[Any] = st.sampled_from(get_args(StepState))


@st.composite
def diffs(draw: st.DrawFn) -> Diff:
    """Any place of a comparison."""
    state = draw(DIFF_STATES)
    expected, observed = draw(SIDE), draw(SIDE)
    if state == "same":
        expected = observed
    elif state in ("unexpected", "uncompared"):
        expected = MISSING
    elif state == "missing":
        observed = MISSING
    return Diff(draw(POINTER), state, expected, observed, draw(KINDS), draw(st.none() | TEXT))


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    """Any finding."""
    return finding(
        draw(st.sampled_from(["sequence_ok", "arguments_ok", "tools_succeeded", "a_limit"])),
        draw(st.sampled_from(["changed", "type", "moved_call", "status", "state", "evidence", "forbidden"])),
        draw(TEXT),
        path=draw(st.none() | POINTER),
        expected=draw(SIDE),
        observed=draw(SIDE),
        note=draw(st.none() | TEXT),
    )


@st.composite
def step_rows(draw: st.DrawFn) -> StepRow:
    """Any step, of a run that may have been judged or not."""
    state = draw(STEP_STATES)
    places = tuple(draw(st.lists(diffs(), max_size=9, unique_by=lambda diff: diff.path)))
    found = tuple(draw(st.lists(findings(), max_size=3)))
    if state == "missing":
        return StepRow(state, None, draw(st.integers(1, 20)), draw(TEXT), places, found)
    call = event(
        draw(st.integers(-1, 20)),
        draw(TEXT),
        draw(st.one_of(st.dictionaries(TEXT, VALUE, max_size=8), st.just(MISSING), TEXT)),
        draw(st.none() | TEXT),
        **draw(
            st.dictionaries(
                st.sampled_from(
                    ["result", "error", "state_after", "latency_ms", "call_id", "recorded_name", "Größe"]
                ),
                VALUE,
                max_size=4,
            ).map(lambda f: {k: str(v) if k in ("call_id", "recorded_name") else v for k, v in f.items()})
        ),
    )
    if draw(st.booleans()):
        call = replace(call, notes=(draw(TEXT),))
    expected = draw(st.none() | st.integers(1, 20))
    return StepRow(state, call, expected, None if expected is None else call.tool_name, places, found)


@st.composite
def details(draw: st.DrawFn) -> Detail:
    """Any opened run."""
    groups: tuple[EvidenceGroup, ...] = ()
    rows = tuple(draw(st.lists(step_rows(), max_size=5)))
    if not rows and draw(st.booleans()):
        groups = tuple(
            EvidenceGroup(
                draw(TEXT), draw(st.sampled_from(["pass", "reject", "unknown", "n/a"])), (d,), "why"
            )
            for d in draw(st.lists(diffs(), max_size=4))
        )
    return detail(
        rows,
        title=draw(TEXT),
        verdict=draw(st.sampled_from(["pass", "fail", "unknown", "no_trace", "unusable", "unreviewed"])),
        final=tuple(draw(st.lists(diffs(), max_size=3, unique_by=lambda diff: diff.path))),
        findings=tuple(draw(st.lists(findings(), max_size=3))),
        groups=groups,
        observed=draw(st.none() | st.dictionaries(TEXT, VALUE, max_size=3)),
        evidence=(("arguments", draw(TEXT)),),
        complete=draw(st.booleans()),
        incomplete_why=draw(st.none() | TEXT),
        problem=draw(st.none() | TEXT),
        notes=tuple(draw(st.lists(TEXT, max_size=2))),
        recorded=draw(st.dictionaries(TEXT, VALUE, max_size=2)),
    )


def opened() -> st.SearchStrategy[Detail]:
    """Any opened run, alone or beside a baseline."""
    return st.one_of(details(), st.builds(with_baseline, details(), details()))
