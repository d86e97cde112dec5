"""Which branch of a contract applies to a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from traceview.contract.spec import Branch
from traceview.evaluate.evidence import Marks, reach
from traceview.evaluate.expect import RulesPlan
from traceview.evaluate.values import pointer, same
from traceview.model import MISSING, Run

Undecided = list[tuple[str, str, Any]]  # what is said of it, where, and what was found


class Branches:
    """The branches of one contract with their rules, in order."""

    def __init__(self, plans: Sequence[tuple[Branch, RulesPlan]], marks: Marks, absence: str) -> None:
        self._plans = plans
        self._marks = marks
        self._always = absence == "always"

    def choose(
        self, values: Mapping[str, Any], cells: Mapping[str, Any], run: Run
    ) -> tuple[Branch | None, RulesPlan | None, Undecided]:
        """The first branch whose ``when`` holds; none, and why, where that can't be decided.

        :param values: the case's cells, cast, but for empty ones.
        :param cells: as they stand; what has no column is looked for in the final evidence.
        """
        complete = run.complete or self._always
        for branch, plan in self._plans:
            holds = True
            undecided: Undecided = []
            for name, wanted in branch.when.items():
                value, why = values.get(name, MISSING), None
                if value is MISSING and name in cells:
                    value, why = (None, None) if cells[name] is None else (MISSING, "its cell is empty")
                elif value is MISSING:
                    value, why = reach(run.final, tuple(name.split(".")), self._marks)
                    if not complete:
                        value, why = MISSING, "the run is incomplete: its last event may be lost"
                if why is None and value is not MISSING and (value is not None or wanted is None):
                    holds = holds and same(wanted, value)
                    continue
                what = why or ("null" if value is None else "not recorded")
                message = f"branch {branch.name} can't be decided: {name} is not known ({what})"
                undecided.append((message, pointer(*name.split(".")), value))
            if not holds:
                continue  # whatever is not known
            if undecided:
                return None, None, undecided
            return branch, plan, []
        return None, None, []
