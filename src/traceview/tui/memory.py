"""How the screen was left for a set of inputs: it begins so again, and what it is now is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceview import state
from traceview.tui.filtering import State
from traceview.tui.request import Request
from traceview.tui.sorting import Sort
from traceview.tui.table import identity

if TYPE_CHECKING:
    from traceview.tui.application import TraceviewApp

__all__ = ["Memory"]


class Memory:
    """The memory of one program. ``fresh``: it begins as if nothing were kept."""

    def __init__(self, request: Request, *, fresh: bool = False) -> None:
        self._request = request
        self._kept = None if fresh else state.restore(request.cases, request.traces, request.contract)

    def begin(self, app: TraceviewApp, *, filter_given: bool) -> None:
        """Have the screen begin as it was left; a filter that was given on the command line stays."""
        kept = self._kept
        if kept is None:
            return
        if not filter_given:
            app.session.filter.state = State(kept.filter, kept.filter_on)
        if kept.sort is not None:
            app.session.wanted_sort = Sort(kept.sort, kept.reverse)
        app.screen_main.begin_as(kept.selected, kept.layout.get("pane"))

    def keep(self, app: TraceviewApp) -> None:
        """Keep how the screen is now, if that is known and not kept already."""
        session, screen = app.session, app.screen_main
        if session.loading or session.report is None:
            return
        row, sort, filter_ = screen.case_list.selected, session.table.sort, session.filter.state
        now = state.Session(
            filter=filter_.text,
            filter_on=filter_.on,
            sort=sort.column if sort is not None else None,
            reverse=sort is not None and sort.reverse,
            selected=identity(row) if row is not None else None,
            layout={"pane": screen.pane},
        )
        request = self._request
        if now != self._kept and state.save(now, request.cases, request.traces, request.contract):
            self._kept = now
