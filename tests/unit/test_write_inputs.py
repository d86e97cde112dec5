"""``export --inputs``: what it writes opens as the same runs, and what would not is refused beforehand."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from traceview.cli import main
from traceview.load import Loader
from traceview.write.json import result_texts

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES, TRACES = SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl"
CONTRACT = SAMPLE / "room_booking.toml"

Export = Callable[..., tuple[int, str]]


@pytest.fixture
def export(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Export:
    """``export(CASES, TRACES)`` exports into ``out/r.json`` with ``--inputs``: exit code, standard error."""
    monkeypatch.chdir(tmp_path)
    Path("out").mkdir()

    def call(*arguments: str | Path, output: str = "out/r.json") -> tuple[int, str]:
        code = main(["export", *map(str, arguments), "--inputs", "--output", output])
        return code, capsys.readouterr().err

    return call


def results(cases: str | Path, *traces: str | Path, contract: str | None = None) -> list[str]:
    report = Loader(str(cases), list(map(str, traces)), contract).report()
    return list(map(result_texts(), report.rows))


def written() -> list[str]:
    return sorted(str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file())


def refused(ran: tuple[int, str], *said: str) -> None:
    code, err = ran
    assert (code, err.count("\n")) == (2, 1)
    assert all(words in err for words in said), err


def halves(first: str, second: str) -> tuple[str, str]:
    """The sample traces as two files."""
    lines = TRACES.read_bytes().splitlines(keepends=True)
    for path, part in ((first, lines[:18]), (second, lines[18:])):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_bytes(b"".join(part))
    return first, second


@contextmanager
def piped(data: bytes) -> Iterator[str]:
    """The path of a pipe that holds these bytes, as the shell's ``<(…)`` gives it."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    yield f"/dev/fd/{reading}"
    os.close(reading)


def jsonl_cases(path: str) -> None:
    import csv

    with CASES.open(newline="") as file:
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in csv.DictReader(file)))


# -- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data.jsonl", "Data.JSONL"])
def test_traces_that_are_named_like_the_cases_go_into_a_folder(export: Export, name: str) -> None:
    Path("c").mkdir()
    Path("t").mkdir()
    jsonl_cases("c/data.jsonl")
    Path("t", name).write_bytes(TRACES.read_bytes())
    code, err = export("c/data.jsonl", f"t/{name}")
    assert code == 0
    assert err.splitlines()[1:] == [
        "inputs written to out/data.jsonl",
        f"inputs written to out/traces/{name}",
    ]
    assert results("out/data.jsonl", f"out/traces/{name}") == results("c/data.jsonl", f"t/{name}")


@pytest.mark.parametrize("name", [CASES.name, TRACES.name, CASES.name.upper().replace("CSV", "csv")])
def test_a_report_is_not_named_like_an_input(export: Export, name: str) -> None:
    refused(export(CASES, TRACES, "--format", "csv", output=f"out/{name}"), "has the name of a report")
    assert written() == []


def test_neither_is_one_of_several_reports(export: Export) -> None:
    refused(export(CASES, TRACES, "--output", f"out/{TRACES.name}"), TRACES.name)
    assert written() == []


def test_a_table_of_the_contract_is_not_named_like_the_cases(export: Export) -> None:
    Path("rules").mkdir()
    text = CONTRACT.read_text() + f'\n[runs]\ncase = ["map:{CASES.name}"]\n'
    Path("rules/c.toml").write_text(text)
    Path("rules", CASES.name).write_text("recorded,case_id\n")
    refused(export(CASES, TRACES, "--contract", "rules/c.toml"), "has the name of another one")
    assert written() == []


@pytest.mark.parametrize(
    ("given", "there"),
    [
        (".h.jsonl", "h.jsonl"),
        ("x.triage.jsonl", "x-triage.jsonl"),
        (".x.TRIAGE.jsonl", "x-triage.jsonl"),
        ("x.triage", "x-triage.jsonl"),
        ("x.log", "x.log.jsonl"),
    ],
)
def test_every_file_is_found_in_the_folder(export: Export, given: str, there: str) -> None:
    traces = halves(given, "b.jsonl")
    assert export(CASES, *traces)[0] == 0
    assert written() == [CASES.name, "r.json", "traces/b.jsonl", f"traces/{there}"]
    assert results(Path("out", CASES.name), "out/traces") == results(CASES, *traces)


