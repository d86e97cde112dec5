"""What several formats say in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from traceview.model import Finding
from traceview.results import InputInfo, Report, Row, deciding_finding

if TYPE_CHECKING:
    from traceview.triage import Mark

__all__ = [
    "accepted",
    "compared_inputs",
    "compared_line",
    "decided",
    "finding_line",
    "headline",
    "place_of",
    "plural",
    "reason",
    "run_name",
    "triage_lines",
]


def plural(count: int, noun: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def run_name(row: Row) -> str:
    """A run as it is named in a list: the case id, and run and trial where they are recorded."""
    result = row.result
    more = [part for part in (result.run_id, result.trial and f"trial {result.trial}") if part]
    return f"{result.case_id} [{', '.join(more)}]" if more else result.case_id


def headline(figures: Mapping[str, int]) -> str:
    """The five verdicts in one sentence; those without a run are left out, pass and fail never are.

    The base of the passes is what was evaluated, not what was asked for.
    """
    evaluated = figures["pass"] + figures["fail"] + figures["unknown"]
    said = [f"{figures['pass']} of {evaluated} evaluated pass", f"{figures['fail']} fail"]
    for verdict, words in (("unknown", "unknown"), ("no_trace", "without a trace"), ("unusable", "unusable")):
        if figures[verdict]:
            said.append(f"{figures[verdict]} {words}")
    return ", ".join(said)


def place_of(finding: Finding) -> str:
    """Where a finding stands: ``step 2 reserve_room``, or the end of the run."""
    if finding.step is None:
        return finding.tool or "end of run"
    return f"step {finding.step} {finding.tool}" if finding.tool else f"step {finding.step}"


def finding_line(finding: Finding) -> str:
    """Check, place and message; a finding about the evidence as a whole belongs to no check."""
    check = f"{finding.check}, " if finding.check else ""
    return f"{check}{place_of(finding)}: {finding.message}"


def reason(row: Row) -> str:
    """Why a run does not pass, in one sentence; nothing for one that does."""
    finding = deciding_finding(row.result)
    if finding is not None:
        return finding.message
    if row.result.verdict == "no_trace":
        return "nothing was recorded"
    if row.result.verdict == "unusable":
        return row.case.problem or next(iter(row.result.notes), "unusable")
    return ""


def accepted(report: Report, row: Row) -> bool:
    """Whether triage lets a run pass the gate though it does not pass."""
    return report.triage is not None and report.triage.accepts(row)


def decided(found: Mark) -> str:
    """What was decided about a run, in one line: mark, whether it is about the present failure, who, note
    and tags."""
    if found.mark is None:
        said = f"noted by {found.author}"
    else:
        since = "as when marked" if found.same else "changed since"
        said = f"marked {found.mark} by {found.author}, {since}"
    note = f": {found.note}" if found.note else ""
    tags = f" [{', '.join(found.tags)}]" if found.tags else ""
    return said + note + tags


def triage_lines(report: Report) -> Iterator[str]:
    """What was decided about the runs in sum, and what of it the gate respects."""
    triage = report.triage
    if triage is None:
        return
    from traceview.triage import triage_totals

    figures = triage_totals(report.rows, triage)
    marks = [f"{count} {mark}" for mark, count in figures["marks"].items() if count]
    changed = f"; {figures['changed']} changed since" if figures["changed"] else ""
    yield f"Triage ({triage.shown}): {', '.join(marks) or 'no run is marked'}{changed}"
    if triage.respected:
        count = figures["accepted"]
        they = "it counts as passing" if count == 1 else "they count as passing"
        yield f"{plural(count, 'run')} accepted by triage" + (f": {they}" if count else "")


def compared_inputs(baseline: Report, candidate: Report) -> Iterator[tuple[str, InputInfo]]:
    """The inputs of a comparison with their roles: cases (once, where both sides have the same), baseline,
    candidate."""
    cases = [info for info in candidate.inputs if info.role == "cases"]
    shared = cases == [info for info in baseline.inputs if info.role == "cases"]
    if shared and any(info.role == "traces" for info in candidate.inputs):
        yield from (("cases", info) for info in cases)
    else:
        shared = False
    for role, report in (("baseline", baseline), ("candidate", candidate)):
        yield from ((role, info) for info in report.inputs if info.role == "traces" or not shared)


def compared_line(figures: Mapping[str, int]) -> str:
    """What became of all runs, in one sentence (:func:`traceview.compare.kind_totals`)."""
    compared = figures["worse"] + figures["better"] + figures["reason"] + figures["same"]
    said = [f"{plural(compared, 'run')} compared: {figures['worse']} worse, {figures['better']} better"]
    for kind, words in (
        ("reason", "for another reason"),
        ("same", "the same"),
        ("vanished", "vanished"),
        ("new", "new"),
        ("not_compared", "not compared"),
    ):
        if figures[kind]:
            said.append(f"{figures[kind]} {words}")
    return ", ".join(said)
