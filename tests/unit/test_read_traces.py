"""Trace files: every line to its run, every run in step order, every line that is not used named."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard

from traceview.contract.spec import RunsSpec, ToolSpec
from traceview.jsontext import show
from traceview.model import MISSING, Problem, Run
from traceview.read.aliases import Aliases
from traceview.read.files import ChangedInput, TempFolder
from traceview.read.problems import InputError, Problems
from traceview.read.runs import RunLines, read_run
from traceview.read.sniff import first_keys, holds_events
from traceview.read.traces import RunKey, TraceFiles, TraceIndex

NONE = Aliases({})


class Read:
    """Trace files that were scanned, all their runs read again, and what was said about them."""

    def __init__(
        self,
        paths: Sequence[Path | str],
        runs: RunsSpec | None = None,
        aliases: Aliases = NONE,
        **options: Any,
    ) -> None:
        self.collected = Problems()
        names = [p if isinstance(p, str) else str(p.relative_to(Path.cwd())) for p in paths]
        self.index = TraceIndex(names, runs or RunsSpec(), self.collected, **options)
        self.progress = list(self.index.scan())
        self.runs: list[Run] = []
        for case_id in self.index.case_ids():
            for number in self.index.run_numbers(case_id):
                key = self.index.runs[number]
                run, seen = read_run(self.index.files, self.index.where(number), key, aliases)
                self.collected.extend(seen)
                self.runs.append(run)

    @property
    def run(self) -> Run:
        (run,) = self.runs
        return run

    @property
    def problems(self) -> list[Problem]:
        return self.collected.list()

    @property
    def said(self) -> list[tuple[str, int | None, str]]:
        return [(p.code, p.line, p.message) for p in self.problems]

    @property
    def keys(self) -> list[tuple[str, str | None, str | None]]:
        return [(run.case_id, run.run_id, run.trial) for run in self.runs]


Write = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(content: str | bytes | list[dict[str, Any]], name: str = "t.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            content = "".join(json.dumps(event) + "\n" for event in content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def event(case_id: Any = "A", step: Any = 1, tool: Any = "look", **more: Any) -> dict[str, Any]:
    return {"case_id": case_id, "step": step, "tool_name": tool, "arguments": {}, "status": "ok", **more}


def raw(**keys: str) -> str:
    """A line from raw JSON texts, for what ``json.dumps`` can't write."""
    members = {"case_id": '"A"', "step": "1", "tool_name": '"look"', "arguments": "{}"} | keys
    return "{" + ", ".join(f'"{key}": {text}' for key, text in members.items()) + "}\n"


# -- which run a line belongs to ---------------------------------------------------------------------------


def test_events_are_ordered_by_step_and_not_by_line(file: Write) -> None:
    read = Read([file([event(step=3, tool="save"), event(step=1, tool="open"), event(step=2, tool="edit")])])
    assert [(e.step, e.tool_name, e.source.line) for e in read.run.events] == [
        (1, "open", 2),
        (2, "edit", 3),
        (3, "save", 1),
    ]
    assert read.run.final["tool_name"] == "save"


def test_runs_of_a_case_stay_apart_and_sort_naturally_by_trial_then_run_id(file: Write) -> None:
    events = [event(trial=t, run_id=r) for t, r in [(10, "r1"), (2, "r10"), (2, "r2")]] + [
        event(run_id="r9"),
        event(),
    ]
    orders = {tuple(Read([file(list(order))]).keys) for order in itertools.permutations(events)}
    assert orders == {
        (("A", None, None), ("A", "r9", None), ("A", "r2", "2"), ("A", "r10", "2"), ("A", "r1", "10"))
    }


def test_cases_come_in_natural_order(file: Write) -> None:
    read = Read([file([event("c10"), event("c9"), event("b"), event("c09")])])
    assert read.index.case_ids() == ["b", "c09", "c9", "c10"]


@pytest.mark.parametrize(
    ("text", "case_id"),
    [
        ('"007"', "007"),
        ("7", "7"),
        ("7.0", "7.0"),
        ("1.10", "1.10"),
        ("1e3", "1e3"),
        ("0", "0"),
        ("-0", "-0"),
        ("98765432109876543210", "98765432109876543210"),
        ('"\\udcb2"', "\udcb2"),
        ('" x "', " x "),
        ("NaN", "NaN"),
    ],
)
def test_a_case_id_is_what_is_written(file: Write, text: str, case_id: str) -> None:
    assert Read([file(raw(case_id=text))]).run.case_id == case_id


def test_a_number_and_the_same_text_are_one_case(file: Write) -> None:
    read = Read([file(raw(case_id="7") + raw(case_id='"7"', step="2") + raw(case_id="7.0", step="1"))])
    assert [(run.case_id, len(run.events)) for run in read.runs] == [("7", 2), ("7.0", 1)]


def test_a_run_record_is_no_call_but_final_evidence(file: Write) -> None:
    record = {"case_id": "A", "tool_name": None, "run_outcome": "completed"}
    read = Read([file([record, event(step=1, run_outcome="open")])])
    assert [e.tool_name for e in read.run.events] == ["look"]
    assert read.run.final == record
    assert read.run.problem is None


