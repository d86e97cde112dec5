"""Observations at the command line: one file that holds both sides, judged in layers, with three verdicts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from traceview.cli import main

SAMPLE = Path(__file__).parents[2] / "sample_data"
OBSERVATIONS, CONTRACT = SAMPLE / "acceptance_observations.json", SAMPLE / "acceptance.toml"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def report(run: Run, *options: str) -> dict[str, Any]:
    found = json.loads(run("check", OBSERVATIONS, "--contract", CONTRACT, "--format", "json", *options)[1])
    assert isinstance(found, dict)
    return found


def test_two_valid_nine_invalid_one_unknown_all_as_labelled(run: Run) -> None:
    found = report(run)
    assert {key: found["totals"][key] for key in ("pass", "fail", "unknown")} == {
        "pass": 2,
        "fail": 9,
        "unknown": 1,
    }
    assert found["labels"] == {"agree": 12, "disagree": 0, "unlabelled": 0}
    assert [(info["role"], info["format"], info["records"]) for info in found["inputs"]] == [
        ("cases", "json", 12)
    ]


def test_what_each_layer_would_have_let_through(run: Run) -> None:
    http, shape = report(run)["layers"]
    assert (http["name"], http["false_acceptances"], http["invalid"]) == ("HTTP 2xx only", 8, 9)
    assert (shape["name"], shape["false_acceptances"], shape["invalid"]) == ("Booking shape only", 7, 9)
    assert (http["false_rejections"], shape["false_rejections"], shape["valid"]) == (0, 1, 2)
    assert (http["accepted_unknown"], shape["accepted_unknown"], shape["unknown"]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ('layer:"HTTP 2xx only"=accept label:FAIL', 8),
        ('layer:"Booking shape only"=accept label:FAIL', 7),
        ('layer:"Booking shape only"=reject label:PASS', 1),
        ("is:unknown", 1),
    ],
)
def test_the_cases_behind_a_number_are_a_filter_away(run: Run, wanted: str, count: int) -> None:
    assert len(report(run, "--filter", wanted)["results"]) == count


def test_the_gate_is_the_verdict_or_the_reviewed_label(run: Run) -> None:
    arguments = ("check", OBSERVATIONS, "--contract", CONTRACT)
    assert run(*arguments)[0] == 1
    assert run(*arguments, "--fail-on", "label-disagree")[0] == 0


def test_a_label_that_disagrees_is_counted_and_changes_no_verdict(run: Run, tmp_path: Path) -> None:
    observations = json.loads(OBSERVATIONS.read_text("utf-8"))
    before = [one["verdict"] for one in report(run)["results"]]
    for one in observations:
        if one["name"] == "wrong_day":
            one["expected"] = "PASS"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(observations), "utf-8")
    code, out, _ = run(
        "check", changed, "--contract", CONTRACT, "--format", "json", "--fail-on", "label-disagree"
    )
    found = json.loads(out)
    assert code == 1
    assert found["labels"] == {"agree": 11, "disagree": 1, "unlabelled": 0}
    assert [one["verdict"] for one in found["results"]] == before


def test_json_lines_are_read_the_same(run: Run, tmp_path: Path) -> None:
    lines = tmp_path / "observations.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in json.loads(OBSERVATIONS.read_text("utf-8"))))
    code, out, _ = run("check", lines, "--contract", CONTRACT, "--format", "json")
    assert code == 1
    assert json.loads(out)["results"] == report(run)["results"]


@pytest.mark.parametrize("alone", ["booking_agent_cases.csv", "booking_agent_traces.jsonl"])
def test_half_of_the_input_is_refused(run: Run, alone: str) -> None:
    code, out, err = run("check", SAMPLE / alone)
    assert (code, out) == (2, "")
    assert f"{alone} alone is not enough" in err and err.count("\n") == 1
