"""Checks on the calls themselves: ``tools_succeeded``, the limits, ``forbidden_ok``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from traceview import jsontext
from traceview.contract.spec import Forbid, Limit
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.select import selected
from traceview.evaluate.values import canonical, same
from traceview.model import MISSING, CheckVerdict, Finding

STATUS = "tools_succeeded"
FORBIDDEN = "forbidden_ok"

# -- statuses ----------------------------------------------------------------------------------------------


def statuses(pairing: Pairing) -> tuple[CheckVerdict, list[Finding]]:
    """Whether every call reports a status that the contract accepts."""
    exp, view = pairing.exp, pairing.view
    if exp.status_ok is None:
        return "n/a", []
    retries = exp.status is not None and exp.status.retries == "allow"
    findings: list[Finding] = []
    unknown: list[Finding] = []
    for i, event in enumerate(view.calls):
        allowed: frozenset[str] | tuple[str, ...] = exp.status_ok
        if exp.statuses is not None and i < len(exp.statuses):
            allowed = (exp.statuses[i],)
        else:
            place = pairing.by_call.get(i)
            word = exp.wants[place].status if place is not None else None
            if word is not None:
                allowed = (word,)
        status = view.statuses[i]
        wanted = " or ".join(sorted(allowed))
        if status is None:
            message = f"{event.tool_name} at step {event.step} recorded no status (expected {wanted})"
            unknown.append(
                Finding(STATUS, event.step, event.tool_name, None, "evidence", wanted, MISSING, message)
            )
        elif status not in allowed and not (
            retries and status not in exp.status_ok and _repaired(pairing, i)
        ):
            message = f"{event.tool_name} at step {event.step} reports {status}, expected {wanted}"
            error = event.fields.get("error")
            if isinstance(error, str) and error:
                message += f": {error[:120]}"
            findings.append(
                Finding(STATUS, event.step, event.tool_name, None, "status", wanted, status, message)
            )
    if exp.statuses is not None and view.complete:
        for i in range(len(view.calls), len(exp.statuses)):
            message = f"there is no call {i + 1} to report {exp.statuses[i]}"
            findings.append(Finding(STATUS, i + 1, None, None, "status", exp.statuses[i], MISSING, message))
    if findings:
        return "fail", findings + unknown
    if not view.complete:
        message = "the run is incomplete: the statuses of lost calls can't be seen"
        unknown.insert(0, Finding(STATUS, None, None, None, "evidence", MISSING, MISSING, message))
    return ("unknown" if unknown else "pass"), unknown


def _repaired(pairing: Pairing, i: int) -> bool:
    """Whether a later successful call of the same tool and identity put the error at place ``i`` right."""
    view = pairing.view
    key = identity(pairing, i, "identity")
    return key is not None and any(
        view.calls[j].tool_name == view.calls[i].tool_name
        and view.statuses[j] in view.ok_words
        and identity(pairing, j, "identity") == key
        for j in range(i + 1, len(view.calls))
    )


# -- limits ------------------------------------------------------------------------------------------------


def identity(pairing: Pairing, i: int, same_what: str) -> object:
    """What makes two calls "the same" for a limit; None when the arguments were not captured."""
    event = pairing.view.calls[i]
    if same_what == "tool":
        return event.tool_name
    if event.args_state == "absent":
        return None
    spec = pairing.tools.get(event.tool_name or "")
    if (
        same_what == "identity"
        and spec is not None
        and spec.identity is not None
        and event.args_state == "object"
    ):
        chosen = {k: event.arguments[k] for k in spec.identity if k in event.arguments}
        return (event.tool_name, canonical(chosen))
    return (event.tool_name, canonical(event.arguments))


def limit(pairing: Pairing, rule: Limit) -> tuple[CheckVerdict, str | None, list[Finding]]:
    """Verdict, label (of the failing side) and findings of one limit."""
    view = pairing.view
    sure: list[int] = []
    doubtful: list[int] = []
    active, doubted = set(view.active), set(view.doubtful)
    for i, event in enumerate(view.calls):
        if not selected(pairing.tools, event.tool_name or "", rule.tool, rule.effect):
            continue
        if rule.status is not None:
            status = view.statuses[i]
            if status is None:
                doubtful.append(i)
                continue
            if status != rule.status and not (rule.status == "ok" and status in view.ok_words):
                continue
        if i in doubted:
            doubtful.append(i)
        elif i in active:
            sure.append(i)
    groups: list[list[int]] = [sure]
    uncaptured: list[int] = []
    if rule.same is not None:
        by_key: dict[object, list[int]] = {}
        for i in sure:
            key = identity(pairing, i, rule.same)
            if key is None:
                uncaptured.append(i)
            else:
                by_key.setdefault(key, []).append(i)
        groups = list(by_key.values()) or [[]]
    most = rule.exactly if rule.exactly is not None else rule.at_most
    least = rule.exactly if rule.exactly is not None else rule.at_least
    over = [(group, group[most]) for group in groups if most is not None and len(group) > most]
    if over:
        return (
            "fail",
            rule.over,
            sorted((_over(pairing, rule, g, i, most or 0) for g, i in over), key=lambda f: f.step or 0),
        )
    name = rule.tool or f"a {rule.effect}"
    if not view.complete:
        return "unknown", None, [_evidence(rule.name, "the run is incomplete: more calls may have been lost")]
    open_calls = doubtful + uncaptured
    if rule.same in ("args", "identity") and most is not None and _may_be_same(pairing, rule, groups, most):
        return (
            "unknown",
            None,
            [_evidence(rule.name, f"arguments of {name} are redacted: whether calls repeat can't be seen")],
        )
    under = [group for group in groups if least is not None and len(group) < least]
    if under and least is not None and min(map(len, under)) + len(open_calls) < least:
        made = min(map(len, under))
        message = f"{name} was {_times(made)}, expected {_bound(rule)}"
        tool = rule.tool if rule.tool is not None and not set("*?") & set(rule.tool) else None
        return (
            "fail",
            rule.under,
            [Finding(rule.name, None, tool, None, "missing_call", least, made, message)],
        )
    most_possible = max(map(len, groups)) + len(open_calls)
    if open_calls and (under or (most is not None and most_possible > most)):
        steps = ", ".join(str(view.calls[i].step) for i in open_calls[:5])
        why = "no status" if doubtful else "no arguments"
        return (
            "unknown",
            None,
            [_evidence(rule.name, f"step {steps} recorded {why}, so calls can't be counted")],
        )
    return "pass", None, []


def _may_be_same(pairing: Pairing, rule: Limit, groups: Sequence[Sequence[int]], most: int) -> bool:
    """Whether redacted values could make calls of different groups the same."""
    marks = pairing.marks
    if not marks.redacted and not marks.cut:
        return False
    firsts = [group[0] for group in groups if group]
    for group in groups:
        if not group:
            continue
        twins = [
            other
            for other in firsts
            if other != group[0] and _could_equal(pairing, rule.same or "", group[0], other)
        ]
        if twins and sum(len(g) for g in groups if g and (g[0] in twins or g is group)) > most:
            return True
    return False


def _could_equal(pairing: Pairing, same_what: str, i: int, j: int) -> bool:
    view, marks = pairing.view, pairing.marks
    a, b = view.calls[i], view.calls[j]
    if a.tool_name != b.tool_name:
        return False
    if not isinstance(a.arguments, dict) or not isinstance(b.arguments, dict):
        return marks.why(a.arguments) is not None or marks.why(b.arguments) is not None
    spec = pairing.tools.get(a.tool_name or "")
    keys = set(a.arguments) | set(b.arguments)
    if same_what == "identity" and spec is not None and spec.identity is not None:
        keys &= set(spec.identity)
    return all(
        _could_agree(marks.why, a.arguments.get(k, MISSING), b.arguments.get(k, MISSING)) for k in keys
    )


def _could_agree(why: Callable[[Any], str | None], a: Any, b: Any) -> bool:
    if why(a) is not None or why(b) is not None:
        return True
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return all(_could_agree(why, a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return all(_could_agree(why, x, y) for x, y in zip(a, b, strict=True))
    return same(a, b)


def _times(n: int) -> str:
    return "not called" if n == 0 else "called once" if n == 1 else f"called {n} times"


def _bound(rule: Limit) -> str:
    if rule.exactly is not None:
        return f"exactly {rule.exactly}"
    parts = []
    if rule.at_least is not None:
        parts.append(f"at least {rule.at_least}")
    if rule.at_most is not None:
        parts.append(f"at most {rule.at_most}")
    return " and ".join(parts)


def _over(pairing: Pairing, rule: Limit, group: list[int], i: int, most: int) -> Finding:
    view = pairing.view
    event = view.calls[i]
    name = rule.tool if rule.tool not in (None, "*") else f"a {rule.effect}" if rule.effect else "a call"
    if rule.same is not None:
        name = f"{event.tool_name}"
    message = f"{name} was {_times(len(group))}, expected {_bound(rule)}"
    repeat = repeat_kind(pairing, i, [j for j in group if j < i]) if most > 0 else None
    if repeat:
        message += f"; step {event.step} is a repeat: {repeat}"
    return Finding(
        rule.name, event.step, event.tool_name, None, "repeated_call", most, len(group), message, repeat
    )


def repeat_kind(pairing: Pairing, i: int, before: Sequence[int]) -> str | None:
    """Which kind of repeat a call is of the calls of its tool before it: "identical, after success" …"""
    view = pairing.view
    event = view.calls[i]
    twins = [j for j in before if view.calls[j].tool_name == event.tool_name]
    if not twins:
        return None
    key = identity(pairing, i, "args")
    equal = [j for j in twins if key is not None and identity(pairing, j, "args") == key]
    what = "identical" if equal else "with other arguments"
    if key is None:
        what = "arguments not captured"
    last = (equal or twins)[-1]
    status = view.statuses[last]
    if status in view.ok_words:
        return f"{what}, after success"
    if status is None or status in ("timeout", "unknown"):
        return f"{what}, after an unknown outcome"
    return f"{what}, after a definite error"


def _evidence(check: str, message: str) -> Finding:
    return Finding(check, None, None, None, "evidence", MISSING, MISSING, message)


# -- forbidden calls ---------------------------------------------------------------------------------------


def forbidden(pairing: Pairing, values: Mapping[str, Any]) -> tuple[CheckVerdict, list[Finding]]:
    """Whether calls were made that must not be made. ``values``: the case's cells, cast."""
    applied = False
    findings: list[Finding] = []
    unknown: list[Finding] = []
    for rule in pairing.exp.forbids:
        if not all(same(wanted, values.get(column, MISSING)) for column, wanted in rule.when.items()):
            continue
        applied = True
        _forbid(pairing, rule, findings, unknown)
    if not applied:
        return "n/a", []
    findings.sort(key=lambda f: f.step or 0)
    if findings:
        return "fail", findings
    if not pairing.view.complete:
        unknown.insert(0, _evidence(FORBIDDEN, "the run is incomplete: forbidden calls may have been lost"))
    return ("unknown" if unknown else "pass"), unknown


