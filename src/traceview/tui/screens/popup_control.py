"""What the keys do that open a box over the panes: help, problems, copy, write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceview.tui import copy_text
from traceview.tui.screens.help import Help
from traceview.tui.screens.popup import Choice, Menu
from traceview.tui.screens.problems import Problems
from traceview.tui.screens.write import WriteDialogue, Written

if TYPE_CHECKING:
    from traceview.tui.screens.main import MainScreen
    from traceview.write.inputs import Inputs


class PopupControl:
    """Belongs to a screen and its session."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen

    def help(self) -> None:
        app = self.screen.owner
        app.push_screen(Help(self.screen.where(), app.user_keymap, ascii_only=app.signs.bar.isascii()))

    def problems(self) -> None:
        """The problems of the files; choosing one selects its case, if it is shown."""

        def chosen(case_id: str | None) -> None:
            if case_id is not None:
                self.open_case(case_id)

        self.screen.owner.push_screen(Problems(self.screen.session.problems), chosen)

    def open_case(self, case_id: str) -> None:
        """Select the first run of a case; a filter that hides it is turned off."""
        screen, table = self.screen, self.screen.session.table
        line = table.line_of_case(case_id)
        if line is None and screen.session.filter.active and table.place_of_case(case_id) is not None:
            screen.filters.toggle()
            line = table.line_of_case(case_id)
        if line is None:
            screen.status.say("no case with this id is on the screen", "unknown")
            return
        screen.case_list.move_to(line)
        screen.go_to("cases")

    # -- copy -----------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """A menu of what can be copied from where the cursor is."""
        screen, detail = self.screen, self.screen.opened.detail
        row = screen.case_list.selected
        if row is None:
            screen.status.say("nothing is selected to copy", "unknown")
            return
        texts = {"id": row.result.case_id}
        choices = [Choice("id", "case id", "i")]
        if detail is not None:
            texts["case"] = copy_text.case_text(detail)
            texts["markdown"] = copy_text.case_markdown(detail)
            choices += [Choice("case", "case as text", "c"), Choice("markdown", "case as Markdown", "m")]
        step, diff = screen.timeline.selection() if screen.pane == "timeline" else (None, None)
        if step is not None:
            texts["step"] = copy_text.step_text(step)
            texts["step markdown"] = copy_text.step_markdown(step)
            choices += [
                Choice("step", "step with its differences", "s"),
                Choice("step markdown", "step as Markdown", "k"),
            ]
            if step.event is not None:
                texts["json"] = copy_text.step_json(step)
                choices.append(Choice("json", "recorded call as JSON", "r"))
        if diff is not None:
            texts["diff"] = copy_text.diff_text(diff)
            texts["observed"] = copy_text.value_text(diff.observed)
            texts["expected"] = copy_text.value_text(diff.expected)
            choices += [
                Choice("diff", "difference", "d"),
                Choice("observed", "observed value", "o"),
                Choice("expected", "expected value", "e"),
            ]

        def chosen(what: str | None) -> None:
            if what is not None:
                screen.status.say(screen.owner.copy(texts[what]))

        screen.owner.push_screen(Menu("Copy", choices), chosen)

    def _inputs(self) -> Inputs | None:
        """Where the runs come from; None where they can't be read again, or stand in no file of their own."""
        from traceview.desk import Reader
        from traceview.write.inputs import Inputs

        request, reader = self.screen.owner.request, self.screen.session.reader
        if request.cases is None or request.uses_stdin or not isinstance(reader, Reader):
            return None
        contract = reader.source.contract
        if contract is None:
            return None
        rules = (*contract.runs.case, *contract.runs.trial)
        return Inputs(
            request.cases,
            reader.files,
            contract.cases.id,
            request.contract,
            rules,
            tuple(request.traces),
        )

    # -- write ----------------------------------------------------------------------------------------------

    def write(self, format: str = "json") -> None:
        """The dialogue that writes shown cases to a file, with a format to begin with."""
        screen, session = self.screen, self.screen.session
        if session.report is None:
            screen.status.say("still reading: what is written would not be whole", "unknown")
            return

        def done(written: Written | None) -> None:
            if written is not None:
                screen.status.say(written.words, "pass" if written.ok else "fail")

        selected = screen.case_list.selected
        dialogue = WriteDialogue(session, screen.owner.request, selected, format, self._inputs())
        dialogue.told = done
        screen.owner.push_screen(dialogue, done)
