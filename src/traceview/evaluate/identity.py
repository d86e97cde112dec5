"""When two calls are the same: for limits with ``same``, for retries, and in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from traceview.contract.spec import ToolSpec
from traceview.evaluate.evidence import Marks
from traceview.evaluate.values import canonical, same
from traceview.evaluate.view import RunView
from traceview.model import MISSING


class Identities:
    """What makes calls of a run "the same": by ``tool``, by ``args`` or by the tool's ``identity``."""

    def __init__(self, view: RunView, tools: Mapping[str, ToolSpec], what: str) -> None:
        self.view = view
        self.what = what
        self._tools = tools
        self._marks: Marks = view.marks

    def chosen(self, i: int) -> Any:
        """What counts of a call's arguments; MISSING where they were not captured."""
        event = self.view.calls[i]
        if event.args_state == "absent":
            return MISSING
        if self.what == "identity" and event.args_state == "object":
            spec = self._tools.get(self.view.tools[i])
            if spec is not None and spec.identity is not None:
                return {k: event.arguments[k] for k in spec.identity if k in event.arguments}
        return event.arguments

    def key(self, i: int) -> Hashable | None:
        """Equal for calls that are recorded the same; None where nothing of what counts was recorded."""
        tool = self.view.tools[i]
        if self.what == "tool":
            return tool
        chosen = self.chosen(i)
        if chosen is MISSING or self._all_gone(chosen):
            return None
        key: Hashable = (tool, canonical(chosen))
        return key

    def marked(self, i: int) -> bool:
        """Whether part of what counts was taken away."""
        return self.what != "tool" and self._marks.within(self.chosen(i)) is not None

    def _all_gone(self, chosen: Any) -> bool:
        if not self._marks.active:
            return False
        parts = chosen.values() if isinstance(chosen, dict) else (chosen,)
        return bool(parts) and all(self._marks.why(part) is not None for part in parts)

    def could_equal(self, i: int, j: int) -> bool:
        """Whether two calls would be the same if what was taken away were there."""
        if self.view.tools[i] != self.view.tools[j]:
            return False
        a, b = self.chosen(i), self.chosen(j)
        return a is MISSING or b is MISSING or self._could_agree(a, b)

    def _could_agree(self, a: Any, b: Any) -> bool:
        if self._marks.why(a) is not None or self._marks.why(b) is not None:
            return True
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(self._could_agree(a[k], b[k]) for k in a)
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(self._could_agree(x, y) for x, y in zip(a, b, strict=True))
        return same(a, b)


def repeat_kind(view: RunView, tools: Mapping[str, ToolSpec], i: int, before: list[int]) -> str | None:
    """Which kind of repeat a call is of earlier calls of its tool: "identical, after success" …"""
    twins = [j for j in before if view.tools[j] == view.tools[i]]
    if not twins:
        return None
    whole = Identities(view, tools, "args")
    key = whole.key(i)
    equal = [j for j in twins if key is not None and whole.key(j) == key]
    what = "arguments not captured" if key is None else "identical" if equal else "with other arguments"
    status = view.statuses[(equal or twins)[-1]]
    if status in view.ok_words:
        return f"{what}, after success"
    if status is None or status in ("timeout", "unknown"):
        return f"{what}, after an unknown outcome"
    return f"{what}, after a definite error"
