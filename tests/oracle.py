"""The rules of the built-in room-booking contract, read again and written down plainly.

This is deliberately naive: it looks at one case and the recorded lines of one run, goes through the rules as
the contract's description states them, and shares no code with the program. Where the two disagree, one of
them has misread the rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations, product
from typing import Any, Literal

__all__ = ["CHECKS", "PRIORITY", "Judgement", "judge"]

CHECKS = ("sequence_ok", "arguments_ok", "tools_succeeded", "single_reservation", "final_state_ok")
SEQUENCE = ("check_availability", "reserve_room", "send_confirmation")
PRIORITY = (
    "duplicate_write",
    "wrong_sequence",
    "missing_write",
    "wrong_arguments",
    "tool_error",
    "wrong_final_state",
)

CheckWord = Literal["pass", "fail", "unknown", "n/a"]
Event = Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    """What the rules say of one run; ``checks`` is empty where the run cannot be judged at all."""

    verdict: str
    diagnosis: str
    checks: Mapping[str, CheckWord]


UNUSABLE = Judgement("unusable", "unusable", {})
NO_TRACE = Judgement("no_trace", "no_trace", {})


def judge(case: Mapping[str, str], lines: Sequence[str]) -> Judgement:
    """Judge the run that ``lines`` (in any order) record for ``case`` (its cells as text)."""
    expected = expected_arguments(case)
    if expected is None:
        return UNUSABLE
    if not lines:
        return NO_TRACE
    recorded = [read(line) for line in lines]
    events = in_order([event for event in recorded if event is not None])
    if events is None or None in recorded:
        return UNUSABLE

    complete = not any(event.get("complete") is False for event in events)
    calls = [e for e in events if e["tool_name"] is not None and e.get("actor", "assistant") != "user"]
    words: dict[str, CheckWord] = {
        "sequence_ok": sequence(calls, complete),
        "arguments_ok": arguments(calls, expected, complete),
        "tools_succeeded": statuses(calls, complete),
        "single_reservation": reservations(calls, complete),
        "final_state_ok": final_state(events[-1], complete),
    }
    if "fail" in words.values():
        failing = {
            "sequence_ok": "wrong_sequence",
            "arguments_ok": "wrong_arguments",
            "tools_succeeded": "tool_error",
            "single_reservation": "duplicate_write" if count(calls, "reserve_room") > 1 else "missing_write",
            "final_state_ok": "wrong_final_state",
        }
        labels = {label for check, label in failing.items() if words[check] == "fail"}
        return Judgement("fail", next(label for label in PRIORITY if label in labels), words)
    if "unknown" in words.values():
        return Judgement("unknown", "not_observable", words)
    return Judgement("pass", "pass", words)


# -- the case ----------------------------------------------------------------------------------------------


def expected_arguments(case: Mapping[str, str]) -> dict[str, dict[str, Any]] | None:
    """Per tool, what its call must be given; a key whose cell is empty maps to ``ANYTHING``.

    None: a cell that must be a whole number is something else, so the case cannot be used.
    """
    cells: dict[str, Any] = {name: (ANYTHING if text == "" else text) for name, text in case.items()}
    for column in ("attendees", "expected_duration_min"):
        text = cells[column]
        if text is ANYTHING:
            continue
        digits = text[1:] if text.startswith("-") else text
        if not digits or any(character not in "0123456789" for character in digits):
            return None
        cells[column] = int(text)
    return {
        "check_availability": {
            "attendees": cells["attendees"],
            "start_utc": cells["expected_start_utc"],
            "duration_min": cells["expected_duration_min"],
        },
        "reserve_room": {
            "room_id": cells["expected_room_id"],
            "start_utc": cells["expected_start_utc"],
            "duration_min": cells["expected_duration_min"],
        },
        "send_confirmation": {"booking_id": cells["expected_booking_id"]},
    }


# -- the run -----------------------------------------------------------------------------------------------


class _Anything:
    pass


ANYTHING = _Anything()
ABSENT = object()
NOT_AN_OBJECT = object()


def read(text: str) -> dict[str, Any] | None:
    """A line with every number exact. Of two equal keys the last counts, but for the three that say where the
    line belongs: None then."""
    keys: list[str] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys[:] = [key for key, _ in pairs]  # the outermost object comes last
        return dict(pairs)

    value = json.loads(text, parse_float=Decimal, object_pairs_hook=object_of)
    assert isinstance(value, dict)
    return None if any(keys.count(key) > 1 for key in ("case_id", "step", "tool_name")) else value


def in_order(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The events by step; None when the steps are not 1, 2, 3 … (or 0, 1, 2 …), each once."""
    numbered: list[tuple[int, dict[str, Any]]] = []
    last: list[dict[str, Any]] = []
    for event in events:
        if event["tool_name"] is None and event.get("step") is None:
            last.append(event)  # a run record needs no step: it is the end of the run
            continue
        step = event.get("step")
        if isinstance(step, bool) or not isinstance(step, int | Decimal | str):
            return None
        if isinstance(step, str) and (not step.isascii() or not step.isdigit()):
            return None
        if Decimal(step) != int(step):
            return None
        numbered.append((int(step), event))
    numbered.sort(key=lambda pair: pair[0])
    steps = [step for step, _ in numbered]
    start = 0 if steps and steps[0] == 0 else 1
    if steps != list(range(start, start + len(steps))):
        return None
    return [event for _, event in numbered] + last