def test_a_run_record_with_a_step_stands_where_its_step_is(file: Write) -> None:
    read = Read([file([event(step=2, tool=None, state="b"), event(step=1), event(step=3, state="c")])])
    assert ([e.step for e in read.run.events], read.run.final["state"], read.run.problem) == (
        [1, 3],
        "c",
        None,
    )


def test_a_recorded_run_without_a_call_is_a_run(file: Write) -> None:
    read = Read([file([{"case_id": "A", "tool_name": None, "run_outcome": "completed"}])])
    assert (read.run.events, read.run.final["run_outcome"], read.problems) == ((), "completed", [])


def test_several_run_records_without_a_step_say_nothing_certain(file: Write) -> None:
    records = [{"case_id": "A", "tool_name": None, "n": n} for n in (2, 1)]
    for order in (records, records[::-1]):
        read = Read([file(order)])
        assert read.run.problem == "several run records without a step stand on lines 1 and 2"
        assert read.run.final["n"] == 1


# -- steps -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([1, 2, 2, 3], "step 2 stands on lines 2 and 3"),
        ([1, 1, 1], "step 1 stands on lines 1, 2 and 3"),
        ([1, 3], "step 2 is missing before step 3 on line 2"),
        ([4, 1], "steps 2 to 3 are missing before step 4 on line 1"),
        ([2], "step 1 is missing before step 2 on line 1"),
        ([0, 2], "step on line 1 is 0, not a positive integer; step 1 is missing before step 2 on line 2"),
        ([-1, 1], "step on line 1 is -1, not a positive integer"),
        ([1.5], "step on line 1 is 1.5, not a positive integer"),
        (["x", 1], 'step on line 1 is "x", not a positive integer'),
        ([True], "step on line 1 is true, not a positive integer"),
        ([None], "step on line 1 is null, not a positive integer"),
        ([[1]], "step on line 1 is [1], not a positive integer"),
        ([" 1"], 'step on line 1 is " 1", not a positive integer'),
        (["-1"], 'step on line 1 is "-1", not a positive integer'),
    ],
)
def test_steps_that_do_not_count_make_the_run_unusable(file: Write, steps: list[Any], problem: str) -> None:
    read = Read([file([event(step=step) for step in steps] + [event("B")])])
    broken, sound = read.runs
    assert broken.problem == problem
    assert len(broken.events) == len(steps)
    assert (sound.problem, len(sound.events)) == (None, 1)
    assert {p.case_id for p in read.problems} == {"A"}


@pytest.mark.parametrize(
    ("steps", "count", "note"),
    [
        (["1", "2", "10", "3", "4", "5", "6", "7", "8", "9"], 10, 'step was "1"'),
        (["1.0"], 0, ""),
        ([1.0, 2], 2, "step was 1.0"),
        (["01"], 1, 'step was "01"'),
    ],
)
def test_steps_in_another_form_count_with_a_note(
    file: Write, steps: list[Any], count: int, note: str
) -> None:
    run = Read([file([event(step=step) for step in steps])]).run
    if not count:
        assert run.problem is not None
        return
    assert run.problem is None
    assert [e.step for e in run.events] == list(range(1, count + 1))
    assert run.events[0].notes == (note,)


@pytest.mark.parametrize("text", ["1.0", "1.00", "1e0", "10E-1"])
def test_a_whole_number_in_any_spelling_is_a_step(file: Write, text: str) -> None:
    read = Read([file(raw(step=text))])
    assert (read.run.events[0].step, read.run.problem) == (1, None)
    assert read.problems[0].code == "step_form"


def test_a_run_counted_from_zero_counts_with_a_note(file: Write) -> None:
    read = Read([file([event(step=step) for step in (1, 0, 2)])])
    assert [e.step for e in read.run.events] == [1, 2, 3]
    assert [e.fields["step"] for e in read.run.events] == [0, 1, 2]
    assert read.run.problem is None
    assert read.run.notes == ("steps counted from 0: read as counted from 1",)
    assert [p.code for p in read.problems] == ["steps_from_zero"]


# -- keys --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            '{"case_id": "A", "case_id": "A", "step": 1, "tool_name": "t"}\n',
            'key case_id stands twice on line 1: "A", then "A"',
        ),
        (
            '{"case_id": "A", "step": 1, "step": 1, "tool_name": "t"}\n',
            "key step stands twice on line 1: 1, then 1",
        ),
        (
            '{"case_id": "A", "step": 1, "tool_name": "t", "tool_name": "u"}\n',
            'key tool_name stands twice on line 1: "t", then "u"',
        ),
    ],
)
def test_a_repeated_identifying_key_makes_the_run_unusable(file: Write, text: str, values: str) -> None:
    read = Read([file(text)])
    assert read.run.problem == values
    assert read.said == [("repeated_key", 1, values)]


def test_any_other_repeated_key_is_a_warning_with_both_values(file: Write) -> None:
    read = Read([file(raw(arguments='{"amount": 40, "amount": 4000}'))])
    assert read.run.events[0].arguments == {"amount": 4000}
    assert read.run.problem is None
    (warning,) = read.problems
    assert (warning.code, warning.severity, warning.line, warning.case_id) == (
        "duplicate_key",
        "warning",
        1,
        "A",
    )
    assert warning.message == "duplicate key amount: 40, then 4000 (the last is used) (in /arguments)"


