"""What is written: every format whole, and each value as it was read."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from reports.table import TABLE, Run, check_of, having

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "junit", "github")
READABLE = [name for name in TABLE if check_of(name).get("exit") != 2]


def strict(text: bytes) -> Any:
    """JSON by the letter: a bare NaN or Infinity is refused."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def csv_rows(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.decode(), newline="")))


def finding(report: dict[str, Any], case: str) -> dict[str, Any]:
    (found,) = [result for result in report["results"] if result["case_id"] == case]
    first = found["findings"][0]
    assert isinstance(first, dict)
    return first


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("name", READABLE)
def test_every_format_of_every_input_is_whole(traceview: Run, name: str, format_name: str) -> None:
    ran = traceview(name, "check", "--format", format_name)
    text = ran.out.decode()  # valid UTF-8, lone surrogates or not
    cases = [result["case_id"] for result in traceview(name, "check", "--format", "json").report["results"]]
    if format_name == "json":
        strict(ran.out)
    elif format_name == "jsonl":
        lines = text.split("\n")
        assert lines.pop() == ""
        assert [strict(line.encode())["case_id"] for line in lines] == cases
    elif format_name == "csv":
        rows = csv_rows(ran.out)
        assert all(None not in row and None not in row.values() for row in rows)
        assert len(rows) == len(cases)
    elif format_name == "markdown":
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            assert len({pipes(line) for line in table.splitlines()}) == 1
    elif format_name == "junit":
        suite = ElementTree.fromstring(ran.out)
        assert len(list(suite.iter("testcase"))) == len(cases)
    else:
        assert all(character.isprintable() for line in text.split("\n") for character in line)


def pipes(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.mark.parametrize("name", having("terminal_must_not_contain"))
def test_no_sequence_of_the_data_reaches_a_terminal(traceview: Run, name: str) -> None:
    for format_name in ("text", "markdown", "github", "junit"):
        out = traceview(name, "check", "--format", format_name).out.decode()
        assert "\x1b" not in out and "\x07" not in out
    for format_name in ("json", "jsonl"):  # these keep the characters, escaped
        out = traceview(name, "check", "--format", format_name).out.decode()
        assert "\x1b" not in out
    titles = [r["title"] for r in traceview(name, "check", "--format", "json").report["results"]]
    assert name != "036-control-chars" or any("\x1b[31m" in title for title in titles)


def test_texts_that_readers_take_for_nothing(traceview: Run) -> None:
    rows = csv_rows(traceview("001-csv-na-values", "check", "--format", "csv").out)
    assert [(row["case_id"], row["title"]) for row in rows] == [("NA", "Windhoek desk"), ("None", "N/A")]


def test_zeros_in_front_stay(traceview: Run) -> None:
    rows = csv_rows(traceview("003-id-text", "check", "--format", "csv").out)
    assert [row["case_id"] for row in rows] == ["007", "7"]


def test_digits_of_numbers_stay(traceview: Run) -> None:
    out = traceview("009-number-compare", "check", "--format", "json").out
    assert b'"observed": 0.30000000000000004' in out and b'"expected": 0.3,' in out
    big = finding(traceview("006-big-int", "check", "--format", "json").report, "BI-1")
    assert (big["expected"], big["observed"]) == (407505301260286111, 407505301260286112)


@pytest.mark.parametrize("case", check_of("009-number-compare")["agree"])
def test_list_export_and_verdict_agree(traceview: Run, case: str) -> None:
    name = "009-number-compare"
    results = traceview(name, "check", "--format", "json").report["results"]
    rows = csv_rows(traceview(name, "check", "--format", "csv").out)
    in_json = {result["case_id"]: result["verdict"] for result in results}
    in_csv = {row["case_id"]: row["verdict"] for row in rows}
    assert in_json == in_csv
    assert case in traceview(name, "check", "--format", "text").out.decode()


def test_the_kinds_of_absence_differ(traceview: Run) -> None:
    report = traceview("012-null-vs-missing", "check", "--format", "json").report
    absent, empty = finding(report, "NV-1"), finding(report, "NV-3")
    assert absent["kind"] == "missing" and absent["expected"] is None and "observed" not in absent
    assert empty["observed"] == ""


def test_formulas_are_neutralised_and_numbers_are_not(traceview: Run) -> None:
    formulas = traceview("057-csv-injection", "check", "--format", "csv").out
    for row in csv_rows(formulas):
        assert not any(re.match(r"[=+@]|-2\+3", cell) for cell in row.values())
    titles = {
        result["case_id"]: result["title"]
        for result in traceview("057-csv-injection", "check", "--format", "json").report["results"]
    }
    assert titles["CI-2"] == check_of("057-csv-injection")["export"]["jsonl_title_CI-2"]

    cells = [
        cell
        for row in csv_rows(traceview("058-csv-injection", "check", "--format", "csv").out)
        for cell in row.values()
    ]
    assert {"-0.03", "-0.02"} & set(cells)
    assert not any(cell.startswith("-2h") for cell in cells)


def test_junit_counts_and_shows_what_was_replaced(traceview: Run) -> None:
    out = traceview("059-junit-chars", "check", "--format", "junit").out
    wanted = check_of("059-junit-chars")["export"]["junit"]
    root = ElementTree.fromstring(out)
    assert len(list(root.iter("testcase"))) == wanted["tests"]
    (failure,) = root.iter("failure")
    assert r"bad\u0012 \u001b[31mred" in failure.attrib["message"]


def test_markdown_rows_keep_pipes_and_line_breaks_inside_a_cell(traceview: Run) -> None:
    text = traceview("060-markdown-export", "check", "--format", "markdown").out.decode()
    (row,) = [line for line in text.splitlines() if "MD-1" in line and line.startswith("|")]
    assert r"slow \| steady" in row


def test_the_filter_decides_what_is_written(traceview: Run) -> None:
    name, wanted = "061-export-scope", check_of("061-export-scope")["export"]
    filtered = ["--filter", "check:tools_succeeded"]
    rows = csv_rows(traceview(name, "export", "--format", "csv", *filtered).out)
    assert [row["case_id"] for row in rows] == wanted["filtered"]
    for format_name in ("jsonl", "markdown", "junit"):
        out = traceview(name, "export", "--format", format_name, *filtered).out.decode()
        assert "EX-2" in out and "EX-1" not in out and "EX-3" not in out
    assert "check:tools_succeeded" in traceview(name, "export", "--format", "junit", *filtered).out.decode()
    failures = csv_rows(traceview(name, "export", "--format", "csv", "--filter", "is:fail").out)
    assert [row["case_id"] for row in failures] == wanted["failures"]


def test_whole_numbers_and_nulls_stay(traceview: Run) -> None:
    name = "062-export-scope"
    out = traceview(name, "check", "--format", "json").out
    assert b"1.0" not in out.split(b'"results"')[1] and b"3.0" not in out and b"NaN" not in out
    assert finding(strict(out), "EI-1")["step"] == 1


@pytest.mark.parametrize("name", having("search"))
def test_search_is_plain_text(traceview: Run, name: str) -> None:
    for words, cases in check_of(name)["search"].items():
        ran = traceview(name, "check", "--format", "json", "--filter", words)
        assert [result["case_id"] for result in ran.report["results"]] == cases
