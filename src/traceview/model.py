"""The words of the field as types: case, event, run, finding, verdict, problem.

Nothing here reads a file, knows a screen or decides a verdict. Values taken from data are plain JSON values
(``dict list str int float bool None``), with two additions: :data:`MISSING` for a key that is not there, and
:class:`Number` for a number that a float cannot hold digit by digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal

from msgspec import Struct, field

__all__ = [
    "MISSING",
    "Case",
    "Cells",
    "CheckVerdict",
    "Event",
    "Finding",
    "FindingKind",
    "Number",
    "Problem",
    "Run",
    "RunResult",
    "RunVerdict",
    "Source",
    "number",
]

CheckVerdict = Literal["pass", "fail", "unknown", "n/a"]
# "unreviewed" is a recorded run that no case asks about: it is shown, and is in no total and no report.
RunVerdict = Literal["pass", "fail", "unknown", "no_trace", "unusable", "unreviewed"]
LayerVerdict = Literal["accept", "reject", "unknown", "n/a"]
FindingKind = Literal[
    "changed",
    "missing",
    "unexpected",
    "type",
    "order",
    "text_form",
    "extra_call",
    "missing_call",
    "moved_call",
    "repeated_call",
    "status",
    "state",
    "evidence",
    "forbidden",
]


class _Missing:
    """The one value of a key that is absent; it equals nothing but itself, and ``null`` least of all."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"  # pickled by name, so that `is MISSING` holds across processes

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing()


class Number(float):
    """A JSON number whose written digits a float would lose (``1.10``, ``1e400``, ``NaN``).

    It is a float for every consumer that wants one; ``text`` is what the file says and what is shown and
    exported, and ``exact`` is what is compared.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __repr__(self) -> str:
        return f"Number({self.text!r})"

    def __reduce__(self) -> tuple[type[Number], tuple[str]]:
        return Number, (self.text,)

    @property
    def exact(self) -> Decimal | None:
        """The number that the text denotes; None for NaN, infinities and exponents beyond decimal's reach."""
        try:
            value = Decimal(self.text)
        except InvalidOperation:
            return None
        return value if value.is_finite() else None


def number(text: str) -> float:
    """A float where it prints as it was written, else a :class:`Number` that keeps the text.

    Used as the float hook of every JSON reader.
    """
    value = float(text)
    return value if repr(value) == text else Number(text)


_NOTHING: Final[Mapping[str, Any]] = {}  # shared by all that recorded nothing: a dict each would add up


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


class Source(Struct, frozen=True, gc=False):
    """Where a piece of evidence stands: ``path`` as it is shown, ``line`` counted from 1 (0: the whole file),
    ``offset`` and ``length`` in bytes of the readable (decompressed) file, ``part`` that file's number."""

    path: str
    line: int
    offset: int = 0
    length: int = 0
    part: int = 0


