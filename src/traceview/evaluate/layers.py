"""Layers: acceptance rules that are not the verdict, so that one can count what they would let through."""

from __future__ import annotations

from typing import Any

from traceview import jsontext
from traceview.contract.spec import Layer
from traceview.evaluate.arithmetic import exact
from traceview.evaluate.choosing import Chooser
from traceview.evaluate.compare import accepts
from traceview.evaluate.evidence import Marks, held_by, reach
from traceview.evaluate.patterns import matches, stopped
from traceview.evaluate.values import type_name
from traceview.evaluate.view import RunView, event_field
from traceview.evaluate.words import show
from traceview.model import MISSING, LayerVerdict

Said = tuple[LayerVerdict, str]  # what the rule says of one value, and why
_WHEN_MISSING: dict[str, LayerVerdict] = {"unknown": "unknown", "skip": "n/a", "reject": "reject"}


def layer(rule: Layer, chooses: Chooser, view: RunView) -> LayerVerdict:
    """What one rule says of a run: over several calls it rejects if one is rejected, else it is unknown if
    one is, else it accepts; with nothing to judge it is n/a."""
    said = {verdict for _, verdict, _ in layer_values(rule, chooses, view)}
    for verdict in ("reject", "unknown", "accept"):
        if verdict in said:
            return verdict
    return "n/a"


def layer_values(rule: Layer, chooses: Chooser, view: RunView) -> list[tuple[Any, LayerVerdict, str]]:
    """Every value that a rule looks at, what it says of it, and why."""
    marks = view.marks
    if rule.tool is None:
        found = [reach(view.run.final, rule.at, marks)]
    else:
        found = [
            event_field(event, rule.at, marks)
            for event, tool in zip(view.calls, view.tools, strict=True)
            if chooses(tool)
        ]
    return [(value, *_judge(rule, value, why, marks)) for value, why in found]


def rule_words(rule: Layer) -> str:
    """What a rule asks for, in words: ``between 200 and 299``, ``one of "a", "b"``, ``JSON schema`` …"""
    kind, wanted = rule.test
    if kind == "equals":
        return show(wanted)
    if kind == "one_of":
        return "one of " + ", ".join(map(show, wanted))
    if kind == "between":
        return f"between {jsontext.show(wanted[0])} and {jsontext.show(wanted[1])}"
    return f"match for {wanted}" if kind == "regex" else "JSON schema"


def _judge(rule: Layer, value: Any, why: str | None, marks: Marks) -> Said:
    if why is not None:
        return "unknown", why
    if value is MISSING or value is None:
        return _WHEN_MISSING[
            rule.missing
        ], f"{'.'.join(rule.at)} is {'null' if value is None else 'not there'}"
    said = _test(rule.test, value, marks)
    if said[0] == "reject" and isinstance(value, str) and rule.test[0] != "regex":
        # Results are often recorded as text: then the object or list that it holds is meant.
        held = held_by(value)
        if held is not MISSING:
            return _test(rule.test, held, marks)
    return said


def _test(test: tuple[str, Any], value: Any, marks: Marks) -> Said:
    kind, wanted = test
    if kind in ("equals", "one_of"):
        values = [wanted] if kind == "equals" else list(wanted)
        words = ", ".join(map(show, values))
        accepted = [accepts(want, value, marks) for want in values]
        if True not in accepted and None in accepted:
            return "unknown", "part of it was taken away"
        return _said(True in accepted, f"equals {words}" if kind == "equals" else f"one of {words}")
    if kind == "between":
        low, high = wanted
        words = f"between {jsontext.show(low)} and {jsontext.show(high)}"
        number = exact(value) if type_name(value) == "number" else None
        least, most = exact(low), exact(high)
        if number is None or least is None or most is None:
            return "reject", f"{type_name(value)}, not {words}"
        return _said(least <= number <= most, words)
    if kind == "regex":
        if not isinstance(value, str):
            return "reject", f"{type_name(value)} where text is expected"
        found = matches(wanted, value)
        return ("unknown", stopped(wanted)) if found is None else _said(found, f"match for {wanted}")
    from traceview.evaluate.schema import first_error  # its library costs start-up time that few need

    verdict, note = first_error(wanted, value, marks)
    return verdict, note or "fits the schema"


def _said(accepted: bool, words: str) -> Said:
    return ("accept", words) if accepted else ("reject", f"not {words}")