def test_a_key_repeated_inside_arguments_given_as_text_is_a_warning_too(file: Write) -> None:
    read = Read([file([event(arguments='{"a": {"k": 1, "k": 2}}')])])
    assert "duplicate key k: 1, then 2 (the last is used) (in /arguments/a)" in [
        p.message for p in read.problems
    ]


@pytest.mark.parametrize(
    ("key", "code", "problem"),
    [("step", "missing_key", "line 2 has no step"), ("tool_name", "missing_key", "line 2 has no tool_name")],
)
def test_a_key_missing_on_one_line_makes_its_run_unusable(
    file: Write, key: str, code: str, problem: str
) -> None:
    lost = event(step=2)
    del lost[key]
    read = Read([file([event(), lost, event("B")])])
    assert [(run.case_id, run.problem, len(run.events)) for run in read.runs] == [
        ("A", problem, 2),
        ("B", None, 1),
    ]
    assert read.said == [(code, 2, problem)]


def test_a_case_id_missing_on_one_line_costs_the_line(file: Write) -> None:
    lost = event()
    del lost["case_id"]
    read = Read([file([lost, event(), event(None), event([1])])])
    assert len(read.run.events) == 1
    assert read.said == [
        ("missing_case_id", 1, "no case id: case_id is (missing)"),
        ("missing_case_id", 3, "no case id: case_id is null"),
        ("missing_case_id", 4, "no case id: case_id is [1]"),
    ]
    assert read.collected.skipped == 3


@pytest.mark.parametrize("name", [7, "", {"name": "x"}, True])
def test_a_tool_name_that_is_no_name_makes_the_run_unusable(file: Write, name: Any) -> None:
    read = Read([file([event(tool=name)])])
    assert read.run.problem == f"tool_name on line 1 is {show(name)}, not a name"
    assert [p.code for p in read.problems] == ["bad_key"]


@pytest.mark.parametrize(
    ("key", "near"), [("case_id", "caseId"), ("step", "Step"), ("tool_name", "toolName")]
)
def test_a_key_that_no_line_has_is_refused_with_the_nearest(file: Write, key: str, near: str) -> None:
    lines = [{near if k == key else k: v for k, v in event(step=n).items()} for n in (1, 2)]
    with pytest.raises(InputError) as refused:
        Read([file(lines)])
    found = ", ".join(lines[0])
    assert str(refused.value).startswith(
        f"t.jsonl: no line has the key {key}; keys found: {found}; did you mean {near}?"
    )


def test_the_required_keys_may_stand_late_in_the_file(file: Write) -> None:
    lost = {"case_id": "A", "tool_name": "x"}
    read = Read([file([lost] * 100 + [event("B")])])
    assert [run.problem is None for run in read.runs] == [False, True]


# -- arguments, status and the rest of an event ------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "arguments", "state", "note"),
    [
        ({"a": 1}, {"a": 1}, "object", None),
        ({}, {}, "object", None),
        ("", {}, "object", "arguments was empty text"),
        (None, {}, "object", "arguments was null"),
        ('{"a": 1.10}', {"a": 1.1}, "object", "arguments decoded from text"),
        ("null", "null", "raw", "arguments are text that holds no JSON object"),
        ('"{}"', '"{}"', "raw", "arguments are text that holds no JSON object"),
        ("[1]", "[1]", "raw", "arguments are text that holds no JSON object"),
        (
            '{"city":"Qui',
            '{"city":"Qui',
            "raw",
            "arguments are not valid JSON: ends in the middle of a JSON value, at column 13",
        ),
        (" ", " ", "raw", "arguments are not valid JSON: no JSON value"),
        ([1], [1], "raw", "arguments are no JSON object"),
        (0, 0, "raw", "arguments are no JSON object"),
        (False, False, "raw", "arguments are no JSON object"),
        (MISSING, MISSING, "absent", None),
    ],
)
def test_arguments_are_decoded_once_and_never_repaired(
    file: Write, recorded: Any, arguments: Any, state: str, note: str | None
) -> None:
    line = event(arguments=recorded)
    if recorded is MISSING:
        del line["arguments"]
    (call,) = Read([file([line])]).run.events
    assert (call.arguments, call.args_state) == (arguments, state)
    assert type(call.arguments) is type(arguments)
    assert call.notes == ((note,) if note else ())
    assert call.fields.get("arguments", MISSING) == recorded


def test_values_come_through_to_the_last_digit(file: Write) -> None:
    text = (
        '{"id": "007", "na": "NA", "f": 0.30000000000000004, "one": 1.0, "e": 1e400,'
        ' "b": 18446744073709551616, "z": -0, "n": NaN, "s": "a\\udcb2b", "d": "2026-01-05",'
        ' "nil": null, "o": {}, "t": true}'
    )
    (call,) = Read([file(raw(arguments=text))]).run.events
    assert show(call.arguments) == text


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        ("ok", "ok"),
        ("OK ", "OK "),
        ("", ""),
        (None, None),
        (MISSING, None),
        (True, "true"),
        (200, "200"),
        (["x"], '["x"]'),
    ],
)
def test_the_status_is_the_recorded_word(file: Write, recorded: Any, status: str | None) -> None:
    line = event(status=recorded)
    if recorded is MISSING:
        del line["status"]
    (call,) = Read([file([line])]).run.events
    assert call.status == status


