"""The config file: theme, signs, keys, and who signs what is decided.

``config.toml`` in the platform's folder for settings, or where ``TRACEVIEW_CONFIG`` says::

    theme = "light"          # dark, light, or one of textual's themes
    ascii = false            # signs of plain ASCII
    author = "ann"           # who signs marks and notes; else the user of this computer
    [keys]
    "case.next_failure" = "n,e"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from traceview.places import ConfigError, config_path, read_settings
from traceview.read.files import shown_path
from traceview.tui import keys
from traceview.tui.theme import DARK, LIGHT

_SETTINGS = ("theme", "ascii", "author", "keys")


@dataclass(frozen=True, slots=True)
class Config:
    """What it says; ``theme`` None: fits the terminal; ``author`` None: the user of this computer."""

    theme: str | None = None
    ascii: bool = False
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    author: str | None = None

    def signed_by(self, author: str | None) -> Config:
        """With another author, if one is given."""
        return replace(self, author=author) if author else self


def read_config(path: Path | None = None) -> Config:
    """The settings; the defaults when there is no file.

    :raises ConfigError: names the file, the key and what is allowed.
    """
    path = path or config_path()
    shown = shown_path(str(path))
    data = read_settings(path)
    for key in data:
        if key not in _SETTINGS:
            raise ConfigError(f"{shown}: {key}: not a setting{_nearest(key, _SETTINGS)}")
    ascii_signs = data.get("ascii", False)
    if not isinstance(ascii_signs, bool):
        raise ConfigError(f"{shown}: ascii: must be true or false")
    author = data.get("author")
    if author is not None and not isinstance(author, str):
        raise ConfigError(f"{shown}: author: must be a name")
    return Config(_theme(data.get("theme"), shown), ascii_signs, _keys(data.get("keys", {}), shown), author)


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
