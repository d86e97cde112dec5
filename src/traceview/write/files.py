"""Where a report goes: standard output, or a file that is either whole or as it was before.

A file is written under another name in its own folder and renamed when it is complete, so that an error, an
interrupt or a full disk leaves the old file (or none), and no reader ever sees half of one.
"""

from __future__ import annotations

import atexit
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from traceview.sanitize import visible

__all__ = ["STDOUT", "OutputError", "check_target", "output", "output_bytes", "same_file", "stdout_encoding"]

STDOUT = "-"


class OutputError(Exception):
    """An output that cannot be written (exit code 2). The text is one line."""


def check_target(path: str | None, *, force: bool) -> None:
    """Find out, before any work is done, whether ``path`` can be written.

    :raises OutputError: it exists and ``force`` is not set, or its folder is not there or not writable.
    """
    if path is None or path == STDOUT:
        return
    with _one_line(path):
        target = Path(path)
        info = _status(target)
        if info is not None:
            if stat.S_ISDIR(info.st_mode):
                raise OutputError(f"{path} is a folder; name a file in it")
            if stat.S_ISREG(info.st_mode) and not force:
                raise OutputError(f"{path} exists; --force replaces it")
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise OutputError(f"{path}: there is no folder {folder.name or folder}")
        if (info is None or stat.S_ISREG(info.st_mode)) and not os.access(folder, os.W_OK):
            raise OutputError(f"{path}: its folder is not writable")


def same_file(one: str, other: str) -> bool:
    """Whether two names are those of one file that is there."""
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - either may be missing
    except (OSError, ValueError):
        return False


@contextmanager
def output(path: str | None, *, force: bool = False, gate: bool = False) -> Iterator[TextIO]:
    """A text stream in UTF-8 to ``path``; None and "-" are standard output. Lone surrogates that a format has
    let through are written as ``\\udcb2``.

    The file appears under its name when the block ends without an exception. What is no regular file (a pipe,
    a device) is written to directly. ``gate``: standard output is a terminal, and the format keeps text from
    data as it is.

    :raises OutputError: see :func:`check_target`; or the disk is full.
    """
    if path is None or path == STDOUT:
        with _standard_output() as stream:
            yield cast(TextIO, _Gate(stream)) if gate else stream
        return
    with output_bytes(path, force=force) as binary:
        stream = _text(binary)
        try:
            yield stream
            stream.flush()
        finally:
            with suppress(OSError):
                stream.detach()


@contextmanager
def output_bytes(path: str, *, force: bool = False) -> Iterator[BinaryIO]:
    """The same for bytes, always to a file.

    :raises OutputError: see :func:`check_target`; or the disk is full.
    """
    check_target(path, force=force)
    with _one_line(path):
        info = _status(Path(path))
        if info is not None and not stat.S_ISREG(info.st_mode):
            with Path(path).open("wb") as binary:
                yield binary
            return
        # A link to a file stays a link: what it points at is replaced.
        with _replacing(Path(os.path.realpath(path)), info) as binary:
            yield binary


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_unfinished: set[str] = set()


@atexit.register
def _remove_unfinished() -> None:
    """A file that a thread was still writing when the program ended stays under no name."""
    for name in tuple(_unfinished):
        with suppress(OSError):
            Path(name).unlink()


@contextmanager
def _replacing(target: Path, info: os.stat_result | None) -> Iterator[BinaryIO]:
    temporary = target.with_name(f".{target.name[:64]}.{secrets.token_hex(6)}.part")
    name = str(temporary)
    _unfinished.add(name)  # before there is such a file: a signal may come at any moment
    try:
        with os.fdopen(os.open(name, _NEW, 0o600), "wb") as binary:
            yield binary
        temporary.chmod(stat.S_IMODE(info.st_mode) if info is not None else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        _unfinished.discard(name)


class _Gate(io.TextIOBase):
    """In front of a terminal: what a format keeps as it is (a control character in a CSV cell) is made
    visible there, and only there."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write("\n".join(map(visible, text.split("\n"))))


@contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Standard output, see :func:`stdout_encoding`; where it has no bytes below (an editor), as it is."""
    if sys.stdout is None:
        raise BrokenPipeError  # it was closed before we began: nobody reads it
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        yield sys.stdout
        return
    sys.stdout.flush()
    stream = _text(buffer, stdout_encoding())
    try:
        yield stream
        stream.flush()
    finally:
        with suppress(OSError):
            stream.detach()


def stdout_encoding() -> str:
    """UTF-8 for files and pipes whatever the locale; for a terminal what it understands, to which a part of
    a character in UTF-8 could be a control character."""
    if sys.stdout is None or not sys.stdout.isatty():
        return "utf-8"
    return (sys.stdout.encoding or "utf-8").lower()


def _text(binary: BinaryIO, encoding: str = "utf-8") -> io.TextIOWrapper:
    return io.TextIOWrapper(binary, encoding=encoding, errors="backslashreplace", newline="\n")


@contextmanager
def _one_line(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
