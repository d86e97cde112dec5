"""The report as a picture, PNG or SVG: for each panel of :mod:`traceview.write.panels` its bars.

Nothing depends on colour: what failed is hatched, what is unknown dotted, and every bar has its figures
beside it. The two hues are those of Okabe and Ito that every kind of colour vision can tell apart. The same
report gives the same bytes with the same version of matplotlib, whatever its settings on a machine.

matplotlib is optional (``traceview[charts]``), and imported only when a picture is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

from traceview.sanitize import visible
from traceview.write.files import OutputError
from traceview.write.panels import Panel, Tone, caption, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from traceview.results import Report

__all__ = ["require", "write_chart"]

_STYLE: Final[dict[Tone, dict[str, Any]]] = {
    "pass": {"facecolor": "#0072b2", "edgecolor": "#ffffff", "hatch": None},
    "fail": {"facecolor": "#d55e00", "edgecolor": "#ffffff", "hatch": "////"},
    "unknown": {"facecolor": "#d9d9d9", "edgecolor": "#555555", "hatch": "...."},
}
_SIZE: Final = 10  # points
_SMALL: Final = 9
_SETTINGS: Final[dict[Any, Any]] = {
    "text.parse_math": False,  # a $ of the data is a dollar
    "text.usetex": False,
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same on every machine
    "font.size": _SIZE,
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",  # text stays text: searchable, and in the reader's own fonts
    "svg.hashsalt": "traceview",
    "axes.unicode_minus": False,
}
_WIDTH: Final = 13.33  # inches, that of a slide
_DPI: Final = 120
_BAR: Final = 0.34  # inches of height a bar takes
_ABOVE: Final = 0.75  # inches of a panel above its bars: title and note
_BELOW: Final = 0.85  # and below them: axis and legend
_LABEL: Final = 0.35  # the part of a panel's width that names may take; a longer one is cut
_WORDS: Final = 0.4  # and the words behind the bars
_CAPTION: Final = 8  # lines; a filter can be of any length


def require() -> None:
    """Find out, before any work is done, whether charts can be drawn.

    :raises OutputError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise OutputError(
            "png and svg need matplotlib, which is not installed: pip install 'traceview[charts]'"
        )


def write_chart(
    report: Report, stream: TextIO, format: Literal["png", "svg"], stamp: str | None = None
) -> None:
    """Draw the report and write the picture to ``stream``.

    :param stream: for ``png`` one with bytes below it (``stream.buffer``), as files and pipes have.
    :param stamp: a text of the user, a date say, for the caption.
    :raises OutputError: matplotlib is not installed, or ``png`` is asked of a stream of text alone.
    """
    require()
    binary = getattr(stream, "buffer", None)
    if format == "png" and binary is None:
        raise OutputError("png is no text for a terminal; name a file with --output FILE.png")
    picture = _picture(report, format, stamp)
    if format == "png":
        binary.write(picture)  # type: ignore[union-attr]
    else:
        stream.write(picture.decode("utf-8"))


def _picture(report: Report, format: Literal["png", "svg"], stamp: str | None) -> bytes:
    import matplotlib

    legible = _drawable if format == "png" else visible
    drawn = panels(report)
    words = caption(report, stamp)
    about: dict[str, Any] = {"Software": None}
    if format == "svg":
        about = {"Date": None, "Creator": "traceview", "Title": "traceview", "Description": visible(words)}
    target = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        # SVG keeps characters that the bundled font lacks: the reader's fonts will have them.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ ")
        figure = _figure(drawn, words, legible)
        figure.savefig(target, format=format, metadata=about)
    return target.getvalue()


def _figure(drawn: Sequence[Panel], words: str, legible: Callable[[str], str]) -> Figure:
    """Checks and diagnoses side by side, layers across below them, the caption at the bottom."""
    from matplotlib.figure import Figure

    lines = _wrapped(legible(words), _CAPTION)
    bottom = 0.25 + 0.19 * len(lines)
    rows = [list(drawn[:2]), list(drawn[2:])] if len(drawn) > 2 else [list(drawn)] if drawn else []
    heights = [max(len(panel.bars) for panel in row) * _BAR + _ABOVE + _BELOW for row in rows] or [1.0]
    height = sum(heights) + bottom
    figure = Figure(figsize=(_WIDTH, height), dpi=_DPI, facecolor="white")
    top = height
    for row, tall in zip(rows, heights, strict=False):
        for place, panel in enumerate(row):
            left = _WIDTH / len(row) * place
            _draw(figure, panel, (left, top - tall, _WIDTH / len(row), tall), height, legible)
        top -= tall
    if not rows:
        _text(
            figure,
            _WIDTH / 2,
            height - 0.6,
            height,
            "no contract judges these runs: nothing to draw",
            ha="center",
        )
    for number, line in enumerate(lines):
        _text(
            figure,
            0.3,
            bottom - 0.12 - 0.19 * number,
            height,
            line,
            va="top",
            fontsize=_SMALL,
            color="#333333",
        )
    return figure


