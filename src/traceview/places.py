"""Where the program keeps what is not data: settings, and how the screen was left."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from traceview.read.files import shown_path

__all__ = ["ConfigError", "config_path", "read_settings", "state_folder"]


class ConfigError(Exception):
    """The config file cannot be used: one line."""


def config_path() -> Path:
    """Where the config file is, if there is one: where ``TRACEVIEW_CONFIG`` says, else in the platform's
    folder for settings."""
    if explicit := os.environ.get("TRACEVIEW_CONFIG"):
        return Path(explicit)
    return _folder("XDG_CONFIG_HOME", ".config", "APPDATA", "Roaming") / "traceview" / "config.toml"


def state_folder() -> Path:
    """Where the screen remembers how it was left (:mod:`traceview.state`): ``$XDG_STATE_HOME`` or
    ``~/.local/state``, ``~/Library/Application Support``, ``%LOCALAPPDATA%``."""
    return _folder("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA", "Local") / "traceview"


def _folder(xdg: str, home: str, windows: str, windows_home: str) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get(windows) or Path.home() / "AppData" / windows_home)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    named = Path(os.environ.get(xdg, ""))
    return named if named.is_absolute() else Path.home() / home  # a relative one is void by the XDG rules


def read_settings(path: Path | None = None) -> dict[str, Any]:
    """The config file as it stands; empty when there is none.

    :raises ConfigError: it cannot be read, or is not TOML.
    """
    path = path or config_path()
    shown = shown_path(str(path))
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{shown}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown}: not TOML: {error}") from None
