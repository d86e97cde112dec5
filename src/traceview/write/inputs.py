"""The cases and traces of some runs, as smaller input files: the original rows and lines, byte for byte.

Opening them shows exactly these runs again with the same results; so the contract goes with them.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePath
from typing import NamedTuple

from msgspec import Struct

from traceview.contract.find import beside
from traceview.contract.spec import RunsSpec
from traceview.read.cases import read_cases
from traceview.read.copies import blocks_of
from traceview.read.files import STDIN, TRIAGE_ENDING, ChangedInput, list_folder, shown_path
from traceview.read.ids import id_text
from traceview.read.linking import Linking
from traceview.read.problems import InputError, Problems
from traceview.read.trace_files import Part, Place, TraceFiles, unpack
from traceview.results import Report
from traceview.write.files import OutputError, check_target, output_bytes, same_file

__all__ = ["Inputs", "Plan", "plan_inputs", "write_inputs"]

_PACKED = (".gz", ".zst")
_ENDINGS = (".jsonl", ".ndjson", ".json")
_FOLDER = "traces"
_NOTHING = b"[]\n"  # an empty file says nothing, an empty array that nothing was recorded
_HALF = b"\xff"  # what half a character at the end of UTF-16 was read as (traceview.read.copies)
_BATCH = 1000  # lines read at once


class Inputs(Struct, frozen=True):
    """Where the runs of a report come from. ``cases`` is a file; ``files`` has the lines of the traces;
    ``contract`` is the file that was named, ``rules`` are the contract's ``[runs]``, and ``traces`` the files
    and folders that were named as traces."""

    cases: str
    files: TraceFiles
    id_column: str
    contract: str | None
    rules: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()

    @property
    def contract_folder(self) -> Path:
        """Where the files are that the contract names."""
        return Path(self.contract or self.cases).parent

    def trace_names(self) -> list[str]:
        """The trace files, those in folders one by one."""
        found = (list_folder(path) if Path(path).is_dir() else [path] for path in self.traces)
        return list(chain.from_iterable(found))


class _File(NamedTuple):
    name: str
    pieces: Iterable[bytes]


class Plan(NamedTuple):
    """Inputs that can be written: the paths, and what goes there, read while it is written."""

    files: Sequence[_File]
    force: bool

    def write(self) -> list[str]:
        """Write them, once, and give the paths.

        :raises OutputError: the disk is full.
        :raises ChangedInput: an input changed meanwhile.
        """
        for path, pieces in self.files:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with output_bytes(path, force=self.force) as stream:
                stream.writelines(pieces)
        return [path for path, _ in self.files]


def write_inputs(
    report: Report, inputs: Inputs, folder: str, *, force: bool = False, reports: Sequence[str] = ()
) -> list[str]:
    """Write the inputs of the report's rows into ``folder``, and give the paths; see :func:`plan_inputs`."""
    return plan_inputs(report, inputs, folder, force=force, reports=reports).write()


def plan_inputs(
    report: Report, inputs: Inputs, folder: str, *, force: bool = False, reports: Sequence[str] = ()
) -> Plan:
    """Find out what goes where in ``folder``, and whether it can be written and opened again as the same
    runs. Nothing is written.

    :param reports: files that will be written too.
    :raises OutputError: a file exists (without ``force``), is itself an input or a report, or cannot be
        written; an input cannot be read again; or what is in the folder already would change the runs.
    :raises ChangedInput: an input is not what was read.
    """
    inputs.files.verify()
    cases = _cases(report, inputs)
    traces = _traces(report, inputs, cases.name)
    contract = _contract(report, inputs)
    copies = [_File(name, [original.read_bytes()]) for name, original in contract]
    files = [file._replace(name=str(Path(folder, file.name))) for file in (cases, *traces, *copies)]
    originals = [
        inputs.cases,
        *inputs.trace_names(),
        *(part.path for part in inputs.files.parts if part.path and not part.copied),
        *(str(original) for _, original in contract),
    ]
    paths = [file.name for file in files]
    _check_apart(paths, reports)
    for path in paths:
        if any(same_file(path, original) for original in originals):
            raise OutputError(f"{path} is one of the inputs; choose another folder for --inputs")
        _check_place(path, force=force)
    _check_alone(Path(folder, _FOLDER), paths)
    if not contract:
        _check_no_contract(Path(folder, cases.name))
    return Plan(files, force)


# -- the folder --------------------------------------------------------------------------------------------


def _check_apart(paths: Sequence[str], reports: Sequence[str]) -> None:
    """Every file has a place of its own, also where upper and lower case are the same."""
    uses = {_place(path): "a report" for path in reports}
    for path in paths:
        place = _place(path)
        use = next((uses[str(p)] for p in (place, *Path(place).parents) if str(p) in uses), None)
        if use is not None:
            raise OutputError(
                f"{path}, one of the inputs to write, has the name of {use}; rename one of them"
            )
        uses[place] = "another one"


