"""The kinds of the contract: what each accepts, refuses and can't know."""

from __future__ import annotations

from typing import Any

import pytest

from judging import call, case, contract, judge, run, said
from traceview.evaluate import patterns
from traceview.evaluate.compare import accepts, diff
from traceview.evaluate.detail import Diff
from traceview.evaluate.evidence import Marks
from traceview.evaluate.expect import RulesPlan
from traceview.evaluate.templates import Templates
from traceview.jsontext import decode
from traceview.model import MISSING, Case

MARKS = Marks(frozenset(["[gone]"]), (r"\.\.\.$",), active=True)


def wanted(written: str, **cells: Any) -> Any:
    """An expected value as it is written in a contract, with the cells of a case."""
    made = contract(f'[[step]]\ntool = "t"\nargs.value = {written}\n')
    [step] = made.rules.steps or ()
    assert step.args is not None
    return Templates(made).compile(step.args["value"])(cells, Case("C1", cells, 1))


def read(text: str) -> Any:
    return MISSING if text == "-" else decode(text.encode()).value


def compare(written: str, observed: Any) -> list[Diff]:
    out: list[Diff] = []
    diff(wanted(written), observed, "", MARKS, out)
    return out


YES, NO, PERHAPS = True, False, None
NINE = '{ kind = "instant", value = "2031-04-07T09:30:00+02:00" }'
ABOUT_NINE = '{ kind = "instant", value = "2031-04-07T09:30:00+02:00", tolerance_s = 1 }'
INTEGER = '{ kind = "schema", schema = { properties = { a = { type = "integer" } } } }'
STRING = '{ kind = "schema", schema = { properties = { a = { type = "string" } } } }'

