"""Paths that are typed into a dialogue."""

from __future__ import annotations

from pathlib import Path

from traceview.write.files import STDOUT, OutputError

__all__ = ["typed_path", "with_ending"]


def typed_path(text: str) -> Path:
    """The path that was typed, ``~`` taken for the folder of a user.

    :raises OutputError: there is no such user, or it is standard output, which is the screen.
    """
    if text == STDOUT:
        raise OutputError("standard output is the screen; name a file")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise OutputError(f"{text}: there is no user of that name") from None


def with_ending(text: str, ending: str) -> str:
    """A path that was typed with another ending; as it is where it names no file."""
    path = Path(text)
    return str(path.with_suffix(ending)) if path.name.strip(".") and not text.endswith("/") else text
