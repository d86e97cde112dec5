"""Values in messages: cut to what a reader can take in, and two long ones at the place where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from traceview import jsontext

_SHOWN = 160  # characters of a value that a message holds
_BEFORE = 40  # characters before the first difference
_BRACKETS = frozenset('.[]"')  # characters of keys that would be taken for the way to them
_TOLD = 12  # tools of a sequence that a message names


def show(value: Any) -> str:
    """A value as JSON, cut with its length when it is long."""
    text = jsontext.show(value)
    return text if len(text) <= _SHOWN else _window(text, 0)


def show_both(expected: Any, observed: Any) -> tuple[str, str]:
    """Two differing values as JSON; where they are too long, the stretch in which they first differ."""
    left, right = jsontext.show(expected), jsontext.show(observed)
    if len(left) <= _SHOWN and len(right) <= _SHOWN:
        return left, right
    start = max(0, _common(left, right) - _BEFORE)
    return _window(left, start), _window(right, start)


def _window(text: str, start: int) -> str:
    if len(text) <= _SHOWN:
        return text
    end = start + _SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "") + _size(text)


def _size(text: str) -> str:
    return f" ({len(text)} characters)"


def _common(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=4096)
def dotted(path: str) -> str:
    """A JSON Pointer as a person writes it: ``/flights/0/price`` → ``.flights[0].price``."""
    out = []
    for key in path.split("/")[1:]:
        if "~" in key:
            key = key.replace("~1", "/").replace("~0", "~")
        if key.isdigit() and key.isascii():
            out.append(f"[{key}]")
        elif key.isprintable() and key and _BRACKETS.isdisjoint(key):
            out.append(f".{key}")
        else:
            out.append(f"[{jsontext.show(key)}]")
    return "".join(out)


def told(tools: Sequence[str]) -> str:
    """A sequence of tools in words, cut with its length when it is long."""
    return _told(tuple(tools[: _TOLD + 1]), len(tools))


@lru_cache(maxsize=1024)
def _told(tools: tuple[str, ...], size: int) -> str:
    if not tools:
        return "no call"
    if size <= _TOLD:
        return ", ".join(tools)
    return ", ".join(tools[:_TOLD]) + f", … ({size} calls)"


def times(n: int) -> str:
    """How often something was called."""
    return "not called" if n == 0 else "called once" if n == 1 else f"called {n} times"
