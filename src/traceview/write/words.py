"""What several formats say in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from traceview.results import Row

__all__ = ["headline", "place_of_finding", "plural", "run_name"]


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


def place_of_finding(step: int | None, tool: str | None) -> str:
    """Where a finding stands: ``step 2 reserve_room``, or the end of the run."""
    if step is None:
        return tool or "end of run"
    return f"step {step} {tool}" if tool else f"step {step}"
