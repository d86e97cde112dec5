"""Patterns of a contract, applied with a time limit: one that backtracks without end is stopped."""

from __future__ import annotations

from functools import lru_cache

import regex

PATTERN_SECONDS = 1.0  # a pattern that needs longer on one text backtracks without end
_MOST_STOPPED = 1000

_stopped: set[tuple[str, str, bool]] = set()  # what ran out of time once is not tried again


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)


def matches(pattern: str, text: str, *, full: bool = True) -> bool | None:
    """Whether a contract's pattern matches; None when it was stopped after :data:`PATTERN_SECONDS`."""
    asked = (pattern, text, full)
    if asked in _stopped:
        return None
    compiled = _compiled(pattern)
    try:
        found = (compiled.fullmatch if full else compiled.search)(text, timeout=PATTERN_SECONDS)
    except TimeoutError:
        if len(_stopped) >= _MOST_STOPPED:
            _stopped.clear()
        _stopped.add(asked)
        return None
    return found is not None


def stopped(pattern: str) -> str:
    """What is said of a pattern that :func:`matches` had to stop."""
    return f"the pattern {pattern} was stopped after {PATTERN_SECONDS:g} s"
