"""Reading while the screen stays alive: small inputs in a thread, large ones in a process of their own.

Either way what was read comes as the messages below, in an inbox that the screen empties when it is told to
(:class:`traceview.tui.messages.LoadAdvanced`, at most ten times a second).
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import IO, Final

from msgspec import Struct
from msgspec.structs import replace

from traceview.desk import Reader, slim
from traceview.follow import Grown
from traceview.load import CasesRead, Finished, Loader, Progress, Rows, Scanned
from traceview.results import ContractInfo, InputInfo, Report, Row
from traceview.tui.following import EVERY, Following, Lost, Rewritten, changes
from traceview.tui.process import ReaderProcess
from traceview.tui.request import Request

_FIRST: Final = 200  # rows that are shown before all cases have arrived
_CHUNK: Final = 500  # rows a message: taking one apart must not be felt
_EVERY: Final = 0.1  # seconds between two messages to the screen


class Started(Struct, frozen=True):
    """The first cases, or (``whole``) all rows that there will be; none of them is judged."""

    columns: tuple[str, ...]
    contract: ContractInfo | None
    inputs: tuple[InputInfo, ...]
    rows: list[Row]
    whole: bool


class Ended(Struct, frozen=True):
    """Everything was sent. ``report`` has no rows: they are those that were sent."""

    report: Report


class Failed(Struct, frozen=True):
    """The input cannot be used: one line."""

    message: str


Message = Started | Progress | Scanned | Rows | Ended | Failed | Following | Grown | Rewritten | Lost


def read(
    request: Request,
    *,
    light: bool,
    loader: Loader | None = None,
    wait: Callable[[], bool] | None = None,
) -> Iterator[Message]:
    """The messages of one reading; where the traces are followed, after its end those of
    :func:`traceview.tui.following.changes`.

    :param light: rows without the values of their findings, in small pieces.
    :param wait: pauses before each look at traces that are followed; False ends it. None: one reading is all.
    """
    from traceview.contract.errors import ContractError
    from traceview.read.problems import InputError

    loader = loader or Loader(
        request.cases,
        request.traces,
        request.contract,
        temp_folder=request.temp_folder,
        follow=request.follow,
    )
    try:
        began = False
        for message in loader.stages(pending=True):
            if isinstance(message, CasesRead):
                yield from _cases(message, whole=began or not light)
                began = True
            elif isinstance(message, Rows):
                yield Rows(message.start, [slim(row) for row in message.rows]) if light else message
            elif isinstance(message, Finished):
                yield Ended(replace(message.report, rows=[]))
            else:
                yield message
        if loader.follower is not None and wait is not None:
            yield from changes(loader.follower, light=light, wait=wait)
    except (InputError, ContractError) as error:
        yield Failed(str(error))
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("TRACEVIEW_DEBUG"):
            raise
        yield Failed(f"internal error while reading: {type(error).__name__}: {error}")


def _cases(message: CasesRead, *, whole: bool) -> Iterator[Message]:
    """All at once; or the first rows, and the others in pieces."""
    rows = message.rows
    first = rows if whole else rows[:_FIRST]
    yield Started(message.columns, message.contract, message.inputs, first, whole)
    for start in range(len(first), len(rows), _CHUNK):
        yield Rows(start, rows[start : start + _CHUNK])


class Load:
    """One reading on its way: :meth:`start` it, empty it with :meth:`take`, :meth:`stop` it at any moment.

    ``light`` tells that findings come without their values (:meth:`traceview.load.Reader.complete`).
    """

    def __init__(self, request: Request, process: ReaderProcess | None) -> None:
        self.request = request
        self.reader: Reader | None = None
        self.light = process is not None
        self._process = process
        self._inbox: deque[Message] = deque()
        self._stopped = threading.Event()
        self._loader: Loader | None = None

    def start(self, tell: Callable[[], object]) -> None:
        """Begin. ``tell`` is called from another thread when the inbox holds something new."""
        threading.Thread(target=self._run, args=(tell,), daemon=True).start()

    def stop(self) -> None:
        """End it; what was read so far stays usable until :meth:`close`."""
        self._stopped.set()
        if self._process is not None:
            self._process.stop()

    def close(self) -> None:
        """End it, and remove and close what it left behind."""
        self._stopped.set()
        if self._process is not None:
            self._process.close()
        if self.reader is not None:
            self.reader.files.close()

    def take(self, seconds: float = 0.02) -> Iterator[Message]:
        """What has arrived, for no longer than ``seconds``; there may be more (:attr:`waiting`)."""
        until = time.perf_counter() + seconds
        while self._inbox and time.perf_counter() < until:
            message = self._inbox.popleft()
            if isinstance(message, Scanned):
                self.reader = self._loader.reader if self._loader is not None else Reader(message.source)
            elif isinstance(message, Grown) and self._loader is None and self.reader is not None:
                self.reader.read_further(message.source)
            yield message

    @property
    def waiting(self) -> bool:
        """Whether the inbox holds something."""
        return bool(self._inbox)

    def _run(self, tell: Callable[[], object]) -> None:
        said = 0.0
        for message in self._messages():
            if self._stopped.is_set():
                return
            self._inbox.append(message)
            # The first rows, the end and all after it are shown at once, what is between ten times a second.
            now = time.monotonic()
            if now - said >= _EVERY or not isinstance(message, Progress | Scanned | Rows):
                said = now
                tell()
        tell()

    def _messages(self) -> Iterator[Message]:
        if self._process is None:
            request = self.request
            self._loader = Loader(request.cases, request.traces, request.contract, follow=request.follow)
            sys.setswitchinterval(0.001)  # the screen's turn comes a thousand times a second, at no cost
            return read(request, light=False, wait=self._wait, loader=self._loader)
        return self._received(self._process.messages)

    def _wait(self) -> bool:
        return not self._stopped.wait(EVERY)

    def _received(self, pipe: IO[bytes]) -> Iterator[Message]:
        last: Message | None = None
        ended = False
        try:
            while True:
                last = pickle.load(pipe)
                ended = ended or isinstance(last, Ended)
                yield last
        except (EOFError, pickle.UnpicklingError):
            if not ended and not isinstance(last, Failed):
                yield Failed("reading ended before its end: its process was stopped")
            elif isinstance(last, Grown) or (isinstance(last, Following) and last.any):
                yield Lost("following ended: its process was stopped")