def _draw(
    figure: Figure,
    panel: Panel,
    box: tuple[float, float, float, float],
    height: float,
    legible: Callable[[str], str],
) -> None:
    """One panel in a box (left, bottom, width, height; inches)."""
    left, bottom, wide, tall = box
    names = [_cut(legible(bar.label), _LABEL * wide) for bar in panel.bars]
    words = [_cut(legible(bar.words), _WORDS * wide) for bar in panel.bars]
    before = 0.4 + max(map(_inches, names), default=0)
    behind = 0.3 + max(map(_inches, words), default=0)
    _text(figure, left + 0.3, bottom + tall - 0.32, height, panel.title, fontsize=12, weight="bold")
    _text(figure, left + 0.3, bottom + tall - 0.55, height, panel.note, fontsize=_SMALL, color="#333333")
    if panel.cut:
        _text(figure, left + 0.3, bottom + tall - 0.72, height, panel.cut, fontsize=_SMALL, color="#333333")
    if not panel.bars:
        _text(figure, left + 0.3, bottom + tall - 0.95, height, "no runs")
        return
    axes = figure.add_axes(
        (
            (left + before) / _WIDTH,
            (bottom + tall - _ABOVE - len(panel.bars) * _BAR) / height,
            (wide - before - behind) / _WIDTH,
            (len(panel.bars) * _BAR) / height,
        )
    )
    _bars(axes, panel, names, words)


def _bars(axes: Axes, panel: Panel, names: Sequence[str], words: Sequence[str]) -> None:
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    # The bars of one panel share a scale, so that their lengths can be compared.
    longest = max(sum(count for _, count in bar.parts) for bar in panel.bars)
    for place, bar in enumerate(panel.bars):
        start = 0
        for tone, count in bar.parts:
            if count:
                axes.barh(place, count, left=start, height=0.72, linewidth=0.6, **_STYLE[tone])
            start += count
        axes.annotate(
            words[place],
            (start, place),
            (5, 0),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, max(longest, 1))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.set_xlabel("runs", loc="left", fontsize=_SMALL)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=_SMALL)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    drawn = {tone for bar in panel.bars for tone, count in bar.parts if count}
    handles = [Patch(label=word, **_STYLE[tone]) for tone, word in panel.legend if tone in drawn]
    if handles:
        # Below the axis, at a distance in points: the panels have different heights.
        legend = axes.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(0.12, 0),
            ncols=len(handles),
            frameon=False,
            fontsize=_SMALL,
            borderaxespad=1.9,
        )
        legend.set_in_layout(False)


def _text(figure: Figure, x: float, y: float, height: float, text: str, **style: Any) -> None:
    figure.text(x / _WIDTH, y / height, text, **style)


def _inches(text: str, size: float = _SIZE) -> float:
    """How wide ``text`` is drawn."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", size=size)
    width: float = TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]
    return width / 72


def _cut(text: str, inches: float) -> str:
    """``text`` in at most so many inches; ``…`` marks a cut."""
    return text if _inches(text) <= inches else _fitting(text, inches - _inches("…")) + "…"


def _fitting(text: str, inches: float, size: float = _SIZE) -> str:
    """The longest beginning of ``text`` that takes at most so many inches; one character at least."""
    low, high = 1, min(len(text), 1000)
    while low < high:
        middle = (low + high + 1) // 2
        if _inches(text[:middle], size) <= inches:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _wrapped(text: str, most: int) -> list[str]:
    """The caption in lines of the figure's width, broken at blanks where there are some."""
    lines: list[str] = []
    wide = _WIDTH - 0.7
    while text and len(lines) < most:
        line = _fitting(text, wide, _SMALL)
        if len(line) < len(text) and " " in line:
            line = line[: line.rindex(" ") + 1]
        lines.append(line.rstrip())
        text = text[len(line) :]
    if text:
        lines[-1] = _fitting(lines[-1], wide - 0.2, _SMALL) + "…"
    return lines


def _drawable(text: str) -> str:
    """``text`` as pixels can show it: a character that the bundled font lacks is named, ``<U+6771>``."""
    known = _characters()
    return "".join([char if ord(char) in known else _named(ord(char)) for char in visible(text)])


def _named(code: int) -> str:
    return f"\\x{code - 0x2400:02x}" if 0x2400 <= code < 0x2420 else f"<U+{code:04X}>"


@lru_cache(maxsize=1)
def _characters() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())
