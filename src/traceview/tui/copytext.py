"""What can be copied from an opened run, as plain text and as Markdown: case, step, argument, difference.

Pure functions. A copied value is letter for letter what was recorded; everything around it (titles, messages,
one-line forms) is text for reading and passes through :mod:`traceview.sanitize`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from traceview.evaluate.detail import Detail, Diff, StepRow
from traceview.model import MISSING, Finding


@dataclass(frozen=True, slots=True)
class Under:
    """What the cursor of the timeline is on: a run; ``row``, a step of it; a value by ``name`` with its two
    sides (MISSING where a side has none) and, if it was compared, its ``diff``; or a ``finding``."""

    detail: Detail
    row: StepRow | None = None
    name: str | None = None
    expected: Any = MISSING
    observed: Any = MISSING
    diff: Diff | None = None
    finding: Finding | None = None
