"""One result a line, as in the report's ``results``."""

from __future__ import annotations

from typing import TextIO

from traceview.results import Report
from traceview.write import Options
from traceview.write.json import result_texts

__all__ = ["write"]


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write the rows; there is no place for totals, filter or stamp."""
    text = result_texts(report.triage)
    for row in report.rows:
        stream.write(text(row) + "\n")
