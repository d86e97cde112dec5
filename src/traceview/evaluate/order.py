"""``sequence_ok``: were the right tools called, in the right order, and nothing else?"""

from __future__ import annotations

from collections.abc import Sequence

from traceview.contract.spec import Order
from traceview.evaluate.align import arranged, common
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.reference import reference_calls
from traceview.evaluate.words import told
from traceview.model import MISSING, CheckVerdict, Finding, FindingKind

CHECK = "sequence_ok"
Said = tuple[CheckVerdict, list[Finding]]


def sequence(pairing: Pairing) -> Said:
    """The verdict of the order check and its findings, by step."""
    exp, view = pairing.exp, pairing.view
    order = exp.order
    if order is None:
        return "n/a", []
    if exp.gap is not None:
        return "unknown", [_evidence(exp.gap)]
    unknown: list[Finding] = []
    if order.accept is not None:
        findings = _accepted(pairing, order.accept)
    elif order.mode in ("exact", "in_order"):
        findings = _in_line(pairing, order)
    else:
        findings, unknown = _as_a_set(pairing, order)
    if view.doubtful:
        steps = ", ".join([str(view.calls[i].step) for i in view.doubtful[:5]])
        what = f"the status of step {steps} was not recorded, and only calls that succeeded count"
        return "unknown", [_evidence(what)]
    if findings:
        return "fail", findings
    if not view.complete:
        what = "the run is incomplete: calls that are not there may have been lost"
        return "unknown", [_evidence(what), *unknown]
    return ("unknown" if unknown else "pass"), unknown


def _evidence(message: str) -> Finding:
    return Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)


def _observed(pairing: Pairing) -> list[str]:
    return [pairing.view.tools[i] for i in pairing.view.active]


def _in_line(pairing: Pairing, order: Order) -> list[Finding]:
    """Against one sequence. On an incomplete run, and where calls may be missing, calls that may also be
    there without being expected can't be out of place, so that only the others are aligned."""
    exp, view = pairing.exp, pairing.view
    expected, calls = exp.wanted_tools, view.active
    if pairing.in_step:
        return []
    told_expected = expected
    places: Sequence[int] = range(len(expected))
    lenient = order.missing == "allow" or not view.complete
    if lenient:
        tools = {*expected, *view.tools}
        free = {tool for tool in tools if pairing.extra_allowed(tool)}
        places = [i for i, tool in enumerate(expected) if tool not in free]
        expected = tuple([expected[i] for i in places])
        calls = [i for i in calls if view.tools[i] not in free]
        calls = arranged(expected, view.turns(calls), view.tools)
        pairs = common(expected, [view.tools[i] for i in calls])
    else:
        calls, pairs = pairing.in_line()
    observed = [view.tools[i] for i in calls]
    kept, used = {i for i, _ in pairs}, {j for _, j in pairs}
    lacking: dict[str, list[int]] = {}
    for i, tool in enumerate(expected):
        if i not in kept:
            lacking.setdefault(tool, []).append(places[i] + 1)
    partnered = {expected[i] for i in kept}
    findings: list[Finding] = []
    allowed = {tool: pairing.extra_allowed(tool) for tool in set(observed)}
    for j, tool in enumerate(observed):
        if j in used:
            continue
        step = view.calls[calls[j]].step
        if lacking.get(tool):
            findings.append(_moved(step, tool, lacking[tool].pop(0)))
            partnered.add(tool)
        elif not allowed[tool]:
            findings.append(_surplus(step, tool, again=tool in partnered))
    if not lenient:
        findings += [_missing(place, tool) for tool, left in lacking.items() for place in left]
    return _told(pairing, findings, told_expected)


def _as_a_set(pairing: Pairing, order: Order) -> tuple[list[Finding], list[Finding]]:
    """Against calls in whatever order but for ``after``: what is wrong, and what can't be known."""
    exp, view = pairing.exp, pairing.view
    findings: list[Finding] = []
    if len(pairing.by_call) < len(view.active):
        partnered = {exp.wants[w].tool for w in pairing.by_want}
        for call in view.active:
            tool = view.tools[call]
            if call not in pairing.by_call and not pairing.extra_allowed(tool):
                findings.append(_surplus(view.calls[call].step, tool, again=tool in partnered))
    if order.missing == "fail" and view.complete:
        findings += [
            _missing(want.index, want.tool)
            for place, want in enumerate(exp.wants)
            if place not in pairing.by_want
        ]
    broken, unknown = _after(pairing)
    return _told(pairing, findings + broken, exp.wanted_tools), unknown


