"""Every file that is read, so that none of them is written over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from traceview.contract.errors import ContractError
from traceview.contract.find import beside
from traceview.contract.toml import parse
from traceview.read.files import STDIN, list_folder
from traceview.read.problems import InputError
from traceview.triage import triage_path

__all__ = ["originals", "recordings"]


def originals(
    cases: str | None, traces: Sequence[str], contract: str | None = None, triage: str | None = None
) -> Iterator[str]:
    """The files of these inputs: cases, traces, the contract and the tables that it names, and the marks;
    some may not be there. ``contract`` and ``triage`` are the files that were named, if they were."""
    yield from recordings([*traces] if cases is None else [cases, *traces])
    found = Path(contract) if contract is not None else _beside(cases, traces)
    if found is not None:
        yield str(found)
        yield from _tables(found)
    marks = Path(triage) if triage is not None else triage_path(cases, traces)
    if marks is not None:
        yield str(marks)


def recordings(paths: Iterable[str]) -> Iterator[str]:
    """Files as they are, the trace files of folders, and what stands behind standard input."""
    for path in paths:
        if path == STDIN:
            yield "/dev/stdin"
        elif Path(path).is_dir():
            with suppress(InputError):  # which is said when it is read
                yield from list_folder(path)
        else:
            yield path


def _beside(cases: str | None, traces: Sequence[str]) -> Path | None:
    """The contract that is found beside the cases, which may be a file of observations."""
    home = cases if cases is not None else next(iter(traces), STDIN)
    if home == STDIN or Path(home).is_dir():
        return None
    return next((path for path in beside(Path(home)) if path.exists()), None)


def _tables(contract: Path) -> Iterator[str]:
    """The files of ``map:`` rules; none where the contract is wrong, which is said when it is used, or can be
    read only once."""
    if not contract.is_file():
        return
    with suppress(OSError, UnicodeDecodeError, ContractError):
        runs = parse(contract.read_text("utf-8-sig"), "").runs
        for rule in (*runs.case, *runs.trial):
            kind, _, name = rule.partition(":")
            if kind == "map":
                yield str(contract.parent / name)
