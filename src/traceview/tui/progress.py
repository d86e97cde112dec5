"""How far reading is, in words: a count, bytes and an estimate."""

from __future__ import annotations

import time

from traceview.load import Progress

_STAGES = {"cases": "reading cases", "traces": "reading traces", "runs": "judging"}


class Pace:
    """Remembers when a stage began, to tell how long it will take."""

    def __init__(self) -> None:
        self._stage = ""
        self._began = 0.0

    def words(self, progress: Progress, now: float | None = None) -> str:
        """``reading traces  46%  120 of 262 MB  about 2 s left``."""
        now = time.monotonic() if now is None else now
        if progress.stage != self._stage:
            self._stage, self._began = progress.stage, now
        words = [_STAGES.get(progress.stage, progress.stage)]
        done, total = progress.done, progress.total
        if not total:
            return words[0]
        words.append(f"{100 * done // total}%")
        if progress.stage == "traces":
            words.append(f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB")
        else:
            words.append(f"{done:,} of {total:,}")
        spent = now - self._began
        if done and spent > 0.5:
            words.append(f"about {max(1, round(spent / done * (total - done)))} s left")
        return "  ".join(words)
