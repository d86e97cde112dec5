"""What a contract that can be used says, section by section."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from traceview.contract.names import check_names
from traceview.contract.rules import merged
from traceview.contract.spec import (
    EQUALS,
    Column,
    Compare,
    Contract,
    Expected,
    Join,
    Limit,
    ListOf,
    ObjectOf,
    Order,
    StepRef,
    Value,
)
from traceview.contract.toml import parse
from traceview.contract.tools import canonical, glob
from traceview.model import Number

HEAD = 'contract = 1\nname = "x"\n'


def read(text: str) -> Contract:
    return parse(HEAD + text, "c.toml")


def argument(written: str) -> Expected:
    steps = read(f"[[step]]\ntool = 'a'\nid = 's'\n[[step]]\ntool = 'b'\nargs.x = {written}").rules.steps
    assert steps is not None and steps[1].args is not None
    return steps[1].args["x"]


def test_the_text_is_identified_and_a_byte_order_mark_is_no_mistake() -> None:
    contract = parse("\ufeff" + HEAD, "c.toml")
    assert (contract.name, contract.source) == ("x", "c.toml")
    assert contract.sha256 == hashlib.sha256(("\ufeff" + HEAD).encode()).hexdigest()


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("30", Value(30)),
        ("true", Value(True)),
        ("[]", Value([])),
        ('"plain"', Value("plain")),
        ('"{a}"', Column("a")),
        ('"{a b}"', Column("a b")),
        ('"{step}"', Column("step")),
        ('"{a}-{b}!"', Join((Column("a"), "-", Column("b"), "!"))),
        ('"{{a}}"', Value("{a}")),
        ('"{{{a}}}"', Join(("{", Column("a"), "}"))),
        ('"{step.s.result.rooms.0.id}"', StepRef("s", ("result", "rooms", "0", "id"))),
        ('"R-{step.s.result}"', Join(("R-", StepRef("s", ("result",))))),
        ("{a = 1, b = [2]}", Value({"a": 1, "b": [2]})),
        ('{a = 1, b = "{c}"}', ObjectOf((("a", Value(1)), ("b", Column("c"))))),
        ('[1, "{c}"]', ListOf((Value(1), Column("c")))),
    ],
)
def test_expected_values_and_templates(written: str, value: Expected) -> None:
    assert argument(written) == value


def test_numbers_keep_their_digits() -> None:
    assert argument("1_000") == Value(1000)
    value = argument("1.10")
    assert isinstance(value, Value) and isinstance(value.value, Number) and value.value.text == "1.10"
    value = argument("+1_0.50")
    assert isinstance(value, Value) and value.value.text == "10.50"


@pytest.mark.parametrize(
    ("written", "compare"),
    [
        ('{kind = "ignore"}', Compare("ignore")),
        ('{kind = "equals", value = {kind = "x", n = "{a}"}}',
         Compare("equals", ObjectOf((("kind", Value("x")), ("n", Column("a")))))),
        ('{kind = "number", value = "{a}", abs = 0.5, rel = 1}',
         Compare("number", Column("a"), abs=0.5, rel=1)),
        ('{kind = "instant", value = "2031-04-07T09:30Z", tolerance_s = 60}',
         Compare("instant", Value("2031-04-07T09:30Z"), tolerance_s=60)),
        ('{kind = "instant", value = "2031-04-07 09:30:00.5"}',
         Compare("instant", Value("2031-04-07 09:30:00.5"))),
        ('{kind = "one_of", values = ["a", 1, "{{b}}"]}', Compare("one_of", values=("a", 1, "{b}"))),
        ('{kind = "one_of", values = ["a"], value = "{a}"}',
         Compare("one_of", Column("a"), values=("a",))),
        ("{kind = 'regex', pattern = '\\d{4}'}", Compare("regex", pattern="\\d{4}")),
        ('{kind = "contains", value = "{a}"}', Compare("contains", Column("a"))),
        ('{kind = "set", value = ["{a}", "b"]}', Compare("set", ListOf((Column("a"), Value("b"))))),
        ('{kind = "bag", value = [{kind = "equals", value = {kind = "k"}}]}',
         Compare("bag", Value([{"kind": "k"}]))),
        ('{kind = "list", value = [{kind = "iequals", value = "a"}, 2]}',
         Compare("list", ListOf((Compare("iequals", Value("a")), Value(2))))),
        ('{kind = "subset", value = {a = {kind = "present"}}}',
         Compare("subset", ObjectOf((("a", Compare("present")),)))),
        ('{kind = "json", value = {a = 1}}', Compare("json", Value({"a": 1}), then=EQUALS)),
        ('{kind = "json", value = {a = 1}, then = "subset"}',
         Compare("json", Value({"a": 1}), then=Compare("subset"))),
        ('{kind = "json", then = {kind = "subset", value = {a = 1}}}',
         Compare("json", Value({"a": 1}), then=Compare("subset"))),
        ('{kind = "json", then = "present"}', Compare("json", then=Compare("present"))),
        ('{kind = "len", min = 1}', Compare("len", min=1)),
        ('{kind = "schema", schema = {type = "string"}}', Compare("schema", schema={"type": "string"})),
        ('{kind = "not", of = {kind = "equals", value = 0}}',
         Compare("not", of=(Compare("equals", Value(0)),))),
        ('{kind = "any", of = ["iequals", {kind = "regex", pattern = "R.*"}], value = "{a}"}',
         Compare("any", Column("a"), of=(Compare("iequals"), Compare("regex", pattern="R.*")))),
    ],
)  # fmt: skip
def test_comparisons_in_place(written: str, compare: Compare) -> None:
    assert argument(written) == compare


def test_a_kind_inside_an_object_or_list_is_a_comparison_too() -> None:
    assert argument("{a = [{kind = 'present'}]}") == ObjectOf((("a", ListOf((Compare("present"),))),))


def test_tools_compare_by_a_kind_or_a_table() -> None:
    contract = read(
        """
        [tools.issue_refund]
        effect = "write"
        names = ["refund", "mcp__*__refund"]
        extra_args = "ignore"
        identity = ["order_id"]
        args = { note = "ignore", amount = { kind = "number", abs = 0.005 }, \
details = { kind = "json", then = "subset" }, when = { kind = "any", of = ["instant", "absent"] } }
        """
    )
    tool = contract.tools["issue_refund"]
    assert (tool.effect, tool.extra_args, tool.identity) == ("write", "ignore", ("order_id",))
    assert tool.args == {
        "note": Compare("ignore"),
        "amount": Compare("number", abs=Number("0.005")),
        "details": Compare("json", then=Compare("subset")),
        "when": Compare("any", of=(Compare("instant"), Compare("absent"))),
    }


def test_a_tool_may_stand_on_one_line_and_writes_unless_it_says_otherwise() -> None:
    tools = read('[tools]\nlook = { effect = "read" }\nact = {}').tools
    assert (tools["look"].effect, tools["act"].effect, tools["act"].identity) == ("read", "write", None)


def test_an_alias_in_a_rule_means_the_tool_it_names() -> None:
    contract = read(
        """
        tools.act.names = ["mcp__act", "x?y"]
        order.accept = [["mcp__act", "other"]]
        [[step]]
        tool = "mcp__act"
        [[limit]]
        name = "once"
        tool = "xay"
        at_most = 1
        [[forbid]]
        tool = "mcp__*"
        unless_before = "mcp__act"
        """
    )
    rules = contract.rules
    assert rules.order is not None and rules.order.accept == (("act", "other"),)
    assert rules.steps is not None and rules.steps[0].tool == "act"
    assert rules.limits is not None and rules.limits[0].tool == "act"
    # A pattern selects among canonical names and stays one.
    assert rules.forbids is not None and rules.forbids[0].tool == "mcp__*"
    assert rules.forbids[0].unless_before == "act"


def test_a_name_comes_before_an_alias_and_an_exact_alias_before_a_pattern() -> None:
    tools = read("[tools]\na = {names = ['*']}\nb = {names = ['bee']}\nc = {}").tools
    assert [canonical(tools, name) for name in ("c", "bee", "zzz")] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("pattern", "matches", "other"),
    [
        ("cancel_*", ["cancel_", "cancel_x\ny"], ["cancel", "xcancel_"]),
        ("a?c*e", ["abce", "abcde", "a*c*e"], ["ace", "abcd"]),
        ("a*b*a", ["aba", "abxba", "a*b*a"], ["ab", "aab"]),
        ("[x]*", ["[x]", "[x]y"], ["x", "xy"]),
        ("a.b", ["a.b"], ["axb", "A.B"]),
        ("***", ["", "x"], []),
    ],
)
def test_only_star_and_question_mark_are_wild(pattern: str, matches: list[str], other: list[str]) -> None:
    assert [name for name in matches if not glob(pattern)(name)] == []
    assert [name for name in other if glob(pattern)(name)] == []


def test_a_pattern_of_stars_ends_at_once() -> None:
    assert not glob("*a" * 30 + "b")("a" * 5000)


def test_order_and_steps() -> None:
    rules = read(
        """
        [order]
        mode = "partial"
        missing = "allow"
        extra = ["look", "think"]
        calls = "ok"
        [[step]]
        tool = "a"
        id = "one"
        [[step]]
        tool = "b"
        args = {}
        after = ["one", "three"]
        [[step]]
        tool = "c"
        id = "three"
        """
    ).rules
    assert rules.order == Order("partial", "allow", ("look", "think"), None, "ok")
    assert rules.steps is not None
    assert [(s.tool, s.args, s.id, s.after) for s in rules.steps] == [
        ("a", None, "one", ()),
        ("b", {}, None, ("one", "three")),
        ("c", None, "three", ()),
    ]


def test_ids_that_a_column_brings_are_not_known_beforehand() -> None:
    contract = read(
        """
        [[steps_from]]
        column = "expected_actions"
        match = "writes"
        [[step]]
        tool = "confirm"
        after = ["refund"]
        args.id = "{step.refund.result.id}"
        [[forbid]]
        tool = "look"
        before = "refund"
        """
    )
    assert contract.rules.steps_from is not None and contract.rules.steps_from[0].match == "writes"


def test_limits() -> None:
    limits = read(
        """
        [[limit]]
        name = "once"
        tool = "reserve_*"
        status = "ok"
        exactly = 1
        [[limit]]
        name = "no_repeat"
        effect = "write"
        same = "identity"
        [[limit]]
        name = "budget"
        tool = "*"
        at_least = 1
        at_most = 8
        over = "over_budget"
        under = "idle"
        """
    ).rules.limits
    assert limits == (
        Limit("once", "reserve_*", None, "ok", exactly=1),
        Limit("no_repeat", None, "write", at_most=1, same="identity"),
        Limit("budget", "*", at_least=1, at_most=8, over="over_budget", under="idle"),
    )


def test_a_table_in_final_is_a_path_unless_it_is_a_comparison() -> None:
    final = read(
        """
        [final]
        run_outcome = "done"
        state_after.refunded_total = { kind = "number", value = "{refund}", abs = 1 }
        "state_after.note" = { kind = "absent" }
        state_after.rooms = [{ id = "R2" }]
        state_after.order = { kind = "equals", value = { kind = "return", id = 7 } }
        """
    ).rules.final
    assert final is not None
    assert dict(final.items) == {
        ("run_outcome",): Value("done"),
        ("state_after", "refunded_total"): Compare("number", Column("refund"), abs=1),
        ("state_after", "note"): Compare("absent"),
        ("state_after", "rooms"): Value([{"id": "R2"}]),
        ("state_after", "order"): Compare("equals", Value({"kind": "return", "id": 7})),
    }


def test_a_section_of_a_branch_replaces_the_top_level_one() -> None:
    contract = read(
        """
        status.ok = ["ok"]
        final.a = 1
        [[limit]]
        name = "once"
        tool = "a"
        at_most = 1
        [[branch]]
        name = "no slot"
        when = { available = false, "state.open" = "yes", state.rooms.count = 2 }
        final.b = 2
        limit = []
        """
    )
    branch = contract.branches[0]
    assert branch.when == {"available": False, "state.open": "yes", "state.rooms.count": 2}
    rules = merged(contract.rules, branch.rules)
    assert rules.final is not None and rules.final.items == ((("b",), Value(2)),)
    assert (rules.limits, rules.status) == ((), contract.rules.status)
    assert check_names(contract) == ("tools_succeeded", "final_state_ok")


def test_a_table_among_the_cells_of_a_prohibition_is_a_value() -> None:
    forbids = read("[[forbid]]\ntool = 'a'\nwhen = { policy = { level = 1 }, note = '{{x}}' }").rules.forbids
    assert forbids is not None and forbids[0].when == {"policy": {"level": 1}, "note": "{x}"}


def test_branches_that_can_all_be_reached() -> None:
    text = "".join(
        f"[[branch]]\nname = '{n}'\nwhen = {{{when}}}\n"
        for n, when in enumerate(("a = 1, b = 1", "a = 1", "a = true", "a = '1'", "b = 1"))
    )
    assert len(read(text).branches) == 5


def test_layers() -> None:
    layers = read(
        """
        [[layer]]
        name = "2xx"
        group = "Request result"
        tool = "*"
        at = "result.http_status"
        between = [200, 299]
        missing = "skip"
        [[layer]]
        name = "word"
        at = "reply"
        equals = "{{x}}"
        [[layer]]
        name = "known"
        at = "reply"
        one_of = ["a", 1]
        [[layer]]
        name = "shape"
        at = "response"
        json_schema = { "$ref" = "#/$defs/b", "$defs" = { b = { type = "object", x-why = "why" } } }
        """
    ).layers
    assert [(layer.at, layer.test, layer.tool, layer.missing) for layer in layers] == [
        (("result", "http_status"), ("between", (200, 299)), "*", "skip"),
        (("reply",), ("equals", "{x}"), None, "unknown"),
        (("reply",), ("one_of", ("a", 1)), None, "unknown"),
        (
            ("response",),
            ("json_schema", {"$ref": "#/$defs/b", "$defs": {"b": {"type": "object", "x-why": "why"}}}),
            None,
            "unknown",
        ),
    ]


def test_evidence_verdict_and_runs() -> None:
    contract = read(
        """
        [runs]
        case = ["field:case_id", 'first_user_text:\\[case ([^\\]]+)\\]', "map:ids.csv"]
        trial = ["attr:session.id", "trace_id"]
        calls_as_user = "check"
        [evidence]
        required = ["bookings", "state.total"]
        redacted = ["[REDACTED]"]
        cut = ['\\.\\.\\.$']
        redact = ["*token*"]
        absence = "always"
        [verdict]
        trials = "any"
        """
    )
    assert contract.runs.case == ("field:case_id", r"first_user_text:\[case ([^\]]+)\]", "map:ids.csv")
    assert (contract.runs.trial, contract.runs.calls_as_user) == (("attr:session.id", "trace_id"), "check")
    evidence = contract.evidence
    assert evidence.required == (("bookings",), ("state", "total"))
    assert (evidence.redacted, evidence.cut) == (("[REDACTED]",), (r"\.\.\.$",))
    assert (evidence.redact, evidence.absence, contract.trials) == (("*token*",), "always", "any")


def test_a_schema_may_refer_to_itself_deeper_in_the_value() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"child": {"$ref": "#"}}}
    compare = argument('{kind = "schema", schema = {type = "object", properties = {child = {"$ref" = "#"}}}}')
    assert compare == Compare("schema", schema=schema)


def test_a_property_may_be_named_like_a_keyword() -> None:
    argument('{kind = "schema", schema = {properties = {"$ref" = {type = "string"}, typ = {}}}}')
    argument('{kind = "schema", schema = {const = {"$ref" = "https://elsewhere"}}}')
