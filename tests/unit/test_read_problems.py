"""Problems come out the same whatever order they came in."""

from __future__ import annotations

import itertools
import pickle

from traceview.read.problems import PROBLEM_CODES, Problems, found_and_nearest, make


def test_problems_are_sorted_by_place_and_kept_once() -> None:
    found = [
        make("bad_json", "b.jsonl", 2, "x"),
        make("bad_json", "a.jsonl", 10, "x"),
        make("bad_json", "a.jsonl", 9, "y"),
        make("duplicate_key", "a.jsonl", 9, "x", case_id="C"),
        make("unreviewed_case", "a.jsonl", None, "x"),
    ]
    orders = set()
    for order in itertools.permutations(found):
        problems = Problems()
        problems.extend([*order, *order])
        orders.add(tuple((p.path, p.line, p.code) for p in problems.list()))
    assert orders == {
        (
            ("a.jsonl", None, "unreviewed_case"),
            ("a.jsonl", 9, "bad_json"),
            ("a.jsonl", 9, "duplicate_key"),
            ("a.jsonl", 10, "bad_json"),
            ("b.jsonl", 2, "bad_json"),
        )
    }


def test_a_repeated_note_is_one_with_a_count_and_the_first_ten_places() -> None:
    problems = Problems()
    for line in reversed(range(1, 31)):
        problems.add("arguments_decoded", "t.jsonl", line, "arguments decoded from text", case_id="C")
    (note,) = problems.list()
    assert note.severity == "note"
    assert note.line == 1
    assert note.message == (
        "arguments decoded from text (30 times: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more)"
    )


def test_a_single_note_keeps_its_place_and_case() -> None:
    problems = Problems()
    problems.add("arguments_empty", "t.jsonl", 4, "arguments was null", case_id="C")
    assert problems.list() == [make("arguments_empty", "t.jsonl", 4, "arguments was null", case_id="C")]


def test_skipped_lines_are_counted() -> None:
    problems = Problems()
    problems.skip("bad_json", "t.jsonl", 4, "x")
    problems.add("duplicate_key", "t.jsonl", 5, "x")
    assert problems.skipped == 1


def test_a_collection_survives_the_way_to_another_process() -> None:
    problems = Problems()
    problems.skip("bad_json", "t.jsonl", 4, "x")
    problems.add("arguments_empty", "t.jsonl", 4, "y")
    assert pickle.loads(pickle.dumps(problems)).list() == problems.list()


def test_every_code_has_a_severity_and_a_meaning() -> None:
    for code, about in PROBLEM_CODES.items():
        assert code.replace("_", "").isalnum() and code == code.lower()
        assert about.severity in ("error", "warning", "note")
        assert about.meaning.endswith(".")


def test_a_name_that_is_not_there_is_explained_by_those_that_are() -> None:
    assert found_and_nearest("case_id", ["Case ID", "title"], "columns") == (
        "columns found: Case ID, title; did you mean Case ID?"
    )
    assert found_and_nearest("case_id", ["x"], "columns") == "columns found: x"
    assert found_and_nearest("case_id", [], "keys") == "keys found: (none)"
    many = found_and_nearest("zzz", [f"c{i}" for i in range(40)], "columns")
    assert "c11, … (40 in all)" in many
