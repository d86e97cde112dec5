"""How a mark looks in the case list: its letter, or the word where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from traceview.tui.signs import Signs

if TYPE_CHECKING:
    from traceview.triage import Mark

LETTERS: Final = {"open": "o", "confirmed": "c", "expectation wrong": "x", "environment": "e", "ignore": "i"}
"""The letter of each mark, in the menu and in the list."""

_WORDS: Final = 19  # cells of a mark in full, and of the sign after it
_ROOMY: Final = 90  # cells of the list from which marks are said in full


def mark_width(width: int) -> int:
    """Cells of the column in a list of that width."""
    return _WORDS if width >= _ROOMY else 2


def mark_cell(found: Mark | None, width: int, signs: Signs) -> tuple[str, str]:
    """Text and ink; a sign after it tells that the run has changed since. A note alone is ``"``."""
    if found is None:
        return "", "quiet"
    if found.mark is None:
        return ("note" if width >= _WORDS else '"'), "quiet"
    text = found.mark if width >= _WORDS else LETTERS[found.mark]
    if not found.same:
        return text + signs.disagrees, "unknown"
    return text, "quiet" if found.mark in ("open", "ignore") else "strong"
