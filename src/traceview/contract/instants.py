"""Texts that denote a moment: a date and a time of day, as RFC 3339 and ISO 8601 write them."""

from __future__ import annotations

import re
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Instant", "parse", "refusal"]

_SHAPE = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,40}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1)


class Instant(NamedTuple):
    """A moment to the last digit that was written: ``seconds`` since 1970-01-01T00:00:00, of UTC where
    ``zoned``, else of a clock in a place that no one named."""

    seconds: Fraction
    zoned: bool


def parse(text: str) -> Instant | None:
    """The moment that ``text`` denotes; None if it is no date and time."""
    read = _read(text)
    return read if isinstance(read, Instant) else None


def refusal(text: str) -> str | None:
    """Why ``text`` is no instant; None if it is one.

    A time without a zone is one (comparing with it is unknown, not a mistake of whoever wrote it).
    """
    read = _read(text)
    return read if isinstance(read, str) else None


def _read(text: str) -> Instant | str:
    match = _SHAPE.fullmatch(text)
    if match is None:
        return "not a date and time such as 2031-04-07T09:30:00+02:00"
    day, minute, second, fraction, zone = match.groups()
    leap = second == "60"  # RFC 3339 5.7: the second after :59
    try:
        moment = datetime.fromisoformat(f"{day}T{minute}:{'59' if leap else second or '00'}")
    except ValueError as error:
        return str(error)
    offset = 0
    if zone and zone not in "Zz":
        hours, minutes = int(zone[1:3]), int(zone[-2:]) if zone[3:] else 0
        if hours > 23 or minutes > 59:
            return f"unknown time zone {zone}"
        offset = (hours * 60 + minutes) * (-60 if zone[0] == "-" else 60)
    since = moment - _EPOCH
    whole = since.days * 86400 + since.seconds + leap - offset
    if fraction is None:
        return Instant(Fraction(whole), zone is not None)
    return Instant(whole + Fraction(int(fraction), 10 ** len(fraction)), zone is not None)
