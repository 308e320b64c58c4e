"""The program on a terminal: themes, signals, and the way in and out."""

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input

from viewer.resources import folder
from viewer.start import Start
from viewer.text import one_line

if TYPE_CHECKING:
    from textual.command import Provider

    from viewer.everywhere import Place
    from viewer.feed import Feed
    from viewer.ui.reader import Reader


_GRACE = 1.0  # seconds to end in


def _actions() -> "type[Provider]":
    from viewer.ui.actions import Actions

    return Actions


class ViewerApp(App[None]):
    """claude-view on the screen."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        folder("styles") / name for name in ("app.tcss", "reader.tcss", "browser.tcss")
    ]
    COMMANDS: ClassVar["set[type[Provider] | Callable[[], type[Provider]]]"] = {
        *App.COMMANDS,
        _actions,
    }
    TITLE = "claude-view"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True)
    ]

    def __init__(self, start: Start) -> None:
        super().__init__()
        self.start = start
        self._meant_for: WeakKeyDictionary[events.Key, object] = WeakKeyDictionary()
        self.last_input = 0.0  # when a key was pressed: work in the background waits a little

    def on_mount(self) -> None:
        start = self.start
        if start.theme in self.available_themes:
            self.theme = start.theme
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            # Textual leaves the terminal as it is on these.
            loop.add_signal_handler(number, self._end, 128 + number)
        self.push_screen(self._first_screen())

    # Imports stand where a screen is made: the first one does not wait for the others.

    def _first_screen(self) -> Screen[None]:
        start = self.start
        if start.pipe is not None:
            from viewer.feed import Feed

            return self._reader(Feed.of_pipe(start.pipe), follow=True)
        if start.path is not None and os.path.exists(start.path):
            return self._reader(start.open(start.path), follow=start.follow)
        if start.path is not None or start.here is not None:
            from viewer.ui.waiting import Waiting

            return Waiting(start)
        from viewer.ui.browser import Browser

        return Browser(start)

    def _reader(
        self, feed: "Feed", *, follow: bool, at: "Place | None" = None, words: str = ""
    ) -> "Reader":
        from viewer.ui.reader import Reader

        start = self.start
        return Reader(
            feed, follow=follow, switch=start.switch, ascii=start.ascii, at=at, words=words
        )

    def open_session(
        self,
        path: str,
        *,
        follow: bool = False,
        instead: bool = False,
        at: "Place | None" = None,
        words: str = "",
    ) -> str:
        """Show a session in front of what is there, or instead of it, where it holds the words
        that a search has found; why not, if it cannot be read."""
        try:
            reader = self._reader(self.start.open(path), follow=follow, at=at, words=words)
        except OSError as error:
            return error.strerror or "it cannot be read"
        if instead:
            self.switch_screen(reader)
        else:
            self.push_screen(reader)
        return ""

    def on_reader_switch(self, event: "Reader.Switch") -> None:
        problem = self.open_session(event.path, follow=True, instead=True)
        if problem:
            event.reader.note = f"the newer session cannot be opened: {problem}"
            event.reader.say()

    def _end(self, code: int) -> None:
        """Give the terminal back and end. Where it is gone, writing to it may never return."""
        last_resort = threading.Timer(_GRACE, os._exit, (code,))
        last_resort.daemon = True
        last_resort.start()
        self.exit(return_code=code)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseEvent)):
            self.last_input = time.perf_counter()
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._meant_for[event] = self.focused
        await super().on_event(event)

    async def on_key(self, event: events.Key) -> None:
        """A key that nobody took. Whoever types fast types the next letters before the line they
        are meant for has opened: these go there now."""
        before = self._meant_for.get(event)
        if isinstance(self.focused, Input) and before is not self.focused:
            event.prevent_default()  # Textual calls the methods of all classes, this one first
            self.post_message(events.Key(event.key, event.character))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield SystemCommand("Change theme", "Choose the colours", self.action_change_theme)


def run(start: Start) -> int:
    if start.theme is not None and start.theme not in BUILTIN_THEMES:
        some = ", ".join(list(BUILTIN_THEMES)[:6])
        said = f"there is no theme {one_line(start.theme, 40)}; there are {some} and more"
        print(f"claude-view: {said}", file=sys.stderr)
        return 2
    # Nothing of what is made until the first picture is garbage; the screens enable it again.
    gc.disable()
    app = ViewerApp(start)
    app.run()
    return app.return_code or 0
