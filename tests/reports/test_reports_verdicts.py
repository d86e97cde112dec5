"""Verdicts, checks, totals, problems and exit codes of every input that is known to have fooled some tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reports.table import CHECKS, DATA, TABLE, Run, check_of, expected, having, said_of


def test_the_table_and_the_folders_name_the_same_inputs() -> None:
    assert sorted(TABLE) == sorted(folder.name for folder in DATA.iterdir() if folder.is_dir())
    assert len(TABLE) == 76


@pytest.mark.parametrize("name", having("verdicts"))
def test_verdicts(traceview: Run, name: str) -> None:
    ran = traceview(name, "check", "--format", "json")
    said = {result["case_id"]: said_of(result) for result in ran.report["results"]}
    wanted = {case: expected(word) for case, word in check_of(name)["verdicts"].items()}
    assert {case: said.get(case) for case in wanted} == wanted
    assert ran.err == ""


@pytest.mark.parametrize("name", [name for name in having("verdicts", "runs") if name != "052-csv-shape"])
def test_exit_code_follows_from_the_verdicts(traceview: Run, name: str) -> None:
    ran = traceview(name, "check", "--format", "json")
    verdicts = {result["verdict"] for result in ran.report["results"]}
    skipped = any(problem["severity"] == "error" for problem in ran.report["problems"])
    if "fail" in verdicts:
        code = 1
    elif verdicts != {"pass"} or skipped:
        code = 3
    else:
        code = 0
    assert ran.code == check_of(name).get("exit", code) == code


@pytest.mark.parametrize("name", having("runs"))
def test_runs_of_one_case_are_kept_apart(traceview: Run, name: str) -> None:
    results = traceview(name, "check", "--format", "json").report["results"]
    said: dict[str, dict[str, Any]] = {}
    for result in results:
        said.setdefault(result["case_id"], {})[result["run_id"]] = said_of(result)
    assert said == {
        case: {run: expected(word) for run, word in runs.items()}
        for case, runs in check_of(name)["runs"].items()
    }


@pytest.mark.parametrize("name", having("contracts"))
def test_each_check_has_its_own_verdict(traceview: Run, name: str) -> None:
    results = {r["case_id"]: r for r in traceview(name, "check", "--format", "json").report["results"]}
    for case, checks in check_of(name)["contracts"].items():
        said = results[case]["checks"]
        assert {check: said[CHECKS[check]] for check in checks} == checks


@pytest.mark.parametrize("name", having("summary"))
def test_totals(traceview: Run, name: str) -> None:
    report = traceview(name, "check", "--format", "json").report
    wanted = check_of(name)["summary"]
    assert {key: report["totals"][key] for key in wanted if key != "total"} == {
        key: count for key, count in wanted.items() if key != "total"
    }
    assert len(report["results"]) == wanted["total"]


@pytest.mark.parametrize("name", having("count_cases"))
def test_number_of_cases(traceview: Run, name: str) -> None:
    report = traceview(name, "check", "--format", "json").report
    assert report["totals"]["cases"] == len(report["results"]) == check_of(name)["count_cases"]


# The words that a message must hold, whatever else it says.
WORDS_OF_WHY = {
    "030-duplicate-ids": ["DU-1", "line 2"],
    "043-broken-lines": ["JSON"],
    "049-duplicate-keys": ["amount", "40", "4000"],
    "051-csv-shape": ["title", "twice"],
    "055-csv-json-cell": ["expected_arguments", "JSON"],
}


@pytest.mark.parametrize("name", having("problems"))
def test_problems_name_the_file_the_line_and_the_reason(traceview: Run, name: str) -> None:
    problems = traceview(name, "check", "--format", "json").report["problems"]
    wanted = check_of(name)["problems"]
    if not wanted:
        assert problems == []
        return
    (place,) = wanted
    (found,) = [p for p in problems if (p["path"], p["line"]) == (place["file"], place["line"])]
    assert all(word in found["message"] for word in WORDS_OF_WHY[name])


@pytest.mark.parametrize("name", having("skipped_lines"))
def test_skipped_lines_are_counted_where_people_look(traceview: Run, name: str) -> None:
    count = check_of(name)["skipped_lines"]
    text = traceview(name, "check", "--format", "text").out.decode()
    assert f"{count} input line could not be used" in text


@pytest.mark.parametrize("name", ["052-csv-shape", "069-path-errors"])
def test_unusable_input_is_one_line(traceview: Run, name: str) -> None:
    files = ("nope.csv", "traces.jsonl") if name == "069-path-errors" else None
    ran = traceview(name, "check", "--format", "json", files=files)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1 and "Traceback" not in ran.err
    assert all(word in ran.err for word in check_of(name)["stderr_has"])
    if name == "052-csv-shape":
        assert "Case ID" in ran.err  # what was found


@pytest.mark.parametrize("name", ["069-path-errors"])
def test_a_folder_for_the_cases_is_one_line(traceview: Run, name: str) -> None:
    ran = traceview(name, "check", files=(".", "traces.jsonl"))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)


@pytest.mark.parametrize("name", having("after_append"))
def test_the_rest_of_a_half_written_line_is_read_when_it_is_there(traceview: Run, name: str) -> None:
    first = traceview(name, "check", "--format", "json")
    assert any("incomplete" in problem["message"] for problem in first.report["problems"])
    with Path("traces.jsonl").open("ab") as traces:
        traces.write(b'"ok","state_after":{},"run_outcome":"completed"}\n')
    again = traceview(name, "check", "--format", "json")
    said = {result["case_id"]: said_of(result) for result in again.report["results"]}
    assert {case: said[case] for case in check_of(name)["after_append"]} == check_of(name)["after_append"]
    assert (again.code, again.report["problems"]) == (0, [])


@pytest.mark.parametrize("name", ["067-pipes-gz"])
def test_traces_from_standard_input(traceview: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with (DATA / name / "traces.jsonl").open(encoding="utf-8") as traces:
        monkeypatch.setattr("sys.stdin", traces)
        ran = traceview(name, "check", "--format", "json", files=("cases.csv", "-"))
    assert ran.code == 0 and [said_of(result) for result in ran.report["results"]] == [[]]
