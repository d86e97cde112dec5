"""A run opened: its checks and evidence, its steps with both sides of every argument, its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from traceview.evaluate.detail import Detail, Diff, StepRow, as_recorded, spread
from traceview.jsontext import path_words, show
from traceview.model import MISSING, Event, Finding, RunResult
from traceview.results import Row
from traceview.write.html.values import line, members, pair
from traceview.write.words import place_of

__all__ = ["opened", "unopened"]

_LONG: Final = 4_000  # characters of a title or message where there is room for it
_DIFFERS: Final = ("changed", "missing", "unexpected", "unknown")
_OF_CALLS: Final = ("extra_call", "missing_call", "moved_call", "repeated_call", "forbidden")
# What the head of a step and its arguments show already.
_SHOWN: Final = frozenset({"case_id", "run_id", "trial", "step", "tool_name", "arguments", "status"})
# Recorded keys in the order in which a reader wants them; the others follow as recorded.
_FIRST: Final = ("error", "result", "state_after", "run_outcome", "started_at", "ended_at", "usage", "model")


def opened(detail: Detail) -> dict[str, Any]:
    """All of a run, as ``run`` in timeline.js takes it; what there is nothing of is left out."""
    run = detail.run
    in_pairs = {
        (diff.path, diff.kind)
        for diffs in (detail.final, *(group.diffs for group in detail.groups))
        for diff in diffs
        if diff.state in _DIFFERS
    }
    findings = [f for f in detail.findings if f.step is not None or (f.path or "", f.kind) not in in_pairs]
    found = _result(detail.title, detail.case.problem or run.problem, detail.result)
    found["branch"] = line(detail.branch or "")
    found["evidence"] = [(line(name), line(answer)) for name, answer in detail.evidence]
    found["recorded"] = members(run.recorded)
    found["incomplete"] = "" if run.complete else line(run.incomplete_why or "part of it is lost")
    found["notes"] = [line(note, _LONG) for note in dict.fromkeys((*run.notes, *detail.result.notes))]
    found["findings"] = [_finding(f, sides=False) for f in findings]
    found["steps"] = [_step(row) for row in detail.rows]
    found["final"] = [] if detail.groups else _diffs(detail.final)
    found["groups"] = [
        {
            "title": line(group.title),
            "verdict": group.verdict,
            "text": line(group.text),
            "diffs": _diffs(group.diffs),
        }
        for group in detail.groups
    ]
    return _without_empty(found)


def unopened(row: Row) -> dict[str, Any]:
    """What is known of a run without reading it again: its verdicts and its findings with their values."""
    found = _result(row.title, row.case.problem, row.result)
    found["notes"] = [line(note, _LONG) for note in row.result.notes]
    found["findings"] = [_finding(f, sides=True) for f in row.result.findings]
    return _without_empty(found)


def _result(title: str, problem: str | None, result: RunResult) -> dict[str, Any]:
    return {
        "title": line(title, _LONG),
        "verdict": result.verdict,
        "problem": line(problem or "", _LONG),
        "checks": [(line(name), verdict) for name, verdict in result.checks.items()],
        "layers": [(line(name), verdict) for name, verdict in result.layers.items()],
        "recorded": members(result.recorded),
        "incomplete": "" if result.complete else "part of it is lost",
    }


def _without_empty(found: dict[str, Any]) -> dict[str, Any]:
    return {key: of for key, of in found.items() if of not in ("", [], None, False)}


def _finding(finding: Finding, *, sides: bool) -> dict[str, Any]:
    """``sides``: with both values, where no comparison beside it shows them."""
    found: dict[str, Any] = {
        "check": line(finding.check),
        "place": line(place_of(finding)),
        "message": line(finding.message, _LONG),
        "tone": "unknown" if finding.kind == "evidence" else "fail",
    }
    if sides and not (finding.expected is MISSING and finding.observed is MISSING):
        found["sides"] = pair(finding.expected, finding.observed)
    return found


# -- steps -------------------------------------------------------------------------------------------------


def _step(row: StepRow) -> dict[str, Any]:
    event = row.event
    states = Counter(diff.state for diff in row.diffs)
    found: dict[str, Any] = {
        "tool": line((event.tool_name if event is not None else row.expected_tool) or "(no call)"),
        "state": row.state,
        "place": row.expected_step,
        "tone": "fail" if row.failing else "unknown" if row.findings or states["unknown"] else "",
        "differences": states["changed"] + states["missing"] + states["unexpected"] if event else 0,
        "unknown": states["unknown"],
        "forgiven": states["forgiven"],
        "findings": [_finding(f, sides=False) for f in _not_in_pairs(row)],
        "diffs": _diffs(row.diffs or (as_recorded(event) if event is not None else ())),
    }
    if event is not None:
        found |= _call(event, status_fails=any(f.kind == "status" for f in row.findings))
    return {key: of for key, of in found.items() if of not in ("", [], None, False, 0)}


def _call(event: Event, *, status_fails: bool) -> dict[str, Any]:
    state = event.fields.get("state_after")
    source = event.source
    return {
        "step": str(event.step),
        "actor": "" if event.actor == "assistant" else line(event.actor),
        "status": line("status unknown" if event.status is None else event.status, 80),
        "status_fails": status_fails,
        "after": "" if state is None else line(state if isinstance(state, str) else show(state), 80),
        "as": "" if event.recorded_name in (None, event.tool_name) else line(str(event.recorded_name)),
        "fields": members(_rest(event)),
        "notes": [line(note, _LONG) for note in event.notes],
        "source": line(f"{source.path}:{source.line}" if source.line else source.path),
    }


def _rest(event: Event) -> Mapping[str, Any]:
    """What was recorded with a call beside its arguments."""
    fields = event.fields
    names = [name for name in _FIRST if name in fields]
    names += [name for name in fields if name not in _SHOWN and name not in _FIRST]
    return {name: fields[name] for name in names}


def _not_in_pairs(row: StepRow) -> Iterable[Finding]:
    """The findings that no pair of values shows."""
    in_pairs = {(diff.path, diff.kind) for diff in row.diffs if diff.state in _DIFFERS}
    return [f for f in row.findings if f.kind in _OF_CALLS or (f.path or "", f.kind) not in in_pairs]


def _diffs(diffs: Iterable[Diff]) -> list[list[Any]]:
    """Each place with its state, both sides and a note; what a reader looks for comes first."""
    ordered = sorted(spread(diffs), key=lambda diff: diff.state not in _DIFFERS)
    return [_diff(diff) for diff in ordered]


def _diff(diff: Diff) -> list[Any]:
    expected, observed = diff.expected, diff.observed
    if diff.state == "same":
        expected = MISSING  # it is the other side
    found = [line(path_words(diff.path)), diff.state, *pair(expected, observed)]
    note = _note(diff)
    return [*found, note] if note else found


def _note(diff: Diff) -> str:
    note = diff.note or ""
    e, o = diff.expected, diff.observed
    if diff.kind == "text_form" and isinstance(e, str) and isinstance(o, str):
        at = next((i for i, (a, b) in enumerate(zip(e, o, strict=False)) if a != b), min(len(e), len(o)))
        note += (
            f"{'; ' if note else ''}first difference: expected {_points(e[at:])}, observed {_points(o[at:])}"
        )
    return line(note)


def _points(text: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in text[:4]) or "end of text"
