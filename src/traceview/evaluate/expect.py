"""From a contract and a case to what this case expects: steps with their values, limits, final evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from traceview.contract import spec
from traceview.contract.spec import Contract, Limit, Order, Rules
from traceview.contract.tools import canonical, effect, is_glob
from traceview.evaluate.choosing import Chooser
from traceview.evaluate.templates import Expand, Templates, ToolArgs, Values, empty_cell
from traceview.evaluate.values import pointer
from traceview.evaluate.wanted import ANY, Unknown, plain
from traceview.model import MISSING, Case


class Want(Struct, frozen=True, gc=False):
    """One expected call. ``index`` is its place, from 1; ``args`` None: not compared; ``plain``: no kind, gap
    or reference anywhere in ``args``. ``only``: compare just these arguments. ``status``: the expected
    word."""

    index: int
    tool: str
    args: dict[str, Any] | None
    plain: bool = True
    id: str | None = None
    after: tuple[str, ...] = ()
    status: str | None = None
    only: frozenset[str] | None = None


class Counted(Struct, frozen=True, gc=False):
    """A limit and the tools whose calls it counts. ``tool``: the one tool that it names, if it is one."""

    rule: Limit
    chooses: Chooser
    tool: str | None

    def allows(self, tools: Iterable[str | None]) -> bool:
        """Whether successful calls of these tools are as many as the limit wants, all counted together."""
        rule, chooses = self.rule, self.chooses
        made = sum([tool is not None and chooses(tool) for tool in tools])
        least = rule.exactly if rule.exactly is not None else rule.at_least
        most = rule.exactly if rule.exactly is not None else rule.at_most
        return (least is None or made >= least) and (most is None or made <= most)


class Forbidden(Struct, frozen=True, gc=False):
    """A prohibition, the tools that it forbids, and those that one of must come before."""

    rule: spec.Forbid
    chooses: Chooser
    before: Chooser | None


class FinalItem(Struct, frozen=True, gc=False):
    """One place of the final evidence, by keys and as a pointer, and what is expected there."""

    path: tuple[str, ...]
    where: str
    expected: Any
    plain: bool


class Expectation(Struct, frozen=True, gc=False):
    """What one case expects of a run.

    ``order`` None: no order check. ``wants`` are the expected calls, ``wanted_tools`` their tools,
    ``dropped`` expected reads that are only a reference path; ``worded``: some have a status of their own.
    ``compares``: arguments are compared, so that a call without an expected one may be wrong. ``gap``: why
    the expected calls are not known. ``modest``: exactly the expected calls keep all limits.

    The last four are for cases that describe themselves: ``statuses`` by place of the call; ``by_tool``:
    every call of these tools takes these arguments; ``paired_only``: a call without an expected one is no
    matter of arguments; ``by_place``: the wanted arguments belong to the calls by place, whatever their
    tools.
    """

    order: Order | None
    wants: tuple[Want, ...]
    wanted_tools: tuple[str, ...]
    status_ok: frozenset[str] | None
    status: spec.Status | None
    limits: tuple[Counted, ...]
    forbids: tuple[Forbidden, ...]
    final: tuple[FinalItem, ...]
    compares: bool = False
    plain: bool = True
    modest: bool = False
    dropped: tuple[Want, ...] = ()
    user_actions: int = 0
    worded: bool = False
    gap: str | None = None
    statuses: tuple[str, ...] | None = None
    by_tool: Mapping[str, dict[str, Any]] | None = None
    paired_only: bool = False
    by_place: bool = False


NOTHING = Expectation(None, (), (), None, None, (), (), ())
_ACTION_ARGS = ("args", "arguments", "kwargs")
_ACTION_ONLY = ("compare", "compare_args")


class RulesPlan:
    """One set of sections (the contract's own, or a branch's), compiled."""

    def __init__(self, contract: Contract, rules: Rules) -> None:
        templates = Templates(contract)
        tools = contract.tools
        self.contract = contract
        self.rules = rules
        self._tool_args = {name: ToolArgs(tool) for name, tool in tools.items() if tool.args}
        self._lenient = frozenset([name for name, tool in tools.items() if tool.extra_args == "ignore"])
        self._steps: list[tuple[spec.Step, list[tuple[str, Expand]] | None]] = [
            (step, None if step.args is None else [(k, templates.compile(v)) for k, v in step.args.items()])
            for step in rules.steps or ()
        ]
        self._final = [
            (path, pointer(*path), templates.compile(node))
            for path, node in (rules.final.items if rules.final else ())
        ]
        self._fixed_final = self._literal_final()
        has_order = rules.order is not None or bool(rules.steps) or bool(rules.steps_from)
        self._order = (rules.order or Order()) if has_order else None
        ok = rules.status.ok if rules.status else None
        self._status_ok = frozenset(ok) if ok is not None else None
        self._limits = tuple([_counted(tools, rule) for rule in rules.limits or ()])
        self._forbids = tuple([_forbidden(tools, rule) for rule in rules.forbids or ()])
        self._compares = bool(rules.steps_from) or any(step.args is not None for step in rules.steps or ())
        self._fixed_tools = tuple([step.tool for step in rules.steps or ()])
        self._modest = all(counted.allows(self._fixed_tools) for counted in self._limits)

    def expectation(self, values: Values, case: Case) -> Expectation:
        """What the case expects. Raises nothing: cells were cast before."""
        wants: list[Want] = []
        all_plain = True
        for step, args in self._steps:
            expanded = None
            is_plain = True
            if args is not None:
                expanded = {name: expand(values, case) for name, expand in args}
                expanded, is_plain = self._compared(step.tool, expanded)
                all_plain = all_plain and is_plain
            wants.append(Want(len(wants) + 1, step.tool, expanded, is_plain, step.id, step.after))
        final = self._fixed_final
        if final is None:
            final = self._final_items(values, case)
        if self.rules.steps_from:
            return self._with_actions(values, wants, final)
        return Expectation(
            self._order,
            tuple(wants),
            self._fixed_tools,
            self._status_ok,
            self.rules.status,
            self._limits,
            self._forbids,
            final,
            self._compares,
            all_plain,
            self._modest,
        )

    def _final_items(self, values: Values, case: Case) -> tuple[FinalItem, ...]:
        items = []
        for path, where, expand in self._final:
            expected = expand(values, case)
            items.append(FinalItem(path, where, expected, _plain(expected)))
        return tuple(items)

    def _literal_final(self) -> tuple[FinalItem, ...] | None:
        """The final evidence that is the same for every case, None if it depends on the case."""
        nodes = [node for _, node in (self.rules.final.items if self.rules.final else ())]
        if not all(isinstance(node, spec.Value) for node in nodes):
            return None
        return self._final_items({}, Case("", {}, 0))

    def _compared(self, tool: str, args: dict[str, Any]) -> tuple[dict[str, Any] | None, bool]:
        """The arguments in the ways of their tool, and whether they are plain; None: nothing is left."""
        kinds = self._tool_args.get(tool)
        if kinds is not None:
            args = kinds.apply(args)
        for value in args.values():
            kind = value.__class__
            if kind is not str and kind is not int and not plain(value):
                break
        else:
            return args, True
        if tool in self._lenient and all(value is ANY for value in args.values()):
            return None, True
        return args, False

    def _with_actions(self, values: Values, wants: list[Want], final: tuple[FinalItem, ...]) -> Expectation:
        """The expectation with the calls that cells of the case carry."""
        dropped: list[Want] = []
        user_actions = 0
        gap: str | None = None
        said = False
        for source in self.rules.steps_from or ():
            items = values.get(source.column, MISSING)
            if not isinstance(items, list):
                empty = empty_cell(self.contract, source.column)
                gap = gap or (empty.why if isinstance(empty, Unknown) else None)
                continue
            said = True
            for item in items:
                if self.contract.runs.calls_as_user == "ignore" and "user" in (
                    item.get("requestor"),
                    item.get("actor"),
                ):
                    user_actions += 1
                    continue
                want = self._action(item, len(wants) + 1)
                if source.match == "writes" and effect(self.contract.tools, want.tool) == "read":
                    dropped.append(want)
                else:
                    wants.append(want)
        speaks = said or bool(wants) or gap is not None
        return Expectation(
            # An empty cell says nothing of the order, unlike an empty list.
            self._order if speaks else None,
            tuple(wants),
            tuple([want.tool for want in wants]),
            self._status_ok,
            self.rules.status,
            self._limits,
            self._forbids,
            final,
            self._compares and speaks,
            all(want.plain for want in wants),
            False,
            tuple(dropped),
            user_actions,
            any(want.status is not None for want in wants),
            gap,
        )

    def _action(self, item: Mapping[str, Any], index: int) -> Want:
        """One expected call of a cell; its keys were checked when the cell was read."""
        tool = canonical(self.contract.tools, item.get("tool", item.get("name")))
        args = next((item[key] for key in _ACTION_ARGS if item.get(key) is not None), None)
        only = next((item[key] for key in _ACTION_ONLY if item.get(key) is not None), None)
        is_plain = True
        if args is not None:
            args, is_plain = self._compared(tool, args)
        return Want(
            index,
            tool,
            args,
            is_plain,
            item.get("id"),
            tuple(item.get("after") or ()),
            item.get("status"),
            frozenset(only) if only is not None else None,
        )


def _plain(value: Any) -> bool:
    """As :func:`wanted.plain`, quick for the usual case of a scalar."""
    kind = value.__class__
    return kind is str or kind is int or plain(value)


def _counted(tools: Mapping[str, spec.ToolSpec], rule: Limit) -> Counted:
    name = rule.tool if rule.tool is not None and not is_glob(rule.tool) else None
    return Counted(rule, Chooser(tools, rule.tool, rule.effect), name)


def _forbidden(tools: Mapping[str, spec.ToolSpec], rule: spec.Forbid) -> Forbidden:
    before = Chooser(tools, rule.unless_before) if rule.unless_before is not None else None
    return Forbidden(rule, Chooser(tools, rule.tool, rule.effect), before)
