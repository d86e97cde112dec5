"""A contract file, read: TOML text → :class:`Contract`, or a :class:`ContractError` that names the place.

This module reads the file and its general sections; ``rules.py`` what a branch may have too, ``compares.py``
values and kinds, ``soundness.py`` what no single key can show. Source of the rules: docs/contract.md.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import replace
from typing import Any

from traceview.contract import soundness
from traceview.contract.cells import cast_refusal
from traceview.contract.compares import fixed, tool_comparison
from traceview.contract.errors import ContractError, listed, quoted, unknown
from traceview.contract.names import labels
from traceview.contract.rules import SECTIONS, read_branches, read_rules
from traceview.contract.schemas import schema
from traceview.contract.spec import (
    CasesSpec,
    Contract,
    Evidence,
    Layer,
    RunsSpec,
    ToolSpec,
)
from traceview.contract.table import Place, Table, items, number, path, pattern, text, type_name
from traceview.contract.tools import canonical_glob
from traceview.model import number as json_number

__all__ = ["parse"]

_TOP = (
    "contract",
    "name",
    "cases",
    "runs",
    "tools",
    *SECTIONS,
    "layer",
    "branch",
    "evidence",
    "verdict",
    "diagnosis",
)
_MOST_LEVELS = 100  # of nesting; far beyond what anyone writes, and within what every reader of it can follow
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def parse(text: str, source: str) -> Contract:
    """The contract that ``text`` says. ``source`` is how it is shown: "built-in" or a path."""
    root = Table(_decode(text, source), Place(source)).only(*_TOP)
    _version(root)
    tools = _tools(root)
    rules = read_rules(root, tools)
    contract = Contract(
        name=root.text("name"),
        source=source,
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        cases=_cases(root),
        runs=_runs(root),
        tools=tools,
        rules=rules,
        layers=_layers(root, tools),
        branches=read_branches(root, tools),
        evidence=_evidence(root),
        trials=_trials(root),
    )
    soundness.check(contract)
    return _with_priority(contract, root)


def _decode(text: str, source: str) -> dict[str, Any]:
    def float_(written: str) -> float:
        return json_number(written.replace("_", "").removeprefix("+"))  # as JSON would write it

    try:
        data = tomllib.loads(text.removeprefix("\ufeff"), parse_float=float_)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        match = _TOML_PLACE.search(message)
        what = message[: match.start()] if match else message
        what = "".join(c if c.isprintable() else " " for c in what)
        line, column = match.groups() if match else (None, None)
        if line is None:  # what is missing is missing at the end
            line, column = text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
        raise ContractError(source, f"line {line}, column {column}", f"not valid TOML: {what}") from None
    except (ValueError, RecursionError) as error:  # digits beyond Python's limit, brackets beyond its stack
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ContractError(source, "", f"not valid TOML: {what}") from None
    level: list[Any] = [data]
    for _ in range(_MOST_LEVELS):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value)
            if isinstance(item, (dict, list))
        ]
    if level:
        raise ContractError(source, "", f"is nested more than {_MOST_LEVELS} levels deep")
    return data


def _version(root: Table) -> None:
    version = root.need("contract")
    if isinstance(version, bool) or not isinstance(version, int):
        raise root.error("contract", f"must be the number 1, not {type_name(version)}")
    if version != 1:
        raise root.error("contract", f"version {version} is not known; this program reads contract = 1")


def _cases(root: Table) -> CasesSpec:
    table = root.table("cases")
    if table is None:
        return CasesSpec()
    table.only("id", "title", "label", "columns", "empty")
    casts: dict[str, str] = {}
    columns = table.table("columns")
    for column, (cast, place) in columns.each(lambda value, at: (text(value, at), at)) if columns else ():
        why = cast_refusal(cast)
        if why is not None:
            raise place.error(why)
        casts[column] = cast
    return CasesSpec(
        id=table.optional_text("id") or "case_id",
        title=table.optional_text("title"),
        label=table.optional_text("label"),
        casts=casts,
        empty=table.choice("empty", ("n/a", "unknown", "literal"), "n/a"),
    )


_RUN_RULES = (
    "field:NAME",
    "attr:NAME",
    "meta:KEY",
    "first_user_text:REGEX",
    "file:REGEX",
    "trace_id",
    "map:FILE.csv",
)


def _runs(root: Table) -> RunsSpec:
    table = root.table("runs")
    if table is None:
        return RunsSpec()
    table.only("case", "trial", "calls_as_user")
    return RunsSpec(
        case=_run_rules(table, "case"),
        trial=_run_rules(table, "trial"),
        calls_as_user=table.choice("calls_as_user", ("ignore", "check"), "ignore"),
    )


def _run_rules(table: Table, key: str) -> tuple[str, ...]:
    rules = table.texts(key)
    for index, rule in enumerate(rules, 1):
        place = table.at(key).item(index)
        word, colon, argument = rule.partition(":")
        known = [r for r in _RUN_RULES if r.partition(":")[0] == word]
        if not known:
            words = [r.partition(":")[0] for r in _RUN_RULES]
            raise place.error(unknown("rule", word, words, "rules"))
        if colon != (":" if ":" in known[0] else "") or bool(colon) != bool(argument):
            raise place.error(f"{quoted(rule)} must be written {known[0]}")
        if word in ("first_user_text", "file"):
            pattern(argument, place)
    return rules


def _tools(root: Table) -> dict[str, ToolSpec]:
    table = root.table("tools")
    tools: dict[str, ToolSpec] = {}
    for name, tool in table.each(Table) if table else ():
        tool.only("effect", "names", "args", "extra_args", "identity")
        args = tool.table("args")
        tools[name] = ToolSpec(
            name=name,
            effect=tool.choice("effect", ("read", "write"), "write"),
            names=tool.texts("names"),
            args=dict(args.each(tool_comparison)) if args else {},
            extra_args=tool.choice("extra_args", ("fail", "ignore"), "fail"),
            identity=tool.texts("identity") if "identity" in tool else None,
        )
    owner: dict[str, str] = {name: name for name in tools}
    for name, spec in tools.items():
        for index, alias in enumerate(spec.names, 1):
            if owner.setdefault(alias, name) != name:
                place = root.at("tools").key(name).key("names").item(index)
                raise place.error(
                    f"{quoted(alias)} names two tools: {quoted(owner[alias])} and {quoted(name)}"
                )
    return tools


_TESTS = ("equals", "one_of", "between", "regex", "json_schema")


def _layers(root: Table, tools: dict[str, ToolSpec]) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    for table in root.tables("layer") or ():
        table.only("name", "group", "tool", "at", "missing", *_TESTS)
        name = table.text("name")
        if any(layer.name == name for layer in layers):
            raise table.error("name", f"another layer is named {quoted(name)}; names must differ")
        tool = table.optional_text("tool")
        given = [key for key in _TESTS if key in table]
        if len(given) != 1:
            have = f"has {listed(given)}" if given else "has no rule"
            raise table.place.error(f"{have}; needs exactly one of {listed(_TESTS)}")
        layers.append(
            Layer(
                name=name,
                at=path(table.need("at"), table.at("at")),
                test=(given[0], _layer_test(given[0], table.data[given[0]], table.at(given[0]))),
                tool=None if tool is None else canonical_glob(tools, tool),
                group=table.optional_text("group"),
                missing=table.choice("missing", ("unknown", "skip", "reject"), "unknown"),
            )
        )
    return tuple(layers)


def _layer_test(test: str, value: Any, place: Place) -> Any:
    if test == "equals":
        return fixed(value, place)
    if test == "regex":
        return pattern(value, place)
    if test == "json_schema":
        return schema(value, place)
    if test == "one_of":
        values = tuple(fixed(item, at) for at, item in items(value, place, "values"))
        if not values:
            raise place.error("must hold at least one value")
        return values
    bounds = [number(item, at) for at, item in items(value, place, "two numbers")]
    if len(bounds) != 2:
        raise place.error(f"must be two numbers, [lowest, highest], not {len(bounds)}")
    if bounds[0] > bounds[1]:
        raise place.error(f"the lowest, {bounds[0]}, is more than the highest, {bounds[1]}")
    return tuple(bounds)


def _evidence(root: Table) -> Evidence:
    table = root.table("evidence")
    if table is None:
        return Evidence()
    table.only("required", "redacted", "cut", "redact", "absence")
    cut = table.texts("cut")
    for index, written in enumerate(cut, 1):
        pattern(written, table.at("cut").item(index))
    required = table.texts("required")
    return Evidence(
        required=tuple(path(p, table.at("required").item(i)) for i, p in enumerate(required, 1)),
        redacted=table.texts("redacted"),
        cut=cut,
        redact=table.texts("redact"),
        absence=table.choice("absence", ("complete", "always"), "complete"),
    )


def _trials(root: Table) -> Any:
    table = root.table("verdict")
    return "all" if table is None else table.only("trials").choice("trials", ("all", "any"), "all")


def _with_priority(contract: Contract, root: Table) -> Contract:
    possible = labels(contract)
    table = root.table("diagnosis")
    if table is None:
        return replace(contract, priority=possible)
    table.only("priority")
    first = table.texts("priority")
    for index, label in enumerate(first, 1):
        if label not in possible:
            place = table.at("priority").item(index)
            labels_ = listed(possible) or "none"
            raise place.error(
                f"nothing in this contract yields the label {quoted(label)} (labels: {labels_})"
            )
    return replace(contract, priority=(*first, *(label for label in possible if label not in first)))
