"""What no single key of a contract can show: references between steps, cycles, branches never reached."""

from __future__ import annotations

from collections.abc import Sequence

from traceview.contract.columns import references
from traceview.contract.errors import quoted, unknown
from traceview.contract.names import check_names
from traceview.contract.rules import merged
from traceview.contract.spec import Contract, Rules, Step, StepRef
from traceview.contract.table import Place
from traceview.model import Number

__all__ = ["check"]


def check(contract: Contract) -> None:
    """Refuse a contract whose parts do not fit together."""
    top = Place(contract.source)
    parts = [(contract.rules, top)]
    parts += [(b.rules, top.key("branch").item(n)) for n, b in enumerate(contract.branches, 1)]
    # Ids of steps that a column brings are known only case by case.
    open_ids = any(rules.steps_from for rules, _ in parts)
    for rules, place in parts:
        _steps(rules.steps or (), place, open_ids)
    if not open_ids:
        # With branches the top-level sections hold only as parts of one.
        for rules, place in parts[1:] or parts[:1]:
            _uses_of_steps(contract.rules, rules, top, place)
    _branches(contract, top)
    checks = check_names(contract)
    for number, layer in enumerate(contract.layers, 1):
        if layer.name in checks:
            place = top.key("layer").item(number).key("name")
            raise place.error(f"{quoted(layer.name)} is the name of a check")


def _steps(steps: Sequence[Step], place: Place, open_ids: bool) -> None:
    ids = [step.id for step in steps if step.id is not None]
    before: list[str] = []
    for number, step in enumerate(steps, 1):
        at = place.key("step").item(number)
        for name, argument in (step.args or {}).items():
            for reference, where in references(argument, at.key("args").key(name)):
                if isinstance(reference, StepRef) and reference.step not in before:
                    _not_before(reference.step, step, ids, where, before, open_ids)
        for index, id_ in enumerate(step.after, 1):
            where = at.key("after").item(index)
            if id_ == step.id:
                raise where.error(f"the step {quoted(id_)} cannot come after itself")
            if id_ not in ids and not open_ids:
                raise where.error(unknown("step id", id_, ids, "ids"))
        if step.id is not None:
            before.append(step.id)
    _cycle(steps, place)


def _not_before(id_: str, step: Step, ids: list[str], at: Place, before: list[str], open_ids: bool) -> None:
    if id_ == step.id:
        raise at.error(f"the step {quoted(id_)} refers to its own result")
    if id_ in ids:
        raise at.error(f"the step {quoted(id_)} is defined later; a step can refer to earlier ones only")
    if not open_ids:
        raise at.error(unknown("step id", id_, before, "ids defined before this step"))


def _cycle(steps: Sequence[Step], place: Place) -> None:
    after = {step.id: step.after for step in steps if step.id is not None}
    done: set[str] = set()
    for number, step in enumerate(steps, 1):
        # A walk along the first unfinished predecessor; the trail is a list, so that it can be shown.
        trail: list[str] = [step.id] if step.id is not None else []
        while trail:
            onward = [id_ for id_ in after.get(trail[-1], ()) if id_ not in done]
            if not onward:
                done.add(trail.pop())
            elif onward[0] in trail:
                cycle = [*trail[trail.index(onward[0]) :], onward[0]]
                raise place.key("step").item(number).key("after").error("is cyclic: " + " after ".join(cycle))
            else:
                trail.append(onward[0])


def _uses_of_steps(top_rules: Rules, own: Rules, top: Place, place: Place) -> None:
    """Step ids that the final evidence and the prohibitions of one scope name."""
    rules = merged(top_rules, own)
    ids = [step.id for step in rules.steps or () if step.id is not None]
    inherited = " (the steps are those of " + (place.path or "the contract") + ")" if place.path else ""
    for path, expected in rules.final.items if rules.final is not None else ():
        at = (place if own.final is not None else top).key("final")
        for part in path:
            at = at.key(part)
        for reference, where in references(expected, at):
            if isinstance(reference, StepRef) and reference.step not in ids:
                raise where.error(unknown("step id", reference.step, ids, "ids") + inherited)
    for number, forbid in enumerate(rules.forbids or (), 1):
        if forbid.before is not None and forbid.before not in ids:
            at = (place if own.forbids is not None else top).key("forbid").item(number).key("before")
            raise at.error(unknown("step id", forbid.before, ids, "ids") + inherited)


def _branches(contract: Contract, top: Place) -> None:
    whens = [{key: _comparable(value) for key, value in branch.when.items()} for branch in contract.branches]
    for number, when in enumerate(whens):
        for earlier, other in enumerate(whens[:number]):
            if other.items() <= when.items():
                name = quoted(contract.branches[earlier].name)
                raise (
                    top.key("branch")
                    .item(number + 1)
                    .key("when")
                    .error(f"can never be reached: whenever it holds, the branch {name} before it applies")
                )


def _comparable(value: object) -> object:
    """A key under which exactly the equal JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (type(value).__name__, value)
    if isinstance(value, Number):
        return ("number", value.exact if value.exact is not None else value.text)
    if isinstance(value, dict):
        return ("object", frozenset((key, _comparable(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("list", tuple(map(_comparable, value)))
    return ("number", value)
