"""From files to results: reading, judging and explaining tied together.

::

    report = Loader("cases.csv", ["traces.jsonl"]).report()

Cases are read, their contract is found, the traces are indexed in one pass, and then each run is read again and
judged, in the order of the cases, so that memory grows with runs and not with the text in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from traceview.contract.find import find, ignored_columns, none_applies
from traceview.contract.spec import Contract, RunsSpec
from traceview.evaluate.detail import Detail
from traceview.evaluate.explain import explain, unjudged
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Case, Finding, Problem, Run, RunResult
from traceview.read.aliases import Aliases
from traceview.read.cases import CasesTable, read_cases
from traceview.read.files import STDIN, shown_path
from traceview.read.problems import InputError, Problems
from traceview.read.runs import read_run
from traceview.read.traces import Part, RunKey, TraceFiles, TraceIndex
from traceview.results import ContractInfo, InputInfo, Report, Row

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
    "slim",
]

PENDING = "pending"  # the diagnosis of a row whose run was not judged yet
_BATCH = 500  # rows a message


class CasesRead(Struct, frozen=True):
    """The rows that there will be, none judged yet (diagnosis "pending"). Comes a second time, before the first
    results, where the traces hold several runs of a case."""

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


class Reader:
    """Opens single runs of what a loader has scanned."""

    def __init__(self, source: Source, files: TraceFiles | None = None) -> None:
        self.source = source
        self._files = files if files is not None else TraceFiles(source.parts)
        contract = source.contract
        self._aliases = Aliases(contract.tools if contract is not None else {})
        self._evaluator = Evaluator(contract, json_cases=source.json_cases) if contract is not None else None

    def run(self, row: Row) -> Run:
        """The run of a row, read again; one without events where nothing was recorded.

        :raises ChangedInput: the file is not what it was.
        """
        result = row.result
        if not row.where:
            return Run(result.case_id, result.run_id, result.trial, (), {})
        key = RunKey(result.case_id, result.run_id, result.trial)
        return read_run(self._files, row.where, key, self._aliases)[0]

    def detail(self, row: Row) -> Detail:
        """A row explained: expected beside observed.

        :raises ChangedInput: the file is not what it was.
        """
        run = self.run(row)
        if self._evaluator is None or row.result.verdict == "unreviewed":
            return unjudged(row.case, row.title, run, row.result)
        if not row.where:
            return replace(unjudged(row.case, row.title, run, row.result), run=run)
        return explain(self._evaluator, row.case, row.title, run)

    def complete(self, row: Row) -> Row:
        """The row with its findings whole again (see :func:`slim`).

        :raises ChangedInput: the file is not what it was.
        """
        if not row.result.findings or self._evaluator is None:
            return row
        return replace(row, result=self._evaluator.judge(row.case, self.run(row)))


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


class Loader:
    """One set of inputs. ``cases`` None: traces alone, which open unjudged.

    :param traces: files or folders; "-" is standard input.
    :param contract: the path of a contract file, or None to find one.
    :param need_contract: refuse cases that no contract applies to (otherwise they open unjudged).
    :param temp_folder: where copies of compressed or piped input are kept for another process.
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
    ) -> None:
        self.cases = cases
        self.traces = tuple(traces)
        self.contract_path = contract
        self.need_contract = need_contract
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

    def stages(self) -> Iterator[Message]:
        """Read and judge step by step; can be left at any point."""
        table: CasesTable | None = None
        contract: Contract | None = None
        cases: list[Case] = []
        if self.cases is not None:
            yield Progress("cases", 0, 0)
            table = read_cases(self.cases, self.problems)
            contract = self._find(table)
            cases = table.with_id(contract.cases.id if contract is not None else "case_id", self.problems)
            if contract is not None:
                table.require(contract.described_columns)
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
        label = _Labels(contract)
        pending = [label.row(case, _pending(case.case_id, None, None), b"") for case in cases]
        yield CasesRead(columns, info, pending, inputs)

        index = TraceIndex(
            self.traces,
            contract.runs if contract is not None else RunsSpec(),
            self.problems,
            self._temp_folder,
        )
        for done, total in index.scan():
            yield Progress("traces", done, total)
        reader = self._reader = Reader(Source(contract, index.files.parts, json_cases), index.files)
        yield Scanned(reader.source)
        runs_of = [index.run_numbers(case.case_id) for case in cases]
        inputs = (*inputs, *index.infos)
        if any(len(numbers) > 1 for numbers in runs_of):
            pending = [
                label.row(case, _pending(case.case_id, key.run_id, key.trial), b"")
                for case, numbers in zip(cases, runs_of, strict=True)
                for key in ([index.runs[n] for n in numbers] or [RunKey(case.case_id, None, None)])
            ]
            yield CasesRead(columns, info, pending, inputs)

        rows: list[Row] = []
        aliases = Aliases(contract.tools if contract is not None else {})
        start = 0
        for case, numbers in zip(cases, runs_of, strict=True):
            for number in numbers:
                where = index.where(number)
                run, seen = read_run(index.files, where, index.runs[number], aliases)
                if seen:
                    self.problems.extend(seen)
                if evaluator is None:
                    result = _unreviewed(run)
                elif not run.events and not run.final and run.problem is None:
                    result = replace(evaluator.without_run(case), run_id=run.run_id, trial=run.trial)
                else:
                    result = evaluator.judge(case, run)
                rows.append(label.row(case, result, where))
            if not numbers:
                rows.append(
                    label.row(case, evaluator.without_run(case) if evaluator else _nothing(case), b"")
                )
            if evaluator is not None and case.problem is None:
                self._tell(case, evaluator.expected(case).problem, table)
            if len(rows) - start >= _BATCH:
                yield Rows(start, rows[start:])
                start = len(rows)
                yield Progress("runs", start, len(pending))
        if len(rows) > start:
            yield Rows(start, rows[start:])
        unreviewed = list(self._unreviewed(index, {case.case_id for case in cases}, aliases, label))
        problems = self.problems.list()
        yield Finished(Report(info, inputs, rows, unreviewed, problems, self.problems.skipped))

    def _find(self, table: CasesTable) -> Contract | None:
        assert self.cases is not None
        explicit = Path(self.contract_path) if self.contract_path is not None else None
        beside = Path(self.cases) if self.cases != STDIN else None
        contract = find(explicit, beside, table.columns, _read_text, lambda path: shown_path(str(path)))
        if contract is None and self.need_contract:
            raise InputError(f"{table.shown}: {none_applies(table.columns, beside)}")
        return contract

    def _contract_folder(self) -> str:
        """Where the files that a contract names (``map:``) are looked for."""
        path = self.contract_path or (self.cases if self.cases != STDIN else None)
        return str(Path(path).parent) if path is not None else ""

    def _tell(self, case: Case, problem: str | None, table: CasesTable | None) -> None:
        if problem is not None and table is not None:
            self.problems.add("bad_cell", table.shown, case.line, problem, case_id=case.case_id)

    def _unreviewed(
        self, index: TraceIndex, known: set[str], aliases: Aliases, label: _Labels
    ) -> Iterator[Row]:
        """Recorded runs that no case asks about: shown, not judged, in no total."""
        for case_id in index.case_ids():
            if case_id in known:
                continue
            case = Case(case_id, {}, 0)
            lines = 0
            for number in index.run_numbers(case_id):
                where = index.where(number)
                run, seen = read_run(index.files, where, index.runs[number], aliases)
                self.problems.extend(seen)
                lines += len(run.events)
                yield label.row(case, _unreviewed(run), where)
            if self.cases is not None:
                message = (
                    f"case {case_id} is not in the cases file; its {lines} events are shown and not evaluated"
                )
                self.problems.add("unreviewed_case", index.infos[0].path, None, message, case_id=case_id)


class _Labels:
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


def _read_text(path: Path) -> str | None:
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
    )


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
