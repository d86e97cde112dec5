"""What people have decided about failures: marks, notes and tags, kept beside the cases file.

::

    triage = load(triage_path("cases.csv"))
    triage.recorded(report.rows)                       # which runs there are
    found = triage.of(row)                             # Mark | None
    triage.append(about_run(row, mark="confirmed", note="books the wrong room"))
    triage.append(*(about_signature(s, mark="environment") for s in signatures))   # one step
    triage.undo()

Decisions are appended to a file and never changed: see :mod:`traceview.triage.decision` for its lines and
docs/triage.md for what a user knows of it.
"""

from __future__ import annotations

from traceview.triage.decision import (
    ACCEPTED,
    MARKS,
    Decision,
    Scope,
    about_case,
    about_run,
    about_signature,
)
from traceview.triage.file import TriageError, check_writable, triage_path
from traceview.triage.index import Mark, left_to_do
from traceview.triage.report import with_triage
from traceview.triage.state import Triage, author_name, load, triage_totals

__all__ = [
    "ACCEPTED",
    "MARKS",
    "Decision",
    "Mark",
    "Scope",
    "Triage",
    "TriageError",
    "about_case",
    "about_run",
    "about_signature",
    "author_name",
    "check_writable",
    "left_to_do",
    "load",
    "triage_path",
    "triage_totals",
    "with_triage",
]
