"""All rows, which of them are shown, and in which order. Knows no widget; every pane reads from it.

A row is named by its place in ``rows``, which does not change while one set of files is open. Rows with the
same verdict, diagnosis and checks share a *profile*; there are few of them however many rows there are, so
counting and finding failures look at small integers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter
from typing import TypeAlias

from traceview.results import ContractInfo, Row
from traceview.tui.counts import PENDING, Counts, Profile
from traceview.tui.search import Plan, kind_key, search_text, select
from traceview.tui.sorting import Order, Sort, sort_rows

Identity: TypeAlias = tuple[str, str | None, str | None]


def identity(row: Row) -> Identity:
    """What names a run in every reading of the files: (case_id, run_id, trial)."""
    return row.result.case_id, row.result.run_id, row.result.trial


def _no_words(row: Row) -> str:
    return ""


class Table:
    """``shown`` holds the places of the shown rows, in the order in which they are shown. ``orders``: what
    they can be sorted by besides their results and cells."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.unreviewed = 0
        self.columns: tuple[str, ...] = ()
        self.contract: ContractInfo | None = None
        self.checks: tuple[str, ...] = ()
        self.sort: Sort | None = None
        self.orders: dict[str, Order] = {}
        self.shown: Sequence[int] = ()
        self._plan: Plan | None = None
        self._places: list[int] = []  # 0, 1, 2 …: lists of places share these number objects
        self._order: list[int] | None = None
        self._profiles: list[Profile] = []
        self._profile_ids: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self._of_row: array[int] = array("I")
        self._kinds: array[int] = array("I")
        self._kind_ids: dict[Hashable, int] = {}
        self._examples: list[Row] = []
        self._profile_of_kind: list[int] = []
        self._texts: list[str] = []
        self._words: Callable[[Row], str] = _no_words
        self._totals: Counter[int] = Counter()
        self._shown_counts: Counts | None = None
        self._shown_kinds: Counter[int] | None = None
        self._total_counts: Counts | None = None
        self._kind_counts: Counter[int] | None = None

    # -- filling --------------------------------------------------------------------------------------------

    def start(self, columns: Sequence[str], contract: ContractInfo | None, rows: list[Row]) -> None:
        """Begin with the cases as read, before any run was judged."""
        self.columns = tuple(columns)
        self.contract = contract
        self.checks = contract.checks if contract else ()
        self.rows = []
        self.unreviewed = 0
        self._places = []
        self._profiles, self._profile_ids = [], {}
        self._of_row, self._kinds = array("I"), array("I")
        self._kind_ids, self._examples, self._profile_of_kind = {}, [], []
        self._texts = []
        self._totals = Counter()
        if rows:
            self._append(rows, [self._kind(rows[0])] * len(rows))  # all alike: none is judged
        self._order = None
        self._recount()
        self.refilter()

    def finish(self, unreviewed: Sequence[Row]) -> None:
        """All rows are judged; ``unreviewed`` follow them and count in no total."""
        self._append(unreviewed, [self._kind(row) for row in unreviewed])
        self.unreviewed = len(unreviewed)
        self._order = None
        self._recount()
        self.refilter()

    def update(self, start: int, rows: Sequence[Row]) -> None:
        """Rows ``start`` and following, judged; or more of those that are not."""
        end = start + len(rows)
        new = [self._kind(row) for row in rows]
        if start == len(self.rows):
            self._append(rows, new)
        else:
            self.rows[start:end] = rows
            profiles = array("I", [self._profile_of_kind[kind] for kind in new])
            self._totals.subtract(self._of_row[start:end])
            self._totals.update(profiles)
            self._kinds[start:end] = array("I", new)
            self._of_row[start:end] = profiles
            del self._texts[start:]
        self._recount()
        if self._order is not None:
            self.refilter()
        elif self._plan is None:
            self.shown = self._places
        else:
            matches = self._plan.matches
            shown = list(self.shown)
            kept = [place for place in self._places[start:end] if matches(self.rows[place])]
            shown[bisect_left(shown, start) : bisect_left(shown, end)] = kept
            self.shown = shown

    def grow(
        self,
        added: Sequence[tuple[int, Row]],
        changed: Sequence[tuple[int, Row]],
        unreviewed: Sequence[Row] | None,
    ) -> Callable[[int], int | None]:
        """Rows to be inserted in this order, then rows that are others now; ``unreviewed`` replace those that
        there were. Whoever calls this filters anew.

        :returns: where a row is now, by its place of before; None when it is gone.
        """
        reviewed, strangers = self.reviewed, [identity(row) for row in self.rows[self.reviewed :]]
        kinds = self._kind_counts
        for place, row in added:
            kind = self._kind(row)
            profile = self._profile_of_kind[kind]
            self.rows.insert(place, row)
            self._kinds.insert(place, kind)
            self._of_row.insert(place, profile)
            self._totals[profile] += 1
            if kinds is not None:
                kinds[kind] += 1
            if place <= len(self._texts):
                self._texts.insert(place, search_text(row, self._words(row)))
        for place, row in changed:
            kind = self._kind(row)
            profile = self._profile_of_kind[kind]
            self._totals[self._of_row[place]] -= 1
            self._totals[profile] += 1
            if kinds is not None:
                kinds[self._kinds[place]] -= 1
                kinds[kind] += 1
            self.rows[place] = row
            self._kinds[place] = kind
            self._of_row[place] = profile
            if place < len(self._texts):
                self._texts[place] = search_text(row, self._words(row))
        if unreviewed is not None:
            end = reviewed + len(added)
            self._totals.subtract(self._of_row[end:])
            for column in (self.rows, self._kinds, self._of_row, self._texts):
                del column[end:]
            self._places = list(range(end))
            self._order = None
            self._append(unreviewed, [self._kind(row) for row in unreviewed])
            self.unreviewed = len(unreviewed)
        elif added:
            self._places = list(range(len(self.rows)))
        self._order = None
        self._recount()
        if unreviewed is None:
            self._kind_counts = kinds  # counted along: this happens at every line that is appended
        now = {identity(row): self.reviewed + n for n, row in enumerate(self.rows[self.reviewed :])}

        def moved(place: int) -> int | None:
            if place >= reviewed:
                return now.get(strangers[place - reviewed]) if place - reviewed < len(strangers) else None
            for at, _ in added:
                place += at <= place
            return place

        return moved

    def _recount(self) -> None:
        """Counts of before hold no longer."""
        self._total_counts = self._kind_counts = None
        self._shown_changed()

    def _shown_changed(self) -> None:
        self._shown_counts = self._shown_kinds = None

    def _append(self, rows: Sequence[Row], kinds: list[int]) -> None:
        places = range(len(self.rows), len(self.rows) + len(rows))
        self._places.extend(places)
        if self._order is not None:
            self._order.extend(places)  # sorted in when everything is there
        self.rows.extend(rows)
        profiles = array("I", [self._profile_of_kind[kind] for kind in kinds])
        self._kinds.extend(kinds)
        self._of_row.extend(profiles)
        self._totals.update(profiles)

    def _kind(self, row: Row) -> int:
        key = kind_key(row)
        known = self._kind_ids.get(key)
        if known is None:
            known = self._kind_ids[key] = len(self._examples)
            self._examples.append(row)
            self._profile_of_kind.append(self._profile(row))
        return known

    def _profile(self, row: Row) -> int:
        result = row.result
        key = (result.verdict, result.diagnosis, tuple(result.checks.values()))
        known = self._profile_ids.get(key)
        if known is None:
            known = self._profile_ids[key] = len(self._profiles)
            by_name = tuple(result.checks.get(name, "") for name in self.checks) if result.checks else ()
            self._profiles.append(Profile(result.verdict, result.diagnosis, by_name))
        return known

    # -- filter and order -----------------------------------------------------------------------------------

    def texts(self) -> list[str]:
        """For each row the text that plain words are looked for in."""
        self.prepare(len(self.rows))
        return self._texts

    def prepare(self, rows: int) -> bool:
        """Make the texts of some more rows, so that the first letter of a filter does not have to make all.
        False when there is nothing left to do."""
        start = len(self._texts)
        words = self._words
        self._texts.extend([search_text(row, words(row)) for row in self.rows[start : start + rows]])
        return len(self._texts) < len(self.rows)

    def tell_apart(self, words: Callable[[Row], str]) -> None:
        """Look for plain words in these texts of each row too, its note and tags: they may be others now."""
        self._words = words
        self._texts = []

    def tell_apart_no_more(self) -> None:
        """No row has such texts."""
        if self._words is not _no_words:
            self.tell_apart(_no_words)

    def refilter(self, *, within: Sequence[int] | None = None) -> None:
        """Work out ``shown`` anew. ``within``: only these places can match (an earlier answer of a shorter
        query), in the order in which they are to be shown."""
        self._shown_changed()
        self.shown = self.candidates(self._plan, within=within)

    def candidates(self, plan: Plan | None, *, within: Sequence[int] | None = None) -> Sequence[int]:
        """What a plan selects, without showing it."""
        if self.sort is not None and self._order is None:
            self._order = sort_rows(self.rows, self.sort, self.orders)
        if within is not None and len(within) > len(self.rows) // 2:
            within = None  # looking at all rows in their order is quicker than at most of them one by one
        places = within if within is not None else self._order if self._order is not None else self._places
        if plan is None:
            return places
        whole = places is self._places
        return select(plan, places, self.rows, self._kinds, self._examples, self.texts, in_file_order=whole)

    def filter(self, plan: Plan | None, *, within: Sequence[int] | None = None) -> None:
        """Show what a plan selects; None shows everything."""
        self._plan = plan
        self.refilter(within=within)

    def take(self, plan: Plan, shown: Sequence[int]) -> None:
        """An answer that was worked out before."""
        self._plan, self.shown = plan, shown
        self._shown_changed()

    def search_begins(self) -> None:
        """Show nothing yet: rows are added as a search in their events finds them."""
        self.shown = []
        self._shown_changed()

    def search_found(self, places: Sequence[int]) -> None:
        """More of what a search found, in the order in which rows are shown."""
        self.shown = [*self.shown, *places]
        self._shown_changed()

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

    def kinds(self, *, shown: bool = False) -> tuple[list[Row], list[int]]:
        """Of each kind among all judged rows, or the shown ones, an example, and how many it stands for. Rows
        of a kind are alike in verdict, checks, layers and label; the unreviewed are left out."""
        if self._kind_counts is None:
            self._kind_counts = Counter(self._kinds)
        some = shown and len(self.shown) != len(self.rows)
        counts = self._kinds_shown() if some else self._kind_counts
        kept = [
            (self._examples[kind], runs)
            for kind, runs in counts.items()
            if runs
            and self._examples[kind].result.diagnosis != PENDING
            and self._examples[kind].result.verdict != "unreviewed"
        ]
        return [row for row, _ in kept], [runs for _, runs in kept]

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
            if len(self.shown) == len(self.rows):
                self._shown_counts = self.totals
            else:
                profiles: Counter[int] = Counter()
                for kind, runs in self._kinds_shown().items():
                    profiles[self._profile_of_kind[kind]] += runs
                self._shown_counts = self._count(profiles)
        return self._shown_counts

    def _kinds_shown(self) -> Counter[int]:
        """How many of the shown rows are of each kind: one pass, for all that is counted of them."""
        if self._shown_kinds is None:
            shown = self.shown
            # one call for all of them takes half the time of one for each
            kinds = itemgetter(*shown)(self._kinds) if len(shown) > 1 else map(self._kinds.__getitem__, shown)
            self._shown_kinds = Counter(kinds)
        return self._shown_kinds

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
