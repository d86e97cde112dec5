"""The rules of a contract's ``[runs]``: how a recorded event finds its case and trial."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from traceview.contract.spec import RunsSpec
from traceview.read.ids import id_text
from traceview.read.problems import InputError

__all__ = ["Linking"]

Rule = Callable[[Mapping[str, Any], str], "str | None"]

_META = ("metadata", "_meta", "meta", "association", "association_properties", "attributes")


class Linking:
    """Finds the case and the trial of an event.

    ``fast`` tells that the first rules are the native keys themselves, so that rules need to be looked at
    only for an event without them.

    :param folder: where the files of ``map:`` rules are when their names are relative (the contract's).
    :raises InputError: a ``map:`` file that is missing or no CSV with two columns.
    """

    def __init__(self, runs: RunsSpec, folder: str = "") -> None:
        self.rules = runs.case
        self.fast = runs.case[:1] in ((), ("field:case_id",)) and runs.trial[:1] in ((), ("field:trial",))
        self._case = [_rule(rule, folder) for rule in runs.case]
        self._trial = [_rule(rule, folder) for rule in runs.trial]

    def case(self, event: Mapping[str, Any], file_name: str) -> str | None:
        """The case of an event, by the rules and then by its own key."""
        return _first(self._case, event, file_name) or id_text(event.get("case_id"))

    def trial(self, event: Mapping[str, Any], file_name: str) -> str | None:
        """The trial of an event, by the rules and then by its own key."""
        return _first(self._trial, event, file_name) or id_text(event.get("trial"))


def _first(rules: Sequence[Rule], event: Mapping[str, Any], file_name: str) -> str | None:
    for rule in rules:
        found = rule(event, file_name)
        if found is not None:
            return found
    return None


def _rule(text: str, folder: str) -> Rule:
    kind, _, what = text.partition(":")
    if kind == "field":
        return lambda event, _: id_text(_at(event, what))
    if kind == "attr":
        return lambda event, _: id_text(_at(_object(event.get("attributes")), what))
    if kind == "meta":
        return lambda event, _: next(_entries(event, what), None)
    if kind == "trace_id":
        return lambda event, _: id_text(event.get("trace_id"))
    if kind == "file":
        pattern = re.compile(what)
        return lambda _, name: _matched(pattern.search(name))
    if kind == "map":
        table = _table(what, folder)
        return lambda event, name: _mapped(table, event, name)
    # first_user_text: a native event holds no conversation
    return lambda event, _: None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _at(value: Mapping[str, Any], name: str) -> Any:
    """The entry ``name``, which may be a dotted path; a key that has the dots itself comes first."""
    if name in value:
        return value[name]
    head, dot, rest = name.partition(".")
    return _at(_object(value.get(head)), rest) if dot else None


def _entries(event: Mapping[str, Any], key: str) -> Iterator[str]:
    """Ids under any metadata, ``_meta`` or association entry whose last segment is ``key``."""
    for name, value in event.items():
        segments = re.split(r"[./]", name)
        if len(segments) > 1 and segments[-1] == key and (found := id_text(value)) is not None:
            yield found
        if segments[-1] in _META:
            yield from _below(value, key)


def _below(value: Any, key: str) -> Iterator[str]:
    for name, inner in _object(value).items():
        if re.split(r"[./]", name)[-1] == key and (found := id_text(inner)) is not None:
            yield found
        yield from _below(inner, key)


def _matched(match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    return (match[1] if match.re.groups else match[0]) or None


def _table(name: str, folder: str) -> dict[str, str]:
    path = Path(folder, name)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(row)]
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"{path}: the file of [runs] map:{name} cannot be read ({reason}); expected a CSV file with a "
            f"recorded id and its case id in each row"
        ) from None
    wrong = next((row for row in rows if len(row) < 2), None)
    if wrong is not None:
        raise InputError(f"{path}: a row has one cell only ({wrong[0]}); expected recorded id, case id")
    return {row[0]: row[1] for row in rows[1:]}


def _mapped(table: Mapping[str, str], event: Mapping[str, Any], name: str) -> str | None:
    for own in (*(id_text(event.get(key)) for key in ("trace_id", "run_id", "case_id")), name):
        if own is not None and own in table:
            return table[own] or None
    return None
