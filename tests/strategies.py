"""What Hypothesis draws: JSON of every kind as text, ids, events, cases."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import strategies as st

from traceview.model import Number, number

# Text of any script, with what trips readers: quotes, backslashes, separators, controls.
_ODD = '"\\/:,{}[] \t\n\r\x0b\x0c\x1b\x00\x7f\x85\u2028\u2029\ufeff\u00e9e\u0301\u202e中😀'
texts = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(_ODD)), max_size=12)
surrogates = st.text(st.characters(categories=["Cs"]), min_size=1, max_size=1)  # one alone never pairs up
any_texts = st.one_of(texts, texts, st.builds(lambda a, s: f"a{a}b{s}c", texts, surrogates))

# Ids that a careless reader turns into something else.
ids = st.one_of(
    st.sampled_from(
        ["007", "7", "NA", "None", "nan", "null", "1e3", "3_14", "true", " x ", "98765432109876543210"]
    ),
    texts.filter(bool),
)

number_texts = st.one_of(
    st.integers().map(str),
    st.integers(min_value=2**53, max_value=2**80).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["1.0", "1.10", "-0", "-0.0", "0", "1e5", "1E400", "-1e-400", "0.30000000000000004", "1" * 4400]
    ),
)
odd_number_texts = st.sampled_from(["NaN", "Infinity", "-Infinity"])


def _number(text: str) -> Any:
    """A number as a reader must give it back."""
    if text == "-0" or len(text) > 4300 or not text.lstrip("-")[:1].isdigit():
        return Number(text)
    return number(text) if any(c in text for c in ".eE") else int(text)


def json_values(*, odd: bool = False, max_leaves: int = 12) -> st.SearchStrategy[Any]:
    """Decoded JSON values of every kind; ``odd``: also lone surrogates and non-finite numbers."""
    numbers = st.one_of(number_texts, odd_number_texts) if odd else number_texts
    leaves = st.one_of(st.none(), st.booleans(), numbers.map(_number), any_texts if odd else texts)
    keys = any_texts if odd else texts
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
        max_leaves=max_leaves,
    )


def json_objects(*, odd: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Decoded JSON objects, such as arguments."""
    return st.dictionaries(any_texts if odd else texts, json_values(odd=odd, max_leaves=6), max_size=4)


def same(left: Any, right: Any) -> bool:
    """Whether two decoded values are the same text: types, digits and the order of keys included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, Number):
        return bool(left.text == right.text)
    if isinstance(left, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return bool(left == right)


statuses = st.one_of(st.sampled_from(["ok", "error", "timeout", "denied"]), st.none())
tool_names = st.one_of(
    st.sampled_from(["check_availability", "reserve_room", "send_confirmation"]), texts.filter(bool)
)


@st.composite
def runs(
    draw: st.DrawFn, case_id: str, run_id: str | None = None, trial: int | None = None
) -> list[dict[str, Any]]:
    """The events of one sound run, in step order, as objects of a trace file."""
    events = []
    for step in range(1, draw(st.integers(1, 4)) + 1):
        event: dict[str, Any] = {"case_id": case_id}
        if run_id is not None:
            event["run_id"] = run_id
        if trial is not None:
            event["trial"] = trial
        event |= {
            "step": step,
            "tool_name": draw(tool_names),
            "arguments": draw(json_objects()),
            "status": draw(statuses),
            "state_after": draw(json_values(max_leaves=3)),
            "run_outcome": "completed",
        }
        events.append(event)
    return events


_TRIALS: list[list[int | None]] = [[None], [None], [0, 1], [1, 2, 10]]


@st.composite
def recordings(draw: st.DrawFn, max_cases: int = 4) -> list[dict[str, Any]]:
    """The events of several sound runs of several cases, run after run."""
    events: list[dict[str, Any]] = []
    for case_id in draw(st.lists(ids, min_size=1, max_size=max_cases, unique=True)):
        trials: list[int | None] = draw(st.sampled_from(_TRIALS))
        for trial in trials:
            events += draw(runs(case_id, trial=trial))
    return events


cells = st.one_of(
    texts, st.sampled_from(["", "NA", "null", "007", "1e3", "2026-01-05", "=1+1", '[{"a": 1}]'])
)


@st.composite
def case_tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A cases table: header (``case_id`` first) and rows of cells, every id once."""
    names = draw(st.lists(texts.map(str.strip).filter(bool), max_size=4, unique=True))
    header = ["case_id", *(name for name in names if name != "case_id")]
    rows = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    width = len(header) - 1
    return header, [[key, *draw(st.lists(cells, min_size=width, max_size=width))] for key in rows]


def line(event: dict[str, Any]) -> bytes:
    """An event as one line of JSONL, written by the standard library and not by us."""
    return json.dumps(_plain(event), ensure_ascii=False).encode() + b"\n"


def _plain(value: Any) -> Any:
    """Without :class:`Number`, which the standard writer would write by its float."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return str(value.text) if isinstance(value, Number) else value
