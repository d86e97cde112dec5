"""Swapping two reports swaps better and worse, new and vanished, and nothing else; nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rows import CHECKS, report, row
from traceview.compare import (
    check_tables,
    compare,
    diagnosis_table,
    exit_code,
    identity,
    kind_totals,
    verdict_table,
)
from traceview.results import Row

SWAPPED = {"better": "worse", "new": "vanished", "new_cases": "vanished_cases"}
SWAPPED |= {other: one for one, other in SWAPPED.items()}


@st.composite
def some_rows(draw: st.DrawFn) -> list[Row]:
    """Rows of a report: every case once or in several runs, each known by case, run id and trial."""
    keys = st.tuples(
        st.sampled_from("123"), st.sampled_from([None, "a", "b"]), st.sampled_from([None, "1", "2"])
    )
    found = []
    for case_id, run_id, trial in draw(st.lists(keys, max_size=8, unique=True)):
        verdict = draw(st.sampled_from(["pass", "fail", "unknown", "no_trace", "unusable"]))
        diagnosis = draw(st.sampled_from(["x", "y", "NA"])) if verdict == "fail" else None
        failing = draw(st.sets(st.sampled_from(CHECKS), max_size=2)) if verdict == "fail" else set()
        found.append(
            row(
                case_id,
                verdict,
                diagnosis,
                run_id=run_id,
                trial=trial,
                failing=sorted(failing),
                signature=None if verdict == "pass" else draw(st.sampled_from(["s", "t"])),
            )
        )
    return found


@given(some_rows(), some_rows())
def test_swapped(before: list[Row], after: list[Row]) -> None:
    there, back = compare(report(before), report(after)), compare(report(after), report(before))
    forth = {(id(t.baseline), id(t.candidate)): t for t in there.transitions.values()}
    reverse = {(id(t.candidate), id(t.baseline)): t for t in back.transitions.values()}
    assert forth.keys() == reverse.keys()
    for key, transition in forth.items():
        assert reverse[key].kind == SWAPPED.get(transition.kind, transition.kind)
        assert reverse[key].checks == {name: (b, a) for name, (a, b) in transition.checks.items()}
    figures = kind_totals(there.transitions.values())
    swapped = {name: figures[SWAPPED.get(name, name)] for name in figures}
    assert kind_totals(back.transitions.values()) == swapped
    verdicts, other = verdict_table(there.transitions.values()), verdict_table(back.transitions.values())
    assert all(other[b][a] == count for a, line in verdicts.items() for b, count in line.items())
    checks, other_checks = check_tables(there), check_tables(back)
    assert all(
        other_checks[name][b][a] == count
        for name, table in checks.items()
        for a, line in table.items()
        for b, count in line.items()
    )
    table, other_table = diagnosis_table(there), diagnosis_table(back)
    assert list(table.index) == list(other_table.index)
    assert (table.to_numpy() == other_table.to_numpy().T).all()


@given(some_rows(), some_rows())
def test_every_row_is_in_one_transition(before: list[Row], after: list[Row]) -> None:
    comparison = compare(report(before), report(after))
    found = list(comparison.transitions.values())
    assert sorted(id(t.baseline) for t in found if t.baseline) == sorted(map(id, before))
    assert sorted(id(t.candidate) for t in found if t.candidate) == sorted(map(id, after))
    assert all(comparison.transitions[identity(row)].candidate is row for row in after)
    assert all(t.row.result.case_id == key[0] for key, t in comparison.transitions.items())
    assert sum(sum(line.values()) for line in verdict_table(found).values()) == len(found)
    assert diagnosis_table(comparison).to_numpy().sum() == len(found)


@given(some_rows())
def test_the_same_report_twice_changes_nothing(rows: list[Row]) -> None:
    comparison = compare(report(rows), report(rows))
    assert {t.kind for t in comparison.transitions.values()} <= {"same", "not_compared"}
    assert all(t.baseline is t.candidate for t in comparison.transitions.values())
    assert exit_code(comparison) in (0, 3)
