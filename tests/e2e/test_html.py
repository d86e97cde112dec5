"""The HTML report in a browser: it opens fast, filters as one types, and nothing from data runs or leaves."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import CHROMIUM, Browser, Page
from details import booking
from golden.hostile import MARKUP
from reports.table import DATA
from rows import finding, report, row
from traceview.cli import main
from traceview.evaluate.detail import Detail
from traceview.results import Row
from traceview.write import Options, writer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_data"
HOSTILE = ROOT / "tests" / "golden" / "expected" / "report.html"

EVIL = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    '"><svg onload=alert(1)>',
    "<!-- <script>",
    "https://example.com/a.png",
    "\u202eevil\u2028\x1b[31m\x00",
    "]]></style><style>*{display:none}",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if subprocess.run([str(CHROMIUM), "--version"], capture_output=True, check=False).returncode:
        pytest.skip("what is called chromium does not start")  # a stand-in that asks for a snap
    with Browser() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in which, at the end of a test, nothing was said, run or asked for that should not have been."""
    opened = browser.page()
    yield opened
    assert opened.said() == []
    assert {*opened.requests()} == opened.opened
    opened.close()


def check(target: Path, *arguments: str | Path) -> Path:
    command = [sys.executable, "-m", "traceview", "check", *map(str, arguments), "--output", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    return target


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the sample bookings."""
    files = (SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl")
    return check(tmp_path_factory.mktemp("html") / "report.html", *files)


def shown(page: Page) -> list[str]:
    """The case ids in the table, in their order."""
    return [words.strip("▸▾ ") for words in page.texts("#body .open")]


# -- reading and filtering ---------------------------------------------------------------------------------


def test_it_says_what_the_report_says(page: Page, sample: Path) -> None:
    page.open(sample)
    assert page.text("h1") == "5 of 12 evaluated pass, 7 fail"
    assert page.value("document.title").startswith("room-booking: 5 of 12 evaluated pass")
    header = page.text("#header")
    assert "room-booking (built-in)" in header and "booking_agent_cases.csv" in header
    assert "none: all runs are in this report" in header
    assert "sequence_ok\n9 of 12 pass, 3 fail" in page.text("#overview")
    assert "wrong_arguments\n2 16.7 %" in page.text("#overview")
    assert shown(page) == [f"B{number:02}" for number in range(1, 13)]
    assert page.text("#count") == "12 runs"


def test_it_filters_as_one_types(page: Page, sample: Path) -> None:
    page.open(sample)
    page.press("/")
    counts = []
    for char in "zoë":
        page.type(char)
        counts.append(len(shown(page)))
    assert shown(page) == ["B02"] and counts == sorted(counts, reverse=True)
    assert page.text("#count") == "1 of 12 runs shown"
    assert "4 shown" not in page.text("#overview") and "1 shown" in page.text("#overview")
    page.press("Escape")
    assert len(shown(page)) == 12 and page.value("document.querySelector('#words').value") == ""
    page.type("duration_min -availability")  # words, and a word that must not be there
    assert shown(page) == []
    assert "No run matches" in page.text("#nothing")
    page.click("#nothing-clear")
    assert len(shown(page)) == 12


def test_choices_of_one_group_add_up_and_groups_narrow(page: Page, sample: Path) -> None:
    page.open(sample)
    page.click(".panels .panel:nth-child(2) li:nth-child(2) button")  # wrong_sequence
    assert shown(page) == ["B02", "B09"]
    page.click(".menu summary")
    page.click(".menu .sheet button:nth-child(3)")  # wrong_arguments
    assert shown(page) == ["B02", "B03", "B08", "B09"]
    page.click(".panels .panel:first-child li:nth-child(5) button")  # final_state_ok fails
    assert shown(page) == ["B09"]
    assert [" ".join(words.split()) for words in page.texts("#chosen .chip")] == [
        "diagnosis wrong_sequence ×",
        "diagnosis wrong_arguments ×",
        "check fails final_state_ok ×",
    ]
    page.click("#chosen .chip:nth-child(3)")
    assert len(shown(page)) == 4
    page.click("#chosen .link")
    assert len(shown(page)) == 12


def test_a_signature_opens_as_a_filter(page: Page, sample: Path) -> None:
    page.open(sample)
    page.click(".signatures li:nth-child(6) button")
    assert shown(page) == ["B08"]
    assert page.value("document.querySelector('.signatures li:nth-child(6) button').ariaPressed") == "true"
    page.click(".signatures li:nth-child(6) button")
    assert len(shown(page)) == 12


def test_a_case_opens_with_both_sides_of_what_differs(page: Page, sample: Path) -> None:
    page.open(sample)
    page.click("#body tr:nth-child(3) .open")
    steps = page.texts(".steps > li > details > summary")
    assert [" ".join(words.split()) for words in steps] == [
        "1 ✗ check_availability 1 difference ok · room_found",
        "2 ✗ reserve_room 1 difference ok · reserved",
        "3 = send_confirmation matched ok · confirmed",
    ]
    assert page.texts(".steps li:first-child table tr.fail")[0].split() == [
        "✗changed",
        "duration_min",
        "30",
        "60",
    ]
    assert page.value("document.querySelectorAll('.steps > li > details[open]').length") == 2
    page.click(".steps > li:nth-child(3) summary")
    assert "booking_id" in page.text(".steps > li:nth-child(3)")
    page.click(".steps > li:nth-child(3) .recorded summary")
    assert "booking_agent_traces.jsonl:" in page.text(".steps > li:nth-child(3) .recorded")
    page.click("#body tr:nth-child(3) .open")
    assert page.texts(".opened") == []


def test_all_of_it_can_be_done_with_keys(page: Page, sample: Path) -> None:
    page.open(sample)
    page.press("/")
    page.type("b0")
    page.press("ArrowDown")
    page.press("j")
    page.press("j")
    page.press("k")
    focused = "document.activeElement.innerText.trim()"
    assert page.value(focused) == "B02"
    page.press("Enter")
    assert page.value("document.activeElement.ariaExpanded") == "true"
    assert "reserve_room" in page.text(".opened")
    page.press("Tab")
    assert page.value("document.activeElement.tagName") == "SUMMARY"
    page.press("Escape")
    assert len(shown(page)) == 12 and len(page.texts(".opened")) == 1


def test_it_sorts_and_finds_its_way_back(page: Page, sample: Path) -> None:
    page.open(sample)
    page.click("[data-sort=diagnosis] button")
    assert shown(page)[:6] == ["B01", "B07", "B10", "B11", "B12", "B02"]
    page.click("[data-sort=diagnosis] button")
    assert shown(page)[-1] == "B12"
    assert page.value("document.querySelector('[data-sort=diagnosis]').ariaSort") == "descending"
    page.click("[data-sort=diagnosis] button")
    assert shown(page)[:3] == ["B01", "B02", "B03"]


def test_observations_show_layers_and_labels(page: Page, tmp_path: Path) -> None:
    observations = SAMPLE / "acceptance_observations.json"
    page.open(check(tmp_path / "o.html", observations, "--contract", SAMPLE / "acceptance.toml"))
    assert "HTTP 2xx only" in page.text("#overview") and "agree with the verdict" in page.text("#overview")
    page.click("#body tr:nth-child(3) .open")
    assert "Task outcome" in page.text(".opened")


def test_it_is_readable_in_the_dark_and_on_paper(page: Page, sample: Path) -> None:
    page.open(sample)
    light, dark = page.picture(), page.picture(dark=True)
    assert light.startswith(b"\x89PNG") and dark.startswith(b"\x89PNG") and light != dark
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(16, 20, 24)"
    page.ask(
        "Emulation.setEmulatedMedia",
        media="print",
        features=[{"name": "prefers-color-scheme", "value": "dark"}],
    )
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.texts("#words") == []
    page.ask("Emulation.setEmulatedMedia", media="")
    assert page.paper().startswith(b"%PDF")


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_it_fits_any_width(page: Page, sample: Path, width: int) -> None:
    page.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
    page.open(sample)
    page.click("#body tr:nth-child(3) .open")
    assert page.value("document.documentElement.scrollWidth <= innerWidth")


# -- nothing from data acts --------------------------------------------------------------------------------


def test_the_hostile_report_opens_whole_and_in_silence(page: Page) -> None:
    page.open(HOSTILE)
    assert len(shown(page)) == 7
    for place in range(7):
        page.click(f"#body .run:nth-of-type({1 + 2 * place}) .open")
    page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.settle()
    assert '"javascript:alert(1)"' in page.text("#body") and MARKUP in page.text("#body")
    assert page.value("document.querySelectorAll('main img, main svg, main iframe, main script').length") == 0


# Markup, control characters, wide and joined ones, broken encodings, odd numbers, long values.
ODD = ("03[2-8]-*", "04[378]-*", "057-*", "060-*", "071-*", "072-*")


def test_the_odd_inputs_open_whole_and_in_silence(page: Page, tmp_path: Path) -> None:
    folders = [folder for pattern in ODD for folder in sorted(DATA.glob(pattern))]
    assert len(folders) > 10
    for number, folder in enumerate(folders):
        # In one process: starting a dozen would take longer than all else here.
        main(
            [
                "check",
                *map(str, (folder / "cases.csv", folder / "traces.jsonl")),
                "--output",
                str(tmp_path / f"{number}.html"),
            ]
        )
        page.open(tmp_path / f"{number}.html")
        page.value("document.querySelectorAll('.open').forEach(button => button.click())")
        page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.settle()
        assert shown(page) and len(page.texts(".opened")) == len(shown(page))


def test_text_from_data_is_text(page: Page, tmp_path: Path) -> None:
    """Through the whole program: ids, titles, tools, keys, values and the filter are markup."""
    with (tmp_path / "cases.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["case_id", "title", "expected_sequence", "expected_arguments"])
        for number, evil in enumerate(EVIL):
            sequence, arguments = json.dumps([evil]), json.dumps([{evil: "x"}])
            rows.writerow(
                [f"{number}{evil}".replace("\x00", ""), evil.replace("\x00", ""), sequence, arguments]
            )
    with (tmp_path / "traces.jsonl").open("w", encoding="utf-8") as file:
        for number, evil in enumerate(EVIL):
            case_id = f"{number}{evil}".replace("\x00", "")
            event = {
                "case_id": case_id,
                "step": 1,
                "tool_name": evil,
                "arguments": {evil: evil},
                "result": evil,
            }
            file.write(json.dumps({**event, "status": evil, evil: evil}) + "\n")
    files = (tmp_path / "cases.csv", tmp_path / "traces.jsonl")
    target = check(
        tmp_path / "evil.html", *files, "--stamp", EVIL[0], "--filter", '-"nothing <b>like</b> it"'
    )
    page.open(target)
    assert len(shown(page)) == len(EVIL)
    for place in range(len(EVIL)):
        page.click(f"#body .run:nth-of-type({1 + 2 * place}) .open")
    page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.settle()
    text = page.text("body")
    for evil in EVIL[:6]:
        assert text.count(evil) >= 5, evil
    assert "<U+202E>evil<U+2028>␛[31m" in text
    assert page.value(
        "[...document.querySelectorAll('main *, header *')].every(e => "
        "!e.matches('img, svg, iframe, script, style, link, a, form') && "
        "![...e.attributes].some(a => a.name.startsWith('on') || a.name === 'href'))"
    )


# -- many runs ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 runs, of which 1,500 fail."""

    def made(number: int) -> Row:
        if number % 10 > 2:
            return row(f"C{number:04}", title=f"Book room {number}")
        return row(
            f"C{number:04}",
            "fail",
            "wrong_arguments",
            title=f"Book room {number} in Łódź",
            failing=["arguments_ok"],
            findings=[finding()],
            signature=f"arguments_ok reserve_room /key_{number % 12} changed",
        )

    def detail(found: Row) -> Detail:
        return booking()

    target = tmp_path_factory.mktemp("large") / "large.html"
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        writer("html")(report([made(number) for number in range(5_000)]), stream, Options(detail=detail))
    return target


def test_five_thousand_runs_open_in_under_two_seconds_and_filter_as_one_types(
    page: Page, large: Path
) -> None:
    opened = min(page.open(large) for _ in range(3))
    assert opened < 2, f"{opened:.2f} s"
    assert page.text("#kept-note") == "The steps of the 3,500 runs that pass are left out."
    page.press("/")
    seconds = []
    for char in "łódź 43":
        began = time.monotonic()
        page.type(char)
        page.settle()
        seconds.append(time.monotonic() - began)
    assert page.text("#count") == "45 of 5,000 runs shown"
    assert sorted(seconds)[len(seconds) // 2] < 0.25, seconds


def test_rows_are_drawn_when_they_are_reached(page: Page, large: Path) -> None:
    page.open(large)
    count = "document.querySelectorAll('#body .run').length"
    before = page.value(count)
    assert before <= 200
    page.value("scrollTo(0, document.body.scrollHeight)")
    page.value("new Promise(done => setTimeout(done, 300))")
    assert before < page.value(count) <= before + 400
    assert "more of" in page.text("#more")
    assert "key_0" in page.texts(".signatures li")[0] and len(page.texts(".signatures li")) == 12


def test_a_summary_is_the_overview_alone(page: Page, tmp_path: Path) -> None:
    files = (SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl")
    page.open(check(tmp_path / "summary.html", *files, "--summary"))
    assert "9 of 12 pass" in page.text("#overview")
    assert page.texts("#runs") == [] and page.texts("button") == []
