"""Contracts, cases and runs by hand, and what is said of them: for the tests of judging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import replace

from traceview.contract.spec import Contract
from traceview.contract.toml import parse
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Case, Event, Finding, Run, RunResult, Source

HEAD = 'contract = 1\nname = "test"\n'


def contract(text: str) -> Contract:
    """A contract without the two lines that every file begins with."""
    return parse(HEAD + text, "test.toml")


def case(**cells: Any) -> Case:
    return Case("C1", {"case_id": "C1", **cells}, 2)


def call(
    tool: str | None,
    arguments: Any = MISSING,
    status: str | None = "ok",
    *,
    step: int = 0,
    group: str | None = None,
    actor: str = "assistant",
    **fields: Any,
) -> Event:
    """One call; arguments that are no object are raw, MISSING ones absent. ``step`` 0: by its place."""
    recorded: dict[str, Any] = {"case_id": "C1", "step": step, "tool_name": tool}
    if arguments is not MISSING:
        recorded["arguments"] = arguments
    if status is not None:
        recorded["status"] = status
    recorded.update(fields)
    state: Literal["object", "raw", "absent"] = "absent" if arguments is MISSING else "raw"
    if isinstance(arguments, dict):
        state = "object"
    return Event(
        step,
        tool,
        tool,
        arguments,
        state,
        status,
        None,
        group,
        actor,
        recorded,
        Source("t.jsonl", step),
    )


def run(*calls: Event, complete: bool = True, final: Mapping[str, Any] | None = None) -> Run:
    """A run of these calls, numbered by their places; its end is its last call, or ``final``."""
    events = []
    for place, event in enumerate(calls, 1):
        step = event.step or place
        fields = {**event.fields, "step": step}
        events.append(replace(event, step=step, fields=fields, source=Source("t.jsonl", step)))
    last = final if final is not None else events[-1].fields if events else {}
    return Run("C1", None, None, tuple(events), last, None, complete)


def judge(text: str, recorded: Run, **cells: Any) -> RunResult:
    """What the contract says of a run of the case with these cells."""
    one = case(**cells)
    return Evaluator(contract(text)).judge(one, recorded)


def said(result: RunResult, check: str) -> list[Finding]:
    """The findings of one check."""
    return [f for f in result.findings if f.check == check]


def told(result: RunResult) -> list[tuple[str, int | None, str | None, str | None, str]]:
    """Every finding by check, step, tool, pointer and kind."""
    return [(f.check, f.step, f.tool, f.path, f.kind) for f in result.findings]
