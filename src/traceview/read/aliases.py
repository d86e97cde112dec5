"""Recorded tool names and the names under which a contract knows them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traceview.contract.spec import ToolSpec

__all__ = ["Aliases"]


class Aliases:
    """The canonical name of a tool: a declared name is its own; then exact aliases, then patterns, in the
    order of the contract. In a pattern only ``*`` and ``?`` are wild."""

    def __init__(self, tools: Mapping[str, ToolSpec]) -> None:
        self._known: dict[str, str] = {}
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        for spec in tools.values():
            for alias in spec.names:
                self._known.setdefault(alias, spec.name)
                if "*" in alias or "?" in alias:
                    self._patterns.append((_pattern(alias), spec.name))
        self._known.update((name, name) for name in tools)

    def canonical(self, name: str) -> str:
        """The contract's name for a recorded one, or the name itself."""
        known = self._known.get(name)
        if known is None:
            known = next((tool for pattern, tool in self._patterns if pattern.fullmatch(name)), name)
            self._known[name] = known
        return known


def _pattern(alias: str) -> re.Pattern[str]:
    parts = ({"*": ".*", "?": "."}.get(char) or re.escape(char) for char in alias)
    return re.compile("".join(parts), re.DOTALL)
