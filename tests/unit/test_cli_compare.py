"""``traceview compare`` and ``traceview config`` at the shell."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from traceview.triage import about_signature, load
from unit.test_cli import CASES, TRACES, Run, run

__all__ = ["run"]

LINES = TRACES.read_bytes().splitlines(keepends=True)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The sample, and a second recording of it: B03 is right now, B01 is not, and B12 is missing."""
    (tmp_path / "cases.csv").write_bytes(CASES.read_bytes())
    (tmp_path / "old.jsonl").write_bytes(b"".join(LINES))
    changed = []
    for line in LINES:
        case_id = json.loads(line)["case_id"]
        if case_id == "B03":
            line = line.replace(b'"duration_min": 60', b'"duration_min": 30')
        if case_id == "B01":
            line = line.replace(b'"duration_min": 60', b'"duration_min": 15')
        if case_id != "B12":
            changed.append(line)
    (tmp_path / "new.jsonl").write_bytes(b"".join(changed))
    return tmp_path


def compared(run: Run, *options: str) -> dict[str, Any]:
    report = json.loads(
        run("compare", "cases.csv", "old.jsonl", "new.jsonl", "--format", "json", *options)[1]
    )
    assert isinstance(report, dict)
    return report


def test_planted_changes_are_exactly_those(run: Run, here: Path) -> None:
    report = compared(run)
    changes = {one["case_id"]: one["change"] for one in report["results"] if one["change"] != "same"}
    assert changes == {"B01": "worse", "B03": "better", "B12": "vanished"}
    assert [one["case_id"] for one in report["results"]] == [f"B{number:02}" for number in range(1, 13)]


def test_swapped_arguments_swap_better_and_worse(run: Run, here: Path) -> None:
    back = json.loads(run("compare", "cases.csv", "new.jsonl", "old.jsonl", "--format", "json")[1])
    changes = {one["case_id"]: one["change"] for one in back["results"] if one["change"] != "same"}
    assert changes == {"B01": "better", "B03": "worse", "B12": "new"}
    there = compared(run)
    assert all(back["verdicts"][b][a] == n for a, line in there["verdicts"].items() for b, n in line.items())
    assert all(
        back["diagnoses"][b][a] == n for a, line in there["diagnoses"].items() for b, n in line.items()
    )


def test_the_json_object(run: Run, here: Path) -> None:
    report = compared(run)
    assert list(report) == [
        "schema",
        "version",
        "contract",
        "inputs",
        "filter",
        "totals",
        "verdicts",
        "checks",
        "diagnoses",
        "problems",
        "results",
    ]
    assert report["schema"] == "traceview.compare/1"
    assert [(one["role"], one["path"]) for one in report["inputs"]] == [
        ("cases", "cases.csv"),
        ("baseline", "old.jsonl"),
        ("candidate", "new.jsonl"),
    ]
    assert report["totals"] == {
        "cases": 12,
        "runs": 12,
        "worse": 1,
        "vanished": 1,
        "better": 1,
        "reason": 0,
        "same": 9,
        "new": 0,
        "not_compared": 0,
        "new_cases": 0,
        "vanished_cases": 1,
    }
    assert report["verdicts"]["pass"] == {"pass": 3, "fail": 1, "unknown": 0, "no_trace": 1, "unusable": 0}
    assert report["checks"]["arguments_ok"]["pass"] == {"pass": 8, "fail": 1, "unknown": 0, "n/a": 0}
    assert report["diagnoses"]["wrong_arguments"]["pass"] == 1
    assert report["results"][0] == {
        "case_id": "B01",
        "run_id": None,
        "trial": None,
        "title": "Book a room for six on Monday at 9, one hour, for the budget review",
        "change": "worse",
        "checks": {"arguments_ok": ["pass", "fail"]},
        "baseline": {
            "run_id": None,
            "trial": None,
            "verdict": "pass",
            "diagnosis": "pass",
            "signature": None,
            "finding": None,
        },
        "candidate": {
            "run_id": None,
            "trial": None,
            "verdict": "fail",
            "diagnosis": "wrong_arguments",
            "signature": "arguments_ok check_availability /duration_min changed",
            "finding": "check_availability.duration_min is 15, expected 60",
        },
    }
    assert report == compared(run)