def _forbid(pairing: Pairing, rule: Forbid, findings: list[Finding], unknown: list[Finding]) -> None:
    view, exp = pairing.view, pairing.exp
    until: int | None = None
    if rule.before is not None:
        place = next((p for p, w in enumerate(exp.wants) if w.id == rule.before), None)
        call = pairing.by_want.get(place) if place is not None else None
        until = view.calls[call].step if call is not None else None
    for event in view.calls:
        tool = event.tool_name or ""
        if not selected(pairing.tools, tool, rule.tool, rule.effect):
            continue
        text = f"{tool} at step {event.step} is forbidden"
        if rule.when:
            text += " where " + ", ".join(f"{k} is {jsontext.show(v)}" for k, v in rule.when.items())
        if rule.unless_before is not None:
            if any(
                e.step < event.step and selected(pairing.tools, e.tool_name or "", rule.unless_before, None)
                for e in view.calls
            ):
                continue
            text += f" unless {rule.unless_before} was called before"
            if not view.complete:
                unknown.append(
                    _evidence(FORBIDDEN, f"{text}; the run is incomplete, so that call may have been lost")
                )
                continue
        if rule.before is not None:
            if until is not None and event.step >= until:
                continue
            text += f" before step {rule.before}"
            if until is None and not view.complete:
                unknown.append(
                    _evidence(FORBIDDEN, f"{text}; the run is incomplete, so that call may have been lost")
                )
                continue
        findings.append(Finding(FORBIDDEN, event.step, tool, None, "forbidden", MISSING, tool, text))
