"""Comparing an expected with an observed value, by the kinds of the contract, into :class:`Diff` entries.

Expected values arrive expanded (``evaluate/expect.py``): JSON values in which :data:`ANY`, :class:`Unknown` and
:class:`Kinded` may stand at any depth.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

import regex
from msgspec import Struct

from traceview import jsontext
from traceview.contract.spec import Compare, StepRef
from traceview.evaluate.detail import Diff
from traceview.evaluate.values import canonical, exact, explain_difference, instant, pointer, same, type_name
from traceview.model import MISSING, FindingKind

PATTERN_SECONDS = 1.0  # a pattern that needs longer on one text backtracks without end


class _Any:
    """An expectation that is left out (an empty cell): anything may stand there, or nothing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ANY"


ANY = _Any()


class Unknown(Struct, frozen=True, gc=False):
    """An expectation whose value cannot be known; ``why`` names what is missing."""

    why: str


class Pending(Struct, frozen=True, gc=False):
    """An expectation that a matched call returns during the run; resolved once calls are paired."""

    ref: StepRef


class Kinded(Struct, frozen=True, gc=False):
    """An expected value with the way to compare it. ``value`` MISSING: the kind needs none. ``of``: the parts
    of ``not``, ``all`` and ``any``, each with its own value or that of the whole."""

    compare: Compare
    value: Any = MISSING
    of: tuple[Kinded, ...] = ()


class Marks(Struct, frozen=True, gc=False):
    """What counts as evidence that was taken away: ``[evidence] redacted`` and ``cut``."""

    redacted: frozenset[str] = frozenset()
    cut: tuple[str, ...] = ()

    def why(self, value: Any) -> str | None:
        """Why a recorded value is no evidence, or None if it is."""
        if not isinstance(value, str):
            return None
        if value in self.redacted:
            return f"redacted ({value})"
        if any(matches(pattern, value, full=False) is not False for pattern in self.cut):
            return "cut off when it was recorded"
        return None


NO_MARKS = Marks()
Outcome = tuple[str, FindingKind | None, str | None]  # state, kind, note
_SAME: Outcome = ("same", None, None)


def plain(value: Any) -> bool:
    """Whether an expanded expectation is an ordinary JSON value through and through."""
    if isinstance(value, dict):
        return all(map(plain, value.values()))
    if isinstance(value, list):
        return all(map(plain, value))
    return not isinstance(value, (Kinded, Unknown, Pending, _Any))


def diff(expected: Any, observed: Any, path: str, marks: Marks, out: list[Diff]) -> None:
    """Append what there is to say about ``observed`` at ``path``: expected keys in their order, then others."""
    if expected is ANY:
        out.append(Diff(path, "uncompared", MISSING, observed))
        return
    if isinstance(expected, Unknown):
        out.append(Diff(path, "unknown", MISSING, observed, "evidence", expected.why))
        return
    if isinstance(expected, Pending):
        out.append(
            Diff(path, "unknown", shown(expected), observed, "evidence", "its step has no matched call yet")
        )
        return
    if isinstance(expected, Kinded):
        _diff_kinded(expected, observed, path, marks, out)
        return
    if observed is MISSING:
        out.append(Diff(path, "missing", shown(expected), MISSING, "missing"))
        return
    why = marks.why(observed)
    if why is not None:
        out.append(Diff(path, "unknown", shown(expected), observed, "evidence", why))
    elif isinstance(expected, dict) and isinstance(observed, dict):
        _diff_object(expected, observed, path, marks, out)
    elif isinstance(expected, list) and isinstance(observed, list):
        _diff_list(expected, observed, path, marks, out)
    elif same(expected, observed):
        out.append(Diff(path, "same", expected, observed))
    else:
        kind, note = explain_difference(shown(expected), observed)
        out.append(Diff(path, "changed", shown(expected), observed, kind, note))


def _diff_object(
    expected: dict[str, Any],
    observed: dict[str, Any],
    path: str,
    marks: Marks,
    out: list[Diff],
    *,
    subset: bool = False,
) -> None:
    if plain(expected) and same(expected, observed):
        out.append(Diff(path, "same", expected, observed))
        return
    for key, want in expected.items():
        got = observed.get(key, MISSING)
        if subset and isinstance(want, dict) and isinstance(got, dict):
            _diff_object(want, got, path + pointer(key), marks, out, subset=True)
        else:
            diff(want, got, path + pointer(key), marks, out)
    for key, got in observed.items():
        if key not in expected:
            if subset:
                out.append(
                    Diff(path + pointer(key), "forgiven", MISSING, got, None, "more keys allowed (subset)")
                )
            else:
                out.append(Diff(path + pointer(key), "unexpected", MISSING, got, "unexpected"))


