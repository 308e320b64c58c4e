"""The screen before there is a session: it says what it waits for, and where."""

import gc
import os
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.strip import Strip

from viewer import text
from viewer.feed import LOOK_EVERY
from viewer.lookout import Here
from viewer.start import Start
from viewer.ui.paint import fit_path, strip_of
from viewer.ui.styles import Looks

if TYPE_CHECKING:
    from viewer.ui.app import ViewerApp


class Waiting(Looks, Screen[None]):
    """Opens the session that is wanted as soon as it is there."""

    app: "ViewerApp"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "app.quit", "Quit"),
    ]

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._path = start.path
        self._here = Here(start.roots, start.here) if start.here is not None else None
        self._problem = ""

    def on_mount(self) -> None:
        gc.enable()
        self._look()
        self.set_interval(LOOK_EVERY, self._look)

    def _look(self) -> None:
        path = self._path
        if self._here is not None:
            newest = self._here.newest()
            path = newest.path if newest is not None else None
        if path is not None and os.path.exists(path):
            self._problem = self.app.open_session(path, follow=True, instead=True)
            self.refresh()

    def _words(self) -> list[tuple[str, str]]:
        if self._here is None:
            lines = [("Waiting for this file to be written:", "text"), (self._path or "", "path")]
        else:
            lines = [("Waiting for a session to start in this folder:", "text")]
            lines += [(self._here.folder, "path"), ("", "dim"), ("Sessions are sought in", "dim")]
            lines += [(root, "path") for root in self._here.roots]
        if self._problem:
            lines += [("", "dim"), (self._problem, "error")]
        return [*lines, ("", "dim"), ("It opens by itself once it is there. q quits.", "dim")]

    def render_line(self, y: int) -> Strip:
        lines = self._words()
        index = y - max(0, (self.size.height - len(lines)) // 3)
        line = Text(no_wrap=True, end="")
        if 0 <= index < len(lines):
            words, look = lines[index]
            indent = "    " if look == "path" else "  "
            room = max(1, self.size.width - len(indent) - 1)
            line.append(indent + fit_path(text.one_line(words), room), self.look(look))
        return strip_of(line, self.app.console, self.size.width).apply_style(self.rich_style)
