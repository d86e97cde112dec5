"""Runs that were probably recorded under the wrong case.

A run whose calls hold nothing of its own case and nearly everything of another one has not failed in fifteen
ways: its label is wrong. This says so; it changes no verdict. It knows no contract: what a case expects are
the values in its cells (those in JSON cells too), what a run holds are the values of its arguments.

Values that many cases have (a duration, a room) tell nothing. A value is *telling* if at most a tenth of the
cases have it, and at most :data:`_FEW` of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from traceview.jsontext import BadJson, decode_text
from traceview.model import Case, Number, Problem, Run
from traceview.read.problems import make
from traceview.results import Row

__all__ = ["hinted", "hints"]

_FEW: Final = 50  # cases that may have a telling value
_LEAST: Final = 2  # telling values that a run must have in common with another case
_WELL: Final = 0.6  # part of the run's telling values that the other case must have
_OWN: Final = 0.5  # part of a run's values that its own case may have, common ones as they must be
_MOST_RUNS: Final = 2000  # that are read again; where more fail so, one soon sees what is wrong
_DIFFERENT: Final = frozenset(("changed", "type", "text_form"))


def hints(rows: Sequence[Row], read_run: Callable[[Row], Run]) -> list[Problem]:
    """A warning ``wrong_case`` for each failing run that fits another case well and its own not at all.

    Depends on nothing but the rows and their runs. The first runs with several differing arguments are read
    again, a bounded number of them; the cells of all cases are looked at only where one of those holds little
    of its own case.

    :param read_run: reads the run of a row again (:meth:`traceview.load.Reader.run`).
    """
    return [problem for _, problem in hinted(rows, rows, read_run)]


def hinted(
    rows: Sequence[Row], among: Sequence[Row], read_run: Callable[[Row], Run]
) -> list[tuple[Row, Problem]]:
    """As :func:`hints`, each with its row, for some rows of all that there are (``among``)."""
    differing = (row for row in rows if row.result.verdict == "fail" and _differs(row))
    suspects = []
    for row in islice(differing, _MOST_RUNS):
        run = read_run(row)
        held = frozenset(_held(run))
        own = held.intersection(_values(row.case))
        if len(held) >= _LEAST and len(own) <= _OWN * len(held):
            suspects.append((row, run, held))
    if not suspects:
        return []
    cases = {row.result.case_id: row.case for row in among}
    wanted = frozenset().union(*(held for _, _, held in suspects))
    owners = _owners(cases, wanted, max(1, min(_FEW, len(cases) // 10)))
    found = ((row, _hint(row, run, held & owners.keys(), owners)) for row, run, held in suspects)
    return [(row, problem) for row, problem in found if problem is not None]


def _differs(row: Row) -> bool:
    """Whether at least two arguments are not what was expected."""
    return sum(f.path is not None and f.kind in _DIFFERENT for f in row.result.findings) >= _LEAST


def _hint(row: Row, run: Run, telling: frozenset[str], owners: Mapping[str, Sequence[str]]) -> Problem | None:
    case_id = row.result.case_id
    shared = Counter(owner for value in sorted(telling) for owner in owners[value])
    if not shared or shared[case_id]:
        return None
    most = max(shared.values())
    if most < _LEAST or most < _WELL * len(telling):
        return None
    fitting = [owner for owner in shared if shared[owner] == most]
    other = min(fitting)
    more = f" (and {len(fitting) - 1} more fit as well)" if len(fitting) > 1 else ""
    source = run.events[0].source
    return make(
        "wrong_case",
        source.path,
        source.line,
        f"no call of this run holds a value that tells case {case_id} from others, but {most} of "
        f"{len(telling)} such values are those of case {other}{more}: is it recorded under the wrong case?",
        case_id=case_id,
    )


def _owners(cases: Mapping[str, Case], wanted: frozenset[str], limit: int) -> dict[str, list[str]]:
    """The telling ones among the wanted values, each with the cases that have it."""
    owners: dict[str, list[str]] = {}
    if not wanted:
        return owners
    for case_id, case in cases.items():
        for value in wanted.intersection(_values(case)):
            known = owners.setdefault(value, [])
            if len(known) <= limit:
                known.append(case_id)
    return {value: known for value, known in owners.items() if len(known) <= limit}


def _held(run: Run) -> Iterator[str]:
    """The values in the arguments of the assistant's calls."""
    for event in run.events:
        if event.args_state == "object" and event.actor == "assistant":
            yield from _scalars(event.arguments)


def _values(case: Case) -> Iterator[str]:
    """The values in the cells of a case: the cell itself, or those in it if it is JSON."""
    for cell in case.cells.values():
        if isinstance(cell, str) and cell[:1] not in ("[", "{"):
            yield cell.strip()
        elif isinstance(cell, str):
            try:
                yield from _scalars(decode_text(cell).value)
            except BadJson:
                yield cell.strip()
        else:
            yield from _scalars(cell)


def _scalars(value: Any) -> Iterator[str]:
    """The texts and numbers in a value as one text each, so that 4, 4.0 and "4" are the same."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    elif isinstance(value, str):
        if text := value.strip():
            yield text
    elif isinstance(value, Number):
        yield value.text
    elif isinstance(value, float) and value.is_integer():
        yield str(int(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
