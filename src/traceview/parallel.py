"""Work shared with forked copies of this process, its results in order.

A forked copy sees all that is in memory, so nothing has to be sent to it; only results come back.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeVar

T = TypeVar("T")

MOST = 4  # processes; reading again and judging soon waits for memory, not for cores


def processes() -> int:
    """How many processes may share the work: 1 where forking is not safe (other threads are running) or there
    is no core to spare."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST))


def in_order(pieces: int, work: Callable[[int], T], count: int) -> Iterator[T]:
    """``work(0)``, ``work(1)`` … up to ``pieces``, by ``count`` processes in turns.

    An exception of ``work`` is raised at its place, wherever it happened. A copy that dies takes nothing with
    it: its pieces are worked out here.
    """
    copies = [Copy(range(first, pieces, count), work) for first in range(1, min(count, pieces))]
    try:
        for piece in range(pieces):
            turn = piece % count
            if turn and copies[turn - 1].alive:
                found = copies[turn - 1].next()
                if found is not None:
                    yield found[0]
                    continue
            yield work(piece)
    finally:
        for copy in copies:
            copy.end()


class Copy:
    """A forked process that works through its pieces; whoever made it calls :meth:`end`."""

    def __init__(self, pieces: range, work: Callable[[int], Any]) -> None:
        reading, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(reading)
            _work(pieces, work, writing)
        os.close(writing)
        self._pipe: IO[bytes] = os.fdopen(reading, "rb")
        self.alive = True

    def next(self) -> tuple[Any] | None:
        """The next result, in a tuple; None when the process has died."""
        try:
            failed, result = pickle.load(self._pipe)
        except (EOFError, pickle.UnpicklingError):
            self.alive = False
            return None
        if failed:
            raise result
        return (result,)

    def end(self) -> None:
        """Stop the process, whatever it is doing, and take its leave."""
        self._pipe.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)


def _work(pieces: range, work: Callable[[int], Any], writing: int) -> None:
    """In the copy: never returns, and runs nothing that the original has registered for its own end."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with os.fdopen(writing, "wb") as pipe:
            for piece in pieces:
                try:
                    answer = (False, work(piece))
                except Exception as error:
                    answer = (True, error)
                pickle.dump(answer, pipe, protocol=pickle.HIGHEST_PROTOCOL)
                pipe.flush()
        code = 0
    finally:
        os._exit(code)
