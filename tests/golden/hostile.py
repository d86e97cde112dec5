"""A report in which everything that has broken a format stands somewhere.

``python tests/golden/hostile.py`` writes the expected files again: look at the difference first.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from msgspec.structs import replace

from traceview.evaluate.detail import Detail, Diff, StepRow
from traceview.model import MISSING, Number, Problem, Run
from traceview.results import ContractInfo, InputInfo, Report, Row
from traceview.triage import Triage, load
from traceview.write import Options, writer

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from details import event
from rows import PRIORITY, finding, row

MARKUP = "</script><script>alert(1)</script>"
"""What a page must show, and never do."""


def opened(row: Row) -> Detail:
    """A run of it opened: markup, addresses that are code, values that must not be rounded."""
    result = row.result
    found = tuple(f for f in result.findings if f.step is not None)
    arguments = {
        MARKUP: "<img src=x onerror=alert(1)>",
        "link": "javascript:alert(1)",
        "long": "<!--" + "la " * 4000 + "\u2028",
    }
    calls = (
        event(
            1,
            MARKUP,
            arguments,
            "\x1b[31mok",
            result={"&": ["<b>", None, Number("1.10")]},
            state_after="\u202e",
        ),
        event(2, "reserve_room", "{'no': JSON}", None, actor="user", error="</textarea><!-- -->"),
    )
    rows = (
        StepRow(
            "changed",
            calls[0],
            1,
            MARKUP,
            (
                Diff("/a~1b/0", "same", 1, 1),
                Diff("/link", "changed", Number("NaN"), "javascript:alert(1)", "type"),
                Diff("/long", "changed", arguments["long"] + "x", arguments["long"], "changed"),
                Diff("/gone", "missing", {"deep": [Number("1e400"), 1.0, True]}, MISSING, "missing"),
                Diff("/form", "changed", "é", "e\u0301", "text_form", "differs only in Unicode form"),
                Diff("/time", "forgiven", "a", "b", None, "same <instant>"),
            ),
            found,
        ),
        StepRow("missing", None, 2, "<i>tool</i>", (Diff("/x", "missing", "\udcb2", MISSING),), ()),
        StepRow("extra", calls[1], None, None, (), ()),
    )
    run = Run(result.case_id, result.run_id, result.trial, calls, calls[1].fields, notes=(MARKUP,))
    final = (Diff("/state", "unknown", "<x>", MISSING, "evidence", "not captured"),)
    rest = tuple(f for f in result.findings if f.step is None)
    return Detail(
        row.case, row.title, run, result, rows, final, rest, (("state", "<known>"),), (), "<branch>"
    )


EXPECTED = Path(__file__).parent / "expected"
FILES = {
    "report.txt": ("text", Options()),
    "summary.txt": ("text", Options(summary=True, stamp="2031-04-01")),
    "ascii-colour.txt": ("text", Options(colour=True, ascii=True)),
    "report.json": ("json", Options()),
    "summary.json": ("json", Options(summary=True, stamp="2031-04-01")),
    "report.jsonl": ("jsonl", Options()),
    "report.csv": ("csv", Options()),
    "report.md": ("markdown", Options()),
    "summary.md": ("markdown", Options(summary=True, stamp="2031-04-01")),
    "junit.xml": ("junit", Options(stamp="2031-04-01")),
    "github.txt": ("github", Options()),
    "report.html": ("html", Options(detail=opened)),
}
"""File name, and the format and options that it shows."""


def decided() -> Triage:
    """What people have decided about it, read from a file that lies here."""
    triage = load(Path(__file__).parent / "hostile.triage.jsonl")
    triage.path = Path("/elsewhere/cases [old].csv.triage.jsonl")
    return triage


def hostile() -> Report:
    """Control characters, bidi controls, formulas, pipes, line breaks, markup, odd numbers."""
    rows = [
        row("plain", title="plain pass", label="PASS", layers={"HTTP | 2xx": "accept", "=shape": "n/a"}),
        row(
            "=1+1",
            "fail",
            "wrong_arguments",
            title='slow | steady\nsecond "line", <b>&amp;</b> `code` \\| @team #12 :warning: [/]',
            label="PASS",
            failing=["arguments_ok"],
            layers={"HTTP | 2xx": "accept", "=shape": "reject"},
            signature="arguments_ok reserve_room /duration_min changed",
            findings=[
                finding(
                    "sequence_ok", None, "repeated_call", MISSING, MISSING, step=1, message="not decisive"
                ),
                finding(observed=None, message="null is not 30"),
                finding(path="/gone", kind="missing", expected={"a": [1, 1.0, True]}, observed=MISSING),
            ],
        ),
        row(
            "\x1b]52;c;aGk=\x07\u202ewrong\u2028id",
            "fail",
            "wrong_final_state",
            run_id="run%3A,1",
            trial="2",
            title="東京タワー ⚠\ufe0f\t\udcb2\xa0ﬁn",
            failing=["final_state_ok"],
            signature="final_state_ok /state state",
            execution_problem=True,
            complete=False,
            recorded={"reward": Number("1.10")},
            findings=[
                finding(
                    "final_state_ok",
                    "/state/a~1b",
                    "state",
                    Number("NaN"),
                    [123456789012345678901234567890, 0.1, Number("1e400"), -0.02, Number("-Infinity")],
                    step=None,
                    tool=None,
                    message="100% of\r\n::error::state\x9b31m",
                )
            ],
        ),
        row(
            "-2h late",
            "fail",
            "tool_error",
            failing=["tools_succeeded"],
            signature="tools_succeeded t status",
            findings=[
                finding("tools_succeeded", None, "status", -0.03, -0.02, tool="\t=t", message=" \n@now")
            ],
        ),
        row("-0.02", "unknown", "not_observable", label="FAIL", findings=[finding(kind="evidence")]),
        row("none", "no_trace"),
        row("twice", "unusable", line=9),
    ]
    return Report(
        ContractInfo(
            "rooms | <x>",
            "rooms.toml",
            "c0ffee",
            (
                "sequence_ok",
                "arguments_ok",
                "tools_succeeded",
                "single_reservation",
                "final_state_ok",
                "verdict",
            ),
            ("HTTP | 2xx", "=shape"),
            priority=PRIORITY,
            ignored_columns=("expected_sequence",),
        ),
        (
            InputInfo("cases", "cases [old].csv", "csv", 7, "ca5e5"),
            InputInfo("traces", "traces,1.jsonl", "events-jsonl", 36, None),
        ),
        rows,
        [],
        [
            Problem("bad_json", "error", "traces,1.jsonl", 7, None, "no JSON: \x1b[2J"),
            Problem("duplicate_case", "error", "cases [old].csv", 9, "twice", "duplicate id twice | line 3"),
            Problem("step_form", "note", "traces,1.jsonl", None, None, "a step was text (12 times)"),
        ],
        1,
        'is:fail | "x"',
        decided(),
    )


def written(name: str, report: Report | None = None) -> bytes:
    """The bytes of one of :data:`FILES`."""
    format_name, options = FILES[name]
    binary = io.BytesIO()
    stream = io.TextIOWrapper(binary, "utf-8", "backslashreplace", "\n")
    writer(format_name)(hostile() if report is None else report, stream, options)
    stream.flush()
    return binary.getvalue()


def empty() -> Report:
    """The same, with no row left."""
    return replace(hostile(), rows=[])


if __name__ == "__main__":
    for file in FILES:
        (EXPECTED / file).write_bytes(written(file))
