"""What a person types into the filter, and which runs it leaves."""

from __future__ import annotations

from typing import Any

import pytest

from rows import CHECKS, PRIORITY, bookings, finding, report, row
from traceview.model import MISSING, Event, Problem, Run, Source
from traceview.query import HELP, QueryError, Vocabulary, fold, narrow, parse
from traceview.results import Row

WORDS = Vocabulary(
    columns=("case_id", "user_request", "attendees", "priority", "my col"),
    checks=CHECKS,
    layers=("HTTP 2xx only",),
    diagnoses=PRIORITY,
    problem_cases={"bad_json": {"B04"}},
)


def ids(text: str, rows: list[Row] | None = None) -> list[str]:
    query = parse(text, WORDS)
    return [r.result.case_id for r in (bookings() if rows is None else rows) if query.matches(r)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("is:fail diagnosis:wrong_arguments", ["B03", "B08"]),
        ("diagnosis:wrong_arguments,tool_error", ["B03", "B04", "B08"]),
        ("check:sequence_ok", ["B02", "B06", "B09"]),
        ("check:sequence_ok=fail,unknown -diagnosis:duplicate_write", ["B02", "B09"]),
        ("is:fail -check:final_state_ok -check:arguments_ok", ["B02", "B06"]),
        ("tool:send_confirmation status:error", ["B04"]),
        ("status:err*", ["B04"]),
        ("arg:duration_min", ["B03", "B08"]),
        ("arg:/duration_min", ["B03", "B08"]),
        ("case:b03,B01", ["B01", "B03"]),
        ("case:B1?", ["B10", "B11", "B12"]),
        ("problem:bad_json", ["B04"]),
        ("problem:never_seen", []),
        ("steps>3", ["B06"]),
        ("steps<3", ["B09"]),
        ("steps!=3", ["B06", "B09"]),
        ("findings>=1 steps=2", ["B09"]),
        ('signature:"arguments_ok reserve_room /duration_min changed"', ["B03", "B08"]),
        ("/b0[1-3]/ -b02", ["B01", "B03"]),
        ("NINE", ["B01"]),
        ('"R1 at nine"', ["B01"]),
        ('"at R1"', []),
        ("b1 r1", []),
        ("is:unknown,no_trace", []),
        ("wrong_final", ["B05"]),
    ],
)
def test_terms(text: str, found: list[str]) -> None:
    assert ids(text) == found


def test_nothing_typed_hides_nothing() -> None:
    assert len(ids("")) == len(ids("   ")) == len(ids('"')) == 12


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("[", ["SE-1"]),
        ("*", ["SE-2"]),
        ("[net]", ["SE-1"]),
        ("quick seq", ["SE-3"]),
        ("(", []),
        ("\\", []),
        ("-", ["SE-1", "SE-2", "SE-3"]),
        ("/", []),
        ("?", []),
        ("ratio:4", ["SE-3"]),
        ("http://x/y/", ["SE-1"]),
        ("a=b", ["SE-2"]),
    ],
)
def test_signs_are_text(typed: str, found: list[str]) -> None:
    rows = [
        row("SE-1", title="[net] http://x/y/ down"),
        row("SE-2", title="five * two a=b"),
        row("SE-3", title="quick seq ratio:4"),
    ]
    if typed == "/":
        found = ["SE-1"]
    assert ids(typed, rows) == found


def test_both_unicode_forms_and_any_case_are_found() -> None:
    rows = [row("UF-1", title="Zoë"), row("UF-2", title="ZOE\u0308"), row("x", title="ﬁle Straße")]
    assert ids("Zoë", rows) == ids("zoe\u0308", rows) == ["UF-1", "UF-2"]
    assert ids("file", rows) == ids("STRASSE", rows) == ["x"]


def test_a_title_is_searched_beyond_its_first_line() -> None:
    assert ids('"second floor"', [row("ML-1", title="first\nsecond floor")]) == ["ML-1"]


def test_columns_of_the_cases_file() -> None:
    rows = [
        row("1", cells={"priority": "10", "attendees": "4", "my col": "x: y"}),
        row("2", cells={"priority": "9", "attendees": "4.0", "my col": ""}),
        row("3", cells={"priority": "High", "attendees": None}),
        row("4", cells={}),
    ]
    assert ids("priority:1", rows) == ["1"]
    assert ids("Priority:high", rows) == ["3"]
    assert ids("priority:/^[0-9]+$/", rows) == ["1", "2"]
    assert ids("priority>9", rows) == ["1"]
    assert ids("priority>=9", rows) == ["1", "2"]
    assert ids("priority=high", rows) == ["3"]
    assert ids("attendees=4", rows) == ["1", "2"]
    assert ids("attendees=", rows) == ["3", "4"]
    assert ids('"my col":"x: y"', rows) == ["1"]
    assert ids('"my col:x"', rows) == []


def test_numbers_in_columns_are_exact() -> None:
    rows = [
        row("1", cells={"attendees": "9007199254740993"}),
        row("2", cells={"attendees": 9007199254740992}),
    ]
    assert ids("attendees=9007199254740993", rows) == ["1"]


