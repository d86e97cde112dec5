"""Cases that ran more than once: how reliable, how capable, what the case as a whole is, and from which step
on its runs went different ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from hashlib import blake2b
from itertools import groupby
from math import comb
from typing import Any, Final, Literal

from msgspec import Struct

from traceview.model import Event, Number, Run
from traceview.results import Row

__all__ = [
    "AtK",
    "CaseTrials",
    "Trials",
    "fingerprints",
    "first_difference",
    "pass_at_k",
    "pass_hat_k",
    "trials",
]

# k is counted through up to here and doubled beyond, so that a case with a thousand runs stays readable.
_EVERY_K = 10
_BYTES: Final = 8  # of a fingerprint: among a million calls, two alike by accident once in ten million suites


class CaseTrials(Struct, frozen=True):
    """One case: ``passed`` of ``n`` judged runs pass; ``verdict`` by the contract's rule, all or any.

    ``differs_at``: the first call, counted from 1, at which the runs differ in tool or arguments, or which
    not all of them made; None where they made the same calls, or ran once.
    """

    case_id: str
    n: int
    passed: int
    verdict: Literal["pass", "fail", "unknown"]
    differs_at: int | None = None


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
    return (comb(n, k) - comb(n - passed, k)) / comb(n, k)  # rounded once


def trials(rows: Iterable[Row], rule: Literal["all", "any"] = "all") -> Trials | None:
    """None unless a case has more than one run. Runs that were not judged (unusable, no trace) are not
    counted; an unknown run is one that did not pass."""
    place = {"pass": 0, "fail": 1, "unknown": 2}
    judged = [row.result for row in rows if row.result.verdict in place]
    most = max(Counter([result.case_id for result in judged]).values(), default=0)
    if most < 2:
        return None
    counts: dict[str, list[int]] = {}
    calls: dict[str, list[bytes]] = {}
    for result in judged:
        counts.setdefault(result.case_id, [0, 0, 0])[place[result.verdict]] += 1
        calls.setdefault(result.case_id, []).append(result.calls)
    cases = tuple(
        CaseTrials(case_id, sum(three), three[0], _verdict(three, rule), first_difference(calls[case_id]))
        for case_id, three in counts.items()
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


# -- where runs of one case part ---------------------------------------------------------------------------


def first_difference(runs: Sequence[bytes]) -> int | None:
    """The first call, counted from 1, at which runs differ, or which not all of them made; None if all are
    alike. ``runs`` are those of one case, as :func:`fingerprints` gives them."""
    if len(set(runs)) < 2:
        return None
    longest = max(map(len, runs))
    at = next(at for at in range(0, longest, _BYTES) if len({run[at : at + _BYTES] for run in runs}) > 1)
    return at // _BYTES + 1


def fingerprints(run: Run) -> bytes:
    """What a run called, eight bytes a call: equal for the same tool with the same arguments.

    Arguments are the same as they are in a contract: by type and value, numbers by value (``4`` is ``4.0``),
    objects whatever their order. Calls of one turn (``group``) have no order among themselves, so they stand
    in an order of their own. Results, statuses and times do not count.
    """
    calls = [event for event in run.events if event.tool_name is not None]
    parts: list[bytes] = []
    for group, turn in groupby(calls, lambda event: event.group):
        prints = map(_fingerprint, turn)
        parts += prints if group is None else sorted(prints)
    return b"".join(parts)


def _fingerprint(event: Event) -> bytes:
    written: list[str] = [event.args_state, "\0"]
    _write(event.tool_name, written)
    if event.args_state != "absent":
        _write(event.arguments, written)
    return blake2b("".join(written).encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()


def _write(value: Any, out: list[str]) -> None:
    """A text that is the same for equal values, and for no others. What comes before says how long it is."""
    if isinstance(value, str):
        out.append(f"s{len(value)}:{value}")
    elif value is None or isinstance(value, bool):
        out.append({None: "n", True: "t", False: "f"}[value])
    elif isinstance(value, int | float):
        out.append(_number(value))
    elif isinstance(value, list):
        out.append(f"l{len(value)}:")
        for item in value:
            _write(item, out)
    else:
        out.append(f"o{len(value)}:")
        for key in sorted(value):
            _write(key, out)
            _write(value[key], out)


def _number(value: float) -> str:
    """Digits and exponent; what is not finite as it is written."""
    exact = value.exact if isinstance(value, Number) else Decimal(str(value))
    if exact is None:
        return f"x{getattr(value, 'text', value)};"
    sign, digits, exponent = exact.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    kept = text.rstrip("0")
    if not kept:
        return "d0;"
    return f"d{'-' * sign}{kept}e{int(exponent) + len(text) - len(kept)};"
