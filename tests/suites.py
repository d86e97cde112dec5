"""What Hypothesis draws to judge: contracts as text, runs as recorded objects, and evidence taken away."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from traceview.contract.toml import parse
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Case, Event, Run, Source

READS, WRITES = ("look", "find"), ("book", "pay")
MARKS = tuple(f"[gone {number}]" for number in range(12))

TOOLS = """
[tools.look]
effect = "read"
[tools.find]
effect = "read"
extra_args = "ignore"
[tools.book]
identity = ["x"]
args = { when = "instant", tags = "set", note = "ignore" }
[tools.pay]
args = { sum = { kind = "number", abs = 0.5 }, who = "iequals", info = { kind = "json", then = "subset" } }
"""

# What a step may expect of its arguments, in TOML, and arguments that meet it.
EXPECTED_ARGS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "look": [
        ("", {"x": 2}),
        ("args = {}", {}),
        ("args = { x = 1 }", {"x": 1.0}),
        ('args = { x = "{n}" }', {"x": 1}),
        ('args = { x = "{gap}" }', {}),
    ],
    "find": [
        ("", {}),
        ("args = { x = 1 }", {"x": 1, "y": "b"}),
        ('args = { y = { kind = "regex", pattern = "a+" } }', {"y": "a"}),
    ],
    "book": [
        ("", {"x": 1}),
        ("args = { x = 1 }", {"x": 1, "note": 1}),
        ("args = { x = 2 }", {"x": 2}),
        ('args = { x = 1, when = "2031-04-07T09:30:00+02:00" }', {"x": 1, "when": "2031-04-07T07:30:00Z"}),
        ('args = { x = 1, tags = ["a", "b"] }', {"x": 1, "tags": ["b", "a"]}),
        (
            'args.x = { kind = "any", of = [{ kind = "equals", value = 1 }, { kind = "len", min = 1 }] }',
            {"x": "1"},
        ),
        ('args = { x = { kind = "not", of = { kind = "equals", value = 2 } } }', {"x": 1}),
        (
            'args = { deep = { kind = "subset", value = { a = { b = 1 } } } }',
            {"deep": {"a": {"b": 1, "c": 2}}},
        ),
        (
            'args = { deep = { kind = "schema", schema = { type = "object", required = ["a"] } } }',
            {"deep": {"a": 1}},
        ),
    ],
    "pay": [
        ("", {}),
        ("args = { sum = 3 }", {"sum": 3.25}),
        ('args = { sum = "{n}", who = "Ann" }', {"sum": 1, "who": "ann"}),
        ('args = { id = "{step.s0.result.id}" }', {"id": "R1"}),
        ('args = { id = "no {step.s0.result.id}" }', {"id": "no R1"}),
        ("args = { info = { a = 1 } }", {"info": '{"a": 1, "b": 2}'}),
        ('args = { tags = { kind = "contains", value = ["a"] } }', {"tags": ["a", "c"]}),
        ('args = { tags = { kind = "bag", value = ["a", "a", "b"] } }', {"tags": ["a", "b", "a"]}),
    ],
}

values = st.sampled_from([1, 2, 1.0, True, None, "1", "a", "aa", ["a"], {"a": 1}])
_ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "x": st.sampled_from([1, 1, 1, 2, "1"]),
    "y": st.sampled_from(["a", "b"]),
    "when": st.sampled_from(["2031-04-07T09:30:00+02:00", "2031-04-07T07:30:00Z", "2031-04-07T07:30:00"]),
    "tags": st.sampled_from([["a", "b"], ["b", "a"], ["a", "b", "a"], ["a"], "a"]),
    "sum": st.sampled_from([3, 3.25, 4, "3"]),
    "who": st.sampled_from(["Ann", "ann", "Bob"]),
    "id": st.sampled_from(["R1", "R2", "no R1"]),
    "info": st.sampled_from(['{"a": 1, "b": 2}', '{"a": 2}', '{"a": 1']),
    "deep": st.sampled_from([{"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, {"a": {"b": 2}}, {"c": 1}]),
    "note": values,
}
_OF_TOOL = {
    "look": ("x", "y"),
    "find": ("x", "y"),
    "book": ("x", "when", "tags", "deep", "note"),
    "pay": ("sum", "who", "id", "info", "tags"),
}


Recorded = dict[str, Any]


class Drawn(NamedTuple):
    """A contract as text, and calls that keep its steps."""

    text: str
    right: list[Recorded]


@st.composite
def contracts(draw: st.DrawFn, *, marks: bool = True) -> Drawn:
    """A contract of some sections over the four tools, with calls that keep its steps. ``marks``: it names
    what stands for redacted and cut values."""
    parts = ['contract = 1\nname = "t"\n[cases]\nid = "case_id"\ncolumns = { n = "int" }', TOOLS]
    if marks:
        parts.append(f'[evidence]\nredacted = {json.dumps(MARKS)}\ncut = ["\\\\.\\\\.\\\\.$"]')
        if draw(st.integers(0, 9)) == 0:
            parts.append('required = ["state_after"]')
    mode = draw(st.sampled_from(["exact", "in_order", "partial", "any"]))
    steps = draw(st.lists(st.sampled_from([*READS, *WRITES]), max_size=4))
    if draw(st.integers(0, 5)):
        parts.append(f'[order]\nmode = "{mode}"')
        if mode != "exact":
            parts.append(f'missing = "{draw(st.sampled_from(["fail", "allow"]))}"')
            parts.append(
                f"extra = {draw(st.sampled_from(['none', 'reads', 'any', ['pay']]))!r}".replace("'", '"')
            )
        elif draw(st.integers(0, 4)) == 0:
            parts.append('accept = [["look", "book"], ["book"], ["look", "book", "pay"]]')
        if draw(st.integers(0, 4)) == 0:
            parts.append('calls = "ok"')
    right: list[Recorded] = []
    for number, tool in enumerate(steps):
        args, meeting = draw(st.sampled_from(EXPECTED_ARGS[tool]))
        if number == 0 and "step.s0" in args:
            args = ""
        right.append(_right_call(tool, meeting))
        parts.append(f'[[step]]\nid = "s{number}"\ntool = "{tool}"\n{args}')
        if number and mode in ("partial", "any") and draw(st.booleans()):
            parts.append(f'after = ["s{draw(st.integers(0, number - 1))}"]')
    for section in draw(st.lists(st.sampled_from(SECTIONS), max_size=4, unique_by=_heading)):
        if "before = " not in section or steps:
            parts.append(section)
    if draw(st.integers(0, 5)) == 0:
        parts.append('[[branch]]\nname = "b"\nwhen = { run_outcome = "done", "state_after.n" = 1 }')
        parts.append('[[branch]]\nname = "c"\nwhen = { run_outcome = "done" }\nfinal.state_after.n = 2')
    return Drawn("\n".join(parts) + "\n", right)


def _right_call(tool: str, arguments: dict[str, Any]) -> Recorded:
    return {
        "tool_name": tool,
        "arguments": arguments,
        "status": "ok",
        "result": {"id": "R1"},
        "state_after": {"n": 1},
        "run_outcome": "done",
    }


def _heading(section: str) -> str:
    """What can stand once: the heading of a table, or the whole item of a list."""
    return section if section.startswith("[[") else section.split("]")[0]


SECTIONS = [
    '[status]\nok = ["ok"]',
    '[status]\nok = ["ok"]\nretries = "allow"',
    '[status]\nok = ["ok"]\nerror_text = ["^Error"]',
    '[final]\nrun_outcome = "done"',
    "[final]\nstate_after.n = 1",
    '[final]\nrun_outcome = "done"\nstate_after.n = { kind = "number", value = 1, abs = 1 }',
    '[[limit]]\nname = "one_book"\ntool = "book"\nexactly = 1',
    '[[limit]]\nname = "ok_book"\ntool = "b*"\nstatus = "ok"\nat_least = 1\nat_most = 2',
    '[[limit]]\nname = "no_repeat"\neffect = "write"\nsame = "identity"',
    '[[limit]]\nname = "same_args"\ntool = "*"\nsame = "args"\nat_most = 1',
    '[[limit]]\nname = "twice"\ntool = "pay"\nsame = "tool"\nat_least = 2',
    '[[forbid]]\ntool = "pay"\nunless_before = "look"',
    '[[forbid]]\ntool = "find"\nbefore = "s0"',
    '[[forbid]]\neffect = "write"\nwhen = { kind = "no" }',
    '[[layer]]\nname = "shape"\ntool = "book"\nat = "result"\njson_schema = { type = "object" }',
]

CASES = [
    Case("C1", {"case_id": "C1", "n": "1", "gap": "", "kind": "no"}, 2),
    Case("C1", {"case_id": "C1", "n": "3", "gap": "", "kind": ""}, 2),
]


@st.composite
def calls(draw: st.DrawFn, tool: str) -> Recorded:
    """One call of a tool, with arguments that some step may expect."""
    event: Recorded = {"tool_name": tool}
    names = draw(st.lists(st.sampled_from(_OF_TOOL[tool]), max_size=3, unique=True))
    event["arguments"] = {name: draw(_ARGUMENTS[name]) for name in names}
    event["status"] = draw(st.sampled_from(["ok", "ok", "ok", "error", None]))
    event["result"] = draw(
        st.sampled_from([{"id": "R1"}, {"id": "R1"}, {"id": "R2"}, '{"id": "R1"}', "Error: no", None])
    )
    event["state_after"] = {"n": draw(st.sampled_from([1, 1, 2]))}
    event["run_outcome"] = draw(st.sampled_from(["done", "done", "failed"]))
    return event


@st.composite
def recordings(draw: st.DrawFn, contract: Drawn) -> list[Recorded]:
    """The calls of one run as recorded objects: those that keep the contract, with some spoiled."""
    events = copy.deepcopy(contract.right)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 4]))):
        at = draw(st.integers(0, len(events)))
        other = draw(calls(draw(st.sampled_from([*READS, *WRITES]))))
        match draw(st.sampled_from(["insert", "again", "remove", "replace", "swap", "spoil"])):
            case "insert":
                events.insert(at, other)
            case "again" if events:
                events.insert(at, copy.deepcopy(draw(st.sampled_from(events))))
            case "remove" if at < len(events):
                del events[at]
            case "replace" if at < len(events):
                events[at] = other
            case "swap" if at < len(events):
                events.append(events.pop(at))
            case "spoil" if at < len(events):
                key = draw(st.sampled_from(["arguments", "status", "result", "state_after", "run_outcome"]))
                events[at][key] = other[key]
    if draw(st.integers(0, 3)) == 0:
        for event in events:
            event["group"] = draw(st.sampled_from(["g", "h", None]))
    return fitting(contract.text, events)


def as_run(events: Sequence[Recorded], *, complete: bool = True, steps: Sequence[int] | None = None) -> Run:
    """The run that the reader would make of these objects; ``steps`` where some are lost."""
    made = []
    for place, event in enumerate(events):
        step = steps[place] if steps is not None else place + 1
        arguments = event.get("arguments", MISSING)
        state = "object" if isinstance(arguments, dict) else "absent" if arguments is MISSING else "raw"
        made.append(
            Event(
                step,
                event["tool_name"],
                event["tool_name"],
                arguments,
                state,  # type: ignore[arg-type]
                event.get("status"),
                None,
                event.get("group"),
                event.get("actor", "assistant"),
                {**event, "step": step},
                Source("t.jsonl", step),
            )
        )
    final = made[-1].fields if made else {"tool_name": None, "run_outcome": "done", "state_after": {"n": 1}}
    return Run("C1", None, None, tuple(made), final, None, complete)


def fitting(contract: str, events: list[Recorded]) -> list[Recorded]:
    """The recording as a format has it that the contract is for: one with error texts has no error flags."""
    if "error_text" in contract:
        for event in events:
            event.pop("status", None)
    return events


def evaluator(text: str) -> Evaluator:
    return Evaluator(parse(text, "drawn.toml"))


# -- evidence taken away -----------------------------------------------------------------------------------

Lost = tuple[list[Recorded], list[int], bool]  # what is left, its steps, whether the run is still complete


@st.composite
def losses(draw: st.DrawFn, events: list[Recorded]) -> Lost:
    """The same recording with evidence taken away: values absent or redacted, calls lost."""
    left = copy.deepcopy(events)
    marks = iter(MARKS)
    for _ in range(draw(st.integers(0, 3)) if left else 0):
        draw(st.sampled_from(_WAYS))(draw(st.sampled_from(left)), next(marks), draw)
    steps = list(range(1, len(left) + 1))
    complete = True
    if draw(st.booleans()):
        complete = False
        keep = draw(st.lists(st.booleans(), min_size=len(left), max_size=len(left)))
        if draw(st.booleans()):  # the end alone
            keep = [True] * draw(st.integers(0, len(left)))
        left = [event for event, kept in zip(left, keep, strict=False) if kept]
        steps = [step for step, kept in zip(steps, keep, strict=False) if kept]
    return left, steps, complete


Way = Callable[[Recorded, str, st.DrawFn], None]


def _status_gone(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    event.pop("status", None)


def _status_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    if event.get("status") is not None:
        event["status"] = mark


def _result_gone(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    event.pop("result", None)


def _result_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    if event.get("result") is not None:
        event["result"] = mark


def _result_part_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    if isinstance(event.get("result"), dict):
        event["result"]["id"] = mark


def _argument_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    arguments = event.get("arguments")
    if isinstance(arguments, dict) and arguments:
        arguments[draw(st.sampled_from(sorted(arguments)))] = mark


def _argument_part_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    arguments = event.get("arguments")
    if not isinstance(arguments, dict):
        return
    for value in arguments.values():
        if isinstance(value, list) and value:
            value[draw(st.integers(0, len(value) - 1))] = mark
        elif isinstance(value, dict):
            value[draw(st.sampled_from(sorted(value)))] = mark


def _arguments_gone(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    event.pop("arguments", None)


def _arguments_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    if "arguments" in event:
        event["arguments"] = mark


def _state_gone(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    event.pop(draw(st.sampled_from(["state_after", "run_outcome"])), None)


def _state_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    name = draw(st.sampled_from(["state_after", "run_outcome"]))
    if name in event:
        event[name] = mark


def _state_part_marked(event: Recorded, mark: str, draw: st.DrawFn) -> None:
    if isinstance(event.get("state_after"), dict):
        event["state_after"]["n"] = mark


_WAYS: list[Way] = [
    _status_gone,
    _status_marked,
    _result_gone,
    _result_marked,
    _result_part_marked,
    _argument_marked,
    _argument_marked,
    _argument_part_marked,
    _arguments_gone,
    _arguments_marked,
    _state_gone,
    _state_marked,
    _state_part_marked,
]
