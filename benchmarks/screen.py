"""The screen in a pseudo-terminal: when its first frame and first rows are there, and what a key costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from tests.terminal import Terminal

from benchmarks import generate
from benchmarks.generate import Data, data
from benchmarks.measure import ROOT, TRACEVIEW, in_turns, table

SAMPLE = Data(
    ROOT / "sample_data" / "booking_agent_cases.csv", ROOT / "sample_data" / "booking_agent_traces.jsonl"
)
STEPS = 5000
PRESSES = 10  # of every key, in each repetition


def first_frame(size: int, repeat: int) -> None:
    """Seconds from the start to the first frame and to the first row, for twelve cases and for many."""
    print(f"first-frame: the sample's 12 cases and {size:,}\n")
    many = data(size)
    small, large = in_turns(repeat, lambda: opening(SAMPLE, b"B01"), lambda: opening(many, b"C0000000"))
    rows = []
    base = statistics.median(frame for frame, _ in small)
    for name, times in (("12 cases", small), (f"{size:,} cases", large)):
        frame = statistics.median(frame for frame, _ in times)
        first_row = statistics.median(row - frame for frame, row in times)
        rows.append((name, f"{frame:.3f}", f"{frame / base:.2f}", f"{first_row:.3f}"))
    table(("", "first frame s", "/ 12 cases", "first row after it s"), rows)


def opening(made: Data, first_case: bytes) -> tuple[float, float]:
    with Terminal([*TRACEVIEW, *made], cwd=ROOT) as terminal:
        terminal.wait_for(lambda t: b"traceview" in t.output, timeout=60)
        frame = time.monotonic() - terminal.started
        terminal.wait_for(lambda t: first_case in t.output, timeout=60)
        row = time.monotonic() - terminal.started
    return frame, row


def keys(size: int, repeat: int) -> None:
    """Milliseconds of processor for each key, after everything is loaded."""
    print(f"keys: milliseconds of processor a key, {size:,} cases loaded\n")
    rows = [
        (name, f"{statistics.median(costs):.1f}", f"{max(costs):.1f}")
        for name, costs in costs_of_keys(data(size), PRESSES * repeat)
    ]
    table(("", "median", "largest"), rows)


def costs_of_keys(made: Data, presses: int) -> Iterator[tuple[str, list[float]]]:
    with Terminal([*TRACEVIEW, *made], cwd=ROOT) as terminal:
        terminal.wait_for(lambda t: b"traceview" in t.output, timeout=60)
        wait_until_idle(terminal)
        for key in ("e", "j", "k", "ctrl+d", "pagedown", "pageup", "G", "g", "enter"):
            yield key, [pressed(terminal, key) for _ in range(presses)]
        terminal.press("/")
        words = "diagnosis:wrong_arguments"
        yield f"/{words}", [pressed(terminal, letter) for letter in words]


def long_runs(size: int, repeat: int) -> None:
    """Milliseconds of processor for the keys in runs of thousands of steps, beside those in a short one."""
    print(f"long-runs: milliseconds of processor a key, {STEPS:,} steps in a run\n")
    keys = ("open", "o", "pagedown", "G", "n")
    costs: dict[str, dict[str, list[float]]] = {
        name: {key: [] for key in keys} for name in ("short", *generate.LONG_RUNS)
    }
    with Terminal([*TRACEVIEW, *generate.long_runs(STEPS)], cwd=ROOT) as terminal:
        terminal.wait_for(lambda t: b"runaway" in t.output, timeout=60)
        wait_until_idle(terminal)
        for _ in range(repeat):
            terminal.press("g")
            terminal.settle(0.5)
            for name in generate.LONG_RUNS:
                for of in (costs[name], costs["short"]):
                    of["open"].append(pressed(terminal, "j", 0.3))
                    terminal.press("enter")
                    terminal.settle(0.3)
                    for key in keys[1:]:
                        of[key].append(pressed(terminal, key))
                    for key in ("o", "esc"):
                        terminal.press(key)
                        terminal.settle(0.3)
    medians = {name: {key: statistics.median(of[key]) for key in keys} for name, of in costs.items()}
    rows = [
        (name, *(f"{of[key]:.1f}" for key in keys), f"{of['open'] / medians['short']['open']:.1f}")
        for name, of in medians.items()
    ]
    table(("", *keys, "open / short"), rows)


def pressed(terminal: Terminal, key: str, quiet: float = 0.05) -> float:
    before = processor(terminal.process.pid)
    terminal.press(key)
    terminal.settle(quiet)
    return (processor(terminal.process.pid) - before) * 1000


def wait_until_idle(terminal: Terminal) -> None:
    """Until a second goes by with hardly any work: everything is read and drawn."""
    while True:
        before = processor(terminal.process.pid)
        terminal.settle(quiet=1, timeout=1)
        if processor(terminal.process.pid) - before < 0.02 and not children(terminal.process.pid):
            return


def processor(pid: int) -> float:
    """Seconds of processor that a process has used: its clock as Linux numbers it."""
    return time.clock_gettime((~pid << 3) | 2)


def children(pid: int) -> bool:
    """Whether a child of the process is still at work; one that has ended may wait to be asked for."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    states = (Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1] for child in found)
    return any(state.split()[0] != "Z" for state in states)
