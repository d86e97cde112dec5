"""Judging whatever is recorded: no exception, one verdict, explained as it was judged."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import strategies
import suites
from traceview.contract.described import from_columns
from traceview.contract.spec import ToolSpec
from traceview.evaluate.call_diffs import argument_diffs, count, differing
from traceview.evaluate.detail import Detail
from traceview.evaluate.evidence import Marks
from traceview.evaluate.expect import Want
from traceview.evaluate.explain import explain
from traceview.evaluate.glance import ALL, ARGUMENTS, FINAL, LIMITS, SEQUENCE, STATUSES, calls_of
from traceview.evaluate.judge import Evaluator
from traceview.jsontext import dumps
from traceview.model import Case, Number, Run, RunResult

ROUNDS = settings(
    max_examples=400,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


# -- what holds of every result ----------------------------------------------------------------------------


def check_result(result: RunResult, checks: tuple[str, ...]) -> None:
    assert tuple(result.checks) == checks
    said = set(result.checks.values())
    if "fail" in said:
        assert result.verdict == "fail"
    elif "unknown" in said or "pass" not in said:
        assert (result.verdict, result.diagnosis) == ("unknown", "not_observable")
    else:
        assert (result.verdict, result.diagnosis, result.signature) == ("pass", "pass", None)
        assert result.findings == ()
    for name, word in result.checks.items():
        kinds = {"evidence" if f.kind == "evidence" else "wrong" for f in result.findings if f.check == name}
        assert ("wrong" in kinds) == (word == "fail")
        assert (
            word != "unknown" or kinds == {"evidence"} or not result.complete or result.verdict == "unknown"
        )
    # Findings stand in the order of the checks.
    places = [checks.index(f.check) for f in result.findings if f.check in checks]
    assert places == sorted(places)
    for f in result.findings:
        assert f.message and "\n" not in f.message
    if result.verdict in ("fail", "unknown"):
        assert result.findings and result.signature


def check_detail(detail: Detail, run: Run, result: RunResult) -> None:
    assert detail.result == result
    calls = [event for event in run.events if event.tool_name is not None]
    assert [row.event for row in detail.rows if row.event is not None] == calls
    told = Counter([id(f) for row in detail.rows for f in row.findings] + [id(f) for f in detail.findings])
    assert set(told.values()) <= {1}
    assert set(told) == {id(f) for f in detail.result.findings}
    for row in detail.rows:
        assert (row.event is None) == (row.state == "missing")
        wrong = {d.path for d in row.diffs if d.kind not in (None, "evidence")}
        for f in row.findings if row.event is not None else ():
            if f.check == "arguments_ok" and f.kind != "evidence" and f.path is not None:
                assert f.path in wrong, "a finding that no difference shows"


@ROUNDS
@given(st.data(), st.booleans(), st.sampled_from(suites.CASES))
def test_judged_and_explained_alike(data: st.DataObject, marks: bool, case: Case) -> None:
    contract = data.draw(suites.contracts(marks=marks))
    evaluator = suites.evaluator(contract.text)
    events = data.draw(suites.recordings(contract))
    left, steps, complete = data.draw(suites.losses(events))
    run = suites.as_run(left, complete=complete, steps=steps)
    result = evaluator.judge(case, run)
    check_result(result, evaluator.checks)
    check_detail(explain(evaluator, case, "", run), run, result)
    assert suites.evaluator(contract.text).judge(case, run) == result  # nothing is remembered from run to run


@ROUNDS
@given(st.data(), suites.contracts(marks=False), st.sampled_from(suites.CASES))
def test_what_is_seen_at_a_glance_is_so(data: st.DataObject, contract: suites.Drawn, case: Case) -> None:
    evaluator = suites.evaluator(contract.text)
    run = suites.as_run(data.draw(suites.recordings(contract)))
    whole = evaluator.judgement(case, run).result
    assert evaluator.judge(case, run) == whole
    expectation = evaluator.expected(case).expectation
    calls = calls_of(run)
    if evaluator._glance is None or expectation is None or calls is None:
        return
    held = evaluator._glance.held(expectation, calls)
    assert held != ALL or whole.verdict == "pass"
    limits = [counted.rule.name for counted in expectation.limits]
    for bit, names in (
        (SEQUENCE, ["sequence_ok"]),
        (ARGUMENTS, ["arguments_ok"]),
        (STATUSES, ["tools_succeeded"]),
        (LIMITS, limits),
        (FINAL, ["final_state_ok"]),
    ):
        if held & bit:
            assert {whole.checks.get(name, "n/a") for name in names} <= {"pass", "n/a"}


# -- whatever is recorded ----------------------------------------------------------------------------------

KINDS = """
contract = 1
name = "kinds"
[cases]
id = "case_id"
columns = { json = "json", list = "list:;", at = "instant" }
[evidence]
redacted = ["ok", "a"]
cut = ["b$"]
[tools.t.args]
a = "set"
b = "bag"
c = { kind = "number", rel = 0.1 }
d = { kind = "instant", tolerance_s = 1 }
e = "iequals"
f = "subset"
g = { kind = "json", then = "bag" }
[order]
mode = "any"
extra = "any"
[[step]]
id = "s"
tool = "t"
[step.args]
a = "{json}"
b = "{list}"
c = "{json}"
d = "{at}"
e = "{json}"
f = "{json}"
g = "{json}"
h = { kind = "contains", value = "{list}" }
i = { kind = "any", of = ["iequals", { kind = "regex", pattern = "a*" }], value = "{json}" }
j = { kind = "not", of = { kind = "schema", schema = { multipleOf = 0.1, uniqueItems = true } } }
k = { kind = "all", of = [{ kind = "present" }, { kind = "one_of", values = [1, "a", [true]] }] }
l = { kind = "list", value = [{ kind = "subset", value = { a = "{json}" } }, "{at}"] }
[[step]]
tool = "u"
args = { x = "{step.s.result.a.0}", y = "{text}-{step.s.result.b}" }
[status]
ok = ["ok"]
retries = "allow"
error_text = ["^E"]
[[limit]]
name = "once"
effect = "write"
same = "args"
[[layer]]
name = "shape"
tool = "*"
at = "result.a"
[layer.json_schema]
type = ["number", "object"]
minimum = 0.5
additionalProperties = { type = "string", pattern = "^a*$" }
[[layer]]
name = "range"
at = "state_after.0"
between = [0, 1]
[final]
state_after.a = "{json}"
run_outcome = { kind = "equals", value = "{text}" }
"""
_EVALUATOR = suites.evaluator(KINDS)
_names = st.sampled_from("abcdefghijklxy")
_anything = strategies.json_values(odd=True)


@st.composite
def hostile_events(draw: st.DrawFn) -> list[dict[str, Any]]:
    events = []
    for _ in range(draw(st.integers(0, 4))):
        event: dict[str, Any] = {"tool_name": draw(st.sampled_from(["t", "t", "u", "", "*"]))}
        arguments = draw(st.dictionaries(_names, _anything, max_size=4) | _anything)
        if draw(st.booleans()):
            event["arguments"] = arguments
        for key in ("result", "state_after", "run_outcome", "error"):
            if draw(st.booleans()):
                value = draw(_anything)
                event[key] = dumps(value) if draw(st.integers(0, 3)) == 0 else value
        event["status"] = draw(st.sampled_from(["ok", "error", "", None, "b"]))
        event["group"] = draw(st.sampled_from([None, None, "g"]))
        event["actor"] = draw(st.sampled_from(["assistant", "assistant", "user", "x"]))
        events.append(event)
    return events


@ROUNDS
@given(hostile_events(), _anything, strategies.any_texts, st.booleans())
def test_nothing_recorded_raises(events: list[dict[str, Any]], value: Any, text: str, complete: bool) -> None:
    at = "2031-04-07T09:30:00+02:00"
    case = Case("C1", {"case_id": "C1", "json": dumps(value), "list": "a;b", "at": at, "text": text}, 2)
    run = suites.as_run(events, complete=complete)
    result = _EVALUATOR.judge(case, run)
    detail = explain(_EVALUATOR, case, "", run)
    if result.verdict == "unusable":  # the cell repeats a key
        return
    check_result(result, _EVALUATOR.checks)
    check_detail(detail, run, result)


@ROUNDS
@given(hostile_events(), st.data())
def test_nothing_raises_where_cases_describe_themselves(
    events: list[dict[str, Any]], data: st.DataObject
) -> None:
    tools = st.lists(st.sampled_from(["t", "u", "*", "t?"]), max_size=3)
    objects = st.dictionaries(_names, _anything, max_size=2)
    cells = {
        "expected_sequence": data.draw(tools),
        "expected_arguments": data.draw(
            st.lists(objects, max_size=3) | st.dictionaries(st.sampled_from("tu"), objects, max_size=2)
        ),
        "expected_statuses": data.draw(st.lists(st.sampled_from(["ok", "error"]), max_size=3)),
        "write_tools": data.draw(tools),
        "expected_final_state": data.draw(_anything),
        "expected_run_outcome": data.draw(strategies.texts),
    }
    kept = {name: cell for name, cell in cells.items() if data.draw(st.booleans())} or {"write_tools": []}
    contract = from_columns(list(kept))
    assert contract is not None
    evaluator = Evaluator(contract, json_cases=True)
    case = Case("C1", kept, 2)
    run = suites.as_run(events, complete=data.draw(st.booleans()))
    result = evaluator.judge(case, run)
    detail = explain(evaluator, case, "", run)
    if result.verdict != "unusable":  # cells that contradict each other
        check_result(result, evaluator.checks)
        check_detail(detail, run, result)
        assert evaluator.judgement(case, run).result == result


arguments = st.one_of(
    strategies.json_objects(),
    st.dictionaries(
        st.sampled_from("ab"),
        st.recursive(
            st.sampled_from([0, 1, True, 1.0, "1", None, Number("1.10"), 1.1]),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
        ),
    ),
)


@ROUNDS
@given(arguments, arguments, st.sampled_from(["fail", "ignore"]))
@example({"a": [0, {"b": 1}]}, {"a": [{"b": 1.0}, 0]}, "fail")
@example({"a": [0, {"b": 1}]}, {"a": [{"b": 1.0}, 0, 0], "b": 1}, "ignore")
def test_differences_are_counted_as_they_are_told(
    expected: dict[str, Any], recorded: dict[str, Any], extra: Literal["fail", "ignore"]
) -> None:
    event = suites.as_run([{"tool_name": "t", "arguments": recorded}]).events[0]
    want = Want(1, "t", expected)
    told = argument_diffs(want, expected, event, ToolSpec("t", extra_args=extra), Marks())
    assert differing(expected, recorded, lenient=extra == "ignore") == count(told)[0]
    assert count(told)[1] == 0
