"""Broken contracts at the command line: one line and exit code 2, or a report; and lint says the same."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property.test_contract_mutation import VALUES, change, document, places
from traceview.cli import main

SAMPLE = Path(__file__).parents[2] / "sample_data"
INPUTS = {
    "room_booking.toml": ("booking_agent_cases.csv", "booking_agent_traces.jsonl"),
    "retail.toml": ("retail_cases.csv", "retail_traces.jsonl"),
    "acceptance.toml": ("acceptance_observations.json",),
}
TREES: dict[str, Any] = {name: tomllib.loads((SAMPLE / name).read_text("utf-8")) for name in INPUTS}


def ran(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
        sys.stdout.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def checked(contract: str, inputs: tuple[str, ...]) -> tuple[int, str]:
    """``check`` with a contract: exit code and error. Never a traceback, never half a report."""
    paths = [str(SAMPLE / name) for name in inputs]
    code, out, err = ran("check", *paths, "--contract", contract, "--format", "json")
    assert "internal error" not in err and "Traceback" not in err, err
    if code == 2:
        assert out == "" and err.count("\n") == 1 and err.rstrip("\n").isprintable(), err
    else:
        report = json.loads(out)
        assert code in (0, 1, 3) and err == ""
        assert sum(report["diagnoses"].values()) == len(report["results"])
    return code, err


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_broken_contract_is_one_line_and_lint_agrees(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(INPUTS)))
    tree = TREES[name]
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(places(tree)))
        new = data.draw(VALUES | st.just(None))

        def edit(container: Any, key: Any, new: Any = new) -> Any:
            if new is None:
                del container[key]
            else:
                container[key] = new
            return container

        tree = change(tree, path, edit)
    with tempfile.TemporaryDirectory() as folder:
        contract = Path(folder) / "broken.toml"
        contract.write_text(document(tree), "utf-8")
        code, err = checked(str(contract), INPUTS[name])
        lint_code, lines, lint_err = ran("lint", str(contract), str(SAMPLE / INPUTS[name][0]))
    assert lint_code in (0, 1) and lint_err == ""
    errors = [line for line in lines.splitlines() if ": error: " in line]
    assert all(line.startswith("broken.toml: ") for line in lines.splitlines() if "sound" not in line)
    if "a.csv" not in err:  # the file of a map: rule is looked for when runs are read
        assert bool(errors) == (code == 2), (errors, err)


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ('[final]\nreply = { kind = "regex", pattern = "(a|aa)+" }', "(a|aa)+"),
        ('[[layer]]\nname = "L"\nat = "reply"\nregex = "(a|aa)+"', "L"),
        ('[final]\nreply = { kind = "schema", schema = { pattern = "^(a|aa)+$" } }', "^(a|aa)+$"),
        ('[evidence]\ncut = ["^(a|aa)+$"]\n[final]\nreply = "x"', "^(a|aa)+$"),
        ('[status]\nok = ["ok"]\nerror_text = ["^(a|aa)+$"]', "^(a|aa)+$"),
    ],
)
def test_a_pattern_that_backtracks_without_end_is_stopped_and_named(
    section: str, named: str, tmp_path: Path
) -> None:
    reply = "a" * 200 + "!"
    event = {"case_id": "c", "step": 1, "tool_name": "t", "arguments": {}, "result": reply, "reply": reply}
    (tmp_path / "t.jsonl").write_text(json.dumps(event) + "\n")
    (tmp_path / "c.csv").write_text("case_id\nc\n")
    contract = tmp_path / "slow.toml"
    contract.write_text(f'contract = 1\nname = "slow"\n{section}\n')
    code, out, err = ran(
        "check",
        str(tmp_path / "c.csv"),
        str(tmp_path / "t.jsonl"),
        "--contract",
        str(contract),
        "--format",
        "json",
    )
    assert err == ""
    report = json.loads(out)
    assert code == 3
    [result] = report["results"]
    assert result["verdict"] == "unknown"
    said = json.dumps([result["findings"], report["problems"]])
    if "layer" in section:
        assert result["layers"] == {"L": "unknown"}
    else:
        assert json.dumps(named)[1:-1] in said and "stopped" in said
