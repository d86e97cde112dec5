"""Random booking cases with recordings that break the contract in every combination.

``suite(seed, size)`` starts from cases and runs that keep the contract and spoils each run in none to four
ways. The way a run was spoiled is not the expectation: two faults can mend each other. :mod:`oracle` judges.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

__all__ = ["COLUMNS", "FAULTS", "Recorded", "Suite", "lines_of", "right_case", "right_draft", "suite"]

COLUMNS = (
    "case_id",
    "user_request",
    "attendees",
    "expected_start_utc",
    "expected_duration_min",
    "expected_room_id",
    "expected_booking_id",
)
TOOLS = ("check_availability", "reserve_room", "send_confirmation")


@dataclass
class Recorded:
    """One run of a case: its lines as they stand in the file, and the faults that were put in."""

    case: dict[str, str]
    run_id: str | None
    lines: list[str]
    faults: tuple[str, ...]


@dataclass
class Suite:
    cases: list[dict[str, str]]
    runs: list[Recorded] = field(default_factory=list)

    def cases_csv(self) -> str:
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.cases)
        return text.getvalue()

    def traces_jsonl(self, rng: Random) -> str:
        """All lines of all runs, interleaved at random."""
        lines = [line for run in self.runs for line in run.lines]
        rng.shuffle(lines)
        return "".join(line + "\n" for line in lines)


BY_PLACE = object()


@dataclass
class Event:
    """``step`` is written as it is, BY_PLACE by where the event stands, None not at all; ``raw`` are further
    members of the line, as JSON text."""

    fields: dict[str, Any]
    step: Any = BY_PLACE
    raw: list[str] = field(default_factory=list)

    def copy(self) -> Event:
        fields = dict(self.fields)
        if isinstance(fields.get("arguments"), dict):
            fields["arguments"] = dict(fields["arguments"])
        return replace(self, fields=fields, raw=list(self.raw))


@dataclass
class Draft:
    """A run while it is being spoiled."""

    case: dict[str, str]
    events: list[Event]
    first_step: int = 1

    def given(self, rng: Random) -> dict[str, Any]:
        """The fields of some call with an object of arguments, or of none (an event that is thrown away)."""
        fit = [event.fields for event in self.events if isinstance(event.fields.get("arguments"), dict)]
        return rng.choice(fit) if fit else {"arguments": {}}


Fault = Callable[[Draft, Random], None]
FAULTS: dict[str, Fault] = {}


def fault(spoil: Fault) -> Fault:
    FAULTS[spoil.__name__] = spoil
    return spoil


# -- arguments ---------------------------------------------------------------------------------------------


@fault
def wrong_argument(draft: Draft, rng: Random) -> None:
    arguments = draft.given(rng)["arguments"]
    if not arguments:
        return
    key = rng.choice(list(arguments))
    value = arguments[key]
    if isinstance(value, int) and not isinstance(value, bool):
        more = [value + 1, -value, value * 10**30, value + 0.5, str(value), True, None, [value], {}]
    else:
        more = [f"{value} ", str(value).lower(), "", f"{value}\u0301", None, False, 0, [value], {"is": value}]
    arguments[key] = rng.choice(more)


@fault
def same_number_written_otherwise(draft: Draft, rng: Random) -> None:
    arguments = draft.given(rng)["arguments"]
    for key, value in arguments.items():
        if isinstance(value, int) and not isinstance(value, bool):
            arguments[key] = float(value)


@fault
def missing_argument(draft: Draft, rng: Random) -> None:
    arguments = draft.given(rng)["arguments"]
    if arguments:
        del arguments[rng.choice(list(arguments))]


@fault
def extra_argument(draft: Draft, rng: Random) -> None:
    key = rng.choice(["notes", "room", "Attendees", "start_utc "])
    draft.given(rng)["arguments"][key] = rng.choice(["", None, 1])


@fault
def swapped_arguments(draft: Draft, rng: Random) -> None:
    arguments = draft.given(rng)["arguments"]
    if len(arguments) > 1:
        a, b = rng.sample(list(arguments), 2)
        arguments[a], arguments[b] = arguments[b], arguments[a]


@fault
def arguments_of_another_call(draft: Draft, rng: Random) -> None:
    draft.given(rng)["arguments"] = dict(draft.given(rng)["arguments"])


@fault
def arguments_as_text(draft: Draft, rng: Random) -> None:
    fields = draft.given(rng)
    text = json.dumps(fields["arguments"])
    spoiled: list[Any] = [text[:-3], json.dumps(text), "null", "[]", "17", "", None, [], 3]
    fields["arguments"] = text if rng.random() < 0.3 else rng.choice(spoiled)


@fault
def arguments_not_recorded(draft: Draft, rng: Random) -> None:
    del draft.given(rng)["arguments"]


@fault
def argument_given_twice(draft: Draft, rng: Random) -> None:
    """The same key twice in one object; the second one counts."""
    event = rng.choice(draft.events)
    arguments = event.fields.get("arguments")
    if isinstance(arguments, dict) and arguments:
        del event.fields["arguments"]
        key = rng.choice(list(arguments))
        twice = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in arguments.items()]
        twice.insert(rng.randint(0, len(twice)), f"{json.dumps(key)}: 77")
        event.raw.append('"arguments": {' + ", ".join(twice) + "}")


# -- calls -------------------------------------------------------------------------------------------------


@fault
def missing_call(draft: Draft, rng: Random) -> None:
    if len(draft.events) > 1:
        del draft.events[rng.randrange(len(draft.events))]


@fault
def only_the_first_calls(draft: Draft, rng: Random) -> None:
    del draft.events[rng.randint(1, len(draft.events)) :]


@fault
def repeated_call(draft: Draft, rng: Random) -> None:
    again = rng.choice(draft.events).copy()
    again.step = BY_PLACE
    arguments = again.fields.get("arguments")
    if isinstance(arguments, dict) and arguments and rng.random() < 0.3:
        arguments[next(iter(arguments))] = "another"
    draft.events.insert(rng.randint(0, len(draft.events)), again)


@fault
def unknown_tool(draft: Draft, rng: Random) -> None:
    tool = rng.choice(["cancel_room", "Reserve_room", "reserve_room ", "予約", "[/]"])
    if rng.random() < 0.5:
        rng.choice(draft.events).fields["tool_name"] = tool
        return
    arguments = rng.choice([{}, {"room_id": "R-1"}])
    call = {"tool_name": tool, "arguments": arguments, "status": "ok", "state_after": "reserved"}
    draft.events.insert(rng.randint(0, len(draft.events)), Event(call | {"run_outcome": "completed"}))


@fault
def calls_in_another_order(draft: Draft, rng: Random) -> None:
    rng.shuffle(draft.events)


@fault
def parallel_calls(draft: Draft, rng: Random) -> None:
    """Two neighbours that were made in one turn: which of them is written first says nothing."""
    if len(draft.events) > 1:
        at = rng.randrange(len(draft.events) - 1)
        pair = draft.events[at : at + 2]
        if rng.random() < 0.5:
            pair.reverse()
        for event in pair:
            event.fields["group"] = "turn 1"
        draft.events[at : at + 2] = pair


@fault
def call_by_the_user(draft: Draft, rng: Random) -> None:
    call = {
        "tool_name": rng.choice(TOOLS),
        "actor": "user",
        "arguments": {"any": "thing"},
        "status": rng.choice(["ok", "error"]),
        "state_after": "confirmed",
        "run_outcome": "completed",
    }
    draft.events.insert(rng.randrange(len(draft.events)), Event(call))


# -- what happened -----------------------------------------------------------------------------------------


@fault
def status_word(draft: Draft, rng: Random) -> None:
    words = ["error", "error", "timeout", "denied", "OK", None]
    rng.choice(draft.events).fields["status"] = rng.choice(words)


@fault
def status_not_recorded(draft: Draft, rng: Random) -> None:
    rng.choice(draft.events).fields.pop("status", None)


@fault
def wrong_state(draft: Draft, rng: Random) -> None:
    states = ["reserved", "Confirmed", "", True, {"confirmed": True}, 1]
    draft.events[-1].fields["state_after"] = rng.choice(states)


@fault
def wrong_outcome(draft: Draft, rng: Random) -> None:
    outcome = rng.choice(["failed", "cancelled", "complete", ["completed"]])
    for event in draft.events:
        event.fields["run_outcome"] = outcome


@fault
def state_not_recorded(draft: Draft, rng: Random) -> None:
    key = rng.choice(["state_after", "run_outcome"])
    fields = draft.events[-1].fields
    fields.pop(key, None)
    if rng.random() < 0.5:
        fields[key] = None


@fault
def incomplete(draft: Draft, rng: Random) -> None:
    rng.choice(draft.events).fields["complete"] = False


@fault
def run_record(draft: Draft, rng: Random) -> None:
    """Final evidence without a call, with the next step or with none."""
    if any(event.fields["tool_name"] is None for event in draft.events):
        return
    record = {
        "tool_name": None,
        "state_after": rng.choice(["confirmed", "confirmed", "released"]),
        "run_outcome": rng.choice(["completed", "completed", "crashed", None]),
    }
    if rng.random() < 0.2:
        draft.events.clear()
    draft.events.append(Event(record, step=rng.choice([BY_PLACE, None])))


# -- how it was written down -------------------------------------------------------------------------------


@fault
def steps_from_zero(draft: Draft, rng: Random) -> None:
    draft.first_step = 0


@fault
def odd_step(draft: Draft, rng: Random) -> None:
    place = rng.randrange(len(draft.events))
    step = place + draft.first_step
    draft.events[place].step = rng.choice([str(step), float(step), step + 1, 99, -1, True, "x", 1.5])


@fault
def key_of_the_line_twice(draft: Draft, rng: Random) -> None:
    extra = ['"tool_name": "reserve_room"', '"step": 1', '"model": "a", "model": "b"']
    rng.choice(draft.events).raw.append(rng.choice(extra))


@fault
def empty_cell(draft: Draft, rng: Random) -> None:
    """That comparison is left out; the booking id stays, so that every call keeps something to compare."""
    draft.case[rng.choice(COLUMNS[2:6])] = ""


@fault
def cell_that_is_no_number(draft: Draft, rng: Random) -> None:
    draft.case[rng.choice(["attendees", "expected_duration_min"])] = rng.choice(
        ["six", "4.0", "1e2", "NA", "+4"]
    )


@fault
def nothing_recorded(draft: Draft, rng: Random) -> None:
    draft.events.clear()


# -- putting it together -----------------------------------------------------------------------------------

# Faults that leave nothing to judge are rare, so that the others are seen in combination.
RARE = {"cell_that_is_no_number", "nothing_recorded", "odd_step", "key_of_the_line_twice"}
# The runs of one case share its cells, and a case with one run recorded has no second one without events.
OF_THE_CASE = {"cell_that_is_no_number", "empty_cell", "nothing_recorded"}


def suite(seed: int, size: int) -> Suite:
    """``size`` cases with one run each, some with two; the same for the same seed."""
    rng = Random(seed)
    made = Suite([])
    for number in range(size):
        case = right_case(number, rng)
        made.cases.append(case)
        run_ids: Sequence[str | None] = ("r1", "r2") if rng.random() < 0.1 else (None,)
        made.runs += [recorded(case, run_id, rng) for run_id in run_ids]
    return made


def recorded(case: dict[str, str], run_id: str | None, rng: Random) -> Recorded:
    draft = right_draft(case)
    chosen: list[str] = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 4])):
        name = rng.choice(list(FAULTS))
        if (name in RARE and rng.random() < 0.8) or (name in OF_THE_CASE and run_id is not None):
            continue
        if draft.events:
            FAULTS[name](draft, rng)
            chosen.append(name)
    part_scattered_groups(draft)
    return Recorded(case, run_id, lines_of(draft, run_id, rng), tuple(chosen))


def part_scattered_groups(draft: Draft) -> None:
    """One turn's calls stand together; where a later fault parted them, they are no turn any more."""
    places = [place for place, event in enumerate(draft.events) if "group" in event.fields]
    if places and places != list(range(places[0], places[0] + len(places))):
        for place in places:
            del draft.events[place].fields["group"]


