"""The part of the browser that works in the background: it looks at what there is, reads the
ends of the files, counts whole ones, and sees what changes meanwhile."""

import asyncio
import gc
import os
import time
from asyncio import Future
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from textual.screen import Screen

from viewer import registry
from viewer.catalogue import Listed, read_all_ends
from viewer.collection import without_collection
from viewer.counts import Memory
from viewer.ends import Ends
from viewer.shelf import Shelf
from viewer.tail import READ_SIZE, open_regular
from viewer.ui.pace import SLICE, breathe
from viewer.ui.styles import Looks
from viewer.watch import Watcher

if TYPE_CHECKING:
    from viewer.ui.app import ViewerApp

_FIRST = 120  # sessions whose ends are read before the first picture
_BATCH = 40  # and at once after that
_AHEAD = 32 << 20  # bytes of a file that are read ahead of counting
_DRAW_EVERY = 0.25
_LOOK_EVERY = 2.0
_SHARE = 50  # looking takes at most one part in so many of the time
_LOOK_AT_LEAST = 10.0
_SAVE_EVERY = 10.0
_MOST_WATCHED = 500  # folders


def _start(read: Callable[[list[Listed]], list[Ends]], batch: list[Listed]) -> Future[list[Ends]]:
    """Have a thread do something; the answer can be awaited."""
    return asyncio.get_running_loop().run_in_executor(None, read, batch)


def _read_ahead(path: str) -> None:
    """Bring a file into the system's memory, so that counting does not wait for the disk."""
    try:
        fd = open_regular(path)
    except OSError:
        return
    try:
        for offset in range(0, _AHEAD, READ_SIZE):
            if not os.pread(fd, READ_SIZE, offset):
                break
    except OSError:
        pass
    finally:
        os.close(fd)


class Browsing(Looks, Screen[None]):
    """Work for a screen that shows a shelf."""

    app: "ViewerApp"
    shelf: Shelf
    complete: bool  # everything was described once
    _memory: Memory

    def __init__(self) -> None:
        super().__init__()
        self._woken: set[str] = set()  # paths that something happened to
        self._strange: set[str] = set()  # those of them that the last look did not find
        self._event = asyncio.Event()
        self._watcher = Watcher(self._wake)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next_draw = self._next_save = 0.0

    def update(self) -> None: ...

    def tick(self) -> None: ...

    def begin(self) -> None:
        """Work, and go on as long as the screen is there."""
        self._loop = asyncio.get_running_loop()
        self.run_worker(self._live(), exclusive=True, group="live")
        self.run_worker(self._count(), exclusive=True, group="count")

    look_again = begin

    def on_unmount(self) -> None:
        self._watcher.stop()
        self._memory.save()

    async def _live(self) -> None:
        """Look again whenever something happens, and now and then."""
        while True:
            begun = time.perf_counter()
            woken, self._woken = self._woken, set()
            spent = await self._look()
            # What a look has not found is not looked for at once again: it may be no session.
            self._strange = {path for path in woken if not self.shelf.catalogue.knows(path)}
            self.complete = True
            gc.enable()
            self.update()
            catalogue = self.shelf.catalogue
            registries = [registry.folder(home) for home in catalogue.homes]
            self._watcher.watch([*registries, *catalogue.folders[-_MOST_WATCHED:]])
            pause = min(max(_LOOK_EVERY, spent * _SHARE), _LOOK_AT_LEAST)
            while time.perf_counter() - begun < pause and not self._is_new():
                await self._wait(min(_LOOK_EVERY, pause))
                await self._take_woken()

    async def _look(self) -> float:
        """See what there is, then read the ends of what is new; the seconds that looking took.
        The disk is waited for by threads: it may take its time."""
        catalogue = self.shelf.catalogue
        begun = time.perf_counter()
        found = await asyncio.to_thread(catalogue.scan)
        spent = time.perf_counter() - begun
        catalogue.take(found, time.time())
        self.update()
        await self._describe()
        return spent

    async def _describe(self) -> None:
        catalogue = self.shelf.catalogue
        waiting = catalogue.undescribed()
        # The first ones together: with them there are all projects, and a screen full of sessions.
        rest = range(_FIRST, len(waiting), _BATCH)
        batches = [waiting[:_FIRST], *(waiting[n : n + _BATCH] for n in rest)] if waiting else []
        ahead = _start(read_all_ends, batches[0]) if batches else None
        for number, batch in enumerate(batches, 1):
            assert ahead is not None
            found = await ahead
            # The disk works on the next ones meanwhile.
            ahead = _start(read_all_ends, batches[number]) if number < len(batches) else None
            await self._in_slices(catalogue.describe(batch, found))
            if not self.complete and time.perf_counter() > self._next_draw:
                catalogue.guess()
                self.update()
                self._next_draw = time.perf_counter() + _DRAW_EVERY
        if waiting:
            catalogue.all_described()

    async def _in_slices(self, work: Iterable[None]) -> None:
        """Do something between keys."""
        begun = time.perf_counter()
        with without_collection():
            for _ in work:
                if time.perf_counter() - begun > SLICE:
                    await breathe(self.app)
                    begun = time.perf_counter()

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
        return any(
            path.endswith(".jsonl")
            and not os.path.basename(path).startswith("agent-")
            and path not in self._strange
            and not known(path)
            for path in self._woken
        )

    async def _take_woken(self) -> None:
        """Files that have grown, and who is alive; the ages tick in any case."""
        catalogue = self.shelf.catalogue
        grown = [path for path in self._woken if catalogue.touch(path)]
        self._woken.difference_update(grown)
        self._woken -= self._strange
        if grown:
            await self._describe()
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
            await asyncio.to_thread(_read_ahead, listed.file.path)
            await self._in_slices(catalogue.count(listed, time.time))
            if time.perf_counter() > self._next_draw:
                self.tick()
                self._next_draw = time.perf_counter() + 2 * _DRAW_EVERY
            if time.perf_counter() > self._next_save:
                self._memory.save()
                self._next_save = time.perf_counter() + _SAVE_EVERY
