"""Orders of the case list: by any column, whatever is in it.

A column may hold numbers, text and gaps side by side. Numbers come first, by value; then text, with digits in
it by value (``B2`` before ``B10``); gaps are last in either direction. Equal rows keep the order of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple, TypeAlias

from traceview.model import Number
from traceview.results import Row

_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DIGITS: Final = re.compile(r"([0-9]+)")
_CHECK_ORDER: Final = {"fail": 0, "unknown": 1, "pass": 2, "n/a": 3}
_VERDICT_ORDER: Final = {"fail": 0, "unknown": 1, "no_trace": 2, "unusable": 3, "pass": 4, "unreviewed": 5}

Key: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Sort:
    """``column`` is one of :func:`sort_columns`."""

    column: str
    reverse: bool = False


class Order(NamedTuple):
    """A further column to sort by: what it is called, and the key of a row (None: a gap)."""

    words: str
    key: Callable[[Row], Key | None]


def by_rank(words: Sequence[str], of: Callable[[Row], str | None]) -> Callable[[Row], Key | None]:
    """Rows by their word, in the order of ``words``."""
    ranks = {word: rank for rank, word in enumerate(words)}
    return lambda row: _rank(ranks, of(row))


def sort_columns(
    checks: Sequence[str], columns: Sequence[str], more: Mapping[str, Order] | None = None
) -> list[tuple[str, str]]:
    """(column, what it is called) for everything that can be sorted by.

    ``columns`` are those of the cases file; they get the prefix ``cell:``, so that no name of a file can be
    taken for one of ours. ``more``: what is known of rows besides their results, by column.
    """
    return [
        ("case", "case id"),
        ("diagnosis", "diagnosis"),
        ("verdict", "verdict, failures first"),
        *((f"check:{name}", f"check {name}") for name in checks),
        ("steps", "number of calls"),
        ("title", "title"),
        ("run", "run id"),
        ("trial", "trial"),
        ("label", "reviewed label"),
        ("trials", "part of a case's runs that pass"),
        *((column, order.words) for column, order in (more or {}).items()),
        *((f"cell:{name}", f"column {name}") for name in columns),
    ]


def sort_rows(rows: Sequence[Row], sort: Sort, more: Mapping[str, Order] | None = None) -> list[int]:
    """The places of all rows in that order; ``more`` as in :func:`sort_columns`."""
    if more and sort.column in more:
        key: Callable[[Row], Key | None] = more[sort.column].key
    else:
        key = _part_passed(rows) if sort.column == "trials" else _key(sort.column)
    keyed: list[tuple[Key, int]] = []
    gaps: list[int] = []
    for place, row in enumerate(rows):
        value = key(row)
        if value is None:
            gaps.append(place)
        else:
            keyed.append((value, place))
    keyed.sort(key=_first, reverse=sort.reverse)
    return [place for _, place in keyed] + gaps


def _first(pair: tuple[Key, int]) -> Key:
    return pair[0]


def _key(column: str) -> Callable[[Row], Key | None]:
    kind, _, name = column.partition(":")
    if kind == "check":
        return lambda row: _rank(_CHECK_ORDER, row.result.checks.get(name))
    if kind == "cell":
        return lambda row: value_key(row.case.cells.get(name))
    return {
        "case": lambda row: value_key(row.result.case_id),
        "diagnosis": lambda row: (row.result.diagnosis,),
        "verdict": lambda row: _rank(_VERDICT_ORDER, row.result.verdict),
        "steps": lambda row: (row.result.events,),
        "title": lambda row: value_key(row.title),
        "run": lambda row: value_key(row.result.run_id),
        "trial": lambda row: value_key(row.result.trial),
        "label": lambda row: value_key(row.label),
    }[kind]


def _part_passed(rows: Sequence[Row]) -> Callable[[Row], Key | None]:
    """By how many of a case's judged runs pass, of how many."""
    passed, judged = Counter[str](), Counter[str]()
    for row in rows:
        if row.result.verdict in ("pass", "fail", "unknown"):
            judged[row.result.case_id] += 1
            passed[row.result.case_id] += row.result.verdict == "pass"
    return lambda row: (
        (passed[row.result.case_id] / judged[row.result.case_id],) if judged[row.result.case_id] else None
    )


def _rank(order: dict[str, int], word: str | None) -> Key | None:
    return None if word is None else (order.get(word, len(order)),)


def value_key(value: Any) -> Key | None:
    """A key that compares with the key of any other cell; None for a gap."""
    if value is None or value == "":
        return None
    text = value.text if isinstance(value, Number) else str(value)
    if not isinstance(value, bool) and _NUMBER.fullmatch(text.strip()):
        try:
            return (0, Decimal(text.strip()), text)
        except InvalidOperation:  # an exponent beyond decimal's reach: it is sorted as the text it is
            pass
    return (1, _natural(text), text)


def _natural(text: str) -> Key:
    """Digits by value: by their number, then as text (``int`` refuses more than 4,300 of them)."""
    parts = _DIGITS.split(text.casefold())
    return tuple(
        (0, len(digits := part.lstrip("0")), digits) if number % 2 else (1, 0, part)
        for number, part in enumerate(parts)
        if part
    )