def test_exit_codes(run: Run, here: Path) -> None:
    assert run("compare", "cases.csv", "old.jsonl", "new.jsonl")[0] == 1
    assert run("compare", "cases.csv", "old.jsonl", "old.jsonl")[0] == 0
    assert run("compare", "cases.csv", "new.jsonl", "old.jsonl", "--filter", "-case:B03")[0] == 0
    assert run("compare", "cases.csv", "new.jsonl", "old.jsonl")[0] == 1
    assert run("compare", "cases.csv", "old.jsonl", "old.jsonl", "--filter", "nothing like it")[0] == 3
    with (here / "old.jsonl").open("a") as file:
        file.write('{"case_id": "B0')
    assert run("compare", "cases.csv", "old.jsonl", "old.jsonl", "--filter", "case:B01")[0] == 3


def test_the_text_says_what_changed(run: Run, here: Path) -> None:
    code, out, err = run("compare", "cases.csv", "old.jsonl", "new.jsonl")
    assert (code, err) == (1, "")
    assert "11 runs compared: 1 worse, 1 better, 9 the same, 1 vanished\n" in out
    assert "▼ B01  pass → wrong_arguments" in out
    assert "    arguments_ok pass → fail\n" in out
    assert (
        "    arguments_ok, step 1 check_availability: check_availability.duration_min is 15, expected 60"
        in out
    )
    assert "▲ B03  wrong_arguments → pass" in out
    assert "∅ B12  pass → no_trace" in out
    assert "B02" not in out


def test_markdown_rows_have_the_pipes_of_their_header(run: Run, here: Path) -> None:
    out = run("compare", "cases.csv", "old.jsonl", "new.jsonl", "--format", "markdown")[1]
    assert "| `B01` | worse | `pass` | `wrong_arguments` |" in out
    pipes = 0
    for line in out.split("\n"):
        count = line.count("|")
        assert not count or pipes in (0, count), line
        pipes = count


def test_csv_has_a_row_for_each_run(run: Run, here: Path) -> None:
    out = run("compare", "cases.csv", "old.jsonl", "new.jsonl", "--format", "csv")[1]
    rows = {row["case_id"]: row for row in csv.DictReader(io.StringIO(out))}
    assert len(rows) == 12
    assert (rows["B01"]["change"], rows["B01"]["arguments_ok"]) == ("worse", "pass -> fail")
    assert (rows["B02"]["sequence_ok"], rows["B12"]["sequence_ok"]) == ("fail -> fail", "")
    assert rows["B03"]["baseline_finding"] == "check_availability.duration_min is 60, expected 30"


def test_a_filter_narrows_report_and_exit_code(run: Run, here: Path) -> None:
    report = compared(run, "--filter", "change:worse check:arguments_ok")
    assert report["filter"] == "change:worse check:arguments_ok"
    assert [one["case_id"] for one in report["results"]] == ["B01"]
    assert report["totals"]["runs"] == 1
    report = compared(run, "--filter", 'text:"R-101"')
    assert 0 < report["totals"]["runs"] < 12
    code, out, err = run("compare", "cases.csv", "old.jsonl", "new.jsonl", "--filter", "change:wrose")
    assert (code, out) == (2, "")
    assert err == "traceview: --filter: change:wrose is not known; did you mean worse?\n"
    code, _, err = run("check", "cases.csv", "old.jsonl", "--filter", "change:worse")
    assert code == 2 and "there is no baseline to compare with" in err


def test_a_filter_by_marks(run: Run, here: Path) -> None:
    triage = load(here / "cases.csv.triage.jsonl")
    triage.append(about_signature("arguments_ok check_availability /duration_min changed", mark="confirmed"))
    assert [one["case_id"] for one in compared(run, "--filter", "mark:confirmed")["results"]] == ["B01"]


