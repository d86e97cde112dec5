"""Values that the contract hides are in no export, whichever way they would get there."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace

from rows import finding, report, row
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


def test_what_is_not_hidden_stays() -> None:
    first, second, third = redacted(made()).rows[0].result.findings
    assert (first.expected, first.observed) == ("(redacted)", MISSING)
    assert first.message == "reserve_room.auth.token.0: changed, its value is redacted"
    assert second.observed == {"user": "u", "deep": [{"token": "(redacted)"}]}
    assert third.message == "room is R1, expected R2" and third.observed == 60


def test_without_a_rule_nothing_changes() -> None:
    whole = report()
    assert redacted(whole) is whole
