"""Cells as values: what each cast takes, what it refuses, and what an empty cell is."""

from __future__ import annotations

from typing import Any

import pytest

from traceview.contract.casts import Bound, bind, binder
from traceview.contract.spec import Contract
from traceview.contract.toml import parse
from traceview.model import Case, Number

HEAD = 'contract = 1\nname = "x"\n'


def contract(cast: str = "text", rest: str = "") -> Contract:
    text = f'{HEAD}{rest}\n[cases]\ncolumns = {{ a = "{cast}" }}\n[final]\nx = "{{a}}"'
    return parse(text, "c.toml")


def cell(value: Any, cast: str = "text") -> Bound:
    return bind(contract(cast), Case("1", {"case_id": "1", "a": value}, 2))


@pytest.mark.parametrize(
    ("cast", "text", "value"),
    [
        ("text", "007", "007"),
        ("text", "NA", "NA"),
        ("text", "null", "null"),
        ("text", " ", " "),
        ("int", "007", 7),
        ("int", "-3", -3),
        ("int", "9" * 30, int("9" * 30)),
        ("float", "41.5", 41.5),
        ("float", "-1e3", Number("-1e3")),
        ("float", "0.1000", Number("0.1000")),
        ("bool", "true", True),
        ("bool", "false", False),
        ("json", "null", None),
        ("json", '{"a": [1, "x"]}', {"a": [1, "x"]}),
        ("list:;", "a;b; c", ["a", "b", " c"]),
        ("list:|", "a;b", ["a;b"]),
        ("list:, ", "a, b", ["a", "b"]),
        ("instant", "2031-04-07T09:30:00+02:00", "2031-04-07T09:30:00+02:00"),
        ("instant", "2031-04-07t09:30:00z", "2031-04-07t09:30:00z"),
        ("instant", "2031-04-07 09:30", "2031-04-07 09:30"),
        ("instant", "2031-04-07T09:30:00.123456789-0330", "2031-04-07T09:30:00.123456789-0330"),
    ],
)
def test_casts(cast: str, text: str, value: Any) -> None:
    bound = cell(text, cast)
    assert bound.problem is None
    found = bound.values["a"]
    assert (found, type(found)) == (value, type(value))
    if isinstance(value, Number):
        assert found.text == value.text


def test_a_whole_number_of_any_length_keeps_its_digits() -> None:
    bound = cell("-00" + "7" * 5000, "int")
    assert isinstance(bound.values["a"], Number)
    assert bound.values["a"].text == "-" + "7" * 5000


@pytest.mark.parametrize(
    ("cast", "text", "problem"),
    [
        ("int", "four", 'a "four" is no whole number'),
        ("int", "4.0", 'a "4.0" is no whole number'),
        ("int", "+4", "is no whole number"),
        ("int", " 4", "is no whole number"),
        ("int", "٤", "is no whole number"),
        ("int", "1_000", "is no whole number"),
        ("float", "007", 'a "007" is no number as JSON writes it'),
        ("float", ".5", "is no number"),
        ("float", "nan", "is no number"),
        ("float", "1,5", "is no number"),
        ("bool", "True", 'a "True" is neither true nor false'),
        ("bool", "1", "is neither true nor false"),
        ("json", "{'a': 1}", "a is not JSON: "),
        ("json", '{"a": 1, "a": 2}', 'a repeats the key "a" (1 and 2)'),
        ("instant", "2031-04-07", "is no instant: not a date and time such as"),
        ("instant", "2031-13-07T09:30:00Z", "is no instant: month must be in 1..12"),
        ("instant", "2031-04-07T09:30:00+02:99", "unknown time zone +02:99"),
        ("instant", "2031-04-07T09:30:00 CET", "is no instant"),
        ("int", "x" * 1000, 'a "xxxx'),
    ],
)
def test_a_cell_that_its_cast_refuses_makes_the_case_unusable(cast: str, text: str, problem: str) -> None:
    bound = cell(text, cast)
    assert bound.problem is not None and problem in bound.problem
    assert len(bound.problem) < 160 and "\n" not in bound.problem
    assert bound.values == {}


@pytest.mark.parametrize("cast", ["text", "int", "float", "bool", "json", "list:;", "instant"])
@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_cell_has_no_value(cast: str, empty: Any) -> None:
    assert cell(empty, cast) == Bound(Case("1", {"case_id": "1", "a": empty}, 2), {})


