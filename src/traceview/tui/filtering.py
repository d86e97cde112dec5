"""The filter of the case list: what is typed, whether it is on, and what it was before.

Works on a table and knows no widget. The language itself is :mod:`traceview.query`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from traceview.query import Query, QueryError, Vocabulary, parse
from traceview.query.words import split
from traceview.tui.search import plan
from traceview.tui.table import Table

_KEPT_ANSWERS: Final = 24
_STEP: Final = 2000  # rows that are looked at between two looks at the keyboard
# What may follow an earlier text for its answer to hold all of the new one: more letters of a plain word or a
# further term. A sign in the last word could turn its meaning (``-``, ``:``, ``<``, ``/`` …).
_MORE_LETTERS: Final = re.compile(r"[\w]*")
_PLAIN_END: Final = re.compile(r"(?:^|.*\s)\w+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class State:
    """A filter as it stands: ``on`` False keeps the text and shows everything."""

    text: str = ""
    on: bool = True


class Filter:
    """The filter in force is ``state``; ``problem`` says what is wrong with a text that is not in force."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.state = State()
        self.problem: str | None = None
        self.query: Query | None = None
        self.vocabulary = Vocabulary()
        self._answers: dict[str, Sequence[int]] = {}

    @property
    def active(self) -> bool:
        """Whether it leaves rows out, or could."""
        return self.state.on and bool(self.state.text.strip())

    def learn(self, vocabulary: Vocabulary) -> None:
        """The names that the data have; a text that was wrong before may be right now."""
        self.vocabulary = vocabulary
        self.rows_changed()

    def rows_changed(self) -> None:
        """Answers of before hold no longer."""
        self._answers.clear()

    def is_slow(self, text: str) -> bool:
        """Whether an answer looks at every row on its own: then one waits until the typing pauses."""
        try:
            return plan(text, self.vocabulary).each is not None
        except QueryError:
            return False

    def want(self, text: str) -> None:
        """A text for when the rows and their names are known (:meth:`again`)."""
        self.state = State(text)

    def set(self, text: str, *, on: bool = True) -> bool:
        """Filter by ``text``; False, with ``problem`` set and nothing changed, if it makes no sense."""
        try:
            query = parse(text, self.vocabulary)
            self.state, before = State(text, on), self.state
            try:
                self._apply(query)
            except QueryError:  # a pattern that was stopped
                self.state = before
                raise
        except QueryError as error:
            self.problem = error.message
            return False
        self.problem = None
        return True

    def slowly(self, text: str) -> Iterator[None]:
        """Like :meth:`set` with ``text`` on, a few rows a step; the last step puts the answer in force.

        Nothing is changed, but for ``problem``, when it is left before its end or the text makes no sense.
        """
        table = self.table
        try:
            query = parse(text, self.vocabulary)
            whole = plan(text, self.vocabulary)
            found: list[int] = []
            places = table.candidates(replace(whole, each=None), within=self._earlier(text.strip()))
            each = whole.each or whole.matches
            for start in range(0, len(places), _STEP):
                yield
                found += [place for place in places[start : start + _STEP] if each(table.rows[place])]
        except QueryError as error:
            self.problem = error.message
            return
        self.problem = None
        self.state = State(text)
        self.query = query
        self._remember(text.strip(), found)
        table.take(whole, found)

    def again(self) -> bool:
        """The same filter on other rows. False when it makes no sense for them; then it is off."""
        if self.set(self.state.text, on=self.state.on):
            return True
        self.state = State(self.state.text, False)
        self.query = None
        self.table.filter(None)
        return False

    def toggle(self) -> bool:
        """Off, remembering the text; or on again. False when there is none to turn on."""
        if not self.state.text.strip():
            return False
        return self.set(self.state.text, on=not self.state.on)

    def toggle_term(self, term: str) -> bool:
        """Add a term to the text, replacing one of the same field, or take it away if it is there.

        An inactive filter starts anew with the term alone. True if the term is in force afterwards.
        """
        text = self.state.text if self.state.on else ""
        changed, added = toggled(text, term)
        self.set(changed)
        return added

    def _apply(self, query: Query) -> None:
        text = self.state.text
        if not self.active:
            self.query = None
            self.table.filter(None)
            return
        key = text.strip()
        known = self._answers.get(key)
        sorted_out = plan(key, self.vocabulary)
        if known is not None:
            self.table.take(sorted_out, known)
        else:
            self.table.filter(sorted_out, within=self._earlier(key))
            self._remember(key, self.table.shown)
        self.query = query

    def _remember(self, key: str, answer: Sequence[int]) -> None:
        if len(self._answers) >= _KEPT_ANSWERS:
            self._answers.pop(next(iter(self._answers)))
        self._answers[key] = answer

    def _earlier(self, text: str) -> Sequence[int] | None:
        """The smallest known answer that holds everything that ``text`` can match."""
        fitting = [answer for before, answer in self._answers.items() if only_narrows(before, text)]
        return min(fitting, key=len, default=None)


def only_narrows(before: str, text: str) -> bool:
    """Whether every row that matches ``text`` surely matches ``before``, which is how it begins."""
    if not before or not text.startswith(before) or before.count('"') % 2:
        return False
    if "/" in before:
        return False  # it may begin a pattern, of which a blank is part
    rest = text[len(before) :]
    if not rest or rest[0].isspace():
        return True
    more = _MORE_LETTERS.match(rest)
    end = more.end() if more else 0
    return bool(_PLAIN_END.fullmatch(before)) and (end == len(rest) or rest[end].isspace())


def toggled(text: str, term: str) -> tuple[str, bool]:
    """``text`` with ``term`` added (in place of one of the same field), or without it when it was there."""
    field = term.partition(":")[0] + ":"
    words = [text[word.start : word.end] for word in split(text)]
    if term in words:
        return " ".join(word for word in words if word != term), False
    return " ".join([*(word for word in words if not word.startswith(field)), term]), True