# What is expected, what was observed ("-": no such key), whether it is accepted.
TABLE = [
    # equals
    ('"a"', '"a"', YES),
    ('"a"', '"A"', NO),
    ('"a"', "-", NO),
    ('"a"', '"[gone]"', PERHAPS),
    ('"a"', '"a..."', PERHAPS),
    ('"[gone]"', '"[gone]"', PERHAPS),
    ("{ a = 1, b = [1, 2] }", '{"b": [1, 2.0], "a": 1}', YES),
    ("[1]", "[1, 2]", NO),
    ('["a", "b"]', '["a", "[gone]"]', PERHAPS),
    ('["a", "b"]', '["x", "[gone]"]', NO),
    ('["a", "[gone]"]', '["a", "[gone]"]', PERHAPS),
    ('{ kind = "equals", value = { kind = "circle" } }', '{"kind": "circle"}', YES),
    ('{ kind = "equals", value = { kind = "circle" } }', '{"kind": "[gone]"}', PERHAPS),
    ('{ kind = "equals", value = { kind = "circle" } }', '{"kind": "circle", "r": 1}', NO),
    # ignore, present, absent
    ('{ kind = "ignore" }', "1", YES),
    ('{ kind = "ignore" }', "-", YES),
    ('{ kind = "present" }', "null", YES),
    ('{ kind = "present" }', '"[gone]"', YES),
    ('{ kind = "present" }', "-", NO),
    ('{ kind = "absent" }', "-", YES),
    ('{ kind = "absent" }', "null", NO),
    ('{ kind = "absent" }', '"[gone]"', NO),
    # one_of
    ('{ kind = "one_of", values = [1, "a", [2]] }', "1.0", YES),
    ('{ kind = "one_of", values = [1, "a", [2]] }', "[2]", YES),
    ('{ kind = "one_of", values = [1, "a", [2]] }', "true", NO),
    ('{ kind = "one_of", values = [1, "a", [2]] }', '["[gone]"]', PERHAPS),
    ('{ kind = "one_of", values = [1, "a", [2]] }', "-", NO),
    # regex
    ("{ kind = \"regex\", pattern = 'R-\\d+' }", '"R-17"', YES),
    ("{ kind = \"regex\", pattern = 'R-\\d+' }", '"R-17 "', NO),
    ("{ kind = \"regex\", pattern = 'R-\\d+' }", "17", NO),
    ("{ kind = \"regex\", pattern = 'R-\\d+' }", '"[gone]"', PERHAPS),
    # iequals
    ('{ kind = "iequals", value = "Straße" }', '"STRASSE"', YES),
    ('{ kind = "iequals", value = "a" }', '"b"', NO),
    ('{ kind = "iequals", value = "1" }', "1", NO),
    # contains
    ('{ kind = "contains", value = "b" }', '"abc"', YES),
    ('{ kind = "contains", value = "B" }', '"abc"', NO),
    ('{ kind = "contains", value = ["a", "c"] }', '"abc"', YES),
    ('{ kind = "contains", value = ["a", "d"] }', '"abc"', NO),
    ('{ kind = "contains", value = 1 }', '"1"', NO),
    ('{ kind = "contains", value = [1, "a"] }', '["a", 2, 1.0]', YES),
    ('{ kind = "contains", value = [1, "b"] }', '["a", 2, 1.0]', NO),
    ('{ kind = "contains", value = ["b"] }', '["a", "[gone]"]', PERHAPS),
    ('{ kind = "contains", value = ["a"] }', '["a", "[gone]"]', YES),
    ('{ kind = "contains", value = "a" }', '{"a": 1}', NO),
    # number
    ('{ kind = "number", value = 41.5, abs = 0.005 }', "41.505", YES),
    ('{ kind = "number", value = 41.5, abs = 0.005 }', "41.5051", NO),
    ('{ kind = "number", value = 41.5, abs = 0.005 }', '"41.5"', NO),
    ('{ kind = "number", value = 41.5, abs = 0.005 }', "NaN", NO),
    ('{ kind = "number", value = 100, rel = 0.1 }', "110", YES),
    ('{ kind = "number", value = 100, rel = 0.1 }', "89.999", NO),
    ('{ kind = "number", value = 0.1, abs = 0.2 }', "0.3", YES),  # exactly, not in binary
    ('{ kind = "number", value = 1, abs = 1 }', "1e9999999", NO),
    ('{ kind = "number", value = 1, abs = 1 }', "true", NO),
    # instant
    (NINE, '"2031-04-07T07:30:00Z"', YES),
    (NINE, '"2031-04-07T07:30:01Z"', NO),
    (ABOUT_NINE, '"2031-04-07T07:30:01Z"', YES),
    (ABOUT_NINE, '"2031-04-07T07:30:01.0000001Z"', NO),
    (NINE, '"2031-04-07T09:30:00"', PERHAPS),
    ('{ kind = "instant", value = "2031-04-07T09:30:00" }', '"2031-04-07T09:30:00"', PERHAPS),
    ('{ kind = "instant", value = "2031-04-07T09:30:00Z" }', '"tomorrow"', NO),
    ('{ kind = "instant", value = "2031-04-07T09:30:00Z" }', "1", NO),
    # set, bag
    ('{ kind = "set", value = ["a", "b"] }', '["b", "a", "b"]', YES),
    ('{ kind = "set", value = ["a", "b"] }', '["a"]', NO),
    ('{ kind = "set", value = ["a", "b"] }', '["a", "b", "c"]', NO),
    ('{ kind = "set", value = ["a", "b"] }', '["a", "[gone]"]', PERHAPS),
    ('{ kind = "set", value = ["a", "b"] }', '["c", "[gone]"]', NO),
    ('{ kind = "set", value = ["a"] }', '"a"', NO),
    ('{ kind = "bag", value = ["a", "b", "a"] }', '["b", "a", "a"]', YES),
    ('{ kind = "bag", value = ["a", "b", "a"] }', '["b", "a", "b"]', NO),
    ('{ kind = "bag", value = [1, true] }', "[true, 1.0]", YES),
    ('{ kind = "bag", value = ["a", "b"] }', '["[gone]", "a"]', PERHAPS),
    ('{ kind = "bag", value = ["a", "b"] }', '["[gone]", "a", "b"]', NO),
    ('{ kind = "bag", value = ["a", "b"] }', '["[gone]", "c"]', NO),
    # list, subset
    ('{ kind = "list", value = [{ kind = "subset", value = { a = 1 } }] }', '[{"a": 1, "b": 2}]', YES),
    ('{ kind = "list", value = [{ kind = "subset", value = { a = 1 } }] }', '[{"a": 1}, {"a": 1}]', NO),
    ('{ kind = "list", value = [{ kind = "subset", value = { a = 1 } }] }', "[]", NO),
    ('{ kind = "subset", value = { a = { b = 1 } } }', '{"a": {"b": 1, "c": 2}, "d": 3}', YES),
    ('{ kind = "subset", value = { a = { b = 1 } } }', '{"a": {"c": 2}}', NO),
    ('{ kind = "subset", value = { a = 1 } }', '{"a": "[gone]"}', PERHAPS),
    ('{ kind = "subset", value = { a = 1 } }', "[]", NO),
    ('{ kind = "subset", value = [1, 1] }', "[1, 2, 1]", YES),
    ('{ kind = "subset", value = [1, 1] }', "[1, 2]", NO),
    ('{ kind = "subset", value = ["a", "b"] }', '["a", "[gone]"]', PERHAPS),
    # json
    ('{ kind = "json", value = { a = 1 } }', '"{\\"a\\": 1.0}"', YES),
    ('{ kind = "json", value = { a = 1 } }', '"{\\"a\\": 2}"', NO),
    ('{ kind = "json", value = { a = 1 } }', '"{\\"a\\": 1"', NO),
    ('{ kind = "json", value = { a = 1 } }', '"{\\"a\\": 1..."', PERHAPS),
    ('{ kind = "json", value = { a = 1 } }', '{"a": 1}', NO),
    ('{ kind = "json", value = { a = 1 }, then = "subset" }', '"{\\"a\\": 1, \\"b\\": 2}"', YES),
    ('{ kind = "json", then = { kind = "len", min = 1 } }', '"[1]"', YES),
    ('{ kind = "json", then = { kind = "len", min = 1 } }', '"[]"', NO),
    ('{ kind = "json", value = { a = "x" } }', '"{\\"a\\": \\"[gone]\\"}"', PERHAPS),
    # len, schema
    ('{ kind = "len", min = 2, max = 3 }', '"ab"', YES),
    ('{ kind = "len", min = 2, max = 3 }', "[1]", NO),
    ('{ kind = "len", max = 1 }', '{"a": "[gone]"}', YES),
    ('{ kind = "len", max = 1 }', '"[gone]"', PERHAPS),
    ('{ kind = "len", max = 1 }', "1", NO),
    ('{ kind = "schema", schema = { type = "null" } }', "null", YES),
    ('{ kind = "schema", schema = { type = "object", required = ["a"] } }', '{"a": 1}', YES),
    ('{ kind = "schema", schema = { type = "object", required = ["a"] } }', "{}", NO),
    ('{ kind = "schema", schema = { type = "object", required = ["a"] } }', '{"b": "[gone]"}', NO),
    (INTEGER, '{"a": "[gone]"}', PERHAPS),
    (STRING, '{"a": "[gone]"}', PERHAPS),
    ('{ kind = "schema", schema = { const = 1 } }', "true", NO),
    ('{ kind = "schema", schema = { enum = [1, 2] } }', "1.0", YES),
    ('{ kind = "schema", schema = { multipleOf = 0.1 } }', "0.3", YES),
    ('{ kind = "schema", schema = { multipleOf = 0.1 } }', "0.35", NO),
    ('{ kind = "schema", schema = { multipleOf = 2 } }', "NaN", NO),
    ('{ kind = "schema", schema = { multipleOf = 2 } }', "1e20000", PERHAPS),  # beyond what is worked out
    ('{ kind = "schema", schema = { multipleOf = 2 } }', "1e300", YES),
    ('{ kind = "schema", schema = { maximum = 9007199254740992 } }', "9007199254740992.5", NO),
    # not, all, any
    ('{ kind = "not", of = { kind = "equals", value = 2 } }', "1", YES),
    ('{ kind = "not", of = { kind = "equals", value = 2 } }', "2", NO),
    ('{ kind = "not", of = { kind = "equals", value = "b" } }', '"[gone]"', PERHAPS),
    ('{ kind = "not", of = { kind = "absent" } }', "-", NO),
    ('{ kind = "all", of = [{ kind = "len", min = 1 }, { kind = "contains", value = "a" }] }', '"ba"', YES),
    ('{ kind = "all", of = [{ kind = "len", min = 1 }, { kind = "contains", value = "a" }] }', '"b"', NO),
    ('{ kind = "any", of = ["iequals", { kind = "absent" }], value = "a" }', '"A"', YES),
    ('{ kind = "any", of = ["iequals", { kind = "absent" }], value = "a" }', "-", YES),
    ('{ kind = "any", of = ["iequals", { kind = "absent" }], value = "a" }', '"b"', NO),
    ('{ kind = "any", of = [{ kind = "absent" }, { kind = "len", min = 2 }] }', '["[gone]",1]', YES),
    ('{ kind = "any", of = ["set", { kind = "len", min = 3 }], value = ["a"] }', '["[gone]"]', PERHAPS),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "observed", "accepted"), TABLE)
