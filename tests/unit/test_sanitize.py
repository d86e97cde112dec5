"""Text from data reaches a terminal only in a form that cannot act on it."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from traceview.sanitize import cut, visible, visible_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [/] [red]x[/red] :warning:", "plain [/] [red]x[/red] :warning:"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x00\x08\x7f", "␀␈␡"),
        ("\x9b31m", "\\x9b31m"),
        ("a\tb", "a    b"),
        ("one\ntwo\r\nthree\rfour", "one⏎two⏎three␍four"),
        ("a\u202eb\u2066c\u200f", "a<U+202E>b<U+2066>c<U+200F>"),
        ("x\u2028y\u2029z\x85", "x<U+2028>y<U+2029>z<U+0085>"),
        ("\udcb2", "\\udcb2"),
        ("10\xa0000\u202fkm\u3000", "10␣000␣km␣"),
        ("\ufeffid \ue000 \U000e0041 \uffff", "<U+FEFF>id <U+E000> <U+E0041> <U+FFFF>"),
        ("⚠\ufe0f Zoe\u0308 東京 עברית", "⚠\ufe0f Zoe\u0308 東京 עברית"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(text).isprintable()


def test_the_sign_for_a_line_break_can_be_chosen() -> None:
    assert visible("a\nb", newline=" / ") == "a / b"


def test_lines_end_at_line_feeds_only() -> None:
    assert visible_lines("a\r\nb\u2028c\x0bd\n") == ["a", "b<U+2028>c␋d", ""]
    assert visible_lines("") == [""]


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("東京タワー", 10, "東京タワー"),
        ("東京タワー", 6, "東京…"),
        ("東京タワー", 5, "東京…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_cut_by_cells(text: str, cells: int, shown: str) -> None:
    assert cut(text, cells) == shown
    assert cell_len(cut(text, cells)) <= cells


def test_a_combining_mark_stays_with_its_letter() -> None:
    assert cut("Zoe\u0308 again", 4) == "Zoe\u0308…"


def test_cutting_a_huge_text_does_not_measure_it_all() -> None:
    assert cut("é" * 10_000_000, 10) == "é" * 9 + "…"
