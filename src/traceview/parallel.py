"""Work shared with forked copies of this process, its results in order.

A forked copy sees all that is in memory, so nothing has to be sent to it; only results come back.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, NoReturn, TypeVar

try:
    import fcntl
except ImportError:  # not on Windows, where nothing is forked either
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")

MOST = 4  # processes; reading again and judging soon waits for memory, not for cores
_ROOM = 1 << 20  # bytes of results that a copy can be ahead; with the usual 64 KB it waits at every piece
_TICKET = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_BLOCK = 1 << 20
_TICKETS = 15_000  # that a pipe holds, with room to spare


def processes() -> int:
    """How many processes may share the work: 1 where forking is not safe (other threads are running) or there
    is no core to spare."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST))


def in_order(pieces: int, work: Callable[[int], T], count: int) -> Iterator[T]:
    """``work(0)``, ``work(1)`` … up to ``pieces``, by ``count`` processes, each of which takes the next piece
    when it is done with one.

    An exception of ``work`` is raised at its place, wherever it happened. A copy that dies takes nothing with
    it: its pieces are worked out here.
    """
    if count < 2 or not 1 < pieces <= _TICKETS:
        yield from map(work, range(pieces))
        return
    tickets = _Tickets(pieces)
    copies: list[Copy[T]] = []
    done: dict[int, Answer[T]] = {}
    try:
        for _ in range(min(count, pieces) - 1):
            copies.append(Copy(tickets, work, copies))
        for piece in range(pieces):
            while piece not in done:
                ready = _ready(copies, wait=tickets.gone)
                for copy in ready:
                    answer = copy.next()
                    if answer is not None:
                        done[answer.piece] = answer
                if ready:
                    continue
                mine = next(tickets, None)
                if mine is None and not any(copy.alive for copy in copies):
                    mine = piece  # whoever had it has died
                if mine is not None:
                    done[mine] = Answer.of(mine, work)
            yield done.pop(piece).value()
    finally:
        tickets.close()
        for copy in copies:
            copy.end()


class Answer(NamedTuple, Generic[T]):
    """What became of a piece: its result, or the exception that it raised."""

    piece: int
    result: T | None
    error: Exception | None

    @classmethod
    def of(cls, piece: int, work: Callable[[int], T]) -> Answer[T]:
        try:
            return cls(piece, work(piece), None)
        except Exception as error:
            return cls(piece, None, error)

    def value(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]


class _Tickets(Iterator[int]):
    """The numbers of the pieces, each of which goes to one of the processes that share this. They stand in a
    pipe, so that no lock can be left behind by a process that dies."""

    def __init__(self, pieces: int) -> None:
        self.gone = False
        self._reading, writing = os.pipe()
        os.write(writing, b"".join(map(_TICKET.pack, range(pieces))))
        os.close(writing)

    def __next__(self) -> int:
        ticket = b"" if self.gone else os.read(self._reading, _TICKET.size)
        if not ticket:
            self.gone = True
            raise StopIteration
        piece: int = _TICKET.unpack(ticket)[0]
        return piece

    def close(self) -> None:
        os.close(self._reading)


class Copy(Generic[T]):
    """A forked process that works through its pieces; whoever made it calls :meth:`end`.

    :param before: copies that this process has made before.
    """

    def __init__(
        self, pieces: Iterable[int], work: Callable[[int], T], before: Iterable[Copy[T]] = ()
    ) -> None:
        self.pipe, writing = os.pipe()
        if fcntl is not None and hasattr(fcntl, "F_SETPIPE_SZ"):
            with contextlib.suppress(OSError):  # more than this system grants
                fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _ROOM)
        self._process = os.fork()
        if self._process == 0:
            for pipe in (self.pipe, *[copy.pipe for copy in before]):
                os.close(pipe)  # a pipe that no one reads ends whoever writes to it
            _work(pieces, work, writing)
        os.close(writing)
        self.alive = True

    def next(self) -> Answer[T] | None:
        """The next answer; None when the process has died, or has no more pieces."""
        try:
            answer: Answer[T] = pickle.loads(self._read(_LENGTH.unpack(self._read(_LENGTH.size))[0]))
        except EOFError:
            self.alive = False
            return None
        return answer

    def _read(self, length: int) -> bytes:
        parts: list[bytes] = []
        while length:
            part = os.read(self.pipe, min(length, _BLOCK))
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def end(self) -> None:
        """Stop the process, whatever it is doing, and take its leave."""
        os.close(self.pipe)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)


def _ready(copies: Iterable[Copy[T]], *, wait: bool) -> list[Copy[T]]:
    """The copies that have something to say, or have gone silent; waits for one where ``wait`` is set."""
    pipes = {copy.pipe: copy for copy in copies if copy.alive}
    if not pipes:
        return []
    found, _, _ = select.select(list(pipes), (), (), None if wait else 0)
    return [pipes[pipe] for pipe in found]


def _work(pieces: Iterable[int], work: Callable[[int], T], writing: int) -> NoReturn:
    """In the copy: never returns, and runs nothing that the original has registered for its own end."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with os.fdopen(writing, "wb") as pipe:
            for piece in pieces:
                answer = pickle.dumps(Answer.of(piece, work), protocol=pickle.HIGHEST_PROTOCOL)
                pipe.write(_LENGTH.pack(len(answer)))
                pipe.write(answer)
                pipe.flush()
        code = 0
    finally:
        os._exit(code)
