"""Comparing an expected with an observed value, place by place, into :class:`Diff` entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traceview import jsontext
from traceview.contract.spec import EQUALS
from traceview.evaluate.detail import Diff
from traceview.evaluate.differences import explain_difference
from traceview.evaluate.evidence import Marks
from traceview.evaluate.kinds import list_subset, outcome
from traceview.evaluate.values import pointer, same, type_name
from traceview.evaluate.wanted import ANY, Gap, Kinded, Pending, Unknown, plain, shown, stands_alone
from traceview.model import MISSING

Out = list[Diff]


def diff(expected: Any, observed: Any, path: str, marks: Marks, out: Out) -> None:
    """Append what there is to say about ``observed`` at ``path``: expected keys in their order, then
    others."""
    special = _SPECIAL.get(expected.__class__)
    if special is not None:
        special(expected, observed, path, marks, out)
        return
    if observed is MISSING:
        out.append(Diff(path, "missing", shown(expected), MISSING, "missing"))
        return
    why = marks.why(observed)
    if why is not None:
        out.append(Diff(path, "unknown", shown(expected), observed, "evidence", why))
    elif isinstance(expected, dict) and isinstance(observed, dict):
        _objects(expected, observed, path, marks, out)
    elif isinstance(expected, list) and isinstance(observed, list):
        _lists(expected, observed, path, marks, out)
    elif same(expected, observed):
        out.append(Diff(path, "same", expected, observed))
    else:
        wanted = shown(expected)
        kind, note = explain_difference(wanted, observed)
        out.append(Diff(path, "changed", wanted, observed, kind, note))


def accepts(expected: Any, observed: Any, marks: Marks) -> bool | None:
    """Whether ``observed`` meets ``expected``: True, False, or None where it can't be known."""
    out: Out = []
    diff(expected, observed, "", marks, out)
    if any(d.kind is not None and d.kind != "evidence" for d in out):
        return False
    return None if any(d.kind == "evidence" for d in out) else True


def equal(expected: Any, observed: Any, marks: Marks) -> bool:
    """Whether two values are equal for sure: plain JSON on one side, nothing taken away on the other."""
    return plain(expected) and same(expected, observed) and marks.within(observed) is None


def _objects(
    expected: dict[str, Any],
    observed: dict[str, Any],
    path: str,
    marks: Marks,
    out: Out,
    *,
    subset: bool = False,
) -> None:
    if equal(expected, observed, marks):
        out.append(Diff(path, "same", expected, observed))
        return
    for key, want in expected.items():
        got = observed.get(key, MISSING)
        if subset and isinstance(want, dict) and isinstance(got, dict):
            _objects(want, got, path + pointer(key), marks, out, subset=True)
        else:
            diff(want, got, path + pointer(key), marks, out)
    for key, got in observed.items():
        if key not in expected:
            place = path + pointer(key)
            if subset:
                out.append(Diff(place, "forgiven", MISSING, got, None, "more keys allowed (subset)"))
            else:
                out.append(Diff(place, "unexpected", MISSING, got, "unexpected"))


def _lists(expected: list[Any], observed: list[Any], path: str, marks: Marks, out: Out) -> None:
    if equal(expected, observed, marks):
        out.append(Diff(path, "same", expected, observed))
        return
    if plain(expected) and marks.within(observed) is None:
        kind, note = explain_difference(expected, observed)
        if kind == "order":
            out.append(Diff(path, "changed", expected, observed, kind, note))
            return
    for index, want in enumerate(expected):
        got = observed[index] if index < len(observed) else MISSING
        diff(want, got, f"{path}/{index}", marks, out)
    for index in range(len(expected), len(observed)):
        out.append(Diff(f"{path}/{index}", "unexpected", MISSING, observed[index], "unexpected"))


# -- what is no JSON value ---------------------------------------------------------------------------------


def _any(expected: Any, observed: Any, path: str, marks: Marks, out: Out) -> None:
    out.append(Diff(path, "uncompared", MISSING, observed))


