"""The scanned trace files, open for reading single lines again, in any process, while they are the same."""

from __future__ import annotations

import os
import struct
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from traceview.read.files import ChangedInput, Opened, Signature

__all__ = ["Part", "Place", "TraceFiles", "fingerprint", "pack", "unpack"]

_PLACE = struct.Struct("<QIIH")  # offset, length, line, part
_HEAD = struct.Struct("<I")  # how many events; broken lines follow them
_RUNS = [struct.Struct("<I" + "QIIH" * events) for events in range(32)]  # runs of few events, whole
_ENDS = 4096  # bytes at each end of the scanned part that a file that grew must still have
_OPEN = 128  # files kept open at once
_GAP = 4096  # bytes read for nothing rather than reading twice
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_RUN = 1 << 20  # bytes read at once
_AHEAD = 16 << 20  # bytes read ahead
_SPARSE = 3  # how many times the lines' own length


class Place(NamedTuple):
    """Where one line (or item of a JSON array) stands: bytes, line counted from 1, number of the part."""

    offset: int
    length: int
    line: int
    part: int


At = tuple[int, int, int, int]  # the fields of a Place


class Part(Struct, frozen=True):
    """One readable file of an input, as it was when it was read. ``format`` is "events-jsonl" or
    "events-json", and for cases "csv", "tsv", "json" or "jsonl".

    ``path`` opens it; None for an unnamed copy, which only the scanning process has. ``copied`` tells a
    temporary copy, named or not. The input stands from ``base`` to ``scanned``, its text from ``start`` on;
    ``check`` is the fingerprint of the two ends. ``encoding`` is that of the input
    (:class:`traceview.read.files.Opened`).
    """

    shown: str
    path: str | None
    format: str
    copied: bool
    signature: Signature
    scanned: int
    check: int
    base: int
    start: int
    encoding: str

    @classmethod
    def of(cls, opened: Opened, format: str, scanned: int) -> Part:
        """An input that was read as far as ``scanned``."""
        handle = opened.file.fileno()
        return cls(
            shown=opened.shown,
            path=opened.readable,
            format=format,
            copied=opened.copied,
            signature=Signature.of(os.fstat(handle)),
            scanned=scanned,
            check=0 if opened.copied else fingerprint(handle, scanned),
            base=opened.base,
            start=opened.start,
            encoding=opened.encoding,
        )


def pack(events: Sequence[At], broken: Sequence[At]) -> bytes:
    """The places of a run as bytes that stand for themselves; see :func:`unpack`."""
    if not broken and len(events) < len(_RUNS):
        return _RUNS[len(events)].pack(len(events), *chain.from_iterable(events))
    return _HEAD.pack(len(events)) + b"".join([_PLACE.pack(*place) for place in (*events, *broken)])


def unpack(where: bytes) -> tuple[list[Place], list[Place]]:
    """The events of a run, in the order of the files, and the broken lines that belong to it."""
    events, broken = positions(where)
    return list(map(Place._make, events)), list(map(Place._make, broken))


def positions(where: bytes) -> tuple[list[At], list[At]]:
    """As :func:`unpack`, quicker: bare tuples."""
    (events,) = _HEAD.unpack_from(where)
    places: list[Any] = list(_PLACE.iter_unpack(where[_HEAD.size :]))
    return (places, []) if events == len(places) else (places[:events], places[events:])


def fingerprint(handle: int, scanned: int) -> int:
    """The CRC-32 of the first and the last bytes of the scanned part of a file."""
    crc = zlib.crc32(os.pread(handle, min(_ENDS, scanned), 0))
    last = min(_ENDS, scanned)
    return zlib.crc32(os.pread(handle, last, scanned - last), crc)


