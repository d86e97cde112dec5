"""docs/keys.md, made from the key table: ``python -m traceview.tui.keys_doc > docs/keys.md``."""

from __future__ import annotations

import sys

from traceview.query import HELP
from traceview.tui import keys
from traceview.tui.keys import Where

_PLACES: tuple[tuple[Where, str], ...] = (
    ("app", "Everywhere but in a text field"),
    ("lines", "In every list of lines"),
    ("cases", "In the case list"),
    ("timeline", "In the steps of a case"),
    ("summary", "In contracts and diagnoses"),
    ("layers", "In layers"),
    ("signatures", "In the signatures"),
    ("filter", "In the filter field"),
    ("dialogue", "In a box over the panes"),
    ("marks", "In the boxes of marks and notes"),
    ("choices", "In a field of choices"),
)
_HEAD = """# Keys

Press `?` on the screen for the keys of the focused pane. `ctrl+p` opens everything by name, as `group: verb`.

A key can be moved in the [config file](#the-config-file) by its id. This page is made from the key table
(`python -m traceview.tui.keys_doc`).
"""
_CONFIG = """## The config file

`config.toml` in `$XDG_CONFIG_HOME/traceview` (`~/.config/traceview`), on macOS
`~/Library/Application Support/traceview`, on Windows `%APPDATA%\\traceview`; or the file that the environment
variable `TRACEVIEW_CONFIG` names. Everything in it is optional:

```toml
theme = "light"    # dark, light, or a theme of textual's: nord, gruvbox, ansi-dark …
ascii = true       # signs of plain ASCII

[keys]
"case.next_failure" = "x"
"case.previous_failure" = "X,ctrl+x"
```

A setting or an id that does not exist is an error, and so is a key that would mean two things in one pane. It
names the file and the place.
"""


def markdown() -> str:
    """The whole page."""
    parts = [_HEAD]
    for where, title in _PLACES:
        lines = [f"## {title}", "", "| key | what it does | id |", "|---|---|---|"]
        lines += [f"| {_keys(key.keys)} | {key.description} | `{key.id}` |" for key in keys.of(where)]
        parts.append("\n".join(lines) + "\n")
    lines = ["## What a filter understands", "", "| term | what it finds |", "|---|---|"]
    lines += [
        f"| `{term.replace('|', chr(92) + '|')}` | {finds.replace('|', chr(92) + '|')} |"
        for term, finds in HELP
    ]
    parts += ["\n".join(lines) + "\n", _CONFIG]
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _keys(names: str) -> str:
    return " ".join(f"`{keys.shown(name)}`" for name in names.split(","))


if __name__ == "__main__":
    sys.stdout.write(markdown())
