"""Values from data as a reader sees them: on one line with their size, and in full.

Pure functions on JSON values (:mod:`traceview.model`). They never write out more of a long value than they
were asked for, so that a megabyte in one argument costs what its visible part costs. What they return is text
as recorded: the caller passes it through :mod:`traceview.sanitize`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from traceview.jsontext import path_words
from traceview.model import MISSING, Number

__all__ = [
    "MISSING_WORD",
    "count",
    "is_short",
    "needs_quotes",
    "one_line",
    "parsed",
    "path_words",
    "pretty",
    "size_words",
    "type_word",
]

MISSING_WORD: Final = "(missing)"
_FEW: Final = 4  # entries up to which a list or object is written out to see how long it is
_INLINE: Final = 60  # characters up to which a list or object stays on one line of a pretty print
_PARSE: Final = 150_000  # characters up to which a text is tried as JSON

# Text that a reader could take for another JSON type, or whose ends could not be seen, is shown in quotes.
_LOOKS_LIKE_OTHER: Final = re.compile(
    r"""[+-]?(?:[0-9._]+(?:[eE][+-]?[0-9_]*)?|0[xXoObB][0-9a-fA-F_]+|inf(?:inity)?|nan)
      | true | false | null | none | \(missing\)""",
    re.VERBOSE | re.IGNORECASE,
)
_OPENS_JSON: Final = frozenset("{[\"'")


# -- one value -------------------------------------------------------------------------------------------


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 key``, ``1,200 keys``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def type_word(value: Any) -> str:
    """The JSON type of a value, in a word; "missing" for an absent one."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object"


def size_words(value: Any) -> str:
    """How large a value is: characters of a text, items of a list, keys of an object; "" for the rest."""
    if isinstance(value, str):
        return count(len(value), "character")
    if isinstance(value, list):
        return count(len(value), "item")
    if isinstance(value, dict):
        return count(len(value), "key")
    return ""


def needs_quotes(text: str) -> bool:
    """Whether a text on its own would be taken for something else (a number, ``null``, nothing …)."""
    if not text or text[0] in _OPENS_JSON or text[0].isspace() or text[-1].isspace():
        return True
    return len(text) <= 40 and _LOOKS_LIKE_OTHER.fullmatch(text) is not None


def is_short(value: Any, cells: int) -> bool:
    """Whether a value surely fits in ``cells``, by a look at its size alone."""
    kind = type(value)
    if kind is str:
        return _cells_at_most(value) + 2 <= cells
    if kind is int:
        return -99_999 < value < 999_999 or len(_scalar(value)) <= cells
    if kind is dict or kind is list:
        if not value or len(value) > _FEW:
            return not value
        text, whole = one_line(value, cells)
        return whole and _cells_at_most(text) <= cells
    if value is MISSING:
        return len(MISSING_WORD) <= cells
    if kind is bool or value is None:
        return True
    return len(_scalar(value)) <= cells


def _cells_at_most(text: str) -> int:
    """A bound on the cells of a text once it is visible; exact for printable ASCII."""
    if not text.isprintable():
        return 10 * len(text)  # a stand-in such as <U+10FFFF>
    return len(text) if text.isascii() else 2 * len(text)


def _scalar(value: Any) -> str:
    if isinstance(value, Number):
        return value.text
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def one_line(value: Any, limit: int) -> tuple[str, bool]:
    """A value as text, at most ``limit`` characters of it, and whether that is all.

    Text stands without quotes unless it could be taken for something else; everything else as JSON, an absent
    value as ``(missing)``. A text keeps its line breaks: the caller makes them visible.
    """
    if value is MISSING:
        return MISSING_WORD, True
    if isinstance(value, str):
        if needs_quotes(value):
            # Not as JSON: a backslash stays one backslash, letter for letter.
            return (f'"{value}"', True) if len(value) + 2 <= limit else (f'"{value[: limit - 1]}', False)
        return (value, True) if len(value) <= limit else (value[:limit], False)
    parts: list[str] = []
    room = limit
    for piece in _pieces(value, limit):
        parts.append(piece)
        room -= len(piece)
        if room < 0:
            return "".join(parts)[:limit], False
    return "".join(parts), True