def _diff_list(expected: list[Any], observed: list[Any], path: str, marks: Marks, out: list[Diff]) -> None:
    if plain(expected):
        if same(expected, observed):
            out.append(Diff(path, "same", expected, observed))
            return
        kind, note = explain_difference(expected, observed)
        if kind == "order":
            out.append(Diff(path, "changed", expected, observed, kind, note))
            return
    for index, want in enumerate(expected):
        got = observed[index] if index < len(observed) else MISSING
        diff(want, got, path + pointer(index), marks, out)
    for index in range(len(expected), len(observed)):
        out.append(Diff(path + pointer(index), "unexpected", MISSING, observed[index], "unexpected"))


def shown(expected: Any) -> Any:
    """An expected value as a reader sees it: kinds replaced by what they ask for."""
    if isinstance(expected, dict):
        return {k: shown(v) for k, v in expected.items() if v is not ANY}
    if isinstance(expected, list):
        return [shown(v) for v in expected]
    if isinstance(expected, Kinded):
        compare = expected.compare
        if expected.value is not MISSING:
            return shown(expected.value)
        return f"({describe(compare)})"
    if isinstance(expected, Unknown):
        return f"(unknown: {expected.why})"
    if isinstance(expected, Pending):
        return "{step." + ".".join((expected.ref.step, *expected.ref.path)) + "}"
    return expected


def describe(compare: Compare) -> str:
    """A kind and its settings in words: "number, abs 0.005"."""
    parts = [compare.kind]
    if compare.kind == "one_of":
        parts = ["one of " + ", ".join(map(jsontext.show, compare.values))]
    if compare.pattern:
        parts.append(compare.pattern)
    for name in ("abs", "rel", "min", "max"):
        setting = getattr(compare, name)
        if setting is not None:
            parts.append(f"{name} {jsontext.show(setting)}")
    if compare.kind == "instant" and compare.tolerance_s:
        parts.append(f"tolerance {jsontext.show(compare.tolerance_s)} s")
    if compare.then is not None:
        parts.append("then " + describe(compare.then))
    if compare.of:
        parts.append("(" + "; ".join(map(describe, compare.of)) + ")")
    return ", ".join(parts)


# -- the kinds ---------------------------------------------------------------------------------------------

NEEDS_NO_KEY = frozenset(
    {"ignore", "absent", "not", "any", "all"}
)  # kinds that judge a missing key themselves
NEEDS_NO_VALUE = frozenset(
    {"ignore", "present", "absent", "regex", "len", "schema", "one_of", "not", "all", "any"}
)


def _diff_kinded(wanted: Kinded, observed: Any, path: str, marks: Marks, out: list[Diff]) -> None:
    compare = wanted.compare
    expected = wanted.value
    if compare.kind == "ignore":
        out.append(Diff(path, "ignored", shown(expected), observed, None, "not compared (ignore)"))
        return
    if expected is ANY:
        if compare.kind not in NEEDS_NO_VALUE:
            out.append(Diff(path, "uncompared", MISSING, observed))
            return
        expected = MISSING
    if isinstance(expected, (Unknown, Pending)):
        diff(expected, observed, path, marks, out)
        return
    if observed is MISSING and compare.kind not in NEEDS_NO_KEY:
        out.append(Diff(path, "missing", shown(wanted), MISSING, "missing"))
        return
    why = marks.why(observed)
    if why is not None and compare.kind not in ("present", "absent"):
        out.append(Diff(path, "unknown", shown(wanted), observed, "evidence", why))
        return
    nested = _NESTED.get(compare.kind)
    if nested is not None:
        nested(compare, expected, observed, path, marks, out)
        return
    if wanted.of:
        state, kind, note = _combined(wanted, observed, marks)
    else:
        state, kind, note = _outcome(compare, expected, observed, marks)
    out.append(Diff(path, state, shown(wanted), observed, kind, note))  # type: ignore[arg-type]


def _nested_equals(
    c: Compare, expected: Any, observed: Any, path: str, marks: Marks, out: list[Diff]
) -> None:
    diff(expected, observed, path, marks, out)


