"""Cells that no spreadsheet runs, and that give back what they were made of."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceview.write.csv import cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\rx",
        " =1",
        "\n=1",
        " \r\n @x",
        "＝1",
        "\ufeff=1",
        "-",
        "--1",
        "-1e",
    ],
)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert next(csv.reader(io.StringIO(cell(text), newline=""))) == ["'" + text]


@pytest.mark.parametrize("text", ["-0.02", "-3", "1e5", "-1.5E-7", "a=b", "x - y", "'=1", "", "007", "1+1"])
def test_anything_else_is_left_alone(text: str) -> None:
    assert cell(text) == text


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=2))
def test_cells_read_back(texts: list[str]) -> None:
    line = ",".join(map(cell, texts))
    back = next(csv.reader(io.StringIO(line, newline="")))
    assert [one.removeprefix("'") for one in back] == [one.removeprefix("'") for one in texts]


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    assert cell("a\udcb2") == "a\\udcb2"
