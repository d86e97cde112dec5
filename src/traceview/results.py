"""One table of results: what every view, total and export is made from.

The functions take rows, so that the totals of all runs and those of the part that a filter shows come from
one place. Each is one pass over the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Struct, field

from traceview.model import Case, CheckVerdict, Finding, Problem, RunResult

if TYPE_CHECKING:
    import pandas

    from traceview.triage import Triage

__all__ = [
    "ContractInfo",
    "InputInfo",
    "Report",
    "Row",
    "check_totals",
    "deciding_finding",
    "diagnosis_totals",
    "exit_code",
    "label_agrees",
    "label_totals",
    "layer_totals",
    "subset",
    "totals",
    "validity",
]

VERDICTS: Final = ("pass", "fail", "unknown", "no_trace", "unusable")
CHECK_VERDICTS: Final = ("pass", "fail", "unknown", "n/a")
# The rest of the partition: not what went wrong, but why nothing can be said. They come after the labels.
_UNJUDGED: Final = ("not_observable", "no_trace", "unusable")


class Row(Struct, frozen=True, gc=False):
    """One run, or one case without a run. ``where`` locates its events for reading them again
    (read.traces.TraceIndex); ``title`` is the case's title, "" when it has none."""

    case: Case
    title: str
    label: str | None
    result: RunResult
    where: bytes = b""


class InputInfo(Struct, frozen=True, gc=False):
    """One input file: ``role`` "cases" or "traces"; ``path`` as a report shows it; ``records`` rows or lines
    used."""

    role: str
    path: str
    format: str
    records: int
    sha256: str | None


class ContractInfo(Struct, frozen=True, gc=False):
    """Which contract judged, and what it is made of. ``source`` "built-in", "columns" or a path; ``trials``
    says whether all runs of a case must pass, or any; ``redact`` are globs of keys that exports hide."""

    name: str
    source: str
    sha256: str
    checks: tuple[str, ...]
    layers: tuple[str, ...] = ()
    layer_groups: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    priority: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()
    trials: Literal["all", "any"] = "all"
    redact: tuple[str, ...] = ()


class Report(Struct):
    """One evaluation. ``rows`` keep the order of the cases file, runs of a case together; ``unreviewed`` are
    recorded runs without a case. ``skipped`` counts input lines that could not be used at all. ``triage``:
    what people have decided about the runs, where they have."""

    contract: ContractInfo | None
    inputs: tuple[InputInfo, ...]
    rows: list[Row]
    unreviewed: list[Row]
    problems: list[Problem]
    skipped: int = 0
    filter: str | None = None
    triage: Triage | None = None

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame; see :func:`traceview.frame.to_pandas`."""
        from traceview.frame import to_pandas

        return to_pandas(self)


def totals(rows: Iterable[Row]) -> dict[str, int]:
    """The figures of ``totals`` in docs/report.md, in its order; the five verdicts add up to the rows.

    ``cases`` counts distinct ids, ``runs`` the rows with recorded evidence, ``events`` the calls.
    """
    rows = list(rows)
    results = [row.result for row in rows]
    cases = {result.case_id for result in results}
    verdicts = Counter([result.verdict for result in results])
    runs = len(rows) - verdicts["no_trace"] - verdicts["unusable"]
    if verdicts["unusable"]:
        runs += sum(
            [row.result.verdict == "unusable" and bool(row.result.events or row.where) for row in rows]
        )
    events = sum([result.events for result in results])
    problems = sum([result.execution_problem for result in results])
    figures = {"cases": len(cases), "runs": runs, "events": events}
    figures.update((verdict, verdicts[verdict]) for verdict in VERDICTS)
    figures["execution_problems"] = problems
    return figures


def check_totals(rows: Iterable[Row], checks: Iterable[str]) -> dict[str, dict[str, int]]:
    """For each check how many runs it passes, fails, leaves unknown and does not apply to.

    Checks overlap: their failures do not add up to the failing runs. The base of a check is what it applies
    to, everything but n/a. Runs without a trace and unusable ones are in none of the four.
    """
    figures = {check: dict.fromkeys(CHECK_VERDICTS, 0) for check in checks}
    # Thousands of runs share a handful of outcomes, and equal outcomes one object: count objects first, then
    # look into each once. They are kept, so that no two of them can have the same id.
    outcomes: dict[int, Mapping[str, CheckVerdict]] = {}
    counts: dict[int, int] = {}
    for row in rows:
        outcome = row.result.checks
        key = id(outcome)
        if key in counts:
            counts[key] += 1
        else:
            outcomes[key], counts[key] = outcome, 1
    for key, outcome in outcomes.items():
        for check, verdict in outcome.items():
            if check in figures:
                figures[check][verdict] += counts[key]
    return figures


def diagnosis_totals(rows: Iterable[Row], priority: Sequence[str] = ()) -> dict[str, int]:
    """How many runs have each diagnosis: a partition, every run is in exactly one.

    Order: ``pass``; then the labels by count, largest first, equals in the order of ``priority`` and then by
    name; then ``not_observable``, ``no_trace``, ``unusable``.
    """
    counts = Counter([row.result.diagnosis for row in rows])
    place = {label: index for index, label in enumerate(priority)}
    end = len(_UNJUDGED)

    def order(item: tuple[str, int]) -> tuple[int, int, int, str]:
        label, count = item
        if label == "pass":
            return (0, 0, 0, "")
        if label in _UNJUDGED:
            return (2, _UNJUDGED.index(label), end, "")
        return (1, -count, place.get(label, len(place)), label)

    return dict(sorted(counts.items(), key=order))


def validity(row: Row) -> str:
    """Whether the outcome is known to be right: the reviewed label where there is one, else the verdict."""
    if row.label is not None:
        return row.label.strip().casefold()
    return row.result.verdict


def layer_totals(
    rows: Iterable[Row], layers: Sequence[str], counts_as: Iterable[int] = repeat(1)
) -> list[dict[str, Any]]:
    """For each layer, what it says of the runs known to be invalid, valid and unknown.

    A run to which a layer does not apply counts nowhere. A layer that says unknown does neither.

    :param counts_as: how many runs each row stands for, where equal ones were put together.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    for row, runs in zip(rows, counts_as, strict=False):
        if row.result.layers:
            known = validity(row)
            for name, said in row.result.layers.items():
                counts[name, known, said] += runs

    def base(name: str, known: str) -> int:
        return sum(counts[name, known, said] for said in ("accept", "reject", "unknown"))

    return [
        {
            "name": name,
            "invalid": base(name, "fail"),
            "false_acceptances": counts[name, "fail", "accept"],
            "valid": base(name, "pass"),
            "false_rejections": counts[name, "pass", "reject"],
            "unknown": base(name, "unknown"),
            "accepted_unknown": counts[name, "unknown", "accept"],
        }
        for name in layers
    ]


