"""Does a contract fit the cells of its cases: refused, empty, or of a type that its kind can never accept?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from traceview.contract import instants
from traceview.contract.casts import binder
from traceview.contract.cells import Refused, caster
from traceview.contract.columns import used
from traceview.contract.errors import listed, quoted
from traceview.contract.remarks import Remark, parts, remark
from traceview.contract.spec import Column, Compare, Contract, Expected, ListOf, ObjectOf
from traceview.contract.table import Place
from traceview.model import Case

__all__ = ["fit"]

_MOST_PLACES = 10  # lines named in one remark
LABELS = ("PASS", "FAIL", "UNKNOWN")


def fit(contract: Contract, cases: Sequence[Case], json_cases: bool) -> Iterator[Remark]:
    """What the cells of the cases say about a contract whose columns are all there."""
    top = Place(contract.source)
    bind = binder(contract, json_cases=json_cases)
    refused = [(case, problem) for case in cases if case.problem is None and (problem := bind(case).problem)]
    if refused:
        places = ", ".join(f"line {case.line} ({problem})" for case, problem in refused[:_MOST_PLACES])
        more = f" and {len(refused) - _MOST_PLACES} more" if len(refused) > _MOST_PLACES else ""
        many = "1 case is" if len(refused) == 1 else f"{len(refused)} cases are"
        yield remark("warning", top, f"{many} unusable: {places}{more}")
    yield from _empty_columns(contract, cases)
    yield from _label_words(contract, cases)
    for node, place, kind in _compared(contract):
        if isinstance(node, Column):
            yield from _column_kind(contract, cases, node.name, place, kind)


def _empty_columns(contract: Contract, cases: Sequence[Case]) -> Iterator[Remark]:
    seen: set[str] = set()
    for column, place in used(contract):
        if column in seen or place.path.startswith("cases."):
            continue
        seen.add(column)
        if all(case.cells.get(column) in ("", None) for case in cases):
            yield remark("warning", place, f"the column {quoted(column)} is empty in every case")


def _label_words(contract: Contract, cases: Sequence[Case]) -> Iterator[Remark]:
    label = contract.cases.label
    if label is None:
        return
    words = dict.fromkeys(str(case.cells.get(label) or "") for case in cases)
    other = [word for word in words if word and word.upper() not in LABELS]
    if other:
        place = Place(contract.source).key("cases").key("label")
        yield remark("warning", place, f"is PASS, FAIL or UNKNOWN; the column also holds {listed(other)}")


def _compared(contract: Contract) -> Iterator[tuple[Expected, Place, str]]:
    """Every expected value with its place and the kind by which it is compared."""
    for rules, place in parts(contract):
        for number, step in enumerate(rules.steps or (), 1):
            tool = contract.tools.get(step.tool)
            for name, argument in (step.args or {}).items():
                at = place.key("step").item(number).key("args").key(name)
                compare = tool.args.get(name) if tool is not None else None
                yield from _kinds(argument, at, compare.kind if compare is not None else "equals")
        for path, expected in rules.final.items if rules.final is not None else ():
            at = place.key("final")
            for part in path:
                at = at.key(part)
            yield from _kinds(expected, at, "equals")


def _kinds(expected: Expected, place: Place, kind: str) -> Iterator[tuple[Expected, Place, str]]:
    if isinstance(expected, Compare):
        if expected.value is not None:
            yield from _kinds(expected.value, place.key("value"), expected.kind)
    elif isinstance(expected, ObjectOf):
        for key, item in expected.items:
            yield from _kinds(item, place.key(key), "equals")
    elif isinstance(expected, ListOf):
        for number, item in enumerate(expected.items, 1):
            yield from _kinds(item, place.item(number), "equals")
    else:
        yield expected, place, kind


_NEEDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "set": ("a list", lambda value: isinstance(value, list)),
    "bag": ("a list", lambda value: isinstance(value, list)),
    "list": ("a list", lambda value: isinstance(value, list)),
    "subset": ("an object or a list", lambda value: isinstance(value, (dict, list))),
    "number": ("a number", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)),
    "iequals": ("text", lambda value: isinstance(value, str)),
    "instant": (
        "a date and time",
        lambda value: isinstance(value, str) and instants.parse(value) is not None,
    ),
}
_CASTS = {"a list": '"list:SEP" or "json"', "an object or a list": '"json"', "a number": '"int" or "float"'}


def _column_kind(
    contract: Contract, cases: Sequence[Case], column: str, place: Place, kind: str
) -> Iterator[Remark]:
    """Cells that their kind can never accept; digits that stay text."""
    cast = contract.cases.casts.get(column, "text")
    if cast == "instant" and kind == "equals":
        kind = "instant"
    values = [value for case in cases if (value := _value(contract, case, column)) is not None]
    if not values:
        return
    if kind in _NEEDS:
        needs, fits = _NEEDS[kind]
        wrong = sum(not fits(value) for value in values)
        if wrong:
            hint = f" (cast the column: {_CASTS[needs]})" if cast == "text" and needs in _CASTS else ""
            many = f"{wrong} of {len(values)} cells" if wrong < len(values) else "no cell"
            said = "are not" if wrong < len(values) else "is"
            yield remark(
                "warning", place, f"{quoted(kind)} needs {needs}; {many} of {quoted(column)} {said}{hint}"
            )
        elif kind == "instant" and not all(_zoned(value) for value in values):
            yield remark(
                "warning", place, f"times in {quoted(column)} have no zone, so they compare as unknown"
            )
    elif kind == "equals" and cast == "text" and all(_digits(value) for value in values):
        message = (
            f"the cells of {quoted(column)} are digits and stay text; if the recorded value is a number, cast"
        )
        yield remark("note", place, f'{message} the column: "int" or "float"')


def _value(contract: Contract, case: Case, column: str) -> Any:
    """The cast cell; None for an empty or refused one."""
    cell = case.cells.get(column)
    cast = caster(contract.cases.casts.get(column, "text"))
    if not isinstance(cell, str) or cast is None:
        return None if cell == "" else cell
    if not cell:
        return None
    try:
        return cast(cell)
    except Refused:
        return None


def _zoned(value: str) -> bool:
    moment = instants.parse(value)
    return moment is None or moment.zoned


def _digits(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()
