"""JSON objects in a file: a JSON array of them, or one a line. Used for cases and for arrays of events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec
from msgspec import Struct

from traceview.jsontext import BadJson, Duplicate, decode, show
from traceview.model import Problem
from traceview.read.problems import InputError, Problems, make

__all__ = ["Item", "Objects", "Span", "array_items", "duplicate_problem", "read_objects"]


class Span(NamedTuple):
    """One item of a JSON array: the line where it starts, its offset in the file, its length in bytes."""

    line: int
    offset: int
    length: int


class Item(Struct, frozen=True):
    """One object. ``repeated``: the members that hold, or are, a repeated key."""

    value: Mapping[str, Any]
    line: int
    offset: int
    length: int
    repeated: frozenset[str] = frozenset()


class Objects(NamedTuple):
    """All objects of a file, and how many lines or items of it were none."""

    format: Literal["json", "jsonl"]
    items: list[Item]
    broken: int


def read_objects(file: BinaryIO, start: int, shown: str, what: str, problems: Problems) -> Objects:
    """Read all objects of a JSON array or of JSONL into memory.

    :param start: the offset at which ``file`` stands (behind a byte order mark).
    :raises InputError: one JSON document that is no array.
    """
    data = file.read()
    in_array = array_items(data)
    array = in_array is not None
    if in_array is None:
        _refuse_document(data, shown, what)
    spans = _lines(data) if in_array is None else in_array
    items = []
    broken = 0
    for line, offset, length in spans:
        text = data[offset : offset + length]
        place = "item" if array else "line"
        try:
            value, duplicates = decode(text.strip(b" \t\r\n"))
        except BadJson as error:
            broken += 1
            if error.cut and offset + length == len(data) and not text.endswith(b"\n"):
                problems.skip(
                    "incomplete_last_line", shown, line, f"incomplete last {place}: {error.message}"
                )
            elif error.byte is not None:
                at = start + offset + len(text) - len(text.lstrip()) + error.byte
                where = f"byte {at + 1} of the file (0x{data[at - start]:02x})"
                problems.skip("bad_utf8", shown, line, f"not valid UTF-8 at {where}")
            else:
                problems.skip("bad_json", shown, line, error.message)
            continue
        if not isinstance(value, dict):
            broken += 1
            problems.skip("not_an_object", shown, line, f"the {place} is no JSON object")
            continue
        for duplicate in duplicates:
            problems.take(duplicate_problem(duplicate, shown, line, None))
        repeated = frozenset(_member(duplicate) for duplicate in duplicates)
        items.append(Item(value, line, start + offset, length, repeated))
    return Objects("json" if array else "jsonl", items, broken)


def duplicate_problem(duplicate: Duplicate, shown: str, line: int, case_id: str | None) -> Problem:
    """The warning about a repeated key: both values, and which one is used."""
    values = ", then ".join(_short(show(value)) for value in duplicate.values)
    where = f" (in {duplicate.path})" if duplicate.path else ""
    return make(
        "duplicate_key",
        shown,
        line,
        f"duplicate key {duplicate.key}: {values} (the last is used){where}",
        case_id=case_id,
    )


def _member(duplicate: Duplicate) -> str:
    """The member of the whole object in which a key is repeated, or which is repeated itself."""
    head = duplicate.path.split("/", 2)[1:2]
    return head[0].replace("~1", "/").replace("~0", "~") if head else duplicate.key


def _short(text: str, width: int = 200) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _lines(data: bytes) -> Iterator[Span]:
    offset = 0
    for line, text in enumerate(data.split(b"\n"), 1):
        length = len(text) + 1 if offset + len(text) < len(data) else len(text)
        if text.strip(b" \t\r\n"):
            yield Span(line, offset, length)
        offset += length


def _refuse_document(data: bytes, shown: str, what: str) -> None:
    """A pretty-printed object would give a problem for each of its lines; say once what it is."""
    first = data.split(b"\n", 1)[0].strip()
    if not first.startswith(b"{") or b"\n" not in data.strip():
        return
    try:
        decode(first)
    except BadJson:
        try:
            value = decode(data.strip()).value
        except BadJson:
            return
        keys = ", ".join(list(value)[:8]) if isinstance(value, dict) else ""
        raise InputError(f"{shown}: is one JSON object (keys: {keys}); expected {what}") from None


# -- the items of a JSON array, as places in the file -----------------------------------------------------

_raws = msgspec.json.Decoder(list[msgspec.Raw])
_GAP = re.compile(rb"[ \t\r\n,]*")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|"|[\[\]{},]', re.DOTALL)


def array_items(data: bytes) -> list[Span] | None:
    """Where the items of a JSON array stand in ``data``, without reading them; None if it is no array (as a
    whole: one line of JSONL may well be an array).

    An array that breaks off is taken as far as it goes: its last item may be broken.
    """
    at = len(data) - len(data.lstrip(b" \t\r\n"))
    if data[at : at + 1] != b"[":
        return None
    ends: list[tuple[int, int]] | None
    try:
        ends = _strict_items(data, at + 1)
    except (msgspec.DecodeError, RecursionError):
        ends = _loose_items(data, at + 1)
        if ends is None:
            return None
    spans = []
    line, seen = 1, 0
    for offset, length in ends:
        line += data.count(b"\n", seen, offset)
        seen = offset
        spans.append(Span(line, offset, length))
    return spans


def _strict_items(data: bytes, at: int) -> list[tuple[int, int]]:
    found = []
    for raw in _raws.decode(data):
        at = _GAP.match(data, at).end()  # type: ignore[union-attr]
        length = len(memoryview(raw))
        found.append((at, length))
        at += length
    return found


def _loose_items(data: bytes, at: int) -> list[tuple[int, int]] | None:
    """By brackets alone, for arrays that hold what the strict reader refuses (NaN, a broken item, no end)."""
    found: list[tuple[int, int]] = []
    depth = 0
    begin = at
    for token in _TOKEN.finditer(data, at):
        kind = token[0]
        if kind in (b"{", b"["):
            depth += 1
        elif kind in (b"}", b"]") and depth:
            depth -= 1
        elif depth == 0 and kind in (b",", b"]"):
            _item(data, begin, token.start(), found)
            begin = token.end()
            if kind == b"]":
                return found if not data[begin:].strip() else None
    _item(data, begin, len(data), found)
    return found


def _item(data: bytes, begin: int, end: int, found: list[tuple[int, int]]) -> None:
    text = data[begin:end]
    lead = len(text) - len(text.lstrip(b" \t\r\n"))
    if lead < len(text):
        found.append((begin + lead, len(text.strip(b" \t\r\n"))))
