"""The config file: theme, signs and keys.

``config.toml`` in the platform's folder for settings, or where ``TRACEVIEW_CONFIG`` says::

    theme = "light"          # dark, light, or one of textual's themes
    ascii = false            # signs of plain ASCII
    [keys]
    "case.next_failure" = "n,e"
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from traceview.read.files import shown_path
from traceview.tui import keys
from traceview.tui.theme import DARK, LIGHT


class ConfigError(Exception):
    """The config file cannot be used: one line."""


@dataclass(frozen=True, slots=True)
class Config:
    """What it says; ``theme`` None: fits the terminal."""

    theme: str | None = None
    ascii: bool = False
    keys: Mapping[str, str] = field(default_factory=dict[str, str])


def config_path() -> Path:
    """Where the config file is, if there is one."""
    if explicit := os.environ.get("TRACEVIEW_CONFIG"):
        return Path(explicit)
    if sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "traceview" / "config.toml"


def read_config(path: Path | None = None) -> Config:
    """The settings; the defaults when there is no file.

    :raises ConfigError: names the file, the key and what is allowed.
    """
    path = path or config_path()
    shown = shown_path(str(path))
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{shown}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown}: not TOML: {error}") from None
    for key in data:
        if key not in ("theme", "ascii", "keys"):
            raise ConfigError(f"{shown}: {key}: not a setting{_nearest(key, ('theme', 'ascii', 'keys'))}")
    ascii_signs = data.get("ascii", False)
    if not isinstance(ascii_signs, bool):
        raise ConfigError(f"{shown}: ascii: must be true or false")
    return Config(_theme(data.get("theme"), shown), ascii_signs, _keys(data.get("keys", {}), shown))


def _theme(name: Any, shown: str) -> str | None:
    from textual.theme import BUILTIN_THEMES

    if name is None:
        return None
    ours = {"dark": DARK.name, "light": LIGHT.name, DARK.name: DARK.name, LIGHT.name: LIGHT.name}
    if isinstance(name, str) and (name in ours or name in BUILTIN_THEMES):
        return ours.get(name, name)
    raise ConfigError(f"{shown}: theme: {name!r} is not known; dark, light, or one of textual's themes")


def _keys(table: Any, shown: str) -> dict[str, str]:
    if not isinstance(table, dict):
        raise ConfigError(f"{shown}: keys: must be a table of binding ids and keys")
    known = {key.id: key for key in keys.KEYS}
    for id, value in table.items():
        if id not in known:
            raise ConfigError(f"{shown}: keys.{id}: no such binding{_nearest(id, tuple(known))}")
        if not isinstance(value, str) or not all(part.strip() for part in value.split(",")):
            raise ConfigError(f'{shown}: keys.{id}: must be keys, such as "x" or "ctrl+n,f2"')
    mapped = {id: ",".join(part.strip() for part in value.split(",")) for id, value in table.items()}
    _refuse_clashes(mapped, shown)
    return mapped


def _refuse_clashes(mapped: Mapping[str, str], shown: str) -> None:
    """One key must not mean two things at one widget. (Of a pane and the screen, the pane is meant.)"""
    for id in mapped:
        mine = keys.by_id(id)
        for other in keys.KEYS:
            if other.id == id or not keys.meet(mine.where, other.where):
                continue
            both = keys.normal(keys.current(mine, mapped)) & keys.normal(keys.current(other, mapped))
            if both:
                raise ConfigError(f"{shown}: keys.{id}: {sorted(both)[0]} is the key of {other.id} already")


def _nearest(text: str, allowed: tuple[str, ...]) -> str:
    near = get_close_matches(text, allowed, 1)
    return f"; did you mean {near[0]}?" if near else f"; one of {', '.join(allowed[:6])} …"
