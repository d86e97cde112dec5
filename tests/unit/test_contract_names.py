"""Which checks a contract makes, in which order, and which label comes first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from traceview.contract.described import from_columns
from traceview.contract.find import built_in
from traceview.contract.names import check_names, labels
from traceview.contract.spec import Contract
from traceview.contract.toml import parse

HEAD = 'contract = 1\nname = "x"\n'
SHARED = Path(__file__).parents[3] / "shared"


def read(text: str) -> Contract:
    return parse(HEAD + text, "c.toml")


def test_room_booking_makes_its_five_checks_in_the_order_of_the_report() -> None:
    assert check_names(built_in()) == (
        "sequence_ok",
        "arguments_ok",
        "tools_succeeded",
        "single_reservation",
        "final_state_ok",
    )


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("", ()),
        ("step = []", ()),
        ("[order]", ("sequence_ok",)),
        ("[[step]]\ntool = 'a'", ("sequence_ok",)),
        ("[[step]]\ntool = 'a'\nargs = {}", ("sequence_ok", "arguments_ok")),
        ("[[steps_from]]\ncolumn = 'a'", ("sequence_ok", "arguments_ok")),
        ("[status]\nerror_text = ['^Error']", ()),
        ("[status]\nok = ['ok']", ("tools_succeeded",)),
        ("[[forbid]]\neffect = 'write'\n[final]\na = 1", ("forbidden_ok", "final_state_ok")),
        ("[[branch]]\nname = 'a'\nwhen = {b = 1}\nfinal.c = 1\n"
         "[[branch]]\nname = 'd'\nwhen = {b = 2}\nstatus.ok = ['ok']", ("tools_succeeded", "final_state_ok")),
        # The top-level section is replaced in every branch, so no run is ever judged by it.
        ("final.a = 1\n[[branch]]\nname = 'a'\nwhen = {b = 1}\nfinal = {}", ()),
    ],
)  # fmt: skip
def test_only_checks_that_the_contract_makes(text: str, checks: tuple[str, ...]) -> None:
    assert check_names(read(text)) == checks


ALL = """
[order]
[[step]]
tool = "a"
args = {}
[status]
ok = ["ok"]
[[forbid]]
tool = "b"
[final]
x = 1
[[limit]]
name = "low"
tool = "a"
at_least = 1
under = "too_few"
over = "never"
[[limit]]
name = "high"
tool = "a"
at_most = 1
over = "too_many"
"""
DEFAULT = (
    "too_many",
    "forbidden_call",
    "wrong_sequence",
    "too_few",
    "wrong_arguments",
    "tool_error",
    "wrong_final_state",
)


def test_the_default_priority() -> None:
    contract = read(ALL)
    assert labels(contract) == DEFAULT
    assert contract.priority == DEFAULT


def test_labels_that_a_priority_leaves_out_go_last() -> None:
    contract = read(ALL + '[diagnosis]\npriority = ["tool_error", "too_few"]')
    rest = tuple(label for label in DEFAULT if label not in ("tool_error", "too_few"))
    assert contract.priority == ("tool_error", "too_few", *rest)


def test_columns_name_their_checks() -> None:
    contract = from_columns(["expected_sequence", "write_tools", "expected_run_outcome"])
    assert contract is not None
    assert check_names(contract) == ("sequence_ok", "tools_succeeded", "single_write", "final_state_ok")
    assert contract.priority == (
        "duplicate_write",
        "wrong_sequence",
        "missing_write",
        "tool_error",
        "wrong_final_state",
    )


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared inputs are not here")
def test_the_shared_contracts_are_read_unchanged() -> None:
    data = SHARED / "data"
    checks = {}
    for path in [*sorted((data / "formats/contract").glob("*.toml")), data / "real/tau-bench/airline.toml"]:
        contract = parse(path.read_text("utf-8"), path.name)
        checks[path.name] = check_names(contract)
    assert checks["retail.toml"] == (
        "sequence_ok",
        "arguments_ok",
        "tools_succeeded",
        "no_repeated_write",
        "one_transfer",
        "forbidden_ok",
        "final_state_ok",
    )
    assert checks["airline.toml"] == ("sequence_ok", "arguments_ok")
    design = (SHARED / "design/contract.md").read_text("utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", design, re.DOTALL)
    complete = [parse(block, "contract.md") for block in blocks]
    assert [c.name for c in complete] == ["room-booking", "appointment-acceptance"]
    assert check_names(complete[1]) == ("final_state_ok",)
