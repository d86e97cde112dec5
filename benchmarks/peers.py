"""The ways people judge such runs without this program: the tutorial's, and a careful loop.

``python -m benchmarks.peers pandas|json CASES TRACES`` prints how many runs keep every contract, and each.
Both take the data as it comes, with the silent changes of their readers; only time and memory are compared.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from typing import Any

SEQUENCE = ["check_availability", "reserve_room", "send_confirmation"]
Record = dict[Any, Any]


def verdicts(case: Record, calls: list[Record]) -> dict[str, bool]:
    """All five contracts of one run; ``calls`` in step order."""
    start, minutes = case["expected_start_utc"], int(case["expected_duration_min"])
    expected = {
        "check_availability": {
            "attendees": int(case["attendees"]),
            "start_utc": start,
            "duration_min": minutes,
        },
        "reserve_room": {"room_id": case["expected_room_id"], "start_utc": start, "duration_min": minutes},
        "send_confirmation": {"booking_id": case["expected_booking_id"]},
    }
    tools = [call["tool_name"] for call in calls]
    return {
        "sequence_ok": tools == SEQUENCE,
        "arguments_ok": all(call["arguments"] == expected.get(call["tool_name"]) for call in calls),
        "tools_succeeded": all(call["status"] == "ok" for call in calls),
        "single_reservation": tools.count("reserve_room") == 1,
        "final_state_ok": bool(calls)
        and calls[-1]["state_after"] == "confirmed"
        and calls[-1]["run_outcome"] == "completed",
    }


def with_pandas(cases_path: str, traces_path: str) -> Counter[str]:
    import pandas as pd

    cases = pd.read_csv(cases_path)
    traces = pd.read_json(traces_path, lines=True)
    runs = {
        case_id: group.sort_values("step").to_dict("records") for case_id, group in traces.groupby("case_id")
    }
    totals: Counter[str] = Counter()
    for case in cases.to_dict("records"):
        count(totals, verdicts(case, runs.get(case["case_id"], [])))
    return totals


def with_json(cases_path: str, traces_path: str) -> Counter[str]:
    runs: defaultdict[str, list[Record]] = defaultdict(list)
    with open(traces_path, encoding="utf-8") as lines:  # noqa: PTH123 - what such a script looks like
        for line in lines:
            event = json.loads(line)
            runs[event["case_id"]].append(event)
    totals: Counter[str] = Counter()
    with open(cases_path, encoding="utf-8", newline="") as table:  # noqa: PTH123
        for case in csv.DictReader(table):
            calls = sorted(runs.get(case["case_id"], []), key=lambda call: call["step"])
            count(totals, verdicts(case, calls))
    return totals


def count(totals: Counter[str], checks: dict[str, bool]) -> None:
    totals["pass"] += all(checks.values())
    totals.update(name for name, holds in checks.items() if holds)


if __name__ == "__main__":
    way, *paths = sys.argv[1:]
    print(json.dumps({"pandas": with_pandas, "json": with_json}[way](*paths)))