def test_outputs(run: Run, here: Path) -> None:
    arguments = ("compare", "cases.csv", "old.jsonl", "new.jsonl")
    code, out, err = run(*arguments, "--output", "c.json", "--output", "c.md", "--summary", "--stamp", "May")
    assert (code, out) == (1, "")
    assert err == "12 exported to c.json (json)\n12 exported to c.md (markdown)\n"
    written = json.loads((here / "c.json").read_text())
    assert "results" not in written and written["stamp"] == "May"
    assert run(*arguments, "--output", "c.json")[0] == 2
    code, _, err = run(*arguments, "--output", "c.xml")
    assert (code, err) == (2, "traceview: c.xml: compare writes text, json, markdown, csv\n")
    code, _, err = run(*arguments, "--output", "new.jsonl", "--force", "--format", "json")
    assert (code, err) == (2, "traceview: --output new.jsonl is one of the inputs\n")


def test_values_that_the_contract_hides_are_hidden(run: Run, here: Path) -> None:
    contract = (CASES.parent / "room_booking.toml").read_text("utf-8")
    (here / "contract.toml").write_text(f'{contract}\n[evidence]\nredact = ["duration_*"]\n', "utf-8")
    for form in ("text", "json", "markdown", "csv"):
        out = run("compare", "cases.csv", "old.jsonl", "new.jsonl", "--format", form)[1]
        assert "its value is redacted" in out and "is 15" not in out


def test_observations_hold_both_sides(run: Run, here: Path) -> None:
    fixtures = CASES.parent / "acceptance_observations.json"
    contract = CASES.parent / "acceptance.toml"
    arguments = ("compare", fixtures, fixtures, "--contract", contract, "--format", "json")
    code, out, _ = run(*arguments)
    report = json.loads(out)
    assert code == 0 and report["totals"]["same"] == report["totals"]["runs"] > 0
    assert [one["role"] for one in report["inputs"]] == ["baseline", "candidate"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare"], "compare needs the cases and two recordings"),
        (["compare", "cases.csv"], "compare needs the cases and two recordings"),
        (["compare", "cases.csv", "a", "b", "c"], "compare needs the cases and two recordings"),
        (["compare", "-", "old.jsonl", "new.jsonl"], "the cases are read twice"),
        (["compare", "cases.csv", "gone.jsonl", "new.jsonl"], "gone.jsonl: no such file"),
        (["compare", "cases.csv", "old.jsonl", "gone.jsonl"], "gone.jsonl: no such file"),
        (["compare", "cases.csv", "old.jsonl", "new.jsonl", "--format", "junit"], "invalid choice: 'junit'"),
        (["compare", "old.jsonl", "new.jsonl"], "alone is not enough"),
    ],
)
def test_an_error_is_one_line(run: Run, here: Path, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err and err.startswith("traceview: ") and err.count("\n") == 1


# -- config ------------------------------------------------------------------------------------------------


def test_config_says_where_everything_is_kept(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEVIEW_CONFIG", str(here / "config.toml"))
    monkeypatch.setenv("XDG_STATE_HOME", str(here / "state"))
    (here / "config.toml").write_text('author = "ann"\n')
    code, out, err = run("config")
    assert (code, err) == (0, "")
    lines = dict(line.split("  ", 1) for line in out.splitlines())
    assert [value.strip() for value in lines.values()] == [
        str(here / "config.toml"),
        f"{here / 'state' / 'traceview'} (not there)",
        "ann",
    ]
    load(here / "cases.csv.triage.jsonl").append(about_signature("s", mark="open"))
    with (here / "cases.csv.triage.jsonl").open("a") as file:
        file.write("damaged\n")
    out = run("config", "cases.csv", "old.jsonl")[1]
    assert f"triage file    {here / 'cases.csv.triage.jsonl'} (1 decision, 1 damaged line)\n" in out
    assert out.splitlines()[-1].startswith(f"session        {here / 'state' / 'traceview'}/")
    out = run("config", "-", "old.jsonl", "--triage", "mine.jsonl")[1]
    assert f"triage file    {here / 'mine.jsonl'} (not there)\n" in out
    assert out.splitlines()[-1] == "session        none: standard input is another one each time"
    (here / "config.toml").write_text("author =")
    code, out, err = run("config")
    assert (code, out) == (2, "") and err.startswith("traceview: config.toml: not TOML: ")
