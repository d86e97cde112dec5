"""The words of a filter: blanks part them, quotes hold them together, and each knows where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["QueryError", "Word", "quote", "split"]


class QueryError(ValueError):
    """A filter that makes no sense. ``message`` is one line; ``start``, ``end``: its place in the text."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


@dataclass(frozen=True, slots=True)
class Word:
    """One term as typed, without its ``-`` and its quotes. ``quoted[i]`` tells whether ``text[i]`` stood in
    quotes: there, nothing is a sign. ``regex`` is the pattern when the word, or its value, is ``/pattern/``;
    ``text`` then ends where the pattern began."""

    text: str
    quoted: tuple[bool, ...]
    start: int
    end: int
    negated: bool = False
    regex: str | None = None

    def find(self, sign: str, start: int = 0) -> int:
        """Where ``sign`` (one character) first stands outside quotes; -1 if it does not."""
        at = self.text.find(sign, start)
        while at >= 0 and self.quoted[at]:
            at = self.text.find(sign, at + 1)
        return at

    def part(self, start: int, end: int | None = None) -> Word:
        """Some of it, as a word at the same place."""
        return Word(self.text[start:end], self.quoted[start:end], self.start, self.end, False, self.regex)

    def split(self, sign: str) -> list[Word]:
        """The parts between the signs that stand outside quotes."""
        parts = []
        start = 0
        while (at := self.find(sign, start)) >= 0:
            parts.append(self.part(start, at))
            start = at + 1
        parts.append(self.part(start))
        return parts

    def as_text(self) -> Word:
        """The same word where slashes have no meaning."""
        if self.regex is None:
            return self
        text = f"{self.text}/{self.regex}/"
        return Word(text, (False,) * len(text), self.start, self.end, self.negated)

    def error(self, message: str) -> QueryError:
        return QueryError(message, self.start, self.end)


def split(text: str) -> list[Word]:
    """The words of ``text``. It never fails: a quote without its end holds up to the end of the text, a lone
    sign is text."""
    words = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word = _word(text, at)
        words.append(word)
        at = word.end
    return words


def _word(text: str, start: int) -> Word:
    at = start
    negated = text[at] == "-" and at + 1 < len(text) and not text[at + 1].isspace()
    at += negated
    chars: list[str] = []
    quoted: list[bool] = []
    inside = False
    value_begins = True
    while at < len(text) and (inside or not text[at].isspace()):
        char = text[at]
        if value_begins and not inside and char == "/" and (end := _regex_end(text, at)):
            return Word("".join(chars), tuple(quoted), start, end, negated, text[at + 1 : end - 1])
        if char == "\\" and inside and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
            chars.append(text[at])
            quoted.append(True)
        elif char == '"':
            inside = not inside
        else:
            chars.append(char)
            quoted.append(inside)
        value_begins = char == ":" and not inside and chars.count(":") == 1
        at += 1
    return Word("".join(chars), tuple(quoted), start, at, negated)


def _regex_end(text: str, start: int) -> int:
    """The end of ``/pattern/`` at ``start``; 0 if it is none: a path like ``/a/b`` is text."""
    at = start + 1
    while at < len(text) and text[at] != "/":
        at += 2 if text[at] == "\\" else 1
    if start + 1 < at < len(text) and (at + 1 == len(text) or text[at + 1].isspace()):
        return at + 1
    return 0


def quote(text: str) -> str:
    """``text`` as the value of a term, in quotes where anything in it could be a sign."""
    if re.fullmatch(r"\w[\w.-]*", text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
