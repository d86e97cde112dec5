"""The signatures view: failures by what is wrong, so that thousands are worked through as a dozen kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from traceview.results import Row
from traceview.sanitize import visible
from traceview.signatures import LEVELS, Level, SignatureGroup, group_key, signature_groups
from traceview.tui import keys
from traceview.tui.cells import cell_len, cut, wrap
from traceview.tui.line_view import LineView
from traceview.tui.screens.once import OnceModal
from traceview.tui.widgets.signatures import LevelLine, SignatureList

_FOOT: Final = 3  # lines that say the selected kind in full
_AROUND: Final = 2 + 1 + 1 + 1 + _FOOT  # border, levels, heads, a gap, foot
_WIDEST: Final = 150


class SignaturesScreen(OnceModal[SignatureGroup | None]):
    """Gives the chosen group, None when it is left. ``level`` is the one it was left at."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("dialogue")]
    DEFAULT_CSS = """
    SignaturesScreen {
        align: center middle;
        background: $background 60%;
        & > #box {
            border: round $primary; background: $surface;
            border-title-color: $primary; border-title-style: bold; border-subtitle-color: $diag-quiet;
        }
        & #signatures { background: $surface; width: 100%; height: 1fr; }
        & #kind { background: $surface; width: 100%; color: $foreground; padding: 0 1; height: auto; }
        &:ansi { background: transparent; }
    }
    """

    def __init__(self, rows: Sequence[Row], about: str, level: Level, at: Row | None = None) -> None:
        """:param rows: what is grouped.
        :param about: words after the title, such as what filter they passed (visible already).
        :param at: a run whose kind is to be under the cursor.
        """
        super().__init__()
        self.rows = [row for row in rows if row.result.signature is not None]
        self.level: Level = level
        self._about = about
        self._at = at
        self.left_of: Callable[[], Callable[[Row], bool] | None] = lambda: None
        self.marking: Callable[[SignatureGroup], None] | None = None
        self.levels = LevelLine()
        self.view = SignatureList(id="signatures")
        self.foot = Static(id="kind", markup=False)
        self.box = Vertical(id="box")

    def compose(self) -> ComposeResult:
        with self.box:
            yield self.levels
            yield self.view
            yield self.foot

    def on_mount(self) -> None:
        self._regroup(self._at)
        self.view.focus()

    def on_resize(self, event: events.Resize) -> None:
        self._fit(event.size)

    def _regroup(self, at: Row | None) -> None:
        """Group anew, with the cursor on the kind of a run."""
        groups = signature_groups(self.rows, self.level)
        self.levels.show(self.level)
        self.view.show(groups, self._left())
        if at is not None:
            key = at.result.diagnosis, group_key(at, self.level)
            self.view.move_to(self.view.find_line(key) or 0)
        self._fit(self.app.size)
        self._say()

    def _left(self) -> Counter[tuple[str, str | None]] | None:
        """Of each kind how many runs are left to decide about; None while nothing was decided."""
        left = self.left_of()
        if left is None:
            return None
        return Counter((row.result.diagnosis, group_key(row, self.level)) for row in self.rows if left(row))

    def count_left(self) -> None:
        """Something was decided."""
        self.view.show(self.view.groups, self._left())
        self._fit(self.app.size)

    def _fit(self, size: Size) -> None:
        small = size.height < _AROUND + 4
        self.foot.display = not small
        self.box.styles.width = min(size.width, _WIDEST)
        self.box.styles.height = min(size.height, len(self.view.groups) + _AROUND)
        self.box.border_title = Content(
            cut(self._title(), max(0, min(size.width, _WIDEST) - 6), self.view.signs.cut)
        )
        hints = self._hints()
        fitting = (text for text in hints if cell_len(text) <= min(size.width, _WIDEST) - 6)
        self.box.border_subtitle = Content(next(fitting, ""))
        self._say()

    def _title(self) -> str:
        kinds, runs = len(self.view.groups), len(self.rows)
        if not kinds:
            return f"No failures{self._about}"
        left = f", {self.view.left:,} left" if self.view.left is not None else ""
        of = f"in {runs:,} run{'s' * (runs != 1)}"
        return f"{kinds:,} kind{'s' * (kinds != 1)} of failure {of}{left}{self._about}"

    @staticmethod
    def _hints() -> tuple[str, ...]:
        return (
            "enter only these  m mark  + finer  - coarser  esc back",
            "enter only these  + -  esc",
            "esc back",
        )

    def _say(self) -> None:
        """The kind under the cursor in full, its tools and example: a narrow line cuts them."""
        group = self.view.selected
        if group is None:
            self.foot.update(Content("No run that is shown fails."))
            return
        width = max(10, self.box.size.width - 4) if self.box.size.width else 76
        tools = f"  tools {visible(', '.join(group.tools))}" if group.tools else ""
        about = f"e.g. {visible(group.first.result.case_id)}  {visible(group.diagnosis)}{tools}"
        kind = wrap(visible(group.key), width, _FOOT - 1)
        lines = [*kind, *wrap(about, width, 1)]
        self.foot.update(Content("\n".join(lines)))

    @on(LineView.Moved)
    def _moved(self) -> None:
        self._say()

    # -- keys -----------------------------------------------------------------------------------------------

    def action_finer(self) -> None:
        """Split the groups by the next finer key."""
        self._step(1)

    def action_mark(self) -> None:
        """Decide about all runs of the kind."""
        group = self.view.selected
        if group is not None and self.marking is not None:
            self.marking(group)

    def rows_of(self, group: SignatureGroup) -> list[Row]:
        """The runs of a kind."""
        key = group.diagnosis, group.key
        return [row for row in self.rows if (row.result.diagnosis, group_key(row, self.level)) == key]

    def action_coarser(self) -> None:
        """Join the groups by the next coarser key."""
        self._step(-1)

    def _step(self, step: int) -> None:
        at = LEVELS.index(self.level) + step
        if 0 <= at < len(LEVELS):
            self._take(LEVELS[at])

    def _take(self, level: Level) -> None:
        group = self.view.selected
        self.level = level
        self._regroup(group.first if group is not None else None)

    @on(LevelLine.Chosen)
    def _level_chosen(self, event: LevelLine.Chosen) -> None:
        self._take(event.level)

    @on(SignatureList.Chosen)
    def action_choose(self) -> None:
        self.dismiss(self.view.selected)

    def action_close(self) -> None:
        self.dismiss(None)
