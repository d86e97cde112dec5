"""The library in two calls: judge files, or judge one run that is already in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traceview.contract.spec import Contract
    from traceview.model import Case, Run, RunResult
    from traceview.results import Report

__all__ = ["evaluate", "load"]


def load(
    cases: str | os.PathLike[str],
    traces: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    contract: str | os.PathLike[str] | None = None,
) -> Report:
    """Read cases and traces and judge every run, as ``traceview check`` does.

    :param traces: a file or a folder of files, or several of them.
    :param contract: the path of a contract file; None finds one as the command line does.
    :raises traceview.read.problems.InputError: an input cannot be used at all.
    :raises traceview.contract.errors.ContractError: the contract is wrong, or does not fit the cases.
    """
    from traceview.load import Loader

    paths = [traces] if isinstance(traces, str | os.PathLike) else traces
    named = None if contract is None else os.fspath(contract)
    loader = Loader(os.fspath(cases), [os.fspath(path) for path in paths], named, need_contract=True)
    with closing(loader):
        return loader.report()


def evaluate(contract: Contract, case: Case, run: Run) -> RunResult:
    """What ``contract`` says of one run: a pure function of the three.

    A contract comes from :func:`traceview.contract.toml.parse`. A case with a cell that is no text is read as
    one from a JSON file. To judge many runs, make one :class:`traceview.evaluate.judge.Evaluator`.
    """
    from traceview.evaluate.judge import Evaluator

    from_json = any(not isinstance(cell, str) for cell in case.cells.values())
    return Evaluator(contract, json_cases=from_json).judge(case, run)
