"""``arguments_ok``: do the calls carry the expected arguments?"""

from __future__ import annotations

from traceview import jsontext
from traceview.evaluate.detail import Diff
from traceview.evaluate.expect import Want
from traceview.evaluate.pairing import Pairing, argument_diffs
from traceview.evaluate.values import same
from traceview.model import MISSING, CheckVerdict, Event, Finding

CHECK = "arguments_ok"
_SHOWN = 160  # characters of a value that a message holds


def arguments(pairing: Pairing) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict of the argument check and its findings, by step and pointer."""
    exp, view = pairing.exp, pairing.view
    if exp.by_tool is not None:
        compared, findings = _by_tool(pairing)
        speaks = bool(exp.by_tool)
    else:
        compared, findings = _by_step(pairing)
        speaks = any(want.args is not None for want in exp.wants)
    wrong = [f for f in findings if f.kind != "evidence"]
    if not view.complete:
        wrong = [f for f in wrong if not _explained_by_loss(pairing, f)]
        if wrong:
            return "fail", wrong + [f for f in findings if f.kind == "evidence"]
        if not speaks and not findings:
            return "n/a", []
        return "unknown", [
            _evidence("the run is incomplete: the arguments of lost calls can't be seen"),
            *findings,
        ]
    if wrong:
        return "fail", findings
    if view.doubtful and speaks:
        return "unknown", [
            _evidence("a status was not recorded, and only calls that succeeded count"),
            *findings,
        ]
    if findings:
        return "unknown", findings
    return ("pass" if compared else "n/a"), []


def _explained_by_loss(pairing: Pairing, finding: Finding) -> bool:
    """On an incomplete run, a call that an extra is allowed for may have had its right twin among the lost."""
    return finding.tool is not None and pairing.extra_allowed(finding.tool)


def _evidence(message: str) -> Finding:
    return Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)


def _by_step(pairing: Pairing) -> tuple[int, list[Finding]]:
    exp, view = pairing.exp, pairing.view
    compared = 0
    findings: list[Finding] = []
    strict = exp.order is not None and (exp.order.mode == "exact" or exp.order.extra == "none")
    strict = strict and not exp.paired_only and any(want.args is not None for want in exp.wants)
    known = {want.tool for want in exp.wants}
    for call in view.active:
        event = view.calls[call]
        place = pairing.by_call.get(call, pairing.nearest.get(call))
        if place is not None:
            if exp.wants[place].args is not None:
                compared += 1
                diffs = pairing.diffs(place, call)
                if diffs:
                    findings += findings_of(event, diffs)
        elif strict and event.tool_name not in known:
            compared += 1
            message = f"{event.tool_name} at step {event.step} has no expected call"
            observed = event.arguments if event.args_state != "absent" else MISSING
            findings.append(
                Finding(CHECK, event.step, event.tool_name, None, "unexpected", MISSING, observed, message)
            )
    if exp.by_place and view.complete:
        for place in range(len(view.active), len(exp.wants)):
            want = exp.wants[place]
            if want.args is not None:
                message = f"there is no call {want.index} to take the expected arguments {_show(want.args)}"
                findings.append(Finding(CHECK, want.index, None, "", "missing", want.args, MISSING, message))
    return compared, findings


def _by_tool(pairing: Pairing) -> tuple[int, list[Finding]]:
    view, by_tool = pairing.view, pairing.exp.by_tool or {}
    compared = 0
    findings: list[Finding] = []
    for call in view.active:
        event = view.calls[call]
        args = by_tool.get(event.tool_name or "")
        if args is None:
            continue
        compared += 1
        if event.args_state == "object" and same(args, event.arguments):
            continue
        want = Want(0, event.tool_name or "", args)
        findings += findings_of(event, argument_diffs(want, args, event, None, pairing.marks))
    return compared, findings


def findings_of(event: Event, diffs: list[Diff]) -> list[Finding]:
    """The differences of one call as findings."""
    out = []
    for d in diffs:
        if d.kind is not None:
            message = argument_message(event.tool_name or "", d)
            out.append(
                Finding(
                    CHECK,
                    event.step,
                    event.tool_name,
                    d.path,
                    d.kind,
                    d.expected,
                    d.observed,
                    message,
                    d.note,
                )
            )
    return out


def argument_message(tool: str, d: Diff) -> str:
    """ "reserve_room.duration_min is 60, expected 30"."""
    name = tool + dotted(d.path)
    if d.kind == "evidence":
        return f"{name} can't be judged: {d.note}"
    if d.kind == "missing":
        text = f"{name} is missing, expected {_show(d.expected)}"
    elif d.kind == "unexpected":
        text = f"{name} is {_show(d.observed)}, not expected"
    elif d.path == "":
        text = f"{tool}: {d.note}: {_show(d.observed)}"
        return text
    else:
        text = f"{name} is {_show(d.observed)}, expected {_show(d.expected)}"
    return f"{text} ({d.note})" if d.note else text


def dotted(path: str) -> str:
    """A JSON Pointer as a person writes it: ``/flights/0/price`` → ``.flights[0].price``."""
    out = []
    for key in path.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        out.append(f"[{key}]" if key.isdigit() else f".{key}")
    return "".join(out)


def _show(value: object) -> str:
    text = jsontext.show(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}… ({len(text)} characters)"
