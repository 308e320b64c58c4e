"""Which session to follow: the newest of a working folder, and those that start there later."""

import os
import time
from collections.abc import Iterable

from viewer import library
from viewer.ends import SessionFile, describe
from viewer.projects import containing, project_of, repository


class Here:
    """The sessions of a working folder, whichever program writes them."""

    def __init__(self, roots: Iterable[str], folder: str) -> None:
        self.roots = list(roots)
        self.folder = folder
        self._places = containing(folder)
        self._worked_in: dict[str, str] = {}  # by file: where it worked, once that is known

    def newest(self) -> SessionFile | None:
        """The session that was written last; of the innermost folder that has any."""
        best: SessionFile | None = None
        depth = len(self._places)
        for file in library.find(self.roots):
            place = self._place(file)
            if place is not None and place < depth:
                best, depth = file, place
                if depth == 0:
                    break
        return best

    def _place(self, file: SessionFile) -> int | None:
        where = self._worked_in.get(file.path)
        if where is None:
            if not describe(file):
                self._worked_in[file.path] = ""
                return None
            if file.cwd is None:
                return None
            where = self._worked_in[file.path] = os.path.normpath(project_of(file))
        return self._places.index(where) if where in self._places else None


class Lookout:
    """Tells when a session starts beside one that is followed."""

    def __init__(self, path: str, cwd: str | None) -> None:
        self._folder = os.path.dirname(path) or "."
        self._project = repository(cwd) if cwd else None
        self._known = {file.path for file in self._files()} | {path}
        self._looked = time.time()
        self._silent: dict[str, int] = {}  # new files that say nothing yet, and their sizes
        self.newer: str | None = None

    def look(self) -> str | None:
        """The newest session that has started since, if there is any."""
        try:
            written = os.stat(self._folder).st_mtime
        except OSError:
            return self.newer
        # What is made in the instant of a look may be missed by it.
        if written + 2 > self._looked or any(
            _size(path) != size for path, size in self._silent.items()
        ):
            self._looked = time.time()
            self._take()
        return self.newer

    def _take(self) -> None:
        self._silent = dict.fromkeys(self._empty_files(), 0)
        files = library.newest_first(self._files())
        for index, file in enumerate(files):
            if file.path in self._known:
                continue
            if not describe(file) or file.problem is not None or file.cwd is None:
                self._silent[file.path] = file.size  # its first records may say more
            elif self._project in (None, project_of(file)):
                self._known.update(older.path for older in files[index:])
                self.newer = file.path
                return
            else:
                self._known.add(file.path)

    def _empty_files(self) -> list[str]:
        try:
            names = [e.name for e in os.scandir(self._folder) if e.name.endswith(".jsonl")]
        except OSError:
            return []
        paths = [os.path.join(self._folder, name) for name in names]
        return [path for path in paths if path not in self._known and _size(path) == 0]

    def knows(self, path: str) -> bool:
        """Whether a file was there before."""
        return path in self._known

    def _files(self) -> list[SessionFile]:
        return list(library.files_in(self._folder, "", set()))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def moved(path: str, roots: Iterable[str]) -> str | None:
    """Where a session's file is now: entering a worktree moves it to another project's folder."""
    name = os.path.basename(path)
    for root in roots:
        for folder in library.session_folders(root):
            other = os.path.join(folder, name)
            if other != path and os.path.isfile(other) and not library.leads_astray(other):
                return other
    return None
