"""Expected calls that a cell carries: the items of ``[[steps_from]]``."""

from __future__ import annotations

from typing import Any

from traceview.contract.cells import Refused, json_type
from traceview.contract.errors import listed, quoted

__all__ = ["actions_of"]

_TOOL = ("tool", "name")
_ARGS = ("args", "arguments", "kwargs")
_COMPARE = ("compare", "compare_args")
_ACTOR = ("requestor", "actor")


def actions_of(value: Any) -> list[dict[str, Any]]:
    """A list of expected calls, as it is.

    An item is ``{tool|name, args|arguments|kwargs, id?, after?, compare|compare_args?, status?}``; keys that
    belong to the format it comes from are left alone.

    :raises Refused: the value is no such list; the message says which item, and why.
    """
    if not isinstance(value, list):
        raise Refused(f"must be a list of expected calls, not {json_type(value)}")
    ids: set[str] = set()
    for number, item in enumerate(value, 1):
        why = _item(item)
        if why is None and item.get("id") is not None and item["id"] in ids:
            why = f"another item has the id {quoted(item['id'])}"
        if why is not None:
            raise Refused(f"item {number}: {why}")
        if item.get("id") is not None:
            ids.add(item["id"])
    _after(value, ids)
    return value


def _item(item: Any) -> str | None:
    if not isinstance(item, dict):
        return f"must be an object, not {json_type(item)}"
    for names in (_TOOL, _ARGS, _COMPARE, _ACTOR):
        given = [name for name in names if item.get(name) is not None]
        if len(given) > 1:
            return f"has both {given[0]} and {given[1]}"
    tool = item.get("tool", item.get("name"))
    if not isinstance(tool, str) or not tool:
        return f"needs a tool name in tool or name, not {json_type(tool)}"
    args = next((item[name] for name in _ARGS if item.get(name) is not None), None)
    if args is not None and not isinstance(args, dict):
        return f"the arguments must be an object, not {json_type(args)}"
    for keys, what in (
        ("id status requestor actor", "text"),
        ("after compare compare_args", "a list of texts"),
    ):
        for name in keys.split():
            entry = item.get(name)
            if entry is None or (what == "text" and isinstance(entry, str)):
                continue
            if what != "text" and isinstance(entry, list) and all(isinstance(e, str) for e in entry):
                continue
            return f"{name} must be {what}, not {json_type(entry)}"
    return None


def _after(items: list[dict[str, Any]], ids: set[str]) -> None:
    left = {item["id"]: set(item.get("after") or ()) & ids for item in items if item.get("id") is not None}
    while left:
        free = [id_ for id_, before in left.items() if not before & left.keys()]
        if not free:
            raise Refused(f"after is cyclic among {listed(sorted(left))}")
        for id_ in free:
            del left[id_]
