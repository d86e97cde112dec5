"""One table of keys: nothing in it clashes, everything in it works everywhere, the page is made from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traceview.tui import keys
from traceview.tui.keys import Where
from traceview.tui.keys_doc import markdown
from tui.harness import driven, opened

DOCS = Path(__file__).parents[2] / "docs"
EVERY_KEY = sorted({name for key in keys.KEYS for name in key.keys.split(",")} - {"ctrl+c", "q"})
PANES = ("1", "2", "3")
SIZES = [(200, 50), (120, 36), (80, 24), (40, 20), (20, 5)]


def test_ids_are_unique_and_no_key_means_two_things_in_one_place() -> None:
    ids = [key.id for key in keys.KEYS]
    assert len(ids) == len(set(ids))
    for one in keys.KEYS:
        for other in keys.KEYS:
            if one is not other and keys.meet(one.where, other.where):
                assert not keys.normal(one.keys) & keys.normal(other.keys), (one.id, other.id)


def test_the_page_is_made_from_the_table() -> None:
    assert (DOCS / "keys.md").read_text("utf-8") == markdown(), (
        "python -m traceview.tui.keys_doc > docs/keys.md"
    )


def test_the_footer_ends_with_help_and_names_only_keys_of_the_table() -> None:
    places: tuple[Where, ...] = ("cases", "timeline", "summary")
    for where in places:
        hints = keys.hints(where)
        assert hints[-1].id == "app.help"
        assert all(key.hint for key in hints)


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_every_key_in_every_pane_at_every_size(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # "w" and "enter" write a file
    async with opened(size=size) as driver:
        for pane in PANES:
            for key in EVERY_KEY:
                await driver.hammer([pane, key])
                assert driver.app.is_running, key
                while len(driver.app.screen_stack) > 1:
                    await driver.app.pop_screen()
                await driver.hammer(["escape"])
        assert driver.app.return_code in (None, 0)


PRESSES = st.lists(st.sampled_from([*EVERY_KEY, *'abx:"/', "backspace"]), max_size=12)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(presses=PRESSES, size=st.sampled_from(SIZES))
def test_random_keys(presses: list[str], size: tuple[int, int]) -> None:
    _random_keys(presses, size)


@pytest.mark.long
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    presses=st.lists(st.sampled_from([*EVERY_KEY, *'abx:"/', "backspace"]), min_size=100, max_size=100),
    size=st.sampled_from(SIZES),
)
def test_random_keys_at_length(presses: list[str], size: tuple[int, int]) -> None:
    _random_keys(presses, size)


@driven
async def _random_keys(presses: list[str], size: tuple[int, int]) -> None:
    async with opened(size=size) as driver:
        for press in presses:
            await driver.hammer([press])
            if not driver.app.is_running:  # the palette knows a command that leaves
                break
        else:
            await driver.pilot.pause()
        assert driver.app._exception is None
        assert driver.app.return_code in (None, 0)
