"""A run explained: the same pairing and comparison that gave the verdict, laid out for a reader."""

from __future__ import annotations

from traceview.evaluate.arguments import CHECK as ARGUMENTS
from traceview.evaluate.detail import Detail, Diff, EvidenceGroup, StepRow, StepState
from traceview.evaluate.evidence import reach
from traceview.evaluate.expect import Want
from traceview.evaluate.final import final_diffs
from traceview.evaluate.judge import Evaluator, Judgement
from traceview.evaluate.layers import layer_values
from traceview.evaluate.pairing import Pairing, argument_diffs, count
from traceview.evaluate.values import pointer
from traceview.evaluate.wanted import shown
from traceview.model import MISSING, Case, Event, Finding, Run, RunResult

_SEQUENCE_STATES: dict[str, StepState] = {
    "moved_call": "moved",
    "repeated_call": "repeated",
    "extra_call": "extra",
}


def explain(evaluator: Evaluator, case: Case, title: str, run: Run) -> Detail:
    """Everything about one run of one case, ready to be laid out.

    Every call is in one row, and every finding of the result in one row or among the findings of no step.
    """
    judgement = evaluator.judgement(case, run)
    pairing = judgement.pairing
    if pairing is None:
        return unjudged(case, title, run, judgement.result)
    rows, rest = _Rows(pairing, judgement.result).make()
    final = tuple(final_diffs(pairing))
    groups = _groups(evaluator, judgement, pairing, final) if not run.events else ()
    branch = judgement.branch.name if judgement.branch is not None else None
    return Detail(case, title, run, judgement.result, rows, final, rest, evidence(run), groups, branch)


def unjudged(case: Case, title: str, run: Run, result: RunResult) -> Detail:
    """A run that no contract judges: its steps as they were recorded."""
    rows = tuple(
        [
            StepRow("uncompared", event, None, None, _as_recorded(event), ())
            for event in run.events
            if event.tool_name is not None
        ]
    )
    return Detail(case, title, run, result, rows, (), result.findings, evidence(run))


def _as_recorded(event: Event) -> tuple[Diff, ...]:
    if event.args_state == "object":
        return tuple([Diff(pointer(k), "uncompared", MISSING, v) for k, v in event.arguments.items()])
    if event.args_state == "raw":
        return (Diff("", "uncompared", MISSING, event.arguments, None, "arguments are not a JSON object"),)
    return (Diff("", "unknown", MISSING, MISSING, "evidence", "the arguments were not captured"),)


class _Rows:
    """The timeline of one run: its calls in step order, and the expected ones that were not made."""

    def __init__(self, pairing: Pairing, result: RunResult) -> None:
        self.pairing = pairing
        self._of_call: dict[int, list[Finding]] = {}
        self._of_want: dict[int, list[Finding]] = {}
        self._rest: list[Finding] = []
        steps = {event.step for event in pairing.view.run.events if event.tool_name is not None}
        unmade = {
            want.index: want for place, want in enumerate(pairing.exp.wants) if place not in pairing.by_want
        }
        for f in result.findings:
            if f.step is None:
                self._rest.append(f)
            elif _is_of_want(f):
                want = unmade.get(f.step)
                if want is not None and f.tool in (want.tool, None):
                    self._of_want.setdefault(f.step, []).append(f)
                else:
                    self._rest.append(f)
            elif f.step in steps:
                self._of_call.setdefault(f.step, []).append(f)
            else:
                self._rest.append(f)

    def make(self) -> tuple[tuple[StepRow, ...], tuple[Finding, ...]]:
        """The rows, and the findings that belong to none."""
        pairing = self.pairing
        places = {id(event): place for place, event in enumerate(pairing.view.calls)}
        calls: list[tuple[StepRow, int | None]] = []
        for event in pairing.view.run.events:
            if event.tool_name is not None:
                call = places.get(id(event))
                want = pairing.by_call.get(call) if call is not None else None
                findings = tuple(self._of_call.get(event.step, ()))
                calls.append((_row(pairing, event, call, want, findings), want))
        return tuple(self._with_missing(calls)), tuple(self._rest)

    def _with_missing(self, calls: list[tuple[StepRow, int | None]]) -> list[StepRow]:
        """The rows of the calls, and after each those of the expected calls that should have come next."""
        pairing = self.pairing
        at = {want: row for row, (_, want) in enumerate(calls) if want is not None}
        after: dict[int, list[StepRow]] = {}
        last = -1
        for place, want in enumerate(pairing.exp.wants):
            if place in at:
                last = max(last, at[place])
                continue
            findings = tuple(self._of_want.get(want.index, ()))
            order = pairing.exp.order
            if findings or order is None or order.missing == "fail":
                after.setdefault(last, []).append(_missing_row(want, findings))
        rows = after.get(-1, [])
        for index, (row, _) in enumerate(calls):
            rows.append(row)
            rows += after.get(index, ())
        return rows


