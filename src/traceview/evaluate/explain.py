"""A run explained: the same pairing and comparison that gave the verdict, laid out for a reader."""

from __future__ import annotations

from traceview.evaluate.arguments import CHECK as ARGUMENTS
from traceview.evaluate.detail import Detail, Diff, EvidenceGroup, StepRow, StepState
from traceview.evaluate.expect import Want
from traceview.evaluate.final import final_diffs
from traceview.evaluate.judge import Evaluator, Judgement
from traceview.evaluate.layers import explain_layer
from traceview.evaluate.pairing import Pairing, argument_diffs, count, decode_text
from traceview.evaluate.values import at_path, pointer
from traceview.model import MISSING, Case, Event, Finding, Run

_SEQUENCE_STATES: dict[str, StepState] = {
    "moved_call": "moved",
    "repeated_call": "repeated",
    "extra_call": "extra",
}


def explain(evaluator: Evaluator, case: Case, title: str, run: Run) -> Detail:
    """Everything about one run of one case, ready to be laid out."""
    judgement = evaluator.judgement(case, run)
    pairing = judgement.pairing
    if pairing is None:
        rows = tuple(
            _bare(event, judgement.result.findings) for event in run.events if event.tool_name is not None
        )
        return Detail(case, title, run, judgement.result, rows, (), (), evidence(run))
    rows, used = _rows(pairing, judgement)
    rest = tuple(f for f in judgement.result.findings if id(f) not in used)
    final = tuple(final_diffs(pairing.exp, run, evaluator.marks))
    groups = _groups(evaluator, judgement, run, final) if not run.events else ()
    branch = judgement.branch.name if judgement.branch is not None else None
    return Detail(case, title, run, judgement.result, rows, final, rest, evidence(run), groups, branch)


def unjudged(case: Case, title: str, run: Run, detail_result: object) -> Detail:
    """A run that no contract judges: its steps as they were recorded."""
    rows = tuple(_bare(event, ()) for event in run.events if event.tool_name is not None)
    return Detail(case, title, run, detail_result, rows, (), (), evidence(run))  # type: ignore[arg-type]


def _bare(event: Event, findings: tuple[Finding, ...]) -> StepRow:
    own = tuple(f for f in findings if f.step == event.step)
    return StepRow("uncompared", event, None, None, _as_recorded(event), own)


def _as_recorded(event: Event) -> tuple[Diff, ...]:
    if event.args_state == "object":
        return tuple(Diff(pointer(k), "uncompared", MISSING, v) for k, v in event.arguments.items())
    if event.args_state == "raw":
        return (Diff("", "uncompared", MISSING, event.arguments, None, "arguments are not a JSON object"),)
    return (Diff("", "unknown", MISSING, MISSING, "evidence", "the arguments were not captured"),)


def _rows(pairing: Pairing, judgement: Judgement) -> tuple[tuple[StepRow, ...], set[int]]:
    """The timeline, and the ids of the findings that stand in it."""
    view, exp = pairing.view, pairing.exp
    by_step: dict[int, list[Finding]] = {}
    missing: dict[int, list[Finding]] = {}
    for f in judgement.result.findings:
        if f.step is not None:
            at_want = f.kind == "missing_call" or (
                f.check == ARGUMENTS and f.kind == "missing" and f.path == ""
            )
            (missing if at_want else by_step).setdefault(f.step, []).append(f)
    places = {id(event): place for place, event in enumerate(view.calls)}
    rows: list[StepRow] = []
    at: dict[int, int] = {}  # want -> place of its row
    used: set[int] = set()
    for event in judgement.pairing.view.run.events if judgement.pairing else ():
        if event.tool_name is None:
            continue
        findings = tuple(by_step.get(event.step, ()))
        used.update(map(id, findings))
        call = places.get(id(event))
        want = pairing.by_call.get(call) if call is not None else None
        if want is not None:
            at[want] = len(rows)
        rows.append(_row(pairing, event, call, want, findings))
    for place, expected in enumerate(exp.wants):
        if place in pairing.by_want:
            continue
        findings = tuple(f for f in missing.get(expected.index, ()) if f.tool in (expected.tool, None))
        if not findings and exp.order is not None and exp.order.missing == "allow":
            continue
        used.update(map(id, findings))
        # After the row of the nearest earlier expected call that has one.
        after = max((at[w] for w in at if w < place), default=-1)
        rows.insert(after + 1, _missing_row(expected, findings))
        at = {w: (row + 1 if row > after else row) for w, row in at.items()}
        at[place] = after + 1
    return tuple(rows), used


