"""What a case that describes itself expects, in the same terms as a contract's rules."""

from __future__ import annotations

from typing import Any

from traceview.contract.described import Described
from traceview.contract.names import SINGLE_WRITE
from traceview.contract.spec import Limit, Order
from traceview.evaluate.choosing import Chooser
from traceview.evaluate.expect import Counted, Expectation, FinalItem, Want
from traceview.model import MISSING

_EXACT = Order("exact")
_OK = frozenset(("ok",))


def mismatch(described: Described) -> str | None:
    """Why the columns of one case contradict each other, so that no run could meet them; None if they
    don't."""
    sequence = described.sequence
    if sequence is MISSING:
        return None
    for column, items in (
        ("expected_arguments", described.arguments),
        ("expected_statuses", described.statuses),
    ):
        if isinstance(items, (list, tuple)) and len(items) > len(sequence):
            return f"{column} has {len(items)} items for {len(sequence)} steps of expected_sequence"
    return None


def expectation(described: Described) -> Expectation:
    """The expectation of one case from its own columns; an empty cell says nothing."""
    sequence, arguments, statuses = described.sequence, described.arguments, described.statuses
    listed = arguments if isinstance(arguments, list) else []
    wants: tuple[Want, ...] = ()
    if sequence is not MISSING:
        words = statuses if statuses is not MISSING else ()
        wants = tuple(
            [
                Want(
                    i + 1,
                    tool,
                    listed[i] if i < len(listed) else None,
                    status=words[i] if i < len(words) else None,
                )
                for i, tool in enumerate(sequence)
            ]
        )
    elif listed:
        wants = tuple([Want(i + 1, "", args) for i, args in enumerate(listed)])
    return Expectation(
        order=_EXACT if sequence is not MISSING else None,
        wants=wants,
        wanted_tools=tuple(sequence) if sequence is not MISSING else (),
        status_ok=_OK if statuses is not MISSING else None,
        status=None,
        limits=_single_writes(described.write_tools),
        forbids=(),
        final=tuple(
            [
                FinalItem((key,), f"/{key}", value, True)
                for key, value in (
                    ("state_after", described.final_state),
                    ("run_outcome", described.run_outcome),
                )
                if value is not MISSING
            ]
        ),
        compares=any(want.args is not None for want in wants)
        or (isinstance(arguments, dict) and bool(arguments)),
        statuses=statuses if statuses is not MISSING else None,
        by_tool=arguments if isinstance(arguments, dict) else None,
        paired_only=True,
        by_place=sequence is MISSING and bool(listed),
    )


def _single_writes(tools: Any) -> tuple[Counted, ...]:
    """``write_tools``: exactly one successful call of each. A name is a name here, whatever is in it."""
    if tools is MISSING:
        return ()
    status, exactly = SINGLE_WRITE.status, SINGLE_WRITE.exactly
    return tuple(
        [
            Counted(
                Limit(SINGLE_WRITE.name, tool=tool, status=status, exactly=exactly),
                Chooser({}, tool, literal=True),
                tool,
            )
            for tool in tools
        ]
    )
