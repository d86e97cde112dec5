"""When two values are equal, and what is said of two that look alike."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from traceview.evaluate.arithmetic import exact, nearly, same_number
from traceview.evaluate.differences import explain_difference
from traceview.evaluate.evidence import Marks, reach
from traceview.evaluate.instants import instant
from traceview.evaluate.values import canonical, pointer, same, type_name
from traceview.evaluate.words import dotted, show, show_both, told
from traceview.jsontext import MAX_DEPTH, decode
from traceview.model import MISSING, Number

VALUES = strategies.json_values(odd=True)


def read(text: str) -> Any:
    """A value as the reader gives it."""
    return decode(text.encode("utf-8", "surrogatepass")).value


# -- equal -------------------------------------------------------------------------------------------------

EQUAL = [
    ("4", "4.0"),
    ("4", "4.00"),
    ("1e2", "100"),
    ("-0", "0"),
    ("-0.0", "0"),
    ("0.1", "0.10"),
    ("9007199254740993", "9007199254740993.0"),
    ("18446744073709551617", "18446744073709551617"),
    ("1e400", "10e399"),
    ("NaN", "NaN"),
    ("-Infinity", "-Infinity"),
    ('{"a": 1, "b": [2]}', '{"b": [2.0], "a": 1}'),
    ('"\\u00e9"', '"é"'),
    ('"\\ud800"', '"\\ud800"'),
]
DIFFERENT = [
    ("true", "1"),
    ("false", "0"),
    ("1", "true"),
    ('"30"', "30"),
    ("null", '""'),
    ("null", "false"),
    ("{}", "[]"),
    ("[]", "null"),
    ('{"a": null}', "{}"),
    ('{"a": 1}', '{"a": 1, "b": 1}'),
    ("[1, 2]", "[2, 1]"),
    ("[1]", "[1, 1]"),
    ("0.3", "0.30000000000000004"),
    ("9007199254740993", "9007199254740992.0"),
    ("9007199254740992", "9007199254740993"),
    ("18446744073709551616", "18446744073709551617"),
    ("1e400", "1e401"),
    ("1e400", "Infinity"),
    ("NaN", "Infinity"),
    ("NaN", "0"),
    ("NaN", '"NaN"'),
    ('"é"', '"e\\u0301"'),
    ('"a"', '"A"'),
    ('"a b"', '"a\\u00a0b"'),
    ('"007"', "7"),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal(left: str, right: str) -> None:
    a, b = read(left), read(right)
    assert same(a, b) and same(b, a)
    assert canonical(a) == canonical(b)
    assert same({"x": [a]}, {"x": [b]}) and same([{"x": a}, 1], [{"x": b}, 1])


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different(left: str, right: str) -> None:
    a, b = read(left), read(right)
    assert not same(a, b) and not same(b, a)
    assert canonical(a) != canonical(b)
    assert not same({"x": [a]}, {"x": [b]}) and not same([{"x": a}, 1], [{"x": b}, 1])


def test_an_absent_key_equals_nothing() -> None:
    assert not same(MISSING, None) and not same(None, MISSING) and same(MISSING, MISSING)
    assert canonical(MISSING) != canonical(None)


@given(VALUES, VALUES)
def test_stand_ins_are_equal_exactly_where_values_are(a: Any, b: Any) -> None:
    assert same(a, a) and canonical(a) == canonical(a)
    assert (canonical(a) == canonical(b)) == same(a, b) == same(b, a)
    hash(canonical(a))


@given(
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_numbers_are_equal_exactly(a: float, b: float) -> None:
    assert same_number(a, b) == (Decimal(repr(a)) == Decimal(repr(b)))


@pytest.mark.parametrize("text", ["1e9999999", "-1e-9999999", "1" * 5000, "1e99999999999999999999"])
def test_numbers_of_any_size_can_be_compared(text: str) -> None:
    number = Number(text)
    assert same(number, number) and not same(number, 1) and not same(1, number)
    assert not nearly(number, 1) or exact(number) is None
    assert explain_difference(number, 5)[0] == "changed"


def test_values_as_deep_as_can_be_read() -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        text = opening * MAX_DEPTH + "1" + closing * MAX_DEPTH
        a, b = read(text), read(text.replace("1", "2"))
        assert at_depth(250, partial(same, a, a))
        assert not at_depth(250, partial(same, a, b))
        assert at_depth(250, partial(canonical, a)) != at_depth(250, partial(canonical, b))


def at_depth(depth: int, ask: Callable[[], Any]) -> Any:
    """Ask as deep in calls as a screen may be."""
    if depth:
        return at_depth(depth - 1, ask)
    assert sys.getrecursionlimit() <= 1000
    return ask()


# -- alike -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "observed", "kind", "words"),
    [
        ('"30"', "30", "type", 'number for text; written the same (the cast "int"'),
        ('"30.5"', "30.5", "type", 'the cast "float"'),
        ('"true"', "true", "type", 'the cast "bool"'),
        ('"null"', "null", "type", 'the cast "json"'),
        ('"[1]"', "[1]", "type", 'the cast "json"'),
        ("30", '"30"', "type", "text for number; written the same"),
        ("true", '"True"', "type", "written the same"),
        ('{"a": 1}', '"{\\"a\\": 1.0}"', "type", 'kind "json"'),
        ("1", "true", "type", "boolean for number"),
        ("1", "null", "type", "null for number"),
        ('"é"', '"e\\u0301"', "text_form", "Unicode form"),
        ('"a b"', '"a\\u00a0b"', "text_form", "no-break space"),
        ('"ﬁ"', '"fi"', "text_form", "compatibility form"),
        ('"a"', '"a "', "changed", "spaces at the ends"),
        ('"a"', '"A"', "changed", 'kind "iequals"'),
        ("[1, 2]", "[2, 1.0]", "order", 'kind "bag" or "set"'),
        ("0.3", "0.30000000000000004", "changed", 'kind "number"'),
        (
            '"2026-03-07T01:00:00+02:00"',
            '"2026-03-06T23:00:00Z"',
            "changed",
            'same instant, written differently (kind "instant"',
        ),
    ],
)
def test_values_that_look_alike_are_told_apart(expected: str, observed: str, kind: str, words: str) -> None:
    said, note = explain_difference(read(expected), read(observed))
    assert said == kind
    assert note is not None and words in note


@pytest.mark.parametrize(
    ("expected", "observed"), [("1", "2"), ('"a"', '"b"'), ("[1, 2]", "[1, 3]"), ("{}", '{"a":1}')]
)
def test_of_others_nothing_is_said(expected: str, observed: str) -> None:
    assert explain_difference(read(expected), read(observed)) == ("changed", None)


@given(VALUES, VALUES)
def test_any_difference_can_be_explained(a: Any, b: Any) -> None:
    kind, note = explain_difference(a, b)
    assert kind in ("changed", "type", "order", "text_form")
    assert (type_name(a) != type_name(b)) == (kind == "type")
    assert note is None or "\n" not in note


# -- moments -----------------------------------------------------------------------------------------------


def test_moments() -> None:
    def apart(a: str, b: str) -> Decimal:
        left, right = instant(a), instant(b)
        assert left is not None and right is not None
        return left.apart(right)

    assert apart("2031-04-07T09:30:00+02:00", "2031-04-07T07:30:00Z") == 0
    assert apart("2031-04-07t07:30:00z", "2031-04-07 07:30:00.0Z") == 0
    assert apart("2031-04-07T07:30Z", "2031-04-07T07:30:01,5Z") == Decimal("1.5")
    # More digits than a datetime keeps.
    assert apart("2031-04-07T07:30:00.1234567Z", "2031-04-07T07:30:00.1234568Z") == Decimal("1e-7")
    assert apart("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00") > 10**11


@pytest.mark.parametrize(
    "value",
    [
        "2031-04-07",
        "07:30:00Z",
        "2031-02-30T00:00:00Z",
        "2031-04-07T25:00:00Z",
        "tomorrow",
        "",
        1,
        None,
        "2" * 10**6,
    ],
)
def test_what_denotes_no_time(value: Any) -> None:
    assert instant(value) is None


def test_a_time_without_a_zone_denotes_no_moment() -> None:
    time = instant("2031-04-07T07:30:00")
    assert time is not None and not time.has_zone


# -- places ------------------------------------------------------------------------------------------------

MARKS = Marks(frozenset(["[gone]"]), (r"\.\.\.$",), active=True)


@pytest.mark.parametrize(
    ("value", "path", "found", "why"),
    [
        ({"a": {"b": 1}}, "a.b", 1, None),
        ({"a": [{"b": 1}]}, "a.0.b", 1, None),
        ({"a": '{"b": 1}'}, "a.b", 1, None),
        ({"a": ' [{"b": null}]'}, "a.0.b", None, None),
        ({"a": '"b"'}, "a.b", MISSING, None),
        ({"a": {"b": 1}}, "a.c", MISSING, None),
        ({"a": {"b": 1}}, "a.b.c", MISSING, None),
        ({"a": [1]}, "a.1", MISSING, None),
        ({"a": [1]}, "a.-1", MISSING, None),
        ({"a": [1]}, "a.²", MISSING, None),
        ({"a": [1]}, "a." + "9" * 5000, MISSING, None),
        ({"a": "[gone]"}, "a", "[gone]", "redacted ([gone])"),
        ({"a": "[gone]"}, "a.b", MISSING, "a is redacted ([gone])"),
        ({"a": '{"b": "c...'}, "a.b", MISSING, "a is cut off when it was recorded"),
        ({"a": {"b": "[gone]"}}, "a", {"b": "[gone]"}, None),
    ],
)
def test_reaching_into_a_value(value: Any, path: str, found: Any, why: str | None) -> None:
    assert reach(value, tuple(path.split(".")), MARKS) == (found, why)


def test_marks_are_found_at_any_depth() -> None:
    assert MARKS.within({"a": [{"b": "[gone]"}]}) == "redacted ([gone])"
    assert MARKS.within({"[gone]": 1}) is None
    assert Marks().within("[gone]") is None


# -- words -------------------------------------------------------------------------------------------------


def test_two_long_values_are_shown_where_they_differ() -> None:
    text = "lorem ipsum " * 300
    left, right = show_both(text + "tail END-A", text + "tail END-B")
    assert "tail END-A" in left and left.startswith("…")
    assert "tail END-B" in right and right.endswith("(3612 characters)")
    assert len(left) < 250
    assert show_both("a", "b") == ('"a"', '"b"')
    assert show_both([1] * 1000, [1] * 999)[1].endswith(f"({len(str([1] * 999))} characters)")


def test_a_long_value_is_cut_with_its_length() -> None:
    assert show("x" * 1000).startswith('"xxx') and show("x" * 1000).endswith("… (1002 characters)")
    assert show({"a": None}) == '{"a": null}'


@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=400))
def test_the_first_difference_is_always_shown(same_start: str, a: str, b: str) -> None:
    left, right = same_start + a, same_start + b
    if left != right:
        assert show_both(left, right)[0] != show_both(left, right)[1]


def test_pointers() -> None:
    assert pointer("a/b", "m~n", 0) == "/a~1b/m~0n/0"
    assert dotted("/flights/0/price") == ".flights[0].price"
    assert dotted("/a~1b/m~0n") == ".a/b.m~n"
    assert dotted("") == ""
    assert dotted("/a.b/x\ny/") == '["a.b"]["x\\ny"][""]'


def test_sequences_in_words() -> None:
    assert told([]) == "no call"
    assert told(["search", "book"]) == "search, book"
    assert told(["a"] * 20) == ", ".join(["a"] * 12) + ", … (20 calls)"
