"""The cases and traces of some runs, as smaller input files: the original rows and lines, byte for byte.

Opening them shows exactly these runs again with the same results; so the contract goes with them.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePath
from typing import NamedTuple

from msgspec import Struct

from traceview.contract.find import beside
from traceview.read.cases import read_cases
from traceview.read.files import STDIN
from traceview.read.ids import id_text
from traceview.read.problems import Problems
from traceview.read.trace_files import Part, Place, TraceFiles, unpack
from traceview.results import Report
from traceview.write.files import OutputError, check_target, output_bytes

__all__ = ["Inputs", "write_inputs"]

_PACKED = (".gz", ".zst")
_ENDINGS = (".jsonl", ".ndjson", ".json")
_NOTHING = b"[]\n"  # an empty file says nothing, an empty array that nothing was recorded
_BATCH = 1000  # lines read at once


class Inputs(Struct, frozen=True):
    """Where the runs of a report come from. ``cases`` is a file; ``files`` has the lines of the traces;
    ``contract`` is the file that was named, and ``rules`` are the contract's ``[runs]``."""

    cases: str
    files: TraceFiles
    id_column: str
    contract: str | None
    rules: tuple[str, ...] = ()


class _File(NamedTuple):
    name: str
    pieces: Iterable[bytes]


def write_inputs(report: Report, inputs: Inputs, folder: str, *, force: bool = False) -> list[str]:
    """Write the inputs of the report's rows into ``folder``, and give the paths.

    Nothing is written when one of the files exists (without ``force``) or is itself an input.

    :raises OutputError: a file cannot be written, or the cases came from standard input.
    :raises ChangedInput: an input is not what was read.
    """
    if inputs.cases == STDIN:
        raise OutputError("--inputs needs the cases as a file: standard input cannot be read again")
    inputs.files.verify()
    files = [_cases(report, inputs), *_traces(report, inputs.files), *_contract(inputs)]
    originals = [inputs.cases, *(part.path for part in inputs.files.parts if part.path and not part.copied)]
    paths = [str(Path(folder, file.name)) for file in files]
    for path in paths:
        if any(_same(path, original) for original in originals):
            raise OutputError(f"{path} is one of the inputs; choose another folder for --inputs")
        if Path(path).parent.is_dir():
            check_target(path, force=force)
    for path, file in zip(paths, files, strict=True):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with output_bytes(path, force=force) as stream:
            stream.writelines(file.pieces)
    return paths


def _same(path: str, other: str) -> bool:
    return Path(path).exists() and Path(other).exists() and Path(path).samefile(other)


# -- cases -------------------------------------------------------------------------------------------------


def _cases(report: Report, inputs: Inputs) -> _File:
    wanted = {row.result.case_id for row in report.rows}
    table = read_cases(inputs.cases, Problems())
    part = table.files.parts[0]
    head = table.files.read(0, part.start, table.preamble - part.start)
    rows = (
        table.files.read(0, row.offset, row.length)
        for row in table.rows
        if id_text(row.cells.get(inputs.id_column)) in wanted
    )
    pieces = _array(rows) if table.format == "json" else chain([head], rows)
    return _File(_unpacked(inputs.cases), _encoded(pieces, part))


# -- traces ------------------------------------------------------------------------------------------------


def _traces(report: Report, files: TraceFiles) -> list[_File]:
    """One file as one file; of several those that have lines of these runs, in a folder ``traces``."""
    if not files.parts:
        return []  # observations: the cases are the recordings
    places: dict[int, set[Place]] = {}
    for row in report.rows:
        if row.where:
            for place in chain(*unpack(row.where)):
                places.setdefault(place.part, set()).add(place)
    if len(files.parts) == 1:
        shown = files.parts[0].shown
        name = "traces.jsonl" if shown == STDIN else _unpacked(shown)
        return [_File(name, _lines(files, 0, places.get(0, set())))]
    if not places:
        return [_File("traces/none.json", [_NOTHING])]
    found: list[_File] = []
    for number in sorted(places):
        name = _unpacked(files.parts[number].shown)
        if not name.lower().endswith(_ENDINGS):
            name += ".jsonl"  # in a folder only such names are traces
        twice = sum(PurePath(file.name).name == name for file in found)
        path = f"traces/{twice + 1}/{name}" if twice else f"traces/{name}"
        found.append(_File(path, _lines(files, number, places[number])))
    return found


def _lines(files: TraceFiles, number: int, places: set[Place]) -> Iterable[bytes]:
    """The lines in the order of the file."""
    if not places:
        return [_NOTHING]
    part = files.parts[number]
    order = sorted(places)
    batches = (order[at : at + _BATCH] for at in range(0, len(order), _BATCH))
    lines = chain.from_iterable(map(files.lines, batches))
    return _encoded(_array(lines) if part.format == "events-json" else lines, part)


# -- bytes -------------------------------------------------------------------------------------------------


def _array(items: Iterable[bytes]) -> Iterator[bytes]:
    before = b"["
    for item in items:
        yield before
        yield item
        before = b",\n"
    yield b"]\n" if before != b"[" else _NOTHING


def _encoded(pieces: Iterable[bytes], part: Part) -> Iterator[bytes]:
    """As the input was: with its byte order mark, and in UTF-16 where it was that."""
    if not part.encoding.startswith("utf-16"):
        if part.encoding == "utf-8-sig":
            yield codecs.BOM_UTF8
        yield from pieces
        return
    yield codecs.BOM_UTF16_LE if part.encoding.endswith("le") else codecs.BOM_UTF16_BE
    for piece in pieces:
        yield piece.decode("utf-8", "surrogatepass").encode(part.encoding, "surrogatepass")


def _unpacked(path: str) -> str:
    name = PurePath(path).name
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return name


# -- contract ----------------------------------------------------------------------------------------------


def _contract(inputs: Inputs) -> list[_File]:
    """The contract file, if it was one, under the name by which it is found again; and the files it names."""
    if inputs.contract is not None:
        original: Path | None = Path(inputs.contract)
    else:
        original = next((path for path in beside(Path(inputs.cases)) if path.exists()), None)
    if original is None:
        return []
    name = beside(Path(_unpacked(inputs.cases)))[0].name
    maps = [PurePath(rule.removeprefix("map:")) for rule in inputs.rules if rule.startswith("map:")]
    near = [path for path in maps if not path.is_absolute() and ".." not in path.parts]
    copies = [(name, original), *((str(path), original.parent / path) for path in near)]
    return [_File(name, [path.read_bytes()]) for name, path in copies]
