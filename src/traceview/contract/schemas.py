"""JSON Schema (draft 2020-12) inside a contract: valid, closed in itself, with patterns that compile.

The library is imported when a contract has a schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from traceview.contract.errors import quoted, unknown
from traceview.contract.table import Place, json_value, pattern, type_name

__all__ = ["schema"]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES = ("$ref", "$dynamicRef")
# Keywords whose value is: one schema; a list of schemas; a table from names to schemas. (JSON Schema 2020-12,
# core 10 and validation 6.) ``definitions`` and ``dependencies`` are those of earlier drafts, still reserved.
_ONE = (
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames",
    "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_TABLE = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_OTHER = (
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "const",
    "contentEncoding", "contentMediaType", "default", "dependentRequired", "deprecated", "description",
    "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "maxContains", "maxItems",
    "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength", "minProperties",
    "minimum", "multipleOf", "pattern", "readOnly", "required", "title", "type", "uniqueItems",
    "writeOnly",
)  # fmt: skip
_KEYWORDS = tuple(sorted((*_ONE, *_LIST, *_TABLE, *_OTHER)))
# Applied to the same value as the schema itself, so that a reference back through them never ends.
_IN_PLACE_ONE = ("not", "if", "then", "else")
_IN_PLACE_LIST = ("allOf", "anyOf", "oneOf")


def schema(value: Any, place: Place) -> dict[str, Any]:
    """A schema that can be applied without reading anything else."""
    if not isinstance(value, dict):
        raise place.error(f"must be a JSON Schema as a table, not {type_name(value)}")
    root: dict[str, Any] = json_value(value, place)
    subschemas = list(_walk(root, place))
    for sub, at in subschemas:
        _keywords(sub, at, place)
    _valid(root, place)
    anchors = {
        name for sub, _ in subschemas for key in ("$anchor", "$dynamicAnchor") if (name := sub.get(key))
    }
    known = {id(sub): sub for sub, _ in subschemas}
    for sub, at in subschemas:
        for key in _REFERENCES:
            if key in sub:
                _reference(root, sub[key], anchors, known, at.key(key))
    for sub, at in subschemas:
        _ends(root, sub, at, subschemas)
    return root


def _walk(sub: Any, place: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    """Every schema that is a table, with its place: the root, then what its keywords hold."""
    if not isinstance(sub, dict):
        return
    yield sub, place
    for key, value in sub.items():
        at = place.key(key)
        if key in _ONE:
            yield from _walk(value, at)
        elif key in _LIST and isinstance(value, list):
            for index, item in enumerate(value, 1):
                yield from _walk(item, at.item(index))
        elif key in _TABLE and isinstance(value, dict):
            for name, item in value.items():
                yield from _walk(item, at.key(name))


def _keywords(sub: dict[str, Any], at: Place, place: Place) -> None:
    for key in sub:
        # JSON Schema lets unknown keywords pass as annotations; a misspelt one would then check nothing.
        if key not in _KEYWORDS and not key.startswith("x-"):
            raise at.key(key).error(unknown("JSON Schema keyword", key, _KEYWORDS, "allowed"))
    if "$schema" in sub and sub["$schema"] not in (DRAFT, DRAFT + "#"):
        raise at.key("$schema").error(f"must be {quoted(DRAFT)}: schemas are read as draft 2020-12")
    if "$id" in sub and at != place:
        raise at.key("$id").error("an $id inside a schema changes what its references mean; leave it out")
    if "pattern" in sub:
        pattern(sub["pattern"], at.key("pattern"))
    named = sub.get("patternProperties")
    if isinstance(named, dict):
        for name in named:
            pattern(name, at.key("patternProperties").key(name))


def _valid(root: dict[str, Any], place: Place) -> None:
    import jsonschema  # here: it takes longer to import than a contract takes to read

    try:
        jsonschema.Draft202012Validator.check_schema(root)
    except jsonschema.SchemaError as error:
        at = place
        for part in error.absolute_path:
            at = at.item(part + 1) if isinstance(part, int) else at.key(part)
        what = error.message.splitlines()[0]
        raise at.error(
            "is not valid JSON Schema: " + (what if len(what) < 200 else what[:200] + "…")
        ) from None
    except RecursionError:
        raise place.error("is nested too deeply") from None


def _reference(root: dict[str, Any], ref: str, anchors: set[str], known: dict[int, Any], at: Place) -> None:
    if not ref.startswith("#"):
        raise at.error(
            f'{quoted(ref)} leaves the schema; only references inside it are followed: "#/$defs/NAME"'
        )
    if ref[1:] and not ref.startswith("#/"):
        if ref[1:] not in anchors:
            raise at.error(unknown("anchor", ref[1:], sorted(anchors), "anchors"))
        return
    target = _resolve(root, ref)
    if not (isinstance(target, bool) or id(target) in known):
        names = [f"#/$defs/{name}" for name in root.get("$defs", {})]
        raise at.error(unknown("reference", ref, names, "definitions"))


def _resolve(root: dict[str, Any], ref: str) -> Any:
    """What a JSON Pointer fragment points to, None if to nothing."""
    from urllib.parse import unquote

    value: Any = root
    for part in ref[1:].split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _ends(
    root: dict[str, Any], start: dict[str, Any], at: Place, all_: list[tuple[dict[str, Any], Place]]
) -> None:
    """Refuse a schema that comes back to itself without going into the value: it would never end."""
    anchors = {sub[key]: sub for sub, _ in all_ for key in ("$anchor", "$dynamicAnchor") if key in sub}
    seen: set[int] = set()
    waiting: list[Any] = [start]
    while waiting:
        sub = waiting.pop()
        if not isinstance(sub, dict):
            continue
        onward = [sub[key] for key in _IN_PLACE_ONE if key in sub]
        onward += [item for key in _IN_PLACE_LIST for item in sub.get(key, ())]
        onward += list(sub.get("dependentSchemas", {}).values())
        for key in _REFERENCES:
            if key in sub:
                ref = sub[key]
                onward.append(_resolve(root, ref) if ref == "#" or ref[1:2] == "/" else anchors.get(ref[1:]))
        for other in onward:
            if other is start:
                raise at.error("refers to itself without going into the value, which never ends")
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
