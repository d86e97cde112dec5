"""Text in terminal cells: where a line ends, and how a long text is wrapped without laying all of it out.

Everything here expects text that is visible already (:mod:`traceview.sanitize`): printable characters only.
Widths are those of ``rich.cells``, which the screen uses as well. A wide character is never halved, and a
combining mark or variation selector stays with the character before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.cells import cell_len, get_character_cell_size

__all__ = ["cell_len", "cut", "cut_start", "fit", "pad", "wrap", "wrapped"]


def fit(text: str, start: int, cells: int) -> int:
    """The end of the longest piece of ``text`` from ``start`` on that fills at most ``cells`` cells."""
    end = start + cells
    if end >= len(text):
        if text[start:].isascii():
            return len(text)
    elif text[start : end + 1].isascii():
        return end
    used, at, size = 0, start, len(text)
    while at < size:
        after = at + 1
        while after < size and not text[after].isascii() and get_character_cell_size(text[after]) == 0:
            after += 1
        used += cell_len(text[at:after])
        if used > cells:
            break
        at = after
    return at


def cut(text: str, cells: int, sign: str = "…") -> str:
    """``text`` in at most ``cells`` cells, ``sign`` (one cell) where it was cut."""
    end = fit(text, 0, max(0, cells))
    if end == len(text):
        return text
    return text[: fit(text, 0, cells - 1)] + sign if cells > 0 else ""


def cut_start(text: str, cells: int, sign: str = "…") -> str:
    """The end of ``text`` in at most ``cells`` cells, ``sign`` (one cell) where its beginning was cut."""
    if fit(text, 0, max(0, cells)) == len(text):
        return text
    at = max(0, len(text) - cells)
    while at < len(text) and cell_len(text[at:]) > cells - 1:
        at += 1
    return sign + text[at:] if cells > 0 else ""


def pad(text: str, cells: int) -> str:
    """``text`` filled with blanks up to ``cells`` cells; a longer one stays as it is."""
    return text + " " * (cells - cell_len(text))


def wrapped(text: str, cells: int) -> Iterator[str]:
    """The lines of ``text``, at most ``cells`` wide, one after the other as they are asked for.

    A line ends after a blank where there is one in its second half, else wherever it is full. The blanks
    stay, so that the lines joined are the text again. At least one line.
    """
    cells = max(1, cells)
    at, size = 0, len(text)
    while True:
        end = fit(text, at, cells)
        if end >= size:
            yield text[at:]
            return
        if end == at:  # a wide character in one cell: the screen crops it, but the text must go on
            end += 1
        elif text[end] != " ":
            blank = text.rfind(" ", at + (end - at) // 2, end)
            if blank >= 0:
                end = blank + 1
        yield text[at:end]
        at = end


def wrap(text: str, cells: int, lines: int, sign: str = "…") -> list[str]:
    """``text`` on at most ``lines`` lines; the last one ends with ``sign`` where more of it follows.

    For messages: the blank at which a line is broken is not shown again on the next one.
    """
    pieces = islice(wrapped(text, cells), lines + 1)
    found = [piece.lstrip(" ") if number else piece for number, piece in enumerate(pieces)]
    if len(found) > lines:
        last = found[lines - 1]
        del found[lines:]
        found[-1] = (last if cell_len(last) < cells else last[: fit(last, 0, cells - 1)]) + sign
    return found
