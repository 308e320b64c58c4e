"""A list of lines with a cursor. Lines are drawn when they are on the screen."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from viewer.ascii import ascii_only
from viewer.ui.paint import strip_of
from viewer.ui.styles import PlainScrollBar, Styled

Drawn = Callable[["PickList", int], Text]

MOVES: list[BindingType] = [
    Binding("j,down", "move(1)", "Down", show=False),
    Binding("k,up", "move(-1)", "Up", show=False),
    Binding("g,home", "move(-1000000000)", "First", show=False),
    Binding("G,end", "move(1000000000)", "Last", show=False),
    Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False),
    Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False),
    Binding("enter", "choose", "Choose", show=False),
]


class PickList(Styled, ScrollView, can_focus=True, inherit_bindings=False):
    """Draws `count` lines by a function."""

    BINDINGS: ClassVar[list[BindingType]] = MOVES

    class Chosen(Message):
        def __init__(self, list: "PickList", index: int) -> None:
            super().__init__()
            self.list = list
            self.index = index

    class Moved(Message):
        """The cursor is on another line."""

        def __init__(self, list: "PickList") -> None:
            super().__init__()
            self.list = list

    def __init__(
        self, count: int, draw: Drawn, *, id: str | None = None, clicks: int = 1,
        ascii: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(id=id)
        self.count = count
        self.cursor = 0
        self._draw = draw
        self._clicks = clicks  # that choose a line
        self._ascii = ascii

    def on_mount(self) -> None:
        if self._ascii:
            self.vertical_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def show(self, count: int, cursor: int) -> None:
        """Other lines; the one under the cursor stays where it is on the screen, if it can."""
        row = self.cursor - self.scroll_offset.y
        self.count, self.cursor = count, max(0, min(cursor, count - 1))
        self.virtual_size = Size(max(1, self.scrollable_content_region.width), count)
        if 0 <= row < max(1, self.scrollable_content_region.height):
            self._scroll(self.cursor - row)
        self._fit()

    def _fit(self) -> None:
        self.virtual_size = Size(max(1, self.scrollable_content_region.width), self.count)
        self._show_cursor()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if not 0 <= index < self.count:
            return Strip.blank(width, self.rich_style)
        line = self._draw(self, index)
        if self._ascii:
            line.plain = ascii_only(line.plain)
        strip = strip_of(line, self.app.console, width)
        if index != self.cursor:
            return strip.apply_style(self.rich_style)
        return strip.apply_style(self.look("cursor" if self.has_focus else "cursor-blur"))

    def action_move(self, by: int) -> None:
        self.go(self.cursor + by)

    def action_page(self, pages: int) -> None:
        self.go(self.cursor + pages * max(1, self.scrollable_content_region.height - 1))

    def go(self, index: int) -> None:
        self.cursor = max(0, min(self.count - 1, index))
        self._show_cursor()
        self.refresh()
        self.post_message(self.Moved(self))

    def action_choose(self) -> None:
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def _show_cursor(self) -> None:
        height = max(1, self.scrollable_content_region.height)
        top = self.scroll_offset.y
        if not top <= self.cursor < top + height:
            self._scroll(self.cursor if self.cursor < top else self.cursor - height + 1)

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, immediate=True, force=True)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y
        if 0 <= index < self.count:
            self.go(index)
            if event.chain >= self._clicks:
                self.action_choose()
