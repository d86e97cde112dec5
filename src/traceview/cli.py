"""The command line: what a command does, its exit code, and every error as one line.

Each command imports what it needs when it runs, so that ``--help`` and ``--version`` answer at once.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from traceview.sanitize import visible
from traceview.streams import is_terminal, say, signals_end_cleanly, silence
from traceview.usage import UsageError, parse

if TYPE_CHECKING:
    from traceview.load import Loader
    from traceview.results import Report
    from traceview.write import Options
    from traceview.write.inputs import Plan

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (default: that of the process) and return its exit code (docs/report.md)."""
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        if options.command == "screen":
            return _screen(options)
        with signals_end_cleanly():
            commands = {
                "check": _check,
                "compare": _compare,
                "config": _config,
                "export": _export,
                "init": _init,
                "lint": _lint,
            }
            return commands[options.command](options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            return INTERRUPTED  # in the middle of an import, Python 3.11 wraps it
        if os.environ.get("TRACEVIEW_DEBUG"):
            raise
        say(f"traceview: {visible(_one_line(error))}")
        return 2


def _one_line(error: Exception) -> str:
    home, name = type(error).__module__, type(error).__name__
    if name == "QueryError":
        return f"--filter: {error}"
    if home.startswith("traceview."):  # our own are one line, and say what to do
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"internal error: {type(error).__name__}: {error}; TRACEVIEW_DEBUG=1 shows where"


def _reader_left() -> int:
    """Whoever read our output has seen enough (``| head``). Nothing is left to say, not even at exit."""
    if sys.stdout is not None:
        silence(sys.stdout)
    return 128 + signal.SIGPIPE


# -- commands ----------------------------------------------------------------------------------------------


def _screen(options: Namespace) -> int:
    cases, traces = _inputs(options.paths)
    if options.baseline is not None and "-" in (cases, *traces, options.baseline):
        raise UsageError("--baseline reads the cases twice, and standard input comes only once; name files")
    # It is drawn on standard error, as textual does.
    terminal = is_terminal(sys.stdout) and is_terminal(sys.stderr)
    if terminal and os.environ.get("TERM") != "dumb":
        from traceview.tui.app import run

        return run(
            cases,
            traces,
            contract=options.contract,
            filter_text=options.filter,
            follow=options.follow,
            triage=options.triage,
            author=options.author,
            fresh=options.fresh,
            baseline=options.baseline,
        )
    if options.baseline is not None:
        raise UsageError("--baseline needs a terminal; traceview compare CASES BASELINE CANDIDATE needs none")
    if options.follow:
        raise UsageError("--follow needs a terminal: it shows on the screen what is appended to the traces")
    from traceview.write import Options
    from traceview.write.files import output

    report, _ = _load(cases, traces, options.contract, options.filter, need_contract=False)
    _write(report, [(None, "text")], Options(), force=False)
    with output(None) as stream:
        stream.write("not a gate: use traceview check\n")
    return 0


def _check(options: Namespace) -> int:
    from traceview.results import exit_code

    targets = _targets(options)
    report, loader = _judge(options)
    _write(report, targets, _options(options, loader), force=options.force)
    return exit_code(report, unknown=options.unknown, fail_on=options.fail_on)


def _compare(options: Namespace) -> int:
    from traceview.compare import compare, exit_code, narrow
    from traceview.query import Vocabulary
    from traceview.query import parse as parse_query
    from traceview.write.comparison import FORMATS, writer

    if not 2 <= len(options.paths) <= 3:
        raise UsageError(
            "compare needs the cases and two recordings: "
            "traceview compare cases.csv baseline.jsonl candidate.jsonl"
        )
    cases = options.paths[0] if len(options.paths) == 3 else None  # else each file holds both sides
    if cases == "-":
        raise UsageError("the cases are read twice, and standard input only once; name a file")
    targets = _targets(options)
    wrong = next((path or name for path, name in targets if name not in FORMATS), None)
    if wrong is not None:
        raise UsageError(f"{wrong}: compare writes {', '.join(FORMATS)}")
    old, new = options.paths[-2:]
    baseline, old_loader = _load(cases, [old], options.contract, None, need_contract=True)
    words = Vocabulary.named(_columns(baseline), baseline.contract)
    if options.filter is not None:  # a wrong filter is found before the other side is read
        parse_query(options.filter, words.with_transitions({}))
    candidate, new_loader = _load(
        cases, [new], options.contract, None, need_contract=True, triage=options.triage
    )
    comparison = compare(baseline, candidate)
    if options.filter is not None:
        words = Vocabulary.of(candidate, _columns(candidate)).with_transitions(comparison.transitions)
        query = parse_query(options.filter, words)
        comparison = narrow(comparison, query, old_loader.reader.run, new_loader.reader.run)
    _write_each(
        lambda name, stream, how: writer(name)(comparison, stream, how),
        len(comparison.transitions),
        targets,
        _options(options),
        force=options.force,
    )
    return exit_code(comparison)


def _config(options: Namespace) -> int:
    from traceview.kept import kept
    from traceview.write.files import output

    with output(None) as stream:
        for name, value in kept(options.paths, options.contract, options.triage):
            stream.write(f"{name:<14} {visible(value)}\n")
    return 0


def _export(options: Namespace) -> int:
    if not options.output and not options.format:
        raise UsageError("export needs --output FILE or --format FORMAT; traceview export --help shows more")
    if options.inputs and (not options.output or "-" in options.output):
        raise UsageError("--inputs needs --output FILE: the inputs are written into the folder of FILE")
    targets = _targets(options)
    report, loader = _judge(options)
    plan = _plan_inputs(report, loader, options) if options.inputs else None
    _write(report, targets, _options(options, loader), force=options.force)
    for path in plan.write() if plan is not None else ():
        say(f"inputs written to {visible(path)}")
    return 0


def _init(options: Namespace) -> int:
    from traceview.authoring import draft_contract
    from traceview.originals import recordings
    from traceview.progress import ProgressLine
    from traceview.write.files import check_target, output, same_file

    cases, traces = _inputs(options.paths)
    if options.output is not None and any(
        same_file(options.output, given) for given in recordings(options.paths)
    ):
        raise UsageError(f"--output {options.output} is one of the inputs")
    check_target(options.output, force=options.force)
    with ProgressLine(sys.stderr) as progress:
        text = draft_contract(cases, traces, progress.show)
    with output(options.output, force=options.force) as stream:
        stream.write(text)
    return 0


def _lint(options: Namespace) -> int:
    from traceview.authoring import lint_contract
    from traceview.write.files import output

    if not 1 <= len(options.paths) <= 2:
        raise UsageError(
            "name a contract, and the cases if it should fit them: traceview lint CONTRACT [CASES]"
        )
    remarks = lint_contract(*options.paths)
    wrong = any(remark.severity != "note" for remark in remarks)
    with output(None) as stream:
        for remark in remarks:
            stream.write(visible(str(remark)) + "\n")
        if not wrong:
            fits = f", and fits {options.paths[1]}" if len(options.paths) == 2 else ""
            stream.write(visible(f"{options.paths[0]}: sound{fits}") + "\n")
    return int(wrong)


# -- what they are made of ---------------------------------------------------------------------------------


def _inputs(paths: Sequence[str]) -> tuple[str | None, list[str]]:
    """Cases and traces. One file alone is traces, or holds both sides (the loader looks)."""
    if not paths:
        raise UsageError(
            "name the cases and the traces: traceview cases.csv traces.jsonl (--help shows more)"
        )
    if len(paths) == 1:
        return None, list(paths)
    return paths[0], list(paths[1:])


def _columns(report: Report) -> tuple[str, ...]:
    """The columns of the cases file, as far as some case has a cell in them."""
    return tuple(dict.fromkeys(name for row in report.rows for name in row.case.cells))


def _judge(options: Namespace) -> tuple[Report, Loader]:
    if not options.paths:
        raise UsageError(
            f"{options.command} needs the cases and the traces: "
            f"traceview {options.command} cases.csv traces.jsonl"
        )
    cases, traces = _inputs(options.paths)
    report, loader = _load(
        cases,
        traces,
        options.contract,
        options.filter,
        need_contract=True,
        triage=options.triage,
        respect_triage=options.command == "check" and options.respect_triage,
    )
    if options.digest:
        from traceview.digest import with_digests

        report = with_digests(report, loader.traces)
    return report, loader


def _load(
    cases: str | None,
    traces: list[str],
    contract: str | None,
    filter_text: str | None,
    *,
    need_contract: bool,
    triage: str | None = None,
    respect_triage: bool = False,
) -> tuple[Report, Loader]:
    """Read and judge, narrowed to what the filter matches, with what people have decided."""
    gc.disable()  # a hundred thousand results hold no cycle, and the process ends with its report
    from traceview.read.ahead import scan_ahead

    ahead = scan_ahead(traces) if cases is not None else None  # while the rest is imported
    from traceview.load import CasesRead, Finished, Loader
    from traceview.progress import ProgressLine
    from traceview.query import Vocabulary, narrow
    from traceview.query import parse as parse_query
    from traceview.triage import with_triage

    loader = Loader(cases, traces, contract, need_contract=need_contract, ahead=ahead)
    if need_contract and loader.cases is None:
        raise UsageError(
            f"{traces[0]} alone is not enough: name the cases and the traces, or one file of observations"
        )
    columns: tuple[str, ...] = ()
    report: Report | None = None
    with ProgressLine(sys.stderr) as progress:
        for message in loader.stages():
            progress.show(message)
            if isinstance(message, CasesRead):
                columns = message.columns
                known = message.contract
                if filter_text is not None:  # a wrong filter is found before an hour of reading
                    parse_query(filter_text, Vocabulary.named(columns, known))
            elif isinstance(message, Finished):
                report = message.report
    assert report is not None
    report = with_triage(report, loader.cases, loader.traces, path=triage, respect=respect_triage)
    if filter_text is not None:
        query = parse_query(filter_text, Vocabulary.of(report, columns))
        report = narrow(report, query, loader.reader.run)
    return report, loader


def _targets(options: Namespace) -> list[tuple[str | None, str]]:
    """(path, format) of every output; None is standard output. What cannot be written is refused at once."""
    from traceview.write import ENDINGS, format_of, writer
    from traceview.write.files import STDOUT, check_target, same_file

    if not options.output:
        writer(options.format or "text")
        return [(None, options.format or "text")]
    targets: list[tuple[str | None, str]] = []
    for path in options.output:
        known = None if path == STDOUT else format_of(path)
        name = (options.format or known) if len(options.output) == 1 else (known or options.format)
        if name is None and path != STDOUT:
            endings = " ".join(ENDINGS)
            raise UsageError(f"{path}: its ending names no format ({endings}); say --format")
        target = None if path == STDOUT else path
        if any(_place(target) == _place(other) for other, _ in targets):
            raise UsageError(f"--output {path} is given twice")
        if target is not None and any(same_file(target, given) for given in _originals(options, target)):
            raise UsageError(f"--output {path} is one of the inputs")
        check_target(target, force=options.force)
        writer(name or "text")  # a library that is not installed is missed now, not after an hour of reading
        targets.append((target, name or "text"))
    return targets


def _place(target: str | None) -> str | None:
    """Where an output goes, however its path is written."""
    return None if target is None else os.path.realpath(target)


def _originals(options: Namespace, target: str) -> Iterator[str]:
    """Every file that the command reads; nothing where ``target`` is not there, and so is none of them."""
    if not os.path.exists(target):  # noqa: PTH110
        return
    from traceview.originals import originals

    paths = options.paths
    cases, traces = (paths[0], paths[1:]) if len(paths) > 1 else (None, paths)
    if options.command == "compare" and len(paths) == 2:  # each holds both sides
        cases, traces = None, paths[1:]
        yield from originals(None, paths[:1], options.contract, options.triage)
    yield from originals(cases, traces, options.contract, options.triage)


def _options(options: Namespace, loader: Loader | None = None) -> Options:
    from traceview.write import Options

    detail = loader.reader.detail if loader is not None else None
    return Options(summary=options.summary, stamp=options.stamp, detail=detail)


def _write(
    report: Report, targets: Sequence[tuple[str | None, str]], options: Options, *, force: bool
) -> None:
    """Write every output of a report."""
    from traceview.write import writer

    _write_each(
        lambda name, stream, how: writer(name)(report, stream, how),
        len(report.rows),
        targets,
        options,
        force=force,
    )


def _write_each(
    write: Callable[[str, TextIO, Options], None],
    count: int,
    targets: Sequence[tuple[str | None, str]],
    options: Options,
    *,
    force: bool,
) -> None:
    """Write every output. What went into files is said on standard error."""
    from traceview.write.files import output, stdout_encoding

    terminal = is_terminal(sys.stdout)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    shown = options._replace(colour=terminal and not plain, ascii=not stdout_encoding().startswith("utf"))
    for path, name in targets:
        with output(path, force=force, gate=path is None and terminal and name != "text") as stream:
            write(name, stream, shown if path is None else options)
        if path is not None:
            say(f"{count} exported to {visible(path)} ({name})")


def _plan_inputs(report: Report, loader: Loader, options: Namespace) -> Plan:
    """What keeps the inputs from being written is found before a report is."""
    from traceview.write.inputs import Inputs, plan_inputs

    contract = loader.reader.source.contract
    assert contract is not None and loader.cases is not None  # export needs both
    inputs = Inputs(
        loader.cases,
        loader.reader.files,
        contract.cases.id,
        options.contract,
        (*contract.runs.case, *contract.runs.trial),
        loader.traces,
    )
    folder = os.path.dirname(options.output[0])  # noqa: PTH120 - "" is the working folder
    return plan_inputs(report, inputs, folder, force=options.force, reports=options.output)
