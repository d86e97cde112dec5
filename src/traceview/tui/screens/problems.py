"""What was wrong with the files: every problem with file and line; one that names a case opens it."""

from __future__ import annotations

from collections.abc import Sequence

from traceview.model import Problem
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, pad
from traceview.tui.screens.popup import Popup

_INK = {"error": "fail", "warning": "error", "note": "quiet"}


class Problems(Popup[str]):
    """Gives the case id of the chosen problem."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        count = len(problems)
        title = f"{count:,} problem{'s' if count != 1 else ''} in the files" if count else "No problems"
        super().__init__(title, "enter open its case  esc close" if count else "esc close")
        self.problems = problems

    def lines(self, width: int) -> Sequence[Sequence[tuple[str, str]]]:
        if not self.problems:
            return [(("Every line of the files was read and used.", ""),)]
        places = [self._place(problem) for problem in self.problems]
        widest = min(max(map(cell_len, places)), max(12, width // 3))
        return [
            (
                (pad(problem.severity, 8), _INK[problem.severity]),
                (pad(place, widest) + "  ", "key"),
                (visible(problem.message), ""),
                (f"  ({visible(problem.case_id)})" if problem.case_id else "", "quiet"),
            )
            for problem, place in zip(self.problems, places, strict=True)
        ]

    @staticmethod
    def _place(problem: Problem) -> str:
        line = f":{problem.line}" if problem.line is not None else ""
        return visible(problem.path) + line

    def action_choose(self) -> None:
        problem = self.problems[self.view.cursor] if self.problems else None
        self.dismiss(problem.case_id if problem else None)
