"""What all decisions together say of a run."""

from __future__ import annotations

import getpass
import secrets
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from traceview.model import Problem
from traceview.read.files import Signature, shown_path
from traceview.results import Row
from traceview.triage.decision import ACCEPTED, MARKS, Decision, time_text, to_line
from traceview.triage.file import append_lines, read_decisions, refuse_other
from traceview.triage.index import Index, Mark, order, standing

__all__ = ["Triage", "author_name", "load", "triage_totals"]

_TICK: Final = timedelta(microseconds=1)


class Triage:
    """The decisions of one file, and what they say of each run.

    The same decisions in any order (two files merged by git, say) say the same: they are sorted by time, then
    by text, and a line that stands twice counts once. Of one key the latest word counts, on mark and note
    each; tags are added and taken away. About a run the most specific decision counts that was made about the
    failure it shows now: the run's, then its case's, then its signature's; where there is none, the most
    specific.

    ``path`` is where it is kept. ``problems`` are lines that are no decisions. ``author`` signs what is
    appended. ``respected``: the gate lets accepted runs pass (:meth:`accepts`).
    """

    def __init__(self, path: Path, author: str | None = None) -> None:
        self.path = path
        self.author = author_name(author)
        self.respected = False
        self.problems: Sequence[Problem] = ()
        self._decisions: list[Decision] = []
        self._known: Signature | None = None
        self._rows: Sequence[Row] = ()
        self._made: list[tuple[Decision, ...]] = []
        self._index = Index()

    # -- reading -------------------------------------------------------------------------------------------

    @property
    def shown(self) -> str:
        """The path as reports show it."""
        return shown_path(str(self.path))

    @property
    def decisions(self) -> Sequence[Decision]:
        """Every decision, those taken back too, in their order: the history."""
        return self._decisions

    def standing(self) -> list[Decision]:
        """Those of them that count."""
        return standing(self._decisions)

    def refresh(self) -> bool:
        """Take in what other programs have decided; True if the file is not what it was (else one look at its
        size and time was all).

        :raises TriageError: the file cannot be read.
        """
        try:
            now = Signature.of(self.path.stat())
        except OSError:
            now = None
        if now == self._known:
            return False
        self.read()
        return True

    def read(self) -> None:
        """Read the file anew.

        :raises TriageError: it cannot be read. What was known stays.
        """
        self._decisions, self.problems, self._known = read_decisions(self.path)
        self._work_out()

    def recorded(self, rows: Sequence[Row]) -> None:
        """Say which runs there are, so that a mark finds its run again in a new recording.

        A run that was marked and is there, by run id and trial, keeps its mark to itself. The mark of one
        that is not there goes to the runs of its case that fail in the same way; where there are none, to
        those of the same trial or to the only run of the case, and there it has "changed since".
        """
        self._rows = rows
        self._index.recorded(rows)

    def of(self, row: Row) -> Mark | None:
        """What was decided about a run; None if nothing was."""
        return self._index.of(row)

    @property
    def worded(self) -> bool:
        """Whether any note or tag was given."""
        return self._index.worded

    def words(self, row: Row) -> str:
        """Note and tags of a run, in lines, to be searched; "" where there are none."""
        if not self._index.worded:
            return ""
        found = self.of(row)
        return "" if found is None else "\n".join((found.note, *found.tags)).strip("\n")

    def accepts(self, row: Row) -> bool:
        """Whether a run passes the gate though it does not pass: triage is respected, and the run is marked
        ``expectation wrong`` or ``ignore`` for the failure that it shows now. The mark of a whole case is for
        any failure of it."""
        if not self.respected or row.result.verdict in ("pass", "unreviewed"):
            return False
        found = self.of(row)
        return found is not None and found.mark in ACCEPTED and (found.same or found.scope == "case")

    # -- deciding ------------------------------------------------------------------------------------------

    def append(self, *decisions: Decision) -> tuple[Decision, ...]:
        """Decide: sign, write and count. All of them are one step for :meth:`undo`.

        :return: the decisions with id, time and author.
        :raises TriageError: they could not be kept, and do not count.
        """
        made = self._write(decisions)
        if made:
            self._made.append(made)
        return made

    def undo(self) -> tuple[Decision, ...]:
        """Take back the last step made here that was not taken back yet; () if there is none.

        :return: the decisions that no longer count.
        :raises TriageError: that could not be kept; they still count.
        """
        if not self._made:
            return ()
        self._write([Decision(undo=decision.id) for decision in self._made[-1]])
        return self._made.pop()

    def retract(self, *decisions: Decision) -> None:
        """Take back decisions of whoever, whenever; one step for :meth:`undo`, with which they count again.

        :raises TriageError: that could not be kept; they still count.
        """
        self.append(*[Decision(undo=decision.id) for decision in decisions])

    def save_as(self, path: Path) -> None:
        """Keep everything in another file from now on: what is known is added to it, what it holds counts.

        :raises TriageError: it cannot be read or written; nothing has changed.
        """
        there, problems, _ = read_decisions(path)
        refuse_other(path, there, problems)
        lines = {decision.line for decision in there}
        missing = [decision.line for decision in self._decisions if decision.line not in lines]
        if missing:
            append_lines(path, missing)
        self.path = path
        self.read()

    def _write(self, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
        if not decisions:
            return ()
        refuse_other(self.path, self._decisions, self.problems)
        made = tuple(self._signed(decisions))
        before, after = append_lines(self.path, [decision.line for decision in made])
        if before == self._known or (self._known is None and before.size == 0):
            self._known = after
            self._add(made)
        else:
            self.read()  # somebody else was there in between
        return made

    def _add(self, made: Sequence[Decision]) -> None:
        made = sorted(made, key=order)
        last = self._decisions[-1] if self._decisions else None
        self._decisions.extend(made)
        if (last is None or order(last) < order(made[0])) and all(one.undo is None for one in made):
            self._index.add(made)
        else:
            self._work_out()

    def _work_out(self) -> None:
        self._decisions.sort(key=order)
        self._index = Index(self._decisions, self._rows)

    def _signed(self, decisions: Iterable[Decision]) -> Iterator[Decision]:
        """A decision comes after all that is known about the same thing, whatever the clocks of those who
        decided it say; else it would not count, and nobody could see why."""
        now = datetime.now(UTC)
        last: dict[Hashable, datetime] = {}
        for decision in self._decisions:
            last[_key(decision)] = last[decision.id] = decision.moment
        for decision in decisions:
            if decision.mark not in (None, *MARKS):
                raise ValueError(f"no mark: {decision.mark}")
            key = _key(decision)
            moment = max(now, last[key] + _TICK) if key in last else now
            last[key] = moment
            signed = replace(
                decision, id=secrets.token_hex(8), time=time_text(moment), author=self.author, line=""
            )
            yield replace(signed, line=to_line(signed))


def load(path: Path, author: str | None = None) -> Triage:
    """The decisions kept in a file, which need not be there yet.

    :param author: who signs new ones; None: the user of this computer.
    :raises TriageError: the file cannot be read.
    """
    triage = Triage(path, author)
    triage.read()
    return triage


def author_name(author: str | None = None) -> str:
    """Who decides: the name given, else the user's."""
    if author and author.strip():
        return author.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no name in the environment, and none known to the system
        return "unknown"


def triage_totals(rows: Iterable[Row], triage: Triage) -> dict[str, Any]:
    """``marks``: how many rows have each mark; ``changed``: how many of them fail (or pass) otherwise than
    when they were marked; ``accepted``: how many pass the gate by it (:meth:`Triage.accepts`)."""
    marks: Counter[str] = Counter()
    changed = accepted = 0
    for row in rows:
        found = triage.of(row)
        if found is not None and found.mark is not None:
            marks[found.mark] += 1
            changed += not found.same
            accepted += triage.accepts(row)
    return {"marks": {mark: marks[mark] for mark in MARKS}, "changed": changed, "accepted": accepted}


def _key(decision: Decision) -> Hashable:
    """What a decision is about; of one that undoes, the id of the other."""
    if decision.undo is not None:
        return decision.undo
    signature = decision.signatures[0] if decision.scope == "signature" else None
    return decision.scope, decision.case_id, decision.run_id, decision.trial, signature
