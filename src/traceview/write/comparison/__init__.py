"""Comparisons as files: one module a format, each with ``write(comparison, stream, options)``.

As in :mod:`traceview.write` a writer computes nothing of its own, and what the contract hides is hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, TextIO, TypeAlias

from msgspec.structs import replace

from traceview.write import Options
from traceview.write.redaction import redacted

if TYPE_CHECKING:
    from traceview.compare import Comparison
    from traceview.results import Row

__all__ = ["FORMATS", "Writer", "writer"]

FORMATS: Final = ("text", "json", "markdown", "csv")

Writer: TypeAlias = Callable[["Comparison", TextIO, Options], None]


def writer(name: str) -> Writer:
    """The writer of one of :data:`FORMATS`."""
    if name not in FORMATS:
        raise ValueError(name)
    write: Writer = import_module(f"traceview.write.comparison.{name}").write

    def write_redacted(comparison: Comparison, stream: TextIO, options: Options) -> None:
        write(_redacted(comparison), stream, options)

    return write_redacted


def _redacted(comparison: Comparison) -> Comparison:
    hidden: dict[int, Row] = {}
    reports = []
    for report in (comparison.baseline, comparison.candidate):
        shown = redacted(report)
        hidden.update({id(row): other for row, other in zip(report.rows, shown.rows, strict=True)})
        reports.append(shown)
    if reports[0] is comparison.baseline and reports[1] is comparison.candidate:
        return comparison
    found = {
        key: replace(
            transition,
            baseline=transition.baseline and hidden[id(transition.baseline)],
            candidate=transition.candidate and hidden[id(transition.candidate)],
        )
        for key, transition in comparison.transitions.items()
    }
    return replace(comparison, baseline=reports[0], candidate=reports[1], transitions=found)
