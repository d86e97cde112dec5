"""``final_state_ok``: is the final evidence what the case expects?"""

from __future__ import annotations

from typing import Any

from traceview import jsontext
from traceview.evaluate.arguments import dotted
from traceview.evaluate.detail import Diff
from traceview.evaluate.expect import Expectation
from traceview.evaluate.kinds import ANY, Kinded, Marks, diff, shown
from traceview.evaluate.values import at_path, pointer
from traceview.model import MISSING, CheckVerdict, Finding, Run

CHECK = "final_state_ok"

# Words for a run that ended before it could do its work. With no call at all such a run proves nothing.
CRASHED = frozenset(
    [
        "abort",
        "aborted",
        "cancelled",
        "canceled",
        "crash",
        "crashed",
        "error",
        "errored",
        "exception",
        "failed",
        "failure",
        "incomplete",
        "interrupted",
        "killed",
        "terminated",
        "timed_out",
        "timeout",
    ]
)


def final_state(
    exp: Expectation, run: Run, marks: Marks, complete: bool
) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict on the final evidence and its findings, in the contract's order."""
    diffs = final_diffs(exp, run, marks)
    judged = [d for d in diffs if d.state != "uncompared"]
    if not judged:
        return "n/a", []
    if not complete:
        message = "the run is incomplete: its last event is not known"
        return "unknown", [Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)]
    wrong = [d for d in judged if d.kind is not None and d.kind != "evidence"]
    missing = [d for d in judged if d.kind == "evidence"]
    findings = [finding(d) for d in judged if d.kind is not None]
    return ("fail" if wrong else "unknown" if missing else "pass"), findings


def finding(d: Diff) -> Finding:
    """A difference in the final evidence as a finding."""
    name = dotted(d.path)[1:]
    if d.kind == "evidence":
        message = f"{name} can't be judged: {d.note}"
        return Finding(CHECK, None, None, d.path, "evidence", d.expected, d.observed, message, d.note)
    if d.observed is MISSING:
        message = f"{name} is missing, expected {_show(d.expected)}"
    elif d.kind == "unexpected":
        message = f"{name} is {_show(d.observed)}, not expected"
    else:
        message = f"{name} is {_show(d.observed)}, expected {_show(d.expected)}"
    if d.note:
        message += f" ({d.note})"
    return Finding(CHECK, None, None, d.path, "state", d.expected, d.observed, message, d.note)


def _show(value: Any) -> str:
    text = jsontext.show(value)
    return text if len(text) <= 160 else f"{text[:159]}… ({len(text)} characters)"


def final_diffs(exp: Expectation, run: Run, marks: Marks) -> list[Diff]:
    """The final evidence against what is expected of it, place by place."""
    out: list[Diff] = []
    for path, expected in exp.final:
        where = pointer(*path)
        if expected is ANY:
            out.append(Diff(where, "uncompared", MISSING, at_path(run.final, path)))
            continue
        top = run.final.get(path[0], MISSING)
        if (top is MISSING or top is None) and not _may_be_nothing(expected, path, top):
            why = (
                f"the final evidence has no {path[0]}"
                if top is MISSING
                else f"{path[0]} is null in the final evidence"
            )
            out.append(Diff(where, "unknown", shown(expected), top, "evidence", why))
            continue
        gone = marks.why(top)
        if gone is not None:
            out.append(Diff(where, "unknown", shown(expected), top, "evidence", f"{path[0]} is {gone}"))
            continue
        diff(expected, at_path(run.final, path), where, marks, out)
    return out


def _may_be_nothing(expected: Any, path: tuple[str, ...], top: Any) -> bool:
    """Whether null or nothing at the top level is itself what is expected there."""
    if len(path) > 1:
        return False
    if isinstance(expected, Kinded):
        if expected.compare.kind in ("absent", "ignore"):
            return True
        expected = expected.value
    return expected is None and top is None
