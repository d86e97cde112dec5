"""Whatever the names and values: groups are a partition, and each opens as a filter with its count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rows import finding, row
from traceview.query import Vocabulary, parse
from traceview.results import Row
from traceview.signatures import LEVELS, Level, signature_groups

TEXTS = st.text(st.sampled_from('ab"\\ :/*,-\n'), min_size=1, max_size=6)


@st.composite
def failures(draw: st.DrawFn) -> Row:
    tool = draw(st.none() | TEXTS)
    path = draw(st.none() | st.sampled_from(["/a", "/l/0/p", "/l/1/p"]))
    value = draw(st.integers(0, 2) | TEXTS)
    one = finding("arguments_ok", path, "changed", 1, value, tool=tool, message=draw(TEXTS))
    parts = ("arguments_ok", tool, path and path.replace("0", "*").replace("1", "*"), "changed")
    return row(
        draw(TEXTS),
        "fail",
        draw(st.sampled_from(["x", "y z"])),
        signature=" ".join(part for part in parts if part),
        findings=[one],
    )


@given(st.lists(failures() | st.just(row("pass")), max_size=12), st.sampled_from(LEVELS))
def test_any_group_opens_as_a_filter_with_its_count(rows: list[Row], level: Level) -> None:
    groups = signature_groups(rows, level)
    assert [sum(map(parse(group.filter, Vocabulary()).matches, rows)) for group in groups] == [
        g.count for g in groups
    ]
    assert sum(group.count for group in groups) == sum(r.result.signature is not None for r in rows)
