"""The signatures view: a thousand failures as a dozen kinds, each of which opens as a filter."""

from __future__ import annotations

import time

import pytest

from rows import CHECKS, PRIORITY, finding, row
from traceview.results import Row
from traceview.signatures import signature_groups
from traceview.tui.widgets.signatures import SignatureList
from tui.harness import Driver, driven, made_up, opened, screen_lines


def failing(count: int, path: str, observed: int = 60, *, start: int = 0) -> list[Row]:
    """Runs that fail in one way, at one argument."""
    text = f"reserve_room{path} is {observed}"
    return [
        row(
            f"{path[1:2].upper()}{start + number:05}",
            "fail",
            "wrong_arguments",
            failing=["arguments_ok"],
            findings=[finding(path=path, observed=observed, message=text)],
            signature=f"arguments_ok reserve_room {path} changed",
        )
        for number in range(count)
    ]


def some_rows() -> list[Row]:
    passing = [row(f"P{number}") for number in range(4)]
    return [*failing(2, "/room"), *passing, *failing(3, "/duration"), *failing(2, "/duration", 90, start=3)]


def kinds(driver: Driver) -> list[str]:
    """The lines of groups, as they are drawn."""
    view = driver.app.screen.query_one("#signatures")
    lines = [view.render_line(y).text.strip("▌▏ ") for y in range(1, view.content_size.height)]
    return [line for line in lines if line]


@driven
async def test_the_kinds_largest_first_with_share_tools_and_example() -> None:
    async with made_up(some_rows(), checks=CHECKS, priority=PRIORITY) as driver:
        await driver.press("s")
        first, second = kinds(driver)
        assert first.split() == [
            *("5", "71.4", "%", "arguments_ok", "reserve_room", "/duration", "changed"),
            *("reserve_room", "D00000"),
        ]
        assert second.split()[:3] == ["2", "28.6", "%"]
        assert "2 kinds of failure in 7 runs" in "\n".join(screen_lines(driver.app))
        await driver.press("escape")
        assert len(driver.shown) == 11
        assert driver.main.pane == "cases"


@driven
async def test_finer_and_coarser_with_the_cursor_on_the_same_failure() -> None:
    async with made_up(some_rows(), checks=CHECKS, priority=PRIORITY) as driver:
        await driver.press("s", "j", "plus")
        assert [line.split()[0] for line in kinds(driver)] == ["3", "2", "2"]
        view = driver.app.screen.query_one("#signatures", SignatureList)
        assert view.selected is not None
        assert view.selected.first.result.case_id == "R00000"
        await driver.press("minus", "minus")
        assert [line.split()[0] for line in kinds(driver)] == ["7"]
        await driver.press("minus", "minus")
        assert "wrong_arguments" in kinds(driver)[0]
        await driver.press("escape", "s")  # the view comes back as it was left
        assert "wrong_arguments" in kinds(driver)[0]


@pytest.mark.parametrize("finer", [0, 1])
@driven
async def test_every_kind_opens_with_its_count_and_s_goes_on_to_the_next(finer: int) -> None:
    rows = some_rows()
    groups = signature_groups(rows, "values" if finer else "argument")
    async with made_up(rows, checks=CHECKS, priority=PRIORITY) as driver:
        await driver.press("s", *["plus"] * finer, "enter")
        for group in groups[:-1]:
            assert len(driver.shown) == group.count
            assert set(driver.shown) >= {group.first.result.case_id}
            assert f"only {group.count} runs of this kind" in driver.said
            await driver.press("s")
            assert len(kinds(driver)) == len(groups)
            await driver.press("j", "enter")
        assert len(driver.shown) == groups[-1].count
        await driver.press("z")
        assert len(driver.shown) == len(rows)


@driven
async def test_a_filter_is_said_and_kept() -> None:
    async with made_up(some_rows(), checks=CHECKS, priority=PRIORITY) as driver:
        await driver.filter("case:D*")
        await driver.press("s")
        assert "of what the filter shows: case:D*" in "\n".join(screen_lines(driver.app))
        assert len(kinds(driver)) == 1
        await driver.press("plus", "enter")
        assert driver.shown == ["D00000", "D00001", "D00002"]
        assert driver.app.session.filter.state.text.startswith("case:D* ")


@driven
async def test_nothing_fails() -> None:
    async with made_up([row("P1")], checks=CHECKS, priority=PRIORITY) as driver:
        await driver.press("s")
        assert "No run that is shown fails." in "\n".join(screen_lines(driver.app))
        await driver.press("plus", "minus", "j", "enter")
        assert driver.shown == ["P1"]


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 20), (20, 5)])
@driven
async def test_in_any_terminal(size: tuple[int, int]) -> None:
    async with opened(size=size) as driver:
        await driver.press("s", "plus", "j", "G")
        assert any("B09" in line for line in screen_lines(driver.app)) or size[0] < 30
        assert max(map(len, screen_lines(driver.app))) <= size[0]
        await driver.press("enter")
        assert driver.shown == ["B09"]


@driven
async def test_a_click_on_a_level_takes_it_and_on_a_kind_selects_it() -> None:
    async with made_up(some_rows(), checks=CHECKS, priority=PRIORITY) as driver:
        await driver.press("s")
        await driver.pilot.click("LevelLine", offset=(6, 0))
        await driver.settle()
        assert "wrong_arguments" in kinds(driver)[0]
        await driver.pilot.click("#signatures", offset=(8, 1))
        assert len(driver.app.screen_stack) == 2
        await driver.pilot.click("#signatures", offset=(8, 1))
        await driver.settle()
        assert len(driver.shown) == 7


@driven
async def test_a_hundred_thousand_runs_in_under_a_second() -> None:
    rows = [failed for kind in range(12) for failed in failing(8000 + kind, f"/a{kind:02}")]
    async with made_up(rows, checks=CHECKS, priority=PRIORITY) as driver:
        began = time.perf_counter()
        await driver.press("s")
        assert time.perf_counter() - began < 3  # 0.2 s on an idle machine
        assert [line.split()[0] for line in kinds(driver)] == [f"{8000 + n:,}" for n in range(11, -1, -1)]
        await driver.press("enter")
        assert len(driver.shown) == 8011
