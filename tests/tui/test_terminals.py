"""Any terminal: small ones, resized ones, ones without colour, with sixteen, with plain ASCII."""

from __future__ import annotations

import pytest
from rich.color import Color

from reports.table import DATA
from traceview.tui.config import Config
from tui.harness import Driver, driven, opened

SMALL = DATA / "065-small-terminal"
PLAIN = DATA / "066-no-colour"


def colours(driver: Driver) -> set[tuple[Color | None, Color | None]]:
    """(foreground, background) of everything drawn, as it goes to the terminal."""
    found = set()
    for strip in driver.app.screen._compositor.render_strips():
        for line_filter in driver.app._filters:
            if line_filter.enabled:
                strip = strip.apply_filter(line_filter, driver.app.screen.background_colors[1])
        found |= {(s.style.color, s.style.bgcolor) for s in strip if s.style is not None}
    return found


@driven
async def test_report_065() -> None:
    async with opened(str(SMALL / "cases.csv"), [str(SMALL / "traces.jsonl")], size=(70, 24)) as driver:
        await driver.press("j")
        selected = driver.selected
        for size in ((40, 10), (20, 5), (100, 30), (1, 1), (3, 2), (200, 60), (40, 10)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert driver.selected == selected
        assert any("SM-2" in line and line.lstrip("│").startswith("▌") for line in driver.lines)


@pytest.mark.parametrize("size", [(72, 18), (71, 24), (40, 24), (120, 17), (20, 5), (30, 8), (60, 60)])
@driven
async def test_one_pane_at_a_time_where_there_is_no_room(size: tuple[int, int]) -> None:
    async with opened(size=size) as driver:
        for key, pane in (("2", "timeline"), ("3", "contracts"), ("1", "cases")):
            await driver.press(key)
            view = driver.main.query_one(f"#{pane}")
            assert view.region.width > 0
            assert view.region.height > 0
            assert view.has_focus
        await driver.press("enter")
        assert driver.main.timeline.has_focus
        await driver.press("escape")
        assert driver.main.case_list.has_focus
        await driver.press("slash")
        await driver.type("is:fail")
        assert driver.main.filter_field.region.height == 1
        await driver.press("enter")
        assert len(driver.shown) == 7


@driven
async def test_what_has_the_focus_is_seen_after_a_resize() -> None:
    async with opened(size=(120, 36)) as driver:
        for key in ("2", "3", "1"):
            await driver.press(key)
            for size in ((40, 20), (120, 10), (120, 36)):
                await driver.pilot.resize_terminal(*size)
                await driver.settle()
                focused = driver.main.focused
                assert focused is not None
                assert focused.region.area > 0


@driven
async def test_report_066_every_diagnosis_is_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(str(PLAIN / "cases.csv"), [str(PLAIN / "traces.jsonl")]) as driver:
        lines = driver.pane("cases")
        for case, word in (("NC-1", "pass"), ("NC-2", "wrong_arguments"), ("NC-3", "no_trace")):
            assert any(case in line and word in line for line in lines), case
        await driver.press("e")
        assert driver.selected == "NC-2"
        opened_run = "\n".join(driver.pane("timeline"))
        assert "expected" in opened_run
        assert "observed" in opened_run


@driven
async def test_no_color_means_no_colour_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for theme in ("traceview-dark", "traceview-light", "ansi-dark", "nord"):
        async with opened(config=Config(theme=theme)) as driver:
            for key in ("e", "2", "question_mark", "escape", "w"):
                await driver.press(key)
                seen = colours(driver)
                assert all(
                    (fore is None or fore.is_default) and (back is None or back.is_default)
                    for fore, back in seen
                ), (theme, key, seen)


@driven
async def test_sixteen_colours_are_the_terminals_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM")
    async with opened() as driver:
        assert driver.app.theme == "ansi-dark"
        for key in ("e", "2"):
            await driver.press(key)
            for fore, back in colours(driver):
                assert fore is None or fore != back or fore.is_default


@driven
async def test_a_light_terminal_gets_the_light_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    async with opened() as driver:
        assert driver.app.theme == "traceview-light"
        await driver.press("T")
        assert driver.app.theme == "traceview-dark"


@pytest.mark.parametrize("size", [(120, 36), (40, 20)])
@driven
async def test_ascii_signs(size: tuple[int, int]) -> None:
    """All that is ours is ASCII; what is not comes from the data."""
    async with opened(size=size, config=Config(ascii=True)) as driver:
        data = {char for row in driver.app.session.table.rows for char in row.title}
        for key in ("e", "S", "escape", "f", "2", "o", "question_mark", "escape", "w", "escape", "3", "y"):
            await driver.press(key)
            odd = {char for char in driver.text if not char.isascii()} - data
            assert not odd, (key, odd, driver.text)