def _unknown(expected: Unknown, observed: Any, path: str, marks: Marks, out: Out) -> None:
    out.append(Diff(path, "unknown", MISSING, observed, "evidence", expected.why))


def _pending(expected: Pending, observed: Any, path: str, marks: Marks, out: Out) -> None:
    out.append(
        Diff(path, "unknown", shown(expected), observed, "evidence", "no call was matched to its step")
    )


# Kinds that judge a missing key themselves.
_NEEDS_NO_KEY = frozenset({"absent", "not", "any", "all"})


def _kinded(wanted: Kinded, observed: Any, path: str, marks: Marks, out: Out) -> None:
    kind, expected = wanted.compare.kind, wanted.value
    if kind == "ignore":
        out.append(Diff(path, "ignored", shown(expected), observed, None, "not compared (ignore)"))
        return
    if kind == "not" and _left_out(wanted):
        out.append(Diff(path, "uncompared", MISSING, observed))
        return
    if expected is ANY:
        # An empty cell leaves the comparison out; what the kind asks of any value is asked all the same.
        expected = MISSING
        if observed is MISSING:
            out.append(Diff(path, "uncompared", MISSING, MISSING))
            return
    elif expected.__class__ is Unknown or expected.__class__ is Pending:
        diff(expected, observed, path, marks, out)
        return
    if expected is MISSING and not wanted.of and not stands_alone(wanted.compare):
        out.append(Diff(path, "uncompared", MISSING, observed))
        return
    if observed is MISSING and kind not in _NEEDS_NO_KEY:
        out.append(Diff(path, "missing", shown(wanted), MISSING, "missing"))
        return
    why = marks.why(observed)
    if why is not None and kind not in ("present", "absent"):
        out.append(Diff(path, "unknown", shown(wanted), observed, "evidence", why))
        return
    nested = _NESTED.get(kind)
    if nested is not None:
        nested(wanted, expected, observed, path, marks, out)
    else:
        state, finding, note = outcome(wanted, expected, observed, marks, accepts)
        out.append(Diff(path, state, shown(wanted), observed, finding, note))


def _left_out(wanted: Kinded) -> bool:
    """Whether an empty cell stands in a kind or its parts."""
    return wanted.value is ANY or any(map(_left_out, wanted.of))


def _nested_equals(w: Kinded, expected: Any, observed: Any, path: str, marks: Marks, out: Out) -> None:
    diff(expected, observed, path, marks, out)


def _nested_subset(w: Kinded, expected: Any, observed: Any, path: str, marks: Marks, out: Out) -> None:
    if isinstance(expected, dict) and isinstance(observed, dict):
        _objects(expected, observed, path, marks, out, subset=True)
    elif isinstance(expected, list) and isinstance(observed, list):
        state, kind, note = list_subset(expected, observed, marks, accepts)
        out.append(Diff(path, state, shown(expected), observed, kind, note))
    else:
        diff(expected, observed, path, marks, out)


def _nested_json(w: Kinded, expected: Any, observed: Any, path: str, marks: Marks, out: Out) -> None:
    if not isinstance(observed, str):
        note = f"{type_name(observed)} where JSON text is expected"
        out.append(Diff(path, "changed", shown(w), observed, "type", note))
        return
    try:
        value = jsontext.decode_text(observed).value
    except jsontext.BadJson as error:
        note = f"not valid JSON text: {error.message}"
        out.append(Diff(path, "changed", shown(w), observed, "changed", note))
        return
    _kinded(Kinded(w.compare.then or EQUALS, expected, w.of), value, path, marks, out)


_NESTED: dict[str, Callable[[Kinded, Any, Any, str, Marks, Out], None]] = {
    "equals": _nested_equals,
    "list": _nested_equals,
    "subset": _nested_subset,
    "json": _nested_json,
}
_SPECIAL: dict[type, Callable[[Any, Any, str, Marks, Out], None]] = {
    Gap: _any,
    Unknown: _unknown,
    Pending: _pending,
    Kinded: _kinded,
}
