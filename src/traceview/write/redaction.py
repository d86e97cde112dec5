"""What a contract hides in exports: the values of keys that match ``[evidence] redact``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from typing import Any, Final

from msgspec.structs import replace

from traceview.evaluate.detail import Detail, Diff, EvidenceGroup, StepRow, spread
from traceview.model import MISSING, Case, Event, Finding, Problem, RunResult
from traceview.results import Report, Row

__all__ = ["HIDDEN", "redacted", "redacting"]

HIDDEN: Final = "(redacted)"

# A key in JSON that stands as text in a value, whole or broken, at any depth of quoting.
_QUOTED_KEY: Final = re.compile(r'"([^"\\]*)\\*"\s*:')
# What a message consists of: quoted texts (keys among them), and words.
_PART: Final = re.compile(r'"(?P<quoted>[^"\\]*)\\*"|(?P<word>[^\s"\\,;:()\[\]{}]+)')
_REPEATED: Final = re.compile(r'.* repeats the key "(?:[^"\\]|\\.)*"', re.DOTALL)


def redacted(report: Report) -> Report:
    """The report without the hidden values, wherever a format would show them: both sides and message of a
    finding, what the recording says of itself, the title, and the texts that quote values (problems, and why
    a case or a run can't be used)."""
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
        self._matches = re.compile("|".join(map(translate, globs))).match
        self._known: dict[str, bool] = {}

    def key(self, key: str) -> bool:
        hidden = self._known.get(key)
        if hidden is None:
            hidden = self._known[key] = self._matches(key) is not None
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

    def message(self, text: str) -> str:
        """A text about values up to the first hidden key that it names: a value stands behind its key."""
        end = self._end(text)
        return text if end is None else f"{text[:end]} {HIDDEN}"

    def _end(self, text: str) -> int | None:
        # It may begin with a column, whose name may have several words.
        for space in re.finditer(" ", text.partition('"')[0]):
            if self._matches(text[: space.start()]):
                return space.start()
        repeated = _REPEATED.match(text)  # of which it does not say below what other key it stands
        if repeated is not None:
            return repeated.end()
        at = 0
        while (part := _PART.search(text, at)) is not None:
            if self._matches(part[part.lastindex or 0]):
                return part.end()
            # In text that was cut, what looks quoted may stand between two quoted texts.
            at = part.start("quoted") if part.lastgroup == "quoted" else part.end()
        return None

    def sides(self, path: str | None, expected: Any, observed: Any) -> tuple[Any, Any]:
        """What stands at a JSON Pointer; the same objects where nothing of them is hidden."""
        if any(map(self.key, _keys(path))):
            return (
                MISSING if expected is MISSING else HIDDEN,
                MISSING if observed is MISSING else HIDDEN,
            )
        return self.value(expected), self.value(observed)

    def row(self, row: Row) -> Row:
        return replace(
            row,
            case=self.case(row.case),
            title=self.title(row.title, row.case),
            result=self.result(row.result),
        )

    def title(self, title: str, case: Case) -> str:
        """A title may be the cell of a hidden column."""
        if title and any(self.key(column) and str(cell) == title for column, cell in case.cells.items()):
            return HIDDEN
        shown: str = self.value(title)
        return shown

    def case(self, case: Case) -> Case:
        return case if case.problem is None else replace(case, problem=self.message(case.problem))

    def result(self, result: RunResult) -> RunResult:
        if not (result.findings or result.notes or result.recorded or result.statuses):
            return result
        return replace(
            result,
            findings=tuple(map(self.finding, result.findings)),
            notes=tuple(map(self.message, result.notes)),
            recorded=self.value(dict(result.recorded)),
            statuses=tuple(filter(None, map(self.status, result.statuses))),
        )

    def status(self, status: str | None) -> str | None:
        """A recorded word; an object that was recorded in its place is one by its JSON."""
        shown: str | None = self.value(status)
        return HIDDEN if shown is not None and self.key("status") else shown

    def finding(self, finding: Finding) -> Finding:
        keys = _keys(finding.path)
        path = "/status" if finding.kind == "status" else finding.path
        expected, observed = self.sides(path, finding.expected, finding.observed)
        quotes = self.value(finding.message) is not finding.message
        if expected is finding.expected and observed is finding.observed and not quotes:
            return finding
        place = ".".join(filter(None, (finding.tool, *keys)))
        message = f"{place or finding.check}: {finding.kind}, its value is redacted"
        return replace(finding, expected=expected, observed=observed, message=message, note=None)

    def problem(self, problem: Problem) -> Problem:
        if problem.code == "duplicate_key":
            return replace(problem, message=f"a repeated key, its values are {HIDDEN}")
        return replace(problem, message=self.message(problem.message))

    def detail(self, detail: Detail) -> Detail:
        run = detail.run
        return replace(
            detail,
            case=self.case(detail.case),
            title=self.title(detail.title, detail.case),
            run=replace(
                run,
                problem=None if run.problem is None else self.message(run.problem),
                notes=tuple(map(self.message, run.notes)),
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
        return replace(
            event,
            arguments=self.value(event.arguments),
            status=self.status(event.status),
            fields=self.value(dict(event.fields)),
            notes=tuple(map(self.message, event.notes)),
        )

    def group(self, group: EvidenceGroup) -> EvidenceGroup:
        return replace(
            group,
            diffs=tuple(map(self.diff, group.diffs)),
            text=self.message(group.text),
            findings=tuple(map(self.finding, group.findings)),
        )

    def diff(self, diff: Diff) -> Diff:
        expected, observed = self.sides(diff.path, diff.expected, diff.observed)
        if expected is diff.expected and observed is diff.observed:
            return diff
        return replace(diff, expected=expected, observed=observed, note=None)


def _keys(path: str | None) -> list[str]:
    """The keys of a JSON Pointer."""
    return [key.replace("~1", "/").replace("~0", "~") for key in (path or "").split("/")[1:]]
