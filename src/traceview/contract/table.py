"""Reading a decoded TOML table key by key: every mistake names its place and what is allowed there."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from traceview.contract.errors import ContractError, listed, quoted, shown_key, unknown

__all__ = ["Place", "Table", "json_value", "pattern", "type_name"]

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a contract: the file as it is shown, and the key path."""

    source: str
    path: str = ""

    def key(self, name: str) -> Place:
        """The place of a key of this table."""
        shown = shown_key(name)
        return Place(self.source, f"{self.path}.{shown}" if self.path else shown)

    def item(self, number: int) -> Place:
        """The place of an item of this list, counted from 1."""
        return Place(self.source, f"{self.path}[{number}]")

    def error(self, message: str) -> ContractError:
        return ContractError(self.source, self.path, message)


def type_name(value: Any) -> str:
    """The type of a decoded TOML value in TOML's words."""
    if isinstance(value, bool):
        return "true or false"
    for kind, name in (
        (str, "text"),
        (int, "an integer"),
        (float, "a number"),
        (list, "a list"),
        (dict, "a table"),
        ((datetime.date, datetime.time), "a date or time"),
    ):
        if isinstance(value, kind):
            return name
    return type(value).__name__


class Table:
    """One table of the contract: its keys, checked against what may stand there, and typed access to them."""

    def __init__(self, value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            raise place.error(f"must be a table, not {type_name(value)}")
        self.data: dict[str, Any] = value
        self.place = place

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def only(self, *allowed: str) -> Table:
        """Refuse every key that is not ``allowed``; returns the table."""
        for key in self.data:
            if key not in allowed:
                raise self.place.key(key).error(unknown("key", key, allowed, "allowed"))
        return self

    def need(self, key: str) -> Any:
        """The value of a required key."""
        if key not in self.data:
            raise self.place.error(f"needs the key {quoted(key)}")
        return self.data[key]

    def at(self, key: str) -> Place:
        return self.place.key(key)

    def error(self, key: str, message: str) -> ContractError:
        return self.place.key(key).error(message)

    def text(self, key: str) -> str:
        """A required, non-empty text."""
        return text(self.need(key), self.at(key))

    def optional_text(self, key: str) -> str | None:
        return text(self.data[key], self.at(key)) if key in self.data else None

    def choice(self, key: str, allowed: tuple[T, ...], default: D) -> T | D:
        """One of a few words."""
        if key not in self.data:
            return default
        value = self.data[key]
        if isinstance(value, str) and value in allowed:
            return allowed[allowed.index(value)]
        words = [str(word) for word in allowed]
        if isinstance(value, str):
            raise self.error(key, unknown("value", value, words, "allowed"))
        raise self.error(key, f"must be one of {listed(words)}, not {type_name(value)}")

    def texts(self, key: str, default: tuple[str, ...] = (), *, some: bool = False) -> tuple[str, ...]:
        """A list of non-empty texts without repeats; ``some``: at least one."""
        if key not in self.data:
            return default
        found: list[str] = []
        for place, value in items(self.data[key], self.at(key), "texts"):
            word = text(value, place)
            if word in found:
                raise place.error(f"{quoted(word)} stands twice in the list")
            found.append(word)
        if some and not found:
            raise self.error(key, "must name at least one")
        return tuple(found)

    def count(self, key: str) -> int | None:
        """An optional whole number from 0."""
        if key not in self.data:
            return None
        value = self.data[key]
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"must be a whole number, not {type_name(value)}")
        if value < 0:
            raise self.error(key, f"must be 0 or more, not {value}")
        return value

    def amount(self, key: str) -> float | int | None:
        """An optional finite number from 0."""
        if key not in self.data:
            return None
        value = number(self.data[key], self.at(key))
        if value < 0:
            raise self.error(key, f"must be 0 or more, not {value}")
        return value

    def table(self, key: str) -> Table | None:
        return Table(self.data[key], self.at(key)) if key in self.data else None

    def tables(self, key: str) -> list[Table] | None:
        """The tables of ``[[key]]``, None if there is none."""
        if key not in self.data:
            return None
        value = self.data[key]
        if isinstance(value, dict):
            raise self.error(key, f"is a list of tables: write [[{key}]] with two brackets")
        return [Table(item, place) for place, item in items(value, self.at(key), "tables")]

    def each(self, read: Callable[[Any, Place], T]) -> Iterator[tuple[str, T]]:
        """Every key with its value as ``read`` gives it."""
        for key, value in self.data.items():
            yield key, read(value, self.at(key))


def items(value: Any, place: Place, what: str) -> Iterator[tuple[Place, Any]]:
    """The items of a list with their places."""
    if not isinstance(value, list):
        raise place.error(f"must be a list of {what}, not {type_name(value)}")
    for index, item in enumerate(value, 1):
        yield place.item(index), item


def text(value: Any, place: Place) -> str:
    """A non-empty text."""
    if not isinstance(value, str):
        raise place.error(f"must be text, not {type_name(value)}")
    if not value:
        raise place.error("must not be empty")
    return value


def number(value: Any, place: Place) -> float | int:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise place.error(f"must be a number, not {type_name(value)}")
    if not math.isfinite(value):
        raise place.error("must be a finite number")
    return value


def path(value: Any, place: Place) -> tuple[str, ...]:
    """A name or dotted path in the evidence, as its parts."""
    written = text(value, place)
    parts = tuple(written.split("."))
    if "" in parts:
        raise place.error(f"{quoted(written)} has an empty part; write a name or name.name")
    return parts


def pattern(value: Any, place: Place) -> str:
    """A regular expression that compiles."""
    import regex  # here: most contracts have no pattern

    written = text(value, place)
    try:
        regex.compile(written)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise place.error(f"the pattern {quoted(written)} does not compile: {error}") from None
    return written


def json_value(value: Any, place: Place) -> Any:
    """A value that JSON can hold: no date (recorded times are text), no nan or infinity."""
    if isinstance(value, dict):
        return {key: json_value(item, place.key(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [json_value(item, place.item(i)) for i, item in enumerate(value, 1)]
    if isinstance(value, (datetime.date, datetime.time)):
        raise place.error('is a TOML date or time; recorded times are text, so write it in quotes: "…"')
    # A Number beyond a float's reach (1e400) is infinite as a float and still a number with digits.
    if isinstance(value, float) and not math.isfinite(value) and getattr(value, "exact", None) is None:
        raise place.error("nan and inf are no JSON numbers")
    return value
