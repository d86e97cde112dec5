"""The DataFrame says what the report says, in types that change nothing."""

from __future__ import annotations

from pathlib import Path

from rows import bookings, report, row
from traceview.frame import to_pandas
from traceview.triage import Triage, about_run


def test_the_sample_as_a_frame() -> None:
    frame = to_pandas(report())
    assert len(frame) == 12
    assert frame["diagnosis"].value_counts()["wrong_sequence"] == 2
    assert (frame["sequence_ok"] == "pass").sum() == 9
    assert str(frame["events"].dtype) == "int64" and frame["events"].sum() == 36
    assert frame["execution_problem"].sum() == 1


def test_identifiers_stay_the_text_that_they_are() -> None:
    ids = ["007", "7", "NA", "None", "nan", "null", "", "1e3", "\udcb2"]
    frame = to_pandas(report([row(case_id, title="NA", trial="01") for case_id in ids]))
    assert list(frame["case_id"]) == ids
    assert list(frame["title"]) == ["NA"] * len(ids)
    assert list(frame["trial"]) == ["01"] * len(ids)
    assert list(frame["run_id"]) == [None] * len(ids)
    assert not frame["case_id"].isna().any()


def test_runs_that_were_not_judged_have_no_checks() -> None:
    frame = to_pandas(report([row("A"), row("B", "no_trace")]))
    assert frame["sequence_ok"].isna().tolist() == [False, True]
    assert list(frame["verdict"]) == ["pass", "no_trace"]


def test_a_check_that_is_called_like_a_column_is_told_apart() -> None:
    made = report(
        [row("A", checks={"verdict": "fail"}, layers={"title": "accept"})],
        checks=["verdict"],
        layers=["title"],
    )
    frame = to_pandas(made)
    assert list(frame["check:verdict"]) == ["fail"]
    assert list(frame["layer:title"]) == ["accept"]
    assert frame.columns.is_unique


def test_an_empty_report_keeps_its_types() -> None:
    frame = to_pandas(report([]))
    assert len(frame) == 0
    assert str(frame["events"].dtype) == "int64"
    assert list(to_pandas(report(bookings())).columns) == list(frame.columns)


def test_marks_stand_in_columns_where_there_are_some(tmp_path: Path) -> None:
    made = report()
    assert "mark" not in to_pandas(made)
    made.triage = Triage(tmp_path / "t.jsonl")
    made.triage.append(about_run(made.rows[2], mark="confirmed", note="NA", tag=["a", "b"]))
    frame = to_pandas(made)
    names = ["case_id", "mark", "note", "tags", "since"]
    assert frame[names].iloc[2].to_list() == ["B03", "confirmed", "NA", "a, b", "same"]
    assert frame["mark"].isna().sum() == 11
