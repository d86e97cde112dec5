"""Which calls a rule speaks of: tool globs, effects, statuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from traceview.contract.spec import ToolSpec


@lru_cache(maxsize=4096)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(
        "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern), re.DOTALL
    )


def tool_matches(pattern: str, tool: str) -> bool:
    """Whether a tool is meant by a pattern: ``*`` and ``?`` alone are wild, and an exact name always matches."""
    if pattern == tool or pattern == "*":
        return True
    return ("*" in pattern or "?" in pattern) and _glob(pattern).fullmatch(tool) is not None


def effect_of(tools: Mapping[str, ToolSpec], tool: str) -> str:
    """ "read" or "write"; a tool that no one declared is taken to write."""
    spec = tools.get(tool)
    return spec.effect if spec is not None else "write"


def selected(tools: Mapping[str, ToolSpec], tool: str, pattern: str | None, effect: str | None) -> bool:
    """Whether a call of ``tool`` is one that ``tool = pattern`` and ``effect`` select."""
    if pattern is not None and not tool_matches(pattern, tool):
        return False
    return effect is None or effect_of(tools, tool) == effect
