"""The boxes over the panes: help, problems, copy, write, palette."""

from __future__ import annotations

import base64
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandList
from textual.widgets import Input, Static

from traceview.tui import clipboard, keys
from traceview.tui.config import Config
from traceview.tui.writing import WriteJob
from tui.harness import CASES, TRACES, Driver, driven, opened


@driven
async def test_help_lists_every_key_of_the_pane_and_of_the_screen() -> None:
    async with opened(size=(120, 120)) as driver:
        for number, where in (("1", "cases"), ("2", "timeline"), ("3", "summary")):
            await driver.press(number, "question_mark")
            for key in (*keys.of(where), *keys.of("lines"), *keys.of("app")):  # type: ignore[arg-type]
                assert key.description in driver.text, key.id
            await driver.press("escape")
            assert len(driver.app.screen_stack) == 1


@driven
async def test_help_shows_the_keys_that_are_in_force() -> None:
    async with opened(config=Config(keys={"case.next_failure": "x,ctrl+x"})) as driver:
        await driver.press("question_mark")
        assert any(line.split()[1:3] == ["x", "ctrl+x"] for line in driver.lines if "next failing" in line)
        await driver.press("q")
        await driver.press("x")
        assert driver.selected == "B02"
        await driver.press("e")
        assert driver.selected == "B02"
        assert "x next failure" in driver.main.hints.text


@driven
async def test_problems_with_file_and_line_open_their_case(tmp_path: Path) -> None:
    lines = Path(TRACES).read_text("utf-8").splitlines(keepends=True)
    lines[9] = lines[9][:60] + "\n"
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(lines), "utf-8")
    async with opened(CASES, [str(traces)]) as driver:
        assert "problem" in driver.said
        await driver.filter("is:pass")
        await driver.press("p")
        assert any("traces.jsonl:10" in line for line in driver.lines)
        await driver.press("enter")
        assert driver.selected == "B04"  # the filter that hid it is off


@driven
async def test_no_problems_is_said() -> None:
    async with opened() as driver:
        await driver.press("p")
        assert "Every line of the files was read and used." in driver.text
        await driver.press("enter")
        assert len(driver.app.screen_stack) == 1


# -- copy --------------------------------------------------------------------------------------------------


async def copied(driver: Driver, letter: str) -> str:
    await driver.press("y", letter)
    assert "copied" in driver.said
    return driver.app.clipboard


@driven
async def test_copying_a_case() -> None:
    async with opened() as driver:
        await driver.press("e", "e")
        assert await copied(driver, "i") == "B03"
        text = await copied(driver, "c")
        assert text.startswith("B03  wrong_arguments\n")
        assert "/duration_min: expected 30, observed 60" in text
        markdown = await copied(driver, "m")
        assert markdown.startswith("### B03: wrong\\_arguments\n")
        assert "| /duration\\_min | 30 | 60 |" in markdown


@driven
async def test_copying_what_the_cursor_is_on() -> None:
    async with opened() as driver:
        await driver.press("e", "e", "2")
        assert await copied(driver, "d") == "/duration_min: expected 30, observed 60"
        assert await copied(driver, "o") == "60"
        assert await copied(driver, "e") == "30"
        assert "check_availability" in await copied(driver, "s")
        assert "| /duration\\_min | 30 | 60 |" in await copied(driver, "k")
        assert json.loads(await copied(driver, "r"))["arguments"]["duration_min"] == 60


def test_the_terminal_is_asked() -> None:
    written: list[str] = []
    said = clipboard.copy("hé\ud800", written.append)
    payload = written[0].removeprefix("\x1b]52;c;").removesuffix("\a")
    assert base64.b64decode(payload).decode() == "hé\\ud800"
    assert "3 characters" in said
    assert "OSC 52" in said
    assert "refuse" in clipboard.copy("x" * 80_000, written.append)


def test_tmux_is_asked_first_and_passed_through_when_it_refuses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMUX", "/tmp/socket,1,0")
    tmux = tmp_path / "tmux"
    tmux.write_text(f'#!/bin/sh\ncat > {tmp_path}/buffer\necho "$@" > {tmp_path}/arguments\n')
    tmux.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    written: list[str] = []
    assert "through tmux" in clipboard.copy("text", written.append)
    assert (tmp_path / "buffer").read_text() == "text"
    assert (tmp_path / "arguments").read_text().split() == ["load-buffer", "-w", "-"]
    assert written == []
    tmux.write_text("#!/bin/sh\nexit 1\n")
    assert "allow-passthrough" in clipboard.copy("text", written.append)
    assert written[0].startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert written[0].endswith("\x1b\\")


