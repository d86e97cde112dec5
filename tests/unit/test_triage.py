"""Marks, notes and tags: what they say of a run, now and in the next recording."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rows import bookings, row
from traceview.results import Row
from traceview.triage import (
    MARKS,
    Triage,
    TriageError,
    about_case,
    about_run,
    about_signature,
    author_name,
    check_writable,
    load,
    triage_path,
    triage_totals,
)

DURATION = "arguments_ok reserve_room /duration_min changed"
ROOM = "arguments_ok reserve_room /room_id changed"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cases.csv.triage.jsonl"


def fails(case_id: str = "B03", signature: str = DURATION, **more: Any) -> Row:
    return row(case_id, "fail", "wrong_arguments", signature=signature, **more)


def said(triage: Triage, one: Row) -> tuple[str | None, bool] | None:
    found = triage.of(one)
    return None if found is None else (found.mark, found.same)


# -- what counts -------------------------------------------------------------------------------------------


def test_a_mark_is_there_again_on_the_next_start(path: Path) -> None:
    triage = load(path, "ann")
    triage.append(about_run(fails(), mark="confirmed", note="  books\nan hour ", tag=["room", "p1"]))
    found = load(path).of(fails())
    assert found is not None
    assert (found.mark, found.note, found.tags, found.scope, found.author) == (
        "confirmed",
        "  books\nan hour ",
        ("room", "p1"),
        "run",
        "ann",
    )
    assert found.same and found.was == (DURATION,)
    assert abs(datetime.now(UTC) - datetime.fromisoformat(found.time)) < timedelta(minutes=1)
    assert load(path).of(fails("B04")) is None


def test_the_line_is_what_the_documentation_says(path: Path) -> None:
    load(path, "ann").append(
        about_run(fails(run_id="r1"), mark="ignore"),
        about_case([fails(), row("B03")], note="n"),
        about_signature(DURATION, tag=["a"], untag=["b"]),
    )
    first, second, third = map(json.loads, path.read_text("utf-8").splitlines())
    assert list(first)[:3] == ["id", "time", "author"]
    assert list(first.items())[2:] == [
        ("author", "ann"),
        ("scope", "run"),
        ("case_id", "B03"),
        ("run_id", "r1"),
        ("trial", None),
        ("signature", DURATION),
        ("mark", "ignore"),
    ]
    assert list(second.items())[3:] == [
        ("scope", "case"),
        ("case_id", "B03"),
        ("signatures", [DURATION, None]),
        ("note", "n"),
    ]
    assert list(third.items())[3:] == [
        ("scope", "signature"),
        ("signature", DURATION),
        ("tag", ["a"]),
        ("untag", ["b"]),
    ]


def test_the_last_word_counts_on_each_matter(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed", note="one", tag=["a", "b"]))
    triage.append(about_run(fails(), mark="environment"))
    triage.append(about_run(fails(), note="two", untag=["a"], tag=["c"]))
    found = load(path).of(fails())
    assert found is not None
    assert (found.mark, found.note, found.tags) == ("environment", "two", ("b", "c"))
    triage.append(about_run(fails(), note="", untag=["b", "c"]))
    found = triage.of(fails())
    assert found is not None and (found.mark, found.note, found.tags) == ("environment", "", ())


def test_a_note_needs_no_mark(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(), note="look again"))
    found = triage.of(fails())
    assert found is not None and (found.mark, found.note) == (None, "look again")
    triage.append(about_run(fails(), note=""))
    assert triage.of(fails()) is None


def test_a_case_has_all_its_runs_and_a_signature_all_that_fail_so(path: Path) -> None:
    triage = load(path)
    triage.append(about_case([fails()], mark="expectation wrong"), about_signature(ROOM, mark="environment"))
    assert said(triage, fails(trial="7")) == ("expectation wrong", True)
    assert said(triage, fails("B99", ROOM)) == ("environment", True)
    assert said(triage, fails("B99", DURATION)) is None
    assert said(triage, row("B99")) is None


def test_the_most_specific_word_counts(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(trial="1"), mark="open"))
    triage.append(about_case([fails()], mark="confirmed", tag=["case"]))
    triage.append(about_signature(DURATION, mark="ignore", note="known", tag=["kind"]))
    found = triage.of(fails(trial="1"))
    assert found is not None
    assert (found.mark, found.scope, found.note, found.tags) == ("open", "run", "known", ("case", "kind"))
    assert said(triage, fails(trial="2")) == ("confirmed", True)
    assert said(triage, fails("B04")) == ("ignore", True)


def test_a_word_about_the_present_failure_counts_more_than_a_closer_one_about_another(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed"), about_signature(ROOM, mark="environment"))
    assert said(triage, fails(signature=ROOM)) == ("environment", True)
    assert said(triage, fails(signature="another")) == ("confirmed", False)


# -- new recordings ----------------------------------------------------------------------------------------


def test_changed_since(path: Path) -> None:
    load(path).append(about_run(fails(), mark="confirmed"))
    triage = load(path)
    assert said(triage, fails()) == ("confirmed", True)
    assert said(triage, fails(signature=ROOM)) == ("confirmed", False)
    assert said(triage, row("B03")) == ("confirmed", False)


def test_a_run_that_passes_can_be_marked(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(row("B01"), mark="confirmed"))
    assert said(triage, row("B01")) == ("confirmed", True)
    assert said(triage, fails("B01")) == ("confirmed", False)


@pytest.mark.parametrize(
    ("marked", "recorded", "expected"),
    [
        # the only run of the case under a new id, with the same failure, another one, and none
        ([fails(run_id="old")], [fails(run_id="new")], [("confirmed", True)]),
        ([fails(run_id="old")], [fails(signature=ROOM, run_id="new")], [("confirmed", False)]),
        ([fails(run_id="old")], [row("B03", run_id="new")], [("confirmed", False)]),
        # several: those that fail in the same way; the others are not meant
        (
            [fails(run_id="old")],
            [fails(signature=ROOM, run_id="x"), fails(run_id="y"), row("B03", run_id="z")],
            [None, ("confirmed", True), None],
        ),
        # the same trial under a new id
        (
            [fails(run_id="old", trial="2")],
            [row("B03", run_id="x", trial="1"), fails(signature=ROOM, run_id="y", trial="2")],
            [None, ("confirmed", False)],
        ),
        # a run that is still there keeps its mark to itself
        (
            [fails(trial="1")],
            [fails(trial="1"), fails(trial="2")],
            [("confirmed", True), None],
        ),
        ([fails("B04")], [fails("B03")], [None]),
    ],
)
def test_a_mark_finds_its_run_again(
    path: Path, marked: list[Row], recorded: list[Row], expected: list[tuple[str, bool] | None]
) -> None:
    load(path).append(*(about_run(one, mark="confirmed") for one in marked))
    triage = load(path)
    triage.recorded(recorded)
    assert [said(triage, one) for one in recorded] == expected


def test_of_two_marks_that_moved_the_later_counts(path: Path) -> None:
    triage = load(path)
    triage.recorded([fails(run_id="new")])
    triage.append(about_run(fails(run_id="b"), mark="confirmed"))
    triage.append(about_run(fails(run_id="a"), mark="ignore"))
    assert said(triage, fails(run_id="new")) == ("ignore", True)


# -- undo --------------------------------------------------------------------------------------------------


def test_undo_takes_back_step_by_step(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed"))
    triage.append(about_run(fails(), mark="ignore", note="x"), about_signature(ROOM, mark="ignore"))
    assert [decision.mark for decision in triage.undo()] == ["ignore", "ignore"]
    assert said(triage, fails()) == ("confirmed", True)
    assert said(triage, fails("B04", ROOM)) is None
    assert said(load(path), fails()) == ("confirmed", True)
    triage.undo()
    assert said(load(path), fails()) is None
    assert triage.undo() == ()
    assert len(path.read_text().splitlines()) == 6


def test_what_was_taken_back_can_come_back(path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed"))
    triage.undo()
    triage.retract(triage.decisions[-1])
    assert said(load(path), fails()) == ("confirmed", True)


def test_anybody_can_take_back_anything(path: Path) -> None:
    load(path, "ann").append(about_run(fails(), mark="ignore"))
    ben = load(path, "ben")
    ben.retract(ben.decisions[0])
    assert said(load(path), fails()) is None


def test_a_clock_that_is_ahead_does_not_make_later_decisions_void(path: Path) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=400)).strftime("%Y-%m-%dT%H:%M:%SZ")
    path.write_text(
        json.dumps(
            {
                "id": "a",
                "time": ahead,
                "author": "ann",
                "scope": "run",
                "case_id": "B03",
                "run_id": None,
                "trial": None,
                "signature": DURATION,
                "mark": "ignore",
            }
        )
        + "\n"
    )
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed"))
    assert said(load(path), fails()) == ("confirmed", True)
    triage.undo()
    assert said(load(path), fails()) == ("ignore", True)
    triage.retract(triage.decisions[0])
    assert said(load(path), fails()) is None


# -- several at once ---------------------------------------------------------------------------------------


def test_what_another_program_decides_is_taken_in(path: Path) -> None:
    mine, theirs = load(path, "ann"), load(path, "ben")
    assert not mine.refresh()
    theirs.append(about_run(fails("B04"), mark="ignore"))
    assert said(mine, fails("B04")) is None
    assert mine.refresh() and not mine.refresh()
    assert said(mine, fails("B04")) == ("ignore", True)
    mine.append(about_run(fails(), mark="confirmed"))
    theirs.append(about_run(fails(), mark="environment"))  # without having looked
    assert said(theirs, fails()) == ("environment", True)
    mine.append(about_run(fails("B05"), mark="open"))
    assert said(mine, fails()) == said(load(path), fails())


def test_marks_can_be_saved_elsewhere(path: Path, tmp_path: Path) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed"))
    other = tmp_path / "mine.jsonl"
    load(other).append(about_run(fails("B09"), mark="ignore"))
    for _ in range(2):
        triage.save_as(other)
    triage.append(about_run(fails("B04"), mark="open"))
    assert triage.path == other
    moved = load(other)
    marks = ["confirmed", "open", "ignore"]
    assert [said(moved, fails(case)) for case in ("B03", "B04", "B09")] == [(mark, True) for mark in marks]
    assert len(other.read_text().splitlines()) == 3
    assert said(load(path), fails("B04")) is None


# -- errors ------------------------------------------------------------------------------------------------


def good(number: int, **more: object) -> str:
    fields: dict[str, object] = {
        "id": f"id{number}",
        "time": f"2026-01-01T00:00:{number:02}Z",
        "author": "ann",
        "scope": "signature",
        "signature": DURATION,
        "mark": "confirmed",
    }
    return json.dumps(fields | more)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"id": "x", "time": "2026-0', "not JSON"),
        ("[1]", "not a JSON object"),
        ("<<<<<<< HEAD", "a conflict marker of git"),
        ("=======", "a conflict marker of git"),
        (good(1, mark="wontfix"), "mark 'wontfix' is not known; one of open, confirmed, expectation wrong"),
        (good(1, scope="suite"), "scope 'suite' is not known"),
        (good(1, signature=None), "signature is no text"),
        (good(1, time="yesterday"), "time 'yesterday' is no time in UTC"),
        (good(1, time="2026-01-01T00:00:00"), "is no time in UTC"),
        (good(1, tag="x"), "tag is no list of texts"),
        (good(1, id=""), "id is empty"),
        ('{"id": "x", "id": "y"}', "id stands twice"),
        ("{}", "id is missing"),
        ("\udcff", "not UTF-8"),
    ],
)
def test_a_damaged_line_is_reported_and_skipped(path: Path, line: str, why: str) -> None:
    text = f"{good(1)}\n{line}\n\n{good(3, mark='ignore')}\n"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    triage = load(path)
    assert said(triage, fails()) == ("ignore", True)
    [problem] = triage.problems
    assert (problem.code, problem.severity, problem.path, problem.line) == (
        "bad_triage",
        "warning",
        path.name,
        2,
    )
    assert why in problem.message and "\n" not in problem.message


def test_a_torn_line_costs_itself_only(path: Path) -> None:
    path.write_text(f"{good(1)}\n{good(2, mark='ignore')[:-20]}")
    load(path).append(about_run(fails("B04"), mark="open"))
    triage = load(path)
    assert said(triage, fails("B04")) == ("open", True)
    assert said(triage, fails()) == ("confirmed", True)
    assert [problem.line for problem in triage.problems] == [2]


def test_nothing_is_added_to_a_file_that_is_something_else(path: Path, tmp_path: Path) -> None:
    for content in ("case_id,title\nA,x\n", '{"case_id": "A", "step": 1}\n', "case_id\n"):
        path.write_text(content)
        triage = load(path, "ann")
        with pytest.raises(TriageError, match="holds other things than marks and notes"):
            triage.append(about_run(fails(), mark="confirmed"))
        with pytest.raises(TriageError, match="holds other things"):
            Triage(tmp_path / "new.jsonl", "ann").save_as(path)
        assert path.read_text() == content and not triage.decisions
    path.write_text('{"id": "0123')  # the first decision, cut off
    assert load(path, "ann").append(about_run(fails(), mark="confirmed"))


def test_a_last_line_without_a_line_end_counts(path: Path) -> None:
    path.write_text(good(1))
    load(path).append(about_run(fails("B04"), mark="open"))
    triage = load(path)
    assert said(triage, fails()) == ("confirmed", True) and triage.problems == []


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + f"{good(1)}\r\n{good(2, mark='ignore')}\r\n".encode())
    triage = load(path)
    assert (said(triage, fails()), triage.problems) == (("ignore", True), [])


def test_any_text_comes_back_as_it_was(path: Path) -> None:
    odd = '\u2028 \x85 \udcb2 \x1b[2J \n \r " \\ 東 é'
    triage = load(path, odd)
    triage.append(about_run(fails(odd, odd, run_id=odd, trial=odd), mark="open", note=odd, tag=[odd]))
    found = load(path).of(fails(odd, odd, run_id=odd, trial=odd))
    assert found is not None and (found.note, found.tags, found.author) == (odd, (odd,), odd.strip())


def test_a_mark_that_is_none_is_not_written(path: Path) -> None:
    with pytest.raises(ValueError, match="wontfix"):
        load(path).append(about_run(fails(), mark="wontfix"))
    assert not path.exists()


def test_a_folder_that_cannot_be_written_is_said_at_once(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_writable(path)
    for wrong, said in ((tmp_path, "is a folder"), (tmp_path / "gone" / "x", "there is no folder")):
        with pytest.raises(TriageError, match=said):
            check_writable(wrong)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(TriageError, match=r"its folder may not be written; --triage FILE keeps the marks"):
        check_writable(path)
    path.touch()
    with pytest.raises(TriageError, match="may not be written"):
        check_writable(path)


def test_what_could_not_be_kept_does_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark="confirmed"))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.write", full)
        with pytest.raises(TriageError, match="cannot be written \\(no space left on device\\)"):
            triage.append(about_run(fails(), mark="ignore"))
        with pytest.raises(TriageError):
            triage.undo()
    assert said(triage, fails()) == ("confirmed", True)
    assert triage.undo()
    assert said(triage, fails()) is None


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=r"^[^\n]*: cannot be read \(is a directory\)$"):
        load(tmp_path)


def test_where_it_is_kept() -> None:
    assert triage_path("a/cases.csv", ["t.jsonl"]) == Path("a/cases.csv.triage.jsonl")
    assert triage_path(None, ["results.json"]) == Path("results.json.triage.jsonl")
    assert triage_path("-", ["t.jsonl"]) is None
    assert triage_path(None) is None


def test_who_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "eve")
    assert author_name() == author_name("  ") == "eve"
    assert author_name(" ann ") == "ann"

    def nobody() -> str:
        raise OSError

    monkeypatch.setattr("getpass.getuser", nobody)
    assert author_name() == "unknown"


# -- the gate ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", MARKS)
def test_what_passes_the_gate(path: Path, mark: str) -> None:
    triage = load(path)
    triage.append(about_run(fails(), mark=mark), about_case([fails("B04")], mark=mark))
    accepted = mark in ("expectation wrong", "ignore")
    assert not triage.accepts(fails())
    triage.respected = True
    assert triage.accepts(fails()) is accepted
    assert triage.accepts(fails("B04")) is accepted
    assert not triage.accepts(fails(signature=ROOM))  # another failure than the one that was marked
    assert triage.accepts(fails("B04", ROOM)) is accepted  # of a case that was marked as a whole
    assert not triage.accepts(row("B03")) and not triage.accepts(fails("B05"))


def test_totals(path: Path) -> None:
    triage = load(path)
    rows = bookings()
    triage.append(about_signature(DURATION, mark="ignore"), about_run(row("B02"), mark="confirmed"))
    triage.append(about_run(rows[3], note="no mark"))
    triage.respected = True
    assert triage_totals(rows, triage) == {
        "marks": {"open": 0, "confirmed": 1, "expectation wrong": 0, "environment": 0, "ignore": 2},
        "changed": 1,
        "accepted": 2,
    }


def test_a_folder_of_traces_may_hold_marks(tmp_path: Path) -> None:
    from traceview.read.files import list_folder

    for name in ("a.jsonl", "cases.csv.triage.jsonl", "a.Triage.jsonl.gz"):
        (tmp_path / name).touch()
    assert list_folder(str(tmp_path)) == [str(tmp_path / "a.jsonl")]
