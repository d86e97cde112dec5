"""Temporary copies of what cannot be read twice, or not as it stands: pipes, compressed files, UTF-16.

All copies of one reading go, as UTF-8, into one file. Who removes it: in one process the file has no name at
all, so it is gone with the process, however that ends. When a child process reads for a parent, the parent
makes a :class:`TempFolder` and passes its path to the child; the copy is made in it under a name, the parent
opens it (:class:`traceview.read.trace_files.TraceFiles` does at once), and from then on the folder can be
removed: by the parent that made it, at exit at the latest.
"""

from __future__ import annotations

import atexit
import codecs
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO, cast

import zstandard

from traceview.read.problems import InputError

__all__ = ["BLOCK", "Copies", "Decoding", "TempFolder", "blocks_of", "packing", "wide_encoding"]

BLOCK = 1 << 20


class TempFolder:
    """A private folder for the copies that a child process makes; removed by :meth:`close` or at exit, always
    by the process that made it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="traceview-")
        self._owner = os.getpid()
        atexit.register(self.close)

    def close(self) -> None:
        """Remove the folder and all in it. Copies that are open stay readable where the system allows it."""
        if os.getpid() == self._owner:
            shutil.rmtree(self.path, ignore_errors=True)
        atexit.unregister(self.close)


class Copies:
    """The file into which the inputs of one reading are copied, one behind the other.

    :param folder: where it gets a name (``name``), so that another process can open it; None: it has none.
    """

    def __init__(self, folder: str | None = None) -> None:
        self.name: str | None = None
        self._folder = folder
        self._file: BinaryIO | None = None

    @property
    def file(self) -> BinaryIO:
        """The file itself, made when it is first needed.

        :raises InputError: it cannot be made.
        """
        if self._file is None:
            try:
                if self._folder is None:
                    self._file = cast(BinaryIO, tempfile.TemporaryFile(prefix="traceview-"))  # noqa: SIM115
                else:
                    handle, self.name = tempfile.mkstemp(prefix="input-", dir=self._folder)
                    self._file = cast(BinaryIO, os.fdopen(handle, "w+b"))
            except OSError as error:
                reason = error.strerror or str(error)
                raise InputError(
                    f"no temporary file can be made ({reason}); set TMPDIR to a folder with room"
                ) from None
        return self._file

    def write(self, block: bytes, shown: str) -> None:
        """Add to the end.

        :raises InputError: no room.
        """
        try:
            self.file.write(block)
            self.file.flush()
        except OSError as error:
            raise InputError(
                f"{shown}: no room for a temporary copy ({error.strerror}); set TMPDIR to a folder with room"
            ) from None

    def handle(self) -> int | None:
        """A file descriptor of its own for later reads; None when nothing was copied."""
        return None if self._file is None else os.dup(self._file.fileno())

    def close(self) -> None:
        """Close the file; what has no name and no other descriptor is gone then."""
        if self._file is not None:
            self._file.close()


def packing(head: bytes) -> str | None:
    """How data that begins so is compressed."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    return None


def wide_encoding(head: bytes) -> str | None:
    """The kind of UTF-16 that a byte order mark announces."""
    if head.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if head.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    return None


class Decoding:
    """Blocks of text in any encoding to UTF-8. A half character of UTF-16 becomes bytes that are no UTF-8,
    and so costs its line. ``encoding`` is known after the first block."""

    def __init__(self) -> None:
        self.encoding: str | None = None
        self._decoder: codecs.IncrementalDecoder | None = None

    def utf8(self, block: bytes) -> bytes:
        """The next block as UTF-8."""
        if self.encoding is None:
            wide = wide_encoding(block)
            if wide is not None:
                self._decoder = codecs.getincrementaldecoder(wide)("surrogatepass")
                block = block[2:]
            self.encoding = wide or ("utf-8-sig" if block.startswith(codecs.BOM_UTF8) else "utf-8")
        if self._decoder is None:
            return block
        return self._decoder.decode(block).encode("utf-8", "surrogatepass")

    def rest(self) -> bytes:
        """What an odd byte at the end becomes."""
        return b"\xff" if self._decoder is not None and self._decoder.getstate()[0] else b""


class _Counting:
    """A source that starts with bytes already taken from it, and counts what was read."""

    def __init__(self, source: IO[bytes], head: bytes) -> None:
        self._source = source
        self._head = head
        self.done = 0

    def read(self, size: int) -> bytes:
        if self._head:
            block, self._head = self._head[:size], self._head[size:]
        else:
            block = self._source.read(size)
        self.done += len(block)
        return block


def blocks_of(source: IO[bytes], head: bytes, shown: str) -> Iterator[tuple[bytes, int]]:
    """The unpacked blocks of a source, each with the number of raw bytes read so far.

    :param head: what was already taken from the source: at least its first four bytes.
    :raises InputError: the compressed data is damaged or cut off.
    """
    packed = packing(head)
    counting = _Counting(source, head)
    if packed == "gzip":
        unpacked = _chunks(gzip.GzipFile(fileobj=cast("IO[bytes]", counting), mode="rb"))
    elif packed == "zstd":
        unpacked = _unzstd(counting)
    else:
        unpacked = _chunks(counting)
    try:
        for block in unpacked:
            yield block, counting.done
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
        raise InputError(
            f"{shown}: the {packed} data is damaged or cut off ({error}); unpack what is whole by hand"
        ) from None


def _chunks(source: gzip.GzipFile | _Counting) -> Iterator[bytes]:
    while block := source.read(BLOCK):
        yield block


def _unzstd(source: _Counting) -> Iterator[bytes]:
    """Frame by frame, since the library's own reader takes a frame that is cut off for a whole one. Little at
    a time, since little can unpack to much."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    frame = None
    while packed := source.read(1 << 14):
        while packed:
            frame = frame or decompressor.decompressobj()
            if block := frame.decompress(packed):
                yield block
            packed = b""
            if frame.eof:
                packed, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError("it ends within a frame")
