"""The program on a terminal: themes, signals, and the way in and out."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import PurePath
from typing import ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from viewer.model import Liveness
from viewer.resources import folder
from viewer.ui.reader import Reader


class Actions(Provider):
    """Every action of the reader in the command palette; a number goes to that line."""

    def _bindings(self) -> list[Binding]:
        reader = self.screen
        return [b for b in getattr(type(reader), "BINDINGS", ()) if isinstance(b, Binding)]

    async def discover(self) -> Hits:
        for binding in self._bindings():
            yield DiscoveryHit(binding.description, self._run(binding), help=_keys(binding))

    async def search(self, query: str) -> Hits:
        if query.strip(": ").isdigit():
            line = int(query.strip(": ")[:12])
            action = f"go_to_line({line})"
            yield Hit(1000, f"Go to line {line}", lambda: self.screen.run_action(action))
        matcher = self.matcher(query)
        for binding in self._bindings():
            score = matcher.match(binding.description)
            if score > 0:
                shown = matcher.highlight(binding.description)
                yield Hit(score, shown, self._run(binding), help=_keys(binding))

    def _run(self, binding: Binding) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            await self.screen.run_action(binding.action)

        return run


def _keys(binding: Binding) -> str:
    return f"key {binding.key_display or binding.key}"


class ViewerApp(App[None]):
    """claude-view on the screen."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        folder("styles") / name for name in ("app.tcss", "reader.tcss")
    ]
    COMMANDS: ClassVar[set[type[Provider]]] = App.COMMANDS | {Actions}  # type: ignore[assignment]
    TITLE = "claude-view"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", "Quit", show=False)]

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
