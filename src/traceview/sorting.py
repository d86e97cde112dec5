"""One total order for whatever a column holds: numbers, text, truth values, structures, nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeVar

from traceview.model import MISSING, Number

__all__ = ["sort_key", "sorted_by"]

T = TypeVar("T")

Key = tuple[int, Any, str]

_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?")
_DIGITS: Final = re.compile(r"([0-9]+)")
_NUMBERS, _TEXT, _STRUCTURES, _GAP = range(4)


def sort_key(value: Any) -> Key | None:
    """A key that compares with the key of any other value; None for a gap (nothing, null, empty text).

    Numbers, also those written as text in a CSV cell, come first, by value and exactly; then text in natural
    order ("run 9" before "run 10"), without regard to case; then lists and objects by their text. Two texts
    that the order takes for equal ("A" and "a") are ordered by code point.
    """
    if value is None or value is MISSING or value == "":
        return None
    if isinstance(value, str):
        return _text_key(value)
    if isinstance(value, bool):
        return _text_key("true" if value else "false")
    if isinstance(value, Number):
        return _text_key(value.text) if value.exact is None else (_NUMBERS, value.exact, value.text)
    if isinstance(value, int | float):
        return (_NUMBERS, value, "") if value == value else _text_key("NaN")
    return (_STRUCTURES, (), repr(value))


@lru_cache(maxsize=65536)
def _text_key(text: str) -> Key:
    if _NUMBER.fullmatch(text):
        return (_NUMBERS, Decimal(text), text)
    # Every second part is digits: positions alternate in the same way in every key, so that parts compare.
    # Digits compare by length and then as text, which is by value without making an int of ten thousand of them.
    parts = [
        (len(digits := part.lstrip("0")), digits) if index % 2 else part
        for index, part in enumerate(_DIGITS.split(text.casefold()))
    ]
    return (_TEXT, tuple(parts), text)


def sorted_by(items: Iterable[T], value: Callable[[T], Any], *, descending: bool = False) -> list[T]:
    """``items`` by the value that each has; equals keep their order, gaps stand last both ways."""
    keyed = [(sort_key(value(item)), item) for item in items]
    present = [(key, item) for key, item in keyed if key is not None]
    present.sort(key=lambda pair: pair[0], reverse=descending)
    return [item for _, item in present] + [item for key, item in keyed if key is None]
