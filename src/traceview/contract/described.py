"""Cases that describe themselves: expected columns of the cases file instead of a contract file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from msgspec import Struct

from traceview.contract.cells import Refused, decode_cell, json_type, remembered
from traceview.contract.errors import quoted
from traceview.contract.names import labels
from traceview.contract.spec import CasesSpec, Contract
from traceview.model import MISSING, Case

__all__ = ["COLUMNS", "LABEL", "Described", "from_columns", "reader"]

COLUMNS = (
    "expected_sequence",
    "expected_arguments",
    "expected_statuses",
    "write_tools",
    "expected_final_state",
    "expected_run_outcome",
)
LABEL = "expected_verdict"
_TITLES = ("title", "user_request")


class Described(Struct, frozen=True, gc=False):
    """What one case says of itself. MISSING: an empty cell or no such column; the check does not apply then.

    ``sequence``: the tools of an exact sequence. ``arguments``: a list (item i belongs to step i) or a dict
    (tool → arguments of every call of it). ``statuses``: the words of the first calls, those beyond must be
    "ok"; without the column it is ``()``, so all must be. ``write_tools``: exactly one successful call of
    each. ``final_state``: any JSON value, that of the last ``state_after``; ``run_outcome``: text.
    ``problem``: the first cell that could not be read, with its column.
    """

    sequence: Any = MISSING
    arguments: Any = MISSING
    statuses: Any = ()
    write_tools: Any = MISSING
    final_state: Any = MISSING
    run_outcome: Any = MISSING
    problem: str | None = None


def from_columns(columns: Collection[str]) -> Contract | None:
    """The contract that the columns of the cases file make; None if there is none besides the label."""
    found = tuple(column for column in COLUMNS if column in columns)
    if not found:
        return None
    contract = Contract(
        name="columns",
        source="columns",
        sha256=hashlib.sha256("\n".join(found).encode()).hexdigest(),
        cases=CasesSpec(
            title=next((title for title in _TITLES if title in columns), None),
            label=LABEL if LABEL in columns else None,
        ),
        described=True,
        described_columns=found,
    )
    return replace(contract, priority=labels(contract))


# -- the cells ---------------------------------------------------------------------------------------------


def _texts(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Refused(f"must be a list of {what}, not {json_type(value)}")
    for number, item in enumerate(value, 1):
        if not isinstance(item, str):
            raise Refused(f"item {number} must be text, not {json_type(item)}")
    return tuple(value)


def _arguments(value: Any) -> Any:
    if isinstance(value, dict):
        for tool, arguments in value.items():
            if not isinstance(arguments, dict):
                raise Refused(
                    f"the arguments of {quoted(tool)} must be an object, not {json_type(arguments)}"
                )
        return value
    if not isinstance(value, list):
        raise Refused(
            f"must be a list of objects, or an object from tool to arguments, not {json_type(value)}"
        )
    for number, item in enumerate(value, 1):
        if not isinstance(item, dict):
            raise Refused(f"item {number} must be an object, not {json_type(item)}")
    return value


# column -> (field of Described, what its value must be)
_READ: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "expected_sequence": ("sequence", lambda value: _texts(value, "tool names")),
    "expected_arguments": ("arguments", _arguments),
    "expected_statuses": ("statuses", lambda value: _texts(value, "status words")),
    "write_tools": ("write_tools", lambda value: _texts(value, "tool names")),
    "expected_final_state": ("final_state", lambda value: value),
}


_WORD = re.compile(r"[^\W\d][\w .:/-]*")


def _from_text(check: Callable[[Any], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            value = decode_cell(text)
        except Refused as refused:
            word = text.strip()
            hint = f'; for this text write it in quotes: "{word}"' if _WORD.fullmatch(word) else ""
            raise Refused(f"{refused}{hint}") from None
        return check(value)

    return remembered(read)


def _final_of_json(text: str) -> Any:
    """In a JSON cases file a text is the value itself, unless it holds an object or a list."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return decode_cell(text)
    except Refused:
        return text


def reader(contract: Contract, *, json_cases: bool = False) -> Callable[[Case], Described]:
    """A function that reads the expected cells of a case. ``json_cases``: the cases file is JSON or JSONL."""
    plan: list[tuple[str, str, Callable[[str], Any], Callable[[Any], Any]]] = []
    for column in contract.described_columns:
        if column in _READ:
            field, check = _READ[column]
            from_text = _from_text(check)
            if json_cases and column == "expected_final_state":
                from_text = _final_of_json
            plan.append((column, field, from_text, check))
    outcome = "expected_run_outcome" in contract.described_columns

    def read(case: Case) -> Described:
        cells = case.cells
        fields: dict[str, Any] = {}
        for column, field, from_text, check in plan:
            cell = cells.get(column)
            if cell is None or cell == "":
                fields[field] = MISSING
                continue
            try:
                fields[field] = from_text(cell) if cell.__class__ is str else check(cell)
            except Refused as refused:
                return Described(problem=f"{column} {refused}")
        if outcome:
            cell = cells.get("expected_run_outcome")
            if cell is not None and not isinstance(cell, str):
                return Described(problem=f"expected_run_outcome must be text, not {json_type(cell)}")
            fields["run_outcome"] = cell or MISSING
        return Described(**fields)

    return read
