"""The HTML report as a file: what is in it, in which form, and how it is kept small and safe."""

from __future__ import annotations

import io
import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import details
from details import booking
from golden.hostile import MARKUP, hostile, opened
from rows import finding, report, row
from traceview.evaluate.detail import Detail
from traceview.jsontext import dumps, show
from traceview.model import MISSING, Number
from traceview.results import Report, Row
from traceview.write import Options, html, writer
from traceview.write.html import timeline, values


class Parsed(HTMLParser):
    """The elements of a page as a parser sees them, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.bodies: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag in ("script", "style")
        self.bodies.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.bodies[-1] += data

    def only(self, name: str, **wanted: str) -> str:
        """The body of the only such element."""
        (body,) = [
            body
            for (tag, attrs), body in zip(self.tags, self.bodies, strict=True)
            if tag == name and all(attrs.get(key) == value for key, value in wanted.items())
        ]
        return body

    def data(self, name: str) -> Any:
        return json.loads(self.only("script", id=name))

    def blocks(self) -> dict[str, str]:
        """The blocks of data by their names."""
        return {
            str(attrs["id"]): body
            for (tag, attrs), body in zip(self.tags, self.bodies, strict=True)
            if tag == "script" and attrs.get("type") == "application/json"
        }


def written(about: Report, **options: Any) -> str:
    stream = io.StringIO()
    writer("html")(about, stream, Options(**options))
    return stream.getvalue()


def page(about: Report, **options: Any) -> Parsed:
    return Parsed(written(about, **options))


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in [key, *texts(item)]]
    return [text for item in value for text in texts(item)] if isinstance(value, list) else []


def open_booking(row: Row) -> Detail:
    return replace(booking(), case=row.case, result=row.result)


# -- safety ------------------------------------------------------------------------------------------------


def test_the_page_has_one_script_one_style_and_a_policy_that_admits_these_alone() -> None:
    parsed = page(hostile(), detail=opened)
    scripts = [attrs for tag, attrs in parsed.tags if tag == "script" and "type" not in attrs]
    assert scripts == [{}]
    (policy,) = [
        attrs["content"] or ""
        for tag, attrs in parsed.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for source, body in (("script-src", [b for b in parsed.bodies if "use strict" in b]), ("style-src", [])):
        text = body[0] if body else parsed.only("style")
        assert rules[source] == f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in policy and "http" not in policy


def test_no_element_or_attribute_is_made_of_data() -> None:
    hostile_page, plain_page = page(hostile(), detail=opened), page(report(hostile().rows[:0]))
    shape = [(tag, sorted(attrs)) for tag, attrs in hostile_page.tags if attrs.get("type") is None]
    assert shape == [(tag, sorted(attrs)) for tag, attrs in plain_page.tags if attrs.get("type") is None]
    assert not [name for _, attrs in hostile_page.tags for name in attrs if name.startswith(("on", "style"))]


def test_nothing_in_the_data_can_end_its_block() -> None:
    blocks = page(hostile(), detail=opened).blocks()
    assert set(blocks) == {"report", "rows", "kept", *(f"run-{number}" for number in range(7))}
    for body in blocks.values():
        assert not re.search("[<>&\u2028\u2029]", body)
        assert all(text.replace("\n", "").isprintable() for text in texts(json.loads(body)))
    assert MARKUP in texts(json.loads(blocks["run-1"]))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(details.details())
def test_any_run_is_shown_in_characters_that_can_be_seen(detail: Detail) -> None:
    for text in texts(json.loads(json.dumps(timeline.opened(detail)))):
        assert text.replace("\n", "").isprintable()


def test_the_script_makes_no_markup_of_text() -> None:
    (script,) = [body for body in page(report()).bodies if "use strict" in body]
    for way in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch("):
        assert way not in script


# -- content -----------------------------------------------------------------------------------------------


def test_the_head_has_what_the_report_is_of() -> None:
    about = report(
        [row("A"), row("B", "fail", "wrong_arguments", failing=["arguments_ok"])], filter_text="is:x"
    )
    head = page(about, stamp="31 May").data("report")
    assert (head["filter"], head["stamp"], head["contract"]["name"]) == ("is:x", "31 May", "room-booking")
    assert [info["role"] for info in head["inputs"]] == ["cases", "traces"]
    assert head["checks"][1] == {"name": "arguments_ok", "pass": 1, "fail": 1, "unknown": 0, "n/a": 0}
    assert [(entry["name"], entry["runs"]) for entry in head["diagnoses"]] == [
        ("pass", 1),
        ("wrong_arguments", 1),
    ]


def test_rows_point_to_the_lists_of_the_head() -> None:
    parsed = page(hostile(), detail=opened)
    head, rows = parsed.data("report"), parsed.data("rows")
    case, _, title, verdict, diagnosis, failed, unknown, passed, signature, *rest = rows[1]
    assert (case, head["verdicts"][verdict][0]) == ("=1+1", "fail")
    assert head["diagnoses"][diagnosis]["name"] == "wrong_arguments"
    assert [head["checks"][place]["name"] for place in failed] == ["arguments_ok"]
    assert (unknown, passed) == ([], 4)
    assert head["signatures"][signature]["text"] == "arguments_ok reserve_room /duration_min changed"
    assert "⏎second" in title
    layers, label, agrees, reason, tools, mark = rest
    assert (layers, label, agrees) == ([], "PASS", False)
    assert reason == "null is not 30" and head["tools"][tools[0]] == "check_availability"
    assert mark.startswith("marked")


def test_layers_name_the_runs_that_they_falsely_accept() -> None:
    rows = [
        row("A", "fail", layers={"http": "accept", "shape": "reject"}),
        row("B", "pass", label="FAIL", layers={"http": "accept", "shape": "accept"}),
        row("C", "fail", label="pass", layers={"http": "accept"}),
    ]
    parsed = page(report(rows, layers=("http", "shape")))
    assert [line[9] for line in parsed.data("rows")] == [[0], [0, 1], []]
    assert [layer["false_acceptances"] for layer in parsed.data("report")["layers"]] == [2, 1]


def test_values_are_what_was_read() -> None:
    run = page(hostile(), detail=opened).data("run-1")
    sides = {name: (expected, observed) for name, _, expected, observed, *_ in run["steps"][0]["diffs"]}
    assert sides["link"] == ("NaN", '"javascript:alert(1)"')
    assert sides["gone"] == ('{"deep": [1e400, 1.0, true]}', None)
    assert ["result", '{"&": ["<b>", null, 1.10]}'] in run["steps"][0]["fields"]


def test_long_values_show_where_they_differ_and_say_what_is_cut() -> None:
    left, right = values.pair("a" * 12_000 + "left", "a" * 12_000 + "right")
    assert isinstance(left, dict) and isinstance(right, dict)
    assert left["short"].endswith('aleft"') and right["short"].endswith('aright"')
    assert left["short"].startswith("…") and len(left["short"]) < 125
    assert (len(left["full"]), left["left"]) == (10_000, 2_004)
    whole = {"a": ["x" * 100, "y\n" * 20]}
    assert values.value(whole) == {
        "short": show(whole)[:120] + "…",
        "full": dumps(whole, indent=2),
        "left": 0,
    }
    assert values.value("short") == '"short"' and values.value(MISSING) is None
    assert values.value(Number("1.10")) == "1.10"


def test_what_cannot_be_told_apart_by_eye_is_told_in_code_points() -> None:
    run = page(hostile(), detail=opened).data("run-1")
    (note,) = [diff[4] for diff in run["steps"][0]["diffs"] if diff[0] == "form"]
    assert note == ("differs only in Unicode form; first difference: expected U+00E9, observed U+0065 U+0301")


def test_a_finding_is_said_once_and_none_is_lost() -> None:
    run = timeline.opened(booking())
    assert "findings" not in run and all("findings" not in step for step in run["steps"])
    assert [step.get("differences", 0) for step in run["steps"]] == [1, 1, 0]
    other = finding("tools_succeeded", None, "status", "ok", "error", step=2, message="reports error")
    step = replace(booking().rows[1], findings=(*booking().rows[1].findings, other))
    run = timeline.opened(replace(booking(), rows=(step,)))
    assert [f["message"] for f in run["steps"][0]["findings"]] == ["reports error"]


# -- size --------------------------------------------------------------------------------------------------


class Reader:
    """Counts what is opened."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def detail(self, row: Row) -> Detail:
        self.opened.append(row.result.case_id)
        return open_booking(row)


