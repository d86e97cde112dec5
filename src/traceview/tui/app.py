"""Opening the screen: what has to happen before textual is even imported."""

from __future__ import annotations

import os
from collections.abc import Sequence

from traceview.read.problems import InputError
from traceview.tui.process import ReaderProcess, is_large
from traceview.tui.request import Request


def run(
    cases: str | None,
    traces: Sequence[str],
    *,
    contract: str | None = None,
    filter_text: str | None = None,
    follow: bool = False,
    triage: str | None = None,
    author: str | None = None,
    fresh: bool = False,
    baseline: str | None = None,
) -> int:
    """Open the screen and return the exit code.

    :param fresh: do not begin as the screen was left with these inputs.
    :raises ConfigError: the config file cannot be used.
    :raises InputError: the input cannot be used, in one line; the terminal is as it was.
    """
    request = Request(cases, tuple(traces), contract, follow=follow, baseline=baseline, triage=triage)
    stdin = _keys_from_terminal() if request.uses_stdin else None
    # Reading begins while textual is still being imported.
    process = ReaderProcess(request, stdin) if is_large(request) else None
    try:
        from traceview.tui.application import TraceviewApp
        from traceview.tui.config import read_config
        from traceview.tui.memory import Memory

        app = TraceviewApp(
            request,
            config=read_config().signed_by(author),
            filter_text=filter_text or "",
            process=process,
            memory=Memory(request, fresh=fresh),
        )
        try:
            problem = app.run()
        finally:
            app.close()
    finally:
        if process is not None:
            process.close()
    if problem:
        raise InputError(problem)
    return app.return_code or 0


def _keys_from_terminal() -> int:
    """Standard input is data: keys come from the terminal itself. Gives the data's file descriptor."""
    data = os.dup(0)
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError as error:
        raise InputError(
            f"standard input is data, and there is no terminal for keys ({error.strerror})"
        ) from None
    os.dup2(terminal, 0)
    os.close(terminal)
    return data
