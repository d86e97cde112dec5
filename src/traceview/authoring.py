"""Writing a contract: a draft from cases and runs, and what there is to say about a contract file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from traceview.contract.errors import ContractError
from traceview.contract.guess import id_column
from traceview.contract.init import draft
from traceview.contract.lint import Remark, lint
from traceview.contract.seen import Seen
from traceview.contract.spec import RunsSpec
from traceview.contract.toml import parse
from traceview.load import Loader, Progress, read_columns, read_text
from traceview.model import Case, Run
from traceview.read.aliases import Aliases
from traceview.read.cases import CasesTable, read_cases
from traceview.read.files import STDIN, shown_path
from traceview.read.observations import observed_run
from traceview.read.problems import InputError, Problems
from traceview.read.traces import TraceIndex, read_run
from traceview.results import InputInfo

__all__ = ["draft_contract", "lint_contract"]

_MOST_RUNS = 2000  # looked at: enough to see what recurs


def lint_contract(path: str, cases: str | None = None) -> list[Remark]:
    """Whether a contract is sound, and whether it fits a cases file.

    :raises InputError: a file cannot be read, or has a column twice that the contract reads.
    """
    shown = shown_path(path)
    text = read_text(Path(path))
    if text is None:
        raise InputError(f"{shown}: there is no such contract file")
    if cases is None:
        return lint(text, shown)
    problems = Problems()
    table = read_cases(cases, problems)
    return lint(text, shown, table.columns, _cases(table, text, problems), json_cases=not table.text)


def _cases(table: CasesTable, contract_text: str, problems: Problems) -> Sequence[Case]:
    """The cases by the id that the contract names; none where that is what is wrong with it."""
    try:
        contract = parse(contract_text, "")
    except ContractError:
        return ()
    read = read_columns(contract)
    table.require(read)
    column = contract.cases.id
    return table.with_id(column, problems, read) if column in table.columns else ()


def draft_contract(
    cases: str | None, traces: Sequence[str], tell: Callable[[Progress], None] = lambda _: None
) -> str:
    """The text of a contract to start from.

    :param cases: None where one file holds both sides (observations), which then is all of ``traces``.
    :param tell: hears how far reading has come.
    :raises InputError: an input cannot be used at all.
    """
    inputs = Loader(cases, traces)
    if inputs.cases is None:
        raise InputError(
            f"{shown_path(traces[0])} alone is not enough: name the cases and the traces, "
            f"or one file of observations"
        )
    problems = Problems()
    table = read_cases(inputs.cases, problems)
    if not table.columns:
        raise InputError(f"{table.shown}: holds no case, so there is nothing to start from")
    index = TraceIndex(inputs.traces, RunsSpec(), problems)
    if inputs.traces:
        for done, total in index.scan():
            tell(Progress("traces", done, total))
    column = id_column(table.columns, [row.cells for row in table.rows], index.case_ids())
    infos = (table.info, *index.infos)
    known = table.with_id(column, problems)
    runs, left_out = _observed(known, table.shown), 0
    if inputs.traces:
        runs, left_out = _recorded(known, index)
    return draft(
        Seen(
            name=_name(inputs.cases),
            columns=tuple(name for name in table.columns if name not in table.repeated),
            repeated=table.repeated,
            cases=[case.cells for case in known],
            id_column=column,
            runs=runs,
            observed=not inputs.traces,
            left_out=left_out,
            joined=sum(bool(index.run_numbers(case.case_id)) for case in known),
            sources=tuple(map(_source, infos)),
        )
    )


def _recorded(cases: Sequence[Case], index: TraceIndex) -> tuple[list[tuple[int, Run]], int]:
    """Runs in the order of the cases, spread evenly if there are too many, and how many were left out."""
    numbers = [
        (place, number) for place, case in enumerate(cases) for number in index.run_numbers(case.case_id)
    ]
    runs = []
    chosen = numbers[:: max(1, -(-len(numbers) // _MOST_RUNS))]
    for place, number in chosen:
        run, _ = read_run(index.files, index.where(number), index.runs[number], Aliases({}))
        if run.problem is None:
            runs.append((place, run))
    return runs, len(numbers) - len(chosen)


def _observed(cases: Sequence[Case], shown: str) -> list[tuple[int, Run]]:
    return [(place, observed_run(case, shown)) for place, case in enumerate(cases) if case.problem is None]


def _source(info: InputInfo) -> str:
    records = "1 record" if info.records == 1 else f"{info.records} records"
    return f"{info.path} ({info.format}, {records})"


def _name(cases: str) -> str:
    """A name for reports: that of the cases file without its endings."""
    return "draft" if cases == STDIN else Path(cases).name.split(".")[0] or "draft"
