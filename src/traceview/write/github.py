"""Annotations for GitHub Actions: workflow commands on standard output.

GitHub shows ten errors and ten warnings of a step; the worst are written first, and a notice has the totals.
https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from traceview.results import Report, Row, deciding_finding, totals
from traceview.sanitize import visible
from traceview.write import Options
from traceview.write.words import accepted, headline, place_of, plural, reason, run_name

__all__ = ["write"]

_LIMIT: Final = 10
_LEVELS: Final = {"fail": "error", "unusable": "error", "unknown": "warning", "no_trace": "warning"}


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write an error per failing or unusable run, a warning per undecided one (ten of each, by the contract's
    priority), warnings for what could not be used as far as there is room, and the totals."""
    file = next((info.path for info in report.inputs if info.role == "cases"), "")
    priority = report.contract.priority if report.contract else ()
    left = [row for row in report.rows if not accepted(report, row)]
    written = {"error": 0, "warning": 0}
    for level in written:
        rows = [row for row in left if _LEVELS.get(row.result.verdict) == level]
        for row in _worst(rows, priority):
            title = f"{run_name(row)} {row.result.diagnosis}"
            _command(stream, level, title, _message(row), file, row.case.line)
            written[level] += 1
    for problem in report.problems:
        if problem.severity != "note" and written["warning"] < _LIMIT:
            _command(stream, "warning", problem.code, problem.message, problem.path, problem.line)
            written["warning"] += 1
    figures = totals(report.rows)
    below = totals(left)
    undecided = below["unknown"] + below["no_trace"]
    more = max(below["fail"] + below["unusable"] - _LIMIT, 0) + max(undecided - _LIMIT, 0)
    said = headline(figures)
    if len(left) < len(report.rows):
        said += f"; {plural(len(report.rows) - len(left), 'run')} accepted by triage"
    if more:
        said += f"; {more} more without an annotation"
    if report.skipped:
        said += f"; {plural(report.skipped, 'input line')} could not be used"
    if report.filter:
        said += f"; filter {report.filter}"
    if options.stamp:
        said += f"; {options.stamp}"
    _command(stream, "notice", "traceview", said, "", None)


def _worst(rows: Sequence[Row], priority: Sequence[str]) -> list[Row]:
    place = {label: index for index, label in enumerate(priority)}
    order = sorted(rows, key=lambda row: place.get(row.result.diagnosis, len(place)))
    return order[:_LIMIT]


def _message(row: Row) -> str:
    finding = deciding_finding(row.result)
    if finding is None:
        return reason(row)
    others = len(row.result.findings) - 1
    more = f" (and {others} more)" if others else ""
    return f"{place_of(finding)}: {finding.message}{more}"


def _command(stream: TextIO, level: str, title: str, message: str, file: str, line: int | None) -> None:
    place = f"file={_property(file)}," if file else ""
    if line is not None and file:
        place += f"line={line},"
    stream.write(f"::{level} {place}title={_property(title)}::{_data(message)}\n")


def _data(text: str) -> str:
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
