"""Values as the page shows them: on one line, and in full where that line does not hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from traceview.jsontext import dumps, show
from traceview.model import MISSING
from traceview.sanitize import visible, visible_lines

__all__ = ["Shown", "line", "members", "pair", "value"]

Shown: TypeAlias = str | dict[str, Any] | None
"""A value: None where there is none; a text that is all of it; or ``short``, one line of it, and ``full``, in
lines, with ``left``, the number of characters that are missing at its end."""

_SHORT: Final = 120  # characters of a value on its line
_BEFORE: Final = 40  # of these before the first difference of two long values
_FULL: Final = 10_000  # characters of a value at most
_LINE: Final = 600  # characters of a sentence that may hold a value


def line(text: str, limit: int = _LINE) -> str:
    """A text on one line, every character visible; ``…`` where it is cut."""
    return visible(text) if len(text) <= limit else f"{visible(text[:limit])}…"


def value(of: Any) -> Shown:
    """A value as JSON, as it was read."""
    if of is MISSING:
        return None
    text = visible(show(of))
    return text if len(text) <= _SHORT else _long(of, f"{text[:_SHORT]}…")


def pair(expected: Any, observed: Any) -> tuple[Shown, Shown]:
    """Two values side by side; of long ones the stretch where they differ first."""
    if expected is MISSING or observed is MISSING:
        return value(expected), value(observed)
    left, right = visible(show(expected)), visible(show(observed))
    if len(left) <= _SHORT and len(right) <= _SHORT:
        return left, right
    start = max(0, _first_difference(left, right) - _BEFORE)
    return _stretch(expected, left, start), _stretch(observed, right, start)


def members(fields: Mapping[str, Any]) -> list[tuple[str, Shown]]:
    """The members of a recorded object."""
    return [(line(name), value(of)) for name, of in fields.items()]


def _stretch(of: Any, text: str, start: int) -> Shown:
    if len(text) <= _SHORT and not start:
        return text
    before, after = "…" if start else "", "…" if start + _SHORT < len(text) else ""
    return _long(of, before + text[start : start + _SHORT] + after)


def _long(of: Any, short: str) -> dict[str, Any]:
    text = of if isinstance(of, str) else dumps(of, indent=2)
    return {
        "short": short,
        "full": "\n".join(visible_lines(text[:_FULL])),
        "left": max(0, len(text) - _FULL),
    }


def _first_difference(left: str, right: str) -> int:
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return at
    return min(len(left), len(right))
