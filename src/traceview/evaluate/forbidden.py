"""``forbidden_ok``: were calls made that must not be made?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from traceview import jsontext
from traceview.evaluate.expect import Forbidden
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.reference import reference_calls
from traceview.evaluate.values import same
from traceview.model import MISSING, CheckVerdict, Finding

CHECK = "forbidden_ok"


def forbidden(pairing: Pairing, values: Mapping[str, Any], empty: str) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict of the prohibitions and its findings, by step.

    :param values: the case's cells, cast; an empty one is not in it.
    :param empty: what an empty cell means, ``[cases] empty``.
    """
    view = pairing.view
    applied = False
    findings: list[Finding] = []
    unknown: list[Finding] = []
    for item in pairing.exp.forbids:
        when = item.rule.when
        if when:
            holds = [same(wanted, values[column]) for column, wanted in when.items() if column in values]
            if False in holds:
                continue
            gaps = [column for column in when if column not in values]
            if gaps:
                if empty == "unknown":
                    applied = True
                    unknown.append(_evidence(f"the case's cell {gaps[0]} is empty"))
                continue
        until = _until(pairing, item.rule.before) if item.rule.before is not None else None
        if until is None and item.rule.before is not None:
            continue  # the case has no such step
        applied = True
        _look(pairing, item, until, findings, unknown)
    if not applied:
        return "n/a", []
    if findings:
        findings.sort(key=lambda f: f.step or 0)
        return "fail", findings
    if not view.complete:
        unknown.insert(0, _evidence("the run is incomplete: forbidden calls may have been lost"))
    return ("unknown" if unknown else "pass"), unknown


class Until(NamedTuple):
    """The call of a step: those that it may be, whether it was made for sure, and whether a lost call could
    not have been it."""

    calls: list[int]
    made: bool
    settled: bool


def _look(
    pairing: Pairing, item: Forbidden, until: Until | None, findings: list[Finding], unknown: list[Finding]
) -> None:
    view, rule = pairing.view, item.rule
    first = None
    if item.before is not None:
        first = next((j for j, tool in enumerate(view.tools) if item.before(tool)), None)
    for i, tool in enumerate(view.tools):
        if not item.chooses(tool):
            continue
        step = view.calls[i].step
        text = f"{tool} at step {step} is forbidden"
        if rule.when:
            text += " where " + ", ".join([f"{k} is {jsontext.show(v)}" for k, v in rule.when.items()])
        sure = True
        if item.before is not None:
            if first is not None and view.before(first, i):
                continue
            text += f" unless {rule.unless_before} was called before"
            sure = view.complete
        if until is not None:
            earlier = [view.before(i, j) for j in until.calls]
            if until.made and not any(earlier):
                continue
            text += f" before step {rule.before}"
            sure = sure and all(earlier) and until.settled
        if sure:
            findings.append(Finding(CHECK, step, tool, None, "forbidden", MISSING, tool, text))
        else:
            lost = "the run is incomplete" if not view.complete else "which call that step is, is not certain"
            unknown.append(_evidence(f"{text}; {lost}, so whether it was can't be told"))


def _until(pairing: Pairing, step: str) -> Until | None:
    """The call of a step; None: the case has no such step."""
    complete = pairing.view.complete
    place = pairing.place_of(step)
    if place is not None:
        made = pairing.made(place)
        return Until(pairing.candidates(place), made, complete or (made and pairing.settled(place)))
    known = reference_calls(pairing).get(step)
    return Until(known.calls, known.made, complete) if known is not None else None


def _evidence(message: str) -> Finding:
    return Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message)