def _place(path: str) -> str:
    return os.path.realpath(path).casefold()


def _check_place(path: str, *, force: bool) -> None:
    """As :func:`traceview.write.files.check_target`, for a file whose folder may have to be made."""
    folder = next(parent for parent in Path(path).parents if os.path.lexists(parent))
    if not folder.is_dir():
        raise OutputError(f"{folder} is no folder, and {path} is to be written; choose another folder")
    if folder == Path(path).parent:
        check_target(path, force=force)
    elif not os.access(folder, os.W_OK):
        raise OutputError(f"{path}: {folder} is not writable")


def _check_alone(folder: Path, paths: Sequence[str]) -> None:
    """Whoever opens the folder of the traces reads all that is in it."""
    if not folder.is_dir() or not any(folder in Path(path).parents for path in paths):
        return
    ours = set(map(_place, paths))
    with suppress(InputError):  # nothing is in it
        stale = next((path for path in list_folder(str(folder)) if _place(path) not in ours), None)
        if stale is not None:
            raise OutputError(
                f"{stale} would be read with the exported traces; remove it, or choose another folder"
            )


def _check_no_contract(cases: Path) -> None:
    found = next((path for path in beside(cases) if path.exists()), None)
    if found is not None:
        raise OutputError(
            f"{found} would judge the exported cases, which it has not judged; remove it, or choose another "
            f"folder"
        )


# -- cases -------------------------------------------------------------------------------------------------


def _cases(report: Report, inputs: Inputs) -> _File:
    if inputs.cases == STDIN or not Path(inputs.cases).is_file():
        name = "standard input" if inputs.cases == STDIN else inputs.cases
        raise OutputError(f"--inputs needs the cases as a file: {name} cannot be read again")
    wanted = {row.result.case_id for row in report.rows}
    table = read_cases(inputs.cases, Problems())
    if table.digest not in (info.sha256 for info in report.inputs if info.role == "cases"):
        raise table.files.changed(0)
    part = table.files.parts[0]
    rows = [row for row in table.rows if id_text(row.cells.get(inputs.id_column)) in wanted]
    pieces: Iterable[bytes] = (table.files.read(0, row.offset, row.length) for row in rows)
    if table.format == "json" or not (rows or table.text):
        pieces = _array(pieces)
    else:
        pieces = chain([table.files.read(0, part.start, table.preamble - part.start)], pieces)
    end = rows[-1].offset + rows[-1].length if rows else part.start
    return _File(_unpacked(inputs.cases), _encoded(pieces, part, _rest(table.files, 0, end, inputs.cases)))


# -- traces ------------------------------------------------------------------------------------------------


def _traces(report: Report, inputs: Inputs, cases_name: str) -> list[_File]:
    """The files that have lines of these runs, or one that says that there are none."""
    parts = inputs.files.parts
    if not parts:
        return []  # observations: the cases are the recordings
    places: dict[int, set[Place]] = {}
    for row in report.rows:
        if row.where:
            for place in chain(*unpack(row.where)):
                places.setdefault(place.part, set()).add(place)
    names = _trace_paths(parts, sorted(places), cases_name)
    _check_linked(inputs, names)
    files = [_File(name, _lines(inputs, number, places.get(number, set()))) for number, name in names.items()]
    return files or [_File(f"{_FOLDER}/none.json", [_NOTHING])]


def _trace_paths(parts: Sequence[Part], used: Sequence[int], cases_name: str) -> dict[int, str]:
    """One file as one file, of several the ``used`` ones in a folder. There one file goes too that is named
    like the cases: it keeps its name, which may be what links its runs."""
    if len(parts) == 1:
        name = "traces.jsonl" if parts[0].shown == STDIN else _unpacked(parts[0].shown)
        if name.casefold() != cases_name.casefold():
            return {0: name}
    found: dict[int, str] = {}
    for number in used:
        name = _listed(_unpacked(parts[number].shown))
        twice = sum(PurePath(path).name.casefold() == name.casefold() for path in found.values())
        found[number] = f"{_FOLDER}/{twice + 1}/{name}" if twice else f"{_FOLDER}/{name}"
    return found


def _unpacked(path: str) -> str:
    name = PurePath(path).name
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return name


def _listed(name: str) -> str:
    """A name by which a file in a folder is found (:func:`traceview.read.files.list_folder`)."""
    name = name.lstrip(".")
    if not name.lower().endswith(_ENDINGS):
        name += ".jsonl"
    if name.lower().endswith(TRIAGE_ENDING):
        name = f"{name[: -len(TRIAGE_ENDING)]}-triage.jsonl"
    return name


