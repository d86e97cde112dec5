"""Whatever is typed, at every keystroke: an answer or an error with a place, never anything else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rows import CHECKS, bookings, row
from traceview.query import QueryError, Vocabulary, parse

WORDS = Vocabulary(("case_id", "attendees"), CHECKS, ("http",), ("wrong_arguments",))
pieces = (
    'is:fail|-|"|check:sequence_ok|=|unknown|,| |/a|/|text:|steps>|3|B0|label:|:|\\|[|(|*|attendees|<|é|'
    "\udcb2|\n"
)
typed = st.text(st.characters()) | st.lists(st.sampled_from(pieces.split("|"))).map("".join)


@given(typed)
def test_any_text_gives_an_answer_or_a_place(text: str) -> None:
    try:
        query = parse(text, WORDS)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(text)
        assert "\n" not in error.message.replace(text, "")
        return
    for one in bookings():
        assert query.matches(one) in (True, False)


@given(st.text(min_size=1).filter(lambda t: '"' not in t and "\\" not in t))
def test_a_quoted_title_finds_its_row(title: str) -> None:
    assert parse(f'"{title}"', WORDS).matches(row(title=f"before {title} after"))


@given(typed, typed)
def test_terms_narrow(first: str, second: str) -> None:
    try:
        both, one = parse(f"{first} {second}", WORDS), parse(first, WORDS)
    except QueryError:
        return
    if first.count('"') % 2 or "/" in first:
        return
    assert all(one.matches(r) for r in bookings() if both.matches(r))
