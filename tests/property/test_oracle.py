"""The program against a plain re-reading of the rules (tests/oracle.py), through real files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from bookings import FAULTS, Recorded, Suite, suite
from oracle import CHECKS, PRIORITY, Judgement, judge

SIZE = 2000


def check(folder: Path, made: Suite, shuffle: int) -> bytes:
    """What ``traceview check --format json`` prints for the suite, its lines shuffled by the given seed."""
    (folder / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    (folder / "traces.jsonl").write_text(made.traces_jsonl(Random(shuffle)), encoding="utf-8")
    command = [sys.executable, "-m", "traceview", "check", "cases.csv", "traces.jsonl", "--format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=300)
    assert done.returncode == 1, done.stderr.decode()
    return done.stdout


def disagreements(made: Suite, printed: bytes) -> list[str]:
    report = json.loads(printed)
    said = {(row["case_id"], row["run_id"]): row for row in report["results"]}
    assert len(said) == len(report["results"])
    wrong = []
    for run in made.runs:
        row = said.pop((run.case["case_id"], run.run_id))
        ours = judge(run.case, run.lines)
        theirs = Judgement(row["verdict"], row["diagnosis"], row["checks"])
        if ours != theirs:
            wrong.append(difference(run, ours, theirs))
    assert not said, "rows that nothing was recorded for"
    return wrong


def difference(run: Recorded, ours: Judgement, theirs: Judgement) -> str:
    lines = [f"{run.case['case_id']} {run.run_id or ''}: {', '.join(run.faults)}"]
    lines += [f"  {line}" for line in run.lines]
    lines += [f"  case    {run.case}", f"  oracle  {ours}", f"  program {theirs}"]
    return "\n".join(lines)


def test_two_thousand_spoiled_runs_are_judged_as_the_rules_say(tmp_path: Path) -> None:
    made = suite(seed=1, size=SIZE)
    wrong = disagreements(made, check(tmp_path, made, shuffle=1))
    assert not wrong, f"{len(wrong)} of {len(made.runs)} disagree\n" + "\n".join(wrong[:5])


def test_the_order_of_lines_says_nothing(tmp_path: Path) -> None:
    made = suite(seed=2, size=300)
    first, second = check(tmp_path, made, shuffle=1), check(tmp_path, made, shuffle=2)
    a, b = json.loads(first), json.loads(second)
    # Problems name lines, and the lines are elsewhere now; everything else is the same to the byte.
    assert a.pop("problems") is not None and b.pop("problems") is not None
    assert json.dumps(a) == json.dumps(b)


def test_the_suite_holds_every_fault_and_every_verdict() -> None:
    """Without this, a generator that stopped spoiling would let the comparison pass on nothing."""
    made = suite(seed=1, size=SIZE)
    seen = Counter(name for run in made.runs for name in run.faults)
    assert set(seen) == set(FAULTS)
    judged = [judge(run.case, run.lines) for run in made.runs]
    assert {j.verdict for j in judged} == {"pass", "fail", "unknown", "no_trace", "unusable"}
    # Every label but missing_write, which an exact order always forestalls: wrong_sequence comes first.
    assert {j.diagnosis for j in judged if j.verdict == "fail"} == set(PRIORITY) - {"missing_write"}
    for check_name in CHECKS:
        assert {"pass", "fail", "unknown"} <= {j.checks[check_name] for j in judged if j.checks}
    assert any(len(run.faults) == 4 for run in made.runs)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_forty_thousand_more(tmp_path: Path, seed: int) -> None:
    made = suite(seed=seed, size=SIZE)
    wrong = disagreements(made, check(tmp_path, made, shuffle=seed))
    assert not wrong, f"{len(wrong)} of {len(made.runs)} disagree\n" + "\n".join(wrong[:5])
