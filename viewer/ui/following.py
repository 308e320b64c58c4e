"""The part of the reader that takes in what is new, and follows it: `F`.

Following is a state of its own: on at the end, off with any move away from it. While it is off
the view stands still and what comes is counted.
"""

import asyncio
import gc
import time
from typing import TYPE_CHECKING

from viewer import problems
from viewer.collection import without_collection
from viewer.feed import LOOK_EVERY, Feed
from viewer.load import Step
from viewer.nodes import Node
from viewer.problems import Problem
from viewer.ui.finding import Finding
from viewer.ui.outline_view import OutlineView
from viewer.ui.pace import SLICE, breathe

if TYPE_CHECKING:
    from collections.abc import Iterator

_DRAW_EVERY = 0.1
_FRAME = 0.08  # seconds between two pictures while it is followed
_STILL_FRAME = 0.2  # and while the view stands still
_ALL_EVERY = 1.0


class Following(Finding):
    """Actions and work for a screen that shows a feed."""

    feed: Feed
    found: list[Problem]
    busy: bool  # still reading what was there
    _switches: bool
    following: bool
    has_followed: bool
    _loaded: int
    _steps: "Iterator[Step]"
    _next_refresh: float
    _next_problems: float
    _drawn: float  # when something new was shown last
    _drawn_all: float
    _changed: set[int]  # ids of calls that something came for
    _owes: bool  # problems were not looked for since something came

    async def live(self) -> None:
        """Take in what is there, then whatever comes, for as long as the screen is."""
        await self._take_in(self._steps)
        self.busy = False
        self._next_refresh = self._next_problems = 0.0
        gc.freeze()  # what was read stays: it is not looked through again and again
        gc.enable()
        self.feed.look()
        self.outline.judge(self.feed.liveness)  # it may have ended while it was read
        self._draw(*self._hold())
        self.outline.arrived = 0  # all of it was there before
        self.say()
        self.feed.start()
        while True:
            await self.feed.wait(LOOK_EVERY)
            # Lines that come thick and fast are shown some times a second, not one by one.
            gap = (_FRAME if self.following else _STILL_FRAME) - (time.perf_counter() - self._drawn)
            if gap > 0:
                await asyncio.sleep(gap)
            hold, shown = self._hold(), self.view.shown()
            changed = self.feed.look()
            arrived = await self._take_in(self.feed.reading.steps())
            if changed and not arrived:
                self.outline.judge(self.feed.liveness)
            is_free = self.following and self.app.screen is self  # no dialog is open
            if self._switches and is_free and self.feed.newer is not None:
                self.action_newer()
            if changed or (arrived and (self._is_seen(shown) or self._is_due)):
                self._draw(*hold)
            elif arrived:
                # It is below what is looked at: only the bars tell of it, the rest stands still.
                self._owes = True
                self.say()
            else:
                self._tick()
            if changed or arrived:
                self._drawn = time.perf_counter()

    @property
    def _is_due(self) -> bool:
        """Whether the scrollbar and the problems wait to be brought up to date for long."""
        return time.perf_counter() - self._drawn_all > _ALL_EVERY

    async def _take_in(self, steps: "Iterator[Step]") -> bool:
        """Apply steps between keys, and draw now and then; whether there were any."""
        begun = drawn = time.perf_counter()
        arrived = False
        hold = self._hold()
        with without_collection():
            try:
                for step in steps:
                    arrived = True
                    self.outline.apply(step, self.feed.liveness)
                    self._changed.update(map(id, step.change.calls))
                    self._changed.update(id(agent.call) for agent in step.change.agents)
                    self._loaded += step.bytes
                    if not self.busy:
                        self.finder.grow(self.outline, step)
                    now = time.perf_counter()
                    if now - begun > SLICE:
                        if now - drawn > _DRAW_EVERY:
                            self._draw(*hold)
                            drawn = time.perf_counter()
                        await breathe(self.app)
                        hold = self._hold()
                        begun = time.perf_counter()
                self.feed.problem = None
            except OSError as error:
                self.feed.problem = error.strerror or "it cannot be read"
        return arrived

    # Drawing

    def _is_seen(self, shown: list[Node]) -> bool:
        """Whether what came changes what is on the screen."""
        changed, self._changed = self._changed, set()
        if self.following or self.outline.stale or self.view.shown() != shown:
            return True
        current = self.outline.current
        nodes = shown if current is None else [*shown, current]
        return any(id(node.item) in changed for node in nodes)

    def _hold(self) -> tuple[Node | None, int]:
        """What must not move on the screen: the row under the cursor, or else the first one."""
        row = self.view.screen_row
        if 0 <= row < max(1, self.view.size.height):
            return self.outline.current, row
        rows, top = self.outline.rows, self.view.scroll_offset.y
        return (rows[top] if top < len(rows) else None), 0

    def _draw(self, node: Node | None, row: int) -> None:
        """Show what came, without moving what is looked at."""
        if not self.view.is_attached:
            return  # the screen is being left
        now = self._drawn_all = time.perf_counter()
        if self.outline.stale and now >= self._next_refresh:
            self.outline.refresh()
            # What costs much is done seldom: at most a tenth of the time goes into it.
            self._next_refresh = time.perf_counter() + 10 * (time.perf_counter() - now)
            node = self.outline.forest.made(node.item) if node is not None else None
        self._owes = now < self._next_problems
        if not self._owes:
            now = time.perf_counter()
            self.found = problems.find(self.feed.reading.transcript, self.feed.liveness)
            self._next_problems = time.perf_counter() + 10 * (time.perf_counter() - now)
            self.mark_problems()
        if self.following:
            self.outline.arrived = 0
            self.outline.move(len(self.outline.rows) - 1)
            self.view.show_end()
        else:
            self.view.hold(node, row)
        self.detail.show(self.outline.current)
        self.name_place()
        self.say()

    def _tick(self) -> None:
        """Nothing came; but running calls run on, and ages grow."""
        if not self.view.is_attached:
            return
        if self.outline.stale or self._owes:
            self._draw(*self._hold())
            return
        self.outline.judge(self.feed.liveness)
        if self.feed.liveness.alive and self.view.tick():
            self.detail.tick(self.outline.current)
        self.say()

    def mark_problems(self) -> None:
        """Tell the scrollbar where the problems are."""
        shown: set[int] = set()
        for problem in self.found:
            node = self.outline.forest.made(problem.item) if problem.item is not None else None
            while node is not None and node.parent is not None:
                shown.add(id(node))
                if all(above.open for above in node.above()):
                    break
                node = node.parent
        rows = self.outline.rows
        self.view.mark([index for index, node in enumerate(rows) if id(node) in shown])

    # Following

    def action_follow(self) -> None:
        """Go to the end and stay there."""
        self.following = self.has_followed = True
        self.outline.arrived = 0
        self.outline.move(len(self.outline.rows) - 1)
        self.view.update()
        self.view.show_end()
        if self.reads:
            self.action_other_pane()
        self.view.tell_moved()
        self.say()

    def pause(self) -> None:
        """Stand still; what comes is counted."""
        if self.following:
            self.following = False
            self.outline.arrived = 0

    def on_outline_view_scrolled_up(self, event: OutlineView.ScrolledUp) -> None:
        event.stop()
        self.pause()
        self.say()

    def action_other_pane(self) -> None: ...

    def action_newer(self) -> None: ...

    def name_place(self) -> None: ...
