"""The filter language: what a person types, as a predicate on rows.

``is:fail diagnosis:wrong_arguments tool:reserve_room -text:"two words" late``: terms are joined by AND,
several values of one term (``is:fail,unknown``) by OR, and ``-`` turns a term round. A word with no known
field is text, to be found in id, title, tools or diagnosis; it is never a pattern unless written ``/so/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from traceview.model import Run
from traceview.query.cells import Predicate
from traceview.query.terms import HELP, compile_word
from traceview.query.text import TextTest, event_texts, fold
from traceview.query.vocabulary import Vocabulary
from traceview.query.words import QueryError, split
from traceview.results import Report, Row, subset

__all__ = ["HELP", "Query", "QueryError", "Vocabulary", "fold", "narrow", "parse"]


@dataclass(frozen=True, slots=True)
class Query:
    """A filter that was understood. ``text`` is what was typed.

    ``matches`` decides every term but ``text:``, from the row alone; ``needs_text`` says whether there are
    such terms, and :meth:`matches_run` decides them from the run's recorded events.
    """

    text: str
    matches: Predicate
    texts: tuple[tuple[TextTest, bool], ...] = field(default=(), repr=False)

    @property
    def needs_text(self) -> bool:
        return bool(self.texts)

    def matches_run(self, run: Run) -> bool:
        """Whether arguments and results of ``run`` (of an observation: all of it) satisfy the text terms."""
        found = event_texts(run)
        return all(any(map(test, found)) != negated for test, negated in self.texts)


def parse(text: str, vocabulary: Vocabulary) -> Query:
    """:raises QueryError: a known field with a value that it cannot have, with the place in ``text``."""
    predicates: list[Predicate] = []
    texts: list[tuple[TextTest, bool]] = []
    for word in split(text):
        predicate, test = compile_word(word, vocabulary)
        if test is not None:
            texts.append((test, word.negated))
        elif predicate is not None:
            predicates.append(_negate(predicate) if word.negated else predicate)
    return Query(text, _all_of(predicates), tuple(texts))


def _negate(predicate: Predicate) -> Predicate:
    return lambda row: not predicate(row)


def _all_of(predicates: Sequence[Predicate]) -> Predicate:
    if not predicates:
        return lambda row: True
    if len(predicates) == 1:
        return predicates[0]
    first, *others = predicates
    rest = _all_of(others)
    return lambda row: first(row) and rest(row)


def narrow(report: Report, query: Query, read_run: Callable[[Row], Run | None]) -> Report:
    """The report of the rows that match.

    ``read_run`` reads the events of a row again (None: it has none); it is called only for ``text:`` and only
    for rows that match otherwise. A row without a run holds no text.

    :raises QueryError: a pattern was stopped because it backtracks.
    """

    def found(row: Row) -> bool:
        run = read_run(row)
        return query.matches_run(run) if run is not None else all(negated for _, negated in query.texts)

    rows: Iterable[Row] = filter(query.matches, report.rows)
    if query.needs_text:
        rows = filter(found, rows)
    return subset(report, list(rows), query.text)
