"""Cases that ran more than once: how reliable, how capable, and what the case as a whole is."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Literal

from msgspec import Struct

from traceview.results import Row

__all__ = ["AtK", "CaseTrials", "Trials", "pass_at_k", "pass_hat_k", "trials"]

# k is counted through up to here and doubled beyond, so that a case with a thousand runs stays readable.
_EVERY_K = 10


class CaseTrials(Struct, frozen=True):
    """One case: ``passed`` of ``n`` judged runs pass; ``verdict`` by the contract's rule, all or any."""

    case_id: str
    n: int
    passed: int
    verdict: Literal["pass", "fail", "unknown"]


class AtK(Struct, frozen=True):
    """Both estimates for one k, averaged over the ``cases`` with at least k judged runs; each from 0 to 1."""

    k: int
    cases: int
    pass_hat: float
    pass_at: float


class Trials(Struct, frozen=True):
    """``by_k`` from 1 to the largest number of runs; ``cases`` in the order of the cases file."""

    rule: Literal["all", "any"]
    by_k: tuple[AtK, ...]
    cases: tuple[CaseTrials, ...]


def pass_hat_k(n: int, passed: int, k: int) -> float:
    """pass^k of one case: the chance that k runs, drawn without replacement from its n, all pass.

    The unbiased estimator C(c, k) / C(n, k) of Yao et al. 2024, "τ-bench: A Benchmark for
    Tool-Agent-User Interaction in Real-World Domains" (arXiv:2406.12045), section 5. Needs 1 <= k <= n.
    """
    return comb(passed, k) / comb(n, k)


def pass_at_k(n: int, passed: int, k: int) -> float:
    """pass@k of one case: the chance that of k runs, drawn without replacement from its n, one or more pass.

    The unbiased estimator 1 - C(n - c, k) / C(n, k) of Chen et al. 2021, "Evaluating Large Language
    Models Trained on Code" (arXiv:2107.03374), section 2.1. Needs 1 <= k <= n.
    """
    return 1 - comb(n - passed, k) / comb(n, k)


def trials(rows: Iterable[Row], rule: Literal["all", "any"] = "all") -> Trials | None:
    """None unless a case has more than one run. Runs that were not judged (unusable, no trace) are not
    counted; an unknown run is one that did not pass."""
    counts: dict[str, list[int]] = {}
    place = {"pass": 0, "fail": 1, "unknown": 2}
    for row in rows:
        column = place.get(row.result.verdict)
        if column is not None:
            counts.setdefault(row.result.case_id, [0, 0, 0])[column] += 1
    most = max(map(sum, counts.values()), default=0)
    if most < 2:
        return None
    cases = tuple(
        CaseTrials(case_id, sum(three), three[0], _verdict(three, rule)) for case_id, three in counts.items()
    )
    return Trials(rule, tuple(_at(k, cases) for k in _steps(most)), cases)


def _verdict(three: list[int], rule: str) -> Literal["pass", "fail", "unknown"]:
    passed, failed, unknown = three
    if rule == "any":
        return "pass" if passed else "unknown" if unknown else "fail"
    return "fail" if failed else "unknown" if unknown else "pass"


def _steps(most: int) -> list[int]:
    steps = list(range(1, min(most, _EVERY_K) + 1))
    while steps[-1] < most:
        steps.append(min(steps[-1] * 2, most))
    return steps


def _at(k: int, cases: Iterable[CaseTrials]) -> AtK:
    able = [case for case in cases if case.n >= k]
    return AtK(
        k,
        len(able),
        sum(pass_hat_k(case.n, case.passed, k) for case in able) / len(able),
        sum(pass_at_k(case.n, case.passed, k) for case in able) / len(able),
    )
