"""How far reading has come, for a person who waits at a shell."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final, TextIO

from traceview.load import Message, Progress
from traceview.tui.progress import Pace

__all__ = ["ProgressLine"]

_PATIENCE: Final = 1.0  # seconds after which one wants to know
_EVERY: Final = 0.1
_CLEAR: Final = "\r\x1b[K"


class ProgressLine:
    """One line that is drawn over and over, and removed in the end; on a terminal only, and not before a
    second has passed. A context manager that is shown every message of a loader. ``stream`` None: it was
    closed before the program began."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._pace = Pace()
        terminal = stream is not None and stream.isatty()
        self._due = time.monotonic() + _PATIENCE if terminal else float("inf")
        self._drawn = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            self._draw(_CLEAR)

    def show(self, message: Message) -> None:
        """Take note of a message, and draw when it is time."""
        if not isinstance(message, Progress):
            return
        now = time.monotonic()
        words = self._pace.words(message, now)
        if now >= self._due:
            self._due = now + _EVERY
            self._drawn = True
            self._draw(_CLEAR + words)

    def _draw(self, text: str) -> None:
        """A terminal that is gone changes nothing for the work."""
        assert self._stream is not None
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
