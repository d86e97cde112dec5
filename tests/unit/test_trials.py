"""Several runs of a case: the estimates against figures worked out by hand, and where the runs part."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import row
from traceview.cli import main
from traceview.evaluate.values import same
from traceview.model import Event, Number, Run, Source
from traceview.trials import fingerprints, first_difference, pass_at_k, pass_hat_k, trials

SAMPLE = Path(__file__).parents[2] / "sample_data"


def call(tool: str, arguments: Any = None, group: str | None = None) -> Event:
    state: Any = "absent" if arguments is None else "object" if isinstance(arguments, dict) else "raw"
    return Event(1, tool, tool, arguments, state, "ok", None, group, "assistant", {}, Source("t", 1))


def prints(*calls: Event) -> bytes:
    return fingerprints(Run("c", None, None, calls, {}))


# -- estimates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "passed", "k", "hat", "at"),
    [
        (4, 2, 1, Fraction(1, 2), Fraction(1, 2)),
        (4, 2, 2, Fraction(1, 6), Fraction(5, 6)),  # of 6 pairs one is all passes, one all failures
        (4, 2, 3, 0, 1),
        (5, 3, 2, Fraction(3, 10), Fraction(9, 10)),
        (5, 0, 3, 0, 0),
        (5, 5, 5, 1, 1),
        (3, 1, 3, 0, 1),
    ],
)
def test_estimates_by_hand(n: int, passed: int, k: int, hat: Fraction, at: Fraction) -> None:
    assert pass_hat_k(n, passed, k) == pytest.approx(float(hat))
    assert pass_at_k(n, passed, k) == pytest.approx(float(at))


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_estimates_are_what_drawing_k_runs_gives(runs: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(runs)))
    draws = list(combinations(runs, k))
    assert pass_hat_k(len(runs), sum(runs), k) == pytest.approx(sum(map(all, draws)) / len(draws))
    assert pass_at_k(len(runs), sum(runs), k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_a_suite_by_hand() -> None:
    """a: 2 of 3 pass; b: 1 of 2; c ran once; d's second run was lost, which is no trial."""
    rows = [row("a"), row("a", "fail", "x"), row("a"), row("b", "unknown"), row("b"), row("c"), row("d")]
    found = trials([*rows, row("d", "no_trace")])
    assert found is not None
    assert [(case.case_id, case.passed, case.n, case.verdict) for case in found.cases] == [
        ("a", 2, 3, "fail"),
        ("b", 1, 2, "unknown"),
        ("c", 1, 1, "pass"),
        ("d", 1, 1, "pass"),
    ]
    one, two, three = found.by_k
    assert (one.k, one.cases) == (1, 4)
    assert one.pass_hat == one.pass_at
    assert one.pass_hat == pytest.approx((2 / 3 + 1 / 2 + 1 + 1) / 4)
    assert (two.cases, two.pass_at) == (2, 1.0) and two.pass_hat == pytest.approx((1 / 3 + 0) / 2)
    assert (three.cases, three.pass_hat, three.pass_at) == (1, 0.0, 1.0)
    loose = trials(rows, "any")
    assert loose is not None and [case.verdict for case in loose.cases] == ["pass"] * 4


def test_one_run_a_case_has_no_trials() -> None:
    assert trials([row("a"), row("b", "fail", "x")]) is None


# -- where runs part ---------------------------------------------------------------------------------------


def test_the_first_call_that_differs() -> None:
    base = (call("look", {"id": 1}), call("pay", {"sum": 2}), call("tell", {}))
    assert first_difference([prints(*base)] * 3) is None
    other = (base[0], call("pay", {"sum": 3}), base[2])
    assert first_difference([prints(*base), prints(*base), prints(*other)]) == 2
    assert first_difference([prints(*base), prints(call("find", {"id": 1}), *base[1:])]) == 1
    assert first_difference([prints(*base), prints(*base[:2])]) == 3  # one stopped earlier
    assert first_difference([prints(), prints(*base)]) == 1
    assert first_difference([prints(*base)]) is None and first_difference([]) is None


