"""Expected values and comparisons: ``30``, ``"{column}"``, ``{ kind = "number", value = 41.5, abs = 0.01 }``.

A table with the key ``kind`` is a comparison, any other table is an object whose leaves may be templates or
comparisons again. Where an object really has a key ``kind``, ``{ kind = "equals", value = {...} }`` says so:
inside the value of ``equals`` every key is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from traceview.contract import instants
from traceview.contract.errors import nearest, quoted, unknown
from traceview.contract.schemas import schema
from traceview.contract.spec import EQUALS, Compare, Expected, ListOf, ObjectOf, Value
from traceview.contract.table import Place, Table, items, json_value, pattern, type_name
from traceview.contract.template import literal, parse_text

__all__ = ["KINDS", "comparison", "expected", "fixed", "tool_comparison"]

# kind -> the keys it takes besides ``kind`` and ``value``
KINDS: Mapping[str, tuple[str, ...]] = {
    "equals": (),
    "ignore": (),
    "one_of": ("values",),
    "regex": ("pattern",),
    "iequals": (),
    "contains": (),
    "number": ("abs", "rel"),
    "instant": ("tolerance_s",),
    "set": (),
    "bag": (),
    "list": (),
    "subset": (),
    "json": ("then",),
    "present": (),
    "absent": (),
    "len": ("min", "max"),
    "schema": ("schema",),
    "not": ("of",),
    "all": ("of",),
    "any": ("of",),
}
_COMBINED = ("not", "all", "any")
_WITHOUT_VALUE = ("ignore", "regex", "present", "absent", "len", "schema")
_NEED_VALUE = ("equals", "iequals", "contains", "number", "instant", "set", "bag", "list", "subset")
_TYPES: Mapping[str, tuple[str, ...]] = {
    "iequals": ("text",),
    "number": ("an integer", "a number"),
    "instant": ("text",),
    "set": ("a list",),
    "bag": ("a list",),
    "list": ("a list",),
    "subset": ("a table", "a list"),
}

# What a table with ``kind`` is inside a value: a comparison, data like any other, or refused.
Inside = Literal["comparison", "data", "refused"]
_INSIDE: Mapping[str, Inside] = {"equals": "data", "list": "comparison", "subset": "comparison"}
# Where a comparison stands: with its own value ("place"), inside one that may give it a value ("inner"), or
# in a tool's ``args``, where the value comes from the step ("tool").
Where = Literal["place", "inner", "tool"]


def expected(value: Any, place: Place, inside: Inside = "comparison") -> Expected:
    """An expected value as it is written in place."""
    json_value(value, place)
    return _expected(value, place, inside)


def _expected(value: Any, place: Place, inside: Inside) -> Expected:
    if isinstance(value, str):
        return parse_text(value, place)
    if isinstance(value, list):
        found = [_expected(item, place.item(i), inside) for i, item in enumerate(value, 1)]
        plain = [item.value for item in found if isinstance(item, Value)]
        return Value(plain) if len(plain) == len(found) else ListOf(tuple(found))
    if not isinstance(value, dict):
        return Value(value)
    if "kind" in value and inside != "data":
        compare = comparison(value, place)
        if inside == "comparison":
            return compare
        if compare.kind == "equals" and compare.value is not None:
            return compare.value
        raise place.error(
            f"the kind {quoted(compare.kind)} cannot stand inside this value; for an object with a key "
            '"kind" write { kind = "equals", value = {...} }'
        )
    if inside != "data":
        refuse_lost_kind(value, place)
    pairs = [(key, _expected(item, place.key(key), inside)) for key, item in value.items()]
    fixed_pairs = {key: item.value for key, item in pairs if isinstance(item, Value)}
    return Value(fixed_pairs) if len(fixed_pairs) == len(pairs) else ObjectOf(tuple(pairs))


def refuse_lost_kind(value: dict[str, Any], place: Place) -> None:
    """Refuse a table that is a comparison but for the name of its key ``kind``.

    Such a table would otherwise be taken for an ordinary object, and a slip of the pen for an expectation.
    """
    for key, word in value.items():
        if isinstance(word, str) and word in KINDS and (len(value) > 1 or nearest(key, ["kind"])):
            own = ("value", *KINDS[word])
            if all(other in own for other in value if other != key):
                raise place.key(key).error(
                    f"looks like a comparison: did you mean kind = {quoted(word)}? For an object with these "
                    'keys write { kind = "equals", value = {...} }'
                )


def fixed(value: Any, place: Place) -> Any:
    """A value in which nothing is filled in: ``when``, ``one_of`` and layers compare with such values."""
    json_value(value, place)
    return _fixed(value, place)


def _fixed(value: Any, place: Place) -> Any:
    if isinstance(value, str):
        return literal(value, place)
    if isinstance(value, list):
        return [_fixed(item, place.item(i)) for i, item in enumerate(value, 1)]
    if isinstance(value, dict):
        return {key: _fixed(item, place.key(key)) for key, item in value.items()}
    return value


def tool_comparison(value: Any, place: Place) -> Compare:
    """How a tool's argument is compared: a kind by its name, or a table with ``kind``."""
    return _named(value, place, "tool")


