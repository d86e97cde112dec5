"""A run explained: its calls beside the expected ones, with what is said of each."""

from __future__ import annotations

import json

from judging import call, case, contract, run
from traceview.evaluate.detail import Detail, Diff, as_recorded, spread
from traceview.evaluate.explain import explain
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Event, Run

TEXT = """
[tools.look]
effect = "read"
args = { at = { kind = "number", abs = 1 }, note = "ignore" }
[order]
mode = "exact"
[[step]]
tool = "look"
args = { x = 1, at = 5 }
[[step]]
tool = "book"
args = { room = "{room}" }
[[step]]
tool = "tell"
[status]
ok = ["ok"]
[final]
state.n = 1
"""


def explained(recorded: Run, text: str = TEXT, **cells: str) -> Detail:
    one = case(room="R1", **cells)
    evaluator = Evaluator(contract(text))
    detail = explain(evaluator, one, "A title", recorded)
    assert detail.result == evaluator.judge(one, recorded)
    return detail


def rows(detail: Detail) -> list[tuple[str, int | None, int | None, str | None]]:
    """State, step of the call, place and tool of the expected call of each row."""
    return [
        (r.state, r.event.step if r.event is not None else None, r.expected_step, r.expected_tool)
        for r in detail.rows
    ]


LOOK = call("look", {"at": 6, "x": 1, "note": "n"})
BOOK, TELL = call("book", {"room": "R1"}), call("tell", {"any": 1})


def test_a_run_that_keeps_everything() -> None:
    detail = explained(run(LOOK, BOOK, TELL, final={"state": {"n": 1}}))
    assert rows(detail) == [
        ("matched", 1, 1, "look"),
        ("matched", 2, 2, "book"),
        ("matched", 3, 3, "tell"),
    ]
    assert [(d.path, d.state) for d in detail.rows[0].diffs] == [
        ("/x", "same"),
        ("/at", "forgiven"),
        ("/note", "ignored"),
    ]
    told = detail.rows[2]
    assert told.event is not None and told.diffs == ()
    assert list(spread(as_recorded(told.event))) == [Diff("/any", "uncompared", MISSING, 1)]
    assert [(d.path, d.state) for d in detail.final] == [("/state/n", "same")]
    assert detail.findings == () and not any(row.failing for row in detail.rows)


def test_equal_arguments_are_told_key_by_key_in_the_order_of_the_expected_ones() -> None:
    text = '[order]\nmode = "exact"\n[[step]]\ntool = "book"\nargs = { room = "R1", who = { a = 1, b = 2 } }'
    (row,) = explained(run(call("book", {"who": {"b": 2, "a": 1.0}, "room": "R1"})), text).rows
    assert (row.state, len(row.diffs)) == ("matched", 1)
    assert [(d.path, d.state, d.expected, d.observed) for d in spread(row.diffs)] == [
        ("/room", "same", "R1", "R1"),
        ("/who", "same", {"a": 1, "b": 2}, {"b": 2, "a": 1.0}),
    ]


def test_differences_and_findings_stand_at_their_step() -> None:
    detail = explained(run(LOOK, call("book", {"room": "R2", "by": 1}, "error"), TELL, final={"state": {}}))
    row = detail.rows[1]
    assert (row.state, row.failing) == ("changed", True)
    assert [(d.path, d.state, d.expected, d.observed) for d in row.diffs] == [
        ("/room", "changed", "R1", "R2"),
        ("/by", "unexpected", MISSING, 1),
    ]
    assert [(f.check, f.path) for f in row.findings] == [
        ("arguments_ok", "/room"),
        ("arguments_ok", "/by"),
        ("tools_succeeded", None),
    ]
    assert [(f.check, f.path) for f in detail.findings] == [("final_state_ok", "/state/n")]


def test_calls_out_of_place() -> None:
    detail = explained(run(BOOK, LOOK, TELL, TELL, call("drop", {})))
    assert rows(detail) == [
        ("moved", 1, 2, "book"),
        ("matched", 2, 1, "look"),
        ("matched", 3, 3, "tell"),
        ("repeated", 4, None, None),
        ("extra", 5, None, None),
    ]


def test_expected_calls_that_were_not_made_stand_where_they_should_have_been() -> None:
    detail = explained(run(LOOK, TELL))
    assert rows(detail) == [
        ("matched", 1, 1, "look"),
        ("missing", None, 2, "book"),
        ("matched", 2, 3, "tell"),
    ]
    missing = detail.rows[1]
    assert missing.diffs == (Diff("/room", "missing", "R1", MISSING),)
    assert [f.kind for f in missing.findings] == ["missing_call"]
    assert missing.failing
    assert rows(explained(run(TELL)))[:2] == [("missing", None, 1, "look"), ("missing", None, 2, "book")]
    nothing = explained(run(call(None, state={"n": 1})))
    assert [row.state for row in nothing.rows] == ["missing"] * 3


