"""The lines of an opened run: nothing is lost, everything is printable, and they are counted right."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from details import booking, detail, event, finding, same
from details import opened as any_detail
from traceview.evaluate.detail import Detail, Diff, EvidenceGroup, StepRow
from traceview.model import MISSING
from traceview.sanitize import visible
from traceview.tui.cells import cell_len
from traceview.tui.signs import ASCII, UNICODE, Signs
from traceview.tui.theme import INKS
from traceview.tui.timeline_lines import Document
from traceview.tui.timeline_pairs import DIFFERING
from traceview.tui.values import one_line, path_words

SLOW = 0.15  # seconds of CPU: three times the budget of a key, for busy machines
STYLES = {"", "expected-diff", "observed-diff", *INKS}
ANY_SPEED = settings(deadline=None, max_examples=60)
WIDTHS = st.sampled_from([40, 55, 72, 120])


def text_of(document: Document, y: int) -> str:
    return "".join(text for text, _ in document.line(y))


def lines_of(document: Document) -> list[str]:
    return [text_of(document, y) for y in range(document.line_count)]


def shown(opened: Detail, width: int = 80, signs: Signs = UNICODE) -> str:
    return "\n".join(lines_of(Document(opened, width, signs)))


def unfold_all(document: Document) -> None:
    """Everything there is: steps, lists of equal values, and the whole of every long value."""
    if not document.folds.all_open:
        document.toggle_all()
    y = 0
    while y < document.line_count:
        while document.unfold(y):
            pass
        y += 1


def packed(text: str) -> str:
    """Text without what wrapping, indenting and making visible put in."""
    return re.sub(r"[\s⏎]", "", text)


def line_with(document: Document, text: str) -> int:
    return next(y for y in range(document.line_count) if text in text_of(document, y))


# -- what a reader sees ------------------------------------------------------------------------------------


def test_a_wrong_argument_stands_first_with_both_sides() -> None:
    lines = lines_of(Document(booking(), 80, UNICODE))
    step = next(i for i, line in enumerate(lines) if "1 ✗ check_availability" in line)
    assert "1 difference" in lines[step]
    assert lines[step].endswith("ok · room_found")
    assert re.fullmatch(r" +✗ duration_min +expected 30 +observed 60 *", lines[step + 1])
    assert re.fullmatch(r" +attendees +4", lines[step + 2])
    assert any(line.startswith("▸ 3 = send_confirmation") and "matched" in line for line in lines)


def test_narrow_lines_put_the_sides_below_each_other() -> None:
    lines = lines_of(Document(booking(), 40, UNICODE))
    at = next(i for i, line in enumerate(lines) if line.strip() == "✗ duration_min")
    assert [line.strip() for line in lines[at + 1 : at + 3]] == ["expected 30", "observed 60"]
    assert all(cell_len(line) <= 40 for line in lines)


def test_a_long_path_leaves_its_column_before_it_takes_more_lines() -> None:
    places = (
        Diff("/payment_methods/1/amount", "changed", 5, 55, "changed"),
        Diff("/a", "changed", 1, 2, "changed"),
    )
    row = StepRow("changed", event(1, "pay", {}), 1, "pay", places, ())
    text = shown(detail((row,), verdict="pass"), 90)
    assert "payment_methods" not in text
    text = shown_unfolded(detail((row,)), 90)
    assert re.search(r"✗ payment_methods\[1\]\.amount expected 5 +observed 55", text)
    assert re.search(
        r"✗ payment_methods\[1\]\.amount\n +expected 5\n +observed 55", shown_unfolded(detail((row,)), 57)
    )
    for width in range(56, 140):
        assert all(cell_len(line) <= width for line in shown_unfolded(detail((row,)), width).split("\n"))


def test_checks_have_sign_and_name_and_say_when_they_do_not_pass() -> None:
    text = shown(
        detail((), checks={"sequence_ok": "pass", "arguments_ok": "fail", "a_limit": "n/a", "x": "unknown"})
    )
    assert "✓ sequence  ✗ arguments fail  · a limit n/a  ? x unknown" in text


def test_signs_can_be_ascii() -> None:
    text = shown(booking(), signs=ASCII)
    assert text.isascii()
    assert "x duration_min" in text


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("matched", "= tool"),
        ("extra", "+ tool  extra"),
        ("moved", "↕ tool  moved · expected as call 3"),
        ("repeated", "‼ tool  repeated"),
        ("uncompared", "  tool"),
    ],
)
def test_every_state_has_a_sign_and_a_word(state: Any, words: str) -> None:
    row = StepRow(state, event(1, "tool", {}), 3 if state in ("matched", "moved") else None, "tool", (), ())
    assert words in shown(detail((row,)))


def test_a_missing_call_says_so_and_shows_what_was_expected() -> None:
    lost = finding("sequence_ok", "missing_call", "tool was never called", step=2, tool="tool")
    row = StepRow("missing", None, 2, "tool", (Diff("/a", "missing", 5, MISSING, "missing"),), (lost,))
    text = shown(detail((row,)))
    assert "− tool  missing · expected as call 2" in text
    assert "tool was never called" in text
    assert re.search(r"− a +expected 5 +observed \(missing\)", text)


def test_types_unicode_forms_and_notes_are_told() -> None:
    places = (
        Diff("/n", "changed", 30, "30", "type", None),
        Diff("/name", "changed", "Zo\u00eb", "Zoe\u0308", "text_form", "differs only in Unicode form"),
        Diff("/at", "forgiven", "2026-03-07T01:00:00+02:00", "2026-03-06T23:00:00Z", None, "same instant"),
        Diff("/locale", "ignored", MISSING, "de", None, "not compared (extra_args)"),
        Diff("/o", "same", {}, {}),
    )
    row = StepRow("changed", event(1, "tool", {"n": "30"}), 1, "tool", places, (finding("x", "type", "n"),))
    text = shown(detail((row,)), 100)
    assert re.search(r'expected 30 +observed "30"\n +text for number', text)
    assert "first difference: expected U+00EB, observed U+0065 U+0308" in text
    assert "forgiven: same instant" in text
    assert re.search(r"locale +de +not compared \(extra_args\)", text)
    assert re.search(r"\n +o +\{\}", text)


def test_the_differing_end_of_a_long_text_is_in_sight() -> None:
    body = " ".join(f"lorem-{n}" for n in range(0, 1054, 3))
    place = Diff("/body", "changed", f"{body} END-A", f"{body} END-B", "changed")
    call = event(1, "post", {"body": place.observed})
    opened = detail(
        (StepRow("changed", call, 1, "post", (place,), (finding("x", "changed", "b", path="/body"),)),)
    )
    for width in (40, 72, 120):
        document = Document(opened, width, UNICODE)
        assert "END-A" in "\n".join(lines_of(document))
        assert "END-B" in "\n".join(lines_of(document))
    assert "▸ 3,5" in text_of(document, line_with(document, "END-A"))
    before = document.line_count
    assert document.toggle(line_with(document, "END-A"))
    text = "\n".join(lines_of(document))
    assert "equal characters" in text
    assert "expected, all of it (3,5" in text
    assert document.toggle(line_with(document, "END-A"))
    assert document.line_count == before


def test_raw_arguments_stand_letter_for_letter_with_the_reason() -> None:
    raw = '{"city":"Qui'
    place = Diff("", "changed", {"city": "Quito"}, raw, "type", "arguments are not valid JSON")
    wrong = finding("arguments_ok", "type", "arguments are not valid JSON", path="", step=1)
    text = shown(detail((StepRow("changed", event(1, "tool", raw), 1, "tool", (place,), (wrong,)),)))
    assert raw in text
    assert "arguments are not valid JSON" in text
    unjudged = shown_unfolded(detail((StepRow("uncompared", event(1, "tool", raw), None, None, (), ()),)))
    assert raw in unjudged
    assert "not a JSON object" in unjudged


def shown_unfolded(opened: Detail, width: int = 100) -> str:
    document = Document(opened, width, UNICODE)
    unfold_all(document)
    return "\n".join(lines_of(document))


def test_arguments_that_were_not_captured_are_unknown() -> None:
    text = shown_unfolded(detail((StepRow("uncompared", event(1, "tool", MISSING), None, None, (), ()),)))
    assert re.search(
        r"\? arguments +\(missing\)\n +cannot be compared: the arguments were not captured", text
    )


def test_keys_that_only_other_steps_have_are_missing_here() -> None:
    rows = (
        StepRow("matched", event(1, "a", {"x": 1}), 1, "a", (same("/x", 1),), ()),
        StepRow("matched", event(2, "b", {"x": 1}, latency_ms=40), 2, "b", (same("/x", 1),), ()),
    )
    text = shown_unfolded(detail(rows))
    assert re.findall(r"latency_ms +(\S+)", text) == ["(missing)", "40"]


def test_a_failing_status_shows_both_sides_and_stays_in_the_headline() -> None:
    wrong = finding("tools_succeeded", "status", "status is error", step=1, expected="ok", observed="error")
    row = StepRow("matched", event(1, "tool", {}, "error"), 1, "tool", (), (wrong,))
    for width in (40, 100):
        text = shown(detail((row,)), width)
        assert "✗ error" in text
        assert re.search(r"expected ok\s+observed error", text)


def test_many_equal_values_are_counted_behind_one_line() -> None:
    many = {f"key{n}": n for n in range(30)}
    row = StepRow("matched", event(1, "tool", many), 1, "tool", (same("", many),), ())
    document = Document(detail((row,)), 80, UNICODE)
    assert document.unfold(line_with(document, "= tool"))
    at = line_with(document, "▸ 30 equal")
    assert "key29" not in "\n".join(lines_of(document))
    assert document.unfold(at)
    assert "key29" in "\n".join(lines_of(document))
    assert document.fold(at) == at
    assert "key29" not in "\n".join(lines_of(document))


def test_final_evidence_and_findings_without_a_step() -> None:
    opened = detail(
        (),
        final=(Diff("/state_after", "changed", "confirmed", "reserved", "state"),),
        findings=(
            finding("final_state_ok", "state", "state_after is reserved", path="/state_after"),
            finding("single_reservation", "missing_call", "reserve_room was never called"),
        ),
        observed={"state_after": "reserved", "other": 7},
    )
    text = shown(opened)
    assert "✗ single reservation reserve_room was never called" in text
    assert re.search(r"✗ state_after +expected confirmed +observed reserved", text)
    assert "state_after is reserved" not in text
    assert re.search(r"everything recorded at the end  2 keys\n +state_after +reserved\n +other +7", text)


def test_an_observation_is_shown_group_by_group() -> None:
    groups = (
        EvidenceGroup(
            "Request result", "accept", (Diff("/http", "uncompared", MISSING, 200),), "HTTP 2xx only"
        ),
        EvidenceGroup("Task outcome", "fail", (Diff("/reply", "changed", "a", "b", "state"),)),
    )
    text = shown(detail((), groups=groups, observed={"http": 200, "reply": "b"}))
    assert "▾ Request result  ✓ accept" in text
    assert "HTTP 2xx only" in text
    assert "▾ Task outcome  ✗ fail" in text
    assert re.search(r"✗ reply +expected a +observed b", text)


def test_a_run_without_a_trace_says_what_to_do() -> None:
    assert "Does its id occur in the traces" in shown(detail((), verdict="no_trace", observed={}))
    broken = shown(detail((), verdict="unusable", problem="steps 1 and 3, no 2"), 100)
    assert "? Not judged" in broken
    assert "✗ problem steps 1 and 3, no 2" in broken


# -- moving among differences ------------------------------------------------------------------------------


def test_next_difference_visits_all_unfolds_and_goes_round() -> None:
    document = Document(booking(), 80, UNICODE)
    document.toggle_all()
    document.toggle_all()  # everything is folded now
    y = document.first_difference()
    assert y is not None
    assert "duration_min" in text_of(document, y)
    first = document.key(y)
    second = document.next_difference(y)
    assert second is not None
    assert not second[1]
    assert document.key(second[0]) != first
    third = document.next_difference(second[0])
    assert third is not None
    assert third[1]
    assert document.key(third[0]) == first
    back = document.next_difference(third[0], -1)
    assert back is not None
    assert back[1]
    assert document.key(back[0]) == document.key(second[0])


def test_no_difference_is_none() -> None:
    row = StepRow("matched", event(1, "tool", {}), 1, "tool", (same("", {}),), ())
    document = Document(detail((row,)), 80, UNICODE)
    assert document.first_difference() is None
    assert document.next_difference(0) is None


# -- any run -----------------------------------------------------------------------------------------------


@ANY_SPEED
@given(any_detail(), WIDTHS, st.sampled_from([UNICODE, ASCII]), st.booleans())
def test_lines_are_printable_and_fit(opened: Detail, width: int, signs: Signs, unfolded: bool) -> None:
    document = Document(opened, width, signs)
    if unfolded:
        unfold_all(document)
    for y in range(document.line_count):
        spans = document.line(y)
        line = "".join(text for text, _ in spans)
        assert line.isprintable()
        assert {style for _, style in spans} <= STYLES
        assert cell_len(line) <= width


@ANY_SPEED
@given(any_detail(), st.integers(1, 30))
def test_the_narrowest_pane_only_crops(opened: Detail, width: int) -> None:
    document = Document(opened, width, UNICODE)
    unfold_all(document)
    assert all(line.isprintable() for line in lines_of(document))


@ANY_SPEED
@given(any_detail(), WIDTHS, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 500)), max_size=12))
def test_lines_are_counted_as_they_are_shown(opened: Detail, width: int, keys: list[tuple[int, int]]) -> None:
    document = Document(opened, width, UNICODE)
    for key, where in keys:
        y = where % document.line_count
        if key == 0:
            document.toggle(y)
        elif key == 1:
            document.unfold(y)
        elif key == 2:
            y = document.fold(y)
            assert 0 <= y < document.line_count
        elif key == 3:
            document.toggle_all()
        elif key == 4:
            found = document.next_difference(y)
            assert found is None or document.is_open(document.place(found[0]).block)
        else:
            document.resize(40 + where % 100, UNICODE)
        counted = 0
        for index, block in enumerate(document.blocks):
            top = document.y_of(document.place(counted)._replace(block=index, item=-1, offset=0))
            assert top == counted
            height = 1
            if document.is_open(index):
                height = document.starts(index)[-1]
                assert height >= int(block.kind != "head") + sum(
                    item.height for item in document.items(index)
                )
            counted += height
        assert counted == document.line_count
        for y in range(document.line_count):
            document.line(y)
            assert document.y_of(document.place(y)) == y


@ANY_SPEED
@given(any_detail(), WIDTHS)
def test_a_line_is_found_again_by_its_key(opened: Detail, width: int) -> None:
    document = Document(opened, width, UNICODE)
    for y in range(document.line_count):
        assert document.find(document.key(y)) == y


@ANY_SPEED
@given(any_detail(), WIDTHS)
def test_nothing_is_lost_when_everything_is_unfolded(opened: Detail, width: int) -> None:
    document = Document(opened, width, UNICODE)
    unfold_all(document)
    text = packed("\n".join(lines_of(document)))

    def there(value: Any) -> bool:
        return packed(visible(one_line(value, 1 << 30)[0])).strip('"') in text

    assert packed(visible(opened.title or opened.case.case_id)) in text
    places = [(diff, "arguments") for row in opened.rows for diff in row.diffs]
    places += [(diff, "") for group in opened.groups for diff in group.diffs]
    if not opened.groups:
        places += [(diff, "") for diff in opened.final]
    for diff, whole in places:
        value = diff.observed if diff.observed is not MISSING else diff.expected
        if diff.path or not isinstance(value, dict):
            assert packed(visible(path_words(diff.path) or whole)) in text
            assert there(diff.observed) or diff.state in ("same", "uncompared")
            assert there(diff.expected) or diff.state in ("same", "uncompared", "ignored")
        if diff.note and diff.state not in ("same", "uncompared"):
            assert packed(visible(diff.note)) in text
    for row in opened.rows:
        if row.event is None:
            continue
        assert packed(visible(row.event.status or "")) in text
        for key, value in row.event.fields.items():
            if key not in ("arguments", "case_id", "step", "tool_name", "status"):
                assert packed(visible(key)) in text
                assert there(value)
        if not row.diffs and row.event.args_state == "object":
            for key, value in row.event.arguments.items():
                assert packed(visible(path_words("/" + key.replace("~", "~0").replace("/", "~1")))) in text
                assert there(value)
    for found in (*opened.findings, *(f for row in opened.rows for f in row.findings)):
        in_pair = any(diff.path == (found.path or "") and diff.state in DIFFERING for diff, _ in places)
        assert in_pair or found.kind == "status" or packed(visible(found.message)) in text


# -- large runs --------------------------------------------------------------------------------------------


def large(steps: int) -> Detail:
    rows = []
    for n in range(1, steps + 1):
        arguments = {
            "attendees": 4,
            "duration_min": 60 + n,
            "start_utc": "2026-08-03T09:00:00Z",
            "room": f"R{n}",
        }
        rows.append(
            StepRow(
                "changed",
                event(
                    n, "reserve_room", arguments, state_after="reserved", result={"id": n}, call_id=f"c{n}"
                ),
                n,
                "reserve_room",
                (
                    Diff("/duration_min", "changed", 30, 60 + n, "changed"),
                    *(same(f"/{key}", arguments[key]) for key in ("attendees", "start_utc", "room")),
                ),
                (finding("arguments_ok", "changed", "duration_min", path="/duration_min", step=n),),
            )
        )
    return detail(tuple(rows))


def test_five_thousand_steps_answer_every_key_in_time() -> None:
    opened = large(5000)
    document = Document(opened, 100, UNICODE)
    keys = {
        "open": lambda: Document(opened, 100, UNICODE),
        "everything": document.toggle_all,
        "page": lambda: [text_of(document, y) for y in range(30_000, 30_050)],
        "next": lambda: document.next_difference(40_000),
        "fold one": lambda: document.fold(40_000),
        "fold all": document.toggle_all,
    }
    for name, press in keys.items():
        best = min(_cpu(press) for _ in range(3)) if name in ("open", "page", "next") else _cpu(press)
        assert best < SLOW, name


@pytest.mark.parametrize(
    "text", ["lorem ipsum " * 90_000, "七人火曜 " * 220_000, "x" * 1_000_000, "a\n" * 500_000], ids=len
)
def test_a_megabyte_in_one_argument_answers_every_key_in_time(text: str) -> None:
    place = Diff("/body", "changed", text, text[:-9] + "END", "changed")
    call = event(1, "post", {"body": place.observed}, result=text)
    wrong = finding("arguments_ok", "changed", "body", path="/body")
    opened = detail((StepRow("changed", call, 1, "post", (place,), (wrong,)),))
    document = Document(opened, 100, UNICODE)
    assert _cpu(lambda: Document(opened, 100, UNICODE)) < SLOW
    assert _cpu(lambda: lines_of(document)) < SLOW
    at = line_with(document, "body")
    assert _cpu(lambda: document.toggle(at)) < SLOW
    assert _cpu(lambda: lines_of(document)) < SLOW
    more = line_with(document, "more of it")
    assert _cpu(lambda: document.toggle(more)) < SLOW
    assert document.line_count > 400


def _cpu(press: Any) -> float:
    started = time.process_time()
    press()
    return time.process_time() - started
