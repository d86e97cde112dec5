"""One run, explained for a reader: the expected and the observed side of every step, value by value.

These are the types; ``evaluate/explain.py`` fills them with the same pairing and the same comparison that
gave the verdict, so that the two can't disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from msgspec import Struct

from traceview.evaluate.values import pointer
from traceview.model import MISSING, Case, Event, Finding, FindingKind, Run, RunResult

DiffState = Literal[
    "same",  # equal (one entry for the largest equal part; see spread)
    "forgiven",  # differs, and a kind of the contract allows it; ``note`` says which
    "ignored",  # the contract does not compare it
    "changed",  # differs
    "missing",  # expected, not there
    "unexpected",  # there, not expected
    "unknown",  # cannot be compared: redacted, cut, not captured
    "uncompared",  # no expectation for this value
]
StepState = Literal["matched", "changed", "missing", "extra", "moved", "repeated", "uncompared", "gone"]


class _Alike:
    """The type of :data:`ALIKE`, the one object of it."""

    def __repr__(self) -> str:
        return "ALIKE"

    def __reduce__(self) -> str:
        return "ALIKE"  # pickled by name, so that `is ALIKE` holds across processes


ALIKE: Final = _Alike()
"""In place of a value of the baseline: it was the same, or there is no baseline."""


class Diff(Struct, frozen=True, gc=False):
    """Expected beside observed at one place. ``path`` is a JSON Pointer into the arguments (or the final
    evidence); MISSING stands for a side that has no value. ``kind`` is set where a finding is. ``note``:
    "same instant", "same items in another order", "equal after number (abs 0.005)" …; ``before``: the value
    that the baseline had here, if another one."""

    path: str
    state: DiffState
    expected: Any
    observed: Any
    kind: FindingKind | None = None
    note: str | None = None
    before: Any = ALIKE


def spread(diffs: Iterable[Diff]) -> Iterator[Diff]:
    """The places of a comparison; one that is a whole object, equal or not compared, is told key by key."""
    for diff in diffs:
        whole = diff.observed if diff.expected is MISSING else diff.expected
        if (
            diff.path
            or diff.state not in ("same", "uncompared")
            or diff.note
            or diff.before is not ALIKE
            or not isinstance(whole, dict)
            or not whole
        ):
            yield diff
        elif diff.expected is MISSING:
            yield from [Diff(pointer(key), diff.state, MISSING, value) for key, value in whole.items()]
        else:
            observed = diff.observed
            yield from [Diff(pointer(key), diff.state, want, observed[key]) for key, want in whole.items()]


def as_recorded(event: Event) -> tuple[Diff, ...]:
    """The arguments of a call to which nothing was compared; empty where it has none."""
    if event.args_state == "absent":
        return (Diff("", "unknown", MISSING, MISSING, "evidence", "the arguments were not captured"),)
    if event.args_state == "raw":
        return (Diff("", "uncompared", MISSING, event.arguments, None, "not a JSON object"),)
    return (Diff("", "uncompared", MISSING, event.arguments),) if event.arguments else ()


class StepRow(Struct, frozen=True, gc=False):
    """One line of the timeline. ``event`` None: an expected call that was not made (state "missing");
    ``expected_tool`` None: no expected call belongs to it. ``expected_step`` is the expected call's place,
    counted from 1. ``findings``: everything any check says about this step. ``diffs`` in the order of
    the expected arguments, then the others as recorded; empty where arguments that were compared to nothing
    are just told :func:`as_recorded`.

    Beside a baseline (:mod:`traceview.evaluate.beside`) ``before`` says what became of the step there, if
    something else, and ``fields_before`` which recorded fields had other values (MISSING: none); state "gone"
    is a call that only the baseline made: its values are in ``before`` of its ``diffs``."""

    state: StepState
    event: Event | None
    expected_step: int | None
    expected_tool: str | None
    diffs: tuple[Diff, ...]
    findings: tuple[Finding, ...]
    before: str = ""
    fields_before: tuple[tuple[str, Any], ...] = ()

    @property
    def failing(self) -> bool:
        """Whether a check fails here (evidence that is missing does not count)."""
        return bool(self.findings) and any(f.kind != "evidence" for f in self.findings)


class EvidenceGroup(Struct, frozen=True, gc=False):
    """For observations: one group of evidence (a layer's ``group``, or "Task outcome"), expected beside
    observed. ``kind``: a layer's rule in words beside what it looked at; the outcome that the verdict is of;
    values that no rule judges (``verdict`` is then ""); required evidence. ``findings``: why the outcome is
    not known, where no diff tells it."""

    title: str
    verdict: str
    diffs: tuple[Diff, ...]
    text: str = ""
    kind: Literal["layer", "outcome", "recorded", "required"] = "outcome"
    findings: tuple[Finding, ...] = ()


class Detail(Struct, frozen=True, gc=False):
    """A run opened. ``final`` compares the final evidence; ``findings`` are those that belong to no step.
    ``evidence`` answers, in words, per run: arguments, statuses, state, complete. ``branch``: the branch of
    the contract that applied. ``beside``: what else is known of the run, such as its reviewed label and the
    other runs of its case, each as (name, words, ink)."""

    case: Case
    title: str
    run: Run
    result: RunResult
    rows: tuple[StepRow, ...]
    final: tuple[Diff, ...]
    findings: tuple[Finding, ...]
    evidence: tuple[tuple[str, str], ...]
    groups: tuple[EvidenceGroup, ...] = ()
    branch: str | None = None
    beside: tuple[tuple[str, str, str], ...] = ()