def _pieces(value: Any, limit: int) -> Iterator[str]:
    """The JSON text of a value, piece by piece; a text inside it is cut beyond ``limit`` characters."""

    def scalar(item: Any) -> str:
        if isinstance(item, str) and len(item) > limit:
            return json.dumps(item[: limit + 1], ensure_ascii=False)
        if isinstance(item, (dict, list)):
            return "{}" if isinstance(item, dict) else "[]"
        return _scalar(item)

    if not isinstance(value, (dict, list)) or not value:
        yield scalar(value)
        return
    # A stack of its own instead of recursion: data may be nested deeper than Python calls.
    yield "{" if isinstance(value, dict) else "["
    frames = [_entries(value)]
    closes = ["}" if isinstance(value, dict) else "]"]
    while frames:
        for first, key, item in frames[-1]:
            if not first:
                yield ", "
            if key is not None:
                yield scalar(key) + ": "
            if isinstance(item, (dict, list)) and item:
                yield "{" if isinstance(item, dict) else "["
                frames.append(_entries(item))
                closes.append("}" if isinstance(item, dict) else "]")
                break
            yield scalar(item)
        else:
            frames.pop()
            yield closes.pop()


def _entries(value: dict[str, Any] | list[Any]) -> Iterator[tuple[bool, str | None, Any]]:
    """(whether it is the first, key or None, item) of a list or object."""
    if isinstance(value, dict):
        for index, (key, item) in enumerate(value.items()):
            yield index == 0, key, item
    else:
        for index, item in enumerate(value):
            yield index == 0, None, item


def pretty(value: Any) -> Iterator[str]:
    """The lines of a value in full: JSON indented, short lists and objects on one line; a text as it is.

    Lines come one at a time, as they are asked for. A text is one line however long it is, and keeps its own
    line breaks.
    """
    if isinstance(value, str):
        yield value
        return
    if not isinstance(value, (dict, list)) or not value:
        yield MISSING_WORD if value is MISSING else one_line(value, 1 << 60)[0]
        return
    yield "{" if isinstance(value, dict) else "["
    frames = [_entries(value)]
    ends = [(len(value), "}" if isinstance(value, dict) else "]", "")]
    done = [0]
    while frames:
        indent = "  " * len(frames)
        for _, key, item in frames[-1]:
            done[-1] += 1
            comma = "," if done[-1] < ends[-1][0] else ""
            name = f"{_scalar(key)}: " if key is not None else ""
            if isinstance(item, (dict, list)) and item:
                text, whole = one_line(item, _INLINE)
                if whole:
                    yield f"{indent}{name}{text}{comma}"
                    continue
                yield indent + name + ("{" if isinstance(item, dict) else "[")
                frames.append(_entries(item))
                ends.append((len(item), "}" if isinstance(item, dict) else "]", comma))
                done.append(0)
                break
            yield indent + name + next(iter(_pieces(item, 1 << 60))) + comma
        else:
            frames.pop()
            done.pop()
            _, close, comma = ends.pop()
            yield "  " * len(frames) + close + comma


def parsed(text: str) -> Any:
    """The list or object that a text holds as JSON; MISSING when it holds none, or when it would not be the
    same text again but for blanks and escapes (a repeated key, for one)."""
    if text[:64].lstrip()[:1] not in ("{", "[") or len(text) > _PARSE:
        return MISSING
    try:
        value = json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number)
        again = "".join(_pieces(value, len(text)))
    except (ValueError, RecursionError):
        return MISSING
    packed = "".join(text.split())
    if packed == "".join(again.split()):
        return value
    return value if packed == "".join(_escaped(again).split()) else MISSING


def _escaped(text: str) -> str:
    """JSON text as writers give it that escape everything beyond ASCII."""
    return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found.group())[1:-1], text)
