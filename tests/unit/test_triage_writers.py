"""Decisions from several programs at once, and from one that is killed while it writes."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from rows import row
from traceview.triage import Triage, about_run, load
from traceview.triage.decision import to_line
from traceview.triage.file import append_lines


def forked(work: Callable[[], None]) -> int:
    """Run ``work`` in a copy of this process."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def decision(writer: str, number: int) -> str:
    """A line as :class:`Triage` writes them, of some length."""
    made = about_run(row(f"{writer}{number}"), mark="open", note="x" * (number % 300))
    return to_line(replace(made, id=f"{writer}{number}", time="2026-01-01T00:00:00Z", author=writer))


def write_at_once(path: Path, each: int) -> Triage:
    def writes(name: str) -> Callable[[], None]:
        def work() -> None:
            for number in range(each):
                append_lines(path, [decision(name, number)])

        return work

    children = [forked(writes(name)) for name in "ab"]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    triage = load(path)
    assert triage.problems == []
    written = {decided.case_id for decided in triage.decisions}
    assert written == {f"{name}{number}" for name in "ab" for number in range(each)}
    assert len(triage.decisions) == 2 * each
    return triage


def test_two_writers_at_once(tmp_path: Path) -> None:
    write_at_once(tmp_path / "t.jsonl", 300)


@pytest.mark.long
def test_two_writers_of_ten_thousand_decisions(tmp_path: Path) -> None:
    write_at_once(tmp_path / "t.jsonl", 5000)


def test_two_programs_that_look_and_decide_by_turns(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"

    def decides(name: str) -> Callable[[], None]:
        def work() -> None:
            triage = load(path, name)
            for number in range(60):
                triage.append(about_run(row(f"{name}{number}"), mark="open"))
                triage.append(about_run(row("both"), tag=[f"{name}{number}"]))

        return work

    children = [forked(decides(name)) for name in "ab"]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    triage = load(path)
    found = triage.of(row("both"))
    assert len(triage.decisions) == 240 and triage.problems == []
    assert found is not None and len(found.tags) == 120


def test_a_file_that_is_put_in_its_place_meanwhile(tmp_path: Path) -> None:
    """A checkout or a merge replaces the file: what is decided after it goes into the new one."""
    path = tmp_path / "t.jsonl"
    triage = load(path)
    triage.append(about_run(row("1"), mark="open"))
    new = tmp_path / "new"
    load(new).append(about_run(row("2"), mark="open"))
    new.rename(path)
    triage.append(about_run(row("3"), mark="open"))
    assert [load(path).of(row(case)) is not None for case in "123"] == [False, True, True]
    assert triage.of(row("2")) is not None


def test_a_file_that_is_put_in_its_place_while_another_program_writes(tmp_path: Path) -> None:
    path, new = tmp_path / "t.jsonl", tmp_path / "new.jsonl"
    load(path).append(about_run(row("1"), mark="open"))
    load(new).append(about_run(row("2"), mark="open"))
    waits = threading.Thread(target=append_lines, args=(path, [decision("a", 3)]))
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        waits.start()
        time.sleep(0.1)
        new.rename(path)
    waits.join(10)
    assert [one.case_id for one in load(path).decisions] == ["a3", "2"]


def test_killed_while_writing(tmp_path: Path) -> None:
    """Fifty times: what was acknowledged is there, and whatever is torn costs nobody else."""
    path = tmp_path / "t.jsonl"
    rng = Random(5)
    acknowledged: set[str] = set()
    torn = 0
    for attempt in range(50):
        reading, writing = os.pipe()

        def work(attempt: int = attempt, writing: int = writing) -> None:
            triage = Triage(path, "ann")
            for number in range(1000):
                case_id = f"{attempt}-{number}"
                triage.append(about_run(row(case_id), mark="open", note="x" * 200_000))
                os.write(writing, f"{case_id}\n".encode())

        child = forked(work)
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            for _ in range(rng.randint(1, 2)):
                acknowledged.add(pipe.readline().decode().strip())
            time.sleep(rng.random() / 2000)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            acknowledged.update(pipe.read().decode().split())
        torn += path.read_bytes()[-1:] != b"\n"
        append_lines(path, [decision("z", attempt)])  # the next program
        acknowledged.add(f"z{attempt}")
    triage = load(path)
    assert acknowledged <= {decided.case_id for decided in triage.decisions}
    assert len(triage.problems) == torn
