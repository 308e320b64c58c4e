"""The part of the browser that works in the background: it looks at what there is, reads the
ends of the files, counts whole ones, and sees what changes meanwhile."""

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.screen import Screen

from viewer import registry
from viewer.counts import Memory
from viewer.load import without_collection
from viewer.shelf import Shelf
from viewer.ui.pace import SLICE, breathe
from viewer.ui.styles import Looks
from viewer.watch import Watcher

if TYPE_CHECKING:
    from viewer.ui.app import ViewerApp

_FIRST = 0.06  # seconds of looking before the first screen
_DRAW_EVERY = 0.25
_LOOK_EVERY = 2.0
_SHARE = 100  # looking takes at most one part in so many of the time
_SAVE_EVERY = 10.0
_MOST_WATCHED = 500  # folders


class Browsing(Looks, Screen[None]):
    """Work for a screen that shows a shelf."""

    app: "ViewerApp"
    shelf: Shelf
    complete: bool  # everything was described once
    _memory: Memory

    def __init__(self) -> None:
        super().__init__()
        self._looking: Iterator[None] = iter(())
        self._woken: set[str] = set()
        self._event = asyncio.Event()
        self._watcher = Watcher(self._wake)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next_draw = self._next_save = 0.0

    def update(self) -> None: ...

    def tick(self) -> None: ...

    def begin(self) -> None:
        """The first look, as far as it gets before the first screen; the rest in the background."""
        self._loop = asyncio.get_running_loop()
        self._looking = self._look()
        limit = time.perf_counter() + _FIRST
        with without_collection():
            while time.perf_counter() < limit and next(self._looking, self) is None:
                pass
        self.update()
        self.run_worker(self._live(), exclusive=True, group="live")
        self.run_worker(self._count(), exclusive=True, group="count")

    def look_again(self) -> None:
        self._looking = self._look()
        self.run_worker(self._live(), exclusive=True, group="live")

    def on_unmount(self) -> None:
        self._watcher.stop()
        self._memory.save()

    def _look(self) -> Iterator[None]:
        catalogue = self.shelf.catalogue
        yield from catalogue.look(time.time())
        yield from catalogue.describe()

    async def _live(self) -> None:
        """Look again whenever something happens, and now and then."""
        while True:
            begun = time.perf_counter()
            spent = await self._in_slices(self._looking)
            self.complete = True
            self.update()
            catalogue = self.shelf.catalogue
            registries = [registry.folder(home) for home in catalogue.homes]
            self._watcher.watch([*registries, *catalogue.folders[-_MOST_WATCHED:]])
            pause = max(_LOOK_EVERY, spent * _SHARE)
            while time.perf_counter() - begun < pause and not self._is_new():
                await self._wait(min(_LOOK_EVERY, pause))
                self._take_woken()
            self._looking = self._look()

    async def _in_slices(self, work: Iterator[None]) -> float:
        """Do something between keys; the seconds that it took."""
        begun, spent = time.perf_counter(), 0.0
        with without_collection():
            for _ in work:
                now = time.perf_counter()
                if now - begun > SLICE:
                    spent += now - begun
                    if not self.complete and now > self._next_draw:
                        self.update()
                        self._next_draw = time.perf_counter() + _DRAW_EVERY
                    await breathe(self.app)
                    begun = time.perf_counter()
        return spent + time.perf_counter() - begun

    def _wake(self, paths: list[str]) -> None:
        """Called by the watcher's thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._note_woken, paths)

    def wake(self) -> None:
        """Look soon."""
        self._event.set()

    def _note_woken(self, paths: list[str]) -> None:
        self._woken.update(paths)
        self._event.set()

    async def _wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            pass
        self._event.clear()

    def _is_new(self) -> bool:
        """Whether something has come up that is not in the list."""
        known = self.shelf.catalogue.knows
        return any(path.endswith(".jsonl") and not known(path) for path in self._woken)

    def _take_woken(self) -> None:
        """Files that have grown, and who is alive; the ages tick in any case."""
        catalogue = self.shelf.catalogue
        grown = [path for path in self._woken if catalogue.touch(path)]
        self._woken.difference_update(grown)
        for _ in catalogue.describe() if grown else ():
            pass
        if catalogue.pulse(time.time()) or grown:
            self.update()
        else:
            self.tick()

    async def _count(self) -> None:
        """What needs whole files, newest first."""
        while True:
            catalogue = self.shelf.catalogue
            listed = catalogue.next_to_count(time.time()) if self.complete else None
            if listed is None:
                self._memory.save()
                await asyncio.sleep(0.5)
                continue
            await self._in_slices(catalogue.count(listed, time.time))
            if time.perf_counter() > self._next_draw:
                self.update()
                self._next_draw = time.perf_counter() + _DRAW_EVERY
            if time.perf_counter() > self._next_save:
                self._memory.save()
                self._next_save = time.perf_counter() + _SAVE_EVERY
