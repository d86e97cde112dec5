"""What to open."""

from __future__ import annotations

from msgspec import Struct

_STDIN = "-"


class Request(Struct, frozen=True):
    """Paths as the user gave them; ``baseline`` are traces of the same cases to compare with.

    ``temp_folder`` and ``follow`` as in :class:`traceview.load.Loader`;
    ``triage`` is where marks are kept, None: beside the cases."""

    cases: str | None
    traces: tuple[str, ...]
    contract: str | None = None
    temp_folder: str | None = None
    follow: bool = False
    baseline: str | None = None
    triage: str | None = None

    @property
    def uses_stdin(self) -> bool:
        return _STDIN in (self.cases, *self.traces)
