"""What a contract hides in exports: the values of keys that match ``[evidence] redact``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from msgspec.structs import replace

from traceview.model import MISSING, Finding, Problem
from traceview.results import Report, Row

__all__ = ["HIDDEN", "redacted"]

HIDDEN: Final = "(redacted)"


def redacted(report: Report) -> Report:
    """The report without the hidden values, wherever a format would show them: both sides and message of a
    finding, what the recording says of itself, and the text of problems that quote values."""
    if report.contract is None or not report.contract.redact:
        return report
    hide = _Hide(report.contract.redact)
    return replace(
        report,
        rows=[hide.row(row) for row in report.rows],
        problems=[hide.problem(problem) for problem in report.problems],
    )


class _Hide:
    def __init__(self, globs: Sequence[str]) -> None:
        self._globs = tuple(globs)
        self._known: dict[str, bool] = {}

    def key(self, key: str) -> bool:
        hidden = self._known.get(key)
        if hidden is None:
            hidden = self._known[key] = any(fnmatchcase(key, glob) for glob in self._globs)
        return hidden

    def value(self, value: Any) -> Any:
        """The same object where nothing of it is hidden."""
        if isinstance(value, Mapping):
            shown = {k: HIDDEN if self.key(k) else self.value(v) for k, v in value.items()}
            return shown if any(shown[k] is not v for k, v in value.items()) else value
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        return value

    def row(self, row: Row) -> Row:
        result = row.result
        if not result.findings and not result.recorded:
            return row
        findings = tuple(map(self.finding, result.findings))
        return replace(
            row, result=replace(result, findings=findings, recorded=self.value(dict(result.recorded)))
        )

    def finding(self, finding: Finding) -> Finding:
        keys = [key.replace("~1", "/").replace("~0", "~") for key in (finding.path or "").split("/")[1:]]
        if any(map(self.key, keys)):
            expected = MISSING if finding.expected is MISSING else HIDDEN
            observed = MISSING if finding.observed is MISSING else HIDDEN
        else:
            expected, observed = self.value(finding.expected), self.value(finding.observed)
        if expected is finding.expected and observed is finding.observed:
            return finding
        place = ".".join(filter(None, (finding.tool, *keys)))
        message = f"{place or finding.check}: {finding.kind}, its value is redacted"
        return replace(finding, expected=expected, observed=observed, message=message, note=None)

    def problem(self, problem: Problem) -> Problem:
        if problem.code != "duplicate_key":
            return problem
        return replace(problem, message=f"a repeated key, its values are {HIDDEN}")
