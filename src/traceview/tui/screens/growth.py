"""What was appended to the traces comes to the screen: the selected run, folds, filter and scroll stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traceview.follow import Grown
    from traceview.tui.screens.main import MainScreen
    from traceview.tui.session import Session

__all__ = ["following_words", "take"]


def take(screen: MainScreen, grown: Grown) -> None:
    """Show rows that came in between, and rows that are others now."""
    moved = screen.session.grow(grown)
    screen.case_list.rows_moved(moved)
    screen.filters.rows_moved(moved)
    if grown.added or grown.unreviewed is not None:
        screen.case_list.measure()
    screen.filters.rows_grew()
    screen.after_growth(more=bool(grown.added))
    screen.baseline.compare()


def following_words(session: Session, dot: str) -> str:
    """``following · 1,204 events``; "" when nothing is followed."""
    if not session.following:
        return ""
    events = sum(info.records for info in session.inputs if info.role == "traces")
    return f"following {dot} {events:,} event{'s' if events != 1 else ''}"
