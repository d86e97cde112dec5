"""Text as TOML writes it: basic strings, keys, and what can stand in neither."""

from __future__ import annotations

from traceview.contract.errors import shown_key

__all__ = ["can_be_named", "toml_key", "toml_text", "writable"]


def toml_text(text: str) -> str:
    """A basic string; what is not printable is escaped."""
    parts = []
    for char in text:
        code = ord(char)
        if char in '"\\':
            parts.append("\\" + char)
        elif char.isprintable():
            parts.append(char)
        else:
            parts.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(parts) + '"'


def toml_key(name: str) -> str:
    """A key: bare where it can be, else quoted."""
    bare = shown_key(name)
    return bare if bare == name else toml_text(name)


def writable(text: str) -> bool:
    """Whether TOML can hold it: it has no way to write half of a surrogate pair. Nor is an empty name one."""
    return text != "" and not any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def can_be_named(column: str) -> bool:
    """Whether ``{column}`` in a contract means this column."""
    return writable(column) and not set("{}") & set(column) and not column.startswith("step.")
