"""Templates of a contract, compiled once, so that filling in the cells of a case costs a few look-ups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from traceview import jsontext
from traceview.contract import spec
from traceview.contract.spec import Compare, Contract
from traceview.evaluate.wanted import ANY, Kinded, Pending, Unknown, stands_alone, with_value
from traceview.model import MISSING, Case

Values = Mapping[str, Any]  # column -> cast value; an empty cell is not in it
Expand = Callable[[Values, Case], Any]

AS_INSTANT = Compare("instant")  # what the cast of that name makes of a column


def empty_cell(contract: Contract, column: str) -> Any:
    """What is expected where a cell is empty."""
    unknown = contract.cases.empty == "unknown"
    return Unknown(f"the case's cell {column} is empty") if unknown else ANY


class Templates:
    """The expected values of one contract, compiled into functions from a case to an expanded value."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._casts = contract.cases.casts

    def compile(self, node: spec.Expected) -> Expand:
        """``(values, case) -> expanded value`` for an expected value as the contract has it."""
        if isinstance(node, spec.Value):
            literal = node.value
            return lambda values, case: literal
        if isinstance(node, spec.Column):
            return self._column(node.name)
        if isinstance(node, spec.StepRef):
            pending = Pending((node,))
            return lambda values, case: pending
        if isinstance(node, spec.Join):
            return self._join(node)
        if isinstance(node, spec.ObjectOf):
            parts = [(key, self.compile(item)) for key, item in node.items]
            return lambda values, case: {key: expand(values, case) for key, expand in parts}
        if isinstance(node, spec.ListOf):
            items = [self.compile(item) for item in node.items]
            return lambda values, case: [expand(values, case) for expand in items]
        return self._kinded(node)

    def _column(self, name: str) -> Expand:
        gap = empty_cell(self._contract, name)
        if self._casts.get(name) == "instant":

            def instant(values: Values, case: Case) -> Any:
                value = values.get(name, MISSING)
                return gap if value is MISSING else Kinded(AS_INSTANT, value)

            return instant

        def cell(values: Values, case: Case) -> Any:
            return values.get(name, gap)

        return cell

    def _join(self, node: spec.Join) -> Expand:
        gaps = {part.name: empty_cell(self._contract, part.name) for part in _columns(node)}

        def joined(values: Values, case: Case) -> Any:
            parts: list[str | spec.StepRef] = []
            for part in node.parts:
                if isinstance(part, spec.Column):
                    if part.name not in values:
                        return gaps[part.name]
                    cell = case.cells.get(part.name, "")
                    parts.append(cell if isinstance(cell, str) else jsontext.show(cell))
                else:
                    parts.append(part)
            if all(isinstance(part, str) for part in parts):
                return "".join(map(str, parts))
            return Pending(tuple(parts))

        return joined

    def _kinded(self, node: Compare) -> Expand:
        own = self.compile(node.value) if node.value is not None else None
        parts = [self._kinded(part) for part in node.of]

        def expand(values: Values, case: Case) -> Any:
            value = own(values, case) if own is not None else MISSING
            return with_value(Kinded(node, value, tuple([part(values, case) for part in parts])), MISSING)

        return expand


def _columns(node: spec.Join) -> list[spec.Column]:
    return [part for part in node.parts if isinstance(part, spec.Column)]


# -- arguments with the kinds of their tool ----------------------------------------------------------------


class ToolArgs:
    """The ways in which one tool's arguments are compared (``[tools.NAME] args``)."""

    def __init__(self, tool: spec.ToolSpec) -> None:
        self._kinds = {name: _tool_kind(compare) for name, compare in tool.args.items()}
        # A kind that needs no expected value also judges an argument that the step does not list.
        self._unlisted = {
            name: Kinded(kind.compare, kind.value, kind.of, optional=_optional(kind.compare))
            for name, kind in self._kinds.items()
            if stands_alone(kind.compare)
        }

    def apply(self, args: dict[str, Any]) -> dict[str, Any]:
        """The expected arguments with their kinds; a kind that is written in place wins."""
        out = {
            name: with_value(self._kinds[name], value) if name in self._kinds and _open(value) else value
            for name, value in args.items()
        }
        for name, kind in self._unlisted.items():
            out.setdefault(name, kind)
        return out


def _open(value: Any) -> bool:
    """Whether an expected value leaves it to its tool how it is compared."""
    return value.__class__ is not Kinded or value.compare is AS_INSTANT


def _optional(compare: Compare) -> bool:
    """Whether a kind without an expected value accepts that there is no such argument."""
    if compare.kind == "all":
        return all(map(_optional, compare.of))
    if compare.kind == "any":
        return any(map(_optional, compare.of))
    if compare.kind == "not":
        return compare.of[0].kind != "absent"
    return compare.kind != "present"


def _tool_kind(compare: Compare) -> Kinded:
    value = compare.value.value if isinstance(compare.value, spec.Value) else MISSING
    return Kinded(compare, value, tuple([_tool_kind(part) for part in compare.of]))