def _missing_row(expected: Want, findings: tuple[Finding, ...]) -> StepRow:
    from traceview.evaluate.kinds import shown

    diffs = tuple(Diff(pointer(k), "missing", shown(v), MISSING) for k, v in (expected.args or {}).items())
    return StepRow("missing", None, expected.index, expected.tool or None, diffs, findings)


def _row(
    pairing: Pairing, event: Event, call: int | None, want: int | None, findings: tuple[Finding, ...]
) -> StepRow:
    exp = pairing.exp
    state: StepState = "uncompared"
    diffs: tuple[Diff, ...] = _as_recorded(event)
    compared = want if want is not None else (pairing.nearest.get(call) if call is not None else None)
    if call is not None and compared is not None and exp.wants[compared].args is not None:
        tool = pairing.tools.get(exp.wants[compared].tool)
        diffs = tuple(argument_diffs(exp.wants[compared], pairing.args(compared), event, tool, pairing.marks))
    elif call is not None and exp.by_tool is not None and (event.tool_name or "") in exp.by_tool:
        args = exp.by_tool[event.tool_name or ""]
        diffs = tuple(argument_diffs(Want(0, event.tool_name or "", args), args, event, None, pairing.marks))
        state = "changed" if count(diffs)[0] else "matched"
    if want is not None:
        state = "changed" if count(diffs)[0] else "matched"
    for f in findings:
        if f.check == "sequence_ok" and f.kind in _SEQUENCE_STATES:
            state = _SEQUENCE_STATES[f.kind]
    expected = exp.wants[want] if want is not None else None
    return StepRow(
        state,
        event,
        expected.index if expected else None,
        (expected.tool or None) if expected else None,
        diffs,
        findings,
    )


def _groups(
    evaluator: Evaluator, judgement: Judgement, run: Run, final: tuple[Diff, ...]
) -> tuple[EvidenceGroup, ...]:
    """For an observation: each layer's evidence under its heading, the task outcome, and what was needed."""
    groups = []
    for rule in evaluator.contract.layers:
        observed = at_path(run.final, rule.at, decode_text)
        said, why = explain_layer(rule, observed, evaluator.marks)
        diff = Diff(pointer(*rule.at), "uncompared", MISSING, observed, None, why)
        groups.append(EvidenceGroup(rule.group or "Layer", said, (diff,), rule.name))
    verdict = judgement.result.checks.get("final_state_ok", "n/a")
    branch = f"branch: {judgement.branch.name}" if judgement.branch is not None else ""
    groups.append(EvidenceGroup("Task outcome", verdict, final, branch))
    explained = {d.path.split("/")[1] for g in groups for d in g.diffs if d.path}
    others = tuple(
        Diff(pointer(k), "uncompared", MISSING, v)
        for k, v in run.final.items()
        if pointer(k)[1:] not in explained
    )
    if others:
        groups.append(EvidenceGroup("Explanation", "n/a", others, "recorded, and judged by no rule"))
    needed = tuple(
        Diff(pointer(*path), "unknown" if value is MISSING or value is None else "uncompared", MISSING, value)
        for path in evaluator.contract.evidence.required
        for value in (at_path(run.final, path),)
    )
    if needed:
        missing = any(d.state == "unknown" for d in needed)
        groups.append(
            EvidenceGroup("Observability", "unknown" if missing else "pass", needed, "required evidence")
        )
    return tuple(groups)


def evidence(run: Run) -> tuple[tuple[str, str], ...]:
    """Per run, in words: were arguments captured, statuses known, is the state known, is the run complete?"""
    calls = [e for e in run.events if e.tool_name is not None]
    n = len(calls)
    captured = sum(e.args_state != "absent" for e in calls)
    known = sum(e.status is not None for e in calls)
    state = run.final.get("state_after", MISSING)
    return (
        ("arguments", f"captured for {captured} of {n} calls" if n else "no calls"),
        ("statuses", f"known for {known} of {n} calls" if n else "no calls"),
        ("state", "not recorded" if state is MISSING else "null" if state is None else "known"),
        ("complete", "yes" if run.complete else f"no: {run.incomplete_why or 'part of it is lost'}"),
    )
