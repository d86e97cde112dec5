"""What decisions say of runs: the latest of each key, and which key counts. Knows no file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from msgspec import Struct

from traceview.results import Row
from traceview.triage.decision import Decision, Scope

__all__ = ["Index", "Mark", "order"]

_Run = tuple[str | None, str | None]  # run_id, trial


def order(decision: Decision) -> tuple[datetime, str]:
    """Decisions are sorted by time, then by text: from whichever files they came, in whatever order."""
    return decision.moment, decision.line


class Mark(Struct, frozen=True):
    """What was decided about a run. ``mark`` is one of :data:`MARKS`, None where there is but a note or tags.

    ``scope`` tells what the mark is of: the run itself, its case, or all runs with its signature. ``same``
    tells whether the run still fails (or passes) as it did when it was marked, ``was`` holds the signatures
    of that time (None: it passed). ``author`` and ``time`` (UTC) are those of the mark.
    """

    mark: str | None
    note: str
    tags: tuple[str, ...]
    scope: Scope
    same: bool
    was: tuple[str | None, ...]
    author: str
    time: str


@dataclass(slots=True)
class _Entry:
    """All that was decided about one run, case or signature, the latest word on each."""

    last: Decision
    mark: Decision | None = None
    note: Decision | None = None
    tags: dict[str, None] = field(default_factory=dict)

    def take(self, decision: Decision) -> None:
        self.last = decision
        if decision.mark is not None:
            self.mark = decision
        if decision.note is not None:
            self.note = decision
        for tag in decision.untag:
            self.tags.pop(tag, None)
        self.tags.update(dict.fromkeys(decision.tag))

    def same(self, signature: str | None) -> bool:
        return signature in (self.mark or self.last).signatures


@dataclass(slots=True)
class _CaseEntries:
    whole: _Entry | None = None
    runs: dict[_Run, _Entry] = field(default_factory=dict)


def left_to_do(row: Row, found: Mark | None) -> bool:
    """Whether a run does not pass and nothing is decided about its present failure.

    :param found: what was decided about the run.
    """
    if found is None or found.mark is None:
        return row.result.verdict not in ("pass", "unreviewed")
    return found.mark == "open" or (not found.same and row.result.verdict != "pass")


def standing(decisions: Iterable[Decision]) -> list[Decision]:
    """The decisions that count: those that none which counts takes back. What takes others back is left out.

    :param decisions: sorted (:func:`order`).
    """
    undone: set[str] = set()
    found = []
    for decision in reversed([*decisions]):  # so that what undoes is known before what is undone
        if decision.id in undone:
            continue
        if decision.undo is not None:
            undone.add(decision.undo)
        else:
            found.append(decision)
    found.reverse()
    return found


class Index:
    """What a set of decisions says of each run; :meth:`of` is what :class:`traceview.triage.Triage` tells.

    ``worded``: some decision has a note or a tag.
    """

    def __init__(self, decisions: Iterable[Decision] = (), rows: Sequence[Row] = ()) -> None:
        """:param decisions: sorted (:func:`order`)."""
        self.worded = False
        self._cases: dict[str, _CaseEntries] = {}
        self._signatures: dict[str, _Entry] = {}
        for decision in standing(decisions):
            self._count(decision)
        self.recorded(rows)

    def recorded(self, rows: Sequence[Row]) -> None:
        """Say which runs there are."""
        self._rows = rows
        self._present: dict[str, set[_Run]] = {key: set() for key, case in self._cases.items() if case.runs}
        if not self._present:
            return
        for row in rows:
            runs = self._present.get(row.result.case_id)
            if runs is not None:
                runs.add((row.result.run_id, row.result.trial))

    def add(self, decisions: Iterable[Decision]) -> None:
        """Count decisions that come after all others, in their order; none of them undoes another."""
        for decision in decisions:
            self._count(decision)
        if any(case.runs and case_id not in self._present for case_id, case in self._cases.items()):
            self.recorded(self._rows)

    def of(self, row: Row) -> Mark | None:
        """What was decided about a run; None if nothing was."""
        if not self._cases and not self._signatures:
            return None
        result = row.result
        entries: list[tuple[Scope, _Entry]] = []
        case = self._cases.get(result.case_id)
        if case is not None:
            run = case.runs.get((result.run_id, result.trial)) or self._moved(case, row)
            if run is not None:
                entries.append(("run", run))
            if case.whole is not None:
                entries.append(("case", case.whole))
        if result.signature is not None and result.signature in self._signatures:
            entries.append(("signature", self._signatures[result.signature]))
        return _mark(entries, result.signature) if entries else None

    def _count(self, decision: Decision) -> None:
        self._entry(decision).take(decision)
        self.worded = self.worded or bool(decision.note or decision.tag)

    def _entry(self, decision: Decision) -> _Entry:
        if decision.scope == "signature":
            return self._signatures.setdefault(decision.signatures[0] or "", _Entry(decision))
        case = self._cases.setdefault(decision.case_id or "", _CaseEntries())
        if decision.scope == "run":
            return case.runs.setdefault((decision.run_id, decision.trial), _Entry(decision))
        if case.whole is None:
            case.whole = _Entry(decision)
        return case.whole

    def _moved(self, case: _CaseEntries, row: Row) -> _Entry | None:
        """What was decided about a run of this case that is recorded no longer, and is about this run now."""
        result = row.result
        present = self._present.get(result.case_id)
        if not present:
            return None
        gone = [(run, entry) for run, entry in case.runs.items() if run not in present]
        if not gone:
            return None
        if result.signature is not None:
            fitting = [entry for _, entry in gone if entry.same(result.signature)]
            if fitting:
                return max(fitting, key=_latest)
        if result.trial is not None:
            fitting = [entry for (_, trial), entry in gone if trial == result.trial]
            if fitting:
                return max(fitting, key=_latest)
        return max((entry for _, entry in gone), key=_latest) if len(present) == 1 else None


def _latest(entry: _Entry) -> tuple[datetime, str]:
    return order(entry.mark or entry.last)


def _mark(entries: Sequence[tuple[Scope, _Entry]], signature: str | None) -> Mark | None:
    """What the entries, the most specific first, say together of a run with this signature."""
    note = next((entry.note.note for _, entry in entries if entry.note is not None and entry.note.note), "")
    tags = tuple(dict.fromkeys(tag for _, entry in entries for tag in entry.tags))
    marked = [(scope, entry) for scope, entry in entries if entry.mark is not None]
    if not marked and not note and not tags:
        return None
    about = marked or entries
    scope, entry = next(((s, e) for s, e in about if e.same(signature)), about[0])
    decision = entry.mark or entry.last
    return Mark(
        decision.mark if entry.mark is not None else None,
        note or "",
        tags,
        scope,
        entry.same(signature),
        decision.signatures,
        decision.author,
        decision.time,
    )
