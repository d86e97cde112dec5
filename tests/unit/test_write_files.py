"""A file is whole or as it was before, whatever happens while it is written."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from traceview.write.files import OutputError, check_target, output


def test_a_new_file(tmp_path: Path) -> None:
    target = tmp_path / "r.txt"
    with output(str(target)) as stream:
        stream.write("⏎\udcb2\n")
        assert not target.exists()
    assert target.read_bytes() == "⏎\\udcb2\n".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    target = tmp_path / "r.txt"
    target.write_text("old")
    target.chmod(0o640)
    with pytest.raises(OutputError, match="exists; --force"), output(str(target)):
        raise AssertionError("not reached")
    assert target.read_text() == "old"
    with output(str(target), force=True) as stream:
        stream.write("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "r.txt"
    target.write_text("old")
    with pytest.raises(error), output(str(target), force=True) as stream:
        stream.write("half")
        stream.flush()
        raise error
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        with output(str(tmp_path / "r.txt")) as stream:
            stream.write("x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "r.txt").stat().st_mode) == 0o644


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = tmp_path / "real" / "r.txt"
    real.write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    with output(str(link), force=True) as stream:
        stream.write("new")
    assert link.is_symlink() and real.read_text() == "new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_device_is_one_line() -> None:
    with (
        pytest.raises(OutputError, match="/dev/full: no space left on device"),
        output("/dev/full") as stream,
    ):
        stream.write("x" * 100_000)
    assert Path("/dev/full").is_char_device()


def test_what_cannot_be_written_is_said_before(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is a folder"):
        check_target(str(tmp_path), force=True)
    with pytest.raises(OutputError, match="there is no folder gone"):
        check_target(str(tmp_path / "gone" / "r.txt"), force=True)
    check_target("-", force=False)
    check_target(None, force=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="not writable"):
        check_target(str(tmp_path / "r.txt"), force=False)


def test_standard_output_stays_open(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with output(None) as stream:
        stream.write("é\n")
    sys.stdout.write("after\n")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == "é\nafter\n".encode()


def test_a_terminal_gets_nothing_that_acts_on_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with output("-", gate=True) as stream:
        stream.write("a,\x1b]52;c;x\x07\nb\n")
    assert capfdbinary.readouterr().out == "a,␛]52;c;x␇\nb\n".encode()
