"""A trace file that grows: at every moment what is shown is what a new reading would show."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traceview.follow import Follower, Grown
from traceview.load import Loader
from traceview.read.files import ChangedInput
from traceview.results import Report, Row

CASES = """case_id,expected_sequence,expected_arguments,write_tools
A,"[""look"", ""book""]","[{}, {""n"": 1}]","[""book""]"
B,"[""look""]",[{}],
C,"[""look""]",[{}],
"""


def event(case_id: str, step: int, tool: str, arguments: Any = None, **more: Any) -> str:
    record = {
        "case_id": case_id,
        "step": step,
        "tool_name": tool,
        "arguments": arguments or {},
        "status": "ok",
    }
    return json.dumps(record | more) + "\n"


LINES = [
    event("A", 1, "look"),
    event("B", 1, "look", run_id="r1"),
    "not json\n",
    event("A", 2, "book", {"n": 2}),
    event("B", 1, "look", '{"x": 1}', run_id="r2"),
    event("Z", 1, "look"),
    '{"case_id": "C", "step": 1, "tool_na\n',
    event("C", 1, "look", ""),
    event("B", 2, "look", run_id="r1"),
    event("Z", 2, "look", '{"a": 1}'),
    event("Z", 1, "look", run_id="other"),
    event("C", 1, "look"),
]


def started(folder: Path, text: str) -> tuple[Follower, Path]:
    cases, traces = folder / "cases.csv", folder / "traces.jsonl"
    cases.write_text(CASES)
    traces.write_text(text)
    loader = Loader(str(cases), [str(traces)], follow=True)
    loader.report()
    assert loader.follower is not None
    return loader.follower, traces


def told(row: Row) -> Any:
    return (row.result, row.title, row.label)


class Shown:
    """A screen: what it holds after all it was told."""

    def __init__(self, follower: Follower) -> None:
        self.rows = list(follower.rows)
        self.unreviewed = list(follower.unreviewed)
        self.problems = follower.problems
        self.events = sum(info.records for info in follower.inputs if info.role == "traces")

    def take(self, grown: Grown | None) -> None:
        if grown is None:
            return
        for place, row in grown.added:
            self.rows.insert(place, row)
        for place, row in grown.changed:
            self.rows[place] = row
        if grown.unreviewed is not None:
            self.unreviewed = grown.unreviewed
        if grown.problems is not None:
            self.problems = grown.problems
        self.events = sum(info.records for info in grown.inputs if info.role == "traces")

    def is_as(self, report: Report) -> None:
        assert list(map(told, self.rows)) == list(map(told, report.rows))
        assert list(map(told, self.unreviewed)) == list(map(told, report.unreviewed))
        assert self.problems == report.problems
        assert self.events == next(info.records for info in report.inputs if info.role == "traces")


def test_every_line_as_it_comes(tmp_path: Path) -> None:
    follower, traces = started(tmp_path, LINES[0])
    shown = Shown(follower)
    for number in range(1, len(LINES)):
        half = len(LINES[number]) // 2
        with traces.open("a") as file:
            file.write(LINES[number][:half])
        assert follower.poll() is None, "half a line is nothing yet"
        with traces.open("a") as file:
            file.write(LINES[number][half:])
        shown.take(follower.poll())
        shown.is_as(Loader(str(tmp_path / "cases.csv"), [str(traces)]).report())
        assert follower.poll() is None, "nothing is counted twice"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(LINES), st.lists(st.integers(1, 900), max_size=12))
def test_written_in_any_pieces(tmp_path: Path, lines: list[str], cuts: list[int]) -> None:
    text = "".join(lines)
    places = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    follower, traces = started(tmp_path, lines[0])
    shown = Shown(follower)
    written = len(lines[0])
    for place in places:
        if place > written:
            with traces.open("a") as file:
                file.write(text[written:place])
            written = place
            shown.take(follower.poll())
    shown.is_as(Loader(str(tmp_path / "cases.csv"), [str(traces)]).report())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda traces: traces.write_text(""),
        lambda traces: traces.write_text(event("A", 1, "other" * 9) * 9),
        lambda traces: traces.unlink(),
        lambda traces: (
            traces.with_suffix(".new").write_text("x"),
            traces.with_suffix(".new").replace(traces),
        ),
    ],
    ids=["emptied", "rewritten", "gone", "replaced"],
)
def test_a_file_that_is_another_must_be_read_anew(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    follower, traces = started(tmp_path, "".join(LINES[:4]))
    spoil(traces)
    with pytest.raises(ChangedInput):
        follower.poll()


def test_only_what_was_touched_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follower, traces = started(tmp_path, "".join(event(f"Z{n}", 1, "look") for n in range(50)) + LINES[0])
    judged = []
    judge = follower._desk.judge

    def counted(place: int, number: int) -> Any:
        judged.append(number)
        return judge(place, number)

    monkeypatch.setattr(follower._desk, "judge", counted)
    with traces.open("a") as file:
        file.write(event("A", 2, "book", {"n": 1}))
    grown = follower.poll()
    assert grown is not None
    assert [row.result.verdict for _, row in grown.changed] == ["pass"]
    assert len(judged) == 1


def folder_started(folder: Path, files: dict[str, str]) -> tuple[Follower, Path]:
    traces = folder / "traces"
    traces.mkdir()
    (folder / "cases.csv").write_text(CASES)
    for name, text in files.items():
        (traces / name).write_text(text)
    loader = Loader(str(folder / "cases.csv"), [str(traces)], follow=True)
    loader.report()
    assert loader.follower is not None
    return loader.follower, traces


def test_files_that_come_into_a_folder_are_read_and_followed(tmp_path: Path) -> None:
    follower, traces = folder_started(tmp_path, {"m.jsonl": LINES[0]})
    shown = Shown(follower)

    def write(name: str, text: str) -> None:
        with (traces / name).open("a") as file:
            file.write(text)
        shown.take(follower.poll())
        shown.is_as(Loader(str(tmp_path / "cases.csv"), [str(traces)]).report())
        assert follower.poll() is None, "nothing is counted twice"

    write("b.jsonl", event("B", 1, "look", run_id="r2"))
    write("m.jsonl", LINES[3])
    write("z.jsonl", event("Z", 1, "look") + event("B", 1, "look", run_id="r1"))
    write("b.jsonl", event("B", 2, "look", run_id="r2"))
    write("a.json", json.dumps([json.loads(event("C", 1, "look"))]))
    (traces / "deeper").mkdir()
    write("deeper/y.jsonl", event("Z", 2, "look"))
    write("m.jsonl", "no json\n")


def test_a_new_file_waits_until_there_is_something_to_read(tmp_path: Path) -> None:
    follower, traces = folder_started(tmp_path, {"m.jsonl": LINES[0]})
    shown = Shown(follower)
    (traces / "n.jsonl").write_text("")
    (traces / "array.json").write_text("[" + event("C", 1, "look"))
    half = event("B", 1, "look")
    (traces / "half.jsonl").write_text(half[:20])
    shown.take(follower.poll())
    assert [row.result.verdict for row in shown.rows] == ["fail", "no_trace", "no_trace"]
    (traces / "array.json").write_text("[" + event("C", 1, "look") + "]")
    with (traces / "half.jsonl").open("a") as file:
        file.write(half[20:])
    shown.take(follower.poll())
    assert [row.result.verdict for row in shown.rows] == ["fail", "pass", "pass"]


def test_a_packed_file_that_comes_is_told_and_read_by_a_reload(tmp_path: Path) -> None:
    follower, traces = folder_started(tmp_path, {"m.jsonl": LINES[0]})
    (traces / "b.jsonl.gz").write_bytes(gzip.compress(event("B", 1, "look").encode()))
    grown = follower.poll()
    assert grown is not None and grown.problems is not None
    (problem,) = [problem for problem in grown.problems if problem.code == "new_file"]
    assert "is compressed: a reload reads it" in problem.message and problem.path.endswith("b.jsonl.gz")
    assert follower.poll() is None, "it is told once"


def test_a_recording_of_the_wrong_case_is_told_as_it_comes(tmp_path: Path) -> None:
    cases = "case_id,expected_sequence,expected_arguments\n" + "".join(
        f'C{n},"[""look""]","[{{""name"": ""name {n}"", ""code"": ""code {n}"", ""city"": ""city {n}""}}]"\n'
        for n in range(30)
    )
    (tmp_path / "cases.csv").write_text(cases)
    traces = tmp_path / "traces.jsonl"
    traces.write_text(event("C1", 1, "look", {"name": "name 1", "code": "code 1", "city": "city 1"}))
    loader = Loader(str(tmp_path / "cases.csv"), [str(traces)], follow=True)
    loader.report()
    assert loader.follower is not None
    shown = Shown(loader.follower)
    with traces.open("a") as file:
        file.write(event("C2", 1, "look", {"name": "name 9", "code": "code 9", "city": "city 9"}))
    shown.take(loader.follower.poll())
    assert [(p.code, p.case_id) for p in shown.problems] == [("wrong_case", "C2")]
    shown.is_as(Loader(str(tmp_path / "cases.csv"), [str(traces)]).report())
    with traces.open("a") as file:
        file.write(event("C2", 2, "look", {"name": "name 2", "code": "code 2", "city": "city 2"}))
    shown.take(loader.follower.poll())
    assert shown.problems == []
    shown.is_as(Loader(str(tmp_path / "cases.csv"), [str(traces)]).report())
