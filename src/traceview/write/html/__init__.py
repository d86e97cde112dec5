"""The report as one HTML file for sharing: it asks for nothing from elsewhere, and holds its data as text.

Data stands in ``<script type="application/json">`` blocks: one for the report, one for the rows of the table
and one for each run that can be opened. The page's own script makes text nodes of them; its content security
policy lets no other script run and no request leave. Every text has passed :mod:`traceview.sanitize`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TextIO

import msgspec

from traceview.results import Report, totals
from traceview.write import Options
from traceview.write.html.overview import Overview
from traceview.write.html.page import Page
from traceview.write.html.timeline import opened, unopened
from traceview.write.words import headline

if TYPE_CHECKING:
    from traceview.evaluate.detail import Detail

__all__ = ["write"]

_EVERY: Final = 2_000  # runs up to which those that pass can be opened too
_LARGEST: Final = 64_000_000  # characters of opened runs in one file: browsers struggle with more

# What could end a block or begin another one, and what older scripts take for a line end.
_ESCAPES: Final = [(char, f"\\u{ord(char):04x}") for char in "<>&\u2028\u2029"]


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write the page. ``options.detail`` opens the runs that do not pass, and in a small report all; without
    it the page has their findings only. With ``summary`` it has no table of runs."""
    page = Page.read()
    overview = Overview(report)
    stream.write(page.before(headline(totals(report.rows))))
    _block(stream, "report", overview.head(options))
    if not options.summary:
        _write_rows(stream, overview)
        _block(stream, "kept", _write_runs(stream, report, options))
    stream.write(page.after)


def _write_rows(stream: TextIO, overview: Overview) -> None:
    stream.write('<script type="application/json" id="rows">[')
    before = "\n"
    for row in overview.rows():
        stream.write(before + _json(row))
        before = ",\n"
    stream.write("]</script>\n")


def _write_runs(stream: TextIO, report: Report, options: Options) -> dict[str, Any]:
    """Write what a click on a row opens, one run at a time; returns how many there are and why not all."""
    every = len(report.rows) <= _EVERY
    written = count = passing = large = 0
    for number, row in enumerate(report.rows):
        if row.result.verdict == "pass" and not every:
            passing += 1
        elif written > _LARGEST:
            large += 1
        else:
            found: Detail | None = options.detail(row) if options.detail is not None else None
            written += _block(stream, f"run-{number}", opened(found) if found is not None else unopened(row))
            count += 1
    return {"runs": count, "passing": passing, "large": large, "steps": options.detail is not None}


def _block(stream: TextIO, name: str, value: dict[str, Any]) -> int:
    """A block of data; returns its characters."""
    text = _json(value)
    stream.write(f'<script type="application/json" id="{name}">{text}</script>\n')
    return len(text)


def _json(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    for char, escape in _ESCAPES:
        text = text.replace(char, escape)
    return text
