"""docs/modes.md: its contracts beside the modes that they stand for.

The modes are written down here as plainly as their documentation describes them: agentevals (README, "Agent
trajectory"), ADK ("Evaluation criteria", tool_trajectory_avg_score), Vertex AI ("Evaluate an agent"). What is
left open there (may one call stand for two?) is read in the simplest way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceview.contract.toml import parse
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Case, Event, Run, RunResult, Source

PAGE = (Path(__file__).parents[2] / "docs/modes.md").read_text("utf-8")
CONTRACTS = {
    name: Evaluator(parse(text, name), json_cases=False)
    for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    for name in re.findall(r'^name = "([^"]+)"$', text, re.MULTILINE)[:1]
}


class Call(NamedTuple):
    """One call; ``args`` None: they were not recorded. Calls of one ``turn`` (not 0) were parallel."""

    tool: str
    args: dict[str, Any] | None
    turn: int = 0


# -- the modes, plainly ------------------------------------------------------------------------------------


def equal(a: Call, b: Call) -> bool:
    """The same tool with the same arguments, as Python compares them; none recorded is none given."""
    return a.tool == b.tool and (a.args or {}) == (b.args or {})


def among(call: Call, calls: Sequence[Call]) -> bool:
    return any(equal(call, other) for other in calls)


def exact(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    return len(reference) == len(actual) and all(map(equal, reference, actual))


def in_order(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    rest = iter(actual)
    return all(any(equal(expected, call) for call in rest) for expected in reference)


def superset(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    return all(among(expected, actual) for expected in reference)


def subset(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    return all(among(call, reference) for call in actual)


def unordered(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    same_number = len(reference) == len(actual)
    return same_number and superset(reference, actual) and subset(reference, actual)


def precision_is_one(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    return sum(among(call, reference) for call in actual) == len(actual)


def recall_is_one(reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    return sum(among(call, actual) for call in reference) == len(reference)


Mode = Callable[[Sequence[Call], Sequence[Call]], bool]
MODES: dict[str, tuple[str, Mode]] = {
    "agentevals strict": ("agentevals-strict", exact),
    "agentevals unordered": ("agentevals-unordered", unordered),
    "agentevals superset": ("agentevals-superset", superset),
    "agentevals subset": ("agentevals-subset", subset),
    "ADK EXACT": ("adk-exact", exact),
    "ADK IN_ORDER": ("adk-in-order", in_order),
    "ADK ANY_ORDER": ("adk-any-order", superset),
    "trajectory_exact_match": ("adk-exact", exact),
    "trajectory_in_order_match": ("adk-in-order", in_order),
    "trajectory_any_order_match": ("adk-any-order", superset),
    "trajectory_recall": ("adk-any-order", recall_is_one),
    "trajectory_precision": ("agentevals-subset", precision_is_one),
}


# -- the contracts -----------------------------------------------------------------------------------------


def judged(contract: str, reference: Sequence[Call] | None, actual: Sequence[Call]) -> RunResult:
    items = [{"tool": call.tool, "args": call.args} for call in reference or ()]
    case = Case("c", {"case_id": "c", "reference": "" if reference is None else json.dumps(items)}, 1)
    events = tuple(
        Event(
            step,
            call.tool,
            call.tool,
            MISSING if call.args is None else call.args,
            "absent" if call.args is None else "object",
            "ok",
            None,
            str(call.turn) if call.turn else None,
            "assistant",
            {"step": step},
            Source("t", step),
        )
        for step, call in enumerate(actual, 1)
    )
    return CONTRACTS[contract].judge(case, Run("c", None, None, events, {"step": len(events)}))


def accepts(contract: str, reference: Sequence[Call], actual: Sequence[Call]) -> bool:
    return judged(contract, reference, actual).verdict == "pass"


ARGS = st.dictionaries(st.sampled_from("xy"), st.integers(1, 2) | st.sampled_from(["1", None]), max_size=1)
CALLS = st.lists(st.builds(Call, st.sampled_from("ab"), ARGS, st.just(0)), max_size=4)
DISTINCT = st.lists(st.builds(Call, st.sampled_from("ab"), ARGS, st.just(0)), max_size=4, unique_by=repr)


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_what_a_contract_passes_the_mode_accepts(mode: str, data: st.DataObject) -> None:
    contract, plain = MODES[mode]
    reference = data.draw(CALLS)
    actual = data.draw(CALLS | st.permutations(reference))
    if accepts(contract, reference, actual):
        assert plain(reference, actual)


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_they_agree_where_no_call_is_made_or_expected_twice(mode: str, data: st.DataObject) -> None:
    contract, plain = MODES[mode]
    reference = data.draw(DISTINCT)
    actual = data.draw(DISTINCT | st.permutations(reference))
    assert accepts(contract, reference, actual) == plain(reference, actual)


@given(CALLS, CALLS)
def test_exact_agrees_where_calls_repeat_too(reference: list[Call], actual: list[Call]) -> None:
    assert accepts("adk-exact", reference, actual) == exact(reference, actual)


@given(CALLS, CALLS)
def test_in_order_agrees_where_calls_repeat_too(reference: list[Call], actual: list[Call]) -> None:
    assert accepts("adk-in-order", reference, actual) == in_order(reference, actual)


def test_in_order_is_one_way_through_the_run() -> None:
    """The right b came before a, and the b after it has wrong arguments: a, then b, did not happen."""
    reference = [Call("a", {}), Call("b", {})]
    actual = [Call("b", {}), Call("a", {}), Call("b", {"x": 1})]
    assert not in_order(reference, actual)
    assert not accepts("adk-in-order", reference, actual)


@given(CALLS)
def test_one_tool_was_used(actual: list[Call]) -> None:
    calls = [Call("search" if call.tool == "a" else call.tool, call.args) for call in actual]
    used = any(call.tool == "search" for call in calls)
    assert accepts("vertex-single-tool-use", [], calls) == used


# -- where a contract is stricter --------------------------------------------------------------------------

PAY = Call("pay", {"sum": 4})
EVERY_MODE = pytest.mark.parametrize("mode", MODES)


@EVERY_MODE
@pytest.mark.parametrize(("expected", "observed"), [(1, True), (0, False), (True, 1.0)])
def test_true_is_not_one(mode: str, expected: object, observed: object) -> None:
    contract, plain = MODES[mode]
    reference, actual = [Call("pay", {"sum": expected})], [Call("pay", {"sum": observed})]
    assert plain(reference, actual)
    assert not accepts(contract, reference, actual)
    assert judged(contract, reference, actual).verdict == "fail"


@EVERY_MODE
def test_a_call_without_its_arguments_matches_nothing(mode: str) -> None:
    contract, plain = MODES[mode]
    bare, lost = Call("look", {}), Call("look", None)
    assert plain([bare], [lost])
    assert judged(contract, [bare], [lost]).verdict == "unknown"
    # and where arguments are expected, it is not known to be wrong either
    assert not plain([PAY], [Call("pay", None)])
    assert judged(contract, [PAY], [Call("pay", None)]).verdict == "unknown"


@pytest.mark.parametrize("mode", ["ADK ANY_ORDER", "agentevals superset", "trajectory_recall"])
def test_one_call_cannot_stand_for_two(mode: str) -> None:
    contract, plain = MODES[mode]
    assert plain([PAY, PAY], [PAY])
    assert judged(contract, [PAY, PAY], [PAY]).diagnosis == "wrong_sequence"


@pytest.mark.parametrize("mode", ["agentevals subset", "trajectory_precision"])
def test_two_equal_calls_are_two(mode: str) -> None:
    contract, plain = MODES[mode]
    assert plain([PAY], [PAY, PAY])
    assert judged(contract, [PAY], [PAY, PAY]).verdict == "fail"


def test_the_same_number_is_not_the_same_calls() -> None:
    look = Call("look", {})
    assert unordered([PAY, PAY, look], [PAY, look, look])
    assert judged("agentevals-unordered", [PAY, PAY, look], [PAY, look, look]).verdict == "fail"


@EVERY_MODE
def test_nothing_expected_is_no_match(mode: str) -> None:
    contract, plain = MODES[mode]
    assert judged(contract, None, []).verdict == "unknown"
    assert plain([], []) and accepts(contract, [], [])


# -- where it is freer -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["agentevals strict", "ADK EXACT", "ADK IN_ORDER", "trajectory_exact_match"])
def test_order_inside_one_turn_is_free(mode: str) -> None:
    contract, plain = MODES[mode]
    a, b, c = Call("a", {}, 1), Call("b", {"x": 1}, 1), Call("c", {})
    reference = [Call(call.tool, call.args) for call in (a, b, c)]
    assert accepts(contract, reference, [a, b, c])
    assert accepts(contract, reference, [b, a, c])
    assert not plain(reference, [b, a, c])
    assert not accepts(contract, reference, [reference[1], reference[0], c])  # one after the other
    assert not accepts(contract, reference, [c, a, b])  # and the turns keep their order


@EVERY_MODE
def test_numbers_are_compared_by_value(mode: str) -> None:
    contract, _ = MODES[mode]
    assert accepts(contract, [Call("pay", {"sum": 4})], [Call("pay", {"sum": 4.0})])


def test_arguments_can_be_left_out() -> None:
    """``tool_args_match_mode = "ignore"``, and a list of fields."""
    case = Case("c", {"case_id": "c", "reference": '[{"tool": "pay"}]'}, 1)
    event = Event(1, "pay", "pay", {"sum": 9}, "object", "ok", None, None, "assistant", {}, Source("t", 1))
    run = Run("c", None, None, (event,), {})
    assert CONTRACTS["agentevals-strict"].judge(case, run).verdict == "pass"
    some = '[{"tool": "pay", "args": {"sum": 9, "to": "x"}, "compare": ["sum"]}]'
    assert CONTRACTS["agentevals-strict"].judge(Case("c", {"reference": some}, 1), run).verdict == "pass"
    wrong = some.replace("9", "8")
    assert CONTRACTS["agentevals-strict"].judge(Case("c", {"reference": wrong}, 1), run).verdict == "fail"


def test_every_contract_of_the_page_is_used() -> None:
    assert {contract for contract, _ in MODES.values()} | {"vertex-single-tool-use"} == set(CONTRACTS)
    for mode in MODES:
        assert mode.split()[-1] in PAGE
