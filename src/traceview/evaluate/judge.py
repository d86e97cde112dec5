"""The one place where a verdict comes from: a pure function of contract, case and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from traceview.contract.casts import Bound, binder
from traceview.contract.names import LABELS, check_names
from traceview.contract.rules import merged
from traceview.contract.spec import Branch, Contract
from traceview.evaluate import described
from traceview.evaluate.arguments import arguments
from traceview.evaluate.branches import Branches
from traceview.evaluate.choosing import Chooser
from traceview.evaluate.evidence import marks_of, reach
from traceview.evaluate.expect import NOTHING, Expectation, RulesPlan
from traceview.evaluate.final import final_state
from traceview.evaluate.forbidden import forbidden
from traceview.evaluate.glance import (
    ALL,
    ARGUMENTS,
    FINAL,
    LIMITS,
    SEQUENCE,
    STATUSES,
    Glance,
    allows_glance,
    calls_of,
)
from traceview.evaluate.layers import layer
from traceview.evaluate.limits import limit
from traceview.evaluate.order import sequence
from traceview.evaluate.outcome import crashed, troubled
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.statuses import attempt_notes, statuses
from traceview.evaluate.values import pointer
from traceview.evaluate.view import RunView
from traceview.model import (
    MISSING,
    Calls,
    Case,
    CheckVerdict,
    Finding,
    LayerVerdict,
    Run,
    RunResult,
    RunVerdict,
)

_SHARED = 20_000  # tuples kept for sharing
_PASSES: tuple[CheckVerdict, list[Finding]] = ("pass", [])
_NO_LAYERS: dict[str, LayerVerdict] = {}
# Checks that say that something did not happen; the final evidence and arguments say what did.
_SEEN = ("arguments_ok", "final_state_ok")


class Expected(Struct, frozen=True, gc=False):
    """One case made ready: its cast cells, or why it can't be used; what it expects where no branch
    decides."""

    case: Case
    values: Mapping[str, Any]
    problem: str | None
    expectation: Expectation | None


class Judgement(Struct, frozen=True, gc=False):
    """A verdict with all that led to it, for explaining it. ``pairing`` None: the run was not judged."""

    result: RunResult
    pairing: Pairing | None
    branch: Branch | None = None


class Evaluator:
    """A contract made ready to judge runs. ``checks`` are the names of its checks in the report's order.

    :param json_cases: the cases come from a JSON file, so that cells may hold values already.
    """

    def __init__(self, contract: Contract, *, json_cases: bool = False) -> None:
        self.contract = contract
        self.checks = check_names(contract)
        self.marks = marks_of(contract.evidence)
        self.layers = [(rule, Chooser(contract.tools, rule.tool)) for rule in contract.layers]
        self._bind: Callable[[Case], Bound] = binder(contract, json_cases=json_cases)
        self._plan = RulesPlan(contract, contract.rules)
        self._branches = Branches(
            [(b, RulesPlan(contract, merged(contract.rules, b.rules))) for b in contract.branches],
            self.marks,
            contract.evidence.absence,
        )
        self._rank = {label: place for place, label in enumerate(contract.priority)}
        self._glance = Glance(contract, self.checks) if allows_glance(contract) else None
        self._last: Expected | None = None
        self._shared: dict[tuple[str, ...], dict[str, CheckVerdict]] = {}
        self._shared_layers: dict[tuple[str, ...], dict[str, LayerVerdict]] = {}
        self._words: dict[tuple[str | None, ...], tuple[str, ...]] = {}

    # -- the case ------------------------------------------------------------------------------------------

    def expected(self, case: Case) -> Expected:
        """The case with its cells cast and its templates filled; the last one is kept for its other runs."""
        last = self._last
        if last is not None and last.case is case:
            return last
        self._last = made = self._expected(case)
        return made

    def _expected(self, case: Case) -> Expected:
        if case.problem is not None:
            return Expected(case, {}, case.problem, None)
        bound = self._bind(case)
        if bound.problem is not None:
            return Expected(case, {}, bound.problem, None)
        if bound.described is not None:
            problem = described.mismatch(bound.described)
            expectation = described.expectation(bound.described) if problem is None else None
            return Expected(case, {}, problem, expectation)
        expectation = None if self.contract.branches else self._plan.expectation(bound.values, case)
        return Expected(case, bound.values, None, expectation)

    # -- results that need no judging ----------------------------------------------------------------------

    def without_run(self, case: Case) -> RunResult:
        """The result of a case of which nothing was recorded."""
        problem = self.expected(case).problem
        verdict: RunVerdict = "unusable" if problem is not None else "no_trace"
        notes = (problem,) if problem is not None else ()
        return RunResult(
            case.case_id, None, None, verdict, verdict, {}, {}, (), verdict, True, False, 0, (), notes
        )

    def unusable(self, run: Run, why: str) -> RunResult:
        """The result of a run that is broken, or whose case is."""
        return RunResult(
            run.case_id,
            run.run_id,
            run.trial,
            "unusable",
            "unusable",
            {},
            {},
            (),
            "unusable",
            run.complete,
            troubled(RunView(self.contract, run, NOTHING, self.marks)),
            sum([e.tool_name is not None for e in run.events]),
            self._tools_of(run),
            (why, *run.notes),
            run.recorded,
            self._statuses_of(run),
        )

    # -- judging -------------------------------------------------------------------------------------------

    def judge(self, case: Case, run: Run) -> RunResult:
        """The result of one run of one case."""
        held = 0
        if self._glance is not None:
            calls = calls_of(run)
            if calls is not None:
                held, result = self.glance(case, (run.case_id, run.run_id, run.trial), calls)
                if result is not None:
                    return replace(result, notes=run.notes, recorded=run.recorded)
        return self.judgement(case, run, held).result

    def glance(
        self, case: Case, key: tuple[str, str | None, str | None], calls: Calls
    ) -> tuple[int, RunResult | None]:
        """What can be seen of a run from its calls alone: the checks that hold, for :meth:`judgement`, and
        the result of one that passes.

        :param key: case id, run id and trial of the run.
        """
        glance = self._glance
        expectation = self.expected(case).expectation
        if glance is None or expectation is None:
            return 0, None
        held = glance.held(expectation, calls)
        if held != ALL:
            return held, None
        return held, RunResult(
            *key,
            "pass",
            "pass",
            glance.verdicts(expectation),
            _NO_LAYERS,
            (),
            None,
            True,
            False,
            len(calls.tools),
            self._distinct(calls.tools),
            statuses=self._distinct(calls.statuses),
        )

    def judgement(self, case: Case, run: Run, held: int = 0, *, whole: bool = False) -> Judgement:
        """The result of one run of one case, with the pairing that it rests on.

        :param held: checks that were seen at a glance to hold.
        :param whole: the pairing is to tell what is equal too.
        """
        expected = self.expected(case)
        why = expected.problem if expected.problem is not None else run.problem
        if why is not None:
            return Judgement(self.unusable(run, why), None)
        branch, expectation, blind = None, expected.expectation or NOTHING, self._lacking(run)
        if self.contract.branches:
            branch, plan, undecided = self._branches.choose(expected.values, case.cells, run)
            expectation = plan.expectation(expected.values, case) if plan is not None else NOTHING
            blind += undecided
        view = RunView(self.contract, run, expectation, self.marks)
        pairing = Pairing(expectation, view, self.contract.tools, whole=whole)
        labels: dict[str, str] = {}
        if blind:
            findings = [self._unseen(message, path, value) for message, path, value in blind]
            verdicts: dict[str, CheckVerdict] = dict.fromkeys(self.checks, "unknown")
        else:
            verdicts, labels, findings = self._check(expected, pairing, held)
        said = verdicts.values()
        verdict: RunVerdict = "unknown"
        if "fail" in said:
            verdict = "fail"
        elif "unknown" not in said and "pass" in said:
            verdict = "pass"
        elif not findings:
            none = "no branch of the contract applies" if self.contract.branches and branch is None else ""
            findings.append(self._unseen(none or "no check applies: nothing was expected"))
        diagnosis, signature = self._diagnose(verdict, verdicts, labels, findings)
        result = RunResult(
            run.case_id,
            run.run_id,
            run.trial,
            verdict,
            diagnosis,
            self._shared.setdefault(tuple(said), verdicts),
            self._layers(view),
            tuple(findings),
            signature,
            run.complete,
            troubled(view),
            sum([e.tool_name is not None for e in run.events]),
            self._tools_of(run),
            self._notes(pairing),
            run.recorded,
            self._statuses_of(run),
        )
        return Judgement(result, pairing, branch)

    def _check(
        self, expected: Expected, pairing: Pairing, held: int
    ) -> tuple[dict[str, CheckVerdict], dict[str, str], list[Finding]]:
        """Every check of the contract: its verdict, its label where it fails, and all findings in order."""
        exp = pairing.exp
        verdicts: dict[str, CheckVerdict] = dict.fromkeys(self.checks, "n/a")
        labels: dict[str, str] = {}
        findings: list[Finding] = []
        if exp.order is not None:
            verdicts["sequence_ok"], found = _PASSES if held & SEQUENCE else sequence(pairing)
            findings += found
        if exp.compares:
            verdicts["arguments_ok"], found = _PASSES if held & ARGUMENTS else arguments(pairing)
            findings += found
        if exp.status_ok is not None:
            verdicts["tools_succeeded"], found = _PASSES if held & STATUSES else statuses(pairing)
            findings += found
        for counted in exp.limits:
            name = counted.rule.name
            if held & LIMITS:
                verdicts[name] = "pass"
                continue
            verdict, label, found = limit(pairing, counted)
            verdicts[name] = _worse(verdicts[name], verdict)
            if label is not None:
                labels[name] = min(label, labels.get(name, label), key=self._place)
            findings += found
        if exp.forbids:
            verdicts["forbidden_ok"], found = forbidden(pairing, expected.values, self.contract.cases.empty)
            findings += found
        if exp.final:
            verdicts["final_state_ok"], found = _PASSES if held & FINAL else final_state(pairing)
            findings += found
        if not pairing.view.calls and "fail" not in verdicts.values():
            self._look_for_crash(pairing, verdicts, findings)
        return verdicts, labels, findings

    def _look_for_crash(
        self, pairing: Pairing, verdicts: dict[str, CheckVerdict], findings: list[Finding]
    ) -> None:
        """A run that ended before it made a call shows nothing by having made none."""
        word = crashed(pairing)
        if word is None:
            return
        held = [name for name, said in verdicts.items() if said == "pass" and name not in _SEEN]
        for name in held:
            verdicts[name] = "unknown"
        message = f"the run ended as {word} before it made a call: nothing shows that none was due"
        check = held[0] if held else next(iter(verdicts), "")
        findings.append(Finding(check, None, None, "/run_outcome", "evidence", MISSING, word, message))

    def _unseen(self, message: str, path: str | None = None, value: Any = MISSING) -> Finding:
        """Evidence that the whole run lacks; it is told of the first check, since every check lacks it."""
        check = self.checks[0] if self.checks else ""
        return Finding(check, None, None, path, "evidence", MISSING, value, message)

    def _lacking(self, run: Run) -> list[tuple[str, str, Any]]:
        """Required evidence that is not there: what is said of it, where, and what was found."""
        out = []
        for path in self.contract.evidence.required:
            value, why = reach(run.final, path, self.marks)
            if why is not None:
                what = f"is {why}" if value is not MISSING else f"can't be seen: {why}"
            elif value is MISSING:
                what = "is not recorded"
            elif value is None:
                what = "is null"
            else:
                continue
            out.append((f"required evidence is missing: {'.'.join(path)} {what}", pointer(*path), value))
        return out

    def _notes(self, pairing: Pairing) -> tuple[str, ...]:
        notes = attempt_notes(pairing)
        actions = pairing.exp.user_actions
        if not notes and not actions:
            return pairing.view.run.notes
        if actions:
            what = (
                "1 expected action of the user is"
                if actions == 1
                else f"{actions} expected actions of the user are"
            )
            notes.append(f"{what} not checked")
        return (*pairing.view.run.notes, *notes)

    # -- the diagnosis -------------------------------------------------------------------------------------

    def _place(self, label: str) -> int:
        return self._rank.get(label, len(self._rank))

    def _diagnose(
        self,
        verdict: RunVerdict,
        verdicts: Mapping[str, CheckVerdict],
        labels: Mapping[str, str],
        findings: list[Finding],
    ) -> tuple[str, str | None]:
        """The diagnosis by priority, and the signature of the first finding of the check that gave it."""
        if verdict == "pass":
            return "pass", None
        if verdict == "unknown":
            check = next((name for name, said in verdicts.items() if said == "unknown"), findings[0].check)
            first = next((f for f in findings if f.check == check), findings[0])
            return "not_observable", signature(first)
        failing = [name for name, said in verdicts.items() if said == "fail"]
        name = failing[0]
        if len(failing) > 1:
            name = min(failing, key=lambda name: self._place(labels.get(name) or LABELS[name]))
        first = next(f for f in findings if f.check == name and f.kind != "evidence")
        return labels.get(name) or LABELS[name], signature(first)

    # -- what results share --------------------------------------------------------------------------------

    def _layers(self, view: RunView) -> dict[str, LayerVerdict]:
        if not self.layers:
            return _NO_LAYERS
        said = {rule.name: layer(rule, chooses, view) for rule, chooses in self.layers}
        return self._shared_layers.setdefault(tuple(said.values()), said)

    def _distinct(self, words: tuple[str | None, ...]) -> tuple[str, ...]:
        """The distinct words of a run (its tools, its statuses); runs with the same ones share one tuple."""
        known = self._words.get(words)
        if known is None:
            known = tuple(dict.fromkeys([word for word in words if word is not None]))
            if len(self._words) < _SHARED:
                self._words[words] = known
        return known

    def _tools_of(self, run: Run) -> tuple[str, ...]:
        return self._distinct(tuple([e.tool_name for e in run.events]))

    def _statuses_of(self, run: Run) -> tuple[str, ...]:
        return self._distinct(tuple([e.status for e in run.events]))


def signature(f: Finding) -> str:
    """ "check tool pointer kind", list indexes as ``*``: what groups failures of one kind."""
    parts = [f.check, f.tool]
    if f.path:
        parts.append("/".join(["*" if key.isdigit() else key for key in f.path.split("/")]))
    parts.append(f.kind)
    return " ".join([part for part in parts if part])


def _worse(a: CheckVerdict, b: CheckVerdict) -> CheckVerdict:
    order: tuple[CheckVerdict, ...] = ("n/a", "pass", "unknown", "fail")
    return a if order.index(a) >= order.index(b) else b
