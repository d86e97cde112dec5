"""Marks at the shell: in reports, and at the gate."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import traceview
from traceview.results import Row
from traceview.triage import about_case, about_run, about_signature, load
from unit.test_cli import CASES, TRACES, Run, run

__all__ = ["run"]

Kept = Callable[..., Path]
LINES = TRACES.read_bytes().splitlines(keepends=True)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The sample in a folder of its own."""
    (tmp_path / "cases.csv").write_bytes(CASES.read_bytes())
    (tmp_path / "traces.jsonl").write_bytes(TRACES.read_bytes())
    return tmp_path


def rows(here: Path) -> dict[str, Row]:
    report = traceview.load(here / "cases.csv", here / "traces.jsonl")
    return {row.result.case_id: row for row in report.rows}


def mark_all(here: Path, mark: str = "ignore", path: str = "cases.csv.triage.jsonl") -> Path:
    """Every failure but that of B05 is marked."""
    triage = load(here / path, "ann")
    failing = [row for row in rows(here).values() if row.result.verdict == "fail"]
    triage.append(*(about_run(row, mark=mark) for row in failing if row.result.case_id != "B05"))
    return triage.path


def report_of(run: Run, *options: str | Path) -> dict[str, Any]:
    report = json.loads(run("check", "cases.csv", "traces.jsonl", "--format", "json", *options)[1])
    assert isinstance(report, dict)
    return report


def test_without_a_file_a_report_says_nothing_of_triage(run: Run, here: Path) -> None:
    for form in ("json", "csv", "text", "markdown", "junit"):
        assert "triage" not in run("check", "cases.csv", "traces.jsonl", "--format", form)[1]


def test_reports_carry_mark_note_and_tags(run: Run, here: Path) -> None:
    triage = load(here / "cases.csv.triage.jsonl", "ann")
    triage.append(about_run(rows(here)["B03"], mark="confirmed", note="an hour, again", tag=["room", "p1"]))
    report = report_of(run)
    assert report["triage"] == {
        "path": "cases.csv.triage.jsonl",
        "respected": False,
        "marks": {"open": 0, "confirmed": 1, "expectation wrong": 0, "environment": 0, "ignore": 0},
        "changed": 0,
        "accepted": 0,
    }
    decided = {one["case_id"]: one["triage"] for one in report["results"]}
    assert decided.pop("B03") == {
        "mark": "confirmed",
        "scope": "run",
        "same": True,
        "accepted": False,
        "note": "an hour, again",
        "tags": ["room", "p1"],
        "author": "ann",
        "time": triage.decisions[0].time,
    }
    assert set(decided.values()) == {None}
    table = list(csv.DictReader(io.StringIO(run("check", "cases.csv", "traces.jsonl", "--format", "csv")[1])))
    assert [(row["mark"], row["note"], row["tags"], row["since"]) for row in table if row["mark"]] == [
        ("confirmed", "an hour, again", "room, p1", "same")
    ]
    text = run("check", "cases.csv", "traces.jsonl")[1]
    assert "Triage (cases.csv.triage.jsonl): 1 confirmed\n" in text
    assert "\n    marked confirmed by ann, as when marked: an hour, again [room, p1]\n" in text


def test_a_mark_alone_changes_no_exit_code(run: Run, here: Path) -> None:
    mark_all(here)
    code, out, _ = run("check", "cases.csv", "traces.jsonl")
    assert code == 1 and "accepted" not in out


@pytest.mark.parametrize("mark", ["ignore", "expectation wrong"])
def test_accepted_runs_pass_the_gate(run: Run, here: Path, mark: str) -> None:
    mark_all(here, mark)
    arguments = ("check", "cases.csv", "traces.jsonl", "--respect-triage")
    code, out, _ = run(*arguments)
    assert code == 1  # B05
    assert "6 runs accepted by triage: they count as passing" in out
    assert f"marked {mark} by ann, as when marked, accepted" in out
    load(here / "cases.csv.triage.jsonl").append(about_run(rows(here)["B05"], mark=mark))
    code, out, _ = run(*arguments)
    assert code == 0
    assert "5 of 12 evaluated pass, 7 fail" in out and "7 runs accepted by triage" in out
    report = report_of(run, "--respect-triage")
    assert report["totals"]["fail"] == 7
    assert (report["triage"]["respected"], report["triage"]["accepted"]) == (True, 7)
    assert [one["triage"]["accepted"] for one in report["results"] if one["triage"]] == [True] * 7


@pytest.mark.parametrize("mark", ["open", "confirmed", "environment"])
def test_other_marks_do_not_pass_the_gate(run: Run, here: Path, mark: str) -> None:
    mark_all(here, mark)
    assert run("check", "cases.csv", "traces.jsonl", "--respect-triage", "--filter", "-case:B05")[0] == 1


def test_another_failure_than_the_one_that_was_marked_does_not_pass(run: Run, here: Path) -> None:
    mark_all(here)
    arguments = ("check", "cases.csv", "traces.jsonl", "--respect-triage", "--filter", "-case:B05")
    assert run(*arguments)[0] == 0
    lines = [line.replace(b'"duration_min": 60', b'"minutes": 60') for line in LINES]
    assert lines != LINES
    (here / "traces.jsonl").write_bytes(b"".join(lines))
    code, out, _ = run(*arguments)
    assert code == 1 and "changed since" in out


