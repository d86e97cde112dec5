"""Which recorded call belongs to which expected call, and how their arguments differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from traceview.contract.spec import StepRef, ToolSpec
from traceview.contract.tools import effect
from traceview.evaluate.align import arranged, common
from traceview.evaluate.assign import Cost, CostOf, Pairs, pair_freely, paired_anew
from traceview.evaluate.comparisons import Comparisons
from traceview.evaluate.expect import Expectation
from traceview.evaluate.in_order import OTHER_TOOL, align, pair_in_order
from traceview.evaluate.likely import Likely
from traceview.evaluate.view import RunView, event_field
from traceview.evaluate.wanted import ANY, Unknown, references, unmarked
from traceview.model import MISSING

_ROUNDS = 3  # of pairing, where steps refer to what calls of others returned
_NEAREST_LIMIT = 20_000  # comparisons that looking for the nearest expected calls may take
_NEAREST_FEW = 32


class Reference(NamedTuple):
    """The call of an expected read that is no duty: those that it may be, whether it was made for sure."""

    tool: str
    calls: list[int]
    made: bool


class Pairing(Comparisons):
    """Which call (by place in ``view.calls``) belongs to which want (by place in ``expectation.wants``).

    ``nearest`` names, for a call without a partner, the want of its tool that it differs from least, where
    the contract compares it all the same. ``unsure`` are the tools whose calls could be paired otherwise if
    all evidence were there: what depends on which call it is can't be known then. ``in_step``: the
    tools that were called are those that are expected, in this order. ``reference`` is kept by
    ``reference.py``.
    """

    __slots__ = (
        "_known",
        "_line",
        "_of_tool",
        "_pairing",
        "_places",
        "_spare",
        "by_call",
        "by_want",
        "in_step",
        "nearest",
        "reference",
        "unsure",
    )

    def __init__(
        self, exp: Expectation, view: RunView, tools: Mapping[str, ToolSpec], *, whole: bool = False
    ) -> None:
        super().__init__(exp, view, tools, whole=whole)
        self.by_want: dict[int, int] = {}
        self.by_call: dict[int, int] = {}
        self.nearest: dict[int, int] = {}
        self.unsure: set[str] = set()
        self.reference: dict[str, Reference] | None = None
        self._places: dict[str, int] | None = None
        self._line: tuple[list[int], Pairs] | None = None
        self._of_tool: dict[str, list[int]] = {}
        self._spare: set[str] | None = None  # tools of which a lost call could have been an expected one
        self._known: dict[int, int] = {}  # what an earlier round paired
        self._pairing = True
        self.in_step = exp.wanted_tools == view.tools and len(view.active) == len(view.calls)
        if exp.by_place:
            self._pair_places()
        elif self.in_step and len(set(view.tools)) == len(view.tools):
            self.by_want = {place: place for place in view.active}
            self.by_call = self.by_want.copy()
        elif exp.wants:
            self._pair()
        self._pairing = False
        if not exp.plain:
            self.forget()
        if len(self.by_call) < len(view.active) and not exp.paired_only and exp.by_tool is None:
            self._find_nearest()

    def _join(self, want: int, call: int) -> None:
        self.by_want[want] = call
        self.by_call[call] = want

    # -- pairing -------------------------------------------------------------------------------------------

    def _pair_places(self) -> None:
        """By place, whatever the tools; freely within a parallel turn."""
        first = 0
        for turn in self.view.turns(self.view.active[: self.view.placed]):
            wants = range(first, min(first + len(turn), len(self.exp.wants)))
            for i, j in pair_freely(len(wants), len(turn), self._cost_by_place(wants, turn)):
                self._join(wants[i], turn[j])
            first += len(turn)

    def _cost_by_place(self, wants: Sequence[int], calls: Sequence[int]) -> CostOf:
        words, statuses = self.exp.statuses or (), self.view.statuses

        def cost(i: int, j: int) -> Cost:
            said = words[wants[i]] if wants[i] < len(words) else None
            return (*self.counted(wants[i], calls[j]), said is not None and statuses[calls[j]] != said)

        return cost

    def _pair(self) -> None:
        exp, view = self.exp, self.view
        wants: dict[str, list[int]] = {}
        for place, tool in enumerate(exp.wanted_tools):
            wants.setdefault(tool, []).append(place)
        for call in view.active:
            self._of_tool.setdefault(view.tools[call], []).append(call)
        rounds = 1 if exp.plain or not any(references(want.args) for want in exp.wants) else _ROUNDS
        for _ in range(rounds):
            self.by_want, self.by_call = {}, {}
            # A call that may count could take the place of one that does.
            self.unsure = {view.tools[call] for call in view.doubtful}
            self._pair_once(wants)
            if self.by_want == self._known:
                break
            # What calls returned is known now, and may tell which calls belong to steps that refer to it.
            self._known = self.by_want
            self.forget()

    def _pair_once(self, wants: dict[str, list[int]]) -> None:
        exp, view = self.exp, self.view
        order = exp.order
        if order is not None and order.mode == "in_order" and len(view.active) > len(exp.wants):
            pairs = self._one_way()
            if pairs is not None:
                for place, call in pairs:
                    self._join(place, call)
                for tool, places in wants.items():
                    self._doubt(tool, places, self._of_tool[tool])
                return
        aligned: set[str] = set()
        if order is not None and order.mode == "in_order" and order.missing == "allow":
            aligned = self._align(wants)
        free = order is not None and order.mode in ("partial", "any")
        for tool in wants if exp.plain else self._by_reference(wants):
            if tool in self._of_tool and tool not in aligned:
                self._pair_tool(tool, wants[tool], self._of_tool[tool], free)

    def _align(self, wants: dict[str, list[int]]) -> set[str]:
        """Where expected calls may be missing: one way through the calls that have an order at all, so that
        order and arguments are right in the same calls. The tools that were paired so."""
        exp, view = self.exp, self.view
        tools = {tool for tool in wants if not self.extra_allowed(tool)}
        places = [place for tool in tools for place in wants[tool]]
        places.sort()
        turns = view.turns([call for call in view.active if view.tools[call] in tools])
        calls = arranged([exp.wanted_tools[place] for place in places], turns, view.tools)
        cost = self.cost(places, calls)
        pairs = align(len(places), len(calls), cost)
        if pairs is None:
            return set()
        together: dict[tuple[int, str], Pairs] = {}  # calls of one tool in one turn have no order
        for i, j in pairs:
            together.setdefault((view.turn_of[calls[j]], view.tools[calls[j]]), []).append((i, j))
        for some in together.values():
            for i, j in paired_anew(some, cost) if len(some) > 1 else some:
                self._join(places[i], calls[j])
        for tool in tools & self._of_tool.keys():
            self._doubt(tool, wants[tool], self._of_tool[tool])
        return tools

    def _one_way(self) -> Pairs | None:
        """One way through the run that makes the expected calls one after the other, with the fewest
        differences; None if there is none. (Order and arguments must be right in the same calls.)"""
        exp, view = self.exp, self.view
        turns = view.turns(view.active)
        calls = arranged(exp.wanted_tools, turns, view.tools)
        found = common(exp.wanted_tools, [view.tools[call] for call in calls])
        if len(found) < len(exp.wants):
            return None
        cost = self.cost(range(len(exp.wants)), view.active)
        pairs = pair_in_order(len(exp.wants), len(view.active), cost, [len(turn) for turn in turns])
        if any(cost(i, j) is OTHER_TOOL for i, j in pairs):  # a long run that differs whatever the way
            return [(i, calls[j]) for i, j in found]
        return [(i, view.active[j]) for i, j in pairs]

    def _by_reference(self, wants: dict[str, list[int]]) -> list[str]:
        """Tools such that those whose results others refer to come first."""
        home = {w.id: w.tool for w in self.exp.wants if w.id is not None}
        needs = {
            tool: {home[r] for p in places for r in references(self.exp.wants[p].args) if r in home} - {tool}
            for tool, places in wants.items()
        }
        done: dict[str, None] = {}
        rest = list(wants)
        while rest:
            ready = [t for t in rest if needs[t] <= done.keys()] or rest[:1]
            done.update(dict.fromkeys(ready))
            rest = [t for t in rest if t not in done]
        return list(done)

    def _pair_tool(self, tool: str, wants: list[int], calls: list[int], free: bool) -> None:
        if len(wants) == len(calls) == 1:
            self._join(wants[0], calls[0])
            return
        turns = self._turn_sizes(calls)
        if not free and len(wants) == len(calls) == len(turns):
            self.by_want.update(zip(wants, calls, strict=True))
            self.by_call.update(zip(calls, wants, strict=True))
            return
        if free:
            wants = sorted(wants, key=self._after_how_many)
        cost = self.cost(wants, calls)
        if free:
            keys = [self.want_key(w) for w in wants], [self.call_key(c) for c in calls]
            # Where every call finds a partner, none is preferred for having succeeded.
            failed = [len(calls) > len(wants) and self.failed(call) for call in calls]
            likely = Likely(
                lambda i: self.compared_args(wants[i]), [self.view.calls[c] for c in calls], self.marks
            )
            pairs = pair_freely(len(wants), len(calls), cost, *keys, failed, likely)
        else:
            pairs = pair_in_order(len(wants), len(calls), cost, turns, self._in_sequence(wants, calls))
        for i, j in pairs:
            self._join(wants[i], calls[j])
        if free or len(wants) != len(calls) or len(turns) != len(calls):
            self._doubt(tool, wants, calls)

    def in_line(self) -> tuple[list[int], Pairs]:
        """The calls in the order that the expected side has within turns, and which of them are in the
        sequence of the expected ones (places of both), by their tools alone."""
        if self._line is None:
            exp, view = self.exp, self.view
            calls = arranged(exp.wanted_tools, view.turns(view.active), view.tools)
            self._line = calls, common(exp.wanted_tools, [view.tools[call] for call in calls])
        return self._line

    def _in_sequence(self, wants: Sequence[int], calls: Sequence[int]) -> list[int | None]:
        """The calls that the order check takes for these (places in ``calls``): what it says is missing is
        then the one that has no call."""
        line, pairs = self.in_line()
        sequence = {want: line[j] for want, j in pairs}
        places = {call: j for j, call in enumerate(calls)}
        return [places[sequence[want]] if want in sequence else None for want in wants]

    def _after_how_many(self, place: int) -> int:
        """How many calls one after the other must come before that of a want: of equal calls a later one is
        its."""
        depth = 0
        waiting, seen = [place], {place}
        while waiting:
            befores = [self.place_of(step) for at in waiting for step in self.exp.wants[at].after]
            waiting = [
                before for before in dict.fromkeys(befores) if before is not None and before not in seen
            ]
            seen.update(waiting)
            depth += bool(befores)
        return depth

    def _turn_sizes(self, calls: Sequence[int]) -> list[int]:
        """How many of the calls of one tool each parallel turn of the run made."""
        return list(map(len, self.view.turns(calls)))

    # -- what is certain of it -----------------------------------------------------------------------------

    def _doubt(self, tool: str, wants: Sequence[int], calls: Sequence[int]) -> None:
        """Note whether evidence that is missing could have paired the calls of a tool otherwise."""
        statuses = self.view.statuses
        unread = len(calls) > len(wants) and any(statuses[c] is None for c in calls)
        if not unread and self.exp.plain and not any(self.blurred(c) for c in calls):
            return
        if len(wants) == 1 and wants[0] in self.by_want and len(calls) <= _NEAREST_FEW:
            # One is wanted: which calls could be it?
            cost = self.cost(wants, calls)
            chosen = calls.index(self.by_want[wants[0]])
            wrong, unknown, _ = cost(0, chosen)
            for j in range(len(calls)):
                least, more, _ = cost(0, j)
                if j == chosen or least > wrong + unknown:
                    continue
                if unknown or (more and least <= wrong) or (unread and least == wrong):
                    self.unsure.add(tool)
                    return
        elif unread or (
            any(self.exp.wants[w].args is not None for w in wants)
            and (any(self.blurred(c) for c in calls) or any(self.is_open(w) for w in wants))
        ):
            self.unsure.add(tool)

    def place_of(self, step: str) -> int | None:
        """The place of the want with an id."""
        if self._places is None:
            self._places = {w.id: place for place, w in enumerate(self.exp.wants) if w.id is not None}
        return self._places.get(step)

    def candidates(self, place: int) -> list[int]:
        """The calls that may be the one of a want: at most one where that is certain."""
        tool = self.exp.wants[place].tool
        if tool in self.unsure:
            doubtful = [call for call in self.view.doubtful if self.view.tools[call] == tool]
            return self._of_tool.get(tool, []) + doubtful
        return [self.by_want[place]] if place in self.by_want else []

    def made(self, place: int) -> bool:
        """Whether the call of a want was made for sure, whichever it is."""
        tool = self.exp.wants[place].tool
        if tool in self.unsure:
            return len(self._of_tool.get(tool, ())) >= self.exp.wanted_tools.count(tool)
        return place in self.by_want

    def settled(self, place: int) -> bool:
        """Whether lost calls could not have taken the place of the one that is paired with a want."""
        order = self.exp.order
        if self.view.complete or (order is not None and order.accept is not None):
            return self.view.complete  # an accepted sequence may hold more calls than there are steps
        if self._spare is None:
            made = Counter([self.view.tools[call] for call in self.view.active])
            wanted = Counter(self.exp.wanted_tools)
            self._spare = {t for t in wanted if self.extra_allowed(t) or made[t] < wanted[t]}
        return self.exp.wants[place].tool not in self._spare

    # -- calls without a partner ---------------------------------------------------------------------------

    def _find_nearest(self) -> None:
        exp, view = self.exp, self.view
        homes: dict[str, list[int]] = {}
        for place, want in enumerate(exp.wants):
            homes.setdefault(want.tool, []).append(place)
        alone = [
            call
            for call in view.active
            if call not in self.by_call
            and view.tools[call] in homes
            and not self.extra_allowed(view.tools[call])
        ]
        few = sum(len(homes[view.tools[call]]) for call in alone) > _NEAREST_LIMIT
        keys: dict[str, dict[Any, int]] = {}
        for call in alone:
            tool = view.tools[call]
            places = homes[tool]
            if few:
                # Equal ones are looked up; of the others those that stand about where the call does will do.
                if tool not in keys:
                    keys[tool] = {key: p for p in reversed(places) if (key := self.want_key(p)) is not None}
                equal = keys[tool].get(self.call_key(call))
                start = max(0, min(call, len(places)) - _NEAREST_FEW)
                places = places[start : start + _NEAREST_FEW] if equal is None else [equal]
            self.nearest[call] = min([(self.counted(place, call), place) for place in places])[1]

    def extra_allowed(self, tool: str) -> bool:
        """Whether ``[order] extra`` lets a call of this tool happen without an expected one."""
        order = self.exp.order
        if order is None or order.mode == "exact" or order.extra == "none":
            return False
        if order.extra == "any":
            return True
        if order.extra == "reads":
            return effect(self.contract_tools, tool) == "read"
        return tool in order.extra

    # -- references ----------------------------------------------------------------------------------------

    def look_up(self, ref: StepRef) -> Any:
        """What the call of a step returned, as an expectation."""
        place = self.place_of(ref.step)
        call = self.by_want.get(place, self._known.get(place)) if place is not None else None
        if place is None or call is None:
            # While calls are being paired, its call may still turn up: it favours no pair.
            return ANY if self._pairing else Unknown(f"no call was matched to step {ref.step}")
        if self.exp.wants[place].tool in self.unsure or not self.settled(place):
            return Unknown(f"which call is step {ref.step} can't be told from what was recorded")
        name = ".".join(ref.path)
        value, why = event_field(self.view.calls[call], ref.path, self.marks)
        if why is not None:
            return Unknown(f"{name} of step {ref.step} is {why}")
        if value is MISSING or value is None:
            return Unknown(f"step {ref.step} recorded no {name}")
        return unmarked(value, self.marks) if self.marks.active else value
