"""The browser: projects left, their sessions right, what was said last below.

It is usable at once: what there is comes from names and stat, what it says from the ends of the
files, and what needs whole files is counted in the background, newest first.
"""

import os
import time
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content

from viewer import resources, text
from viewer.ascii import ascii_only
from viewer.catalogue import Catalogue
from viewer.counts import Memory
from viewer.shelf import Shelf
from viewer.start import Start, is_sample
from viewer.ui import browser_words
from viewer.ui.bars import Bar, Piece
from viewer.ui.browsing import Browsing
from viewer.ui.find_bar import FindBar
from viewer.ui.pick_list import PickList
from viewer.ui.preview import PreviewLines

if TYPE_CHECKING:
    pass

WIDE = 100

KEYS: list[Binding] = [
    Binding("enter", "open", "Open the session", id="open"),
    Binding("tab", "other_pane", "Projects or sessions", id="pane", priority=True),
    Binding("h,left", "pane('projects')", "Projects", id="left"),
    Binding("l,right", "pane('sessions')", "Sessions", id="right"),
    Binding("slash", "filter", "Show only sessions with these words", id="filter",
            key_display="/"),
    Binding("ctrl+f", "search", "Search the text of all sessions", id="search", priority=True),
    Binding("s", "sort", "Order: newest, problems, size, title", id="sort"),
    Binding("F", "follow", "Follow the newest session of the project", id="follow"),
    Binding("r", "reload", "Look again", id="reload"),
    Binding("d", "samples", "The bundled samples, or back", id="samples"),
    Binding("question_mark", "help", "Help", id="help", key_display="?"),
    Binding("colon,ctrl+p", "palette", "Commands", id="palette", key_display=":"),
    Binding("escape", "back", "Show all sessions again", id="back"),
    Binding("q", "quit", "Quit", id="quit"),
]  # fmt: skip


class Pane(Vertical):
    """A frame around a list."""


