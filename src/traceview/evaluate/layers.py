"""Layers: acceptance rules that are not the verdict, so that one can count what they would let through."""

from __future__ import annotations

from typing import Any

from traceview.contract.spec import Layer
from traceview.evaluate.kinds import Marks, matches
from traceview.evaluate.pairing import RunView, decode_text, event_field
from traceview.evaluate.select import tool_matches
from traceview.evaluate.values import at_path, exact, same, type_name
from traceview.model import MISSING, LayerVerdict


def layer(rule: Layer, view: RunView, marks: Marks) -> LayerVerdict:
    """What one rule says of a run: over several calls it rejects if one is rejected, else it is unknown if one
    is, else it accepts; with nothing to judge it is n/a."""
    said: list[LayerVerdict]
    if rule.tool is None:
        said = [_one(rule, at_path(view.run.final, rule.at, decode_text), marks)[0]]
    else:
        said = [
            _one(rule, event_field(event, rule.at), marks)[0]
            for event in view.calls
            if tool_matches(rule.tool, event.tool_name or "")
        ]
    for verdict in ("reject", "unknown", "accept"):
        if verdict in said:
            return verdict
    return "n/a"


def explain_layer(rule: Layer, observed: Any, marks: Marks) -> tuple[LayerVerdict, str]:
    """The verdict on one value, and why, in words."""
    return _one(rule, observed, marks)


def _one(rule: Layer, value: Any, marks: Marks) -> tuple[LayerVerdict, str]:
    if value is MISSING or value is None:
        said: LayerVerdict = {"unknown": "unknown", "skip": "n/a", "reject": "reject"}[rule.missing]  # type: ignore[assignment]
        return said, f"{'.'.join(rule.at)} is not there"
    why = marks.why(value)
    if why is not None:
        return "unknown", why
    kind, wanted = rule.test
    if kind == "equals":
        return _said(same(wanted, value)), f"equals {wanted}"
    if kind == "one_of":
        return _said(any(same(w, value) for w in wanted)), "one of the accepted values"
    if kind == "between":
        number = exact(value) if type_name(value) == "number" else None
        low, high = (exact(w) for w in wanted)
        return _said(
            number is not None and low is not None and high is not None and low <= number <= high
        ), "in range"
    if kind == "regex":
        if not isinstance(value, str):
            return "reject", f"{type_name(value)} where text is expected"
        found = matches(wanted, value)
        return ("unknown", "the pattern was stopped") if found is None else (_said(found), wanted)
    from traceview.evaluate.schema import first_error

    state, note = first_error(wanted, value)
    return state, note or "fits the schema"  # type: ignore[return-value]


def _said(accepted: bool) -> LayerVerdict:
    return "accept" if accepted else "reject"
