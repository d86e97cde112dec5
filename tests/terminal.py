"""A program in a pseudo-terminal, with pyte as the terminal: what a person sees, and every byte of it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte
from wcwidth import wcwidth

__all__ = ["KEYS", "Terminal"]

KEYS = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "space": " ",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
} | {f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"}

# What pyte does not know and would show as text: strings (title, clipboard), keyboard protocol, queries.
_STRINGS = re.compile(rb"\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)")
_UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\??[0-9;]*\$[a-z]")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;<=>?$]*|[\]P_^X][^\x07\x1b]*\x1b?)?\Z")
_ALTERNATE = re.compile(rb"(\x1b\[\?1049[hl])")
_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_SGR = re.compile(rb"\x1b\[([0-9;]*)m")
_KEYBOARD = re.compile(rb"\x1b\[([<>])[0-9]*u")


class _Screen(pyte.Screen):
    """pyte drops what follows a character of no width that is no combining mark; this one does not.

    An emoji that a variation selector widens takes two cells here, as rich counts and new terminals draw it.
    """

    def draw(self, data: str) -> None:
        kept: list[str] = []
        for char in data:
            if char == "\ufe0f" and kept and wcwidth(kept[-1]) == 1:
                kept.append(" ")
            elif wcwidth(char) != 0 or unicodedata.combining(char):
                kept.append(char)
        super().draw("".join(kept))


class Terminal:
    """Starts ``command`` with the terminal as its controlling terminal; use as a context manager.

    ``stdin`` None means the terminal; a path is opened and given to the program as its standard input.
    ``output`` holds every byte that the program wrote to the terminal.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        columns: int = 120,
        rows: int = 36,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: Path | None = None,
    ) -> None:
        self.output = b""
        self.screen = _Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._below: _Screen | None = None  # what the alternate screen covers
        self._pending = b""
        self._master, self._slave = pty.openpty()
        self._arrivals = select.poll()  # select() refuses the descriptors of a process with many files
        self._arrivals.register(self._master, select.POLLIN)
        self._set_size(columns, rows)
        self._before = termios.tcgetattr(self._slave)
        # A home of its own: what a program remembers from one start to the next must not reach the next test.
        self._home = tempfile.TemporaryDirectory(prefix="terminal-")
        settings = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        settings |= {f"XDG_{kind}_HOME": self._home.name for kind in ("STATE", "CONFIG", "CACHE")}
        settings |= env or {}
        kept = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "COLUMNS", "LINES"}}
        with contextlib.ExitStack() as stack:
            source = stack.enter_context(stdin.open("rb")) if stdin is not None else self._slave
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=source,
                stdout=self._slave,
                stderr=self._slave,
                cwd=cwd,
                env=kept | settings,
                preexec_fn=self._take_the_terminal,  # noqa: PLW1509 - no thread is running here
            )
        self.started = time.monotonic()

    def _take_the_terminal(self) -> None:
        os.setsid()
        fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)
        os.close(self._slave)
        self._home.cleanup()

    # -- looking -------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def read(self, timeout: float) -> bool:
        """Take in what the program has written; False when nothing came within ``timeout`` seconds."""
        if not self._arrivals.poll(timeout * 1000):
            return False
        data = os.read(self._master, 1 << 16)
        self.output += data
        self._feed(data)
        return True

    def _feed(self, data: bytes) -> None:
        data = self._pending + data
        cut = _UNFINISHED.search(data)
        self._pending = data[cut.start() :] if cut else b""
        data = data[: cut.start()] if cut else data
        for piece in _ALTERNATE.split(_UNKNOWN.sub(b"", _STRINGS.sub(b"", data))):
            if _ALTERNATE.fullmatch(piece):
                self._switch(alternate=piece.endswith(b"h"))
            else:
                self._stream.feed(piece)

    def _switch(self, alternate: bool) -> None:
        """pyte knows no alternate screen: a second one stands in for it."""
        if alternate and self._below is None:
            self._below = self.screen
            self.screen = _Screen(self._below.columns, self._below.lines)
        elif not alternate and self._below is not None:
            self.screen, self._below = self._below, None
        self._stream = pyte.ByteStream(self.screen)

    def wait_for(self, what: str | Callable[[Terminal], bool], timeout: float = 15) -> None:
        """Read until the text stands on the screen, or the condition holds."""
        deadline = time.monotonic() + timeout
        while not (what in self.text if isinstance(what, str) else what(self)):
            ended = self.process.poll() is not None
            if time.monotonic() > deadline or (not self.read(0.05) and ended):
                raise AssertionError(f"waited in vain for {what!r}; the screen shows:\n{self.text}")

    def settle(self, quiet: float = 0.15, timeout: float = 10) -> None:
        """Read until the program has been silent for ``quiet`` seconds."""
        deadline = time.monotonic() + timeout
        while self.read(quiet) and time.monotonic() < deadline:
            pass

    # -- doing ---------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys by name (:data:`KEYS`) or by their character, one after another."""
        for key in keys:
            os.write(self._master, KEYS.get(key, key).encode())
            # A terminal program takes an escape and a letter that come together for alt and the letter.
            self.settle(0.3 if key == "esc" else 0.02)

    def type(self, text: str) -> None:
        self.press(*text)

    def burst(self, text: str) -> None:
        """Keys that arrive all at once: pasted, from tmux, or of a fast typist on a busy machine."""
        os.write(self._master, text.encode())
        self.settle(0.05)

    def resize(self, columns: int, rows: int) -> None:
        for screen in (self.screen, self._below):
            if screen is not None:
                screen.resize(rows, columns)
        self._set_size(columns, rows)
        self.settle()

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def interrupt(self) -> None:
        """What the terminal does on Ctrl+C where the program has left that to it: SIGINT."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait(self, timeout: float = 15) -> int:
        """The exit code; reads to the end of the output first."""
        deadline = time.monotonic() + timeout
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise AssertionError(f"still running; the screen shows:\n{self.text}")
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.process.returncode

    def colours(self) -> list[list[int]]:
        """The parameters of every SGR sequence that the program wrote."""
        return [[int(n or 0) for n in sgr.split(b";")] for sgr in _SGR.findall(self.output)]

    # -- how the terminal was left -------------------------------------------------------------------------

    def left_behind(self) -> list[str]:
        """What the program, now ended, did not put back; empty for a clean terminal."""
        found = []
        if termios.tcgetattr(self._slave) != self._before:
            found.append("the line discipline is not as it was")
        modes: dict[bytes, bool] = {b"25": True}
        for names, letter in _MODE.findall(self.output):
            for name in names.split(b";"):
                modes[name] = letter == b"h"
        if not modes.pop(b"25"):
            found.append("the cursor is hidden")
        modes.pop(b"7", None)  # wrapping at the right margin is on in every terminal
        found += [f"mode {name.decode()} is still set" for name, on in modes.items() if on]
        keyboard = list(_KEYBOARD.findall(self.output))
        if keyboard.count(b">") > keyboard.count(b"<"):
            found.append("the keyboard protocol is still on")
        return found
