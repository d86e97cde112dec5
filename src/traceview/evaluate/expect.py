"""From a contract and a case to what this case expects: steps with their values, limits, final evidence.

The contract's templates are compiled once; a case then costs a few look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from traceview.contract import spec
from traceview.contract.spec import Compare, Contract, Limit, Order, Rules
from traceview.evaluate.kinds import ANY, Kinded, Pending, Unknown, plain
from traceview.model import MISSING, Case

Values = Mapping[str, Any]  # column -> cast value; an empty cell is not in it
Expand = Callable[[Values, Case], Any]


class Want(Struct, frozen=True, gc=False):
    """One expected call. ``index`` is its place, from 1; ``args`` None: not compared; ``plain``: no kind, gap
    or reference anywhere in ``args``. ``only``: compare just these arguments. ``status``: the word expected."""

    index: int
    tool: str
    args: dict[str, Any] | None
    plain: bool = True
    id: str | None = None
    after: tuple[str, ...] = ()
    status: str | None = None
    only: frozenset[str] | None = None


class Expectation(Struct, frozen=True, gc=False):
    """What one case expects of a run. ``order`` None: no order check.

    The last four are for cases that describe themselves: ``statuses`` by place of the call; ``by_tool``: every
    call of these tools takes these arguments; ``paired_only``: a call without an expected one is no matter of
    arguments; ``by_place``: the wanted arguments belong to the calls by place, whatever their tools.
    """

    order: Order | None
    wants: tuple[Want, ...]
    status_ok: frozenset[str] | None
    status: spec.Status | None
    limits: tuple[Limit, ...]
    forbids: tuple[spec.Forbid, ...]
    final: tuple[tuple[tuple[str, ...], Any], ...]
    wanted_tools: tuple[str, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()  # (id, tool) of expected reads that are only a reference path
    user_actions: int = 0
    statuses: tuple[str, ...] | None = None
    by_tool: Mapping[str, dict[str, Any]] | None = None
    paired_only: bool = False
    by_place: bool = False


# -- templates ---------------------------------------------------------------------------------------------


def compiler(contract: Contract) -> Callable[[spec.Expected], Expand]:
    """A function that compiles an expected value of this contract into ``(values, case) -> expanded value``."""
    casts = contract.cases.casts
    empty_unknown = contract.cases.empty == "unknown"

    def empty(name: str) -> Any:
        return Unknown(f"the case's cell {name} is empty") if empty_unknown else ANY

    def compile_(node: spec.Expected) -> Expand:
        if isinstance(node, spec.Value):
            literal = node.value
            return lambda values, case: literal
        if isinstance(node, spec.Column):
            return column(node.name)
        if isinstance(node, spec.StepRef):
            pending = Pending(node)
            return lambda values, case: pending
        if isinstance(node, spec.Join):
            return join(node)
        if isinstance(node, spec.ObjectOf):
            parts = [(key, compile_(item)) for key, item in node.items]
            return lambda values, case: {key: expand(values, case) for key, expand in parts}
        if isinstance(node, spec.ListOf):
            items = [compile_(item) for item in node.items]
            return lambda values, case: [expand(values, case) for expand in items]
        return kinded(node)

    def column(name: str) -> Expand:
        gap = empty(name)
        if casts.get(name) == "instant":
            as_instant = Compare("instant")

            def instant(values: Values, case: Case) -> Any:
                value = values.get(name, MISSING)
                return gap if value is MISSING else Kinded(as_instant, value)

            return instant

        def cell(values: Values, case: Case) -> Any:
            return values.get(name, gap)

        return cell

    def join(node: spec.Join) -> Expand:
        def joined(values: Values, case: Case) -> Any:
            text = []
            for part in node.parts:
                if isinstance(part, str):
                    text.append(part)
                elif isinstance(part, spec.StepRef):
                    return Unknown("a step reference inside a text can't be joined before the run is read")
                elif part.name not in values:
                    return empty(part.name)
                else:
                    cell = case.cells.get(part.name, "")
                    text.append(cell if isinstance(cell, str) else str(cell))
            return "".join(text)

        return joined

    def kinded(node: Compare) -> Expand:
        own = compile_(node.value) if node.value is not None else None
        parts = [kinded(part) for part in node.of]

        def expand(values: Values, case: Case) -> Any:
            value = own(values, case) if own is not None else MISSING
            return with_value(Kinded(node, value, tuple(part(values, case) for part in parts)), MISSING)

        return expand

    return compile_


def with_value(kinded: Kinded, value: Any) -> Kinded:
    """The kind applied to ``value`` where it has none of its own; its parts take over the whole's value."""
    own = kinded.value if kinded.value is not MISSING else value
    if isinstance(own, Kinded):  # a column cast `instant` under another kind: the kind that is written wins
        own = own.value
    return Kinded(kinded.compare, own, tuple(with_value(part, own) for part in kinded.of))


def resolve(value: Any, look_up: Callable[[spec.StepRef], Any]) -> Any:
    """The expanded value with every :class:`Pending` replaced by what ``look_up`` says."""
    if isinstance(value, Pending):
        return look_up(value.ref)
    if isinstance(value, dict):
        return {k: resolve(v, look_up) for k, v in value.items()}
    if isinstance(value, list):
        return [resolve(v, look_up) for v in value]
    if isinstance(value, Kinded):
        return Kinded(
            value.compare, resolve(value.value, look_up), tuple(resolve(p, look_up) for p in value.of)
        )
    return value


