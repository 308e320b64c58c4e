"""The outline on the screen: a Line-API list that draws only the rows one can see."""

from typing import ClassVar

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender, ScrollTo, ScrollUp
from textual.strip import Strip

from viewer import text
from viewer.ascii import ascii_only
from viewer.describe import Words, describe
from viewer.nodes import ALONE, FIRST, LAST, MIDDLE, Node
from viewer.outline import Outline
from viewer.search import Query
from viewer.ui.paint import cut, fit, fit_path, highlighted, strip_of
from viewer.ui.styles import Styled

_ROOMY = 72  # cells from which there is room for a long state
NAME = 9  # cells that most tool names fit in
TIMES = ("prompts", "clock", "elapsed", "delta")  # what T goes through


class Marks(ScrollBarRender):
    """A scrollbar that shows where the problems are."""

    rows: ClassVar[list[int]] = []  # those with a problem
    total: ClassVar[int] = 1
    mark = Style()
    glyph = "●"

    @classmethod
    def render_bar(cls, size: int = 25, *args: object, **options: object) -> Segments:
        bar = super().render_bar(size, *args, **options)  # type: ignore[arg-type]
        for row in cls.rows:
            index = row * size // max(cls.total, size)
            if 0 <= index < len(bar.segments):
                style = bar.segments[index].style or Style()
                back = Style(bgcolor=style.color if style.reverse else style.bgcolor)
                look = back + cls.mark + Style(meta=style.meta)
                bar.segments[index] = Segment(cls.glyph, look)
        return bar


def _runs(node: Node) -> bool:
    call = node.call
    return call is not None and node.scope.judge.status(call) in ("in_progress", "pending")


