"""Where two texts differ: word by word, in a window around the first difference, or as hunks.

Pure functions that stay fast on a megabyte: what is equal at both ends is found by comparing slices, and only
differing stretches of a readable length are matched word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final, NamedTuple

__all__ = ["Hunk", "Piece", "Window", "around", "code_points", "differences", "first_difference"]

_WORD_BY_WORD: Final = 20_000  # characters of differing text up to which it is compared word by word


class Piece(NamedTuple):
    """A part of a text, and whether the other side has another text here."""

    text: str
    differs: bool


class Hunk(NamedTuple):
    """A place where two texts differ, with the text around it. ``skipped``: equal characters left out before
    it; ``expected`` and ``observed``: the same place on both sides."""

    skipped: int
    expected: tuple[Piece, ...]
    observed: tuple[Piece, ...]


def first_difference(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    # Comparing slices is a memcmp: a few dozen of them beat a loop over a megabyte.
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(a: str, b: str, limit: int) -> int:
    """How many characters, at most ``limit``, two texts have in common at their end."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low


_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")


def _edges(a: str, b: str) -> tuple[int, int]:
    """Characters equal at the beginning and at the end, both moved back to the edge of a word."""
    start = first_difference(a, b)
    end = _common_end(a, b, min(len(a), len(b)) - start)
    at = start
    while at and start - at < 80 and a[at - 1].isalnum() and (a[at : at + 1] + b[at : at + 1])[:1].isalnum():
        at -= 1
    back = end
    while back and end - back < 80 and a[len(a) - back].isalnum() and a[len(a) - back - 1].isalnum():
        back -= 1
    return at, back


def _word_blocks(a: str, b: str) -> list[tuple[int, int, int, int, bool]]:
    """(from, to in a; from, to in b; differs) of the words of two texts, in order, without gaps."""
    if len(a) + len(b) > _WORD_BY_WORD:
        return [(0, len(a), 0, len(b), True)]
    words_a, words_b = _WORD.findall(a), _WORD.findall(b)
    if len(words_a) * len(words_b) > 400_000:  # a bound on the matcher, which is quadratic at worst
        return [(0, len(a), 0, len(b), True)]
    places_a, places_b = _places(words_a), _places(words_b)
    return [
        (places_a[i1], places_a[i2], places_b[j1], places_b[j2], tag != "equal")
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, words_a, words_b, autojunk=False).get_opcodes()
    ]


def _places(words: list[str]) -> list[int]:
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    return places


def differences(a: str, b: str, context: int = 40) -> Iterator[Hunk]:
    """The places where two texts differ, word by word, with up to ``context`` equal characters around each.

    Places that are close to one another come as one hunk. Differing stretches of many thousand characters are
    one piece as a whole. The last hunk may have no pieces: it then counts the equal characters at the end.
    """
    start, end = _edges(a, b)
    blocks = _word_blocks(a[start : len(a) - end], b[start : len(b) - end])
    stretches = [(0, start, 0, start, False)]
    stretches += [
        (i1 + start, i2 + start, j1 + start, j2 + start, differs) for i1, i2, j1, j2, differs in blocks
    ]
    left: list[Piece] = []
    right: list[Piece] = []
    skipped = 0
    for i1, i2, j1, j2, differs in stretches:
        size = i2 - i1
        if differs:
            left.extend([Piece(a[i1:i2], True)] if size else [])
            right.extend([Piece(b[j1:j2], True)] if j2 > j1 else [])
        elif (left or right) and size <= 2 * context:
            left.append(Piece(a[i1:i2], False))
            right.append(Piece(a[i1:i2], False))
        else:
            if left or right:
                after = Piece(a[i1 : i1 + context], False)
                yield Hunk(skipped, (*left, after), (*right, after))
                size -= context
            before = min(context, size)
            skipped = size - before
            left = [Piece(a[i2 - before : i2], False)] if before else []
            right = list(left)
    shown = min(context, end)
    tail = (Piece(a[len(a) - end : len(a) - end + shown], False),) if shown else ()
    yield Hunk(skipped, (*left, *tail), (*right, *tail))
    if end > shown:
        yield Hunk(end - shown, (), ())


class Window(NamedTuple):
    """Two texts cut to the same stretch around their first difference, which begins ``start`` characters in.
    ``more``: whether each side goes on behind it."""

    start: int
    expected: tuple[Piece, ...]
    observed: tuple[Piece, ...]
    more: tuple[bool, bool]


def around(a: str, b: str, size: int) -> Window:
    """The ``size`` characters of two texts in which their first difference shows, marked word by word."""
    at, end = _edges(a, b)
    first = first_difference(a, b)
    at = max(at, first - size // 3)  # a word may be longer than what is shown of it, as a hash is
    longest = max(len(a), len(b))
    start = 0 if first < size * 2 // 3 else max(0, min(at - size // 3, longest - size))
    stop = start + size
    # What lies far behind the window has no say in how its words are matched.
    far = stop + size
    blocks = _word_blocks(a[at : min(far, len(a) - end)], b[at : min(far, len(b) - end)])
    left = [Piece(a[start:at], False)]
    right = [Piece(b[start:at], False)]
    for i1, i2, j1, j2, differs in blocks:
        left.append(Piece(a[at + i1 : min(at + i2, stop)], differs))
        right.append(Piece(b[at + j1 : min(at + j2, stop)], differs))
    left.append(Piece(a[len(a) - end : stop], False))
    right.append(Piece(b[len(b) - end : stop], False))
    return Window(
        start,
        tuple(piece for piece in left if piece.text),
        tuple(piece for piece in right if piece.text),
        (len(a) > stop, len(b) > stop),
    )


def code_points(a: str, b: str, limit: int = 4) -> tuple[str, str]:
    """The code points at the first difference of two texts, for texts that look alike: ``U+00EB``."""
    at = first_difference(a, b)

    def words(text: str) -> str:
        return " ".join(f"U+{ord(char):04X}" for char in text[at : at + limit]) or "end of text"

    return words(a), words(b)
