"""The baseline: read beside the screen, compared when both sides are there, shown by ``v``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from traceview.evaluate.beside import with_baseline
from traceview.evaluate.detail import Detail
from traceview.results import Report, Row
from traceview.sanitize import visible
from traceview.tui.background import in_background
from traceview.tui.changes import change_line, change_totals
from traceview.tui.table import identity

if TYPE_CHECKING:
    from traceview.compare import Comparison, Transition
    from traceview.tui.loading import Load
    from traceview.tui.screens.main import MainScreen

__all__ = ["BaselineControl"]


class BaselineControl:
    """Belongs to a screen. ``path`` is the baseline as it was given, None where there is none."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.path: str | None = None
        self.shown = False
        self._load: Load | None = None
        self._rows: list[Row] = []
        self._report: Report | None = None
        self._comparison: Comparison | None = None
        self._unreadable: str | None = None  # why its runs can't be read again

    # -- reading --------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Take what was read of the baseline."""
        from traceview.load import Rows
        from traceview.tui.loading import Ended, Failed, Started

        load = self._load
        if load is None or self._report is not None:
            return
        for message in load.take():
            if isinstance(message, Started):
                self._rows = list(message.rows)
            elif isinstance(message, Rows):
                self._rows[message.start : message.start + len(message.rows)] = message.rows
            elif isinstance(message, Failed):
                self._load = None
                load.close()
                self.screen.status.say(f"baseline: {visible(message.message)}", "fail")
                return
            elif isinstance(message, Ended):
                self._report = replace(message.report, rows=self._rows)
                self.compare()

    @property
    def waiting(self) -> bool:
        """Whether there is more to take."""
        return self._load is not None and self._load.waiting

    def read(self, load: Load) -> None:
        """This reading, which has begun, is the baseline's."""
        self._load = load

    def close(self) -> None:
        """End the reading and remove what it left behind."""
        if self._load is not None:
            self._load.close()

    def compare(self) -> None:
        """Find out what became of each run, when both sides are there."""
        from traceview.compare import compare

        old, new = self._report, self.screen.session.report
        if old is None or new is None:
            return

        def done(found: Comparison) -> None:
            if self.screen.session.report is not new:
                return  # the files have been read again, or have grown: that is compared
            self._comparison = found
            self.screen.session.compared(found.transitions)
            self.screen.case_list.transitions = found.transitions
            self.screen.case_list.measure()
            self.screen.filters.show_again()
            self.screen.opened.again()

        in_background(self.screen, lambda: compare(old, new), done, self._failed)

    def _failed(self, error: Exception) -> None:
        self.screen.status.say(f"baseline: {visible(str(error))}", "fail")

    # -- telling --------------------------------------------------------------------------------------------

    def fact(self) -> tuple[str, str] | None:
        """What became of the runs, in one line, and its ink."""
        if self.path is None:
            return None
        name = visible(self.path.rpartition("/")[2])
        if self._comparison is None:
            return f"reading baseline {name}", "quiet"
        words, worse = change_totals(self._comparison.transitions.values())
        return f"baseline {name}: {words}", "fail" if worse else "quiet"

    def told(self, row: Row | None, detail: Detail | None) -> Detail | None:
        """What is known of a run, and what became of it."""
        self.shown = False
        found = self._of(row)
        if detail is None or found is None:
            return detail
        line = change_line(found)
        others = tuple(each for each in detail.beside if each[0] != line[0])
        if self._unreadable is not None:
            others = (*others, ("baseline", self._unreadable, "fail"))
        return replace(detail, beside=(*others, line))

    def beside(self, row: Row, detail: Detail) -> Detail:
        """A run with what the baseline did in each of its steps, as far as that is known."""
        found, reader = self._of(row), self._load.reader if self._load is not None else None
        if found is None or found.baseline is None or reader is None or not detail.rows:
            return detail
        try:
            return with_baseline(detail, reader.detail(found.baseline))
        except Exception as error:
            self._unreadable = visible(str(error))
            return detail

    def _of(self, row: Row | None) -> Transition | None:
        found = self._comparison
        return found.transitions.get(identity(row)) if found is not None and row is not None else None

    # -- showing --------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """The baseline's run in place of the selected one, and back."""
        screen = self.screen
        row = screen.case_list.selected
        if self.shown:
            screen.opened.again()
            return
        if self.path is None:
            screen.status.say("there is no baseline; traceview CASES TRACES --baseline FILE", "unknown")
            return
        found, reader = self._of(row), self._load.reader if self._load is not None else None
        if self._comparison is None or reader is None:
            screen.status.say("the baseline is not compared yet", "unknown")
            return
        if found is None or found.baseline is None:
            screen.status.say("the baseline has no such run", "unknown")
            return
        try:
            detail = reader.detail(found.baseline)
        except Exception as error:
            self._failed(error)
            return
        words = ("baseline", "this is how it went in the baseline; v goes back", "unknown")
        screen.opened.detail = replace(detail, beside=(words,))
        screen.timeline.show(screen.opened.detail)
        dot = screen.owner.signs.dot
        result = found.baseline.result
        heading = f"BASELINE {self.path.rpartition('/')[2]} {dot} {result.case_id} {dot} {result.diagnosis}"
        screen.timeline.entitle(visible(heading))
        self.shown = True
