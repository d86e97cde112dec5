"""The one table of keys: bindings, footer hints, the help screen and docs/keys.md are made from it.

A key has an ``id`` by which a user's key map (``[keys]`` in the config file) can move it, and a place
(``where``) that says which widget listens: ``app`` everywhere outside a text field, ``lines`` in every line
view, else the pane of that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding

Where = Literal[
    "app",
    "lines",
    "cases",
    "timeline",
    "summary",
    "layers",
    "signatures",
    "filter",
    "dialogue",
    "choices",
    "marks",
]


@dataclass(frozen=True, slots=True)
class Key:
    """One row of the table. ``keys`` are textual's names, comma-separated; ``hint`` is the short word of the
    footer ("" keeps it out of the footer); ``group`` heads the command palette's ``group: verb``."""

    id: str
    keys: str
    action: str
    group: str
    description: str
    where: Where
    hint: str = ""
    priority: bool = False


KEYS: Final[tuple[Key, ...]] = (
    # -- moving, in every list of lines
    Key("lines.down", "j,down", "cursor_down", "move", "one line down", "lines", "move"),
    Key("lines.up", "k,up", "cursor_up", "move", "one line up", "lines"),
    Key("lines.top", "g,home", "cursor_top", "move", "first line", "lines"),
    Key("lines.bottom", "G,end", "cursor_bottom", "move", "last line", "lines"),
    Key("lines.half_down", "ctrl+d", "half_down", "move", "half a page down", "lines"),
    Key("lines.half_up", "ctrl+u", "half_up", "move", "half a page up", "lines"),
    Key("lines.page_down", "pagedown,ctrl+f", "page_down", "move", "a page down", "lines"),
    Key("lines.page_up", "pageup,ctrl+b", "page_up", "move", "a page up", "lines"),
    # -- the case list
    Key("cases.open", "enter,l,right", "open", "case", "go to the steps of this case", "cases", "steps"),
    # -- the timeline
    Key(
        "timeline.toggle", "enter,space", "toggle", "timeline", "unfold or fold this line", "timeline", "fold"
    ),
    Key("timeline.unfold", "l,right", "unfold", "timeline", "unfold", "timeline"),
    Key("timeline.fold", "h,left", "fold", "timeline", "fold, or go to what holds this line", "timeline"),
    Key(
        "timeline.toggle_all",
        "o",
        "toggle_all",
        "timeline",
        "unfold everything, or fold it",
        "timeline",
        "all",
    ),
    Key("timeline.next", "n", "next_hit", "timeline", "next difference", "timeline", "difference"),
    Key("timeline.previous", "N", "previous_hit", "timeline", "previous difference", "timeline"),
    Key("timeline.back", "escape", "screen.back", "timeline", "back to the case list", "timeline", "cases"),
    # -- contracts and diagnoses
    Key("summary.choose", "enter,l,right", "choose", "filter", "only these runs", "summary", "only these"),
    Key("summary.back", "escape,h,left", "screen.back", "pane", "back to the case list", "summary", "cases"),
    # -- layers
    Key(
        "layers.accepted",
        "enter,l,right",
        "choose",
        "filter",
        "only invalid runs that this layer accepts",
        "layers",
        "wrongly accepted",
    ),
    Key(
        "layers.rejected",
        "x",
        "only('false_reject')",
        "filter",
        "only valid runs that this layer rejects",
        "layers",
        "wrongly rejected",
    ),
    Key(
        "layers.unknown",
        "i",
        "only('accept_unknown')",
        "filter",
        "only unknown runs that this layer accepts",
        "layers",
        "unknown accepted",
    ),
    Key("layers.back", "escape,h,left", "screen.back", "pane", "back to the case list", "layers", "cases"),
    # -- the kinds of failures
    Key(
        "signatures.finer",
        "plus,l,right",
        "screen.finer",
        "signatures",
        "split into finer kinds",
        "signatures",
    ),
    Key(
        "signatures.coarser",
        "minus,h,left",
        "screen.coarser",
        "signatures",
        "join to coarser kinds",
        "signatures",
    ),
    Key("signatures.mark", "m", "screen.mark", "triage", "mark all runs of this kind", "signatures"),
    # -- everywhere
    Key("case.next_failure", "e", "next_failure", "case", "next failing case", "app", "next failure"),
    Key("case.previous_failure", "E", "previous_failure", "case", "previous failing case", "app"),
    # at once: what is typed right behind it is meant for the field
    Key("filter.edit", "slash", "edit_filter", "filter", "type a filter", "app", "filter", priority=True),
    Key("filter.toggle", "z", "toggle_filter", "filter", "filter off, and on again", "app", "filter off/on"),
    Key("filter.failures", "f", "only_failures", "filter", "only failures, or all again", "app", "failures"),
    Key("filter.left", "F", "only_left", "filter", "only what is left to decide, or all again", "app"),
    Key(
        "filter.diagnosis",
        "d",
        "only_diagnosis",
        "filter",
        "only this diagnosis, or all again",
        "app",
        "diagnosis",
    ),
    Key("signatures.show", "s", "signatures", "signatures", "failures by what is wrong", "app", "signatures"),
    Key("triage.mark", "m", "mark", "triage", "mark the run, its case or its signature", "app", "mark"),
    Key("triage.note", "c", "note", "triage", "note and tags", "app"),
    Key("triage.undo", "u", "undo_mark", "triage", "take the last decision back", "app"),
    Key("list.sort", "S", "sort", "list", "sort by a column", "app", "sort"),
    Key("case.copy", "y", "copy", "case", "copy case, step, argument or diff", "app", "copy"),
    Key("report.write", "w", "write", "report", "write the shown cases to a file", "app", "write"),
    Key("case.baseline", "v", "baseline", "case", "the baseline's run of this case, and back", "app"),
    Key("data.reload", "r", "reload", "data", "read the files again", "app"),
    Key("data.problems", "p", "problems", "data", "problems in the files", "app", "problems"),
    Key("pane.next", "tab", "next_pane", "pane", "next pane", "app"),
    Key("pane.previous", "shift+tab", "previous_pane", "pane", "previous pane", "app"),
    Key("pane.cases", "1", "pane(1)", "pane", "case list", "app"),
    Key("pane.timeline", "2", "pane(2)", "pane", "steps of the case", "app"),
    Key("pane.summary", "3", "pane(3)", "pane", "contracts, again: diagnoses, layers", "app"),
    Key("app.help", "question_mark", "help", "screen", "keys of this pane", "app", "help"),
    Key("app.palette", "ctrl+p", "app.command_palette", "screen", "every command by name", "app"),
    Key("app.theme", "T", "app.toggle_theme", "screen", "dark or light", "app"),
    Key("app.quit", "q", "app.quit", "screen", "leave", "app", "quit"),
    Key("app.interrupt", "ctrl+c", "app.leave", "screen", "leave at once", "app", priority=True),
    # -- the filter field and the dialogues
    Key(
        "filter.accept", "enter,down", "accept", "filter", "keep the filter, go to the list", "filter", "keep"
    ),
    Key("filter.cancel", "escape", "cancel", "filter", "everything back as it was", "filter", "as it was"),
    Key("dialogue.close", "escape,q", "close", "screen", "close without doing anything", "dialogue", "close"),
    Key("dialogue.choose", "enter", "choose", "screen", "take this", "dialogue", "take"),
    # -- in the boxes of triage
    Key("marks.run", "r", "scope('run')", "triage", "decide about this run", "marks"),
    Key("marks.case", "a", "scope('case')", "triage", "decide about the case with all its runs", "marks"),
    Key("marks.signature", "s", "scope('signature')", "triage", "decide about the whole signature", "marks"),
    Key("marks.scope", "tab", "next_scope", "triage", "run, case, signature in turn", "marks"),
    Key("choices.next", "right,l,space", "next_choice", "screen", "next option", "choices"),
    Key("choices.previous", "left,h", "previous_choice", "screen", "option before", "choices"),
)


