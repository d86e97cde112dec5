"""Reading, for any data: nothing is changed, nothing is lost, and the order of lines says nothing."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import strategies
from strategies import same
from traceview.contract.spec import RunsSpec
from traceview.jsontext import BadJson, decode, decode_text, decode_together, dumps
from traceview.model import Run
from traceview.read.aliases import Aliases
from traceview.read.cases import read_cases
from traceview.read.problems import InputError, Problems
from traceview.read.runs import RunLines, read_run
from traceview.read.traces import TraceIndex

NONE = Aliases({})

any_speed = settings(deadline=None)
few = settings(deadline=None, max_examples=50)


@contextmanager
def file(data: bytes) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(data)
        yield str(path)


def scan(data: bytes) -> tuple[TraceIndex, list[Run], Problems]:
    """Everything that is read of a trace file."""
    problems = Problems()
    with file(data) as path:
        index = TraceIndex([path], RunsSpec(), problems)
        for _ in index.scan():
            pass
        runs = []
        for case_id in index.case_ids():
            for number in index.run_numbers(case_id):
                run, seen = read_run(index.files, index.where(number), index.runs[number], NONE)
                problems.extend(seen)
                runs.append(run)
        index.files.close()
    return index, runs, problems


def told(run: Run) -> tuple[Any, ...]:
    """A run without the places of its lines."""
    events = [
        (
            e.step,
            e.tool_name,
            e.args_state,
            dumps(e.arguments) if e.args_state == "object" else None,
            e.status,
            dumps(dict(e.fields)),
            e.notes,
        )
        for e in run.events
    ]
    return (
        run.case_id,
        run.run_id,
        run.trial,
        events,
        dumps(dict(run.final)),
        run.complete,
        run.problem is None,
    )


def _never(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


# -- JSON --------------------------------------------------------------------------------------------------


@any_speed
@given(strategies.json_values(odd=True), st.sampled_from([None, 2]))
def test_what_is_written_is_read_again(value: Any, indent: int | None) -> None:
    text = dumps(value, indent)
    again = decode(text.encode())
    assert again.duplicates == ()
    # a non-finite number becomes text: one way only
    assert dumps(again.value, indent) == text
    json.loads(text, parse_constant=_never, parse_int=str)


@any_speed
@given(strategies.json_values())
def test_both_readers_give_the_same_value(value: Any) -> None:
    text = dumps(value)
    fast = decode(text.encode()).value
    faithful = (
        decode_text(text[:-1] + ', "\udc80": NaN}').value if isinstance(value, dict) and value else fast
    )
    if isinstance(faithful, dict):
        faithful.pop("\udc80", None)
    assert same(fast, value)
    assert same(faithful, value)


pairs: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.integers(), strategies.any_texts, st.just(float("nan"))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(st.tuples(st.sampled_from(["a", "b", "a\\", '"', ":", "", "é"]), inner), max_size=4).map(
            tuple
        ),
    ),
    max_leaves=10,
)


def _write_pairs(value: Any, blank: str) -> tuple[str, int]:
    """JSON text in which objects are tuples of pairs, and the number of repeated keys in it."""
    if isinstance(value, tuple):
        members = [(json.dumps(k), *_write_pairs(v, blank)) for k, v in value]
        repeats = len({k for k, _, n in members if [m[0] for m in members].count(k) > 1})
        return (
            "{" + ",".join(f"{blank}{k}{blank}:{blank}{v}" for k, v, _ in members) + "}",
            repeats + sum(n for _, _, n in members),
        )
    if isinstance(value, list):
        items = [_write_pairs(item, blank) for item in value]
        return "[" + f"{blank},".join(text for text, _ in items) + "]", sum(n for _, n in items)
    return json.dumps(value, ensure_ascii=False), 0


@any_speed
@given(pairs, st.sampled_from(["", " ", "\n", "\t"]))
@example((("a", (("a", 1),)), ("a", 2)), "")
def test_repeated_keys_are_found_exactly(value: Any, blank: str) -> None:
    text, repeats = _write_pairs(value, blank)
    found = decode_text(text).duplicates
    assert bool(found) == bool(repeats)


lines_of_json: st.SearchStrategy[bytes] = st.one_of(
    strategies.json_values(odd=True).map(lambda value: dumps(value).encode()),
    pairs.map(lambda value: _write_pairs(value, " ")[0].encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [
            b"-0",
            rb'{"a\u0022": 1, "b": -0}',
            rb'{"a": "\u002d", "b": -0}',
            b"[" * 150 + b'"[[", 1' + b"]" * 150,
            b"[" * 230 + b"]" * 230,
            b'{"x": ' * 210 + b"1" + b"}" * 210,
            b"[" + b"[[1], {}]," * 300 + b"1]",
            b'{"cut": ',
            b"NaN",
        ]
    ),
)


@any_speed
@given(st.lists(lines_of_json, max_size=5), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_lines_read_together_are_those_read_one_by_one(lines: list[bytes], end: bytes, ended: bool) -> None:
    lines = [line + end for line in lines]
    if lines and not ended:
        lines[-1] = lines[-1].rstrip()
    together = decode_together(b"".join(lines), [len(line) for line in lines])
    if together is not None:
        one_by_one = [decode(line) for line in lines]
        assert all(map(same, together, [found.value for found in one_by_one]))
        assert not any(found.duplicates for found in one_by_one)


def test_lines_of_which_nothing_is_to_be_said_are_read_together() -> None:
    lines = [b'{"a": [1, {"b": "[[{"}], "c": -1.5}\n', b'{"t": "' + b"[" * 300 + b'"}\n', b"{}\n"]
    assert decode_together(b"".join(lines), [len(line) for line in lines]) == [json.loads(x) for x in lines]


@any_speed
@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused_in_one_line(data: bytes) -> None:
    try:
        dumps(decode(data).value)
    except BadJson as error:
        assert error.message and "\n" not in error.message


# -- traces ------------------------------------------------------------------------------------------------


@few
@given(strategies.recordings(), st.data())
def test_shuffled_lines_give_the_same_runs(events: list[dict[str, Any]], data: st.DataObject) -> None:
    lines = [strategies.line(event) for event in events]
    shuffled = data.draw(st.permutations(lines))
    _, straight, _ = scan(b"".join(lines))
    _, mixed, _ = scan(b"".join(shuffled))
    assert [told(run) for run in mixed] == [told(run) for run in straight]
    assert all(run.problem is None and run.complete for run in straight)


_spoil: dict[str, Callable[[dict[str, Any]], Any]] = {
    "step twice": lambda e: e | {"step": 1},
    "gap": lambda e: e | {"step": int(e.get("step", 1)) + 1},
    "no step": lambda e: {k: v for k, v in e.items() if k != "step"},
    "zero": lambda e: e | {"step": int(e.get("step", 1)) - 1},
    "text step": lambda e: e | {"step": str(e["step"])},
    "no name": lambda e: {k: v for k, v in e.items() if k != "tool_name"},
    "record": lambda e: e | {"tool_name": None},
    "no arguments": lambda e: {k: v for k, v in e.items() if k != "arguments"},
    "incomplete": lambda e: e | {"complete": False},
}


@few
@given(strategies.recordings(max_cases=2), st.data())
def test_shuffled_lines_give_the_same_runs_of_spoilt_data(
    events: list[dict[str, Any]], data: st.DataObject
) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(events) - 1))
        kind = data.draw(st.sampled_from(sorted(_spoil)))
        if "step" in events[at]:
            events[at] = _spoil[kind](events[at])
    lines = [strategies.line(event) for event in events]
    lines.append(b'{"case_id": "sound", "step": 1, "tool_name": "look"}\n')
    lines.append(b'{"case_id": "sound", "step": 2,\n')
    shuffled = data.draw(st.permutations(lines))
    _, straight, before = scan(b"".join(lines))
    _, mixed, after = scan(b"".join(shuffled))
    assert [told(run) for run in mixed] == [told(run) for run in straight]
    assert sorted(p.code for p in after.list()) == sorted(p.code for p in before.list())


@few
@given(strategies.recordings(), st.sampled_from([None, 0, 3]))
def test_an_array_gives_the_same_runs_as_lines(events: list[dict[str, Any]], indent: int | None) -> None:
    lines = [strategies.line(event) for event in events]
    array = json.dumps([json.loads(line) for line in lines], indent=indent)
    _, of_lines, _ = scan(b"".join(lines))
    _, of_array, _ = scan(array.encode())
    assert [told(run) for run in of_array] == [told(run) for run in of_lines]


@few
@given(strategies.recordings())
def test_a_plain_run_is_read_as_any_other(events: list[dict[str, Any]]) -> None:
    def read() -> list[Run]:
        return scan(b"".join([strategies.line(event) for event in events]))[1]

    with pytest.MonkeyPatch.context() as patch:
        plain = read()
        patch.setattr(RunLines, "_plain_run", lambda _: None)
        assert read() == plain


@few
@given(strategies.recordings())
def test_what_is_recorded_comes_back_unchanged(events: list[dict[str, Any]]) -> None:
    lines = [(dumps(event) + "\n").encode() for event in events]
    _, runs, _ = scan(b"".join(lines))
    read = [event for run in runs for event in run.events]
    assert sorted(dumps(dict(e.fields)) for e in read) == sorted(dumps(e) for e in events)
    for event in read:
        assert same(event.arguments, event.fields["arguments"])


_lines = st.one_of(
    st.builds(
        lambda i: b'{"case_id": "c", "run_id": %d, "step": 1, "tool_name": "t"}' % i, st.integers(0, 99)
    ),
    st.sampled_from(
        [
            b"",
            b"  \t ",
            b"\r",
            b"{",
            b"[1]",
            b"null",
            b'{"step": 1}',
            b'{"case_id": "x", "step": 1, "tool_name": "\xff"}',
            b'{"case_id": "x", "step": NaN, "tool_name": "t"}',
            b'{"case_id": 1.0, "step": 1, "tool_name": null}',
            b"\xef\xbb\xbf{}",
            "\u2028".encode(),
            b"\x0c",
            b"\x00",
        ]
    ),
    st.binary(max_size=30).filter(lambda line: b"\n" not in line),
)


@any_speed
@given(st.lists(_lines, max_size=12), st.booleans())
def test_no_line_is_lost(lines: list[bytes], ended: bool) -> None:
    lines = [b'{"case_id": "c", "step": 1, "tool_name": "t"}', *lines]
    index, _, problems = scan(b"\n".join(lines) + b"\n" * ended)
    blank = sum(not line.strip(b" \t\r\n") for line in lines)
    assert index.events + problems.skipped + blank == len(lines)


@few
@given(strategies.recordings(max_cases=2), st.data())
def test_a_file_cut_off_anywhere_is_read_as_far_as_it_goes(
    events: list[dict[str, Any]], data: st.DataObject
) -> None:
    lines = [strategies.line(event) for event in events]
    whole = b"".join(lines)
    cut = data.draw(st.integers(len(lines[0]), len(whole)))
    index, _, problems = scan(whole[:cut])
    done = 0
    count = 0
    for line in lines:
        done += len(line)
        count += done - 1 <= cut  # a line is whole without its line end too
    assert index.events == count
    assert [p.code for p in problems.list() if p.severity == "error" and "step" not in p.code] in (
        [],
        ["incomplete_last_line"],
    )


# -- cases -------------------------------------------------------------------------------------------------


@any_speed
@given(
    strategies.case_tables(),
    st.sampled_from([",", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.booleans(),
)
def test_a_table_comes_back_cell_by_cell(
    table: tuple[list[str], list[list[str]]], delimiter: str, end: str, encoding: str, quote_all: bool
) -> None:
    header, rows = table
    if delimiter == "\t" and len(header) == 1:
        delimiter = ","  # nothing tells the two apart
    assume(not any("\x00" in cell for row in [header, *rows] for cell in row))  # many make a file binary
    # the standard writer leaves a carriage return unquoted where it is not the line end
    quote_all = quote_all or any("\r" in cell or "\n" in cell for row in [header, *rows] for cell in row)
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator=end,
        quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL,
    )
    # commas and tabs in names would decide what the delimiter is
    header = [name.replace(",", ";").replace("\t", " ").strip() or "x" for name in header]
    assume(len(set(header)) == len(header))
    writer.writerow(header)
    writer.writerows(rows)
    problems = Problems()
    with file(text.getvalue().encode(encoding)) as path:
        read = read_cases(path, problems)
        cases = read.with_id("case_id", problems)
        raw = b"".join(read.files.read(0, row.offset, row.length) for row in read.rows)
        before = read.files.read(0, 0, read.preamble)
        copy = read.files.read(0, 0, read.files.parts[0].scanned)
        read.files.close()
    # blanks between quotes are a cell like any other
    blank = [row for row in rows if not any(cell if quote_all else cell.strip() for cell in row)]
    assert [dict(case.cells) for case in cases] == [
        dict(zip(header, row, strict=True)) for row in rows if row not in blank
    ]
    if not blank:
        assert before + raw == copy
    assert all(p.severity == "note" for p in problems.list())


@any_speed
@given(st.lists(strategies.json_objects(odd=True), min_size=1, max_size=4), st.booleans())
def test_json_cases_come_back_value_by_value(objects: list[dict[str, Any]], array: bool) -> None:
    objects = [
        {"case_id": str(n)} | {k: v for k, v in o.items() if k != "case_id"} for n, o in enumerate(objects)
    ]
    texts = [dumps(o) for o in objects]
    data = ("[" + ",\n".join(texts) + "]") if array else "\n".join(texts)
    problems = Problems()
    with file(data.encode()) as path:
        read = read_cases(path, problems)
        cases = read.with_id("case_id", problems)
        read.files.close()
    assert [dumps(dict(case.cells)) for case in cases] == texts
    assert problems.list() == []


@any_speed
@given(st.binary(max_size=120))
def test_any_bytes_are_cases_or_refused_in_one_line(data: bytes) -> None:
    problems = Problems()
    with file(data) as path:
        try:
            read = read_cases(path, problems)
            read.files.close()
            read.with_id(read.columns[0] if read.columns else "case_id", problems)
        except InputError as error:
            assert "Traceback" not in str(error)
