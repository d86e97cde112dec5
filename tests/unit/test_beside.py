"""One run beside that of a baseline: which step was which, and what was different in it."""

from __future__ import annotations

from typing import Any

from details import detail, event
from judging import call, case, contract, run
from traceview.evaluate.beside import with_baseline
from traceview.evaluate.detail import ALIKE, Detail, StepRow
from traceview.evaluate.explain import explain
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Event
from traceview.tui.signs import UNICODE
from traceview.tui.timeline_lines import Document

EVALUATOR = Evaluator(
    contract(
        """
[tools.look]
effect = "read"
[tools.book]
effect = "write"
[order]
mode = "in_order"
extra = "any"
[[step]]
tool = "look"
args = { when = "monday", room = { size = 4, view = true } }
[[step]]
tool = "book"
args = { id = 7 }
[status]
ok = ["ok"]
"""
    )
)
RIGHT = {"when": "monday", "room": {"size": 4, "view": True}}


def explained(*calls: Event) -> Detail:
    return explain(EVALUATOR, case(), "", run(*calls))


def beside(now: Detail, before: Detail) -> list[tuple[Any, ...]]:
    """Of each step: tool, state, what is said of the baseline, the values it had."""
    return [
        (
            row.event.tool_name if row.event is not None else row.expected_tool,
            row.state,
            row.before,
            {diff.path: diff.before for diff in row.diffs if diff.before is not ALIKE},
        )
        for row in with_baseline(now, before).rows
    ]


def test_the_same_run_says_nothing_of_its_baseline() -> None:
    for calls in (
        [call("look", RIGHT), call("book", {"id": 7})],
        [call("look", {"when": "friday"}), call("ask", {"a": [1]}, None), call("book", MISSING)],
        [call("book", "raw"), call("book", {"id": 7}, "error")],
        [],
    ):
        one = explained(*calls)
        assert with_baseline(one, explained(*calls)) == one


def test_values_that_were_others() -> None:
    now = explained(call("look", {"when": "friday", "room": RIGHT["room"]}), call("book", {"id": 8}))
    before = explained(call("look", RIGHT), call("book", {"id": 9, "note": "x"}))
    assert beside(now, before) == [
        ("look", "changed", "baseline matched", {"/when": "monday"}),
        ("book", "changed", "baseline 2 differences", {"/id": 9, "/note": "x"}),
    ]
    assert beside(before, now) == [
        ("look", "matched", "baseline 1 difference", {"/when": "friday"}),
        ("book", "changed", "baseline 1 difference", {"/id": 8, "/note": MISSING}),
    ]


def test_what_is_equal_now_and_was_not_is_told_where_it_differed() -> None:
    before = explained(call("look", {"when": "monday", "room": {"size": 5, "view": True}}), call("book", {}))
    now = explained(call("look", RIGHT), call("book", {"id": 7}))
    assert beside(now, before) == [
        ("look", "matched", "baseline 1 difference", {"/room/size": 5}),
        ("book", "matched", "baseline 1 difference", {"/id": MISSING}),
    ]
    text = "\n".join(lines(with_baseline(now, before)))
    assert "expected 4" in text and "baseline 5" in text and "observed 4" in text


def test_calls_that_one_side_did_not_make() -> None:
    now = explained(call("look", RIGHT), call("ask", {"q": 1}))
    before = explained(call("wait", {"s": 2}), call("look", RIGHT), call("book", {"id": 7}))
    assert beside(now, before) == [
        ("wait", "gone", "only in the baseline, as step 1", {"/s": 2}),
        ("look", "matched", "", {}),
        ("book", "missing", "made in the baseline", {"/id": 7}),
        ("ask", "uncompared", "not made in the baseline", {}),
    ]
    assert beside(before, now) == [
        ("wait", "uncompared", "not made in the baseline", {}),
        ("look", "matched", "", {}),
        ("book", "matched", "missing in the baseline", {}),
        ("ask", "gone", "only in the baseline, as step 2", {"/q": 1}),
    ]


def test_calls_of_a_tool_that_no_step_expects_go_by_their_number() -> None:
    now = explained(
        call("look", RIGHT), call("ask", {"q": 1}), call("ask", {"q": 2}), call("book", {"id": 7})
    )
    before = explained(
        call("look", RIGHT), call("ask", {"q": 1}), call("ask", {"q": 3}), call("book", {"id": 7})
    )
    assert [row[3] for row in beside(now, before)] == [{}, {}, {"/q": 3}, {}]


def test_statuses_and_state_and_not_times() -> None:
    now = explained(call("look", RIGHT, "error", error="full", started_at="9"), call("book", {"id": 7}))
    before = explained(call("look", RIGHT, started_at="8", state_after="seen"), call("book", {"id": 7}))
    (look, book) = with_baseline(now, before).rows
    assert dict(look.fields_before) == {"status": "ok", "error": MISSING, "state_after": "seen"}
    assert book.fields_before == ()
    text = "\n".join(lines(with_baseline(now, before)))
    assert "status, baseline" in text and "started_at, baseline" not in text


def test_every_step_of_both_sides_is_there_once() -> None:
    def row(step: int, tool: str) -> StepRow:
        return StepRow("uncompared", event(step, tool, {"n": step}), None, None, (), ())

    now = detail(tuple(row(i, "abc"[i % 3]) for i in range(1, 8)))
    before = detail(tuple(row(i, "bcd"[i % 3]) for i in range(1, 9)))
    rows = with_baseline(now, before).rows
    assert [row.event for row in rows if row.event is not None] == list(now.run.events)
    gone = [row for row in rows if row.state == "gone"]
    kept = [row for row in rows if row.state != "gone" and row.before != "not made in the baseline"]
    assert len(gone) + len(kept) == len(before.rows)


def lines(opened: Detail, width: int = 110) -> list[str]:
    document = Document(opened, width, UNICODE)
    document.toggle_all()
    return ["".join(text for text, _ in document.line(y)) for y in range(document.line_count)]


def test_three_values_stand_on_one_line_where_they_fit() -> None:
    now = explained(call("look", {"when": "friday", "room": RIGHT["room"]}), call("book", {"id": 7}))
    before = explained(call("look", {"when": "sunday", "room": RIGHT["room"]}), call("book", {"id": 7}))
    opened = with_baseline(now, before)
    assert any(
        line.split()[1:] == ["when", *["expected", "monday", "baseline", "sunday", "observed", "friday"]]
        for line in lines(opened)
    )
    narrow = [line.strip() for line in lines(opened, 40)]
    at = narrow.index("expected monday")
    assert narrow[at : at + 3] == ["expected monday", "baseline sunday", "observed friday"]


def test_an_equal_value_keeps_the_form_in_which_it_was_expected() -> None:
    now = explained(call("look", {"room": {"view": True, "size": 4.0}, "when": "monday"}))
    then = explained(call("look", {"when": "friday", "room": {"size": 5, "view": True}}))
    (row, *_) = with_baseline(now, then).rows
    assert [(d.path, d.state, repr(d.expected), repr(d.observed), d.before) for d in row.diffs] == [
        ("/when", "same", "'monday'", "'monday'", "friday"),
        ("/room/view", "same", "True", "True", ALIKE),
        ("/room/size", "same", "4", "4.0", 5),
    ]