def _check_linked(inputs: Inputs, names: Mapping[int, str]) -> None:
    """A file may be written under another name only where no rule finds other cases by it."""
    folder = str(inputs.contract_folder)
    rules = [Linking(RunsSpec(case=(rule,)), folder) for rule in inputs.rules]
    for number, name in names.items():
        shown = inputs.files.parts[number].shown
        old, new = PurePath(shown).name, PurePath(name).name
        if any(rule.case({}, old) != rule.case({}, new) for rule in rules):
            raise OutputError(
                f"{shown}: the contract's [runs] reads its name, which --inputs cannot keep ({new}); rename "
                f"or unpack the file first"
            )


def _lines(inputs: Inputs, number: int, places: set[Place]) -> Iterable[bytes]:
    """The lines in the order of the file."""
    if not places:
        return [_NOTHING]
    files = inputs.files
    part = files.parts[number]
    order = sorted(places)
    batches = (order[at : at + _BATCH] for at in range(0, len(order), _BATCH))
    lines = chain.from_iterable(map(files.lines, batches))
    names = inputs.trace_names()
    name = names[number] if number < len(names) and shown_path(names[number]) == part.shown else None
    rest = _rest(files, number, order[-1].offset + order[-1].length, name)
    return _encoded(_array(lines) if part.format == "events-json" else lines, part, rest)


# -- bytes -------------------------------------------------------------------------------------------------


def _array(items: Iterable[bytes]) -> Iterator[bytes]:
    before = b"["
    for item in items:
        yield before
        yield item
        before = b",\n"
    yield b"]\n" if before != b"[" else _NOTHING


def _encoded(pieces: Iterable[bytes], part: Part, rest: bytes) -> Iterator[bytes]:
    """As the input was: with its byte order mark, and in UTF-16 where it was that. ``rest`` is the half
    character with which it broke off; nothing stands behind it."""
    if not part.encoding.startswith("utf-16"):
        if part.encoding == "utf-8-sig":
            yield codecs.BOM_UTF8
        yield from pieces
        return
    yield codecs.BOM_UTF16_LE if part.encoding.endswith("le") else codecs.BOM_UTF16_BE
    for piece in pieces:
        whole = piece.removesuffix(_HALF)
        yield whole.decode("utf-8", "surrogatepass").encode(part.encoding, "surrogatepass")
        if len(whole) < len(piece):
            yield rest
            return


def _rest(files: TraceFiles, number: int, end: int, path: str | None) -> bytes:
    """The half character at the end of an input in UTF-16, if it is to be written as far as ``end``: only
    the file itself, at ``path``, still has it."""
    part = files.parts[number]
    if (
        not part.encoding.startswith("utf-16")
        or end < part.scanned
        or files.read(number, end - 1, 1) != _HALF
    ):
        return b""
    if path is None or not Path(path).is_file():
        raise OutputError(f"{part.shown} ends within a character, and --inputs cannot read it again")
    decoder = codecs.getincrementaldecoder(part.encoding)("surrogatepass")
    with Path(path).open("rb") as source:
        for block, _ in blocks_of(source, source.read(16), path):
            decoder.decode(block)
    rest = decoder.getstate()[0]
    if not rest:
        raise files.changed(number)
    return rest


# -- contract ----------------------------------------------------------------------------------------------


def _contract(report: Report, inputs: Inputs) -> list[tuple[str, Path]]:
    """The contract file, if it was one, under the name by which it is found again; and the files it names.

    :raises OutputError: it cannot be read again, or names a file that would not be found.
    :raises ChangedInput: it is not the one that was read.
    """
    if inputs.contract is not None:
        original: Path | None = Path(inputs.contract)
    else:
        original = next((path for path in beside(Path(inputs.cases)) if path.exists()), None)
    if original is None:
        return []
    if not original.is_file():
        raise OutputError(f"--inputs needs the contract as a file: {original} cannot be read again")
    text = original.read_text("utf-8-sig", errors="replace")
    if report.contract is None or hashlib.sha256(text.encode()).hexdigest() != report.contract.sha256:
        raise ChangedInput(f"{original} was rewritten since it was read; reload")
    maps = [PurePath(rule.removeprefix("map:")) for rule in inputs.rules if rule.startswith("map:")]
    outside = next((path for path in maps if ".." in path.parts), None)
    if outside is not None:
        raise OutputError(
            f"{original}: --inputs cannot take map:{outside} along, which is outside the contract's folder"
        )
    name = beside(Path(_unpacked(inputs.cases)))[0].name
    near = dict.fromkeys(path for path in maps if not path.is_absolute())
    return [(name, original), *((str(path), inputs.contract_folder / path) for path in near)]
