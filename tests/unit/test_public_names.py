"""What a program gets from ``import traceview``, and what that does not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import traceview

SAMPLE = Path(__file__).parents[2] / "sample_data"


def loaded_by(code: str) -> set[str]:
    """The modules that are there after ``code`` in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nsys.stderr.write(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "code",
    [
        "import traceview",
        "from traceview.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass",
        "from traceview.cli import main\ntry: main(['check', '--help'])\nexcept SystemExit: pass",
    ],
)
def test_nothing_heavy_is_imported_to_say_hello(code: str) -> None:
    assert loaded_by(code).isdisjoint(
        {"textual", "rich", "pandas", "numpy", "msgspec", "jsonschema", "regex"}
    )


def test_checking_imports_no_screen_and_no_frame() -> None:
    cases, traces = SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl"
    code = f"from traceview.cli import main\nmain(['check', {str(cases)!r}, {str(traces)!r}])"
    assert loaded_by(code).isdisjoint({"textual", "pandas", "numpy", "matplotlib"})


def test_load_judges_the_sample() -> None:
    found = traceview.load(SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl")
    assert isinstance(found, traceview.Report)
    assert [row.result.verdict for row in found.rows].count("pass") == 5


def test_the_functions_stay_when_their_modules_are_imported() -> None:
    import traceview.evaluate.judge
    import traceview.load

    assert callable(traceview.load)
    assert callable(traceview.evaluate)
    assert "Loader" in vars(sys.modules["traceview.load"])


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        traceview.nothing  # noqa: B018
