"""What a contract hides in exports: the values of keys that match ``[evidence] redact``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from msgspec.structs import replace

from traceview.evaluate.detail import Detail, Diff, EvidenceGroup, StepRow, spread
from traceview.model import MISSING, Event, Finding, Problem, RunResult
from traceview.results import Report, Row

__all__ = ["HIDDEN", "redacted", "redacting"]

HIDDEN: Final = "(redacted)"

# A key in JSON that stands as text in a value, whole or broken, at any depth of quoting.
_QUOTED_KEY: Final = re.compile(r'\\*"([^"\\]*)\\*"\s*:')


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


def redacting(report: Report, detail: Callable[[Row], Detail]) -> Callable[[Row], Detail]:
    """The same for rows that are opened: no side of a comparison and no recorded field shows them."""
    if report.contract is None or not report.contract.redact:
        return detail
    hide = _Hide(report.contract.redact)
    return lambda row: hide.detail(detail(row))


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
        if isinstance(value, str) and any(map(self.key, _QUOTED_KEY.findall(value))):
            return HIDDEN
        return value

    def sides(self, path: str | None, expected: Any, observed: Any) -> tuple[Any, Any]:
        """What stands at a JSON Pointer; the same objects where nothing of them is hidden."""
        if any(map(self.key, _keys(path))):
            return (
                MISSING if expected is MISSING else HIDDEN,
                MISSING if observed is MISSING else HIDDEN,
            )
        return self.value(expected), self.value(observed)

    def row(self, row: Row) -> Row:
        result = row.result
        if not result.findings and not result.recorded:
            return row
        return replace(row, result=self.result(result))

    def result(self, result: RunResult) -> RunResult:
        findings = tuple(map(self.finding, result.findings))
        return replace(result, findings=findings, recorded=self.value(dict(result.recorded)))

    def finding(self, finding: Finding) -> Finding:
        keys = _keys(finding.path)
        expected, observed = self.sides(finding.path, finding.expected, finding.observed)
        if expected is finding.expected and observed is finding.observed:
            return finding
        place = ".".join(filter(None, (finding.tool, *keys)))
        message = f"{place or finding.check}: {finding.kind}, its value is redacted"
        return replace(finding, expected=expected, observed=observed, message=message, note=None)

    def problem(self, problem: Problem) -> Problem:
        if problem.code != "duplicate_key":
            return problem
        return replace(problem, message=f"a repeated key, its values are {HIDDEN}")

    def detail(self, detail: Detail) -> Detail:
        run = detail.run
        return replace(
            detail,
            run=replace(
                run,
                events=tuple(map(self.event, run.events)),
                final=self.value(dict(run.final)),
                recorded=self.value(dict(run.recorded)),
            ),
            result=self.result(detail.result),
            rows=tuple(map(self.step, detail.rows)),
            final=tuple(map(self.diff, detail.final)),
            findings=tuple(map(self.finding, detail.findings)),
            groups=tuple(map(self.group, detail.groups)),
        )

    def step(self, row: StepRow) -> StepRow:
        return replace(
            row,
            event=None if row.event is None else self.event(row.event),
            diffs=tuple(map(self.diff, spread(row.diffs))),
            findings=tuple(map(self.finding, row.findings)),
        )

    def event(self, event: Event) -> Event:
        return replace(event, arguments=self.value(event.arguments), fields=self.value(dict(event.fields)))

    def group(self, group: EvidenceGroup) -> EvidenceGroup:
        return replace(group, diffs=tuple(map(self.diff, group.diffs)))

    def diff(self, diff: Diff) -> Diff:
        expected, observed = self.sides(diff.path, diff.expected, diff.observed)
        if expected is diff.expected and observed is diff.observed:
            return diff
        return replace(diff, expected=expected, observed=observed, note=None)


def _keys(path: str | None) -> list[str]:
    """The keys of a JSON Pointer."""
    return [key.replace("~1", "/").replace("~0", "~") for key in (path or "").split("/")[1:]]
