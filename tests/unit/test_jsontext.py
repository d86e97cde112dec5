"""JSON is read and written as it stands: every digit, every key, every repeat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from traceview.jsontext import (
    MAX_DEPTH,
    BadJson,
    Duplicate,
    decode,
    decode_text,
    dumps,
    members_before_break,
    show,
)
from traceview.model import MISSING, Number


@pytest.mark.parametrize(
    "text",
    [
        "0.30000000000000004",
        "1.10",
        "1.0",
        "1",
        "-0",
        "-0.0",
        "[0, -0]",
        '{"a": -0}',
        "1e5",
        "1E400",
        "-1e-400",
        "1e99999999999999999999",
        "9007199254740993",
        "18446744073709551616",
        "1" * 400,
        "1" * 5000,
        "true",
        "null",
        '"007"',
        '{"b": {}, "a": null}',
        '"\\udcb2"',
        '{"\\ud800": "x"}',
        '"\u2028 \u0085 \u202e 中 😀"',
        '"a\\"b\\\\c\\nd"',
    ],
)
def test_what_was_read_is_written_again(text: str) -> None:
    assert dumps(decode(text.encode()).value) == text


def test_integers_stay_integers_and_floats_stay_floats() -> None:
    value = decode(b'{"a": 1, "b": 1.0, "c": true}').value
    assert [type(v) for v in value.values()] == [int, float, bool]


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_non_finite_numbers_are_shown_bare_and_exported_as_text(text: str) -> None:
    value = decode(b'{"score": ' + text.encode() + b"}").value
    assert show(value) == '{"score": ' + text + "}"
    assert json.loads(dumps(value), parse_constant=pytest.fail) == {"score": text}


def test_a_float_that_was_never_text_is_exported_strictly_too() -> None:
    assert dumps([float("nan"), float("inf"), 0.1]) == '["nan", "inf", 0.1]'


def test_indented_output_is_the_same_value() -> None:
    value = decode(b'{"a": [1, {"b": 1.10}], "c": {}, "d": []}').value
    assert dumps(value, 2) == (
        '{\n  "a": [\n    1,\n    {\n      "b": 1.10\n    }\n  ],\n  "c": {},\n  "d": []\n}'
    )


def test_a_missing_value_is_shown_as_missing() -> None:
    assert show(MISSING) == "(missing)"
    with pytest.raises(TypeError):
        dumps(MISSING)


@pytest.mark.parametrize(
    ("text", "path", "key", "values"),
    [
        ('{"amount": 40, "amount": 4000}', "", "amount", (40, 4000)),
        ('{"a": {"x": [{"k": 1, "k": null}]}}', "/a/x/0", "k", (1, None)),
        ('{"a/b~c": {"k": 1, "k": 2}}', "/a~1b~0c", "k", (1, 2)),
        ('{"k" : 1, "k": {"big": "x"}}', "", "k", (1, {"big": "x"})),
        ('{"k": "a\\"b", "k": 2}', "", "k", ('a"b', 2)),
        ('{"k\\\\": 1, "k\\\\": 2}', "", "k\\", (1, 2)),
        ('{"k": "\\\\\\"", "k": "\\\\"}', "", "k", ('\\"', "\\")),
        ('{"k": 1, "\\u006b": 2}', "", "k", (1, 2)),
        ('{"k": NaN, "k": 2}', "", "k", (Number("NaN"), 2)),
        ('{"": 1, "": 1}', "", "", (1, 1)),
        ('{"": "", "": ""}', "", "", ("", "")),
    ],
)
def test_repeated_keys_are_found_wherever_they_are(
    text: str, path: str, key: str, values: tuple[Any, ...]
) -> None:
    decoded = decode(text.encode())
    (found,) = decoded.duplicates
    assert (found.path, found.key) == (path, key)
    assert show(list(found.values)) == show(list(values))


def test_the_last_of_repeated_keys_counts_and_plain_dicts_come_back() -> None:
    decoded = decode(b'{"a": {"x": 1, "x": {"y": 2, "y": 3}}}')
    assert decoded.value == {"a": {"x": {"y": 3}}}
    assert type(decoded.value["a"]) is dict
    assert decoded.duplicates == (
        Duplicate("/a", "x", (1, {"y": 3})),
        Duplicate("/a/x", "y", (2, 3)),
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b\\"c: d", "e" : ":f"}',
        '{"note": "\\\\", "more": "say \\\\\\"hi\\\\\\": now"}',
        '{"\\u0022": ":", "\\\\": "\\\\\\\\"}',
    ],
)
def test_quotes_and_colons_inside_text_are_no_repeated_keys(text: str) -> None:
    assert decode(text.encode()).duplicates == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no JSON value"),
        (b"{'a': 1}", "expecting property name enclosed in double quotes at column 2"),
        (b'{"a": 1} {"b": 2}', "more text after the end of the JSON value, at column 10"),
        (b'{"a": ', "ends in the middle of a JSON value, at column 6"),
        (b'{"a": "x\xff"}', "not valid UTF-8 at byte 9 (0xff)"),
        (b"[" * 100_000, "nested deeper than 200 levels"),
        (b"[" * 300 + b"]" * 300, "nested deeper than 200 levels"),
        (b'{"k": 1, "k": ' + b"[" * 300 + b"]" * 300 + b"}", "nested deeper than 200 levels"),
    ],
)
def test_what_is_no_json_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(BadJson) as refused:
        decode(data)
    assert refused.value.message == message


def test_the_deepest_value_that_is_read_can_be_written() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert dumps(decode(text.encode()).value) == text


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b'{"a": tru', True),
        (b'{"a": 12', True),
        (b'{"a": -', True),
        (b'{"a": "x', True),
        (b'{"a": "\\u12', True),
        (b'{"a": 1,', True),
        (b'{"a": "\xc3', True),
        (b'{"a" 1}', False),
        (b'{"a": "\\u12"}', False),
        (b"{} {}", False),
        (b'{"a": "\xff"}', False),
    ],
)
def test_a_text_that_was_cut_off_is_told_from_one_that_is_wrong(data: bytes, cut: bool) -> None:
    with pytest.raises(BadJson) as refused:
        decode(data)
    assert refused.value.cut is cut


def test_text_of_arguments_may_hold_lone_surrogates() -> None:
    assert decode_text('{"path": "a\udcb2b"}').value == {"path": "a\udcb2b"}


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ('{"case_id":"BL-1","step":2,"tool_name":"tai', {"case_id": "BL-1", "step": 2}),
        ('{"case_id":"BL-1","step":2', {"case_id": "BL-1"}),
        (
            '{"arguments":{"case_id":"no"},"case_id":"yes","x',
            {"arguments": {"case_id": "no"}, "case_id": "yes"},
        ),
        ('{"case_id":"B', {}),
        ("[1, 2", {}),
        ("no json", {}),
        ("", {}),
    ],
)
def test_members_before_a_break_are_those_that_are_whole(text: str, members: dict[str, Any]) -> None:
    assert members_before_break(text) == members