def right_case(number: int, rng: Random) -> dict[str, str]:
    case_id = rng.choice(["B", "0", "NA-", "1e", "Zoë ", "7", ""]) + str(1000 + number)
    return {
        "case_id": case_id,
        "user_request": rng.choice(["", "=1+1", "Book [/] a room", "部屋を予約", "NA"]),
        "attendees": str(rng.randint(1, 12)),
        "expected_start_utc": f"2026-09-{rng.randint(1, 28):02}T{rng.randint(8, 17):02}:00:00Z",
        "expected_duration_min": str(rng.choice([15, 30, 45, 60])),
        "expected_room_id": rng.choice(["R-1", "007", "NA", "Étage", "1e3"]),
        "expected_booking_id": f"BK-{number}",
    }


def right_draft(case: dict[str, str]) -> Draft:
    """A run of the case that keeps the contract."""
    start, minutes = case["expected_start_utc"], int(case["expected_duration_min"])
    given: tuple[dict[str, Any], ...] = (
        {"attendees": int(case["attendees"]), "start_utc": start, "duration_min": minutes},
        {"room_id": case["expected_room_id"], "start_utc": start, "duration_min": minutes},
        {"booking_id": case["expected_booking_id"]},
    )
    states = ("room_found", "reserved", "confirmed")
    events = [
        Event({"tool_name": t, "arguments": a, "status": "ok", "state_after": s, "run_outcome": "completed"})
        for t, a, s in zip(TOOLS, given, states, strict=True)
    ]
    return Draft(case, events)


def lines_of(draft: Draft, run_id: str | None, rng: Random) -> list[str]:
    """The run as lines of a trace file, without line ends."""
    lines = []
    for place, event in enumerate(draft.events):
        case_id: Any = draft.case["case_id"]
        if case_id.isdigit() and not case_id.startswith("0") and rng.random() < 0.5:
            case_id = int(case_id)  # joins by its written digits
        whole: dict[str, Any] = {"case_id": case_id}
        if run_id is not None:
            whole["run_id"] = run_id
        step = place + draft.first_step if event.step is BY_PLACE else event.step
        if step is not None:
            whole["step"] = step
        text = json.dumps(whole | event.fields, ensure_ascii=rng.random() < 0.5)
        lines.append(text[:-1] + "".join(f", {member}" for member in event.raw) + "}")
    return lines
