"""Which texts are instants: a date and a time of day as RFC 3339 and ISO 8601 write them."""

from __future__ import annotations

import re
from datetime import datetime

__all__ = ["refusal"]

_SHAPE = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(?P<zone>[Zz]|[+-]\d{2}(:?\d{2})?)?", re.ASCII
)


def refusal(text: str) -> str | None:
    """Why ``text`` is no instant; None if it is one.

    A time without a zone is accepted (comparing with it is unknown, not an error of whoever wrote it).
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        return "not a date and time such as 2031-04-07T09:30:00+02:00"
    zone = match.group("zone")
    try:
        datetime.fromisoformat(text[: match.start("zone")] if zone else text)
    except ValueError as error:
        return str(error)
    if zone and zone not in "Zz" and not (int(zone[1:3]) <= 23 and int(zone[-2:] if zone[3:] else 0) <= 59):
        return f"unknown time zone {zone}"
    return None
