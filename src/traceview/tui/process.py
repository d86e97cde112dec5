"""The process that reads large inputs: started before the screen, which then draws while it reads.

(A process that is made by ``multiprocessing`` inside a running textual application fails: textual replaces
standard error with an object that has no file descriptor.)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import msgspec

from traceview.read.files import TempFolder
from traceview.tui.request import Request

_LARGE: Final = 8_000_000  # bytes from which a process of its own is worth its start
_PACKED: Final = 8  # compressed text is about this much larger when it is read


def is_large(request: Request) -> bool:
    """Whether reading would be felt if it shared the screen's process."""
    if request.uses_stdin:
        return True
    size = 0
    for path in map(Path, (*([request.cases] if request.cases else []), *request.traces)):
        try:
            files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
            for file in files:
                size += file.stat().st_size * (_PACKED if file.suffix in (".gz", ".zst") else 1)
        except OSError:
            continue  # the loader says what is wrong with it
    return size > _LARGE


class ReaderProcess:
    """Runs :mod:`traceview.tui.reader_process`; ``messages`` is where its messages can be read."""

    def __init__(self, request: Request, stdin: int | None) -> None:
        self._temp = TempFolder()
        argument = msgspec.json.encode(msgspec.structs.replace(request, temp_folder=self._temp.path)).decode()
        self._process = subprocess.Popen(
            # -P: modules of ours, not of the folder that is being looked at
            [sys.executable, "-P", "-m", "traceview.tui.reader_process", argument],
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # it may have helpers of its own: all of them end with it
        )
        assert self._process.stdout is not None
        self.messages: IO[bytes] = self._process.stdout

    def stop(self) -> None:
        """End it; the copies that it made stay."""
        if self._process.poll() is None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def close(self) -> None:
        """End it and remove what it left behind."""
        self.stop()
        self._temp.close()