def of(where: Where) -> tuple[Key, ...]:
    """The keys of one place, in the table's order."""
    return tuple(key for key in KEYS if key.where == where)


def bindings(where: Where) -> list[Binding]:
    """The textual bindings of one place."""
    return [
        Binding(
            k.keys, k.action, k.description, id=k.id, show=bool(k.hint), priority=k.priority, system=False
        )
        for k in of(where)
    ]


_SHOWN: Final[Mapping[str, str]] = {
    "slash": "/",
    "question_mark": "?",
    "plus": "+",
    "minus": "-",
    "enter": "⏎",
    "escape": "esc",
    "space": "space",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
}


def shown(keys: str, ascii_only: bool = False) -> str:
    """Keys as a reader knows them: ``"j,down"`` is ``"j ↓"``."""

    def one(key: str) -> str:
        word = _SHOWN.get(key, key)
        return key if ascii_only and not word.isascii() else word

    return " ".join(one(key.strip()) for key in keys.split(","))


def current(key: Key, keymap: Mapping[str, str]) -> str:
    """The keys of a row after the user's key map."""
    return keymap.get(key.id, key.keys)


def first(keys: str, ascii_only: bool = False) -> str:
    """The first of several keys, as shown in a hint."""
    return shown(keys.split(",")[0], ascii_only)


def by_id(id: str) -> Key:
    """The row of that id."""
    return next(key for key in KEYS if key.id == id)


def hints(where: Where) -> list[Key]:
    """What the footer shows for a place, most useful first; help is always the last."""
    own = [key for key in (*of("lines"), *of(where)) if key.hint] if where != "filter" else list(of(where))
    others = [key for key in of("app") if key.hint and key.id != "app.help"]
    return [*own, *others, by_id("app.help")]


def meet(one: Where, other: Where) -> bool:
    """Whether two places listen at the same widget, so that a key can mean only one thing in both."""
    lines, panes = ("lines",), ("cases", "timeline", "summary", "layers", "signatures")
    return one == other or (one in lines and other in panes) or (other in lines and one in panes)


def normal(keys: str) -> set[str]:
    """Textual's names of keys as a user may write them: ``"?,ctrl+x"``."""
    return {binding.key for binding in Binding.make_bindings([Binding(keys, "x")])}
