"""Observations: one JSON object a case that is both what was expected and what was seen, without any call."""

from __future__ import annotations

from traceview.model import Case, Run, Source

__all__ = ["observed_run"]


def observed_run(case: Case, shown: str) -> Run:
    """The run that an observation is: no events, and the object itself as final evidence.

    :param case: a case of a JSON array or JSONL file (:func:`traceview.read.cases.read_cases`).
    :param shown: the path of that file as it is shown.
    """
    return Run(
        case_id=case.case_id,
        run_id=None,
        trial=None,
        events=(),
        final=case.cells,
        final_source=Source(shown, case.line),
        problem=case.problem,
    )
