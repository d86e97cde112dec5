"""Reports as files: one module a format, each with ``write(report, stream, options)``.

A writer computes no verdict, and writes rows as it takes them, so that no report is held in memory as text.
Streams are text streams in UTF-8 with ``\\n`` (:mod:`traceview.write.files` makes them). Zero rows give an
empty file that is valid.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO, TypeAlias

if TYPE_CHECKING:
    from traceview.evaluate.detail import Detail
    from traceview.results import Report, Row

__all__ = ["ENDINGS", "FORMATS", "Options", "Writer", "format_of", "writer"]

FORMATS: Final = ("text", "json", "jsonl", "csv", "markdown", "junit", "github", "html", "png", "svg")
ENDINGS: Final = {
    ".txt": "text",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".xml": "junit",
    ".html": "html",
    ".htm": "html",
    ".png": "png",
    ".svg": "svg",
}
"""File name endings (lower case) and the format that each stands for."""


class Options(NamedTuple):
    """``summary``: leave out the single runs (text, json, markdown, html). ``stamp``: a text of the user,
    usually a date, put where the format has a place for it. ``colour`` and ``ascii`` concern text on a
    terminal. ``detail`` opens a row (html shows steps), reading its run again: a writer calls it for one row
    at a time, so that no two are in memory."""

    summary: bool = False
    stamp: str | None = None
    colour: bool = False
    ascii: bool = False
    detail: Callable[[Row], Detail] | None = None


Writer: TypeAlias = Callable[["Report", TextIO, Options], None]


def format_of(path: str) -> str | None:
    """The format that a file name asks for by its ending, or None."""
    return ENDINGS.get(PurePath(path).suffix.lower())


def writer(name: str) -> Writer:
    """The writer of one of :data:`FORMATS`; it hides what the contract says that exports hide.

    :raises OutputError: it needs a library that is not installed.
    """
    if name not in FORMATS:
        raise ValueError(name)
    if name in ("png", "svg"):
        from traceview.write import chart

        chart.require()
    write: Writer = import_module(f"traceview.write.{name}").write

    def write_redacted(report: Report, stream: TextIO, options: Options) -> None:
        from traceview.write.redaction import redacted, redacting

        if options.detail is not None:
            options = options._replace(detail=redacting(report, options.detail))
        write(redacted(report), stream, options)

    return write_redacted
