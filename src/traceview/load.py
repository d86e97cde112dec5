"""From files to results: reading, judging and explaining tied together.

::

    report = Loader("cases.csv", ["traces.jsonl"]).report()

Cases are read, their contract is found, the traces are indexed in one pass, and then each run is read again
and judged, in the order of the cases, so that memory grows with runs and not with the text in them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from traceview.contract.columns import used_columns
from traceview.contract.find import find, ignored_columns, none_applies
from traceview.contract.spec import Contract, RunsSpec
from traceview.evaluate.detail import Detail
from traceview.evaluate.explain import explain, unjudged
from traceview.evaluate.judge import Evaluator
from traceview.mixup import hints
from traceview.model import MISSING, Case, Finding, Problem, Run, RunResult
from traceview.parallel import Copy, in_order, processes
from traceview.read.aliases import Aliases
from traceview.read.cases import CasesTable, read_cases
from traceview.read.files import STDIN, check_stdin, shown_path
from traceview.read.observations import observed_run
from traceview.read.problems import InputError, Problems, make
from traceview.read.runs import read_run
from traceview.read.sniff import first_keys
from traceview.read.traces import Found, Part, RunKey, TraceFiles, TraceIndex
from traceview.results import ContractInfo, InputInfo, Report, Row
from traceview.trials import fingerprints

if TYPE_CHECKING:
    from traceview.follow import Follower

__all__ = [
    "CasesRead",
    "Finished",
    "Loader",
    "Message",
    "Progress",
    "Reader",
    "Rows",
    "Scanned",
    "Source",
    "read_text",
    "slim",
]

PENDING = "pending"  # the diagnosis of a row whose run was not judged yet
_BATCH = 500  # rows a message
_LONG = 50_000_000  # bytes of traces from which on scanning beside the cases is worth a process
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


class Source(Struct, frozen=True):
    """What it takes to read and judge a run again, in this process or another (it can be pickled)."""

    contract: Contract | None
    parts: tuple[Part, ...]
    json_cases: bool
    observed: str | None = None  # the file whose cases are their own evidence


class Reader:
    """Opens single runs of what a loader has scanned."""

    def __init__(self, source: Source, files: TraceFiles | None = None) -> None:
        self.source = source
        self.files = files if files is not None else TraceFiles(source.parts)
        contract = source.contract
        self._aliases = Aliases(contract.tools if contract is not None else {})
        self._evaluator = Evaluator(contract, json_cases=source.json_cases) if contract is not None else None

    def run(self, row: Row) -> Run:
        """The run of a row, read again; one without events where nothing was recorded.

        :raises ChangedInput: the file is not what it was.
        """
        result = row.result
        return self._read(row.case, RunKey(result.case_id, result.run_id, result.trial), row.where, [])

    def _read(self, case: Case, key: RunKey, where: bytes, told: list[Problem], *, bulk: bool = False) -> Run:
        if self.source.observed is not None:
            return observed_run(case, self.source.observed)
        if not where:
            return Run(*key, (), {})
        run, seen = read_run(self.files, where, key, self._aliases, bulk=bulk)
        told.extend(seen)
        return run

    def result(
        self,
        case: Case,
        key: RunKey,
        where: bytes,
        told: list[Problem],
        *,
        reviewed: bool = True,
        several: bool = False,
    ) -> RunResult:
        """Read and judge one run of many; what was found amiss goes to ``told``. Whoever is done with all of
        them calls :meth:`verify`.

        :param several: its case has other runs, with whose calls its own are to be compared.
        """
        run = self._read(case, key, where, told, bulk=True)
        if self._evaluator is None or not reviewed:
            return _unreviewed(run) if where or self.source.observed is not None else _nothing(case)
        if not run.events and not run.final and run.problem is None:
            return self._evaluator.without_run(case)
        judged = self._evaluator.judge(case, run)
        return replace(judged, calls=fingerprints(run)) if several else judged

    def problem_of(self, case: Case) -> str | None:
        """Why the contract cannot read a case that is otherwise sound."""
        if self._evaluator is None or case.problem is not None:
            return None
        return self._evaluator.expected(case).problem

    def detail(self, row: Row) -> Detail:
        """A row explained: expected beside observed.

        :raises ChangedInput: the file is not what it was.
        """
        run = self.run(row)
        if self._evaluator is None or row.result.verdict in ("unreviewed", "no_trace"):
            return unjudged(row.case, row.title, run, row.result)
        return explain(self._evaluator, row.case, row.title, run)

    def read_further(self, source: Source) -> None:
        """The same files were read further by another process: its places can be read from now on."""
        self.source = source
        self.files.read_further(source.parts)

    def verify(self) -> None:
        """Make sure that what was read all along was what had been scanned.

        :raises ChangedInput: a file is not what it was.
        """
        self.files.verify()

    def complete(self, row: Row) -> Row:
        """The row with its findings whole again (see :func:`slim`).

        :raises ChangedInput: the file is not what it was.
        """
        if not row.result.findings or self._evaluator is None:
            return row
        whole = self._evaluator.judge(row.case, self.run(row))
        return replace(row, result=replace(whole, calls=row.result.calls))


def slim(row: Row) -> Row:
    """The row without the values in its findings, for sending a hundred thousand of them to a screen."""
    findings = row.result.findings
    if not findings:
        return row
    light = tuple(
        Finding(f.check, f.step, f.tool, f.path, f.kind, MISSING, MISSING, f.message[:200], None)
        for f in findings
    )
    return replace(row, result=replace(row.result, findings=light))


Judged = tuple[RunResult, bytes, tuple[Problem, ...]]  # a result, where its events stand, what was amiss


class Desk:
    """Where single runs of a set of inputs are judged. ``told`` keeps, where files are followed, what was
    amiss with each (place of its case, run number), so that it can be taken back."""

    def __init__(
        self, shown: str, cases: Sequence[Case], index: TraceIndex, reader: Reader, rows_of: RowMaker
    ) -> None:
        self.cases = cases
        self.index = index
        self.reader = reader
        self.rows_of = rows_of
        self.told: dict[tuple[int, int], tuple[Problem, ...]] = {}
        self._shown = shown
        self._calls: dict[int, int] = {}
        self._warned: dict[str, tuple[Problem, ...]] = {}

    def judge(self, place: int, number: int) -> Judged:
        """One run of the case at ``place``; number -1: a case without a run, or that is its own evidence."""
        case, index = self.cases[place], self.index
        where = index.where(number) if number >= 0 else b""
        told: list[Problem] = []
        several = number >= 0 and len(index.run_numbers(case.case_id)) > 1
        result = self.reader.result(case, _key(index, case, number), where, told, several=several)
        problem = self.reader.problem_of(case)
        if problem is not None:
            told.append(make("bad_cell", self._shown, case.line, problem, case_id=case.case_id))
        return result, where, tuple(told)

    def strangers(
        self, case_id: str, problems: Problems, *, warn: bool, only: Collection[int] | None = None
    ) -> list[Row]:
        """The runs of a case that no one asks about: shown, not judged, in no total. What is amiss with them
        goes to ``problems``, in place of what was amiss before.

        :param only: just these run numbers.
        """
        case = Case(case_id, {}, 0)
        rows = []
        for number in self.index.run_numbers(case_id):
            if only is not None and number not in only:
                continue
            where = self.index.where(number)
            told: list[Problem] = []
            result = self.reader.result(case, self.index.runs[number], where, told, reviewed=False)
            problems.retract(self.told.pop((-1, number), ()))
            problems.extend(told)
            self.told[-1, number] = tuple(told)
            self._calls[number] = result.events
            rows.append(self.rows_of.row(case, result, where))
        if warn:
            calls = sum(self._calls[number] for number in self.index.run_numbers(case_id))
            message = (
                f"case {case_id} is not in the cases file; its {calls} events are shown and not evaluated"
            )
            problem = make("unreviewed_case", self.index.infos[0].path, None, message, case_id=case_id)
            problems.retract(self._warned.pop(case_id, ()))
            problems.take(problem)
            self._warned[case_id] = (problem,)
        return rows


class Loader:
    """One set of inputs. ``cases`` None: one file with both sides (observations), or traces alone, which open
    unjudged.

    :param traces: files or folders; "-" is standard input.
    :param contract: the path of a contract file, or None to find one.
    :param need_contract: refuse cases that no contract applies to (otherwise they open unjudged).
    :param temp_folder: where copies of compressed or piped input are kept for another process.
    :param follow: the traces are still being written to; ``follower`` reads on when all has been read once.
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
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        """Opens rows of this loader; there once :class:`Scanned` was yielded."""
        assert self._reader is not None
        return self._reader

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
        check_stdin([self.cases, *self.traces] if self.cases is not None else self.traces)
        ahead = None if pending or self.follow else self._scan_ahead()
        try:
            yield from self._stages(ahead, pending=pending)
        finally:
            if ahead is not None:
                ahead.end()

    def _scan_ahead(self) -> Copy | None:
        """A copy of this process that scans the traces while the cases are read, where that takes long
        enough. It goes by the traces' own keys: a contract with other rules has them scanned again."""
        paths = [Path(path) for path in self.traces if path != STDIN]
        size = sum(path.stat().st_size for path in paths if path.is_file())
        if self.cases is None or size < _LONG or len(paths) < len(self.traces) or processes() < 2:
            return None

        def scan(_: int) -> Found | None:
            index = TraceIndex(self.traces, RunsSpec(), Problems())
            for _progress in index.scan():
                pass
            return index.found()

        return Copy(range(1), scan)

    def _stages(self, scanned: Copy | None, *, pending: bool) -> Iterator[Message]:
        table: CasesTable | None = None
        contract: Contract | None = None
        cases: list[Case] = []
        if self.cases is not None:
            yield Progress("cases", 0, 0)
            table = read_cases(self.cases, self.problems)
            contract = self._find(table)
            read = _read_columns(contract) if contract is not None else ()
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
            table.rows.clear()  # the cases hold all that is still needed of them
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
        if answer is not None and answer[0] is not None:
            index.take(answer[0])
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
                rows_of.row(cases[place], _pending(*_key(index, cases[place], number)), b"")
                for place, number in plan
            ]
            yield CasesRead(columns, info, ahead, inputs)

        desk = Desk(table.shown if table is not None else "", cases, index, reader, rows_of)

        def judge(piece: int) -> list[Judged]:
            return [desk.judge(*each) for each in plan[piece * _BATCH : (piece + 1) * _BATCH]]

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
        for case_id in index.case_ids() if observed is None else ():
            if case_id not in known:
                unreviewed += desk.strangers(case_id, self.problems, warn=self.cases is not None)
        reader.verify()
        if evaluator is not None and observed is None:
            self.problems.extend(hints(rows, reader.run))
        if self.follow:
            from traceview.follow import Follower

            self.follower = Follower(self, desk, plan, rows, unreviewed, inputs)
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


