"""Marks, notes and tags on the screen: decided with a few keys, kept at once, seen everywhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from traceview.triage import TriageError, load
from traceview.tui.config import Config
from traceview.tui.request import Request
from tui.harness import CASES, TRACES, Driver, driven, made_up, opened, screen_lines

SIGNED = Config(author="ann")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The sample in a folder of its own: marks are kept beside it."""
    cases, traces = tmp_path / "cases.csv", tmp_path / "traces.jsonl"
    shutil.copy(CASES, cases)
    shutil.copy(TRACES, traces)
    return str(cases), str(traces)


def written(files: tuple[str, str]) -> list[dict[str, object]]:
    path = Path(f"{files[0]}.triage.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def line_of(driver: Driver, case_id: str) -> str:
    return next(line for line in driver.pane("cases") if case_id in line)


@driven
async def test_a_mark_is_kept_at_once_and_seen_in_list_and_head(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]], config=SIGNED) as driver:
        assert "mark" not in driver.pane("cases")[0]
        await driver.press("e", "e", "m")
        assert "Mark B03" in "\n".join(screen_lines(driver.app))
        await driver.press("c")
        assert [(line["mark"], line["author"], line["scope"]) for line in written(files)] == [
            ("confirmed", "ann", "run")
        ]
        assert line_of(driver, "B03").split()[1:3] == ["c", "B03"]
        assert "confirmed by ann" in driver.text
        assert "same failure as when marked" in " ".join(driver.text.split())
        assert driver.selected == "B03"
        await driver.press("r")
        await driver.loaded()
        assert line_of(driver, "B03").split()[1:3] == ["c", "B03"]
    async with opened(files[0], [files[1]], filter_text="mark:confirmed") as driver:
        assert driver.shown == ["B03"]


