"""The installed command on the shared example data, run by run against verdicts worked out by hand.

They are kept outside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"
DATA = SHARED / "data"
COMMAND = Path(sys.executable).with_name("traceview")
NATIVE, CONTRACTS = DATA / "formats/native", DATA / "formats/contract"
EXPECTED = DATA / "expected_verdicts.json"

pytestmark = pytest.mark.skipif(
    not EXPECTED.exists() or not COMMAND.exists(), reason="needs ../shared and the installed command"
)


def check(*arguments: Path | str) -> tuple[int, dict[str, Any]]:
    ran = subprocess.run(
        [COMMAND, "check", *arguments, "--format", "json"], capture_output=True, check=False, timeout=60
    )
    assert ran.stderr == b"", ran.stderr.decode()
    report = json.loads(ran.stdout)
    assert isinstance(report, dict)
    return ran.returncode, report


def compare(name: str, report: dict[str, Any]) -> None:
    """Every verdict, diagnosis, check and layer that the file names."""
    expected = json.loads(EXPECTED.read_text("utf-8"))[name]
    found = {one["case_id"]: one for one in report["results"]}
    assert list(found) == list(expected)
    for case_id, wanted in expected.items():
        result = found[case_id]
        assert (result["verdict"], result["diagnosis"]) == (wanted["verdict"], wanted["diagnosis"]), case_id
        for part in ("checks", "layers"):
            named = wanted.get(part, {})
            assert {key: result[part].get(key) for key in named} == named, case_id


def redacted() -> str:
    """Every organizer taken away."""
    found = events()
    for event in found:
        if "organizer" in event.get("arguments", {}):
            event["arguments"]["organizer"] = "__REDACTED__"
    return "".join(json.dumps(event) + "\n" for event in found)


def cut() -> str:
    """The last event of every run lost, and the one before it marked as the last of an incomplete run."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for event in events():
        runs.setdefault(event["case_id"], []).append(event)
    for run in runs.values():
        run.sort(key=lambda event: int(event["step"]))
        run.pop()
        run[-1]["complete"] = False
    return "".join(json.dumps(event) + "\n" for run in runs.values() for event in run)


def events() -> list[dict[str, Any]]:
    lines = (NATIVE / "traces.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def test_rooms() -> None:
    code, report = check(
        NATIVE / "cases.csv", NATIVE / "traces.jsonl", "--contract", CONTRACTS / "room_booking.toml"
    )
    assert code == 1
    compare("rooms", report)


@pytest.mark.parametrize(("name", "lose"), [("rooms_redacted", redacted), ("rooms_cut", cut)])
def test_rooms_with_evidence_taken_away(name: str, lose: Callable[[], str], tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text(lose(), "utf-8")
    code, report = check(NATIVE / "cases.csv", traces, "--contract", CONTRACTS / "room_booking.toml")
    assert code == 1
    compare(name, report)


def test_retail() -> None:
    code, report = check(
        CONTRACTS / "retail_cases.csv",
        CONTRACTS / "retail_traces.jsonl",
        "--contract",
        CONTRACTS / "retail.toml",
    )
    assert code == 1
    compare("retail", report)


def test_acceptance_with_the_contract_as_it_is_agreed(tmp_path: Path) -> None:
    page = (SHARED / "design/contract.md").read_text("utf-8")
    [block] = [
        text for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "appointment-acceptance" in text
    ]
    contract = tmp_path / "acceptance.toml"
    contract.write_text(block, "utf-8")
    code, report = check(DATA / "acceptance/fixtures.json", "--contract", contract)
    assert code == 1
    assert {key: report["totals"][key] for key in ("pass", "fail", "unknown")} == {
        "pass": 2,
        "fail": 9,
        "unknown": 1,
    }
    assert report["labels"]["agree"] == 12
    compare("acceptance", report)
