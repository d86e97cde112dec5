"""Commands, options, exit codes and errors, as a person at a shell or a CI system meets them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from traceview.cli import main
from traceview.usage import COMMANDS

SAMPLE = Path(__file__).parents[2] / "sample_data"
CASES, TRACES = SAMPLE / "booking_agent_cases.csv", SAMPLE / "booking_agent_traces.jsonl"
FAILING = ["B02", "B03", "B04", "B05", "B06", "B08", "B09"]

Ran = tuple[int, str, str]
Run = Callable[..., Ran]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """``run("check", CASES, TRACES)`` in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Ran:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def check_json(run: Run, *options: str) -> dict[str, object]:
    _, out, _ = run("check", CASES, TRACES, "--format", "json", *options)
    report = json.loads(out)
    assert isinstance(report, dict)
    return report


# -- check -------------------------------------------------------------------------------------------------


def test_the_sample_in_text(run: Run) -> None:
    code, out, err = run("check", CASES, TRACES)
    assert (code, err) == (1, "")
    assert "12 runs of 12 cases: 5 of 12 evaluated pass, 7 fail" in out
    assert re.search(r"sequence_ok +9 / 12", out)
    assert [line.split()[1] for line in out.splitlines() if line.startswith("✗")] == FAILING
    assert "contract room-booking (built-in)" in out


def test_the_figures_of_the_sample(run: Run) -> None:
    report = check_json(run)
    assert report["totals"] == {
        "cases": 12,
        "runs": 12,
        "events": 36,
        "pass": 5,
        "fail": 7,
        "unknown": 0,
        "no_trace": 0,
        "unusable": 0,
        "execution_problems": 1,
    }
    assert list(report["diagnoses"]) == [  # type: ignore[call-overload]
        "pass",
        "wrong_sequence",
        "wrong_arguments",
        "duplicate_write",
        "tool_error",
        "wrong_final_state",
    ]


def test_shuffled_lines_give_the_same_bytes(run: Run, tmp_path: Path) -> None:
    lines = TRACES.read_bytes().splitlines(keepends=True)
    (tmp_path / TRACES.name).write_bytes(b"".join(lines[::-2] + lines[-2::-2]))
    (tmp_path / CASES.name).write_bytes(CASES.read_bytes())
    first = run("check", CASES, TRACES, "--format", "json")
    assert first[1].count('"case_id"') == 12
    assert run("check", CASES.name, TRACES.name, "--format", "json") == first


def test_a_filter_narrows_report_and_exit_code(run: Run) -> None:
    assert run("check", CASES, TRACES, "--filter", "is:pass")[0] == 0
    assert run("check", CASES, TRACES, "--filter", "nothing like it")[0] == 3
    report = check_json(run, "--filter", "-is:pass diagnosis:wrong_arguments")
    assert report["filter"] == "-is:pass diagnosis:wrong_arguments"
    assert [one["case_id"] for one in report["results"]] == ["B03", "B08"]  # type: ignore[attr-defined]


def test_text_in_events_can_be_filtered_by(run: Run) -> None:
    first = json.loads(TRACES.read_text().splitlines()[3])
    value = next(v for v in first["arguments"].values() if isinstance(v, str))
    report = check_json(run, "--filter", f'text:"{value}"')
    found = [one["case_id"] for one in report["results"]]  # type: ignore[attr-defined]
    assert first["case_id"] in found and len(found) < 12


def test_several_outputs_from_one_run(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        "check", CASES, TRACES, "--output", "r.json", "--output", "junit.xml", "--output", "-"
    )
    assert code == 1
    assert json.loads((tmp_path / "r.json").read_text())["totals"]["fail"] == 7
    assert ElementTree.parse(tmp_path / "junit.xml").getroot().get("failures") == "7"
    assert out.startswith("traceview ")
    assert "12 exported to r.json (json)" in err


