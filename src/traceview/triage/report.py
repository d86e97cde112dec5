"""A report with what people have decided about its runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from traceview.model import Problem
from traceview.read.files import shown_path
from traceview.read.problems import make
from traceview.results import Report
from traceview.triage.file import TriageError, triage_path
from traceview.triage.state import load

__all__ = ["with_triage"]


def with_triage(
    report: Report,
    cases: str | None,
    traces: Sequence[str] = (),
    *,
    path: str | None = None,
    respect: bool = False,
) -> Report:
    """The report with the decisions kept beside its inputs, or in ``path``; as it is where there are none.

    ``report`` must have all its rows still, so that marks find their runs again.

    :param respect: let accepted runs pass the gate. A line that is no decision then counts as an input line
        that could not be used: it may have taken a mark back.
    :raises TriageError: ``path`` is not there or cannot be read; with ``respect``, any file that is needed.
    """
    place = Path(path) if path is not None else triage_path(cases, traces)
    if place is None:
        if respect:
            raise TriageError("standard input has no triage file beside it; name one: --triage FILE")
        return report
    if not place.exists():
        if path is not None:
            raise TriageError(f"{shown_path(path)}: no such file; expected marks and notes (.triage.jsonl)")
        if not respect:
            return report
    try:
        triage = load(place)
    except TriageError as error:
        if respect or path is not None:
            raise
        unread = make("bad_triage", shown_path(str(place)), None, f"{error}; no marks are shown")
        return replace(report, problems=_sorted([*report.problems, unread]))
    triage.respected = respect
    triage.recorded(report.rows)
    return replace(
        report,
        problems=_sorted([*report.problems, *triage.problems]),
        skipped=report.skipped + (len(triage.problems) if respect else 0),
        triage=triage,
    )


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda p: (p.path, p.line or 0, p.code, p.case_id or "", p.message))