def test_the_whole_object_is_kept_in_its_order(file: Write) -> None:
    (call,) = Read(
        [file('{"z": 1, "case_id": "A", "tool_name": "t", "step": 1, "a": {"k": null}}\n')]
    ).run.events
    assert (
        show(dict(call.fields)) == '{"z": 1, "case_id": "A", "tool_name": "t", "step": 1, "a": {"k": null}}'
    )
    assert (call.actor, call.group, call.call_id) == ("assistant", None, None)


def test_calls_of_a_simulated_user_are_marked(file: Write) -> None:
    read = Read([file([event(actor="user", call_id=12, group="g1"), event(step=2, actor=None)])])
    assert [(e.actor, e.call_id, e.group) for e in read.run.events] == [
        ("user", "12", "g1"),
        ("assistant", None, None),
    ]


def test_an_event_that_says_so_makes_the_run_incomplete(file: Write) -> None:
    read = Read(
        [file([event(), event(step=2, complete=False), event("B", complete=True), event("C", complete=None)])]
    )
    assert [run.complete for run in read.runs] == [False, True, True]
    assert read.runs[0].incomplete_why == "line 2 says that it is incomplete (complete: false)"


def test_a_run_record_can_say_that_the_run_is_incomplete(file: Write) -> None:
    read = Read([file([event(), {"case_id": "A", "tool_name": None, "complete": False}])])
    assert not read.run.complete


def test_names_become_canonical_and_the_recorded_one_is_kept(file: Write) -> None:
    tools = {
        "reserve": ToolSpec("reserve", names=("reserve_*", "book?", "x.[a]")),
        "check": ToolSpec("check", names=("reserve_check", "*")),
        "book1": ToolSpec("book1"),
    }
    recorded = ["reserve_room", "reserve_check", "book1", "book2", "x.[a]", "x.a", "reserve", "other"]
    lines = [event(step=n, tool=name) for n, name in enumerate(recorded, 1)]
    run = Read([file(lines)], aliases=Aliases(tools)).run
    assert [e.tool_name for e in run.events] == [
        "reserve",
        "check",
        "book1",
        "reserve",
        "reserve",
        "check",
        "reserve",
        "check",
    ]
    assert [e.recorded_name for e in run.events] == recorded


# -- lines that cannot be used -----------------------------------------------------------------------------


def test_a_broken_line_is_listed_and_makes_the_run_it_names_incomplete(file: Write) -> None:
    first, last = raw(case_id='"BL-1"'), raw(case_id='"BL-2"')
    read = Read([file(first + '{"case_id":"BL-1","step":2,"tool_name":"tai\n' + last)])
    assert [(run.case_id, run.complete, run.incomplete_why) for run in read.runs] == [
        ("BL-1", False, "line 2 could not be read"),
        ("BL-2", True, None),
    ]
    (problem,) = read.problems
    assert (problem.code, problem.line, problem.case_id) == ("bad_json", 2, "BL-1")
    assert read.collected.skipped == 1


def test_a_broken_line_explains_the_gap_that_it_leaves(file: Write) -> None:
    read = Read([file(raw() + '{"case_id":"A","step":2,\n' + raw(step="3"))])
    assert (read.run.problem, read.run.complete, [e.step for e in read.run.events]) == (None, False, [1, 3])
    read = Read([file(raw() + '{"case_id":"A","step":2,\n' + raw(step="4"))])
    assert read.run.problem == "steps 2 to 3 are missing before step 4 on line 3"


def test_a_broken_line_marks_the_run_that_it_names_or_all_of_the_case(file: Write) -> None:
    runs = [event(run_id=r, trial=t) for r, t in (("r1", 1), ("r2", 1), ("r3", 2))] + [event("B")]
    lines = "".join(json.dumps(e) + "\n" for e in runs)

    def incomplete(broken: str) -> list[str | None]:
        orders = set()
        for text in (lines + broken + "\n", broken + "\n" + lines):
            read = Read([file(text)])
            orders.add(tuple(run.run_id for run in read.runs if not run.complete))
        (only,) = orders
        return list(only)

    assert incomplete('{"case_id":"A","run_id":"r2","trial":1,"x') == ["r2"]
    assert incomplete('{"case_id":"A","trial":1,"x') == ["r1", "r2"]
    assert incomplete('{"case_id":"A","run_id":"r9","x') == []
    assert incomplete('{"case_id":"A","x') == ["r1", "r2", "r3"]
    assert incomplete('{"case_id":"A') == []


def test_a_case_of_which_only_a_broken_line_is_left_has_no_run(file: Write) -> None:
    read = Read([file(raw(case_id='"LA-1"') + '{"case_id":"LA-2","step":1,"tool_name":"b","status":')])
    assert read.index.case_ids() == ["LA-1"]
    (problem,) = read.problems
    assert (problem.code, problem.severity, problem.line, problem.case_id) == (
        "incomplete_last_line",
        "error",
        2,
        "LA-2",
    )


