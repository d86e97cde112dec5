"""docs/contract.md: every example is read, and every key of the language has one."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from traceview.contract.cells import CASTS
from traceview.contract.columns import check_columns
from traceview.contract.compares import KINDS
from traceview.contract.described import COLUMNS
from traceview.contract.errors import ContractError
from traceview.contract.table import Table
from traceview.contract.toml import parse

PAGE = (Path(__file__).parents[2] / "docs/contract.md").read_text("utf-8")
PART = "*part of a contract*\n"
EXAMPLES = [
    ('contract = 1\nname = "part"\n' if part else "") + text
    for part, text in re.findall(rf"({re.escape(PART)})?```toml\n(.*?)```", PAGE, re.DOTALL)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_contract(example: str) -> None:
    parse(example, "docs/contract.md")


def test_every_key_stands_in_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[tuple[str, ...], set[str]] = defaultdict(set)
    only = Table.only

    def watch(table: Table, *allowed: str) -> Table:
        # A kind has the same keys with and without a value; that it takes one is said once for all.
        shown[tuple(key for key in allowed if key != "value")].update(table.data)
        return only(table, *allowed)

    monkeypatch.setattr(Table, "only", watch)
    for example in EXAMPLES:
        parse(example, "docs/contract.md")
    assert len(shown) > 20
    lacking = {allowed: set(allowed) - keys for allowed, keys in shown.items() if set(allowed) - keys}
    assert lacking == {}


def test_every_kind_cast_and_expected_column_is_named() -> None:
    for name in (*KINDS, *CASTS, *COLUMNS):
        assert f"`{name}`" in PAGE, name


def test_the_errors_read_as_shown() -> None:
    shown = re.findall(r"^room\.contract\.toml: .*$", PAGE, re.MULTILINE)
    head = 'contract = 1\nname = "x"\n'
    step = '[[step]]\ntool = "a"\n'
    errors = []
    for text in (
        head + step + step + 'args.duration_min = "{durtion}"',
        head + '[order]\nmode = "exactly"',
        head + "[order]\nmode = exact",
    ):
        with pytest.raises(ContractError) as caught:
            check_columns(parse(text, "room.contract.toml"), ["case_id", "duration_min"])
        errors.append(str(caught.value))
    assert errors == shown
