"""What a chart draws, as data: panels of bars made of the report's own totals, and the caption below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from traceview.results import (
    ContractInfo,
    Report,
    Row,
    check_totals,
    diagnosis_totals,
    label_totals,
    layer_totals,
    totals,
)
from traceview.write.words import headline, plural

__all__ = ["Bar", "Panel", "Tone", "caption", "panels"]

Tone = Literal["pass", "fail", "unknown"]
_TONES: Final[tuple[Tone, ...]] = ("pass", "fail", "unknown")
_MOST_BARS = 30  # in one panel; what is left out is counted
_UNJUDGED = ("not_observable", "no_trace", "unusable")


class Bar(Struct, frozen=True):
    """One bar: ``parts`` are (tone, runs) from the left, ``words`` what stands behind it."""

    label: str
    parts: tuple[tuple[Tone, int], ...]
    words: str


class Panel(Struct, frozen=True):
    """``title``, and below it ``note``, which says how the bars may be read together. ``legend`` names the
    tones that can occur. ``cut`` says what was left out, "" if nothing."""

    title: str
    note: str
    legend: tuple[tuple[Tone, str], ...]
    bars: tuple[Bar, ...]
    cut: str = ""


def panels(report: Report) -> list[Panel]:
    """The panels of a report: its checks, its diagnoses, and its layers where the contract has some."""
    contract = report.contract
    if contract is None:
        return []
    found = [_diagnoses(report.rows, contract)]
    if contract.checks:
        found.insert(0, _checks(report.rows, contract))
    if contract.layers:
        found.append(_layers(report.rows, contract))
    return found


def _checks(rows: Sequence[Row], contract: ContractInfo) -> Panel:
    bars = []
    for name, counts in check_totals(rows, contract.checks).items():
        base = counts["pass"] + counts["fail"] + counts["unknown"]
        words = f"{counts['pass']} of {base}"
        if counts["unknown"]:
            words += f", {counts['unknown']} unknown"
        parts: tuple[tuple[Tone, int], ...] = (
            ("pass", counts["pass"]),
            ("fail", counts["fail"]),
            ("unknown", counts["unknown"]),
        )
        bars.append(Bar(name, parts, words))
    left = len(bars) - _MOST_BARS
    return Panel(
        "Contract totals: passed of applicable runs",
        "A run can fail several checks: these bars overlap and do not add up.",
        (("pass", "passed"), ("fail", "failed"), ("unknown", "unknown")),
        tuple(bars[:_MOST_BARS]),
        f"not drawn: {plural(left, 'more check')}" if left > 0 else "",
    )


def _diagnoses(rows: Sequence[Row], contract: ContractInfo) -> Panel:
    counts = list(diagnosis_totals(rows, contract.priority).items())
    rest = counts[_MOST_BARS - 1 :] if len(counts) > _MOST_BARS else []
    bars = [
        Bar(label, ((_tone_of(label), count),), str(count))
        for label, count in counts[: len(counts) - len(rest)]
    ]
    if rest:  # drawn together, so that the bars still add up
        parts = [(tone, sum(count for label, count in rest if _tone_of(label) == tone)) for tone in _TONES]
        runs = str(sum(count for _, count in rest))
        bars.append(Bar(f"{len(rest)} other diagnoses", tuple(parts), runs))
    return Panel(
        "Diagnoses: what came first in each run",
        f"A partition: each run is in exactly one bar, and they add up to {plural(len(rows), 'run')}.",
        (("pass", "passed"), ("fail", "failed"), ("unknown", "not judged")),
        tuple(bars),
    )


def _tone_of(label: str) -> Tone:
    return "pass" if label == "pass" else "unknown" if label in _UNJUDGED else "fail"


def _layers(rows: Sequence[Row], contract: ContractInfo) -> Panel:
    bars = []
    for layer in layer_totals(rows, contract.layers):
        accepted, invalid = layer["false_acceptances"], layer["invalid"]
        words = f"accepts {accepted} of {invalid} invalid"
        if layer["valid"]:
            words += f", rejects {layer['false_rejections']} of {layer['valid']} valid"
        if layer["unknown"]:
            words += f", accepts {layer['accepted_unknown']} of {layer['unknown']} unknown"
        parts: tuple[tuple[Tone, int], ...] = (("fail", accepted), ("pass", invalid - accepted))
        bars.append(Bar(str(layer["name"]), parts, words))
    left = len(bars) - _MOST_BARS
    return Panel(
        "False acceptances: invalid runs that a layer alone would let through",
        "Valid or invalid by the reviewed label where there is one, else by the verdict. The layers overlap.",
        (("fail", "invalid, accepted"), ("pass", "invalid, not accepted")),
        tuple(bars[:_MOST_BARS]),
        f"not drawn: {plural(left, 'more layer')}" if left > 0 else "",
    )


def caption(report: Report, stamp: str | None = None) -> str:
    """What the figures are of: the files, the rules, the counts, and that they say nothing beyond those."""
    return " ".join(_caption(report, stamp))


def _caption(report: Report, stamp: str | None) -> Iterator[str]:
    files = ", ".join(f"{info.path} ({plural(info.records, 'record')})" for info in report.inputs)
    yield f"Data set: {files or 'none'}."
    contract = report.contract
    if contract is None:
        yield f"{plural(len(report.rows), 'row')}, judged by no contract."
    else:
        yield f"Contract: {contract.name} ({contract.source})."
        figures = totals(report.rows)
        runs, cases = plural(figures["runs"], "run"), plural(figures["cases"], "case")
        calls = f", {plural(figures['events'], 'call')}" if figures["events"] else ""
        yield f"{runs} of {cases}{calls}: {headline(figures)}."
        labels = label_totals(report.rows)
        if labels["agree"] or labels["disagree"]:
            yield f"Reviewed labels: {labels['agree']} agree, {labels['disagree']} disagree."
    if report.filter:
        yield f"Only runs that match the filter [ {report.filter} ]."
    if report.skipped:
        yield f"{plural(report.skipped, 'input line')} could not be used."
    yield "The figures describe these files and these rules alone."
    if stamp:
        yield stamp
