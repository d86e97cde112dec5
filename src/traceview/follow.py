"""Traces that are still being written: what was appended is read, and the runs that it touches are judged.

::

    loader = Loader("cases.csv", ["traces.jsonl"], follow=True)
    loader.report()
    while ...:
        grown = loader.follower.poll()      # None: nothing new
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from traceview.mixup import hinted
from traceview.model import Problem
from traceview.read.ids import natural
from traceview.read.traces import RunKey
from traceview.results import InputInfo, Row

if TYPE_CHECKING:
    from traceview.desk import Desk, Source
    from traceview.load import Loader

__all__ = ["Follower", "Grown"]


class Grown(Struct, frozen=True):
    """What changed since the last look.

    ``added`` are new rows, each with its place, to be inserted in this order; then ``changed`` are rows that
    are others now, by place. ``unreviewed`` (all of them) and ``problems`` (all of them) are None where they
    are as they were. ``source`` opens the rows from now on (:class:`traceview.load.Reader`).
    """

    added: list[tuple[int, Row]]
    changed: list[tuple[int, Row]]
    unreviewed: list[Row] | None
    problems: list[Problem] | None
    skipped: int
    inputs: tuple[InputInfo, ...]
    source: Source


class Follower:
    """Reads on. ``plan`` and ``rows`` are those of the loader, and stay the whole truth: a report of them is
    the one that a new reading would give.

    ``follows`` tells whether there is a file that can be read on; ``unfollowed`` are those that cannot:
    standard input, compressed files and other formats than one event a line.
    """

    def __init__(
        self,
        loader: Loader,
        desk: Desk,
        plan: list[tuple[int, int]],
        rows: list[Row],
        unreviewed: list[Row],
        inputs: Sequence[InputInfo],
    ) -> None:
        self.rows = rows
        self.unreviewed = unreviewed
        self.inputs = tuple(inputs)
        self._loader = loader
        self._desk = desk
        self._plan = plan
        self._case_places = {case.case_id: place for place, case in enumerate(desk.cases)}
        self._strange_ids = list(dict.fromkeys(row.result.case_id for row in unreviewed))
        self._strange = set(self._strange_ids)
        self._hinted: dict[RunKey, Problem] = {}
        self._hint(rows)
        self.problems: list[Problem] = loader.problems.list()
        followed, left_out = desk.index.followed
        self.follows = bool(followed)
        self.unfollowed = tuple(left_out) or (() if followed else tuple(info.path for info in inputs))

    def poll(self) -> Grown | None:
        """Read what was appended; None when nothing was.

        :raises ChangedInput: a file was replaced, shortened, rewritten or is gone: all must be read anew.
        """
        index = self._desk.index
        events = index.events
        skipped, waiting = self._loader.problems.skipped, len(index.waiting)
        touched = index.grow()
        if (
            not touched
            and skipped == self._loader.problems.skipped
            and events == index.events
            and waiting == len(index.waiting)
        ):
            return None
        added: list[tuple[int, Row]] = []
        cases = dict.fromkeys(index.runs[number].case_id for number in sorted(touched))
        places = sorted(self._case_places[case_id] for case_id in cases if case_id in self._case_places)
        for place in places:
            added += self._make_room(place)
        again = [at for place in places for at in self._rows_of(place, touched)]
        strangers = len(places) < len(cases)
        changed = [(at, self._judge(at)) for at in again]
        self._hint([row for _, row in changed])
        unreviewed = self._strangers(touched) if strangers else None
        problems = self._loader.problems.list()
        news = None if problems == self.problems else problems
        self.problems = problems
        self._count_inputs(index.events)
        return Grown(
            added,
            changed,
            unreviewed,
            news,
            self._loader.problems.skipped,
            self.inputs,
            replace(self._desk.reader.source, parts=index.files.parts),
        )

    def _make_room(self, place: int) -> list[tuple[int, Row]]:
        """Rows for new runs of a case, in the order of its runs."""
        first, last = self._span(place)
        before = [number for _, number in self._plan[first:last]]
        now = self._desk.index.run_numbers(self._desk.cases[place].case_id)
        if before == now:
            return []
        added = []
        old = {number: self.rows[first + i] for i, number in enumerate(before)}
        if before == [-1]:
            self._take_back(place, -1)
            old = {now[0]: self.rows[first]}
        self._plan[first:last] = [(place, number) for number in now]
        filler = self.rows[first]
        self.rows[first:last] = [old.get(number, filler) for number in now]
        for i, number in enumerate(now):
            if number not in old:
                added.append((first + i, filler))
        return added

    def _span(self, place: int) -> tuple[int, int]:
        """The rows of a case: the first, and the one behind the last."""
        return bisect_left(self._plan, (place, -1)), bisect_left(self._plan, (place + 1, -1))

    def _rows_of(self, place: int, touched: set[int]) -> list[int]:
        """The rows of a case that are to be judged anew: those touched, and all when it came to have several
        runs (each is then compared with the others)."""
        first, _ = self._span(place)
        numbers = self._desk.index.run_numbers(self._desk.cases[place].case_id)
        several = len(numbers) > 1 and any(not self.rows[first + i].result.calls for i in range(len(numbers)))
        return [first + i for i, number in enumerate(numbers) if several or number in touched]

    def _judge(self, at: int) -> Row:
        place, number = self._plan[at]
        self._take_back(place, number)
        result, where, told = self._desk.judge(place, number)
        if told:
            self._desk.told[place, number] = told
            self._loader.problems.extend(told)
        row = self.rows[at] = self._desk.rows_of.row(self._desk.cases[place], result, where)
        return row

    def _hint(self, rows: Sequence[Row]) -> None:
        """Say of which of these rows the case may be the wrong one; what was said before is taken back."""
        problems = self._loader.problems
        known = [_key(row) for row in rows if _key(row) in self._hinted] if self._hinted else []
        problems.retract([self._hinted.pop(key) for key in known])
        for row, problem in hinted(rows, self.rows, self._desk.reader.run):
            self._hinted[_key(row)] = problem
            problems.take(problem)

    def _take_back(self, place: int, number: int) -> None:
        told = self._desk.told.pop((place, number), None)
        if told is not None:
            self._loader.problems.retract(told)

    def _strangers(self, touched: set[int]) -> list[Row]:
        """All runs without a case, those touched read again."""
        index, problems = self._desk.index, self._loader.problems
        kept = {_key(row): row for row in self.unreviewed}
        for case_id in dict.fromkeys(index.runs[number].case_id for number in sorted(touched)):
            if case_id not in self._case_places:
                if case_id not in self._strange:
                    insort(self._strange_ids, case_id, key=natural)
                    self._strange.add(case_id)
                warn = self._loader.cases is not None
                fresh = self._desk.strangers(case_id, problems, warn=warn, only=touched)
                kept.update({_key(row): row for row in fresh})
        self.unreviewed[:] = [
            kept[index.runs[number]] for case_id in self._strange_ids for number in index.run_numbers(case_id)
        ]
        return list(self.unreviewed)

    def _count_inputs(self, events: int) -> None:
        """The traces' count of records; of several traces the first takes what came."""
        counted = sum(info.records for info in self.inputs if info.role == "traces")
        more = events - counted
        made = []
        for info in self.inputs:
            if more and info.role == "traces":
                info, more = replace(info, records=info.records + more), 0
            made.append(info)
        self.inputs = tuple(made)


def _key(row: Row) -> RunKey:
    return RunKey(row.result.case_id, row.result.run_id, row.result.trial)
