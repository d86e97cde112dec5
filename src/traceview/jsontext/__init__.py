"""JSON, faithfully: what was read is what is compared, shown and written again."""

from __future__ import annotations

from traceview.jsontext.reading import (
    MAX_DEPTH,
    BadJson,
    Decoded,
    Duplicate,
    decode,
    decode_line,
    decode_text,
    decode_together,
    members_before_break,
)
from traceview.jsontext.writing import dumps, path_words, pointer, show

__all__ = [
    "MAX_DEPTH",
    "BadJson",
    "Decoded",
    "Duplicate",
    "decode",
    "decode_line",
    "decode_text",
    "decode_together",
    "dumps",
    "members_before_break",
    "path_words",
    "pointer",
    "show",
]
