"""One run beside the same run of a baseline: for each step and value, how it was before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from traceview.evaluate.detail import Detail, Diff, StepRow, spread
from traceview.evaluate.values import pointer, same
from traceview.model import MISSING, Event

__all__ = ["with_baseline"]

_WATCHED: Final = ("status", "error", "result", "state_after", "run_outcome")
"""Fields whose earlier values are told; times, ids and models differ from run to run."""
_DIFFERENT: Final = ("changed", "missing", "unexpected")


def with_baseline(detail: Detail, before: Detail) -> Detail:
    """``detail`` with what ``before`` did in each step: ``before`` of values that were others, of steps what
    became of them, and the calls that only the baseline made (state "gone") where it made them.

    Steps belong together that stand for the same expected call; of the others the first, second … call of the
    same tool.
    """
    of, gone = _pairs(detail, before)
    rows: list[StepRow] = []
    for place, row in enumerate(detail.rows):
        rows += [_gone(before.rows[lost]) for lost in gone.get(place, ())]
        mate = of.get(place)
        rows.append(_row(row, before.rows[mate] if mate is not None else None))
    rows += [_gone(before.rows[lost]) for lost in gone.get(len(detail.rows), ())]
    final = tuple([_final(diff, before.final) for diff in detail.final])
    return replace(detail, rows=tuple(rows), final=final)


# -- which step is which -----------------------------------------------------------------------------------


def _pairs(detail: Detail, before: Detail) -> tuple[dict[int, int], dict[int, list[int]]]:
    """The baseline's row of each row, and the rows that only the baseline has, by the row that they stand
    before; places in ``rows`` both."""
    waiting: dict[tuple[str, Any], list[int]] = defaultdict(list)
    for place, row in enumerate(before.rows):
        waiting[_same(row)].append(place)
    for places in waiting.values():
        places.reverse()
    of: dict[int, int] = {}
    for place, row in enumerate(detail.rows):
        mates = waiting.get(_same(row))
        if mates:
            of[place] = mates.pop()
    now = {mate: place for place, mate in of.items()}
    gone: dict[int, list[int]] = defaultdict(list)
    after = 0
    for place in range(len(before.rows)):
        if place in now:
            after = now[place] + 1
        elif before.rows[place].event is not None:
            gone[after].append(place)
    return of, gone


def _same(row: StepRow) -> tuple[str, Any]:
    if row.expected_step is not None:
        return "expected", row.expected_step
    return "tool", row.event.tool_name if row.event is not None else row.expected_tool


# -- what was different ------------------------------------------------------------------------------------


def _row(row: StepRow, before: StepRow | None) -> StepRow:
    if before is None:
        return replace(row, before="not made in the baseline" if row.event is not None else "")
    then, now = before.event, row.event
    if then is None:
        return row if now is None else replace(row, before="missing in the baseline")
    if now is None:
        return replace(row, before="made in the baseline", diffs=_values(row.diffs, MISSING, then))
    watched = tuple(
        [(name, _field(then, name)) for name in _WATCHED if not _alike(_field(then, name), _field(now, name))]
    )
    state = "" if _state(before) == _state(row) else f"baseline {_state(before)}"
    diffs = row.diffs
    if not same(now.arguments, then.arguments) and "object" in (now.args_state, then.args_state):
        diffs = _values(row.diffs or (_recorded(now),), now.arguments, then)
    return replace(row, diffs=diffs, before=state, fields_before=watched)


def _state(row: StepRow) -> str:
    """``matched``, ``2 differences``, ``extra``."""
    different = sum([diff.state in _DIFFERENT for diff in row.diffs])
    if row.event is not None and different:
        return f"{different} difference{'s' if different > 1 else ''}"
    return row.state


def _recorded(event: Event) -> Diff:
    return Diff("", "uncompared", MISSING, event.arguments)


def _values(diffs: tuple[Diff, ...], now: Any, then: Event) -> tuple[Diff, ...]:
    """The places of a comparison with the baseline's value where it is another one; then the values that only
    the baseline has."""
    out: list[Diff] = []
    for diff in spread(diffs):
        out += _split(diff, then.arguments)
    covered = {diff.path for diff in out}
    if then.args_state == "object" and "" not in covered:
        out += [
            Diff(path, "uncompared", MISSING, MISSING, None, None, value)
            for path, value in _only(then.arguments, now, "", covered)
        ]
    return tuple(out)


def _split(diff: Diff, then: Any) -> Iterator[Diff]:
    """A place, with the baseline's value; an object that is equal or uncompared by its keys."""
    before = _at(then, diff.path)
    present = diff.observed
    if before is present or (before is not MISSING and present is not MISSING and same(before, present)):
        yield diff
        return
    if diff.state in ("same", "uncompared") and isinstance(present, dict) and isinstance(before, dict):
        for key, item in present.items():
            expected = MISSING if diff.expected is MISSING else diff.expected[key]
            part = Diff(diff.path + pointer(key), diff.state, expected, item, None, diff.note)
            yield from _split(part, then)
        return
    yield replace(diff, before=before)


def _only(then: Any, now: Any, path: str, covered: set[str]) -> Iterator[tuple[str, Any]]:
    """What of the baseline's arguments stands at no place of the comparison."""
    for key, value in then.items():
        here = path + pointer(key)
        other = now.get(key, MISSING) if isinstance(now, dict) else MISSING
        if here in covered:
            continue
        inside = here + "/"
        if isinstance(value, dict) and any(place.startswith(inside) for place in covered):
            yield from _only(value, other, here, covered)
        elif other is MISSING:
            yield here, value


def _final(diff: Diff, before: tuple[Diff, ...]) -> Diff:
    other = next((each.observed for each in before if each.path == diff.path), MISSING)
    return diff if _alike(other, diff.observed) else replace(diff, before=other)


def _gone(row: StepRow) -> StepRow:
    """A call that only the baseline made."""
    assert row.event is not None
    values = row.event.arguments
    items = values.items() if isinstance(values, dict) else ()
    diffs = [Diff(pointer(key), "uncompared", MISSING, MISSING, None, None, value) for key, value in items]
    words = f"only in the baseline, as step {row.event.step}"
    status = () if row.event.status is None else (("status", row.event.status),)
    return StepRow("gone", None, None, row.event.tool_name, tuple(diffs), (), words, status)


def _field(event: Event, name: str) -> Any:
    if name == "status":
        return MISSING if event.status is None else event.status
    return event.fields.get(name, MISSING)


def _alike(a: Any, b: Any) -> bool:
    return a is b or (a is not MISSING and b is not MISSING and same(a, b))


def _at(value: Any, path: str) -> Any:
    """The value at a JSON Pointer, MISSING where there is none."""
    for key in path.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value