class Browser(Browsing):
    """All sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [*KEYS]
    AUTO_FOCUS = ""  # it would be the projects

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start
        self._ascii = start.ascii
        self._memory = Memory(start.cache)
        self._samples = False  # shown instead of the user's own sessions
        self._open_shelf(list(start.roots))
        self.note = ""
        self._preview_due = False
        self._titles = ("", "")
        ascii = start.ascii
        self.project_list = PickList(0, self._draw_project, id="projects", ascii=ascii)
        self.session_list = PickList(0, self._draw_session, id="sessions", clicks=2, ascii=ascii)
        self.preview = PreviewLines(ascii=ascii)
        self.find_bar = FindBar()
        self.find_bar.placeholder = "title, project, branch, state; ctrl+f searches all texts"
        self.bars = {name: Bar(name, ascii=ascii) for name in ("title", "heading", "keys")}

    def _open_shelf(self, roots: list[str]) -> None:
        try:
            here: str | None = os.getcwd()
        except OSError:
            here = None  # somebody deleted it
        homes = [] if self._samples else list(self._start.homes)
        still = all(is_sample(root) for root in roots)
        self.shelf = Shelf(Catalogue(roots, homes, self._memory, still), here)
        self.complete = False

    def compose(self) -> ComposeResult:
        yield self.bars["title"]
        with Horizontal(id="lists"):
            with Pane(id="project-pane"):
                yield self.project_list
            with Pane(id="session-pane"):
                yield self.bars["heading"]
                yield self.session_list
        yield self.preview
        yield self.bars["keys"]
        yield self.find_bar

    def on_mount(self) -> None:
        self.set_class(self._ascii, "-ascii")
        self.find_bar.display = False
        self.begin()
        self.set_focus(self.session_list)
        self.update()
        self._lay_out()

    # Drawing

    def update(self) -> None:
        """Bring the lists up to date with what is known."""
        shelf = self.shelf
        shelf.update()
        self.project_list.show(len(shelf.projects) + 1, shelf.project_index)
        self.session_list.show(len(shelf.sessions), shelf.index)
        self._show_preview()
        self._say()

    def tick(self) -> None:
        """Time has passed: the ages grow."""
        self.session_list.refresh()
        self._say()

    def _draw_project(self, view: PickList, index: int) -> Text:
        shelf = self.shelf
        project = shelf.projects[index - 1] if index else None
        sessions = project.sessions if project else shelf.catalogue.sessions
        alive = sum(listed.liveness.alive for listed in sessions)
        return browser_words.project_line(view, index, project, len(sessions), alive)

    def _draw_session(self, view: PickList, index: int) -> Text:
        listed = self.shelf.sessions[index]
        everywhere = self.shelf.project_index == 0
        return browser_words.session_line(view, index, listed, time.time(), all_projects=everywhere)

    def _show_preview(self) -> None:
        listed = self.shelf.current
        if listed is None:
            self.preview.show(self._nothing())
        elif listed.last is not None:
            self.preview.show(browser_words.preview_lines(listed, listed.last, time.time()))
        elif not self._preview_due:
            # Read a moment later: whoever moves fast does not wait for it.
            self._preview_due = True
            self.set_timer(0.05, self._read_preview)

    def _read_preview(self) -> None:
        self._preview_due = False
        if (listed := self.shelf.current) is not None:
            self.shelf.catalogue.preview(listed)
            self._show_preview()

    def _nothing(self) -> list[tuple[str, str, str]]:
        """Why the list is empty."""
        if self.shelf.words:
            return [(" ", "no session has these words; esc shows all", "dim")]
        if not self.complete:
            return [(" ", "looking …", "dim")]
        roots = [text.one_line(text.shorten_home(root)) for root in self.shelf.catalogue.roots]
        where = ", ".join(roots) or "no folder: HOME is not set"
        return [
            (" ", f"No sessions found in {where}.", "text"),
            (" ", "d shows the bundled samples. --root DIR looks elsewhere.", "dim"),
        ]

    # Layout

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    @property
    def _narrow(self) -> bool:
        return self.size.width < WIDE

    def _lay_out(self) -> None:
        self.set_class(self._narrow, "-narrow")
        self.set_class(self.size.height < 14, "-low")
        in_projects = self.focused is self.project_list
        self.query_one("#project-pane").display = not self._narrow or in_projects
        self.query_one("#session-pane").display = not self._narrow or not in_projects
        self._say()

    # Moving

    def on_pick_list_moved(self, event: PickList.Moved) -> None:
        event.stop()
        if event.list is self.project_list:
            self.shelf.choose_project(event.list.cursor)
            self.update()
        else:
            self.shelf.move(event.list.cursor)
            self._show_preview()
            self._say()

    def on_pick_list_chosen(self, event: PickList.Chosen) -> None:
        event.stop()
        if event.list is self.project_list:
            self._focus(self.session_list)
        else:
            self.shelf.move(event.index)
            self.action_open()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (action == "other_pane" and (self.focused is self.find_bar))

    def action_other_pane(self) -> None:
        self._focus(self.session_list if (self.focused is self.project_list) else self.project_list)

    def action_pane(self, name: str) -> None:
        self._focus(self.project_list if name == "projects" else self.session_list)

    def _focus(self, target: PickList) -> None:
        for pane in ("#project-pane", "#session-pane"):
            self.query_one(pane).display = True
        self.set_focus(target)  # at once: the next key is meant for it
        self.call_after_refresh(self._lay_out)

    def action_open(self) -> None:
        if (listed := self.shelf.current) is not None:
            self._open(listed.file.path, follow=False)

    def action_follow(self) -> None:
        newest = max(self.shelf.sessions, key=lambda each: each.file.modified, default=None)
        if newest is not None:
            self.shelf.current = newest
            self._open(newest.file.path, follow=True)

    def _open(self, path: str, *, follow: bool) -> None:
        problem = self.app.open_session(path, follow=follow)
        self.note = f"cannot be opened: {problem}" if problem else ""
        self._say()

    def on_screen_resume(self) -> None:
        self.wake()

    def action_reload(self) -> None:
        self.look_again()

    def action_samples(self) -> None:
        """The bundled samples, or the user's own sessions again."""
        self._samples = not self._samples
        samples = str(resources.sample_sessions())
        self._open_shelf([samples] if self._samples else list(self._start.roots))
        self.update()
        self.begin()

    # Filter and order

    def action_filter(self) -> None:
        self.bars["keys"].display = False
        self.find_bar.open()

    def on_find_bar_sought(self, event: FindBar.Sought) -> None:
        event.stop()
        self.shelf.filter(event.words)
        self.update()

    def on_find_bar_done(self, event: FindBar.Done) -> None:
        event.stop()
        if not event.kept:
            self.shelf.filter("")
        self.find_bar.display = False
        self.bars["keys"].display = True
        self.set_focus(self.session_list)
        self.update()

    def action_search(self) -> None:
        """Text in all sessions; what was typed to filter by is sought."""
        from viewer.ui.search_screen import SearchScreen

        words = self.find_bar.value if self.focused is self.find_bar else self.shelf.words
        roots = self.shelf.catalogue.roots
        self.app.push_screen(SearchScreen(roots, words, ascii=self._ascii))

    def action_sort(self) -> None:
        self.shelf.next_sort()
        self.update()

    def action_back(self) -> None:
        if self.shelf.words:
            self.shelf.filter("")
            self.update()
        elif self._narrow and (self.focused is self.project_list):
            self._focus(self.session_list)

    # Words

    def on_key(self) -> None:
        self.note = ""

    def _say(self) -> None:
        if not self.is_mounted:
            return
        shelf = self.shelf
        sessions = shelf.catalogue.sessions
        alive = sum(listed.liveness.alive for listed in sessions)
        left_to_count = sum(not listed.counted for listed in sessions)
        facts = [
            text.plural(len(shelf.projects), "project"),
            f"· {text.plural(len(sessions), 'session')}",
            f"· {alive} live" if alive else "",
            f"· {len(shelf.catalogue.unreadable)} unreadable" if shelf.catalogue.unreadable else "",
            f"· counting, {left_to_count} left" if left_to_count and self.complete else "",
        ]
        roots = ", ".join(text.shorten_home(root) for root in shelf.catalogue.roots)
        where = "the bundled samples" if self._samples else text.one_line(roots)
        if self._narrow and shelf.sessions:
            # No border tells it there.
            where = f"{self._shown_project()} · {shelf.sort}"
        left = [Piece(" claude-view  ", "brand"), Piece(where, "path", gives=True)]
        if self.note:
            left = [*left[:1], Piece(text.one_line(self.note), "error", gives=True)]
        right = [Piece(f"{fact} ", "dim") for fact in facts if fact]
        self.bars["title"].show(left, right)
        width = self.session_list.scrollable_content_region.width
        cols = browser_words.columns(width, all_projects=shelf.project_index == 0)
        self.bars["heading"].show([Piece(browser_words.heading(width, cols), "dim")])
        self._name_panes()
        self.bars["keys"].show(*self._keys())

    def _shown_project(self) -> str:
        chosen = self.shelf.project if self.shelf.project_index else None
        return text.one_line(text.shorten_home(chosen), 60) if chosen else "All projects"

    def _name_panes(self) -> None:
        shelf = self.shelf
        projects, sessions = self.query_one("#project-pane"), self.query_one("#session-pane")
        shown = self._shown_project()
        place = f"{shelf.index + 1} of {len(shelf.sessions)}" if shelf.sessions else "none"
        filtered = f"“{text.one_line(shelf.words, 20)}” · " if shelf.words else ""
        words = (shown, f"{filtered}{shelf.sort} · {place}")
        if words != self._titles:  # a border that is set is drawn anew with all that is in it
            self._titles = words
            projects.border_title = Content("Projects")
            sessions.border_title, sessions.border_subtitle = map(self._titled, words)

    def _titled(self, words: str) -> Content:
        return Content(ascii_only(words) if self._ascii else words)

    def _keys(self) -> tuple[list[Piece], list[Piece]]:
        hints = [
            ("⏎", "open", "open"),
            ("/", "filter", "filter"),
            ("^f", "search", "search"),
            ("s", "sort", "sort"),
            ("⇥", "projects" if (self.focused is self.session_list) else "sessions", "other_pane"),
            ("F", "follow newest", "follow"),
            ("d", "own sessions" if self._samples else "samples", "samples"),
            ("?", "help", "help"),
            ("q", "quit", "quit"),
        ]
        if self.shelf.words:
            hints.insert(0, ("esc", "show all", "back"))
        left = [Piece(" ")]
        for key, word, action in hints:
            left += [Piece(key, "key", action), Piece(f" {word}  ", "dim", action)]
        return left, [Piece(": commands ", "dim", "palette")]

    def action_help(self) -> None:
        from viewer.ui.dialogs import text_dialog
        from viewer.ui.keys import key_words

        lines = [("j k ↑ ↓ g G PgUp PgDn", "Move")]
        lines += [(key_words(binding), binding.description) for binding in KEYS]
        self.app.push_screen(text_dialog("Help", lines))

    def action_palette(self) -> None:
        self.app.action_command_palette()

    async def action_quit(self) -> None:
        self.app.exit()

    def on_bar_clicked(self, event: Bar.Clicked) -> None:
        event.stop()
        self.run_worker(self.run_action(event.action), group="click")
