"""One recorded run, read again from its lines: decoded, checked, in step order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from msgspec.structs import replace

from traceview.jsontext import BadJson, Duplicate, decode_line, decode_text, decode_together, dumps, show
from traceview.model import MISSING, Calls, Event, Problem, Run, Source
from traceview.read.aliases import Aliases
from traceview.read.ids import id_text
from traceview.read.objects import duplicate_problem
from traceview.read.problems import make
from traceview.read.scan import RunKey
from traceview.read.trace_files import At, TraceFiles, positions

__all__ = ["RunLines", "read_run"]

_IDENTITY: Final = frozenset(("case_id", "step", "tool_name"))
_STEP_TEXT = re.compile(r"[0-9]+")
_NO_FIELDS: Final[Mapping[str, Any]] = {}


def read_run(
    files: TraceFiles, where: bytes, key: RunKey, aliases: Aliases
) -> tuple[Run, tuple[Problem, ...]]:
    """Read one run again, and what is to be said about its lines.

    ``events`` are the calls in step order; a run record (``tool_name`` null) is no call, but may be the final
    evidence. A run that cannot be judged has ``problem`` set and still shows all its calls.

    :raises ChangedInput: a file is no longer what was scanned.
    """
    lines = RunLines(files, *positions(where), key, aliases)
    for part in {place[3] for place in lines.places}:
        files.verify_part(part)
    return lines.run()


class RunLines:
    """The lines of one run, read again and decoded; ``places`` are where they stand, ``broken`` those that
    may have been its own.

    Whoever reads many in a row calls ``files.verify()`` when done with all of them.

    :raises ChangedInput: a file is no longer what was scanned, as far as that shows.
    """

    __slots__ = ("_aliases", "_broken", "_files", "_key", "_repeats", "_values", "places")

    def __init__(
        self, files: TraceFiles, places: Sequence[At], broken: Sequence[At], key: RunKey, aliases: Aliases
    ) -> None:
        self.places = places
        self._broken = broken
        self._files = files
        self._key = key
        self._aliases = aliases
        data = files.joined(places)
        lengths = [place[1] for place in places]
        values = decode_together(data, lengths)
        #: by the place of the line, where a key is repeated
        self._repeats: dict[int, Sequence[Duplicate]] = {}
        self._values = values if values is not None else self._one_by_one(data, lengths)

    def _one_by_one(self, data: bytes, lengths: Sequence[int]) -> list[Any]:
        values: list[Any] = []
        at = 0
        for number, length in enumerate(lengths):
            try:
                value, repeats = decode_line(data[at : at + length])
            except BadJson:
                raise self._files.changed(self.places[number][3]) from None
            values.append(value)
            if repeats:
                self._repeats[number] = repeats
            at += length
        return values

    def calls(self) -> Calls | None:
        """The calls, where there is no more to a run than them: every line is one of the assistant's calls,
        none is lost, they stand in the order of their steps, and nothing is to be said about their lines.
        None for any other run."""
        if self._broken or self._repeats:
            return None
        canonical = self._aliases.canonical
        tools: list[str] = []
        statuses: list[str | None] = []
        arguments: list[dict[str, Any]] = []
        fields: Any = None
        for number, fields in enumerate(self._values, 1):
            if fields.__class__ is not dict:
                return None
            get = fields.get
            step, name, status, args = get("step"), get("tool_name"), get("status"), get("arguments")
            if (
                step != number
                or step.__class__ is not int
                or name.__class__ is not str
                or not name
                or (status.__class__ is not str and status is not None)
                or args.__class__ is not dict
                or get("actor", "assistant") != "assistant"
                or get("complete") is False
            ):
                return None
            tools.append(canonical(name))
            statuses.append(status)
            arguments.append(args)
        return Calls(tuple(tools), tuple(statuses), tuple(arguments), fields) if tools else None

    def run(self) -> tuple[Run, tuple[Problem, ...]]:
        """The run, and what is to be said about its lines."""
        plain = self._plain_run() if not self._broken and not self._repeats else None
        if plain is not None:
            return plain, ()
        reader = _RunReader(self._files, self._key, self._aliases)
        for number, (place, fields) in enumerate(zip(self.places, self._values, strict=True)):
            reader.add(place, fields, self._repeats.get(number, ()))
        return reader.finish(self._broken)

    def _plain_run(self) -> Run | None:
        """The run, where every line is a call in the order of steps of which nothing is to be said: as
        :class:`_RunReader` makes it, in half the time. None for any other run."""
        parts, canonical = self._files.parts, self._aliases.canonical
        names: dict[str, str] = {}
        events: list[Event] = []
        for number, (fields, place) in enumerate(zip(self._values, self.places, strict=True), 1):
            if fields.__class__ is not dict:
                return None
            get = fields.get
            step, name, arguments, status = get("step"), get("tool_name"), get("arguments"), get("status")
            call_id, group, actor = get("call_id"), get("group"), get("actor", "assistant")
            if (
                step != number
                or step.__class__ is not int
                or name.__class__ is not str
                or not name
                or arguments.__class__ is not dict
                or (status.__class__ is not str and status is not None)
                or (call_id.__class__ is not str and call_id is not None)
                or (group.__class__ is not str and group is not None)
                or actor.__class__ is not str
                or not actor
                or get("complete") is False
            ):
                return None
            tool = names.get(name)
            if tool is None:
                tool = names[name] = canonical(name)
            offset, length, line, part = place
            source = Source(parts[part].shown, line, offset, length, part)
            events.append(
                Event(step, tool, name, arguments, "object", status, call_id, group, actor, fields, source)
            )
        if not events:
            return None
        last = events[-1]
        return Run(*self._key, tuple(events), last.fields, last.source)


class _RunReader:
    def __init__(self, files: TraceFiles, key: RunKey, aliases: Aliases) -> None:
        self.files = files
        self.key = key
        self.canonical = aliases.canonical
        self.problems: list[Problem] = []
        self.why: list[str] = []  # the run is unusable
        self.incomplete: list[str] = []
        self.notes: list[str] = []
        # step, order of the files, event or None (a run record), fields, source
        self.rows: list[tuple[int, int, Event | None, Mapping[str, Any], Source]] = []
        self.records: list[tuple[Mapping[str, Any], Source]] = []  # run records without a step

    # -- one line ------------------------------------------------------------------------------------------

    def add(self, place: At, fields: Any, duplicates: Sequence[Duplicate]) -> None:
        offset, length, number, part = place
        if fields.__class__ is not dict:
            raise self.files.changed(part)
        source = Source(self.files.parts[part].shown, number, offset, length, part)
        notes: tuple[str, ...] = ()
        if duplicates:
            self.repeats(duplicates, source)
        name = fields.get("tool_name", MISSING)
        step = fields.get("step", MISSING)
        if step.__class__ is not int or step < 0:
            if name is None and (step is MISSING or step is None):
                self.records.append((fields, source))
                self.completeness(fields, source)
                return
            step, notes = self.odd_step(step, source)
        if fields.get("complete", True) is False:
            self.completeness(fields, source)
        event: Event | None = None
        if name is not None:
            if name.__class__ is not str or not name:
                self.bad_name(name, source)
                name = None
            arguments = fields.get("arguments", MISSING)
            state: Literal["object", "raw", "absent"] = "object"
            if arguments.__class__ is not dict:
                arguments, state, note = self.arguments(arguments, source)
                if note is not None:
                    notes = (*notes, note)
            actor = fields.get("actor")
            event = Event(
                step,
                None if name is None else self.canonical(name),
                name,
                arguments,
                state,
                _text(fields.get("status")),
                _text(fields.get("call_id")),
                _text(fields.get("group")),
                actor if actor.__class__ is str and actor else "assistant",
                fields,
                source,
                notes,
            )
        self.rows.append((step, len(self.rows), event, fields, source))

    def repeats(self, duplicates: Sequence[Duplicate], source: Source) -> None:
        for duplicate in duplicates:
            if duplicate.path == "" and duplicate.key in _IDENTITY:
                values = ", then ".join(show(value) for value in duplicate.values)
                self.unusable(
                    "repeated_key",
                    source,
                    f"key {duplicate.key} stands twice on line {source.line}: {values}",
                )
            else:
                self.problems.append(duplicate_problem(duplicate, source.path, source.line, self.key.case_id))

    def odd_step(self, step: Any, source: Source) -> tuple[int, tuple[str, ...]]:
        """A step that is not plainly a whole number: as number (0: it has none), and notes."""
        if step is MISSING:
            self.unusable("missing_key", source, f"line {source.line} has no step")
            return 0, ()
        number: int | None = None
        if isinstance(step, str):
            if len(step) < 19 and _STEP_TEXT.fullmatch(step):
                number = int(step)
        elif isinstance(step, float) and step.is_integer() and abs(step) < 2**53:
            number = int(step)
        if number is None or number < 0:
            self.unusable(
                "bad_key", source, f"step on line {source.line} is {_short(step)}, not a positive integer"
            )
            return 0, ()
        self.note("step_form", source, f"step recorded as {_kind(step)}")
        return number, (f"step was {show(step)}",)

    def bad_name(self, name: Any, source: Source) -> None:
        if name is MISSING:
            self.unusable("missing_key", source, f"line {source.line} has no tool_name")
        else:
            self.unusable("bad_key", source, f"tool_name on line {source.line} is {_short(name)}, not a name")

    def arguments(
        self, value: Any, source: Source
    ) -> tuple[Any, Literal["object", "raw", "absent"], str | None]:
        if value is MISSING:
            return MISSING, "absent", None
        if value is None or value == "":
            what = "null" if value is None else "empty text"
            self.note("arguments_empty", source, f"arguments was {what}: counted as none")
            return {}, "object", f"arguments was {what}"
        if isinstance(value, str):
            try:
                decoded, duplicates = decode_text(value)
            except BadJson as error:
                return value, "raw", f"arguments are not valid JSON: {error.message}"
            if isinstance(decoded, dict):
                for duplicate in duplicates:
                    moved = duplicate._replace(path="/arguments" + duplicate.path)
                    self.problems.append(duplicate_problem(moved, source.path, source.line, self.key.case_id))
                self.note("arguments_decoded", source, "arguments decoded from text")
                return decoded, "object", "arguments decoded from text"
            return value, "raw", "arguments are text that holds no JSON object"
        return value, "raw", "arguments are no JSON object"

    def completeness(self, fields: Mapping[str, Any], source: Source) -> None:
        if fields.get("complete") is False:
            self.incomplete.append(f"line {source.line} says that it is incomplete (complete: false)")

    # -- the whole run -------------------------------------------------------------------------------------

    def finish(self, broken: Sequence[At]) -> tuple[Run, tuple[Problem, ...]]:
        rows = self.rows
        rows.sort(key=_by_step)
        for place in broken:
            self.incomplete.append(f"line {place[2]} could not be read")
        self.check_steps(len(broken))
        events = tuple([row[2] for row in rows if row[2] is not None])
        final: Mapping[str, Any] = _NO_FIELDS
        final_source: Source | None = None
        if self.records:
            final, final_source = self.records[0]
            if len(self.records) > 1:
                final, final_source = min(self.records, key=lambda record: dumps(record[0]))
                sources = [source for _, source in self.records]
                self.unusable(
                    "bad_steps", sources[-1], f"several run records without a step stand on {_lines(sources)}"
                )
        elif self.rows:
            final, final_source = rows[-1][3], rows[-1][4]
        key = self.key
        run = Run(
            key.case_id,
            key.run_id,
            key.trial,
            events,
            final,
            final_source,
            not self.incomplete,
            "; ".join(self.incomplete) or None,
            "; ".join(self.why) or None,
            tuple(self.notes),
        )
        return run, tuple(self.problems)

    def check_steps(self, lost: int) -> None:
        """Steps must be 1, 2, 3 … without repeats and gaps; lines that are known to be lost explain gaps."""
        rows = self.rows
        steps = [row[0] for row in rows]
        if steps == list(range(1, len(steps) + 1)):
            return
        # the order of equal steps must not be that of the file
        rows.sort(key=lambda row: (row[0], dumps(row[3])))
        if any(problem.code in _STEPLESS for problem in self.problems):
            return  # steps that could not be read have been named; gaps follow from them
        places: dict[int, list[Source]] = {}
        for step, _, _, _, source in rows:
            places.setdefault(step, []).append(source)
        if 0 in places:
            if len(places) == len(rows) and steps[-1] - len(rows) < lost:
                self.from_zero()
                return
            for source in places.pop(0):
                self.unusable("bad_steps", source, f"step on line {source.line} is 0, not a positive integer")
        for step, sources in places.items():
            if len(sources) > 1:
                self.unusable("bad_steps", sources[-1], f"step {step} stands on {_lines(sources)}")
        if not places or max(places) - len(places) <= lost:
            return
        before = 0
        for step, sources in places.items():
            if step > before + 1:
                what = (
                    f"step {before + 1} is" if step == before + 2 else f"steps {before + 1} to {step - 1} are"
                )
                message = f"{what} missing before step {step} on line {sources[0].line}"
                self.unusable("bad_steps", sources[0], message)
            before = step

    def from_zero(self) -> None:
        first = self.rows[0][4]
        self.note("steps_from_zero", first, "steps counted from 0: read as counted from 1")
        self.notes.append("steps counted from 0: read as counted from 1")
        self.rows[:] = [
            (step + 1, order, event and replace(event, step=step + 1), fields, source)
            for step, order, event, fields, source in self.rows
        ]

    def unusable(self, code: str, source: Source, message: str) -> None:
        self.why.append(message)
        self.problems.append(make(code, source.path, source.line, message, case_id=self.key.case_id))

    def note(self, code: str, source: Source, message: str) -> None:
        self.problems.append(make(code, source.path, source.line, message, case_id=self.key.case_id))


_STEPLESS = frozenset(("missing_key", "bad_key"))


def _by_step(row: tuple[int, int, Event | None, Mapping[str, Any], Source]) -> tuple[int, int]:
    return row[0], row[1]


def _text(value: Any) -> str | None:
    """A recorded word; a value that is no text as its JSON, null and absent as None."""
    if value is None or value.__class__ is str:
        return value
    return id_text(value) or show(value)


def _short(value: Any) -> str:
    text = show(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _kind(step: Any) -> str:
    return 'text ("1" counts as 1)' if isinstance(step, str) else "a fraction (1.0 counts as 1)"


def _lines(sources: Sequence[Source]) -> str:
    """``lines 3 and 7``, with the files when there are several; in an order that is not that of arrival."""
    ordered = sorted(sources, key=lambda s: (s.path, s.line))
    several = len({s.path for s in ordered}) > 1
    names = [f"{s.line} of {s.path}" if several else str(s.line) for s in ordered]
    return f"lines {', '.join(names[:-1])} and {names[-1]}"
