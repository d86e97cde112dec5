"""All rows, which of them are shown, and in which order. Knows no widget; every pane reads from it.

A row is named by its place in ``rows``, which does not change while one set of files is open. Rows with the
same verdict, diagnosis and checks share a *profile*; there are few of them however many rows there are, so
counting and finding failures look at small integers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from traceview.results import ContractInfo, Row
from traceview.tui.sorting import Sort, sort_rows

Identity: TypeAlias = tuple[str, str | None, str | None]
Matches: TypeAlias = Callable[[Row], bool]

# The diagnosis of a row that was not judged yet: the word of traceview.load.PENDING, which is not imported
# here: the first frame does not wait for the modules that read and judge.
PENDING: Final = "pending"


def identity(row: Row) -> Identity:
    """What names a run in every reading of the files: (case_id, run_id, trial)."""
    return row.result.case_id, row.result.run_id, row.result.trial


@dataclass(frozen=True, slots=True)
class Profile:
    """What a row counts as."""

    verdict: str
    diagnosis: str
    checks: tuple[str, ...]

    @property
    def pending(self) -> bool:
        return self.diagnosis == PENDING


@dataclass(slots=True)
class Counts:
    """Rows by verdict, by diagnosis (each partitions the rows) and by check (these overlap)."""

    runs: int = 0
    pending: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    diagnoses: Counter[str] = field(default_factory=Counter[str])
    checks: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])

    def applicable(self, check: str) -> int:
        """The base of a check: the runs in which it holds, does not hold, or cannot be told."""
        verdicts = self.checks.get(check, Counter())
        return verdicts["pass"] + verdicts["fail"] + verdicts["unknown"]


class Table:
    """``shown`` holds the places of the shown rows, in the order in which they are shown."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.unreviewed = 0
        self.columns: tuple[str, ...] = ()
        self.contract: ContractInfo | None = None
        self.checks: tuple[str, ...] = ()
        self.sort: Sort | None = None
        self.matches: Matches | None = None
        self.shown: Sequence[int] = range(0)
        self._order: list[int] | None = None
        self._profiles: list[Profile] = []
        self._profile_ids: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self._of_row: array[int] = array("I")
        self._totals: Counter[int] = Counter()
        self._shown_counts: Counts | None = None
        self._total_counts: Counts | None = None

    # -- filling --------------------------------------------------------------------------------------------

    def start(self, columns: Sequence[str], contract: ContractInfo | None, rows: list[Row]) -> None:
        """Begin with the cases as read, before any run was judged."""
        self.columns = tuple(columns)
        self.contract = contract
        self.checks = contract.checks if contract else ()
        self.rows = rows
        self.unreviewed = 0
        self._profiles, self._profile_ids = [], {}
        pending = [self._profile(rows[0])] if rows else []
        self._of_row = array("I", pending) * len(rows)
        self._totals = Counter(self._of_row)
        self._order = None
        self.refilter()

    def finish(self, unreviewed: Sequence[Row]) -> None:
        """All rows are judged; ``unreviewed`` follow them and count in no total."""
        self.rows.extend(unreviewed)
        self._of_row.extend([self._profile(row) for row in unreviewed])
        self.unreviewed = len(unreviewed)
        self._order = None
        self.refilter()

    def update(self, start: int, rows: Sequence[Row]) -> None:
        """Rows ``start`` and following, judged."""
        end = start + len(rows)
        old = self._of_row[start:end]
        new = array("I", [self._profile(row) for row in rows])
        self.rows[start:end] = rows
        self._of_row[start:end] = new
        self._totals.subtract(old)
        self._totals.update(new)
        self._total_counts = self._shown_counts = None
        if self.matches is None and self._order is None:
            self.shown = range(len(self.rows))
        elif self._order is None and self.matches is not None:
            shown = array("I", self.shown)
            kept = array("I", [place for place, row in enumerate(rows, start) if self.matches(row)])
            shown[bisect_left(shown, start) : bisect_left(shown, end)] = kept
            self.shown = shown
        else:
            self.refilter()

    def _profile(self, row: Row) -> int:
        result = row.result
        key = (result.verdict, result.diagnosis, tuple(result.checks.values()))
        known = self._profile_ids.get(key)
        if known is None:
            known = self._profile_ids[key] = len(self._profiles)
            names = tuple(result.checks)
            by_name = tuple(result.checks.get(name, "") for name in self.checks) if names else ()
            self._profiles.append(Profile(result.verdict, result.diagnosis, by_name))
        return known

    # -- filter and order -----------------------------------------------------------------------------------

    def refilter(self, matches: Matches | None = None, *, within: Iterable[int] | None = None) -> None:
        """Work out ``shown`` anew. ``within``: only these places can match (an earlier answer of a shorter
        query), in the order in which they are to be shown."""
        if matches is not None:
            self.matches = matches
        self._total_counts = self._shown_counts = None
        if self.sort is not None and self._order is None:
            self._order = sort_rows(self.rows, self.sort)
        candidates = within if within is not None else self._order
        if self.matches is None:
            self.shown = range(len(self.rows)) if candidates is None else array("I", candidates)
            return
        rows, wanted = self.rows, self.matches
        found = (
            [place for place, row in enumerate(rows) if wanted(row)]
            if candidates is None
            else [place for place in candidates if wanted(rows[place])]
        )
        self.shown = array("I", found)  # a number object each would be nine times as large

    def take(self, matches: Matches, shown: Sequence[int]) -> None:
        """An answer that was worked out before."""
        self.matches, self.shown = matches, shown
        self._shown_counts = None

    def search_begins(self) -> None:
        """Show nothing yet: rows are added as a search in their events finds them."""
        self.shown = array("I")
        self._shown_counts = None

    def search_found(self, places: Sequence[int]) -> None:
        """More of what a search found, in the order in which rows are shown."""
        self.shown = array("I", [*self.shown, *places])
        self._shown_counts = None

    def show_all(self) -> None:
        """No filter."""
        self.matches = None
        self.refilter()

    def set_sort(self, sort: Sort | None, order: list[int] | None = None) -> None:
        """Another order; ``order`` if it was worked out already (:func:`traceview.tui.sorting.sort_rows`)."""
        self.sort = sort
        self._order = order
        self.refilter()

    # -- asking ---------------------------------------------------------------------------------------------

    def profile(self, place: int) -> Profile:
        return self._profiles[self._of_row[place]]

    def line_of(self, place: int) -> int | None:
        """Where a row is shown; None when it is not."""
        if self._order is None:
            line = bisect_left(self.shown, place)
            return line if line < len(self.shown) and self.shown[line] == place else None
        try:
            return self.shown.index(place)
        except ValueError:
            return None

    def place_of(self, wanted: Identity) -> int | None:
        """The place of a run, by what names it in every reading of the files."""
        case_id, run_id, trial = wanted
        for place, row in enumerate(self.rows):
            result = row.result
            if result.case_id == case_id and result.run_id == run_id and result.trial == trial:
                return place
        return None

    def place_of_case(self, case_id: str) -> int | None:
        """The place of the first run of a case."""
        return next((p for p, row in enumerate(self.rows) if row.result.case_id == case_id), None)

    def line_of_case(self, case_id: str) -> int | None:
        """Where the first run of a case is shown."""
        rows = self.rows
        return next((y for y, p in enumerate(self.shown) if rows[p].result.case_id == case_id), None)

    def next_failure(self, line: int, step: int) -> tuple[int, bool] | None:
        """The next line from ``line`` on (``step`` 1 or -1) whose run fails, and whether the end was passed;
        None when no other shown run fails."""
        count = len(self.shown)
        failing = [profile.verdict == "fail" for profile in self._profiles]
        of_row, shown = self._of_row, self.shown
        for distance in range(1, count):
            at = line + step * distance
            if failing[of_row[shown[at % count]]]:
                return at % count, not 0 <= at < count
        return None

    @property
    def reviewed(self) -> int:
        """How many rows the totals are of."""
        return len(self.rows) - self.unreviewed

    @property
    def totals(self) -> Counts:
        """Counts of all rows but the unreviewed."""
        if self._total_counts is None:
            self._total_counts = self._count(self._totals)
        return self._total_counts

    @property
    def shown_counts(self) -> Counts:
        """Counts of the shown rows but the unreviewed."""
        if self._shown_counts is None:
            of_row = self._of_row
            everything = len(self.shown) == len(self.rows)
            self._shown_counts = (
                self.totals if everything else self._count(Counter([of_row[place] for place in self.shown]))
            )
        return self._shown_counts

    def _count(self, profiles: Counter[int]) -> Counts:
        counts = Counts(checks={name: Counter() for name in self.checks})
        for number, runs in profiles.items():
            profile = self._profiles[number]
            if runs <= 0 or (profile.verdict == "unreviewed" and not profile.pending):
                continue
            counts.runs += runs
            if profile.pending:
                counts.pending += runs
                continue
            counts.verdicts[profile.verdict] += runs
            counts.diagnoses[profile.diagnosis] += runs
            for name, verdict in zip(self.checks, profile.checks, strict=False):
                counts.checks[name][verdict] += runs
        return counts
