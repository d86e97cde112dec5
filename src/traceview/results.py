"""One table of results: what every view, total and export is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from traceview.model import Case, Problem, RunResult


class Row(Struct, frozen=True, gc=False):
    """One run, or one case without a run. ``where`` locates its events for reading them again
    (read.traces.TraceIndex); ``title`` is the case's title, "" when it has none."""

    case: Case
    title: str
    label: str | None
    result: RunResult
    where: bytes = b""


class InputInfo(Struct, frozen=True, gc=False):
    """One input file: ``role`` "cases" or "traces"; ``path`` as a report shows it; ``records`` rows or lines used."""

    role: str
    path: str
    format: str
    records: int
    sha256: str | None


class ContractInfo(Struct, frozen=True, gc=False):
    """Which contract judged, and what it is made of. ``source`` "built-in", "columns" or a path."""

    name: str
    source: str
    sha256: str
    checks: tuple[str, ...]
    layers: tuple[str, ...] = ()
    layer_groups: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    priority: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()


class Report(Struct):
    """One evaluation. ``rows`` keep the order of the cases file, runs of a case together; ``unreviewed`` are
    recorded runs without a case. ``skipped`` counts input lines that could not be used at all."""

    contract: ContractInfo | None
    inputs: tuple[InputInfo, ...]
    rows: list[Row]
    unreviewed: list[Row]
    problems: list[Problem]
    skipped: int = 0
    filter: str | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