def references(value: Any) -> set[str]:
    """The step ids that an expanded value refers to."""
    if isinstance(value, Pending):
        return {value.ref.step}
    if isinstance(value, dict):
        return set().union(*map(references, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(references, value)) if value else set()
    if isinstance(value, Kinded):
        return references(value.value)
    return set()


# -- arguments with the kinds of their tool ----------------------------------------------------------------

_STANDS_ALONE = frozenset(
    {"ignore", "present", "absent", "regex", "one_of", "len", "schema", "not", "all", "any"}
)


def with_tool_kinds(tool: spec.ToolSpec | None, args: dict[str, Any]) -> dict[str, Any]:
    """The expected arguments, compared in the ways that ``[tools.NAME] args`` names.

    A kind that needs no expected value also judges an argument that the step does not list.
    """
    if tool is None or not tool.args:
        return args
    out = dict(args)
    for name, compare in tool.args.items():
        kind = _tool_kind(compare)
        if name in args:
            if not isinstance(args[name], Kinded) or args[name].compare.kind == "instant":
                out[name] = with_value(kind, args[name])
        elif compare.kind in _STANDS_ALONE:
            out[name] = kind
    return out


def _tool_kind(compare: Compare) -> Kinded:
    value = compare.value.value if isinstance(compare.value, spec.Value) else MISSING
    return Kinded(compare, value, tuple(map(_tool_kind, compare.of)))


# -- the rules of a contract -------------------------------------------------------------------------------


class RulesPlan:
    """One set of sections (the contract's own, or a branch's), compiled."""

    def __init__(self, contract: Contract, rules: Rules) -> None:
        compile_ = compiler(contract)
        self.contract = contract
        self.rules = rules
        self.steps = [
            (
                step,
                None if step.args is None else [(name, compile_(node)) for name, node in step.args.items()],
            )
            for step in rules.steps or ()
        ]
        self.final = [(path, compile_(node)) for path, node in (rules.final.items if rules.final else ())]
        has_order = rules.order is not None or bool(rules.steps) or bool(rules.steps_from)
        self.order = (rules.order or Order()) if has_order else None
        ok = rules.status.ok if rules.status else None
        self.status_ok = frozenset(ok) if ok is not None else None
        self.status = rules.status
        self.limits = rules.limits or ()
        self.forbids = rules.forbids or ()
        #: steps whose arguments are literals alone are the same for every case
        self.fixed_tools = tuple(step.tool for step in rules.steps or ()) if not rules.steps_from else None

    def expectation(self, values: Values, case: Case) -> Expectation:
        """What the case expects. Raises nothing: cells were cast before."""
        tools = self.contract.tools
        wants: list[Want] = []
        for step, args in self.steps:
            expanded = None
            if args is not None:
                expanded = with_tool_kinds(
                    tools.get(step.tool), {name: expand(values, case) for name, expand in args}
                )
            is_plain = expanded is None or all(map(plain_scalar, expanded.values()))
            wants.append(Want(len(wants) + 1, step.tool, expanded, is_plain, step.id, step.after))
        dropped: tuple[tuple[str, str], ...] = ()
        user_actions = 0
        if self.rules.steps_from:
            wants, dropped, user_actions = self._from_columns(values, wants)
        return Expectation(
            order=self.order,
            wants=tuple(wants),
            status_ok=self.status_ok,
            status=self.status,
            limits=self.limits,
            forbids=self.forbids,
            final=tuple([(path, expand(values, case)) for path, expand in self.final]),
            wanted_tools=self.fixed_tools if self.fixed_tools is not None else tuple([w.tool for w in wants]),
            dropped=dropped,
            user_actions=user_actions,
        )

    def _from_columns(
        self, values: Values, wants: list[Want]
    ) -> tuple[list[Want], tuple[tuple[str, str], ...], int]:
        from traceview.evaluate.select import effect_of

        tools = self.contract.tools
        names = {alias: tool.name for tool in tools.values() for alias in tool.names}
        dropped = []
        user_actions = 0
        for source in self.rules.steps_from or ():
            items = values.get(source.column, MISSING)
            for item in items if isinstance(items, list) else ():
                tool = item.get("tool", item.get("name"))
                tool = names.get(tool, tool)
                if (
                    item.get("requestor", item.get("actor")) == "user"
                    and self.contract.runs.calls_as_user == "ignore"
                ):
                    user_actions += 1
                    continue
                if source.match == "writes" and effect_of(tools, tool) == "read":
                    if item.get("id") is not None:
                        dropped.append((str(item["id"]), tool))
                    continue
                args = next((item[k] for k in ("args", "arguments", "kwargs") if k in item), None)
                only = next((item[k] for k in ("compare", "compare_args") if item.get(k) is not None), None)
                expanded = None if args is None else with_tool_kinds(tools.get(tool), args)
                wants.append(
                    Want(
                        len(wants) + 1,
                        tool,
                        expanded,
                        expanded is None or plain(expanded),
                        item.get("id"),
                        tuple(item.get("after") or ()),
                        item.get("status"),
                        frozenset(only) if only is not None else None,
                    )
                )
        return wants, tuple(dropped), user_actions


def plain_scalar(value: Any) -> bool:
    """As :func:`kinds.plain`, quick for the usual case of a scalar."""
    return type(value) in (str, int, float, bool) or value is None or plain(value)
