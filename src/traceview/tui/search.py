"""Applying a filter to two hundred thousand rows between two keystrokes.

The filter language gives one predicate on a row (:mod:`traceview.query`), and calling it for every row would
be felt. So its words are sorted by what they look at. Most look at what many rows share (verdict, checks,
tools, arguments …): they are decided once for each *kind* of row. Plain words are looked for in a list of
texts. Only what is left is called row by row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from traceview.query import Vocabulary, fold, parse
from traceview.query.words import Word, split
from traceview.results import Row

_KIND_FIELDS: Final = frozenset(
    ("is", "diagnosis", "check", "layer", "label", "tool", "arg", "status", "signature")
)
_KIND_COUNTS: Final = re.compile(r"(?:steps|findings)[<>=!]")
_SIGNS: Final = ":<>=!"


def kind_key(row: Row) -> Hashable:
    """Everything that the words of a filter can look at, other than ids, texts and cells of the case."""
    result = row.result
    return (
        result.verdict,
        result.diagnosis,
        tuple(result.checks.values()),
        result.tools,
        result.statuses,
        result.events,
        tuple([finding.path for finding in result.findings]),
        result.signature,
        row.label,
        tuple(result.layers.values()) if result.layers else None,
    )


def search_text(row: Row, words: str = "") -> str:
    """What plain words are looked for in: the same text as the filter language's own.

    :param words: its note and tags.
    """
    result = row.result
    texts = (result.case_id, result.run_id or "", row.title, *result.tools, result.diagnosis)
    return fold("\n".join((*texts, words) if words else texts))


@dataclass(frozen=True, slots=True)
class Plan:
    """A filter, sorted: ``of_kind`` decide kinds of rows, ``needles`` are (folded text, negated), ``each`` is
    called row by row (None: nothing is left), ``matches`` is all of it for one row."""

    of_kind: tuple[Callable[[Row], bool], ...]
    needles: tuple[tuple[str, bool], ...]
    each: Callable[[Row], bool] | None
    matches: Callable[[Row], bool]


def plan(text: str, vocabulary: Vocabulary) -> Plan:
    """:raises QueryError: the text makes no sense."""
    matches = parse(text, vocabulary).matches
    of_kind, needles, rest = [], [], []
    for word in split(text):
        source = text[word.start : word.end]
        if _looks_at_kind(word):
            of_kind.append(parse(source, vocabulary).matches)
        elif word.text.startswith("text:"):
            continue  # decided from the events of a run, not from its row
        elif _is_plain(word):
            needles.append((fold(word.text), word.negated))
        else:
            rest.append(source)
    each = parse(" ".join(rest), vocabulary).matches if rest else None
    return Plan(tuple(of_kind), tuple(needles), each, matches)


def _looks_at_kind(word: Word) -> bool:
    colon = word.find(":")
    if colon > 0:
        return word.text[:colon] in _KIND_FIELDS
    return word.regex is None and _KIND_COUNTS.match(word.text) is not None


def _is_plain(word: Word) -> bool:
    return word.regex is None and all(word.find(sign) < 0 for sign in _SIGNS)


def select(
    plan: Plan,
    places: Sequence[int],
    rows: Sequence[Row],
    kinds: Sequence[int],
    examples: Sequence[Row],
    texts: Callable[[], Sequence[str]],
    *,
    in_file_order: bool,
) -> list[int]:
    """Those of ``places`` whose rows match, in their order.

    ``kinds[place]`` is the kind of a row, ``examples[kind]`` a row of that kind; ``texts()`` gives the text
    of every row (:func:`search_text`). ``in_file_order``: ``places`` are 0, 1, 2 … as far as they go.
    """
    found: Sequence[int] = places
    if plan.of_kind:
        fits = [all(test(row) for test in plan.of_kind) for row in examples]
        found = [place for place in found if fits[kinds[place]]]
    for needle, negated in plan.needles:
        hay = texts()
        if negated:
            found = [place for place in found if needle not in hay[place]]
        elif found is places and in_file_order and len(found) == len(hay):
            found = [place for place, text in zip(found, hay, strict=True) if needle in text]
        else:
            found = [place for place in found if needle in hay[place]]
    if plan.each is not None:
        each = plan.each
        found = [place for place in found if each(rows[place])]
    return found if isinstance(found, list) else list(found)
