"""The arguments of calls against those of wants: each pair is compared once, whoever asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from traceview.contract.spec import StepRef, ToolSpec
from traceview.evaluate.assign import Cost, CostOf
from traceview.evaluate.call_diffs import argument_diffs, count, differing
from traceview.evaluate.detail import Diff
from traceview.evaluate.expect import Expectation
from traceview.evaluate.in_order import OTHER_TOOL
from traceview.evaluate.values import canonical, same
from traceview.evaluate.view import RunView
from traceview.evaluate.wanted import Kinded, Unknown, resolve

__all__ = ["SAME", "Comparisons"]

SAME: list[Diff] = []
"""The differences of arguments that are plainly equal, or to which nothing is compared."""


class Comparisons(ABC):
    """Of one run; wants are named by their places in ``exp.wants``, calls by theirs in ``view.calls``. How
    they belong together (:class:`traceview.evaluate.pairing.Pairing`) is known to who looks up references.

    :param whole: what is equal is told too, by :meth:`diffs`.
    """

    __slots__ = ("_diffs", "_resolved", "_whole", "contract_tools", "exp", "marks", "view")

    def __init__(
        self, exp: Expectation, view: RunView, tools: Mapping[str, ToolSpec], *, whole: bool
    ) -> None:
        self.exp, self.view, self.marks = exp, view, view.marks
        self.contract_tools = tools
        self._whole = whole
        self._diffs: dict[tuple[int, int], list[Diff]] = {}
        self._resolved: dict[int, dict[str, Any]] = {}

    @abstractmethod
    def look_up(self, ref: StepRef) -> Any:
        """What the call of a step returned, as an expectation."""

    def forget(self) -> None:
        """Drop what was compared while calls that others refer to were not paired."""
        self._diffs.clear()
        self._resolved.clear()

    # -- one side ------------------------------------------------------------------------------------------

    def args(self, want: int) -> dict[str, Any]:
        """The expected arguments, references resolved as far as calls are paired."""
        expected = self.exp.wants[want]
        if expected.plain:
            return expected.args or {}
        resolved = self._resolved.get(want)
        if resolved is None:
            resolved = self._resolved[want] = resolve(expected.args or {}, self.look_up)
        return resolved

    def compared_args(self, want: int) -> dict[str, Any] | None:
        """The expected arguments that are compared; None where none is."""
        expected = self.exp.wants[want]
        if expected.args is None:
            return None
        args, only = self.args(want), expected.only
        return args if only is None else {name: args[name] for name in args if name in only}

    def is_open(self, want: int) -> bool:
        """Whether some expected argument can't be told."""
        return not self.exp.wants[want].plain and _holds_unknown(self.args(want))

    def blurred(self, call: int) -> bool:
        """Whether some argument of a call is not known."""
        event = self.view.calls[call]
        return event.args_state == "absent" or self.marks.within(event.arguments) is not None

    def want_key(self, want: int) -> Any:
        """Equal for wants and calls that are plainly equal (:meth:`call_key`); None: not to be told so."""
        expected = self.exp.wants[want]
        plain = expected.plain and expected.args is not None and expected.only is None
        if expected.status is not None:
            return None  # which of equal calls it is, their statuses tell
        return canonical(expected.args) if plain else None

    def call_key(self, call: int) -> Any:
        event = self.view.calls[call]
        if event.args_state != "object" or self.marks.within(event.arguments) is not None:
            return None
        return canonical(event.arguments)

    # -- both ----------------------------------------------------------------------------------------------

    def diffs(self, want: int, call: int) -> list[Diff]:
        """What is wrong or unknown in the arguments of a call, and of ``whole`` comparisons what is not;
        :data:`SAME` when nothing is compared or all is plainly as expected."""
        key = (want, call)
        found = self._diffs.get(key)
        if found is None:
            expected, event = self.exp.wants[want], self.view.calls[call]
            if expected.args is None or (
                expected.plain
                and expected.only is None
                and event.args_state == "object"
                and not self.marks.active
                and same(expected.args, event.arguments)
            ):
                found = SAME
            else:
                tool, args = self.contract_tools.get(expected.tool), self.args(want)
                found = argument_diffs(expected, args, event, tool, self.marks, terse=not self._whole)
            self._diffs[key] = found
        return found

    def counted(self, want: int, call: int) -> tuple[int, int]:
        """How many differences a call has from a want, and how many places that can't be known."""
        args, recorded = self._plain_want(want), self._plain_call(call)
        if args is not None and recorded is not None:
            return differing(args, recorded, lenient=self._lenient(self.exp.wants[want].tool)), 0
        return count(self.diffs(want, call))

    def cost(self, wants: Sequence[int], calls: Sequence[int]) -> CostOf:
        """What pairing the i-th of ``wants`` with the j-th of ``calls`` costs: differences, places that can't
        be known, and 1 where the call has not the status that is wanted, or else did not succeed."""
        exp, view = self.exp, self.view
        tools = [view.tools[call] for call in calls]
        wanted = [exp.wanted_tools[want] for want in wants]
        # Tens of thousands of pairs may be looked at, most of them of plain values.
        expected, observed = list(map(self._plain_want, wants)), list(map(self._plain_call, calls))
        lenient = list(map(self._lenient, wanted))
        words = [exp.wants[want].status for want in wants]
        statuses = [view.statuses[call] for call in calls]
        failed = list(map(self.failed, calls))

        def cost(i: int, j: int) -> Cost:
            if wanted[i] != tools[j]:
                return OTHER_TOOL
            args, recorded = expected[i], observed[j]
            off = failed[j] if words[i] is None else statuses[j] != words[i]
            if args is not None and recorded is not None:
                return (differing(args, recorded, lenient=lenient[i]), 0, off)
            return (*self.counted(wants[i], calls[j]), off)

        return cost

    def failed(self, call: int) -> bool:
        """Whether a call did not succeed for sure."""
        return self.view.statuses[call] not in self.view.ok_words

    def _plain_want(self, want: int) -> dict[str, Any] | None:
        """The expected arguments, where :func:`differing` can count what differs from them."""
        expected = self.exp.wants[want]
        return expected.args if expected.plain and expected.only is None else None

    def _plain_call(self, call: int) -> dict[str, Any] | None:
        event = self.view.calls[call]
        return event.arguments if event.args_state == "object" and not self.marks.active else None

    def _lenient(self, tool: str) -> bool:
        spec = self.contract_tools.get(tool)
        return spec is not None and spec.extra_args == "ignore"


def _holds_unknown(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_unknown, value.values()))
    if isinstance(value, list):
        return any(map(_holds_unknown, value))
    if isinstance(value, Kinded):
        return _holds_unknown(value.value) or any(map(_holds_unknown, value.of))
    return isinstance(value, Unknown)
