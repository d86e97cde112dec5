"""Screens that can be left once: a second escape, typed before the first has been dealt with, does nothing.

(Textual takes it for the screen below, and ends the program when there is none.)
"""

from __future__ import annotations

from contextlib import suppress
from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, SearchIcon
from textual.screen import ModalScreen

T = TypeVar("T")


class OnceModal(ModalScreen[T]):
    """A modal screen that is left once."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_current else AwaitComplete.nothing()  # type: ignore[no-untyped-call]


class OncePalette(CommandPalette):
    """The command palette, left once; its sign is a character that every terminal has."""

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = "/"

    def dismiss(self, result: object = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_current else AwaitComplete.nothing()  # type: ignore[arg-type, no-untyped-call]

    def _action_command_list(self, action: str) -> None:
        # A page key that comes before the list was laid out finds no line there (textual 8.2.8).
        with suppress(KeyError, IndexError):
            super()._action_command_list(action)
