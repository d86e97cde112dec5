"""Columns of the cases file and counted things: ``COLUMN:text``, ``COLUMN=value``, ``steps>20``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeAlias

from traceview.jsontext import show
from traceview.query.text import TextTest, fold
from traceview.query.words import Word
from traceview.results import Row

Predicate: TypeAlias = Callable[[Row], bool]


def find_column(name: str, columns: Sequence[str]) -> str | None:
    """The column of that name; without regard to case when no other is meant."""
    if name in columns:
        return name
    near = [column for column in columns if column.casefold() == name.casefold()]
    return near[0] if len(near) == 1 else None


def _cell_text(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else show(value)


def column_holds(column: str, test: TextTest) -> Predicate:
    def matches(row: Row) -> bool:
        text = _cell_text(row.case.cells.get(column))
        return text is not None and test(text)

    return matches


_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_COUNTS: Final[Mapping[str, Callable[[Row], int]]] = {
    "steps": lambda row: row.result.events,
    "findings": lambda row: len(row.result.findings),
}


def comparison(word: Word, columns: Sequence[str]) -> Predicate | None:
    """``steps>20`` or ``column=value``; None when it is neither, and so is text."""
    places = [at for sign in "<>=!" if (at := word.find(sign)) > 0]
    if not places or word.regex is not None:
        return None
    at = min(places)
    sign = word.text[at : at + 2] if word.text[at : at + 2] in _COMPARISONS else word.text[at]
    if sign not in _COMPARISONS:
        return None
    name, text = word.text[:at], word.text[at + len(sign) :]
    compare = _COMPARISONS[sign]
    count = _COUNTS.get(name)
    column = None if count else find_column(name, columns)
    if count is None and column is None:
        return None
    wanted = _decimal(text)
    if wanted is None and (count is not None or sign not in ("=", "!=")):
        raise word.error(f"{name}{sign} needs a number")
    if count is not None:
        counted = count
        return lambda row: compare(counted(row), wanted)
    return _cell_compared(column or "", sign, compare, wanted, fold(text))


def _cell_compared(
    column: str, sign: str, compare: Callable[[Any, Any], bool], wanted: Decimal | None, folded: str
) -> Predicate:
    def matches(row: Row) -> bool:
        cell = row.case.cells.get(column)
        number = None if wanted is None else _decimal(_cell_text(cell) or "")
        if number is not None:
            return compare(number, wanted)
        if sign not in ("=", "!="):
            return False
        return compare(fold(_cell_text(cell) or ""), folded)

    return matches


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text) if text.isascii() and "_" not in text else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None
