"""The file of decisions: appended to, never rewritten.

It stands beside the cases file and under its name, ``cases.csv.triage.jsonl``. Each append is one write of
whole lines, under a lock and flushed to the disk; a line that was torn by a crash stays alone on its line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from traceview.model import Problem
from traceview.read.files import STDIN, TRIAGE_ENDING, Signature, shown_path
from traceview.read.problems import make
from traceview.triage.decision import BadLine, Decision, from_line

__all__ = ["TriageError", "append_lines", "check_writable", "read_decisions", "triage_path"]

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_BEGIN = b'{"id"'  # of every decision
_ELSEWHERE = "--triage FILE keeps the marks elsewhere"


class TriageError(Exception):
    """Decisions that cannot be read or kept. The text is one line, and says what to do."""


def triage_path(cases: str | None, traces: Sequence[str] = ()) -> Path | None:
    """Where the decisions about these inputs are kept: beside the cases, or, where one input is all there is,
    beside that. None for standard input, which has no place."""
    home = cases if cases is not None else next(iter(traces), STDIN)
    if home == STDIN:
        return None
    path = Path(home)
    return path.with_name(f"{path.name or path.resolve().name}{TRIAGE_ENDING}")


def check_writable(path: Path) -> None:
    """Say before anything is decided whether it could be kept.

    :raises TriageError: the file or its folder cannot be written.
    """
    shown = shown_path(str(path))
    if path.is_dir():
        raise TriageError(f"{shown}: is a folder; name a file")
    if path.exists():
        if not os.access(path, os.R_OK | os.W_OK):
            raise TriageError(f"{shown}: may not be written; {_ELSEWHERE}")
    elif not path.parent.is_dir():
        raise TriageError(f"{shown}: there is no folder {path.parent}")
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        raise TriageError(f"{shown}: its folder may not be written; {_ELSEWHERE}")


def read_decisions(path: Path) -> tuple[list[Decision], list[Problem], Signature | None]:
    """All decisions in the order of the file, what is no decision, and what was read (None: there is no file,
    and so no decision). Lines that stand twice (after a merge) count once.

    :raises TriageError: it cannot be read.
    """
    shown = shown_path(str(path))
    try:
        with path.open("rb") as file, _lock(file.fileno(), shared=True):
            data = file.read()
            found = Signature.of(os.fstat(file.fileno()))
    except FileNotFoundError:
        return [], [], None
    except OSError as error:
        raise TriageError(f"{shown}: cannot be read ({(error.strerror or str(error)).lower()})") from None
    decisions: dict[str, Decision] = {}
    problems = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if not line.strip():
            continue
        try:
            decision = from_line(line)
        except BadLine as error:
            problems.append(make("bad_triage", shown, number, f"no decision ({error}); it was skipped"))
        else:
            decisions.setdefault(decision.line, decision)
    return list(decisions.values()), problems, found


def refuse_other(path: Path, decisions: Sequence[Decision], problems: Sequence[Problem]) -> None:
    """Never add to a file that is something else, such as the cases. (One line alone that begins as
    a decision does may be one that was cut off.)

    :param problems: what of it is no decision.
    :raises TriageError: it holds lines, and none of them is a decision.
    """
    if decisions or not problems:
        return
    with suppress(OSError), path.open("rb") as file:
        if len(problems) == 1 and _BEGIN.startswith(file.read(len(_BEGIN))):
            return
    raise TriageError(f"{shown_path(str(path))}: holds other things than marks and notes; {_ELSEWHERE}")


def append_lines(path: Path, lines: Sequence[str]) -> tuple[Signature, Signature]:
    """Append lines and wait until the disk has them. What other programs append at the same time is kept.

    :return: the file as it was before, and after.
    :raises TriageError: it cannot be written; nothing, or only a part of the lines, was.
    """
    data = "".join(f"{line}\n" for line in lines).encode("utf-8")
    try:
        while True:
            fresh = not path.exists()
            handle = os.open(path, _APPEND, 0o666)
            try:
                with _lock(handle, shared=False):
                    if not _is_at(handle, path):
                        continue  # another file was put in its place, by a checkout say, while we waited
                    before = os.fstat(handle)
                    torn = before.st_size > 0 and _last_byte(handle, before.st_size) != b"\n"
                    _write(handle, b"\n" + data if torn else data)
                    os.fsync(handle)
                    after = os.fstat(handle)
            finally:
                os.close(handle)
            if fresh:
                _sync_folder(path.parent)
            return Signature.of(before), Signature.of(after)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TriageError(f"{shown_path(str(path))}: cannot be written ({reason}); {_ELSEWHERE}") from None


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _last_byte(handle: int, size: int) -> bytes:
    os.lseek(handle, size - 1, os.SEEK_SET)  # an append goes to the end all the same
    return os.read(handle, 1)


def _is_at(handle: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system can; the file is there all the same
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _lock(handle: int, *, shared: bool) -> Iterator[None]:
    """Hold the file's lock; without it where the file system knows none (an append is one write anyway)."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