class TraceFiles:
    """Reads lines again with ``os.pread``, and notices when a file is no longer what was scanned.

    :param parts: what :meth:`traceview.read.traces.TraceIndex.scan` found; picklable.
    :param handles: file descriptors of the first parts that are no copies, which this object takes over.
        Others are opened when they are needed.
    :param copy: the file descriptor of the copy in which all copied parts stand. Without it (in another
        process) a named copy is opened at once, so that its folder need not stay.
    """

    def __init__(self, parts: Sequence[Part], handles: Sequence[int] = (), copy: int | None = None) -> None:
        self.parts = tuple(parts)
        plain = [number for number, part in enumerate(self.parts) if not part.copied]
        self._open: OrderedDict[int, int] = OrderedDict(zip(plain, handles, strict=False))
        self._known = [part.signature for part in self.parts]
        self._copy = copy
        self._ahead: tuple[int, int, bytes] | None = None  # part, offset and bytes read ahead
        if copy is None:
            named = next((part.path for part in self.parts if part.copied and part.path is not None), None)
            if named is not None:
                with suppress(OSError):  # reading from it says that it is gone
                    self._copy = os.open(named, _FLAGS)

    def grown(self, part: int, scanned: int) -> Part:
        """A part that was read further, as far as ``scanned``."""
        handle = self._handle(part)
        signature = Signature.of(os.fstat(handle))
        made = replace(
            self.parts[part], scanned=scanned, check=fingerprint(handle, scanned), signature=signature
        )
        self.parts = (*self.parts[:part], made, *self.parts[part + 1 :])
        self._known[part] = signature
        return made

    def add(self, part: Part) -> int:
        """One more part: the number by which places name it."""
        self.parts = (*self.parts, part)
        self._known.append(part.signature)
        return len(self.parts) - 1

    def read_further(self, parts: Sequence[Part]) -> None:
        """The same files, which another process has read further; places in them name these parts."""
        self.parts = tuple(parts)
        self._known = [part.signature for part in self.parts]

    def verify(self) -> None:
        """Check every part; see :meth:`verify_part`."""
        for part in range(len(self.parts)):
            self.verify_part(part)

    def verify_part(self, part: int) -> None:
        """Check that a part still is the file that was scanned; that it grew is fine.

        :raises ChangedInput: replaced, shortened, rewritten or gone.
        """
        about = self.parts[part]
        if about.copied or about.path is None:
            return  # ours alone
        known = self._known[part]
        try:
            info = os.stat(about.path)  # noqa: PTH116 -- once a run: half the time of Path.stat
        except OSError:
            raise self._changed(part, "is gone") from None
        if info.st_ino != known.inode or info.st_dev != known.device:
            raise self._changed(part, "was replaced")
        if info.st_size == known.size and info.st_mtime_ns == known.mtime_ns:
            return
        if info.st_size < about.scanned:
            raise self._changed(part, "was shortened")
        if fingerprint(self._handle(part), about.scanned) != about.check:
            raise self._changed(part, "was rewritten")
        self._known[part] = Signature.of(info)

    def read(self, part: int, offset: int, length: int) -> bytes:
        """Exactly these bytes of a part.

        :raises ChangedInput: they are not there any more.
        """
        if self._ahead is not None:
            held, start, block = self._ahead
            if held == part and start <= offset and offset + length <= start + len(block):
                return block[offset - start : offset - start + length]
        data = os.pread(self._handle(part), length, offset)
        if len(data) != length:
            raise self._changed(part, "was shortened")
        return data

    def read_ahead(self, runs: Sequence[Sequence[At]]) -> None:
        """The lines of these runs are wanted next: read them at once where they stand close together. They
        are held until the next call; one without runs lets them go."""
        self._ahead = None
        wanted = [places for places in runs if places]
        if len(wanted) < 2:
            return
        part = wanted[0][0][3]
        if not all(places[0][3] == places[-1][3] == part for places in wanted):
            return
        begin = min([places[0][0] for places in wanted])
        end = max([places[-1][0] + places[-1][1] for places in wanted])
        lines = sum([place[1] for places in wanted for place in places])
        if end - begin <= min(_AHEAD, lines * _SPARSE):
            self._ahead = part, begin, self.read(part, begin, end - begin)

    def lines(self, places: Sequence[At]) -> list[bytes]:
        """The lines at ``places``, in their order, line ends included. Neighbours are read together.

        :raises ChangedInput: they are not there any more.
        """
        held = self._held(places)
        if held is not None:
            return held
        found: list[bytes] = []
        count = len(places)
        at = 0
        while at < count:
            begin, length, _, part = places[at]
            end = begin + length
            last = at + 1
            while last < count:
                offset, length, _, following = places[last]
                stop = offset + length
                if not 0 <= offset - end <= _GAP or following != part or stop - begin > _RUN:
                    break
                end = stop
                last += 1
            block = self.read(part, begin, end - begin)
            if last == at + 1:
                found.append(block)
            else:
                for offset, length, _, _ in places[at:last]:
                    found.append(block[offset - begin : offset - begin + length])
            at = last
        return found

    def joined(self, places: Sequence[At]) -> bytes:
        """The lines at ``places`` behind each other: in one piece where they stand so.

        :raises ChangedInput: they are not there any more.
        """
        if not places:
            return b""
        begin, _, _, part = places[0]
        end = begin
        for offset, length, _, of in places:
            if offset != end or of != part:
                return b"".join(self.lines(places))
            end += length
        return self.read(part, begin, end - begin)

    def _held(self, places: Sequence[At]) -> list[bytes] | None:
        """Lines that were read ahead, None where not all of them were."""
        if self._ahead is None or not places:
            return None
        part, begin, held = self._ahead
        first, last = places[0], places[-1]
        if not (part == first[3] == last[3] and begin <= first[0] and last[0] + last[1] <= begin + len(held)):
            return None
        return [held[offset - begin : offset - begin + length] for offset, length, _, _ in places]

    def changed(self, part: int) -> ChangedInput:
        """The error for bytes that turned out to be others than those that were scanned."""
        return self._changed(part, "was rewritten")

    def close(self) -> None:
        """Close all files. Unnamed copies are gone then."""
        for handle in self._open.values():
            os.close(handle)
        self._open.clear()
        if self._copy is not None:
            os.close(self._copy)
            self._copy = None

    def _handle(self, part: int) -> int:
        handle = self._open.get(part)
        return self._reopen(part) if handle is None else handle

    def _reopen(self, part: int) -> int:
        path = self.parts[part].path
        if self.parts[part].copied or path is None:
            if self._copy is None:
                raise self._changed(part, "was a temporary copy, which is gone")
            return self._copy
        try:
            handle = self._open[part] = os.open(path, _FLAGS)
        except OSError as error:
            raise self._changed(part, f"cannot be opened any more ({error.strerror})") from None
        self._trim()
        return handle

    def _trim(self) -> None:
        """Keep the number of open files bounded; a folder may hold more than a process may open."""
        while len(self._open) > _OPEN:
            os.close(self._open.popitem(last=False)[1])

    def _changed(self, part: int, what: str) -> ChangedInput:
        return ChangedInput(f"{self.parts[part].shown} {what} since it was read; reload")
