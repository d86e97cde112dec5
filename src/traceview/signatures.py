"""Failures grouped by what is wrong, so that ten thousand of them are worked through as a dozen kinds.

A kind can be looked at from afar or from near (:data:`LEVELS`): by diagnosis, by the check and tool that gave
it, by argument (the signature), or by argument and values. Each level splits the groups of the one before it.
Positions in lists are ``*`` everywhere, so that the third flight and the fourth are one kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from traceview.jsontext import show
from traceview.model import MISSING, RunResult
from traceview.query.words import quote
from traceview.results import Row, deciding_finding

__all__ = ["LEVELS", "Level", "SignatureGroup", "group_key", "signature_groups"]

Level: TypeAlias = Literal["diagnosis", "tool", "argument", "values"]
LEVELS: Final[tuple[Level, ...]] = ("diagnosis", "tool", "argument", "values")
"""From coarse to fine."""

_SHOWN: Final = 120  # characters of a value that tell it from others; a whole document is no name


class SignatureGroup(Struct, frozen=True):
    """Runs with one kind of failure.

    ``key`` names the kind at its ``level``; at "argument" it is the signature. ``signature`` is that of
    ``first``, the first such run. ``share`` is the part of all rows that have a signature, 0 to 1; ``tools``
    those that the findings name, in order of first appearance. ``filter`` is a filter text that leaves
    exactly these runs.
    """

    key: str
    diagnosis: str
    count: int
    share: float
    tools: tuple[str, ...]
    first: Row
    level: Level
    filter: str

    @property
    def signature(self) -> str:
        return self.first.result.signature or ""


class _Gathered:
    __slots__ = ("count", "first", "tools")

    def __init__(self, first: Row) -> None:
        self.first = first
        self.count = 0
        self.tools: dict[str, None] = {}


def signature_groups(rows: Iterable[Row], level: Level = "argument") -> list[SignatureGroup]:
    """The groups, largest first; equals in the order in which they first appear. A run that passes has no
    signature and is in no group; the counts of the groups add up to the rows that have one."""
    key_of = _KEYS[level]
    found: dict[tuple[str, str], _Gathered] = {}
    for row in rows:
        result = row.result
        if result.signature is None:
            continue
        key = (result.diagnosis, key_of(result))
        group = found.get(key)
        if group is None:
            group = found[key] = _Gathered(row)
        group.count += 1
        for finding in result.findings:
            if finding.tool is not None:
                group.tools[finding.tool] = None
    total = sum(group.count for group in found.values())
    diagnoses = Counter([key for _, key in found])
    groups = [
        SignatureGroup(
            key,
            diagnosis,
            group.count,
            group.count / total,
            tuple(group.tools),
            group.first,
            level,
            _filter(level, diagnosis, key, also_diagnosis=diagnoses[key] > 1),
        )
        for (diagnosis, key), group in found.items()
    ]
    groups.sort(key=lambda group: -group.count)
    return groups


def group_key(row: Row, level: Level) -> str | None:
    """The kind of a row's failure at a level; None for a run that passes."""
    return None if row.result.signature is None else _KEYS[level](row.result)


def _filter(level: Level, diagnosis: str, key: str, *, also_diagnosis: bool) -> str:
    by_diagnosis = f"diagnosis:{quote(diagnosis)}"
    if level == "diagnosis":
        return by_diagnosis
    term = f"{'signature' if level == 'argument' else 'cause'}:{quote(key)}"
    return f"{by_diagnosis} {term}" if also_diagnosis else term


# -- the key of each level ---------------------------------------------------------------------------------


def _check_and_tool(result: RunResult) -> str:
    finding = deciding_finding(result)
    parts = (finding.check, finding.tool) if finding is not None else ()
    return " ".join(part for part in parts if part) or result.signature or ""


def _with_values(result: RunResult) -> str:
    """The signature and both sides of the finding that decided; its message where it has no sides (a call
    that was not made), and where the rows came without their values (:func:`traceview.load.slim`)."""
    finding = deciding_finding(result)
    signature = result.signature or ""
    if finding is None:
        return signature
    if finding.expected is MISSING and finding.observed is MISSING:
        return f"{signature}: {finding.message[:_SHOWN]}"
    return f"{signature}: expected {_short(finding.expected)}, observed {_short(finding.observed)}"


def _short(value: Any) -> str:
    text = show(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_KEYS: Final[dict[Level, Callable[[RunResult], str]]] = {
    "diagnosis": lambda result: result.diagnosis,
    "tool": _check_and_tool,
    "argument": lambda result: result.signature or "",
    "values": _with_values,
}
