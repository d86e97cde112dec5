"""What the keys of the whole screen do: each is answered by one of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traceview.tui.application import TraceviewApp
    from traceview.tui.screens.baseline_control import BaselineControl
    from traceview.tui.screens.filter_control import FilterControl
    from traceview.tui.screens.mark_control import MarkControl
    from traceview.tui.screens.popup_control import PopupControl
    from traceview.tui.screens.signature_control import SignatureControl

__all__ = ["KeyActions"]


class KeyActions:
    """For a screen with these parts."""

    baseline: BaselineControl
    filters: FilterControl
    marks: MarkControl
    popups: PopupControl
    signatures: SignatureControl

    @property
    def owner(self) -> TraceviewApp:
        """The application."""
        raise NotImplementedError

    def action_edit_filter(self) -> None:
        self.filters.edit()

    def action_toggle_filter(self) -> None:
        self.filters.toggle()

    def action_only_failures(self) -> None:
        self.filters.term("is:fail")

    def action_only_left(self) -> None:
        self.signatures.close_kind()
        self.filters.term("mark:open")

    def action_only_diagnosis(self) -> None:
        self.filters.only_diagnosis()

    def action_mark(self) -> None:
        self.marks.mark()

    def action_note(self) -> None:
        self.marks.note()

    def action_undo_mark(self) -> None:
        self.marks.undo()

    def action_signatures(self) -> None:
        self.signatures.show()

    def action_sort(self) -> None:
        self.filters.choose_sort()

    def action_help(self) -> None:
        self.popups.help()

    def action_problems(self) -> None:
        self.popups.problems()

    def action_copy(self) -> None:
        self.popups.copy()

    def action_write(self) -> None:
        self.popups.write()

    def action_reload(self) -> None:
        self.owner.reload()

    def action_baseline(self) -> None:
        self.baseline.toggle()
