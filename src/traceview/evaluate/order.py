"""``sequence_ok``: were the right tools called, in the right order, and nothing else?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from traceview.evaluate import align
from traceview.evaluate.pairing import Pairing
from traceview.model import MISSING, CheckVerdict, Finding, FindingKind

CHECK = "sequence_ok"
_TOLD = 12  # tools of a sequence that a message names


def told(tools: Sequence[str]) -> str:
    """A sequence in words, cut with its length when it is long."""
    if not tools:
        return "no call"
    if len(tools) <= _TOLD:
        return ", ".join(tools)
    return ", ".join(tools[:_TOLD]) + f", … ({len(tools)} calls)"


def sequence(pairing: Pairing) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict of the order check and its findings, by step."""
    order = pairing.exp.order
    if order is None:
        return "n/a", []
    if order.accept is not None:
        return _accepted(pairing, order.accept)
    findings = _in_line(pairing) if order.mode in ("exact", "in_order") else _as_a_set(pairing)
    return _verdict(pairing, findings)


def _verdict(pairing: Pairing, findings: list[Finding]) -> tuple[CheckVerdict, list[Finding]]:
    view = pairing.view
    if not view.complete:
        # What was not seen may be among what was lost; a call that nothing allows was seen.
        seen = [f for f in findings if f.kind != "missing_call" and not _explained_by_loss(pairing, f)]
        if seen:
            return "fail", seen
        return "unknown", [_evidence("the run is incomplete: calls that are not there may have been lost")]
    if view.doubtful:
        steps = ", ".join(str(view.calls[i].step) for i in view.doubtful[:5])
        return "unknown", [
            _evidence(f"the status of step {steps} was not recorded, and only calls that succeeded count")
        ]
    return ("fail" if findings else "pass"), findings


def _explained_by_loss(pairing: Pairing, finding: Finding) -> bool:
    """Whether lost calls could turn the finding into a run in order: a call out of place, where one more of
    its tool would have been allowed."""
    return finding.kind == "moved_call" and finding.tool is not None and pairing.extra_allowed(finding.tool)


def _evidence(message: str) -> Finding:
    return Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)


def _observed(pairing: Pairing) -> list[str]:
    view = pairing.view
    return [view.calls[i].tool_name or "" for i in view.active]


def turn_order(pairing: Pairing, expected: Sequence[str]) -> list[int]:
    """The active calls with those of one parallel turn put in the order that the expected side has."""
    view = pairing.view
    calls = view.active
    if not any(view.calls[i].group is not None for i in calls):
        return calls
    out: list[int] = []
    at = 0
    start = 0
    while start < len(calls):
        group = view.calls[calls[start]].group
        end = start + 1
        while group is not None and end < len(calls) and view.calls[calls[end]].group == group:
            end += 1
        block = calls[start:end]
        if len(block) > 1:
            left = Counter(view.calls[i].tool_name for i in block)
            for place in range(at, len(expected)):
                tool = expected[place]
                if left[tool] > 0:
                    left[tool] -= 1
                    pick = next(i for i in block if view.calls[i].tool_name == tool)
                    block.remove(pick)
                    out.append(pick)
                    at = place + 1
        elif at < len(expected) and view.calls[block[0]].tool_name == expected[at]:
            at += 1
        out.extend(block)
        start = end
    return out


def _in_line(pairing: Pairing) -> list[Finding]:
    exp, view = pairing.exp, pairing.view
    order = exp.order
    assert order is not None
    expected = list(exp.wanted_tools)
    calls = turn_order(pairing, expected)
    observed = [view.calls[i].tool_name or "" for i in calls]
    if expected == observed:
        return []
    pairs = align.common(expected, observed)
    kept, used = {i for i, _ in pairs}, {j for _, j in pairs}
    lacking: dict[str, list[int]] = {}
    for i, tool in enumerate(expected):
        if i not in kept:
            lacking.setdefault(tool, []).append(i)
    partnered = {expected[i] for i in kept}
    findings: list[Finding] = []
    for j, tool in enumerate(observed):
        if j in used:
            continue
        event = view.calls[calls[j]]
        allowed = pairing.extra_allowed(tool)
        if lacking.get(tool):
            place = lacking[tool][0]
            if order.missing == "allow" and allowed:
                continue
            lacking[tool].pop(0)
            partnered.add(tool)
            findings.append(
                _finding(
                    event.step,
                    tool,
                    "moved_call",
                    f"{tool} came at step {event.step}, expected as call {place + 1}",
                )
            )
        elif not allowed:
            again = tool in partnered
            kind: FindingKind = "repeated_call" if again else "extra_call"
            word = "repeated" if again else "extra"
            findings.append(_finding(event.step, tool, kind, f"{word} call {tool} at step {event.step}"))
    if order.missing == "fail":
        for tool, places in lacking.items():
            for place in places:
                findings.append(
                    _finding(
                        place + 1,
                        tool,
                        "missing_call",
                        f"{tool} was not called (expected as call {place + 1})",
                    )
                )
    return _told(pairing, findings, expected)


