"""What is wrong with a contract, said in one line: the file, the place in it, and what is allowed there."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence

__all__ = ["ContractError", "listed", "nearest", "quoted", "shown_key"]

_MOST_LISTED = 24  # names listed in one message; a cases file may have hundreds of columns
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class ContractError(Exception):
    """A contract that cannot be used, so that nothing is evaluated.

    ``path`` is the contract as it is shown (a path, "built-in", "columns"), ``key_path`` the place in it
    (``step[2].args.duration_min``, items counted from 1; "" for the file as a whole). ``str()`` is one line.
    """

    def __init__(self, path: str, key_path: str, message: str) -> None:
        super().__init__(path, key_path, message)
        self.path = path
        self.key_path = key_path
        self.message = message

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.key_path, self.message) if part)


def quoted(text: str) -> str:
    """Text in double quotes on one line; what cannot be printed is escaped."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in written)


def shown_key(key: str) -> str:
    """A key as TOML writes it: bare where it can be, else quoted."""
    return key if _BARE_KEY.fullmatch(key) else quoted(key)


def listed(names: Iterable[str]) -> str:
    """Names with commas between them; a long list is cut and says so."""
    names = list(names)
    text = ", ".join(shown_key(name) for name in names[:_MOST_LISTED])
    return text + (f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else "")


def nearest(name: str, names: Sequence[str]) -> str | None:
    """The name that ``name`` was most likely meant to be, None if none is near."""
    by_fold = {n.casefold(): n for n in names}
    found = difflib.get_close_matches(name.casefold(), list(by_fold), n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def unknown(what: str, name: str, names: Iterable[str], allowed: str) -> str:
    """ "unknown WHAT "name" (did you mean "x"? ALLOWED: a, b)"."""
    names = list(names)
    near = nearest(name, names)
    hint = f"did you mean {quoted(near)}? " if near is not None else ""
    return f"unknown {what} {quoted(name)} ({hint}{allowed}: {listed(names) or 'none'})"
