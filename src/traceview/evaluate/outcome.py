"""How a run went as such, whatever was expected of it: did a tool report an error, did the run crash?"""

from __future__ import annotations

from traceview.evaluate.arithmetic import exact
from traceview.evaluate.pairing import Pairing
from traceview.evaluate.values import type_name
from traceview.evaluate.view import RunView
from traceview.evaluate.wanted import ANY

# Words for a run that ended before it could do its work. With no call at all such a run proves nothing.
CRASHED = frozenset(
    (
        *("abort", "aborted", "cancelled", "canceled", "crash", "crashed", "error", "errored", "exception"),
        *("failed", "failure", "incomplete", "interrupted", "killed", "terminated", "timed_out", "timeout"),
    )
)
_HTTP = ("http", "http_status", "status_code")
_HTTP_ERROR = 400


def crashed(pairing: Pairing) -> str | None:
    """The recorded outcome of a run that crashed, None if it did not (or if that is what was expected)."""
    outcome = pairing.view.run.final.get("run_outcome")
    if not isinstance(outcome, str) or outcome.casefold() not in CRASHED:
        return None
    expected = any(i.path == ("run_outcome",) and i.expected is not ANY for i in pairing.exp.final)
    return None if expected else outcome


def troubled(view: RunView) -> bool:
    """Whether a tool, or the request of an observation, reported an error: a status that is not ok, or an
    error where no status was recorded."""
    ok = view.ok_words
    for status in view.statuses:
        if status not in ok and status is not None:
            return True
    if None in view.statuses:
        for event, status in zip(view.calls, view.statuses, strict=True):
            if status is None and event.fields.get("error"):
                return True
    if not view.run.events:
        codes = [view.run.final.get(name) for name in _HTTP]
        return any(type_name(c) == "number" and (exact(c) or 0) >= _HTTP_ERROR for c in codes)  # type: ignore[arg-type]
    return False