def test_what_is_accepted(expected: str, observed: str, accepted: bool | None) -> None:
    assert accepts(wanted(expected), read(observed), MARKS) is accepted


@pytest.mark.parametrize(("expected", "observed", "accepted"), TABLE)
def test_what_is_refused_or_unknown_says_why(expected: str, observed: str, accepted: bool | None) -> None:
    diffs = compare(expected, read(observed))
    if accepted is None:
        assert all(d.note for d in diffs if d.kind == "evidence")
    for d in diffs:
        assert (d.state in ("changed", "missing", "unexpected", "unknown")) == (d.kind is not None)


@pytest.mark.parametrize(
    ("expected", "observed", "by"),
    [
        ('{ kind = "number", value = 41.5, abs = 0.005 }', "41.501", "number, abs 0.005"),
        ('{ kind = "iequals", value = "a" }', '"A"', "iequals"),
        ('{ kind = "set", value = [1] }', "[1, 1]", "set"),
        ('{ kind = "any", of = ["iequals", { kind = "len" , max = 1 }], value = "a" }', '"x"', "any, (ieq"),
        (ABOUT_NINE, '"2031-04-07T07:30:01Z"', "tolerance 1 s"),
        ('{ kind = "subset", value = { a = 1 } }', '{"a": 1, "b": 2}', "subset"),
        ('{ kind = "subset", value = [1] }', "[1, 2]", "subset"),
    ],
)  # fmt: skip
def test_what_a_kind_forgave_stays_visible(expected: str, observed: str, by: str) -> None:
    forgiven = [d for d in compare(expected, read(observed)) if d.state == "forgiven"]
    assert len(forgiven) == 1 and forgiven[0].kind is None
    assert forgiven[0].note is not None and by in forgiven[0].note


