"""Cells of the cases file as values: the casts, and JSON in a cell."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from traceview import jsontext
from traceview.contract import instants
from traceview.contract.errors import listed, nearest, quoted
from traceview.contract.table import type_name
from traceview.model import MISSING, Number, number

__all__ = ["CASTS", "Refused", "cast_refusal", "caster", "decode_cell", "json_type", "remembered"]

CASTS = ("text", "int", "float", "bool", "json", "instant", "list:SEP")

_INT = re.compile(r"-?[0-9]+")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INT_DIGITS = 4300  # int() refuses longer text (CPython's guard against quadratic conversion)
_MOST_KEPT = 4096  # decoded texts kept per column: cases of one suite repeat each other


class Refused(ValueError):
    """A cell that its cast refuses; the message is the reason."""


def cast_refusal(cast: str) -> str | None:
    """Why ``cast`` is no cast; None if it is one."""
    if cast in CASTS[:-1] or (cast.startswith("list:") and cast != "list:"):
        return None
    if cast in ("list", "list:"):
        return 'a list names its separator, as in "list:;"'
    near = nearest(cast, CASTS[:-1])
    hint = f"did you mean {quoted(near)}? " if near else ""
    return f"unknown cast {quoted(cast)} ({hint}casts: {listed(CASTS[:-1])}, list:SEP)"


def _int(text: str) -> int | Number:
    if _INT.fullmatch(text) is None:
        raise Refused(f"{_seen(text)} is no whole number")
    if len(text) <= _INT_DIGITS:
        return int(text)
    digits = text.lstrip("-").lstrip("0") or "0"
    return Number(("-" if text[0] == "-" else "") + digits)


def _float(text: str) -> float:
    if _FLOAT.fullmatch(text) is None:
        raise Refused(f"{_seen(text)} is no number as JSON writes it")
    return number(text)


def _bool(text: str) -> bool:
    if text == "true":
        return True
    if text == "false":
        return False
    raise Refused(f"{_seen(text)} is neither true nor false")


def decode_cell(text: str) -> Any:
    """The JSON value of a cell.

    :raises Refused: not JSON, or with a repeated key, of which no one can say which value was meant.
    """
    try:
        value, duplicates = jsontext.decode(text.encode("utf-8", "surrogatepass"))
    except jsontext.BadJson as error:
        raise Refused(f"is not JSON: {error.message}") from None
    if duplicates:
        repeated = duplicates[0]
        values = " and ".join(jsontext.show(v) for v in repeated.values[:3])
        raise Refused(f"repeats the key {quoted(repeated.key)} ({values})")
    return value


def _instant(text: str) -> str:
    why = instants.refusal(text)
    if why is not None:
        raise Refused(f"{_seen(text)} is no instant: {why}")
    return text


def _seen(text: str) -> str:
    return quoted(text if len(text) <= 40 else text[:40] + "…")


def caster(cast: str) -> Callable[[str], Any] | None:
    """The function of a cast; None for ``text``, which changes nothing."""
    if cast.startswith("list:"):
        separator = cast[len("list:") :]
        return lambda text: text.split(separator)
    return {"int": _int, "float": _float, "bool": _bool, "json": decode_cell, "instant": _instant}.get(cast)


def json_type(value: Any) -> str:
    """The type of a JSON value in words."""
    return {"a table": "an object", "NoneType": "null"}.get(type_name(value), type_name(value))


def remembered(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """``read`` with its last results kept: values are shared between cases, and never changed."""
    kept: dict[str, Any] = {}

    def look_up(text: str) -> Any:
        value = kept.get(text, MISSING)
        if value is MISSING:
            value = read(text)
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[text] = value
        return value

    return look_up
