"""The detail on the screen: what the entry under the cursor says, in four tabs.

Only what stands still is drawn: each move of the cursor puts the drawing off a little, so that
moving fast never queues work.
"""

import time

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from viewer import text
from viewer.ascii import ascii_only
from viewer.bodies import Source
from viewer.nodes import Node
from viewer.search import Query
from viewer.ui.paint import cut, highlighted, strip_of, strips_of
from viewer.ui.styles import PlainScrollBar, Styled

TABS = ("Rendered", "Input", "Output", "Raw")
_DELAY = 0.06
_PATIENCE = 0.3  # seconds that a drawing is put off at the most


class TabBar(Styled):
    """The names of the tabs, the chosen one marked."""

    class Chosen(Message):
        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self) -> None:
        super().__init__(id="tabs")
        self.tab = TABS[0]
        self.words = ""  # what is shown, where no border tells it

    def render_line(self, y: int) -> Strip:
        line = Text(end="", no_wrap=True)
        for tab in TABS:
            line.append(f" {tab} ", self.look("chip" if tab == self.tab else "chip-off"))
            line.append(" ")
        room = self.size.width - line.cell_len - 1
        if self.words and room > 8:
            line.append(cut(self.words, room).rjust(room), self.look("dim"))
        return strip_of(line, self.app.console, self.size.width).apply_style(self.rich_style)

    def on_click(self, event: events.Click) -> None:
        at = 0
        for tab in TABS:
            if at <= event.x < at + len(tab) + 2:
                self.post_message(self.Chosen(tab))
            at += len(tab) + 3


class DetailLines(Styled, ScrollView, can_focus=True, inherit_bindings=False):
    """Lines that scroll."""

    def __init__(self) -> None:
        super().__init__(id="lines")
        self.strips: list[Strip] = []
        self.query_words: Query | None = None

    def show(self, strips: list[Strip], *, top: bool) -> None:
        self.strips = strips
        width = max(1, self.scrollable_content_region.width)
        self.virtual_size = Size(width, len(strips))
        if top:
            self.go(0)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if not 0 <= index < len(self.strips):
            return Strip.blank(width, self.rich_style)
        strip = highlighted(self.strips[index], self.query_words, self.look("match"))
        return strip.apply_style(self.rich_style).crop_extend(0, width, self.rich_style)

    def go(self, y: int) -> None:
        """Scroll to a line, as far as there are lines."""
        height = max(1, self.scrollable_content_region.height)
        y = max(0, min(y, len(self.strips) - height))
        self.scroll_to(y=y, animate=False, immediate=True, force=True)

    def show_match(self) -> bool:
        """Scroll to the first line with the words that are sought."""
        query = self.query_words
        if query is None or not query.words:
            return True
        for index, strip in enumerate(self.strips):
            if query.spans(strip.text):
                height = max(1, self.scrollable_content_region.height)
                if index >= height:
                    self.go(index - height // 2)
                return True
        return False


class DetailPane(Vertical):
    """Tabs above, lines below."""

    def __init__(self, source: Source, *, ascii: bool = False) -> None:
        super().__init__(id="detail")
        self._source = source
        self._ascii = ascii
        self._node: Node | None = None
        self._timer: Timer | None = None
        self._asked = 0.0  # when the drawing was put off first
        self._drawn: tuple[int, str, int] = (0, "", 0)
        self.bar = TabBar()
        self.lines = DetailLines()

    def compose(self) -> ComposeResult:
        yield self.bar
        yield self.lines

    def on_mount(self) -> None:
        if self._ascii:
            self.lines.vertical_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]

    @property
    def tab(self) -> str:
        return self.bar.tab

    def choose(self, tab: str) -> None:
        self.bar.tab = tab
        self.bar.refresh()
        self.draw()

    def next_tab(self, direction: int) -> None:
        self.choose(TABS[(TABS.index(self.tab) + direction) % len(TABS)])

    def seek(self, query: Query | None) -> None:
        self.lines.query_words = query
        self.lines.refresh()

    def show(self, node: Node | None) -> None:
        """Show a node soon, if it is still the one to be shown then."""
        self._node = node
        now = time.perf_counter()
        if self._timer is not None:
            if now - self._asked > _PATIENCE:
                return  # put off often enough: it is drawn when the timer says so
            self._timer.stop()
        else:
            self._asked = now
        self._timer = self.set_timer(_DELAY, self.draw)

    def tick(self, node: Node | None) -> None:
        """A second has passed: what runs tells a longer time."""
        if self._timer is None and self._node is not None and self._node is node:
            self.draw()

    def draw(self) -> None:
        """Draw now."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self.is_mounted or not self.display:
            return
        width = self.lines.scrollable_content_region.width
        node = self._node
        if width < 2:
            return
        # Imported here: the first screen is there before the renderers are.
        from viewer.ui.entry_page import title_of, write_page
        from viewer.ui.renderers.page import Page

        theme = self.app.current_theme
        page = Page(self.lines.look, dark=theme.dark)
        if node is not None:
            page.cwd = node.scope.session.cwd
            write_page(node, self.tab, self._source, page)
            narrow = not self.styles.border_top[0]
            self.bar.words = text.one_line(self._words(title_of(node))) if narrow else ""
            self.bar.refresh()
            self.border_title = Content(text.one_line(self._words(title_of(node)), 80))
            place = f"{text.clock(node.row.time)} · line {node.row.line}" if node.row else ""
            self.border_subtitle = Content(self._words(place.removeprefix(" · ")))
        parts = page.parts
        strips = strips_of(parts, self.app.console, width)
        if self._ascii:
            strips = [
                Strip([s._replace(text=ascii_only(s.text)) for s in strip]) for strip in strips
            ]
        drawn = (id(node.item) if node else 0, self.tab, width)
        self.lines.show(strips, top=drawn != self._drawn)
        self._drawn = drawn
        if self.lines.query_words is not None and not self.lines.show_match() and node is not None:
            self._tell_of_hit(node, width)

    def _tell_of_hit(self, node: Node, width: int) -> None:
        """The words that are sought stand in the entry, but not in what is drawn of it."""
        from viewer.bodies import Changed
        from viewer.ui.entry_page import whole_text

        query = self.lines.query_words
        try:
            inside = query is not None and query.is_in(whole_text(node, self._source, "Raw"))
        except Changed:
            return
        if inside:
            words = "found, but not in what is shown here: see Raw, or o opens all of it"
            line = Text(words, self.lines.look("match"))
            strips = [*strips_of([line], self.app.console, width), *self.lines.strips]
            self.lines.show(strips, top=True)

    def _words(self, words: str) -> str:
        return ascii_only(words) if self._ascii else words

    def on_resize(self) -> None:
        self.show(self._node)

    def on_tab_bar_chosen(self, event: TabBar.Chosen) -> None:
        self.choose(event.tab)