def _nested_subset(
    c: Compare, expected: Any, observed: Any, path: str, marks: Marks, out: list[Diff]
) -> None:
    if isinstance(expected, dict) and isinstance(observed, dict):
        _diff_object(expected, observed, path, marks, out, subset=True)
    elif isinstance(expected, list) and isinstance(observed, list):
        lacking = [item for item in expected if not any(accepts(item, got, marks) for got in observed)]
        state, kind, note = _SAME
        if lacking:
            state, kind, note = "changed", "changed", "not in the list: " + _listed(lacking)
        elif len(expected) != len(observed):
            state, note = "forgiven", "more items allowed (subset)"
        out.append(Diff(path, state, shown(expected), observed, kind, note))  # type: ignore[arg-type]
    else:
        diff(expected, observed, path, marks, out)


def _nested_json(c: Compare, expected: Any, observed: Any, path: str, marks: Marks, out: list[Diff]) -> None:
    if not isinstance(observed, str):
        note = f"{type_name(observed)} where JSON text is expected"
        out.append(Diff(path, "changed", shown(expected), observed, "type", note))
        return
    try:
        value = jsontext.decode(observed.encode("utf-8", "surrogatepass")).value
    except jsontext.BadJson as error:
        out.append(
            Diff(path, "changed", shown(expected), observed, "changed", f"not valid JSON text: {error}")
        )
        return
    then = c.then if c.then is not None else Compare("equals")
    _diff_kinded(Kinded(then, expected), value, path, marks, out)


_NESTED: dict[str, Callable[[Compare, Any, Any, str, Marks, list[Diff]], None]] = {
    "equals": _nested_equals,
    "list": _nested_equals,
    "subset": _nested_subset,
    "json": _nested_json,
}


def accepts(expected: Any, observed: Any, marks: Marks) -> bool | None:
    """Whether ``observed`` meets ``expected``: True, False, or None where it can't be known."""
    out: list[Diff] = []
    diff(expected, observed, "", marks, out)
    if any(d.kind is not None and d.kind != "evidence" for d in out):
        return False
    return None if any(d.state == "unknown" for d in out) else True


def _listed(values: list[Any]) -> str:
    return ", ".join(jsontext.show(shown(v)) for v in values)


