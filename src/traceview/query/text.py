"""Text as it is searched: folded, and with patterns that are stopped when they backtrack."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from traceview.jsontext import show
from traceview.model import Run
from traceview.query.words import Word

TextTest: TypeAlias = Callable[[str], bool]

# A pattern that backtracks is stopped: on one text after the first, over a whole filter after the second.
_PATTERN_SECONDS: Final = 0.2
_PATTERN_SECONDS_IN_ALL: Final = 10.0


def fold(text: str) -> str:
    """Text as it is compared in a search: without regard to case and Unicode form (NFKC, case folded)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def text_test(value: Word) -> TextTest:
    """Whether a text, as recorded, holds the value or matches its pattern."""
    if value.regex is not None:
        search = pattern_test(value)
        return lambda text: search(fold(text))
    needle = fold(value.text)
    return lambda text: needle in fold(text)


def pattern_test(word: Word) -> TextTest:
    """Whether a folded text matches the word's pattern, without regard to case.

    The test raises :class:`QueryError` when the pattern takes too long.
    """
    import regex  # with a time limit, which the standard module does not have

    try:
        compiled = regex.compile(
            unicodedata.normalize("NFC", word.regex or ""), regex.IGNORECASE | regex.MULTILINE
        )
    except regex.error as error:
        raise word.error(f"not a regular expression: {error}") from None
    left = _PATTERN_SECONDS_IN_ALL

    def search(text: str) -> bool:
        nonlocal left
        began = time.perf_counter()
        try:
            found = compiled.search(text, timeout=_PATTERN_SECONDS) is not None
        except TimeoutError:
            left = 0
        else:
            left -= time.perf_counter() - began
        if left <= 0:
            raise word.error("this pattern takes too long; it backtracks")
        return found

    return search


def event_texts(run: Run) -> list[str]:
    """Keys and values of the arguments and results of a run; of an observation, those of the whole of it."""
    found: list[str] = []
    if not run.events:
        found.extend(_texts(run.final))
    for event in run.events:
        found.extend(_texts(event.arguments))
        found.extend(_texts(event.fields.get("result")))
        found.extend(_texts(event.fields.get("error")))
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, bool | int | float):
        yield show(value)
