"""Which contract judges: a named file, a file beside the cases, the cases' own columns, or the built-in."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from pathlib import Path

from traceview.contract.columns import check_columns, used_columns
from traceview.contract.described import COLUMNS, from_columns
from traceview.contract.errors import ContractError, listed
from traceview.contract.spec import Contract
from traceview.contract.toml import parse

__all__ = ["beside", "built_in", "find", "ignored_columns", "none_applies"]

ReadText = Callable[[Path], str | None]
_COMPRESSED = (".gz", ".zst")


@lru_cache(maxsize=1)
def built_in() -> Contract:
    """The contract that comes with the program, room-booking."""
    text = (resources.files("traceview.contract") / "builtin" / "room_booking.toml").read_text("utf-8")
    return parse(text, "built-in")


def beside(cases_path: Path) -> tuple[Path, Path]:
    """Where a contract is looked for beside a cases file: ``STEM.contract.toml``, then ``contract.toml``."""
    name = cases_path.with_suffix("") if cases_path.suffix in _COMPRESSED else cases_path
    return cases_path.with_name(name.stem + ".contract.toml"), cases_path.with_name("contract.toml")


def find(
    explicit: Path | None,
    cases_path: Path | None,
    columns: Collection[str],
    read_text: ReadText,
    shown: Callable[[Path], str] = str,
) -> Contract | None:
    """The contract for a cases file with these columns, or None when none applies.

    ``explicit`` is the file that was named (``--contract``); ``cases_path`` None when the cases come from
    standard input. ``read_text`` gives the text of a file, None where there is no file; ``shown`` the path as
    a report shows it, which becomes the contract's ``source``.

    :raises ContractError: the contract is wrong, or names a column that the cases file does not have.
    """
    if explicit is not None:
        text = read_text(explicit)
        if text is None:
            raise ContractError(shown(explicit), "", "there is no such contract file")
        return _fitting(parse(text, shown(explicit)), columns)
    for path in beside(cases_path) if cases_path is not None else ():
        text = read_text(path)
        if text is not None:
            return _fitting(parse(text, shown(path)), columns)
    return from_columns(columns) or (_built_in(columns) if columns else built_in())


def _fitting(contract: Contract, columns: Collection[str]) -> Contract:
    if columns:  # an empty JSON list has none, and is no mistake of the contract
        check_columns(contract, columns)
    return contract


def _built_in(columns: Collection[str]) -> Contract | None:
    contract = built_in()
    title = contract.cases.title
    if not all(column in columns for column in used_columns(contract) if column != title):
        return None
    return contract if title in columns else replace(contract, cases=replace(contract.cases, title=None))


def ignored_columns(contract: Contract, columns: Collection[str]) -> tuple[str, ...]:
    """Columns that look like expectations and that this contract does not read."""
    read = {*used_columns(contract), *contract.described_columns}
    return tuple(c for c in columns if (c.startswith("expected_") or c in COLUMNS) and c not in read)


def none_applies(columns: Collection[str], cases_path: Path | None = None) -> str:
    """What to tell someone whose cases no contract applies to: what was found, and the ways to go on."""
    name = beside(cases_path)[0].name if cases_path is not None else "NAME.contract.toml"
    return (
        f"no contract applies: the cases have the columns {listed(columns) or 'none'}. "
        f"Name a contract with --contract FILE, put {name} beside the cases, "
        f"or add expected columns ({listed(COLUMNS)}); `traceview init` writes a contract to start from"
    )
