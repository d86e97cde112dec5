"""What a filter may name, and the texts of rows in which plain words are looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from traceview.query.text import fold
from traceview.results import ContractInfo, Report, Row

if TYPE_CHECKING:
    from traceview.compare import Identity, Transition
    from traceview.triage import Triage

__all__ = ["Vocabulary"]


class _Haystacks(dict[int, tuple[str, Row]]):
    """By ``id`` of a row the folded text that plain words are looked for in, made when it is first asked for.

    The row is kept beside it, so that no other row can come to have the same id.
    """

    def of(self, row: Row) -> str:
        known = self.get(id(row))
        if known is not None:
            return known[0]
        result = row.result
        parts = (result.case_id, result.run_id or "", row.title, *result.tools, result.diagnosis)
        text = fold("\n".join(parts))
        self[id(row)] = (text, row)
        return text


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a filter may use. ``diagnoses`` empty: any. ``problem_cases`` maps a problem's code to
    the case ids that have it. ``triage``: what people have decided, asked anew for each row. ``transitions``:
    what became of the runs of a baseline. Searches that share a vocabulary share the folded text of the rows.
    """

    columns: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    diagnoses: tuple[str, ...] = ()
    problem_cases: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    haystacks: _Haystacks = field(default_factory=_Haystacks, repr=False, compare=False)
    triage: Triage | None = field(default=None, repr=False, compare=False)
    transitions: Mapping[Identity, Transition] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, report: Report, columns: Iterable[str]) -> Vocabulary:
        """That of a report; ``columns`` are those of its cases file."""
        cases: dict[str, set[str]] = {}
        for problem in report.problems:
            if problem.case_id is not None:
                cases.setdefault(problem.code, set()).add(problem.case_id)
        return replace(cls.named(columns, report.contract, cases), triage=report.triage)

    @classmethod
    def named(
        cls,
        columns: Iterable[str],
        contract: ContractInfo | None,
        problem_cases: Mapping[str, Collection[str]] | None = None,
    ) -> Vocabulary:
        """That of a contract and the columns of the cases file, before there is a report."""
        if contract is None:
            return cls(tuple(columns), problem_cases=problem_cases or {})
        return cls(tuple(columns), contract.checks, contract.layers, contract.priority, problem_cases or {})

    def with_transitions(self, transitions: Mapping[Identity, Transition]) -> Vocabulary:
        """The same where there is a baseline, for ``change:``."""
        return replace(self, transitions=transitions)