# -- after -------------------------------------------------------------------------------------------------


def _after(pairing: Pairing) -> tuple[list[Finding], list[Finding]]:
    """Calls that came before one that they must follow, and those of which that can't be known."""
    exp, view = pairing.exp, pairing.view
    broken: list[Finding] = []
    unknown: list[Finding] = []
    for place, want in enumerate(exp.wants):
        calls = pairing.candidates(place) if want.after else []
        for name in want.after if calls else ():
            before = pairing.place_of(name)
            if before is not None:
                tool, firsts = exp.wants[before].tool, pairing.candidates(before)
                settled = pairing.settled(place) and pairing.settled(before)
                made = pairing.made(place) and pairing.made(before)
            else:
                tool, firsts, made = reference_calls(pairing).get(name, ("", [], False))
                settled, made = view.complete, made and pairing.made(place)
            if not firsts or not settled:
                continue
            # In one parallel turn there is no order to break.
            wrong = [view.before(call, first) for call in calls for first in firsts]
            if made and all(wrong):
                step, other = view.calls[calls[0]].step, view.calls[firsts[-1]].step
                message = f"{want.tool} at step {step} came before {tool} at step {other}"
                broken.append(_finding(step, want.tool, "moved_call", message))
            elif any(wrong):
                what = f"which calls are {want.tool} and {tool} is not certain, so their order can't be told"
                unknown.append(_evidence(what))
    return broken, unknown


# -- a set of sequences ------------------------------------------------------------------------------------


def _accepted(pairing: Pairing, accept: tuple[tuple[str, ...], ...]) -> list[Finding]:
    """Any of the accepted sequences will do; the nearest one is told."""
    view = pairing.view
    turns = view.turns(view.active)
    best: tuple[int, tuple[str, ...], list[int]] | None = None
    for expected in accept:
        calls = arranged(expected, turns, view.tools)
        observed = [view.tools[i] for i in calls]
        shared = len(common(expected, observed))
        if shared == len(observed) and (shared == len(expected) or not view.complete):
            return []
        far = len(expected) + len(observed) - 2 * shared
        if best is None or far < best[0]:
            best = (far, expected, calls)
    _, nearest, calls = best if best is not None else (0, (), view.active)
    observed = [view.tools[i] for i in calls]
    message = (
        f"none of the {len(accept)} accepted sequences; nearest expected: {told(nearest)}; "
        f"observed: {told(_observed(pairing))}"
    )
    at = _first_apart(nearest, observed)
    made = at < len(observed)
    step = view.calls[calls[at]].step if made else at + 1
    tool = observed[at] if made else nearest[at] if at < len(nearest) else None
    kind: FindingKind = "extra_call" if made else "missing_call"
    return [Finding(CHECK, step, tool, None, kind, list(nearest), _observed(pairing), message)]


def _first_apart(a: Sequence[str], b: Sequence[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


# -- findings ----------------------------------------------------------------------------------------------


def _finding(step: int, tool: str, kind: FindingKind, message: str) -> Finding:
    expected = tool if kind in ("missing_call", "moved_call") else MISSING
    observed = tool if kind != "missing_call" else MISSING
    return Finding(CHECK, step, tool, None, kind, expected, observed, message)


def _moved(step: int, tool: str, place: int) -> Finding:
    return _finding(step, tool, "moved_call", f"{tool} came at step {step}, expected as call {place}")


def _surplus(step: int, tool: str, *, again: bool) -> Finding:
    # Made thousands of times where an agent runs away.
    kind: FindingKind = "repeated_call" if again else "extra_call"
    message = f"repeated call {tool} at step {step}" if again else f"extra call {tool} at step {step}"
    return Finding(CHECK, step, tool, None, kind, MISSING, tool, message)


def _missing(place: int, tool: str) -> Finding:
    return _finding(place, tool, "missing_call", f"{tool} was not called (expected as call {place})")


def _told(pairing: Pairing, findings: list[Finding], expected: Sequence[str]) -> list[Finding]:
    """The findings by step, the first one with both sequences in its message."""
    if findings:
        findings.sort(key=lambda f: (f.step or 0, f.kind != "missing_call"))
        first = findings[0]
        message = f"{first.message}; expected: {told(expected)}; observed: {told(_observed(pairing))}"
        findings[0] = _with_message(first, message)
    return findings


def _with_message(f: Finding, message: str) -> Finding:
    return Finding(f.check, f.step, f.tool, f.path, f.kind, f.expected, f.observed, message)
