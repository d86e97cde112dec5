"""Writing a report to a file beside the screen; it can be stopped, and then leaves nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

from traceview.evaluate.detail import Detail
from traceview.results import Report, Row, subset
from traceview.tui.session import Reader
from traceview.write import Options, writer
from traceview.write.files import output

if TYPE_CHECKING:
    from traceview.write.inputs import Inputs


class Stopped(Exception):
    """The program ends while a file is being written."""


class _Stream:
    """A text stream that can be stopped between two writes."""

    def __init__(self, stream: TextIO, stopped: threading.Event) -> None:
        self._stream = stream
        self._stopped = stopped

    def write(self, text: str) -> int:
        if self._stopped.is_set():
            raise Stopped
        return self._stream.write(text)

    @property
    def buffer(self) -> BinaryIO:
        """The bytes below, for a format that is no text."""
        return self._stream.buffer


class WriteJob:
    """Writes ``rows`` of ``report``; ``reader`` reads the values of findings again if they were left out.

    ``detail`` opens runs, for a format that shows their steps. ``inputs``: their own rows and lines are
    written beside the file.
    """

    def __init__(
        self,
        report: Report,
        rows: Sequence[Row],
        filter_text: str | None,
        path: str,
        format_name: str,
        *,
        force: bool,
        reader: Reader | None,
        detail: Callable[[Row], Detail] | None = None,
        inputs: Inputs | None = None,
    ) -> None:
        self.report = report
        self.rows = rows
        self.filter_text = filter_text
        self.path = path
        self.format_name = format_name
        self.force = force
        self.reader = reader
        self.detail = detail
        self.inputs = inputs
        self._stopped = threading.Event()
        self._ended = threading.Event()

    def run(self) -> str:
        """Write, and say what was written.

        :raises OutputError: the file cannot be written; it is then as it was before.
        """
        try:
            rows = list(self.rows)
            if self.reader is not None:
                rows = [self._complete(self.reader, row) for row in rows]
            part = subset(self.report, rows, self.filter_text)
            if self.inputs is not None:
                from traceview.write.inputs import write_inputs

                folder = str(Path(self.path).parent)
                write_inputs(part, self.inputs, folder, force=self.force, reports=[self.path])
            with output(self.path, force=self.force) as stream:
                options = Options(detail=self.detail)
                writer(self.format_name)(part, cast(TextIO, _Stream(stream, self._stopped)), options)
            return self._words(len(rows))
        finally:
            self._ended.set()

    def _complete(self, reader: Reader, row: Row) -> Row:
        if self._stopped.is_set():
            raise Stopped
        return reader.complete(row)

    def _words(self, count: int) -> str:
        target = Path(self.path)
        size = target.stat().st_size
        runs = f"{count:,} of {len(self.report.rows):,} runs"
        more = ", and their inputs beside it" if self.inputs is not None else ""
        return f"wrote {runs} as {self.format_name} to {target.absolute()} ({size_words(size)}){more}"

    def stop(self, seconds: float = 2.0) -> None:
        """End it and wait until the file is whole or gone."""
        self._stopped.set()
        self._ended.wait(seconds)


def size_words(size: int) -> str:
    """``812 bytes``, ``4.1 kB``, ``20 MB``."""
    if size < 1000:
        return f"{size} byte{'s' if size != 1 else ''}"
    value, unit = (size / 1e3, "kB") if size < 1_000_000 else (size / 1e6, "MB")
    return f"{value:.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
