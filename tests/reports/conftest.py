"""Running the program on the inputs under data/."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from reports.table import DATA, ODD_NAMES, Ran, Run
from traceview import cli


@pytest.fixture
def traceview(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """``traceview(name, "check", "--format", "json")`` runs the command in a copy of that input's folder.

    The two files are put behind the command word; ``files`` gives others. Another call for the same input
    goes on in the same copy.
    """

    def run(name: str, command: str, *options: str, files: Sequence[str] | None = None) -> Ran:
        folder = tmp_path / name
        if not folder.exists():
            shutil.copytree(DATA / name, folder)
        monkeypatch.chdir(folder)
        if files is None:
            files = ODD_NAMES.get(name, ("cases.csv", "traces.jsonl"))
        capfdbinary.readouterr()
        try:
            code = cli.main([command, *files, *options])
        except SystemExit as leaving:
            assert isinstance(leaving.code, int), leaving.code
            code = leaving.code
        out, err = capfdbinary.readouterr()
        return Ran(code, out, err.decode())

    return run
