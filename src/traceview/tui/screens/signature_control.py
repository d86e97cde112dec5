"""What ``s`` does: the view of kinds over the list, and one kind as the filter of the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from traceview.query.words import split
from traceview.results import Row
from traceview.sanitize import visible
from traceview.signatures import Level, SignatureGroup
from traceview.tui.screens.signatures import SignaturesScreen
from traceview.tui.search import plan

if TYPE_CHECKING:
    from traceview.tui.screens.main import MainScreen


@dataclass(frozen=True, slots=True)
class _Opened:
    """A group that was opened: the filter it was taken from, and the one that shows it."""

    base: str
    text: str
    first: Row


class SignatureControl:
    """Belongs to a screen and its session. The view comes back at the level where it was left, and, while one
    of its groups is open, with all the groups among which that one was chosen."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self._level: Level = "argument"
        self._opened: _Opened | None = None

    def show(self) -> None:
        """Open the view."""
        session = self.screen.session
        base, rows, at = self._rows()
        about = f", of what the filter shows: {visible(base)}" if base else ""
        view = SignaturesScreen(rows, about + (", still reading" if session.loading else ""), self._level, at)

        view.view.mark_of = self.screen.marks.of
        view.left_of = lambda: self.screen.marks.left
        view.marking = lambda group: self.screen.marks.mark_kind(view.rows_of(group), view.count_left)

        def left(group: SignatureGroup | None) -> None:
            self._level = view.level
            if group is not None:
                self._open(group, base)

        self.screen.owner.push_screen(view, left)

    def close_kind(self) -> None:
        """Where one kind alone is shown: the filter that it was chosen in, instead."""
        filter_, opened = self.screen.session.filter, self._opened
        if opened is not None and filter_.active and filter_.state.text == opened.text:
            self._opened = None
            self.screen.filters.apply(opened.base)

    def _rows(self) -> tuple[str, list[Row], Row | None]:
        """The text of the filter, the rows that it leaves, and a run of the kind that is open."""
        session, table = self.screen.session, self.screen.session.table
        state, opened = session.filter.state, self._opened
        if opened is not None and session.filter.active and state.text == opened.text:
            base = opened.base
            chosen = plan(base, session.filter.vocabulary) if base else None
            return base, [table.rows[place] for place in table.candidates(chosen)], opened.first
        base = state.text.strip() if session.filter.active else ""
        return base, [table.rows[place] for place in table.shown], None

    def _open(self, group: SignatureGroup, base: str) -> None:
        """Show the runs of a group alone, within the filter they were counted in."""
        there = {base[word.start : word.end] for word in split(base)}
        own = [group.filter[word.start : word.end] for word in split(group.filter)]
        text = " ".join([*([base] if base else []), *(word for word in own if word not in there)])
        has_text = any(word.startswith("text:") for word in there)
        self._opened = None if has_text else _Opened(base, text, group.first)
        self.screen.filters.apply(text)
        self.screen.go_to("cases")
        runs = f"{group.count:,} run{'s' if group.count != 1 else ''}"
        self.screen.status.say(f"only {runs} of this kind; s goes on to the next kind, z shows all")
