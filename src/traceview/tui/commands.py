"""The command palette: every key as ``group: verb``, the themes, and going to a case by its id."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.types import IgnoreReturnCallbackType

from traceview.query import fold
from traceview.sanitize import visible
from traceview.tui import keys

if TYPE_CHECKING:
    from traceview.tui.application import TraceviewApp

_MOST_CASES = 20
_ORDER = {"app": 0, "cases": 1, "timeline": 2, "summary": 3}  # what is asked for most comes first


_ELSEWHERE = ("filter", "dialogue", "choices", "signatures", "marks")
# Enter, pressed before the hits of the last letter are there, takes the first of those before: it must not be
# one that ends the program.
_NOT_HERE = ("app.palette", "app.interrupt")
_LAST = "app.quit"


def _place(key: keys.Key) -> tuple[bool, int]:
    return key.id == _LAST, _ORDER.get(key.where, len(_ORDER))


class _OurProvider(Provider):
    @property
    def owner(self) -> TraceviewApp:
        return cast("TraceviewApp", self.app)


def _key(text: str) -> Content:
    """What stands behind a command: its keys, or the diagnosis of a case."""
    return Content.styled(f"   {text}", "dim")


class KeyCommands(_OurProvider):
    """The key table, and the themes."""

    def _commands(self) -> Iterator[tuple[str, str, IgnoreReturnCallbackType]]:
        """(``group: verb``, its key, what it does)."""
        owner = self.owner
        for key in sorted(keys.KEYS, key=_place):
            if key.where in _ELSEWHERE or key.id in _NOT_HERE:
                continue
            shown = keys.shown(keys.current(key, owner.user_keymap))
            yield f"{key.group}: {key.description}", shown, partial(owner.screen_main.press, key)
        yield "chart: write", "", partial(owner.screen_main.popups.write, "svg")
        yield "triage: save as (marks in another file)", "", owner.screen_main.marks.save_as
        for name in sorted(owner.available_themes):
            yield f"theme: {name}", "", partial(setattr, owner, "theme", name)

    async def discover(self) -> Hits:
        for words, shown, command in self._commands():
            if not words.startswith("theme: "):
                yield DiscoveryHit(Content(words) + _key(shown), command, text=words)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for words, shown, command in self._commands():
            score = matcher.match(words)
            if score > 0:
                yield Hit(score, matcher.highlight(words) + _key(shown), command, text=words)


class CaseCommands(_OurProvider):
    """``case: B03``: a plain search in the ids, which stops at twenty: there may be a hundred thousand."""

    async def search(self, query: str) -> Hits:
        wanted = fold(query.removeprefix("case:").strip())
        if not wanted:
            return
        owner, found = self.owner, 0
        seen: set[str] = set()
        for row in owner.session.table.rows:
            case_id = row.result.case_id
            if wanted not in fold(case_id) or case_id in seen:
                continue
            seen.add(case_id)
            words = f"case: {visible(case_id)}"
            score = 0.5 if fold(case_id).startswith(wanted) else 0.3
            command = partial(owner.screen_main.popups.open_case, case_id)
            diagnosis = _key(visible(row.result.diagnosis))
            yield Hit(score, Content(words) + diagnosis, command, text=words)
            found += 1
            if found == _MOST_CASES:
                return
