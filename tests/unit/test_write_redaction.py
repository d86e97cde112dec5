"""Values that the contract hides are in no export, whichever way they would get there."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace

from details import detail, event
from rows import finding, report, row
from traceview.evaluate.detail import Diff, EvidenceGroup, StepRow
from traceview.jsontext import dumps
from traceview.model import MISSING, Problem
from traceview.results import Report
from traceview.write import FORMATS, Options, writer
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


def test_without_a_rule_nothing_changes() -> None:
    whole = report()
    assert redacted(whole) is whole
