"""CSV and TSV: every cell is text, every row has the header's shape, and nothing is shifted or guessed."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from traceview.model import Cells
from traceview.read.problems import InputError, Problems

if TYPE_CHECKING:
    from traceview.read.cases import CaseRow

__all__ = ["Delimited", "read_delimited"]

_UNDECODED = re.compile("[\udc80-\udcff]")


class Delimited(NamedTuple):
    """The contents of a delimited file; see :class:`traceview.read.cases.CasesTable`."""

    format: str
    columns: list[str]
    repeated: list[str]
    rows: list[CaseRow]
    preamble: int


class _Lines:
    """Physical lines for the csv reader, with the place and the state of the record that they make up.

    A line ends at a line feed; a lone carriage return ends a record, but is a line of its own only there
    (inside a quoted cell it is text).
    """

    def __init__(self, file: BinaryIO, offset: int) -> None:
        # the universal mode of newline="" splits at lone carriage returns too, and translates nothing
        self._lines = io.TextIOWrapper(file, "utf-8", errors="surrogateescape", newline="")
        self.line = 1
        self.offset = offset
        self.pieces: list[str] = []
        self.length = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        piece = next(self._lines)
        self.pieces.append(piece)
        self.length += len(piece) if piece.isascii() else len(piece.encode("utf-8", "surrogateescape"))
        return piece

    def next_record(self) -> None:
        """Forget the pieces of the record that was read, and stand at the next one."""
        self.line += sum(1 for piece in self.pieces if piece.endswith("\n"))
        if self.pieces and self.pieces[-1].endswith("\r"):
            self.line += 1
        self.offset += self.length
        self.pieces.clear()
        self.length = 0

    @property
    def last_line(self) -> int:
        """The line on which the record ends."""
        return self.line + sum(1 for piece in self.pieces[:-1] if piece.endswith("\n"))

    def undecoded(self) -> str | None:
        """A message about the first byte of the record that is no UTF-8."""
        done = 0
        for piece in self.pieces:
            if not piece.isascii() and (match := _UNDECODED.search(piece)):
                at = self.offset + done + len(piece[: match.start()].encode("utf-8", "surrogateescape"))
                return f"not valid UTF-8 at byte {at + 1} of the file (0x{ord(match[0]) - 0xDC00:02x})"
            done += len(piece.encode("utf-8", "surrogateescape"))
        return None

    def close(self) -> None:
        self._lines.detach()


def read_delimited(file: BinaryIO, start: int, shown: str, problems: Problems) -> Delimited:
    """Read a CSV or TSV file, open behind its byte order mark.

    :param start: the offset at which ``file`` stands.
    :raises InputError: no header.
    """
    from traceview.read.cases import CaseRow

    csv.field_size_limit(sys.maxsize)  # the default refuses cells above 128 KB
    lines = _Lines(file, start)
    try:
        tabs = _is_tsv(file, start)
        dialect = {"delimiter": "\t" if tabs else ","}
        reader = csv.reader(lines, strict=True, **dialect)  # type: ignore[arg-type]
        columns, repeated, kept = _header(reader, lines, shown, problems)
        lines.next_record()
        preamble = lines.offset
        places = {name: place for place, name in enumerate(kept) if name is not None}
        sharing = _Sharing(len(kept))
        rows: list[CaseRow] = []
        while True:
            problem = None
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                problem = _quoting(str(error), lines)
                loose = csv.reader(list(lines.pieces), **dialect)  # type: ignore[arg-type]
                cells = next(loose, [])
            undecoded = lines.undecoded()
            if undecoded is not None:
                problem = undecoded
                cells = ["" if _UNDECODED.search(cell) else cell for cell in cells]
            if problem is None:
                blank = not any(piece.strip() for piece in lines.pieces)
                if blank or not any(cells):
                    if not blank:
                        problems.add("blank_row", shown, lines.line, "a row in which every cell is empty")
                    lines.next_record()
                    continue
                problem = _shape(cells, kept, shown, lines.line, problems)
            row: Mapping[str, str]
            if len(cells) >= len(kept):
                row = Cells(places, sharing.row(cells))
            else:
                row = {name: cell for name, cell in zip(kept, cells, strict=False) if name is not None}
            rows.append(CaseRow(row, lines.line, lines.offset, lines.length, problem))
            lines.next_record()
    finally:
        lines.close()
    return Delimited("tsv" if tabs else "csv", columns, repeated, rows, preamble)


class _Sharing:
    """Cells of a column that repeat (durations, rooms, tools) are kept once."""

    _DISTINCT = 512  # a column with more different cells hardly repeats any
    _LOOK = 256  # rows between two looks at which columns do

    def __init__(self, columns: int) -> None:
        self._known: list[dict[str, str] | None] = [{} for _ in range(columns)]
        self._rows = 0

    def row(self, cells: list[str]) -> tuple[str, ...]:
        """The cells, as far as there are columns."""
        self._rows += 1
        if self._rows % self._LOOK == 0:
            self._known = [
                None if known is None or len(known) > self._DISTINCT else known for known in self._known
            ]
        return tuple(
            [
                cell if known is None else known.setdefault(cell, cell)
                for known, cell in zip(self._known, cells, strict=False)
            ]
        )


def _is_tsv(file: BinaryIO, start: int) -> bool:
    """Whether the header line has more tabs than commas. (Endings say little, and nothing of a pipe.)"""
    head = file.readline(1 << 20)
    file.seek(start)
    return head.count(b"\t") > head.count(b",")


def _header(
    reader: Iterator[list[str]], lines: _Lines, shown: str, problems: Problems
) -> tuple[list[str], list[str], list[str | None]]:
    """Column names, those that are repeated, and by position the name of a cell (None: it is not kept)."""
    try:
        names = next(reader, [])
        while not any(names):
            lines.next_record()
            names = next(reader)
    except StopIteration:
        raise InputError(f"{shown}: holds no header; expected a first row with the column names") from None
    except csv.Error as error:
        raise InputError(f"{shown}: the header row cannot be read ({_quoting(str(error), lines)})") from None
    undecoded = lines.undecoded()
    if undecoded is not None:
        raise InputError(f"{shown}: the header is {undecoded}; save the file as UTF-8")
    names = [name.strip() for name in names]
    while names and not names[-1]:
        names.pop()
    places: dict[str, list[int]] = {}
    kept: list[str | None] = []
    for position, name in enumerate(names, 1):
        name = name or f"(column {position})"
        kept.append(None if name in places else name)
        places.setdefault(name, []).append(position)
    repeated = [name for name, found in places.items() if len(found) > 1]
    for name in repeated:
        found = places[name]
        times = "twice" if len(found) == 2 else f"{len(found)} times"
        where = f"{', '.join(map(str, found[:-1]))} and {found[-1]}"
        problems.add(
            "duplicate_column",
            shown,
            lines.line,
            f"column {name} appears {times} (columns {where}); the first one counts",
        )
    return list(places), repeated, kept


def _shape(cells: list[str], kept: list[str | None], shown: str, line: int, problems: Problems) -> str | None:
    """Why a row does not fit the header; empty surplus cells are only a note."""
    if len(cells) == len(kept):
        return None
    if len(cells) < len(kept):
        return f"the row has {len(cells)} of {len(kept)} cells"
    if any(cells[len(kept) :]):
        return f"the row has {len(cells)} cells, the header {len(kept)}"
    problems.add("extra_cells", shown, line, "a row with empty cells beyond the header")
    return None


def _quoting(error: str, lines: _Lines) -> str:
    """What the csv reader objects to, in words."""
    span = (
        f"line {lines.line}" if lines.last_line == lines.line else f"lines {lines.line} to {lines.last_line}"
    )
    if "unexpected end of data" in error:
        return f"a quote that opens in this row never closes; {span} were read as one cell"
    if "expected after" in error:
        return f'text after the closing quote of a cell ({span}); quotes inside a cell are written ""'
    return f"{error} ({span})"
