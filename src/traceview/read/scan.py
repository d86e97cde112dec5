"""The pass over one trace file: every line to its run, keeping numbers only.

The fast path decodes the three keys that say which run a line belongs to and skips the rest; what it refuses
(a number as id, NaN, a broken line) goes to :meth:`FileScan._slow`, which sees the whole line.
"""

from __future__ import annotations

import bisect
import io
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from traceview.jsontext import BadJson, decode, members_before_break, show
from traceview.model import MISSING
from traceview.read.files import BLOCK, Opened
from traceview.read.ids import id_text
from traceview.read.linking import Linking
from traceview.read.objects import array_items
from traceview.read.problems import InputError, Problems, found_and_nearest
from traceview.read.trace_files import Place

__all__ = ["WHAT", "Broken", "FileScan", "RunKey", "Sink"]

WHAT = "events (one JSON object a line with case_id, step and tool_name, or a JSON array of them)"

_REQUIRED = ("case_id", "tool_name", "step")
_SAMPLE = 50  # objects whose keys are named when a required key is in none


class RunKey(NamedTuple):
    """Which run: ids as text exactly as written; None where the recording has none."""

    case_id: str
    run_id: str | None
    trial: str | None


class Broken(NamedTuple):
    """A line that could not be read, but whose case id could. ``run_id`` and ``trial`` are None when they
    could not be read either (or are not there): then any run of the case may have lost something."""

    case_id: str
    run_id: str | None
    trial: str | None
    place: Place


class Sink:
    """What is kept of all files: for each used line its place and the previous line of the same run, and for
    each run its last line."""

    def __init__(self) -> None:
        self.runs: list[RunKey] = []
        self.offsets = array("Q")
        self.lengths = array("I")
        self.lines = array("I")
        self.previous = array("i")
        self.last = array("i")
        self.broken: list[Broken] = []
        self.numbers: dict[Any, int] = {}
        self.touched: set[int] | None = None  # the runs of the lines that come, where someone asks for them
        self._part_starts: list[int] = []

    def __getstate__(self) -> dict[str, Any]:
        """Run keys as columns: a tenth of the time of sending a hundred thousand of them."""
        state = dict(self.__dict__)
        state["runs"] = list(zip(*self.runs, strict=True))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.runs = list(map(RunKey._make, zip(*state["runs"], strict=True)))

    def start_part(self) -> None:
        """What follows stands in the next part."""
        self._part_starts.append(len(self.offsets))

    def part_of(self, event: int) -> int:
        """The part in which an event stands."""
        return bisect.bisect_right(self._part_starts, event) - 1

    def number(self, case_id: str, run_id: str | None, trial: str | None) -> int:
        """The number of a run, new or known."""
        key = RunKey(case_id, run_id, trial)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.runs)
            self.runs.append(key)
            self.last.append(-1)
        return number

    def places(self, run: int) -> list[tuple[int, int, int, int]]:
        """The events of a run, in the order of the files, as the fields of :class:`Place`."""
        found = []
        event = self.last[run]
        one_part = len(self._part_starts) == 1
        while event >= 0:
            part = 0 if one_part else self.part_of(event)
            found.append((self.offsets[event], self.lengths[event], self.lines[event], part))
            event = self.previous[event]
        found.reverse()
        return found


class _Line(msgspec.Struct, gc=False):
    case_id: str | int | None = None
    run_id: str | int | None = None
    trial: str | int | None = None


