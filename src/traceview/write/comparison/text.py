"""A comparison for a person at a shell: what changed in sum, then each run that changed and why.

Every line passes the gate to the terminal; colour is added afterwards, and nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TextIO

from traceview import __version__
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
from traceview.results import Row
from traceview.write import Options
from traceview.write.text import Lines, padding, write_lines
from traceview.write.words import compared_inputs, compared_line, finding_line, plural, reason, run_name

__all__ = ["write"]

_FINDINGS: Final = 5
_PROBLEMS: Final = 50
_WIDEST_NAME: Final = 40
_SIGNS: Final[dict[Kind, str]] = {"worse": "▼", "vanished": "∅", "better": "▲", "reason": "≠", "new": "+"}
_ASCII_SIGNS: Final[dict[Kind, str]] = {
    "worse": "v",
    "vanished": "-",
    "better": "^",
    "reason": "#",
    "new": "+",
}
_TONES: Final[dict[Kind, str]] = {"worse": "fail", "vanished": "fail", "better": "pass", "reason": "other"}
_TITLES: Final[dict[Kind, str]] = {
    "worse": "worse",
    "vanished": "vanished: recorded in the baseline and no longer",
    "better": "better",
    "reason": "with the same verdict for another reason",
    "new": "new: not recorded in the baseline",
    "not_compared": "not compared: unusable on a side, or recorded on neither",
}


def write(comparison: Comparison, stream: TextIO, options: Options) -> None:
    """Write the comparison. ``options.colour`` colours it, ``options.ascii`` keeps its own signs to ASCII."""
    write_lines(_lines(comparison, options), stream, options)


def _lines(comparison: Comparison, options: Options) -> Lines:
    found = list(comparison.transitions.values())
    arrow = "->" if options.ascii else "→"
    yield from ((line, "") for line in _head(comparison, options))
    yield compared_line(kind_totals(found)), ""
    if found:
        yield from ((line, "") for line in _tables(comparison, found, arrow))
    if not options.summary:
        for kind, title in _TITLES.items():
            of_kind = [transition for transition in found if transition.kind == kind]
            if of_kind:
                yield "", ""
                yield f"{plural(len(of_kind), 'run')} {title}:", ""
                yield from _runs(of_kind, kind, options, arrow)
    yield from ((line, "") for line in _problems(comparison))


def _head(comparison: Comparison, options: Options) -> Iterator[str]:
    contract = comparison.candidate.contract
    name = f"contract {contract.name} ({contract.source})" if contract is not None else "no contract"
    yield f"traceview {__version__}, {name}"
    for role, info in compared_inputs(comparison.baseline, comparison.candidate):
        yield f"  {role:<9}  {info.path}  {info.format}, {plural(info.records, 'record')}"
    if comparison.filter:
        yield f"  filter     {comparison.filter}"
    if options.stamp:
        yield f"  stamp      {options.stamp}"
    yield ""


def _tables(comparison: Comparison, found: Sequence[Transition], arrow: str) -> Iterator[str]:
    yield ""
    yield "Verdicts, from the baseline (down) to the candidate (across):"
    yield from _cross(verdict_table(found))
    checks = check_tables(comparison)
    if checks:
        yield ""
        yield "Checks, over the runs judged on both sides. They overlap, so they do not add up."
        pad = padding(checks, _WIDEST_NAME)
        steps = [f"{a}{arrow}{b}" for a in ("pass", "fail") for b in ("pass", "fail")]
        yield f"  {pad('')}  {'  '.join(steps)}  with unknown or n/a"
        for name, table in checks.items():
            counts = [table[a][b] for a in ("pass", "fail") for b in ("pass", "fail")]
            rest = sum(map(sum, (line.values() for line in table.values()))) - sum(counts)
            cells = [f"{count:>{len(step)}}" for count, step in zip(counts, steps, strict=True)]
            yield f"  {pad(name)}  {'  '.join(cells)}  {rest:>{len('with unknown or n/a')}}"
    diagnoses = diagnosis_table(comparison)
    yield ""
    yield "Diagnoses, from the baseline (down) to the candidate (across):"
    labels = [str(label) for label in diagnoses.index]
    yield from _cross(
        {
            label: dict(zip(labels, line, strict=True))
            for label, line in zip(labels, diagnoses.to_numpy().tolist(), strict=True)
        }
    )


def _cross(table: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Lines and columns that hold something; the columns by number where their names would not fit."""
    down = [name for name, line in table.items() if any(line.values())]
    across = [name for name in table if any(line[name] for line in table.values())]
    pad = padding([*down, *across], _WIDEST_NAME)
    if sum(len(name) + 2 for name in across) > 100:
        numbers = {name: f"[{place}]" for place, name in enumerate(across, 1)}
        for name, number in numbers.items():
            yield f"  {number:>5} {name}"
    else:
        numbers = {name: name for name in across}
    heads = [padding([numbers[name], "99999"], _WIDEST_NAME)(numbers[name]) for name in across]
    yield f"  {pad('')}  {'  '.join(heads)}".rstrip()
    for name in down:
        cells = [
            _right(str(table[name][other] or "."), head) for other, head in zip(across, heads, strict=True)
        ]
        yield f"  {pad(name)}  {'  '.join(cells)}"


def _right(text: str, head: str) -> str:
    from traceview.write.text import cells

    return " " * (cells(head) - len(text)) + text


def _runs(of_kind: Sequence[Transition], kind: Kind, options: Options, arrow: str) -> Lines:
    sign = (_ASCII_SIGNS if options.ascii else _SIGNS).get(kind, "?")
    pad = padding((run_name(transition.row) for transition in of_kind), 24)
    for transition in of_kind:
        row = transition.row
        before, after = transition.diagnoses
        yield (
            f"{sign} {pad(run_name(row))}  {before} {arrow} {after}  {row.title}".rstrip(),
            _TONES.get(kind, ""),
        )
        if transition.checks:
            changed = (f"{name} {a} {arrow} {b}" for name, (a, b) in transition.checks.items())
            yield f"    {', '.join(changed)}", ""
        if kind == "reason" and transition.baseline is not None:
            yield f"    before  {reason(transition.baseline)}", ""
        yield from _why(transition.candidate if kind != "vanished" else None)


def _why(row: Row | None) -> Lines:
    if row is None or row.result.verdict == "pass":
        return
    findings = row.result.findings
    if not findings:
        yield f"    {reason(row)}", ""
    for finding in findings[:_FINDINGS]:
        yield f"    {finding_line(finding)}", ""
    if len(findings) > _FINDINGS:
        yield f"    and {len(findings) - _FINDINGS} more", ""


def _problems(comparison: Comparison) -> Iterator[str]:
    found = problems(comparison)
    if found:
        yield ""
        yield f"{plural(len(found), 'problem')} of the inputs:"
        for side, problem in found[:_PROBLEMS]:
            place = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
            of = "" if side == "both" else f"{side} "
            yield f"  {of}{problem.severity} {problem.code}, {place}: {problem.message}"
        if len(found) > _PROBLEMS:
            yield f"  and {len(found) - _PROBLEMS} more (all of them in --format json)"
