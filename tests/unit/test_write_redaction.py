"""Values that the contract hides are in no export, whichever way they would get there."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace

from details import detail, event
from rows import finding, report, row
from traceview.compare import compare
from traceview.evaluate.detail import Diff, EvidenceGroup, StepRow
from traceview.jsontext import dumps
from traceview.model import MISSING, Problem
from traceview.results import Report
from traceview.write import FORMATS, Options, comparison, writer
from traceview.write.redaction import redacted

SECRET = "s3cret"


def made() -> Report:
    rows = [
        row(
            "A",
            "fail",
            "wrong_arguments",
            failing=["arguments_ok"],
            signature="arguments_ok login /auth/token changed",
            recorded={"reward": 1, "api_token": SECRET},
            findings=[
                finding(
                    path="/auth/token/0", expected=SECRET, observed=MISSING, message=f"token is not {SECRET}"
                ),
                finding(path="/auth", observed={"user": "u", "deep": [{"token": SECRET}]}, message=SECRET),
                finding(path="/room", message="room is R1, expected R2"),
            ],
        )
    ]
    about = report(
        rows, problems=[Problem("duplicate_key", "warning", "t", 1, "A", f"duplicate key token: {SECRET}")]
    )
    assert about.contract is not None
    return replace(about, contract=replace(about.contract, redact=("token", "*_token")))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("png", "svg")])
def test_no_format_shows_it(name: str) -> None:
    stream = io.StringIO()
    writer(name)(made(), stream, Options())
    assert SECRET not in stream.getvalue()


def test_a_run_that_is_opened_shows_it_nowhere() -> None:
    args = {"user": "u", "token": SECRET, "deep": {"x_token": [SECRET]}}
    call = event(
        1, "login", args, result={"token": SECRET, "n": 7}, error=f'{{\\"api_token\\": \\"{SECRET}\\", "cut'
    )
    cut = event(2, "login", f'{{"token": "{SECRET}', output=dumps({"a": [{"token": SECRET}]}))
    wrong = Diff("/token", "changed", SECRET, SECRET + "x", "changed", f"{SECRET} is not {SECRET}x")
    whole = Diff("", "changed", {"user": "u"}, {"user": "v", "api_token": SECRET})
    steps = (
        StepRow("changed", call, 1, "login", (wrong, whole), (finding(path="/token", message=SECRET),)),
        StepRow("extra", cut, None, None, (), ()),
        StepRow("missing", None, 2, "login", (Diff("/token/0", "missing", SECRET, MISSING),), ()),
    )
    opened = detail(
        steps,
        final=(Diff("/state/token", "changed", "a", SECRET),),
        groups=(EvidenceGroup("Outcome", "fail", (Diff("/api_token", "uncompared", MISSING, SECRET),)),),
        findings=(finding(path="/token", step=None, message=SECRET),),
        recorded={"token": SECRET, "reward": 0.5},
    )
    stream = io.StringIO()
    writer("html")(made(), stream, Options(detail=lambda _: opened))
    text = stream.getvalue()
    assert SECRET not in text
    for shown in ("(redacted)", 'n\\": 7', '\\"user\\": \\"v\\"', "0.5"):
        assert shown in text, shown
    assert SECRET in str(opened)  # it was there to be hidden


def test_what_is_not_hidden_stays() -> None:
    first, second, third = redacted(made()).rows[0].result.findings
    assert (first.expected, first.observed) == ("(redacted)", MISSING)
    assert first.message == "reserve_room.auth.token.0: changed, its value is redacted"
    assert second.observed == {"user": "u", "deep": [{"token": "(redacted)"}]}
    assert third.message == "room is R1, expected R2" and third.observed == 60


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f'x_token "{SECRET}" is no whole number', "x_token (redacted)"),
        (
            f'step on line 6 is {{"a": 1, "token": "{SECRET}"}}, not a',
            'step on line 6 is {"a": 1, "token" (redacted)',
        ),
        (
            f'step 2 is repeated; step on line 6 is {{"token": {{"b": "{SECRET}',
            'step 2 is repeated; step on line 6 is {"token" (redacted)',
        ),
        (
            f'no case id: case_id is {{"t": "{{\\"token\\": \\"{SECRET}',
            'no case id: case_id is {"t": "{\\"token\\" (redacted)',
        ),
        (f'args repeats the key "a" ("{SECRET}" and 2)', 'args repeats the key "a" (redacted)'),
        (f'pass word "{SECRET}" is no instant', "pass word (redacted)"),
        ("line 3 has no step", "line 3 has no step"),
        ('room "R1" is no whole number', 'room "R1" is no whole number'),
    ],
)
@pytest.mark.parametrize("name", ["text", "json", "csv", "markdown", "junit", "github", "html"])
def test_a_message_ends_where_it_would_quote_what_is_hidden(name: str, written: str, shown: str) -> None:
    broken = row("A", "unusable", notes=[written])
    broken = replace(broken, case=replace(broken.case, problem=written))
    about = report([broken], problems=[Problem("bad_cell", "error", "c.csv", 2, "A", written)])
    assert about.contract is not None
    about = replace(about, contract=replace(about.contract, redact=("token", "*_token", "pass word")))
    hidden = redacted(about)
    assert hidden.problems[0].message == hidden.rows[0].case.problem == shown
    assert hidden.rows[0].result.notes == (shown,)
    run = event(1, "login", {}, status=f'{{"token": "{SECRET}"}}')
    opened = detail((StepRow("extra", run, None, None, (), ()),), problem=written, notes=(written,))
    stream = io.StringIO()
    writer(name)(about, stream, Options(detail=lambda _: opened))
    assert SECRET not in stream.getvalue()


def test_a_comparison_shows_no_hidden_cell() -> None:
    written = f'token "{SECRET}" is no whole number'
    broken = row("A", "unusable", notes=[written])
    broken = replace(broken, case=replace(broken.case, problem=written))
    about = report([broken], problems=[Problem("bad_cell", "error", "c.csv", 2, "A", written)])
    assert about.contract is not None
    about = replace(about, contract=replace(about.contract, redact=("token",)))
    for name in comparison.FORMATS:
        stream = io.StringIO()
        comparison.writer(name)(compare(about, about), stream, Options())
        assert SECRET not in stream.getvalue()


def test_words_and_titles_that_are_hidden() -> None:
    status = finding("tools_succeeded", None, "status", "ok", SECRET, message=f"status is {SECRET}")
    one = row("A", "fail", title=SECRET, cells={"wish": SECRET}, findings=[status], statuses=[SECRET])
    about = report([one])
    assert about.contract is not None
    about = replace(about, contract=replace(about.contract, redact=("status", "wish")))
    shown = redacted(about).rows[0]
    assert (shown.title, shown.result.statuses) == ("(redacted)", ("(redacted)",))
    assert SECRET not in str(shown.result)


def test_without_a_rule_nothing_changes() -> None:
    whole = report()
    assert redacted(whole) is whole
