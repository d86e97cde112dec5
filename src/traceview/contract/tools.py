"""Names of tools: aliases and globs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from traceview.contract.spec import ToolSpec

__all__ = ["canonical", "canonical_glob", "effect", "glob"]


@lru_cache(maxsize=512)
def glob(pattern: str) -> Callable[[str], bool]:
    """Whether a whole name matches: ``*`` and ``?`` alone are wild, and the pattern's own text matches."""
    if not is_glob(pattern):
        return pattern.__eq__
    first, *others = ["".join("." if c == "?" else re.escape(c) for c in part) for part in pattern.split("*")]
    if others:
        # Atomic groups: the leftmost place of each inner part is enough, and nothing is tried twice.
        first += "".join(f"(?>.*?{part})" for part in others[:-1] if part) + ".*" + others[-1]
    matches = re.compile(first, re.DOTALL).fullmatch
    return lambda name: name == pattern or matches(name) is not None


def is_glob(name: str) -> bool:
    return "*" in name or "?" in name


def canonical(tools: Mapping[str, ToolSpec], name: str) -> str:
    """The name that a contract gives a tool: its own, an exact alias, then the first alias that matches.

    The name itself when the contract does not know it.
    """
    if name in tools:
        return name
    for tool in tools.values():
        if name in tool.names:
            return tool.name
    for tool in tools.values():
        if any(glob(alias)(name) for alias in tool.names):
            return tool.name
    return name


def canonical_glob(tools: Mapping[str, ToolSpec], name: str) -> str:
    """The same for a name that may have wildcards: those select among canonical names and stay."""
    return name if is_glob(name) else canonical(tools, name)


def effect(tools: Mapping[str, ToolSpec], name: str) -> str:
    """ "read" or "write" of a canonical name; a tool that the contract does not declare writes."""
    tool = tools.get(name)
    return "write" if tool is None else tool.effect
