"""Writing JSON as it was read, for programs and for readers; and the places in it."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import Any

from traceview.model import MISSING, Number

__all__ = ["dumps", "path_words", "pointer", "show"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def _text(text: str) -> str:
    quoted = encode_basestring(text)
    if quoted.isascii():
        return quoted
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _scalar(value: Any, strict: bool) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, float):
        text = value.text if isinstance(value, Number) else repr(value)
        return text if not strict or _JSON_NUMBER.fullmatch(text) else _text(text)
    if isinstance(value, int):
        return int.__repr__(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _write(value: Any, indent: int | None, level: int, strict: bool) -> str:
    if isinstance(value, dict):
        if not value:
            return "{}"
        parts = [f"{_text(k)}: {_write(v, indent, level + 1, strict)}" for k, v in value.items()]
        ends = "{}"
    elif isinstance(value, list | tuple):
        if not value:
            return "[]"
        parts = [_write(v, indent, level + 1, strict) for v in value]
        ends = "[]"
    else:
        return _scalar(value, strict)
    if indent is None:
        return ends[0] + ", ".join(parts) + ends[1]
    inner = "\n" + " " * (indent * (level + 1))
    return ends[0] + inner + ("," + inner).join(parts) + "\n" + " " * (indent * level) + ends[1]


def dumps(value: Any, indent: int | None = None) -> str:
    """JSON that every strict parser accepts, written as it was read.

    Numbers keep their written digits, keys their order, text its characters; a lone surrogate is escaped
    (``\\udcb2``) and a non-finite number becomes the text that it was written as (``"NaN"``).

    :param indent: blanks a level; None writes one line.
    """
    return _write(value, indent, 0, strict=True)


def show(value: Any) -> str:
    """A value as one line of JSON for a reader: ``NaN`` stands bare, :data:`MISSING` is ``(missing)``."""
    if value.__class__ is str:
        return _text(value)
    if value is MISSING:
        return "(missing)"
    return _write(value, None, 0, strict=False)


# -- places ------------------------------------------------------------------------------------------------


def pointer(key: str) -> str:
    """A key as one part of a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


_PLAIN_KEY = re.compile(r"[^\s.\[\]\"'/\\]+")


def path_words(pointer: str) -> str:
    """A JSON Pointer as a reader writes it: ``/guest/rooms/0/id`` is ``guest.rooms[0].id``.

    A key that would not be clear so stands in brackets and quotes: ``a["b.c"]``; the whole value is "".
    """
    if not pointer:
        return ""
    words = ""
    for raw in pointer[1:].split("/"):
        key = raw.replace("~1", "/").replace("~0", "~")
        if words and key.isdecimal() and key.isascii():
            words += f"[{key}]"
        elif _PLAIN_KEY.fullmatch(key):
            words += f".{key}" if words else key
        else:
            words += f"[{json.dumps(key, ensure_ascii=False)}]"
    return words
