"""The application: starts reading when the first frame is drawn, and hands what is read to the screen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from traceview.load import Progress, Rows
from traceview.read.problems import InputError
from traceview.tui import clipboard, keys, theme
from traceview.tui.base import BaseApp
from traceview.tui.commands import CaseCommands, KeyCommands
from traceview.tui.config import Config, read_config
from traceview.tui.loading import Ended, Failed, Load, Request, Started
from traceview.tui.messages import LoadAdvanced
from traceview.tui.progress import Pace
from traceview.tui.screens.main import MainScreen
from traceview.tui.session import Session


class TraceviewApp(BaseApp, inherit_bindings=False):
    """Opens one set of inputs. Its return value is None, or the line that says why nothing can be shown."""

    TITLE = "traceview"
    CSS_PATH = "screens/main.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            key.keys, key.action.removeprefix("app."), key.description, id=key.id, priority=True, show=False
        )
        for key in keys.of("app")
        if key.priority
    ]
    COMMANDS = {KeyCommands, CaseCommands}  # noqa: RUF012 - textual declares it so

    def __init__(
        self,
        request: Request,
        *,
        config: Config | None = None,
        filter_text: str = "",
        stdin: int | None = None,
    ) -> None:
        config = config or Config()
        super().__init__(ascii_signs=config.ascii)
        self.user_keymap: Mapping[str, str] = config.keys
        self.set_keymap(config.keys)
        self.request = request
        self.session = Session()
        if filter_text:
            self.session.filter.want(filter_text)
        self.screen_main = MainScreen(self.session)
        self._load: Load | None = None
        self._old: list[Load] = []
        self._stdin = stdin
        self._pace = Pace()
        self._reloading = False
        if config.theme:
            self.theme = config.theme

    def get_default_screen(self) -> Screen[None]:
        return self.screen_main

    def on_mount(self) -> None:
        # After the first frame: the terminal shows something before any file is touched.
        self.call_after_refresh(self._begin)

    # -- reading --------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._pace = Pace()
        load = self._load = Load(self.request, stdin=self._stdin)
        load.start(lambda: self.post_message(LoadAdvanced()))
        self.screen_main.status.progress("reading …")

    def reload(self) -> None:
        """Read the files again; selection, filter and order stay."""
        if self.request.uses_stdin:
            self.screen_main.status.say("standard input cannot be read a second time", "unknown")
            return
        if self._load is not None:
            self._load.stop()
            self._old.append(self._load)
        self._reloading = True
        self._begin()

    def on_load_advanced(self) -> None:
        """Take what has arrived, for as long as nobody notices."""
        load, screen, session = self._load, self.screen_main, self.session
        if load is None:
            return
        rows_came = False
        for message in load.take():
            if isinstance(message, Started):
                screen.begin(message)
                session.light = load.light
            elif isinstance(message, Rows):
                session.update(message.start, message.rows)
                rows_came = True
            elif isinstance(message, Progress):
                screen.status.progress(self._pace.words(message))
            elif isinstance(message, Ended):
                session.reader = load.reader
                session.finish(message.report)
                self._ended()
                rows_came = False
            elif isinstance(message, Failed):
                self._failed(message.message)
                return
            session.reader = load.reader or session.reader
        if rows_came:
            screen.rows_came()
        if load.waiting:
            self.post_message(LoadAdvanced())

    def _ended(self) -> None:
        self.screen_main.status.progress(None)
        self.screen_main.ended()
        for load in self._old:
            load.close()
        self._old.clear()
        if self._reloading:
            self._reloading = False
            self.screen_main.status.say("read again")

    def _failed(self, message: str) -> None:
        if not self._reloading:
            self.exit(message)
            return
        self._reloading = False
        self.screen_main.status.progress(None)
        self.screen_main.status.say(message, "fail")

    # -- leaving --------------------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """At once, whatever is going on."""
        self.exit(None)

    async def action_quit(self) -> None:
        self.exit(None)

    def close(self) -> None:
        """End what runs beside the screen; a file that is being written is removed, not left half."""
        if self.session.job is not None:
            self.session.job.stop()
        for load in (*self._old, *([self._load] if self._load else [])):
            load.close()

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


def run(
    cases: str | None,
    traces: Sequence[str],
    *,
    contract: str | None = None,
    filter_text: str | None = None,
) -> int:
    """Open the screen and return the exit code: 0, or 2 when the input is unusable.

    :raises ConfigError: the config file.
    :raises InputError: the input, in one line; the terminal is as it was.
    """
    config = read_config()
    request = Request(cases, tuple(traces), contract)
    stdin = _keys_from_terminal() if request.uses_stdin else None
    app = TraceviewApp(request, config=config, filter_text=filter_text or "", stdin=stdin)
    try:
        problem = app.run()
    finally:
        app.close()
    if problem:
        raise InputError(problem)
    return app.return_code or 0


def _keys_from_terminal() -> int:
    """Standard input is data: keys come from the terminal itself. Gives the data's file descriptor."""
    data = os.dup(0)
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError as error:
        raise InputError(
            f"standard input is data, and there is no terminal to read keys from ({error})"
        ) from None
    os.dup2(terminal, 0)
    os.close(terminal)
    return data
