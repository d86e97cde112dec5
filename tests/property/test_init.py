"""Whatever stands in cases and runs, a draft can be read and has nothing wrong in it."""

from __future__ import annotations

from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st

from traceview.contract.guess import id_column
from traceview.contract.init import draft
from traceview.contract.lint import lint
from traceview.contract.seen import Seen
from traceview.model import MISSING, Case, Event, Run, Source

NAMES = st.sampled_from(
    [
        "kind",
        "value",
        "args",
        "step.a.result.b",
        "a.b",
        "a",
        "room_id",
        "expected_room_id",
        "{x}",
        "*",
        "get ?",
    ]
) | st.text(min_size=1, max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4) | st.just("1")
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
CELLS = st.sampled_from(["", "1", "true", "x;y", "[]", '[{"tool": "a"}]', "2031-01-01T10:00:00Z", "PASS"])


@st.composite
def seen(draw: st.DrawFn) -> Seen:
    columns = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    cells = CELLS | VALUES if draw(st.booleans()) else CELLS | st.text(max_size=3)
    rows = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, cells)), min_size=1, max_size=4))
    observed = draw(st.booleans())
    runs = [(place, _run(draw, row, observed)) for place, row in enumerate(rows)]
    column = id_column(columns, rows, [str(row[columns[0]]) for row in rows])
    return Seen(draw(NAMES), tuple(columns), rows, column, runs, observed, sources=("a\nb.csv",))


def _run(draw: st.DrawFn, row: dict[str, Any], observed: bool) -> Run:
    if observed:
        return Run("c", None, None, (), row)
    copied = st.sampled_from(list(row.values()))  # so that columns and values do go together
    events = []
    for step in range(1, draw(st.integers(0, 3)) + 1):
        arguments = draw(st.dictionaries(NAMES | st.sampled_from(list(row)), VALUES | copied, max_size=3))
        tool, status = draw(NAMES), draw(st.sampled_from(["ok", "error", None, "Done", "\ud800"]))
        state: Literal["object", "absent"] = draw(st.sampled_from(["object", "absent"]))
        given_ = arguments if state == "object" else MISSING
        source = Source("t", step)
        events.append(Event(step, tool, tool, given_, state, status, None, None, "assistant", {}, source))
    final = draw(st.dictionaries(NAMES | st.sampled_from(list(row)), VALUES | copied, max_size=3))
    return Run("c", None, None, tuple(events), final, complete=draw(st.booleans()))


@given(seen())
def test_a_draft_can_be_read_and_nothing_in_it_is_wrong(found: Seen) -> None:
    text = draft(found)
    cases = [Case(str(place), row, place) for place, row in enumerate(found.cases)]
    json_cases = any(not isinstance(cell, str) for row in found.cases for cell in row.values())
    remarks = lint(text, "draft", found.columns, cases, json_cases=json_cases)
    # A wrong match can meet a column that is empty or of a type the kind never accepts: lint may warn of it.
    assert not [remark for remark in remarks if remark.severity == "error"], text
    assert text == draft(found)
    assert all(line.isprintable() for line in text.split("\n"))
