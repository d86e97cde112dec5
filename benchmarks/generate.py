"""Room-booking data of any size, the same for the same seed.

About 2.9 events and 2.6 kB a case: 70 % of the runs keep the built-in contract, the others break it in one of
fifteen ways; the lines of some sixty runs are interleaved, as agents that work side by side leave them.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

VERSION = 1  # a new number when the same seed gives other data: kept files of the old one are not used
SIDE_BY_SIDE = 60
COLUMNS = (
    "case_id",
    "user_request",
    "attendees",
    "expected_start_utc",
    "expected_duration_min",
    "expected_room_id",
    "expected_booking_id",
)
WORDS = (
    *("room", "projector", "window", "quiet", "board", "team", "budget", "review", "floor", "north", "annex"),
    *("Łódź", "São Paulo", "Zürich", "会議", "before", "lunch", "whiteboard", "access", "badge", "catering"),
    *("remote", "guests", "interview", "workshop", "half", "hour", "please", "planning", "reserve"),
)

Call = dict[str, Any]
Case = dict[str, str]
Fault = Callable[[list[Call], Random], None]


class Data(NamedTuple):
    cases: Path
    traces: Path


def data(size: int, seed: int = 1) -> Data:
    """The files with ``size`` cases, made once and kept in the temporary folder."""
    folder = Path(tempfile.gettempdir()) / "traceview-benchmarks" / f"{size}-cases-seed-{seed}-v{VERSION}"
    made = Data(folder / "cases.csv", folder / "traces.jsonl")
    if not made.traces.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = made.traces.with_suffix(".part")
        write(made.cases, unfinished, size, Random(seed))
        unfinished.rename(made.traces)
    return made


LONG_RUNS = ("runaway", "one differs", "all right", "all differ")


def long_runs(steps: int) -> Data:
    """The files with runs of so many steps, each between two short ones.

    ``runaway``: one call is expected, and it is made with ever other arguments; the others are expected to
    make all their calls, with one wrong argument, with none and long results, or with one in each call.
    """
    folder = Path(tempfile.gettempdir()) / "traceview-benchmarks" / f"long-runs-{steps}-v{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    made = Data(folder / "cases.csv", folder / "traces.jsonl")
    tools = ("search", "quote", "hold", "pay", "list")
    few: list[Call] = [{"tool_name": "pay", "arguments": {"item": 1}}]
    many: list[Call] = [
        {"tool_name": tools[n % 5], "arguments": {"item": n, "name": f"article {n}"}} for n in range(steps)
    ]
    wrong: list[Call] = [{**call, "arguments": {**call["arguments"], "name": "another"}} for call in many]
    text = {"result": {"text": "a result that is a text " * 10}}
    runs: dict[str, tuple[list[Call], list[Call]]] = {
        "runaway": (few, [{**few[0], "arguments": {"item": n}} for n in range(steps)]),
        "one differs": (many, [*many[:-9], wrong[-9], *many[-8:]]),
        "all right": (many, [{**call, **text} for call in many]),
        "all differ": (many, wrong),
    }
    with (
        made.cases.open("w", newline="", encoding="utf-8") as table,
        made.traces.open("w", encoding="utf-8") as lines,
    ):
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(("case_id", "expected_sequence", "expected_arguments"))
        every = [("short", (few, few))]
        for run in runs.items():
            every += [run, (f"short after {run[0]}", (few, few))]
        for name, (expected, calls) in every:
            sequence, arguments = ([call[key] for call in expected] for key in ("tool_name", "arguments"))
            rows.writerow((name, json.dumps(sequence), json.dumps(arguments)))
            for step, call in enumerate(calls, 1):
                event = {"case_id": name, "step": step, **call, "status": "ok"}
                lines.write(json.dumps(event) + "\n")
    return made


def write(cases: Path, traces: Path, size: int, rng: Random) -> None:
    filler = [" ".join(rng.choices(WORDS, k=rng.randint(20, 60))) for _ in range(2000)]
    with (
        cases.open("w", newline="", encoding="utf-8") as table,
        traces.open("w", encoding="utf-8") as lines,
    ):
        rows = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        rows.writeheader()
        running: list[Iterator[str]] = []
        for number in range(size):
            case = new_case(number, rng)
            rows.writerow(case)
            running.append(iter(recorded(case, filler, rng)))
            while len(running) >= SIDE_BY_SIDE:
                write_one(running, lines.write, rng)
        while running:
            write_one(running, lines.write, rng)


def write_one(running: list[Iterator[str]], out: Callable[[str], object], rng: Random) -> None:
    at = rng.randrange(len(running))
    line = next(running[at], None)
    if line is None:
        del running[at]
    else:
        out(line + "\n")


def new_case(number: int, rng: Random) -> Case:
    day = f"2027-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    floor = f"sites/{rng.choice(WORDS)}/floors/{rng.randint(0, 9)}"
    return {
        "case_id": f"C{number:07}",
        "user_request": f"{rng.choice(WORDS)} {rng.choice(WORDS)} for {rng.randint(2, 12)}, request {number}",
        "attendees": str(rng.randint(2, 12)),
        "expected_start_utc": f"{day}T{rng.randint(7, 18):02}:00:00Z",
        "expected_duration_min": rng.choice(("15", "30", "45", "60", "90")),
        "expected_room_id": f"{floor}/rooms/R-{rng.randint(100, 999)}",
        "expected_booking_id": f"BK-{number:07}-{rng.getrandbits(256):064x}",
    }


def right_calls(case: Case) -> list[Call]:
    start, minutes = case["expected_start_utc"], int(case["expected_duration_min"])
    given = (
        {"attendees": int(case["attendees"]), "start_utc": start, "duration_min": minutes},
        {"room_id": case["expected_room_id"], "start_utc": start, "duration_min": minutes},
        {"booking_id": case["expected_booking_id"]},
    )
    tools = ("check_availability", "reserve_room", "send_confirmation")
    states = ("room_found", "reserved", "confirmed")
    return [
        {
            "tool_name": tool,
            "arguments": arguments,
            "status": "ok",
            "state_after": state,
            "run_outcome": "completed",
        }
        for tool, arguments, state in zip(tools, given, states, strict=True)
    ]


def recorded(case: Case, filler: list[str], rng: Random) -> list[str]:
    calls = right_calls(case)
    if rng.random() < 0.3:
        rng.choice(FAULTS)(calls, rng)
    lines = []
    for step, call in enumerate(calls, 1):
        second = rng.randint(0, 59)
        # Most results are short, some are long documents: up to 4 kB of them.
        text = " ".join(rng.choices(filler, k=1 if rng.random() < 0.96 else rng.randint(2, 15)))
        event = {
            "case_id": case["case_id"],
            "step": step,
            "call_id": f"call_{rng.getrandbits(64):016x}",
            **call,
            "result": {"text": text[:4000], "elapsed_ms": rng.randint(3, 4000)},
            "started_at": f"2027-01-01T10:00:{second:02}.{rng.randint(0, 999):03}Z",
            "model": "assistant-large-2",
            "agent_version": "2027.1.3",
            "usage": {"input_tokens": rng.randint(300, 9000), "output_tokens": rng.randint(10, 400)},
        }
        lines.append(json.dumps(event, ensure_ascii=False))
    return lines


# -- fifteen ways to break the contract --------------------------------------------------------------------


def set_argument(call: int, key: str, change: Callable[[Any], Any]) -> Fault:
    def spoil(calls: list[Call], rng: Random) -> None:
        calls[call]["arguments"][key] = change(calls[call]["arguments"][key])

    return spoil


def swap_first_two(calls: list[Call], rng: Random) -> None:
    calls[0], calls[1] = calls[1], calls[0]


def stop_before(call: int) -> Fault:
    def spoil(calls: list[Call], rng: Random) -> None:
        del calls[call:]

    return spoil


def reserve_twice(calls: list[Call], rng: Random) -> None:
    calls.insert(2, dict(calls[1]))


def call_another_tool(calls: list[Call], rng: Random) -> None:
    calls.insert(rng.randint(0, 3), {**calls[0], "tool_name": "list_rooms", "arguments": {"floor": 3}})


def leave_out_an_argument(calls: list[Call], rng: Random) -> None:
    del calls[1]["arguments"]["start_utc"]


def add_an_argument(calls: list[Call], rng: Random) -> None:
    calls[1]["arguments"]["priority"] = "high"


def fail_at_the_end(calls: list[Call], rng: Random) -> None:
    calls[2] |= {"status": "error", "state_after": "reserved"}


def time_out(calls: list[Call], rng: Random) -> None:
    calls[0]["status"] = "timeout"


def end_elsewhere(calls: list[Call], rng: Random) -> None:
    calls[-1]["state_after"] = "waitlisted"


def crash(calls: list[Call], rng: Random) -> None:
    for call in calls:
        call["run_outcome"] = "failed"


FAULTS: tuple[Fault, ...] = (
    swap_first_two,
    stop_before(2),
    stop_before(0),
    reserve_twice,
    call_another_tool,
    set_argument(0, "duration_min", lambda minutes: minutes * 2),
    set_argument(1, "room_id", lambda room: room + "1"),
    set_argument(0, "attendees", str),
    set_argument(2, "booking_id", lambda _: None),
    leave_out_an_argument,
    add_an_argument,
    fail_at_the_end,
    time_out,
    end_elsewhere,
    crash,
)
