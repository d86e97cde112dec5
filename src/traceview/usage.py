"""What can be typed: the commands, their options, and the help, each of which fits a screen of 80 by 24."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from traceview import __version__

__all__ = ["COMMANDS", "UsageError", "parse"]

COMMANDS: Final = ("check", "compare", "config", "export", "init", "lint")


class UsageError(Exception):
    """A command line that makes no sense (exit code 2). The text is one line."""


_SCREEN_HELP: Final = f"""\
traceview {__version__}: judge recorded runs of agents against reviewed cases

  traceview CASES TRACES...          see on the screen which runs fail, and why
  traceview check CASES TRACES...    one report and an exit code, for CI
  traceview export CASES TRACES...   files of the runs that a filter leaves
  traceview compare CASES BASELINE CANDIDATE   what changed between recordings
  traceview init CASES TRACES...     a contract to start from
  traceview lint CONTRACT [CASES]    is a contract sound, does it fit the cases
  traceview config [CASES TRACES]    where settings, marks and state are kept
  traceview COMMAND --help           the options of a command

CASES is CSV, TSV, JSON or JSONL; TRACES are JSONL files or folders of them; .gz
and .zst are read as they are, - is standard input. TRACES alone open unjudged.

  --contract FILE   judge by this contract instead of the one found beside CASES
  --filter EXPR     start with this filter (? on the screen explains filters)
  --baseline TRACES what became of each run since these (v, change:worse)
  --follow          read on while TRACES are being written
  --fresh           begin anew, not as it was left;  --version;  --help
  --triage FILE     keep marks and notes in FILE; --author NAME signs them

Examples:
  traceview cases.csv traces.jsonl --filter "is:fail tool:reserve_room"
"""

_CHECK_HELP: Final = """\
traceview check CASES TRACES...   one report, and an exit code for CI

  --contract FILE      judge by this contract
  --filter EXPR        report and gate only what matches: is:fail check:NAME
  --format FORMAT      text (default), json, jsonl, csv, markdown, junit,
                       github, html, png, svg (charts)
  --output FILE        write to FILE, format by its ending; may be repeated
  --force              replace files that exist
  --summary            leave out the single runs (text, json, markdown, html)
  --stamp TEXT         put TEXT, a date say, into the report
  --digest             add the SHA-256 of the traces
  --triage FILE        take marks and notes from FILE, not from beside CASES
  --respect-triage     runs marked "expectation wrong" or "ignore" pass the gate
  --unknown pass|fail  what unknown runs and cases without a trace count as
  --fail-on label-disagree   gate on verdict against reviewed label instead

Exit codes: 0 all pass; 1 a run fails; 2 input or usage error; 3 none fails, but
a run is unknown, has no trace or is unusable, or a line could not be used.

Examples:
  traceview check cases.csv traces.jsonl
  traceview check cases.csv traces.jsonl --output r.json --output junit.xml
"""

_COMPARE_HELP: Final = """\
traceview compare CASES BASELINE CANDIDATE   what changed between two recordings

  --contract FILE   judge both by this contract
  --filter EXPR     only what matches in CANDIDATE: change:worse check:NAME
  --format FORMAT   text (default), json, markdown, csv
  --output FILE     write to FILE, format by its ending; may be repeated
  --triage FILE     take marks and notes from FILE, not from beside CASES
  --force           replace files that exist
  --summary         leave out the single runs (text, json, markdown)
  --stamp TEXT      put TEXT, a date say, into the report

Exit codes: 0 nothing got worse; 1 a run got worse (pass, unknown, fail, in this
order) or is recorded no longer; 2 input or usage error; 3 neither, but a run or
a line could not be compared. Two files that hold cases and runs need no CASES.

Examples:
  traceview compare cases.csv release-1.jsonl release-2.jsonl
  traceview compare cases.csv old.jsonl new.jsonl --filter change:worse
"""

_CONFIG_HELP: Final = """\
traceview config [CASES TRACES...]   where everything is kept

  --contract FILE   the contract that will be given with these inputs
  --triage FILE     the file of marks and notes that will be given with them

Prints the config file, the folder in which the screen remembers how it was
left, and who signs marks and notes; with inputs also their triage file and the
file of their session.

Examples:
  traceview config
  traceview config cases.csv traces.jsonl
"""

_EXPORT_HELP: Final = """\
traceview export CASES TRACES...   files of the runs that a filter leaves

  --contract FILE   judge by this contract
  --filter EXPR     only what matches: is:fail diagnosis:NAME check:NAME
  --format FORMAT   text, json, jsonl, csv, markdown, junit, github, html, png,
                    svg
  --output FILE     write to FILE, format by its ending; may be repeated
  --inputs          also write the cases and traces of these runs, byte for
                    byte, into the folder of the first FILE
  --triage FILE     take marks and notes from FILE, not from beside CASES
  --force           replace files that exist
  --summary         leave out the single runs (text, json, markdown, html)
  --stamp TEXT      put TEXT, a date say, into the report
  --digest          add the SHA-256 of the traces

