"""The summary: every contract with its base, and the diagnoses as a partition.

The figures of all runs are always there; while a filter is on, those of the shown part stand beside them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.message import Message

from traceview.query.words import quote
from traceview.sanitize import visible
from traceview.tui import keys
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.counts import Counts
from traceview.tui.line_view import Line, LineView
from traceview.tui.table import Table

_EIGHTHS = " ▏▎▍▌▋▊▉"
_UNJUDGED = ("not_observable", "no_trace", "unusable")
_LONGEST_BAR = 24


class SummaryView(LineView):
    """One line a thing that is counted; opening it makes a filter of it."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("summary")]

    class Chosen(Message):
        """A filter term for what is counted on the line, such as ``check:sequence_ok``."""

        def __init__(self, term: str) -> None:
            super().__init__()
            self.term = term

    def __init__(self, table: Table, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.table = table
        self.names: Sequence[str] = ()
        self.filtered = False

    @property
    def line_count(self) -> int:
        return len(self.names)

    def line_key(self, y: int) -> Hashable:
        return self.names[y]

    def find_line(self, key: Hashable) -> int | None:
        return next((y for y, name in enumerate(self.names) if name == key), None)

    def show(self, *, filtered: bool) -> None:
        """Draw the table's counts; ``filtered``: not all rows are shown."""
        self.filtered = filtered
        self.names = self._names()
        self.data_changed()

    def _names(self) -> Sequence[str]:
        raise NotImplementedError

    def _term(self, name: str) -> str:
        raise NotImplementedError

    def action_choose(self) -> None:
        if self.names:
            self.post_message(self.Chosen(self._term(self.names[self.cursor])))

    def activate_line(self, y: int) -> None:
        self.action_choose()

    def _bar(self, part: int, whole: int, cells: int, ink: str) -> list[Segment]:
        """A bar of ``part`` in ``whole``, exact to an eighth of a cell; its rest is drawn as its base."""
        filled, rest = bar(part, whole, cells, ascii_only=self.signs.bar.isascii())
        return [
            Segment(filled, self.ink(ink)),
            Segment(rest.replace(" ", self.signs.bar_empty), self.ink("quiet")),
        ]

    def _name_width(self, width: int) -> int:
        longest = max((cell_len(visible(name)) for name in self.names), default=0)
        return min(longest, max(8, width // 2))


def bar(part: int, whole: int, cells: int, *, ascii_only: bool = False) -> tuple[str, str]:
    """The filled piece of a bar and blanks for its rest, ``cells`` in all.

    Anything more than nothing shows, and anything less than everything shows too.
    """
    if whole <= 0 or cells <= 0:
        return "", " " * max(0, cells)
    eighths = round(part * cells * 8 / whole)
    if part > 0:
        eighths = max(eighths, 1)
    if part < whole:
        eighths = min(eighths, cells * 8 - 1)
    if ascii_only:
        full = min(cells - (part < whole), max((eighths + 4) // 8, 1 if part else 0))
        return "#" * full, " " * (cells - full)
    full, rest = divmod(eighths, 8)
    text = "█" * full + (_EIGHTHS[rest] if rest else "")
    return text, " " * (cells - len(text))


class ContractsView(SummaryView):
    """Each check of the contract: passed of applicable, over all runs; they overlap and do not add up."""

    HELP_TITLE = "Contracts"

    def _names(self) -> Sequence[str]:
        return self.table.checks

    def _term(self, name: str) -> str:
        return f"check:{quoted(name)}"

    def title(self) -> str:
        """For the border."""
        runs = self.table.totals.runs - self.table.totals.pending
        return f"Contracts (of {runs:,}, overlapping)"

    def render_text_line(self, y: int, width: int) -> Line:
        name = self.names[y]
        totals, shown = self.table.totals, self.table.shown_counts
        passed, base = totals.checks[name]["pass"], totals.applicable(name)
        figures = [self._figures(totals, each) for each in self.names]
        figure_width = max(map(len, figures))
        name_width = self._name_width(width)
        segments = [Segment(pad(cut(visible(name), name_width, self.signs.cut), name_width) + "  ")]
        figure = figures[y]
        ink = "pass" if base and passed == base else "fail" if totals.checks[name]["fail"] else "quiet"
        segments.append(Segment(figure.rjust(figure_width) + " ", self.ink(ink)))
        notes = []
        if self.filtered:
            notes.append(f"{self._figures(shown, name)} shown")
        if unknown := totals.checks[name]["unknown"]:
            notes.append(f"{unknown:,} unknown")
        if other := totals.checks[name]["n/a"]:
            notes.append(f"{other:,} n/a")
        note = "  ".join(notes)
        room = width - name_width - figure_width - 3 - (len(note) + 2 if note else 0)
        cells = min(_LONGEST_BAR, room)
        if cells >= 4:
            segments += self._bar(passed, base, cells, "pass")
        if note:
            segments.append(Segment(("  " if cells >= 4 else " ") + note, self.ink("quiet")))
        return segments

    @staticmethod
    def _figures(counts: Counts, name: str) -> str:
        return f"{counts.checks[name]['pass']:,}/{counts.applicable(name):,}"


class DiagnosesView(SummaryView):
    """Every run has exactly one diagnosis: largest first, those that say why nothing can be said last."""

    HELP_TITLE = "Diagnoses"

    def _names(self) -> Sequence[str]:
        counts = self.table.totals.diagnoses
        priority = self.table.contract.priority if self.table.contract else ()
        place = {label: number for number, label in enumerate(priority)}

        def order(label: str) -> tuple[int, int, int, str]:
            if label == "pass":
                return 0, 0, 0, label
            if label in _UNJUDGED:
                return 2, _UNJUDGED.index(label), 0, label
            return 1, -counts[label], place.get(label, len(place)), label

        return sorted((label for label, count in counts.items() if count), key=order)

    def _term(self, name: str) -> str:
        return f"diagnosis:{quoted(name)}"

    def title(self) -> str:
        """For the border."""
        totals = self.table.totals
        rest = f", {totals.pending:,} not judged yet" if totals.pending else ""
        return f"Diagnoses (a partition of {totals.runs:,}{rest})"

    def render_text_line(self, y: int, width: int) -> Line:
        name = self.names[y]
        totals, shown = self.table.totals, self.table.shown_counts
        count = totals.diagnoses[name]
        longest = len(f"{max(totals.diagnoses.values(), default=0):,}")
        name_width = self._name_width(width)
        ink = {"pass": "pass", "tool_error": "error"}.get(name, "unknown" if name in _UNJUDGED else "fail")
        sign = self.signs.runs.get(name, self.signs.unknown if name in _UNJUDGED else self.signs.failed)
        segments = [
            Segment(
                f"{sign} {pad(cut(visible(name), name_width, self.signs.cut), name_width)}  ", self.ink(ink)
            ),
            Segment(f"{count:,}".rjust(longest) + " "),
        ]
        note = f"{shown.diagnoses[name]:,} shown" if self.filtered else ""
        room = width - name_width - longest - 5 - (len(note) + 2 if note else 0)
        cells = min(_LONGEST_BAR, room)
        if cells >= 4:
            segments += self._bar(count, totals.runs, cells, ink)
        if note:
            segments.append(Segment(("  " if cells >= 4 else " ") + note, self.ink("quiet")))
        return segments


def quoted(name: str) -> str:
    """A name as the filter language takes it: in quotes where anything in it could be a sign."""
    return quote(name)
