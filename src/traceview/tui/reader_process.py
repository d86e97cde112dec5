"""Reads and judges for the screen, as a process: ``python -m traceview.tui.reader_process REQUEST``.

The request is one JSON argument; messages go to standard output as pickles, one after the other (those of
:mod:`traceview.tui.loading`). When the screen is gone, writing fails and the process ends.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import time
from typing import BinaryIO

import msgspec

from traceview.tui.following import EVERY
from traceview.tui.loading import read
from traceview.tui.request import Request


def main(argument: str) -> None:
    """Run until everything is sent; where traces are followed, until the screen is gone."""
    gc.disable()  # rows hold no cycle, and the process ends when they are sent
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing else may write between the messages
    try:
        _send_all(msgspec.json.decode(argument, type=Request), out)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)


def _send_all(request: Request, out: BinaryIO) -> None:
    screen = os.getppid()

    def wait() -> bool:
        time.sleep(EVERY)
        return os.getppid() == screen  # while nothing grows nothing is written, so nothing fails

    for message in read(request, light=True, wait=wait):
        pickle.dump(message, out, protocol=pickle.HIGHEST_PROTOCOL)
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
