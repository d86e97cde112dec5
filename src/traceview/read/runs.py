"""One recorded run, read again from its lines: decoded, and plain runs at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from traceview.jsontext import BadJson, Duplicate, decode_line, decode_together
from traceview.model import Calls, Event, Problem, Run, Source
from traceview.read.aliases import Aliases
from traceview.read.run_reader import RunReader
from traceview.read.scan import RunKey
from traceview.read.trace_files import At, TraceFiles, positions

__all__ = ["RunLines", "read_run"]


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
        reader = RunReader(self._files, self._key, self._aliases)
        for number, (place, fields) in enumerate(zip(self.places, self._values, strict=True)):
            reader.add(place, fields, self._repeats.get(number, ()))
        return reader.finish(self._broken)

    def _plain_run(self) -> Run | None:
        """The run, where every line is a call in the order of steps of which nothing is to be said: as
        :class:`RunReader` makes it, in half the time. None for any other run."""
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
