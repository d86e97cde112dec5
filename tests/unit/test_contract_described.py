"""Cases that describe themselves: which columns are read, and what their cells may hold."""

from __future__ import annotations

from typing import Any

import pytest

from traceview.contract.casts import binder
from traceview.contract.described import COLUMNS, Described, from_columns
from traceview.model import MISSING, Case, Number


def described(cells: dict[str, Any], *, json_cases: bool = False) -> Described:
    contract = from_columns(cells)
    assert contract is not None
    bound = binder(contract, json_cases=json_cases)(Case("1", cells, 2))
    assert bound.described is not None
    assert bound.problem == bound.described.problem
    return bound.described


def problem(cells: dict[str, Any], *, json_cases: bool = False) -> str:
    found = described(cells, json_cases=json_cases).problem
    assert found is not None and "\n" not in found
    return found


def test_the_label_alone_is_no_expectation() -> None:
    assert from_columns(["case_id", "title", "expected_verdict", "expected_room"]) is None


def test_each_column_is_enough() -> None:
    for column in COLUMNS:
        contract = from_columns(["case_id", column])
        assert contract is not None and contract.described
        assert (contract.name, contract.source, contract.described_columns) == (
            "columns",
            "columns",
            (column,),
        )


def test_title_and_label_come_from_the_columns_that_are_there() -> None:
    contract = from_columns(["user_request", "title", "expected_verdict", "expected_sequence"])
    assert contract is not None
    assert (contract.cases.title, contract.cases.label) == ("title", "expected_verdict")
    contract = from_columns(["user_request", "expected_sequence"])
    assert contract is not None
    assert (contract.cases.title, contract.cases.label) == ("user_request", None)


def test_every_cell() -> None:
    cells = {
        "expected_sequence": '["a", "b"]',
        "expected_arguments": '[{"n": 1.50}, {}]',
        "expected_statuses": '["ok", "error"]',
        "write_tools": '["b"]',
        "expected_final_state": '{"stock": 10}',
        "expected_run_outcome": "[completed]",
    }
    found = described(cells)
    assert found == Described(
        sequence=("a", "b"),
        arguments=[{"n": Number("1.50")}, {}],
        statuses=("ok", "error"),
        write_tools=("b",),
        final_state={"stock": 10},
        run_outcome="[completed]",
    )
    assert found.arguments[0]["n"].text == "1.50"


def test_without_a_column_of_statuses_all_must_be_ok_and_an_empty_cell_says_nothing() -> None:
    assert described({"write_tools": "[]"}).statuses == ()
    assert described({"expected_statuses": ""}).statuses is MISSING
    assert described({"expected_statuses": "[]"}).statuses == ()


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_cell_says_nothing(empty: Any) -> None:
    cells = dict.fromkeys(COLUMNS, empty)
    assert described(cells, json_cases=True) == Described(statuses=MISSING)


def test_null_is_a_state_like_any_other_and_no_empty_cell() -> None:
    assert described({"expected_final_state": "null"}).final_state is None


@pytest.mark.parametrize("column", COLUMNS[:-1])
def test_a_cell_that_is_not_json(column: str) -> None:
    assert f"{column} is not JSON" in problem({column: "{'k': 'v'}"})


def test_a_bare_word_gets_the_hint_to_quote_it() -> None:
    assert problem({"expected_final_state": "confirmed"}).endswith(
        '; for this text write it in quotes: "confirmed"'
    )
    assert 'quotes: "all done"' in problem({"expected_final_state": "all done"})
    assert "in quotes" not in problem({"expected_arguments": "[{'k': 'v'}]"})


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("expected_sequence", '"a"', "must be a list of tool names, not text"),
        ("expected_sequence", '["a", 1]', "item 2 must be text, not an integer"),
        ("expected_sequence", '["a", null]', "item 2 must be text, not null"),
        ("expected_arguments", "3", "must be a list of objects, or an object from tool to arguments"),
        ("expected_arguments", '[{}, "x"]', "item 2 must be an object, not text"),
        ("expected_arguments", '{"book": [1]}', 'the arguments of "book" must be an object, not a list'),
        ("expected_statuses", '{"1": "ok"}', "must be a list of status words, not an object"),
        ("expected_statuses", "[true]", "item 1 must be text, not true or false"),
        ("write_tools", "null", "must be a list of tool names, not null"),
        ("expected_arguments", '[{"a": 1, "a": 2}]', 'repeats the key "a" (1 and 2)'),
        ("expected_final_state", '{"a": 1, "a": 1}', 'repeats the key "a"'),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_a_cell_of_the_wrong_shape(column: str, cell: str, words: str, times: int) -> None:
    for _ in range(times):
        found = problem({column: cell})
        assert found.startswith(column + " ") and words in found


def test_a_json_cases_file_may_hold_the_values_themselves() -> None:
    cells: dict[str, Any] = {
        "expected_sequence": ["a"],
        "expected_arguments": {"a": {"n": 1}},
        "expected_statuses": '["ok"]',
        "expected_final_state": "confirmed",
        "expected_run_outcome": "done",
    }
    assert described(cells, json_cases=True) == Described(
        sequence=("a",),
        arguments={"a": {"n": 1}},
        statuses=("ok",),
        final_state="confirmed",
        run_outcome="done",
    )


@pytest.mark.parametrize(
    ("cell", "state"),
    [("4", "4"), ('{"a": 1}', {"a": 1}), ("[1]", [1]), ("{not json", "{not json"), (4, 4), (False, False)],
)
def test_a_final_state_in_a_json_cases_file(cell: Any, state: Any) -> None:
    found = described({"expected_final_state": cell}, json_cases=True).final_state
    assert (found, type(found)) == (state, type(state))


def test_values_of_the_wrong_type_in_a_json_cases_file() -> None:
    assert "must be a list of tool names" in problem({"expected_sequence": {"a": 1}}, json_cases=True)
    assert problem({"expected_run_outcome": 3}, json_cases=True) == (
        "expected_run_outcome must be text, not an integer"
    )
