"""The layers of a contract: how often each acceptance rule would have been wrong, and the runs behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.message import Message

from traceview.query.words import quote
from traceview.results import layer_totals
from traceview.sanitize import visible
from traceview.tui import keys
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.line_view import Line
from traceview.tui.table import Table
from traceview.tui.widgets.summary import SummaryView

_BAR = 16  # cells of the bar, where it fits
_FIGURES = {  # the filter's word for a figure: the figure, and what is said when it is nothing
    "false_accept": ("false_acceptances", "no invalid run is accepted by"),
    "false_reject": ("false_rejections", "no valid run is rejected by"),
    "accept_unknown": ("accepted_unknown", "no unknown run is accepted by"),
}


class LayersView(SummaryView, inherit_bindings=False):
    """One line a layer; each of its figures opens as a filter."""

    HELP_TITLE = "Layers"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("lines"), *keys.bindings("layers")]

    class Nothing(Message):
        """No run is behind the figure that was asked for."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, table: Table, *, id: str | None = None) -> None:
        super().__init__(table, id=id)
        self._totals: list[dict[str, Any]] = []
        self._shown: list[dict[str, Any]] = []

    def _names(self) -> Sequence[str]:
        layers = self.table.contract.layers if self.table.contract else ()
        if layers:
            rows, runs = self.table.kinds()
            self._totals = layer_totals(rows, layers, runs)
            if self.filtered:
                rows, runs = self.table.kinds(shown=True)
            self._shown = layer_totals(rows, layers, runs) if self.filtered else self._totals
        return layers

    def title(self) -> str:
        """For the border."""
        return "Layers (accepted though invalid, rejected though valid)"

    def render_text_line(self, y: int, width: int) -> Line:
        pieces = next((p for p in self._ways(y, width) if _cells(p) <= width), self._ways(y, width)[-1])
        segments = [Segment(text, self.ink(ink) if ink else None) for text, ink in pieces]
        if width - _cells(pieces) - 2 >= _BAR:
            figures = self._totals[y]
            bar = self._bar(figures["false_acceptances"], figures["invalid"], _BAR, "fail")
            segments += [Segment("  "), *bar]
        return segments

    def _ways(self, y: int, width: int) -> list[list[tuple[str, str]]]:
        """The figures of a layer in words, each with its ink, in full first, then shorter."""
        figures, shown = self._totals[y], self._shown[y]
        name_width = self._name_width(width)
        accepts, rejects = (
            _of(figures, "false_acceptances", "invalid"),
            _of(figures, "false_rejections", "valid"),
        )
        dot = f" {self.signs.dot} "
        core = [
            (pad(cut(visible(self.names[y]), name_width), name_width) + "  accepts ", ""),
            (accepts, "fail" if figures["false_acceptances"] else "pass"),
            (f" invalid{dot}rejects ", ""),
            (rejects, "fail" if figures["false_rejections"] else "pass"),
            (" valid", ""),
        ]
        long: list[tuple[str, str]] = []
        short: list[tuple[str, str]] = []
        if figures["unknown"]:
            said = f"{dot}unknown {figures['unknown']:,}: "
            long = [(f"{said}accepts {figures['accepted_unknown']:,}", "unknown")]
            short = [(f"{said}{figures['accepted_unknown']:,}", "unknown")]
        part = []
        if self.filtered:
            first, second = (
                _of(shown, "false_acceptances", "invalid"),
                _of(shown, "false_rejections", "valid"),
            )
            part = [(f"{dot}{first} and {second} shown", "quiet")]
        return [[*core, *long, *part], [*core, *short, *part], [*core, *part], core]

    # -- actions --------------------------------------------------------------------------------------------

    def action_choose(self) -> None:
        self.action_only("false_accept")

    def action_only(self, word: str) -> None:
        """Only the runs behind a figure of this layer: ``word`` is what the filter calls it."""
        if not self.names:
            return
        name = self.names[self.cursor]
        figure, nothing = _FIGURES[word]
        if self._totals[self.cursor][figure]:
            self.post_message(self.Chosen(f"layer:{quote(name)}={word}"))
        else:
            self.post_message(self.Nothing(f"{nothing} {visible(name)}"))


def _of(figures: dict[str, Any], part: str, whole: str) -> str:
    return f"{figures[part]:,}/{figures[whole]:,}"


def _cells(pieces: list[tuple[str, str]]) -> int:
    return sum(cell_len(text) for text, _ in pieces)
