"""``traceview init``: what a draft says, what it marks, and that it can be used as it is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from traceview.cli import main
from traceview.contract.guess import alike, effect_by_name
from traceview.contract.lint import lint
from traceview.contract.spec import Column, Contract
from traceview.contract.toml import parse

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES, TRACES = SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl"
OBSERVATIONS = SAMPLE / "acceptance_observations.json"

Ran = tuple[int, str, str]
Run = Callable[..., Ran]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Ran:
        code = main([str(argument) for argument in arguments])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def event(case: str, step: int, tool: str, arguments: object, **more: object) -> str:
    fields = {"case_id": case, "step": step, "tool_name": tool, "arguments": arguments, "status": "ok"}
    return json.dumps(fields | more) + "\n"


def drafted(run: Run, cases: str, traces: str, name: str = "cases.csv") -> str:
    Path(name).write_text(cases, "utf-8")
    Path("traces.jsonl").write_text(traces, "utf-8")
    code, out, err = run("init", name, "traces.jsonl")
    assert (code, err) == (0, "")
    return out


def step_of(contract: Contract, tool: str) -> dict[str, str]:
    """Argument → column of the drafted step of a tool."""
    [step] = [step for step in contract.rules.steps or () if step.tool == tool]
    return {name: e.name for name, e in (step.args or {}).items() if isinstance(e, Column)}


def test_the_sample_finds_its_columns_again(run: Run) -> None:
    code, out, err = run("init", CASES, TRACES)
    assert (code, err) == (0, "")
    contract = parse(out, "draft")
    assert contract.cases.id == "case_id" and contract.cases.title == "user_request"
    assert contract.cases.casts == {"attendees": "int", "expected_duration_min": "int"}
    assert {name: tool.effect for name, tool in contract.tools.items()} == {
        "check_availability": "read",
        "reserve_room": "write",
        "send_confirmation": "write",
    }
    assert step_of(contract, "reserve_room") == {
        "room_id": "expected_room_id",
        "start_utc": "expected_start_utc",
        "duration_min": "expected_duration_min",
    }
    assert "by name and value: equal 12 of 13 times" in out
    assert re.search(r"# +9  check_availability, reserve_room, send_confirmation", out)


def test_a_draft_is_sound_and_the_same_every_time(run: Run) -> None:
    assert run("init", CASES, TRACES, "--output", "draft.toml")[0] == 0
    assert run("lint", "draft.toml", CASES) == (0, f"draft.toml: sound, and fits {CASES}\n", "")
    assert run("init", CASES, TRACES)[1] == Path("draft.toml").read_text("utf-8")


def test_a_draft_judges(run: Run) -> None:
    """Wrong arguments, a repeated write and an error are found; no sequence and no state is expected."""
    run("init", CASES, TRACES, "--output", "draft.toml")
    code, out, _ = run("check", CASES, TRACES, "--contract", "draft.toml", "--format", "json")
    diagnoses = {one["case_id"]: one["diagnosis"] for one in json.loads(out)["results"]}
    assert code == 1
    assert diagnoses["B03"] == "wrong_arguments" and diagnoses["B06"] == "duplicate_write"
    assert diagnoses["B04"] == "tool_error" and diagnoses["B01"] == "pass"


def test_what_was_only_observed_is_no_expectation_or_marked_as_one(run: Run) -> None:
    out = run("init", CASES, TRACES)[1]
    contract = parse(out, "draft")
    assert contract.rules.final is None and contract.rules.order is not None
    assert contract.rules.order.mode == "any" and contract.rules.order.extra == "any"
    structure = re.compile(r"contract = 1|name = .*|\[.*|id = .*|effect = \"write\"|at_most = 1")
    for line in out.splitlines():
        if not line or line.startswith("#") or re.fullmatch(structure, line):
            continue
        assert re.search(r"# (GUESS|OBSERVED)", line) or line.endswith('= "int"'), line
    assert '# state_after = "confirmed"    # OBSERVED in 9 of 12 runs' in out


def test_columns_go_by_value_where_names_differ(run: Run) -> None:
    out = drafted(
        run,
        "case_id,who,flag\na,ann@x.example,1\nb,bob@x.example,1\nc,cy@x.example,1\n",
        "".join(event(c, 1, "send", {"to": f"{n}@x.example", "urgent": True}) for c, n in ABC.items()),
    )
    assert step_of(parse(out, "d"), "send") == {"to": "who"}
    assert "by value alone: equal 3 of 3 times" in out
    assert "columns that go with nothing that was recorded: flag" in out
    assert 'extra_args = "ignore"    # no column goes with urgent' in out


ABC = {"a": "ann", "b": "bob", "c": "cy"}


def test_one_value_that_is_always_the_same_proves_nothing(run: Run) -> None:
    lines = "".join(event(c, 1, "send", {"copies": 1}) for c in "abc")
    out = drafted(run, "case_id,seats\na,1\nb,1\nc,1\n", lines)
    assert not parse(out, "d").rules.steps
    assert "# send: no column goes with an argument of it, so no call of it is expected" in out


@pytest.mark.parametrize(
    ("cell", "value", "cast"),
    [
        ("4", 4, "int"),
        ("4", "4", "text"),
        ("4.50", 4.5, "float"),
        ("true", True, "bool"),
        ("2031-01-01T10:00:00+01:00", "2031-01-01T09:00:00Z", "instant"),
        ("a;b", ["a", "b"], "list:;"),
        ('{"a": 1}', {"a": 1.0}, "json"),
    ],
)
def test_a_cast_is_what_makes_cells_equal(run: Run, cell: str, value: object, cast: str) -> None:
    quoted = cell.replace('"', '""')
    out = drafted(run, f'case_id,expected_it\na,"{quoted}"\n', event("a", 1, "act", {"it": value}))
    assert parse(out, "d").cases.casts.get("expected_it", "text") == cast
    assert step_of(parse(out, "d"), "act") == {"it": "expected_it"}


def test_items_in_another_order_name_the_kind_that_allows_it(run: Run) -> None:
    lines = event("a", 1, "act", {"tags": ["y", "x"]}) + event("b", 1, "act", {"tags": ["p", "q"]})
    out = drafted(run, "case_id,expected_tags\na,x;y\nb,p;q\n", lines)
    assert '#   2 of 2 times with: args.tags = { kind = "bag", value = "{expected_tags}" }' in out


def test_what_few_calls_or_runs_have_is_no_expectation(run: Run) -> None:
    """A rare argument or a rare tool, expected of every run, would fail nearly all of them."""
    names = [f"c{n}" for n in range(8)]
    lines = [event(c, 1, "act", {"it": c + "!", **({"why": c + "?"} if c == "c1" else {})}) for c in names]
    lines += [event(c, 2, "undo", {"it": c + "!"}) for c in names[:2]]
    rows = "".join(f"{c},{c}!,{c}?\n" for c in names)
    out = drafted(run, f"case_id,expected_it,expected_why\n{rows}", "".join(lines))
    contract = parse(out, "d")
    assert [step.tool for step in contract.rules.steps or ()] == ["act"]
    assert step_of(contract, "act") == {"it": "expected_it"}
    assert "# undo: it was called in 2 of 8 runs, so no call of it is expected" in out
    assert run("init", "cases.csv", "traces.jsonl", "--output", "d.toml")[0] == 0
    assert run("check", "cases.csv", "traces.jsonl", "--contract", "d.toml")[0] == 0


def test_a_few_slips_in_a_column_do_not_hide_its_cast(run: Run) -> None:
    names = [f"c{n}" for n in range(40)]
    rows = "".join(f"{c},{'six' if c == 'c7' else n}\n" for n, c in enumerate(names))
    lines = "".join(event(c, 1, "act", {"seats": n}) for n, c in enumerate(names))
    out = drafted(run, f"case_id,expected_seats\n{rows}", lines)
    assert parse(out, "d").cases.casts == {"expected_seats": "int"}
    assert 'expected_seats = "int"    # but for 1 cell' in out
    many = rows.replace(",1", ",one ")
    assert parse(drafted(run, f"case_id,expected_seats\n{many}", lines), "d").cases.casts == {}


def test_the_id_column_is_the_one_that_the_runs_name(run: Run) -> None:
    out = drafted(run, "id,ticket\n1,T-1\n2,T-2\n", event("T-1", 1, "act", {}))
    assert 'id = "ticket"    # 1 of 2 cases have a run' in out


def test_a_reviewed_label_is_a_label_and_no_expectation(run: Run) -> None:
    out = drafted(run, "case_id,reviewed\na,PASS\nb,fail\n", event("a", 1, "act", {"reviewed": "PASS"}))
    contract = parse(out, "d")
    assert contract.cases.label == "reviewed" and not contract.rules.steps


def test_lists_of_calls_in_a_column_become_steps(run: Run) -> None:
    cases = 'case_id,todo\na,"[{""tool"": ""pay"", ""args"": {""sum"": 4}}]"\nb,[]\n'
    lines = event("a", 1, "pay", {"sum": 4}) + event("b", 1, "look_up", {})
    contract = parse(drafted(run, cases, lines), "d")
    assert [steps.column for steps in contract.rules.steps_from or ()] == ["todo"]
    assert contract.rules.order is not None and contract.rules.order.extra == "reads"
    code, out, _ = run("check", "cases.csv", "traces.jsonl", "--contract", save(contract, run))
    assert code == 0, out


def save(_: Contract, run: Run) -> str:
    run("init", "cases.csv", "traces.jsonl", "--output", "saved.toml")
    return "saved.toml"


def test_outcomes_go_with_their_columns_too(run: Run) -> None:
    lines = "".join(
        event(c, 1, "act", {}, state_after={"held": n}, run_outcome="done") for n, c in enumerate("abc")
    )
    out = drafted(run, "case_id,expected_held,expected_outcome\na,0,done\nb,1,done\nc,2,done\n", lines)
    final = parse(out, "d").rules.final
    assert final is not None
    assert dict(final.items) == {
        ("state_after", "held"): Column("expected_held"),
        ("run_outcome",): Column("expected_outcome"),
    }
    assert "by part of the name and value: equal 3 of 3 times" in out


def test_cases_that_describe_themselves_are_told_what_a_file_changes(run: Run) -> None:
    out = drafted(run, 'case_id,expected_sequence\na,"[""act""]"\n', event("a", 1, "act", {}))
    assert "These cases describe themselves (expected_sequence)" in out


def test_observations_are_listed_and_nothing_is_expected(run: Run) -> None:
    code, out, _ = run("init", OBSERVATIONS)
    contract = parse(out, "d")
    assert code == 0 and contract.cases.label == "expected" and contract.rules.final is None
    assert "# http = 200    # OBSERVED in 9 of 12 runs; also 202 1, 503 1, 504 1" in out
    assert "Nothing is expected yet" in out


def test_hostile_names_and_values_stay_text(run: Run) -> None:
    tool = 'x"]\nname = "evil'
    lines = event("a", 1, tool, {'k"\n[evil]': "v\x1b[31m", "{brace}": "\ud800"}, **{"odd\nkey": "\u202e"})
    out = drafted(run, 'case_id,"k""\n[evil]"\na,v\x1b[31m\n', lines)
    contract = parse(out, "d")
    assert contract.name == "cases" and list(contract.tools) == [tool]
    assert all(line.isprintable() for line in out.split("\n"))


def test_files_are_not_replaced_and_inputs_never_written(run: Run) -> None:
    Path("draft.toml").write_text("mine")
    assert run("init", CASES, TRACES, "--output", "draft.toml")[::2] == (
        2,
        "traceview: draft.toml exists; --force replaces it\n",
    )
    assert Path("draft.toml").read_text() == "mine"
    assert run("init", CASES, TRACES, "--output", "draft.toml", "--force")[0] == 0
    Path("c.csv").write_bytes(CASES.read_bytes())
    assert run("init", "c.csv", TRACES, "--output", "./c.csv", "--force")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["init"], "name the cases and the traces"),
        (["init", str(CASES)], "alone is not enough"),
        (["init", "gone.csv", str(TRACES)], "gone.csv"),
        (["lint"], "name a contract"),
        (["lint", "gone.toml"], "there is no such contract file"),
        (["lint", "a", "b", "c"], "name a contract"),
        (["lint", "a", "--contract", "b"], "unrecognized arguments: --contract"),
    ],
)
def test_an_error_is_one_line(run: Run, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_lint_says_what_is_wrong_line_by_line(run: Run) -> None:
    Path("bad.toml").write_text('contract = 1\nname = "x"\n[order]\nmode = "exactly"\n')
    code, out, _ = run("lint", "bad.toml")
    assert code == 1
    assert out == (
        'bad.toml: order.mode: error: unknown value "exactly" '
        '(did you mean "exact"? allowed: exact, in_order, partial, any)\n'
    )
    Path("misfit.toml").write_text(
        'contract = 1\nname = "x"\n[[step]]\ntool = "reserve_room"\nargs.room_id = "{expected_rom_id}"\n'
    )
    assert run("lint", "misfit.toml")[0] == 0
    code, out, _ = run("lint", "misfit.toml", CASES)
    assert code == 1 and 'misfit.toml: step[1].args.room_id: error: unknown column "expected_rom_id"' in out


def test_notes_are_said_and_are_no_failure(run: Run) -> None:
    contract = SAMPLE / "room_booking.toml"
    assert run("lint", contract, CASES) == (0, f"{contract}: sound, and fits {CASES}\n", "")
    Path("cases.csv").write_text(CASES.read_text("utf-8").replace("attendees", "expected_seats", 1))
    Path("few.toml").write_text('contract = 1\nname = "x"\n[status]\nok = ["ok"]\n')
    code, out, _ = run("lint", "few.toml", "cases.csv")
    assert code == 0
    assert out.startswith("few.toml: note: expected columns that are not read: ")


def test_guesses_by_name() -> None:
    reads = ["get_order", "mcp__rooms__check_availability", "listItems", "rooms.search", "Read", "look_up"]
    writes = ["reserve_room", "getaway", "transfer", "set_status", "HTTPPost", "予約", ""]
    assert {effect_by_name(name) for name in reads} == {"read"}
    assert {effect_by_name(name) for name in writes} == {"write"}
    assert [alike("expected_room_id", name) for name in ("roomId", "room_id", "room", "seats", "")] == [
        2,
        2,
        1,
        0,
        0,
    ]


def test_lint_of_a_draft_without_any_match_says_only_what_is_so(run: Run) -> None:
    out = drafted(run, "case_id\na\n", event("a", 1, "act", {}))
    assert lint(out, "d", ["case_id"]) == []


def test_no_rule_is_made_of_a_column_that_stands_twice(run: Run) -> None:
    runs = "".join(event(case, 1, "book", {"room": room}) for case, room in (("A", "R1"), ("B", "R2")))
    text = drafted(run, "case_id,room,room\nA,R1,R1\nB,R2,R2\n", runs)
    assert "{room}" not in text
    assert "# columns that no rule can read, as the header has them more than once: room" in text
    Path("c.toml").write_text(text)
    assert run("lint", "c.toml", "cases.csv")[0] == 0
    assert run("check", "cases.csv", "traces.jsonl", "--contract", "c.toml")[0] == 0


def test_lint_refuses_what_check_refuses(run: Run) -> None:
    runs = "".join(event(case, 1, "book", {"room": room}) for case, room in (("A", "R1"), ("B", "R2")))
    Path("c.toml").write_text(drafted(run, "case_id,room\nA,R1\nB,R2\n", runs))
    Path("cases.csv").write_text("case_id,room,room\nA,R1,R1\n")
    checked = run("check", "cases.csv", "traces.jsonl", "--contract", "c.toml")
    assert checked[0] == 2 and "column room appears more than once in the header" in checked[2]
    assert run("lint", "c.toml", "cases.csv") == checked
