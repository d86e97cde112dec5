"""Which checks a contract makes, and which labels its failures can have."""

from __future__ import annotations

from collections.abc import Mapping

from traceview.contract.rules import merged
from traceview.contract.spec import Contract, Limit, Rules

__all__ = ["LABELS", "check_names", "labels", "scopes"]

# The label of a run whose diagnosis comes from this check. A limit has two labels of its own.
LABELS: Mapping[str, str] = {
    "sequence_ok": "wrong_sequence",
    "arguments_ok": "wrong_arguments",
    "tools_succeeded": "tool_error",
    "forbidden_ok": "forbidden_call",
    "final_state_ok": "wrong_final_state",
}
# The check that the column ``write_tools`` makes, as the limit that it is.
SINGLE_WRITE = Limit("single_write", exactly=1, status="ok")
_DESCRIBED = {
    "expected_sequence": "sequence_ok",
    "expected_arguments": "arguments_ok",
    "write_tools": "single_write",
    "expected_final_state": "final_state_ok",
    "expected_run_outcome": "final_state_ok",
}


def scopes(contract: Contract) -> tuple[Rules, ...]:
    """The rules that can apply to a run: those of each branch; without branches the contract's own."""
    return tuple(merged(contract.rules, branch.rules) for branch in contract.branches) or (contract.rules,)


def check_names(contract: Contract) -> tuple[str, ...]:
    """Every check that the contract makes for some case, in the order of the report."""
    made = _described(contract) if contract.described else _made(contract)
    limits = [limit.name for limit in _limits(contract)]
    order = ("sequence_ok", "arguments_ok", "tools_succeeded", *limits, "forbidden_ok", "final_state_ok")
    return tuple(dict.fromkeys(name for name in order if name in made))


def labels(contract: Contract) -> tuple[str, ...]:
    """Every label that a failing run can have, in the default order of priority."""
    made = check_names(contract)
    limits = _limits(contract)
    over = [limit.over for limit in limits if limit.exactly is not None or limit.at_most is not None]
    under = [limit.under for limit in limits if limit.exactly is not None or limit.at_least is not None]
    first = [LABELS[name] for name in ("forbidden_ok", "sequence_ok") if name in made]
    last = [LABELS[name] for name in ("arguments_ok", "tools_succeeded", "final_state_ok") if name in made]
    return tuple(dict.fromkeys((*over, *first, *under, *last)))


def _limits(contract: Contract) -> tuple[Limit, ...]:
    if contract.described:
        return (SINGLE_WRITE,) if "write_tools" in contract.described_columns else ()
    return tuple(limit for rules in scopes(contract) for limit in rules.limits or ())


def _described(contract: Contract) -> set[str]:
    # Without a column of statuses all must be "ok": this check is made whatever the columns are.
    return {"tools_succeeded", *(_DESCRIBED.get(column, "") for column in contract.described_columns)}


def _made(contract: Contract) -> set[str]:
    made: set[str] = set()
    for rules in scopes(contract):
        if rules.order is not None or rules.steps or rules.steps_from:
            made.add("sequence_ok")
        if rules.steps_from or any(step.args is not None for step in rules.steps or ()):
            made.add("arguments_ok")
        if rules.status is not None and rules.status.ok is not None:
            made.add("tools_succeeded")
        made.update(limit.name for limit in rules.limits or ())
        if rules.forbids:
            made.add("forbidden_ok")
        if rules.final is not None and rules.final.items:
            made.add("final_state_ok")
    return made
