"""How the screen was left, and where it is remembered."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from traceview.places import ConfigError, config_path, read_settings, state_folder
from traceview.state import Session, restore, save, session_path

LEFT = Session(
    filter='is:fail "two words"',
    filter_on=False,
    sort="check:sequence_ok",
    reverse=True,
    selected=("B03\udcb2", None, "2"),
    layout={"panes": [1, 2, 0.5], "wide": True},
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "state" / "traceview"


def test_a_session_comes_back_as_it_was_left(state: Path) -> None:
    assert restore("cases.csv", ["t.jsonl"]) is None
    assert save(LEFT, "cases.csv", ["t.jsonl"])
    assert restore("cases.csv", ["t.jsonl"]) == LEFT
    assert save(Session(filter="later"), "cases.csv", ["t.jsonl"])
    assert restore("cases.csv", ["t.jsonl"]) == Session(filter="later")
    assert len(list(state.iterdir())) == 1


def test_each_set_of_inputs_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(LEFT, "cases.csv", ["a.jsonl", "b.jsonl"], "c.toml")
    same = [
        ("cases.csv", ["b.jsonl", "a.jsonl"], "c.toml"),
        ("./cases.csv", ["a.jsonl", str(tmp_path / "b.jsonl")], "x/../c.toml"),
    ]
    other: list[tuple[str | None, list[str], str | None]] = [
        ("cases.csv", ["a.jsonl"], "c.toml"),
        ("cases.csv", ["a.jsonl", "b.jsonl"], None),
        (None, ["cases.csv", "a.jsonl", "b.jsonl"], "c.toml"),
    ]
    assert all(restore(*inputs) == LEFT for inputs in same)
    assert all(restore(*inputs) is None for inputs in other)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert restore("cases.csv", ["a.jsonl", "b.jsonl"], "c.toml") is None


def test_standard_input_is_not_remembered(state: Path) -> None:
    assert session_path("-", ["t.jsonl"]) is None
    assert not save(LEFT, "cases.csv", ["-"])
    assert restore("cases.csv", ["-"]) is None and not state.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:40],
        lambda text: "[]",
        lambda text: "{}",
        lambda text: "null",
        lambda text: text.replace('"version": 1', '"version": 2'),
        lambda text: text.replace('"filter_on": false', '"filter_on": "no"'),
        lambda text: text.replace("cases.csv", "another.csv"),
        lambda text: "[" * 100_000,
        lambda text: "\x00\xff" * 99,
        lambda text: " " * (1 << 20) + text,
    ],
)
def test_damage_is_as_if_there_was_nothing(damage: object, state: Path) -> None:
    save(LEFT, "cases.csv", ["t.jsonl"])
    [path] = state.iterdir()
    path.write_text(damage(path.read_text()), "latin-1")  # type: ignore[operator]
    assert restore("cases.csv", ["t.jsonl"]) is None
    assert save(LEFT, "cases.csv", ["t.jsonl"])
    assert restore("cases.csv", ["t.jsonl"]) == LEFT


def test_what_cannot_be_kept_is_not_kept(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(LEFT, "cases.csv", ["t.jsonl"])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    assert not save(Session(), "cases.csv", ["t.jsonl"])
    assert restore("cases.csv", ["t.jsonl"]) == LEFT
    assert len(list(state.iterdir())) == 1
    state.parent.joinpath("file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(state.parent / "file"))
    assert not save(LEFT, "cases.csv", ["t.jsonl"])
    assert restore("cases.csv", ["t.jsonl"]) is None


def test_the_file_says_what_it_is_for(state: Path, tmp_path: Path) -> None:
    save(LEFT, "cases.csv", ["t.jsonl"])
    [path] = state.iterdir()
    assert json.loads(path.read_text())["inputs"] == [
        ["cases", str(tmp_path / "cases.csv")],
        ["traces", str(tmp_path / "t.jsonl")],
    ]
    assert state.stat().st_mode & 0o077 == 0


# -- places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "settings", "state"),
    [
        ("linux", ".config/traceview/config.toml", ".local/state/traceview"),
        (
            "darwin",
            "Library/Application Support/traceview/config.toml",
            "Library/Application Support/traceview",
        ),
        ("win32", "AppData/Roaming/traceview/config.toml", "AppData/Local/traceview"),
    ],
)
def test_the_custom_of_the_platform(
    platform: str, settings: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "TRACEVIEW_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    assert config_path() == tmp_path / settings
    assert state_folder() == tmp_path / state


def test_the_environment_may_say_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert state_folder() == tmp_path / ".local" / "state" / "traceview"
    monkeypatch.setenv("TRACEVIEW_CONFIG", "mine.toml")
    assert config_path() == Path("mine.toml")


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert read_settings(path) == {}
    path.write_text('author = "ann"\n')
    assert read_settings(path) == {"author": "ann"}
    path.write_text("author =")
    with pytest.raises(ConfigError, match=r"^config\.toml: not TOML: "):
        read_settings(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_settings(tmp_path)
