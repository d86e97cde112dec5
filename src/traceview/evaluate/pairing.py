"""One run as the checks see it: its calls, their statuses, and which expected call each belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from traceview import jsontext
from traceview.contract.spec import Contract, StepRef, ToolSpec
from traceview.evaluate import align
from traceview.evaluate.detail import Diff
from traceview.evaluate.expect import Expectation, Want, references, resolve
from traceview.evaluate.kinds import Kinded, Marks, Unknown, diff, matches, shown
from traceview.evaluate.select import effect_of
from traceview.evaluate.values import at_path, canonical, pointer, same
from traceview.model import MISSING, Event, Run

OK_WORDS = ("ok",)


class RunView:
    """The calls of a run that checks look at, in step order.

    ``statuses`` has the word of each call, read from the result's text where the contract says how
    (``[status] error_text``); None is unknown. ``active`` are the places of the calls that take part in order,
    arguments and limits, ``doubtful`` of those of which it is not known whether they do (``calls = "ok"`` and
    no status). ``complete`` is False when absence is no evidence.
    """

    __slots__ = (
        "active",
        "calls",
        "complete",
        "contract",
        "doubtful",
        "ok_words",
        "run",
        "statuses",
        "user_calls",
    )

    def __init__(self, contract: Contract, run: Run, exp: Expectation) -> None:
        status = exp.status
        only_ok = exp.order is not None and exp.order.calls == "ok"
        self.contract = contract
        self.run = run
        check_user = contract.runs.calls_as_user == "check"
        calls = [e for e in run.events if e.tool_name is not None]
        self.calls = calls if check_user else [e for e in calls if e.actor != "user"]
        self.user_calls = len(calls) - len(self.calls)
        self.statuses = [e.status for e in self.calls]
        if status is not None and status.error_text:
            patterns = status.error_text
            self.statuses = [
                e.status if e.status is not None else _read_status(e, patterns) for e in self.calls
            ]
        #: the words that say a call succeeded
        self.ok_words: Collection[str | None] = status.ok if status is not None and status.ok else OK_WORDS
        self.active = list(range(len(self.calls)))
        self.doubtful: list[int] = []
        if only_ok:
            ok = self.ok_words
            self.active = [i for i in self.active if self.statuses[i] in ok]
            self.doubtful = [i for i, status in enumerate(self.statuses) if status is None]
        self.complete = run.complete or contract.evidence.absence == "always"


def _read_status(event: Event, patterns: tuple[str, ...]) -> str | None:
    """The status that a result's text tells, for formats without an error flag."""
    result = event.fields.get("result", MISSING)
    if result is MISSING or result is None:
        return None
    text = result if isinstance(result, str) else jsontext.dumps(result)
    found = [matches(pattern, text, full=False) for pattern in patterns]
    return "error" if True in found else None if None in found else "ok"


def decode_text(text: str) -> Any:
    """A value from text that is JSON (results are often recorded as text), else MISSING."""
    try:
        return jsontext.decode(text.encode("utf-8", "surrogatepass")).value
    except jsontext.BadJson:
        return MISSING


def event_field(event: Event, path: tuple[str, ...]) -> Any:
    """A field of a recorded call by path: ``("result", "id")``, ``("arguments", "room")`` …"""
    if path and path[0] == "arguments":
        base = event.arguments if event.args_state != "absent" else MISSING
        return base if base is MISSING else at_path(base, path[1:])
    if path and path[0] == "status":
        return event.status if event.status is not None else MISSING
    return at_path(event.fields, path, decode_text)