def test_a_case_that_is_marked_as_a_whole_passes_whatever_its_failure(run: Run, here: Path) -> None:
    load(here / "cases.csv.triage.jsonl").append(about_case([rows(here)["B03"]], mark="ignore"))
    only = ("check", "cases.csv", "traces.jsonl", "--respect-triage", "--filter", "case:B03")
    assert run(*only)[0] == 0
    (here / "traces.jsonl").write_bytes(b"".join(line for line in LINES if b'"B03"' not in line))
    assert run(*only)[0] == 0  # nothing recorded at all
    assert run(*(argument for argument in only if argument != "--respect-triage"))[0] == 3


def test_a_signature_passes_with_all_its_runs(run: Run, here: Path) -> None:
    signature = rows(here)["B04"].result.signature
    assert signature is not None
    load(here / "cases.csv.triage.jsonl").append(about_signature(signature, mark="ignore"))
    assert run("check", "cases.csv", "traces.jsonl", "--respect-triage", "--filter", "case:B04")[0] == 0


def test_the_gate_of_reviewed_labels_respects_marks_too(run: Run, here: Path) -> None:
    header, *lines = CASES.read_text("utf-8").splitlines()
    labelled = [f"{header},label", *(f"{line},PASS" for line in lines)]
    (here / "cases.csv").write_text("\n".join(labelled) + "\n", "utf-8")
    mark_all(here, "expectation wrong")
    (here / "contract.toml").write_text(
        (CASES.parent / "room_booking.toml")
        .read_text("utf-8")
        .replace("[cases]", '[cases]\nlabel = "label"'),
        "utf-8",
    )
    gate = ("check", "cases.csv", "traces.jsonl", "--fail-on", "label-disagree", "--filter", "-case:B05")
    assert run(*gate)[0] == 1
    assert run(*gate, "--respect-triage")[0] == 0


def test_accepted_runs_are_skipped_in_junit_and_no_annotation(run: Run, here: Path) -> None:
    mark_all(here)
    options = ("check", "cases.csv", "traces.jsonl", "--respect-triage", "--format")
    suite = ElementTree.fromstring(run(*options, "junit")[1])[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "6")
    assert len(suite.findall("testcase/failure")) == 1
    messages = [skipped.get("message") or "" for skipped in suite.findall("testcase/skipped")]
    assert len(messages) == 6 and all("fail: accepted by triage, " in message for message in messages)
    out = run(*options, "github")[1]
    [error] = [line for line in out.splitlines() if line.startswith("::error")]
    assert "B05" in error and "6 runs accepted by triage" in out


def test_what_is_left_to_do(run: Run, here: Path) -> None:
    mark_all(here)
    code, out, _ = run("check", "cases.csv", "traces.jsonl", "--filter", "mark:open", "--format", "jsonl")
    assert code == 1 and [json.loads(line)["case_id"] for line in out.splitlines()] == ["B05"]


def test_a_file_that_lies_elsewhere(run: Run, here: Path) -> None:
    elsewhere = mark_all(here, path="mine.jsonl")
    options = ("check", "cases.csv", "traces.jsonl", "--respect-triage", "--filter", "-case:B05")
    assert run(*options)[0] == 1
    assert run(*options, "--triage", elsewhere)[0] == 0
    code, out, err = run(*options, "--triage", "gone.jsonl")
    assert (code, out) == (2, "")
    assert err == "traceview: gone.jsonl: no such file; expected marks and notes (.triage.jsonl)\n"


def test_a_damaged_line_is_a_warning_and_keeps_the_gate_from_saying_all_is_well(run: Run, here: Path) -> None:
    path = mark_all(here)
    with path.open("a") as file:
        file.write('{"id": "half a li')
    only = ("check", "cases.csv", "traces.jsonl", "--filter", "case:B01")
    code, out, _ = run(*only)
    assert code == 0
    assert "warning bad_triage, cases.csv.triage.jsonl:7: no decision (not JSON" in out
    assert run(*only, "--respect-triage")[0] == 3


def test_a_file_that_cannot_be_read(run: Run, here: Path) -> None:
    (here / "cases.csv.triage.jsonl").mkdir()
    code, out, _ = run("check", "cases.csv", "traces.jsonl")
    assert code == 1 and "cannot be read (is a directory); no marks are shown" in out
    code, out, err = run("check", "cases.csv", "traces.jsonl", "--respect-triage")
    assert (code, out) == (2, "") and err.count("\n") == 1


def test_standard_input_has_no_file_beside_it(run: Run, here: Path) -> None:
    code, _, err = run("check", "-", "traces.jsonl", "--respect-triage")
    assert code == 2 and err.count("\n") == 1


def test_no_marks_yet(run: Run, here: Path) -> None:
    code, out, _ = run("check", "cases.csv", "traces.jsonl", "--respect-triage")
    assert code == 1
    assert "Triage (cases.csv.triage.jsonl): no run is marked\n0 runs accepted by triage\n" in out


def test_marks_find_their_runs_in_another_recording_and_another_order_of_cases(run: Run, here: Path) -> None:
    mark_all(here)
    header, *lines = (here / "cases.csv").read_text("utf-8").splitlines(keepends=True)
    (here / "cases.csv").write_text("".join([header, *lines[::-1]]), "utf-8")
    again = [line.replace(b'{"case_id"', b'{"run_id": "second", "case_id"') for line in LINES]
    (here / "traces.jsonl").write_bytes(b"".join(again))
    report = report_of(run, "--respect-triage")
    assert report["results"][0]["run_id"] == "second"
    assert report["triage"]["accepted"] == 6 and report["triage"]["changed"] == 0
