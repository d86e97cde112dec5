"""The sections that say what a run must do, at the top of a contract or inside a branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal

from traceview.contract.compares import comparison, expected, fixed, refuse_lost_kind
from traceview.contract.errors import quoted
from traceview.contract.spec import (
    Branch,
    Expected,
    Final,
    Forbid,
    Limit,
    Order,
    Rules,
    Status,
    Step,
    StepsFrom,
    ToolSpec,
)
from traceview.contract.table import Place, Table, items, path, pattern, type_name
from traceview.contract.tools import canonical, canonical_glob

__all__ = ["SECTIONS", "merged", "read_branches", "read_rules"]

SECTIONS = ("order", "step", "steps_from", "status", "limit", "forbid", "final")
Tools = Mapping[str, ToolSpec]
Mode = Literal["exact", "in_order", "partial", "any"]
Same = Literal["tool", "args", "identity"]
Effect = Literal["read", "write"]
_MODES: tuple[Mode, ...] = ("exact", "in_order", "partial", "any")
_SAME: tuple[Same, ...] = ("tool", "args", "identity")
_EFFECTS: tuple[Effect, ...] = ("read", "write")


def merged(rules: Rules, branch: Rules) -> Rules:
    """The rules that hold in a branch: each section of the branch replaces the top-level one of its name."""
    own = {f.name: value for f in fields(Rules) if (value := getattr(branch, f.name)) is not None}
    return Rules(**{f.name: own.get(f.name, getattr(rules, f.name)) for f in fields(Rules)})


def read_rules(table: Table, tools: Tools) -> Rules:
    """The sections of ``SECTIONS`` in ``table``; None where one is not there."""
    order, status, final = table.table("order"), table.table("status"), table.table("final")
    steps, steps_from = table.tables("step"), table.tables("steps_from")
    limits, forbids = table.tables("limit"), table.tables("forbid")
    return Rules(
        order=None if order is None else _order(order, tools),
        steps=None if steps is None else _steps(steps, tools),
        steps_from=None if steps_from is None else tuple(map(_steps_from, steps_from)),
        status=None if status is None else _status(status),
        limits=None if limits is None else _limits(limits, tools),
        forbids=None if forbids is None else tuple(_forbid(forbid, tools) for forbid in forbids),
        final=None if final is None else Final(tuple(_final(final.data, final.place, ()))),
    )


def read_branches(root: Table, tools: Tools) -> tuple[Branch, ...]:
    branches: list[Branch] = []
    for table in root.tables("branch") or ():
        table.only("name", "when", *SECTIONS)
        name = table.text("name")
        if any(branch.name == name for branch in branches):
            raise table.error("name", f"another branch is named {quoted(name)}; names must differ")
        table.need("when")
        branches.append(Branch(name, _when(table, evidence=True), read_rules(table, tools)))
    return tuple(branches)


def _when(table: Table, *, evidence: bool = False) -> dict[str, Any]:
    """Fixed values by column; with ``evidence`` also by path in the final evidence."""
    when = table.table("when")
    if when is None:
        return {}
    if evidence:
        return _fields(when, ())
    return dict(_some(when).each(fixed))


def _fields(table: Table, above: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in _some(table).data.items():
        at = table.at(key)
        where = (*above, *path(key, at))
        entries = (
            _fields(Table(value, at), where)
            if isinstance(value, dict)
            else {".".join(where): fixed(value, at)}
        )
        for name, wanted in entries.items():
            if name in found:
                raise at.error(f"{quoted(name)} is named twice")
            found[name] = wanted
    return found


def _some(table: Table) -> Table:
    if not table.data:
        raise table.place.error("names nothing to look at")
    return table


def _order(table: Table, tools: Tools) -> Order:
    table.only("mode", "missing", "extra", "accept", "calls")
    mode: Mode = table.choice("mode", _MODES, _MODES[0])
    for key in ("missing", "extra"):
        if mode == "exact" and key in table:
            raise table.error(key, 'has no place with mode = "exact", where no call may be missing or extra')
    accept = None
    if "accept" in table:
        if mode != "exact":
            raise table.error("accept", f'needs mode = "exact", not {quoted(mode)}')
        accept = _accept(table, tools)
    return Order(
        mode=mode,
        missing=table.choice("missing", ("fail", "allow"), "fail"),
        extra=_extra(table, tools),
        accept=accept,
        calls=table.choice("calls", ("all", "ok"), "all"),
    )


def _extra(table: Table, tools: Tools) -> str | tuple[str, ...]:
    if isinstance(table.data.get("extra"), list):
        return tuple(canonical(tools, name) for name in table.texts("extra"))
    return table.choice("extra", ("none", "reads", "any"), "none")


def _accept(table: Table, tools: Tools) -> tuple[tuple[str, ...], ...]:
    sequences: list[tuple[str, ...]] = []
    for place, sequence in items(table.data["accept"], table.at("accept"), "tool sequences"):
        names: list[str] = []
        for at, name in items(sequence, place, "tool names"):
            if not isinstance(name, str) or not name:
                raise at.error(f"must be a tool name, not {type_name(name) if name != '' else 'empty text'}")
            names.append(canonical(tools, name))
        if tuple(names) in sequences:
            raise place.error("this sequence stands twice in the list")
        sequences.append(tuple(names))
    if not sequences:
        raise table.error("accept", "must hold at least one tool sequence")
    return tuple(sequences)


def _steps(tables: list[Table], tools: Tools) -> tuple[Step, ...]:
    steps: list[Step] = []
    for table in tables:
        table.only("tool", "args", "id", "after")
        id_ = table.optional_text("id")
        if id_ is not None and any(c in ".{}" for c in id_):
            raise table.error("id", f'{quoted(id_)}: an id has no ".", "{{" or "}}"')
        if id_ is not None and any(step.id == id_ for step in steps):
            raise table.error("id", f"another step has the id {quoted(id_)}; ids must differ")
        args = table.table("args")
        steps.append(
            Step(
                tool=canonical(tools, table.text("tool")),
                args=None if args is None else dict(args.each(_argument)),
                id=id_,
                after=table.texts("after"),
            )
        )
    return tuple(steps)


def _argument(value: Any, place: Place) -> Expected:
    # At the top of an argument even "equals" stays a comparison: it overrides the kind of the tool.
    return comparison(value, place) if isinstance(value, dict) and "kind" in value else expected(value, place)


def _steps_from(table: Table) -> StepsFrom:
    table.only("column", "match")
    return StepsFrom(column=table.text("column"), match=table.choice("match", ("all", "writes"), "all"))


def _status(table: Table) -> Status:
    table.only("ok", "retries", "error_text")
    error_text = table.texts("error_text")
    for index, written in enumerate(error_text, 1):
        pattern(written, table.at("error_text").item(index))
    return Status(
        ok=table.texts("ok", some=True) if "ok" in table else None,
        retries=table.choice("retries", ("fail", "allow"), "fail"),
        error_text=error_text,
    )


# Names of checks that a contract makes by itself; a limit cannot take one of them.
CHECK_NAMES = ("sequence_ok", "arguments_ok", "tools_succeeded", "forbidden_ok", "final_state_ok")
# Words that a run has as its diagnosis where no check gave one.
RESERVED_LABELS = ("pass", "not_observable", "no_trace", "unusable", "unreviewed")


def _limits(tables: list[Table], tools: Tools) -> tuple[Limit, ...]:
    limits: list[Limit] = []
    for table in tables:
        table.only(
            "name", "tool", "effect", "status", "exactly", "at_least", "at_most", "same", "over", "under"
        )
        limit = _limit(table, tools)
        if limit.name in CHECK_NAMES:
            raise table.error("name", f"{quoted(limit.name)} is the name of another check")
        if any(other.name == limit.name for other in limits):
            raise table.error("name", f"another limit is named {quoted(limit.name)}; names must differ")
        limits.append(limit)
    return tuple(limits)


def _limit(table: Table, tools: Tools) -> Limit:
    name = table.text("name")
    tool, effect = _calls(table, tools)
    exactly, low, high = table.count("exactly"), table.count("at_least"), table.count("at_most")
    same = table.choice("same", _SAME, None)
    unbounded = exactly is None and low is None and high is None
    if unbounded and same is None:
        raise table.place.error("needs a bound: exactly, at_least, at_most or same")
    if unbounded:
        high = 1  # `same` alone: no two calls that are the same
    if exactly is not None:
        for key, bound in (("at_least", low), ("at_most", high)):
            if bound is not None and (bound > exactly if key == "at_least" else bound < exactly):
                raise table.error(key, f"{bound} contradicts exactly = {exactly}")
    if low is not None and high is not None and low > high:
        raise table.error("at_least", f"{low} is more than at_most = {high}")
    return Limit(
        name=name,
        tool=tool,
        effect=effect,
        status=table.optional_text("status"),
        exactly=exactly,
        at_least=low,
        at_most=high,
        same=same,
        over=_label(table, "over", "duplicate_write"),
        under=_label(table, "under", "missing_write"),
    )


def _label(table: Table, key: str, default: str) -> str:
    label = table.optional_text(key) or default
    if label in RESERVED_LABELS:
        raise table.error(key, f"{quoted(label)} is what a run without a failing check is called")
    return label


def _calls(table: Table, tools: Tools) -> tuple[str | None, Effect | None]:
    """Which calls a limit or a prohibition is about."""
    tool = table.optional_text("tool")
    effect = table.choice("effect", _EFFECTS, None)
    if tool is None and effect is None:
        raise table.place.error('needs "tool" or "effect", to say which calls are meant')
    return (None if tool is None else canonical_glob(tools, tool)), effect


def _forbid(table: Table, tools: Tools) -> Forbid:
    table.only("tool", "effect", "when", "before", "unless_before")
    tool, effect = _calls(table, tools)
    unless = table.optional_text("unless_before")
    return Forbid(
        tool=tool,
        effect=effect,
        when=_when(table),
        before=table.optional_text("before"),
        unless_before=None if unless is None else canonical_glob(tools, unless),
    )


def _final(
    table: dict[str, Any], place: Place, above: tuple[str, ...]
) -> list[tuple[tuple[str, ...], Expected]]:
    """(path, expected) of every entry: a table without ``kind`` is a path into the evidence."""
    found: list[tuple[tuple[str, ...], Expected]] = []
    for key, value in table.items():
        at = place.key(key)
        where = (*above, *path(key, at))
        if isinstance(value, dict) and "kind" not in value:
            if not value:
                raise at.error('compares nothing; for an empty object write { kind = "equals", value = {} }')
            refuse_lost_kind(value, at)
            found += _final(value, at, where)
        else:
            found.append((where, _argument(value, at)))
    paths = [where for where, _ in found]
    for index, where in enumerate(paths):
        if where in paths[:index]:
            raise place.error(f"{quoted('.'.join(where))} is named twice")
    return found
