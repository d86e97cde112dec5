"""The report for a person at a shell: totals, diagnoses, the runs that do not pass and why, problems.

Every line passes the gate to the terminal; colour is added afterwards, and nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TextIO, TypeAlias

from traceview import __version__
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
from traceview.sanitize import visible
from traceview.signatures import signature_groups
from traceview.trials import trials
from traceview.write import Options
from traceview.write.words import (
    accepted,
    decided,
    finding_line,
    headline,
    plural,
    reason,
    run_name,
    triage_lines,
)

__all__ = ["Lines", "cells", "padding", "write", "write_lines"]

Lines: TypeAlias = Iterator[tuple[str, str]]
"""Lines, each with its tone: "pass", "fail", "other", or "" for none."""

_FINDINGS: Final = 10  # of one run; the rest is counted
_PROBLEMS: Final = 50
_KINDS: Final = 30
_WIDEST: Final = 600  # characters of one line: a message can hold a value of a megabyte

_SIGNS: Final = {"fail": "✗", "unknown": "?", "no_trace": "∅", "unusable": "#"}
_ASCII_SIGNS: Final = {"fail": "x", "unknown": "?", "no_trace": "-", "unusable": "#"}
# Vermillion and blue of Okabe and Ito as the nearest of the 256 colours: apart for every colour vision.
_COLOURS: Final = {"fail": "\x1b[38;5;166m", "pass": "\x1b[38;5;32m", "other": "\x1b[38;5;136m"}
_PLAIN: Final = "\x1b[0m"


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write the report. ``options.colour`` colours it, ``options.ascii`` keeps its own signs to ASCII."""
    write_lines(_lines(report, options), stream, options)


def write_lines(lines: Lines, stream: TextIO, options: Options) -> None:
    """Write lines through the gate to the terminal, none of them endless, and colour them by their tone."""
    for line, tone in lines:
        text = visible(line)
        if len(text) > _WIDEST:
            text = text[:_WIDEST] + ("..." if options.ascii else "…")
        if options.colour and tone:
            text = f"{_COLOURS[tone]}{text}{_PLAIN}"
        stream.write(text + "\n")


def _lines(report: Report, options: Options) -> Lines:
    rows, contract = report.rows, report.contract
    figures = totals(rows)
    yield from ((line, "") for line in _head(report, options))
    if contract is None:
        yield f"{plural(len(rows) + len(report.unreviewed), 'row')}, not judged", ""
    else:
        runs, cases = plural(figures["runs"], "run"), plural(figures["cases"], "case")
        yield f"{runs} of {cases}: {headline(figures)}", ""
        if figures["execution_problems"]:
            problems = plural(figures["execution_problems"], "run")
            yield f"{problems} with a tool or request that reported an error, whatever the verdict", ""
        yield from ((line, "") for line in triage_lines(report))
        yield from _contract_totals(rows, contract)
    yield from ((line, "") for line in _labels_and_trials(rows, contract))
    if not options.summary:
        signs = _ASCII_SIGNS if options.ascii else _SIGNS
        yield from _runs(report, signs)
    yield from ((line, "") for line in _problems(report))
    yield from ((line, "") for line in _signatures(rows))


def _head(report: Report, options: Options) -> Iterator[str]:
    contract = report.contract
    if contract is None:
        yield f"traceview {__version__}, no contract: the runs are not judged"
    else:
        yield f"traceview {__version__}, contract {contract.name} ({contract.source})"
        if contract.ignored_columns:
            yield f"  expected columns that it ignores: {', '.join(contract.ignored_columns)}"
    for info in report.inputs:
        yield f"  {info.role:<6}  {info.path}  {info.format}, {plural(info.records, 'record')}"
    if report.filter:
        yield f"  filter  {report.filter}"
    if options.stamp:
        yield f"  stamp   {options.stamp}"
    yield ""


def _contract_totals(rows: Sequence[Row], contract: ContractInfo) -> Lines:
    checks = check_totals(rows, contract.checks)
    if checks:
        yield "", ""
        yield "Checks: passed / applicable. They overlap, so they do not add up to the runs.", ""
        pad = padding(checks, 40)
        for name, counts in checks.items():
            yield f"  {pad(name)}  {_of_base(counts)}", "fail" if counts["fail"] else ""
    diagnoses = diagnosis_totals(rows, contract.priority)
    if diagnoses:
        yield "", ""
        yield "Diagnoses: a partition, every run is in exactly one.", ""
        pad = padding(diagnoses, 40)
        for name, count in diagnoses.items():
            yield f"  {pad(name)}  {count:>5}", "pass" if name == "pass" else ""
    if contract.layers:
        yield "", ""
        yield "Layers, against what is known to be valid or not (by label, else by verdict):", ""
        pad = padding(contract.layers, 40)
        for layer in layer_totals(rows, contract.layers):
            said = (
                f"accepts {layer['false_acceptances']} of {layer['invalid']} invalid, "
                f"rejects {layer['false_rejections']} of {layer['valid']} valid, "
                f"accepts {layer['accepted_unknown']} of {layer['unknown']} unknown"
            )
            yield f"  {pad(layer['name'])}  {said}", ""


