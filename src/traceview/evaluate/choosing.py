"""Which calls a rule speaks of: tool globs and effects."""

from __future__ import annotations

from collections.abc import Mapping

from traceview.contract.spec import ToolSpec
from traceview.contract.tools import effect, glob

_REMEMBERED = 10_000  # tool names


class Chooser:
    """Whether a call of a tool is one that ``tool = pattern`` and ``effect`` select; answers are remembered.

    :param literal: the pattern is the name of a tool, whatever characters it has.
    """

    __slots__ = ("_effect", "_known", "_matches", "_tools")

    def __init__(
        self,
        tools: Mapping[str, ToolSpec],
        pattern: str | None,
        wanted: str | None = None,
        *,
        literal: bool = False,
    ) -> None:
        self._tools = tools
        self._matches = pattern.__eq__ if literal and pattern is not None else glob(pattern or "*")
        self._effect = wanted
        self._known: dict[str, bool] = {}

    def __call__(self, tool: str) -> bool:
        """Whether calls of this tool are meant."""
        known = self._known.get(tool)
        if known is None:
            known = self._matches(tool) and self._effect in (None, effect(self._tools, tool))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[tool] = known
        return known
