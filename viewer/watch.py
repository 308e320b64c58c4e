"""Wakes whoever waits when something happens in some folders.

Events are hints and nothing more: they are late or lost for folders made at the same moment, for
roots that were replaced, past the watch limit, on network file systems, and after a name that is
not UTF-8 (which ends watchfiles). Whoever uses this looks by itself as well, now and then.
"""

import os
import threading
from collections.abc import Callable, Iterable

_STEP = 18  # ms between two looks of watchfiles at what the system told it; each costs a little
_DEBOUNCE = 40  # ms in which changes are gathered
_PAUSE = 1.0  # seconds until it is tried again where watching failed

Place = tuple[str, int, int]  # a folder, its device and inode


class Watcher:
    """A thread that calls `wake` with the paths that changed; with none when it cannot tell."""

    def __init__(self, wake: Callable[[list[str]], None]) -> None:
        self._wake = wake
        self._places: tuple[Place, ...] = ()
        self._rearm = threading.Event()
        self._ended = bool(os.environ.get("CLAUDE_VIEW_NO_WATCH"))
        self._thread: threading.Thread | None = None

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders, not what is below them. May be called again at any time: it does
        something only if the folders, or what stands in their place, are others."""
        places = tuple(place for folder in dict.fromkeys(folders) if (place := _place(folder)))
        if places == self._places or self._ended:
            return
        self._places = places
        self._rearm.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._ended = True
        self._rearm.set()

    def _run(self) -> None:
        # Imported here: it takes as long as a third of the first screen.
        from watchfiles import watch

        while True:
            self._rearm.clear()
            if self._ended:  # asked after clearing, or a stop could be overlooked
                return
            folders = [folder for folder, _, _ in self._places]
            if not folders:
                self._rearm.wait()
                continue
            try:
                self._wake([])  # what happened before the watch began
                for changes in watch(
                    *folders,
                    watch_filter=None,
                    step=_STEP,
                    debounce=_DEBOUNCE,
                    stop_event=self._rearm,
                    force_polling=False,
                    recursive=False,
                    raise_interrupt=False,
                    ignore_permission_denied=True,
                ):
                    self._wake([path for _, path in changes])
            except Exception:
                # No watches left, a folder gone, a name that is no text: looking goes on without.
                self._rearm.wait(_PAUSE)


def _place(folder: str) -> Place | None:
    try:
        folder.encode()  # watchfiles takes no other names
        status = os.stat(folder)
    except (OSError, UnicodeEncodeError):
        return None
    return folder, status.st_dev, status.st_ino
