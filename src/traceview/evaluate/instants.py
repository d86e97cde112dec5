"""Moments in time, exactly: RFC 3339 / ISO 8601 texts with a date and a time of day."""

from __future__ import annotations

import decimal
import re
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from msgspec import Struct

from traceview.contract.instants import refusal
from traceview.evaluate.arithmetic import EXACTLY

_FRACTION = re.compile(r"[.,](\d+)", re.ASCII)


class Instant(Struct, frozen=True):
    """A time as written: whole seconds, and the fraction with all its digits (``datetime`` keeps six)."""

    second: datetime
    fraction: Decimal

    @property
    def has_zone(self) -> bool:
        """Without a zone it denotes no moment."""
        return self.second.tzinfo is not None

    def apart(self, other: Instant) -> Decimal:
        """How many seconds lie between two moments; both need a zone."""
        whole = self.second - other.second
        with decimal.localcontext(EXACTLY):
            return abs(whole.days * 86400 + whole.seconds + self.fraction - other.fraction)


@lru_cache(maxsize=4096)
def _read(text: str) -> Instant | None:
    if refusal(text) is not None:
        return None
    digits = _FRACTION.search(text)
    # datetime.fromisoformat wants these two letters in upper case.
    second = datetime.fromisoformat(_FRACTION.sub("", text, count=1).upper())
    return Instant(second, Decimal(f"0.{digits[1]}") if digits is not None else Decimal(0))


def instant(value: Any) -> Instant | None:
    """The time that a value denotes; None if it is no text of a date and a time of day."""
    return _read(value) if isinstance(value, str) and 15 < len(value) < 100 else None
