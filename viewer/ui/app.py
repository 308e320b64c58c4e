"""The program on a terminal: themes, signals, and the way in and out."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from viewer.model import Liveness
from viewer.resources import folder
from viewer.ui.reader import Reader

if TYPE_CHECKING:
    from textual.command import Provider


_GRACE = 1.0  # seconds to end in


def _actions() -> "type[Provider]":
    from viewer.ui.actions import Actions

    return Actions


class ViewerApp(App[None]):
    """claude-view on the screen."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        folder("styles") / name for name in ("app.tcss", "reader.tcss")
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

    def __init__(
        self, path: str, liveness: Liveness, *, ascii: bool = False, theme: str | None = None
    ) -> None:
        super().__init__()
        self._path = path
        self._liveness = liveness
        self._ascii = ascii
        self._wanted_theme = theme
        self.last_input = 0.0  # when a key was pressed: work in the background waits a little

    def on_mount(self) -> None:
        if self._wanted_theme in self.available_themes:
            self.theme = self._wanted_theme
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            # Textual leaves the terminal as it is on these.
            loop.add_signal_handler(number, self._end, 128 + number)
        self.push_screen(Reader(self._path, self._liveness, ascii=self._ascii))

    def _end(self, code: int) -> None:
        """Give the terminal back and end. Where it is gone, writing to it may never return."""
        last_resort = threading.Timer(_GRACE, os._exit, (code,))
        last_resort.daemon = True
        last_resort.start()
        self.exit(return_code=code)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseEvent)):
            self.last_input = time.perf_counter()
        await super().on_event(event)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield SystemCommand("Change theme", "Choose the colours", self.action_change_theme)


def run(path: str, liveness: Liveness, *, ascii: bool = False, theme: str | None = None) -> int:
    app = ViewerApp(path, liveness, ascii=ascii, theme=theme)
    app.run()
    return app.return_code or 0