class _Presence(msgspec.Struct, gc=False):
    case_id: msgspec.Raw | None = None
    step: msgspec.Raw | None = None
    tool_name: msgspec.Raw | None = None


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class FileScan:
    """One pass over one file.

    ``scanned`` is how far the file was read, ``format`` what was found, ``next_line`` the number of the line
    that begins (or goes on) there.

    :param one_of_many: an empty file is a warning then, else an error.
    :param follow: the file may still be written to: a last line that is not whole is left for
        :meth:`append`.
    """

    def __init__(
        self,
        opened: Opened,
        sink: Sink,
        linking: Linking,
        problems: Problems,
        one_of_many: bool,
        *,
        follow: bool = False,
    ) -> None:
        self.scanned = opened.start
        self.format: Literal["events-jsonl", "events-json"] = "events-jsonl"
        self.next_line = 1
        self._follow = follow
        self._waits = False
        self._opened = opened
        self._name = opened.path.replace("\\", "/").rpartition("/")[2]
        self._sink = sink
        self._linking = linking
        self._problems = problems
        self._one_of_many = one_of_many
        self._part = 0
        self._missing = set(_REQUIRED)
        self._calls = 0
        self._objects = 0
        self._sample: dict[str, None] = {}
        self._first_error: str | None = None
        self._broken = 0

    def run(self, part: int) -> Iterator[int]:
        """Scan, yielding about once a megabyte how far.

        :raises InputError: the file is empty or holds no events.
        """
        self._part = part
        self._sink.start_part()
        file = self._opened.file
        file.seek(self._opened.start)
        spans = None
        if self._starts_with_bracket():
            data = file.read()
            spans = array_items(data)
            if spans is not None:
                self.format = "events-json"
                start = self.scanned
                self.scanned += len(data)
                for line, offset, length in spans:
                    self._item(data[offset : offset + length], line, start + offset)
                yield self.scanned
                del data
            else:
                file.seek(self._opened.start)
        if spans is None:
            yield from self._scan_lines(file)
        self._check_found()

    def append(self, data: bytes, part: int) -> None:
        """Scan what was written behind ``scanned`` since; its lines stand in ``part``."""
        self._part = part
        for _ in self._scan_lines(io.BytesIO(data)):
            pass

    def _starts_with_bracket(self) -> bool:
        file = self._opened.file
        found = False
        while block := file.read(4096):
            block = block.lstrip(b" \t\r\n")
            if block:
                found = block.startswith(b"[")
                break
        file.seek(self._opened.start)
        return found

    def _scan_lines(self, lines: Iterable[bytes]) -> Iterator[int]:
        sink = self._sink
        known = sink.numbers.get
        add_offset, add_length, add_line = sink.offsets.append, sink.lengths.append, sink.lines.append
        add_previous, last = sink.previous.append, sink.last
        decode_line = _decode_line
        fast = self._linking.fast
        touched = sink.touched
        event = len(sink.offsets)
        offset = self.scanned
        mark = offset + BLOCK
        number, line = self.next_line - 1, b"\n"
        self._waits = False
        for number, line in enumerate(lines, self.next_line):
            run: int | None
            try:
                keys = decode_line(line)
                if not line.isascii():
                    line.decode()
                case_id = keys.case_id
                if case_id and fast:
                    # 7 and "7" are two keys here, which lead to one run
                    run = known((case_id, keys.run_id, keys.trial))
                    if run is None:
                        run = self._new_run(case_id, keys.run_id, keys.trial, line)
                else:
                    run = self._slow(line, number, offset)
            except _REFUSED:
                run = self._slow(line, number, offset)
            if run is not None:
                add_offset(offset)
                add_length(len(line))
                add_line(number)
                add_previous(last[run])
                last[run] = event
                event += 1
                if touched is not None:
                    touched.add(run)
                if self._missing:
                    self._look(line)
            offset += len(line)
            if offset >= mark:
                self.scanned = offset
                mark = offset + BLOCK
                yield offset
        if self._waits:
            self.scanned, self.next_line = offset - len(line), number
        else:
            self.scanned, self.next_line = offset, number + line.endswith(b"\n")

    def _new_run(
        self, case_id: str | int, run_id: str | int | None, trial: str | int | None, line: bytes
    ) -> int | None:
        """A combination of keys that was not seen before; remembered with the run that it means."""
        if 0 in (case_id, run_id, trial) and b"-0" in line:
            return self._link(decode(line).value)  # the written text may be -0
        run = self._sink.number(str(case_id), _written(run_id), _written(trial))
        self._sink.numbers[(case_id, run_id, trial)] = run
        return run

    def _item(self, text: bytes, line: int, offset: int) -> None:
        """One item of a JSON array."""
        sink = self._sink
        run = self._slow(text, line, offset)
        if run is not None:
            event = len(sink.offsets)
            sink.offsets.append(offset)
            sink.lengths.append(len(text))
            sink.lines.append(line)
            sink.previous.append(sink.last[run])
            sink.last[run] = event
            if sink.touched is not None:
                sink.touched.add(run)
            if self._missing:
                self._look(text)

    def _slow(self, line: bytes, number: int, offset: int) -> int | None:
        """The run of a line that the fast path does not take; None when the line cannot be used."""
        text = line.strip(b" \t\r\n")
        if not text:
            return None
        shown = self._opened.shown
        try:
            value = decode(text).value
        except BadJson as error:
            if self._follow and not line.endswith(b"\n"):
                self._waits = True
            else:
                self._break(line, number, offset, error)
            return None
        if not isinstance(value, dict):
            self._broken += 1
            self._first_error = self._first_error or f"line {number} is JSON, but no object"
            self._problems.skip(
                "not_an_object", shown, number, f"the line is no JSON object ({_short(value)})"
            )
            return None
        self._objects += 1
        run = self._link(value)
        if run is None:
            self._look(text)
            if self._linking.rules:
                message = (
                    f"no rule of [runs] gives this event a case (tried {', '.join(self._linking.rules)})"
                )
                self._problems.skip("unlinked", shown, number, message)
            else:
                case_id = show(value.get("case_id", MISSING))
                self._problems.skip("missing_case_id", shown, number, f"no case id: case_id is {case_id}")
        return run

    def _link(self, value: Mapping[str, Any]) -> int | None:
        case_id = self._linking.case(value, self._name)
        if case_id is None:
            return None
        trial = self._linking.trial(value, self._name)
        return self._sink.number(case_id, id_text(value.get("run_id")), trial)

    def _break(self, line: bytes, number: int, offset: int, error: BadJson) -> None:
        """List a line that is no JSON, and note which run has lost something."""
        self._broken += 1
        if self._first_error is None:
            table = b"," in line and (b"case_id" in line or b"expected_" in line)
            hint = "; it looks like a table of cases: are the two files swapped?" if table else ""
            self._first_error = f"line {number} is no JSON ({error.message}){hint}"
        members = members_before_break(line.decode("utf-8", "replace"))
        case_id = self._linking.case(members, self._name)
        if case_id is not None and "\ufffd" in case_id:
            case_id = None
        code, message = "bad_json", error.message
        if error.cut and not line.endswith(b"\n") and offset + len(line) >= self._opened.end:
            code, message = "incomplete_last_line", f"incomplete last line: {message}"
        elif error.byte is not None:
            at = len(line) - len(line.lstrip(b" \t\r\n")) + error.byte
            where = f"byte {offset - self._opened.base + at + 1} of the file (0x{line[at]:02x})"
            code, message = "bad_utf8", f"not valid UTF-8 at {where}"
        self._problems.skip(code, self._opened.shown, number, message, case_id=case_id)
        if case_id is not None:
            self._missing.discard("case_id")
            place = Place(offset, len(line), number, self._part)
            run_id, trial = id_text(members.get("run_id")), self._linking.trial(members, self._name)
            self._sink.broken.append(Broken(case_id, run_id, trial, place))

    def _look(self, line: bytes) -> None:
        """Note which required keys the file has, and what it has instead."""
        try:
            keys: Mapping[str, Any] = _decode_keys(line)
            null = keys.get("tool_name") == msgspec.Raw(b"null")
        except _REFUSED:
            keys = decode(line.strip(b" \t\r\n")).value
            null = keys.get("tool_name", MISSING) is None
        if not null:
            self._calls += 1
        if self._linking.rules:
            self._missing.discard("case_id")
        self._missing.difference_update(keys)
        if len(self._sample) < _SAMPLE:
            self._sample.update(dict.fromkeys(keys))

    def _check_found(self) -> None:
        """Refuse a file that is none of events."""
        if self._follow and not self._sample:
            return  # its first event may still come
        shown = self._opened.shown
        if not self._objects and not self._sample and not self._broken:
            if self.format == "events-json":
                return  # an empty array says itself that nothing was recorded
            if not self._one_of_many:
                raise InputError(f"{shown}: is empty; expected {WHAT}")
            self._problems.add("empty_file", shown, None, "the file is empty")
            return
        if not self._sample:
            if self._broken and "case_id" not in self._missing:
                return
            reason = self._first_error or "its objects are empty"
            raise InputError(f"{shown}: none of its lines is an event: {reason}; expected {WHAT}")
        if not self._calls:
            self._missing.discard("step")  # run records need none
        for key in _REQUIRED:
            if key in self._missing:
                found = found_and_nearest(key, list(self._sample), "keys")
                raise InputError(f"{shown}: no line has the key {key}; {found}; expected {WHAT}")


def _written(value: str | int | None) -> str | None:
    return None if value is None else str(value) or None


def _short(value: Any) -> str:
    text = show(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
