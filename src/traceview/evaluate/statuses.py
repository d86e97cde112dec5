"""``tools_succeeded``: does every call report a status that the contract accepts?"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from traceview.evaluate.identity import Identities
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.view import OK_WORDS
from traceview.model import MISSING, CheckVerdict, Finding

CHECK = "tools_succeeded"
_ERROR_SHOWN = 120  # characters of a recorded error that a message holds
_NOTES = 10
_LOOKS = 100_000  # pairs of calls that are compared for what is not known of them


def statuses(pairing: Pairing) -> tuple[CheckVerdict, list[Finding]]:
    """The verdict of the status check and its findings, by step."""
    exp, view = pairing.exp, pairing.view
    ok = exp.status_ok
    if ok is None:
        return "n/a", []
    findings: list[Finding] = []
    retries = Retries(pairing) if exp.status is not None and exp.status.retries == "allow" else None
    simple = not exp.statuses and not exp.worded
    places = _places(pairing)
    for i, status in enumerate(view.statuses):
        if simple and status in ok:
            continue
        words = (ok,) if simple else _allowed(pairing, i, places[i], ok)
        accepted = {status in allowed for allowed in words}
        if status is None or len(accepted) > 1:
            findings.append(_unknown(pairing, i, words))
        elif accepted == {False}:
            repaired = retries.repaired(i) if retries is not None and status not in ok else False
            if repaired is None:
                findings.append(_unknown(pairing, i, words, "a later call may have put it right"))
            elif not repaired:
                findings.append(_wrong(pairing, i, words[0]))
    if exp.statuses is not None and view.complete:
        for i in range(len(view.calls), len(exp.statuses)):
            message = f"there is no call {i + 1} to report {exp.statuses[i]}"
            findings.append(Finding(CHECK, i + 1, None, None, "status", exp.statuses[i], MISSING, message))
    if findings and any(f.kind != "evidence" for f in findings):
        return "fail", findings
    if not view.complete:
        message = "the run is incomplete: the statuses of lost calls can't be seen"
        findings.insert(0, Finding(CHECK, None, None, None, "evidence", MISSING, MISSING, message))
    return ("unknown" if findings else "pass"), findings


def _places(pairing: Pairing) -> Sequence[int]:
    """Where each call stands among those that are expected: its own place, but within a parallel turn that of
    the expected call that it is, else one whose word it reports."""
    words, view = pairing.exp.statuses, pairing.view
    if not words:
        return range(len(view.calls))
    places = list(range(len(view.calls)))
    for turn in view.turns(places):
        if len(turn) == 1:
            continue
        left = dict.fromkeys(turn)  # the places of the turn are those of its calls
        waiting = []
        for call in turn:
            want = pairing.by_call.get(call)
            if want is not None and want in left:
                places[call] = want
                del left[want]
            else:
                waiting.append(call)
        for place in list(left):
            word = words[place] if place < len(words) else OK_WORDS[0]
            fitting = [call for call in waiting if view.statuses[call] == word]
            if fitting:
                places[fitting[0]] = place
                waiting.remove(fitting[0])
                del left[place]
        for call, place in zip(waiting, left, strict=True):
            places[call] = place
    return places


def _allowed(pairing: Pairing, i: int, at: int, ok: frozenset[str]) -> tuple[Collection[str], ...]:
    """The words that a call may report, which stands at this place among the expected ones; several sets
    where it is not certain which of them counts."""
    exp, view = pairing.exp, pairing.view
    if exp.statuses is not None:
        words = [(word,) for word in exp.statuses]
        if i < view.placed:
            return (words[at] if at < len(words) else ok,)
        return (*words[at:], ok)  # some calls before it are lost
    tool = view.tools[i]
    place = pairing.by_call.get(i)
    if exp.worded and (tool in pairing.unsure or (place is not None and not pairing.settled(place))):
        said = {want.status for want in exp.wants if want.tool == tool}
        if pairing.extra_allowed(tool) or view.tools.count(tool) > exp.wanted_tools.count(tool):
            said.add(None)  # it may be one that no expected call belongs to
        return tuple([(word,) if word is not None else ok for word in sorted(said, key=str)])
    word = exp.wants[place].status if place is not None else None
    return ((word,) if word is not None else ok,)


def _words(allowed: Collection[str]) -> str:
    return " or ".join(sorted(allowed))


def _unknown(pairing: Pairing, i: int, words: tuple[Collection[str], ...], why: str | None = None) -> Finding:
    view = pairing.view
    event, status = view.calls[i], view.statuses[i]
    wanted = _words({word for allowed in words for word in allowed})
    if status is None:
        what = view.why_unread[i] if view.why_unread else "recorded no status"
    else:
        why = why or "which expected call it belongs to is not certain"
        what = f"reports {status}, and {why}"
    message = f"{event.tool_name} at step {event.step} {what} (expected {wanted})"
    observed = status if status is not None else MISSING
    return Finding(CHECK, event.step, event.tool_name, None, "evidence", wanted, observed, message)


def _wrong(pairing: Pairing, i: int, allowed: Collection[str]) -> Finding:
    event, status = pairing.view.calls[i], pairing.view.statuses[i]
    wanted = _words(allowed)
    message = f"{event.tool_name} at step {event.step} reports {status or '(empty text)'}, expected {wanted}"
    error = event.fields.get("error")
    if isinstance(error, str) and error:
        message += f": {error[:_ERROR_SHOWN]}"
    return Finding(CHECK, event.step, event.tool_name, None, "status", wanted, status, message)


class Retries:
    """Which errors a later successful call of the same tool and identity put right."""

    def __init__(self, pairing: Pairing) -> None:
        view = pairing.view
        self._complete = view.complete
        self._same = Identities(view, pairing.contract_tools, "identity")
        self._ok = view.ok_words
        self._words = view.statuses
        self._last: dict[Hashable, int] = {}  # identity -> the last successful call
        self._perhaps: list[int] = []  # calls that may be successful ones of some identity
        self._looks = 0
        for i, status in enumerate(view.statuses):
            key = self._same.key(i) if status in self._ok else None
            if status is None or (status in self._ok and (key is None or self._same.marked(i))):
                self._perhaps.append(i)
            elif key is not None:
                self._last[key] = i

    def repaired(self, i: int) -> bool | None:
        """Whether the error of call ``i`` was put right; None where that can't be known."""
        key = self._same.key(i)
        blurred = key is None or self._same.marked(i)
        if not blurred and self._last.get(key, -1) > i:
            return True
        if not self._complete:
            return None  # the call that put it right may be lost
        later = range(i + 1, len(self._words)) if blurred else [j for j in self._perhaps if j > i]
        self._looks += len(later)
        if self._looks > _LOOKS:
            return None
        return None if any(self._may_succeed(j) and self._same.could_equal(i, j) for j in later) else False

    def _may_succeed(self, i: int) -> bool:
        return self._words[i] is None or self._words[i] in self._ok


def attempt_notes(pairing: Pairing) -> list[str]:
    """Failed calls that a contract does not hold against the run, and whether they were put right."""
    exp, view = pairing.exp, pairing.view
    left_out = exp.order is not None and exp.order.calls == "ok"
    if not left_out and not (exp.status is not None and exp.status.retries == "allow"):
        return []
    failed = [
        i for i, status in enumerate(view.statuses) if status is not None and status not in view.ok_words
    ]
    if not failed:
        return []
    retries = Retries(pairing)
    notes = []
    for i in failed:
        repaired = retries.repaired(i)
        if repaired or left_out:
            event = view.calls[i]
            right = "put right by a later call" if repaired else "it takes no part in order and arguments"
            notes.append(f"{event.tool_name} at step {event.step} reports {view.statuses[i]}: {right}")
    if len(notes) > _NOTES:
        notes[_NOTES:] = [f"and {len(notes) - _NOTES} more failed calls"]
    return notes
