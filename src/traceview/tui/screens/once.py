"""Screens that can be left once: a second escape, typed before the first has been dealt with, does nothing.

(Textual takes off the screen on top, whichever is dismissed, and ends the program when there is none.)
"""

from __future__ import annotations

from contextlib import suppress
from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, SearchIcon
from textual.screen import ModalScreen

T = TypeVar("T")


def nothing() -> AwaitComplete:
    """What a screen gives that is left already."""
    done: AwaitComplete = AwaitComplete.nothing()  # type: ignore[no-untyped-call]
    return done


class OnceModal(ModalScreen[T]):
    """A modal screen that is left once, and only while it is on top."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else nothing()


class OncePalette(CommandPalette):
    """The command palette, left once; its sign is a character that every terminal has."""

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = "/"

    def dismiss(self, result: object = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else nothing()  # type: ignore[arg-type]

    def _action_command_list(self, action: str) -> None:
        # A page key that comes before the list was laid out finds no line there (textual 8.2.8).
        with suppress(KeyError, IndexError):
            super()._action_command_list(action)