def test_labels_and_layers() -> None:
    rows = [
        row("1", label="PASS", layers={"HTTP 2xx only": "accept"}),
        row("2", "fail", label="Pass", layers={"HTTP 2xx only": "reject"}),
        row("3"),
    ]
    assert ids("label:disagree", rows) == ["2"]
    assert ids("label:agree", rows) == ["1"]
    assert ids("label:PASS", rows) == ["1", "2"]
    assert ids("label:none", rows) == ["3"]
    assert ids('layer:"HTTP 2xx only"=accept', rows) == ["1"]
    assert ids('layer:"HTTP 2xx only"=accept,reject', rows) == ["1", "2"]


def test_runs_by_id_or_trial() -> None:
    rows = [row("A", run_id="r1"), row("B", trial="2"), row("C")]
    assert ids("run:r1,2", rows) == ["A", "B"]


def test_paths_of_findings() -> None:
    rows = [
        row("1", findings=[finding(path="/slots/0/start time")]),
        row("2", findings=[finding(path="/a~1b")]),
        row("3", findings=[finding(path=None)]),
    ]
    assert ids("arg:/slots", rows) == ids("arg:slots", rows) == ids('arg:"start time"', rows) == ["1"]
    assert ids("arg:/slot", rows) == []
    assert ids("arg:a/b", rows) == ["2"]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("late is:fale", "is:fale is not known; did you mean fail?", "is:fale"),
        ("is:", "is: needs a value", "is:"),
        ("diagnosis:wrong_argument x", "did you mean wrong_arguments?", "diagnosis:wrong_argument"),
        ("check:sequence", "did you mean sequence_ok?", "check:sequence"),
        ("check:sequence_ok=no", "one of pass, fail, unknown, n/a", "check:sequence_ok=no"),
        ('layer:"HTTP 2xx only"', "needs a verdict", 'layer:"HTTP 2xx only"'),
        ("label:maybe", "one of agree, disagree", "label:maybe"),
        ("steps>many", "steps> needs a number", "steps>many"),
        ("x /a(/", "not a regular expression", "/a(/"),
        ("text:", "text: needs a value", "text:"),
    ],
)
def test_a_wrong_filter_says_what_is_wrong_and_where(text: str, message: str, place: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, WORDS)
    assert message in caught.value.message
    assert text[caught.value.start : caught.value.end] == place


def test_a_pattern_that_backtracks_is_stopped_and_named() -> None:
    query = parse("/(a|aa)+$/", WORDS)
    with pytest.raises(QueryError, match="too long"):
        query.matches(row(title="a" * 80 + "b"))


def run(arguments: Any, result: Any = None) -> Run:
    event = Event(
        1, "t", "t", arguments, "object", "ok", None, None, "assistant", {"result": result}, Source("t", 1)
    )
    return Run("A", None, None, (event,), {"state": "not searched"})


def test_text_is_looked_for_in_arguments_and_results() -> None:
    query = parse('is:pass text:"Blue Room" -text:/seat \\d+/', WORDS)
    assert query.needs_text and query.matches(row())
    assert query.matches_run(run({"where": {"name": ["the blue room"]}}))
    assert query.matches_run(run({}, "in the BLUE ROOM\nat nine"))
    assert not query.matches_run(run({"where": "the blue room", "seat": "Seat 12"}))
    assert not query.matches_run(run({"where": "elsewhere"}))
    assert not parse("text:searched", WORDS).matches_run(run(MISSING))
    assert parse("text:at:/x/", WORDS).matches_run(run({"where": "at:/x/"}))
    assert not parse("text:at:/x/", WORDS).matches_run(run({"where": "x"}))
    assert parse("text:searched", WORDS).matches_run(Run("A", None, None, (), {"reply": "searched"}))
    assert parse("text:true text:1.10 text:flag", WORDS).matches_run(run({"flag": True, "v": [1.10, "1.10"]}))


def test_narrowing_reads_only_what_else_matches() -> None:
    whole = report([row("A"), row("B"), row("C", "no_trace"), row("D", "fail")])
    read: list[str] = []

    def read_run(wanted: Row) -> Run | None:
        read.append(wanted.result.case_id)
        return run({"q": wanted.result.case_id}) if wanted.result.verdict == "pass" else None

    found = narrow(whole, parse("is:pass,no_trace text:b", WORDS), read_run)
    assert [r.result.case_id for r in found.rows] == ["B"]
    assert read == ["A", "B", "C"]
    assert found.filter == "is:pass,no_trace text:b"
    assert [r.result.case_id for r in narrow(whole, parse("-text:b", WORDS), read_run).rows] == [
        "A",
        "C",
        "D",
    ]


def test_the_vocabulary_of_a_report() -> None:
    words = Vocabulary.of(
        report(problems=[Problem("bad_json", "error", "t.jsonl", 7, "B04", "no JSON")]), ["case_id"]
    )
    assert words.checks == CHECKS
    assert [r.result.case_id for r in bookings() if parse("problem:bad_json", words).matches(r)] == ["B04"]
    assert parse("diagnosis:missing_write", words)


def test_every_example_of_the_help_is_understood() -> None:
    words = Vocabulary(("COLUMN",), ("sequence_ok",), ("NAME",), PRIORITY, transitions={})
    for example, _ in HELP:
        assert parse(example, words)


def test_folding() -> None:
    assert fold("ÅNGSTRÖM") == fold("a\u030angstro\u0308m")
    assert fold("\udcb2") == "\udcb2"
