"""Text from data is text: no markup, no control sequence, no link of it acts on the screen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.table import DATA, ODD_NAMES
from rows import CHECKS, finding, row
from traceview.model import Problem
from traceview.results import ContractInfo
from traceview.tui.screens.problems import Problems
from tui.harness import Driver, driven, made_up, opened

HOSTILE = [
    "[/]",
    "[/foo] [b]bold[/b] [@click=app.quit]x[/] [link=http://x]y[/link]",
    "\x1b]52;c;aGk=\x07 \x1b[31mred \x1b[2J \x9b31m \x07\x08\r\n\t",
    "\u202eoverride\u202c \u200bzero\ufeff 👩\u200d👩\u200d👧 ❤\ufe0f ＷＩＤＥ 会議",
    ":warning: \\[x] \\",
    "\ud800 lone",
    "x" * 100_000,
]


def folder(name: str) -> tuple[str, list[str]]:
    cases, traces = ODD_NAMES.get(name, ("cases.csv", "traces.jsonl"))
    return str(DATA / name / cases), [str(DATA / name / traces)]


def all_printable(driver: Driver) -> bool:
    return all(line.isprintable() for line in driver.lines)


def in_pane(driver: Driver, pane: str, text: str) -> bool:
    """Whether a pane holds a text, which may be wrapped."""
    return text in driver.text or text.replace(" ", "") in "".join(
        line.strip() for line in driver.pane(pane)
    ).replace(" ", "")


@driven
async def test_report_032_a_closing_tag() -> None:
    async with opened(*folder("032-markup"), size=(140, 40)) as driver:
        assert in_pane(driver, "timeline", "[/] reset lane")
        await driver.press("2", "o")
        assert in_pane(driver, "timeline", "[SEAT] 12A [/SEAT]")


@driven
async def test_report_033_bracketed_words() -> None:
    async with opened(*folder("033-markup"), size=(140, 40)) as driver:
        assert in_pane(driver, "cases", "[green]ready[/green] queue")
        await driver.filter("[old]")
        assert driver.shown == ["MK-2"]
        await driver.press("2", "o")
        assert in_pane(driver, "timeline", "[old] fetch")


@driven
async def test_report_034_unterminated_brackets() -> None:
    async with opened(*folder("034-markup"), size=(140, 40)) as driver:
        await driver.press("2", "o")
        for text in ("range [b to (9", "range [b to (8", ":warning: low"):
            assert in_pane(driver, "timeline", text), text


@pytest.mark.parametrize(
    "name", ["035-control-chars", "036-control-chars", "037-wide-chars", "047-surrogates"]
)
@driven
async def test_reports_035_to_037_and_047(name: str) -> None:
    async with opened(*folder(name), size=(120, 36)) as driver:
        for key in ("o", "2", "o", "1", "j", "2", "o", "question_mark"):
            await driver.press(key)
            assert all_printable(driver)


@driven
async def test_report_036_columns_line_up_below_colour_codes() -> None:
    async with opened(*folder("036-control-chars"), size=(160, 36)) as driver:
        head, *rows = [line for line in driver.pane("cases") if line.strip()]
        column = head.index("title")
        assert "␛[31mred␛[0m flag" in rows[0][column:]
        assert all(line[column - 1] == " " for line in rows)


@driven
async def test_hostile_ids_titles_diagnoses_and_filters() -> None:
    rows = [
        row(text, "fail", text[:300], title=text, failing=[CHECKS[0]], findings=[finding(message=text)])
        for text in HOSTILE
    ]
    async with made_up(rows, checks=(*CHECKS, "[/] \x1b[31m"), priority=HOSTILE) as driver:
        for key in ("j", "j", "j", "d", "z", "3", "G", "1", "S", "escape", "y", "escape", "ctrl+p"):
            await driver.press(key)
            assert all_printable(driver), key
        await driver.press("escape", "slash")
        driver.main.filter_field.input.value = "is:[/]\x1b[31m"
        await driver.settle()
        assert all_printable(driver)


@driven
async def test_hostile_problems_and_contract_names() -> None:
    async with made_up([row("A")], checks=CHECKS) as driver:
        problems = [
            Problem("bad_json", "error", text[:200], n, text[:200], text) for n, text in enumerate(HOSTILE)
        ]
        driver.app.session.problems = problems
        driver.app.session.table.contract = ContractInfo(
            HOSTILE[1], HOSTILE[2], "", CHECKS, ignored_columns=("[/]\x1b",)
        )
        driver.main.refresh_all()
        await driver.press("p")
        assert isinstance(driver.app.screen, Problems)
        assert all_printable(driver)
        await driver.press("escape")
        assert all_printable(driver)


@settings(max_examples=8, deadline=None)
@given(texts=st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_nothing_unprintable_is_ever_drawn(texts: list[str]) -> None:
    _draw(texts)


@driven
async def _draw(texts: list[str]) -> None:
    rows = [row(text, "fail", text or None, title=text, failing=[CHECKS[0]]) for text in texts]
    async with made_up(rows, checks=CHECKS, size=(90, 24)) as driver:
        assert all_printable(driver)
        lines = driver.main.case_list.line_count
        widths = {driver.main.case_list.render_line(y).cell_length for y in range(min(lines, 20))}
        assert len(widths) == 1
