"""What was found wrong while reading: collected, grouped, and sorted so that arrival does not matter."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from traceview.model import Problem

__all__ = ["PROBLEM_CODES", "Code", "InputError", "Problems", "found_and_nearest", "make"]

Severity = Literal["error", "warning", "note"]


class Code(NamedTuple):
    """What a code means. ``severity``: "error" (not used), "warning" (used, but read this) or "note"."""

    severity: Severity
    meaning: str


PROBLEM_CODES: Final[dict[str, Code]] = {
    # lines and rows that could not be used
    "bad_json": Code("error", "A line (or an item of a JSON array) is not JSON; it was skipped."),
    "bad_utf8": Code("error", "A line or row holds bytes that are no text in its encoding."),
    "not_an_object": Code("error", "A line is JSON but not an object; it was skipped."),
    "incomplete_last_line": Code(
        "error", "The last line has no line end and is no whole JSON value: it was still being written."
    ),
    "missing_case_id": Code("error", "An event or a case has no id that can be used; it was skipped."),
    "unlinked": Code("error", "No rule of the contract's [runs] gives this event a case; it was skipped."),
    # runs that could not be used
    "missing_key": Code("error", "An event lacks step or tool_name; its run is unusable."),
    "bad_key": Code("error", "An event's step or tool_name has no usable value; its run is unusable."),
    "repeated_key": Code("error", "An event holds case_id, step or tool_name twice; its run is unusable."),
    "bad_steps": Code("error", "The steps of a run are repeated or have gaps; it is unusable."),
    # cases that could not be used
    "duplicate_case": Code("error", "A case id stands on several rows; the case is unusable."),
    "bad_row": Code("error", "A row has too many or too few cells, or its quotes do not close."),
    "bad_cell": Code("error", "A cell cannot be read as what the contract says; the case is unusable."),
    # used, but read this
    "duplicate_key": Code("warning", "An object holds a key twice; the last value is used."),
    "duplicate_column": Code("warning", "A column name stands twice in the header; the first one counts."),
    "unreviewed_case": Code("warning", "Events of a case that is not in the cases file; not evaluated."),
    "empty_file": Code("warning", "One of several trace files is empty."),
    "wrong_case": Code("warning", "No call of a run fits its case, but they fit another one well."),
    "new_file": Code("warning", "A file that came into a followed folder waits for a reload."),
    "bad_triage": Code("warning", "A line of the triage file is no decision; it was skipped."),
    # notes
    "extra_cells": Code("note", "Rows have empty cells beyond the header; they were ignored."),
    "blank_row": Code("note", "Rows in which every cell is empty; they were ignored."),
    "arguments_decoded": Code("note", "Arguments recorded as JSON text were decoded once."),
    "arguments_empty": Code("note", "Arguments recorded as empty text or null count as none."),
    "step_form": Code("note", 'A step recorded as 1.0 or "1" counts as 1.'),
    "steps_from_zero": Code("note", "The steps of a run are counted from 0."),
}
"""Every code that a :class:`traceview.model.Problem` can have. They are stable; docs/report.md lists them."""

_PLACES = 10  # of a note that repeats


class InputError(Exception):
    """An input that cannot be used at all (exit code 2). The text is one line: what was found, what was
    expected, what to do."""


class Problems:
    """Collects problems. Errors and warnings are kept one by one, each once; notes that repeat are counted,
    with their first places.

    ``skipped`` counts input lines and rows that could not be used at all.
    """

    def __init__(self) -> None:
        self.skipped = 0
        self._single: set[Problem] = set()
        self._notes: dict[tuple[str, str, str], _Note] = {}

    def add(
        self, code: str, path: str, line: int | None, message: str, *, case_id: str | None = None
    ) -> None:
        """Report one problem; its severity is that of its code. A note's message must not name its place."""
        self.take(make(code, path, line, message, case_id=case_id))

    def skip(
        self, code: str, path: str, line: int | None, message: str, *, case_id: str | None = None
    ) -> None:
        """Report an input line that could not be used at all, and count it."""
        self.skipped += 1
        self.add(code, path, line, message, case_id=case_id)

    def take(self, problem: Problem) -> None:
        """Report a problem that was made elsewhere."""
        if problem.severity != "note":
            self._single.add(problem)
            return
        key = (problem.code, problem.path, problem.message)
        note = self._notes.get(key)
        if note is None:
            note = self._notes[key] = _Note()
        note.add(problem.line or 0, problem.case_id)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Report several."""
        for problem in problems:
            self.take(problem)

    def absorb(self, other: Problems) -> None:
        """Take over what was collected elsewhere, of other files."""
        self.skipped += other.skipped
        self._single |= other._single
        self._notes |= other._notes

    def retract(self, problems: Iterable[Problem]) -> None:
        """Forget problems of something that is read anew. A note's first places are right again once the new
        reading has reported."""
        for problem in problems:
            if problem.severity != "note":
                self._single.discard(problem)
                continue
            note = self._notes.get((problem.code, problem.path, problem.message))
            if note is not None:
                note.remove(problem.line or 0, problem.case_id)

    def list(self) -> list[Problem]:
        """All problems, sorted by path, line, code, case and message, whatever their order of arrival."""
        found = [*self._single]
        for (code, path, message), note in self._notes.items():
            if note.count:
                found.append(note.problem(code, path, message))
        found.sort(key=lambda p: (p.path, p.line or 0, p.code, p.case_id or "", p.message))
        return found


class _Note:
    """A repeated note: how often, and its first places (a heap of the largest, negated)."""

    __slots__ = ("count", "places")

    def __init__(self) -> None:
        self.count = 0
        self.places: list[tuple[int, str]] = []

    def add(self, line: int, case_id: str | None) -> None:
        self.count += 1
        place = (-line, case_id or "")
        if len(self.places) < _PLACES:
            heapq.heappush(self.places, place)
        elif place > self.places[0]:
            heapq.heapreplace(self.places, place)

    def remove(self, line: int, case_id: str | None) -> None:
        self.count -= 1
        place = (-line, case_id or "")
        if place in self.places:
            self.places.remove(place)
            heapq.heapify(self.places)

    def problem(self, code: str, path: str, message: str) -> Problem:
        places = sorted((-line, case_id) for line, case_id in self.places)
        if self.count == 1:
            line, case_id = places[0]
            return make(code, path, line or None, message, case_id=case_id or None)
        lines = [line for line, _ in places if line]
        where = f": lines {', '.join(map(str, lines))}" if lines else ""
        more = f" and {self.count - len(lines)} more" if lines and self.count > len(lines) else ""
        return make(code, path, places[0][0] or None, f"{message} ({self.count} times{where}{more})")


def make(code: str, path: str, line: int | None, message: str, *, case_id: str | None = None) -> Problem:
    """A problem with the severity of its code."""
    return Problem(code, PROBLEM_CODES[code].severity, path, line, case_id, message)


def found_and_nearest(wanted: str, found: Sequence[str], what: str) -> str:
    """``"columns found: a, b; did you mean b?"`` for a message about a name that is not there.

    :param what: plural noun, "columns" or "keys".
    """
    shown = ", ".join(found[:12]) + (f", … ({len(found)} in all)" if len(found) > 12 else "")
    text = f"{what} found: {shown or '(none)'}"
    by_letters = {_letters(name): name for name in reversed(found)}
    near = difflib.get_close_matches(_letters(wanted), by_letters, 1, 0.6)
    return f"{text}; did you mean {by_letters[near[0]]}?" if near else text


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
