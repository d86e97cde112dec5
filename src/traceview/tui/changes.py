"""What became of a run since the baseline, in words and signs (:mod:`traceview.compare`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from traceview.sanitize import visible
from traceview.tui.signs import Signs

if TYPE_CHECKING:
    from traceview.compare import Transition

__all__ = ["WIDTH", "change_cell", "change_line", "change_totals"]

WIDTH: Final = 18  # cells of the longest cell: two signs, an arrow, and "changed reason"
_WORDS: Final = {"reason": "changed reason", "not_compared": "not compared"}
_INKS: Final = {"worse": "fail", "vanished": "fail", "better": "pass", "reason": "unknown", "new": "unknown"}


def _word(kind: str) -> str:
    return _WORDS.get(kind, kind)


def change_cell(transition: Transition | None, signs: Signs) -> tuple[str, str]:
    """For the case list, and its ink: ``✓→✗ worse``."""
    if transition is None:
        return "", "quiet"
    old, new = transition.verdicts
    arrow = ">" if signs.newline.isascii() else "→"
    words = f"{signs.of_check(old)}{arrow}{signs.of_check(new)} {_word(transition.kind)}"
    return words, _INKS.get(transition.kind, "quiet")


def change_line(transition: Transition) -> tuple[str, str, str]:
    """For the head of the opened run: (name, words, ink)."""
    old, new = transition.diagnoses
    words = f"{_word(transition.kind)}: {old} before, {new} now" if old != new else _word(transition.kind)
    changed = ", ".join(f"{name} {a} before, {b} now" for name, (a, b) in transition.checks.items())
    ink = "fail" if transition.got_worse else "unknown" if transition.kind in ("reason", "new") else ""
    return "since the baseline", visible(f"{words}; {changed}" if changed else words), ink


def change_totals(found: Iterable[Transition]) -> tuple[str, bool]:
    """How many runs of each kind there are, in words, and whether some got worse."""
    kinds = Counter(_word(transition.kind) for transition in found)
    order = ("worse", "vanished", "better", "changed reason", "same", "new", "not compared")
    words = ", ".join(f"{kinds[kind]:,} {kind}" for kind in order if kinds[kind])
    return words or "nothing to compare", bool(kinds["worse"] or kinds["vanished"])
