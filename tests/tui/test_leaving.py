"""Leaving the program in a real terminal, while it reads: what stays on the screen and on the machine."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from terminal import Terminal
from tui.harness import CASES, TRACES

COMMAND = (sys.executable, "-m", "traceview")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Traces that a process of its own reads, and that take a while."""
    lines = Path(TRACES).read_text("utf-8")
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(lines.replace('"B', f'"X{n}-B') for n in range(1500)) + lines, "utf-8")
    return traces


def wait_until_gone(terminal: Terminal) -> int:
    deadline = time.monotonic() + 15
    while terminal.process.poll() is None:
        assert time.monotonic() < deadline, "it does not end"
        terminal.read(0.05)
    terminal.settle(0.05)
    return terminal.process.returncode


def readers(folder: Path) -> list[int]:
    """Processes that read for a screen on these files."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"reader_process" in command and str(folder).encode() in command:
            found.append(int(process.name))
    return found


def left_clean(terminal: Terminal) -> bool:
    out = terminal.output
    return out.rfind(b"\x1b[?1049l") > out.rfind(b"\x1b[?1049h") and b"Traceback" not in out


@pytest.mark.parametrize(("how", "code"), [("ctrl+c", 0), ("q", 0), ("TERM", 143)])
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at /proc")
def test_leaving_while_it_reads(how: str, code: int, large: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with Terminal([*COMMAND, CASES, large], env={"TMPDIR": str(temporary)}) as terminal:
        terminal.wait_for("B01")
        if how == "TERM":
            terminal.process.send_signal(signal.SIGTERM)
        else:
            terminal.press(how)
        assert wait_until_gone(terminal) == code
        assert left_clean(terminal)
    assert readers(large) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at /proc")
def test_a_terminal_that_is_closed_leaves_nothing_behind(large: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with Terminal([*COMMAND, CASES, large], env={"TMPDIR": str(temporary)}) as terminal:
        terminal.wait_for("B01")
        terminal.process.send_signal(signal.SIGHUP)
        assert wait_until_gone(terminal) == 129
    assert readers(large) == []
    assert list(temporary.iterdir()) == []


def test_data_on_standard_input_leaves_the_keyboard_to_the_screen() -> None:
    with Terminal([*COMMAND, CASES, "-"], stdin=Path(TRACES)) as terminal:
        terminal.wait_for("7 fail")
        terminal.press("e")
        terminal.press("e")
        terminal.wait_for("B03 · wrong_arguments")
        terminal.press("q")
        assert wait_until_gone(terminal) == 0
        assert left_clean(terminal)


def test_input_that_cannot_be_used_is_one_line_on_a_clean_terminal(tmp_path: Path) -> None:
    with Terminal([*COMMAND, tmp_path / "none.csv", TRACES], cwd=tmp_path) as terminal:
        assert wait_until_gone(terminal) == 2
        assert left_clean(terminal)
        assert "none.csv: no such file; expected cases" in terminal.text.replace("\n", "")