def test_a_name_that_links_runs_is_kept_or_refused(export: Export) -> None:
    text = CONTRACT.read_text() + '\n[runs]\ncase = ["file:^(b.)$"]\n'
    Path("c.toml").write_text(text)
    Path("b1.gz").write_bytes(gzip.compress(TRACES.read_bytes()))
    refused(export(CASES, "b1.gz", "--contract", "c.toml"), "b1.gz: the contract's [runs] reads its name")
    assert written() == []
    Path("b1.gz").rename("b10.gz")  # neither name is one that the rule reads
    assert export(CASES, "b10.gz", "--contract", "c.toml")[0] == 0


# -- bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("rest", [1, 2, 3])
def test_half_a_character_comes_back(export: Export, encoding: str, packed: bool, rest: int) -> None:
    text = "\ufeff" + TRACES.read_text("utf-8") + '{"case_id": "B12", "tool_name": "\U0001f600'
    data = text.encode(encoding)[: rest - 4]
    name = "t.jsonl.gz" if packed else "t.jsonl"
    Path(name).write_bytes(gzip.compress(data) if packed else data)
    assert export(CASES, name)[0] == 0
    assert Path("out/t.jsonl").read_bytes() == data
    assert results(Path("out", CASES.name), "out/t.jsonl") == results(CASES, name)


def test_half_a_character_in_an_array_comes_back(export: Export) -> None:
    lines = TRACES.read_text("utf-8").splitlines()
    data = ("\ufeff[" + ",\n".join([*lines, '{"case_id": "B12", "step'])).encode("utf-16-le") + b"x"
    Path("t.json").write_bytes(data)
    assert export(CASES, "t.json")[0] == 0
    assert Path("out/t.json").read_bytes() == data


def test_half_a_character_in_the_cases_comes_back(export: Export) -> None:
    data = ("\ufeff" + CASES.read_text("utf-8").rstrip("\n")).encode("utf-16-le") + b"x"
    Path("c.csv").write_bytes(data)
    assert export("c.csv", TRACES)[0] == 0
    assert Path("out/c.csv").read_bytes() == data


def test_half_a_character_of_a_pipe_is_refused(export: Export) -> None:
    data = ("\ufeff" + TRACES.read_text("utf-8") + '{"case_id": "B12", "st').encode("utf-16-le") + b"x"
    with piped(data) as path:
        refused(export(CASES, path), "ends within a character")
    assert written() == []


# -- what is in the folder already -------------------------------------------------------------------------


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("stale", ["old.jsonl", "3/old.json.gz"])
def test_a_stale_trace_file_is_refused(export: Export, force: list[str], stale: str) -> None:
    Path("out/traces", stale).parent.mkdir(parents=True)
    Path("out/traces", stale).write_bytes(TRACES.read_bytes())
    refused(export(CASES, *halves("a.jsonl", "b.jsonl"), *force), f"out/traces/{stale} would be read")
    assert written() == [f"traces/{stale}"]


def test_an_earlier_export_of_the_same_files_is_replaced_by_force(export: Export) -> None:
    traces = halves("a.jsonl", "b.jsonl")
    assert export(CASES, *traces)[0] == 0
    Path("out/traces/.hidden.jsonl").touch()
    assert export(CASES, *traces, "--force")[0] == 0
    assert results(Path("out", CASES.name), "out/traces") == results(CASES, *traces)


@pytest.mark.parametrize("name", ["contract.toml", f"{CASES.stem}.contract.toml"])
def test_a_contract_that_has_not_judged_is_refused(export: Export, name: str) -> None:
    Path("out", name).write_text("contract = 1\n")
    refused(export(CASES, TRACES, "--force"), f"out/{name} would judge the exported cases")
    assert written() == [name]


def test_one_that_would_not_be_found_is_none(export: Export) -> None:
    Path("out/contract.toml").write_text("contract = 1\n")
    assert export(CASES, TRACES, "--contract", CONTRACT)[0] == 0
    assert results(Path("out", CASES.name), Path("out", TRACES.name)) == results(
        CASES, TRACES, contract=str(CONTRACT)
    )


# -- nothing selected --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("contract", [[], ["--contract", str(CONTRACT)]])
def test_no_run_opens_again_as_no_run(export: Export, form: str, contract: list[str]) -> None:
    jsonl_cases("c.jsonl")
    if form == "json":
        lines = Path("c.jsonl").read_text().splitlines()
        Path("c.json").write_text(f"[{','.join(lines)}]")
    elif form == "csv":
        Path("c.csv").write_bytes(CASES.read_bytes())
    assert export(f"c.{form}", TRACES, *contract, "--filter", "case:nope")[0] == 0
    assert results(f"out/c.{form}", Path("out", TRACES.name)) == []
    assert main(["check", f"out/c.{form}", f"out/{TRACES.name}"]) == 3