def test_files_are_replaced_only_by_force(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("old")
    assert run("check", CASES, TRACES, "--output", "r.json") == (
        2,
        "",
        "traceview: r.json exists; --force replaces it\n",
    )
    assert (tmp_path / "r.json").read_text() == "old"
    assert run("check", CASES, TRACES, "--output", "r.json", "--force")[0] == 1
    assert json.loads((tmp_path / "r.json").read_text())


def test_no_output_may_be_an_input(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_bytes(CASES.read_bytes())
    code, _, err = run("check", "cases.csv", TRACES, "--output", "./cases.csv", "--force")
    assert (code, err) == (2, "traceview: --output ./cases.csv is one of the inputs\n")
    assert (tmp_path / "cases.csv").read_bytes() == CASES.read_bytes()


MAPPED = """\
contract = 1
name = "mapped"
[runs]
case = ["map:ids.csv"]
[final]
run_outcome = "completed"
"""


@pytest.mark.parametrize("command", ["check", "export"])
@pytest.mark.parametrize("read", ["t/two.jsonl", "c.contract.toml", "ids.csv", "c.csv.triage.jsonl"])
def test_no_output_may_be_a_file_that_is_read_as_well(
    run: Run, tmp_path: Path, command: str, read: str
) -> None:
    lines = TRACES.read_bytes().splitlines(keepends=True)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "one.jsonl").write_bytes(b"".join(lines[:18]))
    (tmp_path / "t" / "two.jsonl").write_bytes(b"".join(lines[18:]))
    (tmp_path / "c.csv").write_bytes(CASES.read_bytes())
    (tmp_path / "c.contract.toml").write_text(MAPPED)
    (tmp_path / "ids.csv").write_text("recorded,case\nx,B01\n")
    (tmp_path / "c.csv.triage.jsonl").write_text("")
    before = (tmp_path / read).read_bytes()
    (tmp_path / "link.json").symlink_to(read)
    for name in (read, "link.json"):
        done = run(
            command, "c.csv", "t", "--output", "new.json", "--output", name, "--format", "json", "--force"
        )
        assert done == (2, "", f"traceview: --output {name} is one of the inputs\n")
    assert (tmp_path / read).read_bytes() == before
    assert not (tmp_path / "new.json").exists()


def test_no_output_may_be_a_file_that_was_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "contract.toml").write_text(MAPPED.replace("map:ids.csv", "field:case_id"))
    (tmp_path / "marks.json").write_text("")
    named = ["--contract", "contract.toml", "--triage", "marks.json", "--force"]
    for name in ("contract.toml", "marks.json"):
        for command in (["check", CASES, TRACES], ["compare", CASES, TRACES, TRACES]):
            done = run(*command, *named, "--output", name, "--format", "json")
            assert done == (2, "", f"traceview: --output {name} is one of the inputs\n")


def test_a_contract_that_can_be_read_only_once_is_left_for_judging(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("old")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = MAPPED.replace("map:ids.csv", "field:case_id")
    writer = threading.Thread(target=lambda: pipe.write_text(text))
    writer.start()
    code, _, err = run("check", CASES, TRACES, "--contract", pipe, "--output", "r.json", "--force")
    writer.join()
    assert (code, err) == (0, "12 exported to r.json (json)\n")
    assert json.loads((tmp_path / "r.json").read_text())["contract"]["name"] == "mapped"


def test_a_draft_is_no_input_unless_it_is_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "one.jsonl").write_bytes(TRACES.read_bytes())
    (tmp_path / "c.csv").write_bytes(CASES.read_bytes())
    done = run("init", "c.csv", "t", "--output", "t/one.jsonl", "--force")
    assert done == (2, "", "traceview: --output t/one.jsonl is one of the inputs\n")
    assert (tmp_path / "t" / "one.jsonl").read_bytes() == TRACES.read_bytes()
    (tmp_path / "c.contract.toml").write_text("an old draft")
    assert run("init", "c.csv", "t", "--output", "c.contract.toml", "--force")[0] == 0


