"""The result table as a pandas DataFrame, for group-by, joins and cross-tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from traceview.results import CHECK_VERDICTS, VERDICTS, Report

if TYPE_CHECKING:
    import pandas

__all__ = ["to_pandas"]

_LAYER_VERDICTS = ("accept", "reject", "unknown", "n/a")


def to_pandas(report: Report) -> pandas.DataFrame:
    """One row per run, in the order of the report.

    Columns: case_id, run_id, trial, title, label (text as written, dtype object, None where there is none);
    verdict, diagnosis (categories); every check and every layer (categories; missing for runs that were not
    judged); complete, execution_problem (bool); events, findings (int64, counts); signature (object); where
    people have decided something mark, note and tags (object, tags joined by commas) and since ("same" or
    "changed"). A check or layer that is called like another column is prefixed ``check:`` or ``layer:``.

    pandas is imported here. It never sees arguments or expected values: it would change them.
    """
    import pandas

    rows = report.rows
    results = [row.result for row in rows]

    def text(values: list[str | None]) -> pandas.Series[Any]:
        return pandas.Series(values, dtype=object)

    def category(values: list[str | None], categories: tuple[str, ...]) -> pandas.Series[Any]:
        return pandas.Series(pandas.Categorical(values, categories=list(categories)))

    contract = report.contract
    diagnoses = dict.fromkeys(("pass", *(contract.priority if contract else ())))
    diagnoses.update(dict.fromkeys(result.diagnosis for result in results))
    columns: dict[str, pandas.Series[Any]] = {
        "case_id": text([result.case_id for result in results]),
        "run_id": text([result.run_id for result in results]),
        "trial": text([result.trial for result in results]),
        "title": text([row.title for row in rows]),
        "label": text([row.label for row in rows]),
        "verdict": category([result.verdict for result in results], VERDICTS),
        "diagnosis": category([result.diagnosis for result in results], tuple(diagnoses)),
    }
    after = {
        "complete": pandas.Series([result.complete for result in results], dtype=bool),
        "execution_problem": pandas.Series([result.execution_problem for result in results], dtype=bool),
        "events": pandas.Series([result.events for result in results], dtype="int64"),
        "findings": pandas.Series([len(result.findings) for result in results], dtype="int64"),
        "signature": text([result.signature for result in results]),
    }
    if report.triage is not None:
        marks = [report.triage.of(row) for row in rows]
        after |= {
            "mark": text([found.mark if found else None for found in marks]),
            "note": text([found.note if found else None for found in marks]),
            "tags": text([", ".join(found.tags) if found else None for found in marks]),
            "since": text([("same" if found.same else "changed") if found else None for found in marks]),
        }
    for name in contract.checks if contract else ():
        column = f"check:{name}" if name in columns or name in after else name
        columns[column] = category([result.checks.get(name) for result in results], CHECK_VERDICTS)
    for name in contract.layers if contract else ():
        column = f"layer:{name}" if name in columns or name in after else name
        columns[column] = category([result.layers.get(name) for result in results], _LAYER_VERDICTS)
    return pandas.DataFrame({**columns, **after})
