"""Runs that were recorded under the wrong case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from traceview.load import Finished, Loader
from traceview.mixup import hints
from traceview.model import Problem

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES, TRACES = SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl"


def found(cases: Path, traces: Path) -> list[Problem]:
    loader = Loader(str(cases), [str(traces)])
    report = next(m.report for m in loader.stages() if isinstance(m, Finished))
    return hints(report.rows, loader.reader.run)


def relabelled(folder: Path, names: dict[str, str], lines: Sequence[bytes] = ()) -> Path:
    """The recording of the sample in which some runs stand under another case."""
    path = folder / "traces.jsonl"
    events = [json.loads(line) for line in lines or TRACES.read_bytes().splitlines()]
    for event in events:
        event["case_id"] = names.get(event["case_id"], event["case_id"])
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_runs_that_fail_as_themselves_are_not_suspected() -> None:
    assert found(CASES, TRACES) == []


def test_two_runs_under_each_others_case(tmp_path: Path) -> None:
    problems = found(CASES, relabelled(tmp_path, {"B01": "B10", "B10": "B01"}))
    assert [(p.code, p.severity, p.path, p.case_id) for p in problems] == [
        ("wrong_case", "warning", "traces.jsonl", "B01"),
        ("wrong_case", "warning", "traces.jsonl", "B10"),
    ]
    assert "tells case B01 from others" in problems[0].message
    assert "are those of case B10: is it recorded under the wrong case?" in problems[0].message
    assert all(p.line is not None for p in problems)


def test_it_is_found_in_any_order_of_the_lines(tmp_path: Path) -> None:
    names = {"B01": "B10", "B10": "B01"}
    lines = TRACES.read_bytes().splitlines()
    first = [p.message for p in found(CASES, relabelled(tmp_path, names))]
    assert [p.message for p in found(CASES, relabelled(tmp_path, names, lines[::-1]))] == first


def test_a_run_that_holds_one_value_of_its_own_is_not_suspected(tmp_path: Path) -> None:
    own = next(line for line in CASES.read_text("utf-8").splitlines() if line.startswith("B01"))
    booking = own.split(",")[-1].strip()
    path = relabelled(tmp_path, {"B01": "B10", "B10": "B01"})
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        if event["case_id"] == "B01" and event["tool_name"] == "send_confirmation":
            event["arguments"]["booking_id"] = booking
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert [p.case_id for p in found(CASES, path)] == ["B10"]


def test_common_values_tell_nothing(tmp_path: Path) -> None:
    cases, traces = tmp_path / "cases.jsonl", tmp_path / "traces.jsonl"
    cases.write_text(
        "".join(
            json.dumps({"case_id": f"c{n}", "expected_arguments": {"t": {"room": n % 3, "hour": n % 4}}})
            + "\n"
            for n in range(40)
        )
    )
    traces.write_text(
        "".join(
            json.dumps(
                {
                    "case_id": f"c{n}",
                    "step": 1,
                    "tool_name": "t",
                    "status": "ok",
                    "arguments": {"room": (n + 1) % 3, "hour": (n + 1) % 4},
                }
            )
            + "\n"
            for n in range(40)
        )
    )
    assert found(cases, traces) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_values_in_json_cells(tmp_path: Path, form: str) -> None:
    cases, traces = tmp_path / "cases.jsonl", tmp_path / "traces.jsonl"
    lines, events = [], []
    for n in range(30):
        arguments = {"flight": f"F{n}", "seat": {"row": 100 + n}, "name": [f"P{n}", "x"]}
        expected = {"book": arguments}
        lines.append(
            {
                "case_id": f"c{n:02}",
                "expected_arguments": json.dumps(expected) if form == "text" else expected,
            }
        )
        other = (n + 7) % 30 if n < 2 else n
        arguments = {"flight": f"F{other}", "seat": {"row": 100.0 + other}, "name": [f"P{other}", "x"]}
        events.append(
            {"case_id": f"c{n:02}", "step": 1, "tool_name": "book", "status": "ok", "arguments": arguments}
        )
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    traces.write_text("".join(json.dumps(event) + "\n" for event in events))
    problems = found(cases, traces)
    assert [p.case_id for p in problems] == ["c00", "c01"]
    assert "3 of 3 such values are those of case c07:" in problems[0].message
