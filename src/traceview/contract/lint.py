"""Is a contract sound, does it fit the cases, and what in it is allowed but probably not meant?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from traceview.contract.columns import used
from traceview.contract.errors import ContractError, listed, nearest, quoted, unknown
from traceview.contract.find import ignored_columns
from traceview.contract.fit import fit
from traceview.contract.names import check_names
from traceview.contract.remarks import Remark, parts, remark
from traceview.contract.rules import SECTIONS
from traceview.contract.spec import Contract, Forbid, Limit
from traceview.contract.table import Place
from traceview.contract.toml import parse
from traceview.contract.tools import glob
from traceview.model import Case

__all__ = ["Remark", "lint"]


def lint(
    contract_text: str,
    source: str,
    cases_columns: Collection[str] | None = None,
    cases: Sequence[Case] = (),
    *,
    json_cases: bool = False,
) -> list[Remark]:
    """Everything there is to say about a contract: errors first, then warnings, then notes, each by place.

    ``cases_columns`` and ``cases`` are those of the cases file that it is meant for, None and empty without
    one; ``json_cases``: that file is JSON or JSONL.
    """
    try:
        contract = parse(contract_text, source)
    except ContractError as error:
        return [Remark("error", error.path, error.key_path, error.message)]
    remarks = [*_rules(contract)]
    if cases_columns is not None:
        remarks += _columns(contract, cases_columns)
    if cases and not any(found.severity == "error" for found in remarks):
        remarks += fit(contract, cases, json_cases)
    ranks = ("error", "warning", "note")
    return sorted(remarks, key=lambda found: ranks.index(found.severity))


# -- the contract by itself --------------------------------------------------------------------------------


def _rules(contract: Contract) -> Iterator[Remark]:
    top = Place(contract.source)
    if not check_names(contract):
        judged = "layers alone give no verdict" if contract.layers else "nothing is expected"
        yield remark("warning", top, f"makes no check: {judged}, so every run is unknown")
    yield from _replaced(contract)
    yield from _tool_names(contract)
    yield from _unused_arguments(contract)
    for rules, place in parts(contract):
        mode = rules.order.mode if rules.order is not None else _mode(contract)
        for number, step in enumerate(rules.steps or (), 1):
            if step.after and mode in ("exact", "in_order"):
                at = place.key("step").item(number).key("after")
                yield remark("note", at, f"changes nothing: mode = {quoted(mode)} orders all steps")
        if rules.status is not None and rules.status.ok is None and rules.status.retries == "allow":
            at = place.key("status").key("retries")
            yield remark("warning", at, "changes nothing without ok: no check of statuses is made")
        for number, limit in enumerate(rules.limits or (), 1):
            if not limit.at_least and limit.exactly is None and limit.at_most is None:
                at = place.key("limit").item(number).key("at_least")
                yield remark("warning", at, "holds whatever happens: no count is below 0")


def _mode(contract: Contract) -> str:
    return contract.rules.order.mode if contract.rules.order is not None else "exact"


def _replaced(contract: Contract) -> Iterator[Remark]:
    """Top-level sections that no run is judged by, because every branch has its own."""
    if not contract.branches:
        return
    fields = {"step": "steps", "limit": "limits", "forbid": "forbids"}
    for section in SECTIONS:
        field = fields.get(section, section)
        everywhere = all(getattr(branch.rules, field) is not None for branch in contract.branches)
        if getattr(contract.rules, field) is not None and everywhere:
            place = Place(contract.source).key(section)
            yield remark("warning", place, "is never used: every branch has its own")


def _tool_names(contract: Contract) -> Iterator[Remark]:
    """Names of tools that look like slips: not declared, and close to one that is."""
    declared = list(contract.tools)
    if not declared:
        return
    for name, place in _named_tools(contract):
        if name in declared or any(glob(name)(tool) for tool in declared):
            continue
        near = nearest(name, declared)
        if near is not None:
            yield remark(
                "warning", place, f"{quoted(name)} is no tool of [tools]; did you mean {quoted(near)}?"
            )
        elif "*" not in name and "?" not in name:
            yield remark("note", place, f"{quoted(name)} is not declared in [tools], so it is taken to write")


def _named_tools(contract: Contract) -> Iterator[tuple[str, Place]]:
    for rules, place in parts(contract):
        for number, step in enumerate(rules.steps or (), 1):
            yield step.tool, place.key("step").item(number).key("tool")
        sections: tuple[tuple[str, tuple[Limit | Forbid, ...] | None], ...] = (
            ("limit", rules.limits),
            ("forbid", rules.forbids),
        )
        for section, entries in sections:
            for number, entry in enumerate(entries or (), 1):
                at = place.key(section).item(number)
                if entry.tool is not None:
                    yield entry.tool, at.key("tool")
                if isinstance(entry, Forbid) and entry.unless_before is not None:
                    yield entry.unless_before, at.key("unless_before")
        order = place.key("order")
        if rules.order is not None and isinstance(rules.order.extra, tuple):
            for number, name in enumerate(rules.order.extra, 1):
                yield name, order.key("extra").item(number)
        for number, sequence in enumerate((rules.order.accept if rules.order else None) or (), 1):
            for index, name in enumerate(sequence, 1):
                yield name, order.key("accept").item(number).item(index)
    for number, layer in enumerate(contract.layers, 1):
        if layer.tool is not None:
            yield layer.tool, Place(contract.source).key("layer").item(number).key("tool")


def _unused_arguments(contract: Contract) -> Iterator[Remark]:
    """Ways to compare an argument that no step of that tool expects."""
    if any(rules.steps_from for rules, _ in parts(contract)):
        return
    expected: dict[str, set[str]] = {}
    for rules, _ in parts(contract):
        for step in rules.steps or ():
            expected.setdefault(step.tool, set()).update(step.args or ())
    for tool in contract.tools.values():
        names = expected.get(tool.name)
        for argument, compare in tool.args.items():
            if names and argument not in names and compare.kind not in ("ignore", "absent"):
                place = Place(contract.source).key("tools").key(tool.name).key("args").key(argument)
                near = nearest(argument, sorted(names))
                hint = f"; did you mean {quoted(near)}?" if near is not None else ""
                yield remark("note", place, f"no step expects this argument of {tool.name}{hint}")


# -- the contract and the columns --------------------------------------------------------------------------


def _columns(contract: Contract, columns: Collection[str]) -> Iterator[Remark]:
    for column, place in used(contract):
        if column not in columns:
            yield remark("error", place, unknown("column", column, columns, "columns"))
    deciding = {column for column, place in used(contract) if not place.path.startswith("cases.")}
    deciding |= {key for branch in contract.branches for key in branch.when}
    for column in contract.cases.casts:
        if column in columns and column not in deciding:
            place = Place(contract.source).key("cases").key("columns").key(column)
            yield remark("note", place, "this column is cast, and nothing is compared with it")
    ignored = ignored_columns(contract, columns)
    if ignored:
        yield remark("note", Place(contract.source), f"expected columns that are not read: {listed(ignored)}")