def test_a_file_with_nothing_but_a_half_line_of_a_case_is_no_error(file: Write) -> None:
    read = Read([file('{"case_id":"LA-2","step":1,"tool_name":"b","status":')])
    assert (read.runs, [p.code for p in read.problems]) == ([], ["incomplete_last_line"])


def test_a_last_line_without_an_end_is_used_when_it_is_whole(file: Write) -> None:
    read = Read([file(raw() + raw(step="2").rstrip("\n"))])
    assert (len(read.run.events), read.problems) == (2, [])


def test_a_wrong_last_line_is_wrong_and_not_incomplete(file: Write) -> None:
    assert [p.code for p in Read([file(raw() + "oops")]).problems] == ["bad_json"]


def test_blank_lines_are_nothing_at_all(file: Write) -> None:
    read = Read([file("\n\n" + raw() + "   \n\r\n\t\n" + raw(step="2") + "\n\n")])
    assert [e.source.line for e in read.run.events] == [3, 7]
    assert (read.problems, read.collected.skipped) == ([], 0)


@pytest.mark.parametrize("text", ["[1, 2]", "7", '"x"', "null"])
def test_a_line_that_is_no_object_is_skipped(file: Write, text: str) -> None:
    read = Read([file(raw() + text + "\n")])
    assert read.said == [("not_an_object", 2, f"the line is no JSON object ({text})")]
    assert read.run.complete


def test_an_undecodable_byte_costs_its_line_wherever_it_is(file: Write) -> None:
    first = raw(result='"é"').encode()
    bad = b'  {"case_id": "A", "step": 2, "tool_name": "t", "arguments": {}, "result": "caf\xe9"}\n'
    read = Read([file(first + bad + raw(case_id='"B"').encode())])
    at = len(first) + bad.index(b"\xe9") + 1
    assert read.said == [("bad_utf8", 2, f"not valid UTF-8 at byte {at} of the file (0xe9)")]
    assert [(run.case_id, run.complete) for run in read.runs] == [("A", False), ("B", True)]


def test_two_objects_on_a_line_are_none(file: Write) -> None:
    read = Read([file(raw() + raw(step="2").rstrip("\n") + raw(step="3"))])
    assert [p.code for p in read.problems] == ["bad_json"]
    assert not read.run.complete


def test_a_line_that_nests_too_deep_is_listed(file: Write) -> None:
    read = Read([file(raw() + raw(step="2", result="[" * 100_000 + "]" * 100_000))])
    assert read.said == [("bad_json", 2, "nested deeper than 200 levels")]


# -- files of every kind -----------------------------------------------------------------------------------


def test_lines_end_at_line_feeds_only(file: Write) -> None:
    note = '{"t": "first\u2028second\u0085third\x7f"}'
    read = Read([file(raw(arguments=note).replace("\n", "\r\n") + raw(step="2"))])
    assert read.run.events[0].arguments == {"t": "first\u2028second\u0085third\x7f"}
    assert (len(read.run.events), read.problems) == (2, [])


def _utf16(text: bytes, kind: str) -> bytes:
    return ("\ufeff" + text.decode()).encode(kind)


@pytest.mark.parametrize(
    "packed",
    [
        lambda data: data,
        lambda data: b"\xef\xbb\xbf" + data,
        gzip.compress,
        lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
        lambda data: gzip.compress(b"\xef\xbb\xbf" + data),
        lambda data: zstandard.ZstdCompressor().compress(data),
        lambda data: (
            zstandard.ZstdCompressor().compress(data[:9]) + zstandard.ZstdCompressor().compress(data[9:])
        ),
        lambda data: _utf16(data, "utf-16-le"),
        lambda data: _utf16(data, "utf-16-be"),
        lambda data: zstandard.ZstdCompressor().compress(_utf16(data, "utf-16-le")),
    ],
    ids=[
        "plain",
        "bom",
        "gz",
        "gz 2",
        "bom in gz",
        "zst",
        "zst 2",
        "utf-16-le",
        "utf-16-be",
        "utf-16 in zst",
    ],
)
@pytest.mark.parametrize("array", [False, True])
def test_every_packing_and_encoding_gives_the_same_runs(
    file: Write, packed: Callable[[bytes], bytes], array: bool
) -> None:
    lines = [event(arguments={"t": "é 😀\u2028"}), event(step=2), event("B")]
    text = (
        json.dumps(lines, indent=2, ensure_ascii=False)
        if array
        else "".join(json.dumps(line, ensure_ascii=False) + "\r\n" for line in lines)
    )
    read = Read([file(packed(text.encode()))])
    assert [(run.case_id, len(run.events)) for run in read.runs] == [("A", 2), ("B", 1)]
    assert read.runs[0].events[0].arguments == {"t": "é 😀\u2028"}
    assert read.problems == []
    assert read.index.infos[0].format == ("events-json" if array else "events-jsonl")
    assert read.index.infos[0].records == 3


