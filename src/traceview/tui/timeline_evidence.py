"""The evidence of an observation, group by group: a layer's rule beside what it looked at, the task outcome,
what no rule judges, and what was required."""

from __future__ import annotations

from collections.abc import Iterator

from traceview.evaluate.detail import Diff, EvidenceGroup
from traceview.model import MISSING
from traceview.sanitize import visible
from traceview.tui.cells import cell_len, cut, pad
from traceview.tui.timeline_compared import compared
from traceview.tui.timeline_items import FindingItem, Item, TextItem, ValueItem, verdict_look
from traceview.tui.timeline_layout import Layout, Span, Spans, body_lines, json_lines, shown, value_spans
from traceview.tui.timeline_pairs import PairItem
from traceview.tui.values import path_words

__all__ = ["group_headline", "group_items"]


class RuleItem(PairItem):
    """A layer's rule, in words, as what is expected beside what is observed."""

    __slots__ = ()

    def _sides(self, room: int, layout: Layout, opened: bool) -> tuple[list[Span], list[Span]]:
        words = cut(visible(self.expected), room, layout.signs.cut)
        return [(words, self.style)], value_spans(self.observed, room, layout, "", opened)

    def expandable(self, layout: Layout) -> bool:
        room = self._room(layout)
        return cell_len(visible(self.expected)) > room or not shown(self.observed, room, layout)[1]

    def body(self, layout: Layout) -> Iterator[Spans]:
        yield from body_lines(f"expected {self.expected}", layout, self.style)
        yield from json_lines(self.observed, layout, "")
        for note in self.notes:
            yield from body_lines(note, layout, "quiet")


def group_items(group: EvidenceGroup, layout: Layout, rows: int, same_open: bool) -> list[Item]:
    """What stands below the headline of a group."""
    items: list[Item] = []
    if group.text:
        items.append(TextItem("text", "", group.text, layout, style="quiet"))
    items += [FindingItem(f"why {n}", finding, layout) for n, finding in enumerate(group.findings)]
    if group.kind == "layer":
        sign, style = verdict_look(group.verdict, layout.signs)
        return items + [_rule(diff, sign, style, layout) for diff in group.diffs]
    if group.kind == "required":
        return items + [_required(diff, layout) for diff in group.diffs]
    return items + compared(group.diffs, "evidence", layout, rows, same_open)


def _rule(diff: Diff, sign: str, style: str, layout: Layout) -> Item:
    return RuleItem(
        f"diff {diff.path}",
        path_words(diff.path) or "evidence",
        diff.expected,
        diff.observed,
        layout,
        sign=sign,
        style=style,
        notes=(visible(diff.note),) if diff.note else (),
        diff=diff,
        differs=diff.state in ("changed", "unknown"),
    )


def _required(diff: Diff, layout: Layout) -> Item:
    key, name = f"diff {diff.path}", path_words(diff.path) or "evidence"
    if diff.state == "unknown" and (diff.observed is MISSING or diff.observed is None):
        label, sign = pad(visible(name), layout.path), layout.signs.unknown
        return TextItem(key, label, diff.note or "", layout, style="unknown", sign=sign, differs=True)
    unknown = diff.state == "unknown"
    return ValueItem(
        key,
        name,
        diff.observed,
        layout,
        diff=diff,
        sign=layout.signs.unknown if unknown else " ",
        style="unknown" if unknown else "",
        after=diff.note or "",
        differs=unknown,
    )


def group_headline(group: EvidenceGroup, layout: Layout) -> list[Span]:
    """Its heading, and the verdict where there is one."""
    spans: list[Span] = [(visible(group.title), "strong")]
    if group.verdict:
        sign, ink = verdict_look(group.verdict, layout.signs)
        spans.append((f"  {sign} {visible(group.verdict)}", ink))
    return spans
