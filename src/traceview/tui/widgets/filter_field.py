"""The line in which a filter is typed. No key of the screen acts while it has the focus."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from traceview.tui import keys
from traceview.tui.messages import FilterCancelled, FilterKept, FilterTyped

_STAND_IN = "\N{REPLACEMENT CHARACTER}"


class PlainInput(Input):
    """An input that draws no character that acts on a terminal: a diagnosis of the data may hold one."""

    @property
    def _value(self) -> Text:
        text = super()._value
        if not text.plain.isprintable():  # one for one, so that the cursor stays where it belongs
            text.plain = "".join(char if char.isprintable() else _STAND_IN for char in text.plain)
        return text


class FilterField(Horizontal):
    """``/`` and an input; hidden until it is opened."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("filter")]
    DEFAULT_CSS = """
    FilterField {
        height: 1; display: none; background: $panel;
        &.-open { display: block; }
        & > Static { width: 3; height: 1; color: $primary; text-style: bold; background: $panel; }
        & > Input, & > Input:focus {
            height: 1; border: none; padding: 0; width: 1fr; background: $panel; background-tint: transparent;
        }
        &.-wrong > Static { color: $diag-fail; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(" / ", markup=False)
        yield PlainInput(id="filter-input", compact=True)

    @property
    def input(self) -> Input:
        return self.query_one(Input)

    def open(self, text: str) -> None:
        """Show the field with ``text`` selected: typing replaces it, an arrow key keeps it."""
        self.add_class("-open")
        field = self.input
        with field.prevent(Input.Changed):
            field.value = text
        field.cursor_position = len(text)
        self.screen.set_focus(field)  # now, not after the keys that have come meanwhile

    def close(self) -> None:
        self.remove_class("-open", "-wrong")

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self.post_message(FilterTyped(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_accept()

    def action_accept(self) -> None:
        self.post_message(FilterKept())

    def action_cancel(self) -> None:
        self.post_message(FilterCancelled())
