"""What stands above the steps of a run: its title, its checks, what its evidence is worth, what to do."""

from __future__ import annotations

from typing import Final

from traceview.evaluate.detail import Detail
from traceview.model import Finding
from traceview.sanitize import visible
from traceview.tui.timeline_items import FindingItem, FlowItem, Item, TextItem, check_words, verdict_look
from traceview.tui.timeline_layout import Layout, Span, Spans
from traceview.tui.timeline_pairs import DIFFERING
from traceview.tui.values import one_line

__all__ = ["head_items"]

_TITLE_LINES: Final = 3
_TODO: Final = {
    "no_trace": "Nothing was recorded for this case. Does its id occur in the traces, letter for letter? "
    "Did the run start?",
    "unusable": "Not judged: its case or its trace is broken. The steps stand below as they were recorded.",
    "unreviewed": "No case asks about this run: it is shown, not judged.",
}


def head_items(detail: Detail, layout: Layout) -> list[Item]:
    """Title, problem, checks, layers, branch, evidence, recorded values, notes, findings without a step.

    ``layout`` has no indent.
    """
    run, result = detail.run, detail.result
    items: list[Item] = []

    def text(key: str, label: str, words: str, style: str = "", sign: str = " ") -> None:
        items.append(TextItem(key, label, words, layout, style=style, sign=sign))

    title = detail.title or detail.case.case_id
    items.append(TextItem("title", "", title, layout, style="strong", lines=_TITLE_LINES))
    problem = detail.case.problem or run.problem
    if result.verdict in _TODO:
        text("todo", "", _TODO[result.verdict], "unknown", layout.signs.unknown)
    if problem:
        text("problem", "problem", problem, "fail", layout.signs.failed)
    if result.checks:
        checks = [_check(check_words(name), verdict, layout) for name, verdict in result.checks.items()]
        items.append(FlowItem("checks", "", checks, layout, ("  ", "")))
    if result.layers and not detail.groups:
        layers = [_check(visible(name), verdict, layout) for name, verdict in result.layers.items()]
        items.append(FlowItem("layers", "  layers ", layers, layout, ("  ", "")))
    for name, words, ink in detail.beside:
        sign = {"fail": layout.signs.failed, "unknown": layout.signs.unknown}.get(ink, " ")
        text(f"beside {name}", name, visible(words), ink, sign)
    if detail.branch and not detail.groups:  # else the task outcome names it
        text("branch", "branch", detail.branch)
    which = [
        f"{word} {value}" for word, value in (("run", run.run_id), ("trial", run.trial)) if value is not None
    ]
    if which:
        text("run", "", f" {layout.signs.dot} ".join(which), "quiet")
    if detail.evidence:
        gap: Span = (f" {layout.signs.dot} ", "quiet")
        pieces: list[Spans] = [
            ((visible(name) + " ", "quiet"), (visible(answer), "")) for name, answer in detail.evidence
        ]
        items.append(FlowItem("evidence", "  evidence ", pieces, layout, gap))
    if not run.complete:
        text("incomplete", "incomplete", run.incomplete_why or "something of this run is lost", "unknown")
    for name, value in run.recorded.items():
        text(f"recorded {name}", f"recorded {visible(name)}", one_line(value, 100_000)[0])
    for index, note in enumerate(dict.fromkeys((*run.notes, *result.notes))):
        text(f"note {index}", "note", note, "quiet")
    items.extend(
        FindingItem(f"finding {index}", finding, layout)
        for index, finding in enumerate(detail.findings)
        if not _in_final(finding, detail)
    )
    return items


def _check(words: str, verdict: str, layout: Layout) -> Spans:
    """Sign and name of a check or layer; a verdict other than pass in words too."""
    sign, ink = verdict_look(verdict, layout.signs)
    return ((f"{sign} {words}" + ("" if ink == "pass" else f" {verdict}"), ink),)


def _in_final(finding: Finding, detail: Detail) -> bool:
    """Whether the final evidence, shown side by side, says it already."""
    if any(finding in group.findings for group in detail.groups):
        return True
    if finding.path is None or finding.step is not None:
        return False
    places = [diff for group in detail.groups for diff in group.diffs] if detail.groups else detail.final
    return any(diff.path == finding.path and diff.state in DIFFERING for diff in places)
