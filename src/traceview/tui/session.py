"""What is open: the rows, the filter, the problems, and how a run is read again. Knows no widget.

``light`` tells that the rows came without the values of their findings. ``job``: a file that is being
written. ``trials``: how cases with several runs did, once that is counted. ``following``: the traces are
looked at again and again. ``wanted_sort``: an order for when everything is read.
``transitions``: what became of each run since the baseline, none before that is known; None: no baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from traceview.evaluate.detail import Detail
from traceview.model import Problem, Run
from traceview.query import Vocabulary
from traceview.results import ContractInfo, InputInfo, Report, Row
from traceview.sanitize import visible
from traceview.tui.counts import Counts
from traceview.tui.filtering import Filter
from traceview.tui.marks import LETTERS
from traceview.tui.sorting import Order, Sort, by_rank, sort_columns
from traceview.tui.table import Table, identity

if TYPE_CHECKING:
    from traceview.compare import Identity, Transition
    from traceview.follow import Grown
    from traceview.triage import Triage
    from traceview.trials import Trials
    from traceview.tui.writing import WriteJob


class Reader(Protocol):
    """Reads a run again when it is opened, maybe from another thread (:class:`traceview.load.Reader`)."""

    def detail(self, row: Row) -> Detail: ...

    def run(self, row: Row) -> Run: ...

    def complete(self, row: Row) -> Row: ...


class Session:
    """One set of files on the screen; ``reload`` begins another with the same filter."""

    def __init__(self) -> None:
        self.table = Table()
        self.filter = Filter(self.table)
        self.inputs: Sequence[InputInfo] = ()
        self.problems: Sequence[Problem] = ()
        self.report: Report | None = None
        self.trials: Trials | None = None
        self.reader: Reader | None = None
        self.light = False
        self.following = False
        self.wanted_sort: Sort | None = None
        self.transitions: Mapping[Identity, Transition] | None = None
        self.loading = True
        self.job: WriteJob | None = None

    def start(
        self,
        columns: Sequence[str],
        contract: ContractInfo | None,
        rows: list[Row],
        inputs: Sequence[InputInfo] = (),
    ) -> None:
        """The cases are read; their runs are not judged yet."""
        self.loading = True
        self.following = False
        self.inputs = inputs
        self.report = None
        self.trials = None
        self.problems = ()
        self.table.start(columns, contract, rows)
        self._learn(Vocabulary(tuple(columns), *_names(contract)))

    def update(self, start: int, rows: Sequence[Row]) -> None:
        """Some rows are judged, or new."""
        self.filter.rows_changed()
        self.table.update(start, rows)

    def finish(self, report: Report) -> None:
        """Everything is read; ``report`` has no rows of its own: they are those of the table."""
        self.loading = False
        self.inputs = report.inputs
        self.problems = report.problems
        self.table.finish(report.unreviewed)
        self._restore_order()
        self.report = replace(report, rows=self.table.rows[: self.table.reviewed])
        self._learn(Vocabulary.of(report, self.table.columns))

    def _restore_order(self) -> None:
        """Sort as was wanted, unless there is an order by now, as soon as the column is known."""
        table, wanted = self.table, self.wanted_sort
        if self.loading or wanted is None:
            return
        known = {column for column, _ in sort_columns(table.checks, table.columns, table.orders)}
        if table.sort is not None or wanted.column in known:
            self.wanted_sort = None
        if table.sort is None and wanted.column in known:
            table.set_sort(wanted)

    def grow(self, grown: Grown) -> Callable[[int], int | None]:
        """The traces have grown. Gives where a row is now, by its place of before; None when it is gone."""
        moved = self.table.grow(grown.added, grown.changed, grown.unreviewed)
        self.inputs = grown.inputs
        if grown.problems is not None:
            self.problems = grown.problems
        assert self.report is not None  # traces are followed when they have been read
        reviewed = self.table.reviewed
        self.report = replace(
            self.report,
            rows=self.table.rows[:reviewed],
            unreviewed=self.table.rows[reviewed:],
            inputs=self.inputs,
            problems=list(self.problems),
            skipped=grown.skipped,
        )
        self._learn(Vocabulary.of(self.report, self.table.columns))
        return moved

    def decided(self, triage: Triage) -> None:
        """What people have decided is other than it was. Reports say so where there is a decision."""
        if triage.worded:
            self.table.tell_apart(triage.words)
        else:
            self.table.tell_apart_no_more()
        self.table.orders["mark"] = Order(
            "mark, undecided last", by_rank(tuple(LETTERS), lambda row: _mark(triage, row))
        )
        self._restore_order()
        if self.report is None:
            return
        others = [problem for problem in self.problems if problem.code != "bad_triage"]
        self.problems = [*others, *triage.problems]
        self.report = replace(
            self.report, problems=list(self.problems), triage=triage if triage.decisions else None
        )
        vocabulary = Vocabulary.of(self.report, self.table.columns)
        self._learn(vocabulary)

    def compared(self, transitions: Mapping[Identity, Transition]) -> None:
        """What became of each run since the baseline is known."""
        self.transitions = transitions
        from traceview.compare import KINDS

        kinds = {key: transition.kind for key, transition in transitions.items()}
        order = by_rank(KINDS, lambda row: kinds.get(identity(row)))
        self.table.orders["change"] = Order("change since the baseline, worse first", order)
        self._restore_order()
        self._learn(self.filter.vocabulary)

    def _learn(self, vocabulary: Vocabulary) -> None:
        if self.transitions is not None:
            vocabulary = vocabulary.with_transitions(self.transitions)
        self.filter.learn(vocabulary)
        self.filter.again()

    @property
    def completing(self) -> Reader | None:
        """Who makes findings whole again before they are written; None where they are."""
        return self.reader if self.light else None

    def about(self, dot: str = "·") -> list[str]:
        """Files and contract, for the title; in full first, then shorter and shorter."""
        paths = [visible(info.path) for info in self.inputs]
        names = [path.rpartition("/")[2] for path in paths]
        contract = self.table.contract
        full = short = "no contract: not judged" if not self.loading else ""
        if contract is not None:
            short = f"contract {visible(contract.name)}"
            full = f"{short} ({visible(contract.source)})"
        ways = [[*paths, full], [*names, full], [*names, short], [*names[:1], short], [short]]
        return [f" {dot} ".join(word for word in way if word) for way in ways]


def _mark(triage: Triage, row: Row) -> str | None:
    found = triage.of(row)
    return found.mark if found is not None else None


def _names(contract: ContractInfo | None) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return (contract.checks, contract.layers, contract.priority) if contract else ((), (), ())


def total_words(counts: Counts, unreviewed: int = 0, pending: str = "…") -> list[tuple[str, str]]:
    """The totals of the title, each with its ink; what is zero and unusual is left out."""
    verdicts = counts.verdicts
    if unreviewed and not counts.pending and not verdicts["pass"] + verdicts["fail"] + verdicts["unknown"]:
        words = [(f"{unreviewed:,} run{'s' if unreviewed != 1 else ''}", "strong"), ("not judged", "quiet")]
    else:
        words = [
            (f"{counts.runs:,} run{'s' if counts.runs != 1 else ''}", "strong"),
            (f"{verdicts['pass']:,} pass", "pass"),
            (f"{verdicts['fail']:,} fail", "fail"),
        ]
    for verdict, word in (("unknown", "unknown"), ("no_trace", "no trace"), ("unusable", "unusable")):
        if verdicts[verdict]:
            words.append((f"{verdicts[verdict]:,} {word}", "unknown"))
    if counts.pending:
        words.append((f"{counts.pending:,} {pending}", "quiet"))
    return words
