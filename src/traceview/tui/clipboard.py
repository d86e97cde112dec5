"""Copying to the clipboard of the person in front of the terminal, also through ssh and tmux.

The terminal itself is asked (OSC 52), since tools such as xclip would copy to the machine where the program
runs. tmux keeps the sequence to itself unless it is told: ``tmux load-buffer -w`` does that, and where that
fails the sequence is wrapped for passing through.
"""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Callable

_LIMIT = 74_994  # bytes that many terminals take at most (100,000 characters of base64)


def copy(text: str, write: Callable[[str], None]) -> str:
    """Copy ``text``; ``write`` writes to the terminal. Gives one line that says how."""
    data = text.encode("utf-8", "backslashreplace")
    size = f"{len(text):,} character{'s' if len(text) != 1 else ''}"
    if os.environ.get("TMUX"):
        if _tmux(data):
            return (
                f"copied {size} through tmux (its buffer, and the terminal's clipboard where it is allowed)"
            )
        inner = _osc52(data).replace("\x1b", "\x1b\x1b")
        write(f"\x1bPtmux;{inner}\x1b\\")
        return f"sent {size} through tmux (OSC 52; needs: set -g allow-passthrough on)"
    write(_osc52(data))
    if len(data) > _LIMIT:
        return f"sent {size} to the terminal (OSC 52); many terminals refuse more than 75 kB"
    return f"copied {size} by way of the terminal (OSC 52)"


def _osc52(data: bytes) -> str:
    return f"\x1b]52;c;{base64.b64encode(data).decode()}\a"


def _tmux(data: bytes) -> bool:
    try:
        done = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"], input=data, capture_output=True, timeout=2, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
