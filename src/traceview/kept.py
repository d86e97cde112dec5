"""Where everything is kept, for a person who asks (``traceview config``)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from traceview.places import config_path, read_settings, state_folder
from traceview.state import session_path
from traceview.triage import TriageError, author_name, load, triage_path
from traceview.write.words import plural

__all__ = ["kept"]


def kept(
    paths: Sequence[str], contract: str | None = None, triage: str | None = None
) -> Iterator[tuple[str, str]]:
    """(what, where) of the config file, the state folder and the author; with the paths of inputs also of
    their marks and their session.

    :raises ConfigError: the config file cannot be read.
    """
    author = read_settings().get("author")
    yield "config file", _there(config_path())
    yield "state folder", _there(state_folder())
    yield "author", author_name(author if isinstance(author, str) else None)
    if not paths and triage is None:
        return
    cases, traces = (paths[0], paths[1:]) if len(paths) > 1 else (None, paths)
    marks = Path(triage) if triage is not None else triage_path(cases, traces)
    yield "triage file", "none: standard input has no place" if marks is None else _marks(marks)
    session = session_path(cases, traces, contract) if paths else None
    yield "session", "none: standard input is another one each time" if session is None else _there(session)


def _there(path: Path) -> str:
    whole = os.path.abspath(path)  # noqa: PTH100 - a link keeps its name
    return whole if path.exists() else f"{whole} (not there)"


def _marks(path: Path) -> str:
    place = _there(path)
    if not path.exists():
        return place
    try:
        triage = load(path)
    except TriageError:
        return f"{place} (cannot be read)"
    damaged = f", {plural(len(triage.problems), 'damaged line')}" if triage.problems else ""
    return f"{place} ({plural(len(triage.decisions), 'decision')}{damaged})"
