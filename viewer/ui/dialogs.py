"""Screens in front of the reader: help, the list of problems."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from viewer import problems, text
from viewer.describe import ascii_only
from viewer.problems import Problem
from viewer.ui.paint import cut, strip_of
from viewer.ui.styles import Looks, Styled

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
    """A list of lines with a cursor; lines are drawn when they are on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = MOVES

    class Chosen(Message):
        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, count: int, draw: Drawn, *, cursor: int = 0) -> None:
        super().__init__()
        self.count = count
        self.cursor = cursor
        self._draw = draw

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self) -> None:
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
        strip = strip_of(self._draw(self, index), self.app.console, width)
        look = self.look("cursor") if index == self.cursor else self.rich_style
        return strip.apply_style(look)

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(self.count - 1, self.cursor + by))
        self._show_cursor()
        self.refresh()

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.scrollable_content_region.height - 1))

    def action_choose(self) -> None:
        if self.count:
            self.post_message(self.Chosen(self.cursor))

    def _show_cursor(self) -> None:
        height = max(1, self.scrollable_content_region.height)
        top = self.scroll_offset.y
        if not top <= self.cursor < top + height:
            y = self.cursor if self.cursor < top else self.cursor - height + 1
            self.scroll_to(y=max(0, y), animate=False, immediate=True, force=True)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y
        if 0 <= index < self.count:
            self.cursor = index
            self.refresh()
            self.action_choose()


class ListDialog(Looks, ModalScreen[int | None]):
    """A list in front of everything else; answers with the index of what was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss_none", "Back", show=False),
    ]

    def __init__(self, title: str, count: int, draw: Drawn, *, hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._list = PickList(count, draw)

    def compose(self) -> ComposeResult:
        self._list.border_title = Content(self._title)
        self._list.border_subtitle = Content(self._hint)
        yield self._list

    def on_mount(self) -> None:
        self._list.focus()

    def action_dismiss_none(self) -> None:
        self.dismiss(None)

    def on_pick_list_chosen(self, event: PickList.Chosen) -> None:
        self.dismiss(event.index)


def text_dialog(title: str, lines: Sequence[tuple[str, str]]) -> ListDialog:
    """Pairs of words, aligned, to be read: the help."""
    width = max((len(left) for left, _ in lines), default=0)

    def draw(view: PickList, index: int) -> Text:
        left, right = lines[index]
        if not right:
            return Text(f" {left}", view.look("heading"))
        line = Text(f" {left:{width}}  ", view.look("key"))
        room = max(0, view.scrollable_content_region.width - line.cell_len)
        return line.append(cut(right, room), view.look("text"))

    return ListDialog(title, len(lines), draw, hint="esc closes")


def problem_list(found: list[Problem], *, ascii: bool) -> ListDialog:
    """Everything that went wrong, a line each."""

    def draw(view: PickList, index: int) -> Text:
        problem = found[index]
        tone = "missing" if problem.kind == "missing_result" else "error"
        glyph = "∅" if tone == "missing" else "✗"
        line = Text(f" {glyph} ", view.look(tone))
        line.append(f"{problem.line:>6}{'*' if problem.file else ' '} ", view.look("dim"))
        width = view.scrollable_content_region.width
        cause = problem.cause or problem.kind.upper()
        line.append(f"{cause:18} " if width > 70 else f"{cut(cause, 14)} ", view.look(tone))
        room = max(0, width - line.cell_len)
        line.append(cut(text.one_line(problem.message[:400]), room), view.look("text"))
        if ascii:
            line.plain = ascii_only(line.plain)
        return line

    title = f"{text.plural(len(found), 'problem')}: {problems.summarize(found)}"
    inside = any(problem.file for problem in found)
    hint = "enter goes there" + (" · * in a sub-agent's file" if inside else "")
    return ListDialog(title, len(found), draw, hint=hint)
