"""Opening an input, whatever it is: plain, compressed, piped, UTF-8 or UTF-16.

What cannot be read twice or not as it stands (a pipe, ``.gz``, ``.zst``, UTF-16) is copied once, as UTF-8,
into a temporary file. Who removes it: in one process the file has no name at all, so it is gone with the
process, however that ends. When a child process reads for a parent, the parent makes a :class:`TempFolder`
and passes its path to the child; the copies are made in it under names, the parent opens them again, and the
folder is removed by the parent that made it (at exit, at the latest).
"""

from __future__ import annotations

import atexit
import codecs
import difflib
import gzip
import hashlib
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

import zstandard
from msgspec import Struct

from traceview.read.problems import InputError

__all__ = [
    "BLOCK",
    "STDIN",
    "ChangedInput",
    "Opened",
    "Signature",
    "TempFolder",
    "check_stdin",
    "list_folder",
    "open_input",
    "opening",
    "sha256",
    "shown_path",
]

BLOCK = 1 << 20
STDIN = "-"
_ENDINGS = (".jsonl", ".ndjson", ".json")
_PACKED = (".gz", ".zst")


class ChangedInput(Exception):
    """A file is no longer what was read: replaced, shortened or gone. The text is one line for a reader."""


class Signature(Struct, frozen=True):
    """What identifies the contents of a file without reading it."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, info: os.stat_result) -> Signature:
        return cls(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)


class Opened(NamedTuple):
    """An input, open at its first byte of text.

    ``file`` is seekable and UTF-8. ``readable`` is the path under which another process can open the same
    bytes, None for an unnamed copy. ``copied``: ``file`` is a copy that belongs to us, so that nothing can
    change it. ``start`` is the length of the byte order mark in ``file``. ``encoding`` is that of the input:
    "utf-8", "utf-8-sig", "utf-16-le" or "utf-16-be" (these two with a byte order mark).
    """

    path: str
    shown: str
    file: BinaryIO
    size: int
    readable: str | None
    copied: bool
    start: int
    encoding: str


def shown_path(path: str) -> str:
    """A path as reports show it: relative to the working folder when below it, else its last part."""
    if path == STDIN:
        return STDIN
    # not resolve(): a link keeps the name that the user gave it
    absolute = Path(os.path.abspath(path))  # noqa: PTH100
    try:
        relative = str(absolute.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return absolute.name or str(absolute)
    return absolute.name if relative == "." else relative


def check_stdin(paths: Sequence[str]) -> None:
    """Standard input can be only one of the inputs.

    :raises InputError: "-" stands more than once.
    """
    if list(paths).count(STDIN) > 1:
        raise InputError("standard input (-) was given for more than one input; name a file for the others")


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


def list_folder(path: str) -> list[str]:
    """The trace files in a folder and below, by name; hidden ones are left out.

    :raises InputError: there is none, or the folder can't be read.
    """

    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})")

    found = []
    for folder, folders, names in os.walk(path, onerror=refuse):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            stem = name.lower()
            for packed in _PACKED:
                stem = stem.removesuffix(packed)
            if stem.endswith(_ENDINGS) and not name.startswith("."):
                found.append(str(Path(folder, name)))
    if not found:
        raise InputError(
            f"{path}: a folder without trace files; expected names that end in "
            f"{', '.join(_ENDINGS)} (also with .gz or .zst)"
        )
    return found


def sha256(file: BinaryIO) -> str:
    """The digest of a whole open file, which is left at its start."""
    file.seek(0)
    digest = hashlib.sha256()
    while block := file.read(BLOCK):
        digest.update(block)
    file.seek(0)
    return digest.hexdigest()


def open_input(path: str, what: str, temp_folder: str | None = None) -> Opened:
    """Open an input; see :func:`opening`."""
    steps = opening(path, what, temp_folder)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast(Opened, done.value)


def opening(path: str, what: str, temp_folder: str | None = None) -> Generator[tuple[int, int], None, Opened]:
    """Open an input, yielding (bytes read, bytes in all; 0: not known) while it is copied.

    :param what: what is expected in it, for messages: "cases (CSV, …)".
    :param temp_folder: where a named copy may be made (:class:`TempFolder`); None makes unnamed ones.
    :raises InputError: one line with the path, what was found, what was expected and what to do.
    """
    shown = path if path != STDIN else "standard input"
    source = _open_raw(path, shown, what)
    try:
        info = os.fstat(source.fileno())
        total = info.st_size if stat.S_ISREG(info.st_mode) else 0
        as_it_stands = total > 0 and path != STDIN
        head = source.peek(16)[:16] if as_it_stands else _first(source)
        packed = _packing(head)
        if packed is None and as_it_stands:
            _refuse_binary(head, source.peek(4096)[:4096], shown, what)
            if _bom16(head) is None:
                marked = head.startswith(codecs.BOM_UTF8)
                encoding, start = ("utf-8-sig", len(codecs.BOM_UTF8)) if marked else ("utf-8", 0)
                return Opened(path, shown_path(path), source, total, path, False, start, encoding)
        copy, name = _temporary(temp_folder)
        try:
            blocks = _blocks(source, b"" if as_it_stands else head, packed, total, shown)
            encoding = yield from _copy(blocks, copy, shown, what)
        except BaseException:
            copy.close()
            if name is not None:
                Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        source.close()
        raise InputError(f"{shown}: cannot be read ({error.strerror or error})") from error
    except BaseException:
        source.close()
        raise
    if path != STDIN:
        source.close()
    copy.flush()
    size = copy.tell()
    copy.seek(0)
    start = len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0
    return Opened(path, shown_path(path), copy, size, name, True, start, encoding)


def _open_raw(path: str, shown: str, what: str) -> io.BufferedReader:
    if path == STDIN:
        if sys.stdin is None or sys.stdin.closed:
            raise InputError(f"standard input is closed; expected {what}")
        if sys.stdin.isatty():
            raise InputError(f"standard input is the terminal; pipe {what} into it, or name a file")
        return cast(io.BufferedReader, sys.stdin.buffer)
    try:
        file = open(path, "rb", buffering=BLOCK)  # noqa: SIM115, PTH123 -- kept open for later reads
    except FileNotFoundError:
        raise InputError(f"{shown}: no such file; expected {what}{_similar(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{shown}: is a folder; expected one file with {what}") from None
    except PermissionError:
        raise InputError(f"{shown}: may not be read (permission denied); expected {what}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{shown}: cannot be opened ({reason}); expected {what}") from None
    return cast(io.BufferedReader, file)


def _similar(path: str) -> str:
    """A hint for a misspelt name: the nearest one in the same folder."""
    folder = Path(path).parent
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return "" if folder.name in ("", ".") else f" (the folder {folder} cannot be read)"
    near = difflib.get_close_matches(Path(path).name, names, 1, 0.7)
    return f"; did you mean {folder / near[0]}?" if near else ""


def _first(source: IO[bytes]) -> bytes:
    """The first bytes of a pipe, which may deliver them one by one."""
    head = b""
    while len(head) < 16 and (more := source.read(16 - len(head))):
        head += more
    return head


def _packing(head: bytes) -> str | None:
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    return None


def _bom16(head: bytes) -> str | None:
    if head.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if head.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    return None


_MAGIC = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet (.xlsx)"),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet or document of an old office format"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\xff\xfe\x00\x00", "text in UTF-32"),
    (b"\x00\x00\xfe\xff", "text in UTF-32"),
)


_PRINTED = bytes(b for b in range(1, 256) if b > 31 or b in b"\t\n\v\f\r\x1b")


def _refuse_binary(head: bytes, block: bytes, shown: str, what: str) -> None:
    for magic, name in _MAGIC:
        if head.startswith(magic):
            todo = "unpack it" if "archive" in name else "save it as UTF-8 text"
            if "spreadsheet" in name:
                todo = "save the sheet as CSV"
            raise InputError(f"{shown}: is {name}; expected {what}: {todo} and give that file")
    if _bom16(head) is None and b"\x00" in block:
        even, odd = block[::2].count(0), block[1::2].count(0)
        if max(even, odd) > len(block) // 5 > 4 * min(even, odd):
            found = "UTF-16 text without a byte order mark"
        elif (controls := len(block.translate(None, _PRINTED))) < 10 or controls * 50 < len(block):
            return  # text with a stray NUL: that line will be listed
        else:
            found = "not text (it holds NUL bytes)"
        raise InputError(f"{shown}: {found}; expected {what} as UTF-8, or UTF-16 with a byte order mark")


class _Counting:
    """A source that starts with bytes already taken from it, and counts what was read."""

    def __init__(self, source: IO[bytes], head: bytes) -> None:
        self._source = source
        self._head = head
        self.done = 0

    def read(self, size: int = -1) -> bytes:
        if self._head:
            block, self._head = self._head, b""
        else:
            block = self._source.read(size)
        self.done += len(block)
        return block


def _blocks(
    source: IO[bytes], head: bytes, packed: str | None, total: int, shown: str
) -> Iterator[tuple[bytes, int, int]]:
    """The unpacked blocks of a source, each with the progress in its raw bytes."""
    counting = _Counting(source, head)
    if packed == "gzip":
        unpacked = _chunks(gzip.GzipFile(fileobj=cast("IO[bytes]", counting), mode="rb"))
    elif packed == "zstd":
        unpacked = _unzstd(counting)
    else:
        unpacked = _chunks(counting)
    try:
        for block in unpacked:
            yield block, counting.done, total
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


def _temporary(folder: str | None) -> tuple[BinaryIO, str | None]:
    try:
        if folder is None:
            return cast(BinaryIO, tempfile.TemporaryFile(prefix="traceview-")), None
        handle, name = tempfile.mkstemp(prefix="input-", dir=folder)
        return cast(BinaryIO, os.fdopen(handle, "w+b")), name
    except OSError as error:
        raise InputError(
            f"no temporary file can be made ({error}); set TMPDIR to a folder with room"
        ) from None


def _copy(
    blocks: Iterator[tuple[bytes, int, int]], copy: BinaryIO, shown: str, what: str
) -> Generator[tuple[int, int], None, str]:
    """Copy as UTF-8, and return what the encoding was. Half characters of UTF-16 become bytes that are no
    UTF-8, and so cost their line."""
    first = True
    encoding = "utf-8"
    decoder: codecs.IncrementalDecoder | None = None
    for block, done, total in blocks:
        if first:
            first = False
            _refuse_binary(block[:16], block[:4096], shown, what)
            wide = _bom16(block)
            if wide is not None:
                encoding = wide
                decoder = codecs.getincrementaldecoder(wide)("surrogatepass")
                block = block[2:]
            elif block.startswith(codecs.BOM_UTF8):
                encoding = "utf-8-sig"
        _write(copy, block if decoder is None else _utf8(decoder, block), shown)
        yield done, total
    if decoder is not None:
        left = decoder.getstate()[0]
        if left:
            _write(copy, b"\xff", shown)  # an odd byte at the end
    return encoding


def _utf8(decoder: codecs.IncrementalDecoder, block: bytes) -> bytes:
    return decoder.decode(block).encode("utf-8", "surrogatepass")


def _write(copy: BinaryIO, block: bytes, shown: str) -> None:
    try:
        copy.write(block)
        copy.flush()
    except OSError as error:
        raise InputError(
            f"{shown}: no room for a temporary copy ({error.strerror}); set TMPDIR to a folder with room"
        ) from None
