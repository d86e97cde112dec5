"""What ``m c u`` do: marks, notes and tags on what is open, kept beside the cases as soon as made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from traceview.results import Row
from traceview.sanitize import visible
from traceview.tui.paths import typed_path
from traceview.tui.screens.mark_menu import NONE, Ask, MarkMenu
from traceview.write.files import OutputError

if TYPE_CHECKING:
    from traceview.triage import Decision, Mark, Triage
    from traceview.tui.screens.main import MainScreen

_ELSEWHERE = "ctrl+p, triage: save as, keeps the marks in another file"


class MarkControl:
    """Belongs to a screen and its session. ``triage`` is None until the files are read, and where there is no
    place to keep decisions (``_why`` says why)."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.triage: Triage | None = None
        self._why = "still reading: nothing can be marked yet"

    # -- with what is read ----------------------------------------------------------------------------------

    def ended(self) -> None:
        """Everything is read (again): find the runs that the decisions are about."""
        from traceview.triage import TriageError, load, triage_path

        request = self.screen.owner.request
        try:
            if self.triage is not None:
                self.triage.refresh()
            else:
                path = triage_path(request.cases, request.traces)
                path = Path(request.triage) if request.triage is not None else path
                self._why = f"standard input has no place for marks: {_ELSEWHERE}"
                if path is None:
                    return
                self.triage = load(path, self.screen.owner.author)
        except TriageError as error:
            self._why = str(error)
            self.screen.status.say(visible(str(error)), "fail")
            return
        self.rows_changed()

    def rows_changed(self) -> None:
        """There are other rows, or more of them."""
        if self.triage is not None:
            self.triage.recorded(self.screen.session.table.rows)
            self._show()

    def rows_grew(self) -> None:
        """Some rows are others, or came in between: as often as a line is appended."""
        if self.triage is not None and (self.triage.decisions or self.triage.problems):
            self.rows_changed()
        elif self.triage is not None:
            self.triage.recorded(self.screen.session.table.rows)

    def of(self, row: Row) -> Mark | None:
        """What was decided about a run."""
        return self.triage.of(row) if self.triage is not None else None

    @property
    def left(self) -> Callable[[Row], bool] | None:
        """Tells whether something is left to decide about a run; None while nothing was decided at all."""
        from traceview.triage import left_to_do

        triage = self.triage
        if triage is None or not triage.decisions:
            return None
        return lambda row: left_to_do(row, triage.of(row))

    def beside(self, row: Row) -> tuple[tuple[str, str, str], ...]:
        """Lines for the head of the opened run: (name, words, ink)."""
        found = self.of(row)
        if found is None:
            return ()
        lines = []
        if found.mark is not None:
            what = {"run": "", "case": ", its whole case", "signature": ", this signature"}[found.scope]
            now = "same failure as when marked" if row.result.signature else "as it was when marked"
            if not found.same:
                was = ", ".join(signature or "a pass" for signature in found.was[:2])
                now = f"changed since; it was {was}" if was else "changed since"
            words = f"{found.mark} by {found.author} ({found.time[:10]}{what}), {now}"
            lines.append(("mark", visible(words), "" if found.same else "unknown"))
        if found.note:
            lines.append(("note", visible(found.note), ""))
        if found.tags:
            lines.append(("tags", visible(" ".join(f"#{tag}" for tag in found.tags)), ""))
        return tuple(lines)

    def _show(self) -> None:
        """What is known has changed: filter, list, head, reports."""
        screen, triage = self.screen, self.triage
        if triage is None:
            return
        screen.session.decided(triage)
        screen.case_list.show_marks(triage.of if triage.decisions else None)
        screen.filters.again()
        screen.show_decided()

    # -- deciding -------------------------------------------------------------------------------------------

    def mark(self) -> None:
        """The menu of marks for the selected run."""
        row = self._ready()
        if row is None:
            return
        found, scopes = self.of(row), self._scopes(row)
        scope = found.scope if found is not None and found.mark is not None else "run"
        current = found.mark if found is not None else None

        def chosen(answer: tuple[str, str] | None) -> None:
            if answer is not None:
                self._mark(row, *answer)

        title = f"Mark {visible(row.result.case_id)}"
        self.screen.owner.push_screen(MarkMenu(title, scopes, scope, current), chosen)

    def mark_kind(self, rows: list[Row], then: Callable[[], None]) -> None:
        """The menu of marks for all signatures that these runs have. One step for undo.

        :param then: called when they are marked.
        """
        if self._ready() is None:
            return
        signatures = dict.fromkeys(row.result.signature for row in rows)
        words = f"every run of this kind, now {_runs(len(rows))}"

        def chosen(answer: tuple[str, str] | None) -> None:
            if answer is None:
                return
            first = {row.result.signature: row for row in reversed(rows)}
            mark = "open" if answer[1] == NONE else answer[1]
            about = [self._about(first[signature], "signature", mark=mark) for signature in signatures]
            self._decide(about, f"{mark}: {words}; u takes it back")
            then()

        found = self.of(rows[0])
        menu = MarkMenu("Mark this kind", [("signature", words)], "signature", found.mark if found else None)
        self.screen.owner.push_screen(menu, chosen)

    def _mark(self, row: Row, scope: str, mark: str) -> None:
        words = dict(self._scopes(row)).get(scope, scope)
        if mark == NONE:
            self._take_back(row, scope, words)
            return
        self._decide([self._about(row, scope, mark=mark)], f"{mark}: {words}; u takes it back")

    def note(self) -> None:
        """A line for note and tags of the selected run."""
        row = self._ready()
        if row is None:
            return
        found = self.of(row)
        note, tags = (found.note, found.tags) if found is not None else ("", ())
        shown = [tag for tag in tags if not any(char.isspace() for char in tag)]
        text = " ".join([*([note] if note else []), *(f"#{tag}" for tag in shown)])

        def typed(answer: tuple[str, str] | None) -> None:
            if answer is None or answer[1].strip() == text:
                return
            new_note, new_tags = note_and_tags(answer[1])
            decision = self._about(
                row,
                answer[0],
                note=new_note if new_note != note else None,
                tag=[tag for tag in new_tags if tag not in tags],
                untag=[tag for tag in shown if tag not in new_tags],
            )
            self._decide([decision], "noted; u takes it back")

        title = f"Note on {visible(row.result.case_id)}"
        scope = found.scope if found is not None else "run"
        ask = Ask(title, "A word with # is a tag: #flaky", text, self._scopes(row), scope)
        self.screen.owner.push_screen(ask, typed)

    def undo(self) -> None:
        """Take the last decision made here back."""
        from traceview.triage import TriageError

        try:
            undone = self.triage.undo() if self.triage is not None else ()
        except TriageError as error:
            self._refused(error)
            return
        if not undone:
            self.screen.status.say("nothing was decided here that could be taken back", "unknown")
            return
        self._show()
        if undone[0].undo is not None:
            self.screen.status.say("the mark counts again")
        else:
            self.screen.status.say(f"taken back: {undone[0].mark or 'the note'}")

    def save_as(self) -> None:
        """Keep everything in another file from now on."""

        def typed(answer: tuple[str, str] | None) -> None:
            if answer is not None and answer[1].strip():
                self._save_as(answer[1].strip())

        path = str(self.triage.path) if self.triage is not None else "traceview.triage.jsonl"
        says = "What is known is added to it; what it holds counts. --triage FILE takes it next time."
        self.screen.owner.push_screen(Ask("Keep marks and notes in", says, path), typed)

    def _save_as(self, typed: str) -> None:
        from traceview.triage import Triage, TriageError, check_writable

        try:
            path = typed_path(typed)
            check_writable(path)
            triage = self.triage or Triage(path, self.screen.owner.author)
            triage.save_as(path)
        except (TriageError, OutputError) as error:
            self.screen.status.say(visible(str(error)), "fail")
            return
        self.triage = triage
        self.rows_changed()
        self.screen.status.say(f"marks and notes are kept in {visible(triage.shown)}", "pass")

    # -- parts ----------------------------------------------------------------------------------------------

    def _ready(self) -> Row | None:
        """The selected run, if something can be decided about it and kept; else it is said why not."""
        from traceview.triage import TriageError, check_writable

        row = self.screen.case_list.selected
        if row is None:
            self.screen.status.say("no run is selected", "unknown")
        elif self.triage is None or self.screen.session.loading:
            loading = self.screen.session.loading
            why = "still reading: nothing can be marked yet" if loading else self._why
            self.screen.status.say(visible(why), "unknown")
        else:
            try:
                check_writable(self.triage.path)
            except TriageError as error:
                self._refused(error)
            else:
                return row
        return None

    def _refused(self, error: Exception) -> None:
        self.screen.status.say(f"{visible(str(error).partition(';')[0])}: {_ELSEWHERE}", "fail")

    def _scopes(self, row: Row) -> list[tuple[str, str]]:
        result, rows = row.result, self.screen.session.table.rows
        runs = sum(other.result.case_id == result.case_id for other in rows)
        scopes = [
            ("run", f"this run of {visible(result.case_id)}"),
            ("case", f"the case {visible(result.case_id)}: {_runs(runs)}"),
        ]
        if result.signature is not None:
            alike = sum(other.result.signature == result.signature for other in rows)
            scopes.append(("signature", f"this signature, {_runs(alike)}: {visible(result.signature)}"))
        return scopes

    def _about(
        self,
        row: Row,
        scope: str,
        *,
        mark: str | None = None,
        note: str | None = None,
        tag: list[str] | None = None,
        untag: list[str] | None = None,
    ) -> Decision:
        from traceview.triage import about_case, about_run, about_signature

        said, unsaid = tag or [], untag or []
        if scope == "signature" and row.result.signature is not None:
            return about_signature(row.result.signature, mark=mark, note=note, tag=said, untag=unsaid)
        if scope == "case":
            case_id = row.result.case_id
            rows = [other for other in self.screen.session.table.rows if other.result.case_id == case_id]
            return about_case(rows, mark=mark, note=note, tag=said, untag=unsaid)
        return about_run(row, mark=mark, note=note, tag=said, untag=unsaid)

    def _decide(self, decisions: list[Decision], words: str) -> None:
        from traceview.triage import TriageError

        assert self.triage is not None  # _ready said so
        try:
            self.triage.append(*decisions)
        except TriageError as error:
            self._refused(error)
            return
        self._show()
        self.screen.status.say(words)

    def _take_back(self, row: Row, scope: str, words: str) -> None:
        """Marks of this scope no longer count, those of other people neither; a note stays."""
        from traceview.triage import TriageError

        assert self.triage is not None
        about = self._about(row, scope)
        standing = [
            decision
            for decision in self.triage.standing()
            if decision.mark is not None and _same_thing(decision, about)
        ]
        if not standing:
            self.screen.status.say(f"there is no mark of {words}", "unknown")
            return
        if any(decision.note is not None or decision.tag or decision.untag for decision in standing):
            self._decide([self._about(row, scope, mark="open")], f"open: {words}; u takes it back")
            return
        try:
            self.triage.retract(*standing)
        except TriageError as error:
            self._refused(error)
            return
        self._show()
        self.screen.status.say(f"no mark any more: {words}; u brings it back")


def note_and_tags(text: str) -> tuple[str, list[str]]:
    """What was typed, taken apart: ``books too long #duration`` is a note and a tag."""
    words = text.split()
    tags = [word[1:] for word in words if word.startswith("#") and len(word) > 1]
    note = " ".join(word for word in words if not (word.startswith("#") and len(word) > 1))
    return note, list(dict.fromkeys(tags))


def _same_thing(one: Decision, other: Decision) -> bool:
    if one.scope != other.scope:
        return False
    if one.scope == "signature":
        return one.signatures == other.signatures
    return (one.case_id, one.run_id, one.trial) == (other.case_id, other.run_id, other.trial)


def _runs(count: int) -> str:
    return f"{count:,} run{'s' if count != 1 else ''}"
