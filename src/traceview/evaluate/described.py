"""What a case that describes itself expects, in the same terms as a contract's rules."""

from __future__ import annotations

from typing import Any

from traceview.contract.described import Described
from traceview.contract.names import SINGLE_WRITE
from traceview.contract.spec import Limit, Order
from traceview.evaluate.expect import Expectation, Want
from traceview.model import MISSING

_EXACT = Order("exact")
_OK = frozenset(("ok",))


def mismatch(described: Described) -> str | None:
    """Why the columns of one case contradict each other, or None."""
    sequence, arguments = described.sequence, described.arguments
    if sequence is not MISSING and isinstance(arguments, list) and len(arguments) > len(sequence):
        return f"expected_arguments has {len(arguments)} items for {len(sequence)} steps of expected_sequence"
    return None


def expectation(described: Described) -> Expectation:
    """The expectation of one case from its own columns; an empty cell says nothing."""
    sequence, arguments, statuses = described.sequence, described.arguments, described.statuses
    listed = arguments if isinstance(arguments, list) else []
    wants: tuple[Want, ...] = ()
    if sequence is not MISSING:
        wants = tuple(
            [Want(i + 1, tool, listed[i] if i < len(listed) else None) for i, tool in enumerate(sequence)]
        )
    elif listed:
        wants = tuple([Want(i + 1, "", args) for i, args in enumerate(listed)])
    final: list[tuple[tuple[str, ...], Any]] = []
    if described.final_state is not MISSING:
        final.append((("state_after",), described.final_state))
    if described.run_outcome is not MISSING:
        final.append((("run_outcome",), described.run_outcome))
    write_tools = described.write_tools if described.write_tools is not MISSING else ()
    return Expectation(
        order=_EXACT if sequence is not MISSING else None,
        wants=wants,
        status_ok=_OK if statuses is not MISSING else None,
        status=None,
        limits=tuple(
            [
                Limit(SINGLE_WRITE.name, tool=tool, status=SINGLE_WRITE.status, exactly=SINGLE_WRITE.exactly)
                for tool in write_tools
            ]
        ),
        forbids=(),
        final=tuple(final),
        wanted_tools=tuple(sequence) if sequence is not MISSING else (),
        statuses=statuses if statuses is not MISSING else None,
        by_tool=arguments if isinstance(arguments, dict) else None,
        paired_only=True,
        by_place=sequence is MISSING and bool(listed),
    )
