"""Evidence taken away never makes a run look better, and what was seen to be wrong is wrong."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import suites
from traceview.model import Case

ROUNDS = settings(
    max_examples=1500,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@ROUNDS
@given(st.data(), suites.contracts(), st.sampled_from(suites.CASES))
def test_taking_evidence_away_never_helps(data: st.DataObject, contract: suites.Drawn, case: Case) -> None:
    evaluator = suites.evaluator(contract.text)
    events = data.draw(suites.recordings(contract))
    left, steps, complete = data.draw(suites.losses(events))
    whole = evaluator.judge(case, suites.as_run(events))
    part = evaluator.judge(case, suites.as_run(left, complete=complete, steps=steps))
    # Neither a fail nor an unknown becomes a pass; and put back, the evidence turns no fail into a pass.
    assert (whole.verdict, part.verdict) not in [("fail", "pass"), ("unknown", "pass"), ("pass", "fail")]
    for name, said in part.checks.items():
        assert (whole.checks[name], said) not in [("fail", "pass"), ("unknown", "pass")], name
