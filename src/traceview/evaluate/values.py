"""When two JSON values are equal, and how to say in which way they are not.

Equal means equal type and value: numbers by value and exactly, at any size (``4`` is ``4.0``); ``true`` is no
number; text by code point; lists in order; objects whatever their order; an absent key is not ``null``.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from traceview.model import MISSING, FindingKind, Number

_FLOAT_EXACT_INT = 2**53  # beyond it the digits of a float's text and its binary value can differ


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal in type and value."""
    kind = type(a)
    if kind is type(b):
        if kind is dict:
            if len(a) != len(b):
                return False
            for key, value in a.items():
                other = b.get(key, MISSING)
                if other is MISSING or not same(value, other):
                    return False
            return True
        if kind is list:
            return len(a) == len(b) and all(map(same, a, b))
        if kind is Number:
            return _same_number(a, b)
        return bool(a == b)
    if kind is bool or type(b) is bool:
        return False
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _same_number(a, b)
    return False


def exact(value: float) -> Decimal | None:
    """The number as it is written, exactly; None for what is not finite."""
    if isinstance(value, Number):
        return value.exact
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _same_number(a: float, b: float) -> bool:
    if not isinstance(a, Number) and not isinstance(b, Number) and abs(a) < _FLOAT_EXACT_INT:
        return a == b
    left, right = exact(a), exact(b)
    if left is None or right is None:
        return isinstance(a, Number) and isinstance(b, Number) and a.text == b.text
    return left == right


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
    if isinstance(value, dict):
        return ("o", frozenset((k, canonical(v)) for k, v in value.items()))
    if isinstance(value, list):
        return ("l", tuple(map(canonical, value)))
    if isinstance(value, bool) or value is None or value is MISSING:
        return ("c", str(value))
    if isinstance(value, (int, float)):
        number = exact(value)
        return ("n", number if number is not None else f"text {value!r}")
    return ("t", value)


def instant(text: Any) -> datetime | None:
    """The moment an ISO 8601 / RFC 3339 text with date and time denotes; None if it is no such text.

    A result without ``tzinfo`` is a time without a zone, which denotes no moment.
    """
    if not isinstance(text, str) or len(text) < 11 or text[4:5] != "-" or text[10] not in "Tt ":
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


_SPACES = str.maketrans(
    dict.fromkeys(
        "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
)


def explain_difference(expected: Any, observed: Any) -> tuple[FindingKind, str | None]:
    """How two differing values differ: the kind of the finding, and a note where they look alike.

    The note names the cast or kind of the contract that would forgive the difference.
    """
    left, right = type_name(expected), type_name(observed)
    if left != right:
        note = f"{right} for {left}"
        if {left, right} == {"text", "number"} and _looks(expected) == _looks(observed):
            return "type", note + "; same digits, other type (a cast of the column decides which is expected)"
        if "boolean" in (left, right) and _looks(expected).lower() == _looks(observed).lower():
            return "type", note + "; same word, other type"
        return "type", note
    if left == "text":
        if unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", observed):
            return "text_form", "differs only in Unicode form (composed against decomposed)"
        if expected.translate(_SPACES) == observed.translate(_SPACES):
            return "text_form", "differs only in the kind of space (no-break space)"
        if unicodedata.normalize("NFKC", expected) == unicodedata.normalize("NFKC", observed):
            return "text_form", "differs only in Unicode compatibility form"
        a, b = instant(expected), instant(observed)
        if a is not None and b is not None and a.tzinfo and b.tzinfo and a == b:
            return "changed", 'same instant, written differently (kind "instant" would accept it)'
        if expected.strip() == observed.strip():
            return "changed", "differs only in spaces at the ends"
        if expected.casefold() == observed.casefold():
            return "changed", 'differs only in upper and lower case (kind "iequals" would accept it)'
    elif left == "number":
        a_, b_ = exact(expected), exact(observed)
        if a_ is not None and b_ is not None and a_ != 0 and abs(a_ - b_) <= abs(a_) * Decimal("1e-12"):
            return (
                "changed",
                'differs only in the last digits (kind "number" with abs or rel would accept it)',
            )
    elif left == "list" and len(expected) == len(observed) and same_items(expected, observed):
        return "order", 'same items in another order (kind "bag" or "set" would accept it)'
    return "changed", None


def _looks(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    return str(value)


def same_items(a: list[Any], b: list[Any]) -> bool:
    """Whether two lists hold the same items, counted, in any order."""
    return Counter(map(canonical, a)) == Counter(map(canonical, b))


def pointer(*keys: str | int) -> str:
    """A JSON Pointer (RFC 6901) from keys."""
    return "".join("/" + str(k).replace("~", "~0").replace("/", "~1") for k in keys)


def at_path(value: Any, path: tuple[str, ...], decode: Any = None) -> Any:
    """The value at a dotted path, MISSING where it leaves the data; ``decode`` turns text that is JSON into a
    value when the path goes on inside it (results are often recorded as text)."""
    for key in path:
        if isinstance(value, str) and decode is not None:
            value = decode(value)
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return value


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar (and empty container) of a value with its pointer, in the order it is written."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, path + pointer(key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, path + pointer(index))
    else:
        yield path, value
