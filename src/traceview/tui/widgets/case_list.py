"""The case list: one line a run, coloured by diagnosis and never by colour alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message

from traceview.model import RunResult
from traceview.results import Row
from traceview.sanitize import visible
from traceview.tui import changes, keys
from traceview.tui.beside import label_cell, trial_words
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.columns import Column, plan
from traceview.tui.counts import PENDING
from traceview.tui.line_view import Line, LineView
from traceview.tui.marks import mark_cell, mark_width
from traceview.tui.table import Identity, Table, identity

if TYPE_CHECKING:
    from traceview.compare import Transition
    from traceview.triage import Mark
    from traceview.trials import CaseTrials

_LABEL = 14  # cells of a reviewed label; a longer one is cut
_LONGEST = 400  # characters of a cell that are looked at: a column is never wider than a screen


def cell(text: str, width: int, sign: str = "…") -> str:
    """Text from data in exactly ``width`` cells."""
    return pad(cut(visible(text[:_LONGEST]), width, sign), width)


def run_words(result: RunResult) -> str:
    """What tells the runs of a case apart: trial, run id, or both."""
    return " ".join(word for word in (result.trial, result.run_id) if word)


def run_ink(result: RunResult) -> str:
    """The ink of a run (traceview.tui.theme.INKS)."""
    if result.diagnosis in ("pass", "tool_error", PENDING):
        return {"pass": "pass", "tool_error": "error"}.get(result.diagnosis, "quiet")
    return {"fail": "fail", "pass": "pass", "unreviewed": "quiet"}.get(result.verdict, "unknown")


CHECK_INK = {"pass": "pass", "fail": "fail", "unknown": "unknown"}


class CaseList(LineView):
    """The shown rows of a table. A line is known by the place of its row."""

    HELP_TITLE = "Case list"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("cases")]

    class Opened(Message):
        """The selected case is to be read step by step."""

    class SortBy(Message):
        """A head was clicked."""

        def __init__(self, column: str) -> None:
            super().__init__()
            self.column = column

    barred = True
    header_rows = 1

    def __init__(self, table: Table, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.table = table
        self.trials: Mapping[str, CaseTrials] = {}
        self.transitions: Mapping[Identity, Transition] = {}
        self._mark_of: Callable[[Row], Mark | None] | None = None
        self._columns: list[Column] = []
        self._widths: dict[str, int] = {"case": 4, "run": 0, "diagnosis": 9, "title": 0}

    def show_marks(self, of: Callable[[Row], Mark | None] | None) -> None:
        """Show a column of marks; None: nothing was decided yet, and there is none."""
        self._mark_of = of
        self._replan()

    # -- model ----------------------------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        return len(self.table.shown)

    def line_key(self, y: int) -> Hashable:
        return self.table.shown[y]

    def find_line(self, key: Hashable) -> int | None:
        return self.table.line_of(key) if isinstance(key, int) else None

    def nearest_line(self, key: Hashable, before: int) -> int:
        """The shown row that follows in the file, else the last one."""
        shown = self.table.shown
        if isinstance(key, int) and self.table.sort is None:
            return next((line for line, place in enumerate(shown) if place > key), len(shown) - 1)
        return before

    @property
    def selected(self) -> Row | None:
        """The row under the cursor."""
        place = self.selected_place
        return None if place is None else self.table.rows[place]

    @property
    def selected_place(self) -> int | None:
        """Its place in the table."""
        return self.table.shown[self.cursor] if self.line_count else None

    def select_place(self, place: int | None) -> None:
        """Put the cursor on a row, if it is shown."""
        line = None if place is None else self.table.line_of(place)
        if line is not None:
            self.move_to(line)

    def keep(self, place: int) -> None:
        """Have the cursor on a row from the next change of the data on."""
        self._wanted = place

    def rows_moved(self, moved: Callable[[int], int | None]) -> None:
        """Rows have other places now: the cursor stays on its row."""
        place = self._wanted if self._wanted is not None else self._cursor_key
        self._wanted = moved(place) if isinstance(place, int) else None

    def measure(self) -> None:
        """Find the widths of the columns anew (the rows are others now)."""
        rows = self.table.rows
        contract = self.table.contract
        labels = ["not_observable", *(contract.priority if contract else ())]
        several = any(row.result.run_id or row.result.trial for row in rows) and len(
            {row.result.case_id for row in rows}
        ) < len(rows)
        self._widths = {
            "case": _widest([row.result.case_id for row in rows], 4),
            "run": _widest([run_words(row.result) for row in rows], 3) if several else 0,
            "diagnosis": max((cell_len(visible(label[:_LONGEST])) for label in labels), default=9),
            "title": 1 if any(row.title for row in rows) else 0,
            "label": self._label_width(rows),
            "trials": max((cell_len(trial_words(case)) for case in self.trials.values()), default=0),
        }
        self._replan()

    @staticmethod
    def _label_width(rows: Sequence[Row]) -> int:
        labels = {row.label for row in rows if row.label is not None}
        widest = max((cell_len(visible(label[:_LONGEST])) for label in labels), default=0)
        return max(5, min(2 + widest, _LABEL)) if labels else 0

    def _replan(self) -> None:
        widths = self._widths
        width = max(0, self.scrollable_content_region.width - 1)
        marks = 0 if self._mark_of is None else mark_width(width)
        self._columns = plan(
            width - (marks + 1 if marks else 0),
            case=widths["case"],
            run=widths["run"],
            diagnosis=widths["diagnosis"],
            title=widths["title"],
            checks=self.table.checks,
            trials=widths.get("trials", 0),
            change=changes.WIDTH if self.transitions else 0,
            label=widths.get("label", 0),
        )
        if marks:
            self._columns.insert(0, Column("mark", "mark"[: marks - 1], marks))
        self.lines_changed()

    def width_changed(self, width: int) -> None:
        self._replan()

    # -- drawing --------------------------------------------------------------------------------------------

    def render_header_line(self, y: int, width: int) -> Line:
        sort = self.table.sort
        segments = [Segment("  ")]
        for column in self._columns:
            head = visible(column.head).replace("×", self.signs.times)
            if sort is not None and sort.column == column.key:
                arrow = self.signs.descending if sort.reverse else self.signs.ascending
                room = column.width - 1
                head = cut(head, room, "") + arrow if room else arrow
            segments.append(Segment(pad(cut(head, column.width, ""), column.width) + " "))
        return segments

    def render_text_line(self, y: int, width: int) -> Line:
        row = self.table.rows[self.table.shown[y]]
        result = row.result
        signs = self.signs
        ink = self.ink(run_ink(result))
        quiet = self.ink("quiet")
        segments = [Segment(signs.of_run(result) + " ", ink)]
        for column in self._columns:
            kind, _, name = column.key.partition(":")
            if kind == "check":
                segments.append(self._check(result, name, column.width))
                continue
            if kind == "mark":
                found = self._mark_of(row) if self._mark_of is not None else None
                text, mark_ink = mark_cell(found, column.width, signs)
                segments.append(Segment(pad(text, column.width) + " ", self.ink(mark_ink)))
                continue
            if kind == "change":
                text, change_ink = changes.change_cell(self.transitions.get(identity(row)), signs)
                text = pad(text[: column.width], column.width)
                segments.append(Segment(text + " ", self.ink(change_ink)))
                continue
            if kind == "label":
                text, label_ink = label_cell(row, signs)
                text = text if column.width > 1 else text[:1]
                style: Style | None = self.ink(label_ink)
            else:
                text, style = self._text(row, kind, ink, quiet)
            segments.append(Segment(cell(text, column.width, signs.cut) + " ", style))
        return segments

    def _text(self, row: Row, kind: str, ink: Style, quiet: Style) -> tuple[str, Style | None]:
        result = row.result
        if kind == "case":
            return result.case_id, None
        if kind == "run":
            return run_words(result), quiet
        if kind == "title":
            return row.title, quiet
        if kind == "trials":
            case = self.trials.get(result.case_id)
            return trial_words(case) if case is not None else "", quiet
        return (self.signs.pending if result.diagnosis == PENDING else result.diagnosis), ink

    def _check(self, result: RunResult, name: str, width: int) -> Segment:
        verdict = result.checks.get(name, "")
        sign = self.signs.of_check(verdict) if verdict else " "
        left = width // 2 - (1 - width % 2)
        return Segment(" " * left + sign + " " * (width - left), self.ink(CHECK_INK.get(verdict, "quiet")))

    # -- actions --------------------------------------------------------------------------------------------

    def action_open(self) -> None:
        if self.line_count:
            self.post_message(self.Opened())

    def activate_line(self, y: int) -> None:
        self.action_open()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= self.header_rows:
            return
        event.prevent_default()
        at = offset.x - 3  # the gutter, the sign and a blank
        for column in self._columns:
            if 0 <= at <= column.width:
                self.post_message(self.SortBy(column.key))
                return
            at -= column.width + 1


def _widest(texts: list[str], least: int) -> int:
    """Cells of the widest text. Looks closely at the longest ones only: measuring cells is not cheap."""
    if not texts:
        return least
    closely = sorted(set(texts[:2000]), key=len)[-200:]
    longest = max(texts, key=len)
    return max(least, *(cell_len(visible(text[:_LONGEST])) for text in [*closely, longest]))
