"""For any text at all, lone surrogates included, nothing unprintable comes out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from traceview.sanitize import cut, visible, visible_lines

anything = st.text(st.characters()) | st.text(
    st.sampled_from("a东é\x1b\x9b\u202e\u2028\x85\t\r\n\ud800\udcb2\u200d\ufe0f\xa0")
)


@given(anything)
def test_every_character_is_printable(text: str) -> None:
    assert visible(text).isprintable()
    lines = visible_lines(text)
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 1 + text.count("\n")


@given(anything)
def test_printable_text_is_left_alone_and_the_gate_can_be_passed_twice(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert all(char in once for char in text if char.isprintable())


@given(anything, st.integers(-2, 60))
def test_a_cut_text_fits(text: str, cells: int) -> None:
    shown = cut(visible(text), cells)
    assert cell_len(shown) <= max(cells, 0)
    if shown != visible(text):
        assert shown.endswith("…") or cells <= 0
