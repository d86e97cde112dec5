"""docs/triage.md and docs/compare.md say what the program does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from golden.test_comparisons import comparison, written
from rows import CHECKS, PRIORITY
from traceview.compare import KINDS
from traceview.query import Vocabulary, parse
from traceview.triage import MARKS
from traceview.triage.decision import from_line, to_line
from traceview.write.comparison import FORMATS
from traceview.write.comparison.json import SCHEMA

DOCS = Path(__file__).parents[2] / "docs"
TRIAGE, COMPARE = ((DOCS / name).read_text("utf-8") for name in ("triage.md", "compare.md"))


def first_cells(text: str, title: str) -> list[str]:
    """The names in the first column of the table below a heading."""
    section = text.split(f"{title}\n", 1)[1]
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert lines is not None
    return [
        name for line in lines[0].splitlines()[2:] for name in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]


def test_every_mark_is_explained() -> None:
    assert first_cells(TRIAGE, "## Marks, notes, tags") == list(MARKS)


def test_every_filter_is_understood() -> None:
    for term in first_cells(TRIAGE, "## Filters"):
        assert parse(term, Vocabulary())
    for term in re.findall(r"--filter '([^']+)'", TRIAGE):
        assert parse(term, Vocabulary(checks=CHECKS, diagnoses=PRIORITY))


def test_the_line_of_the_example_is_one() -> None:
    [line] = re.findall(r"```json\n(.*)\n```", TRIAGE)
    decision = from_line(line.encode())
    assert to_line(decision) == line
    undo = '{"id": "1", "time": "2026-03-02T09:15:00Z", "author": "ann", "undo": "0"}'
    assert list(json.loads(undo)) == re.findall(r'"(\w+)": (?:…|ID)', TRIAGE)
    assert from_line(undo.encode()).undo == "0"


def test_every_change_is_explained() -> None:
    assert sorted(first_cells(COMPARE, "(the baseline).")) == sorted(KINDS)


def test_every_key_of_the_json_object_is_listed_in_order() -> None:
    report = json.loads(written("compare.json", comparison()))
    listed = first_cells(COMPARE, "## JSON")
    assert sorted(listed) == sorted(report)
    assert [key for key in listed if key not in ("filter", "stamp", "inputs")] == [
        key for key in report if key not in ("filter", "stamp", "inputs")
    ]
    results = COMPARE.split("| `results` |")[1].split("\n")[0]
    assert set(report["results"][0]) <= set(re.findall(r"`(\w+)`", results))
    assert SCHEMA in COMPARE


def test_every_format_is_listed() -> None:
    options = COMPARE.split("## Options")[1]
    assert all(f"`{form}`" in options or f"`--format {form}`" in options for form in FORMATS)
