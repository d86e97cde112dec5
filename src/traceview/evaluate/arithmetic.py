"""Numbers as they are written, exactly and at any size."""

from __future__ import annotations

import decimal
from decimal import Decimal

from traceview.model import Number

_FLOAT_EXACT_INT = 2**53  # beyond it the digits of a float's text and its binary value can differ

EXACTLY = decimal.Context(prec=10_000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
"""For sums and products of recorded numbers: more digits than they have, and no exception whatever they
are."""


def exact(value: float) -> Decimal | None:
    """The number as it is written, exactly; None for what is not finite."""
    if isinstance(value, Number):
        return value.exact
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def same_number(a: float, b: float) -> bool:
    """Whether two numbers are equal as they are written; what is not finite equals its own text only."""
    if not isinstance(a, Number) and not isinstance(b, Number) and -_FLOAT_EXACT_INT < a < _FLOAT_EXACT_INT:
        return a == b
    left, right = exact(a), exact(b)
    if left is None or right is None:
        return isinstance(a, Number) and isinstance(b, Number) and a.text == b.text
    return left == right


def nearly(a: float, b: float) -> bool:
    """Whether two numbers agree but for their last digits, as sums in floating point do."""
    left, right = exact(a), exact(b)
    if left is None or right is None or not left:
        return False
    with decimal.localcontext(EXACTLY):
        return abs(left - right) <= abs(left) * Decimal("1e-12")
