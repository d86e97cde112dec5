"""In which way two values differ, for those that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Any

from traceview import jsontext
from traceview.evaluate.arithmetic import nearly
from traceview.evaluate.evidence import held_by
from traceview.evaluate.instants import instant
from traceview.evaluate.values import canonical, same, type_name
from traceview.model import FindingKind

_SPACES = str.maketrans(
    dict.fromkeys(
        "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
)
_WHOLE = re.compile(r"-?[0-9]+")
_ALIKE = 100_000  # characters of texts that are looked at for what they have in common


def explain_difference(expected: Any, observed: Any) -> tuple[FindingKind, str | None]:
    """How two differing values differ: the kind of the finding, and a note where they look alike.

    The note names the cast or kind of the contract that would forgive the difference.
    """
    left, right = type_name(expected), type_name(observed)
    if left != right:
        alike = _same_looks(expected, observed, left, right)
        return "type", f"{right} for {left}" + (f"; {alike}" if alike else "")
    if left == "text":
        return _texts(expected, observed)
    if left == "number" and nearly(expected, observed):
        return "changed", 'differs only in the last digits (kind "number" with abs or rel would accept it)'
    if left == "list" and len(expected) == len(observed) and same_items(expected, observed):
        return "order", 'same items in another order (kind "bag" or "set" would accept it)'
    return "changed", None


def same_items(a: list[Any], b: list[Any]) -> bool:
    """Whether two lists hold the same items, counted, in any order."""
    return Counter(map(canonical, a)) == Counter(map(canonical, b))


def _same_looks(expected: Any, observed: Any, left: str, right: str) -> str | None:
    """What two values of different type have in common to a reader, and what would make them equal."""
    if left == "text":
        if right in ("number", "boolean", "null") and expected.lower() == jsontext.show(observed).lower():
            cast = {"boolean": "bool", "null": "json"}.get(right)
            cast = cast or ("int" if _WHOLE.fullmatch(expected) else "float")
            return f'written the same (the cast "{cast}" of a column makes the expected value a {right})'
        if right in ("list", "object") and same(held_by(expected), observed):
            return f'the text holds that {right} (the cast "json" of a column makes it one)'
    elif right == "text":
        if left in ("number", "boolean", "null") and observed.lower() == jsontext.show(expected).lower():
            return "written the same, other type"
        if left in ("list", "object") and same(expected, held_by(observed)):
            return f'the text holds that {left} (kind "json" would accept it)'
    return None


def _texts(expected: str, observed: str) -> tuple[FindingKind, str | None]:
    if len(expected) > _ALIKE or len(observed) > _ALIKE:
        return "changed", None
    if not (expected.isascii() and observed.isascii()):
        if unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", observed):
            return "text_form", "differs only in Unicode form (composed against decomposed)"
        if expected.translate(_SPACES) == observed.translate(_SPACES):
            return "text_form", "differs only in the kind of space (no-break space)"
        if unicodedata.normalize("NFKC", expected) == unicodedata.normalize("NFKC", observed):
            return "text_form", "differs only in Unicode compatibility form"
    a, b = instant(expected), instant(observed)
    if a is not None and b is not None and a.has_zone and b.has_zone and not a.apart(b):
        return "changed", 'same instant, written differently (kind "instant" would accept it)'
    if expected.strip() == observed.strip():
        return "changed", "differs only in spaces at the ends"
    if expected.casefold() == observed.casefold():
        return "changed", 'differs only in upper and lower case (kind "iequals" would accept it)'
    return "changed", None
