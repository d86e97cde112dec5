"""The words around the panes."""

from __future__ import annotations

from traceview.evaluate.detail import Detail
from traceview.results import Row
from traceview.sanitize import visible
from traceview.tui.counts import PENDING
from traceview.tui.screens.growth import following_words
from traceview.tui.session import Session

__all__ = ["cases_title", "detail_title", "facts"]


def cases_title(session: Session, dot: str) -> str:
    """``Cases 7/12 · is:fail``."""
    table, state = session.table, session.filter.state
    everything = len(table.rows)
    unreviewed = f" + {table.unreviewed:,} unreviewed" if table.unreviewed and table.reviewed else ""
    text = visible(state.text.strip())
    name = "Cases" if table.reviewed or not table.unreviewed else "Runs"
    if not text:
        return f"{name} {table.reviewed:,}{unreviewed}" if table.reviewed else f"{name} {everything:,}"
    if not state.on:
        return f"{name} {table.reviewed or everything:,}{unreviewed} {dot} off: {text}"
    return f"{name} {len(table.shown):,}/{everything:,} {dot} {text}"


def facts(session: Session, baseline: tuple[str, str] | None, dot: str) -> list[tuple[str, str]]:
    """What is always said in the line at the bottom, each with its ink."""
    found: list[tuple[str, str]] = []
    state, sort = session.filter.state, session.table.sort
    text = visible(state.text.strip())
    if baseline is not None:
        found.append(baseline)
    if following := following_words(session, dot):
        found.append((following, "forgiven"))
    if text:
        found.append((f"filter {text}: z turns it off" if state.on else f"filter {text} is off: z", "quiet"))
    if sort is not None:
        found.append(
            (f"sorted by {visible(sort.column.removeprefix('cell:'))}{', down' * sort.reverse}", "quiet")
        )
    if session.problems:
        count = len(session.problems)
        found.append((f"{count:,} problem{'s' if count != 1 else ''} in the files: p", "unknown"))
    contract = session.table.contract
    if contract is not None and contract.ignored_columns:
        found.append((f"not read: {visible(', '.join(contract.ignored_columns))}", "unknown"))
    return found


def detail_title(row: Row | None, detail: Detail | None, dot: str) -> str:
    """``B03 · wrong_arguments · 3 steps``."""
    if row is None:
        return "Steps"
    result = row.result
    run = " ".join(word for word in (result.trial, result.run_id) if word)
    steps = f"{result.events:,} step{'s' if result.events != 1 else ''}"
    if result.diagnosis == PENDING:
        return f"{visible(result.case_id)} {dot} not judged yet"
    if result.verdict == "no_trace" or (detail is not None and detail.groups and not detail.rows):
        steps = ""  # nothing was recorded, or an outcome without calls
    words = [result.case_id, run, result.diagnosis, steps]
    return f" {dot} ".join(visible(word) for word in words if word)
