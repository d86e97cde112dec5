"""Work shared with forked copies."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked on this system")

HEAD = """
import os, sys, time
from traceview.parallel import in_order
me = os.getpid()
"""


def told(text: str) -> str:
    """What a program prints; a process of its own, since this one may have threads."""
    made = subprocess.run(
        [sys.executable, "-c", HEAD + text], check=False, capture_output=True, text=True, timeout=60
    )
    assert not made.stderr
    return made.stdout.strip()


@pytest.mark.parametrize("pieces", [0, 1, 2, 3, 40, 16_000])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_results_come_in_order_and_each_once(pieces: int, count: int) -> None:
    text = f"print(list(in_order({pieces}, lambda n: n * 2, {count})) == [n * 2 for n in range({pieces})])"
    assert told(text) == "True"


def test_all_processes_work() -> None:
    text = """
def work(piece):
    time.sleep(0.02)
    return os.getpid()
found = list(in_order(40, work, 3))
print(len(set(found)), me in found)
"""
    assert told(text) == "3 True"


def test_a_slow_copy_holds_nobody_up() -> None:
    text = """
def work(piece):
    if os.getpid() != me:
        time.sleep(0.3)
    return os.getpid() == me
print(sum(in_order(100, work, 2)) > 90)
"""
    assert told(text) == "True"


def test_results_larger_than_a_pipe() -> None:
    text = "print([len(text) for text in in_order(6, lambda piece: 'x' * 3_000_000, 2)] == [3_000_000] * 6)"
    assert told(text) == "True"


def test_an_exception_is_raised_at_its_place() -> None:
    text = """
def work(piece):
    time.sleep(0.01)
    if piece in (7, 8):
        raise ValueError(piece)
    return piece
seen = []
try:
    for found in in_order(20, work, 3):
        seen.append(found)
except ValueError as error:
    print(seen, error)
"""
    assert told(text) == "[0, 1, 2, 3, 4, 5, 6] 7"


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_copy_that_dies_takes_nothing_with_it(after: int) -> None:
    text = f"""
done = 0
def work(piece):
    global done
    time.sleep(0.01)
    if os.getpid() != me and (done := done + 1) > {after}:
        os._exit(3)
    return piece
print(list(in_order(30, work, 3)) == list(range(30)))
"""
    assert told(text) == "True"


def test_left_early_no_process_stays() -> None:
    text = """
for found in in_order(1000, lambda piece: time.sleep(0.01), 3):
    break
del found
import gc; gc.collect()
try:
    os.waitpid(-1, os.WNOHANG)
    print("one stays")
except ChildProcessError:
    print("none stays")
"""
    assert told(text) == "none stays"