def called_with(event: Event) -> Any:
    """The arguments as the rules read them: an object, ``NOT_AN_OBJECT``, or ``ABSENT`` (not recorded)."""
    if "arguments" not in event:
        return ABSENT
    value = event["arguments"]
    if value is None or value == "":
        return {}
    if isinstance(value, str):  # JSON text is decoded once
        try:
            value = json.loads(value, parse_float=Decimal)
        except ValueError:
            return NOT_AN_OBJECT
    return value if isinstance(value, dict) else NOT_AN_OBJECT


def count(calls: Sequence[Event], tool: str) -> int:
    return sum(call["tool_name"] == tool for call in calls)


# -- the checks --------------------------------------------------------------------------------------------


def sequence(calls: Sequence[Event], complete: bool) -> CheckWord:
    """Exactly the expected calls in the expected order; calls of one group may have happened in any order.

    Of an incomplete run only that can be held against it which no lost call could put right.
    """
    orders = possible_orders(calls)
    if complete:
        return "pass" if any(order == SEQUENCE for order in orders) else "fail"
    return "unknown" if any(is_part_of(order, SEQUENCE) for order in orders) else "fail"


def possible_orders(calls: Sequence[Event]) -> list[tuple[str, ...]]:
    blocks: list[list[str]] = []
    open_group: Any = None
    for call in calls:
        group = call.get("group")
        if group is not None and group == open_group:
            blocks[-1].append(call["tool_name"])
        else:
            blocks.append([call["tool_name"]])
        open_group = group
    return [sum(choice, ()) for choice in product(*(list(permutations(block)) for block in blocks))]


def is_part_of(some: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(item in rest for item in some)


def arguments(calls: Sequence[Event], expected: Mapping[str, Mapping[str, Any]], complete: bool) -> CheckWord:
    """Every call is given exactly what the step of its tool says; a tool without a step is a wrong call."""
    if not calls:
        return "n/a" if complete else "unknown"
    words = [one_call(called_with(call), expected.get(call["tool_name"])) for call in calls]
    return worst(words, complete)


def one_call(observed: Any, expected: Mapping[str, Any] | None) -> CheckWord:
    if expected is None:
        return "fail"
    if observed is ABSENT:
        return "unknown"
    if observed is NOT_AN_OBJECT:
        return "fail"
    for key in observed:
        if key not in expected:
            return "fail"
    for key, value in expected.items():
        if value is ANYTHING:
            continue
        if key not in observed or not equal(value, observed[key]):
            return "fail"
    return "pass"


def equal(expected: Any, observed: Any) -> bool:
    """The booking contract expects text and whole numbers only."""
    if isinstance(expected, str):
        return isinstance(observed, str) and observed == expected
    if isinstance(observed, bool) or not isinstance(observed, int | Decimal):
        return False
    return Decimal(expected) == observed


def statuses(calls: Sequence[Event], complete: bool) -> CheckWord:
    """``ok`` is the one good word; a status that was not recorded says nothing."""
    words: list[CheckWord] = []
    for call in calls:
        status = call.get("status")
        words.append("unknown" if status is None else "pass" if status == "ok" else "fail")
    return worst(words, complete)


def reservations(calls: Sequence[Event], complete: bool) -> CheckWord:
    made = count(calls, "reserve_room")
    if made > 1:
        return "fail"
    if not complete:
        return "unknown"
    return "pass" if made == 1 else "fail"


def final_state(last: Event, complete: bool) -> CheckWord:
    if not complete:
        return "unknown"
    wanted = {"state_after": "confirmed", "run_outcome": "completed"}
    seen = {key: last.get(key) for key in wanted}
    if any(seen[key] is not None and seen[key] != wanted[key] for key in wanted):
        return "fail"
    return "unknown" if any(value is None for value in seen.values()) else "pass"


def worst(words: Sequence[CheckWord], complete: bool) -> CheckWord:
    if "fail" in words:
        return "fail"
    if "unknown" in words or not complete:
        return "unknown"
    return "pass"
