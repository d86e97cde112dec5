"""A comparison for spreadsheets: one row per run.

Columns: case_id, run, change; verdict and diagnosis before and after; for each check ``from -> to`` (blank
where a side was not judged); signature and first finding of both sides; title and trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TextIO

from traceview.compare import Comparison, Transition, compared_checks
from traceview.results import Row
from traceview.write import Options
from traceview.write.csv import cell
from traceview.write.words import reason

__all__ = ["write"]

_FRONT: Final = (
    "case_id",
    "run",
    "change",
    "baseline_verdict",
    "candidate_verdict",
    "baseline_diagnosis",
    "candidate_diagnosis",
)
_BACK: Final = (
    "baseline_signature",
    "candidate_signature",
    "baseline_finding",
    "candidate_finding",
    "baseline_run",
    "title",
    "trial",
)


def write(comparison: Comparison, stream: TextIO, options: Options) -> None:
    """Write header and rows (RFC 4180 quoting, ``\\n`` at line ends); filter and stamp have no place."""
    checks = compared_checks(comparison)
    taken = {*_FRONT, *_BACK}
    names = [f"check:{name}" if name in taken else name for name in checks]
    for line in ((*_FRONT, *names, *_BACK), *(_cells(t, checks) for t in comparison.transitions.values())):
        stream.write(",".join(map(cell, line)) + "\n")


def _cells(transition: Transition, checks: Sequence[str]) -> Iterator[str]:
    row, sides = transition.row, (transition.baseline, transition.candidate)
    yield row.result.case_id
    yield _run(row)
    yield transition.kind
    yield from transition.verdicts
    yield from transition.diagnoses
    for name in checks:
        said = [side.result.checks.get(name, "") if side is not None else "" for side in sides]
        yield " -> ".join(said) if all(said) else ""
    for side in sides:
        yield "" if side is None else side.result.signature or ""
    for side in sides:
        yield "" if side is None else reason(side)
    yield "" if transition.baseline is None else _run(transition.baseline)
    yield row.title
    yield row.result.trial or ""


def _run(row: Row) -> str:
    return row.result.run_id if row.result.run_id is not None else row.result.trial or ""
