"""The arguments of one call against those that are expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from traceview.contract.spec import ToolSpec
from traceview.evaluate.compare import diff
from traceview.evaluate.detail import Diff
from traceview.evaluate.differences import same_items
from traceview.evaluate.evidence import Marks
from traceview.evaluate.expect import Want
from traceview.evaluate.values import pointer, same
from traceview.evaluate.wanted import Kinded, shown
from traceview.model import MISSING, Event


def argument_diffs(
    want: Want,
    args: Mapping[str, Any],
    event: Event,
    tool: ToolSpec | None,
    marks: Marks,
    *,
    terse: bool = False,
) -> list[Diff]:
    """The arguments of a call against the expected ones, at every place: as the expected side has them, then
    the others.

    :param terse: leave out what is equal or not compared.
    """
    if event.args_state == "absent":
        return [
            Diff("", "unknown", shown(dict(args)), MISSING, "evidence", "the arguments were not captured")
        ]
    observed = event.arguments
    if event.args_state == "raw":
        why = marks.why(observed)
        if why is not None:
            return [Diff("", "unknown", shown(dict(args)), observed, "evidence", why)]
        text = "arguments are not valid JSON" if isinstance(observed, str) else "arguments are no object"
        return [Diff("", "changed", shown(dict(args)), observed, "type", text)]
    out: list[Diff] = []
    only = want.only
    for name, expected in args.items():
        if only is not None and name not in only:
            continue
        got = observed.get(name, MISSING)
        if got.__class__ is expected.__class__ and not marks.active and same(expected, got):
            if not terse:
                out.append(Diff(pointer(name), "same", expected, got))
            continue
        if got is MISSING and expected.__class__ is Kinded and expected.optional:
            continue
        diff(expected, got, pointer(name), marks, out)
    lenient = tool is not None and tool.extra_args == "ignore"
    for name, got in observed.items():
        if only is not None and name not in only:
            out.append(Diff(pointer(name), "ignored", args.get(name, MISSING), got, None, "not compared"))
        elif name not in args:
            if lenient:
                note = "not compared (extra_args)"
                out.append(Diff(pointer(name), "ignored", MISSING, got, None, note))
            else:
                out.append(Diff(pointer(name), "unexpected", MISSING, got, "unexpected"))
    return [d for d in out if d.kind is not None] if terse else out


def differing(expected: Mapping[str, Any], observed: Mapping[str, Any], *, lenient: bool = False) -> int:
    """How many differences :func:`argument_diffs` finds, without making them. Both sides are plain JSON, and
    none of it is taken away.

    :param lenient: arguments that are not expected are no difference.
    """
    wrong = 0
    unexpected = len(observed)
    for name, want in expected.items():
        got = observed.get(name, MISSING)
        if got is MISSING:
            wrong += 1
            continue
        unexpected -= 1
        kind = want.__class__
        if kind is got.__class__ and (kind is str or kind is int):
            wrong += want != got
        else:
            wrong += _apart(want, got)
    return wrong if lenient else wrong + unexpected


def _apart(want: Any, got: Any) -> int:
    """How many differences two values have."""
    if same(want, got):
        return 0
    if isinstance(want, dict) and isinstance(got, dict):
        return differing(want, got)
    if isinstance(want, list) and isinstance(got, list):
        if len(want) == len(got):
            return 1 if same_items(want, got) else sum(map(_apart, want, got))
        return sum(map(_apart, want, got)) + abs(len(want) - len(got))
    return 1


def count(diffs: Iterable[Diff]) -> tuple[int, int]:
    """How many differences, and how many places that can't be known."""
    wrong = unknown = 0
    for d in diffs:
        if d.kind == "evidence":
            unknown += 1
        elif d.kind is not None:
            wrong += 1
    return wrong, unknown
