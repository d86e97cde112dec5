"""``final_state_ok``: is the final evidence what the case expects?"""

from __future__ import annotations

from typing import Any

from traceview.evaluate.compare import accepts, diff
from traceview.evaluate.detail import Diff
from traceview.evaluate.evidence import Marks, reach
from traceview.evaluate.expect import FinalItem
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.values import same
from traceview.evaluate.wanted import ANY, Kinded, resolve, shown
from traceview.evaluate.words import dotted, show, show_both
from traceview.model import MISSING, CheckVerdict, Finding, Run

CHECK = "final_state_ok"


def final_state(pairing: Pairing) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict on the final evidence and its findings, in the contract's order."""
    run, marks = pairing.view.run, pairing.marks
    judged = False
    findings: list[Finding] = []
    for item in pairing.exp.final:
        if item.plain and len(item.path) == 1 and not marks.active:
            value = run.final.get(item.path[0])
            if value is not None and same(item.expected, value):
                judged = True
                continue
        for d in _compare(pairing, item, run, marks):
            if d.state != "uncompared":
                judged = True
            if d.kind is not None:
                findings.append(finding(d))
    if not judged:
        return "n/a", []
    if not pairing.view.complete:
        message = "the run is incomplete: its last event is not known"
        return "unknown", [Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)]
    if findings and any(f.kind != "evidence" for f in findings):
        return "fail", findings
    return ("unknown" if findings else "pass"), findings


def final_diffs(pairing: Pairing) -> list[Diff]:
    """The final evidence against what is expected of it, place by place."""
    run, marks = pairing.view.run, pairing.marks
    return [d for item in pairing.exp.final for d in _compare(pairing, item, run, marks)]


def _compare(pairing: Pairing, item: FinalItem, run: Run, marks: Marks) -> list[Diff]:
    expected = item.expected if item.plain else resolve(item.expected, pairing.look_up)
    value, why = reach(run.final, item.path, marks)
    if expected is ANY:
        return [Diff(item.where, "uncompared", MISSING, value)]
    name = item.path[0]
    top = run.final.get(name, MISSING)
    if (top is MISSING or top is None) and not _may_be_nothing(expected, item.path, top):
        why = (
            f"the final evidence has no {name}" if top is MISSING else f"{name} is null in the final evidence"
        )
        return [Diff(item.where, "unknown", shown(expected), top, "evidence", why)]
    # A value that was taken away still tells that there is one; one on the way to it tells nothing.
    if why is not None and (value is MISSING or not _says_only_whether(expected)):
        return [Diff(item.where, "unknown", shown(expected), value, "evidence", why)]
    out: list[Diff] = []
    diff(expected, value, item.where, marks, out)
    return out


def _says_only_whether(expected: Any) -> bool:
    """Whether it is asked only that there is a value."""
    return isinstance(expected, Kinded) and expected.compare.kind in ("present", "absent", "ignore")


def _may_be_nothing(expected: Any, path: tuple[str, ...], top: Any) -> bool:
    """Whether null or nothing at the top level is itself what is expected there."""
    return len(path) == 1 and _expects_nothing(expected, top)


def _expects_nothing(expected: Any, top: Any) -> bool:
    if not isinstance(expected, Kinded):
        return expected is None and top is None
    kind, parts = expected.compare.kind, expected.of
    if kind in ("absent", "ignore"):
        return True
    if kind in ("schema", "one_of"):  # what they list, they expect
        return top is None and accepts(expected, None, Marks()) is True
    if kind in ("any", "all"):
        return any(_expects_nothing(part, top) for part in parts)
    if kind == "not":
        without = any(isinstance(part, Kinded) and part.compare.kind == "present" for part in parts)
        return without and top is MISSING
    return expected.value is None and top is None


def finding(d: Diff) -> Finding:
    """A difference in the final evidence as a finding."""
    name = dotted(d.path)[1:]
    if d.kind == "evidence":
        message = f"{name} can't be judged: {d.note}"
        return Finding(CHECK, None, None, d.path, "evidence", d.expected, d.observed, message, d.note)
    if d.observed is MISSING:
        message = f"{name} is missing, expected {show(d.expected)}"
    elif d.kind == "unexpected":
        message = f"{name} is {show(d.observed)}, not expected"
    else:
        expected, observed = show_both(d.expected, d.observed)
        message = f"{name} is {observed}, expected {expected}"
    if d.note:
        message += f" ({d.note})"
    return Finding(CHECK, None, None, d.path, "state", d.expected, d.observed, message, d.note)