def argument_diffs(
    want: Want, args: Mapping[str, Any], event: Event, tool: ToolSpec | None, marks: Marks
) -> list[Diff]:
    """The arguments of a call against the expected ones, at every place; see :class:`Diff`."""
    out: list[Diff] = []
    if event.args_state == "absent":
        return [
            Diff("", "unknown", shown(dict(args)), MISSING, "evidence", "the arguments were not captured")
        ]
    observed = event.arguments
    if event.args_state == "raw":
        why = marks.why(observed)
        if why is not None:
            return [Diff("", "unknown", shown(dict(args)), observed, "evidence", why)]
        text = "arguments are not valid JSON" if isinstance(observed, str) else "arguments are no object"
        return [Diff("", "changed", shown(dict(args)), observed, "type", text)]
    for name, expected in args.items():
        if want.only is not None and name not in want.only:
            continue
        got = observed.get(name, MISSING)
        if got is MISSING and isinstance(expected, Kinded) and _optional(expected):
            continue
        diff(expected, got, pointer(name), marks, out)
    lenient = tool is not None and tool.extra_args == "ignore"
    for name, got in observed.items():
        if want.only is not None and name not in want.only:
            out.append(Diff(pointer(name), "ignored", args.get(name, MISSING), got, None, "not compared"))
        elif name not in args:
            if lenient:
                out.append(Diff(pointer(name), "ignored", MISSING, got, None, "not compared (extra_args)"))
            else:
                out.append(Diff(pointer(name), "unexpected", MISSING, got, "unexpected"))
    return out


def _optional(expected: Kinded) -> bool:
    """A tool's own kind without an expected value says how an argument must look, not that it must be there."""
    return expected.value is MISSING and expected.compare.kind in (
        "ignore",
        "regex",
        "one_of",
        "len",
        "schema",
    )


def count(diffs: Iterable[Diff]) -> tuple[int, int]:
    """How many differences, and how many places that can't be known."""
    wrong = unknown = 0
    for d in diffs:
        if d.kind == "evidence":
            unknown += 1
        elif d.kind is not None:
            wrong += 1
    return wrong, unknown


