"""Reads and judges for the screen, as a process: ``python -m traceview.tui.reader_process REQUEST``.

The request is one JSON argument; messages go to standard output as pickles, one after the other (those of
:mod:`traceview.tui.loading`). When the screen is gone, writing fails and the process ends.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from typing import BinaryIO

import msgspec

from traceview.tui.loading import read
from traceview.tui.request import Request


def main(argument: str) -> None:
    """Run until everything is sent."""
    gc.disable()  # rows hold no cycle, and the process ends when they are sent
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing else may write between the messages
    try:
        _send_all(msgspec.json.decode(argument, type=Request), out)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)


def _send_all(request: Request, out: BinaryIO) -> None:
    for message in read(request, light=True):
        pickle.dump(message, out, protocol=pickle.HIGHEST_PROTOCOL)
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
