"""The screen: panes side by side, one line above and two below them. It wires; the parts do the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from traceview.tui import keys
from traceview.tui.background import in_background
from traceview.tui.beside import label_facts, trials_words
from traceview.tui.keys import Key, Where
from traceview.tui.line_view import LineView
from traceview.tui.messages import FilterCancelled, FilterKept, FilterTyped, SearchAdvanced
from traceview.tui.screens.baseline_control import BaselineControl
from traceview.tui.screens.filter_control import FilterControl
from traceview.tui.screens.key_actions import KeyActions
from traceview.tui.screens.mark_control import MarkControl
from traceview.tui.screens.opened_control import OpenedControl
from traceview.tui.screens.popup_control import PopupControl
from traceview.tui.screens.signature_control import SignatureControl
from traceview.tui.screens.titles import cases_title, facts
from traceview.tui.session import Session, total_words
from traceview.tui.table import Identity, identity
from traceview.tui.widgets.case_list import CaseList
from traceview.tui.widgets.filter_field import FilterField
from traceview.tui.widgets.layers import LayersView
from traceview.tui.widgets.lines import HintLine, StatusLine, TitleLine
from traceview.tui.widgets.summary import ContractsView, DiagnosesView, SummaryView
from traceview.tui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from traceview.trials import Trials
    from traceview.tui.application import TraceviewApp
    from traceview.tui.loading import Started

_MEDIUM = 72  # columns from which panes stand side by side
_TALL = 18  # rows from which the summary is always seen
_PREPARED = 3000  # rows whose texts are made between two frames
_TALLER = 30  # rows from which the layers are always seen too
_COUNT_BESIDE = 3000  # rows from which trials are counted beside the screen
_PANES = ("cases", "timeline", "contracts", "diagnoses", "layers")
_SUMMARY = _PANES[2:]


class MainScreen(KeyActions, Screen[None], inherit_bindings=False):
    """Shows a session. Exactly one pane has the focus; on narrow terminals it alone is seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in keys.bindings("app") if binding.id != "app.interrupt"
    ]
    AUTO_FOCUS = ""  # the pane in which it was left has the focus, not the first one
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - textual declares it so
        (0, "-narrow"),
        (_MEDIUM, "-medium"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-tiny"),
        (8, "-short"),
        (_TALL, "-tall"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.title_line = TitleLine()
        self.case_list = CaseList(session.table, id="cases")
        self.timeline = Timeline(id="timeline")
        self.contracts = ContractsView(session.table, id="contracts")
        self.diagnoses = DiagnosesView(session.table, id="diagnoses")
        self.layer_view = LayersView(session.table, id="layers")
        self.filter_field = FilterField()
        self.status = StatusLine(id="status")
        self.hints = HintLine()
        self.filters = FilterControl(self)
        self.popups = PopupControl(self)
        self.baseline = BaselineControl(self)
        self.signatures = SignatureControl(self)
        self.marks = MarkControl(self)
        self.opened = OpenedControl(self)
        self._wanted: Identity | None = None
        self.pane = "cases"

    def compose(self) -> ComposeResult:
        yield self.title_line
        with Container(id="body"):
            with Horizontal(id="top"):
                yield self.case_list
                yield self.timeline
            with Container(id="bottom"):
                yield self.contracts
                yield self.diagnoses
            yield self.layer_view
        yield self.filter_field
        yield self.status
        yield self.hints

    def begin_as(self, selected: Identity | None, pane: object) -> None:
        """Before it is shown: which run is to be selected when it is there, and which pane has the focus."""
        self._wanted = selected
        if pane in _PANES[:-1]:  # layers may have gone from the contract
            self.pane = str(pane)

    def on_mount(self) -> None:
        self.query(f"#{self.pane}").focus()  # none where an interrupt came first
        self.refresh_all()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange(event.size)
        self.call_after_refresh(self._show_trials)

    # -- reading --------------------------------------------------------------------------------------------

    def begin(self, message: Started) -> None:
        """The cases are there (again): the case that was selected is to be the selected one."""
        row = self.case_list.selected
        if row is not None:
            self._wanted = identity(row)
        self.session.start(message.columns, message.contract, message.rows, message.inputs)
        self.case_list.trials = {}
        self.case_list.measure()
        self._find_wanted()
        self.refresh_all()

    def rows_came(self) -> None:
        """Some rows are judged, or new."""
        self._find_wanted()
        self.refresh_all()

    def ended(self) -> None:
        """Everything is read."""
        self.case_list.measure()
        self._find_wanted()
        self._wanted = None
        self.refresh_all()
        self.marks.ended()
        self._prepare()
        self._count_trials()

    def after_growth(self, *, more: bool) -> None:
        """Rows are others, and are shown; ``more``: some came in between."""
        self.marks.rows_grew()
        self._prepare()
        if more or self.session.trials is not None:
            self._count_trials()

    def _prepare(self) -> None:
        """Make the texts that words are looked for in, a little at a time, before the first is typed."""
        if not self.session.loading and self.session.table.prepare(_PREPARED):
            self.set_timer(0.02, self._prepare)

    def _count_trials(self) -> None:
        """How the cases with several runs did."""
        report = self.session.report
        if report is None or len({row.result.case_id for row in report.rows}) == len(report.rows):
            return
        from traceview.trials import trials  # few files need it

        rule = report.contract.trials if report.contract is not None else "all"

        def done(found: Trials | None) -> None:
            if found is None or self.session.report is not report:
                return
            self.session.trials = found
            self.case_list.trials = {case.case_id: case for case in found.cases}
            self.case_list.measure()
            self.refresh_titles()
            self.opened.tell_again()

        if len(report.rows) < _COUNT_BESIDE:
            done(trials(report.rows, rule))
        else:
            in_background(self, lambda: trials(report.rows, rule), done, lambda error: None)

    def _find_wanted(self) -> None:
        """Go to the case that was selected before the files were read again, once it is there."""
        place = self.session.table.place_of(self._wanted) if self._wanted is not None else None
        if place is not None:
            self._wanted = None
            self.case_list.keep(place)

    # -- showing the session --------------------------------------------------------------------------------

    def refresh_all(self) -> None:
        """Draw what the session holds now; the selected case stays the selected one."""
        self.case_list.data_changed()
        filtered = self.session.filter.active
        self.contracts.show(filtered=filtered)
        self.diagnoses.show(filtered=filtered)
        self.layer_view.show(filtered=filtered)
        self.refresh_titles()
        self._arrange(self.size)
        self.opened.plan()

    def refresh_titles(self) -> None:
        """The words around the panes."""
        session, table = self.session, self.session.table
        signs = self.owner.signs
        not_judged = len(table.rows) - table.totals.runs
        totals = [*total_words(table.totals, not_judged, signs.pending), *label_facts(table)]
        self.title_line.show(session.about(signs.dot), totals)
        self.case_list.entitle(cases_title(session, signs.dot))
        self.contracts.entitle(self.contracts.title())
        self.diagnoses.entitle(self.diagnoses.title())
        self.layer_view.entitle(self.layer_view.title())
        self._show_trials()
        self.status.facts(facts(session, self.baseline.fact(), signs.dot))

    def _show_trials(self) -> None:
        """pass^k and pass@k, below the diagnoses."""
        trials = self.session.trials
        words = trials_words(trials, self.owner.signs.dot) if trials is not None else [""]
        room = self.diagnoses.outer_size.width - 6
        self.diagnoses.border_subtitle = Content(next((text for text in words if len(text) <= room), ""))

    def searching(self, words: str | None) -> None:
        """How far a search in arguments and results is; None when there is none."""
        self.status.progress(words)

    # -- the opened run -------------------------------------------------------------------------------------

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        if event.view is self.case_list:
            self.opened.plan()

    def show_decided(self) -> None:
        """What people have decided about runs has changed, and the list shows it."""
        self.opened.tell_again()
        self._prepare()

    # -- panes ----------------------------------------------------------------------------------------------

    def go_to(self, name: str) -> None:
        """Focus a pane, and show it where only one is seen."""
        self.pane = name
        self._arrange(self.size)
        self.set_focus(self.query_one(f"#{name}", Widget))

    def _arrange(self, size: Size) -> None:
        """What there is room for. (By hand: a class on the screen makes textual match every style anew.)"""
        narrow, short = size.width < _MEDIUM, size.height < _TALL
        summary = self.pane in _SUMMARY
        top, bottom = self.query_one("#top"), self.query_one("#bottom")
        alone = narrow or short
        top.display = not (alone and summary)
        layers = self.pane == "layers"
        roomy = not alone and size.height >= _TALLER
        self.layer_view.display = bool(self.layer_view.line_count) and (layers or roomy)
        self.layer_view.styles.height = "1fr" if alone else min(self.layer_view.line_count, 6) + 2
        bottom.display = (summary or not alone) and (roomy or not layers) and self._has_summary
        self.case_list.display = not narrow or self.pane == "cases"
        self.timeline.display = not narrow or self.pane == "timeline"
        needed = max(self.contracts.line_count, self.diagnoses.line_count, 2) + 2
        bottom.styles.height = "1fr" if alone else min(needed, max(5, size.height // 3))

    @property
    def _has_summary(self) -> bool:
        """Whether there is, or will be, anything to sum up: not where no contract judges."""
        return bool(self.contracts.line_count or self.diagnoses.line_count) or self.session.loading

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        # Told late, when something else may have the focus already: to give it back would go on for ever.
        name = event.widget.id
        if name in _PANES and name != self.pane and self.focused is event.widget:
            self.pane = name
            self._arrange(self.size)
        self._show_hints()

    @property
    def owner(self) -> TraceviewApp:
        """The application."""
        return cast("TraceviewApp", self.app)

    def where(self) -> Where:
        """The place in the key table of what has the focus."""
        if self.filter_field.is_open:
            return "filter"
        pane = self.pane
        if pane in ("contracts", "diagnoses"):
            return "summary"
        return "cases" if pane == "cases" else "layers" if pane == "layers" else "timeline"

    def _show_hints(self) -> None:
        where = self.where()
        ascii_only = self.owner.signs.newline.isascii()
        rows = keys.hints(where)
        keymap = self.owner.user_keymap
        self.hints.show([(k.id, keys.first(keys.current(k, keymap), ascii_only), k.hint) for k in rows])

    @on(HintLine.Pressed)
    async def _hint_pressed(self, event: HintLine.Pressed) -> None:
        await self.press(keys.by_id(event.id))

    async def press(self, key: Key) -> None:
        """Do what a key does, as if it were pressed where it is listened to."""
        here: Widget | Screen[None] = self
        if key.where != "app":
            if key.where in ("cases", "timeline") and self.pane != key.where:
                self.go_to(key.where)
            elif key.where == "summary" and self.where() != "summary":
                self.go_to("contracts")
            elif key.where == "layers" and self.pane != "layers":
                if not self.layer_view.line_count:
                    self.status.say("the contract has no layers", "unknown")
                    return
                self.go_to("layers")
            here = self.query_one(f"#{self.pane}", Widget)
        await self.owner.run_action(key.action, default_namespace=here)

    def _panes(self) -> tuple[str, ...]:
        if not self._has_summary:
            return _PANES[:2]
        return _PANES if self.layer_view.line_count else _PANES[:-1]

    def action_pane(self, number: int) -> None:
        """The third is the summary: there, the same key goes on to its next part."""
        if number < 3:
            self.go_to(_PANES[number - 1])
            return
        parts = self._panes()[2:]
        if not parts:
            self.status.say("there is nothing to sum up: no contract judges these runs", "unknown")
            return
        at = parts.index(self.pane) + 1 if self.pane in parts else 0
        self.go_to(parts[at % len(parts)])

    def action_next_pane(self) -> None:
        panes = self._panes()
        self.go_to(panes[(panes.index(self.pane) + 1) % len(panes)])

    def action_previous_pane(self) -> None:
        panes = self._panes()
        self.go_to(panes[panes.index(self.pane) - 1])

    def action_back(self) -> None:
        self.go_to("cases")

    @on(CaseList.Opened)
    def _opened(self) -> None:
        self.opened.show()
        self.go_to("timeline")

    # -- failures -------------------------------------------------------------------------------------------

    def action_next_failure(self) -> None:
        self._failure(1)

    def action_previous_failure(self) -> None:
        self._failure(-1)

    def _failure(self, step: int) -> None:
        found = self.session.table.next_failure(self.case_list.cursor, step)
        if found is None:
            self.status.say(self._no_failure(), "unknown")
            return
        line, wrapped = found
        self.case_list.move_to(line)
        if wrapped:
            self.status.say("past the last: from the top" if step > 0 else "past the first: from the end")

    def _no_failure(self) -> str:
        session = self.session
        hidden = session.table.totals.verdicts["fail"] - session.table.shown_counts.verdicts["fail"]
        if hidden > 0:
            return f"no other failing case is shown; the filter hides {hidden:,} (z turns it off)"
        return "no other failing case" + (" yet, still reading" if session.loading else "")

    # -- keys that other parts answer -----------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """What was said stays until the next key."""
        self.status.say("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that comes before all others must leave a field its letter."""
        return action != "edit_filter" or not isinstance(self.focused, Input)

    @on(FilterTyped)
    def _filter_typed(self, event: FilterTyped) -> None:
        self.filters.typed(event.text)

    @on(FilterKept)
    def _filter_kept(self) -> None:
        self.filters.keep()

    @on(FilterCancelled)
    def _filter_cancelled(self) -> None:
        self.filters.cancel()

    @on(SearchAdvanced)
    def _search_advanced(self) -> None:
        self.filters.search_advanced()

    @on(SummaryView.Chosen)
    def _chosen(self, event: SummaryView.Chosen) -> None:
        self.filters.term(event.term)

    @on(LayersView.Nothing)
    def _nothing_behind(self, event: LayersView.Nothing) -> None:
        self.status.say(event.text, "unknown")

    @on(Timeline.Said)
    def _timeline_said(self, event: Timeline.Said) -> None:
        self.status.say(event.text)

    @on(CaseList.SortBy)
    def _sort_by(self, event: CaseList.SortBy) -> None:
        self.filters.sort_by(event.column)
