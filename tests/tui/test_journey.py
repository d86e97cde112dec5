"""The main job with the keyboard: find the failures, see what differs, filter, come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.harness import Driver, driven, opened

SIZES = [(120, 36), (80, 24), (200, 50)]


def part(driver: Driver, *words: str) -> bool:
    """Whether one line of the screen holds all the words, in this order."""
    for line in driver.lines:
        at = 0
        for word in words:
            at = line.find(word, at)
            if at < 0:
                break
            at += len(word)
        else:
            return True
    return False


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_from_the_first_case_to_what_differs_in_b03(size: tuple[int, int]) -> None:
    async with opened(size=size) as driver:
        assert driver.selected == "B01"
        await driver.press("e")
        assert driver.selected == "B02"
        await driver.press("e")
        assert driver.selected == "B03"
        opened_run = "\n".join(driver.pane("timeline"))
        first = opened_run.index("✗ duration_min")
        assert opened_run.index("expected 30") > first
        assert opened_run.index("observed 60") > first


@driven
async def test_totals_of_all_runs_stay_in_sight_with_a_filter() -> None:
    async with opened() as driver:
        assert part(driver, "12 runs", "5 pass", "7 fail")
        await driver.filter("diagnosis:wrong_arguments")
        assert driver.shown == ["B03", "B08"]
        assert part(driver, "Cases 2/12 · diagnosis:wrong_arguments")
        assert part(driver, "12 runs", "5 pass", "7 fail")
        assert part(driver, "arguments_ok", "10/12", "0/2 shown")
        assert part(driver, "wrong_arguments", "2", "2 shown")


@driven
async def test_next_failure_says_when_it_begins_again() -> None:
    async with opened() as driver:
        await driver.press(*"eeeeeee")
        assert driver.selected == "B09"
        await driver.press("e")
        assert driver.selected == "B02"
        assert "from the top" in driver.said
        await driver.press("E")
        assert driver.selected == "B09"
        assert "from the end" in driver.said


@driven
async def test_next_difference_says_when_it_begins_again_and_when_there_is_none() -> None:
    async with opened() as driver:
        await driver.press("2", "n")
        assert "no difference in this run" in driver.said
        await driver.press("o")
        assert "every step unfolded" in driver.said
        await driver.press("1", "e", "e", "2", "n", "n")
        assert "past the last difference: from the top" in driver.said
        await driver.press("N")
        assert "past the first: from the end" in driver.said


@driven
async def test_no_failure_left_says_what_the_filter_hides() -> None:
    async with opened() as driver:
        await driver.filter("is:pass")
        await driver.press("e")
        assert driver.selected == "B01"
        assert "the filter hides 7" in driver.said
        await driver.filter("case:none")
        assert driver.shown == []
        await driver.press("e", "E", "d", "y", "enter")
        assert driver.selected is None


@driven
async def test_f_d_and_z() -> None:
    async with opened() as driver:
        await driver.press("f")
        assert driver.shown == ["B02", "B03", "B04", "B05", "B06", "B08", "B09"]
        await driver.press("j", "d")
        assert driver.selected == "B03"
        assert driver.shown == ["B03", "B08"]
        assert driver.app.session.filter.state.text == "is:fail diagnosis:wrong_arguments"
        await driver.press("z")
        assert len(driver.shown) == 12
        assert driver.selected == "B03"
        assert part(driver, "Cases 12 · off: is:fail")
        assert "filter is:fail diagnosis:wrong_arguments is off: z" in driver.said
        await driver.press("z")
        assert driver.shown == ["B03", "B08"]
        await driver.press("d", "f")
        assert len(driver.shown) == 12


@driven
async def test_a_contract_and_a_diagnosis_open_as_filters() -> None:
    async with opened() as driver:
        await driver.press("3", "j", "enter")
        assert driver.app.session.filter.state.text == "check:arguments_ok"
        assert driver.shown == ["B03", "B08"]
        await driver.press("tab", "j", "j", "enter")
        assert driver.app.session.filter.state.text == "check:arguments_ok diagnosis:wrong_arguments"
        await driver.press("escape")
        assert driver.main.pane == "cases"


@driven
async def test_panes_by_tab_and_number() -> None:
    async with opened() as driver:
        seen = []
        for _ in range(5):
            seen.append(driver.main.pane)
            await driver.press("tab")
        assert seen == ["cases", "timeline", "contracts", "diagnoses", "cases"]
        await driver.press("shift+tab")
        assert driver.main.pane == "cases"
        for number, name in (("2", "timeline"), ("3", "contracts"), ("1", "cases")):
            await driver.press(number)
            assert driver.main.focused is driver.main.query_one(f"#{name}")


@driven
async def test_panes_that_are_changed_faster_than_they_are_drawn() -> None:
    for size in ((120, 36), (40, 20)):
        async with opened(size=size) as driver:
            for name in ("cases", "timeline", "cases", "timeline"):
                driver.main.query_one(f"#{name}").focus()
            driver.main.go_to("cases")
            driver.main.go_to("timeline")
            await driver.hammer(["j"])  # fails where the screen does not come to rest
            assert driver.main.pane == "timeline"
            assert driver.main.focused is driver.main.timeline


@driven
async def test_the_opened_run_is_the_selected_case() -> None:
    async with opened() as driver:
        for key in ("j", "G", "k", "g", "e", "pagedown", "ctrl+u"):
            await driver.press(key)
            assert driver.main.opened.detail is not None
            assert driver.main.opened.detail.case.case_id == driver.selected


@driven
async def test_traces_alone_are_runs_to_look_at() -> None:
    async with opened(None) as driver:
        assert part(driver, "no contract: not judged", "12 runs", "not judged")
        assert part(driver, "Runs 12")
        assert "partition" not in driver.text
        await driver.press("j", "3")
        assert "nothing to sum up" in driver.said
        await driver.press("tab")
        assert driver.main.pane == "timeline"
        assert part(driver, "reserve_room", "ok")
        await driver.press("tab")
        assert driver.main.pane == "cases"


@driven
async def test_cases_that_no_contract_fits_are_not_judged(tmp_path: Path) -> None:
    cases = tmp_path / "cases.csv"
    cases.write_text("case_id,title\nB01,one\nB02,two\nQ,three\n", "utf-8")
    async with opened(str(cases)) as driver:
        assert part(driver, "no contract: not judged", "12 runs", "not judged", "1 no trace")
        assert part(driver, "B01", "unreviewed", "one")
        assert part(driver, "Q", "no_trace", "three")


@driven
async def test_ctrl_c_leaves_from_everywhere() -> None:
    for keys in ([], ["slash"], ["question_mark"], ["w"], ["ctrl+p"], ["S"]):
        async with opened() as driver:
            await driver.pilot.press(*keys)
            await driver.pilot.press("ctrl+c")
            assert driver.app.return_code == 0
            assert driver.app._exit
