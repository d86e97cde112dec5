"""The report as a picture that scales, and whose text stays text; see :mod:`traceview.write.chart`."""

from __future__ import annotations

from typing import TextIO

from traceview.results import Report
from traceview.write import Options
from traceview.write.chart import write_chart

__all__ = ["write"]


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write an SVG."""
    write_chart(report, stream, "svg", options.stamp)
