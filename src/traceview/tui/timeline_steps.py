"""A step of the timeline: its headline, and the items below it in the order a reader wants them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from traceview.evaluate.detail import Diff, StepRow, as_recorded
from traceview.model import MISSING, Event, Finding
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.timeline_compared import compared, compared_height
from traceview.tui.timeline_items import (
    FindingItem,
    Item,
    SourceItem,
    TextItem,
    ValueItem,
    check_words,
    text_height,
)
from traceview.tui.timeline_layout import Layout, Span, Spans, shown
from traceview.tui.timeline_pairs import DIFFERING, PairItem
from traceview.tui.values import count

__all__ = ["Columns", "differs", "headline", "recorded_items", "step_height", "step_items"]

_RAGGED: Final = 24  # keys of other steps up to which a step says that it lacks them

_NOT_FIELDS: Final = frozenset(
    {"case_id", "run_id", "trial", "step", "tool_name", "arguments", "status"}
)  # what the headline, the arguments and the status line show
_KNOWN: Final = (
    "error",
    "result",
    "state_after",
    "run_outcome",
    "started_at",
    "ended_at",
    "usage",
    "model",
    "agent_version",
    "prompt_version",
    "schema_version",
    "agent_text",
    "call_id",
    "group",
    "actor",
    "complete",
)
_SHOWN_KEYS: Final = _NOT_FIELDS.union(_KNOWN)
_CALL_KINDS: Final = frozenset({"extra_call", "missing_call", "moved_call", "repeated_call", "forbidden"})


@dataclass(frozen=True, slots=True)
class Columns:
    """What the steps of a run share: cells of the number and tool columns, and keys that only some have."""

    number: int
    tool: int
    ragged: frozenset[str]

    @classmethod
    def of(cls, rows: Sequence[StepRow], layout: Layout) -> Columns:
        """Measured over all steps, so that their columns stand below each other."""
        events = [row.event for row in rows if row.event is not None]
        shapes = {tuple(event.fields) for event in events}
        extra = {key for shape in shapes for key in shape if key not in _SHOWN_KEYS}
        tools = {row.expected_tool if row.event is None else row.event.tool_name for row in rows}
        most = layout.width // 2 if layout.narrow else layout.width * 2 // 5
        widest = max([cell_len(_named(tool)) for tool in tools], default=0)
        ragged = frozenset(extra if len(extra) <= _RAGGED else ())
        number = max([event.step for event in events], default=1)
        return cls(len(str(max(1, number))), max(4, min(widest, most)), ragged)


def _tool(row: StepRow) -> str:
    return _named(row.event.tool_name if row.event is not None else row.expected_tool)


def _named(tool: str | None) -> str:
    return visible(tool) if tool is not None else "(no call)"


def differs(row: StepRow) -> bool:
    """Whether n and N stop inside this step."""
    if row.findings:
        return True
    if row.event is not None:
        for diff in row.diffs:
            if diff.state in DIFFERING:
                return True
    return False


# -- the headline ------------------------------------------------------------------------------------------


def headline(row: StepRow, columns: Columns, layout: Layout, opened: bool) -> Spans:
    """Fold sign, number, sign of the state, tool, state in words with the number of differences; at the
    right end status and state. What does not fit at the right is left to the unfolded step, unless the
    status is what fails."""
    signs = layout.signs
    sign, words, style = _state(row, layout)
    event = row.event
    number = str(event.step) if event is not None else ""
    left: list[Span] = [
        (signs.unfolded if opened else signs.folded, "quiet"),
        (" " + number.rjust(columns.number) + " ", "quiet"),
        (sign + " ", style),
        (pad(cut(_tool(row), columns.tool, signs.cut), columns.tool), "strong" if row.failing else ""),
    ]
    used = sum(cell_len(text) for text, _ in left)
    right = _outcome(event, row.findings, layout) if event is not None else []
    size = sum(cell_len(text) for text, _ in right)
    free = layout.width - used - 2
    if size and size + 2 + cell_len(words) > free and not _status_fails(row.findings):
        right, size = [], 0
    room = free - (size + 2 if size else 0)
    if cell_len(words) > room:
        words = words.replace(" differences", " diff").replace(" difference", " diff")
    if room >= 4:
        words = cut(words, room, signs.cut)
        left.append(("  " + words, style))
        used += 2 + cell_len(words)
    if size and layout.width - used - size >= 1:
        left.append((" " * (layout.width - used - size), ""))
        left.extend(right)
    return tuple(left)


def _state(row: StepRow, layout: Layout) -> tuple[str, str, str]:
    """Sign, words and style of a step's state."""
    signs = layout.signs
    states = Counter(diff.state for diff in row.diffs)
    different = sum(states[state] for state in ("changed", "missing", "unexpected"))
    different += _status_fails(row.findings)
    parts: list[str] = []
    if different and row.event is not None:
        parts.append(count(different, "difference"))
    if states["unknown"]:
        parts.append(f"{states['unknown']} unknown")
    if states["forgiven"]:
        parts.append(f"{states['forgiven']} forgiven")
    failing = row.failing
    style = "fail" if failing else ("unknown" if states["unknown"] or row.findings else "quiet")
    if row.before and row.state != "gone":
        parts.append(row.before)
    allowed = [] if row.findings else ["allowed"]
    place = [f"expected as call {row.expected_step}"] if row.expected_step is not None else []
    if row.state == "matched":
        sign = signs.failed if failing else ("=" if style == "quiet" else signs.unknown)
        words = ["matched"]
    elif row.state == "changed":
        sign, words = signs.differs, [] if different else ["changed"]
    elif row.state == "missing":
        sign, words = signs.missing, ["missing", *allowed, *place]
    elif row.state == "gone":
        sign, words = " ", [row.before]
    elif row.state == "extra":
        sign, words = signs.unexpected, ["extra", *allowed]
    elif row.state == "moved":
        sign, words = signs.moved, ["moved", *place]
    elif row.state == "repeated":
        sign, words = signs.runs["duplicate_write"], ["repeated", *allowed]
    else:
        sign, words = " ", []
    if row.event is not None and row.event.actor != "assistant":
        words = [f"by {visible(row.event.actor)}", *words]
    return sign, f" {signs.dot} ".join([*words, *parts]), style


