"""What is known of a run besides its verdict: the label of a review, and how other runs of its case went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceview.results import Row, label_agrees, label_totals
from traceview.sanitize import visible
from traceview.tui.signs import Signs
from traceview.tui.table import Table

if TYPE_CHECKING:
    from traceview.trials import CaseTrials, Trials

__all__ = ["beside", "label_cell", "label_facts", "trial_words", "trials_words"]


def label_cell(row: Row, signs: Signs) -> tuple[str, str]:
    """A reviewed label for the case list, and its ink: with a sign where the verdict is another."""
    if row.label is None:
        return "", "quiet"
    agrees = label_agrees(row)
    if agrees is None:
        return f"  {row.label}", "quiet"
    return (f"{signs.passed} {row.label}", "quiet") if agrees else (f"{signs.disagrees} {row.label}", "fail")


def label_facts(table: Table) -> list[tuple[str, str]]:
    """How many verdicts agree with a reviewed label and how many do not, each with its ink; nothing where
    there are no labels."""
    rows, runs = table.kinds()
    if all(row.label is None for row in rows):
        return []
    figures = label_totals(rows, runs)
    facts = [(f"labels {figures['agree']:,} agree", "quiet")]
    if figures["disagree"]:
        facts.append((f"{figures['disagree']:,} disagree", "fail"))
    return facts


def trial_words(case: CaseTrials) -> str:
    """How many runs of a case pass: ``2 of 3``."""
    return f"{case.passed:,} of {case.n:,}"


def trials_words(trials: Trials, dot: str = "·") -> list[str]:
    """pass^k and pass@k for a border, longest first."""
    most = trials.by_k[-1]
    last = f"pass^{most.k} {most.pass_hat:.2f} {dot} pass@{most.k} {most.pass_at:.2f}"
    cases = f"{most.cases:,} case{'s' if most.cases != 1 else ''} with {most.k} runs"
    first = f"pass^1 {trials.by_k[0].pass_hat:.2f}"
    return [f"{first} {dot} {last} ({cases})", f"{first} {dot} {last}", last]


def beside(row: Row, case: CaseTrials | None) -> tuple[tuple[str, str, str], ...]:
    """Lines for the head of the opened run: (name, words, ink)."""
    lines = []
    if row.label is not None:
        agrees = label_agrees(row)
        said = {True: "agrees with the verdict", False: f"disagrees: the verdict is {row.result.verdict}"}
        words = f"{visible(row.label)}, {said[agrees]}" if agrees is not None else f"{visible(row.label)}"
        lines.append(("reviewed label", words, "fail" if agrees is False else ""))
    if case is not None and case.n > 1:
        parts = "all with the same calls"
        if case.differs_at is not None:
            parts = f"they differ first at call {case.differs_at:,}"
        lines.append(("trials", f"{trial_words(case)} runs of this case pass; {parts}", ""))
    return tuple(lines)
