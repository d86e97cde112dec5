"""Runs that can be seen at a glance to keep a contract: most runs of most suites do.

It may say no of a run that passes, but never yes of one that does not: what can't be seen at a glance is left
to the full judgement.
"""

from __future__ import annotations

from traceview.contract.spec import Contract
from traceview.evaluate.evidence import reach
from traceview.evaluate.expect import Expectation
from traceview.evaluate.values import same
from traceview.evaluate.view import OK_WORDS
from traceview.model import CheckVerdict, Run


def allows_glance(contract: Contract) -> bool:
    """Whether the contract is of the kind that can be checked at a glance."""
    rules, evidence = contract.rules, contract.evidence
    return not (
        contract.branches
        or contract.layers
        or rules.forbids
        or rules.steps_from
        or evidence.required
        or evidence.redacted
        or evidence.cut
        or any(step.after for step in rules.steps or ())
        or (rules.order is not None and rules.order.accept is not None)
        or any(limit.same is not None or limit.status not in (None, "ok") for limit in rules.limits or ())
    )


class Glance:
    """Looks at the runs of one contract."""

    def __init__(self, contract: Contract, checks: tuple[str, ...]) -> None:
        status = contract.rules.status
        self._ok = frozenset(status.ok if status is not None and status.ok is not None else OK_WORDS)
        self._checks = checks
        self._passes: dict[tuple[bool, bool, bool, bool, bool], dict[str, CheckVerdict]] = {}

    def keeps(self, exp: Expectation, run: Run) -> bool:
        """Whether the run makes exactly the wanted calls with exactly the wanted values, and ends as
        wanted."""
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
        for item in exp.final:
            value = final.get(item.path[0]) if len(item.path) == 1 else reach(final, item.path)[0]
            if value is None or not same(item.expected, value):
                return False
        for counted in exp.limits:
            rule, chooses = counted.rule, counted.chooses
            made = sum([chooses(want.tool) for want in wants])
            least = rule.exactly if rule.exactly is not None else rule.at_least
            most = rule.exactly if rule.exactly is not None else rule.at_most
            if (least is not None and made < least) or (most is not None and made > most):
                return False
        return True

    def verdicts(self, exp: Expectation) -> dict[str, CheckVerdict]:
        """What every check says of a run that plainly keeps everything."""
        compared = [want for want in exp.wants if want.args is not None]
        key = (
            exp.order is not None,
            bool(compared),
            exp.status_ok is not None,
            bool(exp.limits),
            bool(exp.final),
        )
        known = self._passes.get(key)
        if known is None:
            names = ("sequence_ok", "arguments_ok", "tools_succeeded", "", "final_state_ok")
            speaks = {name for name, said in zip(names, key, strict=True) if said}
            speaks.update([counted.rule.name for counted in exp.limits])
            known = self._passes[key] = {name: "pass" if name in speaks else "n/a" for name in self._checks}
        return known
