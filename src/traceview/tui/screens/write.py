"""The dialogue that writes what is shown, or the selected case, to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from traceview.results import Report, Row
from traceview.sanitize import visible
from traceview.tui import keys
from traceview.tui.background import in_background
from traceview.tui.paths import typed_path, with_ending
from traceview.tui.request import Request
from traceview.tui.screens.once import OnceModal
from traceview.tui.screens.popup import Choice, Menu
from traceview.tui.session import Session
from traceview.tui.widgets.choices import Choices
from traceview.tui.widgets.filter_field import PlainInput
from traceview.tui.widgets.summary import quoted
from traceview.tui.writing import WriteJob, size_words
from traceview.write import ENDINGS, FORMATS, format_of
from traceview.write.files import OutputError, check_target, same_file

if TYPE_CHECKING:
    from traceview.write.inputs import Inputs

_CHARTS: Final = ("png", "svg")
_STEM: Final = "traceview-report"


@dataclass(frozen=True, slots=True)
class Written:
    """How it ended, in words."""

    ok: bool
    words: str


class WriteDialogue(OnceModal[Written | None]):
    """Format, file and scope; asks before it replaces a file."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("dialogue")]
    DEFAULT_CSS = """
    WriteDialogue {
        align: center middle; background: $background 60%;
        & > #box {
            width: 78; max-width: 100%; height: auto; max-height: 100%; overflow-y: auto;
            border: round $primary; background: $surface; padding: 0 1;
            border-title-color: $primary; border-title-style: bold; border-subtitle-color: $diag-quiet;
        }
        & Grid {
            grid-size: 2; grid-columns: 8 1fr; grid-rows: 1; grid-gutter: 1 0; height: auto; margin: 1 0;
        }
        & Static { background: $surface; color: $diag-key; height: 1; }
        & Input, & Input:focus { border: none; height: 1; padding: 0; background: $panel; }
        & Input:focus { background: $line-cursor; }
        & #say { color: $diag-fail; height: auto; }
        &:ansi { background: transparent; }
    }
    """

    def __init__(
        self,
        session: Session,
        request: Request,
        selected: Row | None,
        format: str = "json",
        inputs: Inputs | None = None,
    ) -> None:
        """:param inputs: where the runs come from; None: their rows and lines can't be written again."""
        super().__init__()
        self._inputs = inputs
        self._session = session
        self._request = request
        self._selected = selected
        table = session.table
        reviewed = table.reviewed
        self._shown = [table.rows[place] for place in table.shown if place < reviewed]
        scopes = [("shown", self._shown_words(len(self._shown), reviewed))]
        if selected is not None and selected.result.verdict != "unreviewed":
            scopes.append(("case", f"only {visible(selected.result.case_id)[:40]}"))
        self.format = Choices([(name, name) for name in FORMATS], id="format")
        self.format.choose(FORMATS.index(format))
        ending = next(end for end, name in ENDINGS.items() if name == format)
        self.path = PlainInput(f"{_STEM}{ending}", id="path", compact=True, select_on_focus=False)
        self.scope = Choices(scopes, id="scope")
        beside = ("yes", "also their own rows and lines, beside the file")
        self.lines = Choices([("no", "no"), beside], id="inputs")
        self.say = Static("", id="say", markup=False)
        self.job: WriteJob | None = None
        self.told: Callable[[Written], None] | None = None

    @staticmethod
    def _shown_words(shown: int, everything: int) -> str:
        return (
            f"all {everything:,}"
            if shown == everything
            else f"what the filter shows: {shown:,} of {everything:,}"
        )

    def compose(self) -> ComposeResult:
        box = Vertical(id="box")
        box.border_title = Content("Write to a file")
        wide = self.app.size.width >= 70
        more = "tab next field  left/right change  " if wide else ""
        box.border_subtitle = Content(f"enter write  {more}esc close")
        with box:
            with Grid():
                yield Static("Format", markup=False)
                yield self.format
                yield Static("File", markup=False)
                yield self.path
                yield Static("Runs", markup=False)
                yield self.scope
                if self._inputs is not None:
                    yield Static("Inputs", markup=False)
                    yield self.lines
            yield self.say

    def on_mount(self) -> None:
        self.path.focus()
        self._say_what_is_lacking()

    def _say_what_is_lacking(self) -> None:
        """Whether the chosen format can be written here, said before anything is tried."""
        words = ""
        if self.format.value in _CHARTS:
            from traceview.write.chart import require

            try:
                require()
            except OutputError as error:
                words = visible(str(error))
        self.say.update(Content(words))

    @on(Choices.Changed)
    def _format_changed(self, event: Choices.Changed) -> None:
        """The file's ending follows the format, unless the name has none of ours."""
        if event.choices is not self.format:
            return
        path = Path(self.path.value)
        ending = next((end for end, name in ENDINGS.items() if name == self.format.value), ".txt")
        if self.path.value and (path.suffix.lower() in ENDINGS or not path.suffix):
            self.path.value = with_ending(self.path.value, ending)
            self.path.cursor_position = len(self.path.value)
        self._say_what_is_lacking()

    @on(Input.Changed)
    def _path_changed(self, event: Input.Changed) -> None:
        """The format follows an ending that is typed."""
        wanted = format_of(event.value)
        if wanted is not None and ENDINGS.get(Path(event.value).suffix.lower()) != self.format.value:
            self.format.choose(FORMATS.index(wanted))
        self._say_what_is_lacking()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_choose()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_choose(self) -> None:
        """Write, or first ask whether the file may be replaced."""
        if self.job is not None:
            return  # it is being written
        path = self.path.value.strip()
        if not path:
            self.say.update(Content("name a file"))
            return
        try:
            path = str(typed_path(path))
            check_target(path, force=True)
        except OutputError as error:
            self.say.update(Content(visible(str(error))))
            return
        if not Path(path).exists():
            self._write(path, force=False)
            return
        if any(same_file(path, original) for original in self._originals()):
            self.say.update(Content(f"{visible(Path(path).name)} is one of the inputs"))
            return
        size = size_words(Path(path).stat().st_size)
        question = f"{visible(Path(path).name)} exists ({size}). Replace it?"
        answers = [Choice("no", "keep it", "n"), Choice("yes", "replace it", "y")]

        def answered(answer: str | None) -> None:
            if answer == "yes":
                self._write(path, force=True)

        self.app.push_screen(Menu(question, answers), answered)

    def _originals(self) -> Iterator[str]:
        """Every file that is shown, or was read for it."""
        from traceview.originals import originals

        request = self._request
        baseline = () if request.baseline is None else (request.baseline,)
        yield from originals(request.cases, (*request.traces, *baseline), request.contract, request.triage)
        report = self._session.report
        if report is not None and report.triage is not None:
            yield str(report.triage.path)  # marks can be kept elsewhere since

    def _write(self, path: str, *, force: bool) -> None:
        report, rows, filter_text = self._part()
        self.say.update(Content(f"writing {len(rows):,} runs"))
        self.job = WriteJob(
            report,
            rows,
            filter_text,
            path,
            self.format.value,
            force=force,
            reader=self._session.completing,
            detail=self._session.reader.detail if self._session.reader is not None else None,
            inputs=self._inputs if self.lines.value == "yes" else None,
        )
        self._session.job = self.job
        # the screen below hears of it even when the dialogue is closed in the meantime
        in_background(self.app.screen_stack[0], self.job.run, self._done, self._failed)

    def _part(self) -> tuple[Report, list[Row], str | None]:
        report = self._session.report
        assert report is not None  # the dialogue opens only when everything is read
        if self.scope.value == "case" and self._selected is not None:
            return report, [self._selected], f"case:{quoted(self._selected.result.case_id)}"
        filter_ = self._session.filter
        return report, self._shown, filter_.state.text.strip() if filter_.active else None

    def _done(self, words: str) -> None:
        self._session.job = None
        written = Written(True, visible(words))
        if self.is_active:
            self.dismiss(written)
        elif self.told is not None:
            self.told(written)  # the dialogue was closed before

    def _failed(self, error: Exception) -> None:
        self._session.job = self.job = None
        self.say.update(Content(visible(str(error))))
