"""A run explained: the same pairing and comparison that gave the verdict, laid out for a reader."""

from __future__ import annotations

from traceview import jsontext
from traceview.evaluate.arguments import CHECK as ARGUMENTS
from traceview.evaluate.call_diffs import argument_diffs, count
from traceview.evaluate.comparisons import SAME
from traceview.evaluate.detail import Detail, Diff, DiffState, EvidenceGroup, StepRow, StepState, as_recorded
from traceview.evaluate.evidence import reach
from traceview.evaluate.expect import Want
from traceview.evaluate.final import CHECK as FINAL
from traceview.evaluate.final import final_diffs
from traceview.evaluate.judge import Evaluator, Judgement
from traceview.evaluate.layers import layer_values, rule_words
from traceview.evaluate.pairing import Pairing
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
    judgement = evaluator.judgement(case, run, whole=True)
    pairing = judgement.pairing
    if pairing is None:
        return unjudged(case, title, run, judgement.result)
    rows, rest = _Rows(pairing, judgement.result).make()
    final = tuple(final_diffs(pairing))
    groups = _groups(evaluator, judgement, pairing, final) if not run.events else ()
    branch = judgement.branch.name if judgement.branch is not None else None
    seen = evidence(run, observation=bool(groups) and not rows)
    return Detail(case, title, run, judgement.result, rows, final, rest, seen, groups, branch)


def unjudged(case: Case, title: str, run: Run, result: RunResult) -> Detail:
    """A run that no contract judges: its steps as they were recorded."""
    rows = tuple(
        [
            StepRow("uncompared", event, None, None, _uncompared(event), ())
            for event in run.events
            if event.tool_name is not None
        ]
    )
    return Detail(case, title, run, result, rows, (), result.findings, evidence(run))


def _uncompared(event: Event) -> tuple[Diff, ...]:
    """What is to be said of arguments beside what was recorded; thousands may be compared to nothing."""
    return () if event.args_state == "object" else as_recorded(event)


class _Rows:
    """The timeline of one run: its calls in step order, and the expected ones that were not made."""

    def __init__(self, pairing: Pairing, result: RunResult) -> None:
        self.pairing = pairing
        self._of_call: dict[int, list[Finding]] = {}
        self._of_want: dict[int, list[Finding]] = {}
        self._rest: list[Finding] = []
        if not result.findings:
            return
        steps = {event.step for event in pairing.view.run.events if event.tool_name is not None}
        unmade = {
            want.index: want for place, want in enumerate(pairing.exp.wants) if place not in pairing.by_want
        }
        homeless: list[Finding] = []
        for f in result.findings:
            if f.step is None:
                self._rest.append(f)
            elif _is_of_want(f):
                want = unmade.get(f.step)
                if want is not None and f.tool in (want.tool, None):
                    self._of_want.setdefault(f.step, []).append(f)
                else:
                    homeless.append(f)
            elif f.step in steps:
                self._of_call.setdefault(f.step, []).append(f)
            else:
                self._rest.append(f)
        for f in homeless:
            # Its arguments say that another call of the tool is the one that is missing: it is told there.
            index = next((i for i, w in unmade.items() if w.tool == f.tool and i not in self._of_want), None)
            if index is not None:
                self._of_want[index] = [f]
            else:
                self._rest.append(f)

    def make(self) -> tuple[tuple[StepRow, ...], tuple[Finding, ...]]:
        """The rows, and the findings that belong to none."""
        pairing, of_call = self.pairing, self._of_call
        compared, by_call = pairing.view.calls, pairing.by_call
        calls: list[StepRow] = []
        places: dict[int, int] = {}  # want -> row of its call
        at = 0
        for event in pairing.view.run.events:
            if event.tool_name is None:
                continue
            call = want = None
            if at < len(compared) and compared[at] is event:
                call, want = at, by_call.get(at)
                at += 1
            if want is not None:
                places[want] = len(calls)
            found = of_call.get(event.step)
            calls.append(_row(pairing, event, call, want, tuple(found) if found else ()))
        rows = calls if len(places) == len(pairing.exp.wants) else self._with_missing(calls, places)
        return tuple(rows), tuple(self._rest)

    def _with_missing(self, calls: list[StepRow], places: dict[int, int]) -> list[StepRow]:
        """The rows of the calls, and after each those of the expected calls that should have come next."""
        pairing = self.pairing
        after: dict[int, list[StepRow]] = {}
        last = -1
        for place, want in enumerate(pairing.exp.wants):
            if place in places:
                last = max(last, places[place])
                continue
            findings = tuple(self._of_want.get(want.index, ()))
            order = pairing.exp.order
            if findings or order is None or order.missing == "fail":
                after.setdefault(last, []).append(_missing_row(want, findings))
        rows = after.get(-1, [])
        for index, row in enumerate(calls):
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
    diffs: tuple[Diff, ...] | None = None
    if call is not None:
        compared = want if want is not None else pairing.nearest.get(call)
        if compared is not None and exp.wants[compared].args is not None:
            diffs = _against(pairing, compared, call)
        elif exp.by_tool is not None and (event.tool_name or "") in exp.by_tool:
            args = exp.by_tool[event.tool_name or ""]
            as_want = Want(0, event.tool_name or "", args)
            diffs = tuple(argument_diffs(as_want, args, event, None, pairing.marks))
            state = "changed" if count(diffs)[0] else "matched"
    if diffs is None:
        diffs = _uncompared(event)
    if want is not None:
        state = "changed" if count(diffs)[0] else "matched"
    for f in findings:
        if f.check == "sequence_ok" and f.kind in _SEQUENCE_STATES:
            state = _SEQUENCE_STATES[f.kind]
    if want is None:
        return StepRow(state, event, None, None, diffs, findings)
    expected = exp.wants[want]
    return StepRow(state, event, expected.index, expected.tool or None, diffs, findings)


