"""Reading JSON without changing it.

Two readers stand behind :func:`decode`. msgspec is fast and strict, and refuses a few things that recordings
hold (``NaN``, lone surrogates, very long integers); the standard reader takes those lines. Both keep every
digit of a number (:class:`traceview.model.Number`) and the order of keys, and both report repeated keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from traceview.jsontext.writing import pointer
from traceview.model import Number, number

__all__ = [
    "MAX_DEPTH",
    "BadJson",
    "Decoded",
    "Duplicate",
    "decode",
    "decode_line",
    "decode_text",
    "decode_together",
    "members_before_break",
]

MAX_DEPTH = 200
"""Levels of nesting that are read. Python's recursion limit bounds what can be compared and shown afterwards;
a recorded call nests a handful of levels, a hostile line a million."""

_INT_DIGITS = 4300  # int() refuses longer text (CPython's guard against quadratic conversion)


class Duplicate(NamedTuple):
    """A key that an object holds more than once: ``path`` is the JSON Pointer of the object, ``values`` all
    values in their order. The last one is the one that counts."""

    path: str
    key: str
    values: tuple[Any, ...]


class Decoded(NamedTuple):
    """A JSON text as Python values, and the keys that were repeated in it."""

    value: Any
    duplicates: tuple[Duplicate, ...]


class BadJson(ValueError):
    """Text that is not JSON. ``message`` is one line for a reader; ``column`` counts characters from 1
    (0: not known). ``cut``: it may be the beginning of JSON whose rest is missing. ``byte``: the place of the
    first byte that is no UTF-8, counted from 0."""

    def __init__(self, message: str, column: int = 0, *, cut: bool = False, byte: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.cut = cut
        self.byte = byte


_decoder = msgspec.json.Decoder(float_hook=number)
_fast = _decoder.decode
_fast_lines = _decoder.decode_lines
_again = msgspec.json.Encoder(enc_hook=lambda number: 0).encode
_MINUS_ZERO = re.compile(rb"-0(?:[\s,\]}]|\Z)")


def decode(data: bytes) -> Decoded:
    """Decode one JSON text (UTF-8, no byte order mark).

    :raises BadJson: not JSON, not UTF-8, or nested deeper than :data:`MAX_DEPTH`.
    """
    return Decoded._make(decode_line(data))


def decode_line(data: bytes) -> tuple[Any, tuple[Duplicate, ...]]:
    """As :func:`decode`, for hundreds of thousands of lines: a bare tuple."""
    try:
        value = _fast(data)
    except (msgspec.DecodeError, RecursionError):
        return _faithful(data)
    try:
        again = _again(value)
    except (TypeError, ValueError, RecursionError):
        return _faithful(data)
    if not _kept_all(data, again):
        return _faithful(data)
    if _may_nest(data, 0, len(data)) and not _shallow(data):
        _check_depth(value)
    return value, ()


def decode_together(data: bytes, lengths: Sequence[int]) -> list[Any] | None:
    """The values of lines that stand behind each other, as :func:`decode_line` reads each: in two thirds of
    the time. None where one of them must be looked at by itself.

    :param lengths: bytes of each line, its end included.
    """
    try:
        values: list[Any] = _fast_lines(data)
        again = _again(values)
    except (msgspec.DecodeError, TypeError, ValueError, RecursionError):
        return None
    if len(values) != len(lengths) or not _kept_all(data, again):
        return None
    # What nests too deep takes at least two brackets a level.
    if max(lengths, default=0) > 2 * MAX_DEPTH and _may_nest(data, 0, len(data)):
        at = 0
        for length in lengths:
            end = at + length
            if length > 2 * MAX_DEPTH and _may_nest(data, at, end) and not _shallow(data[at:end]):
                return None
            at = end
    return values


def _kept_all(data: bytes, again: bytes) -> bool:
    """Whether nothing got lost in reading, by what is written again.

    A repeated key loses at least its two quotes; an escaped quote has one either way, unless it is written as
    a code point. -0 is read as 0, which loses its sign; so does a number that keeps its text, and an escaped
    sign becomes one.
    """
    if again.count(b'"') != data.count(b'"'):
        return False
    escapes = b"\\" in data
    if escapes and b"\\u0022" in data:
        return False
    signs = again.count(b"-") != data.count(b"-") or (escapes and b"\\u002" in data)
    return not (signs and _MINUS_ZERO.search(data))


def _may_nest(data: bytes, start: int, end: int) -> bool:
    """Whether JSON may nest too deep: an object that holds another one has a key, so few quotes and brackets
    can't."""
    return data.count(b'"', start, end) // 2 + 1 + data.count(b"[", start, end) > MAX_DEPTH


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _shallow(data: bytes) -> bool:
    """Whether JSON surely nests no deeper than :data:`MAX_DEPTH`: without anything but its brackets, taking
    away the innermost pairs that often leaves nothing. (Brackets in texts may keep it from telling.)"""
    left = data.translate(None, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):
        inner = len(left)
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if not left or len(left) == inner:
            break
    return not left