class RowMaker:
    """Titles and reviewed labels, where the contract says they stand."""

    def __init__(self, contract: Contract | None) -> None:
        self._title = contract.cases.title if contract is not None else "title"
        self._label = contract.cases.label if contract is not None else None

    def row(self, case: Case, result: RunResult, where: bytes) -> Row:
        title = case.cells.get(self._title) if self._title is not None else None
        label = case.cells.get(self._label) if self._label is not None else None
        return Row(case, _text(title), _text(label) or None, result, where)


def _text(cell: Any) -> str:
    return "" if cell is None else cell if isinstance(cell, str) else str(cell)


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


def _read_columns(contract: Contract) -> tuple[str, ...]:
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
    return keys is not None and not {"tool_name", "step"} & set(keys)


def _key(index: TraceIndex, case: Case, number: int) -> RunKey:
    return index.runs[number] if number >= 0 else RunKey(case.case_id, None, None)


def _pending(case_id: str, run_id: str | None, trial: str | None) -> RunResult:
    return RunResult(case_id, run_id, trial, "unknown", PENDING, {}, {}, (), None, True, False, 0, ())


def _nothing(case: Case) -> RunResult:
    verdict = "unusable" if case.problem is not None else "no_trace"
    return RunResult(case.case_id, None, None, verdict, verdict, {}, {}, (), verdict, True, False, 0, ())  # type: ignore[arg-type]


def _unreviewed(run: Run) -> RunResult:
    calls = [e for e in run.events if e.tool_name is not None]
    return RunResult(
        run.case_id,
        run.run_id,
        run.trial,
        "unreviewed",
        "unreviewed",
        {},
        {},
        (),
        None,
        run.complete,
        False,
        len(calls),
        tuple(dict.fromkeys([e.tool_name for e in calls if e.tool_name is not None])),
        (run.problem, *run.notes) if run.problem is not None else run.notes,
        run.recorded,
        tuple(dict.fromkeys([e.status for e in calls if e.status is not None])),
    )
