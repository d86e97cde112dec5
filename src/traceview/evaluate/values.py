"""When two JSON values are equal.

Equal means equal type and value: numbers by value and exactly, at any size (``4`` is ``4.0``); ``true`` is no
number; text by code point; lists in order; objects whatever their order; an absent key is not ``null``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from traceview.evaluate.arithmetic import exact, same_number
from traceview.model import MISSING, Number


def _digits(number: Any) -> str:
    """Of a number that keeps its text, that text; of nothing else."""
    if number.__class__ is not Number:
        raise TypeError
    return str(number.text)


_written = msgspec.json.Encoder(enc_hook=_digits).encode


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal in type and value."""
    kind = a.__class__
    # Most that are compared are equal. Two that Python takes for equal (as it does 1, 1.0 and true) and that
    # are written alike are so, and both are quicker than going through them here.
    if (kind is dict or kind is list) and kind is b.__class__ and a == b:
        try:
            if _written(a) == _written(b):
                return True
        except (TypeError, ValueError, OverflowError):
            pass  # a lone surrogate, or nothing that JSON has
    return _same(a, b)


def _same(a: Any, b: Any) -> bool:
    kind = a.__class__
    if kind is b.__class__:
        if kind is dict:
            if len(a) != len(b):
                return False
            for key, value in a.items():
                other = b.get(key, MISSING)
                kind = value.__class__
                if kind is other.__class__ and (kind is str or kind is int):
                    if value != other:
                        return False
                elif other is MISSING or not _same(value, other):
                    return False
            return True
        if kind is list:
            return len(a) == len(b) and all(map(_same, a, b))
        if kind is Number:
            return same_number(a, b)
        return bool(a == b)
    if kind is bool or b.__class__ is bool:
        return False
    return isinstance(a, (int, float)) and isinstance(b, (int, float)) and same_number(a, b)


def type_name(value: Any) -> str:
    """The JSON type of a value, as a reader calls it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object"


def canonical(value: Any) -> Any:
    """A hashable stand-in such that two values are :func:`same` exactly if their stand-ins are equal."""
    kind = value.__class__
    if kind is str:
        return value
    if kind is dict:
        return ("o", frozenset([(k, canonical(v)) for k, v in value.items()]))
    if kind is list:
        return ("l", *[canonical(v) for v in value])
    if kind is bool or value is None or value is MISSING:
        return ("c", str(value))
    number = exact(value)
    return ("n", number if number is not None else f"text {value!r}")


@lru_cache(10_000)
def _part(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def pointer(*keys: str | int) -> str:
    """A JSON Pointer (RFC 6901) from keys."""
    if len(keys) == 1 and keys[0].__class__ is str:
        return _part(keys[0])  # most of them, and the same ones again and again
    return "".join(["/" + str(k).replace("~", "~0").replace("/", "~1") for k in keys])