class Cells(Mapping[str, Any]):
    """The cells of one row of a table, at half the size of a dict: all rows share ``places``, the place of
    each column's cell in ``values``."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: tuple[str, ...]) -> None:
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[self._places[name]]

    def get(self, name: str, default: Any = None) -> Any:
        place = self._places.get(name)
        return default if place is None else self._values[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"Cells({dict(self)!r})"

    def __reduce__(self) -> tuple[type[Cells], tuple[Mapping[str, int], tuple[str, ...]]]:
        return Cells, (self._places, self._values)


class Case(Struct, frozen=True, gc=False):
    """What should have happened: one row of the cases file.

    ``cells`` holds every column as written (text; in a JSON cases file the JSON value); an absent key of a
    JSON case is not in it. ``problem`` is set when the row cannot be used, and then every run of it is
    ``unusable``.
    """

    case_id: str
    cells: Mapping[str, Any]
    line: int
    problem: str | None = None


class Event(Struct, frozen=True, gc=False):
    """One recorded tool call, or (``tool_name`` None) a run record: final evidence without a call.

    ``tool_name`` is canonical (aliases of the contract resolved), ``recorded_name`` as written.
    ``arguments`` is a dict when ``args_state`` is "object"; the text or value as recorded when it is "raw"
    (no JSON object, so it can only fail); MISSING when it is "absent" (unknown evidence).
    ``status`` is the recorded word, or None when absent or null (unknown).
    ``fields`` is the whole recorded object, in its order, untouched.
    ``notes`` say what was done to read it (decoded from text, step was "1" …).
    """

    step: int
    tool_name: str | None
    recorded_name: str | None
    arguments: Any
    args_state: Literal["object", "raw", "absent"]
    status: str | None
    call_id: str | None
    group: str | None
    actor: str
    fields: Mapping[str, Any]
    source: Source
    notes: tuple[str, ...] = ()


class Run(Struct, frozen=True, gc=False):
    """One recorded run of a case: its calls in step order and the object that is its final evidence.

    ``final`` is the recorded object of the last event by step (a run record counts); an observation is a run
    with no events and itself as ``final``. ``complete`` False: something of the run is known to be lost.
    ``problem`` is set when the run cannot be judged (duplicate step, gap …): it is then ``unusable``.
    """

    case_id: str
    run_id: str | None
    trial: str | None
    events: tuple[Event, ...]
    final: Mapping[str, Any]
    final_source: Source | None = None
    complete: bool = True
    incomplete_why: str | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()
    recorded: Mapping[str, Any] = field(default_factory=_nothing)


class Calls(Struct, frozen=True, gc=False):
    """The calls of a run to which there is no more than them: nothing is lost, the assistant made all of them
    and nothing is to be said about their lines. By step: canonical names, recorded words and arguments;
    ``final`` as in :class:`Run`."""

    tools: tuple[str, ...]
    statuses: tuple[str | None, ...]
    arguments: tuple[Any, ...]
    final: Mapping[str, Any]


class Finding(Struct, frozen=True, gc=False):
    """One thing that is wrong, or that could not be seen (kind "evidence").

    ``step`` is the step number of the observed call (of the expected one when it is missing), None for the
    final evidence; ``path`` a JSON Pointer (RFC 6901) into arguments, result or final evidence, None where
    the finding is about the call. ``expected`` and ``observed`` are MISSING where there is no such side.
    ``note`` is an explanation ("same instant", "differs only in Unicode form"), already part of ``message``.
    """

    check: str
    step: int | None
    tool: str | None
    path: str | None
    kind: FindingKind
    expected: Any
    observed: Any
    message: str
    note: str | None = None


class Problem(Struct, frozen=True, gc=False):
    """A line, row or file that was not used as it stands. ``severity``: "error" (not used), "warning" (used,
    but read this) or "note". ``code`` is stable and listed in docs/report.md. ``line`` None: the whole
    file."""

    code: str
    severity: Literal["error", "warning", "note"]
    path: str
    line: int | None
    case_id: str | None
    message: str


class RunResult(Struct, frozen=True, gc=False):
    """What the contract says of one run. ``checks`` maps each check of the contract, in its order, to its
    verdict, and is empty for ``no_trace`` and ``unusable``. ``signature`` is None for a run that passes.
    ``execution_problem``: a tool or request of the run reported an error, whatever the verdict. ``statuses``:
    the distinct recorded words of its calls, in order of first appearance. ``calls``, for runs of a case that
    ran more than once: a fingerprint of each call (:func:`traceview.trials.fingerprints`)."""

    case_id: str
    run_id: str | None
    trial: str | None
    verdict: RunVerdict
    diagnosis: str
    checks: Mapping[str, CheckVerdict]
    layers: Mapping[str, LayerVerdict]
    findings: tuple[Finding, ...]
    signature: str | None
    complete: bool
    execution_problem: bool
    events: int
    tools: tuple[str, ...]
    notes: tuple[str, ...] = ()
    recorded: Mapping[str, Any] = field(default_factory=_nothing)
    statuses: tuple[str, ...] = ()
    calls: bytes = b""
