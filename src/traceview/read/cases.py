"""The cases file: CSV, TSV, a JSON array or JSONL, into rows that keep every cell as it was written.

The name of the id column belongs to the contract, and which contract applies depends on the columns; so
reading has two steps::

    table = read_cases("cases.csv", problems)      # columns and rows, no ids yet
    cases = table.with_id("case_id", problems)     # list[Case], one a row or a repeated id
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from traceview.jsontext import show
from traceview.model import MISSING, Case
from traceview.read.delimited import read_delimited
from traceview.read.files import Opened, open_input, sha256
from traceview.read.ids import id_text
from traceview.read.objects import read_objects
from traceview.read.problems import InputError, Problems, found_and_nearest
from traceview.read.trace_files import Part, TraceFiles
from traceview.results import InputInfo

__all__ = ["CaseRow", "CasesTable", "read_cases"]

WHAT = "cases (CSV, TSV, a JSON array of objects, or JSONL)"


class CaseRow(Struct, frozen=True, gc=False):
    """One record of a cases file. ``line`` is the physical line on which it starts, ``offset`` and ``length``
    its bytes in the readable file (line end included), ``problem`` why it can't be used, ``repeated`` the
    columns in which a key stands twice (JSON)."""

    cells: Mapping[str, Any]
    line: int
    offset: int
    length: int
    problem: str | None = None
    repeated: frozenset[str] = frozenset()


class CasesTable:
    """The rows of one cases file, before it is known which column holds the ids.

    ``columns`` are the names in their order, each once; ``repeated`` those that the header has more than
    once. ``format`` is "csv", "tsv", "json" or "jsonl"; ``text`` tells whether cells are text (CSV, TSV) or
    JSON values. ``files`` reads the bytes of a row again (its one part is this file); ``preamble`` is the
    length in bytes of what stands before the first record (byte order mark, header).
    """

    def __init__(
        self,
        files: TraceFiles,
        columns: Sequence[str],
        repeated: Sequence[str],
        rows: list[CaseRow],
        digest: str,
        preamble: int,
    ) -> None:
        self.files = files
        self.shown = files.parts[0].shown
        self.format = files.parts[0].format
        self.columns = tuple(columns)
        self.repeated = tuple(repeated)
        self.rows = rows
        self.digest = digest
        self.preamble = preamble

    @property
    def text(self) -> bool:
        return self.format in ("csv", "tsv")

    @property
    def info(self) -> InputInfo:
        """The file as a report names it; ``sha256`` is that of its uncompressed bytes."""
        return InputInfo("cases", self.shown, self.format, len(self.rows), self.digest)

    def require(self, columns: Sequence[str]) -> None:
        """Refuse a file in which a column that a contract reads stands more than once.

        :raises InputError: names the column.
        """
        for column in columns:
            if column in self.repeated:
                raise InputError(
                    f"{self.shown}: column {column} appears more than once in the header, and the contract "
                    f"reads it; rename one of them"
                )

    def with_id(self, column: str, problems: Problems, expected: Collection[str] = ()) -> list[Case]:
        """The cases, in the order of the file. An id that stands on several rows gives one unusable case.

        Rows without an id are listed in ``problems`` and left out.

        :param expected: the columns that the contract reads; a key repeated in one of them (or in one whose
            name starts with ``expected_``) makes its case unusable.
        :raises InputError: no row has the column.
        """
        if not self.rows and not self.columns:
            return []  # an empty JSON list: it has no columns, and needs none
        if column not in self.columns:
            raise InputError(
                f"{self.shown}: no column {column} (the case id); "
                f"{found_and_nearest(column, self.columns, 'columns')}"
            )
        self.require([column])
        places: dict[str, list[int]] = {}
        first: dict[str, CaseRow] = {}
        for row in self.rows:
            case_id = id_text(row.cells.get(column, MISSING))
            if case_id is None:
                reason = row.problem or f"no case id: {column} is {show(row.cells.get(column, MISSING))}"
                code = "bad_row" if row.problem else "missing_case_id"
                problems.skip(code, self.shown, row.line, reason)
                continue
            if row.problem is not None:
                problems.add("bad_row", self.shown, row.line, row.problem, case_id=case_id)
            elif row.repeated and (wrong := _repeated(row, {column, *expected})):
                row = replace(row, problem=f"a key stands twice in {', '.join(wrong)} (line {row.line})")
                problems.add("bad_cell", self.shown, row.line, row.problem or "", case_id=case_id)
            places.setdefault(case_id, []).append(row.line)
            first.setdefault(case_id, row)
        cases = []
        for case_id, row in first.items():
            lines = places[case_id]
            problem = row.problem
            if len(lines) > 1:
                problem = f"case id {case_id} stands on lines {_listed(lines)}"
                for line in lines[1:]:
                    problems.add(
                        "duplicate_case",
                        self.shown,
                        line,
                        f"duplicate id {case_id} (first on line {lines[0]})",
                        case_id=case_id,
                    )
            cases.append(Case(case_id, row.cells, row.line, problem))
        return cases


def _listed(lines: Sequence[int]) -> str:
    return f"{', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _repeated(row: CaseRow, expected: Collection[str]) -> list[str]:
    return sorted(name for name in row.repeated if name in expected or name.startswith("expected_"))


def read_cases(path: str, problems: Problems, temp_folder: str | None = None) -> CasesTable:
    """Read a cases file, whatever its format; "-" is standard input.

    :param temp_folder: where a child process leaves a copy for its parent; see
        :class:`traceview.read.files.TempFolder`.
    :raises InputError: one line about a file that cannot be used at all.
    """
    opened = open_input(path, WHAT, temp_folder)
    with opened.file:
        try:
            return _read(opened, problems)
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"{opened.shown}: cannot be read to its end ({reason})") from error


def _read(opened: Opened, problems: Problems) -> CasesTable:
    file = opened.file
    digest = sha256(file)
    file.seek(opened.start)
    first = _first_character(file, opened.shown)
    file.seek(opened.start)
    if first in b"[{":
        found = read_objects(file, opened.start, opened.shown, WHAT, problems)
        if not found.items and found.broken:
            raise InputError(f"{opened.shown}: no line of it is a JSON object; expected {WHAT}")
        if found.items and {"case_id", "step", "tool_name"} <= found.items[0].value.keys():
            raise InputError(
                f"{opened.shown}: holds events, not cases; expected {WHAT}: are the two files swapped?"
            )
        columns: dict[str, None] = {}
        for item in found.items:
            columns.update(dict.fromkeys(item.value))
        rows = [
            CaseRow(item.value, item.line, item.offset, item.length, repeated=item.repeated)
            for item in found.items
        ]
        files = _files(opened, found.format)
        return CasesTable(files, list(columns), (), rows, digest, opened.start)
    table = read_delimited(file, opened.start, opened.shown, problems)
    files = _files(opened, table.format)
    return CasesTable(files, table.columns, table.repeated, table.rows, digest, table.preamble)


def _files(opened: Opened, format: str) -> TraceFiles:
    opened.file.seek(0, os.SEEK_END)
    part = Part.of(opened, format, opened.file.tell())
    handle = os.dup(opened.file.fileno())
    return TraceFiles([part], (), handle) if opened.copied else TraceFiles([part], [handle])


def _first_character(file: BinaryIO, shown: str) -> bytes:
    while block := file.read(4096):
        block = block.lstrip()
        if block:
            return block[:1]
    raise InputError(f"{shown}: is empty; expected {WHAT}")
