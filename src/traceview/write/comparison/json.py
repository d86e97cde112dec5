"""A comparison for programs: one JSON object, keys in a fixed order (docs/compare.md).

Each result is one line, so that two comparisons can be compared with ``diff``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from traceview import __version__
from traceview.compare import (
    Comparison,
    Transition,
    check_tables,
    diagnosis_table,
    kind_totals,
    problems,
    verdict_table,
)
from traceview.jsontext import dumps
from traceview.results import Row
from traceview.write import Options
from traceview.write.json import contract_object, input_object, problem_object, write_list
from traceview.write.words import compared_inputs, reason

__all__ = ["SCHEMA", "write"]

SCHEMA: Final = "traceview.compare/1"


def write(comparison: Comparison, stream: TextIO, options: Options) -> None:
    """Write the comparison. With ``summary`` there is no key ``results``; a stamp stands after the filter."""
    found = list(comparison.transitions.values())
    contract = comparison.candidate.contract
    inputs = [
        {**input_object(info), "role": role}
        for role, info in compared_inputs(comparison.baseline, comparison.candidate)
    ]
    head: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "contract": contract and contract_object(contract),
        "inputs": inputs,
        "filter": comparison.filter,
    }
    if options.stamp is not None:
        head["stamp"] = options.stamp
    head["totals"] = kind_totals(found)
    head["verdicts"] = verdict_table(found)
    head["checks"] = check_tables(comparison)
    head["diagnoses"] = _diagnoses(comparison)
    stream.write("{\n")
    for key, value in head.items():
        stream.write(f"  {dumps(key)}: {dumps(value)},\n")
    noted = ({"side": side, **problem_object(problem)} for side, problem in problems(comparison))
    write_list(stream, "problems", map(dumps, noted))
    if not options.summary:
        stream.write(",\n")
        write_list(stream, "results", _results(found))
    stream.write("\n}\n")


def _diagnoses(comparison: Comparison) -> dict[str, dict[str, int]]:
    """The cross-table, from the baseline (outer key) to the candidate."""
    table = diagnosis_table(comparison)
    return {
        str(label): {str(other): int(count) for other, count in zip(table.columns, line, strict=True)}
        for label, line in zip(table.index, table.to_numpy().tolist(), strict=True)
    }


def _results(found: list[Transition]) -> Iterator[str]:
    for transition in found:
        result = transition.row.result
        yield dumps(
            {
                "case_id": result.case_id,
                "run_id": result.run_id,
                "trial": result.trial,
                "title": transition.row.title,
                "change": transition.kind,
                "checks": {name: list(both) for name, both in transition.checks.items()},
                "baseline": _side(transition.baseline),
                "candidate": _side(transition.candidate),
            }
        )


def _side(row: Row | None) -> Mapping[str, Any] | None:
    if row is None:
        return None
    result = row.result
    return {
        "run_id": result.run_id,
        "trial": result.trial,
        "verdict": result.verdict,
        "diagnosis": result.diagnosis,
        "signature": result.signature,
        "finding": reason(row) or None,
    }