def comparison(value: Any, place: Place) -> Compare:
    """A comparison with its own expected value."""
    return _comparison(Table(value, place), "place")


def _named(value: Any, place: Place, where: Where) -> Compare:
    if isinstance(value, str):
        return _comparison(Table({"kind": value}, place), where)
    if not isinstance(value, dict):
        raise place.error(f'must be a kind in quotes or a table {{ kind = "…" }}, not {type_name(value)}')
    return _comparison(Table(value, place), where)


def _comparison(table: Table, where: Where) -> Compare:
    kind = table.need("kind")
    if not isinstance(kind, str):
        raise table.error("kind", f"must be text, not {type_name(kind)}")
    if kind not in KINDS:
        near = unknown("kind", kind, KINDS, "kinds")
        raise table.error(
            "kind", near + '; for an object with a key "kind" write { kind = "equals", value = {...} }'
        )
    takes_value = kind not in _WITHOUT_VALUE and where != "tool"
    if "value" in table and where == "tool" and kind not in _WITHOUT_VALUE:
        raise table.error("value", "has no place here: the expected value of an argument stands in its step")
    table.only("kind", *KINDS[kind], *(("value",) if takes_value else ()))
    value = _value(kind, table, where)
    settings = _SETTINGS.get(kind)
    compare = Compare(kind, value=value, **(settings(table, where, value is not None) if settings else {}))
    if (
        kind == "json"
        and compare.value is None
        and compare.then is not None
        and compare.then.value is not None
    ):
        # One place for the expected value, whichever of the two tables it was written in.
        return Compare("json", value=compare.then.value, then=_without_value(compare.then))
    return compare


def _without_value(c: Compare) -> Compare:
    return Compare(
        c.kind, None, c.values, c.pattern, c.abs, c.rel, c.tolerance_s, c.min, c.max, c.schema, c.then, c.of
    )


def _value(kind: str, table: Table, where: Where) -> Expected | None:
    if "value" not in table:
        if kind in _NEED_VALUE and where == "place":
            raise table.place.error(f'the kind {quoted(kind)} needs the key "value"')
        return None
    inside = _INSIDE.get(kind, "refused")
    if kind == "json":
        inside = _INSIDE.get(_kind_of(table.data.get("then", "equals")), "refused")
    value = expected(table.data["value"], table.at("value"), inside)
    written = type_name(table.data["value"])
    is_template = written == "text" and not isinstance(value, Value)
    allowed = _TYPES.get(kind)
    if allowed is not None and written not in allowed and not is_template:
        raise table.error(
            "value", f"the kind {quoted(kind)} compares with {' or '.join(allowed)}, not {written}"
        )
    if kind == "instant" and isinstance(value, Value):
        why = instants.refusal(value.value)
        if why is not None:
            raise table.error("value", f"{quoted(value.value)} is no instant: {why}")
    return value


def _kind_of(then: Any) -> str:
    kind = then.get("kind") if isinstance(then, dict) else then
    return kind if isinstance(kind, str) else ""


# -- the keys that belong to single kinds ------------------------------------------------------------------


def _one_of(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    table.need("values")
    values = tuple(fixed(v, p) for p, v in items(table.data["values"], table.at("values"), "values"))
    if not values:
        raise table.error("values", "must hold at least one value")
    return {"values": values}


def _regex(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    return {"pattern": pattern(table.need("pattern"), table.at("pattern"))}


def _number(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    return {"abs": table.amount("abs"), "rel": table.amount("rel")}


def _instant(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    tolerance = table.amount("tolerance_s")
    return {} if tolerance is None else {"tolerance_s": tolerance}


def _json(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    if "then" not in table:
        if where == "place" and not has_value:
            raise table.place.error(
                'the kind "json" needs the key "value" (or "then" with a kind that needs none)'
            )
        return {"then": EQUALS}
    inner: Where = "tool" if where == "tool" else "inner" if has_value or where == "inner" else "place"
    then = _named(table.data["then"], table.at("then"), inner)
    if has_value and then.value is not None:
        raise table.error("then", 'the value stands twice: in "value" and in "then"')
    return {"then": then}


def _len(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    low, high = table.count("min"), table.count("max")
    if low is None and high is None:
        raise table.place.error('the kind "len" needs "min" or "max"')
    if low is not None and high is not None and low > high:
        raise table.error("min", f"{low} is more than max = {high}")
    return {"min": low, "max": high}


def _schema(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    return {"schema": schema(table.need("schema"), table.at("schema"))}


def _of(table: Table, where: Where, has_value: bool) -> dict[str, Any]:
    inner: Where = "inner" if where == "place" and has_value else where
    value, at = table.need("of"), table.at("of")
    if table.data["kind"] == "not":
        return {"of": (_named(value, at, inner),)}
    parts = tuple(_named(part, place, inner) for place, part in items(value, at, "kinds"))
    if not parts:
        raise table.error("of", "must hold at least one kind")
    return {"of": parts}


_SETTINGS = {
    "one_of": _one_of,
    "regex": _regex,
    "number": _number,
    "instant": _instant,
    "json": _json,
    "len": _len,
    "schema": _schema,
    "not": _of,
    "all": _of,
    "any": _of,
}
