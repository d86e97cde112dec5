"""One recorded run, line by line: checked, in step order, with all that is to be said about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from msgspec.structs import replace

from traceview.jsontext import BadJson, Duplicate, decode_text, dumps, show
from traceview.model import MISSING, Event, Problem, Run, Source
from traceview.read.aliases import Aliases
from traceview.read.ids import id_text
from traceview.read.objects import duplicate_problem
from traceview.read.problems import make
from traceview.read.scan import RunKey
from traceview.read.trace_files import At, TraceFiles

__all__ = ["RunReader"]

_IDENTITY: Final = frozenset(("case_id", "step", "tool_name"))
_STEP_TEXT = re.compile(r"[0-9]+")
_NO_FIELDS: Final[Mapping[str, Any]] = {}


class RunReader:
    """Takes the lines of one run one by one, and says what is amiss with each."""

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