# -- write -------------------------------------------------------------------------------------------------


async def write(driver: Driver, path: Path, *before: str) -> None:
    """Open the dialogue and write to a path."""
    await driver.press("w")
    driver.app.screen.query_one("#path", Input).value = str(path)
    await driver.press(*before, "enter")
    for _ in range(200):
        if len(driver.app.screen_stack) == 1 or "exists" in driver.text or before:
            break
        await driver.pilot.pause(0.01)
    await driver.settle()


def ids(path: Path) -> list[str]:
    return [result["case_id"] for result in json.loads(path.read_text("utf-8"))["results"]]


@driven
async def test_writing_what_the_filter_shows(tmp_path: Path) -> None:
    async with opened() as driver:
        await driver.filter("diagnosis:wrong_arguments")
        await write(driver, tmp_path / "two.json")
        assert ids(tmp_path / "two.json") == ["B03", "B08"]
        assert json.loads((tmp_path / "two.json").read_text("utf-8"))["filter"] == "diagnosis:wrong_arguments"
        assert f"wrote 2 of 12 runs as json to {tmp_path}" in driver.said


@driven
async def test_writing_the_selected_case_alone(tmp_path: Path) -> None:
    async with opened() as driver:
        await driver.press("e", "e")
        await write(driver, tmp_path / "one.json", "tab", "right")
        assert ids(tmp_path / "one.json") == ["B03"]


@driven
@pytest.mark.parametrize("read", ["c.csv", "t.jsonl", "contract.toml", "c.csv.triage.jsonl"])
async def test_no_file_that_was_read_is_replaced(tmp_path: Path, read: str) -> None:
    (tmp_path / "c.csv").write_bytes(Path(CASES).read_bytes())
    (tmp_path / "t.jsonl").write_bytes(Path(TRACES).read_bytes())
    (tmp_path / "contract.toml").write_text('contract = 1\nname = "x"\n[final]\nrun_outcome = "done"\n')
    (tmp_path / "c.csv.triage.jsonl").write_text("")
    before = (tmp_path / read).read_bytes()
    async with opened(str(tmp_path / "c.csv"), [str(tmp_path / "t.jsonl")]) as driver:
        await write(driver, tmp_path / read, "end")
        assert f"{read} is one of the inputs" in driver.text
        assert "Replace it?" not in driver.text
    assert (tmp_path / read).read_bytes() == before


