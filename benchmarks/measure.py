"""What a process takes: seconds, seconds of processor, bytes of memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable
TRACEVIEW = (PYTHON, "-m", "traceview")
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Cost(NamedTuple):
    """Of one process, start to end. ``peak`` is the largest resident memory of it or of a child of it."""

    wall: float
    cpu: float
    peak: int


def cost(command: Sequence[str | Path], output: Path | None = None) -> Cost:
    """Run to the end, standard output into a file (or nowhere). ``traceview check`` may exit 1: runs fail."""
    with (output or Path(os.devnull)).open("wb") as out:
        started = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=out, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _RSS_UNIT)


def median_cost(costs: Iterable[Cost]) -> Cost:
    walls, cpus, peaks = zip(*costs, strict=True)
    return Cost(statistics.median(walls), statistics.median(cpus), int(statistics.median(peaks)))


Result = TypeVar("Result")


def in_turns(repeat: int, *measurements: Callable[[], Result]) -> list[list[Result]]:
    """Each measurement ``repeat`` times, taking turns: a busy moment of the machine hits all alike."""
    results: list[list[Result]] = [[] for _ in measurements]
    for _ in range(repeat):
        for into, measure in zip(results, measurements, strict=True):
            into.append(measure())
    return results


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print columns: the first flush left, the others flush right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        first, *rest = (
            cell.ljust(w) if not i else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *rest]).rstrip())
    print()