class Pairing:
    """Which call (by place in ``view.calls``) belongs to which want (by place in ``expectation.wants``).

    ``nearest`` names, for a call without a partner, the want of its tool that it differs from least, where the
    contract compares it all the same.
    """

    __slots__ = ("_diffs", "_resolved", "by_call", "by_want", "exp", "marks", "nearest", "tools", "view")

    def __init__(self, exp: Expectation, view: RunView, marks: Marks) -> None:
        self.exp, self.view, self.marks = exp, view, marks
        self.tools = view.contract.tools
        self.by_want: dict[int, int] = {}
        self.by_call: dict[int, int] = {}
        self.nearest: dict[int, int] = {}
        self._diffs: dict[tuple[int, int], list[Diff]] = {}
        self._resolved: dict[int, dict[str, Any]] = {}
        if exp.by_place:
            for place, call in zip(range(len(exp.wants)), view.active, strict=False):
                self._join(place, call)
        else:
            self._pair_tools()
        # References are known only now; what was compared with them open is compared anew.
        if self._diffs and not all([want.plain for want in exp.wants]):
            self._diffs.clear()
            self._resolved.clear()
        if len(self.by_call) < len(view.active) and not exp.paired_only and exp.by_tool is None:
            self._find_nearest()

    def _join(self, want: int, call: int) -> None:
        self.by_want[want] = call
        self.by_call[call] = want

    def _pair_tools(self) -> None:
        wants: dict[str, list[int]] = {}
        calls: dict[str, list[int]] = {}
        for place, want in enumerate(self.exp.wants):
            wants.setdefault(want.tool, []).append(place)
        for call in self.view.active:
            name = self.view.calls[call].tool_name
            if name in wants:
                calls.setdefault(name, []).append(call)
        order = self.exp.order
        free = order is not None and order.mode in ("partial", "any")
        for tool in wants if all([want.plain for want in self.exp.wants]) else self._by_reference(wants):
            if tool in calls:
                self._pair_tool(wants[tool], calls[tool], free)

    def _by_reference(self, wants: dict[str, list[int]]) -> list[str]:
        """Tools such that those whose results others refer to come first."""
        home = {w.id: w.tool for w in self.exp.wants if w.id is not None}
        needs = {
            tool: {home[r] for p in places for r in references(self.exp.wants[p].args) if r in home} - {tool}
            for tool, places in wants.items()
        }
        done: list[str] = []
        rest = list(wants)
        while rest:
            ready = [t for t in rest if needs[t] <= set(done)] or rest[:1]
            done.extend(ready)
            rest = [t for t in rest if t not in ready]
        return done

    def _pair_tool(self, wants: list[int], calls: list[int], free: bool) -> None:
        if len(wants) == len(calls) == 1:
            self._join(wants[0], calls[0])
            return
        ok = self.view.ok_words
        failed = [self.view.statuses[c] not in ok for c in calls]

        def cost(i: int, j: int) -> align.Cost:
            return (*count(self.diffs(wants[i], calls[j])), int(failed[j]))

        if free:
            want_keys = [self._want_key(w) for w in wants]
            call_keys = [self._call_key(c) for c in calls]
            pairs = align.pair_freely(len(wants), len(calls), cost, want_keys, call_keys, failed)
        else:
            pairs = align.pair_in_order(len(wants), len(calls), cost)
            pairs = self._free_within_turns(wants, calls, pairs, cost)
        for i, j in pairs:
            self._join(wants[i], calls[j])

    def _want_key(self, place: int) -> object:
        want = self.exp.wants[place]
        return canonical(want.args) if want.plain and want.args is not None and want.only is None else None

    def _call_key(self, call: int) -> object:
        event = self.view.calls[call]
        return (
            canonical(event.arguments) if event.args_state == "object" and not self.marks.redacted else None
        )

    def _free_within_turns(
        self, wants: list[int], calls: list[int], pairs: list[tuple[int, int]], cost: align.CostOf
    ) -> list[tuple[int, int]]:
        """Calls made in parallel have no order among themselves: within a turn they are paired anew."""
        if all([self.view.calls[c].group is None for c in calls]):
            return pairs
        turns: dict[str, list[tuple[int, int]]] = {}
        for i, j in pairs:
            group = self.view.calls[calls[j]].group
            if group is not None:
                turns.setdefault(group, []).append((i, j))
        out = dict(pairs)
        for members in turns.values():
            if len(members) > 1:
                own_wants, own_calls = [i for i, _ in members], [j for _, j in members]
                best = align.pair_freely(
                    len(members),
                    len(members),
                    lambda a, b, w=own_wants, c=own_calls: cost(w[a], c[b]),  # type: ignore[misc]
                )
                out.update({own_wants[a]: own_calls[b] for a, b in best})
        return sorted(out.items())

    def _find_nearest(self) -> None:
        exp = self.exp
        homes: dict[str, list[int]] = {}
        for place, want in enumerate(exp.wants):
            if want.args is not None:
                homes.setdefault(want.tool, []).append(place)
        for call in self.view.active:
            tool = self.view.calls[call].tool_name
            if call not in self.by_call and tool in homes and not self.extra_allowed(tool):
                self.nearest[call] = min(homes[tool], key=lambda p: (*count(self.diffs(p, call)), p))

    def extra_allowed(self, tool: str) -> bool:
        """Whether ``[order] extra`` lets a call of this tool happen without an expected one."""
        order = self.exp.order
        if order is None or order.mode == "exact" or order.extra == "none":
            return False
        if order.extra == "any":
            return True
        if order.extra == "reads":
            return effect_of(self.tools, tool) == "read"
        return tool in order.extra

    def args(self, place: int) -> dict[str, Any]:
        """The expected arguments of a want, references resolved as far as calls are paired."""
        resolved = self._resolved.get(place)
        if resolved is None:
            want = self.exp.wants[place]
            resolved = want.args or {}
            if not want.plain:
                resolved = resolve(resolved, self._look_up)
            self._resolved[place] = resolved
        return resolved

    def _look_up(self, ref: StepRef) -> Any:
        place = next((i for i, w in enumerate(self.exp.wants) if w.id == ref.step), None)
        call = self.by_want.get(place) if place is not None else None
        if call is None:
            return Unknown(f"no call was matched to step {ref.step}, which returns it")
        value = event_field(self.view.calls[call], ref.path)
        if value is MISSING or value is None:
            return Unknown(f"step {ref.step} recorded no {'.'.join(ref.path)}")
        why = self.marks.why(value)
        return value if why is None else Unknown(f"{'.'.join(ref.path)} of step {ref.step} is {why}")

    def diffs(self, place: int, call: int) -> list[Diff]:
        """The arguments of a call against a want, value by value; empty when nothing is compared or all is equal."""
        key = (place, call)
        found = self._diffs.get(key)
        if found is None:
            want, event = self.exp.wants[place], self.view.calls[call]
            if want.args is None or (
                want.plain
                and want.only is None
                and event.args_state == "object"
                and same(want.args, event.arguments)
            ):
                found = []
            else:
                found = argument_diffs(want, self.args(place), event, self.tools.get(want.tool), self.marks)
            self._diffs[key] = found
        return found
