"""A view of many lines with a cursor: the base of the case list, the timeline and every other pane.

The model stays outside the widget. A line is drawn when it is seen, so two hundred thousand lines cost what
one screenful does. (Measured on textual 8.2: DataTable takes 34 s to show 200,000 rows, this 0.05 s.)

A subclass gives ``line_count`` and ``render_text_line``; where its lines have an identity that outlives a
change of the data, also ``line_key`` and ``find_line``. After a change of its data it calls ``data_changed``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from traceview.tui import keys
from traceview.tui.cells import cut
from traceview.tui.signs import UNICODE, Signs
from traceview.tui.theme import INKS

Line = Strip | Sequence[Segment]
_AROUND = 2  # lines that stay in sight above and below the cursor


class _PlainBar(ScrollBarRender):
    """A scrollbar of blanks alone, coloured or reversed."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


class LineView(ScrollView, can_focus=True, inherit_bindings=False):
    """Scrolls over ``line_count`` lines, with one of them under the cursor.

    Coordinates: ``y`` of the methods below is the number of a line, counted from 0; ``width`` the cells that
    a line may fill. The leftmost cell of the widget is a gutter for the cursor sign and is not part of it.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("lines")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-view--cursor",
        "line-view--header",
        *(f"ink--{name}" for name in INKS),
    }
    DEFAULT_CSS = (
        """
    LineView {
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        overflow-x: hidden;
        overflow-y: auto;
        &.-barred {
            overflow-y: scroll; scrollbar-background: $surface;
            scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
        }
        & > .line-view--cursor { background: $line-cursor-blurred; }
        &:focus > .line-view--cursor { background: $line-cursor; }
        &:ansi > .line-view--cursor { text-style: bold; }
        &:ansi:focus > .line-view--cursor { text-style: reverse; }
        &:nocolor > .line-view--cursor { text-style: bold; }
        &:nocolor:focus > .line-view--cursor { text-style: bold reverse; }
        & > .line-view--header { background: $line-header; color: $diag-key; text-style: bold; }
    """
        + "".join(f"    & > .ink--{name} {{ color: $diag-{name}; }}\n" for name in INKS)
        + """
        & > .ink--strong { text-style: bold; }
        &:nocolor > .ink--fail { text-style: bold; }
        &:nocolor > .ink--error { text-style: bold; }
        &:nocolor > .ink--observed { text-style: bold; }
        &:nocolor > .ink--expected { text-style: underline; }
        &:nocolor > .ink--quiet { text-style: dim; }
        &:ansi > .ink--quiet { text-style: dim; }
        &:ansi > .ink--fail { text-style: bold; }
    }
    """
    )

    # A view whose length changes from key to key has its bar always, unseen where there is nothing to scroll:
    # for one that comes and goes the whole screen is laid out anew.
    barred = False
    header_rows = 0
    """Rows at the top that stay while the rest scrolls (``render_header_line``)."""

    content_width: int | None = None
    """Set to the widest line's cells for horizontal scrolling; None cuts lines at the width of the view."""

    class Moved(Message):
        """The cursor is on another line, or on a line with another key."""

        def __init__(self, view: LineView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> LineView:
            return self.view

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, LineView.Moved) and message.view is self.view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.set_class(self.barred, "-barred")
        self._cursor = 0
        self._cursor_key: Hashable = None
        self._wanted: Hashable = None
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(512)
        self._just_focused = False
        self._width = 0
        self._title = ""

    # -- what a subclass gives ----------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        """How many lines there are now."""
        raise NotImplementedError

    def render_text_line(self, y: int, width: int) -> Line:
        """Line ``y``; text from data must have gone through :func:`traceview.sanitize.visible`. Longer lines
        are cut at ``width``, shorter ones filled. Called again only after ``data_changed``, ``lines_changed``
        or a change of width or theme."""
        raise NotImplementedError

    def render_header_line(self, y: int, width: int) -> Line:
        """Fixed row ``y`` of ``header_rows``."""
        return ()

    def line_key(self, y: int) -> Hashable:
        """What line ``y`` is, whatever its number."""
        return y

    def find_line(self, key: Hashable) -> int | None:
        """The line of that key now; None when it is gone."""
        return key if isinstance(key, int) and 0 <= key < self.line_count else None

    def nearest_line(self, key: Hashable, before: int) -> int:
        """Where the cursor goes when ``find_line`` gives None; ``before`` is the line it was on."""
        return before

    def cursor_moved(self) -> None:
        """The cursor is on another line (called before the message is posted)."""

    def width_changed(self, width: int) -> None:
        """Lines have another width from now on: wrap anew where that changes their number."""

    def activate_line(self, y: int) -> None:
        """A click on the line that was already selected."""

    # -- for use by subclasses and owners -------------------------------------------------------------------

    @property
    def cursor(self) -> int:
        """The selected line; 0 when there is none."""
        return self._cursor

    @property
    def signs(self) -> Signs:
        """The alphabet of signs that the application uses."""
        signs = getattr(self.app, "signs", UNICODE)
        return signs if isinstance(signs, Signs) else UNICODE

    def entitle(self, text: str) -> None:
        """Show a text (visible already) in the border, cut where it does not fit."""
        self._title = text
        self.border_title = Content(cut(text, max(0, self.outer_size.width - 6), self.signs.cut))

    def ink(self, name: str) -> Style:
        """The style for one of :data:`traceview.tui.theme.INKS` ("fail" …): foreground and weight only."""
        return self.get_component_rich_style(f"ink--{name}", partial=True)

    def move_to(self, y: int, *, scroll: bool = True) -> None:
        """Put the cursor on line ``y`` (the nearest there is), and bring it into view."""
        self._wanted = None
        self._place(y)
        if scroll:
            self.show_line(self._cursor)

    def show_line(self, y: int, *, lines: int = 1) -> None:
        """Scroll as little as needed to show ``lines`` lines from ``y`` on (``y`` itself before all), with a
        few lines around them."""
        height = self.body_height
        if height <= 0:
            return
        around = min(_AROUND, (height - 1) // 3)
        top = self.scroll_offset.y
        top = max(top, y + lines + around - height)
        self._scroll_top(min(top, y - around))

    @property
    def body_height(self) -> int:
        """Lines that fit below the fixed rows."""
        return max(0, self.scrollable_content_region.height - self.header_rows)

    def data_changed(self, *, keep_place: bool = True) -> None:
        """The model has changed: draw anew, the cursor on the line of the same key and at the same height.

        A key that is gone is remembered until the cursor is moved: when it is back, so is the cursor.
        """
        self._strips.clear()
        key = self._wanted if self._wanted is not None else self._cursor_key
        offset = self._cursor - self.scroll_offset.y
        found = self.find_line(key) if key is not None else 0
        self._wanted = key if found is None else None
        y = self.nearest_line(key, self._cursor) if found is None else found
        self._resize_to(Size(self.content_width or 0, self.line_count + self.header_rows))
        self._place(y)
        if keep_place:
            self._scroll_top(self._cursor - max(0, min(offset, self.body_height - 1)))
            self.show_line(self._cursor)
        self.refresh()

    def _resize_to(self, size: Size) -> None:
        """There are more or fewer lines. The whole screen is laid out anew only if the bar comes or goes: it
        costs more than all else that a key does.
        """
        room = self.scrollable_content_region.height  # 0: not seen
        barred = self.styles.overflow_y == "scroll" or size.height > room
        if not room or self.content_width or barred != self.show_vertical_scrollbar:
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)

    def lines_changed(self, lines: Iterable[int] | None = None) -> None:
        """Draw anew without a change of number: these lines, or all."""
        if lines is None:
            self._strips.clear()
            self.refresh()
            return
        stale = set(lines)
        for cached in [cached for cached in self._strips.keys() if cached[0] in stale]:  # noqa: SIM118
            self._strips.discard(cached)
        for y in stale:
            self._refresh_body_line(y)

    def line_at(self, event: events.MouseEvent) -> int | None:
        """The line under the mouse; None on the fixed rows, the border and below the last line."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < self.header_rows:
            return None
        y = offset.y - self.header_rows + self.scroll_offset.y
        return y if y < self.line_count else None

    # -- drawing --------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if width <= 0:
            return Strip.blank(0)
        base = self.rich_style
        inner = max(0, width - 1)
        if y < self.header_rows:
            strip = self._cropped(Strip(self.render_header_line(y, inner)), inner, base)
            strip = Strip([Segment(" "), *strip])
            return strip.apply_style(base + self.get_component_rich_style("line-view--header"))
        line = y - self.header_rows + self.scroll_offset.y
        if line >= self.line_count:
            return Strip.blank(width, base)
        cached = self._strips.get((line, inner))
        if cached is None:
            drawn = self.render_text_line(line, inner)
            cached = drawn if isinstance(drawn, Strip) else Strip(drawn)
            self._strips[(line, inner)] = cached
        strip = self._cropped(cached, inner, base)
        if line != self._cursor:
            return Strip([Segment(" "), *strip]).apply_style(base)
        style = self.get_component_rich_style("line-view--cursor", partial=True)
        sign = self.signs.cursor if self.has_focus else self.signs.cursor_blurred
        marked = [Segment(sign, self.ink("pass")), *strip]
        if style.reverse:  # a reversed line has one background, not that of every ink in it
            marked = [Segment(text, ink.without_color if ink else None) for text, ink, _ in marked]
        return Strip(marked).apply_style(base + style)

    def _cropped(self, strip: Strip, width: int, style: Style) -> Strip:
        """The part of a line that horizontal scrolling shows, exactly ``width`` cells."""
        left = self.scroll_offset.x
        if left:
            strip = strip.crop(left, left + width)
        return strip.adjust_cell_length(width)

    def _refresh_body_line(self, y: int) -> None:
        row = y - self.scroll_offset.y + self.header_rows
        if self.header_rows <= row < self.size.height:
            self.refresh(Region(0, row, self.size.width, 1))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    # -- the cursor -----------------------------------------------------------------------------------------

    def _place(self, y: int) -> None:
        before, before_key = self._cursor, self._cursor_key
        count = self.line_count
        self._cursor = max(0, min(y, count - 1))
        self._cursor_key = self.line_key(self._cursor) if count else None
        if self._cursor != before:
            self._refresh_body_line(before)
            self._refresh_body_line(self._cursor)
        if (self._cursor, self._cursor_key) != (before, before_key):
            self.cursor_moved()
            self.post_message(self.Moved(self))

    def _scroll_top(self, top: int) -> None:
        highest = max(0, self.line_count - self.body_height)
        self.scroll_to(y=max(0, min(top, highest)), animate=False, force=True)

    def action_cursor_down(self) -> None:
        self.move_to(self._cursor + 1)

    def action_cursor_up(self) -> None:
        self.move_to(self._cursor - 1)

    def action_cursor_top(self) -> None:
        self.move_to(0)

    def action_cursor_bottom(self) -> None:
        self.move_to(self.line_count - 1)

    def action_page_down(self) -> None:
        self._page(max(1, self.body_height - 1))

    def action_page_up(self) -> None:
        self._page(-max(1, self.body_height - 1))

    def action_half_down(self) -> None:
        self._page(max(1, self.body_height // 2))

    def action_half_up(self) -> None:
        self._page(-max(1, self.body_height // 2))

    def _page(self, lines: int) -> None:
        """Move cursor and view together, as less and vi do."""
        self._scroll_top(self.scroll_offset.y + lines)
        self.move_to(self._cursor + lines)

    # -- events ---------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        if self.signs.bar.isascii():
            self.vertical_scrollbar.renderer = _PlainBar  # type: ignore[misc]  # no other way to choose it
        self.data_changed()

    def on_resize(self, event: events.Resize) -> None:
        if self._title:
            self.entitle(self._title)
        width = max(0, self.scrollable_content_region.width - 1)
        if width != self._width:
            self._width = width
            self.width_changed(width)
            self.data_changed()
        self.show_line(self._cursor)

    def on_focus(self, event: events.Focus) -> None:
        self._just_focused = True
        self._refresh_body_line(self._cursor)

    def on_blur(self, event: events.Blur) -> None:
        self._refresh_body_line(self._cursor)

    def on_key(self, event: events.Key) -> None:
        self._just_focused = False

    def on_click(self, event: events.Click) -> None:
        """The first click selects and does nothing else; a click on the selected line activates it."""
        y = self.line_at(event)
        again, self._just_focused = not self._just_focused, False
        if y is None:
            return
        if again and y == self._cursor:
            self.activate_line(y)
        else:
            self.move_to(y)
