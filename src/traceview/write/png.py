"""The report as a picture for slides; see :mod:`traceview.write.chart`."""

from __future__ import annotations

from typing import TextIO

from traceview.results import Report
from traceview.write import Options
from traceview.write.chart import write_chart

__all__ = ["write"]


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write the bytes of a PNG to what is below ``stream``."""
    write_chart(report, stream, "png", options.stamp)
