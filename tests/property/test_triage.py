"""Decisions merged in any way, cut anywhere, hold any text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rows import row
from strategies import any_texts
from traceview.results import Row
from traceview.triage import MARKS, Mark, Triage, about_case, about_run, about_signature, load
from traceview.triage.decision import Decision, from_line, to_line

SIGNATURES = ("s", "t")
ROWS = [
    row(case_id, "fail" if signature else "pass", signature=signature, trial=trial)
    for case_id in ("1", "2")
    for trial in (None, "1")
    for signature in (*SIGNATURES, None)
]


@st.composite
def decisions(draw: st.DrawFn, max_size: int = 10) -> list[Decision]:
    """Some with the same time, some that take back others, in a random order."""
    found: list[Decision] = []
    for number in range(draw(st.integers(0, max_size))):
        said = {
            "mark": draw(st.none() | st.sampled_from(MARKS)),
            "note": draw(st.none() | st.sampled_from(["", "n", "m"])),
            "tag": draw(st.lists(st.sampled_from("ab"), max_size=2)),
            "untag": draw(st.lists(st.sampled_from("ab"), max_size=1)),
        }
        one = draw(st.sampled_from(ROWS))
        about = draw(st.sampled_from(["run", "case", "signature", "undo"]))
        if about == "undo" and found:
            made = Decision(undo=draw(st.sampled_from(found)).id)
        elif about == "case":
            made = about_case([one], **said)  # type: ignore[arg-type]
        elif about == "signature":
            made = about_signature(draw(st.sampled_from(SIGNATURES)), **said)  # type: ignore[arg-type]
        else:
            made = about_run(one, **said)  # type: ignore[arg-type]
        time = f"2026-01-01T00:00:0{draw(st.integers(0, 3))}Z"
        found.append(replace(made, id=str(number), time=time, author=draw(st.sampled_from(["ann", "ben"]))))
    return draw(st.permutations(found))


def state(lines: Sequence[str], rows: Sequence[Row] = ()) -> list[Mark | None]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        triage = load(path)
    assert triage.problems == []
    triage.recorded(rows)
    return [triage.of(one) for one in ROWS]


@given(decisions(), st.randoms(use_true_random=False), st.lists(st.sampled_from(ROWS), max_size=4))
def test_two_files_merged_in_any_order_say_the_same(
    made: list[Decision], random: object, rows: list[Row]
) -> None:
    lines = [to_line(one) for one in made]
    ours, theirs = lines[: 2 * len(lines) // 3], lines[len(lines) // 3 :]
    expected = state(sorted(lines), rows)
    assert state([*ours, *theirs], rows) == state([*theirs, *ours], rows) == expected
    random.shuffle(lines)  # type: ignore[attr-defined]
    assert state(lines, rows) == expected


@given(decisions())
def test_one_by_one_says_the_same_as_all_at_once(made: list[Decision]) -> None:
    """What a program works out while it decides is what the next one reads."""
    with TemporaryDirectory() as folder:
        triage = Triage(Path(folder, "t.jsonl"), "ann")
        triage.recorded(ROWS)
        ids: dict[str, str] = {}
        for one in made:
            if one.undo is not None:
                back = [past for past in triage.decisions if past.id == ids.get(one.undo)]
                triage.retract(*back)
            else:
                [signed] = triage.append(one)
                ids[one.id] = signed.id
        again = load(triage.path)
        again.recorded(ROWS)
        assert [triage.of(row) for row in ROWS] == [again.of(row) for row in ROWS]
        assert list(triage.decisions) == list(again.decisions)


@given(decisions(max_size=5), st.data())
def test_a_file_cut_anywhere_keeps_all_lines_before(made: list[Decision], data: st.DataObject) -> None:
    lines = [to_line(one) for one in made]
    text = "".join(f"{line}\n" for line in lines).encode()
    cut = data.draw(st.integers(0, len(text)))
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(text[:cut])
        load(path, "next").append(about_run(ROWS[0], mark="open"))
        triage = load(path)
    whole = text[:cut].count(b"\n")
    ends_whole = whole < len(lines) and text[:cut].endswith(lines[whole].encode())
    kept = {one.line for one in triage.decisions if one.author != "next"}
    assert kept == set(lines[: whole + ends_whole])
    assert any(one.author == "next" for one in triage.decisions)
    assert len(triage.problems) <= 1


@given(any_texts, any_texts, st.lists(any_texts, max_size=3), st.none() | any_texts)
def test_a_line_reads_as_it_was_written(case_id: str, note: str, tags: list[str], run_id: str | None) -> None:
    one = about_run(row(case_id, "fail", signature=note, run_id=run_id), mark="open", note=note, tag=tags)
    one = replace(one, id="x", time="2026-01-01T00:00:00.000001Z", author=case_id)
    line = to_line(one)
    assert "\n" not in line
    assert from_line(line.encode("utf-8")) == replace(one, line=line)
