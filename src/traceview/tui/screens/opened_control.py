"""The opened run: read when the cursor rests on its row, and shown in the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.timer import Timer

from traceview.evaluate.detail import Detail
from traceview.results import Row
from traceview.sanitize import visible
from traceview.tui.background import in_background
from traceview.tui.beside import beside
from traceview.tui.counts import PENDING
from traceview.tui.screens.titles import detail_title
from traceview.tui.table import identity

if TYPE_CHECKING:
    from traceview.tui.screens.main import MainScreen

__all__ = ["OpenedControl"]

_DELAY = 0.03  # seconds: while a key is held, only where it stops is opened
_LONG_RUN = 300  # events from which a run is explained beside the screen
_PATIENCE = 0.15  # seconds: what was open stays that long until such a run is there


class OpenedControl:
    """Belongs to a screen. ``detail`` is what the timeline shows, ``of`` the row that is open."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.detail: Detail | None = None
        self.of: Row | None = None
        self._own: Detail | None = None  # of the row itself, where its baseline is shown in its place
        self._timer: Timer | None = None

    def plan(self) -> None:
        """Open the selected run soon, unless another one is selected by then."""
        if self._timer is not None:
            self._timer.stop()
        if self.screen.case_list.selected is not self.of or self.of is None:
            self._timer = self.screen.set_timer(_DELAY, self.show)

    def show(self) -> None:
        """Open the selected run."""
        row = self.screen.case_list.selected
        reader = self.screen.session.reader
        if row is self.of and row is not None:
            return
        before, self.of = self.of, row
        if (
            row is not None
            and before is not None
            and row.result.diagnosis == PENDING
            and identity(row) == identity(before)
        ):
            return  # the files are being read again: what was seen stays until there is more to see
        if row is None or reader is None or row.result.diagnosis == PENDING:
            self._set(row, None)
        elif row.result.events < _LONG_RUN:
            try:
                detail = self.screen.baseline.beside(row, reader.detail(row))
            except Exception as error:
                self._failed(row, error)
            else:
                self._set(row, detail)
        else:
            self.detail = self._own = None
            self.screen.set_timer(_PATIENCE, lambda: self._still_reading(row))
            in_background(
                self.screen,
                lambda: self.screen.baseline.beside(row, reader.detail(row)),
                lambda detail: self._set(row, detail),
                lambda error: self._failed(row, error),
            )

    def _still_reading(self, row: Row) -> None:
        if row is self.of and self.detail is None:
            self._set(row, None)

    def _failed(self, row: Row, error: Exception) -> None:
        if row is self.of:
            self._set(row, None)
            self.screen.status.say(visible(str(error)), "fail")

    def _set(self, row: Row | None, detail: Detail | None) -> None:
        if row is not self.of:
            return  # the cursor has moved on while a long run was being read
        if detail is not None and row is not None:
            known = beside(row, self.screen.case_list.trials.get(row.result.case_id))
            detail = replace(detail, beside=(*self.screen.marks.beside(row), *known))
        self._own = detail
        self.detail = detail = self.screen.baseline.told(row, detail)
        self.screen.timeline.show(detail)
        self.screen.timeline.entitle(detail_title(row, detail, self.screen.owner.signs.dot))

    def again(self) -> None:
        """The selected run, in place of what is shown."""
        self.of = None
        self.show()

    def tell_again(self) -> None:
        """What is known of the opened run besides its verdict has changed."""
        self._set(self.of, self._own)