def _outcome(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    outcome = _KINDS[c.kind](c, expected, observed, marks)
    if outcome[0] == "same" and expected is not MISSING and plain(expected) and not same(expected, observed):
        return ("forgiven", None, f"accepted by {describe(c)}")
    return outcome


def _changed(expected: Any, observed: Any, why: str | None = None) -> Outcome:
    if expected is MISSING or not plain(expected):
        return ("changed", "changed", why)
    kind, note = explain_difference(expected, observed)
    notes = "; ".join(n for n in (why, note) if n)
    return ("changed", kind, notes or None)


def _one_of(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if not any(same(value, observed) for value in c.values):
        return _changed(expected, observed, "not one of " + _listed(list(c.values)))
    if expected is MISSING or same(expected, observed):
        return _SAME
    return _changed(expected, observed)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)


def matches(pattern: str, text: str, *, full: bool = True) -> bool | None:
    """Whether a contract's pattern matches; None when it was stopped after :data:`PATTERN_SECONDS`."""
    compiled = _compiled(pattern)
    try:
        found = (compiled.fullmatch if full else compiled.search)(text, timeout=PATTERN_SECONDS)
    except TimeoutError:
        return None
    return found is not None


def _regex(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if not isinstance(observed, str):
        return ("changed", "type", f"{type_name(observed)} where text is expected")
    matched = matches(c.pattern, observed)
    if matched is None:
        return ("unknown", "evidence", f"the pattern {c.pattern} was stopped after {PATTERN_SECONDS:g} s")
    return _SAME if matched else ("changed", "changed", f"does not match {c.pattern}")


def _iequals(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if isinstance(expected, str) and isinstance(observed, str) and expected.casefold() == observed.casefold():
        return _SAME
    return _SAME if same(expected, observed) else _changed(expected, observed)


def _contains(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    wanted = expected if isinstance(expected, list) else [expected]
    if isinstance(observed, str):
        lacking = [w for w in wanted if not (isinstance(w, str) and w in observed)]
    elif isinstance(observed, list):
        lacking = [w for w in wanted if not any(same(w, got) for got in observed)]
    else:
        return ("changed", "type", f"{type_name(observed)} where text or a list is expected")
    if not lacking:
        return _SAME
    return ("changed", "changed", "does not contain " + _listed(lacking))


def _number(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if type_name(expected) != "number" or type_name(observed) != "number":
        return _changed(expected, observed)
    left, right = exact(expected), exact(observed)
    if left is None or right is None:
        return _SAME if same(expected, observed) else _changed(expected, observed)
    off = abs(left - right)
    allowed = max(
        exact(c.abs) or Decimal(0) if c.abs is not None else Decimal(0),
        (exact(c.rel) or Decimal(0)) * abs(left) if c.rel is not None else Decimal(0),
    )
    if off <= allowed:
        return _SAME
    return _changed(expected, observed, f"off by {off}, allowed {allowed}")


def _instant(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    left, right = instant(expected), instant(observed)
    if left is None:
        return ("unknown", "evidence", "the expected value is no date and time")
    if right is None:
        return _changed(expected, observed, "no date and time")
    if left.tzinfo is None or right.tzinfo is None:
        if left.tzinfo is None and right.tzinfo is None and expected == observed:
            return _SAME  # the same text denotes the same moment, whatever the zone
        side = "expected" if left.tzinfo is None else "observed"
        return ("unknown", "evidence", f"the {side} time has no zone, so the moment is not known")
    off = abs((left - right).total_seconds())
    if off <= c.tolerance_s:
        return _SAME
    return _changed(expected, observed, f"{off:g} s apart")


def _set(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if not isinstance(expected, list) or not isinstance(observed, list):
        return _changed(expected, observed)
    left, right = {canonical(v): v for v in expected}, {canonical(v): v for v in observed}
    return _items_outcome(
        [v for k, v in left.items() if k not in right], [v for k, v in right.items() if k not in left]
    )


def _bag(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if not isinstance(expected, list) or not isinstance(observed, list):
        return _changed(expected, observed)
    rest = [(canonical(v), v) for v in observed]
    lacking = []
    for value in expected:
        key = canonical(value)
        place = next((i for i, (k, _) in enumerate(rest) if k == key), None)
        if place is None:
            lacking.append(value)
        else:
            del rest[place]
    return _items_outcome(lacking, [v for _, v in rest])


def _items_outcome(lacking: list[Any], surplus: list[Any]) -> Outcome:
    if not lacking and not surplus:
        return _SAME
    parts = []
    if lacking:
        parts.append("lacks " + _listed(lacking))
    if surplus:
        parts.append("has also " + _listed(surplus))
    return ("changed", "changed", "; ".join(parts))


def _present(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    return _SAME  # a missing key was dealt with before


def _absent(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    return _SAME if observed is MISSING else ("unexpected", "unexpected", "must not be there")


def _len(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    if not isinstance(observed, (str, list, dict)):
        return ("changed", "type", f"{type_name(observed)} has no length")
    size = len(observed)
    if (c.min is not None and size < c.min) or (c.max is not None and size > c.max):
        return ("changed", "changed", f"length {size}; {describe(c)}")
    return _SAME


def _schema(c: Compare, expected: Any, observed: Any, marks: Marks) -> Outcome:
    from traceview.evaluate.schema import (
        first_error,
    )  # the library costs start-up time that few contracts need

    state, note = first_error(c.schema or {}, observed)
    if state == "unknown":
        return ("unknown", "evidence", note)
    return _SAME if state == "accept" else ("changed", "changed", note)


def _combined(wanted: Kinded, observed: Any, marks: Marks) -> Outcome:
    c = wanted.compare
    verdicts = [accepts(part, observed, marks) for part in wanted.of]
    if c.kind == "not":
        verdict = None if verdicts[0] is None else not verdicts[0]
    elif c.kind == "all":
        verdict = False if False in verdicts else None if None in verdicts else True
    else:
        verdict = True if True in verdicts else None if None in verdicts else False
    if verdict is None:
        return ("unknown", "evidence", f"{c.kind}: part of it cannot be known")
    if verdict:
        return _SAME
    if observed is MISSING:
        return ("missing", "missing", describe(c))
    return ("changed", "changed", f"does not meet {describe(c)}")


_KINDS: dict[str, Callable[[Compare, Any, Any, Marks], Outcome]] = {
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
}
