"""The line in which a filter is typed. No key of the screen acts while it has the focus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual import events, on
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


class _FilterInput(PlainInput):
    """Holds the keys that come behind the one that ends the typing: they are for what has the focus then."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, compact=True)
        self._held: list[events.Key] | None = None

    async def _on_key(self, event: events.Key) -> None:
        if self._held is not None:
            event.stop()
            event.prevent_default()
            self._held.append(event)
            return
        if event.key in self._ends():
            self._held = []
        await super()._on_key(event)

    def _ends(self) -> Iterator[str]:
        keymap = getattr(self.app, "user_keymap", {})
        for key in keys.of("filter"):
            yield from keys.current(key, keymap).split(",")

    def let_go(self) -> None:
        """Send on what was held, as if it came now."""
        held, self._held = self._held or (), None
        app = self.app

        def again() -> None:
            for event in held:
                app.post_message(events.Key(event.key, event.character))

        if held:
            app.call_later(again)  # there, so that no part of the screen takes them for its own messages


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
        yield _FilterInput(id="filter-input")

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

    def answered(self) -> None:
        """The key that ends the typing was answered, by closing the field or not: others may follow."""
        self.query_one(_FilterInput).let_go()

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
