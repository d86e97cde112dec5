"""The boxes of triage: a menu of marks, a line for a note, a line for a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from traceview.tui import keys
from traceview.tui.cells import cut, pad
from traceview.tui.marks import LETTERS
from traceview.tui.screens.once import OnceModal
from traceview.tui.screens.popup import Popup
from traceview.tui.widgets.filter_field import PlainInput

NONE: Final = "none"
"""Chosen to take a mark back."""

_SAYS: Final = {
    "open": "not decided, or not any more",
    "confirmed": "the agent is wrong",
    "expectation wrong": "the case is wrong",
    "environment": "neither is: a service was down, data had changed",
    "ignore": "not to be looked at",
    NONE: "take the mark back",
}
_MARKS: Final = tuple(((LETTERS | {NONE: "n"})[mark], mark, says) for mark, says in _SAYS.items())
_SCOPE_KEYS: Final = {"run": "r", "case": "a", "signature": "s"}

Scopes = Sequence[tuple[str, str]]
"""("run", "case" or "signature", how many runs that is, in words), the narrowest first."""


class MarkMenu(Popup[tuple[str, str]]):
    """Gives scope and mark."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("marks")]

    def __init__(self, title: str, scopes: Scopes, scope: str, current: str | None) -> None:
        super().__init__(title, "enter take  r a s or tab: of what  esc close")
        self.scopes = scopes
        self.scope = scope
        self._current = current

    def on_mount(self) -> None:
        super().on_mount()
        found = [y for y, (_, mark, _) in enumerate(_MARKS) if mark == self._current]
        self.view.move_to(found[0] if found else 1)

    def lines(self, width: int) -> Sequence[Sequence[tuple[str, str]]]:
        signs = self.view.signs
        marks = [
            ((f"{letter}  ", "strong"), (pad(mark, 17), ""), (f"  {says}", "quiet"))
            for letter, mark, says in _MARKS
        ]
        scopes = [
            (
                (f"{_SCOPE_KEYS[scope]}  ", "strong"),
                (f"{signs.passed if scope == self.scope else ' '} ", "pass"),
                (cut(words, width - 5, signs.cut), "" if scope == self.scope else "quiet"),
            )
            for scope, words in self.scopes
        ]
        return [*marks, (("of", "key"),), *scopes]

    def action_scope(self, scope: str) -> None:
        """Decide about that; a passing run has no signature."""
        if scope in (name for name, _ in self.scopes):
            self.scope = scope
            self.view.show(self.lines(max(1, self.app.size.width - 4)))

    def action_next_scope(self) -> None:
        names = [name for name, _ in self.scopes]
        self.action_scope(names[(names.index(self.scope) + 1) % len(names)])

    def on_key(self, event: events.Key) -> None:
        for letter, mark, _ in _MARKS:
            if event.character == letter:
                event.stop()
                event.prevent_default()
                self.dismiss((self.scope, mark))
                return

    def action_choose(self) -> None:
        y = self.view.cursor
        if y < len(_MARKS):
            self.dismiss((self.scope, _MARKS[y][1]))
        elif y > len(_MARKS):
            self.action_scope(self.scopes[y - len(_MARKS) - 1][0])


class Ask(OnceModal[tuple[str, str] | None]):
    """One line to type. Gives the scope ("" where there are none) and the text."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("dialogue"), *keys.bindings("marks")]
    DEFAULT_CSS = """
    Ask {
        align: center middle; background: $background 60%;
        & > #box {
            width: 78; max-width: 100%; height: auto; max-height: 100%;
            border: round $primary; background: $surface; padding: 0 1;
            border-title-color: $primary; border-title-style: bold; border-subtitle-color: $diag-quiet;
        }
        & Input, & Input:focus { border: none; height: 1; padding: 0; background: $panel; }
        & Input:focus { background: $line-cursor; }
        & Static { background: $surface; color: $diag-quiet; height: auto; }
        &:ansi { background: transparent; }
    }
    """

    def __init__(self, title: str, says: str, text: str, scopes: Scopes = (), scope: str = "") -> None:
        super().__init__()
        self.scopes = scopes
        self.scope = scope
        self._says = says
        self.input = PlainInput(text, compact=True, select_on_focus=False)
        self.about = Static(markup=False)
        self.box = Vertical(id="box")
        self.box.border_title = Content(title)
        self.box.border_subtitle = Content(f"enter keep{'  tab of what' if scopes else ''}  esc close")

    def compose(self) -> ComposeResult:
        with self.box:
            yield self.input
            yield self.about

    def on_mount(self) -> None:
        self.input.focus()
        self._tell()

    def _tell(self) -> None:
        words = dict(self.scopes).get(self.scope, "")
        self.about.update(
            Content("\n".join(line for line in (f"of {words}" if words else "", self._says) if line))
        )

    def action_scope(self, scope: str) -> None:
        """Its keys are letters, and those are typed."""

    def action_next_scope(self) -> None:
        names = [name for name, _ in self.scopes]
        if names:
            self.scope = names[(names.index(self.scope) + 1) % len(names)]
            self._tell()

    @on(Input.Submitted)
    def action_choose(self) -> None:
        self.dismiss((self.scope, self.input.value))

    def action_close(self) -> None:
        self.dismiss(None)
