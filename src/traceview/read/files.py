"""Opening an input, whatever it is: plain, compressed, piped, UTF-8 or UTF-16.

What cannot be read twice or not as it stands is copied first (:mod:`traceview.read.copies`).
"""

from __future__ import annotations

import codecs
import difflib
import hashlib
import io
import os
import stat
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from msgspec import Struct

from traceview.read.copies import BLOCK, Copies, Decoding, TempFolder, blocks_of, packing, wide_encoding
from traceview.read.problems import InputError

__all__ = [
    "BLOCK",
    "STDIN",
    "ChangedInput",
    "Opened",
    "Signature",
    "TempFolder",
    "check_stdin",
    "head_of",
    "list_folder",
    "open_input",
    "opening",
    "sha256",
    "shown_path",
]

STDIN = "-"
_ENDINGS = (".jsonl", ".ndjson", ".json")
_PACKED = (".gz", ".zst")
TRIAGE_ENDING = ".triage.jsonl"  # what people have decided about runs (traceview.triage), and no recording


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
    """An input, open for reading.

    ``file`` is seekable and UTF-8; the input stands in it from ``base`` to ``end``, and its text begins at
    ``start``, behind a byte order mark. ``copied``: ``file`` is a copy that belongs to us, so that nothing
    can change it. ``readable`` is the path under which another process can open the same bytes, None for an
    unnamed copy. ``encoding`` is that of the input: "utf-8", "utf-8-sig", "utf-16-le" or "utf-16-be" (these
    two with a byte order mark).
    """

    path: str
    shown: str
    file: BinaryIO
    base: int
    start: int
    end: int
    readable: str | None
    copied: bool
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


def list_folder(path: str) -> list[str]:
    """The trace files in a folder and below, by name; hidden ones and files of marks are left out.

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
            if stem.endswith(_ENDINGS) and not stem.endswith(TRIAGE_ENDING) and not name.startswith("."):
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
    """Open one input; see :func:`opening`. A copy of it is a file of its own."""
    steps = opening(path, what, Copies(temp_folder))
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast(Opened, done.value)


def opening(path: str, what: str, copies: Copies) -> Generator[tuple[int, int], None, Opened]:
    """Open an input, yielding (bytes read, bytes in all; 0: not known) while it is copied.

    :param what: what is expected in it, for messages: "cases (CSV, …)".
    :param copies: where a copy goes, when one is needed.
    :raises InputError: one line with the path, what was found, what was expected and what to do.
    """
    shown = path if path != STDIN else "standard input"
    with _source(path, shown, what) as (source, total):
        as_it_stands = total > 0 and path != STDIN
        head = source.peek(16)[:16] if as_it_stands else _first(source)
        if as_it_stands and packing(head) is None:
            _refuse_binary(head, source.peek(4096)[:4096], shown, what)
            if wide_encoding(head) is None:
                encoding, start = _mark(head)
                file = cast(BinaryIO, _open_raw(path, shown, what))
                return Opened(path, shown_path(path), file, 0, start, total, path, False, encoding)
        base = copies.file.seek(0, os.SEEK_END)
        decoding = Decoding()
        for block, done in blocks_of(source, source.read(16) if as_it_stands else head, shown):
            if decoding.encoding is None:
                _refuse_binary(block[:16], block[:4096], shown, what)
            copies.write(decoding.utf8(block), shown)
            yield done, total
        copies.write(decoding.rest(), shown)
    encoding = decoding.encoding or "utf-8"
    start = base + (len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0)
    file, end = copies.file, copies.file.tell()
    file.seek(base)
    return Opened(path, shown_path(path), file, base, start, end, copies.name, True, encoding)


def head_of(path: str, what: str, size: int = BLOCK) -> bytes | None:
    """The first bytes of the text of an input as UTF-8, without a byte order mark; None for what can be read
    only once.

    :raises InputError: it cannot be opened, or is damaged.
    """
    if path == STDIN:
        return None
    with _source(path, path, what) as (source, total):
        if not total:
            return None
        decoding = Decoding()
        text = b""
        for block, _ in blocks_of(source, source.read(16), path):
            text += decoding.utf8(block)
            if len(text) >= size:
                break
    return text.removeprefix(codecs.BOM_UTF8)[:size]


@contextmanager
def _source(path: str, shown: str, what: str) -> Iterator[tuple[io.BufferedReader, int]]:
    """An input as raw bytes, and how many there are (0: not known)."""
    source = _open_raw(path, shown, what)
    try:
        info = os.fstat(source.fileno())
        yield source, info.st_size if stat.S_ISREG(info.st_mode) else 0
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror or error})") from error
    finally:
        if path != STDIN:
            source.close()


def _mark(head: bytes) -> tuple[str, int]:
    """The encoding of UTF-8 text, and the length of its byte order mark."""
    return ("utf-8-sig", len(codecs.BOM_UTF8)) if head.startswith(codecs.BOM_UTF8) else ("utf-8", 0)


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
    if os.path.lexists(path):
        return "; the name is a link to nothing"
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
    if wide_encoding(head) is None and b"\x00" in block:
        even, odd = block[::2].count(0), block[1::2].count(0)
        if max(even, odd) > len(block) // 5 > 4 * min(even, odd):
            found = "UTF-16 text without a byte order mark"
        elif (controls := len(block.translate(None, _PRINTED))) < 10 or controls * 50 < len(block):
            return  # text with a stray NUL: that line will be listed
        else:
            found = "not text (it holds NUL bytes)"
        raise InputError(f"{shown}: {found}; expected {what} as UTF-8, or UTF-16 with a byte order mark")
