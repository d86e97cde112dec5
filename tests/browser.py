"""A headless Chromium for tests, driven over its debugging pipe: JSON messages, each ended by a NUL byte
(https://chromedevtools.github.io/devtools-protocol/). Nothing listens on a port, and no name is resolved."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final

__all__ = ["CHROMIUM", "Browser", "Page"]

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
"""The program, None where there is none."""

_SECONDS = 60.0  # for one answer: machines that test are busy
_FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",  # tests run as root in containers
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1280,900",
    "--remote-debugging-pipe",
)


class Browser:
    """One process with a profile of its own; use as a context manager."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self._profile = tempfile.mkdtemp(prefix="traceview-chromium-")
        moved = 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null'  # the browser reads 3 and writes 4
        self._process = subprocess.Popen(
            ["sh", "-c", moved, "sh", CHROMIUM, *_FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._out = self._process.stdin.fileno()
        self._in = self._process.stdout.fileno()
        self._number = 0
        self._rest = b""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._process:
            self._process.terminate()
        shutil.rmtree(self._profile, ignore_errors=True)

    def page(self) -> Page:
        """A new page that notes what happens in it."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, target, session)

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come first are kept."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        until = time.monotonic() + _SECONDS
        while True:
            answer = self._receive(until)
            if answer.get("id") != number:
                self.events.append(answer)
            elif "error" in answer:
                raise AssertionError(f"{method}: {answer['error']}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    def receive(self) -> None:
        """Wait for one more event."""
        self.events.append(self._receive(time.monotonic() + _SECONDS))

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise AssertionError("the browser does not answer")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


class Page:
    """A tab. What it asks for, says and raises is in :meth:`requests` and :meth:`said`."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self._browser = browser
        self._target = target
        self._session = session
        self.opened: set[str] = set()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command to this page."""
        return self._browser.ask(method, self._session, **parameters)

    def open(self, path: Path) -> float:
        """Open a file; returns the seconds until its scripts have run and it was painted."""
        began = time.monotonic()
        seen = len(self._browser.events)
        self.opened.add(path.as_uri())
        self.ask("Page.navigate", url=path.as_uri())
        while not any(
            event["method"] == "Page.loadEventFired" and event.get("sessionId") == self._session
            for event in self._browser.events[seen:]
        ):
            self._browser.receive()
        self.settle()
        return time.monotonic() - began

    def settle(self) -> None:
        """Wait until what was done is on the screen, and what it has set off has happened."""
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def value(self, expression: str) -> Any:
        """The JSON value of an expression; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """The visible text of the first element."""
        found = self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")
        assert isinstance(found, str), f"no {selector}"
        return found

    def texts(self, selector: str) -> list[str]:
        """The visible text of every element that is not hidden."""
        found = self.value(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            ".filter(e => e.checkVisibility()).map(e => e.innerText)"
        )
        assert isinstance(found, list)
        return found

    def click(self, selector: str) -> None:
        """Click at the middle of the first element, as a mouse does."""
        x, y = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key: str) -> None:
        """A key: its name (``Escape``) or the character that it types."""
        codes = {" ": 32, "Escape": 27, "Enter": 13, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}
        typed = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=codes.get(key, 0),
                **(typed if kind == "keyDown" else {}),
            )

    def type(self, text: str) -> None:
        """Type characters one after the other."""
        for char in text:
            self.press(char)

    def picture(self, *, dark: bool = False, whole: bool = False) -> bytes:
        """What it looks like, as PNG."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        answer = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(answer["data"])

    def paper(self) -> bytes:
        """What it looks like on paper, as PDF."""
        answer = self.ask("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        return base64.b64decode(answer["data"])

    def requests(self) -> list[str]:
        """The address of everything that it has asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self._events()
            if event["method"] == "Network.requestWillBeSent"
        ]

    def said(self) -> list[str]:
        """Everything in its console: messages, exceptions, refusals, and dialogues that were opened."""
        found = []
        for event in self._events():
            if event["method"] in (
                "Runtime.consoleAPICalled",
                "Runtime.exceptionThrown",
                "Log.entryAdded",
                "Page.javascriptDialogOpening",
            ):
                found.append(json.dumps(event["params"]))
        return found

    def _events(self) -> list[dict[str, Any]]:
        return [event for event in self._browser.events if event.get("sessionId") == self._session]

    def close(self) -> None:
        """Close the tab."""
        self._browser.ask("Target.closeTarget", targetId=self._target)
