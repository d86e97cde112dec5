"""A contract to start from: what cases and runs show, as a commented file (``traceview init``).

Three kinds of lines, and each says which it is. What a *column of the cases* says is an expectation already;
which recorded value it belongs to is a ``GUESS``. What only the *runs* show is ``OBSERVED``, and stands in
comments wherever it can, because what happened is not what should have happened. The rest are comments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from traceview.contract.described import COLUMNS
from traceview.contract.errors import shown_key
from traceview.contract.guess import (
    Match,
    actions_columns,
    best_matches,
    effect_by_name,
    label_column,
    title_column,
)
from traceview.contract.seen import Seen, argument_places, final_places
from traceview.contract.written import can_be_named, toml_key, toml_text, writable
from traceview.jsontext import show
from traceview.model import Event
from traceview.sanitize import visible

__all__ = ["draft"]

_SEQUENCES: Final = 10  # shown; the rest is counted
_CALLS: Final = 12  # of one sequence
_VALUES: Final = 3  # that a place may have to be listed as one that is always the same
_SHOWN: Final = 40  # characters of one value
_SUCCESS: Final = ("ok", "success", "succeeded", "successful", "done", "completed")


def draft(seen: Seen) -> str:
    """The text of a contract that can be read and fits the cases. The same for the same input."""
    return "\n".join(_Draft(seen).lines()) + "\n"


class _Draft:
    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.calls = [
            (case, event) for case, run in seen.runs for event in run.events if event.tool_name is not None
        ]
        self.label = label_column([c for c in seen.columns if c != seen.id_column], seen.cases)
        self.title = title_column(seen.columns, (seen.id_column, self.label or ""))
        self.described = tuple(c for c in seen.columns if c in COLUMNS)
        taken = {seen.id_column, self.label, self.title, *self.described}
        free = [c for c in seen.columns if c not in taken and can_be_named(c)]
        self.actions = actions_columns(free, seen.cases)
        self.free = [c for c in free if c not in self.actions]
        self.arguments = argument_places(self.calls)
        self.final = final_places(seen)
        self.matches = best_matches(self.free, seen.cases, {**self.arguments, **self._outcomes()})
        self.steps = [] if self.actions else self._usual_tools()

    def _outcomes(self) -> dict[tuple[str, ...], list[tuple[int, Any]]]:
        """The places of the final evidence that a column may be the expected value of."""
        columns = set(self.seen.columns) if self.seen.observed else set()
        return {path: found for path, found in self.final.items() if path[1] not in columns or len(path) > 2}

    def _usual_tools(self) -> list[str]:
        """The tools that most runs call with an argument that a column goes with: those can be steps. In the
        order in which they are first called, in the sequence that was seen most."""
        have = {
            place[1]
            for place in self.matches
            if place[0] == "call" and self._is_usual(place) and self._runs_with(place[1]) * 2 >= self._judged
        }
        order = chain.from_iterable(tools for tools, _ in self._sequences().most_common())
        return list(dict.fromkeys(tool for tool in chain(order, sorted(have)) if tool in have))

    @property
    def _judged(self) -> int:
        return len(self.seen.runs)

    def _runs_with(self, tool: str) -> int:
        return sum(any(event.tool_name == tool for event in run.events) for _, run in self.seen.runs)

    def _calls_of(self, tool: str) -> int:
        return sum(event.tool_name == tool for _, event in self.calls)

    def _is_usual(self, place: tuple[str, ...]) -> bool:
        """Whether most calls of a tool have an argument: else most would fail for the lack of it."""
        return place[0] != "call" or len(self.arguments[place]) * 2 >= self._calls_of(place[1])

    def _live(self) -> dict[tuple[str, ...], Match]:
        """What is written as an expectation: of the matches, those that most calls and runs have."""
        return {
            place: match
            for place, match in self.matches.items()
            if place[0] == "final" or (place[1] in self.steps and self._is_usual(place))
        }

    def _sequences(self) -> Counter[tuple[str, ...]]:
        return Counter(
            tuple(event.tool_name for event in run.events if event.tool_name is not None)
            for _, run in self.seen.runs
            if run.complete
        )

    # -- sections ------------------------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        for section in (
            self._head(),
            self._cases(),
            self._tools(),
            self._order(),
            self._steps_from() if self.actions else self._steps(),
            self._status(),
            self._limits(),
            self._final(),
        ):
            yield from section

    def _head(self) -> Iterator[str]:
        yield "# A contract to start from, written by `traceview init`. It is not finished: read every line."
        yield "#"
        for source in self.seen.sources:
            yield f"#   {visible(source)}"
        if self.seen.left_out:
            looked = len(self.seen.runs)
            yield f"#   {_plural(looked, 'run')} looked at, spread evenly; {self.seen.left_out} more were not"
        yield "#"
        yield "# GUESS     what a column of the cases belongs to, or what a name suggests"
        yield "# OBSERVED  what the runs did; nobody has said that it is right"
        yield "#"
        yield "# Then: traceview lint THIS_FILE CASES, and traceview check CASES TRACES --contract THIS_FILE"
        if self.described:
            names = ", ".join(self.described)
            yield "#"
            yield f"# These cases describe themselves ({names}):"
            yield "# without a contract file those columns are checked, and with this file they are not."
        yield ""
        yield "contract = 1"
        yield f"name = {toml_text(self.seen.name)}"

    def _cases(self) -> Iterator[str]:
        yield ""
        yield "[cases]"
        many = f"{self.seen.joined} of {_plural(len(self.seen.cases), 'case')} have a run"
        yield f"id = {toml_text(self.seen.id_column)}    # {'GUESS' if self.seen.observed else many}"
        if self.title is not None:
            yield f"title = {toml_text(self.title)}    # GUESS"
        if self.label is not None:
            yield f"label = {toml_text(self.label)}    # GUESS: it holds PASS, FAIL or UNKNOWN"
        used = {match.column: match for match in self._live().values()}
        casts = [
            (c, used[c].cast, used[c].refused)
            for c in self.seen.columns
            if c in used and used[c].cast != "text"
        ]
        casts += [(column, "json", 0) for column in self.actions]
        unused = [c for c in self.free if c not in used]
        if unused and not self.seen.observed:
            yield f"# columns that go with nothing that was recorded: {_names(unused)}"
        if self.seen.repeated:
            many = _names(self.seen.repeated)
            yield f"# columns that no rule can read, as the header has them more than once: {many}"
        if casts:
            yield ""
            yield "[cases.columns]    # GUESS: the cells can be read so"
            for column, cast, refused in casts:
                slips = f"    # but for {_plural(refused, 'cell')}" if refused else ""
                yield f"{toml_key(column)} = {toml_text(cast)}{slips}"

    def _tools(self) -> Iterator[str]:
        if not self.calls:
            return
        yield ""
        yield "# The tools that were called. A write that is taken for a read here may be repeated unnoticed."
        for tool in sorted({event.tool_name for _, event in self.calls if event.tool_name is not None}):
            yield from self._tool(tool)

    def _tool(self, tool: str) -> Iterator[str]:
        calls = [(case, event) for case, event in self.calls if event.tool_name == tool]
        names = Counter(chain.from_iterable(_names_of(event) for _, event in calls))
        matched = {place[2] for place in self._live() if place[:2] == ("call", tool)}
        count = f"{_plural(len(calls), 'call')} in {_plural(self._runs_with(tool), 'run')}"
        key, mark = toml_key(tool), ""
        if not writable(tool):
            key, mark = visible(tool), "# "  # no TOML text can hold it
        yield ""
        yield f"{mark}[tools.{key}]    # {count}"
        yield f'{mark}effect = "{effect_by_name(tool)}"    # GUESS by its name'
        rest = [name for name in names if name not in matched]
        if tool in self.steps and rest:
            yield f'{mark}extra_args = "ignore"    # no column goes with {_names(rest)}'
        elif names:
            yield f"# arguments: {_names(names)}"

    def _order(self) -> Iterator[str]:
        if not self.calls:
            return
        yield ""
        yield "# The sequences of complete runs, as OBSERVED:"
        sequences = self._sequences().most_common()
        for tools, count in sorted(sequences, key=lambda item: (-item[1], item[0]))[:_SEQUENCES]:
            more = f" and {len(tools) - _CALLS} more calls" if len(tools) > _CALLS else ""
            said = ", ".join(map(_word, tools[:_CALLS])) if tools else "no call"
            yield f"#   {count:>5}  {said}{more}"
        if len(sequences) > _SEQUENCES:
            yield f"#   and {len(sequences) - _SEQUENCES} other sequences"
        yield '# If one of them is what should happen, mode = "exact" with a [[step]] for each call says so.'
        if self.actions:
            yield "[order]"
            yield 'mode = "any"        # GUESS: "exact" or "in_order" where the order matters'
            yield 'missing = "fail"    # an expected call that was not made fails'
            yield 'extra = "reads"     # GUESS: further calls may only look'
        elif self.steps:
            yield "[order]"
            yield 'mode = "any"        # GUESS: the loosest; "exact" or "in_order" where the order matters'
            yield 'missing = "fail"    # OBSERVED: a run without a call of every step below fails'
            yield 'extra = "any"       # GUESS: the loosest; "none" or "reads" where further calls matter'

    def _steps_from(self) -> Iterator[str]:
        for column in self.actions:
            yield ""
            yield "[[steps_from]]"
            yield f"column = {toml_text(column)}    # GUESS: its cells are lists of calls"
            yield '# match = "writes"    # an expected read is then a way to go, and no duty'

    def _steps(self) -> Iterator[str]:
        live = self._live()
        for tool in self.steps:
            seen = f"{self._calls_of(tool)} calls in {self._runs_with(tool)} of {self._judged} runs"
            yield ""
            yield "[[step]]"
            yield f"tool = {toml_text(tool)}    # OBSERVED: {seen}"
            for place, match in live.items():
                if place[:2] == ("call", tool):
                    yield from _matched(f"args.{toml_key(place[2])}", match)
        idle = sorted({place[1] for place in self.arguments}.difference(self.steps))
        if idle:
            yield ""
        for tool in idle:
            why = "no column goes with an argument of it"
            if any(place[:2] == ("call", tool) for place in self.matches):
                why = f"it was called in {self._runs_with(tool)} of {self._judged} runs"
            yield f"# {_word(tool)}: {why}, so no call of it is expected"

    def _status(self) -> Iterator[str]:
        words = Counter(event.status for _, event in self.calls if event.status is not None)
        if not self.calls:
            return
        silent = sum(event.status is None for _, event in self.calls)
        seen = [f"{_word(word)} {count}" for word, count in _ordered(words)]
        seen += [f"not recorded {silent}"] if silent else []
        good = [word for word in words if word.casefold() in _SUCCESS and writable(word)]
        mark = "" if good else "# "
        yield ""
        yield f"{mark}[status]    # OBSERVED: {', '.join(seen)}"
        listed = ", ".join(map(toml_text, sorted(good) or ["ok"]))
        yield f"{mark}ok = [{listed}]    # GUESS: the words that mean success; every other one fails"

    def _limits(self) -> Iterator[str]:
        if not self.calls:
            return
        yield ""
        yield "# GUESS: taken from neither the cases nor the runs, but a rule that most agents must keep."
        yield "[[limit]]"
        yield 'name = "no_repeated_write"'
        yield 'effect = "write"'
        yield 'same = "args"    # GUESS: the same tool with the same arguments is the same effect again'
        yield "at_most = 1"

    def _final(self) -> Iterator[str]:
        live = _apart([(place[1:], match) for place, match in self.matches.items() if place[0] == "final"])
        constants = [(path[1:], found) for path, found in self.final.items() if path not in self.matches]
        known = {self.label} if self.seen.observed else set(self.seen.columns)
        constants = [(path, found) for path, found in constants if path[0] not in known]
        if not live and not constants and not self.seen.observed:
            return
        yield ""
        mark = "" if live else "# "
        yield f"{mark}[final]"
        for path, match in live:
            yield from _matched(".".join(map(toml_key, path)), match)
        for path, found in constants:
            yield from _constant(path, [value for _, value in found], len(self.seen.runs))
        if self.seen.observed:
            yield "# Observations have no calls: what must hold stands in [final], or in [[branch]] for each"
            yield "# circumstance; a [[layer]] is a rule to compare with. docs/contract.md has examples."
            if not live:
                yield "# Nothing is expected yet, so every observation is unknown."


def _apart(live: Sequence[tuple[tuple[str, ...], Match]]) -> list[tuple[tuple[str, ...], Match]]:
    """Without the places inside others: what is an object in one run can be text in another."""
    kept: list[tuple[tuple[str, ...], Match]] = []
    for path, match in live:
        if not any(path[: len(other)] == other[: len(path)] for other, _ in kept):
            kept.append((path, match))
    return kept


def _names_of(event: Event) -> Iterator[str]:
    return iter(event.arguments) if event.args_state == "object" else iter(())


# -- lines -------------------------------------------------------------------------------------------------


def _matched(key: str, match: Match) -> Iterator[str]:
    column = toml_text(f"{{{match.column}}}")
    yield f"{key} = {column}    # GUESS {match.why}"
    if match.kind is not None:
        kind, count = match.kind
        yield f'#   {count} of {match.of} times with: {key} = {{ kind = "{kind}", value = {column} }}'
    for column, equal, of in match.others:
        yield f"#   or {_word(column)}: equal {equal} of {of} times"


def _constant(path: Sequence[str], values: Sequence[Any], runs: int) -> Iterator[str]:
    """A place at which few values occur, as a comment; nothing for one at which every run has its own."""
    counts = Counter(_shown(value) for value in values)
    if len(counts) > _VALUES and len(counts) * 3 > len(values):
        return
    (most, count), *others = _ordered(counts)
    rest = ", ".join(f"{text} {number}" for text, number in others[:_VALUES])
    more = f"; also {rest}" if rest else ""
    left = f" and {len(others) - _VALUES} more" if len(others) > _VALUES else ""
    yield f"# {'.'.join(map(toml_key, path))} = {most}    # OBSERVED in {count} of {runs} runs{more}{left}"


def _ordered(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _shown(value: Any) -> str:
    text = visible(show(value))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _word(text: str) -> str:
    return visible(shown_key(text)) if len(text) <= _SHOWN else _shown(text)


def _names(names: Iterator[str] | Sequence[str] | Mapping[str, int]) -> str:
    listed = [_word(name) for name in names]
    return ", ".join(listed[:_CALLS]) + (f" and {len(listed) - _CALLS} more" if len(listed) > _CALLS else "")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
