"""Cells of a case as the values that a contract compares with.

A cast applies to text; in a JSON cases file other values keep their type. What a cast refuses makes the case
unusable, and only that case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from traceview.contract.actions import actions_of
from traceview.contract.cells import Refused, caster, decode_cell, remembered
from traceview.contract.columns import used
from traceview.contract.described import Described, reader
from traceview.contract.spec import Contract
from traceview.model import MISSING, Case

__all__ = ["Bound", "bind", "binder"]


class Bound(Struct, frozen=True, gc=False):
    """A case whose cells are cast.

    ``values`` holds the columns that the contract uses; an empty cell is not in it. ``problem`` is set when a
    cell was refused (column and reason): the case is then unusable. ``described`` holds what the case says of
    itself, for contracts that are made of such columns.
    """

    case: Case
    values: Mapping[str, Any]
    problem: str | None = None
    described: Described | None = None


def bind(contract: Contract, case: Case, *, json_cases: bool = False) -> Bound:
    """One case bound; for many cases make one :func:`binder`."""
    return binder(contract, json_cases=json_cases)(case)


def binder(contract: Contract, *, json_cases: bool = False) -> Callable[[Case], Bound]:
    """A function that binds cases of this contract. ``json_cases``: the cases file is JSON or JSONL."""
    if contract.described:
        read = reader(contract, json_cases=json_cases)

        def describe(case: Case) -> Bound:
            described = read(case)
            return Bound(case, {}, described.problem, described)

        return describe
    return _by_casts(contract)


def _by_casts(contract: Contract) -> Callable[[Case], Bound]:
    literal_empty = contract.cases.empty == "literal"
    plan = _plan(contract)

    def bind_case(case: Case) -> Bound:
        cells = case.cells
        values: dict[str, Any] = {}
        for column, cast, check in plan:
            cell = cells.get(column, MISSING)
            if cell is MISSING or ((cell == "" or cell is None) and not literal_empty):
                continue
            try:
                if cell.__class__ is str:
                    if cast is not None:
                        cell = cast(cell)
                elif check is not None:
                    cell = check(cell)
            except Refused as refused:
                return Bound(case, {}, f"{column} {refused}")
            values[column] = cell
        return Bound(case, values)

    return bind_case


def _plan(contract: Contract) -> list[tuple[str, Callable[[str], Any] | None, Callable[[Any], Any] | None]]:
    """(column, cast of text, check of other values) of every column that decides something.

    Title and label are only shown.
    """
    casts = contract.cases.casts
    columns = [column for column, place in used(contract) if not place.path.startswith("cases.")]
    actions = {
        steps.column
        for rules in (contract.rules, *(branch.rules for branch in contract.branches))
        for steps in rules.steps_from or ()
    }
    # `when` of a branch names a column or a field of the final evidence: a column where the case has it.
    columns += [key for branch in contract.branches for key in branch.when]
    plan: list[tuple[str, Callable[[str], Any] | None, Callable[[Any], Any] | None]] = []
    for column in dict.fromkeys(columns):
        if column in actions:
            plan.append((column, remembered(_actions_text), actions_of))
            continue
        cast = caster(casts.get(column, "text"))
        # Only what costs more than a look-up is worth remembering.
        keep = cast is not None and casts.get(column) in ("json", "instant", "float")
        plan.append((column, remembered(cast) if keep and cast is not None else cast, None))
    return plan


def _actions_text(text: str) -> Any:
    return actions_of(decode_cell(text))
