"""From files to results: reading, judging and explaining tied together.

::

    report = Loader("cases.csv", ["traces.jsonl"]).report()

Cases are read, their contract is found, the traces are indexed in one pass, and then each run is read again
and judged, in the order of the cases, so that memory grows with runs and not with the text in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from traceview.contract.columns import used_columns
from traceview.contract.find import find, ignored_columns, none_applies
from traceview.contract.spec import Contract, RunsSpec
from traceview.desk import Desk, Judged, Reader, RowMaker, Source, key_of
from traceview.evaluate.judge import Evaluator
from traceview.mixup import hints
from traceview.model import Case, RunResult
from traceview.parallel import Copy, in_order, processes
from traceview.read.ahead import scan_ahead
from traceview.read.cases import CasesTable, read_cases
from traceview.read.files import STDIN, check_stdin, head_of, shown_path
from traceview.read.problems import InputError, Problems
from traceview.read.sniff import first_keys
from traceview.read.traces import Found, TraceIndex
from traceview.results import ContractInfo, InputInfo, Report, Row

if TYPE_CHECKING:
    from traceview.follow import Follower

__all__ = [
    "CasesRead",
    "Finished",
    "Loader",
    "Message",
    "Progress",
    "Rows",
    "Scanned",
    "read_columns",
    "read_text",
]

PENDING = "pending"  # the diagnosis of a row whose run was not judged yet
_BATCH = 500  # rows a message
_MANY = 20_000  # rows from which on several processes are worth their start


class CasesRead(Struct, frozen=True):
    """The rows that there will be, none judged yet (diagnosis "pending"), where they were asked for. Comes a
    second time, before the first results, where the traces hold several runs of a case."""

    columns: tuple[str, ...]
    contract: ContractInfo | None
    rows: list[Row]
    inputs: tuple[InputInfo, ...]


class Progress(Struct, frozen=True):
    """``stage`` "cases", "traces" (bytes) or "runs" (rows)."""

    stage: str
    done: int
    total: int


class Scanned(Struct, frozen=True):
    """The traces are indexed: with this, rows can be opened (:class:`Reader`)."""

    source: Source


class Rows(Struct, frozen=True):
    """Results for the rows from ``start`` on."""

    start: int
    rows: list[Row]


class Finished(Struct, frozen=True):
    """All is read and judged."""

    report: Report


Message = CasesRead | Progress | Scanned | Rows | Finished


class Loader:
    """One set of inputs. ``cases`` None: one file with both sides (observations), or traces alone, which open
    unjudged.

    :param traces: files or folders; "-" is standard input.
    :param contract: the path of a contract file, or None to find one.
    :param need_contract: refuse cases that no contract applies to (otherwise they open unjudged).
    :param temp_folder: where copies of compressed or piped input are kept for another process.
    :param follow: the traces are still being written to; ``follower`` reads on when all has been read once.
    :param ahead: the traces are being scanned already (:func:`traceview.read.ahead.scan_ahead`).
    :raises InputError, ContractError: by :meth:`stages` and :meth:`report`; exit code 2.
    """

    def __init__(
        self,
        cases: str | None,
        traces: Sequence[str],
        contract: str | None = None,
        *,
        need_contract: bool = False,
        temp_folder: str | None = None,
        follow: bool = False,
        ahead: Copy[Found | None] | None = None,
    ) -> None:
        if cases is None and len(traces) == 1 and _holds_observations(traces[0]):
            cases, traces = traces[0], ()
        self.cases = cases
        self.traces = tuple(traces)
        self.contract_path = contract
        self.need_contract = need_contract
        self.follow = follow
        self.follower: Follower | None = None
        self.problems = Problems()
        self._temp_folder = temp_folder
        self._ahead = ahead
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        """Opens rows of this loader; there once :class:`Scanned` was yielded."""
        assert self._reader is not None
        return self._reader

    def close(self) -> None:
        """Close the files that are kept open for opening runs."""
        if self._reader is not None:
            self._reader.files.close()

    def report(self) -> Report:
        """Read and judge everything."""
        for message in self.stages():
            if isinstance(message, Finished):
                return message.report
        raise AssertionError("stages end with Finished")

    def stages(self, *, pending: bool = False) -> Iterator[Message]:
        """Read and judge step by step; can be left at any point.

        :param pending: say early which rows there will be.
        """
        try:
            check_stdin([self.cases, *self.traces] if self.cases is not None else self.traces)
            if self._ahead is None and self.cases is not None and not (pending or self.follow):
                self._ahead = scan_ahead(self.traces)
            yield from self._stages(self._ahead, pending=pending)
        finally:
            if self._ahead is not None:
                self._ahead.end()
                self._ahead = None

    def _stages(self, scanned: Copy[Found | None] | None, *, pending: bool) -> Iterator[Message]:
        table: CasesTable | None = None
        contract: Contract | None = None
        cases: list[Case] = []
        if self.cases is not None:
            yield Progress("cases", 0, 0)
            table = read_cases(self.cases, self.problems)
            contract = self._find(table)
            read = read_columns(contract) if contract is not None else ()
            table.require(read)
            id_column = contract.cases.id if contract is not None else "case_id"
            cases = table.with_id(id_column, self.problems, read)
        elif self.contract_path is not None:
            raise InputError(
                "a contract judges cases; name the cases file too: traceview CASES TRACES --contract FILE"
            )
        json_cases = table is not None and not table.text
        evaluator = Evaluator(contract, json_cases=json_cases) if contract is not None else None
        columns = table.columns if table is not None else ()
        info = (
            _contract_info(contract, evaluator, columns)
            if contract is not None and evaluator is not None
            else None
        )
        inputs = (table.info,) if table is not None else ()
        if table is not None:
            # The cases hold all that is still needed of them.
            table.rows.clear()
            table.files.close()
        rows_of = RowMaker(contract)
        ahead = [rows_of.row(case, _pending(case.case_id, None, None), b"") for case in cases if pending]
        yield CasesRead(columns, info, ahead, inputs)

        index = TraceIndex(
            self.traces,
            contract.runs if contract is not None else RunsSpec(),
            self.problems,
            self._temp_folder,
            folder=self._contract_folder(),
            follow=self.follow,
        )
        observed = table.shown if table is not None and not self.traces else None
        standard = contract is None or contract.runs == RunsSpec()
        answer = scanned.next() if scanned is not None and standard else None
        found = answer.value() if answer is not None else None
        if found is not None:
            index.take(found)
        elif observed is None:
            for done, total in index.scan():
                yield Progress("traces", done, total)
        reader = self._reader = Reader(Source(contract, index.files.parts, json_cases, observed), index.files)
        yield Scanned(reader.source)
        # (place of the case, run number); -1 for a case without a run, or that is its own evidence
        plan = [
            (place, number)
            for place, case in enumerate(cases)
            for number in index.run_numbers(case.case_id) or (-1,)
        ]
        inputs = (*inputs, *index.infos)
        if pending and len(plan) > len(cases):
            ahead = [
                rows_of.row(cases[place], _pending(*key_of(index, cases[place], number)), b"")
                for place, number in plan
            ]
            yield CasesRead(columns, info, ahead, inputs)

        desk = Desk(table.shown if table is not None else "", cases, index, reader, rows_of)

        def judge(piece: int) -> list[Judged]:
            return desk.judge_all(plan[piece * _BATCH : (piece + 1) * _BATCH])

        rows: list[Row] = []
        pieces = -(-len(plan) // _BATCH)
        for judged in in_order(pieces, judge, processes() if len(plan) >= _MANY else 1):
            start = len(rows)
            for (place, number), (result, where, told) in zip(
                plan[start : start + _BATCH], judged, strict=True
            ):
                rows.append(rows_of.row(cases[place], result, where))
                if told:
                    self.problems.extend(told)
                    if self.follow:
                        desk.told[place, number] = told
            yield Rows(start, rows[start:])
            yield Progress("runs", len(rows), len(plan))
        known = {case.case_id for case in cases}
        unreviewed = []
        for case_id in index.case_ids(besides=known) if observed is None else ():
            unreviewed += desk.strangers(case_id, self.problems, warn=self.cases is not None)
        reader.verify()
        if self.follow:
            from traceview.follow import Follower

            self.follower = Follower(self, desk, plan, rows, unreviewed, inputs)
        elif evaluator is not None and observed is None:
            self.problems.extend(hints(rows, reader.run))
        yield Finished(Report(info, inputs, rows, unreviewed, self.problems.list(), self.problems.skipped))

    def _find(self, table: CasesTable) -> Contract | None:
        assert self.cases is not None
        explicit = Path(self.contract_path) if self.contract_path is not None else None
        beside = Path(self.cases) if self.cases != STDIN else None
        contract = find(explicit, beside, table.columns, read_text, lambda path: shown_path(str(path)))
        if contract is None and self.need_contract:
            raise InputError(f"{table.shown}: {none_applies(table.columns, beside)}")
        return contract

    def _contract_folder(self) -> str:
        """Where the files that a contract names (``map:``) are looked for."""
        path = self.contract_path or (self.cases if self.cases != STDIN else None)
        return str(Path(path).parent) if path is not None else ""


def read_text(path: Path) -> str | None:
    """The text of a contract file; None where there is no file.

    :raises InputError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{shown_path(str(path))}: is not UTF-8 (byte {error.start}); save the contract as UTF-8"
        ) from None
    except OSError as error:
        raise InputError(f"{shown_path(str(path))}: cannot be read ({error.strerror})") from None


def read_columns(contract: Contract) -> tuple[str, ...]:
    """The columns that decide something."""
    return tuple(
        c for c in (*used_columns(contract), *contract.described_columns) if c != contract.cases.title
    )


def _contract_info(contract: Contract, evaluator: Evaluator, columns: Sequence[str]) -> ContractInfo:
    return ContractInfo(
        contract.name,
        contract.source,
        contract.sha256,
        evaluator.checks,
        tuple(layer.name for layer in contract.layers),
        {layer.name: layer.group for layer in contract.layers},
        contract.priority,
        ignored_columns(contract, columns),
        contract.trials,
        contract.evidence.redact,
    )


def _holds_observations(path: str) -> bool:
    """Whether a file alone holds objects that are no events: outcomes, each of which is its own evidence."""
    if path == STDIN or Path(path).is_dir():
        return False
    keys = first_keys(path)
    if keys is None:
        return (head_of(path, "cases or traces") or b"").strip() == b"[]"  # none at all, exported
    return not {"tool_name", "step"} & set(keys)


def _pending(case_id: str, run_id: str | None, trial: str | None) -> RunResult:
    return RunResult(case_id, run_id, trial, "unknown", PENDING, {}, {}, (), None, True, False, 0, ())
