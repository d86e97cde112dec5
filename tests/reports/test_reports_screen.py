"""The inputs on the real screen: what must be readable is there letter for letter, and nothing of it acts."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reports.table import DATA, ODD_NAMES, check_of, having
from terminal import Terminal

COMMAND = Path(sys.executable).with_name("traceview")
# Wide and high enough that every value of these small inputs is on the screen at once.
COLUMNS, ROWS = 180, 50
FIRST_ROW = 3  # of the case list, below title bar, border and headings

CELLS = sorted({(name, cell["case"]) for name in having("cells") for cell in check_of(name)["cells"]})
TIMELINES = [(name, case) for name in having("timeline") for case in check_of(name)["timeline"]]


@contextmanager
def screen(name: str, columns: int = COLUMNS, rows: int = ROWS, **env: str) -> Iterator[Terminal]:
    """The screen with all cases of an input read; leaving it checks that it ends well."""
    files = ODD_NAMES.get(name, ("cases.csv", "traces.jsonl"))
    with Terminal([COMMAND, *files], columns=columns, rows=rows, cwd=DATA / name, env=env) as terminal:
        terminal.wait_for(lambda t: re.search(r"\b[1-9]\d* runs?  ", t.lines[0]) is not None)
        terminal.settle()
        yield terminal
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.left_behind() == []
        assert "Traceback" not in terminal.output.decode(errors="replace")


def opened(case: str) -> Callable[[Terminal], bool]:
    """Whether the right pane shows this case."""
    return lambda terminal: f" {case} ·" in terminal.lines[1]


def open_case(terminal: Terminal, case: str) -> None:
    """Select a case and unfold all of its steps."""
    terminal.press("1", "g")
    listed = [line.split("││")[0].split() for line in terminal.lines[FIRST_ROW:]]
    terminal.press(*"j" * next(row for row, words in enumerate(listed) if case in words))
    terminal.wait_for(opened(case))
    terminal.press("2", "o")
    terminal.wait_for("read from")  # the last line of an unfolded step
    terminal.settle()


@pytest.mark.parametrize(("name", "case"), CELLS)
def test_what_must_be_readable_is_on_the_screen(name: str, case: str) -> None:
    with screen(name) as terminal:
        open_case(terminal, case)
        for cell in check_of(name)["cells"]:
            if cell["case"] == case:
                for text in cell["shows"] if isinstance(cell["shows"], list) else [cell["shows"]]:
                    terminal.wait_for(text)


@pytest.mark.parametrize(("name", "case"), TIMELINES)
def test_steps_stand_in_their_order(name: str, case: str) -> None:
    tools = check_of(name)["timeline"][case]
    with screen(name) as terminal:
        open_case(terminal, case)
        terminal.press("o")  # folded: one line a step
        terminal.wait_for(lambda t: "read from" not in t.text and tools[-1] in t.text)
        terminal.settle()
        lines = [line for line in terminal.lines if "matched" in line]
        assert [next(tool for tool in tools if f" {tool} " in line) for line in lines] == tools


@pytest.mark.parametrize("name", having("notes"))
def test_what_was_done_to_read_a_call_is_said_at_its_step(name: str) -> None:
    (note,) = check_of(name)["notes"]
    with screen(name) as terminal:
        open_case(terminal, note["case"])
        terminal.wait_for(note["why"])


@pytest.mark.parametrize("name", having("terminal_must_not_contain"))
def test_no_sequence_of_the_data_acts_on_the_terminal(name: str) -> None:
    with screen(name) as terminal:
        terminal.press("j", "2", "o", "1", "y", "esc", "?", "esc", "p", "esc", "/", "e", "esc")
        terminal.settle(0.2)
    for sequence in check_of(name)["terminal_must_not_contain"]:
        assert sequence.encode() not in terminal.output
    assert b"\x1b]52" not in terminal.output


def test_colour_codes_in_a_title_are_shown_and_shift_nothing() -> None:
    with screen("036-control-chars") as terminal:
        rows = [line for line in terminal.lines if "CC-2" in line or "CC-3" in line]
        assert any("␛[31mred" in line for line in rows)
        listed = [line for line in rows if " pass " in line and "CC-" in line[:12]]
        assert len(listed) == 2 and len({line.index("││") for line in listed}) == 1


def test_columns_line_up_behind_wide_characters() -> None:
    with screen("037-wide-chars") as terminal:
        # pyte keeps a cell per column: the pane's border must stand in the same column of every row.
        columns = set()
        for number in range(3, 7):
            row = terminal.screen.buffer[number]
            columns.add(min(x for x in range(20, COLUMNS) if row[x].data == "│"))
        assert len(columns) == 1


@pytest.mark.parametrize("name", having("text_only"))
def test_without_colour_everything_is_said_in_words(name: str) -> None:
    with screen(name, NO_COLOR="1") as terminal:
        for case, said in check_of(name)["verdicts"].items():
            (row,) = [line for line in terminal.lines if f" {case} " in line[:14]]
            assert {"[]": "pass", "['arguments']": "wrong_arguments"}.get(str(said), "no_trace") in row
        open_case(terminal, "NC-2")
        assert "expected" in terminal.text and "observed" in terminal.text
    colours = [
        n for sgr in terminal.colours() for n in sgr if n in (38, 48) or 30 <= n <= 37 or 40 <= n <= 47
    ]
    assert colours == []


@pytest.mark.parametrize("name", having("sizes"))
def test_any_size_is_survived_and_the_selection_stays(name: str) -> None:
    first, *others = [tuple(map(int, size.split("x"))) for size in check_of(name)["sizes"]]
    with screen(name, *first) as terminal:
        terminal.press("j")
        terminal.wait_for(lambda t: ("SM-2" in t.text and "▌✗ SM-2" in t.text) or "▌✓ SM-2" in t.text)
        for columns, rows in others:
            terminal.resize(columns, rows)
            if columns >= 40:
                terminal.wait_for("SM-2")
        terminal.wait_for(opened("SM-2"))


def test_the_selected_case_survives_filters_and_a_reload() -> None:
    with screen("081-cursor-marks") as terminal:
        terminal.press(*"j" * 11)
        terminal.wait_for(opened("CM-12"))
        terminal.press("f")
        terminal.wait_for("6/20")
        terminal.wait_for(opened("CM-12"))
        terminal.press("f")
        terminal.wait_for("Cases 20")
        terminal.wait_for(opened("CM-12"))
        terminal.press("r")
        terminal.wait_for("read again")
        terminal.wait_for(opened("CM-12"))
        terminal.press("j")
        terminal.wait_for(opened("CM-13"))
        terminal.press("f")  # CM-13 passes: another row is selected, and the right side shows that one
        terminal.wait_for(lambda t: "6/20" in t.text and "CM-13" not in t.text)
        (selected,) = [line for line in terminal.lines if "▌" in line[:4]]
        terminal.wait_for(opened(selected.split()[1]))


def test_typing_in_the_filter_triggers_no_key() -> None:
    with screen("064-search-input") as terminal:
        terminal.press("/")
        terminal.wait_for("everything as it was")  # the field is there
        terminal.type("quick seq")
        terminal.wait_for("/ quick seq")
        terminal.wait_for("1 of 3")
        assert "SE-3" in terminal.text and "SE-1" not in terminal.text
        terminal.press("esc")
        terminal.wait_for("Cases 3")


def test_pattern_characters_are_text_at_every_key() -> None:
    with screen("063-search-input") as terminal:
        for typed, found in check_of("063-search-input")["search"].items():
            terminal.press("/")
            terminal.wait_for("everything as it was")
            terminal.type(typed)
            terminal.wait_for("1 of 3")
            terminal.wait_for(opened(found[0]))
            terminal.press("esc")
            terminal.wait_for("Cases 3")


def test_traces_from_a_pipe_leave_the_keyboard_to_the_person() -> None:
    folder = DATA / "067-pipes-gz"
    with Terminal([COMMAND, "cases.csv", "-"], cwd=folder, stdin=folder / "traces.jsonl") as terminal:
        terminal.wait_for("PI-1")
        terminal.press("?")
        terminal.wait_for("next failing case")
        terminal.press("esc")
        terminal.wait_for(lambda t: "next failing case" not in t.text)
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.left_behind() == []


@pytest.mark.parametrize("files", [("nope.csv", "traces.jsonl"), (".", "traces.jsonl")])
def test_unusable_input_is_one_line_on_a_screen_as_it_was(files: tuple[str, str]) -> None:
    with Terminal([COMMAND, *files], cwd=DATA / "069-path-errors") as terminal:
        assert terminal.wait() == 2
        assert terminal.left_behind() == []
        assert len([line for line in terminal.lines if line]) == 1 and files[0] in terminal.text
