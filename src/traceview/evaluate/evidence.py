"""Evidence that was taken away: redacted values, text that was cut off, and ways that lead through them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from traceview import jsontext
from traceview.contract.spec import Evidence
from traceview.evaluate.patterns import matches, stopped
from traceview.model import MISSING


class Marks(Struct, frozen=True, gc=False):
    """What counts as taken away: ``[evidence] redacted`` and ``cut``. ``active``: there is such a rule."""

    redacted: frozenset[str] = frozenset()
    cut: tuple[str, ...] = ()
    active: bool = False

    def why(self, value: Any) -> str | None:
        """Why a recorded value itself is no evidence, or None if it is."""
        if not self.active or not isinstance(value, str):
            return None
        if value in self.redacted:
            return f"redacted ({value})"
        for pattern in self.cut:
            found = matches(pattern, value, full=False)
            if found is None:
                return f"perhaps cut off: {stopped(pattern)}"
            if found:
                return "cut off when it was recorded"
        return None

    def within(self, value: Any) -> str | None:
        """Why something at any depth of a recorded value is no evidence, or None if all of it is."""
        if not self.active:
            return None
        if isinstance(value, str):
            return self.why(value)
        waiting = [value]
        for item in waiting:  # grows while it is walked
            if isinstance(item, dict):
                waiting.extend(item.values())
            elif isinstance(item, list):
                waiting.extend(item)
            else:
                why = self.why(item)
                if why is not None:
                    return why
        return None


NO_MARKS = Marks()


def marks_of(evidence: Evidence) -> Marks:
    """The marks of a contract."""
    redacted = frozenset(evidence.redacted)
    return Marks(redacted, evidence.cut, bool(redacted or evidence.cut))


def held_by(text: str) -> Any:
    """The object or list that a text holds as JSON, else :data:`MISSING` (results are often recorded so)."""
    if text.lstrip()[:1] not in ("{", "["):
        return MISSING
    try:
        return jsontext.decode_text(text).value
    except jsontext.BadJson:
        return MISSING


_INDEX_DIGITS = 9


def reach(value: Any, path: tuple[str, ...], marks: Marks = NO_MARKS) -> tuple[Any, str | None]:
    """The value at a path, and why it is no evidence (None if it is).

    The value is :data:`MISSING` where the path leaves the data. Text on the way is read as the JSON that it
    holds. What was redacted or cut off on the way hides what would have been behind it.
    """
    for place, key in enumerate(path):
        if isinstance(value, str):
            why = marks.why(value)
            if why is not None:
                return MISSING, f"{'.'.join(path[:place])} is {why}"
            value = held_by(value)
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and len(key) <= _INDEX_DIGITS:
            value = value[int(key)] if int(key) < len(value) else MISSING
        else:
            return MISSING, None
    return value, marks.why(value)
