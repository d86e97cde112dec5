"""The filter, where people have decided something."""

from __future__ import annotations

from pathlib import Path

import pytest

from rows import bookings, report, row
from traceview.query import QueryError, Vocabulary, parse
from traceview.results import Row
from traceview.triage import Triage, about_run, about_signature

DURATION = "arguments_ok reserve_room /duration_min changed"  # B03, B08


@pytest.fixture
def triage(tmp_path: Path) -> Triage:
    """B02 confirmed; B03 and B08 the environment by their signature; B04 marked for another failure; B05 an
    expectation that is wrong; B06 a note and tags alone; B01 passes and is marked open."""
    made = Triage(tmp_path / "t.jsonl", "ann")
    rows = {one.result.case_id: one for one in bookings()}
    made.append(
        about_run(rows["B02"], mark="confirmed"),
        about_signature(DURATION, mark="environment", tag=["vpn"]),
        about_run(row("B04", "fail", signature="another"), mark="ignore"),
        about_run(rows["B05"], mark="expectation wrong"),
        about_run(rows["B06"], note="Zürich office, twice", tag=["Flaky", "p1"]),
        about_run(rows["B01"], mark="open"),
    )
    return made


def ids(
    text: str, triage: Triage | None, rows: list[Row] | None = None, columns: tuple[str, ...] = ()
) -> str:
    rows = bookings() if rows is None else rows
    made = report(rows)
    made.triage = triage
    query = parse(text, Vocabulary.of(made, columns))
    return " ".join(one.result.case_id.removeprefix("B0") for one in rows if query.matches(one))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mark:confirmed", "2"),
        ("mark:environment", "3 8"),
        ('mark:"expectation wrong"', "5"),
        ("mark:expectation_wrong,confirmed", "2 5"),
        ("mark:Expectation-Wrong", "5"),
        ("mark:ignore", "4"),
        ("mark:changed", "4"),
        ("mark:same is:fail", "2 3 5 8"),
        ("mark:open", "1 4 6 9"),
        ("is:fail -mark:open", "2 3 5 8"),
        ("is:fail mark:none", "6 9"),
        ("tag:flaky", "6"),
        ("tag:f*,vpn", "3 6 8"),
        ("note:zürich", "6"),
        ("zurich", ""),
        ("ZÜRICH", "6"),
        ("p1", "6"),
        ("/twice$/", "6"),
        ("-vpn is:fail", "2 4 5 6 9"),
    ],
)
def test_terms(text: str, found: str, triage: Triage) -> None:
    assert ids(text, triage) == found


def test_a_decision_counts_at_once(triage: Triage) -> None:
    made = report(bookings())
    made.triage = triage
    query = parse("mark:open", Vocabulary.of(made, ()))
    nine = next(one for one in made.rows if one.result.case_id == "B09")
    assert query.matches(nine)
    triage.append(about_run(nine, mark="ignore"))
    assert not query.matches(nine)
    triage.undo()
    assert query.matches(nine)


def test_without_decisions_all_that_does_not_pass_is_open() -> None:
    rows = [row("1"), row("2", "fail"), row("3", "no_trace"), row("4", "unreviewed")]
    assert ids("mark:open", None, rows) == "2 3"
    assert ids("mark:none", None, rows) == "1 2 3 4"
    assert ids("tag:x", None, rows) == ids("note:x", None, rows) == ids("mark:confirmed", None, rows) == ""


def test_a_column_of_the_same_name_is_found_too(triage: Triage) -> None:
    rows = [row("7", cells={"tag": "flaky one", "note": "twice"}), *bookings()]
    assert ids("tag:flaky", triage, rows, ("tag", "note")) == "7 6"
    assert ids("note:twice", triage, rows, ("tag", "note")) == "7 6"


def test_a_mark_that_there_is_not() -> None:
    with pytest.raises(QueryError, match="mark:wontfix is not known; one of open, confirmed"):
        parse("mark:wontfix", Vocabulary())
