"""Dark, light and 16-colour themes, with diagnosis colours of our own.

Textual's success and error colours are too close for a deuteranope in most of its themes, so the colours that
carry a diagnosis lie on the axis from blue to vermillion (Okabe and Ito, "Color Universal Design", 2008).
tests/tui/test_theme.py checks contrast and distance.
"""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

#: What a colour says; ``$diag-NAME`` in style sheets and ``ink("NAME")`` in line views.
INKS: Final = (
    "pass",  # holds
    "fail",  # does not hold
    "error",  # a tool reported an error
    "unknown",  # evidence is missing
    "quiet",  # out of the way: not applicable, same, folded
    "forgiven",  # differs, and the contract allows it
    "key",  # names: argument keys, column heads
    "strong",  # what to read first
    "expected",  # the expected side of a difference
    "observed",  # the observed side of a difference
)

_DARK: Final = {
    "diag-pass": "#56B4E9",
    "diag-fail": "#FF7A3D",
    "diag-error": "#F2A65A",
    "diag-unknown": "#E6C84F",
    "diag-quiet": "#9AA3AD",
    "diag-forgiven": "#B7A6E8",
    "diag-key": "#B9C4CF",
    "diag-strong": "#FFFFFF",
    "diag-expected": "#7CC8F2",
    "diag-observed": "#FF8A52",
    "line-cursor": "#24384A",
    "line-cursor-blurred": "#22272D",
    "line-header": "#1A1F25",
    "border-blurred": "#45525F",
}
_LIGHT: Final = {
    "diag-pass": "#0B5FA5",
    "diag-fail": "#B23A00",
    "diag-error": "#8F4A00",
    "diag-unknown": "#6B5900",
    "diag-quiet": "#59626B",
    "diag-forgiven": "#5B45A8",
    "diag-key": "#37424D",
    "diag-strong": "#000000",
    "diag-expected": "#0B5FA5",
    "diag-observed": "#B23A00",
    "line-cursor": "#D3E5F5",
    "line-cursor-blurred": "#E9ECEF",
    "line-header": "#EEF1F4",
    "border-blurred": "#A3AEB9",
}
_ANSI: Final = {
    "diag-pass": "ansi_bright_blue",
    "diag-fail": "ansi_bright_red",
    "diag-error": "ansi_bright_red",
    "diag-unknown": "ansi_bright_yellow",
    "diag-quiet": "ansi_default",
    "diag-forgiven": "ansi_bright_magenta",
    "diag-key": "ansi_default",
    "diag-strong": "ansi_default",
    "diag-expected": "ansi_bright_blue",
    "diag-observed": "ansi_bright_red",
    "line-cursor": "ansi_default",
    "line-cursor-blurred": "ansi_default",
    "line-header": "ansi_default",
}
_ANSI_LIGHT: Final = _ANSI | {
    "diag-pass": "ansi_blue",
    "diag-fail": "ansi_red",
    "diag-error": "ansi_red",
    "diag-unknown": "ansi_magenta",
    "diag-forgiven": "ansi_magenta",
    "diag-expected": "ansi_blue",
    "diag-observed": "ansi_red",
}

DARK: Final = Theme(
    name="traceview-dark",
    primary="#56B4E9",
    secondary="#7CC8F2",
    warning="#E6C84F",
    error="#FF7A3D",
    success="#56B4E9",
    accent="#E6C84F",
    foreground="#DCE3EA",
    background="#101418",
    surface="#12171C",
    panel="#1A1F25",
    dark=True,
    variables=_DARK,
)
LIGHT: Final = Theme(
    name="traceview-light",
    primary="#0B5FA5",
    secondary="#37658A",
    warning="#6B5900",
    error="#B23A00",
    success="#0B5FA5",
    accent="#6B5900",
    foreground="#1B2126",
    background="#FFFFFF",
    surface="#FBFCFD",
    panel="#EEF1F4",
    dark=False,
    variables=_LIGHT,
)

THEMES: Final = (DARK, LIGHT)


def variables(theme: Theme) -> dict[str, str]:
    """The diagnosis colours that go with a theme, for themes that bring none of their own."""
    if theme.ansi:
        return dict(_ANSI if theme.dark else _ANSI_LIGHT)
    return dict(_DARK if theme.dark else _LIGHT)
