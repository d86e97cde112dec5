"""``check`` beside the tutorial's way, a careful loop and the bytes alone; memory beside file size."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benchmarks.generate import Data, data
from benchmarks.measure import PYTHON, TRACEVIEW, Cost, cost, in_turns, median_cost, table

MB = 1_000_000


def check(size: int, repeat: int) -> None:
    """Every verdict from two files: traceview beside what people write themselves."""
    made = data(size)
    print(f"check: {size:,} cases, {made.traces.stat().st_size / MB:,.0f} MB of traces\n")
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, loop = (Path(folder) / name for name in ("traceview", "pandas", "json"))
        quick = in_turns(
            repeat,
            lambda: cost(["cat", made.traces]),
            lambda: cost([*TRACEVIEW, *check_arguments(made)], ours),
            lambda: cost([PYTHON, "-m", "benchmarks.peers", "json", *made], loop),
        )
        # Minutes long and steady: once is enough.
        tutorial = cost([PYTHON, "-m", "benchmarks.peers", "pandas", *made], theirs)
        passes = [
            json.loads(ours.read_text())["totals"]["pass"],
            json.loads(loop.read_text())["pass"],
            json.loads(theirs.read_text())["pass"],
        ]
    bound, traceview, by_hand = map(median_cost, quick)
    rows = [
        row("cat (the bytes alone)", bound, traceview, ""),
        row("traceview check", traceview, traceview, str(passes[0])),
        row("json loop", by_hand, traceview, str(passes[1])),
        row("pandas tutorial", tutorial, traceview, str(passes[2])),
    ]
    table(("", "wall s", "cpu s", "peak MB", "wall / traceview", "peak / traceview", "runs that pass"), rows)


def check_arguments(made: Data) -> list[str]:
    return ["check", str(made.cases), str(made.traces), "--format", "json", "--summary"]


def row(name: str, of: Cost, base: Cost, passes: str) -> tuple[str, ...]:
    return (
        name,
        f"{of.wall:.2f}",
        f"{of.cpu:.2f}",
        f"{of.peak / MB:,.0f}" if passes else "",  # of so small a process, what it started from counts
        f"{of.wall / base.wall:.2f}",
        f"{of.peak / base.peak:.2f}" if passes else "",
        passes,
    )


def memory(size: int, repeat: int) -> None:
    """Peak memory of ``check`` against the size of the trace file."""
    print("memory: peak of check against the trace file\n")
    rows = []
    for part in (size // 100, size // 10, size):
        made = data(part)
        length = made.traces.stat().st_size
        peak = median_cost(cost([*TRACEVIEW, *check_arguments(made)]) for _ in range(repeat)).peak
        rows.append((f"{part:,} cases", f"{length / MB:,.1f}", f"{peak / MB:,.1f}", f"{peak / length:.2f}"))
    table(("", "file MB", "peak MB", "peak / file"), rows)