def decode_text(text: str) -> Decoded:
    """Decode JSON that is itself the text of a JSON value; such text may hold lone surrogates.

    :raises BadJson: as :func:`decode`.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return _faithful_text(text)
    return decode(data)


class _Repeats(dict[str, Any]):
    """An object with repeated keys, until :func:`_unfold` has said where it stands."""

    pairs: list[tuple[str, Any]]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    repeats = _Repeats(value)
    repeats.pairs = pairs
    return repeats


def _integer(text: str) -> int | Number:
    return Number(text) if len(text) > _INT_DIGITS or text == "-0" else int(text)


_standard = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=number, parse_int=_integer, parse_constant=Number
)


def _faithful(data: bytes) -> Decoded:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"
        message = f"not valid UTF-8 at byte {error.start + 1} (0x{data[error.start]:02x})"
        raise BadJson(message, cut=cut, byte=error.start) from None
    return _faithful_text(text)


def _faithful_text(text: str) -> Decoded:
    try:
        value = _standard.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(_reason(error), error.pos + 1, cut=_is_cut(error)) from None
    except RecursionError:
        raise BadJson(f"nested deeper than {MAX_DEPTH} levels") from None
    _check_depth(value)
    duplicates: list[Duplicate] = []
    value = _unfold(value, "", duplicates)
    return Decoded(value, tuple(duplicates))


def _check_depth(value: Any) -> None:
    """Refuse what nests too deep to be compared and shown.

    :raises BadJson: deeper than :data:`MAX_DEPTH`.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list) and inner
        ]
        if not level:
            return
    raise BadJson(f"nested deeper than {MAX_DEPTH} levels")


def _unfold(value: Any, path: str, found: list[Duplicate]) -> Any:
    if isinstance(value, dict):
        if isinstance(value, _Repeats):
            for key in value:
                values = tuple(v for k, v in value.pairs if k == key)
                if len(values) > 1:
                    found.append(Duplicate(path, key, tuple(_unfold(v, "", []) for v in values)))
            value = dict(value)
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                value[key] = _unfold(inner, f"{path}/{pointer(key)}", found)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, dict | list):
                value[index] = _unfold(inner, f"{path}/{index}", found)
    return value


_NUMBER_CUT = (".", "e", "E", "e+", "e-", "E+", "E-")  # what may stand behind a number's last digit
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether the text may be the beginning of valid JSON."""
    text = error.doc.rstrip(" \t\r\n")
    if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
        return True
    rest = text[error.pos :]
    if error.msg.startswith("Invalid \\uXXXX"):
        return len(rest) < 6 and '"' not in rest
    return rest in _NUMBER_CUT or any(literal.startswith(rest) for literal in _LITERALS)


def _reason(error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return f"more text after the end of the JSON value, at column {error.pos + 1}"
    if not error.doc.strip(" \t\r\n"):
        return "no JSON value"
    if _is_cut(error):
        return f"ends in the middle of a JSON value, at column {len(error.doc.rstrip()) + 1}"
    what = error.msg[:1].lower() + error.msg[1:]
    return f"{what.removesuffix(' at')} at column {error.pos + 1}"


_BLANKS = re.compile(r"[ \t\r\n]*")


def members_before_break(text: str) -> dict[str, Any]:
    """The members of a broken JSON object that stand whole before the break, of the top level only.

    A number counts as whole only when something follows it: the rest may have been lost.
    """
    members: dict[str, Any] = {}
    at = _BLANKS.match(text).end()  # type: ignore[union-attr]
    if text[at : at + 1] != "{":
        return members
    at += 1
    try:
        while True:
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
            key, at = _standard.raw_decode(text, at)
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
            if not isinstance(key, str) or text[at : at + 1] != ":":
                return members
            at = _BLANKS.match(text, at + 1).end()  # type: ignore[union-attr]
            value, at = _standard.raw_decode(text, at)
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
            if at < len(text) or isinstance(value, str | dict | list):
                members[key] = value
            if text[at : at + 1] != ",":
                return members
            at += 1
    except (ValueError, RecursionError):
        return members
