"""Charts: what they draw, in what words, and that they are the same bytes every time."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import warnings
from importlib.machinery import ModuleSpec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from golden.hostile import empty, hostile
from rows import bookings, report, row
from traceview.cli import main
from traceview.load import Loader
from traceview.results import ContractInfo, Report
from traceview.write import Options, writer
from traceview.write.files import OutputError
from traceview.write.panels import caption, panels

pytest.importorskip("matplotlib")

SAMPLE = Path(__file__).parents[2] / "sample_data"
OBSERVATIONS, CONTRACT = str(SAMPLE / "acceptance_observations.json"), str(SAMPLE / "acceptance.toml")


def drawn(found: Report, name: str = "svg", stamp: str | None = None) -> bytes:
    binary = io.BytesIO()
    stream = io.TextIOWrapper(binary, "utf-8", "backslashreplace", "\n")
    writer(name)(found, stream, Options(stamp=stamp))
    stream.flush()
    return binary.getvalue()


def texts(found: Report) -> list[str]:
    """Every text of the picture."""
    root = ElementTree.fromstring(drawn(found))
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def named(*checks: str, layers: tuple[str, ...] = ()) -> Report:
    """A report whose checks and layers have these names."""
    verdicts = dict.fromkeys(checks, "pass")
    one = row("c", layers=dict.fromkeys(layers, "accept"))
    found = report()
    return replace(
        found,
        contract=ContractInfo("names", "n.toml", "0", checks, layers),
        rows=[replace(one, result=replace(one.result, checks=verdicts))],
    )


def test_contract_totals_stand_on_their_base_and_diagnoses_add_up() -> None:
    checks, diagnoses = panels(report())
    said = {bar.label: bar.words for bar in checks.bars}
    assert said["sequence_ok"] == "9 of 12" and said["arguments_ok"] == "10 of 12"
    assert "do not add up" in checks.note and "add up to 12 runs" in diagnoses.note
    assert sum(count for bar in diagnoses.bars for _, count in bar.parts) == 12
    assert [bar.label for bar in diagnoses.bars][:3] == ["pass", "wrong_sequence", "wrong_arguments"]


def test_what_a_chart_says_stands_in_it_as_text() -> None:
    found = texts(report())
    for text in ("sequence_ok", "9 of 12", "wrong_arguments", "passed", "failed", "runs"):
        assert text in found
    whole = " ".join(found)
    assert "cases.csv (12 records)" in whole and "12 runs of 12 cases, 36 calls" in whole
    assert "these files and these rules alone" in whole


def test_false_acceptances_of_each_layer() -> None:
    found = Loader(None, [OBSERVATIONS], CONTRACT).report()
    layers = panels(found)[-1]
    assert [(bar.label, bar.parts[0]) for bar in layers.bars] == [
        ("HTTP 2xx only", ("fail", 8)),
        ("Booking shape only", ("fail", 7)),
    ]
    assert "accepts 7 of 9 invalid, rejects 1 of 2 valid, accepts 0 of 1 unknown" in texts(found)


@pytest.mark.parametrize("name", ["png", "svg"])
def test_the_same_report_gives_the_same_bytes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    first = drawn(hostile(), name)
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 30)
    monkeypatch.setitem(matplotlib.rcParams, "svg.hashsalt", "another")
    assert drawn(hostile(), name) == first
    assert matplotlib.rcParams["font.size"] == 30  # and the settings of the program around it stay
    assert not re.search(rb"20\d\d-\d\d-\d\dT", first)


def test_nothing_depends_on_colour() -> None:
    """Passed, failed and unknown are drawn plain, hatched and dotted."""
    svg = drawn(Loader(None, [OBSERVATIONS], CONTRACT).report()).decode()
    assert len(set(re.findall(r'<pattern id="(\w+)"', svg))) >= 2
    for word in ("passed", "failed", "unknown"):
        assert f">{word}</text>" in svg


def test_text_of_the_data_is_text() -> None:
    name, hidden = "cost $x^2$ \\frac{1}{0}", "\x1b[31m<b>&\u202e"
    found = texts(named(name, hidden, layers=("$", "$a$")))
    assert name in found
    assert "␛[31m<b>&<U+202E>" in found
    assert "$a$" in found
    assert drawn(named(name, hidden), "png").startswith(b"\x89PNG")


def test_pixels_name_the_characters_they_cannot_show() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drawn(named("予約"), "png") != drawn(named("予定"), "png")
    assert "予約" in texts(named("予約"))


@pytest.mark.parametrize("name", ["W" * 500, "a b " * 200, ""])
def test_long_names_leave_room_for_the_bars(name: str) -> None:
    found = named(name or "n", name * 2 or "m")
    width, _ = struct.unpack(">II", drawn(found, "png")[16:24])
    assert width == 1599
    assert all(len(text) < 260 for text in texts(found))


def test_what_is_left_out_is_counted() -> None:
    rows = [row(f"c{number}", "fail", f"label_{number:02}") for number in range(45)]
    rows += [row("p"), row("n", "no_trace")]
    diagnoses = panels(report(rows))[1]
    assert len(diagnoses.bars) == 30
    assert diagnoses.bars[-1].label == "18 other diagnoses"
    assert dict(diagnoses.bars[-1].parts) == {"pass": 0, "fail": 17, "unknown": 1}
    assert sum(count for bar in diagnoses.bars for _, count in bar.parts) == 47
    assert panels(named(*[f"check_{n}" for n in range(33)]))[0].cut == "not drawn: 3 more checks"


@pytest.mark.parametrize("name", ["png", "svg"])
def test_a_report_without_rows_or_contract_is_a_picture(name: str) -> None:
    assert drawn(empty(), name)
    assert drawn(replace(report(bookings()), contract=None), name)


def test_the_caption_names_filter_and_stamp() -> None:
    words = caption(report(filter_text="is:fail", skipped=2), "2031-04-01")
    assert "[ is:fail ]" in words and "2 input lines could not be used" in words
    assert words.endswith("2031-04-01")


def test_charts_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["check", OBSERVATIONS, "--contract", CONTRACT, "--output", "a.png", "--output", "a.svg"]
    assert main(arguments) == 1
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert "HTTP 2xx only" in Path("a.svg").read_text("utf-8")
    assert capfd.readouterr().err.splitlines() == [
        "12 exported to a.png (png)",
        "12 exported to a.svg (svg)",
    ]


def test_without_the_extra_one_line_says_which(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from traceview.write import chart

    def find_spec(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(chart, "find_spec", find_spec)
    assert main(["check", OBSERVATIONS, "--contract", CONTRACT, "--format", "png"]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1 and "traceview[charts]" in err


def test_png_is_refused_where_there_is_only_text() -> None:
    with pytest.raises(OutputError, match="--output"):
        writer("png")(report(), io.StringIO(), Options())


def test_no_picture_no_matplotlib() -> None:
    code = (
        "import sys; from traceview.cli import main; "
        f"main(['check', {OBSERVATIONS!r}, '--contract', {CONTRACT!r}, '--output', '/dev/null', "
        "'--format', 'text']); sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_the_screen_writes_pictures_too(tmp_path: Path) -> None:
    from traceview.tui.writing import WriteJob

    found = report()
    for name, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        target = tmp_path / f"chart.{name}"
        job = WriteJob(found, found.rows, "is:fail", str(target), name, force=False, reader=None)
        assert f"as {name} to" in job.run()
        assert target.read_bytes().startswith(start)