def padding(names: Iterable[str], widest: int) -> Callable[[str], str]:
    """A function that makes names equally wide in terminal cells; one wider than ``widest`` stays so."""
    width = min(max(map(cells, map(visible, names)), default=0), widest)

    def pad(name: str) -> str:
        shown = visible(name)
        return shown + " " * (width - cells(shown))

    return pad


def cells(text: str) -> int:
    """The width of a text in terminal cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # the widths of wide and combining characters, only where there are some

    return cell_len(text)


def _of_base(counts: Mapping[str, int]) -> str:
    base = counts["pass"] + counts["fail"] + counts["unknown"]
    text = f"{counts['pass']:>5} / {base}"
    return f"{text}, {counts['unknown']} unknown" if counts["unknown"] else text


def _labels_and_trials(rows: Sequence[Row], contract: ContractInfo | None) -> Iterator[str]:
    labels = label_totals(rows)
    if labels["agree"] or labels["disagree"]:
        yield ""
        yield (
            f"Reviewed labels: {labels['agree']} agree with the verdict, {labels['disagree']} disagree, "
            f"{labels['unlabelled']} unlabelled"
        )
    found = trials(rows, contract.trials if contract else "all")
    if found is not None:
        yield ""
        yield "Trials: pass^k, all of k runs pass; pass@k, at least one does (over cases with k runs)"
        for at in found.by_k:
            estimates = f"pass^k {at.pass_hat:.3f}  pass@k {at.pass_at:.3f}"
            yield f"  k={at.k:<4} {estimates}  {plural(at.cases, 'case')}"
        torn = [case for case in found.cases if 0 < case.passed < case.n]
        for case in torn[:_FINDINGS]:
            way = "with the same calls" if case.differs_at is None else f"they part at call {case.differs_at}"
            yield f"  {case.case_id}: {case.passed} of {case.n} runs pass, {way}"
        if len(torn) > _FINDINGS:
            yield f"  and {len(torn) - _FINDINGS} more cases of which some runs pass"


def _runs(report: Report, signs: Mapping[str, str]) -> Lines:
    shown = [row for row in report.rows if row.result.verdict not in ("pass", "unreviewed")]
    if not shown:
        return
    yield "", ""
    yield f"{plural(len(shown), 'run')} not passing:", ""
    pad = padding(map(run_name, shown), 24)
    for row in shown:
        result = row.result
        tone = "fail" if result.verdict == "fail" else "other"
        word = "" if result.verdict == result.diagnosis else f"{result.verdict}  "
        sign = signs.get(result.verdict, "?")
        yield f"{sign} {pad(run_name(row))}  {word}{result.diagnosis}  {row.title}".rstrip(), tone
        if row.label is not None and row.label.strip().casefold() != result.verdict:
            yield f"    reviewed as {row.label}", ""
        found = report.triage.of(row) if report.triage is not None else None
        if found is not None:
            yield f"    {decided(found)}{', accepted' if accepted(report, row) else ''}", ""
        if not result.findings:
            yield f"    {reason(row)}", ""
        for finding in result.findings[:_FINDINGS]:
            yield f"    {finding_line(finding)}", ""
        if len(result.findings) > _FINDINGS:
            yield f"    and {len(result.findings) - _FINDINGS} more", ""


def _problems(report: Report) -> Iterator[str]:
    if report.problems:
        yield ""
        yield f"{plural(len(report.problems), 'problem')} of the input:"
        for problem in report.problems[:_PROBLEMS]:
            place = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
            yield f"  {problem.severity} {problem.code}, {place}: {problem.message}"
        if len(report.problems) > _PROBLEMS:
            yield f"  and {len(report.problems) - _PROBLEMS} more (all of them in --format json)"
    if report.skipped:
        yield ""
        yield f"{plural(report.skipped, 'input line')} could not be used"


def _signatures(rows: Sequence[Row]) -> Iterator[str]:
    groups = signature_groups(rows)
    if not groups:
        return
    yield ""
    yield "Signatures of the runs not passing, largest first: count, share, signature, first example."
    for group in groups[:_KINDS]:
        share = f"{100 * group.share:.1f}"
        yield f"  {group.count:>5}  {share:>5} %  {group.signature}  e.g. {run_name(group.first)}"
    if len(groups) > _KINDS:
        left = sum(group.count for group in groups[_KINDS:])
        yield f"  and {len(groups) - _KINDS} more, of {plural(left, 'run')} (all of them in --format json)"
