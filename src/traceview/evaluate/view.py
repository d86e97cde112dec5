"""One run as the checks see it: its calls, their statuses, and what of it can be relied on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

from traceview import jsontext
from traceview.contract.spec import Contract
from traceview.evaluate.evidence import Marks, reach
from traceview.evaluate.expect import Expectation
from traceview.evaluate.patterns import matches, stopped
from traceview.model import MISSING, Event, Run

OK_WORDS = ("ok",)


class RunView:
    """The calls of a run that checks look at, in step order.

    ``statuses`` has the word of each call, read from the result's text where the contract says how
    (``[status] error_text``); None is unknown (``why_unread`` says why, where there is more to say than that
    none was recorded). ``active`` are the places of the calls that take part in order, arguments and limits,
    ``doubtful`` of those of which it is not known whether they do (``calls = "ok"`` and no status).
    ``complete`` is False when absence is no evidence; then only the first ``placed`` calls are known to be
    the first of the run. ``tools`` are the names of the calls.
    """

    __slots__ = (
        "_turns",
        "active",
        "calls",
        "complete",
        "doubtful",
        "marks",
        "ok_words",
        "placed",
        "run",
        "statuses",
        "tools",
        "why_unread",
    )

    def __init__(self, contract: Contract, run: Run, exp: Expectation, marks: Marks) -> None:
        status = exp.status
        self.run = run
        self.marks = marks
        self._turns: Sequence[int] | None = None
        check_user = contract.runs.calls_as_user == "check"
        self.calls = [e for e in run.events if e.tool_name is not None and (check_user or e.actor != "user")]
        self.tools = tuple([e.tool_name or "" for e in self.calls])
        patterns = status.error_text if status is not None else ()
        if patterns or marks.active:
            flagged = any(e.status is not None for e in run.events)
            read = [status_of(e, patterns, marks, flagged=flagged) for e in self.calls]
            self.statuses = [status for status, _ in read]
            self.why_unread = [why for _, why in read]
        else:
            self.statuses = [e.status for e in self.calls]
            self.why_unread = []
        #: the words that say a call succeeded
        self.ok_words: Collection[str | None] = status.ok if status is not None and status.ok else OK_WORDS
        self.active = list(range(len(self.calls)))
        self.doubtful: list[int] = []
        if exp.order is not None and exp.order.calls == "ok":
            ok = self.ok_words
            self.active = [i for i in self.active if self.statuses[i] in ok]
            self.doubtful = [i for i, word in enumerate(self.statuses) if word is None]
        self.complete = run.complete or contract.evidence.absence == "always"
        self.placed = len(self.calls)
        if not self.complete:
            self.placed = _placed(run, self.calls)

    @property
    def turn_of(self) -> Sequence[int]:
        """The number of each call's parallel turn: neighbours that share a group have no order."""
        if self._turns is None:
            groups = [event.group for event in self.calls]
            if not any(groups):
                self._turns = range(len(groups))
            else:
                turns, turn, last = [], -1, None
                for group in groups:
                    if not group or group != last:
                        turn += 1
                    turns.append(turn)
                    last = group
                self._turns = turns
        return self._turns

    def turns(self, calls: Sequence[int]) -> list[list[int]]:
        """The calls at these places, in step order, by parallel turn."""
        turn_of = self.turn_of
        if isinstance(turn_of, range):
            return [[i] for i in calls]
        return [list(turn) for _, turn in groupby(calls, key=turn_of.__getitem__)]

    def before(self, i: int, j: int) -> bool:
        """Whether call ``i`` was made before call ``j``: in an earlier turn."""
        return self.turn_of[i] < self.turn_of[j]


def _placed(run: Run, calls: list[Event]) -> int:
    """How many of the calls stand where they stood, though some are lost: up to the first gap."""
    whole = 0
    for event in run.events:
        if event.step != whole + 1:
            break
        whole += 1
    return sum(event.step <= whole for event in calls)


def status_of(
    event: Event, patterns: tuple[str, ...], marks: Marks, *, flagged: bool
) -> tuple[str | None, str]:
    """The status of a call: the recorded word, or what its result's text tells; None, and why, is unknown.

    :param patterns: of ``[status] error_text``, for formats without an error flag.
    :param flagged: the run has such flags: where one is missing, only an error can be told from the text.
    """
    if event.status is not None:
        gone = marks.why(event.status)
        return (event.status, "") if gone is None else (None, f"reports a status that is {gone}")
    result = event.fields.get("result")
    if not patterns or result is None:
        return None, "recorded no status" + (" and no result" if patterns else "")
    if isinstance(result, str) and result in marks.redacted:
        return None, f"recorded no status, and its result is {marks.why(result)}"
    text = result if isinstance(result, str) else jsontext.dumps(result)
    found = [matches(pattern, text, full=False) for pattern in patterns]
    if True in found:
        return "error", ""
    if None in found:
        return None, f"recorded no status, and {stopped(patterns[found.index(None)])}"
    # Text that is gone may have been the one that matches.
    gone = marks.within(result)
    if gone is not None:
        return None, f"recorded no status, and part of its result is {gone}"
    return (None, "recorded no status, though others did") if flagged else ("ok", "")


def event_field(event: Event, path: tuple[str, ...], marks: Marks) -> tuple[Any, str | None]:
    """A field of a recorded call by path (``("result", "id")``, ``("arguments", "room")`` …), and why it is
    no evidence (None if it is)."""
    first = path[0] if path else ""
    if first == "arguments":
        value = event.arguments if event.args_state != "absent" else MISSING
    elif first == "status":
        value = event.status if event.status is not None else MISSING
    else:
        return reach(event.fields, path, marks)
    return reach(value, path[1:], marks)
