"""The part of the reader that finds text: `/`, `n`, `N`, `&`."""

import time
from collections.abc import Callable

from textual.screen import Screen

from viewer.nodes import Node
from viewer.outline import Outline, View
from viewer.ui.bars import Bar
from viewer.ui.detail import DetailPane
from viewer.ui.find import Finder
from viewer.ui.find_bar import FindBar
from viewer.ui.outline_view import OutlineView
from viewer.ui.pace import SLICE, breathe
from viewer.ui.styles import Looks

_PATIENCE = 0.15


class Finding(Looks, Screen[None]):
    """Actions for a screen that has an outline, a detail and a line to type in."""

    outline: Outline
    view: OutlineView
    detail: DetailPane
    finder: Finder
    find_bar: FindBar
    bars: dict[str, Bar]
    note: str
    _before: tuple[View, int]  # how the outline was looked at before finding

    @property
    def reads(self) -> bool:
        """Whether the detail has the keys. (`has_focus` of a widget is set a moment later.)"""
        return self.focused is self.detail.lines

    def say(self) -> None: ...

    def arrived(self) -> None: ...

    def still(self, change: Callable[[], None]) -> None: ...

    def action_find(self) -> None:
        self._before = (self.outline.view(), self.view.screen_row)
        self.bars["keys"].display = False
        self.find_bar.open()

    def on_find_bar_sought(self, event: FindBar.Sought) -> None:
        event.stop()
        self.run_worker(self._find(event.words), exclusive=True, group="find")

    async def _find(self, words: str) -> None:
        """Look for words, hits streaming in; the first one behind the cursor is shown at once."""
        self.seek(words or None)
        begun = first = time.perf_counter()
        shown = False
        started = self._before[0].current
        place = started.order() if started is not None else ()
        for _ in self.finder.steps(self.outline):
            # What stands in a sub-agent's file is found later and may come first: wait a moment.
            if not shown and self.finder.hits and time.perf_counter() - first > _PATIENCE:
                shown = self._show_hit(self.finder.first_from(place))
            if time.perf_counter() - begun > SLICE:
                self.say()
                await breathe(self.app)
                begun = time.perf_counter()
        if not shown and self.finder.hits:
            self._show_hit(self.finder.first_from(place) or self.finder.hits[0])
        self.say()

    def seek(self, words: str | None) -> None:
        self.finder.begin(words)
        self.view.query_words = self.finder.query
        self.detail.seek(self.finder.query)
        self.view.update()

    def _show_hit(self, node: Node | None) -> bool:
        if node is None or not self.finder.show(self.outline, node):
            return False
        self.arrived()
        return True

    def on_find_bar_done(self, event: FindBar.Done) -> None:
        event.stop()
        if event.kept:
            self._hide_find()
        else:
            self.close_find()
        self.say()

    def close_find(self) -> None:
        """Leave everything as it was."""
        self.workers.cancel_group(self, "find")
        self.seek(None)
        view, row = self._before
        self.outline.restore(view)
        self.view.keep_still(row)
        self._hide_find()
        self.view.tell_moved()

    def _hide_find(self) -> None:
        self.find_bar.display = False
        self.bars["keys"].display = True
        self.view.focus()

    def action_hit(self, direction: int) -> None:
        node = self.finder.next(self.outline, direction)
        if node is None:
            self.note = "nothing is sought; / finds" if not self.finder.query else "no hits"
            self.say()
            return
        self._show_hit(node)

    def action_only_hits(self) -> None:
        if self.outline.only is not None:
            self.still(lambda: self.outline.show_only(None))
        elif self.finder.hits:
            hits = self.finder.things()
            self.still(lambda: self.outline.show_only(hits))
            self.view.show_cursor()
        else:
            self.note = "nothing is sought; / finds, then & shows only the hits"
        self.say()
