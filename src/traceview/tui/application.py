"""The application: starts reading when the first frame is drawn, and hands what is read to the screen."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from traceview.tui import clipboard, keys, theme
from traceview.tui.base import BaseApp
from traceview.tui.commands import CaseCommands, KeyCommands
from traceview.tui.config import Config
from traceview.tui.request import Request
from traceview.tui.screens.main import MainScreen
from traceview.tui.screens.once import OncePalette
from traceview.tui.session import Session

if TYPE_CHECKING:
    from traceview.tui.feed import Feed
    from traceview.tui.memory import Memory
    from traceview.tui.process import ReaderProcess


_REMEMBER = 3.0  # seconds: if it is killed, no more is forgotten of how the screen was


class TraceviewApp(BaseApp, inherit_bindings=False):
    """Opens one set of inputs. Its return value is None, or the line that says why nothing can be shown."""

    TITLE = "traceview"
    CSS_PATH = Path(__file__).parent / "screens" / "main.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            key.keys, key.action.removeprefix("app."), key.description, id=key.id, priority=True, show=False
        )
        for key in keys.of("app")
        if key.id == "app.interrupt"
    ]
    COMMANDS = {KeyCommands, CaseCommands}  # noqa: RUF012 - textual declares it so

    def __init__(
        self,
        request: Request,
        *,
        config: Config | None = None,
        filter_text: str = "",
        process: ReaderProcess | None = None,
        memory: Memory | None = None,
    ) -> None:
        config = config or Config()
        super().__init__(ascii_signs=config.ascii)
        self.user_keymap: Mapping[str, str] = config.keys
        self.set_keymap(config.keys)
        self.request = request
        self.author = config.author
        self.session = Session()
        if filter_text:
            self.session.filter.want(filter_text)
        self.screen_main = MainScreen(self.session)
        self._feed: Feed | None = None
        self._process = process
        self._memory = memory
        self._collections = gc.get_count()[1:]
        if memory is not None:
            memory.begin(self, filter_given=bool(filter_text))
        if config.theme:
            self.theme = config.theme

    def get_default_screen(self) -> Screen[None]:
        return self.screen_main

    def on_mount(self) -> None:
        self._listen_to_signals()
        # The terminal shows something before any file is touched, and before what reads them is imported.
        self.call_after_refresh(self._begin)
        self.set_interval(_REMEMBER, self._rest)

    def _begin(self) -> None:
        from traceview.tui.feed import Feed

        self._feed = Feed(self, self._process)
        self._feed.begin()

    def reload(self) -> None:
        """Read the files again; selection, filter and order stay."""
        if self.request.uses_stdin:
            self.screen_main.status.say("standard input cannot be read a second time", "unknown")
        elif self._feed is not None:
            self._feed.begin()

    def _rest(self) -> None:
        """What must be done now and then, and not while a key waits for it."""
        self._remember()
        collections = gc.get_count()[1:]  # since the last time that all objects were looked through
        if any(collections) and collections == self._collections:
            gc.collect()  # hardly anything has happened for a while
        self._collections = gc.get_count()[1:]

    def _remember(self) -> None:
        if self._memory is not None:
            self._memory.keep(self)

    def on_load_advanced(self) -> None:
        if self._feed is not None:
            self._feed.advance()

    # -- leaving --------------------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """At once, whatever is going on."""
        self.exit(None)

    def action_command_palette(self) -> None:
        if not OncePalette.is_open(self):
            self.push_screen(OncePalette(placeholder="a command, a theme or a case", id="--command-palette"))

    async def action_quit(self) -> None:
        self.exit(None)

    def _listen_to_signals(self) -> None:
        """A kill leaves the terminal as it was; a terminal that is closed leaves nothing behind."""
        loop = asyncio.get_running_loop()
        for name, act in (("SIGTERM", self._terminated), ("SIGHUP", self._hung_up)):
            number = getattr(signal, name, None)
            if number is not None:
                with suppress(NotImplementedError, ValueError, RuntimeError):  # Windows; not the main thread
                    loop.add_signal_handler(number, act)

    def _terminated(self) -> None:
        self.exit(None, return_code=128 + signal.SIGTERM)

    def _hung_up(self) -> None:
        """There is no terminal to say goodbye to: textual would wait for it."""
        self.close()
        os._exit(128 + signal.SIGHUP)

    def close(self) -> None:
        """End what runs beside the screen; a file that is being written is removed, not left half. How the
        screen was left is kept."""
        self._remember()
        if self.session.job is not None:
            self.session.job.stop()
        if self._feed is not None:
            self._feed.close()
        elif self._process is not None:
            self._process.close()

    # -- for the screens ------------------------------------------------------------------------------------

    def copy(self, text: str) -> str:
        """Copy to the clipboard; gives one line that says how."""
        self._clipboard = text
        driver = self._driver
        return clipboard.copy(text, driver.write if driver is not None else lambda _: None)

    def action_toggle_theme(self) -> None:
        dark = self.current_theme.dark
        if self.current_theme.ansi:
            self.theme = "ansi-light" if dark else "ansi-dark"
        else:
            self.theme = (theme.LIGHT if dark else theme.DARK).name

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """None: everything is in our own providers, as ``group: verb``."""
        return ()