def _against(pairing: Pairing, place: int, call: int) -> tuple[Diff, ...]:
    """All places of a call's arguments against a want that has some."""
    found = pairing.diffs(place, call)
    if found is not SAME:
        return tuple(found)
    expected = pairing.exp.wants[place].args
    return (Diff("", "same", expected, pairing.view.calls[call].arguments),) if expected else ()


# -- observations ------------------------------------------------------------------------------------------


def _groups(
    evaluator: Evaluator, judgement: Judgement, pairing: Pairing, final: tuple[Diff, ...]
) -> tuple[EvidenceGroup, ...]:
    """For an observation: each layer's evidence under its heading, the task outcome, what no rule judges, and
    what was needed to judge at all."""
    contract, run = evaluator.contract, pairing.view.run
    groups = []
    for rule, chooses in evaluator.layers:
        if rule.tool is None:
            (observed, said, why), *_ = layer_values(rule, chooses, pairing.view)
            state = _OF_LAYER[said]
            # "not between 200 and 299" says no more than the two sides do.
            plain = said == "accept" or (why.startswith("not ") and rule.test[0] != "json_schema")
            diff = Diff(pointer(*rule.at), state, rule_words(rule), observed, None, None if plain else why)
            groups.append(EvidenceGroup(rule.group or "Layer", said, (diff,), rule.name, "layer"))
    groups.append(_outcome(judgement, contract.branches != (), final))
    decided = tuple(judgement.branch.when) if judgement.branch is not None else ()
    needed = _needed(evaluator, run)
    explained = {d.path.split("/")[1] for g in groups for d in (*g.diffs, *needed) if d.path}
    explained |= {pointer(name.split(".")[0])[1:] for name in decided}
    named = (contract.cases.id, contract.cases.label, contract.cases.title, "run_id", "trial")
    others = tuple(
        [
            Diff(pointer(k), "uncompared", MISSING, v)
            for k, v in run.final.items()
            if k not in named and pointer(k)[1:] not in explained
        ]
    )
    if others:
        undecided = contract.branches and judgement.branch is None
        why = "recorded; no branch was chosen to judge it" if undecided else "recorded, and judged by no rule"
        groups.append(EvidenceGroup("Explanation", "", others, why, "recorded"))
    if needed:
        seen = "unknown" if any(d.state == "unknown" for d in needed) else "pass"
        groups.append(EvidenceGroup("Observability", seen, needed, "required evidence", "required"))
    return tuple(groups)


_OF_LAYER: dict[str, DiffState] = {
    "accept": "same",
    "reject": "changed",
    "unknown": "unknown",
    "n/a": "uncompared",
}


def _outcome(judgement: Judgement, branching: bool, final: tuple[Diff, ...]) -> EvidenceGroup:
    """The group that the verdict is of, with what keeps it from being known."""
    verdict = judgement.result.checks.get(FINAL, "n/a")
    shown_at = {d.path for d in final}
    lacking = tuple(
        [
            f
            for f in judgement.result.findings
            if f.check == FINAL and f.kind == "evidence" and (f.path is None or f.path not in shown_at)
        ]
    )
    branch = judgement.branch
    text = ""
    if branch is not None:
        held = ", ".join([f"{name} is {jsontext.show(value)}" for name, value in branch.when.items()])
        text = f"branch {branch.name}: {held}" if held else f"branch {branch.name}"
    elif branching and not lacking:
        text = "no branch of the contract applies"
    return EvidenceGroup("Task outcome", verdict, final, text, "outcome", lacking)


def _needed(evaluator: Evaluator, run: Run) -> tuple[Diff, ...]:
    """The required evidence: what is there, and of what is not why."""
    needed = []
    for path in evaluator.contract.evidence.required:
        value, gone = reach(run.final, path, evaluator.marks)
        lacks = gone or ("is null" if value is None else "not recorded" if value is MISSING else None)
        state: DiffState = "unknown" if lacks else "uncompared"
        note = f"required, {lacks}" if lacks else "required"
        needed.append(Diff(pointer(*path), state, MISSING, value, None, note))
    return tuple(needed)


def evidence(run: Run, *, observation: bool = False) -> tuple[tuple[str, str], ...]:
    """Per run, in words: were arguments captured, statuses known, is the state known, is the run complete?
    Of an observation only the last can be asked."""
    complete = ("complete", "yes" if run.complete else f"no: {run.incomplete_why or 'part of it is lost'}")
    if observation:
        return (complete,)
    calls = [e for e in run.events if e.tool_name is not None]
    n = len(calls)
    captured = sum([e.args_state != "absent" for e in calls])
    known = sum([e.status is not None for e in calls])
    state = run.final.get("state_after", MISSING)
    return (
        ("arguments", f"captured for {captured} of {n} calls" if n else "no calls"),
        ("statuses", f"known for {known} of {n} calls" if n else "no calls"),
        ("state", "not recorded" if state is MISSING else "null" if state is None else "known"),
        complete,
    )
