"""The same cases and runs in every form that is read: one report."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from bookings import COLUMNS, Suite, suite

CHECK = [sys.executable, "-m", "traceview", "check", "--format", "json"]


@pytest.fixture(scope="module")
def made() -> Suite:
    return suite(seed=3, size=120)


@pytest.fixture(scope="module")
def traces(made: Suite) -> bytes:
    return made.traces_jsonl(Random(3)).encode()


@pytest.fixture(scope="module")
def plain(made: Suite, traces: bytes, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The results from CSV and JSON Lines."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    (folder / "traces.jsonl").write_bytes(traces)
    results = results_of(folder, "cases.csv", "traces.jsonl")
    assert len(results) == len(made.runs)
    return results


def results_of(folder: Path, cases: str, traces: str, stdin: bytes = b"") -> list[Any]:
    done = subprocess.run(
        [*CHECK, cases, traces], cwd=folder, input=stdin, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 1, done.stderr.decode()
    results = json.loads(done.stdout)["results"]
    assert isinstance(results, list)
    return results


def as_tsv(made: Suite) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, dialect="excel-tab")
    writer.writeheader()
    writer.writerows(made.cases)
    return text.getvalue().encode()


CASES: dict[str, Callable[[Suite], bytes]] = {
    "cases.tsv": as_tsv,
    "cases.json": lambda made: json.dumps(made.cases, indent=1).encode(),
    "cases.jsonl": lambda made: "".join(json.dumps(case) + "\n" for case in made.cases).encode(),
    "utf-16.csv": lambda made: made.cases_csv().encode("utf-16"),
    "marked.csv": lambda made: made.cases_csv().replace("\n", "\r\n").encode("utf-8-sig"),
    "cases.csv.gz": lambda made: gzip.compress(made.cases_csv().encode()),
    "misnamed.csv": lambda made: json.dumps(made.cases).encode(),
}
TRACES: dict[str, Callable[[bytes], bytes]] = {
    "traces.jsonl.gz": gzip.compress,
    "traces.jsonl.zst": lambda lines: zstandard.ZstdCompressor().compress(lines),
    "misnamed.jsonl": gzip.compress,
    "utf-16.jsonl": lambda lines: lines.decode().encode("utf-16"),
    "marked.jsonl": lambda lines: b"\xef\xbb\xbf" + lines.replace(b"\n", b"\r\n"),
    "open-ended.jsonl": lambda lines: lines.removesuffix(b"\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str, made: Suite, traces: bytes, plain: list[Any], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(CASES[name](made))
    (tmp_path / "traces.jsonl").write_bytes(traces)
    assert results_of(tmp_path, name, "traces.jsonl") == plain


@pytest.mark.parametrize("name", TRACES)
def test_traces(name: str, made: Suite, traces: bytes, plain: list[Any], tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    (tmp_path / name).write_bytes(TRACES[name](traces))
    assert results_of(tmp_path, "cases.csv", name) == plain


def test_traces_from_a_pipe(made: Suite, traces: bytes, plain: list[Any], tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    assert results_of(tmp_path, "cases.csv", "-", stdin=traces) == plain


def test_a_folder_of_traces(made: Suite, traces: bytes, plain: list[Any], tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    folder = tmp_path / "traces"
    folder.mkdir()
    lines = traces.splitlines(keepends=True)
    for part in range(7):
        (folder / f"part-{part}.jsonl").write_bytes(b"".join(lines[part::7]))
    assert results_of(tmp_path, "cases.csv", "traces") == plain
