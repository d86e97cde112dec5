"""``arguments_ok``: do the calls carry the expected arguments?"""

from __future__ import annotations

from collections.abc import Sequence

from traceview.evaluate.call_diffs import argument_diffs, count
from traceview.evaluate.detail import Diff
from traceview.evaluate.expect import Want
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.words import dotted, show, show_both
from traceview.model import MISSING, CheckVerdict, Event, Finding

CHECK = "arguments_ok"


def arguments(pairing: Pairing) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict of the argument check and its findings, by step and pointer."""
    exp, view = pairing.exp, pairing.view
    if exp.gap is not None:
        return "unknown", [_evidence(exp.gap)]
    if not exp.compares:
        return "n/a", []
    if exp.by_tool is not None:
        compared, findings = _by_tool(pairing)
    else:
        compared, findings = _by_step(pairing)
    if view.doubtful:
        what = "a status was not recorded, and only calls that succeeded count"
        return "unknown", [_evidence(what), *[f for f in findings if f.kind == "evidence"]]
    if not view.complete:
        findings = [f for f in findings if f.step is None or not _explained_by_loss(pairing, f)]
    if any(f.kind != "evidence" for f in findings):
        return "fail", findings
    if not view.complete:
        what = "the run is incomplete: the arguments of lost calls can't be seen"
        return "unknown", [_evidence(what), *findings]
    if findings:
        return "unknown", findings
    return ("pass" if compared else "n/a"), []


def _explained_by_loss(pairing: Pairing, f: Finding) -> bool:
    """Whether lost calls could put a difference right: the right twin of a call that may also be there
    without being expected; or, among several accepted sequences, calls that give it to another step."""
    exp, view = pairing.exp, pairing.view
    if f.tool is None or pairing.extra_allowed(f.tool):
        return f.tool is not None
    if exp.order is None or exp.order.accept is None:
        return False
    call = next((i for i in view.active if view.calls[i].step == f.step), None)
    places = [place for place, tool in enumerate(exp.wanted_tools) if tool == f.tool]
    return call is not None and any(count(pairing.diffs(place, call))[0] == 0 for place in places)


def _evidence(message: str) -> Finding:
    return Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)


def _by_step(pairing: Pairing) -> tuple[int, list[Finding]]:
    exp, view = pairing.exp, pairing.view
    compared = 0
    findings: list[Finding] = []
    order = exp.order
    strict = not exp.paired_only and order is not None and (order.mode == "exact" or order.extra == "none")
    known: set[str] | None = None
    for call in view.active:
        place = pairing.by_call.get(call)
        if place is None:
            place = pairing.nearest.get(call)
        if place is not None:
            if exp.wants[place].args is not None:
                compared += 1
                diffs = pairing.diffs(place, call)
                if diffs:
                    findings += findings_of(view.calls[call], diffs)
        elif strict:
            if known is None:
                known = _with_a_step(pairing)
            if view.tools[call] not in known:
                compared += 1
                findings.append(_without_a_step(view.calls[call]))
    if exp.by_place and view.complete:
        for want in exp.wants[len(view.active) :]:
            if want.args is not None:
                message = f"there is no call {want.index} to take the expected arguments {show(want.args)}"
                findings.append(Finding(CHECK, want.index, None, "", "missing", want.args, MISSING, message))
    return compared, findings


def _with_a_step(pairing: Pairing) -> set[str]:
    """The tools that some expected call, or accepted sequence, has."""
    order = pairing.exp.order
    accept = order.accept if order is not None else None
    return {*pairing.exp.wanted_tools, *[tool for sequence in accept or () for tool in sequence]}


def _without_a_step(event: Event) -> Finding:
    message = f"{event.tool_name} at step {event.step} has no expected call"
    observed = event.arguments if event.args_state != "absent" else MISSING
    return Finding(CHECK, event.step, event.tool_name, None, "unexpected", MISSING, observed, message)


def _by_tool(pairing: Pairing) -> tuple[int, list[Finding]]:
    view, by_tool = pairing.view, pairing.exp.by_tool or {}
    compared = 0
    findings: list[Finding] = []
    for call in view.active:
        args = by_tool.get(view.tools[call])
        if args is not None:
            compared += 1
            event, want = view.calls[call], Want(0, view.tools[call], args)
            findings += findings_of(event, argument_diffs(want, args, event, None, pairing.marks, terse=True))
    return compared, findings


def findings_of(event: Event, diffs: Sequence[Diff]) -> list[Finding]:
    """The differences of one call as findings."""
    tool = event.tool_name or ""
    return [
        Finding(
            CHECK, event.step, tool, d.path, d.kind, d.expected, d.observed, argument_message(tool, d), d.note
        )
        for d in diffs
        if d.kind is not None
    ]


def argument_message(tool: str, d: Diff) -> str:
    """ "reserve_room.duration_min is 60, expected 30"."""
    name = tool + dotted(d.path)
    if d.kind == "evidence":
        return f"{name} can't be judged: {d.note}"
    if d.kind == "missing":
        text = f"{name} is missing, expected {show(d.expected)}"
    elif d.kind == "unexpected":
        text = f"{name} is {show(d.observed)}, not expected"
    elif d.path == "":
        return f"{tool}: {d.note}: {show(d.observed)}"
    else:
        expected, observed = show_both(d.expected, d.observed)
        text = f"{name} is {observed}, expected {expected}"
    return f"{text} ({d.note})" if d.note else text
