"""What rows count as, and their totals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

__all__ = ["PENDING", "Counts", "Profile"]

# The diagnosis of a row that was not judged yet: the word of traceview.load.PENDING, which is not imported
# here: the first frame does not wait for the modules that read and judge.
PENDING: Final = "pending"


@dataclass(frozen=True, slots=True)
class Profile:
    """What a row counts as."""

    verdict: str
    diagnosis: str
    checks: tuple[str, ...]

    @property
    def pending(self) -> bool:
        return self.diagnosis == PENDING


@dataclass(slots=True)
class Counts:
    """Rows by verdict, by diagnosis (each partitions the rows) and by check (these overlap)."""

    runs: int = 0
    pending: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    diagnoses: Counter[str] = field(default_factory=Counter[str])
    checks: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])

    def applicable(self, check: str) -> int:
        """The base of a check: the runs in which it holds, does not hold, or cannot be told."""
        verdicts = self.checks.get(check, Counter())
        return verdicts["pass"] + verdicts["fail"] + verdicts["unknown"]
