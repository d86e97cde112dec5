"""A comparison for pull requests and step summaries, in GitHub's Markdown.

Everything from data stands in a code span, as in :mod:`traceview.write.markdown`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from traceview.compare import (
    Comparison,
    Kind,
    Transition,
    check_tables,
    diagnosis_table,
    kind_totals,
    problems,
    verdict_table,
)
from traceview.write import Options
from traceview.write.markdown import code, write_table
from traceview.write.words import compared_line, reason, run_name

__all__ = ["write"]

_SHOWN: Final[tuple[Kind, ...]] = ("worse", "vanished", "better", "reason", "new", "not_compared")
_WORDS: Final[dict[Kind, str]] = {"reason": "another reason", "not_compared": "not compared"}


def write(comparison: Comparison, stream: TextIO, options: Options) -> None:
    """Write totals, tables of verdicts, checks and diagnoses, and the runs that changed."""
    found = list(comparison.transitions.values())
    stream.write(f"## traceview compare: {compared_line(kind_totals(found))}\n\n")
    contract = comparison.candidate.contract
    if contract is not None:
        stream.write(f"Contract {code(contract.name)} ({code(contract.source)}).")
    if comparison.filter:
        stream.write(f" Filter {code(comparison.filter)}: only the runs that it matches.")
    if options.stamp:
        stream.write(f" {code(options.stamp)}")
    stream.write("\n\n")
    if found:
        _tables(stream, comparison, found)
    if not options.summary:
        _runs(stream, found)
        _problems(stream, comparison)


def _tables(stream: TextIO, comparison: Comparison, found: Sequence[Transition]) -> None:
    stream.write("Verdicts, from the baseline (down) to the candidate (across).\n\n")
    table = verdict_table(found)
    write_table(stream, ("", *table), ((name, *map(str, line.values())) for name, line in table.items()))
    checks = check_tables(comparison)
    if checks:
        stream.write("Checks, over the runs judged on both sides; they overlap.\n\n")
        steps = [(a, b) for a in ("pass", "fail") for b in ("pass", "fail")]
        write_table(
            stream,
            ("check", *(f"{a} → {b}" for a, b in steps), "with unknown or n/a"),
            (
                (
                    code(name),
                    *(str(table[a][b]) for a, b in steps),
                    str(
                        sum(sum(line.values()) for line in table.values())
                        - sum(table[a][b] for a, b in steps)
                    ),
                )
                for name, table in checks.items()
            ),
        )
    diagnoses = diagnosis_table(comparison)
    labels = [code(str(label)) for label in diagnoses.index]
    stream.write("Diagnoses, from the baseline (down) to the candidate (across).\n\n")
    counts = diagnoses.to_numpy().tolist()
    write_table(
        stream,
        ("", *labels),
        ((label, *map(str, line)) for label, line in zip(labels, counts, strict=True)),
    )


def _runs(stream: TextIO, found: Sequence[Transition]) -> None:
    changed = [transition for kind in _SHOWN for transition in found if transition.kind == kind]
    if not changed:
        return
    stream.write("Runs that changed.\n\n")
    write_table(
        stream,
        ("case", "change", "diagnosis before", "and after", "title", "first finding"),
        (
            (
                code(run_name(transition.row)),
                _WORDS.get(transition.kind, transition.kind),
                *map(code, transition.diagnoses),
                code(transition.row.title),
                code(reason(transition.candidate)) if transition.candidate is not None else "",
            )
            for transition in changed
        ),
    )


def _problems(stream: TextIO, comparison: Comparison) -> None:
    noted = problems(comparison)
    if not noted:
        return
    stream.write("Problems of the inputs.\n\n")
    write_table(
        stream,
        ("side", "severity", "code", "place", "problem"),
        (
            (
                side,
                p.severity,
                code(p.code),
                code(p.path if p.line is None else f"{p.path}:{p.line}"),
                code(p.message),
            )
            for side, p in noted
        ),
    )
