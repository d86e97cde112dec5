"""Recorded runs, indexed: one pass over the files keeps numbers only, and a run is read again when needed.

::

    index = TraceIndex(["traces.jsonl"], RunsSpec(), problems)
    for done, total in index.scan():
        ...                                            # progress
    for number in index.run_numbers("B03"):
        run, seen = read_run(index.files, index.where(number), index.runs[number], Aliases({}))

``where`` bytes stand for themselves: another process that opens the same parts
(``TraceFiles(index.files.parts)``) reads the same run with them.
"""

from __future__ import annotations

import os
from collections.abc import Container, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple

from traceview.contract.spec import RunsSpec
from traceview.read.aliases import Aliases
from traceview.read.copies import Copies, packing, wide_encoding
from traceview.read.files import (
    STDIN,
    ChangedInput,
    Opened,
    check_stdin,
    list_folder,
    open_input,
    opening,
    shown_path,
)
from traceview.read.ids import natural
from traceview.read.linking import Linking
from traceview.read.objects import array_items
from traceview.read.problems import InputError, Problems
from traceview.read.runs import read_run
from traceview.read.scan import WHAT, Broken, FileScan, RunKey, Sink
from traceview.read.trace_files import At, Part, Place, TraceFiles, pack, unpack
from traceview.results import InputInfo

__all__ = [
    "Aliases",
    "ChangedInput",
    "Part",
    "Place",
    "RunKey",
    "TraceFiles",
    "TraceIndex",
    "read_run",
    "unpack",
]

_READ_ON = 16_000_000  # bytes of a file that grew that are read at once
_MOST_PARTS = 60_000  # places name a part with two bytes
_HEAD = 4096  # bytes that tell what kind of file it is
_MANY = 100  # files that stay open; others are opened again when they are needed


class _Tail:
    """A file that may grow, and how far it was read."""

    __slots__ = ("name", "part", "scan")

    def __init__(self, name: str, scan: FileScan, part: int) -> None:
        self.name = name
        self.scan = scan
        self.part = part


class Found(NamedTuple):
    """What a scan found."""

    sink: Sink
    infos: list[InputInfo]
    parts: tuple[Part, ...]
    problems: Problems


