"""SHA-256 of recordings, on request: reading them once more takes time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from traceview.read.files import BLOCK, STDIN, list_folder, open_input
from traceview.results import Report

__all__ = ["with_digests"]


def with_digests(report: Report, traces: Sequence[str]) -> Report:
    """The report with the SHA-256 of each of its ``traces``, of their readable (decompressed) bytes; of a
    folder, of its files one behind the other. What cannot be read again (standard input, a pipe) has none."""
    paths = iter(traces)
    inputs = tuple(
        replace(info, sha256=_digest(next(paths))) if info.role == "traces" else info
        for info in report.inputs
    )
    return replace(report, inputs=inputs)


def _digest(path: str) -> str | None:
    if path == STDIN:
        return None
    names = list_folder(path) if Path(path).is_dir() else [path]
    if not all(Path(name).is_file() for name in names):
        return None
    digest = hashlib.sha256()
    for name in names:
        with open_input(name, "traces").file as file:
            file.seek(0)
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()
