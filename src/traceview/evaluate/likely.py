"""Which calls of a long run an expected call might not differ from, told without comparing all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from traceview.evaluate.evidence import Marks
from traceview.evaluate.values import canonical
from traceview.evaluate.wanted import plain
from traceview.model import Event

Index = tuple[dict[Hashable, list[int]], list[int]]  # calls by their values, and those with values unknown


class Likely:
    """Calls by the arguments for which a plain value is expected; kinds and gaps are left to the comparison.

    :param args: the expected arguments of a want that are compared, by its index; None where none is.
    """

    def __init__(
        self, args: Callable[[int], Mapping[str, Any] | None], calls: Sequence[Event], marks: Marks
    ) -> None:
        self._args = args
        self._calls = calls
        self._marks = marks
        self._indexes: dict[tuple[str, ...], Index] = {}

    def __call__(self, want: int) -> Iterable[int]:
        """The calls, in step order, among which are all that do not differ."""
        args = self._args(want)
        names = tuple([name for name, value in args.items() if plain(value)]) if args is not None else ()
        if args is None or not names:
            return range(len(self._calls))
        if names not in self._indexes:
            self._indexes[names] = self._index(names)
        known, unknown = self._indexes[names]
        equal = known.get(tuple([canonical(args[name]) for name in names]), [])
        return sorted(equal + unknown) if unknown else equal

    def _index(self, names: tuple[str, ...]) -> Index:
        known: dict[Hashable, list[int]] = {}
        unknown: list[int] = []
        for i, event in enumerate(self._calls):
            if event.args_state != "object":
                unknown.append(i)
            elif all(name in event.arguments for name in names):
                values = [event.arguments[name] for name in names]
                if self._marks.within(values) is not None:
                    unknown.append(i)
                else:
                    known.setdefault(tuple([canonical(value) for value in values]), []).append(i)
        return known, unknown
