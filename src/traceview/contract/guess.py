"""Which columns of the cases go with which recorded values: guesses by name and by value, with their counts.

Nothing here is an expectation. :mod:`traceview.contract.init` writes what was found, marked as a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from traceview.contract import instants
from traceview.contract.actions import actions_of
from traceview.contract.cells import Refused, caster, decode_cell
from traceview.contract.fit import LABELS
from traceview.model import MISSING, Number

__all__ = [
    "Match",
    "Places",
    "actions_columns",
    "best_matches",
    "effect_by_name",
    "id_column",
    "label_column",
    "title_column",
]

Cells: TypeAlias = Mapping[str, Any]
Places: TypeAlias = Mapping[tuple[str, ...], Sequence[tuple[int, Any]]]
"""What was recorded where: for each place, (number of the case, value) of every time it was seen."""

# fmt: off
_READS: Final = frozenset((
    "browse", "calculate", "check", "compare", "compute", "count", "describe", "detect", "estimate",
    "exists", "explain", "fetch", "find", "get", "has", "inspect", "is", "list", "load", "look",
    "lookup", "peek", "ping", "preview", "query", "read", "retrieve", "scan", "search", "select",
    "show", "status", "think", "validate", "verify", "view",
))
# fmt: on
_TITLES: Final = ("title", "user_request", "request", "prompt", "question", "query", "input", "task", "name")
_IDS: Final = ("case_id", "id", "case", "name")
_LABELS: Final = ("expected_verdict", "label", "verdict", "reviewed", "expected")
_PREFIXES: Final = ("expected_", "exp_", "want_", "target_", "gold_", "reference_")
_CASTS: Final = ("int", "float", "bool", "instant", "list:;", "list:|", "list:,", "json")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


# -- columns by themselves ---------------------------------------------------------------------------------


def id_column(columns: Sequence[str], rows: Sequence[Cells], recorded: Iterable[str]) -> str:
    """The column that holds most of the recorded case ids; among equals one that tells the cases apart, and
    then one that is named like an id."""
    known = set(recorded)

    def rank(column: str) -> tuple[int, bool, int]:
        cells = {str(row.get(column)) for row in rows}
        return (
            len(cells & known),
            len(cells) == len(rows),
            -_IDS.index(column) if column in _IDS else -len(_IDS),
        )

    return max(columns, key=rank)


def title_column(columns: Sequence[str], taken: Iterable[str]) -> str | None:
    """A column with a short text for people, by its name."""
    left = set(columns).difference(taken)
    return next((name for name in _TITLES if name in left), None)


def label_column(columns: Sequence[str], rows: Sequence[Cells]) -> str | None:
    """The column whose cells are PASS, FAIL or UNKNOWN, as reviewed labels are."""
    found = []
    for column in columns:
        words = {row.get(column) for row in rows} - {"", None} if _hashable(column, rows) else set()
        if words and all(isinstance(word, str) and word.upper() in LABELS for word in words):
            found.append(column)
    return min(found, key=lambda c: _LABELS.index(c) if c in _LABELS else len(_LABELS), default=None)


def _hashable(column: str, rows: Sequence[Cells]) -> bool:
    return not any(isinstance(row.get(column), dict | list) for row in rows)


def actions_columns(columns: Sequence[str], rows: Sequence[Cells]) -> tuple[str, ...]:
    """The columns whose cells are lists of expected calls, as ``[[steps_from]]`` takes them."""
    return tuple(column for column in columns if _holds_actions([row.get(column) for row in rows]))


def _holds_actions(cells: Iterable[Any]) -> bool:
    some = False
    for cell in cells:
        if cell in ("", None):
            continue
        try:
            some = bool(actions_of(decode_cell(cell) if isinstance(cell, str) else cell)) or some
        except Refused:
            return False
    return some


def effect_by_name(tool: str) -> str:
    """ "read" if the name of a tool begins like one that only looks, else "write"."""
    last = re.split(r"__|[./:]", tool)[-1]
    words = [word.lower() for word in _WORD.findall(last)]
    return "read" if words and words[0] in _READS else "write"


# -- columns against recorded values -----------------------------------------------------------------------


class Match(Struct, frozen=True):
    """A column that seems to be the expected value of a place.

    With ``cast`` its cell was ``equal`` to the recorded value in so many ``of`` the times that both were
    there. ``named``: how alike their names are, 2 the same, 1 in part, 0 not. ``refused``: cells that cannot
    be cast. ``kind``: a comparison that would accept more values, and how many. ``others``: further columns
    of which the same could be said, with their own counts.
    """

    column: str
    cast: str
    named: int
    equal: int
    of: int
    refused: int = 0
    kind: tuple[str, int] | None = None
    others: tuple[tuple[str, int, int], ...] = ()

    @property
    def why(self) -> str:
        by = ("by value alone", "by part of the name and value", "by name and value")[self.named]
        return f"{by}: equal {self.equal} of {self.of} times"


class _Reading(Struct, frozen=True):
    """A column under one cast: the key of each case's cell (MISSING for an empty one, or one of the
    ``refused`` ones that the cast does not take)."""

    cast: str
    keys: tuple[Hashable, ...]
    recorded: Callable[[Any], Hashable]
    refused: int = 0


def best_matches(
    columns: Sequence[str], rows: Sequence[Cells], places: Places
) -> dict[tuple[str, ...], Match]:
    """For each place the column that goes with it best, if one does; a column has one cast everywhere.

    A column of the same name needs some equal values, one that is named alike in part needs most of them. Any
    other must be equal most of the time and with different values: one value can be equal by accident.
    """
    readings = {column: _readings([row.get(column) for row in rows]) for column in columns}
    chosen = {column: _cast_of(column, found, places) for column, found in readings.items()}
    matches: dict[tuple[str, ...], Match] = {}
    for place, seen in places.items():
        found = [match for column in columns if (match := _match(column, chosen[column], place[-1], seen))]
        if found:
            found.sort(key=lambda match: (-match.named, -match.equal / match.of, -match.equal))
            best, *others = found
            rest = tuple((other.column, other.equal, other.of) for other in others[:3])
            matches[place] = replace(best, others=rest)
    return matches


def _match(column: str, reading: _Reading, name: str, seen: Sequence[tuple[int, Any]]) -> Match | None:
    equal, of, distinct = _agreement(reading, seen)
    named = alike(column, name)
    often = of >= 2 and equal * 10 >= of * 6
    some = equal * 10 >= of > 0
    varied = distinct > 2 or (distinct == 2 and equal == of)
    if not ((named == 2 and some and equal) or (often and (named or varied))):
        return None
    return Match(column, reading.cast, named, equal, of, reading.refused, _kind(reading, seen, equal))


def _kind(reading: _Reading, seen: Iterable[tuple[int, Any]], equal: int) -> tuple[str, int] | None:
    """A kind of comparison under which more values would be accepted than under equality."""
    pairs = [(reading.keys[case], reading.recorded(value)) for case, value in seen]
    for kind, accepts in (("bag", _same_items), ("iequals", _same_but_for_case)):
        count = sum(expected is not MISSING and accepts(expected, found) for expected, found in pairs)
        if count > equal and (count - equal) * 10 >= len(pairs):  # one more by accident is no reason
            return kind, count
    return None


def _same_items(expected: Any, found: Any) -> bool:
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return Counter(expected) == Counter(found)
    return bool(expected == found)


def _same_but_for_case(expected: Any, found: Any) -> bool:
    if isinstance(expected, str) and isinstance(found, str):
        return expected.casefold() == found.casefold()
    return bool(expected == found)


def alike(column: str, name: str) -> int:
    """How alike the names of a column and a value are, but for what marks a column as expected: 2 the same
    (``expected_room_id``, ``roomId``), 1 if one is part of the other (``expected_outcome``, ``run_outcome``),
    else 0."""
    for prefix in _PREFIXES:
        column = column.removeprefix(prefix)
    if _letters(column) == _letters(name) != "":
        return 2
    ours, theirs = _words(column), _words(name)
    return int(bool(ours and theirs) and (ours <= theirs or theirs <= ours))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _cast_of(column: str, readings: Sequence[_Reading], places: Places) -> _Reading:
    """The cast under which most cells are equal to what was recorded; as it is written, among equals."""

    def rank(reading: _Reading) -> tuple[int, int]:
        named = other = 0
        for place, seen in places.items():
            equal = _agreement(reading, seen)[0]
            if alike(column, place[-1]) == 2:
                named += equal
            else:
                other = max(other, equal)
        return named, other

    return max(readings, key=rank)


def _agreement(reading: _Reading, seen: Iterable[tuple[int, Any]]) -> tuple[int, int, int]:
    """How often cell and recorded value are equal, how often both are there, how many values were equal."""
    equal = of = 0
    distinct = set()
    for case, value in seen:
        expected = reading.keys[case]
        if expected is MISSING:
            continue
        of += 1
        if reading.recorded(value) == expected:
            equal += 1
            distinct.add(expected)
    return equal, of, len(distinct)


def _readings(cells: Sequence[Any]) -> list[_Reading]:
    """The column as it is, and under every cast that takes its cells, but for a few that may be slips."""
    found = [_Reading("text", tuple(MISSING if _empty(cell) else _key(cell) for cell in cells), _key)]
    texts = [cell for cell in cells if isinstance(cell, str) and cell]
    if not texts:
        return found
    for cast in _CASTS:
        if cast.startswith("list:") and not any(cast[5:] in text for text in texts):
            continue
        reading = _under(cast, cells, len(texts) // 20)
        if reading is not None:
            found.append(reading)
    return found


def _under(cast: str, cells: Sequence[Any], allowed: int) -> _Reading | None:
    """The column under a cast; None if it refuses more cells than are ``allowed``."""
    convert = caster(cast)
    assert convert is not None
    key = _instant if cast == "instant" else _key
    keys: list[Hashable] = []
    refused = 0
    for cell in cells:
        try:
            value = convert(cell) if isinstance(cell, str) and cell else cell
        except Refused:
            refused += 1
            if refused > allowed:
                return None
            keys.append(MISSING)
        else:
            keys.append(MISSING if _empty(cell) else key(value))
    return _Reading(cast, tuple(keys), key, refused)


def _empty(cell: Any) -> bool:
    return cell is None or cell == ""


def _key(value: Any) -> Hashable:
    """Equal for equal JSON values: by type and value, numbers by value, objects whatever their order."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, Number):
        return value.exact if value.exact is not None else ("number", value.text)
    if isinstance(value, dict):
        return frozenset((name, _key(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(map(_key, value))
    number: Hashable = value
    return number


def _instant(value: Any) -> Hashable:
    return (instants.parse(value) if isinstance(value, str) else None) or ("no instant", _key(value))
