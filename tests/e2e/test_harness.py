"""The harness itself: a program that leaves the terminal in a mess must not go unnoticed."""

from __future__ import annotations

import sys

import pytest

from terminal import Terminal


def program(source: str) -> list[str]:
    return [sys.executable, "-c", source]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (r"\x1b[?1049h\x1b[?1049l", []),
        (r"\x1b[?1049h", ["mode 1049 is still set"]),
        (r"\x1b[?25l", ["the cursor is hidden"]),
        (r"\x1b[?1000;1006h\x1b[?1006l", ["mode 1000 is still set"]),
        (r"\x1b[>1u", ["the keyboard protocol is still on"]),
    ],
)
def test_modes_that_stay_set_are_named(written: str, found: list[str]) -> None:
    with Terminal(program(f"print('{written}done', flush=True)")) as terminal:
        assert terminal.wait() == 0
        assert terminal.text.startswith("done")
        assert terminal.left_behind() == found


def test_a_raw_line_discipline_is_named() -> None:
    with Terminal(program("import tty; tty.setraw(0)")) as terminal:
        terminal.wait()
        assert terminal.left_behind() == ["the line discipline is not as it was"]


def test_keys_reach_the_program_and_an_interrupt_ends_it() -> None:
    with Terminal(program("print(input('? ').upper()); import time; time.sleep(60)")) as terminal:
        terminal.wait_for("?")
        terminal.type("zoë")
        terminal.press("enter")
        terminal.wait_for("ZOË")
        terminal.interrupt()
        assert terminal.wait() != 0
