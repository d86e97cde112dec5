"""Whole screens as text, compared byte for byte with what is stored beside the tests.

``UPDATE_SNAPSHOTS=1 pytest tests/tui`` stores them anew; look at the difference before it is committed.
"""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def same_as_stored(name: str, lines: list[str]) -> None:
    """Assert that these lines are those of ``snapshots/NAME.txt``."""
    path = FOLDER / f"{name}.txt"
    text = "".join(line + "\n" for line in lines)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        return
    stored = path.read_bytes().decode() if path.exists() else ""
    difference = unified_diff(
        stored.splitlines(), text.splitlines(), f"{name}.txt", "the screen", lineterm=""
    )
    assert text == stored, "the screen is another:\n" + "\n".join(difference)