@pytest.mark.parametrize(
    "expected",
    [
        '"{gap}"',
        '"{gap}-{text}"',
        '{ kind = "number", value = "{gap}", abs = 1 }',
        '{ kind = "set", value = "{gap}" }',
        '{ kind = "not", of = { kind = "equals", value = "{gap}" } }',
        '{ kind = "any", of = ["iequals", { kind = "contains", value = "{gap}" }], value = "{gap}" }',
        '{ kind = "not", of = { kind = "any", of = ["iequals"], value = "{gap}" } }',
        '{ kind = "json", value = "{gap}" }',
        "[1, 2]",
    ],
)
@pytest.mark.parametrize("observed", ["-", "null", "[1, 2]"])
def test_an_empty_cell_leaves_the_comparison_out(expected: str, observed: str) -> None:
    if expected == "[1, 2]":
        expected, observed = '[1, "{gap}"]', "[1, 2]"
    assert accepts(wanted(expected, text="x"), read(observed), MARKS) is True


def test_a_kind_that_needs_no_value_judges_whatever_the_cell() -> None:
    tool = 'args = { method = { kind = "one_of", values = ["original", "gift"] } }'
    text = f'[tools.t]\n{tool}\n[[step]]\ntool = "t"\nargs = {{ method = "{{method}}" }}\n'
    for method, given, verdict in (
        ("", {"method": "gift"}, "pass"),
        ("", {"method": "cash"}, "fail"),
        ("", {}, "pass"),
        ("gift", {"method": "gift"}, "pass"),
        ("gift", {"method": "original"}, "fail"),
        ("cash", {"method": "cash"}, "fail"),
    ):
        assert judge(text, run(call("t", given)), method=method).verdict == verdict, (method, given)


