"""The help screen: the keys of the focused pane first, then those that work everywhere, then the filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from traceview.query import HELP
from traceview.tui import keys
from traceview.tui.cells import cell_len, pad
from traceview.tui.keys import Key, Where
from traceview.tui.screens.popup import Popup

PANE_NAMES: Mapping[Where, str] = {
    "cases": "Case list",
    "timeline": "Steps",
    "summary": "Contracts and diagnoses",
    "layers": "Layers",
    "filter": "Filter field",
}


class Help(Popup[None]):
    """Made from the key table alone, after the user's key map."""

    def __init__(self, where: Where, keymap: Mapping[str, str], *, ascii_only: bool = False) -> None:
        super().__init__(f"Keys: {PANE_NAMES.get(where, where)}", "esc close")
        self._where = where
        self._keymap = keymap
        self._ascii = ascii_only

    def lines(self, width: int) -> Sequence[Sequence[tuple[str, str]]]:
        sections: list[tuple[str, Sequence[tuple[str, str]]]] = [
            (PANE_NAMES.get(self._where, ""), self._rows(keys.of(self._where))),
            ("Moving", self._rows(keys.of("lines"))),
            ("Everywhere", self._rows(keys.of("app"))),
            ("In the filter", HELP),
        ]
        column = max(cell_len(left) for _, rows in sections for left, _ in rows)
        column = min(column, max(8, width // 2))
        lines: list[Sequence[tuple[str, str]]] = []
        for title, rows in sections:
            if lines:
                lines.append((("", ""),))
            lines.append(((title, "strong"),))
            for left, right in rows:
                lines.append((("  " + pad(left, column) + "  ", "key"), (right, "")))
        return lines

    def _rows(self, rows: Sequence[Key]) -> list[tuple[str, str]]:
        return [(keys.shown(keys.current(key, self._keymap), self._ascii), key.description) for key in rows]