def _is_of_want(f: Finding) -> bool:
    """Whether the step of a finding counts expected calls: it is about one that was not made."""
    if f.check == ARGUMENTS:
        return f.kind == "missing" and f.path == "" and f.observed is MISSING
    return f.kind == "missing_call" and f.check == "sequence_ok"


def _missing_row(expected: Want, findings: tuple[Finding, ...]) -> StepRow:
    diffs = [Diff(pointer(k), "missing", shown(v), MISSING) for k, v in (expected.args or {}).items()]
    return StepRow("missing", None, expected.index, expected.tool or None, tuple(diffs), findings)


def _row(
    pairing: Pairing, event: Event, call: int | None, want: int | None, findings: tuple[Finding, ...]
) -> StepRow:
    exp = pairing.exp
    state: StepState = "uncompared"
    diffs: tuple[Diff, ...] = _as_recorded(event)
    compared = want if want is not None else (pairing.nearest.get(call) if call is not None else None)
    if compared is not None and exp.wants[compared].args is not None:
        tool = pairing.contract_tools.get(exp.wants[compared].tool)
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


# -- observations ------------------------------------------------------------------------------------------


def _groups(
    evaluator: Evaluator, judgement: Judgement, pairing: Pairing, final: tuple[Diff, ...]
) -> tuple[EvidenceGroup, ...]:
    """For an observation: each layer's evidence under its heading, the task outcome, and what was needed."""
    run = pairing.view.run
    groups = []
    for rule, chooses in evaluator.layers:
        if rule.tool is None:
            (observed, said, why), *_ = layer_values(rule, chooses, pairing.view)
            diff = Diff(pointer(*rule.at), "uncompared", MISSING, observed, None, why)
            groups.append(EvidenceGroup(rule.group or "Layer", said, (diff,), rule.name))
    verdict = judgement.result.checks.get("final_state_ok", "n/a")
    branch = f"branch: {judgement.branch.name}" if judgement.branch is not None else ""
    groups.append(EvidenceGroup("Task outcome", verdict, final, branch))
    explained = {d.path.split("/")[1] for g in groups for d in g.diffs if d.path}
    others = tuple(
        [
            Diff(pointer(k), "uncompared", MISSING, v)
            for k, v in run.final.items()
            if pointer(k)[1:] not in explained
        ]
    )
    if others:
        groups.append(EvidenceGroup("Explanation", "n/a", others, "recorded, and judged by no rule"))
    needed = []
    for path in evaluator.contract.evidence.required:
        value, gone = reach(run.final, path, evaluator.marks)
        lacks = gone is not None or value is MISSING or value is None
        needed.append(Diff(pointer(*path), "unknown" if lacks else "uncompared", MISSING, value, None, gone))
    if needed:
        seen = "unknown" if any(d.state == "unknown" for d in needed) else "pass"
        groups.append(EvidenceGroup("Observability", seen, tuple(needed), "required evidence"))
    return tuple(groups)


def evidence(run: Run) -> tuple[tuple[str, str], ...]:
    """Per run, in words: were arguments captured, statuses known, is the state known, is the run complete?"""
    calls = [e for e in run.events if e.tool_name is not None]
    n = len(calls)
    captured = sum([e.args_state != "absent" for e in calls])
    known = sum([e.status is not None for e in calls])
    state = run.final.get("state_after", MISSING)
    return (
        ("arguments", f"captured for {captured} of {n} calls" if n else "no calls"),
        ("statuses", f"known for {known} of {n} calls" if n else "no calls"),
        ("state", "not recorded" if state is MISSING else "null" if state is None else "known"),
        ("complete", "yes" if run.complete else f"no: {run.incomplete_why or 'part of it is lost'}"),
    )
