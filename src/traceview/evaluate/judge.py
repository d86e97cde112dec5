"""The one place where a verdict comes from: a pure function of contract, case and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from traceview.contract.casts import Bound, binder
from traceview.contract.names import LABELS, check_names
from traceview.contract.rules import merged
from traceview.contract.spec import Branch, Contract
from traceview.evaluate import described
from traceview.evaluate.arguments import arguments
from traceview.evaluate.calls import FORBIDDEN, STATUS, forbidden, limit, statuses
from traceview.evaluate.expect import Expectation, RulesPlan
from traceview.evaluate.final import CRASHED, final_state
from traceview.evaluate.kinds import Marks
from traceview.evaluate.layers import layer
from traceview.evaluate.order import sequence
from traceview.evaluate.pairing import OK_WORDS, Pairing, RunView
from traceview.evaluate.select import selected
from traceview.evaluate.values import at_path, pointer, same
from traceview.model import MISSING, Case, CheckVerdict, Finding, LayerVerdict, Run, RunResult, RunVerdict

_SHARED = 10_000  # tuples kept for sharing
_NO_LAYERS: dict[str, LayerVerdict] = {}
_NOTHING: Expectation = Expectation(None, (), None, None, (), (), ())


class Expected(Struct, frozen=True, gc=False):
    """One case made ready: its cast cells, or why it can't be used; what it expects where no branch decides."""

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
        self.marks = Marks(frozenset(contract.evidence.redacted), contract.evidence.cut)
        self._bind: Callable[[Case], Bound] = binder(contract, json_cases=json_cases)
        self._plan = RulesPlan(contract, contract.rules)
        self._branches = [
            (branch, RulesPlan(contract, merged(contract.rules, branch.rules)))
            for branch in contract.branches
        ]
        self._rank = {label: place for place, label in enumerate(contract.priority)}
        self._shared: dict[tuple[str, ...], dict[str, CheckVerdict]] = {}
        self._shared_layers: dict[tuple[str, ...], dict[str, LayerVerdict]] = {}
        self._tools: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._statuses: dict[tuple[str | None, ...], tuple[str, ...]] = {}
        self._last: Expected | None = None
        rules, evidence = contract.rules, contract.evidence
        # Contracts for which a run can be seen to keep everything at a glance (most runs of most suites do).
        self._quick = not (
            contract.branches
            or contract.layers
            or rules.forbids
            or rules.steps_from
            or evidence.required
            or evidence.redacted
            or evidence.cut
            or any(step.after for step in rules.steps or ())
            or (rules.order is not None and rules.order.accept is not None)
            or any(limit.same is not None for limit in rules.limits or ())
        )
        self._passes: dict[tuple[bool, bool, bool, bool, bool], dict[str, CheckVerdict]] = {}
        self._ok = frozenset(
            contract.rules.status.ok
            if contract.rules.status is not None and contract.rules.status.ok is not None
            else OK_WORDS
        )

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
        expectation = None if self._branches else self._plan.expectation(bound.values, case)
        return Expected(case, bound.values, None, expectation)

    # -- results that need no judging ----------------------------------------------------------------------

    def without_run(self, case: Case) -> RunResult:
        """The result of a case of which nothing was recorded."""
        problem = self.expected(case).problem
        verdict: RunVerdict = "unusable" if problem is not None else "no_trace"
        return RunResult(
            case.case_id,
            None,
            None,
            verdict,
            verdict,
            {},
            {},
            (),
            verdict,
            True,
            False,
            0,
            (),
            _note(problem),
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
            self._troubled(run),
            sum(e.tool_name is not None for e in run.events),
            self._tools_of(run),
            (why, *run.notes),
            run.recorded,
            self._statuses_of(run),
        )

    # -- judging -------------------------------------------------------------------------------------------

    def judge(self, case: Case, run: Run) -> RunResult:
        """The result of one run of one case."""
        expectation = self.expected(case).expectation
        if self._quick and expectation is not None and self._plainly_keeps(expectation, run):
            return RunResult(
                run.case_id,
                run.run_id,
                run.trial,
                "pass",
                "pass",
                self._all_pass(expectation),
                _NO_LAYERS,
                (),
                None,
                True,
                False,
                len(run.events),
                self._tools_of(run),
                run.notes,
                run.recorded,
                self._statuses_of(run),
            )
        return self.judgement(case, run).result

    def judgement(self, case: Case, run: Run) -> Judgement:
        """The result of one run of one case, with the pairing that it rests on."""
        expected = self.expected(case)
        why = expected.problem if expected.problem is not None else run.problem
        if why is not None:
            return Judgement(self.unusable(run, why), None)
        branch, expectation, undecided = self._choose(expected, run)
        view = RunView(self.contract, run, expectation)
        pairing = Pairing(expectation, view, self.marks)
        lacking = self._lacking(run)
        blind = lacking or undecided
        verdicts: dict[str, CheckVerdict]
        labels: dict[str, str | None] = {}
        if blind is not None:
            findings = [blind]
            verdicts = dict.fromkeys(self.checks, "unknown")
        else:
            verdicts, labels, findings = self._check(expected, pairing)
        said = list(verdicts.values())
        notes = run.notes
        if "fail" in said:
            verdict: RunVerdict = "fail"
        elif "unknown" in said:
            verdict = "unknown"
        elif "pass" in said and not (self._branches and branch is None):
            verdict = "pass"
            if not view.calls and self._crashed(run, expectation):
                verdict = "unknown"
                message = f"the run ended as {run.final.get('run_outcome')} before it made a call: nothing shows that none was due"
                findings.append(
                    Finding(
                        "",
                        None,
                        None,
                        "/run_outcome",
                        "evidence",
                        MISSING,
                        run.final.get("run_outcome"),
                        message,
                    )
                )
        else:
            verdict = "unknown"
            message = (
                "no branch of the contract applies"
                if self._branches
                else "no check applies: nothing was expected"
            )
            findings.append(Finding("", None, None, None, "evidence", MISSING, MISSING, message))
        if expectation.user_actions:
            notes = (*notes, f"{expectation.user_actions} expected actions of the user are not checked")
        diagnosis, signature = self._diagnose(verdict, verdicts, labels, findings)
        result = RunResult(
            run.case_id,
            run.run_id,
            run.trial,
            verdict,
            diagnosis,
            self._share(verdicts),
            self._layers(view),
            tuple(findings),
            signature,
            run.complete,
            self._troubled(run),
            len(view.calls) + view.user_calls,
            self._tools_of(run),
            notes,
            run.recorded,
            self._statuses_of(run),
        )
        return Judgement(result, pairing, branch)

    def _plainly_keeps(self, exp: Expectation, run: Run) -> bool:
        """Whether the run makes exactly the wanted calls with exactly the wanted values, and ends as wanted.

        It may say False of a run that passes, but never True of one that does not: what it can't see at a
        glance is left to :meth:`judgement`.
        """
        events, wants, ok = run.events, exp.wants, self._ok
        if len(events) != len(wants) or not events or not run.complete or run.problem is not None:
            return False
        if exp.by_place or exp.by_tool is not None or exp.statuses:
            return False
        for event, want in zip(events, wants, strict=True):
            if event.tool_name != want.tool or event.status not in ok or event.actor != "assistant":
                return False
            args = want.args
            if args is not None and not (
                want.plain and event.args_state == "object" and same(args, event.arguments)
            ):
                return False
        final = run.final
        for path, expected in exp.final:
            value = final.get(path[0]) if len(path) == 1 else at_path(final, path)
            if value is None or not same(expected, value):
                return False
        for rule in exp.limits:
            made = sum([selected(self.contract.tools, want.tool, rule.tool, rule.effect) for want in wants])
            if rule.status is not None and rule.status != "ok":
                return False
            least = rule.exactly if rule.exactly is not None else rule.at_least
            most = rule.exactly if rule.exactly is not None else rule.at_most
            if (least is not None and made < least) or (most is not None and made > most):
                return False
        return True

    def _all_pass(self, exp: Expectation) -> dict[str, CheckVerdict]:
        """The verdicts of a run that plainly keeps everything."""
        compared = any([want.args is not None for want in exp.wants])
        key = (exp.order is not None, compared, exp.status_ok is not None, bool(exp.limits), bool(exp.final))
        known = self._passes.get(key)
        if known is None:
            made = {name: "n/a" for name in self.checks}
            for name, speaks in (
                ("sequence_ok", key[0]),
                ("arguments_ok", key[1]),
                (STATUS, key[2]),
                ("final_state_ok", key[4]),
            ):
                if speaks:
                    made[name] = "pass"
            made.update({rule.name: "pass" for rule in exp.limits})
            known = self._passes[key] = self._share({name: made[name] for name in self.checks})  # type: ignore[misc]
        return known

    def _check(
        self, expected: Expected, pairing: Pairing
    ) -> tuple[dict[str, CheckVerdict], dict[str, str | None], list[Finding]]:
        """Every check of the contract: its verdict, its label where it fails, and all findings in order."""
        exp = pairing.exp
        verdicts: dict[str, CheckVerdict] = dict.fromkeys(self.checks, "n/a")
        labels: dict[str, str | None] = {}
        findings: list[Finding] = []

        def said(name: str, verdict: CheckVerdict, found: list[Finding]) -> None:
            if name in verdicts:
                verdicts[name] = verdict
                findings.extend(found)

        if exp.order is not None:
            said("sequence_ok", *sequence(pairing))
        if "arguments_ok" in verdicts:
            said("arguments_ok", *arguments(pairing))
        if exp.status_ok is not None:
            said(STATUS, *statuses(pairing))
        for rule in exp.limits:
            verdict, label, found = limit(pairing, rule)
            before = verdicts.get(rule.name, "n/a")
            said(rule.name, _worse(before, verdict), found)
            if label is not None:
                labels[rule.name] = labels.get(rule.name) or label
        if exp.forbids:
            said(FORBIDDEN, *forbidden(pairing, expected.values))
        if exp.final:
            said("final_state_ok", *final_state(exp, pairing.view.run, self.marks, pairing.view.complete))
        return verdicts, labels, findings

    def _choose(self, expected: Expected, run: Run) -> tuple[Branch | None, Expectation, Finding | None]:
        """The branch that applies, what is then expected, and a finding where no branch can be decided."""
        if not self._branches:
            return None, expected.expectation or _NOTHING, None
        for branch, plan in self._branches:
            holds: bool | None = True
            for name, wanted in branch.when.items():
                value = expected.values.get(name, MISSING)
                if value is MISSING:
                    value = at_path(run.final, tuple(name.split(".")))
                if value is MISSING or value is None or self.marks.why(value) is not None:
                    if wanted is None and value is None:
                        continue
                    message = f"branch {branch.name} can't be decided: {name} is not known"
                    return (
                        None,
                        _NOTHING,
                        Finding(
                            "", None, None, pointer(*name.split(".")), "evidence", wanted, value, message
                        ),
                    )
                holds = holds and same(wanted, value)
            if holds:
                return branch, plan.expectation(expected.values, expected.case), None
        return None, self._plan.expectation(expected.values, expected.case), None

    def _lacking(self, run: Run) -> Finding | None:
        """Required evidence that is not there."""
        for path in self.contract.evidence.required:
            value = at_path(run.final, path)
            name = ".".join(path)
            if value is MISSING or value is None or self.marks.why(value) is not None:
                what = (
                    "is not recorded" if value is MISSING else "is null" if value is None else "is redacted"
                )
                message = f"required evidence is missing: {name} {what}"
                return Finding("", None, None, pointer(*path), "evidence", MISSING, value, message)
        return None

    def _crashed(self, run: Run, exp: Expectation) -> bool:
        outcome = run.final.get("run_outcome")
        if not isinstance(outcome, str) or outcome.casefold() not in CRASHED:
            return False
        return not any(path == ("run_outcome",) for path, _ in exp.final)

    def _diagnose(
        self,
        verdict: RunVerdict,
        verdicts: Mapping[str, CheckVerdict],
        labels: Mapping[str, str | None],
        findings: list[Finding],
    ) -> tuple[str, str | None]:
        """The diagnosis by priority, and the signature of its first finding."""
        if verdict == "pass":
            return "pass", None
        if verdict == "unknown":
            check = next((name for name, said in verdicts.items() if said == "unknown"), None)
            first = next((f for f in findings if f.check in (check, "")), None)
            return "not_observable", signature(first) if first else "not_observable"
        failing = [
            (self._rank.get(label, len(self._rank)), place, label, name)
            for place, (name, said) in enumerate(verdicts.items())
            if said == "fail"
            for label in (labels.get(name) or LABELS[name],)
        ]
        _, _, label, name = min(failing)
        first = next(f for f in findings if f.check == name and f.kind != "evidence")
        return label, signature(first)

    # -- what results share --------------------------------------------------------------------------------

    def _share(self, verdicts: dict[str, CheckVerdict]) -> dict[str, CheckVerdict]:
        key = tuple(verdicts.values())
        return self._shared.setdefault(key, verdicts)

    def _layers(self, view: RunView) -> dict[str, LayerVerdict]:
        if not self.contract.layers:
            return _NO_LAYERS
        said = {rule.name: layer(rule, view, self.marks) for rule in self.contract.layers}
        return self._shared_layers.setdefault(tuple(said.values()), said)

    def _tools_of(self, run: Run) -> tuple[str, ...]:
        """The distinct tools of a run; runs with the same calls share one tuple."""
        called = tuple([e.tool_name for e in run.events if e.tool_name is not None])
        known = self._tools.get(called)
        if known is None:
            known = tuple(dict.fromkeys(called))
            if len(self._tools) < _SHARED:
                self._tools[called] = known
        return known

    def _statuses_of(self, run: Run) -> tuple[str, ...]:
        """The distinct statuses of a run, shared likewise."""
        said = tuple([e.status for e in run.events])
        known = self._statuses.get(said)
        if known is None:
            known = tuple(dict.fromkeys([status for status in said if status is not None]))
            if len(self._statuses) < _SHARED:
                self._statuses[said] = known
        return known

    def _troubled(self, run: Run) -> bool:
        """Whether a tool, or the request of an observation, reported an error."""
        for event in run.events:
            if event.status is not None and event.status not in self._ok and event.tool_name is not None:
                return True
        if not run.events:
            return any(
                isinstance(code, int) and code >= 400
                for code in (run.final.get(k) for k in ("http", "http_status", "status_code"))
            )
        return False


def signature(f: Finding) -> str:
    """ "check tool pointer kind", list indexes as ``*``: what groups failures of one kind."""
    parts = [f.check, f.tool]
    if f.path:
        parts.append("/".join("*" if key.isdigit() else key for key in f.path.split("/")))
    parts.append(f.kind)
    return " ".join(part for part in parts if part)


def _worse(a: CheckVerdict, b: CheckVerdict) -> CheckVerdict:
    order: tuple[CheckVerdict, ...] = ("n/a", "pass", "unknown", "fail")
    return a if order.index(a) >= order.index(b) else b


def _note(text: str | None) -> tuple[str, ...]:
    return (text,) if text is not None else ()
