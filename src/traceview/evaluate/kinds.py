"""The kinds of the contract that judge one value: each says same, forgiven, different or unknown.

They see an observed value that is there and was not taken away as a whole; parts of it may have been. What
they must not do is claim anything that a taken-away part could overturn.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from traceview import jsontext
from traceview.evaluate.arithmetic import EXACTLY, exact
from traceview.evaluate.assign import matched
from traceview.evaluate.detail import DiffState
from traceview.evaluate.differences import explain_difference
from traceview.evaluate.evidence import Marks
from traceview.evaluate.instants import instant
from traceview.evaluate.patterns import matches, stopped
from traceview.evaluate.values import canonical, same, type_name
from traceview.evaluate.wanted import ANY, Kinded, Unknown, describe, plain, shown
from traceview.model import MISSING, FindingKind

Outcome = tuple[DiffState, FindingKind | None, str | None]  # state, kind of the finding, note
Accepts = Callable[[Any, Any, Marks], bool | None]

SAME: Outcome = ("same", None, None)
HIDDEN: Outcome = ("unknown", "evidence", "part of it was taken away, and it could decide")


def outcome(wanted: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    """What a kind says of a value. ``expected`` is that of ``wanted``, MISSING where it has none;
    ``accepts`` compares two values of whatever kind."""
    said = _KINDS[wanted.compare.kind](wanted, expected, observed, marks, accepts)
    if said[0] == "same" and expected is not MISSING and plain(expected) and not same(expected, observed):
        return ("forgiven", None, f"accepted by {describe(wanted)}")
    return said


def listed(values: list[Any]) -> str:
    """Values for a message, with commas between them."""
    return ", ".join([jsontext.show(shown(v)) for v in values])


def changed(expected: Any, observed: Any, why: str | None = None) -> Outcome:
    """Two values that differ, with the reason and what they have in common."""
    if expected is MISSING or not plain(expected):
        return ("changed", "changed", why)
    kind, note = explain_difference(expected, observed)
    notes = "; ".join(n for n in (why, note) if n)
    return ("changed", kind, notes or None)


def _one_of(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    in_list = [accepts(value, observed, marks) for value in w.compare.values]
    if True not in in_list:
        if None in in_list:
            return HIDDEN
        return changed(expected, observed, "not " + describe(w))
    as_expected = True if expected is MISSING else accepts(expected, observed, marks)
    if as_expected:
        return SAME
    return HIDDEN if as_expected is None else changed(expected, observed)


def _regex(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    if not isinstance(observed, str):
        return ("changed", "type", f"{type_name(observed)} where text is expected")
    pattern = w.compare.pattern
    matched = matches(pattern, observed)
    if matched is None:
        return ("unknown", "evidence", stopped(pattern))
    return SAME if matched else ("changed", "changed", f"does not match {pattern}")


def _iequals(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    if isinstance(expected, str) and isinstance(observed, str) and expected.casefold() == observed.casefold():
        return SAME
    equal = accepts(expected, observed, marks)
    return SAME if equal else HIDDEN if equal is None else changed(expected, observed)


def _contains(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    items = [item for item in (expected if isinstance(expected, list) else [expected]) if item is not ANY]
    if isinstance(observed, str):
        found = [None if isinstance(i, Unknown) else isinstance(i, str) and i in observed for i in items]
    elif isinstance(observed, list):
        found = [_any([accepts(item, got, marks) for got in observed]) for item in items]
    else:
        return ("changed", "type", f"{type_name(observed)} where text or a list is expected")
    if False in found:
        lacking = [item for item, held in zip(items, found, strict=True) if held is False]
        return ("changed", "changed", "does not contain " + listed(lacking))
    return HIDDEN if None in found else SAME


def _any(verdicts: list[bool | None]) -> bool | None:
    return True if True in verdicts else None if None in verdicts else False


def _number(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    if type_name(expected) != "number" or type_name(observed) != "number":
        return changed(expected, observed)
    left, right = exact(expected), exact(observed)
    if left is None or right is None:  # NaN and the like have no distance
        return SAME if same(expected, observed) else changed(expected, observed)
    with decimal.localcontext(EXACTLY):
        off = abs(left - right)
        absolute = exact(w.compare.abs) if w.compare.abs is not None else None
        relative = exact(w.compare.rel) if w.compare.rel is not None else None
        allowed = max(absolute or Decimal(0), (relative or Decimal(0)) * abs(left))
        if off <= allowed:
            return SAME
    return changed(expected, observed, f"off by {_short(off)}, allowed {_short(allowed)}")


def _short(number: Decimal) -> str:
    text = str(number)
    return text if len(text) <= 40 else f"{number:.6E}"


def _instant(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    left, right = instant(expected), instant(observed)
    if left is None:
        return ("unknown", "evidence", "the expected value is no date and time")
    if right is None:
        return changed(expected, observed, "no date and time")
    if not left.has_zone or not right.has_zone:
        side = "observed" if left.has_zone else "expected"
        return ("unknown", "evidence", f"the {side} time has no zone, so the moment is not known")
    off = left.apart(right)
    if off <= (exact(w.compare.tolerance_s) or Decimal(0)):
        return SAME
    return changed(expected, observed, f"{_short(off)} s apart")


def _set(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    if not isinstance(expected, list) or not isinstance(observed, list):
        return changed(expected, observed)
    if not plain(expected) or marks.within(observed):
        said = [[accepts(want, got, marks) for got in observed] for want in expected]
        of_wanted = [_any(row) for row in said]
        of_seen = [_any([row[j] for row in said]) for j in range(len(observed))]
        return _items_outcome(
            [want for want, found in zip(expected, of_wanted, strict=True) if found is False],
            [got for got, found in zip(observed, of_seen, strict=True) if found is False],
            unknown=None in of_wanted or None in of_seen,
        )
    left, right = {canonical(v): v for v in expected}, {canonical(v): v for v in observed}
    return _items_outcome(
        [v for k, v in left.items() if k not in right], [v for k, v in right.items() if k not in left]
    )


def _bag(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    if not isinstance(expected, list) or not isinstance(observed, list):
        return changed(expected, observed)
    lacking, surplus, unknown = _paired(expected, observed, marks, accepts)
    return _items_outcome(lacking, surplus, unknown=unknown)


def list_subset(expected: list[Any], observed: list[Any], marks: Marks, accepts: Accepts) -> Outcome:
    """Whether a list holds at least these items; two equal ones are two."""
    lacking, surplus, unknown = _paired(expected, observed, marks, accepts)
    if lacking:
        return ("changed", "changed", "lacks " + listed(lacking))
    if unknown:
        return HIDDEN
    return ("forgiven", None, "more items allowed (subset)") if surplus else SAME


def _paired(
    expected: list[Any], observed: list[Any], marks: Marks, accepts: Accepts
) -> tuple[list[Any], list[Any], bool]:
    """The items of each side that find none on the other, and whether what was taken away could decide."""
    if not plain(expected) or marks.within(observed):
        said = [[accepts(want, got, marks) for got in observed] for want in expected]
        rows, columns = range(len(expected)), range(len(observed))
        sure = matched(rows, lambda _: columns, lambda i, j: said[i][j] is True)
        best = matched(rows, lambda _: columns, lambda i, j: said[i][j] is not False)
        taken = set(best.values())
        return (
            [want for i, want in enumerate(expected) if i not in best],
            [got for j, got in enumerate(observed) if j not in taken],
            len(sure) < len(best),
        )
    rest: dict[Any, list[Any]] = {}
    for got in observed:
        rest.setdefault(canonical(got), []).append(got)
    lacking = []
    for want in expected:
        alike = rest.get(canonical(want))
        if alike:
            alike.pop()
        else:
            lacking.append(want)
    return lacking, [got for alike in rest.values() for got in alike], False


def _items_outcome(lacking: list[Any], surplus: list[Any], *, unknown: bool = False) -> Outcome:
    if not lacking and not surplus:
        return HIDDEN if unknown else SAME
    parts = []
    if lacking:
        parts.append("lacks " + listed(lacking))
    if surplus:
        parts.append("has also " + listed(surplus))
    return ("changed", "changed", "; ".join(parts))


def _present(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    return SAME  # a missing key was dealt with before


def _absent(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    return SAME if observed is MISSING else ("unexpected", "unexpected", "must not be there")


def _len(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    if not isinstance(observed, (str, list, dict)):
        return ("changed", "type", f"{type_name(observed)} has no length")
    size, low, high = len(observed), w.compare.min, w.compare.max
    if (low is not None and size < low) or (high is not None and size > high):
        return ("changed", "changed", f"length {size}; {describe(w)}")
    return SAME


def _schema(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    from traceview.evaluate.schema import first_error  # its library costs start-up time that few need

    state, note = first_error(w.compare.schema or {}, observed, marks)
    if state == "unknown":
        return ("unknown", "evidence", note)
    return SAME if state == "accept" else ("changed", "changed", note)


def _combined(w: Kinded, expected: Any, observed: Any, marks: Marks, accepts: Accepts) -> Outcome:
    kind = w.compare.kind
    verdicts = [accepts(part, observed, marks) for part in w.of]
    if kind == "not":
        verdict = None if verdicts[0] is None else not verdicts[0]
    elif kind == "all":
        verdict = False if False in verdicts else None if None in verdicts else True
    else:
        verdict = _any(verdicts)
    if verdict is None:
        return ("unknown", "evidence", f"{kind}: part of it cannot be known")
    if verdict:
        return SAME
    if observed is MISSING:
        return ("missing", "missing", describe(w))
    return ("changed", "changed", f"does not meet {describe(w)}")


_KINDS: dict[str, Callable[[Kinded, Any, Any, Marks, Accepts], Outcome]] = {
    "one_of": _one_of,
    "regex": _regex,
    "iequals": _iequals,
    "contains": _contains,
    "number": _number,
    "instant": _instant,
    "set": _set,
    "bag": _bag,
    "present": _present,
    "absent": _absent,
    "len": _len,
    "schema": _schema,
    "not": _combined,
    "all": _combined,
    "any": _combined,
}
