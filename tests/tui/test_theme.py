"""The colours that carry a diagnosis: readable on their ground, apart for a deuteranope."""

from __future__ import annotations

import itertools
import math

import pytest
from textual.color import Color
from textual.theme import Theme

from traceview.tui.theme import INKS, THEMES

# Viénot, Brettel and Mollon 1999, "Digital video colourmaps for checking the legibility of displays by
# dichromats": linear RGB of a deuteranope's and a protanope's view.
DEUTERAN = ((0.29275, 0.70725, -0.00000), (0.29275, 0.70725, 0.00000), (-0.02234, 0.02234, 1.00000))
PROTAN = ((0.11238, 0.88762, 0.00000), (0.11238, 0.88762, -0.00000), (0.00401, -0.00401, 1.00000))
GROUNDS = ("background", "surface", "panel", "line-cursor", "line-cursor-blurred", "line-header")


def ground(theme: Theme, name: str) -> Color:
    return Color.parse(theme.variables.get(name) or getattr(theme, name))


def linear(channel: int) -> float:
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else math.pow((value + 0.055) / 1.055, 2.4)


def luminance(colour: Color) -> float:
    red, green, blue = map(linear, (colour.r, colour.g, colour.b))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """WCAG 2.2, relative luminance contrast."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of linear RGB."""
    red, green, blue = (max(0.0, min(1.0, channel)) for channel in rgb)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883

    def f(t: float) -> float:
        return math.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116

    return 116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))


def seen(colour: Color, eyes: tuple[tuple[float, ...], ...] | None) -> tuple[float, float, float]:
    rgb = linear(colour.r), linear(colour.g), linear(colour.b)
    if eyes is None:
        return lab(rgb)
    red, green, blue = (sum(a * b for a, b in zip(row, rgb, strict=True)) for row in eyes)
    return lab((red, green, blue))


def distance(one: Color, other: Color, eyes: tuple[tuple[float, ...], ...] | None) -> float:
    """CIE76."""
    pairs = zip(seen(one, eyes), seen(other, eyes), strict=True)
    return math.sqrt(sum((a - b) ** 2 for a, b in pairs))


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_ink_is_readable_on_every_ground(theme: Theme) -> None:
    for name, below in itertools.product(INKS, GROUNDS):
        ratio = contrast(Color.parse(theme.variables[f"diag-{name}"]), ground(theme, below))
        assert ratio >= 4.5, (name, below, round(ratio, 2))
    for below in GROUNDS:
        assert contrast(ground(theme, "foreground"), ground(theme, below)) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("eyes", [None, DEUTERAN, PROTAN], ids=["all", "deuteranope", "protanope"])
def test_pass_and_fail_expected_and_observed_are_apart(
    theme: Theme, eyes: tuple[tuple[float, ...], ...] | None
) -> None:
    for one, other in (("pass", "fail"), ("pass", "error"), ("pass", "unknown"), ("expected", "observed")):
        first, second = (Color.parse(theme.variables[f"diag-{name}"]) for name in (one, other))
        assert distance(first, second, eyes) > 20, (one, other)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_border_of_a_pane_can_be_seen(theme: Theme) -> None:
    assert contrast(Color.parse(theme.variables["border-blurred"]), ground(theme, "surface")) >= 1.8
