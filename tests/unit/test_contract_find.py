"""The four ways in which a contract is found, in their order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from traceview.contract.errors import ContractError
from traceview.contract.find import beside, built_in, find, ignored_columns, none_applies

BOOKING = [
    "case_id",
    "user_request",
    "attendees",
    "expected_start_utc",
    "expected_duration_min",
    "expected_room_id",
    "expected_booking_id",
]
CASES = Path("suite/cases.csv")


def contract(name: str, column: str = "case_id") -> str:
    return f'contract = 1\nname = "{name}"\nfinal.x = "{{{column}}}"'


def files(**texts: str) -> Callable[[Path], str | None]:
    by_name = {name.replace("__", "."): text for name, text in texts.items()}
    return lambda path: by_name.get(path.name)


ALL = files(
    mine__toml=contract("mine"), cases__contract__toml=contract("stem"), contract__toml=contract("folder")
)


def test_a_named_file_comes_first() -> None:
    found = find(Path("mine.toml"), CASES, BOOKING, ALL)
    assert found is not None and (found.name, found.source) == ("mine", "mine.toml")


def test_then_the_file_with_the_stem_of_the_cases_then_contract_toml() -> None:
    found = find(None, CASES, [*BOOKING, "expected_sequence"], ALL, lambda path: path.name)
    assert found is not None and (found.name, found.source) == ("stem", "cases.contract.toml")
    found = find(None, CASES, BOOKING, files(contract__toml=contract("folder")))
    assert found is not None and (found.name, found.source) == ("folder", str(Path("suite/contract.toml")))


def test_then_the_columns_of_the_cases() -> None:
    found = find(None, CASES, [*BOOKING, "expected_sequence"], files())
    assert found is not None and (found.name, found.described) == ("columns", True)


def test_then_the_built_in_contract_when_its_columns_are_there() -> None:
    assert find(None, CASES, BOOKING, files()) is built_in()
    assert built_in().source == "built-in"
    assert find(None, CASES, [c for c in BOOKING if c != "attendees"], files()) is None
    assert find(None, CASES, ["case_id", "expected_verdict"], files()) is None
    assert find(None, CASES, [], files()) is built_in()  # an empty JSON list: nothing is there to judge


def test_the_built_in_contract_needs_no_title() -> None:
    found = find(None, CASES, [c for c in BOOKING if c != "user_request"], files())
    assert found is not None and (found.name, found.cases.title) == ("room-booking", None)
    assert found.sha256 == built_in().sha256


def test_cases_from_standard_input_have_nothing_beside_them() -> None:
    found = find(None, None, BOOKING, ALL)
    assert found is not None and found.source == "built-in"


@pytest.mark.parametrize(
    ("cases", "name"),
    [
        ("cases.csv", "cases.contract.toml"),
        ("a.b.csv", "a.b.contract.toml"),
        ("cases.csv.gz", "cases.contract.toml"),
        ("cases.jsonl.zst", "cases.contract.toml"),
        ("cases", "cases.contract.toml"),
        (".gz", ".gz.contract.toml"),
    ],
)
def test_the_name_beside_the_cases(cases: str, name: str) -> None:
    assert beside(Path("suite") / cases)[0] == Path("suite") / name


def test_a_named_file_that_is_not_there() -> None:
    with pytest.raises(ContractError, match=r"^other.toml: there is no such contract file$"):
        find(Path("other.toml"), CASES, BOOKING, ALL)


def test_a_contract_that_is_found_must_fit_the_columns() -> None:
    with pytest.raises(ContractError, match=r'contract.toml: final.x: unknown column "room_id"'):
        find(None, CASES, BOOKING, files(contract__toml=contract("folder", "room_id")))


def test_cases_without_any_column_contradict_no_contract() -> None:
    assert find(Path("mine.toml"), CASES, [], ALL) is not None


def test_a_wrong_contract_beside_the_cases_is_an_error_and_not_passed_over() -> None:
    with pytest.raises(ContractError):
        find(None, CASES, BOOKING, files(contract__toml="contract = 1"))


def test_expected_columns_that_are_not_read_are_named() -> None:
    found = find(None, CASES, ["case_id", "expected_sequence", "expected_actions", "note"], files())
    assert found is not None
    assert ignored_columns(found, ["case_id", "expected_sequence", "expected_actions", "note"]) == (
        "expected_actions",
    )
    assert ignored_columns(built_in(), [*BOOKING, "expected_price", "write_tools"]) == (
        "expected_price",
        "write_tools",
    )
    labelled = find(None, CASES, ["expected_sequence", "expected_verdict"], files())
    assert labelled is not None
    assert ignored_columns(labelled, ["expected_sequence", "expected_verdict"]) == ()


def test_where_none_applies_the_ways_to_go_on_are_told() -> None:
    text = none_applies(["case_id", "room id"], CASES)
    assert 'case_id, "room id"' in text
    for way in ("--contract FILE", "cases.contract.toml", "expected_sequence", "traceview init"):
        assert way in text
    assert "\n" not in text
