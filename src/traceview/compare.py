"""Two reports of the same cases: what got better, what got worse, what changed its reason.

::

    comparison = compare(load(cases, "old.jsonl"), load(cases, "new.jsonl"))
    comparison.transitions[identity(row)].kind        # "worse"
    exit_code(comparison)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from traceview.model import CheckVerdict, Problem, RunResult
from traceview.results import CHECK_VERDICTS, VERDICTS, Report, Row, diagnosis_totals

if TYPE_CHECKING:
    import pandas

    from traceview.model import Run
    from traceview.query import Query

__all__ = [
    "KINDS",
    "Comparison",
    "Identity",
    "Kind",
    "Transition",
    "check_tables",
    "compare",
    "compared_checks",
    "diagnosis_table",
    "exit_code",
    "identity",
    "kind_totals",
    "narrow",
    "problems",
    "transitions",
    "verdict_table",
]

Identity: TypeAlias = tuple[str, str | None, str | None]
"""(case_id, run_id, trial): what a row is known by, see :func:`identity`."""

Kind: TypeAlias = Literal["worse", "vanished", "better", "reason", "same", "new", "not_compared"]
KINDS: Final[tuple[Kind, ...]] = ("worse", "vanished", "better", "reason", "same", "new", "not_compared")
"""What became of a run, what to look at first in front. ``worse``, ``better``: another verdict, where
pass > unknown > fail. ``reason``: the same verdict that is no pass, by another diagnosis, signature or set of
checks. ``vanished``, ``new``: recorded on one side only. ``not_compared``: unusable on a side, or recorded on
neither."""

_RANK: Final = {"fail": 0, "unknown": 1, "pass": 2}
_ABSENT: Final = "no_trace"


class Transition(Struct, frozen=True):
    """One run on both sides; None where a side has no row for it.

    ``checks`` are those whose verdict changed, each with both verdicts, in the order of the contract.
    """

    baseline: Row | None
    candidate: Row | None
    kind: Kind
    checks: Mapping[str, tuple[CheckVerdict, CheckVerdict]]

    @property
    def row(self) -> Row:
        """The candidate's, else the baseline's."""
        row = self.candidate or self.baseline
        assert row is not None
        return row

    @property
    def got_worse(self) -> bool:
        """Whether this is a regression: worse, or recorded no longer."""
        return self.kind in ("worse", "vanished")

    @property
    def verdicts(self) -> tuple[str, str]:
        """Both verdicts; ``no_trace`` where a side has no row."""
        return _verdict(self.baseline), _verdict(self.candidate)

    @property
    def diagnoses(self) -> tuple[str, str]:
        """Both diagnoses, ``("pass", "duplicate_write")``; ``no_trace`` where a side has no row."""
        return _diagnosis(self.baseline), _diagnosis(self.candidate)


class Comparison(Struct, frozen=True):
    """Both reports and what became of each run. ``filter``: what narrowed ``transitions``."""

    baseline: Report
    candidate: Report
    transitions: Mapping[Identity, Transition]
    filter: str | None = None


def identity(row: Row) -> Identity:
    """What a row is known by among all rows of a report."""
    result = row.result
    return result.case_id, result.run_id, result.trial


def compare(baseline: Report, candidate: Report) -> Comparison:
    """Compare two reports, made of the same cases by the same contract."""
    return Comparison(baseline, candidate, transitions(baseline, candidate))


def transitions(baseline: Report, candidate: Report) -> dict[Identity, Transition]:
    """What became of each run, in the order of the candidate's cases (then of those that it lacks), by the
    identity of the candidate's row; of the baseline's where the candidate has none. Each row of both reports
    is in exactly one transition.

    The runs of a case are matched by run id and trial; the rest by trial; the rest in their order. So a case
    with one run is matched whatever its run ids.
    """
    before, after = _by_case(baseline.rows), _by_case(candidate.rows)
    checks = _checks(baseline, candidate)
    found: dict[Identity, Transition] = {}
    for case_id in {**after, **before}:
        for old, new in _pairs(before.get(case_id, ()), after.get(case_id, ())):
            transition = _transition(old, new, checks)
            found[identity(transition.row)] = transition
    return found


def narrow(
    comparison: Comparison,
    query: Query,
    read_baseline: Callable[[Row], Run | None],
    read_candidate: Callable[[Row], Run | None],
) -> Comparison:
    """The comparison of the runs that match: by the candidate's row, or the baseline's where it has none.

    :param read_baseline: reads the events of a row again, for ``text:``; so does ``read_candidate``.
    """

    def matches(transition: Transition) -> bool:
        row = transition.row
        if not query.matches(row) or not query.needs_text:
            return query.matches(row)
        run = (read_candidate if transition.candidate is not None else read_baseline)(row)
        return run is not None and query.matches_run(run)

    found = {key: transition for key, transition in comparison.transitions.items() if matches(transition)}
    return replace(comparison, transitions=found, filter=query.text)


# -- what it comes to --------------------------------------------------------------------------------------


def exit_code(comparison: Comparison) -> int:
    """0: nothing got worse; 1: at least one run did, or vanished; 3: neither, but something could not be
    compared: a run that is unusable or recorded on neither side, an input line, or everything."""
    kinds = Counter(transition.kind for transition in comparison.transitions.values())
    if kinds["worse"] or kinds["vanished"]:
        return 1
    compared = kinds["better"] + kinds["same"] + kinds["reason"]
    skipped = comparison.baseline.skipped + comparison.candidate.skipped
    return 3 if skipped or kinds["not_compared"] or not compared else 0


def kind_totals(found: Iterable[Transition]) -> dict[str, int]:
    """``cases`` and ``runs`` (transitions, which the kinds add up to); the kinds; and of the cases those that
    are recorded on one side only: ``new_cases``, ``vanished_cases``."""
    found = list(found)
    kinds = Counter(transition.kind for transition in found)
    old = {_case(t) for t in found if _recorded(t.baseline)}
    new = {_case(t) for t in found if _recorded(t.candidate)}
    return {
        "cases": len({_case(transition) for transition in found}),
        "runs": len(found),
        **{kind: kinds[kind] for kind in KINDS},
        "new_cases": len(new - old),
        "vanished_cases": len(old - new),
    }


def verdict_table(found: Iterable[Transition]) -> dict[str, dict[str, int]]:
    """How many runs went from which verdict (outer key) to which (inner key); all 25 are there."""
    return _table((transition.verdicts for transition in found), VERDICTS)


def check_tables(comparison: Comparison) -> dict[str, dict[str, dict[str, int]]]:
    """For each check the table of its verdicts, from the baseline (outer key) to the candidate; over the runs
    that were judged on both sides."""
    pairs = [
        (t.baseline.result.checks, t.candidate.result.checks)
        for t in comparison.transitions.values()
        if t.baseline is not None and t.candidate is not None
    ]
    judged = [(old, new) for old, new in pairs if old and new]
    return {
        name: _table(((old.get(name, "n/a"), new.get(name, "n/a")) for old, new in judged), CHECK_VERDICTS)
        for name in _checks(comparison.baseline, comparison.candidate)
    }


def diagnosis_table(comparison: Comparison) -> pandas.DataFrame:
    """How many runs went from which diagnosis (index, "baseline") to which (columns, "candidate").

    Both axes have the same labels, as text and in the order of a report, so that the diagonal is what stayed.
    pandas is imported here.
    """
    import pandas

    found = list(comparison.transitions.values())
    labels = _labels(comparison)
    baseline, candidate = (
        pandas.Series(pandas.Categorical([t.diagnoses[side] for t in found], categories=labels), name=name)
        for side, name in enumerate(("baseline", "candidate"))
    )
    if not found:  # for which crosstab forgets the labels
        return pandas.DataFrame(0, index=pandas.Index([]), columns=pandas.Index([]))
    return pandas.crosstab(baseline, candidate, dropna=False)


def problems(comparison: Comparison) -> list[tuple[str, Problem]]:
    """The problems of the inputs, each with its side: "baseline", "candidate", or "both" (the cases file)."""
    sides: dict[Problem, list[str]] = {}
    for side, report in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        for problem in report.problems:
            sides.setdefault(problem, []).append(side)
    found = [("both" if len(of) > 1 else of[0], problem) for problem, of in sides.items()]
    found.sort(key=lambda item: (item[1].path, item[1].line or 0, item[1].code, item[1].message, item[0]))
    return found


# -- matching ----------------------------------------------------------------------------------------------


def _by_case(rows: Iterable[Row]) -> dict[str, list[Row]]:
    cases: dict[str, list[Row]] = {}
    for row in rows:
        cases.setdefault(row.result.case_id, []).append(row)
    return cases


def _pairs(before: Sequence[Row], after: Sequence[Row]) -> list[tuple[Row | None, Row | None]]:
    """The runs of one case side by side, in the order of ``after``; those of ``before`` alone behind."""
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    partner: dict[int, Row] = {}
    left = list(before)
    keys: tuple[Callable[[RunResult], object], ...] = (
        lambda result: (result.run_id, result.trial),
        lambda result: result.trial,  # a run without one is not known by it
        lambda result: "",
    )
    for key in keys:
        waiting: dict[object, list[Row]] = {}
        for row in left:
            waiting.setdefault(key(row.result), []).append(row)
        for place, row in enumerate(after):
            same = waiting.get(key(row.result)) if place not in partner else None
            if same and key(row.result) is not None:
                partner[place] = same.pop(0)
        taken = {id(row) for row in partner.values()}
        left = [row for row in left if id(row) not in taken]
    pairs: list[tuple[Row | None, Row | None]] = [
        (partner.get(place), row) for place, row in enumerate(after)
    ]
    return pairs + [(row, None) for row in left]


def _transition(old: Row | None, new: Row | None, checks: Collection[str]) -> Transition:
    changed: dict[str, tuple[CheckVerdict, CheckVerdict]] = {}
    if old is not None and new is not None:
        was, now = old.result.checks, new.result.checks
        if was is not now and was and now:
            both = ((name, was.get(name, "n/a"), now.get(name, "n/a")) for name in checks)
            changed = {name: (a, b) for name, a, b in both if a != b}
    return Transition(old, new, _kind(old, new), changed)


def _kind(old: Row | None, new: Row | None) -> Kind:
    before, after = _verdict(old), _verdict(new)
    if before == after == _ABSENT:
        return "not_compared"
    if before == _ABSENT and after in _RANK:
        return "new"
    if after == _ABSENT and before in _RANK:
        return "vanished"
    if before not in _RANK or after not in _RANK or old is None or new is None:
        return "not_compared"
    if before != after:
        return "better" if _RANK[after] > _RANK[before] else "worse"
    return "same" if _reason(old.result) == _reason(new.result) else "reason"


def _reason(result: RunResult) -> tuple[str, str | None, frozenset[tuple[str, str]]]:
    """Why a run does not pass; the same for all that do."""
    wrong = frozenset((name, said) for name, said in result.checks.items() if said in ("fail", "unknown"))
    return result.diagnosis, result.signature, wrong


def _verdict(row: Row | None) -> str:
    return _ABSENT if row is None else row.result.verdict


def _diagnosis(row: Row | None) -> str:
    return _ABSENT if row is None else row.result.diagnosis


def _recorded(row: Row | None) -> bool:
    return _verdict(row) != _ABSENT


def _case(transition: Transition) -> str:
    return transition.row.result.case_id


def compared_checks(comparison: Comparison) -> tuple[str, ...]:
    """The names of all checks of both sides, in the order of the candidate's contract."""
    return _checks(comparison.baseline, comparison.candidate)


def _checks(baseline: Report, candidate: Report) -> tuple[str, ...]:
    """The checks of the candidate's contract, then what only the baseline's has."""
    names: dict[str, None] = {}
    for report in (candidate, baseline):
        if report.contract is not None:
            names.update(dict.fromkeys(report.contract.checks))
    return tuple(names)


def _labels(comparison: Comparison) -> list[str]:
    """All diagnoses of both sides, in the order of a report."""
    contract = comparison.candidate.contract
    rows = [
        row
        for transition in comparison.transitions.values()
        for row in (transition.baseline, transition.candidate)
        if row is not None
    ]
    labels = list(diagnosis_totals(rows, contract.priority if contract is not None else ()))
    sides = {label for transition in comparison.transitions.values() for label in transition.diagnoses}
    return labels + sorted(sides - set(labels))  # no_trace, where no row has it


def _table(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> dict[str, dict[str, int]]:
    counts = Counter(pairs)
    return {before: {after: counts[before, after] for after in names} for before in names}
