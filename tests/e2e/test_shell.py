"""``check`` in a terminal: colour, progress, and nothing from data that acts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from terminal import Terminal

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES, TRACES = SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl"
CHECK = [sys.executable, "-m", "traceview", "check"]


def shown(*arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> Terminal:
    with Terminal([*CHECK, *arguments], rows=60, env=env, cwd=cwd) as terminal:
        terminal.wait()
        return terminal


def test_colour_on_a_terminal_and_only_as_an_addition() -> None:
    coloured = shown(CASES, TRACES)
    assert coloured.colours()
    plain = shown(CASES, TRACES, env={"NO_COLOR": "1"})
    dumb = shown(CASES, TRACES, env={"TERM": "dumb"})
    assert not plain.colours() and not dumb.colours()
    assert plain.output == dumb.output == re.sub(rb"\x1b\[[0-9;]*m", b"", coloured.output)


@pytest.mark.parametrize("name", ["text", "json", "jsonl", "csv", "markdown", "junit", "github"])
def test_nothing_from_data_acts_on_the_terminal(tmp_path: Path, name: str) -> None:
    evil = "\x1b]52;c;aGk=\x07\x1b[2J\u202e\x9b31m"
    (tmp_path / "cases.csv").write_text(
        f'case_id,title,expected_sequence\n"{evil}","{evil}","[""a""]"\n', encoding="utf-8"
    )
    event = {"case_id": evil, "step": 1, "tool_name": evil}
    (tmp_path / "traces.jsonl").write_text(json.dumps(event), encoding="utf-8")
    terminal = shown("cases.csv", "traces.jsonl", "--format", name, cwd=tmp_path, env={"NO_COLOR": "1"})
    text = terminal.output.decode().replace("\r\n", "\n")
    assert "52;c" in text
    assert [char for char in text if char != "\n" and not char.isprintable()] == []


def test_a_terminal_that_is_not_utf8_gets_what_it_understands() -> None:
    terminal = shown(CASES, TRACES, env={"PYTHONIOENCODING": "latin-1", "NO_COLOR": "1"})
    assert b"x B02" in terminal.output
    assert "Réserver".encode("latin-1") in terminal.output
    assert not re.search(rb"[\x80-\x9f]", terminal.output)


def test_waiting_is_answered_with_progress(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    code = (
        "import sys, time\n"
        "import traceview.load\n"
        "loader = sys.modules['traceview.load'].Loader\n"
        "stages = loader.stages\n"
        "def slowly(self):\n"
        "    for message in stages(self):\n"
        "        time.sleep(0.4)\n"
        "        yield message\n"
        "loader.stages = slowly\n"
        "from traceview.cli import main\n"
        f"sys.exit(main(['check', {str(CASES)!r}, {str(TRACES)!r}]))\n"
    )
    script.write_text(code)
    with Terminal([sys.executable, script], env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for(lambda t: b"reading traces" in t.output or b"judging" in t.output)
        assert terminal.wait() == 1
    # The line is gone before the report begins.
    before, _, report = terminal.output.rpartition(b"\r\x1b[K")
    assert b"judging" in before or b"reading traces" in before
    assert report.startswith(b"traceview ")


@pytest.mark.parametrize("elsewhere", ["2>/dev/null", "2>&-"])
def test_without_the_stream_that_it_is_drawn_on_the_screen_is_the_text_report(elsewhere: str) -> None:
    line = f"{sys.executable} -m traceview {CASES} {TRACES} {elsewhere}"
    with Terminal(["sh", "-c", line], rows=60, env={"NO_COLOR": "1"}) as terminal:
        assert terminal.wait() == 0
        assert terminal.output.endswith(b"not a gate: use traceview check\r\n")


def test_no_progress_where_nobody_looks() -> None:
    done = subprocess.run([*CHECK, CASES, TRACES], capture_output=True, check=False)
    assert done.stderr == b""
