"""The list of sessions while one looks at it: what there is, what it says, what it counts.

Everything is done piece by piece, so that keys are answered meanwhile: names and stat first
(`scan`, `take`), then the ends of the files (`describe`), then whole files, newest first (`count`).
What only reads may be done by a thread; the list changes in one place.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from viewer import counts, ends, library, registry
from viewer.counts import Counts, Memory
from viewer.ends import Ends, Preview, SessionFile
from viewer.model import DEAD, Liveness
from viewer.projects import NOWHERE, project_of, repository

_PATIENCE = 20  # a session that grows is counted again after this many times of what it took


@dataclass(slots=True, eq=False)
class Listed:
    """A session in the list."""

    file: SessionFile
    described: bool = False
    own: bool = True  # False for a sub-agent's file, which only its first line tells
    counts: Counts | None = None
    counted: bool = False  # the counts are of the file as it is
    not_before: float = 0.0  # when it may be counted again
    liveness: Liveness = DEAD
    guess: str | None = None  # its project, until it says so itself
    last: Preview | None = None

    @property
    def project(self) -> str:
        if self.described and (self.file.cwd or self.file.origin):
            return project_of(self.file)
        return repository(self.guess) if self.guess else NOWHERE

    @property
    def state(self) -> str:
        """working, waiting, idle, unclean or nothing."""
        state = self.liveness.state
        if state in ("working", "waiting", "idle"):
            return state
        ended_open = self.counts is not None and self.counts.ended > 0
        return "unclean" if state == "killed" or ended_open else ""

    @property
    def problems(self) -> tuple[int, int] | None:
        return self.counts.problems(alive=self.liveness.alive) if self.counts else None


@dataclass(slots=True)
class Scan:
    """What was found below the roots."""

    files: list[SessionFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Project:
    """The sessions that worked in one folder, newest first."""

    path: str  # uncleaned
    sessions: list[Listed] = field(default_factory=list)

    @property
    def newest(self) -> float:
        return max((each.file.modified for each in self.sessions), default=0.0)


@dataclass(slots=True)
class Catalogue:
    roots: list[str]
    homes: list[str]
    memory: Memory
    still: bool = False  # nobody works on these, however fresh their files: samples
    sessions: list[Listed] = field(default_factory=list)  # newest first
    folders: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)  # folders
    _known: dict[str, Listed] = field(default_factory=dict)

    # What there is

    def scan(self) -> Scan:
        """Names and stat of everything below the roots. Changes nothing, so that a thread may do
        it: a disk may take its time."""
        found = Scan()
        seen: set[tuple[int, int]] = set()
        for root in self.roots:
            for folder in library.session_folders(root):
                found.folders.append(folder)
                if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):
                    found.unreadable.append(folder)
                found.files += library.files_in(folder, root, seen)
        return found

    def take(self, found: Scan, now: float) -> None:
        """Bring the list up to date with what was found, and see who is alive."""
        self.folders, self.unreadable = found.folders, found.unreadable
        known: dict[str, Listed] = {}
        for file in library.without_stubs(found.files):
            known[file.path] = self._updated(file)
        self._known = known
        self._sort()
        self.pulse(now)

    def knows(self, path: str) -> bool:
        return path in self._known

    def touch(self, path: str) -> bool:
        """Look at one file that may have grown; False where it is not in the list."""
        listed = self._known.get(path)
        if listed is None:
            return False
        try:
            status = os.stat(path)
        except OSError:
            return False
        identity = (status.st_dev, status.st_ino)
        file = SessionFile(
            path, listed.file.id, status.st_size, status.st_mtime, listed.file.root, identity
        )
        self._updated(file)
        self._sort()
        return True

    def _updated(self, file: SessionFile) -> Listed:
        listed = self._known.get(file.path)
        if listed is None:
            return Listed(file)
        old = listed.file
        if (old.size, old.modified, old.identity) != (file.size, file.modified, file.identity):
            if old.identity == file.identity and file.size >= old.size:
                # It has grown: what is known of it holds until it is read again.
                old.size, old.modified = file.size, file.modified
            else:
                listed.file, listed.counts, listed.not_before = file, None, 0.0
            listed.described, listed.counted, listed.last = False, False, None
        return listed

    def _sort(self) -> None:
        own = (listed for listed in self._known.values() if listed.own)
        self.sessions = sorted(own, key=lambda each: (-each.file.modified, each.file.path))

    def pulse(self, now: float) -> bool:
        """See who is alive; True where that has changed."""
        if self.still:
            return False
        entries = registry.registry(self.homes)
        changed = False
        for listed in self.sessions:
            file = listed.file
            liveness = registry.judge(entries.get(file.id), file.modified, now)
            if liveness.alive and not liveness.registered and not self.preview(listed).busy:
                liveness = Liveness(alive=True, idle=True)
            if liveness != listed.liveness:
                listed.liveness, changed = liveness, True
        return changed

    # What it says

    def undescribed(self) -> list[Listed]:
        """Those whose ends are to be read: one of each folder first, so that all projects are
        there soon, then the newest."""
        waiting = [listed for listed in self.sessions if not listed.described]
        first: dict[str, Listed] = {}
        for listed in waiting:
            first.setdefault(os.path.dirname(listed.file.path), listed)
        leading = set(map(id, first.values()))
        return [*first.values(), *(each for each in waiting if id(each) not in leading)]

    def describe(self, batch: Sequence[Listed], found: Sequence[Ends]) -> Iterator[None]:
        """Take in what the ends of some files say."""
        for listed, both in zip(batch, found, strict=True):
            listed.own = ends.describe(listed.file, both)
            listed.described = True
            yield

    def guess(self) -> None:
        """Sessions of which nothing is known yet probably worked where those beside them did."""
        known: dict[str, str] = {}
        for listed in self.sessions:
            if listed.described and listed.file.cwd:
                known.setdefault(os.path.dirname(listed.file.path), listed.file.cwd)
        for listed in self.sessions:
            if not listed.described:
                listed.guess = known.get(os.path.dirname(listed.file.path))

    def all_described(self) -> None:
        """The ends of all files were read: sub-agents' files are known, and others' titles."""
        ends.give_titles([listed.file for listed in self.sessions])
        self._sort()

    def preview(self, listed: Listed) -> Preview:
        """What was said last; read when somebody looks at it."""
        if listed.last is None:
            listed.last = ends.preview(listed.file)
        return listed.last

    # What it counts

    def next_to_count(self, now: float) -> Listed | None:
        """The newest session whose counts are not of the file as it is."""
        for listed in self.sessions:
            if listed.counted or not listed.described or listed.not_before > now:
                continue
            if listed.file.problem is None:
                return listed
            listed.counted = True
        return None

    def count(self, listed: Listed, clock: Callable[[], float]) -> Iterator[None]:
        """Count the calls and problems of a session."""
        begun = clock()
        try:
            key = counts.key_of(listed.file)
            listed.counted = True
            if (found := self.memory.get(key)) is None:
                found = yield from counts.count(listed.file)
                self.memory.put(key, found)
            listed.counts = found
        except OSError:
            return
        now = clock()
        listed.not_before = now + max(2.0, _PATIENCE * (now - begun))


def by_project(sessions: Iterable[Listed]) -> list[Project]:
    """The projects, that of the newest session first."""
    projects: dict[str, Project] = {}
    for listed in sessions:
        path = listed.project
        projects.setdefault(path, Project(path)).sessions.append(listed)
    return sorted(projects.values(), key=lambda project: (-project.newest, project.path))


def read_all_ends(batch: Iterable[Listed]) -> list[Ends]:
    """The ends of some files, for `describe`. Changes nothing: a thread may do it."""
    return [ends.read_ends(listed.file) for listed in batch]
