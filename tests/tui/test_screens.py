"""Whole screens, as a person sees them, and very long lists."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rows import CHECKS, row
from traceview.results import Row
from traceview.tui.config import Config
from traceview.tui.line_view import Line
from traceview.tui.widgets.case_list import CaseList
from tui.harness import SAMPLE, driven, made_up, opened
from tui.snapshot import same_as_stored

SCREENS = [
    ("wide", (120, 36), ("e", "e")),
    ("medium-filtered", (80, 24), ("f", "e")),
    ("narrow-list", (40, 24), ("e",)),
    ("narrow-steps", (40, 24), ("e", "e", "enter")),
    ("copy-menu", (80, 24), ("y",)),
]


@pytest.mark.parametrize(("name", "size", "keys"), SCREENS, ids=[name for name, _, _ in SCREENS])
@driven
async def test_screens(
    name: str, size: tuple[int, int], keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SAMPLE)  # paths are shown from here
    async with opened(size=size, config=Config(theme="traceview-dark")) as driver:
        await driver.press(*keys)
        same_as_stored(name, driver.lines)


@driven
async def test_two_hundred_thousand_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key draws what is seen and no more, however long the list is."""
    drawn: list[int] = []
    render = CaseList.render_text_line

    def counted(self: CaseList, y: int, width: int) -> Line:
        drawn.append(y)
        return render(self, y, width)

    monkeypatch.setattr(CaseList, "render_text_line", counted)
    failing = row("x", "fail", "wrong_arguments", failing=[CHECKS[1]])
    passing = row("x")
    rows = [
        row_named(failing if number % 1000 == 999 else passing, f"C{number:06}") for number in range(200_000)
    ]
    async with made_up(rows, checks=CHECKS, priority=["wrong_arguments"]) as driver:
        for key, expected in (("e", "C000999"), ("e", "C001999"), ("G", "C199999"), ("E", "C198999")):
            drawn.clear()
            await driver.press(key)
            assert driver.selected == expected
            assert len(drawn) < 100
        drawn.clear()
        await driver.press("f")
        assert len(driver.shown) == 200
        assert driver.selected == "C198999"
        await driver.press("slash")
        await driver.type("C1234")
        assert len(driver.shown) == 100
        assert len(drawn) < 1000
        await driver.press("escape", "f")
        assert len(driver.shown) == 200_000
        assert driver.selected == "C198999"


def row_named(like: Row, case_id: str) -> Row:
    return replace(like, result=replace(like.result, case_id=case_id))
