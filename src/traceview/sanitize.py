"""The one gate between text from data and a terminal.

Everything that a file contains passes :func:`visible` or :func:`visible_lines` before it is drawn or printed.
What comes out holds printable characters only (``str.isprintable``), so that no escape sequence, line break,
direction control or invisible character of the data acts on the terminal; what was replaced can be seen.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["cut", "visible", "visible_lines"]

TAB: Final = "    "
_LINE_BREAK: Final = re.compile(r"\r?\n")


class _StandIns(dict[int, str]):
    """For ``str.translate``: code point → what is drawn, worked out when it first comes up."""

    def __missing__(self, code: int) -> str:
        shown = _stand_in(code)
        if code < 0x10000:  # a bound on what hostile text can make this table hold
            self[code] = shown
        return shown


def _stand_in(code: int) -> str:
    char = chr(code)
    if char.isprintable():
        return char
    if char == "\t":
        return TAB
    if code < 0x20:
        return chr(0x2400 + code)  # ␀ … ␛ … ␟, the control pictures
    if code == 0x7F:
        return "␡"
    if code < 0xA0 and code != 0x85:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return f"\\u{code:04x}"
    if unicodedata.category(char) == "Zs":
        return (
            "␣"  # no-break, thin, ideographic …: blanks that are not the blank; letters around stay legible
        )
    return f"<U+{code:04X}>"


_STAND_INS: Final = _StandIns()


def visible(text: str, newline: str = "⏎") -> str:
    """``text`` on one line, every character of it printable.

    - a line break (``\\n`` or ``\\r\\n``) becomes ``newline``, a tab four spaces;
    - other C0 controls become their control pictures (``␛``), DEL ``␡``, a C1 control ``\\x9b``;
    - a lone surrogate becomes ``\\udcb2``; a blank other than U+0020 (no-break, ideographic …) ``␣``;
    - everything else that is not printable (bidi controls, joiners and other format characters, U+0085,
      U+2028, U+2029, private and unassigned ones) becomes ``<U+202E>``.

    Variation selectors and combining marks stay. ``newline`` is put in as it is.
    """
    if text.isprintable():
        return text
    if "\n" in text:
        return newline.join([_line(part) for part in _LINE_BREAK.split(text)])
    return text.translate(_STAND_INS)


def visible_lines(text: str) -> list[str]:
    """The lines of ``text`` (``\\n`` or ``\\r\\n`` ends one, U+2028 does not), each as :func:`visible`.

    Always at least one; a line break at the end gives an empty last line.
    """
    if text.isprintable():
        return [text]
    return [_line(part) for part in _LINE_BREAK.split(text)]


def _line(part: str) -> str:
    return part if part.isprintable() else part.translate(_STAND_INS)


def cut(text: str, cells: int) -> str:
    """``text`` in at most ``cells`` terminal cells; ``…`` marks a cut, and no wide character is halved.

    Expects text that is already visible. The result may be a cell narrower than ``cells``.
    """
    if len(text) <= cells and text.isascii():
        return text
    if cells <= 0:
        return ""
    from rich.cells import cell_len  # only the drawing of columns needs widths: --help starts without rich

    # A character takes at most two cells and seldom less than one: measuring a megabyte to show forty cells
    # would be felt at the keyboard. What lies beyond the bound is cut, and said to be.
    head = text[: 8 * cells + 32]
    if len(head) == len(text) and cell_len(text) <= cells:
        return text
    low, high = 0, len(head)
    while low < high:
        middle = (low + high + 1) // 2
        if cell_len(head[:middle]) <= cells - 1:
            low = middle
        else:
            high = middle - 1
    return head[:low] + "…"
