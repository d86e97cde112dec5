"""The same terminal for every test: colours, no animation, no settings and sessions of who runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # what random keys write goes nowhere else
    for name in ("NO_COLOR", "COLORFGBG", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TRACEVIEW_CONFIG", str(tmp_path / "no-config.toml"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(Input, "cursor_blink", False)