def test_a_pretty_printed_array_is_read_with_its_lines(file: Write) -> None:
    read = Read([file(json.dumps([event(), event(step=2)], indent=1))])
    assert [e.source.line for e in read.run.events] == [2, 9]


def test_an_array_with_odd_and_broken_items_loses_only_these(file: Write) -> None:
    items = [raw(result="NaN"), '{"case_id": "A", "step": 2, oops}', raw(step="3", result='"]}\\" , ["'), "7"]
    read = Read([file("[" + ",\n".join(items) + "\n]\n")])
    assert [e.step for e in read.run.events] == [1, 3]
    assert [p.code for p in read.problems] == ["bad_json", "not_an_object"]
    assert not read.run.complete


def test_an_array_that_breaks_off_is_used_as_far_as_it_goes(file: Write) -> None:
    read = Read([file("[" + raw() + "," + raw(step="2") + ',\n{"case_id": "A", "step": 3, "tool_na')])
    assert [e.step for e in read.run.events] == [1, 2]
    assert [p.code for p in read.problems] == ["incomplete_last_line"]
    assert not read.run.complete


def test_an_empty_array_says_that_nothing_was_recorded(file: Write) -> None:
    read = Read([file("[]\n")])
    assert (read.runs, read.problems) == ([], [])


def test_lines_whose_first_is_an_array_are_still_lines(file: Write) -> None:
    read = Read([file("[1]\n" + raw())])
    assert len(read.run.events) == 1
    assert [(p.code, p.line) for p in read.problems] == [("not_an_object", 1)]


def test_a_folder_is_one_input_of_many_files(file: Write) -> None:
    file([event("B1", step=2)], "runs/b.jsonl")
    file(gzip.compress(json.dumps(event("B1")).encode()), "runs/deep/a.jsonl.gz")
    file([event("B2")], "runs/c.ndjson")
    file("# notes", "runs/README.md")
    file([event("no")], "runs/.hidden.jsonl")
    file([event("no")], "runs/.git/x.jsonl")
    file("", "runs/empty.jsonl")
    read = Read([Path.cwd() / "runs"])
    assert [(run.case_id, [e.source.path for e in run.events]) for run in read.runs] == [
        ("B1", ["runs/deep/a.jsonl.gz", "runs/b.jsonl"]),
        ("B2", ["runs/c.ndjson"]),
    ]
    assert read.said == [("empty_file", None, "the file is empty")]
    assert [(info.path, info.records) for info in read.index.infos] == [("runs", 3)]


def test_more_compressed_files_than_may_be_open_are_read(file: Write) -> None:
    for number in range(150):
        file(gzip.compress(json.dumps(event(f"c{number}")).encode()), f"runs/{number}.jsonl.gz")
    read = Read([Path.cwd() / "runs"])
    assert [run.case_id for run in read.runs] == [f"c{number}" for number in range(150)]


def test_lines_of_a_run_in_several_files_are_named_with_their_file(file: Write) -> None:
    paths = [file([event()], "a.jsonl"), file([event("B"), event()], "b.jsonl")]
    for order in (paths, paths[::-1]):
        assert Read(order).runs[0].problem == "step 1 stands on lines 1 of a.jsonl and 2 of b.jsonl"


def test_files_elsewhere_are_shown_by_their_name_alone(
    file: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = file([event()])
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert Read([str(path)]).run.events[0].source.path == "t.jsonl"


def test_standard_input_is_read_once_and_can_be_looked_at_again(
    file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = os.pipe()
    os.write(writer, (raw() + raw(step="2")).encode())
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
        read = Read(["-"])
    assert (len(read.run.events), read.run.events[0].source.path) == (2, "-")
    assert read.index.infos[0].path == "-"


def test_standard_input_from_a_file_is_read_from_where_it_stands(
    file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    with file(raw() + raw(step="2")).open("rb") as source:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(source))
        assert len(Read(["-"]).run.events) == 2


def test_standard_input_can_be_only_one_input(file: Write) -> None:
    with pytest.raises(InputError, match="more than one input"):
        Read(["-", "-"])


def test_the_same_file_twice_is_refused(file: Write) -> None:
    path = file([event()])
    with pytest.raises(InputError, match=r"t\.jsonl: is the same file as \./t\.jsonl; give it once"):
        Read(["./t.jsonl", path])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.jsonl: is empty; expected events"),
        (b"\n \n", "t.jsonl: is empty; expected events"),
        (b"case_id,title\nA,x\n", "it looks like a table of cases: are the two files swapped?"),
        (
            b"hello\n",
            "t.jsonl: none of its lines is an event: line 1 is no JSON (expecting value at column 1)",
        ),
        (b"{}\n", "t.jsonl: none of its lines is an event: its objects are empty"),
        (b'{\n "runs": []\n}\n', "t.jsonl: none of its lines is an event: line 1 is no JSON"),
        (b"[1, 2]", "t.jsonl: none of its lines is an event: line 1 is JSON, but no object"),
        (b"PK\x03\x04" + bytes(50), "t.jsonl: is a zip archive or a spreadsheet (.xlsx); expected events"),
        (gzip.compress(b"x" * 5000)[:-9], "t.jsonl: the gzip data is damaged or cut off"),
        (
            zstandard.ZstdCompressor().compress(b"x y\n" * 5000)[:-2],
            "t.jsonl: the zstd data is damaged or cut off",
        ),
        (gzip.compress(b"\x00\x01\x02" * 50), "t.jsonl: not text (it holds NUL bytes); expected events"),
    ],
    ids=[
        "empty",
        "blank",
        "table",
        "text",
        "empty object",
        "one object",
        "array of numbers",
        "spreadsheet",
        "cut gz",
        "cut zst",
        "binary in gz",
    ],
)
def test_a_file_that_holds_no_events_is_refused_in_one_line(
    file: Write, content: bytes, message: str
) -> None:
    with pytest.raises(InputError) as refused:
        Read([file(content)])
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_paths_that_cannot_be_read_are_refused_in_one_line(file: Write, tmp_path: Path) -> None:
    file([event()], "traces.jsonl")
    (tmp_path / "folder").mkdir()
    for path, message in [
        ("trace.jsonl", "trace.jsonl: no such file; expected events"),
        ("trace.jsonl", "did you mean traces.jsonl?"),
        ("traces.jsonl/x", "traces.jsonl/x: cannot be opened (Not a directory)"),
        ("folder", "folder: a folder without trace files; expected names that end in .jsonl, .ndjson, .json"),
        ("a\0b", "cannot be opened (embedded null byte)"),
    ]:
        with pytest.raises(InputError) as refused:
            Read([path])
        assert message in str(refused.value)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="modes do not bind root")