def _status_fails(findings: tuple[Finding, ...]) -> bool:
    return any(finding.kind == "status" for finding in findings)


def _outcome(event: Event, findings: tuple[Finding, ...], layout: Layout) -> list[Span]:
    """Status and state at the right end of a headline."""
    most = max(8, layout.width // 4)
    status = visible(event.status) if event.status is not None else "status unknown"
    bad = _status_fails(findings)
    style = "fail" if bad else ("unknown" if event.status is None else "quiet")
    spans: list[Span] = [
        ((layout.signs.failed + " " if bad else "") + cut(status, most, layout.signs.cut), style)
    ]
    state = event.fields.get("state_after", MISSING)
    if state is not MISSING and state is not None:
        spans.append((f" {layout.signs.dot} {shown(state, most, layout)[0]}", "quiet"))
    return spans


# -- the items ---------------------------------------------------------------------------------------------


def step_items(row: StepRow, columns: Columns, layout: Layout, rows: int, same_open: bool) -> list[Item]:
    """Findings; arguments, differences first; status; what else was recorded; notes; file and line.

    ``rows``: places of the comparison to show at most (0: the default); ``same_open``: equal ones too.
    """
    event = row.event
    status, others = _status_and_others(row)
    items: list[Item] = [
        FindingItem(f"finding {index}", finding, layout) for index, finding in enumerate(others)
    ]
    if event is None:
        items.extend(compared(row.diffs, "arguments", layout, rows, same_open, differing=False))
        items += [_before(name, value, layout) for name, value in row.fields_before]
        return items
    diffs = _with_arguments(row.diffs, event)
    items.extend(compared(diffs, "arguments", layout, rows, same_open))
    items.extend(_fields(event, status, columns, layout))
    items += [_before(name, value, layout) for name, value in row.fields_before]
    return items


def step_height(row: StepRow, columns: Columns, layout: Layout, same_open: bool) -> int:
    """Lines of an unfolded step, headline included, as :func:`step_items` would make them by default.

    Said again here, without making anything, because this is what unfolding thousands of steps costs.
    """
    event = row.event
    diffs = row.diffs if event is None else _with_arguments(row.diffs, event)
    lines = 1 + compared_height(diffs, "arguments", layout, same_open) + len(row.fields_before)
    if row.findings:
        _, found = _status_and_others(row)
        lines += sum(text_height(check_words(f.check), f.message, layout) for f in found)
    return lines if event is None else lines + _field_lines(row, event, columns, layout)


def _with_arguments(diffs: tuple[Diff, ...], event: Event) -> tuple[Diff, ...]:
    """The places of a comparison; where it has none, the arguments as they were recorded."""
    return diffs or as_recorded(event) or (Diff("", "uncompared", MISSING, event.arguments),)


def _field_lines(row: StepRow, event: Event, columns: Columns, layout: Layout) -> int:
    """Lines of :func:`_fields`."""
    fields = event.fields
    lines = 2 + len(fields.keys() - _NOT_FIELDS) + len(columns.ragged - fields.keys())
    if row.findings:
        status, _ = _status_and_others(row)
        if status is not None:
            lines += _status_item(status, event, layout).height - 1
    lines += bool(fields.get("status", event.status) != event.status)
    lines += event.recorded_name != event.tool_name and event.recorded_name is not None
    return lines + sum(text_height(_note_label(layout), note, layout) for note in event.notes)


def _status_and_others(row: StepRow) -> tuple[Finding | None, list[Finding]]:
    """The finding that the status line shows, and those that no pair of values shows."""
    status: Finding | None = None
    others: list[Finding] = []
    in_pairs = {(diff.path, diff.kind) for diff in row.diffs if diff.state in DIFFERING}
    for finding in row.findings:
        if finding.kind == "status" and status is None and row.event is not None:
            status = finding
        elif finding.kind in _CALL_KINDS or (finding.path or "", finding.kind) not in in_pairs:
            others.append(finding)
    return status, others


def _fields(event: Event, status: Finding | None, columns: Columns, layout: Layout) -> list[Item]:
    """Status, then every recorded key that has not been shown, then how and where it was read."""
    fields = event.fields
    items: list[Item] = []
    if status is not None:
        items.append(_status_item(status, event, layout))
    else:
        items.append(
            _field("status", event.status, layout)
            if event.status is not None
            else _field("status", MISSING, layout, "unknown")
        )
    if fields.get("status", event.status) != event.status:
        items.append(_field("status as recorded", fields["status"], layout))
    items.extend(_field(name, fields[name], layout) for name in _KNOWN if name in fields)
    items.extend(
        _field(name, fields[name], layout)
        for name in fields
        if name not in _NOT_FIELDS and name not in _KNOWN
    )
    items.extend(_field(name, MISSING, layout, "quiet") for name in sorted(columns.ragged - fields.keys()))
    if event.recorded_name != event.tool_name and event.recorded_name is not None:
        items.append(_field("recorded as", event.recorded_name, layout))
    items.extend(
        TextItem(f"note {index}", _note_label(layout), note, layout, style="quiet")
        for index, note in enumerate(event.notes)
    )
    items.append(SourceItem(event.source, layout))
    return items


def _before(name: str, value: Any, layout: Layout) -> ValueItem:
    return ValueItem(f"before {name}", f"{name}, baseline", value, layout, style="quiet", name_style="quiet")


def _status_item(finding: Finding, event: Event, layout: Layout) -> PairItem:
    observed = event.status if event.status is not None else MISSING
    return PairItem(
        "status",
        "status",
        finding.expected,
        observed,
        layout,
        sign=layout.signs.failed,
        style="fail",
        notes=(visible(finding.note),) if finding.note else (),
    )


def _note_label(layout: Layout) -> str:
    return pad("note", layout.path)


def _field(name: str, value: Any, layout: Layout, style: str = "") -> ValueItem:
    return ValueItem(f"field {name}", name, value, layout, style=style, name_style="quiet")


def recorded_items(fields: Mapping[str, Any], layout: Layout) -> list[Item]:
    """Every key of a recorded object."""
    return [_field(name, value, layout) for name, value in fields.items()]