def deciding_finding(result: RunResult) -> Finding | None:
    """The first finding of the check that gave the diagnosis (the one that the signature is of); where that
    cannot be told the first of all, and None if there is none."""
    signature = result.signature or ""
    failed = result.verdict == "fail"  # then what could not be seen has decided nothing
    for finding in result.findings:
        if signature.startswith(f"{finding.check} ") and not (failed and finding.kind == "evidence"):
            return finding
    return result.findings[0] if result.findings else None


def label_agrees(row: Row) -> bool | None:
    """Whether the verdict is the reviewed one; None without a label, and where nothing was judged."""
    if row.label is None or row.result.verdict in ("no_trace", "unusable", "unreviewed"):
        return None
    return row.label.strip().casefold() == row.result.verdict


def label_totals(rows: Iterable[Row], counts_as: Iterable[int] = repeat(1)) -> dict[str, int]:
    """Verdicts against reviewed labels; a labelled run without a trace or unusable counts nowhere.

    :param counts_as: as for :func:`layer_totals`.
    """
    figures = {"agree": 0, "disagree": 0, "unlabelled": 0}
    for row, runs in zip(rows, counts_as, strict=False):
        agrees = label_agrees(row)
        if agrees is not None:
            figures["agree" if agrees else "disagree"] += runs
        elif row.label is None:
            figures["unlabelled"] += runs
    return figures


def exit_code(
    report: Report,
    *,
    unknown: Literal["pass", "fail"] | None = None,
    fail_on: Literal["label-disagree"] | None = None,
) -> int:
    """The exit code of ``check``: 0 all pass, 1 a run fails, 3 neither can be said (docs/report.md).

    ``unknown`` says what unknown and no_trace runs count as; skipped lines, unusable runs and a report in
    which nothing was evaluated stay 3. ``fail_on`` gates on verdict against reviewed label instead.
    Where the contract says ``trials = "any"``, a case with a passing run does not fail by its other runs.
    Runs that triage accepts count as passing.
    """
    rows = report.rows
    if report.triage is not None and report.triage.respected:
        rows = [row for row in rows if not report.triage.accepts(row)]
    accepted = len(report.rows) - len(rows)
    counts = Counter([row.result.verdict for row in rows])
    evaluated = counts["pass"] + counts["fail"] + counts["unknown"] + accepted
    undecided = counts["unknown"] + counts["no_trace"]
    if fail_on == "label-disagree":
        labels = label_totals(rows)
        failed = labels["disagree"] > 0
        evaluated = labels["agree"] + labels["disagree"] + accepted
        undecided = counts["no_trace"]
    elif report.contract is not None and report.contract.trials == "any":
        passed = {row.result.case_id for row in rows if row.result.verdict == "pass"}
        rest = Counter([row.result.verdict for row in rows if row.result.case_id not in passed])
        failed, undecided = rest["fail"] > 0, rest["unknown"] + rest["no_trace"]
    else:
        failed = counts["fail"] > 0
    if failed or (unknown == "fail" and undecided):
        return 1
    if report.skipped or counts["unusable"] or not evaluated or (undecided and unknown != "pass"):
        return 3
    return 0


def subset(report: Report, rows: list[Row], filter_text: str | None) -> Report:
    """The report of some of its rows. Problems stay: they are of the inputs, not of the rows."""
    return msgspec.structs.replace(report, rows=rows, filter=filter_text)