The exit code is 0 when everything was written, and 2 otherwise.

Examples:
  traceview export cases.csv traces.jsonl --filter is:fail --output failed.csv
  traceview export cases.csv traces.jsonl --filter is:fail --format jsonl
"""

_INIT_HELP: Final = """\
traceview init CASES TRACES...   a contract to start from, as a commented file

  --output FILE     write to FILE instead of to standard output
  --force           replace a file that exists

It says which tools were called, which columns of the cases go with which of
their arguments, and in which sequences, with counts. What is guessed or was
only seen is marked so: nothing that runs did is taken for what they should do.
One file of observations is given alone.

The exit code is 0 when it was written, and 2 otherwise.

Examples:
  traceview init cases.csv traces.jsonl
  traceview init cases.csv traces.jsonl --output cases.contract.toml
"""

_LINT_HELP: Final = """\
traceview lint CONTRACT [CASES]   is it sound, does it fit the cases

One line for each remark: the file, the place in it, error, warning or note. An
error keeps the contract from being used; a warning is something that it can do
and that was probably not meant. With CASES, columns and cells are read too.

Exit codes: 0 neither errors nor warnings; 1 there are some; 2 a file cannot be
read.

Examples:
  traceview lint cases.contract.toml
  traceview lint cases.contract.toml cases.csv
"""

_WITH_VALUE: Final = (
    "--baseline",
    "--author",
    "--contract",
    "--filter",
    "--format",
    "--output",
    "--stamp",
    "--triage",
    "--unknown",
    "--fail-on",
)


class _Parser(argparse.ArgumentParser):
    def __init__(self, help_text: str, *, judges: bool = True) -> None:
        super().__init__(prog="traceview", allow_abbrev=False)
        self._help_text = help_text
        self.add_argument("paths", nargs="*")
        if judges:
            self.add_argument("--contract")
            self.add_argument("--filter")

    def format_help(self) -> str:
        return self._help_text

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command (``command``: "screen" or one of :data:`COMMANDS`) with its ``paths`` and options.

    A first argument that is no command is a path; a file called ``check`` can be given as ``./check``.

    :raises UsageError:
    """
    command = arguments[0] if arguments and arguments[0] in COMMANDS else "screen"
    rest = list(arguments[command != "screen" :])
    parsers: dict[str, Callable[[], _Parser]] = {
        "check": _check_parser,
        "compare": _compare_parser,
        "config": _config_parser,
        "export": _export_parser,
        "init": _init_parser,
        "lint": lambda: _Parser(_LINT_HELP, judges=False),
    }
    parser = parsers.get(command, _screen_parser)()
    at = rest.index("--") if "--" in rest else len(rest)  # what follows is paths, dashes or not
    try:
        options = parser.parse_intermixed_args(_joined(rest[:at]))
    except UsageError as error:
        name = "traceview" if command == "screen" else f"traceview {command}"
        raise UsageError(f"{error}; {name} --help shows what can be given") from None
    options.command = command
    options.paths += rest[at + 1 :]
    return options


def _joined(arguments: list[str]) -> list[str]:
    """``--filter X`` as ``--filter=X``, so that a value may begin with a dash (``--filter -word``)."""
    joined: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        value = next(rest, None) if argument in _WITH_VALUE else None
        joined.append(argument if value is None else f"{argument}={value}")
    return joined


def _screen_parser() -> _Parser:
    parser = _Parser(_SCREEN_HELP)
    parser.add_argument("--triage")
    parser.add_argument("--author")
    parser.add_argument("--baseline")
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--version", action="version", version=f"traceview {__version__}")
    return parser


def _compare_parser() -> _Parser:
    from traceview.write.comparison import FORMATS

    return _with_outputs(_Parser(_COMPARE_HELP), FORMATS)


def _config_parser() -> _Parser:
    parser = _Parser(_CONFIG_HELP, judges=False)
    parser.add_argument("--contract")
    parser.add_argument("--triage")
    return parser


def _export_parser() -> _Parser:
    parser = _with_outputs(_Parser(_EXPORT_HELP))
    parser.add_argument("--digest", action="store_true")
    parser.add_argument("--inputs", action="store_true")
    return parser


def _check_parser() -> _Parser:
    parser = _with_outputs(_Parser(_CHECK_HELP))
    parser.add_argument("--digest", action="store_true")
    parser.add_argument("--unknown", choices=("pass", "fail"))
    parser.add_argument("--fail-on", choices=("label-disagree",))
    parser.add_argument("--respect-triage", action="store_true")
    return parser


def _init_parser() -> _Parser:
    parser = _Parser(_INIT_HELP, judges=False)
    parser.add_argument("--output")
    parser.add_argument("--force", action="store_true")
    return parser


def _with_outputs(parser: _Parser, formats: Sequence[str] = ()) -> _Parser:
    from traceview.write import FORMATS

    parser.add_argument("--format", choices=formats or FORMATS)
    parser.add_argument("--output", action="append", default=[])
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--stamp")
    parser.add_argument("--triage")
    return parser
