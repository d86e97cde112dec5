"""Ids and the order in which people read them."""

from __future__ import annotations

import re
from typing import Any

from traceview.model import Number

__all__ = ["id_text", "natural"]

_DIGITS = re.compile(r"([0-9]+)")


def id_text(value: Any) -> str | None:
    """An id as text, exactly as written; None for what can be no id (absent, null, empty, an object)."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return repr(value)
    return None


def natural(text: str | None) -> tuple[Any, ...]:
    """A sort key by which ``t2`` comes before ``t10``, and None first; total, so that order never depends on
    arrival."""
    if text is None:
        return ()
    parts: list[Any] = _DIGITS.split(text)
    parts[1::2] = [(len(digits := part.lstrip("0")), digits) for part in parts[1::2]]
    return (tuple(parts), text)
