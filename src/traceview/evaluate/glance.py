"""What of a run can be seen at a glance to keep its contract: most checks of most runs do.

A glance may miss that a check holds, but never says so of one that does not: what it can't see is left to the
full judgement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traceview.contract.spec import Contract
from traceview.evaluate.evidence import reach
from traceview.evaluate.expect import Expectation
from traceview.evaluate.values import same
from traceview.evaluate.view import OK_WORDS
from traceview.model import Calls, CheckVerdict, Run

# What was seen to hold; what an expectation says nothing of counts as held.
SEQUENCE, ARGUMENTS, STATUSES, LIMITS, FINAL = 1, 2, 4, 8, 16
ALL = SEQUENCE | ARGUMENTS | STATUSES | LIMITS | FINAL


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
        self._passes: dict[tuple[bool, ...], dict[str, CheckVerdict]] = {}

    def held(self, exp: Expectation, calls: Calls) -> int:
        """The checks that the run plainly keeps: it makes exactly the wanted calls, with exactly the wanted
        values, all of them succeed, it makes as many as it may, it ends as wanted."""
        if not (exp.order or exp.compares or exp.status_ok or exp.limits or exp.final):
            return 0  # nothing was expected
        if exp.by_place or exp.by_tool is not None or exp.statuses:
            return 0
        ok = self._ok.issuperset(calls.statuses)
        if not ok and exp.order is not None and exp.order.calls == "ok":
            return 0
        tools = calls.tools
        in_step = tools == exp.wanted_tools
        held = STATUSES if ok else 0  # asked for or not: a run with an error is no run to pass over
        if in_step or exp.order is None:
            held |= SEQUENCE
        if not exp.compares or (in_step and exp.plain and _equal_arguments(exp, calls)):
            held |= ARGUMENTS
        if (in_step and ok and exp.modest) or all(
            (ok or counted.rule.status is None) and counted.allows(tools) for counted in exp.limits
        ):
            held |= LIMITS
        if not exp.final or _ends_as_wanted(exp, calls.final):
            held |= FINAL
        return held

    def verdicts(self, exp: Expectation) -> dict[str, CheckVerdict]:
        """What every check says of a run that plainly keeps everything."""
        key = (
            exp.order is not None,
            exp.compares,
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


def calls_of(run: Run) -> Calls | None:
    """The calls of a run to which there is no more than them, None for any other run."""
    events = run.events
    if not events or not run.complete or run.problem is not None:
        return None
    tools = []
    for event in events:
        if event.actor != "assistant" or event.tool_name is None:
            return None
        tools.append(event.tool_name)
    return Calls(
        tuple(tools),
        tuple([event.status for event in events]),
        tuple([event.arguments for event in events]),
        run.final,
    )


def _equal_arguments(exp: Expectation, calls: Calls) -> bool:
    compared = False
    for arguments, want in zip(calls.arguments, exp.wants, strict=True):
        args = want.args
        if args is not None:
            # what is no object, or was not recorded, is not the same as any
            if not same(args, arguments):
                return False
            compared = True
    return compared


def _ends_as_wanted(exp: Expectation, final: Mapping[str, Any]) -> bool:
    for item in exp.final:
        value = final.get(item.path[0]) if len(item.path) == 1 else reach(final, item.path)[0]
        if value is None or not same(item.expected, value):
            return False
    return True