class OutlineView(Styled, ScrollView, can_focus=True, inherit_bindings=False):
    """Draws an Outline and moves its cursor."""

    class Moved(Message):
        """The cursor is on another row, or its row has changed."""

        def __init__(self, at_end: bool) -> None:
            super().__init__()
            self.at_end = at_end  # when it was moved; rows may have come since

    class Opened(Message):
        """The user wants to read the row under the cursor."""

    class ScrolledUp(Message):
        """The user looks further up, with the mouse."""

    def __init__(self, outline: Outline, *, ascii: bool = False) -> None:
        super().__init__(id="outline")
        self.outline = outline
        self.query_words: Query | None = None
        self.times = TIMES[0]
        self._ascii = ascii
        self._cache: LRUCache[tuple[int, int, bool], Strip] = LRUCache(512)
        plain = {"VERTICAL_BARS": [" "] * 8, "glyph": "*"} if ascii else {}
        self._marks: type[Marks] = type("OwnMarks", (Marks,), {"rows": [], **plain})

    def on_mount(self) -> None:
        self.vertical_scrollbar.renderer = self._marks  # type: ignore[misc]
        self.update()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._cache.clear()

    # Change

    def update(self) -> None:
        """The outline has changed: draw what is on the screen anew."""
        self._cache.clear()
        width = max(1, self.scrollable_content_region.width)
        self.virtual_size = Size(width, len(self.outline.rows))
        self.refresh()

    def keep_still(self, screen_row: int) -> None:
        """After rows came or went above: the cursor's row stays where it is on the screen."""
        self.update()
        self._place(self.outline.cursor - screen_row)

    def hold(self, node: Node | None, screen_row: int) -> None:
        """After rows came or went: a row stays where it is on the screen."""
        index = self.outline.index(node)
        self.update()
        if index is not None:
            self._place(index - screen_row)

    def show_end(self) -> None:
        """After rows came: the last ones are on the screen."""
        self.update()
        self._place(len(self.outline.rows) - max(1, self.scrollable_content_region.height))

    def _place(self, top: int) -> None:
        """Scroll so that a row is the first on the screen."""
        self.scroll_to(y=max(0, top), animate=False, immediate=True, force=True)

    def tell_moved(self) -> None:
        self.post_message(self.Moved(self.outline.cursor >= len(self.outline.rows) - 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.post_message(self.ScrolledUp())

    def on_scroll_up(self, event: ScrollUp) -> None:
        self.post_message(self.ScrolledUp())

    def on_scroll_to(self, event: ScrollTo) -> None:
        if event.y is not None and event.y < self.scroll_offset.y:
            self.post_message(self.ScrolledUp())

    def shown(self) -> list[Node]:
        """The rows on the screen."""
        top = self.scroll_offset.y
        return self.outline.rows[top : top + max(1, self.size.height)]

    def tick(self) -> bool:
        """A second has passed: running calls on the screen tell a longer time. Whether any did."""
        top = self.scroll_offset.y
        running = [top + index for index, node in enumerate(self.shown()) if _runs(node)]
        if running:
            self._cache.clear()
        for index in running:
            self.refresh_line(index)
        return bool(running)

    @property
    def screen_row(self) -> int:
        """Where the cursor is on the screen."""
        return self.outline.cursor - self.scroll_offset.y

    def mark(self, rows: list[int]) -> None:
        """Show in the scrollbar where rows are."""
        self._marks.rows, self._marks.total = rows, len(self.outline.rows)
        self._marks.mark = self.look("error")
        self.vertical_scrollbar.refresh()

    def go(self, index: int) -> None:
        """Move the cursor to a row and keep it on the screen."""
        if self.virtual_size.height != len(self.outline.rows):
            self.update()  # rows have come below, where nobody looked
        before = self.outline.cursor
        self.outline.move(index)
        after = self.outline.cursor
        self.show_cursor()
        for row in {before, after}:
            self.refresh_line(row)
        self.tell_moved()

    def show_cursor(self, *, middle: bool = False) -> None:
        height = max(1, self.scrollable_content_region.height)
        top, cursor = self.scroll_offset.y, self.outline.cursor
        if top <= cursor < top + height:
            return
        if middle or not top - height < cursor < top + 2 * height:
            target = cursor - height // 2
        else:
            target = cursor if cursor < top else cursor - height + 1
        self._place(min(target, max(0, len(self.outline.rows) - height)))

    def refresh_line(self, index: int) -> None:
        y = index - self.scroll_offset.y
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    # Drawing

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        rows = self.outline.rows
        if not 0 <= index < len(rows):
            return Strip.blank(width, self.rich_style)
        key = (index, width, self.has_focus)
        is_cursor = index == self.outline.cursor
        if not is_cursor and (known := self._cache.get(key)) is not None:
            return known
        strip = self._row(index, rows[index], width, is_cursor)
        if not is_cursor:
            self._cache[key] = strip
        return strip

    def _row(self, index: int, node: Node, width: int, is_cursor: bool) -> Strip:
        words = describe(node)
        line = self._line(index, node, words, width, is_cursor)
        if self._ascii:
            line.plain = ascii_only(line.plain)
        strip = strip_of(line, self._console, width)
        strip = highlighted(strip, self.query_words, self.look("match"))
        if is_cursor:
            strip = strip.apply_style(self.look("cursor" if self.has_focus else "cursor-blur"))
        return strip.apply_style(self.rich_style) if not is_cursor else strip

    @property
    def _console(self) -> Console:
        return self.app.console

    def _line(self, index: int, node: Node, words: Words, width: int, is_cursor: bool) -> Text:
        line = Text(no_wrap=True, end="")
        line.append("▌" if is_cursor else " ", self.look("prompt"))
        self._margin(line, node)
        line.append(f"{words.glyph} ", self.look(self._tone_of(node, words)))
        clock = self._time(index, node, words)
        if clock:
            line.append(f"{clock}  ", self.look("dim"))
        state = words.short if words.short and width < _ROOMY else words.state
        state = f" {state} " if state else ""
        room = width - line.cell_len - cell_len(state)
        if words.name:
            name = words.name
            if node.kind == "call":
                name = fit(name, NAME) if len(name) <= NAME else name
            # Where there is no room for all, the state stays whole: it is why one looks.
            name = cut(name, max(4, room - 9))
            line.append(f"{name} ", self.look(self._name_of(node, words)))
        room = width - line.cell_len - cell_len(state)
        shown = fit_path(words.text, max(0, room)) if self._is_path(node) else words.text
        line.append(fit(shown, max(0, room)), self.look(self._text_of(node, words)))
        if state:
            line.append(state, self.look(words.tone or "dim"))
        return line

    def _is_path(self, node: Node) -> bool:
        return node.call is not None and node.call.kind in ("read", "edit")

    def _margin(self, line: Text, node: Node) -> None:
        """Guides of what it stands in, the bracket of parallel calls, the fold."""
        guide = self.look("guide")
        margin = [" "] * (1 + 2 * node.level)
        for level in range(1, node.level):
            margin[1 + 2 * level] = "┊"
        margin[-1] = {FIRST: "╭", MIDDLE: "│", LAST: "╰", ALONE: " "}[node.group]
        line.append("".join(margin), guide)
        if node.can_unfold:
            line.append("▾ " if node.open else "▸ ", self.look("name"))
        else:
            line.append("┊ " if node.level and node.kind != "hook" else "  ", guide)

    def _time(self, index: int, node: Node, words: Words) -> str:
        if self.times == "prompts":
            return text.clock(words.time) if node.is_turn else ""
        if words.time is None:
            return " " * 8
        if self.times == "clock":
            return text.clock(words.time)
        since = node.scope.session.started
        if self.times == "delta":
            rows = self.outline.rows
            before = rows[index - 1].row if index else None
            since = before.time if before is not None else words.time
        if since is None:
            return " " * 8
        sign = "+" if self.times == "delta" else ""
        passed = max(0, round((words.time - since) * 1000))
        return f"{sign}{text.duration(passed)}".rjust(8)

    def _tone_of(self, node: Node, words: Words) -> str:
        if words.tone in ("error", "missing", "running", "warning"):
            return words.tone
        return {"prompt": "prompt", "queued": "prompt"}.get(node.kind, "dim")

    def _name_of(self, node: Node, words: Words) -> str:
        if words.tone in ("error", "missing", "warning", "dim"):
            return words.tone
        return "dim" if node.kind == "hook" else "name"

    def _text_of(self, node: Node, words: Words) -> str:
        if node.is_turn:
            return "prompt"
        if node.kind in ("api_error", "damaged", "invalid", "interrupt"):
            return words.tone
        if node.kind == "hook" and words.tone == "error":
            return "error"
        return {"thinking": "thinking", "reply": "reply", "note": "dim", "context": "dim"}.get(
            node.kind, "text"
        )

    # Mouse

    def on_click(self, event: events.Click) -> None:
        # The region of a scroll view's content starts at its own corner, without the border.
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y
        if not 0 <= index < len(self.outline.rows):
            return
        node = self.outline.rows[index]
        self.go(index)
        fold = 2 + 2 * node.level
        if node.can_unfold and fold <= offset.x <= fold + 1:
            row = self.screen_row
            self.outline.toggle(index)
            self.keep_still(row)
        elif event.chain >= 2:
            self.post_message(self.Opened())

    def on_resize(self) -> None:
        row = self.screen_row
        self.update()
        if not 0 <= row < max(1, self.size.height):
            self.show_cursor()
