"""A transcript as it grows: what is new in it, who works on it, what started beside it.

`wait` returns when something may have happened: woken by the watcher, else by the clock. Then
`look` asks the file system, which is the truth, and `reading.steps()` takes in what is new.
"""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from viewer import lookout, registry
from viewer.load import Reading
from viewer.lookout import Lookout
from viewer.model import Liveness
from viewer.names import id_of
from viewer.text import age, one_line
from viewer.watch import Watcher

_AFTERTHOUGHTS = 10.0  # seconds in which a program that has ended may still write
LOOK_EVERY = 1.0  # seconds; what the watcher misses is seen then


class Feed:
    """One session's file with all that belongs to it."""

    def __init__(
        self,
        reading: Reading,
        roots: Sequence[str] = (),
        homes: Sequence[str] = (),
        *,
        clock: Callable[[], float] = time.time,
        still: bool = False,
    ) -> None:
        self.reading = reading
        self.liveness = Liveness()
        self.newer: str | None = None  # a session that started beside it
        self.problem: str | None = None  # why it cannot be read at the moment
        self.is_sample = still  # nobody works on it, however fresh the file
        self._roots, self._homes = list(roots), list(homes)
        self._clock = clock
        self._was_registered = False
        self._left: float | None = None  # when its program took its entry away
        self._lookout: Lookout | None = None
        self._event = asyncio.Event()
        self._watcher: Watcher | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pulse()

    @classmethod
    def of_pipe(cls, fd: int) -> "Feed":
        return cls(Reading.of_pipe(fd))

    @property
    def path(self) -> str:
        return self.reading.transcript.path

    @property
    def id(self) -> str:
        return id_of(self.path)

    # Waking

    def start(self) -> None:
        """Begin to watch. Needs a running event loop."""
        self._loop = asyncio.get_running_loop()
        spool = self.reading.transcript.spool
        if spool is None:
            self._watcher = Watcher(self._changed)
            self.look()
        else:
            try:
                self._loop.add_reader(spool.fd, self._event.set)
            except OSError:
                pass  # a file and no pipe: it is read on the next look

    def _changed(self, paths: list[str]) -> None:
        """Called by the watcher's thread."""
        if paths and not any(map(self._concerns, paths)):
            return
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    def _concerns(self, path: str) -> bool:
        """Other sessions of the same folder are written all the time; new ones matter."""
        folder, name = os.path.split(path)
        if os.path.basename(folder) != os.path.basename(os.path.dirname(self.path)):
            return True
        stem = os.path.splitext(os.path.basename(self.path))[0]
        return (
            name.startswith((stem, "agent-"))
            or self._lookout is None
            or (not self._lookout.knows(path))
        )

    async def wait(self, seconds: float = LOOK_EVERY) -> bool:
        """Until something may have happened, or it is time to look; True if it was woken."""
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return False
        self._event.clear()
        return True

    def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
        spool = self.reading.transcript.spool
        if spool is not None and self._loop is not None:
            self._loop.remove_reader(spool.fd)
        self.reading.close()

    # Looking

    def look(self) -> bool:
        """See how things stand; True where the state of the session has changed."""
        before = (self.liveness, self.newer, self.ended)
        spool = self.reading.transcript.spool
        if spool is None:
            if self.reading.gone and (found := lookout.moved(self.path, self._roots)):
                self.reading.move_to(found)
            if self._lookout is None and not self.is_sample:
                self._lookout = Lookout(self.path, self.reading.transcript.session.project)
            if self._lookout is not None:
                self.newer = self._lookout.look()
            if self._watcher is not None:
                self._watcher.watch(self._folders())
        elif spool.ended and self._loop is not None:
            self._loop.remove_reader(spool.fd)
        self._pulse()
        return before != (self.liveness, self.newer, self.ended)

    def _folders(self) -> list[str]:
        """Where something about this session may happen."""
        own = os.path.splitext(self.path)[0]
        inside = [folder for folder, _, _ in os.walk(os.path.join(own, "subagents"))]
        registries = [registry.folder(home) for home in self._homes]
        return [os.path.dirname(self.path) or ".", own, *inside, *registries]

    def _pulse(self) -> None:
        now = self._clock()
        spool = self.reading.transcript.spool
        session = self.reading.transcript.session
        if spool is not None:
            found = Liveness(alive=not spool.ended)
        elif self.is_sample or self.reading.gone:
            found = Liveness()
        else:
            found = registry.liveness(self.id, self.path, self._homes, now)
        if found.alive and not found.registered and session.at_rest:
            found = replace(found, idle=True)
        self._was_registered = self._was_registered or (found.registered and found.alive)
        if found.registered:
            self._left = None
        elif self._was_registered:
            self._left = self._left if self._left is not None else now
            if not self._is_resumed():
                found = Liveness()  # it took its entry away: it has ended, however fresh the file
        self.liveness = replace(found, now=now)

    def _is_resumed(self) -> bool:
        """Whether a program without a registry writes on where the other one left."""
        try:
            written = os.stat(self.path).st_mtime
        except OSError:
            return False
        return self._left is not None and written > self._left + _AFTERTHOUGHTS

    @property
    def ended(self) -> str:
        """Why nothing more is to be expected; empty for a session that is alive. Clean."""
        if self.liveness.alive:
            return ""
        spool = self.reading.transcript.spool
        session = self.reading.transcript.session
        if self.is_sample:
            return "a bundled sample"
        if spool is not None:
            kept = f"; details are missing: {one_line(spool.problem)}" if spool.problem else ""
            return f"the pipe has ended{kept}"
        if self.reading.gone:
            return "its file is gone"
        if self.problem:
            return self.problem
        if to := session.facts.string("continued_in"):
            return f"continued in {one_line(to, 9)[:8]}"
        if self.liveness.killed:
            return "its program was killed"
        if self._was_registered:
            return "its program has left it"
        last = session.ended
        if last is None or self.liveness.now is None:
            return "nothing is written any more"
        return f"last record {age(self.liveness.now - last)} ago"
