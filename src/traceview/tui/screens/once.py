"""Screens that can be left once: a second escape, typed before the first has been dealt with, does nothing.

(Textual takes it for the screen below, and ends the program when there is none; or it fails where the screen
has been left by other means, such as a file that is written.)
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
    """A modal screen that is left once."""

    _was_left = False

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        if self._was_left or not self.is_current:
            return nothing()
        self._was_left = True
        return super().dismiss(result)


class OncePalette(CommandPalette):
    """The command palette, left once; its sign is a character that every terminal has."""

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = "/"

    _was_left = False

    def dismiss(self, result: object = None) -> AwaitComplete:
        if self._was_left or not self.is_current:
            return nothing()
        self._was_left = True
        return super().dismiss(result)  # type: ignore[arg-type]

    def _action_command_list(self, action: str) -> None:
        # A page key that comes before the list was laid out finds no line there (textual 8.2.8).
        with suppress(KeyError, IndexError):
            super()._action_command_list(action)
