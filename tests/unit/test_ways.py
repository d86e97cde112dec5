"""Which call stands for which expected one: parallel turns, one way through a run, long runs, statuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging import call, case, contract, judge, run
from traceview.contract.described import from_columns
from traceview.evaluate.assign import Cost
from traceview.evaluate.in_order import OTHER_TOOL, align
from traceview.evaluate.judge import Evaluator
from traceview.model import Case, Event, RunResult


def described(*made: Event, **cells: Any) -> RunResult:
    found = from_columns(list(cells))
    assert found is not None
    cells = {name: json.dumps(value) for name, value in cells.items()}
    return Evaluator(found).judge(Case("C1", {"case_id": "C1", **cells}, 2), run(*made))


# -- parallel turns ----------------------------------------------------------------------------------------


def test_in_a_parallel_turn_a_status_belongs_to_the_call_and_not_to_its_place() -> None:
    cells = {"expected_sequence": ["a", "b"], "expected_statuses": ["error", "ok"]}
    wrong = described(call("b", {}, "error", group="g"), call("a", {}, "ok", group="g"), **cells)
    assert wrong.checks == {"sequence_ok": "pass", "tools_succeeded": "fail"}
    assert (
        described(call("b", {}, "ok", group="g"), call("a", {}, "error", group="g"), **cells).verdict
        == "pass"
    )
    twice = {"expected_sequence": ["a", "a"], "expected_statuses": ["error", "ok"]}
    assert (
        described(call("a", {}, "ok", group="g"), call("a", {}, "error", group="g"), **twice).verdict
        == "pass"
    )
    assert described(call("a", {}, "ok"), call("a", {}, "error"), **twice).verdict == "fail"
    alone = {"expected_statuses": ["error", "ok", "ok"]}
    turn = [call("a", {}, "ok", group="g"), call("b", {}, "error", group="g")]
    assert described(*turn, call("c", {}), **alone).verdict == "pass"
    assert described(call("c", {}), *turn, **alone).verdict == "fail"


def test_in_a_parallel_turn_arguments_by_place_have_no_order() -> None:
    cells = {"expected_arguments": [{"x": 0}, {"x": 1}, {"x": 2}]}
    turn = [call("a", {"x": 2}, group="g"), call("a", {"x": 1}, group="g")]
    assert described(call("a", {"x": 0}), *turn, **cells).verdict == "pass"
    assert described(*turn, call("a", {"x": 0}), **cells).verdict == "fail"


def test_a_turn_ends_where_another_call_stands_between() -> None:
    text = '[order]\nmode = "in_order"\nextra = ["x"]\n{missing}[[step]]\ntool = "a"\n[[step]]\ntool = "b"'
    apart = run(call("b", {}, group="g"), call("x", {}), call("a", {}, group="g"))
    together = run(call("x", {}), call("b", {}, group="g"), call("a", {}, group="g"))
    for missing in ("", 'missing = "allow"\n'):
        assert judge(text.replace("{missing}", missing), apart).diagnosis == "wrong_sequence"
        assert judge(text.replace("{missing}", missing), together).verdict == "pass"


def test_an_empty_group_is_none() -> None:
    text = '[order]\nmode = "exact"\n[[step]]\ntool = "a"\n[[step]]\ntool = "b"'
    assert judge(text, run(call("b", {}, group=""), call("a", {}, group=""))).diagnosis == "wrong_sequence"


# -- one way through the run -------------------------------------------------------------------------------

IN_ORDER = """
[order]
mode = "in_order"
missing = "allow"
[[step]]
tool = "a"
args = { x = 1 }
[[step]]
tool = "b"
[[step]]
tool = "a"
args = { x = 2 }
"""


def test_order_and_arguments_are_right_in_the_same_calls_also_where_some_may_be_missing() -> None:
    result = judge(IN_ORDER, run(call("b", {}), call("a", {"x": 1})))
    assert (result.verdict, result.diagnosis) == ("fail", "wrong_arguments")
    assert judge(IN_ORDER, run(call("b", {}), call("a", {"x": 2}))).verdict == "pass"
    assert judge(IN_ORDER, run(call("a", {"x": 1}), call("b", {}))).verdict == "pass"
    assert judge(IN_ORDER, run(call("a", {"x": 2}))).verdict == "pass"


def test_in_a_turn_each_call_finds_its_step_also_where_some_may_be_missing() -> None:
    text = IN_ORDER.replace('tool = "b"', 'tool = "a"')
    turn = [call("a", {"x": 2}, group="g"), call("a", {"x": 1}, group="g"), call("a", {"y": 1}, group="g")]
    assert judge(text, run(*turn)).verdict == "pass"


tools = st.lists(st.sampled_from("aab"), max_size=4)


@given(tools, tools, st.data())
def test_aligning_finds_the_cheapest_of_the_longest_ways(
    expected: list[str], observed: list[str], data: st.DataObject
) -> None:
    wrong = {(i, j): data.draw(st.integers(0, 2)) for i in range(len(expected)) for j in range(len(observed))}

    def cost(i: int, j: int) -> Cost:
        return (wrong[i, j], 0, 0) if expected[i] == observed[j] else OTHER_TOOL

    def ways() -> Iterator[tuple[int, int]]:
        for size in range(min(len(expected), len(observed)) + 1):
            for rows in combinations(range(len(expected)), size):
                for columns in combinations(range(len(observed)), size):
                    pairs = list(zip(rows, columns, strict=True))
                    if all(expected[i] == observed[j] for i, j in pairs):
                        yield (-size, sum(wrong[pair] for pair in pairs))

    pairs = align(len(expected), len(observed), cost)
    assert pairs is not None and pairs == sorted(pairs)
    assert (-len(pairs), sum(wrong[pair] for pair in pairs)) == min(ways())


# -- long runs ---------------------------------------------------------------------------------------------


def items(text: str, expected: list[dict[str, Any]], made: list[Event]) -> RunResult:
    steps = '[[steps_from]]\ncolumn = "steps"\n'
    one = case(steps=json.dumps(expected))
    return Evaluator(contract(text + steps)).judge(one, run(*made))


def test_a_large_parallel_turn_has_no_order() -> None:
    for size in (81, 300):
        expected = [{"tool": "a", "args": {"id": n}} for n in range(size + 1)]
        ids = [1, 0, *range(2, size)]
        made = [call("a", {"id": n}, group="g") for n in ids] + [call("a", {"id": size})]
        assert items('[order]\nmode = "exact"\n', expected, made).verdict == "pass", size


@pytest.mark.parametrize("grouped", [False, True])
def test_a_call_that_two_could_be_is_left_to_the_one_that_needs_it(grouped: bool) -> None:
    group = "g" if grouped else None
    expected = [{"a": 1}, {"a": 1, "b": 2}, *({"a": n} for n in range(10, 89))]
    made = [{"a": 1, "b": 2, "z": 0}, {"a": 1, "b": 3, "z": 0}, *({"a": n, "z": 0} for n in range(10, 89))]
    text = f'[tools.t]\nextra_args = "ignore"\n[order]\nmode = "{"exact" if grouped else "any"}"\n'
    steps = [{"tool": "t", "args": args} for args in expected]
    assert items(text, steps, [call("t", args, group=group) for args in made]).verdict == "pass"


def test_hundreds_of_calls_in_any_order_find_their_steps() -> None:
    size = 300
    expected = [{"tool": "a", "args": {"id": n, "note": "x"}, "compare": ["id"]} for n in range(size)]
    made = [call("a", {"id": n, "note": "y"}) for n in reversed(range(size))]
    assert items('[order]\nmode = "any"\n', expected, made).verdict == "pass"
    words = [{"tool": "a", "args": {"id": f"ID-{n}"}} for n in range(size)]
    made = [call("a", {"id": f"id-{n}"}) for n in reversed(range(size))]
    text = '[tools.a]\nargs = { id = "iequals" }\n[order]\nmode = "any"\n'
    assert items(text, words, made).verdict == "pass"
    made[0] = call("a", {"id": "another"})
    assert items(text, words, made).diagnosis == "wrong_arguments"


# -- which of equal calls ----------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False])
def test_of_equal_calls_the_later_is_the_one_that_must_come_after_another(first: bool) -> None:
    after, plain = '[[step]]\ntool = "a"\nafter = ["b"]\n', '[[step]]\ntool = "a"\n'
    steps = [after, plain] if first else [plain, after]
    text = '[order]\nmode = "partial"\n' + steps[0] + '[[step]]\nid = "b"\ntool = "b"\n' + steps[1]
    assert judge(text, run(call("a", {}), call("b", {}), call("a", {}))).verdict == "pass"
    assert judge(text, run(call("a", {}), call("a", {}), call("b", {}))).diagnosis == "wrong_sequence"


def test_of_equal_calls_each_is_the_one_whose_status_it_has() -> None:
    expected = [
        {"tool": "a", "args": {"x": 1}, "status": "error"},
        {"tool": "a", "args": {"x": 1}, "status": "ok"},
    ]
    text = '[status]\nok = ["ok"]\n[order]\nmode = "{}"\n'
    made = [call("a", {"x": 1}, "ok"), call("a", {"x": 1}, "error")]
    assert items(text.format("any"), expected, made).verdict == "pass"
    assert items(text.format("exact"), expected, made).diagnosis == "tool_error"
    both_ok = [call("a", {"x": 1}, "ok"), call("a", {"x": 1}, "ok")]
    assert items(text.format("any"), expected, both_ok).diagnosis == "tool_error"


# -- what is nothing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "null", "absent"),
    [
        ('{ kind = "schema", schema = { type = "null" } }', "pass", "unknown"),
        ('{ kind = "schema", schema = { type = ["null", "string"] } }', "pass", "unknown"),
        ('{ kind = "schema", schema = { type = "string" } }', "unknown", "unknown"),
        ('{ kind = "any", of = ["absent", { kind = "equals", value = "x" }] }', "fail", "pass"),
        ('{ kind = "not", of = "present" }', "unknown", "pass"),
        ('"x"', "unknown", "unknown"),
    ],
)
def test_null_or_nothing_in_the_final_evidence_where_that_is_expected(
    expected: str, null: str, absent: str
) -> None:
    text = f"[final]\nnote = {expected}"
    assert judge(text, run(call("a", {}), final={"note": None})).verdict == null
    assert judge(text, run(call("a", {}), final={"step": 1})).verdict == absent


def test_an_empty_cell_decides_no_branch_whatever_was_recorded() -> None:
    text = (
        '[cases]\ncolumns = { policy = "text" }\n'
        '[[branch]]\nname = "allowed"\nwhen = { policy = "allow" }\n[branch.final]\noutcome = "done"'
    )
    final = {"policy": "allow", "outcome": "done"}
    assert judge(text, run(call("a", {}), final=final), policy="").verdict == "unknown"
    assert judge(text, run(call("a", {}), final=final), policy="allow").verdict == "pass"
    assert judge(text, run(call("a", {}), final=final)).verdict == "pass"