def test_calls_of_one_turn_have_no_order() -> None:
    a, b = call("pay", {"to": "a"}, "turn"), call("pay", {"to": "b"}, "turn")
    assert prints(a, b) == prints(b, a)
    assert prints(a, call("tell"), b) != prints(b, call("tell"), a)
    alone = [call("pay", {"to": to}) for to in "ab"]
    assert prints(*alone) != prints(*reversed(alone))


def test_arguments_that_were_not_captured_are_not_empty_ones() -> None:
    assert len({prints(call("pay")), prints(call("pay", {})), prints(call("pay", "{}"))}) == 3


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-20, 20)
    | st.sampled_from([0.0, -0.0, 1.0, 10.0, 1e16, 10**16, 1.5, Number("1.50"), Number("1e1"), Number("NaN")])
    | st.sampled_from(["", "1", "s1:a", "\ud800", "é", "é"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc1:"), inner, max_size=3),
    max_leaves=5,
)


@given(VALUES, VALUES)
def test_alike_exactly_when_a_contract_calls_them_equal(one: Any, other: Any) -> None:
    alike = prints(call("t", {"a": one})) == prints(call("t", {"a": other}))
    assert alike == same(one, other)
    assert prints(call("t", {"a": one})) == prints(call("t", json_order({"a": one})))


def json_order(value: Any) -> Any:
    """The same value with the keys of its objects the other way round."""
    if isinstance(value, dict):
        return {key: json_order(item) for key, item in reversed(value.items())}
    return [json_order(item) for item in value] if isinstance(value, list) else value


# -- in the report -----------------------------------------------------------------------------------------


def report(capfd: pytest.CaptureFixture[str], *options: str) -> str:
    names = ("retail_cases.csv", "retail_traces.jsonl", "retail.toml")
    cases, traces, contract = (str(SAMPLE / name) for name in names)
    assert main(["check", cases, traces, "--contract", contract, *options]) == 1
    return capfd.readouterr().out


def test_trials_in_json(capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(report(capfd, "--format", "json"))["trials"]
    assert found["rule"] == "all"
    assert [(at["k"], at["cases"]) for at in found["k"]] == [(1, 10), (2, 1), (3, 1)]
    # three of ten cases pass their one run, one passes two of three
    assert found["k"][0]["pass^k"] == found["k"][0]["pass@k"]
    assert found["k"][0]["pass^k"] == pytest.approx((3 + 2 / 3) / 10)
    assert (found["k"][1]["pass^k"], found["k"][1]["pass@k"]) == (pytest.approx(1 / 3), 1.0)
    assert {case["case_id"]: case["differs_at"] for case in found["cases"] if case["n"] > 1} == {"K-08": 3}


def test_trials_in_text(capfd: pytest.CaptureFixture[str]) -> None:
    text = report(capfd)
    assert "k=2    pass^k 0.333  pass@k 1.000  1 case" in text
    assert "K-08: 2 of 3 runs pass, they part at call 3" in text


def test_any_run_of_a_case_may_be_enough(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With trials = "any" a case that passed once does not fail by its other runs."""
    lines = [
        {"case_id": "a", "run_id": str(n), "step": 1, "tool_name": "t", "arguments": {}, "status": status}
        for n, status in enumerate(["error", "ok"])
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "c.csv").write_text("case_id\na\n")
    rules = 'contract = 1\nname = "x"\n[status]\nok = ["ok"]\n[verdict]\ntrials = '
    for rule, code in (("any", 0), ("all", 1)):
        (tmp_path / f"{rule}.toml").write_text(f'{rules}"{rule}"\n')
        arguments = [str(tmp_path / name) for name in ("c.csv", "t.jsonl")]
        assert main(["check", *arguments, "--contract", str(tmp_path / f"{rule}.toml")]) == code
        capfd.readouterr()