@driven
async def test_the_list_is_sorted_by_mark(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m", "i", "e", "m", "c")  # B02 and B03
        driver.main.filters.sort_by("mark")
        await driver.settle()
        assert driver.shown[:3] == ["B03", "B02", "B01"]  # confirmed, ignore, undecided as in the file
        driver.main.filters.sort_by("mark")
        await driver.settle()
        assert driver.shown[:3] == ["B02", "B03", "B01"]


@driven
async def test_only_what_is_left_to_decide(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m", "i", "F")  # B02
        assert driver.shown == ["B03", "B04", "B05", "B06", "B08", "B09"]
        await driver.press("F")
        assert len(driver.shown) == 12
        await driver.press("s", "j", "enter")
        assert driver.shown == ["B03"]
        await driver.press("F")
        assert driver.shown == ["B03", "B04", "B05", "B06", "B08", "B09"], "in place of the kind"


@driven
async def test_undo_takes_it_back_and_none_too(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m", "i", "u")
        assert driver.said.startswith("taken back: ignore")
        assert load(Path(f"{files[0]}.triage.jsonl")).of(driver.app.session.table.rows[1]) is None
        assert "ignore by" not in driver.text
        await driver.press("u")
        assert "nothing was decided here" in driver.said
        await driver.press("m", "e", "m", "n")
        assert "no mark any more" in driver.said
        assert load(Path(f"{files[0]}.triage.jsonl")).of(driver.app.session.table.rows[1]) is None
        await driver.press("u")
        assert "the mark counts again" in driver.said
        found = load(Path(f"{files[0]}.triage.jsonl")).of(driver.app.session.table.rows[1])
        assert found is not None and found.mark == "environment"
        await driver.press("m", "n")
        assert "no mark any more" in driver.said
        await driver.press("m", "n")
        assert "there is no mark of" in driver.said


@pytest.mark.parametrize(
    ("keys", "scope"), [("a", "case"), ("s", "signature"), ("tab", "case"), ("r", "run")]
)
@driven
async def test_of_what_is_chosen_in_the_menu(files: tuple[str, str], keys: str, scope: str) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m", keys, "enter")
        (line,) = written(files)
        assert (line["scope"], line["mark"]) == (scope, "confirmed")


@driven
async def test_note_and_tags_in_one_line_and_found_by_plain_words(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "c")
        await driver.type("quite wrong")
        await driver.press("space", "number_sign", "q", "1", "enter")
        (line,) = written(files)
        assert (line["note"], line["tag"], "mark" in line) == ("quite wrong", ["q1"], False)
        assert "quite wrong" in driver.text
        await driver.filter("quite")
        assert driver.shown == ["B02"]
        await driver.press("c")
        await driver.press(*["backspace"] * 4, "enter")
        assert written(files)[1]["untag"] == ["q1"]
        assert "note" not in written(files)[1]


@driven
async def test_what_is_marked_leaves_the_filter_for_what_is_left_to_do(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]], filter_text="mark:open") as driver:
        before = driver.shown
        assert driver.selected == before[0]
        await driver.press("m", "c")
        assert driver.shown == before[1:]
        assert driver.selected == before[1]
        await driver.press("u")
        assert driver.shown == before


@driven
async def test_changed_since_is_said(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m", "c")
    path = Path(f"{files[0]}.triage.jsonl")
    path.write_text(path.read_text("utf-8").replace("moved_call", "missing_call"), "utf-8")
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e")
        assert "changed since" in driver.text
        ((_, words, ink),) = driver.main.marks.beside(driver.app.session.table.rows[1])
        assert words.endswith("changed since; it was sequence_ok reserve_room missing_call")
        assert ink == "unknown"
        assert "c≠" in line_of(driver, "B02")


@driven
async def test_where_nothing_can_be_kept_it_is_said_at_once_and_another_file_helps(
    files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        if path.name == "cases.csv.triage.jsonl":
            raise TriageError("cases.csv.triage.jsonl: its folder may not be written; --triage FILE")

    monkeypatch.setattr("traceview.triage.check_writable", refuse)
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m")
        assert len(driver.app.screen_stack) == 1
        assert "its folder may not be written" in driver.said
        assert "triage: save as" in driver.said
        driver.main.marks._save_as(str(tmp_path / "other.jsonl"))
        await driver.press("m", "c")
        assert "confirmed" in (tmp_path / "other.jsonl").read_text("utf-8")
    assert not written(files)


@driven
async def test_marks_are_not_added_to_what_is_something_else(files: tuple[str, str], tmp_path: Path) -> None:
    before = [Path(name).read_bytes() for name in files]
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("e", "m", "c")
        for name in (*files, "~nosuch-user/marks.jsonl", "-"):
            driver.main.marks._save_as(name)
            await driver.settle()
            words = "other things than marks" if name in files else "user" if "~" in name else "the screen"
            assert words in driver.said
        await driver.press("u")
    assert [Path(name).read_bytes() for name in files] == before


@driven
async def test_another_file_is_taken_from_the_start(files: tuple[str, str], tmp_path: Path) -> None:
    async with opened(files[0], [files[1]]) as driver:
        driver.app.request = Request(files[0], (files[1],), triage=str(tmp_path / "mine.jsonl"))
        driver.main.marks.triage = None
        await driver.press("r")
        await driver.loaded()
        await driver.press("e", "m", "x")
    assert "expectation wrong" in (tmp_path / "mine.jsonl").read_text("utf-8")


@driven
async def test_reports_written_from_the_screen_carry_marks(files: tuple[str, str], tmp_path: Path) -> None:
    async with opened(files[0], [files[1]]) as driver:
        assert driver.app.session.report is not None
        assert driver.app.session.report.triage is None
        await driver.press("e", "m", "e")
        from traceview.tui.writing import WriteJob

        session = driver.app.session
        assert session.report is not None
        rows = [session.table.rows[place] for place in session.table.shown]
        target = str(tmp_path / "out.json")
        WriteJob(session.report, rows, None, target, "json", force=False, reader=None).run()
    results = json.loads(Path(target).read_text("utf-8"))["results"]
    assert [result["triage"]["mark"] for result in results if result["triage"]] == ["environment"]


@driven
async def test_a_whole_kind_is_marked_in_the_view_of_kinds(files: tuple[str, str]) -> None:
    async with opened(files[0], [files[1]]) as driver:
        await driver.press("s", "minus", "minus", "m")
        assert "Mark this kind" in "\n".join(screen_lines(driver.app))
        await driver.press("x")
        lines = written(files)
        assert [(line["scope"], line["mark"]) for line in lines] == [("signature", "expectation wrong")] * 2
        assert {str(line["signature"]).split()[0] for line in lines} == {"sequence_ok"}
        await driver.press("plus", "plus")
        marked = [line for line in screen_lines(driver.app) if "1     0  x   14.3 %" in line]
        assert len(marked) == 2
        assert sum("1     1      14.3 %" in line for line in screen_lines(driver.app)) == 5
        assert any("7 kinds of failure in 7 runs, 5 left" in line for line in screen_lines(driver.app))
        await driver.press("escape", "u")
        assert len(written(files)) == 4
        assert driver.app.session.report is not None
        assert all(driver.main.marks.of(row) is None for row in driver.app.session.table.rows)


@driven
async def test_standard_input_has_no_place_for_marks() -> None:
    from rows import CHECKS, row

    async with made_up([row("P1")], checks=CHECKS) as driver:
        await driver.press("m")
        assert "no place for marks" in driver.said
        await driver.press("c", "u")
        assert driver.app.is_running


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 20), (20, 5)])
@driven
async def test_in_any_terminal(files: tuple[str, str], size: tuple[int, int]) -> None:
    async with opened(files[0], [files[1]], size=size) as driver:
        await driver.press("e", "m")
        assert max(map(len, screen_lines(driver.app))) <= size[0]
        await driver.press("s", "j", "k", "enter", "c")
        assert max(map(len, screen_lines(driver.app))) <= size[0]
        await driver.press("escape")
        assert written(files)[0]["scope"] == "signature"