@driven
async def test_a_file_is_replaced_after_a_question_only(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_text("mine")
    async with opened() as driver:
        await write(driver, target)
        assert "report.json exists (4 bytes). Replace it?" in driver.text
        await driver.press("enter")  # the first answer keeps it
        assert target.read_text() == "mine"
        await driver.press("enter", "n")
        assert target.read_text() == "mine"
        await driver.press("enter", "y")
        for _ in range(200):
            if target.read_text() != "mine":
                break
            await driver.pilot.pause(0.01)
        assert len(ids(target)) == 12
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@driven
async def test_format_and_ending_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as driver:
        await driver.press("w")
        dialogue: Any = driver.app.screen
        assert dialogue.path.value == "traceview-report.json"
        await driver.press("shift+tab", "right")
        assert dialogue.path.value == "traceview-report.jsonl"
        dialogue.path.value = "x.csv"
        await driver.settle()
        assert dialogue.format.value == "csv"
        dialogue.path.value = "qqq/x.csv"
        await driver.press("enter")
        assert "there is no folder qqq" in driver.text
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1
    assert list(tmp_path.iterdir()) == []


@driven
async def test_the_screen_and_check_write_the_same(tmp_path: Path) -> None:
    from traceview import cli

    for name in ("a.json", "b.csv", "c.md", "d.txt", "e.jsonl", "f.html", "g.xml"):
        async with opened() as driver:
            await write(driver, tmp_path / name)
        cli.main(["check", CASES, TRACES, "--output", str(tmp_path / f"check-{name}")])
        assert (tmp_path / name).read_bytes() == (tmp_path / f"check-{name}").read_bytes(), name


@driven
async def test_their_own_rows_and_lines_are_written_beside_the_report(tmp_path: Path) -> None:
    async with opened() as driver:
        await driver.filter("diagnosis:wrong_arguments")
        await write(driver, tmp_path / "two.json", "tab", "tab", "right")
        for _ in range(200):
            if "wrote" in driver.said:
                break
            await driver.pilot.pause(0.01)
        assert "and their inputs beside it" in driver.said
    traces = (tmp_path / "booking_agent_traces.jsonl").read_bytes().splitlines()
    assert set(traces) < set(Path(TRACES).read_bytes().splitlines())
    cases = str(tmp_path / "booking_agent_cases.csv")
    async with opened(cases, [str(tmp_path / "booking_agent_traces.jsonl")]) as driver:
        assert driver.shown == ["B03", "B08"]
        await write(driver, tmp_path / "again.json", "tab", "tab", "right")
        assert "is one of the inputs" in driver.text, "an input is never written over"
        assert not (tmp_path / "again.json").exists()


def waiting_writer(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Writing begins when this is set."""
    go_on = threading.Event()
    run = WriteJob.run

    def slowly(job: WriteJob) -> str:
        go_on.wait(10)
        return str(run(job))

    monkeypatch.setattr(WriteJob, "run", slowly)
    return go_on


@driven
async def test_a_second_enter_while_a_file_is_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = waiting_writer(monkeypatch)
    target = tmp_path / "report.json"
    async with opened() as driver:
        await driver.press("w")
        driver.app.screen.query_one("#path", Input).value = str(target)
        await driver.hammer(["enter"])
        target.write_text("somebody else's")
        await driver.hammer(["enter"])  # no question: there is nothing to decide
        target.unlink()
        assert len(driver.app.screen_stack) == 2
        go_on.set()
        for _ in range(200):
            if len(driver.app.screen_stack) == 1:
                break
            await driver.pilot.pause(0.01)
        await driver.press("escape")
        assert driver.app.is_running


@driven
async def test_a_file_that_is_written_after_the_dialogue_was_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = waiting_writer(monkeypatch)
    async with opened() as driver:
        await driver.press("w")
        driver.app.screen.query_one("#path", Input).value = str(tmp_path / "a.json")
        await driver.hammer(["enter", "escape", "question_mark"])
        go_on.set()
        for _ in range(200):
            if "wrote" in driver.said:
                break
            await driver.pilot.pause(0.01)
        assert len(driver.app.screen_stack) == 2, "the help is still open"
        assert "wrote 12 of 12" in driver.said


# -- palette -----------------------------------------------------------------------------------------------


@driven
async def test_a_page_key_before_the_list_of_the_palette_is_laid_out() -> None:
    async with opened() as driver:
        await driver.press("ctrl+p")
        await driver.pilot.pause(0.3)
        found = driver.app.screen.query_one(CommandList)
        found._index_to_line.clear()  # as it is for a moment, when other letters have found other commands
        await driver.hammer(["pageup"])
        assert driver.app.is_running
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1


@driven
async def test_the_palette_names_everything_as_group_and_verb() -> None:
    async with opened(size=(120, 60)) as driver:
        await driver.press("ctrl+p")
        await driver.pilot.pause(0.3)
        assert "case: next failing case" in driver.text
        for typed, words in (("type a", "filter: type a filter"), ("write", "report: write the shown cases")):
            await driver.press(*["backspace"] * 8)
            await driver.type(typed)
            await driver.pilot.pause(0.3)
            assert words in driver.text, words
        await driver.press(*["backspace"] * 8)
        await driver.type("only fail")
        await driver.pilot.pause(0.3)
        await driver.press("enter")
        await driver.pilot.pause(0.2)
        assert driver.app.session.filter.state.text == "is:fail"


@driven
async def test_the_palette_goes_to_a_case() -> None:
    async with opened() as driver:
        await driver.press("f", "ctrl+p")
        await driver.type("b12")
        await driver.pilot.pause(0.4)
        await driver.press("enter")
        await driver.pilot.pause(0.2)
        assert driver.selected == "B12"


# -- config ------------------------------------------------------------------------------------------------


@driven
@pytest.mark.parametrize("keys", [[], ["shift+tab", "right", "left", "left", "tab"]])
@pytest.mark.parametrize("typed", ["~nosuch-user/x.json", "/", ".", "./", "..", "-"])
async def test_a_path_that_names_no_file_is_said_in_the_box(
    typed: str, keys: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as driver:
        await driver.press("w")
        driver.app.screen.query_one("#path", Input).value = typed
        await driver.press(*keys)
        driver.app.screen.query_one("#path", Input).value = typed
        await driver.press("enter")
        assert len(driver.app.screen_stack) == 2 and not list(tmp_path.iterdir())
        said = str(driver.app.screen.query_one("#say", Static).render())
        assert said and "\n" not in said


@driven
async def test_themes_of_the_config_file() -> None:
    for name in ("traceview-light", "nord", "ansi-dark"):
        async with opened(config=Config(theme=name)) as driver:
            assert driver.app.theme == name
            assert "B01" in driver.text
