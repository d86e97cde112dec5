"""Comparisons of a report that holds what has broken formats, byte for byte.

``python tests/golden/test_comparisons.py`` writes the expected files again: look at the difference first.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from golden.hostile import EXPECTED, hostile
from rows import row
from traceview.compare import Comparison, compare
from traceview.write import Options
from traceview.write.comparison import FORMATS, writer

FILES = {
    "compare.txt": ("text", Options()),
    "compare-ascii.txt": ("text", Options(colour=True, ascii=True)),
    "compare-summary.txt": ("text", Options(summary=True, stamp="2031-04-01")),
    "compare.json": ("json", Options(stamp="2031-04-01")),
    "compare.md": ("markdown", Options(stamp="2031-04-01")),
    "compare.csv": ("csv", Options()),
}


def comparison() -> Comparison:
    """Backwards, so that what passed fails, with a case more on either side."""
    baseline = hostile()
    rows = [*baseline.rows]
    verdicts = ["fail", "pass", "fail", "unknown", "pass", "fail", "unusable"]
    results = [
        replace(one, result=replace(other.result, case_id=one.result.case_id, verdict=verdict))
        for one, other, verdict in zip(rows, reversed(rows), verdicts, strict=True)
    ]
    inputs = (baseline.inputs[0], replace(baseline.inputs[1], path="traces,\x1b[2J2.jsonl"))
    candidate = replace(baseline, rows=[*results[1:], row("|new\n")], inputs=inputs, problems=[])
    return replace(compare(baseline, candidate), filter='"x | y"')


def written(name: str, found: Comparison) -> str:
    format_name, options = FILES[name]
    binary = io.BytesIO()
    stream = io.TextIOWrapper(binary, "utf-8", "backslashreplace", "\n")
    writer(format_name)(found, stream, options)
    stream.flush()
    return binary.getvalue().decode()


@pytest.mark.parametrize("name", FILES)
def test_byte_for_byte(name: str) -> None:
    assert written(name, comparison()) == (EXPECTED / name).read_bytes().decode()


def test_every_format_is_tried() -> None:
    assert {form for form, _ in FILES.values()} == set(FORMATS)
    with pytest.raises(ValueError):
        writer("junit")


@pytest.mark.parametrize("name", ["compare.txt", "compare-ascii.txt", "compare-summary.txt"])
def test_text_is_printable(name: str) -> None:
    for line in written(name, comparison()).split("\n"):
        assert re.sub(r"\x1b\[(?:38;5;\d+|0)m", "", line).isprintable()


def test_json_is_strict() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    assert json.loads(written("compare.json", comparison()), parse_constant=refuse)["filter"] == '"x | y"'


def test_markdown_rows_have_the_pipes_of_their_header() -> None:
    pipes = 0
    for line in written("compare.md", comparison()).split("\n"):
        if not line.startswith("|"):
            pipes = 0
            continue
        count = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        assert pipes in (0, count), line
        pipes = count


def test_no_csv_cell_can_be_run() -> None:
    rows = list(csv.reader(io.StringIO(written("compare.csv", comparison()), newline="")))
    assert {len(line) for line in rows} == {len(rows[0])}
    assert not any(cell.lstrip().startswith(("=", "+", "@")) for line in rows for cell in line)


@pytest.mark.parametrize("name", FILES)
def test_nothing_compared_is_valid_too(name: str) -> None:
    empty = replace(hostile(), rows=[], problems=[])
    text = written(name, compare(empty, empty))
    assert text.endswith("\n")
    if name.endswith(".json"):
        assert json.loads(text)["totals"]["runs"] == 0


if __name__ == "__main__":
    for file in FILES:
        (EXPECTED / file).write_bytes(written(file, comparison()).encode())