def test_a_call_without_a_partner_beside_the_nearest() -> None:
    detail = explained(run(LOOK, BOOK, call("book", {"room": "R9"}), TELL))
    row = detail.rows[2]
    assert (row.state, row.expected_step) == ("repeated", None)
    assert [(d.path, d.expected, d.observed) for d in row.diffs] == [("/room", "R1", "R9")]


def test_calls_that_may_be_missing_are_not_shown_as_missing() -> None:
    text = TEXT.replace('mode = "exact"', 'mode = "any"\nmissing = "allow"')
    assert [row.state for row in explained(run(LOOK), text).rows] == ["matched"]


def test_a_run_that_can_not_be_judged_shows_its_calls() -> None:
    broken = Run("C1", None, None, run(LOOK, BOOK).events, {}, problem="step 2 stands twice")
    detail = explained(broken)
    assert [row.state for row in detail.rows] == ["uncompared", "uncompared"]
    assert detail.result.verdict == "unusable"


def test_calls_of_a_user_are_shown() -> None:
    user = call("tap", {"x": 1}, actor="user")
    detail = explained(run(LOOK, user, BOOK, TELL))
    assert [row.state for row in detail.rows] == ["matched", "uncompared", "matched", "matched"]


def test_arguments_that_were_not_captured_or_are_no_object() -> None:
    detail = explained(run(call("look"), call("book", "{"), TELL))
    assert [(d.path, d.state) for d in detail.rows[0].diffs] == [("", "unknown")]
    assert [(d.path, d.state, d.observed) for d in detail.rows[1].diffs] == [("", "changed", "{")]
    assert detail.rows[0].state == "matched" and not detail.rows[0].failing


def test_what_is_known_of_the_run_in_words() -> None:
    events = (LOOK, call("book"), call("tell", {}, None))
    detail = explained(run(*events, complete=False))
    assert dict(detail.evidence) == {
        "arguments": "captured for 2 of 3 calls",
        "statuses": "known for 2 of 3 calls",
        "state": "not recorded",
        "complete": "no: part of it is lost",
    }


def test_the_branch_that_applied() -> None:
    text = '[[branch]]\nname = "open"\nwhen = { open = true }\nfinal.n = 1\n'
    assert explained(run(call("a", {}, open=True, n=1)), text).branch == "open"
    assert explained(run(call("a", {}, n=1)), text).branch is None


def test_long_runs_are_explained() -> None:
    size = 5000
    text = '[cases]\ncolumns = { actions = "json" }\n[[steps_from]]\ncolumn = "actions"\n'
    actions = json.dumps([{"tool": f"t{i % 7}", "args": {"i": i}} for i in range(size)])
    half: list[Event] = [call(f"t{i % 7}", {"i": i}) for i in range(0, size, 2)]
    detail = explained(run(*half), text, actions=actions)
    assert len(detail.rows) == size
    assert sum(row.state == "missing" for row in detail.rows) == size // 2


REPEATED = """
[order]
mode = "exact"
[[step]]
tool = "a"
args = { x = 1 }
[[step]]
tool = "b"
[[step]]
tool = "a"
args = { x = 1 }
[[step]]
tool = "c"
"""


def test_what_the_order_says_is_missing_is_the_step_without_a_call() -> None:
    detail = explained(run(call("b", {}), call("a", {"x": 1}), call("c", {})), REPEATED)
    assert rows(detail) == [
        ("missing", None, 1, "a"),
        ("matched", 1, 2, "b"),
        ("matched", 2, 3, "a"),
        ("matched", 3, 4, "c"),
    ]
    assert [f.message.partition(";")[0] for f in detail.rows[0].findings] == [
        "a was not called (expected as call 1)"
    ]
    assert detail.findings == ()


def test_a_missing_call_is_told_where_a_step_has_none_even_if_the_arguments_say_another() -> None:
    text = REPEATED.replace('x = 1 }\n[[step]]\ntool = "c"', 'x = 2 }\n[[step]]\ntool = "c"')
    detail = explained(run(call("b", {}), call("a", {"x": 1}), call("c", {})), text)
    assert rows(detail)[-2:] == [("missing", None, 3, "a"), ("matched", 3, 4, "c")]
    assert [f.kind for f in detail.rows[-2].findings] == ["missing_call"] and detail.findings == ()
