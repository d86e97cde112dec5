"""The installed command in a pseudo-terminal: from two files to what a person hands on."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from terminal import Terminal

ROOT = Path(__file__).parent.parent.parent
COMMAND = Path(sys.executable).with_name("traceview")
SAMPLE = ("booking_agent_cases.csv", "booking_agent_traces.jsonl")


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A folder of its own with the sample in it."""
    for name in SAMPLE:
        shutil.copy(ROOT / "sample_data" / name, tmp_path)
    return tmp_path


def shows_sixty_for_thirty(terminal: Terminal) -> bool:
    """Side by side, or below each other where it is narrow; marked by a sign."""
    for at, line in enumerate(terminal.lines):
        if "✗ duration_min" in line:
            shown = " ".join(terminal.lines[at : at + 3])
            return "expected 30" in shown and "observed 60" in shown
    return False


@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (80, 24)])
def test_from_the_files_to_the_two_runs_that_are_handed_on(sample: Path, columns: int, rows: int) -> None:
    with Terminal([COMMAND, *SAMPLE], columns=columns, rows=rows, cwd=sample) as terminal:
        terminal.wait_for(lambda t: "12 runs  5 pass  7 fail" in t.lines[0] and "B10" in t.text)

        terminal.press("e", "e")  # B02, then B03: its first differing step is unfolded
        terminal.wait_for(lambda t: "│▌✗ B03" in t.text and "─ B03 ·" in t.text)
        terminal.wait_for(shows_sixty_for_thirty)

        terminal.press("2", "o", "G")  # everything open, to the end
        terminal.wait_for("BK-4103")

        terminal.press("/")
        terminal.wait_for("everything as it was")  # the field is there
        terminal.type("diagnosis:wrong_arguments")
        terminal.wait_for("2 of 12")
        terminal.press("enter")
        terminal.wait_for(lambda t: "2/12" in t.lines[1])
        assert "B08" in terminal.text and "B05" not in terminal.text
        assert "9/12" in terminal.text  # the totals of all runs stay in sight

        terminal.press("w")
        terminal.wait_for("traceview-report.json")
        terminal.press("enter")
        terminal.wait_for(lambda t: (sample / "traceview-report.json").exists() and "╭─ Write" not in t.text)

        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.left_behind() == []

    report = json.loads((sample / "traceview-report.json").read_text(encoding="utf-8"))
    assert report["filter"] == "diagnosis:wrong_arguments"
    assert [result["case_id"] for result in report["results"]] == ["B03", "B08"]
    assert sorted(path.name for path in sample.iterdir()) == sorted([*SAMPLE, "traceview-report.json"])


@pytest.mark.parametrize("keys", ["/diagnosis:wrong_arguments", "e/diagnosis:wrong_arguments"])
def test_keys_that_come_all_at_once_go_where_they_belong(sample: Path, keys: str) -> None:
    with Terminal([COMMAND, *SAMPLE], cwd=sample) as terminal:
        terminal.wait_for(lambda t: "12 runs" in t.lines[0])
        terminal.settle()
        terminal.burst(keys)
        terminal.wait_for("/ diagnosis:wrong_arguments")
        terminal.wait_for(lambda t: re.search(r"(?<!1)2 of 12", t.text) is not None)


def test_keys_behind_the_one_that_ends_a_filter_are_for_the_list(sample: Path) -> None:
    with Terminal([COMMAND, *SAMPLE], cwd=sample) as terminal:
        terminal.wait_for("B12")
        terminal.burst("/B03\rw")
        terminal.wait_for("╭─ Write")
        terminal.press("esc")
        terminal.wait_for(lambda t: "╭─ Write" not in t.text)
        assert re.search(r"Cases 1/12 .*B03", terminal.text) and "esc everything" not in terminal.text
        terminal.burst("/is:fail\rjj/B0\r")
        terminal.wait_for(lambda t: re.search(r"Cases 9/12 .*B0", t.text) is not None)
        terminal.wait_for(lambda t: "esc everything" not in t.text)


def test_a_written_file_is_replaced_only_after_a_question(sample: Path) -> None:
    target = sample / "traceview-report.json"
    target.write_text("mine")
    with Terminal([COMMAND, *SAMPLE], cwd=sample) as terminal:
        terminal.wait_for("B12")
        terminal.press("w")
        terminal.wait_for("traceview-report.json")
        terminal.press("enter")
        terminal.wait_for("Replace it?")
        terminal.press("enter")  # what stands first is to keep it
        terminal.wait_for(lambda t: "Replace it?" not in t.text)
        assert target.read_text() == "mine"
        terminal.press("enter")
        terminal.wait_for("Replace it?")
        terminal.press("y")
        terminal.wait_for(lambda t: target.read_text() != "mine")
        terminal.wait_for(lambda t: "╭─ Write" not in t.text)
        terminal.press("q")
        assert terminal.wait() == 0
    assert len(json.loads(target.read_text(encoding="utf-8"))["results"]) == 12


def test_other_terminals(sample: Path) -> None:
    """TERM=dumb gets the report as text; so does a pipe, and neither is a gate."""
    with Terminal([COMMAND, *SAMPLE], cwd=sample, rows=60, env={"TERM": "dumb"}) as terminal:
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.output
        assert "12 runs of 12 cases" in terminal.text and "not a gate: use traceview check" in terminal.text


def test_sixteen_colours(sample: Path) -> None:
    with Terminal([COMMAND, *SAMPLE], cwd=sample, env={"TERM": "xterm", "COLORTERM": ""}) as terminal:
        terminal.wait_for("B12")
        terminal.press("e")
        terminal.wait_for("moved")
        terminal.press("q")
        assert terminal.wait() == 0
        assert [8, 2] not in [sgr[:2] for sgr in terminal.colours()]
