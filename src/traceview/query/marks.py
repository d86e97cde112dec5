"""What people have decided: ``mark:``, ``note:`` and ``tag:``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from traceview.query.cells import Predicate, column_holds, find_column
from traceview.query.text import text_test
from traceview.query.words import Word
from traceview.results import Row

if TYPE_CHECKING:
    from traceview.triage import Triage

__all__ = ["mark_test", "note_test", "tag_test"]

_MARKS: Final = ("confirmed", "expectation_wrong", "environment", "ignore")
_VALUES: Final = ("open", *_MARKS, "changed", "same", "none")


def mark_test(value: Word, triage: Triage | None) -> Predicate:
    """The name of a mark (blank, ``_`` or ``-`` between its words), or one of these:

    ``open``: marked so, or not passing with nothing decided about the present failure, which is what is left
    to do; ``none``: no mark at all; ``same``, ``changed``: marked, and failing as then or otherwise.
    """
    from traceview.triage.index import left_to_do  # only where marks are asked about

    wanted = {part.text.casefold().replace(" ", "_").replace("-", "_") for part in value.split(",")}
    for text in sorted(wanted):
        if text not in _VALUES:
            raise value.error(f"mark:{text} is not known; one of {', '.join(_VALUES)}")
    marks = frozenset(mark.replace("_", " ") for mark in wanted & set(_MARKS))
    states = frozenset(wanted)

    def matches(row: Row) -> bool:
        found = triage.of(row) if triage is not None else None
        if found is None or found.mark is None:
            return "none" in states or ("open" in states and left_to_do(row, found))
        if found.mark in marks or ("same" if found.same else "changed") in states:
            return True
        return "open" in states and left_to_do(row, found)

    return matches


def note_test(value: Word, triage: Triage | None, columns: Sequence[str]) -> Predicate:
    """Text in the note, or in a column of the cases file that is called so."""
    test = text_test(value)

    def matches(row: Row) -> bool:
        found = triage.of(row) if triage is not None else None
        return found is not None and bool(found.note) and test(found.note)

    return _or_column(matches, "note", value, columns)


def tag_test(
    matches_name: Callable[[str], bool], value: Word, triage: Triage | None, columns: Sequence[str]
) -> Predicate:
    """A tag that ``matches_name``, or text in a column of the cases file that is called so."""

    def matches(row: Row) -> bool:
        found = triage.of(row) if triage is not None else None
        return found is not None and any(map(matches_name, found.tags))

    return _or_column(matches, "tag", value, columns)


def _or_column(matches: Predicate, name: str, value: Word, columns: Sequence[str]) -> Predicate:
    column = find_column(name, columns)
    if column is None:
        return matches
    holds = column_holds(column, text_test(value))
    return lambda row: matches(row) or holds(row)
