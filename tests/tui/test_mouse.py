"""Everything by mouse too; a first click only selects."""

from __future__ import annotations

from textual.widget import Widget

from tui.harness import Driver, driven, opened


def line_of(driver: Driver, pane: str, text: str) -> int:
    """The row of a pane, from its border, where a text stands."""
    return next(y for y, line in enumerate(driver.pane(pane), 1) if text in line)


async def click(driver: Driver, pane: str, text: str) -> None:
    await driver.pilot.click(
        driver.main.query_one(f"#{pane}", Widget), offset=(6, line_of(driver, pane, text))
    )
    await driver.settle()


@driven
async def test_a_first_click_selects_and_a_second_opens() -> None:
    async with opened() as driver:
        await click(driver, "cases", "B05")
        assert driver.selected == "B05"
        assert driver.main.case_list.has_focus
        await click(driver, "cases", "B05")
        assert driver.main.timeline.has_focus


@driven
async def test_a_click_into_another_pane_does_nothing_but_select() -> None:
    async with opened() as driver:
        await click(
            driver, "contracts", "sequence_ok"
        )  # its line under the cursor already, without the focus
        assert driver.main.contracts.has_focus
        assert driver.app.session.filter.state.text == ""
        await click(driver, "contracts", "sequence_ok")
        assert driver.app.session.filter.state.text == "check:sequence_ok"


@driven
async def test_the_wheel_scrolls_and_leaves_the_selection() -> None:
    async with opened(size=(120, 20)) as driver:
        before = driver.selected
        driver.main.case_list.scroll_to(y=3, animate=False, force=True)
        await driver.settle()
        assert driver.selected == before
        await driver.press("j")
        assert driver.main.case_list.scroll_offset.y <= 1


@driven
async def test_hints_can_be_clicked() -> None:
    async with opened() as driver:
        text = driver.main.hints.text
        await driver.pilot.click(driver.main.hints, offset=(text.index("next failure"), 0))
        await driver.settle()
        assert driver.selected == "B02"
        await driver.pilot.click(driver.main.hints, offset=(text.index("failures"), 0))
        await driver.settle()
        assert len(driver.shown) == 7
        await driver.pilot.click(driver.main.hints, offset=(text.index("steps"), 0))
        await driver.settle()
        assert driver.main.timeline.has_focus


@driven
async def test_a_menu_takes_a_click() -> None:
    async with opened() as driver:
        await driver.press("y")
        view = driver.app.screen.query_one("#lines")
        await driver.pilot.click(view, offset=(3, 1))
        await driver.pilot.click(view, offset=(3, 1))
        await driver.settle()
        assert "copied" in driver.said
        assert driver.app.clipboard.startswith("B01  pass")
