"""What a contract says, as plain frozen data: the result of reading TOML (or the columns of the cases file).

Nothing here evaluates anything. ``contract/toml.py`` builds these objects, ``evaluate`` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

# -- expected values: a tree whose leaves are literals, columns of the case, or results of earlier calls ----


@dataclass(frozen=True, slots=True)
class Value:
    """A literal; ``value`` holds no template anywhere inside."""

    value: Any


@dataclass(frozen=True, slots=True)
class Column:
    """``{name}``: the whole cell of the case, with its cast."""

    name: str


@dataclass(frozen=True, slots=True)
class StepRef:
    """``{step.ID.result.a.b}``: what the matched call of step ID returned, at ("result", "a", "b")."""

    step: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """``"{a}-{b}"``: cells as they are written, and text, joined."""

    parts: tuple[str | Column | StepRef, ...]


@dataclass(frozen=True, slots=True)
class ObjectOf:
    items: tuple[tuple[str, Expected], ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    items: tuple[Expected, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """How two values are compared; see docs/contract.md for the kinds.

    ``value`` is the expected value where it is written in place (``{kind = "instant", value = "{start}"}``),
    None where it comes from elsewhere (a tool's ``args`` table).
    """

    kind: str
    value: Expected | None = None
    values: tuple[Any, ...] = ()  # one_of
    pattern: str = ""  # regex
    abs: float | int | None = None  # number
    rel: float | int | None = None
    tolerance_s: float | int = 0  # instant
    min: int | None = None  # len
    max: int | None = None
    schema: Mapping[str, Any] | None = None  # schema
    then: Compare | None = None  # json
    of: tuple[Compare, ...] = ()  # not (one item), all, any


Expected: TypeAlias = Value | Column | StepRef | Join | ObjectOf | ListOf | Compare

EQUALS = Compare("equals")

# -- sections ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CasesSpec:
    """``[cases]``. ``casts``: column → "text", "int", "float", "bool", "json", "instant" or "list:SEP"."""

    id: str = "case_id"
    title: str | None = None
    label: str | None = None
    casts: Mapping[str, str] = field(default_factory=dict)
    empty: Literal["n/a", "unknown", "literal"] = "n/a"


@dataclass(frozen=True, slots=True)
class RunsSpec:
    """``[runs]``: rules as written (``field:NAME``, ``meta:KEY`` …), tried in order."""

    case: tuple[str, ...] = ()
    trial: tuple[str, ...] = ()
    calls_as_user: Literal["ignore", "check"] = "ignore"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """``[tools.NAME]``. ``identity`` None: all arguments."""

    name: str
    effect: Literal["read", "write"] = "write"
    names: tuple[str, ...] = ()
    args: Mapping[str, Compare] = field(default_factory=dict)
    extra_args: Literal["fail", "ignore"] = "fail"
    identity: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """``[order]``. ``extra`` is "none", "reads", "any" or the tools whose extra calls are allowed.
    ``accept``: accepted tool sequences, instead of the steps' own."""

    mode: Literal["exact", "in_order", "partial", "any"] = "exact"
    missing: Literal["fail", "allow"] = "fail"
    extra: str | tuple[str, ...] = "none"
    accept: tuple[tuple[str, ...], ...] | None = None
    calls: Literal["all", "ok"] = "all"


@dataclass(frozen=True, slots=True)
class Step:
    """``[[step]]``. ``args`` None: not compared; empty: none allowed."""

    tool: str
    args: Mapping[str, Expected] | None = None
    id: str | None = None
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepsFrom:
    """``[[steps_from]]``: steps from a JSON column of the case."""

    column: str
    match: Literal["all", "writes"] = "all"


@dataclass(frozen=True, slots=True)
class Status:
    """``[status]``. ``ok`` None: the section only classifies and makes no check."""

    ok: tuple[str, ...] | None = None
    retries: Literal["fail", "allow"] = "fail"
    error_text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """``[[limit]]``: how often calls may happen; ``tool`` is a glob. ``same`` None counts all selected calls
    together; "tool", "args", "identity" count within groups of equal calls."""

    name: str
    tool: str | None = None
    effect: Literal["read", "write"] | None = None
    status: str | None = None
    exactly: int | None = None
    at_least: int | None = None
    at_most: int | None = None
    same: Literal["tool", "args", "identity"] | None = None
    over: str = "duplicate_write"
    under: str = "missing_write"


@dataclass(frozen=True, slots=True)
class Forbid:
    """``[[forbid]]``: calls that must not happen; ``before`` is a step id, ``unless_before`` a tool."""

    tool: str | None = None
    effect: Literal["read", "write"] | None = None
    when: Mapping[str, Any] = field(default_factory=dict)
    before: str | None = None
    unless_before: str | None = None


@dataclass(frozen=True, slots=True)
class Final:
    """``[final]``: (dotted path, expected) pairs that the final evidence must meet."""

    items: tuple[tuple[tuple[str, ...], Expected], ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """``[[layer]]``: an acceptance rule that is not the verdict. ``test`` is its one rule: ("equals", v),
    ("one_of", (v, …)), ("between", (lo, hi)), ("regex", text) or ("json_schema", {…})."""

    name: str
    at: tuple[str, ...]
    test: tuple[str, Any]
    tool: str | None = None
    group: str | None = None
    missing: Literal["unknown", "skip", "reject"] = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """``[evidence]``."""

    required: tuple[tuple[str, ...], ...] = ()
    redacted: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    absence: Literal["complete", "always"] = "complete"


@dataclass(frozen=True, slots=True)
class Rules:
    """The sections that a branch may replace: None means that the section is not there."""

    order: Order | None = None
    steps: tuple[Step, ...] | None = None
    steps_from: tuple[StepsFrom, ...] | None = None
    status: Status | None = None
    limits: tuple[Limit, ...] | None = None
    forbids: tuple[Forbid, ...] | None = None
    final: Final | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """``[[branch]]``: applies when every ``when`` entry (column or field of the final evidence) equals."""

    name: str
    when: Mapping[str, Any]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything a contract file says. ``source`` is what is shown ("built-in", "columns", or a path),
    ``sha256`` that of its text (for ``columns``: of the column names it reads).

    ``described`` is True for cases that describe themselves: then the expected columns named in
    ``described_columns`` are the rules, case by case. ``priority`` is complete: every label that can come up,
    in its order.
    """

    name: str
    source: str
    sha256: str
    cases: CasesSpec = CasesSpec()
    runs: RunsSpec = RunsSpec()
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    rules: Rules = Rules()
    layers: tuple[Layer, ...] = ()
    branches: tuple[Branch, ...] = ()
    evidence: Evidence = Evidence()
    trials: Literal["all", "any"] = "all"
    priority: tuple[str, ...] = ()
    described: bool = False
    described_columns: tuple[str, ...] = ()
