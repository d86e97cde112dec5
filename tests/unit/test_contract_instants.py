"""Which texts are moments, and which moments are the same."""

from __future__ import annotations

from fractions import Fraction

import pytest

from traceview.contract.instants import parse, refusal


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("2031-04-07T09:30:00+02:00", "2031-04-07T07:30:00Z"),
        ("2031-04-07T09:30:00+0200", "2031-04-07 07:30z"),
        ("2031-04-07T09:30:00-03", "2031-04-07T12:30:00.000Z"),
        ("2030-12-31T23:59:60Z", "2031-01-01T00:00:00+00:00"),
        ("2031-04-07T09:30:00.5", "2031-04-07t09:30:00,50"),
    ],
)
def test_one_moment_in_two_ways(a: str, b: str) -> None:
    assert parse(a) == parse(b) is not None


def test_every_digit_counts() -> None:
    a, b = parse("2031-04-07T09:30:00.123456789Z"), parse("2031-04-07T09:30:00.123456788Z")
    assert a is not None and b is not None
    assert a.seconds - b.seconds == Fraction(1, 10**9)


def test_a_time_without_a_zone_is_told_apart() -> None:
    naive = parse("2031-04-07T09:30:00")
    assert naive is not None and not naive.zoned
    assert naive != parse("2031-04-07T09:30:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2031-04-07",
        "09:30:00",
        "20310407T093000Z",
        "2031-W15-1T09:30:00Z",
        "2031-04-07T9:30:00Z",
        "2031-04-07T09:30:00Z ",
        "2031-04-07T09:30:00 CET",
        "2031-04-07T24:00:00Z",
        "2031-02-29T09:30:00Z",
        "2031-04-07T09:30:00+24:00",
        "2031-04-07T09:30:00+02:60",
        "0000-04-07T09:30:00Z",
        "٢٠٣١-04-07T09:30:00Z",
    ],
)
def test_what_is_no_moment(text: str) -> None:
    assert parse(text) is None
    assert refusal(text)
