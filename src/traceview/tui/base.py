"""What every traceview application shares: themes, signs, and colours that a terminal can bear."""

from __future__ import annotations

import os
from typing import Any

from textual.app import App
from textual.filter import Monochrome, NoColor

from traceview.tui import theme
from traceview.tui.signs import ASCII, UNICODE, Signs


class BaseApp(App[Any]):
    """A textual application with our themes and signs; nothing in it knows what is shown."""

    ENABLE_COMMAND_PALETTE = True

    def __init__(self, *, ascii_signs: bool = False) -> None:
        self.signs: Signs = ASCII if ascii_signs else UNICODE
        super().__init__()
        if ascii_signs:
            self.add_class("-ascii")
        if self.no_color:
            # Textual reads NO_COLOR as "grey"; the convention is no colour at all, which also cannot come out
            # as black on black.
            self._filters = [f for f in self._filters if not isinstance(f, Monochrome)]
            self._filters.append(NoColor())
        for ours in theme.THEMES:
            self.register_theme(ours)
        self.theme = self._fitting_theme()

    def _fitting_theme(self) -> str:
        """Dark, unless the terminal says it is light; its own colours where it has sixteen."""
        light = os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
        if self.console.color_system == "standard" and not self.no_color:
            return "ansi-light" if light else "ansi-dark"
        return (theme.LIGHT if light else theme.DARK).name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colour names for themes that do not define them (textual's own, or a user's)."""
        return theme.variables(self.current_theme)
