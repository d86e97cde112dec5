"""Which columns of the case list fit in a width, and how their heads are shortened.

The case id comes first, then the diagnosis, then one sign a check; the title gets what is left. Pure
functions of a few numbers, so that every width can be tried without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from traceview.sanitize import visible

_KNOWN: Final = {
    "sequence_ok": "seq",
    "arguments_ok": "arg",
    "tools_succeeded": "tool",
    "forbidden_ok": "forb",
    "final_state_ok": "end",
}
_MIN_ID: Final = 6
_MIN_DIAGNOSIS: Final = 8
_MIN_TITLE: Final = 12


@dataclass(frozen=True, slots=True)
class Column:
    """``key``: what the column sorts by (traceview.tui.sorting); ``width``: cells without the blank after."""

    key: str
    head: str
    width: int


def short_heads(checks: Sequence[str], longest: int = 4) -> list[str]:
    """A head for each check, at most ``longest`` cells, no two alike: ``seq arg tool 1× end``.

    Names that cannot be told apart in that width end with a number (which may be longer).
    """
    heads: list[str] = []
    for name in checks:
        known = _KNOWN.get(name)
        name = visible(name)
        if known is None and name.startswith("single_") and "1×" not in heads:
            known = "1×"
        words = [word for word in name.removesuffix("_ok").replace("-", "_").split("_") if word] or [name]
        candidates = [
            known or words[0],
            words[-1],
            "".join(word[:1] for word in words),
            "".join(word[:2] for word in words),
        ]
        cut = [_fit(word, longest) for word in candidates]
        numbered = (_fit(cut[0], longest - len(str(n))) + str(n) for n in range(2, len(checks) + 2))
        heads.append(next(head for head in [*cut, *numbered] if head and head not in heads))
    return heads


def _fit(text: str, cells: int) -> str:
    while text and cell_len(text) > cells:
        text = text[:-1]
    return text


def plan(
    width: int,
    *,
    case: int,
    run: int,
    diagnosis: int,
    title: int,
    checks: Sequence[str],
    trials: int = 0,
    label: int = 0,
    change: int = 0,
) -> list[Column]:
    """The columns that fit in ``width`` cells after the sign and a blank.

    ``case``, ``run``, ``trials``, ``diagnosis``, ``change``, ``label`` and ``title`` are the widest texts of
    these columns (0: no such column). Room is taken back in this order: the title, letters of the check
    heads, the run, letters of the diagnosis, the label and the change but for their signs, the trials, the
    label, the checks, the change, letters of the case id.
    """
    room = width - 2
    more = [Column("trials", "pass", trials)] if trials else []
    changes = [Column("change", "change", change)] if change else []
    signs = [Column("change", "chg", 3)] if change else []
    labels = [*changes, *([Column("label", "label", label)] if label else [])]
    sign = [*signs, *([Column("label", "l", 1)] if label else [])]
    full, short = short_heads(checks), short_heads(checks, 1)
    for heads, before, after in (
        (full, more, labels),
        (short, more, labels),
        (short, more, sign),
        (short, [], sign),
        (short, [], signs),
        (None, [], signs),
        (None, [], []),
    ):
        used = sum(column.width + 1 for column in (*before, *after))
        columns = _try(room - used, case, run, diagnosis, checks, heads)
        if columns:
            at = next(n for n, column in enumerate(columns) if column.key == "diagnosis")
            columns[at + 1 : at + 1] = after
            columns[at:at] = before
            break
    else:
        return [Column("case", "case", max(1, room))]
    left = room - sum(column.width + 1 for column in columns)
    if title and left >= _MIN_TITLE:
        columns.append(Column("title", "title", left))
    return columns


def _try(
    room: int, case: int, run: int, diagnosis: int, checks: Sequence[str], heads: list[str] | None
) -> list[Column]:
    """Columns with these heads of checks (None: without the checks); empty when they do not fit."""
    signs = [
        Column(f"check:{name}", head, cell_len(head)) for name, head in zip(checks, heads or [], strict=False)
    ]
    used = sum(column.width + 1 for column in signs)
    case = max(case, 4)
    # A long id may take half of the room where others need theirs.
    roomy = min(case, max(_MIN_ID, room // 2))
    short = min(diagnosis, _MIN_DIAGNOSIS if heads is None else 12)
    choices = (
        (case, run, diagnosis),
        (roomy, run, diagnosis),
        (roomy, run, short),
        (roomy, 0, short),
        (min(case, 12), 0, short),
    )
    for id_width, run_width, diagnosis_width in choices:
        total = used + id_width + 1 + (run_width + 1 if run_width else 0) + diagnosis_width
        if total > room:
            continue
        spare = room - total
        more = min(spare, diagnosis - diagnosis_width)
        columns = [Column("case", "case", id_width)]
        if run_width:
            columns.append(Column("run", "run", run_width))
        columns.append(Column("diagnosis", "diagnosis", diagnosis_width + more))
        return [*columns, *signs]
    return []
