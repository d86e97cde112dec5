"""Scanning the traces while something else is done, for files that take long enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from traceview.contract.spec import RunsSpec
from traceview.parallel import Copy, processes
from traceview.read.files import STDIN
from traceview.read.problems import Problems
from traceview.read.traces import Found, TraceIndex

__all__ = ["scan_ahead"]

_LONG = 50_000_000  # bytes of traces from which on this is worth a process


def scan_ahead(traces: Sequence[str]) -> Copy[Found | None] | None:
    """A copy of this process that scans the traces, None where it is not worth one, or not possible. Its one
    answer is what it found; None where that stands in copies of its own.

    It goes by the traces' own keys: a contract with other rules has them scanned again.
    """
    paths = [Path(path) for path in traces if path != STDIN]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    if size < _LONG or len(paths) < len(traces) or processes() < 2:
        return None

    def scan(_: int) -> Found | None:
        index = TraceIndex(traces, RunsSpec(), Problems())
        for _progress in index.scan():
            pass
        return index.found()

    return Copy(range(1), scan)
