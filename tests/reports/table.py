"""The table: per input what is right, as its ``check`` says it (names of checks as in CHECKS).

``verdicts``: ``[]`` for a run that passes, the failing checks, or ``no_trace``, ``input_error`` (unusable) or
``unknown``. Inputs come from open reports about other tools; ``sources`` names them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE / "data"
TABLE: dict[str, dict[str, Any]] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))

CHECKS = {
    "sequence": "sequence_ok",
    "arguments": "arguments_ok",
    "statuses": "tools_succeeded",
    "single_write": "single_write",
    "final_state": "final_state_ok",
}
WORDS = {"no_trace": "no_trace", "input_error": "unusable", "unknown": "unknown"}
ODD_NAMES = {
    "068-pipes-gz": ("cases.csv", "traces.jsonl.gz"),
    "070-path-errors": ("run [old] 1/my cases.csv", "run [old] 1/--traces.jsonl"),
}


def check_of(name: str) -> dict[str, Any]:
    """What is right for an input: where the table leaves a choice, the first (the file is used)."""
    check: dict[str, Any] = TABLE[name]["check"]
    choices = check.get("either", [])
    return {**check, **choices[0]} if choices and isinstance(choices[0], dict) else check


def having(*keys: str) -> list[str]:
    """The inputs whose check says something about one of ``keys``."""
    return [name for name in TABLE if any(key in check_of(name) for key in keys)]


def said_of(result: dict[str, Any]) -> list[str] | str:
    """A row of the report in the table's words."""
    if result["verdict"] in ("pass", "fail"):
        return [check for check, verdict in result["checks"].items() if verdict == "fail"]
    return str(result["verdict"])


def expected(said: list[str] | str) -> list[str] | str:
    return WORDS[said] if isinstance(said, str) else [CHECKS[name] for name in said]


@dataclass(frozen=True)
class Ran:
    """One run of the command: exit code, standard output and standard error."""

    code: int
    out: bytes
    err: str

    @property
    def report(self) -> dict[str, Any]:
        report = json.loads(self.out)
        assert isinstance(report, dict)
        return report


Run = Callable[..., Ran]