def test_the_kind_of_a_tool_judges_what_a_step_does_not_list() -> None:
    text = """
    [tools.t]
    [tools.t.args]
    a = { kind = "regex", pattern = "x+" }
    b = "ignore"
    c = { kind = "all", of = [{ kind = "len", max = 1 }] }
    [[step]]
    tool = "t"
    args = {}
    """
    for given, verdict in (
        ({}, "pass"),
        ({"a": "xx", "b": 1, "c": "1"}, "pass"),
        ({"a": "y"}, "fail"),
        ({"c": "12"}, "fail"),
        ({"d": 1}, "fail"),
    ):
        assert judge(text, run(call("t", given))).verdict == verdict, given


def test_a_kind_written_in_the_step_asks_for_the_argument() -> None:
    """What a tool says of an argument does not ask that it is there; what a step says does."""
    text = '[[step]]\ntool = "t"\nargs = { a = { kind = "regex", pattern = "x+" } }\n'
    assert judge(text, run(call("t", {}))).verdict == "fail"
    assert judge(text, run(call("t", {"a": "x"}))).verdict == "pass"


def test_a_kind_written_in_place_wins_over_that_of_the_tool() -> None:
    text = """
    [cases]
    columns = { at = "instant" }
    [tools.t]
    args = { a = "iequals", at = "ignore", then = { kind = "instant", tolerance_s = 60 } }
    [[step]]
    tool = "t"
    args = { a = { kind = "equals", value = "x" }, at = "{at}", then = { kind = "instant", value = "{at}" } }
    """
    at = "2031-04-07T09:30:00Z"
    fits = {"a": "x", "at": "whenever", "then": at}
    assert judge(text, run(call("t", fits)), at=at).verdict == "pass"
    assert judge(text, run(call("t", {**fits, "a": "X"})), at=at).verdict == "fail"
    late = {**fits, "then": "2031-04-07T09:30:01Z"}
    assert judge(text, run(call("t", late)), at=at).verdict == "fail"


def test_a_pattern_that_never_ends_is_stopped_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "PATTERN_SECONDS", 0.05)
    text = '[[step]]\ntool = "t"\nargs = { a = { kind = "regex", pattern = \'(x+x+)+y\' } }\n'
    result = judge(text, run(call("t", {"a": "x" * 5000})))
    assert result.verdict == "unknown"
    [finding] = said(result, "arguments_ok")
    assert finding.kind == "evidence" and "(x+x+)+y was stopped after 0.05 s" in finding.message
    layer = '[[layer]]\nname = "l"\nat = "a"\nregex = \'(x+x+)+z\'\n[status]\nok = ["ok"]\n'
    assert judge(layer, run(call("t", {}, a="x" * 5000))).layers == {"l": "unknown"}
    schema = "[final]\na = { kind = \"schema\", schema = { pattern = '(x+x+)+w' } }\n"
    result = judge(schema, run(call("t", {}, a="x" * 5000)))
    assert result.verdict == "unknown" and "(x+x+)+w" in result.findings[0].message


def test_a_schema_that_goes_too_deep_is_unknown() -> None:
    tree = '{ type = "object", additionalProperties = { "$ref" = "#/$defs/tree" } }'
    schema = f'{{ "$ref" = "#/$defs/tree", "$defs" = {{ tree = {tree} }} }}'
    deep: Any = {}
    for _ in range(190):
        deep = {"a": deep}
    text = f'[final]\na = {{ kind = "schema", schema = {schema} }}\n'
    result = judge(text, run(call("t", {}, a=deep)))
    assert result.verdict in ("pass", "unknown")  # as deep as the library goes
    assert judge(text, run(call("t", {}, a={"a": {"b": 1}}))).verdict == "fail"


def test_cells_are_joined_as_they_are_written() -> None:
    plan = RulesPlan(contract('[final]\na = "{x}-{y}"\n'), contract('[final]\na = "{x}-{y}"\n').rules)
    item = case(x="007", y=True)
    [final] = plan.expectation({"x": "007", "y": True}, item).final
    assert final.expected == "007-true"
