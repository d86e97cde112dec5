"""Expected reads that are a way to go and no duty (``match = "writes"``): their ids still name their
calls."""

from __future__ import annotations

from traceview.evaluate.assign import Cost, CostOf, pair_freely
from traceview.evaluate.call_diffs import argument_diffs, count
from traceview.evaluate.pairing import Pairing, Reference


def reference_calls(pairing: Pairing) -> dict[str, Reference]:
    """The calls that belong to expected reads which are no duty, by their ids."""
    if pairing.reference is None:
        pairing.reference = _find(pairing)
    return pairing.reference


def _find(pairing: Pairing) -> dict[str, Reference]:
    exp, view = pairing.exp, pairing.view
    out: dict[str, Reference] = {}
    wants: dict[str, list[int]] = {}
    for place, want in enumerate(exp.dropped):
        wants.setdefault(want.tool, []).append(place)
    for tool, places in wants.items():
        calls = [c for c in view.active if view.tools[c] == tool and c not in pairing.by_call]
        pairs = dict(pair_freely(len(places), len(calls), _cost(pairing, places, calls)))
        unread = len(calls) > len(places) and any(view.statuses[c] is None for c in calls)
        choice = len(calls) > 1 or len(places) > 1
        unsure = choice and (unread or any(map(pairing.blurred, calls)))
        for i, place in enumerate(places):
            id_ = exp.dropped[place].id
            if id_ is not None:
                own = calls if unsure else [calls[pairs[i]]] if i in pairs else []
                out[id_] = Reference(tool, own, len(calls) >= len(places) if unsure else i in pairs)
    return out


def _cost(pairing: Pairing, places: list[int], calls: list[int]) -> CostOf:
    view = pairing.view

    def cost(i: int, j: int) -> Cost:
        want, event = pairing.exp.dropped[places[i]], view.calls[calls[j]]
        failed = int(view.statuses[calls[j]] not in view.ok_words)
        if want.args is None:
            return (0, 0, failed)
        tool = pairing.contract_tools.get(want.tool)
        diffs = argument_diffs(want, want.args, event, tool, pairing.marks, terse=True)
        return (*count(diffs), failed)

    return cost
