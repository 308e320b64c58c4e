"""Words in all sessions: a line to type in, and what holds them, newest session first.

The line always has the keys; those that move go to the list. Every change starts anew. The files
are read by other processes and waited for by a thread: keys are answered at once.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from viewer import text
from viewer.ascii import ascii_only
from viewer.everywhere import Found, Place, Search
from viewer.ui import search_words
from viewer.ui.bars import Bar, Piece
from viewer.ui.browser import WIDE, Pane
from viewer.ui.find_bar import FindBar
from viewer.ui.pick_list import PickList
from viewer.ui.search_words import Row
from viewer.ui.styles import Looks

if TYPE_CHECKING:
    from viewer.ui.app import ViewerApp

_DELAY = 0.1  # seconds after a key: whoever types on does not wait for words half typed
_TOGETHER = 0.03  # seconds in which what is found is shown together


class SearchScreen(Looks, Screen[None]):
    """What holds some words."""

    app: "ViewerApp"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("ctrl+end", "move(1000000000)", "Last", show=False),
        Binding("ctrl+home", "move(-1000000000)", "First", show=False),
        Binding("tab", "session(1)", "Next session", show=False, priority=True),
        Binding("shift+tab", "session(-1)", "Previous session", show=False, priority=True),
    ]
    AUTO_FOCUS = ""

    def __init__(self, roots: Sequence[str], words: str = "", *, ascii: bool = False) -> None:
        super().__init__()
        self._roots = roots
        self._first_words = words
        self._ascii = ascii
        self._search: Search | None = None
        self._rows: list[Row] = []
        self._sessions = self._hits = 0
        self._ended = False
        self.note = ""
        self.list = PickList(1, self._draw, id="hits", clicks=2, ascii=ascii)
        self.list.can_focus = False
        self.find_bar = FindBar()
        self.bars = {name: Bar(name, ascii=ascii) for name in ("title", "keys")}
        self._titles = ("", "")

    def compose(self) -> ComposeResult:
        yield self.bars["title"]
        with Pane(id="hit-pane"):
            yield self.list
        yield self.bars["keys"]
        yield self.find_bar

    def on_mount(self) -> None:
        self.set_class(self._ascii, "-ascii")
        self.find_bar.placeholder = "words in prompts, replies, tool inputs and outputs"
        self.find_bar.open()
        self.find_bar.value = self._first_words
        self.find_bar.cursor_position = len(self._first_words)
        self._say()

    def on_unmount(self) -> None:
        self._stop()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(self.size.width < WIDE, "-narrow")
        self.set_class(self.size.height < 14, "-low")
        self._say()

    # Searching

    def on_find_bar_sought(self, event: FindBar.Sought) -> None:
        event.stop()
        if self._search is None or event.words != self._search.query.words:
            self._stop()
            self.run_worker(self._find(event.words), exclusive=True, group="search")

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()
            self._search = None

    async def _find(self, words: str) -> None:
        self._show_none()
        if not search_words.is_enough(words):
            return
        await asyncio.sleep(_DELAY)
        search = self._search = Search(self._roots, words)
        steps = search.run()
        while not self._ended and search is self._search:
            if self.app.screen is self:
                self.app.last_input = time.perf_counter()  # what counts behind it waits
            found, self._ended = await asyncio.to_thread(_take, steps)
            if search is self._search:
                self._add(found)

    def _show_none(self) -> None:
        self._rows, self._sessions, self._hits, self._ended = [], 0, 0, False
        self.list.show(1, 0)
        self._say()

    def _add(self, found: list[Found]) -> None:
        for each in found:
            self._sessions += 1
            self._hits += each.count
            self._rows += search_words.rows(each)
        if found or not self._rows:
            self.list.show(max(1, len(self._rows)), self.list.cursor)
        self._say()

    # Moving

    def action_move(self, by: int) -> None:
        self.list.go(self.list.cursor + by)

    def action_page(self, pages: int) -> None:
        self.list.action_page(pages)

    def action_session(self, by: int) -> None:
        """To the first line of the next session, or of this or the one before."""
        index = self.list.cursor + by
        while 0 <= index < len(self._rows) and self._rows[index].place is not None:
            index += by
        if 0 <= index < len(self._rows):
            self.list.go(index)

    def on_pick_list_moved(self, event: PickList.Moved) -> None:
        event.stop()
        self._say()

    def on_pick_list_chosen(self, event: PickList.Chosen) -> None:
        event.stop()
        self._open()

    def on_find_bar_done(self, event: FindBar.Done) -> None:
        event.stop()
        if event.kept:
            self._open()
        else:
            self.dismiss()

    def _open(self) -> None:
        if not self._rows or self._search is None:
            return
        row = self._rows[min(self.list.cursor, len(self._rows) - 1)]
        place: Place = row.place or row.found.places[0]
        words = self._search.query.words
        problem = self.app.open_session(row.found.file.path, at=place, words=words)
        self.note = f"cannot be opened: {problem}" if problem else ""
        self._say()

    # Words

    def on_key(self) -> None:
        self.note = ""

    def _draw(self, view: PickList, index: int) -> Text:
        if not self._rows:
            return search_words.none(view, self._search, ended=self._ended)
        assert self._search is not None
        return search_words.line(view, index, self._rows[index], self._search.query, time.time())

    def _say(self) -> None:
        if not self.is_mounted:
            return
        search, width = self._search, self.size.width
        where = "search in all sessions"
        if self._hits and width < WIDE:
            where = self._count()  # no border tells it there
        left = [Piece(" claude-view  ", "brand"), Piece(where, "path", gives=True)]
        if self.note:
            left = [left[0], Piece(text.one_line(self.note), "error", gives=True)]
        right = []
        if search is not None and (width >= 60 or not self._hits):
            right.append(Piece(f"{search_words.progress(search, ended=self._ended)} ", "dim"))
        self.bars["title"].show(left, right)
        keys = [
            ("⏎", "open there"),
            ("up/down" if self._ascii else "↑↓", "move"),
            ("⇥", "next session"),
            ("esc", "back"),
        ]
        pieces = [Piece(" ")]
        for key, word in keys:
            pieces += [Piece(key, "key"), Piece(f" {word}  ", "dim")]
        self.bars["keys"].show(pieces)
        self._name_pane()
        if not self._rows:
            self.list.refresh()

    def _name_pane(self) -> None:
        title = subtitle = ""
        if self._hits:
            title = self._count()
            subtitle = f"{self.list.cursor + 1} of {len(self._rows)}"
        if (title, subtitle) != self._titles:
            self._titles = (title, subtitle)
            pane = self.query_one(Pane)
            pane.border_title, pane.border_subtitle = map(self._titled, (title, subtitle))

    def _count(self) -> str:
        hits, sessions = text.plural(self._hits, "hit"), text.plural(self._sessions, "session")
        return f"{hits} in {sessions}{'' if self._ended else ' …'}"

    def _titled(self, words: str) -> Content:
        return Content(ascii_only(words) if self._ascii else words)

    def on_bar_clicked(self, event: Bar.Clicked) -> None:
        event.stop()


def _take(steps: Iterator[Found | None]) -> tuple[list[Found], bool]:
    """What is found in a moment, and whether that was all. Done by a thread."""
    limit = time.perf_counter() + _TOGETHER
    found: list[Found] = []
    for step in steps:
        if step is not None:
            found.append(step)
        if time.perf_counter() > limit:
            return found, False
    return found, True
