"""Failures as kinds, from coarse to fine, each of which opens as a filter with the count that it shows."""

from __future__ import annotations

import time

import pytest

from rows import CHECKS, PRIORITY, bookings, finding, row
from traceview.model import MISSING
from traceview.query import Vocabulary, parse
from traceview.results import Row
from traceview.signatures import LEVELS, Level, group_key, signature_groups

WORDS = Vocabulary(checks=CHECKS, diagnoses=PRIORITY)


def matched(filter_text: str, rows: list[Row], words: Vocabulary = WORDS) -> int:
    return sum(map(parse(filter_text, words).matches, rows))


def flight(case_id: str, tool: str, path: str, expected: object, observed: object) -> Row:
    pattern = "/".join("*" if key.isdigit() else key for key in path.split("/"))
    return row(
        case_id,
        "fail",
        "wrong_arguments",
        failing=["arguments_ok"],
        signature=f"arguments_ok {tool} {pattern} changed",
        findings=[
            finding("arguments_ok", None, "evidence", MISSING, MISSING, step=1, tool="search"),
            finding("arguments_ok", path, "changed", expected, observed, tool=tool),
        ],
    )


FLIGHTS = [
    flight("1", "book", "/flights/0/price", 90, 80),
    flight("2", "book", "/flights/3/price", 90, 80),
    flight("3", "book", "/flights/0/price", 90, 70),
    flight("4", "book", "/flights/0/date", "a", "b"),
    flight("5", "pay", "/amount", 90, 80),
]


@pytest.mark.parametrize(
    ("level", "kinds"),
    [
        ("diagnosis", {"wrong_arguments": 5}),
        ("tool", {"arguments_ok book": 4, "arguments_ok pay": 1}),
        (
            "argument",
            {
                "arguments_ok book /flights/*/price changed": 3,
                "arguments_ok book /flights/*/date changed": 1,
                "arguments_ok pay /amount changed": 1,
            },
        ),
        (
            "values",
            {
                "arguments_ok book /flights/*/price changed: expected 90, observed 80": 2,
                "arguments_ok book /flights/*/price changed: expected 90, observed 70": 1,
                'arguments_ok book /flights/*/date changed: expected "a", observed "b"': 1,
                "arguments_ok pay /amount changed: expected 90, observed 80": 1,
            },
        ),
    ],
)
def test_kinds_split_and_join(level: Level, kinds: dict[str, int]) -> None:
    groups = signature_groups([row("0"), *FLIGHTS], level)
    assert {group.key: group.count for group in groups} == kinds
    assert all(group.level == level for group in groups)
    assert sum(group.share for group in groups) == pytest.approx(1)


@pytest.mark.parametrize("level", LEVELS)
def test_a_group_opens_as_a_filter_with_its_count(level: Level) -> None:
    rows = [*bookings(), *FLIGHTS, row("n", "no_trace", signature="no_trace")]
    for group in signature_groups(rows, level):
        assert matched(group.filter, rows) == group.count, group.filter


def test_two_diagnoses_with_one_signature_are_two_groups() -> None:
    rows = [row(str(i), "fail", label, signature="s x kind") for i, label in enumerate(("a", "b", "a"))]
    groups = signature_groups(rows)
    assert [(group.diagnosis, group.count) for group in groups] == [("a", 2), ("b", 1)]
    assert [matched(group.filter, rows, Vocabulary()) for group in groups] == [2, 1]


def test_a_run_that_passes_is_of_no_kind() -> None:
    assert group_key(row("1"), "values") is None
    assert signature_groups([row("1")], "diagnosis") == []


def test_twelve_planted_kinds_among_a_hundred_thousand_runs() -> None:
    kinds = [flight(str(kind), f"tool{kind % 4}", f"/{kind}x/0/price", kind, -1) for kind in range(12)]
    plain = row("pass")
    planted = [1000 * (kind + 1) for kind in range(12)]
    rows = [kinds[kind] for kind in range(12) for _ in range(planted[kind])]
    rows += [plain] * (100_000 - len(rows))
    kinds_at: dict[Level, int] = {"diagnosis": 1, "tool": 4, "argument": 12, "values": 12}
    for level, count in kinds_at.items():
        began = time.perf_counter()
        groups = signature_groups(rows, level)
        assert time.perf_counter() - began < 1
        assert len(groups) == count
        assert sum(group.count for group in groups) == sum(planted)
    groups = signature_groups(rows)
    assert [(group.first, group.count) for group in groups] == list(
        zip(kinds[::-1], planted[::-1], strict=True)
    )
    assert [matched(group.filter, rows) for group in groups] == planted[::-1]
