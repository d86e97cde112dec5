"""The filter field: live, restorable, and deaf to the keys of the screen."""

from __future__ import annotations

import pytest

from reports.table import DATA
from rows import CHECKS, row
from tui.harness import Driver, driven, made_up, opened


def position(driver: Driver) -> tuple[object, ...]:
    """Everything that escape has to put back."""
    filter_ = driver.app.session.filter
    cases = driver.main.case_list
    return filter_.state, driver.shown, driver.selected, cases.scroll_offset.y, driver.main.pane


@driven
async def test_the_list_narrows_with_every_letter() -> None:
    async with opened() as driver:
        await driver.press("slash")
        counts = []
        for letter in "team":
            await driver.type(letter)
            counts.append(len(driver.shown))
        assert counts == sorted(counts, reverse=True)
        assert driver.shown == ["B03"]
        assert "1 of 12" in driver.lines[-1]
        await driver.press("backspace", "backspace", "backspace", "backspace")
        assert len(driver.shown) == 12


@driven
async def test_escape_puts_everything_back_as_it_was() -> None:
    rows = [
        row(f"C{n:03}", "fail" if n % 3 else "pass", failing=[CHECKS[0]] if n % 3 else []) for n in range(300)
    ]
    async with made_up(rows, checks=CHECKS) as driver:
        await driver.filter("is:fail")
        await driver.press("G", "k", "k", "k", "2")
        before = position(driver)
        await driver.press("slash")
        await driver.type("C01 is:pass")
        assert position(driver) != before
        await driver.press("escape")
        assert position(driver) == before
        await driver.press("z")
        off = position(driver)
        await driver.press("slash")
        await driver.type("C29")
        await driver.press("escape")
        assert position(driver) == off


@driven
async def test_enter_keeps_the_filter_and_goes_to_the_list() -> None:
    async with opened() as driver:
        await driver.press("2", "slash")
        await driver.type("is:fail")
        await driver.press("enter")
        assert driver.main.focused is driver.main.case_list
        assert len(driver.shown) == 7
        assert not driver.main.filter_field.is_open


@driven
async def test_a_wrong_filter_says_so_below_the_field_and_keeps_the_list() -> None:
    async with opened() as driver:
        await driver.press("slash")
        await driver.type("is:fail")
        assert len(driver.shown) == 7
        await driver.type("s")
        assert len(driver.shown) == 7
        assert "is:fails is not known" in driver.lines[-1]
        assert driver.lines[-2].strip().startswith("/")
        await driver.press("enter")
        assert driver.main.filter_field.is_open, "what makes no sense is not kept"
        assert "is:fails is not known" in driver.lines[-1]
        await driver.press("backspace", "enter")
        assert not driver.main.filter_field.is_open
        assert driver.app.session.filter.state.text == "is:fail"


@driven
async def test_a_filter_that_only_begins_well_is_not_kept() -> None:
    async with opened() as driver:
        await driver.press("slash")
        await driver.type("is:FAIL")
        await driver.press("enter", "j")
        assert driver.main.filter_field.input.value == "is:FAILj"
        await driver.press("escape")
        assert len(driver.shown) == 12 and not driver.app.session.filter.state.text


@driven
async def test_letters_that_are_commands_are_letters_in_the_field() -> None:
    """Report 064, and every key of the table that is a character."""
    folder = DATA / "064-search-input"
    async with opened(str(folder / "cases.csv"), [str(folder / "traces.jsonl")]) as driver:
        await driver.press("slash")
        await driver.type("quick seq")
        assert driver.main.filter_field.input.value == "quick seq"
        assert driver.shown == ["SE-3"]
        assert driver.app.is_running
        await driver.press("escape", "slash")
        await driver.press(*"jkgGlhonNeEzfdSywrp123Tq", "question_mark", "space")
        assert driver.main.filter_field.input.value == "jkgGlhonNeEzfdSywrp123Tq? "
        assert len(driver.app.screen_stack) == 1
        assert driver.app.is_running


@pytest.mark.parametrize(("typed", "found"), [("[", ["SE-1"]), ("*", ["SE-2"]), ("[net]", ["SE-1"])])
@driven
async def test_signs_of_patterns_are_text(typed: str, found: list[str]) -> None:
    """Report 063."""
    folder = DATA / "063-search-input"
    async with opened(str(folder / "cases.csv"), [str(folder / "traces.jsonl")]) as driver:
        await driver.press("slash")
        await driver.type(typed)
        assert driver.shown == found


@driven
async def test_a_filter_given_at_the_start_is_on_when_the_rows_are_there() -> None:
    async with opened(filter_text="is:fail") as driver:
        assert len(driver.shown) == 7
        assert "Cases 7/12 · is:fail" in driver.text
        assert driver.selected == "B02"


@driven
async def test_text_is_searched_in_arguments_and_results() -> None:
    async with opened() as driver:
        await driver.press("slash")
        await driver.type("text:BK-4103")
        for _ in range(200):
            if driver.shown == ["B03"]:
                break
            await driver.pilot.pause(0.01)
        assert driver.shown == ["B03"]
        await driver.press("escape")
        assert len(driver.shown) == 12