def _as_a_set(pairing: Pairing) -> list[Finding]:
    exp, view = pairing.exp, pairing.view
    order = exp.order
    assert order is not None
    findings: list[Finding] = []
    partnered = {exp.wants[w].tool for w in pairing.by_want}
    for call in view.active:
        event = view.calls[call]
        tool = event.tool_name or ""
        if call not in pairing.by_call and not pairing.extra_allowed(tool):
            again = tool in partnered
            kind: FindingKind = "repeated_call" if again else "extra_call"
            word = "repeated" if again else "extra"
            findings.append(_finding(event.step, tool, kind, f"{word} call {tool} at step {event.step}"))
    if order.missing == "fail":
        for place, want in enumerate(exp.wants):
            if place not in pairing.by_want:
                findings.append(
                    _finding(
                        want.index,
                        want.tool,
                        "missing_call",
                        f"{want.tool} was not called (expected as call {want.index})",
                    )
                )
    findings += _after(pairing)
    return _told(pairing, findings, [w.tool for w in exp.wants])


def _after(pairing: Pairing) -> list[Finding]:
    """Calls that came before one they must follow."""
    exp, view = pairing.exp, pairing.view
    ids = {w.id: place for place, w in enumerate(exp.wants) if w.id is not None}
    dropped = dict(exp.dropped)
    findings = []
    for place, want in enumerate(exp.wants):
        call = pairing.by_want.get(place)
        if call is None:
            continue
        for before in want.after:
            if before in ids:
                first = pairing.by_want.get(ids[before])
                tool = exp.wants[ids[before]].tool
            elif before in dropped:
                # The expected call is no duty; its tool's first call still has to come first where there is one.
                tool = dropped[before]
                first = next((c for c in view.active if view.calls[c].tool_name == tool), None)
            else:
                continue
            if first is None:
                continue
            a, b = view.calls[first], view.calls[call]
            parallel = a.group is not None and a.group == b.group
            if a.step > b.step and not parallel:
                findings.append(
                    _finding(
                        b.step,
                        want.tool,
                        "moved_call",
                        f"{want.tool} at step {b.step} came before {tool} at step {a.step}",
                    )
                )
    return findings


def _accepted(pairing: Pairing, accept: tuple[tuple[str, ...], ...]) -> tuple[CheckVerdict, list[Finding]]:
    """A set of accepted sequences: any of them will do; the nearest one is told."""
    view = pairing.view
    best: tuple[int, int] | None = None
    for number, expected in enumerate(accept):
        observed = [view.calls[i].tool_name or "" for i in turn_order(pairing, expected)]
        if list(expected) == observed:
            return _verdict(pairing, [])
        far = len(expected) + len(observed) - 2 * len(align.common(expected, observed))
        if best is None or far < best[0]:
            best = (far, number)
    nearest = accept[best[1]] if best else ()
    observed = _observed(pairing)
    if not view.complete and any(_is_part(observed, sequence) for sequence in accept):
        return _verdict(pairing, [])
    message = f"none of the {len(accept)} accepted sequences; nearest expected: {told(nearest)}; observed: {told(observed)}"
    step = _first_apart(nearest, observed)
    event = view.calls[view.active[step]] if step < len(observed) else None
    tool = event.tool_name if event is not None else (nearest[step] if step < len(nearest) else None)
    kind: FindingKind = "extra_call" if event is not None else "missing_call"
    finding = Finding(
        CHECK, event.step if event else step + 1, tool, None, kind, list(nearest), observed, message
    )
    return "fail", [finding]


def _is_part(observed: Sequence[str], expected: Sequence[str]) -> bool:
    return len(align.common(expected, observed)) == len(observed)


def _first_apart(a: Sequence[str], b: Sequence[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _finding(step: int, tool: str, kind: FindingKind, message: str) -> Finding:
    expected = tool if kind in ("missing_call", "moved_call") else MISSING
    observed = tool if kind != "missing_call" else MISSING
    return Finding(CHECK, step, tool, None, kind, expected, observed, message)


def _told(pairing: Pairing, findings: list[Finding], expected: Sequence[str]) -> list[Finding]:
    """The findings by step, the first one with both sequences in its message."""
    if not findings:
        return findings
    findings.sort(key=lambda f: (f.step or 0, f.kind != "missing_call"))
    first = findings[0]
    message = f"{first.message}; expected: {told(expected)}; observed: {told(_observed(pairing))}"
    findings[0] = Finding(
        first.check, first.step, first.tool, None, first.kind, first.expected, first.observed, message
    )
    return findings
