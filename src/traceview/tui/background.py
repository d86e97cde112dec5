"""Work beside the screen, in threads that never keep the program from ending."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from textual.message_pump import MessagePump

T = TypeVar("T")


def in_background(
    pump: MessagePump, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[Exception], None]
) -> None:
    """Run ``work`` in a thread; ``done`` or ``failed`` follows in the screen's own thread.

    Textual's thread workers are waited for when the program ends; Ctrl+C must not wait.
    """

    def run() -> None:
        try:
            result = work()
        except Exception as error:
            pump.call_later(failed, error)
        else:
            pump.call_later(done, result)

    threading.Thread(target=run, daemon=True).start()
