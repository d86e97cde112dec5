"""docs/report.md says what the program does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from golden.hostile import written
from traceview import usage
from traceview.model import FindingKind
from traceview.query import HELP
from traceview.read.problems import PROBLEM_CODES
from traceview.write import ENDINGS, FORMATS
from traceview.write.json import SCHEMA

TEXT = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")


def table(title: str, number: int = 0) -> list[list[str]]:
    """The rows of a table below a heading, cells without backticks."""
    section = re.split(r"^#+ ", TEXT.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    tables = [part.strip() for part in section.split("\n\n") if part.strip().startswith("|")]
    lines = tables[number].splitlines()
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:]]
    return [[cell.strip().replace("`", "").replace("\\|", "|") for cell in row] for row in cells]


def test_every_problem_code_is_listed() -> None:
    assert table("Problems") == [
        [code, about.severity, about.meaning.replace("`", "")] for code, about in PROBLEM_CODES.items()
    ]


def test_every_filter_term_is_listed() -> None:
    assert table("Filters") == [list(line) for line in HELP]


def test_every_format_is_listed_with_its_endings() -> None:
    rows = table("Formats")
    assert [row[0] for row in rows] == list(FORMATS)
    named = {ending: row[0] for row in rows for ending in row[1].split(", ") if ending}
    assert named == ENDINGS


def test_every_option_is_listed() -> None:
    rows = {row[0].split()[0]: row[1] for row in table("Options")}
    check, export = (
        {option for action in parser._actions for option in action.option_strings} - {"-h", "--help"}
        for parser in (usage._check_parser(), usage._export_parser())
    )
    assert set(rows) == check | export
    for option, where in rows.items():
        if where != "all":
            assert where.split(", ") == [
                name for name, of in (("check", check), ("export", export)) if option in of
            ], option


def test_every_key_of_the_json_report_is_listed_in_order() -> None:
    import json

    report = json.loads(written("summary.json"))
    assert [row[0] for row in table("JSON")] == [*report, "results"]
    result = json.loads(written("report.json"))["results"][0]
    assert {key for row in table("JSON", 1) for key in row[0].split(", ")} == set(result)
    assert SCHEMA in TEXT


def test_every_kind_of_finding_is_listed() -> None:
    sentence = re.search(r"`kind` is one of (.*?)\. ", TEXT)
    assert sentence is not None
    assert re.findall(r"`(\w+)`", sentence[1]) == list(get_args(FindingKind))
