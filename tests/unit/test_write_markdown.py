"""Text from data inside a Markdown table."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from traceview.write.markdown import code


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("plain", "`plain`"),
        ("", ""),
        ("slow | steady", "`slow \\| steady`"),
        ("one\ntwo", "`one⏎two`"),
        ("a `b` c", "``a `b` c``"),
        ("`", "`` ` ``"),
        (" padded ", "`  padded  `"),
        ("<script>@team #1 :warning:", "`<script>@team #1 :warning:`"),
    ],
)
def test_code_spans(text: str, span: str) -> None:
    assert code(text) == span


@given(st.text("|\\`a \n\x1b") | st.text())
@example("a\\|b")
@example("a\\\\|b")
def test_a_cell_stays_one_cell_on_one_line(text: str) -> None:
    span = code(text)
    assert span.isprintable()
    # Whether a renderer counts the backslashes before a pipe or looks at the last one only.
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", span)
    assert not re.search(r"(?<!\\)\|", span)


@given(st.text(st.sampled_from("`ab "), min_size=1))
def test_no_run_of_backticks_inside_is_as_long_as_the_fence(text: str) -> None:
    span = code(text)
    fence = re.match("`+", span)
    assert fence is not None and span.endswith(fence[0])
    inside = span[len(fence[0]) : -len(fence[0])]
    assert all(len(run) != len(fence[0]) for run in re.findall("`+", inside))
