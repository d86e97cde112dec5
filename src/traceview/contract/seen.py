"""What a contract is drafted from, and which values stand at which places of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from traceview.contract.guess import Cells
from traceview.contract.written import writable
from traceview.model import Event, Run

__all__ = ["Seen", "argument_places", "final_places"]

_DEPTH: Final = 3  # how deep the final evidence is looked into
# Of an event, what is no final evidence: what identifies it, and what the call itself carries.
# fmt: off
_OF_THE_CALL: Final = frozenset((
    "case_id", "run_id", "trial", "step", "tool_name", "arguments", "status", "result", "error", "error_text",
    "call_id", "group", "actor", "model", "started_at", "ended_at", "complete",
))
# fmt: on


class Seen(Struct, frozen=True):
    """What a contract is drafted from. ``columns`` are those that a rule can read, ``repeated`` the ones that
    the header has more than once. ``runs`` are (number of the case, run); ``observed``: the cases are their
    own evidence; ``left_out`` counts runs that were not looked at, ``joined`` the cases that have a run of
    any kind; ``sources`` says, in a line each, which files these are."""

    name: str
    columns: tuple[str, ...]
    cases: Sequence[Cells]
    id_column: str
    runs: Sequence[tuple[int, Run]]
    observed: bool = False
    left_out: int = 0
    joined: int = 0
    sources: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


def argument_places(calls: Sequence[tuple[int, Event]]) -> dict[tuple[str, ...], list[tuple[int, Any]]]:
    """("call", tool, argument) → (number of the case, value) of each call; in a stable order."""
    places: defaultdict[tuple[str, ...], list[tuple[int, Any]]] = defaultdict(list)
    for case, event in calls:
        if event.args_state == "object" and event.tool_name is not None:
            for name, value in event.arguments.items():
                places["call", event.tool_name, name].append((case, value))
    return {place: found for place, found in places.items() if all(map(writable, place))}


def final_places(seen: Seen) -> dict[tuple[str, ...], list[tuple[int, Any]]]:
    """("final", key, key …) → (number of the case, value) of each run."""
    places: defaultdict[tuple[str, ...], list[tuple[int, Any]]] = defaultdict(list)
    skipped = {seen.id_column} if seen.observed else _OF_THE_CALL
    for case, run in seen.runs:
        for key, value in run.final.items():
            if key not in skipped:
                for path, leaf in _leaves((key,), value):
                    places["final", *path].append((case, leaf))
    return {place: found for place, found in places.items() if all(map(writable, place))}


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value and len(path) < _DEPTH and "kind" not in value:
        for key, item in value.items():
            yield from _leaves((*path, key), item)
    else:
        yield path, value
