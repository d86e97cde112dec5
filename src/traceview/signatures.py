"""Failures grouped by what is wrong, so that ten thousand of them are worked through as a dozen kinds."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from traceview.results import Row

__all__ = ["SignatureGroup", "signature_groups"]


class SignatureGroup(Struct, frozen=True):
    """Runs with one signature. ``share`` is their part of all rows that have a signature, 0 to 1; ``tools``
    the tools that their findings name, in order of first appearance; ``first`` the first such run."""

    signature: str
    diagnosis: str
    count: int
    share: float
    tools: tuple[str, ...]
    first: Row


def signature_groups(rows: Iterable[Row]) -> list[SignatureGroup]:
    """The groups, largest first; equals in the order in which they first appear. A run that passes has no
    signature and is in no group."""
    found: dict[tuple[str, str], tuple[Row, dict[str, None], list[int]]] = {}
    total = 0
    for row in rows:
        result = row.result
        if result.signature is None:
            continue
        total += 1
        key = (result.signature, result.diagnosis)
        group = found.get(key)
        if group is None:
            group = found[key] = (row, {}, [0])
        group[2][0] += 1
        for finding in result.findings:
            if finding.tool is not None:
                group[1][finding.tool] = None
    groups = [
        SignatureGroup(signature, diagnosis, count, count / total, tuple(tools), first)
        for (signature, diagnosis), (first, tools, [count]) in found.items()
    ]
    groups.sort(key=lambda group: -group.count)
    return groups
