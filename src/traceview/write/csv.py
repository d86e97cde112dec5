"""One row per run, for spreadsheets and pandas.

Columns: case_id, run, verdict, diagnosis, label; every check as true, false or unknown (blank where it does
not apply); every layer; signature; the finding that decided, with both of its sides; title and trial. Where
there is triage also mark, note, tags, and whether the failure is the "same" as when it was marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TextIO

from traceview.jsontext import show
from traceview.model import MISSING
from traceview.results import Report, Row, deciding_finding
from traceview.write import Options
from traceview.write.words import reason

if TYPE_CHECKING:
    from traceview.triage import Triage

__all__ = ["cell", "write"]

_FRONT: Final = ("case_id", "run", "verdict", "diagnosis", "label")
_BACK: Final = ("signature", "first_finding", "expected", "observed", "title", "trial")
_TRIAGE: Final = ("mark", "note", "tags", "since")
_CHECK_CELLS: Final = {"pass": "true", "fail": "false", "unknown": "unknown"}

# What a spreadsheet takes for a formula (https://owasp.org/www-community/attacks/CSV_Injection): the signs,
# full-width ones too, a tab or carriage return, also behind blanks, line breaks and invisible characters.
_FORMULA: Final = re.compile(r"[\t\r]|[\s\x00-\x1f\ufeff\u200b-\u200f\u2060]*[=+\-@＝＋－＠]")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_QUOTED: Final = re.compile(r'[",\r\n]|^\s|\s$')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write header and rows (RFC 4180 quoting, ``\\n`` at line ends); filter and stamp have no place."""
    contract = report.contract
    checks = contract.checks if contract else ()
    layers = contract.layers if contract else ()
    triage = report.triage
    _write_line(stream, (*_header(checks, layers), *(_TRIAGE if triage is not None else ())))
    for row in report.rows:
        decided = _decided(triage, row) if triage is not None else ()
        _write_line(stream, (*_cells(row, checks, layers), *decided))


def _header(checks: Iterable[str], layers: Iterable[str]) -> Iterator[str]:
    """The names of the columns; a check or layer that is called like an earlier column gets a prefix."""
    seen = {*_FRONT, *_BACK, *_TRIAGE}
    yield from _FRONT
    for kind, names in (("check", checks), ("layer", layers)):
        for name in names:
            yield name if name not in seen else f"{kind}:{name}"
            seen.add(name)
    yield from _BACK


def _cells(row: Row, checks: Iterable[str], layers: Iterable[str]) -> Iterator[str]:
    result = row.result
    yield result.case_id
    yield result.run_id if result.run_id is not None else result.trial or ""
    yield result.verdict
    yield result.diagnosis
    yield row.label or ""
    for check in checks:
        yield _CHECK_CELLS.get(result.checks.get(check, ""), "")
    for layer in layers:
        said = result.layers.get(layer, "n/a")
        yield "" if said == "n/a" else said
    yield result.signature or ""
    finding = deciding_finding(result)
    yield reason(row)
    yield "" if finding is None else _value(finding.expected)
    yield "" if finding is None else _value(finding.observed)
    yield row.title
    yield result.trial or ""


def _decided(triage: Triage, row: Row) -> tuple[str, str, str, str]:
    found = triage.of(row)
    if found is None:
        return "", "", "", ""
    since = "" if found.mark is None else "same" if found.same else "changed"
    return found.mark or "", found.note, ", ".join(found.tags), since


def _value(value: Any) -> str:
    """A value in its own cell: text as it is, anything else as JSON, nothing where there is none."""
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else show(value)


def _write_line(stream: TextIO, cells: Iterable[str]) -> None:
    stream.write(",".join(map(cell, cells)) + "\n")


def cell(text: str) -> str:
    """``text`` as a CSV cell. Text that a spreadsheet could run as a formula gets an apostrophe in front; a
    number is never one."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = "'" + text
    if not text.isascii():
        text = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    if _QUOTED.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
