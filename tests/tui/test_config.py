"""The config file: what it may say, and one line about what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceview.tui.config import Config, read_config
from traceview.tui.theme import LIGHT


def config(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "config.toml"
    path.write_text(text, "utf-8")
    return read_config(path)


def test_nothing_and_everything(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none.toml") == Config()
    read = config(tmp_path, 'theme = "light"\nascii = true\n[keys]\n"case.next_failure" = " x , ctrl+x "\n')
    assert read == Config(LIGHT.name, True, {"case.next_failure": "x,ctrl+x"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("theme = ", "config.toml: not TOML"),
        ("them = 1", "config.toml: them: not a setting; did you mean theme?"),
        ("theme = 'mauve'", "config.toml: theme: 'mauve' is not known"),
        ("ascii = 'yes'", "config.toml: ascii: must be true or false"),
        ("keys = 1", "config.toml: keys: must be a table"),
        (
            '[keys]\n"case.next_fail" = "x"',
            "keys.case.next_fail: no such binding; did you mean case.next_failure?",
        ),
        ('[keys]\n"case.next_failure" = ""', "keys.case.next_failure: must be keys"),
        ('[keys]\n"case.next_failure" = "x,"', "keys.case.next_failure: must be keys"),
        ('[keys]\n"case.next_failure" = "w"', "keys.case.next_failure: w is the key of report.write already"),
        ('[keys]\n"cases.open" = "j"', "keys.cases.open: j is the key of lines.down already"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Exception, match=r"config\.toml") as caught:
        config(tmp_path, text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_keys_may_change_places(tmp_path: Path) -> None:
    read = config(tmp_path, '[keys]\n"report.write" = "e"\n"case.next_failure" = "w"\n')
    assert read.keys == {"report.write": "e", "case.next_failure": "w"}
