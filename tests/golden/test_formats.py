"""Every format, byte for byte, of a report that holds what has broken formats."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest

from golden.hostile import EXPECTED, FILES, empty, hostile, written
from traceview.write import Options, format_of, writer


@pytest.mark.parametrize("name", FILES)
def test_byte_for_byte(name: str) -> None:
    assert written(name).decode() == (EXPECTED / name).read_bytes().decode()


def strict(text: str) -> object:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_json_is_strict_and_keeps_what_was_read() -> None:
    text = written("report.json").decode()
    report = strict(text)
    assert isinstance(report, dict)
    assert list(report) == [
        "schema",
        "version",
        "contract",
        "inputs",
        "filter",
        "totals",
        "checks",
        "diagnoses",
        "layers",
        "labels",
        "trials",
        "triage",
        "problems",
        "results",
    ]
    assert '[123456789012345678901234567890, 0.1, 1e400, -0.02, "-Infinity"]' in text
    assert '{"reward": 1.10}' in text
    first = report["results"][1]["findings"]
    assert "observed" not in first[0] and "expected" not in first[0]
    assert first[1]["observed"] is None
    assert "observed" not in first[2] and first[2]["expected"] == {"a": [1, 1.0, True]}


def test_json_lines_are_the_results() -> None:
    report = strict(written("report.json").decode())
    assert isinstance(report, dict)
    *lines, end = written("report.jsonl").decode().split("\n")
    assert [strict(line) for line in lines] == report["results"]
    assert end == ""


def test_no_csv_cell_can_be_run_and_numbers_stay_numbers() -> None:
    rows = list(csv.reader(io.StringIO(written("report.csv").decode(), newline="")))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows[0]) == len(set(rows[0]))
    for cell in (cell for row in rows for cell in row):
        assert not cell.lstrip().startswith(("=", "+", "@")), cell
        assert not cell.startswith("-") or re.fullmatch(r"-[0-9.]+", cell), cell
    late = dict(zip(rows[0], rows[4], strict=True))
    assert (late["case_id"], late["expected"], late["observed"]) == ("'-2h late", "-0.03", "-0.02")


def test_markdown_rows_have_the_pipes_of_their_header() -> None:
    pipes = 0
    for line in written("report.md").decode().split("\n"):
        if not line.startswith("|"):
            pipes = 0
            continue
        count = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        assert pipes in (0, count), line
        pipes = count


def test_junit_is_well_formed_and_counts() -> None:
    suite = ElementTree.fromstring(written("junit.xml").decode())[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("7", "3", "1")
    assert len(suite.findall("testcase")) == 7
    assert len(suite.findall("testcase/failure")) == 3
    assert len(suite.findall("testcase/skipped")) == 2


def test_annotations_are_one_line_each() -> None:
    for line in written("github.txt").decode().rstrip("\n").split("\n"):
        level, _ = line.removeprefix("::").split(" ", 1)
        assert level in ("error", "warning", "notice")
        assert line.isprintable()


@pytest.mark.parametrize("name", ["report.txt", "summary.txt", "ascii-colour.txt"])
def test_text_is_printable(name: str) -> None:
    for line in written(name).decode().split("\n"):
        assert re.sub(r"\x1b\[(?:38;5;\d+|0)m", "", line).isprintable()


@pytest.mark.parametrize("name", FILES)
def test_an_empty_report_is_valid(name: str) -> None:
    text = written(name, empty()).decode()
    if name.endswith(".json"):
        assert isinstance(strict(text), dict)
    elif name.endswith(".xml"):
        assert ElementTree.fromstring(text)[0].get("tests") == "0"
    elif name.endswith(".csv"):
        assert text.startswith("case_id,run,verdict") and text.count("\n") == 1
    elif name.endswith(".jsonl"):
        assert text == ""
    else:
        assert text.endswith("\n")


def test_writing_twice_gives_the_same_bytes() -> None:
    report = hostile()
    for name in FILES:
        assert written(name, report) == written(name, report)


def test_a_filter_is_named_wherever_there_is_a_place() -> None:
    for name in ("report.txt", "report.json", "report.md", "junit.xml", "github.txt"):
        assert "is:fail" in written(name).decode(), name


def test_text_from_colour_to_none_differs_in_colour_only() -> None:
    plain = io.StringIO()
    colour = io.StringIO()
    writer("text")(hostile(), plain, Options())
    writer("text")(hostile(), colour, Options(colour=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", colour.getvalue()) == plain.getvalue() != colour.getvalue()


def test_formats_go_by_ending() -> None:
    assert [format_of(name) for name in ("a.JSON", "b.xml", "c.md", "d.csv", "e.docx", "f")] == [
        "json",
        "junit",
        "markdown",
        "csv",
        None,
        None,
    ]
    with pytest.raises(ValueError):
        writer("xlsx")
