"""The report for pull requests and step summaries, in GitHub's Markdown.

Everything from data stands in a code span: nothing in it is a link, a mention, an emoji code, markup or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from traceview.results import (
    Report,
    Row,
    check_totals,
    diagnosis_totals,
    label_totals,
    layer_totals,
    totals,
)
from traceview.sanitize import visible
from traceview.write import Options
from traceview.write.words import accepted, decided, headline, reason, run_name, triage_lines

__all__ = ["code", "write", "write_table"]

_BACKTICKS = re.compile("`+")
_PIPE = re.compile(r"(\\*)\|")


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write totals, checks, diagnoses, layers, and the runs that do not pass with their first finding."""
    contract, rows = report.contract, report.rows
    figures = totals(rows)
    stream.write(f"## traceview: {headline(figures)}\n\n")
    if contract:
        stream.write(f"Contract {code(contract.name)} ({code(contract.source)}).")
    else:
        stream.write("No contract: the runs are not judged.")
    if report.filter:
        stream.write(f" Filter {code(report.filter)}: only the runs that it matches.")
    if options.stamp:
        stream.write(f" {code(options.stamp)}")
    for line in triage_lines(report):
        stream.write(f"\n\n{code(line)}")
    stream.write("\n\n")
    write_table(stream, ("", "number"), ((key.replace("_", " "), str(n)) for key, n in figures.items()))
    if contract:
        checks = check_totals(rows, contract.checks)
        stream.write("Checks overlap: one run can fail several, so they do not add up to the runs.\n\n")
        write_table(
            stream,
            ("check", "pass", "fail", "unknown", "n/a"),
            ((code(name), *map(str, counts.values())) for name, counts in checks.items()),
        )
        stream.write("Diagnoses are a partition: every run has exactly one.\n\n")
        write_table(
            stream,
            ("diagnosis", "runs"),
            ((code(name), str(n)) for name, n in diagnosis_totals(rows, contract.priority).items()),
        )
        if contract.layers:
            _layers(stream, rows, contract.layers)
    labels = label_totals(rows)
    if labels["agree"] or labels["disagree"]:
        stream.write(
            f"Reviewed labels: {labels['agree']} agree, {labels['disagree']} disagree, "
            f"{labels['unlabelled']} unlabelled.\n\n"
        )
    if not options.summary:
        _runs(stream, report)
        _problems(stream, report)
    elif report.problems:
        stream.write(f"Problems of the input: {len(report.problems)}.\n\n")
    if report.skipped:
        stream.write(f"Input lines that could not be used: {report.skipped}.\n\n")


def _layers(stream: TextIO, rows: Sequence[Row], layers: Sequence[str]) -> None:
    stream.write("Layers against what is known to be valid or not (by label, else by verdict).\n\n")
    write_table(
        stream,
        ("layer", "false acceptances", "false rejections", "accepted unknown"),
        (
            (
                code(layer["name"]),
                f"{layer['false_acceptances']} of {layer['invalid']} invalid",
                f"{layer['false_rejections']} of {layer['valid']} valid",
                f"{layer['accepted_unknown']} of {layer['unknown']} unknown",
            )
            for layer in layer_totals(rows, layers)
        ),
    )


def _runs(stream: TextIO, report: Report) -> None:
    shown = [row for row in report.rows if row.result.verdict not in ("pass", "unreviewed")]
    if not shown:
        return
    stream.write("Runs that do not pass.\n\n")
    write_table(
        stream,
        ("case", "verdict", "diagnosis", "title", "first finding", *(("triage",) if report.triage else ())),
        (
            (
                code(run_name(row)),
                row.result.verdict,
                code(row.result.diagnosis),
                code(row.title),
                _first(row),
                *_decided(report, row),
            )
            for row in shown
        ),
    )


def _decided(report: Report, row: Row) -> Iterator[str]:
    if report.triage is not None:
        found = report.triage.of(row)
        yield "" if found is None else code(decided(found)) + (", accepted" if accepted(report, row) else "")


def _first(row: Row) -> str:
    others = len(row.result.findings) - 1
    return code(reason(row)) + (f" and {others} more" if others > 0 else "")


def _problems(stream: TextIO, report: Report) -> None:
    if not report.problems:
        return
    stream.write("Problems of the input.\n\n")
    write_table(
        stream,
        ("severity", "code", "place", "problem"),
        (
            (p.severity, p.code, code(p.path if p.line is None else f"{p.path}:{p.line}"), code(p.message))
            for p in report.problems
        ),
    )


def write_table(stream: TextIO, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table and the empty line behind it; the cells are Markdown already."""
    stream.write(f"| {' | '.join(header)} |\n|{' --- |' * len(header)}\n")
    for row in rows:
        stream.write(f"| {' | '.join(row)} |\n")
    stream.write("\n")


def code(text: str) -> str:
    """``text`` as a code span that may stand in a table cell; nothing for no text."""
    if not text:
        return ""
    text = visible(text)
    # A pipe behind an odd number of backslashes never ends a cell, however they are counted.
    text = _PIPE.sub(lambda match: match[1] + ("\\|" if len(match[1]) % 2 == 0 else "\\\\|"), text)
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    blank = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{blank}{text}{blank}{fence}"
