"""The selected case stays the selected one, whatever happens to the list around it."""

from __future__ import annotations

from pathlib import Path

from reports.table import DATA
from rows import CHECKS, row
from tui.harness import CASES, TRACES, Driver, driven, made_up, opened

CURSOR = DATA / "081-cursor-marks"
MIXED = DATA / "080-mixed-sort"


def in_view(driver: Driver) -> bool:
    """Whether the selected line is drawn, with the cursor sign."""
    marked = [line for line in driver.pane("cases") if line.startswith("▌")]
    return len(marked) == 1 and str(driver.selected) in marked[0]


async def select(driver: Driver, case_id: str) -> None:
    driver.main.case_list.select_place(driver.app.session.table.place_of_case(case_id))
    await driver.settle()


@driven
async def test_report_081() -> None:
    async with opened(str(CURSOR / "cases.csv"), [str(CURSOR / "traces.jsonl")], size=(100, 24)) as driver:
        await select(driver, "CM-12")
        await driver.press("f")
        assert driver.selected == "CM-12"
        assert in_view(driver)
        await driver.press("f")
        assert driver.selected == "CM-12"
        assert in_view(driver)
        await driver.press("r")
        await driver.loaded()
        assert driver.selected == "CM-12"
        assert in_view(driver)
        await select(driver, "CM-13")
        await driver.press("f")
        assert driver.selected in driver.shown
        assert in_view(driver)
        assert driver.main.opened.detail is not None
        assert driver.main.opened.detail.case.case_id == driver.selected == "CM-15"


@driven
async def test_a_case_that_was_filtered_out_is_selected_again_when_it_is_back() -> None:
    async with opened() as driver:
        await driver.press("f")
        await driver.press("f")
        assert driver.selected == "B01"
        await driver.press("f", "j", "f")
        assert driver.selected == "B03"  # moved in between: then it is where one went


@driven
async def test_sorting_keeps_the_case_and_loses_none() -> None:
    async with opened(str(MIXED / "cases.csv"), [str(MIXED / "traces.jsonl")]) as driver:
        await select(driver, "MS-2")
        columns = [choice for choice, _ in _sort_columns(driver)]
        for column in columns:
            for _ in range(2):
                driver.main.filters.sort_by(column)
                await driver.settle()
                assert sorted(driver.shown) == ["MS-1", "MS-2", "MS-3", "MS-4"]
                assert driver.selected == "MS-2"
                assert in_view(driver)
        driver.main.filters.sort_by("")
        driver.main.filters.sort_by("cell:priority")
        assert driver.shown.index("MS-2") < driver.shown.index("MS-1")
        assert driver.shown[-1] == "MS-4" or driver.shown[-1] == "MS-3"


def _sort_columns(driver: Driver) -> list[tuple[str, str]]:
    from traceview.tui.sorting import sort_columns

    table = driver.app.session.table
    return sort_columns(table.checks, table.columns)


@driven
async def test_the_sort_menu_and_a_click_on_a_head() -> None:
    async with opened() as driver:
        await driver.press("S", "j", "j", "enter")
        assert driver.shown[0] == "B06"  # duplicate_write
        assert "sorted by diagnosis" in driver.text
        assert "diagnosis▲" in driver.pane("cases")[0]
        await driver.pilot.click(driver.main.case_list, offset=(5, 1))
        await driver.settle()
        assert driver.shown[0] == "B01"
        await driver.pilot.click(driver.main.case_list, offset=(5, 1))
        await driver.settle()
        assert driver.shown[0] == "B12"
        assert driver.selected == "B01"


@driven
async def test_reload_follows_the_case_to_another_line(tmp_path: Path) -> None:
    lines = Path(CASES).read_text("utf-8").splitlines(keepends=True)
    cases = tmp_path / "cases.csv"
    cases.write_text("".join(lines), "utf-8")
    async with opened(str(cases), [TRACES]) as driver:
        await driver.press("f", "e", "e")
        assert driver.selected == "B04"
        cases.write_text(lines[0] + "".join(reversed(lines[1:])), "utf-8")
        await driver.press("r")
        await driver.loaded()
        assert driver.shown == ["B09", "B08", "B06", "B05", "B04", "B03", "B02"]
        assert driver.selected == "B04"
        assert in_view(driver)
        cases.write_text("nothing that makes sense", "utf-8")
        await driver.press("r")
        for _ in range(200):
            if "Cases 7/12" in driver.text and "reading" not in driver.said:
                break
            await driver.pilot.pause(0.01)
        assert driver.selected == "B04"  # what was read before stays, and the problem is said
        assert "nothing that makes sense" in driver.said or "column" in driver.said


@driven
async def test_several_runs_of_a_case_are_told_apart() -> None:
    rows = [row("A", run_id=f"r{n}", trial=str(n)) for n in range(3)] + [row("B", trial="0")]
    async with made_up(rows, checks=CHECKS) as driver:
        await driver.press("j", "j")
        assert [line for line in driver.pane("cases") if "2 r2" in line]
        assert driver.main.case_list.selected is rows[2]
        await driver.filter("case:A")
        assert driver.main.case_list.selected is rows[2]