def many(count: int) -> Report:
    """Every tenth run fails."""
    failing = {"failing": ["arguments_ok"], "findings": [finding()]}
    return report(
        [
            row(f"C{n}", **({"verdict": "fail", **failing} if n % 10 == 0 else {"verdict": "pass"}))
            for n in range(count)
        ]
    )


def test_in_a_small_report_every_run_opens_and_in_a_large_one_those_that_do_not_pass() -> None:
    reader = Reader()
    kept = page(many(2_000), detail=reader.detail).data("kept")
    assert kept == {"runs": 2_000, "passing": 0, "large": 0, "steps": True} and len(reader.opened) == 2_000
    reader = Reader()
    parsed = page(many(2_010), detail=reader.detail)
    assert parsed.data("kept") == {"runs": 201, "passing": 1_809, "large": 0, "steps": True}
    assert reader.opened == [f"C{n}" for n in range(0, 2_010, 10)]
    assert "run-0" in parsed.blocks() and "run-1" not in parsed.blocks()
    assert len(parsed.data("rows")) == 2_010


def test_a_file_does_not_grow_beyond_what_a_browser_bears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "_LARGEST", 20_000)
    reader = Reader()
    parsed = page(many(200), detail=reader.detail)
    kept = parsed.data("kept")
    assert 0 < kept["runs"] < 100 and kept["runs"] + kept["large"] == 200
    assert len(reader.opened) == kept["runs"]
    assert sum(map(len, (body for name, body in parsed.blocks().items() if "run-" in name))) < 25_000


def test_without_the_recordings_runs_open_with_their_findings() -> None:
    parsed = page(many(20))
    assert parsed.data("kept")["steps"] is False
    (found,) = parsed.data("run-0")["findings"]
    assert (found["check"], found["sides"]) == ("arguments_ok", ["30", "60"])


def test_a_summary_has_no_single_runs() -> None:
    blocks = page(many(20), summary=True).blocks()
    assert set(blocks) == {"report"} and json.loads(blocks["report"])["rows"] == 20


def test_long_lists_say_what_they_leave_out() -> None:
    from traceview.model import Problem

    problems = [Problem("bad_json", "error", "t", n, None, "no JSON") for n in range(510)]
    rows = [
        row(f"C{n}", "fail", "d", signature=f"c t /{n} changed", failing=["sequence_ok"])
        for n in range(1_010)
    ]
    parsed = page(report(rows, problems=problems))
    head = parsed.data("report")
    assert (len(head["problems"]), head["more_problems"]) == (500, 10)
    assert (len(head["signatures"]), head["more_signatures"]) == (1_000, [10, 10])
    assert [line[8] for line in parsed.data("rows")][-11:] == [999] + [-1] * 10


@given(st.text(max_size=50))
def test_a_line_is_one_line_and_says_that_it_is_cut(text: str) -> None:
    shown = values.line(text, 20)
    assert shown.isprintable()
    assert shown.endswith("…") or len(text) <= 20