class TraceIndex:
    """Which lines belong to which run, of any number of files and folders; "-" is standard input.

    After :meth:`scan`, ``runs`` are the run keys by run number (numbers say nothing about order),
    ``files`` reads lines again, ``infos`` describe the inputs for a report, one for each path. ``waiting``
    are files that came into a folder while it was followed, and can be read only by a new reading.

    :param temp_folder: where a child process leaves copies for its parent; see
        :class:`traceview.read.files.TempFolder`.
    :param folder: where the files of ``map:`` rules are (the contract's folder).
    :param follow: the files are still being written to; :meth:`grow` reads on.
    :raises InputError: a ``map:`` file that cannot be read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        runs: RunsSpec,
        problems: Problems,
        temp_folder: str | None = None,
        *,
        folder: str = "",
        follow: bool = False,
    ) -> None:
        self.files = TraceFiles(())
        self._follow = follow
        self._tails: list[_Tail] = []
        self._folders: dict[str, set[str]] = {}  # what was seen in folders that are followed
        self.waiting: list[str] = []
        self.infos: list[InputInfo] = []
        self._paths = tuple(paths)
        self._problems = problems
        self._temp_folder = temp_folder
        self._linking = Linking(runs, folder)
        self._sink = Sink()
        self._by_case: dict[str, list[int]] = {}
        self._broken: dict[int, list[Place]] = {}

    @property
    def runs(self) -> list[RunKey]:
        return self._sink.runs

    @property
    def events(self) -> int:
        """Lines that were used, run records included."""
        return len(self._sink.offsets)

    def scan(self) -> Iterator[tuple[int, int]]:
        """Read all files once, yielding (bytes done, bytes in all) about once a megabyte.

        :raises InputError: one line about an input that cannot be used at all.
        """
        check_stdin(self._paths)
        inputs = [(path, _expand(path)) for path in self._paths]
        names = [name for _, found in inputs for name in found]
        _refuse_twice(names)
        total = sum(map(_size, names))
        base = 0
        parts: list[Part] = []
        handles: list[int] = []
        copies = Copies(self._temp_folder)
        try:
            for path, found in inputs:
                if self._follow and found != [path]:
                    self._folders[path] = set(found)
                before, first = self.events, len(parts)
                for name in found:
                    weight = _size(name)
                    for done in self._scan_file(name, copies, parts, handles, len(names) > 1):
                        total = max(total, base + done)
                        yield base + done, total
                        weight = max(weight, done)
                    base += weight
                formats = {part.format for part in parts[first:]}
                kind = formats.pop() if len(formats) == 1 else "events-jsonl"
                self.infos.append(InputInfo("traces", shown_path(path), kind, self.events - before, None))
            self.files = TraceFiles(parts, handles, copies.handle())
        except BaseException:
            for handle in handles:
                os.close(handle)
            raise
        finally:
            copies.close()
        self._sort()
        if not self._follow:
            self._sink.numbers.clear()  # no line will ask for its run any more
        yield base, base

    def _scan_file(
        self, name: str, copies: Copies, parts: list[Part], handles: list[int], one_of_many: bool
    ) -> Iterator[int]:
        """Scan one file into the next part, yielding how many of its bytes are done. What is copied first is
        half done then."""
        opened = yield from _open(name, copies)
        size = _size(name)
        scan = FileScan(opened, self._sink, self._linking, self._problems, one_of_many, follow=self._follow)
        try:
            for place in scan.run(len(parts)):
                done = place - opened.base
                yield size // 2 + size * done // (2 * (opened.end - opened.base)) if opened.copied else done
            parts.append(Part.of(opened, scan.format, scan.scanned))
            if self._follow and not opened.copied and scan.format == "events-jsonl":
                self._tails.append(_Tail(name, scan, len(parts) - 1))
            if not opened.copied and len(handles) < _MANY:
                handles.append(os.dup(opened.file.fileno()))
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"{opened.shown}: cannot be read to its end ({reason})") from error
        finally:
            if not opened.copied:
                opened.file.close()

    @property
    def followed(self) -> tuple[list[str], list[str]]:
        """Before anything has grown: the files of which :meth:`grow` reads on (plain ones with an event a
        line), and those of which it does not."""
        tails = {tail.part for tail in self._tails}
        shown = [part.shown for part in self.files.parts]
        return (
            [name for part, name in enumerate(shown) if part in tails],
            [name for part, name in enumerate(shown) if part not in tails],
        )

    def case_ids(self, besides: Container[str] = ()) -> list[str]:
        """The cases that have runs, in natural order; but not those ``besides``."""
        return sorted([case_id for case_id in self._by_case if case_id not in besides], key=natural)

    def run_numbers(self, case_id: str) -> list[int]:
        """The runs of a case, sorted naturally by trial, then run id."""
        return self._by_case.get(case_id, [])

    def where(self, run: int) -> bytes:
        """Where the events of a run stand, packed; :func:`unpack` gives the places."""
        return pack(*self.places(run))

    def places(self, run: int) -> tuple[list[At], Sequence[At]]:
        """The same, not packed: the events of a run, and the broken lines that belong to it."""
        return self._sink.places(run), self._broken.get(run, ())

    def found(self) -> Found | None:
        """What :meth:`scan` found, for another process; None where it stands in copies that only this one
        has."""
        if any(part.copied for part in self.files.parts):
            return None
        return Found(self._sink, self.infos, self.files.parts, self._problems)

    def take(self, found: Found) -> None:
        """Take over what another process has found, in place of :meth:`scan`."""
        self._sink, self.infos = found.sink, found.infos
        self._problems.absorb(found.problems)
        self.files = TraceFiles(found.parts)
        self._sort()

    def grow(self) -> set[int]:
        """Read what was written to the files since, as far as lines are whole, and files that are new in
        folders.

        :returns: the runs that have new lines. The work is that of the new lines.
        :raises ChangedInput: a file was replaced, shortened, rewritten or is gone.
        """
        sink = self._sink
        first_run, first_broken = len(self.runs), len(sink.broken)
        touched = sink.touched = set()
        for tail in self._tails:
            self._read_on(tail)
        for path, known in self._folders.items():
            for name in _expand_again(path):
                if name not in known and self._read_new(name):
                    known.add(name)
        sink.touched = None
        changed = {self.runs[number].case_id for number in range(first_run, len(self.runs))}
        for number in range(first_run, len(self.runs)):
            self._by_case.setdefault(self.runs[number].case_id, []).append(number)
        for case_id in changed:
            self._order(self._by_case[case_id])
        for broken in sink.broken[:first_broken] if changed else ():
            if broken.case_id in changed:
                self._link(broken, range(first_run, len(self.runs)))
        touched.update(self._link_broken(first_broken))
        return touched

    def _read_on(self, tail: _Tail) -> None:
        self.files.verify_part(tail.part)
        scan = tail.scan
        size = _size(tail.name)
        while size > scan.scanned:
            begin = scan.scanned
            data = self.files.read(tail.part, begin, min(size - begin, _READ_ON))
            whole = data.rfind(b"\n") + 1
            if not whole and begin + len(data) < size:
                whole = len(data)  # a line longer than a piece: it is read with all that there is
                data = self.files.read(tail.part, begin, size - begin)
                whole = data.rfind(b"\n") + 1
            if not whole:
                return
            last = len(self.files.parts) - 1
            part = tail.part
            if (
                tail.part != last
            ):  # places name parts in the order of their events: a new part for the same file
                part = self.files.add(self.files.parts[tail.part])
                self._sink.start_part()
                if part >= _MOST_PARTS:
                    raise ChangedInput(f"{self.files.parts[part].shown} grew too often; reload it")
                tail.part = part
            scan.append(data[:whole], part)
            self.files.grown(part, scan.scanned)

    def _read_new(self, name: str) -> bool:
        """Read a file that has come into a folder; False when that has to wait."""
        try:
            with open(name, "rb") as file:  # noqa: PTH123
                head = file.read(_HEAD)
            if not head:
                return False  # nothing is in it yet
            reason = "is compressed" if packing(head) else "is UTF-16" if wide_encoding(head) else None
            opened = open_input(name, WHAT) if reason is None else None
        except OSError:
            return False  # it is gone again
        except InputError as error:
            opened, reason = None, str(error)
        if opened is None:
            self._tell_waiting(name, reason or "")
            return False
        try:
            if head.lstrip().startswith(b"["):
                text = opened.file.read().rstrip()
                if not text.endswith(b"]") and array_items(text) is not None:
                    return False  # an array is read when it is whole
            part = len(self.files.parts)
            scan = FileScan(opened, self._sink, self._linking, self._problems, True, follow=True)
            for _ in scan.run(part):
                pass
            self.files.add(Part.of(opened, scan.format, scan.scanned))
        finally:
            opened.file.close()
        if scan.format == "events-jsonl":
            self._tails.append(_Tail(name, scan, part))
        return True

    def _tell_waiting(self, name: str, reason: str) -> None:
        if name not in self.waiting:
            self.waiting.append(name)
            message = f"it came while the folder was followed, and {reason}: a reload reads it"
            self._problems.add("new_file", shown_path(name), None, message)

    def _sort(self) -> None:
        for number, key in enumerate(self.runs):
            self._by_case.setdefault(key.case_id, []).append(number)
        for numbers in self._by_case.values():
            self._order(numbers)
        self._link_broken(0)

    def _order(self, numbers: list[int]) -> None:
        if len(numbers) > 1:
            numbers.sort(key=lambda n: (natural(self.runs[n].trial), natural(self.runs[n].run_id)))

    def _link_broken(self, first: int) -> set[int]:
        """Give broken lines, from the ``first`` on, to the runs that they may belong to."""
        touched = set()
        for broken in self._sink.broken[first:]:
            touched.update(self._link(broken, self.run_numbers(broken.case_id)))
        return touched

    def _link(self, broken: Broken, numbers: Iterable[int]) -> set[int]:
        """Those of the runs to which a broken line may belong."""
        found = set()
        for number in numbers:
            key = self.runs[number]
            if (
                broken.case_id == key.case_id
                and broken.run_id in (None, key.run_id)
                and broken.trial in (None, key.trial)
            ):
                self._broken.setdefault(number, []).append(broken.place)
                found.add(number)
        return found


def _expand(path: str) -> list[str]:
    return list_folder(path) if path != STDIN and os.path.isdir(path) else [path]  # noqa: PTH112


def _expand_again(path: str) -> list[str]:
    try:
        return list_folder(path)
    except InputError as error:
        raise ChangedInput(str(error)) from None


def _open(name: str, copies: Copies) -> Generator[int, None, Opened]:
    steps = opening(name, WHAT, copies)
    while True:
        try:
            done, size = next(steps)
        except StopIteration as finished:
            opened: Opened = finished.value
            return opened
        yield min(done, size) // 2


def _refuse_twice(names: Sequence[str]) -> None:
    """The same file twice would give every step twice."""
    seen: dict[tuple[int, int], str] = {}
    for name in names:
        try:
            info = os.stat(name)  # noqa: PTH116
        except (OSError, ValueError):
            continue  # opening it says what is wrong
        before = seen.setdefault((info.st_dev, info.st_ino), name)
        if before is not name:
            raise InputError(f"{name}: is the same file as {before}; give it once")


def _size(name: str) -> int:
    try:
        return os.stat(name).st_size if name != STDIN else 0  # noqa: PTH116
    except (OSError, ValueError):
        return 0
