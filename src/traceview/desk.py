"""Single runs of what was scanned: read again, judged and explained, one by one or many in a row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from traceview.contract.spec import Contract
from traceview.evaluate.detail import Detail
from traceview.evaluate.explain import explain, unjudged
from traceview.evaluate.judge import Evaluator
from traceview.model import MISSING, Case, Finding, Problem, Run, RunResult
from traceview.read.aliases import Aliases
from traceview.read.observations import observed_run
from traceview.read.problems import Problems, make
from traceview.read.runs import RunLines, read_run
from traceview.read.trace_files import At, pack
from traceview.read.traces import Part, RunKey, TraceFiles, TraceIndex
from traceview.results import Row
from traceview.trials import fingerprints

__all__ = ["Desk", "Judged", "Reader", "RowMaker", "Source", "key_of", "slim"]


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
        key = RunKey(result.case_id, result.run_id, result.trial)
        if self.source.observed is not None:
            return observed_run(row.case, self.source.observed)
        if not row.where:
            return Run(*key, (), {})
        return read_run(self.files, row.where, key, self._aliases)[0]

    def result(
        self,
        case: Case,
        key: RunKey,
        places: tuple[Sequence[At], Sequence[At]] | None,
        told: list[Problem],
        *,
        reviewed: bool = True,
        several: bool = False,
    ) -> RunResult:
        """Read and judge one run of many; what was found amiss goes to ``told``. Whoever is done with all of
        them calls :meth:`verify`.

        :param places: where its events and broken lines stand; None: nothing was recorded.
        :param several: its case has other runs, with whose calls its own are to be compared.
        """
        evaluator = self._evaluator if reviewed else None
        held, judged = -1, None
        if self.source.observed is not None:
            run = observed_run(case, self.source.observed)
        elif places is None:
            run = Run(*key, (), {})
        else:
            lines = RunLines(self.files, *places, key, self._aliases)
            calls = lines.calls() if evaluator is not None else None
            if evaluator is not None and calls is not None:
                held, judged = evaluator.glance(case, key, calls)
                if judged is not None and not several:
                    return judged
            run, seen = lines.run()
            told.extend(seen)
        if evaluator is None:
            return (
                _unreviewed(run) if places is not None or self.source.observed is not None else _nothing(case)
            )
        if not run.events and not run.final and run.problem is None:
            return evaluator.without_run(case)
        if judged is None:
            judged = evaluator.judge(case, run) if held < 0 else evaluator.judgement(case, run, held).result
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

    def judge_all(self, runs: Sequence[tuple[int, int]]) -> list[Judged]:
        """The runs of cases: (place of the case, run number) each; number -1: a case without a run, or that
        is its own evidence."""
        placed = [self.index.places(number) if number >= 0 else None for _, number in runs]
        files = self.reader.files
        files.read_ahead([places[0] for places in placed if places is not None])
        try:
            return [self._judge(*run, places) for run, places in zip(runs, placed, strict=True)]
        finally:
            files.read_ahead(())

    def judge(self, place: int, number: int) -> Judged:
        """One run of the case at ``place``."""
        return self.judge_all([(place, number)])[0]

    def _judge(self, place: int, number: int, places: tuple[Sequence[At], Sequence[At]] | None) -> Judged:
        case, index = self.cases[place], self.index
        told: list[Problem] = []
        several = number >= 0 and len(index.run_numbers(case.case_id)) > 1
        result = self.reader.result(case, key_of(index, case, number), places, told, several=several)
        problem = self.reader.problem_of(case) if result.verdict == "unusable" else None
        if problem is not None:
            told.append(make("bad_cell", self._shown, case.line, problem, case_id=case.case_id))
        return result, pack(*places) if places is not None else b"", tuple(told)

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
            places = self.index.places(number)
            told: list[Problem] = []
            result = self.reader.result(case, self.index.runs[number], places, told, reviewed=False)
            problems.retract(self.told.pop((-1, number), ()))
            problems.extend(told)
            self.told[-1, number] = tuple(told)
            self._calls[number] = result.events
            rows.append(self.rows_of.row(case, result, pack(*places)))
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


def key_of(index: TraceIndex, case: Case, number: int) -> RunKey:
    """How the result of a run of this case is named; number -1: it has none."""
    return index.runs[number] if number >= 0 else RunKey(case.case_id, None, None)


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
