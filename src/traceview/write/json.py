"""The report for programs: one JSON object, keys in a fixed order (docs/report.md).

Each result is one line, so that two reports can be compared with ``diff``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

from traceview import __version__
from traceview.jsontext import dumps
from traceview.model import MISSING, Finding, Problem
from traceview.results import (
    ContractInfo,
    InputInfo,
    Report,
    Row,
    check_totals,
    diagnosis_totals,
    label_totals,
    layer_totals,
    totals,
)
from traceview.trials import Trials, trials
from traceview.write import Options

if TYPE_CHECKING:
    from traceview.triage import Triage

__all__ = [
    "SCHEMA",
    "contract_object",
    "input_object",
    "problem_object",
    "result_texts",
    "write",
    "write_list",
]

SCHEMA: Final = "traceview.report/1"


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write the report. With ``summary`` there is no key ``results``; a stamp stands after the filter."""
    contract = report.contract
    rows = report.rows
    head: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "contract": contract and contract_object(contract),
        "inputs": [input_object(info) for info in report.inputs],
        "filter": report.filter,
    }
    if options.stamp is not None:
        head["stamp"] = options.stamp
    head["totals"] = totals(rows)
    head["checks"] = check_totals(rows, contract.checks if contract else ())
    head["diagnoses"] = diagnosis_totals(rows, contract.priority if contract else ())
    head["layers"] = layer_totals(rows, contract.layers if contract else ())
    head["labels"] = label_totals(rows)
    head["trials"] = _trials(trials(rows, contract.trials if contract else "all"))
    if report.triage is not None:
        head["triage"] = _triage(report.triage, rows)
    stream.write("{\n")
    for key, value in head.items():
        stream.write(f"  {dumps(key)}: {dumps(value)},\n")
    write_list(stream, "problems", (dumps(problem_object(problem)) for problem in report.problems))
    if not options.summary:
        stream.write(",\n")
        write_list(stream, "results", map(result_texts(report.triage), rows))
    stream.write("\n}\n")


def write_list(stream: TextIO, key: str, items: Iterator[str]) -> None:
    """A member of the outermost object whose value is a list, one item a line."""
    stream.write(f"  {dumps(key)}: [")
    before = "\n    "
    for item in items:
        stream.write(before + item)
        before = ",\n    "
    stream.write("]" if before == "\n    " else "\n  ]")


def contract_object(contract: ContractInfo) -> dict[str, Any]:
    """A contract as every report names it."""
    return {"name": contract.name, "source": contract.source, "sha256": contract.sha256}


def input_object(info: InputInfo) -> dict[str, Any]:
    """An input file as every report names it."""
    return {
        "role": info.role,
        "path": info.path,
        "format": info.format,
        "records": info.records,
        "sha256": info.sha256,
    }


def problem_object(problem: Problem) -> dict[str, Any]:
    """A problem as every report lists it."""
    return {
        "code": problem.code,
        "severity": problem.severity,
        "path": problem.path,
        "line": problem.line,
        "case_id": problem.case_id,
        "message": problem.message,
    }


def _trials(found: Trials | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "rule": found.rule,
        "k": [
            {"k": at.k, "cases": at.cases, "pass^k": at.pass_hat, "pass@k": at.pass_at} for at in found.by_k
        ],
        "cases": [
            {
                "case_id": case.case_id,
                "n": case.n,
                "passed": case.passed,
                "verdict": case.verdict,
                "differs_at": case.differs_at,
            }
            for case in found.cases
        ],
    }


def _triage(triage: Triage, rows: Sequence[Row]) -> dict[str, Any]:
    from traceview.triage import triage_totals

    return {"path": triage.shown, "respected": triage.respected, **triage_totals(rows, triage)}


def result_texts(triage: Triage | None = None) -> Callable[[Row], str]:
    """A function that gives one object of ``results`` as one line.

    Written out by hand, since a general writer takes much longer on a hundred thousand rows; what recurs from
    run to run (checks, layers) is remembered.
    """
    known: dict[tuple[tuple[str, str], ...], str] = {}

    def verdicts(named: Mapping[str, str]) -> str:
        key = tuple(named.items())
        text = known.get(key)
        if text is None:
            text = known[key] = dumps(dict(named))
        return text

    def decided(row: Row) -> str:
        return _decided(triage, row) if triage is not None else ""

    def text_of(row: Row) -> str:
        result = row.result
        findings = ", ".join([_finding(finding) for finding in result.findings])
        return (
            f'{{"case_id": {dumps(result.case_id)}, "run_id": {dumps(result.run_id)}, '
            f'"trial": {dumps(result.trial)}, "title": {dumps(row.title)}, "verdict": "{result.verdict}", '
            f'"diagnosis": {dumps(result.diagnosis)}, "label": {dumps(row.label)}, '
            f'"checks": {verdicts(result.checks)}, "layers": {verdicts(result.layers)}, '
            f'"complete": {dumps(result.complete)}, "recorded": {dumps(result.recorded)}, '
            f'"signature": {dumps(result.signature)}, {decided(row)}"findings": [{findings}]}}'
        )

    return text_of


def _decided(triage: Triage, row: Row) -> str:
    found = triage.of(row)
    value: dict[str, Any] | None = None
    if found is not None:
        value = {
            "mark": found.mark,
            "scope": found.scope,
            "same": found.same,
            "accepted": triage.accepts(row),
            "note": found.note,
            "tags": list(found.tags),
            "author": found.author,
            "time": found.time,
        }
    return f'"triage": {dumps(value)}, '


def _finding(finding: Finding) -> str:
    sides = ""
    if finding.expected is not MISSING:
        sides = f'"expected": {dumps(finding.expected)}, '
    if finding.observed is not MISSING:
        sides += f'"observed": {dumps(finding.observed)}, '
    return (
        f'{{"check": {dumps(finding.check)}, "step": {dumps(finding.step)}, "tool": {dumps(finding.tool)}, '
        f'"path": {dumps(finding.path)}, "kind": "{finding.kind}", {sides}'
        f'"message": {dumps(finding.message)}}}'
    )
