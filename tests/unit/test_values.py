"""Values as a reader sees them, and where two texts differ."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceview.jsontext import decode
from traceview.model import MISSING, Number
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut, fit, pad, wrap, wrapped
from traceview.tui.text_diff import around, code_points, differences, first_difference
from traceview.tui.values import is_short, one_line, parsed, path_words, pretty, size_words

TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=20,
)


# -- one value ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2026-08-03T09:00:00Z", "2026-08-03T09:00:00Z"),
        ("R2", "R2"),
        ("30", '"30"'),
        ("007", '"007"'),
        ("1e3", '"1e3"'),
        ("3_14", '"3_14"'),
        ("null", '"null"'),
        ("None", '"None"'),
        ("NA", "NA"),
        ("no", "no"),
        ("true", '"true"'),
        ("nan", '"nan"'),
        ("", '""'),
        (" x", '" x"'),
        ("x ", '"x "'),
        ("(missing)", '"(missing)"'),
        ('{"city":"Qui', '"{"city":"Qui"'),
        (30, "30"),
        (True, "true"),
        (None, "null"),
        (0.1, "0.1"),
        (Number("1.10"), "1.10"),
        (Number("NaN"), "NaN"),
        (2**70, "1180591620717411303424"),
        ({}, "{}"),
        ([], "[]"),
        ({"a": [1, "b", None], "c": {}}, '{"a": [1, "b", null], "c": {}}'),
        (MISSING, "(missing)"),
    ],
)
def test_types_can_be_told_apart(value: Any, shown: str) -> None:
    assert one_line(value, 1000) == (shown, True)


@given(JSON, st.integers(1, 60))
def test_one_line_is_a_beginning_and_says_whether_it_is_all(value: Any, limit: int) -> None:
    everything, whole = one_line(value, 1 << 30)
    assert whole
    text, complete = one_line(value, limit)
    assert complete == (len(everything) <= limit)
    assert len(text) <= limit
    assert everything.startswith(text)


@given(JSON)
def test_what_is_called_short_fits(value: Any) -> None:
    for cells in (5, 12, 40):
        if is_short(value, cells):
            text, whole = one_line(value, 10_000)
            assert whole
            assert cell_len(visible(text)) <= cells


@given(JSON)
def test_pretty_print_is_the_value(value: Any) -> None:
    if isinstance(value, str):
        assert list(pretty(value)) == [value]
    else:
        text = "\n".join(pretty(value))
        again = decode(text.encode("utf-8", "surrogatepass")).value if text.isascii() else json.loads(text)
        assert again == value


def test_text_that_holds_json_is_read_only_where_nothing_is_lost() -> None:
    assert parsed('{"a": 1, "b": [1.50]}') == {"a": 1, "b": [1.5]}
    assert parsed('{"caf\\u00e9": 1}') == {"café": 1}
    for text in ('{"a": 1, "a": 2}', '{"a": "\\/"}', "[1,]", "plain", '"text"', "12", "[" * 5000):
        assert parsed(text) is MISSING


def test_sizes() -> None:
    assert size_words("x" * 3493) == "3,493 characters"
    assert size_words({"a": 1}) == "1 key"
    assert size_words([1, 2]) == "2 items"
    assert size_words(5) == ""


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("", ""),
        ("/duration_min", "duration_min"),
        ("/guest/rooms/0/id", "guest.rooms[0].id"),
        ("/0", "0"),
        ("/a~1b/c~0d", '["a/b"].c~d'),
        ("/a b", '["a b"]'),
        ("/x/", 'x[""]'),
        ("/Größe/1", "Größe[1]"),
    ],
)
def test_paths_as_a_reader_writes_them(pointer: str, words: str) -> None:
    assert path_words(pointer) == words


# -- cells -------------------------------------------------------------------------------------------------

SHOWN = st.text(st.sampled_from("ab c  é七火🙂☁️\u0301\ufe0f"), max_size=60)


@given(SHOWN, st.integers(2, 20))
def test_wrapped_lines_fit_and_are_the_text(text: str, cells: int) -> None:
    lines = list(wrapped(text, cells))
    assert "".join(lines) == text
    assert all(cell_len(line) <= cells for line in lines)


@given(SHOWN, st.integers(0, 20))
def test_a_cut_text_says_so_and_fits(text: str, cells: int) -> None:
    shown = cut(text, cells)
    assert cell_len(shown) <= cells
    assert shown == text or cells == 0 or shown.endswith("…")
    assert (shown == text) == (cell_len(text) <= cells or not text)
    assert cell_len(pad(shown, cells)) >= cells


def test_marks_stay_with_their_letter() -> None:
    text = "abce\u0301"
    assert fit(text, 0, 3) == 3
    assert fit(text, 0, 4) == 5
    assert list(wrapped("☁\ufe0f☁\ufe0f", 3)) == ["☁\ufe0f", "☁\ufe0f"]


def test_a_message_is_cut_at_its_last_line() -> None:
    assert wrap("one two three four", 9, 5) == ["one two ", "three ", "four"]
    assert wrap("one two three four", 9, 2)[-1].endswith("…")


# -- two texts ---------------------------------------------------------------------------------------------


@given(st.text("ab c1", max_size=200), st.text("ab c1", max_size=200), st.integers(12, 60))
def test_what_is_shown_of_two_texts_holds_their_first_difference(a: str, b: str, size: int) -> None:
    for left, right in ((a, b), (a + "x" * 90 + "1", a + "x" * 90 + "2")):
        window = around(left, right, size)
        shown = ["".join(piece.text for piece in side) for side in (window.expected, window.observed)]
        assert (left == right) == (shown[0] == shown[1])
        assert max(map(len, shown)) <= size


WORDS = st.lists(st.sampled_from(["lorem", "ipsum", " ", "x", "\n", "7"]), max_size=30).map("".join)


@given(WORDS, WORDS)
def test_hunks_hold_every_difference_and_account_for_the_rest(a: str, b: str) -> None:
    for context in (0, 3, 40):
        left = right = 0
        for hunk in differences(a, b, context):
            left += hunk.skipped
            right += hunk.skipped
            for piece in hunk.expected:
                assert a.startswith(piece.text, left)
                left += len(piece.text)
            for piece in hunk.observed:
                assert b.startswith(piece.text, right)
                right += len(piece.text)
        assert (left, right) == (len(a), len(b))


@given(WORDS, WORDS, st.integers(4, 50))
def test_the_window_shows_the_first_difference(a: str, b: str, size: int) -> None:
    window = around(a, b, size)
    left = "".join(piece.text for piece in window.expected)
    right = "".join(piece.text for piece in window.observed)
    assert a.startswith(left, window.start)
    assert b.startswith(right, window.start)
    assert len(left) <= size
    assert len(right) <= size
    if a != b:
        assert left != right or first_difference(a, b) >= window.start + size - 80
        assert window.start <= first_difference(a, b)


def test_the_end_of_a_long_text_shows_where_it_differs() -> None:
    body = " ".join(f"lorem-{n}" for n in range(0, 1054, 3))
    window = around(f"{body} END-A", f"{body} END-B", 50)
    assert "".join(piece.text for piece in window.expected).endswith("END-A")
    assert "".join(piece.text for piece in window.observed).endswith("END-B")
    assert window.expected[-1] == ("A", True)


def test_a_megabyte_is_compared_in_no_time() -> None:
    a = "lorem ipsum " * 90_000
    b = a[:700_000] + "DOLOR " + a[700_000:]
    started = time.process_time()
    around(a, b, 80)
    hunks = list(differences(a, b))
    assert time.process_time() - started < 0.05
    assert [piece.text for hunk in hunks for piece in hunk.observed if piece.differs]


def test_code_points_of_texts_that_look_alike() -> None:
    assert code_points("Zo\u00eb", "Zoe\u0308") == ("U+00EB", "U+0065 U+0308")
    assert code_points("a", "ab") == ("end of text", "U+0062")