@pytest.mark.parametrize("again", ["./a.json", "sub/../a.json", "link.json"])
def test_an_output_is_given_once_however_it_is_written(run: Run, tmp_path: Path, again: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.json").symlink_to("a.json")
    done = run("check", CASES, TRACES, "--output", "a.json", "--output", again)
    assert done == (2, "", f"traceview: --output {again} is given twice\n")
    assert not (tmp_path / "a.json").exists()


def test_summary_and_stamp(run: Run) -> None:
    report = check_json(run, "--summary", "--stamp", "-2031-04-01-")
    assert "results" not in report
    assert report["stamp"] == "-2031-04-01-"


def test_a_digest_of_the_traces_on_request(run: Run) -> None:
    import hashlib

    inputs = check_json(run)["inputs"], check_json(run, "--digest")["inputs"]
    assert [i[1]["sha256"] for i in inputs] == [  # type: ignore[index]
        None,
        hashlib.sha256(TRACES.read_bytes()).hexdigest(),
    ]


def test_what_can_be_read_only_once_has_no_digest(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "traces.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(TRACES.read_bytes()))
    writer.start()
    code, out, err = run("check", CASES, pipe, "--digest", "--format", "json")
    writer.join()
    assert (code, err) == (1, "")
    traces = json.loads(out)["inputs"][1]
    assert (traces["records"], traces["sha256"]) == (36, None)


def test_unknown_can_be_mapped(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b"".join(TRACES.read_bytes().splitlines(keepends=True)[:3]))
    pick = ["--filter", "case:B01,B10"]
    assert run("check", CASES, "t.jsonl", *pick)[0] == 3
    assert run("check", CASES, "t.jsonl", *pick, "--unknown", "pass")[0] == 0
    assert run("check", CASES, "t.jsonl", *pick, "--unknown=fail")[0] == 1


# -- export ------------------------------------------------------------------------------------------------


def test_export_writes_what_the_filter_leaves(run: Run, tmp_path: Path) -> None:
    code, out, err = run("export", CASES, TRACES, "--filter", "is:fail", "--output", "failed.csv")
    assert (code, out) == (0, "")
    assert err == "7 exported to failed.csv (csv)\n"
    lines = (tmp_path / "failed.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == FAILING


def test_nothing_to_export_is_said(run: Run, tmp_path: Path) -> None:
    code, _, err = run("export", CASES, TRACES, "--filter", "is:unknown", "--output", "x.jsonl")
    assert (code, err) == (0, "0 exported to x.jsonl (jsonl)\n")
    assert (tmp_path / "x.jsonl").read_bytes() == b""


def test_export_of_the_inputs_can_be_opened_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "failed").mkdir()
    code, _, err = run(
        "export", CASES, TRACES, "--filter", "is:fail", "--inputs", "--output", "failed/r.json"
    )
    assert code == 0
    assert f"inputs written to {Path('failed', CASES.name)}\n" in err
    first = json.loads((tmp_path / "failed" / "r.json").read_text())
    _, out, _ = run("check", Path("failed", CASES.name), Path("failed", TRACES.name), "--format", "json")
    assert json.loads(out)["results"] == first["results"]
    assert len(first["results"]) == 7


@pytest.mark.parametrize("output", [[], ["--output", "-"], ["--format", "json"]])
def test_the_inputs_need_a_folder(run: Run, output: list[str]) -> None:
    code, _, err = run("export", CASES, TRACES, "--inputs", *output)
    assert (code, err.count("\n")) == (2, 1)
    assert "--output FILE" in err


# -- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the cases and the traces"),
        (["check"], "check needs the cases and the traces"),
        (["export", "a", "b"], "export needs --output FILE or --format FORMAT"),
        (["check", "nope.csv", "nope.jsonl"], "nope.csv"),
        (["nope.csv", "nope.jsonl"], "nope.csv"),
        (["check", "a", "b", "--fromat", "json"], "unrecognized arguments: --fromat"),
        (["check", "a", "b", "--format", "xlsx"], "invalid choice: 'xlsx'"),
        (["check", "a", "b", "--output", "r.xlsx"], "r.xlsx: its ending names no format"),
        (["check", "a", "b", "--output", "gone/r.json"], "there is no folder gone"),
        (["check", "a", "b", "--output", "r.md", "--output", "r.md"], "given twice"),
        (["check", "a", "b", "--filter"], "expected one argument"),
        (["--unknown", "pass", "a", "b"], "unrecognized arguments"),
    ],
)
def test_an_error_is_one_line(run: Run, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err and err.startswith("traceview: ") and err.count("\n") == 1


def test_a_wrong_filter_is_one_line(run: Run) -> None:
    code, out, err = run("check", CASES, TRACES, "--filter", "is:fale")
    assert (code, out) == (2, "")
    assert err == "traceview: --filter: is:fale is not known; did you mean fail?\n"


def test_an_error_cannot_act_on_the_terminal(run: Run) -> None:
    _, _, err = run("check", "\x1b]52;c;x\x07.csv", TRACES)
    assert "␛]52;c;x␇.csv" in err and "\x1b" not in err


def test_debug_shows_where(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEVIEW_DEBUG", "1")
    with pytest.raises(Exception, match=r"nope\.csv"):
        run("check", "nope.csv", TRACES)


def test_our_own_mistakes_are_one_line_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("traceview.write.text.totals", fail)
    code, _, err = run("check", CASES, TRACES)
    assert code == 2
    assert err == "traceview: internal error: ZeroDivisionError: oops; TRACEVIEW_DEBUG=1 shows where\n"


def test_an_interrupt_during_an_import_is_an_interrupt(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrapped(*_: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("traceview.write.text.totals", wrapped)
    assert run("check", CASES, TRACES) == (130, "", "")


# -- the first argument ------------------------------------------------------------------------------------


def test_without_a_terminal_the_screen_is_the_text_report(run: Run) -> None:
    code, out, _ = run(CASES, TRACES, "--filter", "is:fail")
    assert code == 0
    assert "filter  is:fail" in out
    assert out.endswith("\nnot a gate: use traceview check\n")


def test_a_file_that_is_called_like_a_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "check").write_bytes(CASES.read_bytes())
    code, out, _ = run("./check", TRACES)
    assert code == 0 and "5 of 12 evaluated pass" in out


def test_names_may_begin_with_a_dash(run: Run, tmp_path: Path) -> None:
    (tmp_path / "-c.csv").write_bytes(CASES.read_bytes())
    (tmp_path / "--t.jsonl").write_bytes(TRACES.read_bytes())
    assert run("check", "--format", "json", "--", "-c.csv", "--t.jsonl")[0] == 1


def test_options_may_stand_anywhere(run: Run) -> None:
    assert run("check", CASES, "--format", "csv", TRACES)[1].startswith("case_id,run,")
    assert run("--filter", "is:pass", CASES, TRACES)[0] == 0


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_fits_a_screen_and_has_examples(run: Run, command: list[str]) -> None:
    code, out, _ = run(*command, "--help")
    assert code == 0
    assert len(out.splitlines()) <= 24
    assert max(map(len, out.splitlines())) <= 80
    examples = out[out.index("Examples") :]
    assert f"traceview {' '.join([*command, 'cases.'])}" in examples


def test_the_help_names_formats_that_there_are(run: Run) -> None:
    assert "html" not in run("compare", "--help")[1]
    for command in ("check", "export"):
        assert "leave out the single runs (text, json, markdown, html)" in run(command, "--help")[1]


def test_a_link_to_nothing_is_not_suggested_for_itself(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "one.jsonl").write_bytes(TRACES.read_bytes())
    (tmp_path / "t" / "two.jsonl").symlink_to("gone.jsonl")
    code, _, err = run("check", CASES, "t")
    assert code == 2
    assert "t/two.jsonl: no such file; expected " in err
    assert err.endswith("; the name is a link to nothing\n") and "did you mean" not in err


def test_every_option_is_in_the_help(run: Run) -> None:
    from traceview import usage

    for name, parser in (("check", usage._check_parser()), ("export", usage._export_parser())):
        _, out, _ = run(name, "--help")
        options = {option for action in parser._actions for option in action.option_strings}
        assert all(option in out for option in options if option.startswith("--") and option != "--help"), (
            name
        )


def test_the_examples_of_the_help_run(run: Run, tmp_path: Path) -> None:
    import shlex

    (tmp_path / "cases.csv").write_bytes(CASES.read_bytes())
    (tmp_path / "traces.jsonl").write_bytes(TRACES.read_bytes())
    for command in ([], ["check"], ["export"]):
        _, out, _ = run(*command, "--help")
        for line in out[out.index("Examples") :].splitlines()[1:]:
            for written in ("r.json", "junit.xml", "failed.csv"):
                (tmp_path / written).unlink(missing_ok=True)
            code, _, err = run(*shlex.split(line)[1:])
            assert code in (0, 1), err


# -- the world around it -----------------------------------------------------------------------------------


def start(*arguments: str | Path, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "traceview", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_a_reader_that_leaves_is_no_error() -> None:
    process = start("check", CASES, TRACES, "--format", "jsonl")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(30) == 128 + signal.SIGPIPE
    assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_while_reading_ends_it_quietly(tmp_path: Path, number: int, code: int) -> None:
    process = start("check", CASES, "-", "--output", "r.json", cwd=tmp_path)
    assert process.stdin is not None and process.stderr is not None
    process.stdin.write(TRACES.read_bytes())
    process.stdin.flush()
    time.sleep(0.7)  # it waits for more
    process.send_signal(number)
    assert process.wait(30) == code
    assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_writing_leaves_no_half_file(tmp_path: Path, number: int) -> None:
    (tmp_path / "r.json").write_text("old")
    code = (
        "import sys, time, traceview.write.json as j\n"
        "def slow(report, stream, options):\n"
        "    stream.write('half'); stream.flush(); print('now', flush=True); time.sleep(60)\n"
        "j.write = slow\n"
        "from traceview.cli import main\n"
        f"sys.exit(main(['check', {str(CASES)!r}, {str(TRACES)!r}, '--output', 'r.json', '--force']))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"now\n"
    assert len(list(tmp_path.iterdir())) == 2
    process.send_signal(number)
    assert process.wait(30) == 128 + number
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("r.json", "old")]


def shell(line: str, folder: Path) -> tuple[int, str, str]:
    """``traceview`` as a shell runs it: exit code, standard output, standard error."""
    words = {"traceview": f"{sys.executable} -m traceview", "CASES": str(CASES), "TRACES": str(TRACES)}
    for word, meaning in words.items():
        line = line.replace(word, meaning)
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("export CASES TRACES --output r.json", 0),
        ("check CASES TRACES --output r.json --filter is:pass", 0),
        ("export CASES TRACES --inputs --output r.json", 0),
        ("check CASES gone.jsonl", 2),
        ("check --nonsense", 2),
    ],
)
@pytest.mark.parametrize("closed", ["2>/dev/full", "2>&-"])
def test_what_cannot_be_said_on_standard_error_changes_nothing(
    tmp_path: Path, command: str, code: int, closed: str
) -> None:
    assert shell(f"traceview {command} {closed}", tmp_path) == (code, "", "")
    assert (tmp_path / "r.json").exists() == (code == 0)


@pytest.mark.parametrize("command", ["check CASES TRACES", "CASES TRACES", "init CASES TRACES", "config"])
def test_a_closed_standard_output_is_a_reader_that_left(tmp_path: Path, command: str) -> None:
    assert shell(f"traceview {command} >&-", tmp_path) == (128 + signal.SIGPIPE, "", "")


def test_a_closed_standard_output_that_is_not_needed_does_no_harm(tmp_path: Path) -> None:
    code, out, err = shell("traceview check CASES TRACES --output r.json >&-", tmp_path)
    assert (code, out, err) == (1, "", "12 exported to r.json (json)\n")
    assert json.loads((tmp_path / "r.json").read_text())["totals"]["fail"] == 7
    assert shell("traceview init CASES TRACES --output d.toml >&- 2>&-", tmp_path) == (0, "", "")


def test_a_report_needs_no_standard_error(tmp_path: Path) -> None:
    for command in ("check CASES TRACES", "CASES TRACES"):
        whole = shell(f"traceview {command}", tmp_path)
        assert whole[1] and shell(f"traceview {command} 2>&-", tmp_path) == (*whole[:2], "")


def test_main_can_be_called_in_a_thread(run: Run) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(run("check", CASES, TRACES)[0]))
    thread.start()
    thread.join()
    assert codes == [1]


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "traceview", "check", CASES, TRACES],
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert "✗ B02" in done.stdout.decode("utf-8")
