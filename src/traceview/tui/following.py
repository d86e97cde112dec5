"""After everything was read: looks twice a second whether the traces have grown, and says what changed.

Runs where the reading ran, in a thread or in a process of its own. What changed comes as
:class:`traceview.follow.Grown`, among the messages of :mod:`traceview.tui.loading`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from traceview.desk import slim
from traceview.follow import Follower, Grown
from traceview.read.files import ChangedInput
from traceview.results import Row

__all__ = ["EVERY", "Following", "Lost", "Rewritten", "changes"]

EVERY: Final = 0.5  # seconds between two looks


class Following(Struct, frozen=True):
    """What was read is followed from now on, but for ``unfollowed``; ``any``: whether something is."""

    any: bool
    unfollowed: tuple[str, ...]


class Rewritten(Struct, frozen=True):
    """A file is another one than was read: all must be read anew. One line that says so."""

    message: str


class Lost(Struct, frozen=True):
    """Following ended, for the reason in this one line; what was read stays."""

    message: str


def changes(
    follower: Follower, *, light: bool, wait: Callable[[], bool]
) -> Iterator[Following | Grown | Rewritten | Lost]:
    """What changes, until a file is another one, or ``wait`` (which pauses between two looks) gives False.

    :param light: rows without the values of their findings.
    """
    yield Following(follower.follows, follower.unfollowed)
    if not follower.follows:
        return
    while wait():
        try:
            grown = follower.poll()
        except ChangedInput as error:
            yield Rewritten(str(error))
            return
        except Exception as error:
            if os.environ.get("TRACEVIEW_DEBUG"):
                raise
            yield Lost(f"following ended: {type(error).__name__}: {error}")
            return
        if grown is not None:
            yield _lightened(grown) if light else grown


def _lightened(grown: Grown) -> Grown:
    return replace(grown, added=_slim(grown.added), changed=_slim(grown.changed))


def _slim(placed: Sequence[tuple[int, Row]]) -> list[tuple[int, Row]]:
    return [(place, slim(row)) for place, row in placed]