def test_an_absent_key_is_an_empty_cell() -> None:
    assert bind(contract("int"), Case("1", {"case_id": "1"}, 2)).values == {}


def test_empty_may_be_taken_literally() -> None:
    text = HEAD + '[cases]\nempty = "literal"\n[final]\nx = "{a}"\ny = "{b}"\nz = "{c}"'
    bound = bind(parse(text, "c.toml"), Case("1", {"a": "", "b": None}, 2))
    assert bound.values == {"a": "", "b": None}


@pytest.mark.parametrize("value", [4, 4.5, True, [1], {"k": "v"}])
@pytest.mark.parametrize("cast", ["text", "int", "instant", "list:;"])
def test_a_json_value_keeps_its_type_and_a_cast_applies_to_text_only(value: Any, cast: str) -> None:
    found = cell(value, cast).values["a"]
    assert (found, type(found)) == (value, type(value))


def test_only_columns_that_decide_something_are_bound() -> None:
    text = """
    [cases]
    title = "t"
    columns = { t = "int", unused = "int", b = "int", c = "int", d = "int" }
    [[step]]
    tool = "x"
    args = { n = { kind = "any", of = [{ kind = "iequals", value = "{b}-{c}" }] } }
    [[branch]]
    name = "q"
    when = { d = 1, "state.x" = 2 }
    """
    cells = {"t": "x", "unused": "x", "b": "1", "c": "2", "d": "3"}
    bound = bind(parse(HEAD + text, "c.toml"), Case("1", cells, 2))
    assert (bound.problem, bound.values) == (None, {"b": 1, "c": 2, "d": 3})


STEPS_FROM = parse(HEAD + "[[steps_from]]\ncolumn = 'a'", "c.toml")


def actions(value: Any) -> Bound:
    return bind(STEPS_FROM, Case("1", {"a": value}, 2))


@pytest.mark.parametrize("as_text", [True, False])
def test_expected_calls_are_read_without_a_cast(as_text: bool) -> None:
    items = [
        {"tool": "look", "args": {"id": 1}, "id": "l"},
        {"name": "act", "kwargs": {}, "after": ["l"], "compare_args": ["id"], "status": "ok", "info": 3},
        {"name": "act", "arguments": None, "requestor": "user"},
    ]
    text = (
        '[{"tool": "look", "args": {"id": 1}, "id": "l"}, '
        '{"name": "act", "kwargs": {}, "after": ["l"], "compare_args": ["id"], "status": "ok", "info": 3}, '
        '{"name": "act", "arguments": null, "requestor": "user"}]'
    )
    bound = actions(text if as_text else items)
    assert (bound.problem, bound.values) == (None, {"a": items})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("look", "a is not JSON"),
        ("{}", "a must be a list of expected calls, not an object"),
        ([3], "a item 1: must be an object, not an integer"),
        ([{"tool": "x"}, {}], "a item 2: needs a tool name in tool or name, not null"),
        ([{"tool": ""}], "a item 1: needs a tool name"),
        ([{"tool": "x", "name": "x"}], "a item 1: has both tool and name"),
        ([{"tool": "x", "args": []}], "a item 1: the arguments must be an object, not a list"),
        ([{"tool": "x", "args": {}, "kwargs": {}}], "a item 1: has both args and kwargs"),
        ([{"tool": "x", "id": 3}], "a item 1: id must be text, not an integer"),
        ([{"tool": "x", "after": "y"}], "a item 1: after must be a list of texts, not text"),
        ([{"tool": "x", "compare": [1]}], "a item 1: compare must be a list of texts"),
        ([{"tool": "x", "id": "i"}, {"tool": "y", "id": "i"}], 'a item 2: another item has the id "i"'),
        (
            [{"tool": "x", "id": "i", "after": ["j"]}, {"tool": "y", "id": "j", "after": ["i"]}],
            "a after is cyclic among i, j",
        ),
    ],
)
def test_what_is_no_list_of_expected_calls(value: Any, problem: str) -> None:
    bound = actions(value)
    assert bound.problem is not None and bound.problem.startswith(problem)


def test_a_refused_cell_is_refused_every_time() -> None:
    bind_case = binder(contract("json"))
    cases = [Case(str(n), {"a": text}, n) for n, text in enumerate(("{", "[1]", "{", "[1]"))]
    assert [bind_case(case).problem is None for case in cases] == [False, True, False, True]