def test_no_observation_opens_again_as_none(export: Export) -> None:
    observed, contract = SAMPLE / "acceptance_observations.json", SAMPLE / "acceptance.toml"
    assert export(observed, "--contract", contract, "--filter", "case:nope")[0] == 0
    assert Path("out", observed.name).read_bytes() == b"[]\n"
    assert main(["check", f"out/{observed.name}"]) == 3


# -- what is known beforehand is said beforehand -----------------------------------------------------------


def test_cases_from_standard_input(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("-").touch()
    with CASES.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        refused(export("-", TRACES), "standard input cannot be read again")
    assert written() == []


@pytest.mark.parametrize("what", ["cases", "contract"])
def test_what_came_through_a_pipe_cannot_be_written(export: Export, what: str) -> None:
    source = CASES if what == "cases" else CONTRACT
    with piped(source.read_bytes()) as path:
        given = [path, TRACES] if what == "cases" else [CASES, TRACES, "--contract", path]
        refused(export(*given), f"--inputs needs the {what} as a file: {path} cannot be read again")
    assert written() == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_folder_of_the_inputs(export: Export, encoding: str) -> None:
    Path("out/c.csv").write_bytes(CASES.read_bytes())
    Path("t.jsonl").write_text(TRACES.read_text("utf-8"), encoding)
    Path("out/t.jsonl").hardlink_to("t.jsonl")
    before = Path("t.jsonl").read_bytes()
    refused(export("out/c.csv", "t.jsonl", "--force"), "out/c.csv is one of the inputs")
    refused(export(CASES, "t.jsonl", "--force"), "out/t.jsonl is one of the inputs")
    assert written() == ["c.csv", "t.jsonl"]
    assert Path("out/t.jsonl").read_bytes() == before


def test_a_name_that_is_taken(export: Export) -> None:
    Path("out", TRACES.name).touch()
    refused(export(CASES, TRACES), f"out/{TRACES.name} exists; --force replaces it")
    Path("out", TRACES.name).unlink()
    Path("out", TRACES.name).mkdir()
    refused(export(CASES, TRACES, "--force"), f"out/{TRACES.name} is a folder")
    assert written() == []


def test_a_file_where_the_folder_of_the_traces_would_be(export: Export) -> None:
    Path("out/traces").touch()
    refused(export(CASES, *halves("a.jsonl", "b.jsonl"), "--force"), "out/traces is no folder")
    assert written() == ["traces"]


def test_inputs_that_are_no_longer_what_was_read(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    from traceview.write import inputs

    Path("c.csv").write_bytes(CASES.read_bytes())
    Path("c.contract.toml").write_bytes(CONTRACT.read_bytes())
    plan = inputs.plan_inputs

    for name in ("c.csv", "c.contract.toml"):
        text = Path(name).read_text()

        def after_a_change(*given: Any, name: str = name, text: str = text, **more: Any) -> Any:
            Path(name).write_text(text + "\n# more\n")
            return plan(*given, **more)

        monkeypatch.setattr(inputs, "plan_inputs", after_a_change)
        refused(export("c.csv", TRACES), f"{name} was rewritten since it was read")
        Path(name).write_text(text)
    assert written() == []


# -- the contract ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["case", "trial"])
def test_the_tables_of_the_contract_go_along(export: Export, key: str) -> None:
    Path("rules/maps").mkdir(parents=True)
    text = CONTRACT.read_text() + f'\n[runs]\n{key} = ["map:maps/ids.csv"]\n'
    Path("rules/c.toml").write_text(text)
    Path("rules/maps/ids.csv").write_text("recorded,case_id\n")
    assert export(CASES, TRACES, "--contract", "rules/c.toml")[0] == 0
    assert "maps/ids.csv" in written()
    assert len(results(Path("out", CASES.name), Path("out", TRACES.name))) == 12


def test_a_table_outside_the_folder_of_the_contract_is_refused(export: Export) -> None:
    Path("rules").mkdir()
    Path("rules/c.toml").write_text(CONTRACT.read_text() + '\n[runs]\ncase = ["map:../ids.csv"]\n')
    Path("ids.csv").write_text("recorded,case_id\n")
    refused(export(CASES, TRACES, "--contract", "rules/c.toml"), "map:../ids.csv", "outside")
    assert written() == []
