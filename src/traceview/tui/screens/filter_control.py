"""What the keys of filter and order do to the screen: ``/ z f d S`` and what is typed into the field."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.timer import Timer

from traceview.sanitize import visible
from traceview.tui.background import in_background
from traceview.tui.counts import PENDING
from traceview.tui.filtering import State
from traceview.tui.screens.popup import Choice, Menu
from traceview.tui.sorting import Sort, sort_columns, sort_rows
from traceview.tui.text_search import TextSearch
from traceview.tui.widgets.summary import quoted

if TYPE_CHECKING:
    from traceview.tui.screens.main import MainScreen

_SORT_BESIDE = 20_000  # rows from which sorting happens beside the screen
_MANY = 20_000  # rows from which a filter that looks at each of them waits for a pause in typing
_PAUSE = 0.09  # seconds
_TURN = 0.012  # seconds of filtering between two looks at the keyboard


@dataclass(frozen=True, slots=True)
class _Before:
    """Where the list stood when the field was opened."""

    state: State
    place: int | None
    top: int
    pane: str


class FilterControl:
    """Belongs to a screen and its session."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self._before: _Before | None = None
        self._typed = ""  # what was taken of it
        self._search: TextSearch | None = None
        self._pause: Timer | None = None

    # -- typing ---------------------------------------------------------------------------------------------

    def edit(self) -> None:
        """Open the field."""
        screen, state = self.screen, self.screen.session.filter.state
        cases = screen.case_list
        self._before = _Before(state, cases.selected_place, cases.scroll_offset.y, screen.pane)
        if screen.pane != "cases" and screen.has_class("-narrow"):
            screen.go_to("cases")
        screen.status.display = False
        self._typed = state.text
        screen.filter_field.open(state.text)
        self._say_count()

    def typed(self, text: str) -> None:
        """Filter as one types; what makes no sense is said and changes nothing."""
        if not self.screen.filter_field.is_open:
            return  # told late: the text was taken when the field was closed
        self._stop_steps()
        self._typed = text
        session = self.screen.session
        if len(session.table.rows) > _MANY and session.filter.is_slow(text):
            self._pause = self.screen.set_timer(_PAUSE, lambda: self._step(session.filter.slowly(text)))
            return
        if session.filter.set(text):
            self._refresh()
        self._say_count()

    def rows_moved(self, moved: Callable[[int], int | None]) -> None:
        """Rows have other places now."""
        before = self._before
        if before is not None and before.place is not None:
            self._before = replace(before, place=moved(before.place))

    def rows_grew(self) -> None:
        """The rows are others: show the answer of now, and begin anew what was still being worked out."""
        if self._pause is not None:
            self.typed(self.screen.filter_field.input.value)
        self._refresh()
        if self._before is not None:
            self._say_count()

    def show_again(self) -> None:
        """More is known of the rows: show what the filter leaves now."""
        self._refresh()

    def _step(self, steps: Iterator[None]) -> None:
        """Filter for a moment, then let the keyboard have its turn."""
        until = time.perf_counter() + _TURN
        for _ in steps:
            if time.perf_counter() > until:
                self._pause = self.screen.set_timer(_TURN / 4, lambda: self._step(steps))
                return
        self._pause = None
        self._refresh()
        if self._before is not None:
            self._say_count()

    def _stop_steps(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _say_count(self) -> None:
        screen, filter_ = self.screen, self.screen.session.filter
        problem = filter_.problem
        screen.filter_field.set_class(problem is not None, "-wrong")
        if problem is not None:
            screen.hints.instead(f"{screen.owner.signs.failed} {visible(problem)}", "fail")
            return
        table = screen.session.table
        shown, everything = len(table.shown), len(table.rows)
        screen.hints.instead(
            f"{shown:,} of {everything:,}   enter keep   esc everything as it was   ? help after", "quiet"
        )

    def keep(self) -> None:
        """Close the field, unless its text makes no sense: what is wrong with it stays said."""
        screen = self.screen
        text = screen.filter_field.input.value
        if text != self._typed:
            self.typed(text)
        if screen.session.filter.problem is not None and screen.filter_field.is_open:
            self._say_count()
        else:
            self._close()
            screen.go_to("cases")
        screen.filter_field.answered()

    def cancel(self) -> None:
        """Everything as it was when the field was opened: filter, selected case, scroll."""
        before, screen = self._before, self.screen
        self._stop_steps()
        self._close()
        if before is None:
            screen.filter_field.answered()
            return
        screen.session.filter.set(before.state.text, on=before.state.on)
        self._refresh()
        screen.case_list.select_place(before.place)
        screen.case_list.scroll_to(y=before.top, animate=False, force=True)
        screen.go_to(before.pane)
        screen.filter_field.answered()

    def _close(self) -> None:
        screen = self.screen
        self._before = None
        screen.session.filter.problem = None
        screen.filter_field.close()
        screen.status.display = True
        screen.hints.instead(None)

    # -- by key ---------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Off, and on again."""
        self._stop_steps()
        filter_ = self.screen.session.filter
        if not filter_.toggle():
            self.screen.status.say("there is no filter to turn off or on; / types one", "unknown")
            return
        self._refresh()

    def term(self, term: str) -> None:
        """Add a term, or take it away when it is there."""
        self._stop_steps()
        added = self.screen.session.filter.toggle_term(term)
        self._refresh()
        self.screen.status.say(f"only {visible(term)}" if added else f"no longer only {visible(term)}")

    def apply(self, text: str) -> None:
        """Filter by a text that another part of the screen has made."""
        self._stop_steps()
        session = self.screen.session
        if len(session.table.rows) > _MANY and session.filter.is_slow(text):
            self._step(session.filter.slowly(text))
            return
        session.filter.set(text)
        self._refresh()

    def again(self) -> None:
        """More is known about the rows: show what the filter leaves now."""
        self._refresh()

    def only_diagnosis(self) -> None:
        """Only the diagnosis of the selected case."""
        row = self.screen.case_list.selected
        if row is None or row.result.diagnosis == PENDING:
            self.screen.status.say("no case with a diagnosis is selected", "unknown")
            return
        self.term(f"diagnosis:{quoted(row.result.diagnosis)}")

    # -- order ----------------------------------------------------------------------------------------------

    def choose_sort(self) -> None:
        """A menu of everything that can be sorted by."""
        table = self.screen.session.table
        current = table.sort
        choices = [Choice("", "order of the file", note="now" if current is None else "")]
        for column, label in sort_columns(table.checks, table.columns, table.orders):
            now = current is not None and current.column == column
            note = (
                ("now down, again: up" if current and current.reverse else "now up, again: down")
                if now
                else ""
            )
            choices.append(Choice(column, visible(label), note=note))
        menu = Menu("Sort the cases by", choices, current=current.column if current else "")

        def chosen(column: str | None) -> None:
            if column is not None:
                self.sort_by(column)

        self.screen.owner.push_screen(menu, chosen)

    def sort_by(self, column: str) -> None:
        """Sort by a column; by the same one again the other way; "" for the order of the file."""
        screen, table = self.screen, self.screen.session.table
        current = table.sort
        if not column:
            self._ordered(None, None)
            return
        sort = Sort(column, reverse=current is not None and current.column == column and not current.reverse)
        if len(table.rows) < _SORT_BESIDE:
            self._ordered(sort, None)
            return
        rows = table.rows
        screen.status.say(f"sorting {len(rows):,} cases")

        def done(order: list[int]) -> None:
            if rows is table.rows:  # else the data are others by now
                self._ordered(sort, order if len(order) == len(rows) else None)

        in_background(screen, lambda: sort_rows(rows, sort, table.orders), done, lambda error: None)

    def _ordered(self, sort: Sort | None, order: list[int] | None) -> None:
        session = self.screen.session
        session.table.set_sort(sort, order)
        session.filter.rows_changed()
        self._refresh()
        name = visible(sort.column.partition(":")[2] or sort.column) if sort else ""
        self.screen.status.say(
            f"sorted by {name}{', down' if sort.reverse else ''}" if sort else "in the order of the file"
        )

    # -- searching arguments and results --------------------------------------------------------------------

    def _refresh(self) -> None:
        """Show the new answer, and search the events of its rows where ``text:`` asks for it."""
        self.screen.refresh_all()
        self._start_search()

    def _start_search(self) -> None:
        session = self.screen.session
        if self._search is not None:
            self._search.stop()
            self._search = None
            self.screen.searching(None)
        query = session.filter.query
        if query is None or not query.needs_text or session.reader is None:
            return
        self._search = TextSearch(
            self.screen, session.reader, query, session.table, list(session.table.shown)
        )
        session.table.search_begins()
        self.screen.refresh_all()
        self._search.start()

    def search_advanced(self) -> None:
        """Hits have arrived."""
        search = self._search
        if search is None:
            return
        self.screen.session.table.search_found(search.take())
        self.screen.refresh_all()
        self.screen.searching(None if search.done else search.words())
        if search.problem:
            self.screen.status.say(visible(search.problem), "fail")
