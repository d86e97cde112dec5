"""A box over the panes: help, a menu, the problems. One base, so that all open, move and close alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size

from traceview.tui import keys
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.line_view import Line, LineView
from traceview.tui.screens.once import OnceModal

T = TypeVar("T")


class TextLines(LineView):
    """Lines of pieces (text that is visible already, ink)."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: Sequence[Sequence[tuple[str, str]]] = ()
        self.on_activate: Callable[[], None] | None = None

    @property
    def line_count(self) -> int:
        return len(self.lines)

    def render_text_line(self, y: int, width: int) -> Line:
        return [Segment(text, self.ink(ink) if ink else None) for text, ink in self.lines[y]]

    def show(self, lines: Sequence[Sequence[tuple[str, str]]]) -> None:
        self.lines = lines
        self.data_changed()

    def activate_line(self, y: int) -> None:
        if self.on_activate:
            self.on_activate()


class Popup(OnceModal[T | None], Generic[T]):
    """A titled box of lines, as large as they need and the terminal allows. Escape closes it with None."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("dialogue")]
    DEFAULT_CSS = """
    Popup {
        align: center middle;
        background: $background 60%;
        & > #box {
            width: auto; height: auto; max-width: 100%; max-height: 100%;
            border: round $primary; background: $surface; padding: 0 0;
            border-title-color: $primary; border-title-style: bold; border-subtitle-color: $diag-quiet;
        }
        & #lines { background: $surface; width: 100%; height: 100%; }
        &:ansi { background: transparent; }
    }
    """

    def __init__(self, title: str, footer: str = "") -> None:
        super().__init__()
        self.box = Vertical(id="box")
        self.box.border_title = Content(title)
        self.box.border_subtitle = Content(footer)
        self.view = TextLines(id="lines")
        self.view.on_activate = self.action_choose

    def lines(self, width: int) -> Sequence[Sequence[tuple[str, str]]]:
        """What to show in that many cells."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with self.box:
            yield self.view

    def on_mount(self) -> None:
        self._fit(self.app.size)
        self.view.focus()

    def on_resize(self, event: events.Resize) -> None:
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        room = max(1, size.width - 4)
        lines = self.lines(room)
        widest = max((sum(cell_len(text) for text, _ in line) for line in lines), default=0)
        title = max(cell_len(str(self.box.border_title)), cell_len(str(self.box.border_subtitle))) + 6
        self.box.styles.width = min(size.width, max(widest + 4, title, 20))
        self.box.styles.height = min(size.height, len(lines) + 2)
        self.view.show(lines)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_choose(self) -> None:
        self.dismiss(None)


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a menu: what it gives, what it says, the letter that takes it ("" for none)."""

    value: str
    label: str
    letter: str = ""
    note: str = ""


class Menu(Popup[str]):
    """Choose one; letters take a line at once."""

    def __init__(self, title: str, choices: Sequence[Choice], *, current: str | None = None) -> None:
        super().__init__(title, "enter take  esc close")
        self.choices = choices
        self._current = current

    def on_mount(self) -> None:
        super().on_mount()
        found = [y for y, choice in enumerate(self.choices) if choice.value == self._current]
        if found:
            self.view.move_to(found[0])

    def lines(self, width: int) -> Sequence[Sequence[tuple[str, str]]]:
        letters = max((len(choice.letter) for choice in self.choices), default=0)
        widest = max((cell_len(choice.label) for choice in self.choices), default=0)
        return [
            (
                (pad(choice.letter, letters) + ("  " if letters else ""), "strong"),
                (pad(cut(choice.label, width, self.view.signs.cut), min(widest, width)), ""),
                ("  " + choice.note if choice.note else "", "quiet"),
            )
            for choice in self.choices
        ]

    def on_key(self, event: events.Key) -> None:
        for choice in self.choices:
            if choice.letter and event.character == choice.letter:
                event.stop()
                event.prevent_default()
                self.dismiss(choice.value)
                return

    def action_choose(self) -> None:
        if self.choices:
            self.dismiss(self.choices[self.view.cursor].value)
