"""Which columns of the cases file a contract uses, and at which place each is named."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from traceview.contract.errors import unknown
from traceview.contract.spec import (
    Column,
    Compare,
    Contract,
    Expected,
    Join,
    ListOf,
    ObjectOf,
    Rules,
    StepRef,
)
from traceview.contract.table import Place

__all__ = ["check_columns", "references", "used", "used_columns"]


def references(expected: Expected, place: Place) -> Iterator[tuple[Column | StepRef, Place]]:
    """Every column and step reference inside an expected value, with its place."""
    if isinstance(expected, (Column, StepRef)):
        yield expected, place
    elif isinstance(expected, Join):
        for part in expected.parts:
            if not isinstance(part, str):
                yield part, place
    elif isinstance(expected, ObjectOf):
        for key, item in expected.items:
            yield from references(item, place.key(key))
    elif isinstance(expected, ListOf):
        for number, item in enumerate(expected.items, 1):
            yield from references(item, place.item(number))
    elif isinstance(expected, Compare):
        if expected.value is not None:
            yield from references(expected.value, place.key("value"))
        if expected.then is not None:
            yield from references(expected.then, place.key("then"))
        for number, inner in enumerate(expected.of, 1):
            at = place.key("of")
            yield from references(inner, at if expected.kind == "not" else at.item(number))


def rules_references(rules: Rules, place: Place) -> Iterator[tuple[Column | StepRef, Place]]:
    """The same for the steps and the final evidence of a section."""
    for number, step in enumerate(rules.steps or (), 1):
        for name, argument in (step.args or {}).items():
            yield from references(argument, place.key("step").item(number).key("args").key(name))
    for path, expected in rules.final.items if rules.final is not None else ():
        at = place.key("final")
        for part in path:
            at = at.key(part)
        yield from references(expected, at)


def used(contract: Contract) -> Iterator[tuple[str, Place]]:
    """Every column that the contract names as a column, with its place; some more than once."""
    place = Place(contract.source)
    cases = place.key("cases")
    yield contract.cases.id, cases.key("id")
    for key, column in (("title", contract.cases.title), ("label", contract.cases.label)):
        if column is not None:
            yield column, cases.key(key)
    for column in contract.cases.casts:
        yield column, cases.key("columns").key(column)
    parts = [(contract.rules, place)]
    parts += [(b.rules, place.key("branch").item(n)) for n, b in enumerate(contract.branches, 1)]
    for rules, at in parts:
        for reference, where in rules_references(rules, at):
            if isinstance(reference, Column):
                yield reference.name, where
        for number, steps_from in enumerate(rules.steps_from or (), 1):
            yield steps_from.column, at.key("steps_from").item(number).key("column")
        for number, forbid in enumerate(rules.forbids or (), 1):
            for column in forbid.when:
                yield column, at.key("forbid").item(number).key("when").key(column)


def used_columns(contract: Contract) -> tuple[str, ...]:
    """The names of the columns that the contract needs, each once, in the order of their first use."""
    return tuple(dict.fromkeys(column for column, _ in used(contract)))


def check_columns(contract: Contract, columns: Collection[str]) -> None:
    """Refuse a contract that names a column which the cases file does not have."""
    for column, place in used(contract):
        if column not in columns:
            raise place.error(unknown("column", column, columns, "columns"))
