"""The example data, run by run, against verdicts that were worked out by a separate reading of the rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from traceview.load import Loader
from traceview.results import Report, label_totals, layer_totals

DATA = Path(__file__).parents[1] / "data" / "verdicts"
EXPECTED = json.loads((DATA / "expected.json").read_text("utf-8"))

Events = list[dict[str, Any]]


def check(name: str, traces: Path | None = None) -> Report:
    folder = DATA / name
    contract = str(folder / "contract.toml")
    if name == "acceptance":
        return Loader(str(folder / "observations.json"), [], contract).report()
    return Loader(str(folder / "cases.csv"), [str(traces or folder / "traces.jsonl")], contract).report()


def compare(report: Report, expected: dict[str, Any]) -> None:
    """Every verdict, diagnosis, check and layer that is expected."""
    found = {row.case.case_id: row.result for row in report.rows}
    assert list(found) == list(expected)
    for case_id, wanted in expected.items():
        result = found[case_id]
        assert (result.verdict, result.diagnosis) == (wanted["verdict"], wanted["diagnosis"]), case_id
        assert {k: result.checks[k] for k in wanted["checks"]} == wanted["checks"], case_id
        assert result.layers == wanted["layers"], case_id


def redacted(events: Events) -> Events:
    """Every organizer taken away."""
    for event in events:
        if "organizer" in event["arguments"]:
            event["arguments"]["organizer"] = "__REDACTED__"
    return events


def cut(events: Events) -> Events:
    """The last event of every run lost, and the one before it marked as the last of an incomplete run."""
    runs: dict[str, Events] = {}
    for event in events:
        runs.setdefault(event["case_id"], []).append(event)
    for run in runs.values():
        run.sort(key=lambda event: int(event["step"]))
        run.pop()
        run[-1]["complete"] = False
    return [event for run in runs.values() for event in run]


@pytest.mark.parametrize("name", ["rooms", "retail", "acceptance"])
def test_as_recorded(name: str) -> None:
    compare(check(name), EXPECTED[name])


@pytest.mark.parametrize(("name", "lose"), [("rooms_redacted", redacted), ("rooms_cut", cut)])
def test_rooms_with_evidence_taken_away(name: str, lose: Callable[[Events], Events], tmp_path: Path) -> None:
    lines = (DATA / "rooms" / "traces.jsonl").read_text("utf-8").splitlines()
    traces = tmp_path / "traces.jsonl"
    events = lose([json.loads(line) for line in lines if line.strip()])
    traces.write_text("".join(json.dumps(event) + "\n" for event in events), "utf-8")
    compare(check("rooms", traces), EXPECTED[name])


def test_layers_let_through_what_the_verdict_does_not() -> None:
    report = check("acceptance")
    http, shape = layer_totals(report.rows, ["HTTP 2xx only", "Booking shape only"])
    assert (http["invalid"], http["false_acceptances"], http["false_rejections"]) == (9, 8, 0)
    assert (shape["invalid"], shape["false_acceptances"], shape["false_rejections"]) == (9, 7, 1)
    assert (http["unknown"], http["accepted_unknown"], shape["accepted_unknown"]) == (1, 0, 0)
    assert label_totals(report.rows) == {"agree": 12, "disagree": 0, "unlabelled": 0}