def test_a_file_that_may_not_be_read_is_refused_in_one_line(file: Write) -> None:
    path = file([event()])
    path.chmod(0)
    with pytest.raises(InputError, match=r"t\.jsonl: may not be read \(permission denied\); expected events"):
        Read([path])


def test_progress_reaches_its_end(file: Write) -> None:
    events = [event(f"c{n}", result="x" * 10_000) for n in range(300)]
    data = "".join(json.dumps(e) + "\n" for e in events).encode()
    for content in (data, gzip.compress(data)):
        progress = Read([file(content)]).progress
        assert len(progress) > 2
        assert progress == sorted(progress)
        assert progress[-1][0] == progress[-1][1]


def test_the_first_object_of_a_file_tells_what_it_is(file: Write) -> None:
    text = json.dumps([event(), event(step=2)], indent=1)
    for content in (
        text,
        raw(),
        "\n" + raw(),
        gzip.compress(raw().encode()),
        ("\ufeff" + raw()).encode("utf-16-le"),
    ):
        path = str(file(content))
        assert (first_keys(path) or ())[:4] == ("case_id", "step", "tool_name", "arguments")
        assert holds_events(path)
    for content in ("case_id,title\nA,x\n", "{oops", "[]", "[1]", ""):
        assert first_keys(str(file(content))) is None


# -- [runs] ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "keys"),
    [
        ("field:ticket", {"ticket": "X"}),
        ("field:task.id", {"task": {"id": "X"}}),
        ("field:task.id", {"task.id": "X"}),
        ("attr:test.case.name", {"attributes": {"test.case.name": "X"}}),
        ("meta:case", {"metadata": {"suite.case": "X"}}),
        ("meta:case", {"params": {}, "_meta": {"a": {"case": "X"}}}),
        ("meta:case", {"traceloop.association.properties.case": "X"}),
        ("trace_id", {"trace_id": "X"}),
        (r"file:^(\w)\.t", {}),
        (r"file:X", {}),
        ("map:ids.csv", {"trace_id": "t-1"}),
        ("map:ids.csv", {"run_id": "r-1"}),
    ],
)
def test_rules_find_the_case_of_a_run(file: Write, tmp_path: Path, rule: str, keys: dict[str, Any]) -> None:
    file("recorded,case_id\nt-1,X\nr-1,X\n", "ids.csv")
    line = {"step": 1, "tool_name": "t"} | keys
    read = Read([file([line], "X.t.jsonl")], RunsSpec(case=("field:nothing", rule)), folder=str(tmp_path))
    assert [run.case_id for run in read.runs] == ["X"]


def test_rules_come_before_the_native_keys_and_what_matches_nothing_is_unlinked(file: Write) -> None:
    lines = [event("own", ticket="X", n=1, attempt=3), event("own"), {"step": 1, "tool_name": "t"}]
    read = Read([file(lines)], RunsSpec(case=("field:ticket",), trial=("field:attempt",)))
    assert read.keys == [("X", None, "3"), ("own", None, None)]
    assert read.said == [("unlinked", 3, "no rule of [runs] gives this event a case (tried field:ticket)")]
    assert read.collected.skipped == 1


def test_the_native_key_as_first_rule_is_the_native_reading(file: Write) -> None:
    lines = [event("A", ticket="X"), {"ticket": "X", "step": 1, "tool_name": "t"}]
    read = Read([file(lines)], RunsSpec(case=("field:case_id", "field:ticket")))
    assert read.keys == [("A", None, None), ("X", None, None)]


