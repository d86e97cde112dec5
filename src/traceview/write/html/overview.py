"""What the page says of all runs, and the rows of its table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from traceview import __version__
from traceview.results import (
    Report,
    Row,
    check_totals,
    diagnosis_totals,
    label_agrees,
    label_totals,
    layer_totals,
    totals,
)
from traceview.signatures import group_key, signature_groups
from traceview.trials import Trials, trials
from traceview.write import Options
from traceview.write.html.values import line
from traceview.write.json import contract_object, input_object, problem_object
from traceview.write.words import accepted, decided, headline, reason, run_name, triage_lines

__all__ = ["Overview"]

_VERDICTS: Final = ("pass", "fail", "unknown", "no_trace", "unusable", "unreviewed")
_UNJUDGED: Final = ("not_observable", "no_trace", "unusable", "unreviewed")
_KINDS: Final = 1_000
_PROBLEMS: Final = 500
_TORN: Final = 100  # cases of which some runs pass


class Overview:
    """The numbers of a report, and the names that its rows point to by their places."""

    def __init__(self, report: Report) -> None:
        self._report = report
        contract = report.contract
        rows = report.rows
        self._checks = check_totals(rows, contract.checks if contract else ())
        self._diagnoses = diagnosis_totals(rows, contract.priority if contract else ())
        self._groups = signature_groups(rows)
        self._layers = contract.layers if contract else ()
        self._tools = tuple(dict.fromkeys(tool for row in rows for tool in row.result.tools))

    def head(self, options: Options) -> dict[str, Any]:
        """All that is not about one run."""
        report = self._report
        rows, contract = report.rows, report.contract
        figures = totals(rows)
        unreviewed = sum(row.result.verdict == "unreviewed" for row in rows)
        groups, left = self._groups[:_KINDS], self._groups[_KINDS:]
        head = {
            "version": __version__,
            "stamp": options.stamp,
            "contract": contract and contract_object(contract),
            "inputs": [input_object(info) for info in report.inputs],
            "filter": report.filter,
            "headline": headline(figures) if contract else None,
            "rows": len(rows),
            "summary": options.summary,
            "figures": {key: figures[key] for key in ("cases", "runs", "events", "execution_problems")},
            "verdicts": [[name, figures.get(name, unreviewed)] for name in _VERDICTS],
            "checks": [{"name": name, **counts} for name, counts in self._checks.items()],
            "diagnoses": [
                {"name": name, "runs": count, "tone": _tone(name)} for name, count in self._diagnoses.items()
            ],
            "layers": layer_totals(rows, self._layers),
            "labels": label_totals(rows),
            "trials": _trials(trials(rows, contract.trials if contract else "all")),
            "triage": list(triage_lines(report)),
            "signatures": [
                {
                    "text": group.signature,
                    "runs": group.count,
                    "share": round(100 * group.share, 1),
                    "diagnosis": group.diagnosis,
                    "first": run_name(group.first),
                }
                for group in groups
            ],
            "more_signatures": [len(left), sum(group.count for group in left)],
            "problems": [problem_object(problem) for problem in report.problems[:_PROBLEMS]],
            "more_problems": max(0, len(report.problems) - _PROBLEMS),
            "skipped": report.skipped,
            "tools": self._tools,
        }
        shown: dict[str, Any] = _visible(head)
        return shown

    def rows(self) -> Iterator[list[Any]]:
        """One list a run, in the order of ``Row`` in runs.js; names are places in the lists of the head."""
        report = self._report
        check_at = _places(self._checks)
        diagnosis_at = _places(self._diagnoses)
        layer_at = _places(self._layers)
        tool_at = _places(self._tools)
        group_at = _places((group.diagnosis, group.key) for group in self._groups[:_KINDS])
        for row in report.rows:
            result = row.result
            verdicts = result.checks.items()
            found = report.triage.of(row) if report.triage is not None else None
            mark = decided(found) + (", accepted" if accepted(report, row) else "") if found else ""
            yield [
                line(result.case_id),
                line(_run_words(row)),
                line(row.title),
                _VERDICTS.index(result.verdict),
                diagnosis_at[result.diagnosis],
                [check_at[name] for name, verdict in verdicts if verdict == "fail"],
                [check_at[name] for name, verdict in verdicts if verdict == "unknown"],
                sum(verdict == "pass" for _, verdict in verdicts),
                group_at.get((result.diagnosis, group_key(row, "argument") or ""), -1),
                [layer_at[name] for name in _false_acceptances(row)],
                line(row.label or ""),
                label_agrees(row),
                line(reason(row)),
                [tool_at[tool] for tool in result.tools],
                line(mark),
            ]


def _places(names: Any) -> dict[Any, int]:
    return {name: place for place, name in enumerate(names)}


def _tone(diagnosis: str) -> str:
    return "pass" if diagnosis == "pass" else "unknown" if diagnosis in _UNJUDGED else "fail"


def _run_words(row: Row) -> str:
    result = row.result
    return ", ".join(part for part in (result.run_id, result.trial and f"trial {result.trial}") if part)


def _false_acceptances(row: Row) -> Iterator[str]:
    """The layers that let this run through though it is known to be invalid."""
    valid = row.label.strip().casefold() if row.label is not None else row.result.verdict
    if valid == "fail":
        yield from (name for name, said in row.result.layers.items() if said == "accept")


def _trials(found: Trials | None) -> dict[str, Any] | None:
    if found is None:
        return None
    torn = [case for case in found.cases if 0 < case.passed < case.n]
    return {
        "rule": found.rule,
        "k": [[at.k, at.cases, f"{at.pass_hat:.3f}", f"{at.pass_at:.3f}"] for at in found.by_k],
        "torn": [[case.case_id, case.passed, case.n, case.differs_at] for case in torn[:_TORN]],
        "more": max(0, len(torn) - _TORN),
    }


def _visible(value: Any) -> Any:
    """The same with every text in it on one line and visible."""
    if isinstance(value, str):
        return line(value)
    if isinstance(value, dict):
        return {key: _visible(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(item) for item in value]
    return value
