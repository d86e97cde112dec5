"""Cases files: every cell as it was written, every row that cannot be used named."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Any

import pytest
import zstandard

from traceview.jsontext import show
from traceview.model import Case, Problem
from traceview.read.cases import CasesTable, read_cases
from traceview.read.observations import observed_run
from traceview.read.problems import InputError, Problems


class Read:
    """A cases file that was read, with what was said about it."""

    def __init__(self, path: Path, column: str = "case_id", **options: Any) -> None:
        self.collected = Problems()
        self.table: CasesTable = read_cases(path.name, self.collected)
        self.cases: list[Case] = self.table.with_id(column, self.collected, **options)

    @property
    def problems(self) -> list[Problem]:
        return self.collected.list()

    @property
    def said(self) -> list[tuple[str, int | None, str]]:
        return [(p.code, p.line, p.message) for p in self.problems]

    @property
    def ids(self) -> list[str]:
        return [case.case_id for case in self.cases]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def write(content: str | bytes, name: str = "cases.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_cells_are_text_exactly_as_written(file: Any) -> None:
    read = Read(
        file('case_id,title,n,d,e\n007,NA,1e3,2026-01-05,\nNone,null," +7",TRUE,""\n3_14,nan,0x1F,1.10,N/A\n')
    )
    assert [dict(case.cells) for case in read.cases] == [
        {"case_id": "007", "title": "NA", "n": "1e3", "d": "2026-01-05", "e": ""},
        {"case_id": "None", "title": "null", "n": " +7", "d": "TRUE", "e": ""},
        {"case_id": "3_14", "title": "nan", "n": "0x1F", "d": "1.10", "e": "N/A"},
    ]
    assert read.problems == []


def test_ids_that_look_like_one_number_stay_apart(file: Any) -> None:
    read = Read(file("case_id\n007\n7\n7.0\n1e3\n1000\n98765432109876543210\n"))
    assert read.ids == ["007", "7", "7.0", "1e3", "1000", "98765432109876543210"]


def test_a_byte_order_mark_and_dos_line_ends_leave_no_trace(file: Any) -> None:
    read = Read(file(b'\xef\xbb\xbfcase_id,title\r\nB,"two\r\nlines"\r\n'))
    assert [dict(case.cells) for case in read.cases] == [{"case_id": "B", "title": "two\r\nlines"}]


def test_line_separators_of_other_kinds_are_text(file: Any) -> None:
    read = Read(file("case_id,title\nA,a\u2028b\u0085c\x0cd\x1ce\nB,x\n"))
    assert [case.cells["title"] for case in read.cases] == ["a\u2028b\u0085c\x0cd\x1ce", "x"]


def test_records_may_end_at_a_lone_carriage_return(file: Any) -> None:
    read = Read(file(b"case_id,title\rA,x\rB,y\r"))
    assert [(c.case_id, c.line) for c in read.cases] == [("A", 2), ("B", 3)]


def test_the_line_is_where_the_record_starts(file: Any) -> None:
    read = Read(file(b'case_id,title\r\nA,"line1\rline2"\r\n\r\nB,"x\n\ny"\r\nC,z'))
    assert [(c.case_id, c.line) for c in read.cases] == [("A", 2), ("B", 4), ("C", 7)]
    assert read.cases[0].cells["title"] == "line1\rline2"
    assert read.problems == []


def test_a_cell_of_a_megabyte_is_read(file: Any) -> None:
    read = Read(file("case_id,title\nA," + "x" * 1_000_000 + "\n"))
    assert len(read.cases[0].cells["title"]) == 1_000_000


def test_empty_surplus_cells_are_one_note(file: Any) -> None:
    read = Read(file("case_id,title\nTC-1,north,\nTC-2,south,,\n"))
    assert [c.cells["title"] for c in read.cases] == ["north", "south"]
    assert [c.problem for c in read.cases] == [None, None]
    assert [(p.code, p.severity, p.line) for p in read.problems] == [("extra_cells", "note", 2)]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("A,x,y", "the row has 3 cells, the header 2"),
        ("A", "the row has 1 of 2 cells"),
        ('A,"x"y', 'text after the closing quote of a cell (line 2); quotes inside a cell are written ""'),
    ],
)
def test_a_row_of_another_shape_is_unusable_and_never_shifted(file: Any, row: str, why: str) -> None:
    read = Read(file(f"case_id,title\n{row}\nB,ok\n"))
    assert [(c.case_id, c.problem) for c in read.cases] == [("A", why), ("B", None)]
    assert read.said == [("bad_row", 2, why)]


def test_a_quote_that_never_closes_is_said_where_it_opens(file: Any) -> None:
    read = Read(file('case_id,title\nA,ok\nB,"open\nC,x\nD,y\n'))
    assert read.ids == ["A", "B"]
    assert read.cases[1].problem == (
        "a quote that opens in this row never closes; lines 3 to 5 were read as one cell"
    )


def test_an_id_on_several_rows_is_one_unusable_case_that_names_them(file: Any) -> None:
    read = Read(file("case_id,title\nDU-1,a\nDU-1,b\nDU-2,c\nDU-1,d\n"))
    assert [(c.case_id, c.line, c.problem) for c in read.cases] == [
        ("DU-1", 2, "case id DU-1 stands on lines 2, 3 and 5"),
        ("DU-2", 4, None),
    ]
    assert read.said == [
        ("duplicate_case", 3, "duplicate id DU-1 (first on line 2)"),
        ("duplicate_case", 5, "duplicate id DU-1 (first on line 2)"),
    ]


def test_headers_are_trimmed_and_the_first_of_a_repeated_one_counts(file: Any) -> None:
    read = Read(file(" case_id ,title, title\nDC-1,alpha,beta\n"))
    assert dict(read.cases[0].cells) == {"case_id": "DC-1", "title": "alpha"}
    assert read.said == [
        ("duplicate_column", 1, "column title appears twice (columns 2 and 3); the first one counts")
    ]
    with pytest.raises(InputError, match=r"cases\.csv: column title appears more than once"):
        read.table.require(["case_id", "title"])


def test_a_repeated_id_column_is_refused(file: Any) -> None:
    with pytest.raises(InputError, match="column case_id appears more than once"):
        Read(file("case_id,case_id\nA,B\n"))


def test_columns_without_a_name_are_kept_under_their_place(file: Any) -> None:
    read = Read(file("case_id,,title,\nA,x,y,\n"))
    assert dict(read.cases[0].cells) == {"case_id": "A", "(column 2)": "x", "title": "y"}


def test_rows_of_empty_cells_are_a_note_and_blank_lines_are_nothing(file: Any) -> None:
    read = Read(file("\ncase_id,title\n\nA,x\n   \n,\nB,y\n\n"))
    assert [(c.case_id, c.line, c.problem) for c in read.cases] == [("A", 4, None), ("B", 7, None)]
    assert [(p.code, p.severity, p.line) for p in read.problems] == [("blank_row", "note", 6)]


def test_a_row_without_an_id_is_listed_as_skipped(file: Any) -> None:
    read = Read(file("case_id,title\n,x\nB,y\n"))
    assert read.ids == ["B"]
    assert read.said == [("missing_case_id", 2, 'no case id: case_id is ""')]
    assert read.collected.skipped == 1


def test_an_undecodable_byte_costs_its_row_only(file: Any) -> None:
    read = Read(file(b"case_id,title\nA,x\nB,caf\xe9\nC,\xc3\xa9\n"))
    assert [(c.case_id, c.problem) for c in read.cases] == [
        ("A", None),
        ("B", "not valid UTF-8 at byte 24 of the file (0xe9)"),
        ("C", None),
    ]
    assert read.cases[2].cells["title"] == "é"


def test_an_undecodable_id_leaves_no_case(file: Any) -> None:
    read = Read(file(b"case_id,title\n\xff,x\nB,y\n"))
    assert read.ids == ["B"]
    assert read.said == [("bad_row", 2, "not valid UTF-8 at byte 15 of the file (0xff)")]


def test_the_missing_id_column_is_said_with_the_nearest_name(file: Any) -> None:
    with pytest.raises(InputError) as refused:
        Read(file("Case ID,title\nHX-1,x\n"))
    assert str(refused.value) == (
        "cases.csv: no column case_id (the case id); columns found: Case ID, title; did you mean Case ID?"
    )


def test_tabs_make_a_tsv_whatever_the_name(file: Any) -> None:
    read = Read(file('case_id\ttitle\nA\tone, two\nB\t"x\ty"\n'))
    assert read.table.format == "tsv"
    assert [c.cells["title"] for c in read.cases] == ["one, two", "x\ty"]


def test_a_header_alone_is_no_case(file: Any) -> None:
    read = Read(file("case_id,title\n"))
    assert (read.cases, read.problems, read.table.columns) == ([], [], ("case_id", "title"))


ARRAY = '[\n {"case_id": "A", "n": 1.0, "v": null},\n {"n": "1", "case_id": 7, "x": [true]}\n]\n'
LINES = '{"case_id": "A", "n": 1.0, "v": null}\n\n{"n": "1", "case_id": 7, "x": [true]}\n'


@pytest.mark.parametrize(("text", "format", "line"), [(ARRAY, "json", 3), (LINES, "jsonl", 3)])
def test_json_cases_keep_types_and_absent_keys(file: Any, text: str, format: str, line: int) -> None:
    read = Read(file(text))
    assert read.table.format == format
    assert read.table.columns == ("case_id", "n", "v", "x")
    assert [show(dict(case.cells)) for case in read.cases] == [
        '{"case_id": "A", "n": 1.0, "v": null}',
        '{"n": "1", "case_id": 7, "x": [true]}',
    ]
    assert [(c.case_id, c.line) for c in read.cases][1] == ("7", line)


@pytest.mark.parametrize(
    ("value", "case_id"),
    [("7", "7"), ("1.0", "1.0"), ("1e3", "1e3"), ("1.10", "1.10"), ('"1"', "1"), ("-0", "-0")],
)
def test_a_number_as_id_is_its_written_text(file: Any, value: str, case_id: str) -> None:
    assert Read(file('[{"case_id": ' + value + "}]")).ids == [case_id]


@pytest.mark.parametrize("value", ["null", "true", "[]", '""'])
def test_what_can_be_no_id_is_skipped(file: Any, value: str) -> None:
    read = Read(file('[{"case_id": ' + value + '}, {"case_id": "B"}]'))
    assert read.ids == ["B"]
    assert read.said == [("missing_case_id", 1, f"no case id: case_id is {value}")]


def test_broken_items_and_lines_are_listed_and_the_others_go_on(file: Any) -> None:
    read = Read(
        file(
            '{"case_id": "A"}\n{"case_id": "B", }\n[1]\n{"case_id": "\xe9"}\n{"case_id": "C"'.encode(
                "latin-1"
            )
        )
    )
    assert read.ids == ["A"]
    assert [(p.code, p.line) for p in read.problems] == [
        ("bad_json", 2),
        ("not_an_object", 3),
        ("bad_utf8", 4),
        ("incomplete_last_line", 5),
    ]
    assert read.collected.skipped == 4


def test_a_repeated_key_is_a_warning_and_in_an_expected_cell_costs_the_case(file: Any) -> None:
    read = Read(
        file(
            '[{"case_id": "A", "note": {"k": 1, "k": 2}},'
            ' {"case_id": "B", "expected_arguments": [{"k": 1, "k": 2}]},'
            ' {"case_id": "C", "room": 1, "room": 2}]'
        ),
        expected=["room"],
    )
    assert [(c.case_id, c.problem) for c in read.cases] == [
        ("A", None),
        ("B", "a key stands twice in expected_arguments (line 1)"),
        ("C", "a key stands twice in room (line 1)"),
    ]
    warnings = [p.message for p in read.problems if p.code == "duplicate_key"]
    assert warnings == [
        "duplicate key k: 1, then 2 (the last is used) (in /expected_arguments/0)",
        "duplicate key k: 1, then 2 (the last is used) (in /note)",
        "duplicate key room: 1, then 2 (the last is used)",
    ]


@pytest.mark.parametrize(
    "packed",
    [
        lambda data: data,
        gzip.compress,
        lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:]),
        lambda data: zstandard.ZstdCompressor().compress(data),
        lambda data: "\ufeff".encode("utf-16-le") + data.decode().encode("utf-16-le"),
        lambda data: "\ufeff".encode("utf-16-be") + data.decode().encode("utf-16-be"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: gzip.compress("\ufeff".encode("utf-16-le") + data.decode().encode("utf-16-le")),
    ],
    ids=["plain", "gz", "gz of two members", "zst", "utf-16-le", "utf-16-be", "bom", "utf-16 in gz"],
)
def test_every_packing_and_encoding_gives_the_same_cases(file: Any, packed: Any) -> None:
    text = 'case_id,title\nA,"caf\u00e9 😀\u2028"\nB,x\n'
    read = Read(file(packed(text.encode())))
    assert [(c.case_id, c.cells["title"], c.line) for c in read.cases] == [
        ("A", "café 😀\u2028", 2),
        ("B", "x", 3),
    ]
    assert read.problems == []


def test_the_digest_is_that_of_the_uncompressed_bytes(file: Any) -> None:
    data = b"case_id\nA\n"
    want = hashlib.sha256(data).hexdigest()
    for name, content in (("cases.csv", data), ("cases.csv.gz", gzip.compress(data))):
        info = Read(file(content, name)).table.info
        assert (info.role, info.path, info.format, info.records, info.sha256) == (
            "cases",
            name,
            "csv",
            1,
            want,
        )


def test_the_bytes_of_a_row_can_be_read_again(file: Any) -> None:
    data = b'\xef\xbb\xbfcase_id,title\r\nA,"x\r\ny"\r\nB,\xc3\xa9\r\nC,z'
    table = Read(file(data)).table
    rows = [table.files.read(0, row.offset, row.length) for row in table.rows]
    assert rows == [b'A,"x\r\ny"\r\n', b"B,\xc3\xa9\r\n", b"C,z"]
    assert table.files.read(0, 0, table.preamble) + b"".join(rows) == data


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; expected WHAT"),
        (b" \n\n", "is empty; expected WHAT"),
        (
            b"PK\x03\x04" + b"\x00" * 40,
            "is a zip archive or a spreadsheet (.xlsx); expected WHAT: save the sheet as CSV and give that"
            " file",
        ),
        (
            "case_id,title\nA,x\n".encode("utf-16-le"),
            "UTF-16 text without a byte order mark; expected WHAT as UTF-8, or UTF-16 with a byte order mark",
        ),
        (
            bytes(range(256)) * 20,
            "not text (it holds NUL bytes); expected WHAT as UTF-8, or UTF-16 with a byte order mark",
        ),
        (
            b'{\n "cases": [],\n "name": "x"\n}\n',
            "is one JSON object (keys: cases, name); expected WHAT",
        ),
        (b'{"case_id": \n', "no line of it is a JSON object; expected WHAT"),
        (
            b'{"case_id": "A", "step": 1, "tool_name": "look"}\n',
            "holds events, not cases; expected WHAT: are the two files swapped?",
        ),
        (
            b"\xffcase_id,x\nA,b\n",
            "the header is not valid UTF-8 at byte 1 of the file (0xff); save the file as UTF-8",
        ),
    ],
    ids=[
        "empty",
        "blank",
        "spreadsheet",
        "utf-16 unmarked",
        "binary",
        "one object",
        "no object",
        "events",
        "bad header",
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(file: Any, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as refused:
        Read(file(content))
    what = "cases (CSV, TSV, a JSON array of objects, or JSONL)"
    assert str(refused.value) == "cases.csv: " + message.replace("WHAT", what)


@pytest.mark.parametrize("content", ["[]", " [ ]\n", "\ufeff[]"])
def test_an_empty_list_is_no_cases(file: Any, content: str) -> None:
    assert Read(file(content)).cases == []
    with pytest.raises(InputError, match="no column case_id"):
        Read(file("[{}]"))


def test_an_observation_is_a_run_without_calls(file: Any) -> None:
    read = Read(file('[\n {"name": "wrong_day", "http": 200, "bookings": []}\n]'), "name")
    run = observed_run(read.cases[0], "cases.csv")
    assert run.events == ()
    assert run.final == {"name": "wrong_day", "http": 200, "bookings": []}
    assert run.final_source is not None and (run.final_source.path, run.final_source.line) == ("cases.csv", 2)
    assert run.complete
