"""The signs of the screen, in two alphabets: no information is carried by colour alone.

``UNICODE`` is the default; ``ASCII`` serves terminals and fonts that lack the others (``--ascii``, or
``ascii = true`` in the config file). Every sign is one cell wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from traceview.model import RunResult


@dataclass(frozen=True, slots=True)
class Signs:
    """One cell each. ``runs`` maps a diagnosis, or a verdict where the diagnosis has no sign, to a sign."""

    passed: str
    failed: str
    unknown: str
    not_applicable: str
    pending: str
    runs: dict[str, str]
    cursor: str
    cursor_blurred: str
    folded: str
    unfolded: str
    differs: str
    disagrees: str
    missing: str
    unexpected: str
    forgiven: str
    moved: str
    ascending: str
    descending: str
    cut: str
    newline: str
    dot: str
    times: str
    bar: str
    bar_empty: str
    rule: str

    def of_check(self, verdict: str) -> str:
        """The sign of a check's verdict."""
        return {"pass": self.passed, "fail": self.failed, "unknown": self.unknown}.get(
            verdict, self.not_applicable
        )

    def of_run(self, result: RunResult) -> str:
        """The sign of a run: by diagnosis, else by verdict."""
        return self.runs.get(result.diagnosis) or self.runs.get(result.verdict) or self.failed


UNICODE: Final = Signs(
    passed="✓",
    failed="✗",
    unknown="?",
    not_applicable="·",
    pending="…",
    runs={
        "pass": "✓",
        "fail": "✗",
        "tool_error": "!",
        "wrong_final_state": "◆",
        "duplicate_write": "‼",
        "missing_write": "○",
        "forbidden_call": "⊘",
        "unknown": "?",
        "no_trace": "∅",
        "unusable": "#",
        "unreviewed": "·",
        "pending": "…",
    },
    cursor="▌",
    cursor_blurred="▏",
    folded="▸",
    unfolded="▾",
    differs="✗",
    disagrees="≠",
    missing="−",
    unexpected="+",
    forgiven="≈",
    moved="↕",
    ascending="▲",
    descending="▼",
    cut="…",
    newline="⏎",
    dot="·",
    times="×",
    bar="█",
    bar_empty="░",
    rule="─",
)

ASCII: Final = Signs(
    passed="+",
    failed="x",
    unknown="?",
    not_applicable=".",
    pending="~",
    runs={
        "pass": "+",
        "fail": "x",
        "tool_error": "!",
        "wrong_final_state": "*",
        "duplicate_write": "2",
        "missing_write": "0",
        "forbidden_call": "@",
        "unknown": "?",
        "no_trace": "-",
        "unusable": "#",
        "unreviewed": ".",
        "pending": "~",
    },
    cursor=">",
    cursor_blurred="|",
    folded=">",
    unfolded="v",
    differs="x",
    disagrees="!",
    missing="-",
    unexpected="+",
    forgiven="~",
    moved="^",
    ascending="^",
    descending="v",
    cut="~",
    newline="|",
    dot="-",
    times="x",
    bar="#",
    bar_empty=".",
    rule="-",
)
