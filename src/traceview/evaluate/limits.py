"""The limits of a contract: how often calls may happen."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from traceview.contract.spec import Limit
from traceview.evaluate.expect import Counted
from traceview.evaluate.identity import Identities, repeat_kind
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.words import times
from traceview.model import MISSING, CheckVerdict, Finding, FindingKind

Said = tuple[CheckVerdict, str | None, list[Finding]]  # verdict, label of the failing side, findings
_TWIN_LIMIT = 100_000  # pairs of calls that are looked at for what redaction could hide


class Group(Struct, gc=False):
    """Calls that a limit counts together: those that count for sure, and those that may."""

    sure: list[int]
    maybe: list[int]


def limit(pairing: Pairing, counted: Counted) -> Said:
    """Verdict, label (of the failing side) and findings of one limit."""
    rule, view = counted.rule, pairing.view
    most = rule.exactly if rule.exactly is not None else rule.at_most
    least = rule.exactly if rule.exactly is not None else rule.at_least
    sure, maybe = _chosen(pairing, counted)
    if rule.same is None and not maybe and view.complete:
        made = len(sure)
        if (most is None or made <= most) and (least is None or made >= least):
            return "pass", None, []
    groups, unkeyed = [Group(sure, maybe)], list[int]()
    same: Identities | None = None
    if rule.same is not None:
        same = Identities(view, pairing.contract_tools, rule.same)
        groups, unkeyed = _grouped(same, sure, maybe)
    if most is not None:
        over = [group.sure for group in groups if len(group.sure) > most]
        if over:
            found = [_over(pairing, counted, made, most) for made in over]
            return "fail", rule.over, sorted(found, key=lambda f: f.step or 0)
    if not view.complete:
        return _unknown(rule, "the run is incomplete: more calls may have been lost")
    reach = _reach(same, groups, unkeyed)
    if least is not None:
        under = _too_few(counted, groups, reach, least, some=bool(sure or maybe), pairing=pairing)
        if under:
            return "fail", rule.under, under
    open_ = [group for group, size in zip(groups, reach, strict=True) if _is_open(group, size, most, least)]
    alone = bool(unkeyed) and (
        least is not None or (most is not None and _unkeyed_beyond(pairing, unkeyed, most))
    )
    if not open_ and not alone:
        return "pass", None, []
    return _unknown(rule, _why_open(pairing, counted, maybe, unkeyed))


def _chosen(pairing: Pairing, counted: Counted) -> tuple[list[int], list[int]]:
    """The calls that the limit counts: for sure, and perhaps (their status is not known)."""
    rule, view, chooses = counted.rule, pairing.view, counted.chooses
    if rule.status is None:
        return (
            [i for i in view.active if chooses(view.tools[i])],
            [i for i in view.doubtful if chooses(view.tools[i])],
        )
    # A limit on calls with a status looks at that status, whichever calls count elsewhere.
    words = set(view.ok_words) if rule.status == "ok" else {rule.status}
    words.add(rule.status)
    sure, maybe = [], []
    for i, status in enumerate(view.statuses):
        if chooses(view.tools[i]):
            if status is None:
                maybe.append(i)
            elif status in words:
                sure.append(i)
    return sure, maybe


def _grouped(same: Identities, sure: list[int], maybe: list[int]) -> tuple[list[Group], list[int]]:
    """The calls by what makes them the same, and those of which that was not recorded."""
    by_key: dict[Hashable, Group] = {}
    unkeyed: list[int] = []
    for calls, is_sure in ((sure, True), (maybe, False)):
        for i in calls:
            key = same.key(i)
            if key is None:
                unkeyed.append(i)
            else:
                group = by_key.setdefault(key, Group([], []))
                (group.sure if is_sure else group.maybe).append(i)
    return list(by_key.values()), unkeyed


def _reach(same: Identities | None, groups: list[Group], unkeyed: list[int]) -> list[int]:
    """How many calls each group could have at most, if all that is not known spoke for it."""
    sizes = [len(group.sure) + len(group.maybe) for group in groups]
    if same is None:
        return sizes
    firsts = [(group.sure or group.maybe)[0] for group in groups]
    marked = [same.marked(first) for first in firsts]
    if sum(marked) * len(groups) > _TWIN_LIMIT:
        return [sum(sizes) + len(unkeyed)] * len(groups)
    reach = []
    for a, first in enumerate(firsts):
        size = sizes[a] + sum(same.could_equal(first, i) for i in unkeyed)
        if True in marked:
            size += sum(
                sizes[b]
                for b, other in enumerate(firsts)
                if b != a and (marked[a] or marked[b]) and same.could_equal(first, other)
            )
        reach.append(size)
    return reach


def _is_open(group: Group, reach: int, most: int | None, least: int | None) -> bool:
    """Whether what is not known could break the bounds of a group, or is needed to keep them."""
    return (most is not None and reach > most) or (least is not None and len(group.sure) < least)


def _unkeyed_beyond(pairing: Pairing, unkeyed: list[int], most: int) -> bool:
    """Whether calls of which nothing was recorded could by themselves be too many of the same."""
    tools = [pairing.view.tools[i] for i in unkeyed]
    return any(tools.count(tool) > most for tool in set(tools))


def _too_few(
    counted: Counted, groups: list[Group], reach: list[int], least: int, *, some: bool, pairing: Pairing
) -> list[Finding]:
    rule = counted.rule
    if rule.same is None or not some:
        made = reach[0] if reach else 0
        if made >= least:
            return []
        message = f"{_name(rule)} was {times(made)}, expected {_bound(rule)}"
        return [Finding(rule.name, None, counted.tool, None, "missing_call", least, made, message)]
    out = []
    for group, size in zip(groups, reach, strict=True):
        if group.sure and size < least:
            event = pairing.view.calls[group.sure[0]]
            message = f"{event.tool_name} as at step {event.step} was {times(size)}, expected {_bound(rule)}"
            out.append(
                Finding(rule.name, event.step, event.tool_name, None, "missing_call", least, size, message)
            )
    return out


def _why_open(pairing: Pairing, counted: Counted, maybe: list[int], unkeyed: list[int]) -> str:
    view = pairing.view
    if maybe or unkeyed:
        steps = ", ".join([str(view.calls[i].step) for i in (maybe or unkeyed)[:5]])
        what = "status" if maybe else "arguments that can be compared"
        return f"step {steps} recorded no {what}, so calls can't be counted"
    return f"arguments of {_name(counted.rule)} are redacted or cut off: whether calls repeat can't be seen"


def _name(rule: Limit) -> str:
    if rule.tool is not None and rule.tool != "*":
        return rule.tool
    return f"a {rule.effect}" if rule.effect else "a call"


def _bound(rule: Limit) -> str:
    if rule.exactly is not None:
        return f"exactly {rule.exactly}"
    parts = []
    if rule.at_least is not None:
        parts.append(f"at least {rule.at_least}")
    if rule.at_most is not None:
        parts.append(f"at most {rule.at_most}")
    return " and ".join(parts)


def _over(pairing: Pairing, counted: Counted, made: list[int], most: int) -> Finding:
    rule, view = counted.rule, pairing.view
    i = made[most]
    event = view.calls[i]
    name = _name(rule) if rule.same is None else view.tools[i]
    message = f"{name} was {times(len(made))}, expected {_bound(rule)}"
    kind: FindingKind = "repeated_call" if most else "extra_call"
    repeat = repeat_kind(view, pairing.contract_tools, i, made[:most])
    if repeat:
        message += f"; step {event.step} is a repeat: {repeat}"
    return Finding(rule.name, event.step, event.tool_name, None, kind, most, len(made), message, repeat)


def _unknown(rule: Limit, message: str) -> Said:
    evidence = Finding(rule.name, None, None, None, "evidence", MISSING, MISSING, message)
    return "unknown", None, [evidence]