def test_a_missing_map_file_is_an_error(file: Write) -> None:
    with pytest.raises(InputError, match=r"none\.csv: the file of \[runs\] map:none\.csv cannot be read"):
        Read([file([event()])], RunsSpec(case=("map:none.csv",)))


# -- looking again, also from another process --------------------------------------------------------------


def _again(read: Read, files: TraceFiles | None = None) -> Run:
    number = read.index.run_numbers("A")[0]
    return read_run(files or read.index.files, read.index.where(number), read.index.runs[number], NONE)[0]


def test_another_process_reads_the_same_runs(file: Write) -> None:
    read = Read([file([event(), event(step=2)]), file([event(step=3)], "u.jsonl")])
    files = TraceFiles(pickle.loads(pickle.dumps(read.index.files.parts)))
    assert _again(read, files) == read.run


def test_lines_that_were_read_ahead_are_those_of_the_file(
    file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [event(case, step, note="x" * 40 * step) for step in (1, 2, 3) for case in "ABC"]
    read = Read([file(lines), file([event("D"), event("E")], "u.jsonl")])
    places = {key.case_id: read.index.places(number)[0] for number, key in enumerate(read.index.runs)}
    files = read.index.files
    plain = {case: files.lines(found) for case, found in places.items()}
    behind = [place for case in "ABC" for place in places[case]]
    for found in (*places.values(), behind[:1], sorted(behind), behind, []):
        assert files.joined(found) == b"".join(files.lines(found))
    reads: list[int] = []
    pread = os.pread

    def counted(handle: int, length: int, offset: int) -> bytes:
        reads.append(length)
        return pread(handle, length, offset)

    monkeypatch.setattr(os, "pread", counted)
    files.read_ahead([places["A"], places["B"]])
    assert len(reads) == 1, "once for all of them"
    assert files.lines(places["A"]) == plain["A"] and files.lines(places["B"]) == plain["B"]
    assert len(reads) == 1
    assert files.lines(places["C"]) == plain["C"], "its last line stands behind what was read"
    assert files.lines(places["D"]) == plain["D"], "another file"
    assert files.joined(sorted(behind)[:5]) == b"".join(files.lines(sorted(behind)[:5]))
    files.read_ahead([places["A"], places["D"]])
    assert {case: files.lines(found) for case, found in places.items()} == plain
    files.read_ahead([places["A"], places["B"]])
    files.read_ahead(())
    before = len(reads)
    files.lines(places["A"])
    assert len(reads) > before, "nothing is held any more"


def test_of_several_files_the_one_that_changed_is_named(file: Write) -> None:
    second = file([event(step=2)], "u.jsonl")
    read = Read([file([event()]), second])
    places, broken = read.index.places(0)
    Path(second).write_bytes(b"x" * Path(second).stat().st_size)
    with pytest.raises(ChangedInput, match=r"^u\.jsonl was rewritten"):
        RunLines(read.index.files, places, broken, read.index.runs[0], NONE)


def test_a_copy_made_by_a_child_is_read_by_its_parent(file: Write) -> None:
    folder = TempFolder()
    read = Read([file(gzip.compress(raw().encode()))], temp_folder=folder.path)
    files = TraceFiles(pickle.loads(pickle.dumps(read.index.files.parts)))
    copies = list(Path(folder.path).iterdir())
    folder.close()
    assert len(copies) == 1 and not Path(folder.path).exists()
    assert _again(read, files) == read.run


def test_a_copy_that_is_gone_is_said_to_be_gone(file: Write) -> None:
    read = Read([file(gzip.compress(raw().encode()))])
    with pytest.raises(ChangedInput, match="a temporary copy, which is gone"):
        _again(read, TraceFiles(read.index.files.parts))


def test_copies_leave_nothing_behind(file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    read = Read([file(gzip.compress(raw().encode()))])
    assert list((tmp_path / "tmp").iterdir()) == []
    assert _again(read) == read.run


def test_a_file_that_grew_is_still_what_was_read(file: Write) -> None:
    path = file(raw())
    read = Read([path])
    with path.open("a") as more:
        more.write(raw(step="2"))
    assert _again(read) == read.run


def _rewrite(path: Path) -> None:
    text = path.read_text().replace("look", "LOOK")
    with path.open("r+") as same:
        same.write(text)
    os.utime(path, ns=(1, 1))


def _replace(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.unlink(), "t.jsonl is gone since it was read; reload"),
        (lambda path: os.truncate(path, 10), "t.jsonl was shortened since it was read; reload"),
        (_replace, "t.jsonl was replaced since it was read; reload"),
        (_rewrite, "t.jsonl was rewritten since it was read; reload"),
    ],
)
def test_a_file_that_is_no_longer_what_was_read_is_noticed(
    file: Write, change: Callable[[Path], None], message: str
) -> None:
    path = file(raw() + raw(step="2"))
    read = Read([path])
    change(path)
    for files in (None, TraceFiles(read.index.files.parts)):
        with pytest.raises(ChangedInput) as changed:
            _again(read, files)
        if files is None:
            assert str(changed.value) == message


def test_the_keys_of_runs_are_plain(file: Write) -> None:
    read = Read([file([event(trial=3)])])
    assert read.index.runs == [RunKey("A", None, "3")]
