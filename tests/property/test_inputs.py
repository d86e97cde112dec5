"""Exported inputs, opened again, are exactly those runs with the same results, and the original bytes."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import tempfile
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookings import COLUMNS, Suite, suite
from traceview.load import Loader
from traceview.query import Vocabulary, narrow, parse
from traceview.results import Report
from traceview.write.inputs import Inputs, write_inputs
from traceview.write.json import result_texts

FILTERS = (
    "is:fail",
    "is:pass",
    "-is:pass",
    "diagnosis:wrong_arguments",
    "case:*1*",
    "is:unusable,no_trace",
    "",
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16-le", "utf-16-be")
MARKS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def encoded(text: str, encoding: str) -> bytes:
    return MARKS.get(encoding, b"") + text.encode(encoding)


def cases_text(made: Suite, form: str, line_end: str) -> str:
    if form == "json":
        return json.dumps(made.cases, ensure_ascii=False, indent=1).replace("\n", line_end)
    if form == "jsonl":
        return "".join(json.dumps(case, ensure_ascii=False) + line_end for case in made.cases)
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t" if form == "tsv" else ",", lineterminator=line_end)
    writer.writeheader()
    writer.writerows(made.cases)
    return text.getvalue()


@st.composite
def inputs(draw: st.DrawFn) -> tuple[str, bytes, dict[str, bytes]]:
    """Name and bytes of a cases file, and of trace files (one, or several in a folder)."""
    made = suite(seed=draw(st.integers(0, 50)), size=draw(st.integers(1, 12)))
    rng = Random(draw(st.integers(0, 9)))
    for case in made.cases:
        case["user_request"] = draw(
            st.sampled_from(["", "two\nlines, quoted", "é 中 \u2028", 'a "word"', "=1"])
        )
    if draw(st.booleans()):
        made.cases.append(dict(made.cases[0]))  # a case id twice
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    form = draw(st.sampled_from(["csv", "tsv", "json", "jsonl"]))
    text = cases_text(made, form, line_end)
    if draw(st.booleans()):
        text = text.removesuffix(line_end)
    cases = encoded(text, draw(st.sampled_from(ENCODINGS)))

    lines = made.traces_jsonl(rng).splitlines()
    if draw(st.booleans()) and lines:
        broken = rng.choice(lines)
        lines.insert(rng.randrange(len(lines)), broken[: len(broken) // 2])
    count = draw(st.integers(1, 3))
    traces: dict[str, bytes] = {}
    for number in range(count):
        part = lines[number::count]
        text = "".join(line + line_end for line in part)
        if draw(st.booleans()):
            text = text.removesuffix(line_end)
        encoding = draw(st.sampled_from(ENCODINGS))
        data = encoded(text or "[]", encoding)
        if text and encoding in MARKS and draw(st.booleans()):
            data = data[:-1]  # it breaks off within a character
        packed = draw(st.booleans())
        name = f"part{number}.jsonl" + (".gz" if packed else "")
        traces[name] = gzip.compress(data) if packed else data
    return f"cases.{form}", cases, traces


def results(report: Report) -> list[str]:
    return list(map(result_texts(), report.rows))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(inputs(), st.sampled_from(FILTERS))
def test_opened_again_they_are_the_same_runs(made: tuple[str, bytes, dict[str, bytes]], wanted: str) -> None:
    name, cases, traces = made
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / name).write_bytes(cases)
        (here / "in").mkdir()
        for part, data in traces.items():
            (here / "in" / part).write_bytes(data)
        only = next(iter(traces))
        recorded = str(here / "in" / only if len(traces) == 1 else here / "in")
        loader = Loader(str(here / name), [recorded])
        whole = loader.report()
        report = narrow(whole, parse(wanted, Vocabulary.of(whole, COLUMNS)), loader.reader.run)
        where = Inputs(str(here / name), loader.reader.files, "case_id", None, traces=(recorded,))
        paths = write_inputs(report, where, str(here / "out"))
        assert paths[0] == str(here / "out" / name)
        traced = here / "out" / ("traces" if len(traces) > 1 else only.removesuffix(".gz"))
        again = Loader(paths[0], [str(traced)]).report()
        assert results(again) == results(report)
        assert not again.unreviewed
        kept = {row.result.case_id for row in report.rows}
        if kept == {row.result.case_id for row in whole.rows} and not name.endswith(".json"):
            assert Path(paths[0]).read_bytes() == cases


def test_nothing_is_written_over_an_input_or_without_force(tmp_path: Path) -> None:
    import pytest

    from traceview.write.files import OutputError

    made = suite(seed=1, size=3)
    (tmp_path / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    (tmp_path / "traces.jsonl").write_text(made.traces_jsonl(Random(1)), encoding="utf-8")
    loader = Loader(str(tmp_path / "cases.csv"), [str(tmp_path / "traces.jsonl")])
    report = loader.report()
    where = Inputs(str(tmp_path / "cases.csv"), loader.reader.files, "case_id", None)
    before = (tmp_path / "cases.csv").read_bytes()
    with pytest.raises(OutputError, match="one of the inputs"):
        write_inputs(report, where, str(tmp_path), force=True)
    assert (tmp_path / "cases.csv").read_bytes() == before
    out = tmp_path / "out"
    out.mkdir()
    (out / "traces.jsonl").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        write_inputs(report, where, str(out))
    assert [path.name for path in out.iterdir()] == ["traces.jsonl"]
    assert len(write_inputs(report, where, str(out), force=True)) == 2


def test_the_contract_goes_with_them(tmp_path: Path) -> None:
    made = suite(seed=1, size=3)
    (tmp_path / "cases.csv").write_text(made.cases_csv(), encoding="utf-8")
    (tmp_path / "traces.jsonl").write_text(made.traces_jsonl(Random(1)), encoding="utf-8")
    sample = Path(__file__).parents[2] / "sample_data" / "room_booking.toml"
    (tmp_path / "contract.toml").write_bytes(sample.read_bytes())
    loader = Loader(str(tmp_path / "cases.csv"), [str(tmp_path / "traces.jsonl")])
    report = loader.report()
    where = Inputs(str(tmp_path / "cases.csv"), loader.reader.files, "case_id", None)
    paths = write_inputs(report, where, str(tmp_path / "out"))
    assert Path(paths[-1]).name == "cases.contract.toml"
    again = Loader(paths[0], [paths[1]]).report()
    assert again.contract is not None and report.contract is not None
    assert again.contract.sha256 == report.contract.sha256
    assert results(again) == results(report)
