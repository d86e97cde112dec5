"""How the screen was left, for each set of inputs: filter, order, selection and layout.

Kept in the platform's folder for state, one small file for each set. It is a convenience: what is damaged or
cannot be read or written is as if it had never been there.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from traceview.jsontext import BadJson, decode, dumps
from traceview.places import state_folder
from traceview.read.files import STDIN

__all__ = ["Session", "restore", "save", "session_path"]

_VERSION: Final = 1
_LARGEST: Final = 1 << 20  # bytes; a file of ours holds a few hundred


class Session(Struct, frozen=True, kw_only=True):
    """``filter`` as typed, ``filter_on`` whether it is in force; ``sort`` a column of the case list,
    ``reverse`` its direction; ``selected`` the run with the cursor: case id, run id, trial. ``layout``: plain
    JSON of the screen's own, which must expect anything in it."""

    filter: str = ""
    filter_on: bool = True
    sort: str | None = None
    reverse: bool = False
    selected: tuple[str, str | None, str | None] | None = None
    layout: dict[str, Any] = field(default_factory=dict[str, Any])


def session_path(cases: str | None, traces: Sequence[str], contract: str | None = None) -> Path | None:
    """The file for a set of inputs: named by a hash of their absolute paths, whatever the order of the
    traces. None with standard input among them, which is another one each time."""
    if STDIN in (cases, *traces):
        return None
    digest = hashlib.sha256()
    for role, path in _inputs(cases, traces, contract):
        digest.update(f"{role}\0{path}\0".encode("utf-8", "surrogateescape"))
    return state_folder() / f"{digest.hexdigest()[:32]}.json"


def save(session: Session, cases: str | None, traces: Sequence[str], contract: str | None = None) -> bool:
    """Remember a session; whole or not at all. False where that cannot be done."""
    path = session_path(cases, traces, contract)
    if path is None:
        return False
    kept = {
        "version": _VERSION,
        "inputs": _inputs(cases, traces, contract),
        "session": msgspec.to_builtins(session),
    }
    try:
        text = dumps(kept) + "\n"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".session-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except (OSError, ValueError, RecursionError):
        return False
    return True


def restore(cases: str | None, traces: Sequence[str], contract: str | None = None) -> Session | None:
    """The session that was saved for these inputs; None where there is none that can be used."""
    path = session_path(cases, traces, contract)
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            kept = decode(file.read(_LARGEST)).value
        if kept["version"] != _VERSION or kept["inputs"] != _inputs(cases, traces, contract):
            return None
        return msgspec.convert(kept["session"], Session)
    except (OSError, BadJson, msgspec.MsgspecError, KeyError, TypeError, ValueError, RecursionError):
        return None


def _inputs(cases: str | None, traces: Sequence[str], contract: str | None) -> list[list[str]]:
    """(role, absolute path) of each input, in an order that does not depend on how they were given."""
    named = [("cases", cases), *(("traces", path) for path in traces), ("contract", contract)]
    return sorted(
        [role, os.path.abspath(path)]  # noqa: PTH100 - a link keeps the name that the user gave it
        for role, path in named
        if path is not None
    )
