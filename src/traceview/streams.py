"""What a command has of the system: the streams that it was started with, and the signals that end it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TextIO

__all__ = ["is_terminal", "say", "signals_end_cleanly", "silence"]


def say(line: str) -> None:
    """A line on standard error. Where that is closed or full the line is lost, and nothing else."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """What is still to be written to a stream, at exit too, goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_terminal(stream: TextIO | None) -> bool:
    """A stream that was closed before we began is None."""
    return stream is not None and stream.isatty()


@contextmanager
def signals_end_cleanly() -> Iterator[None]:
    """A kill or a closed terminal ends the command like an interrupt does: no half-written file stays."""

    def stop(number: int, _frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield  # a program that calls main() in a thread keeps its own signals
        return
    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heard = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]  # nohup
    before = [(number, signal.signal(number, stop)) for number in heard]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
