"""Words in all sessions: prompts, replies, tool inputs and outputs, sub-agents.

There is no index. The files are read as they are, newest session first, by processes that look for
the words in the bytes (viewer/sieve.py) and parse only the lines that may hold them. A session
tells its first hits and how many there are, as soon as it and all newer ones were read.
"""

import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from queue import SimpleQueue

from viewer import ends, library, rollouts
from viewer.ends import SessionFile
from viewer.formats import decode
from viewer.packed import is_packed
from viewer.projects import project_of
from viewer.search import Query
from viewer.sieve import HEAD, Hit, Piece, Sifted, Sought, count_lines, needles, sift
from viewer.tail import Chunk, open_regular, read_head

_AT_ONCE = 8 << 20  # bytes that a process is asked to read; a larger file is read in pieces
_SMALL = 16 << 20  # bytes for which no processes are started
_MOST_PROCESSES = 4
_BEGIN = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer);"
    "from viewer.sieve import serve; serve()"
)
# Files of the program's own errands, as in viewer/load.py: titles, copies for a compaction.
_ERRAND = re.compile(r"agent-a[a-z]+(?:_[a-z]+)*-")


@dataclass(slots=True)
class Place:
    """A hit, and the file that it is in."""

    file: str
    line: int
    kind: str
    name: str  # of the tool or hook; what it is where the kind does not say
    text: str  # what stands around the words: cleaned, on one line


@dataclass(slots=True)
class Found:
    """A session that holds the words."""

    file: SessionFile
    count: int = 0
    places: list[Place] = field(default_factory=list)  # the first ones

    def is_inside(self, place: Place) -> bool:
        """Whether it is in a sub-agent's file."""
        return place.file != self.file.path


class Search:
    """Looks for words in all sessions below some roots; `most` hits of each are told."""

    def __init__(
        self, roots: Iterable[str], words: str, *, project: str = "", most: int = 5
    ) -> None:
        self.query = Query(words)
        self._roots = list(roots)
        self.project = project  # words of its path
        self._sought = Sought(words, needles(self.query), self.query.exact, most)
        self.total = self.done = 0  # bytes
        self.sessions = 0  # that were read
        self.bulk = 0  # hits in what only the model reads
        self.unreadable: list[tuple[str, str]] = []  # paths, and why
        self._stopped = False
        self._processes: list[_Process] = []

    def stop(self) -> None:
        """From any thread: find nothing more."""
        self._stopped = True
        for process in self._processes:
            process.end()

    def run(self) -> Iterator[Found | None]:
        """What is found, newest session first; None where something was read and holds nothing."""
        if not self.query.words.strip():
            return
        files = library.find(self._roots)
        self.total = sum(file.size for file in files)
        try:
            yield from self._joined(self._answers(_batches(self._pieces(files))))
        finally:
            self.stop()

    # What is to be read

    def _pieces(self, files: list[SessionFile]) -> Iterator["_Task"]:
        beside = _Beside()
        seen: set[str] = set()
        for file in files:
            if file.path in seen:
                continue  # it was read as a sub-agent of another
            if self.project.strip() and not self._is_of_project(file):
                self.total -= file.size
                continue
            inside = [path for path in _agent_files(file, beside) if path not in seen]
            seen.update(inside)
            paths = [(file.path, file.size), *((path, _size(path)) for path in inside)]
            self.total += sum(size for _, size in paths[1:])
            pieces = [
                _Task(file, piece, size) for path, size in paths for piece, size in _cut(path, size)
            ]
            pieces[-1].is_last = True
            yield from pieces

    def _is_of_project(self, file: SessionFile) -> bool:
        if not ends.describe(file):
            return False
        name = project_of(file).casefold()
        return all(word in name for word in self.project.casefold().split())

    # Reading

    def _answers(self, batches: Iterator[list["_Task"]]) -> Iterator[list[tuple["_Task", Sifted]]]:
        """What some pieces hold, in the order of the pieces."""
        first = next(batches, [])
        if self.total <= _SMALL:
            for batch in chain([first], batches):
                yield [(task, sift(task.piece, self._sought)) for task in batch]
            return
        numbered = enumerate(chain([first], batches))
        lock = threading.Lock()
        answers: SimpleQueue[_Answer | BaseException | None] = SimpleQueue()

        def work(process: _Process) -> None:
            try:
                while not self._stopped:
                    with lock:
                        number, batch = next(numbered, (-1, []))
                    if number < 0:
                        break
                    found = process.sift(self._sought, batch)
                    if found is None and not self._stopped:
                        found = [sift(task.piece, self._sought) for task in batch]
                    if found is not None:
                        answers.put((number, batch, found))
                answers.put(None)
            except BaseException as error:  # the one who waits must know
                answers.put(error)

        self._processes = [_Process() for _ in range(_processors())]
        for process in self._processes:
            threading.Thread(target=work, args=(process,), daemon=True).start()
        waiting: dict[int, list[tuple[_Task, Sifted]]] = {}
        working, following = len(self._processes), 0
        while working:
            answer = answers.get()
            if answer is None:
                working -= 1
                continue
            if isinstance(answer, BaseException):
                raise answer
            number, batch, found = answer
            waiting[number] = list(zip(batch, found, strict=True))
            while following in waiting:
                yield waiting.pop(following)
                following += 1

    def _joined(self, answers: Iterable[list[tuple["_Task", Sifted]]]) -> Iterator[Found | None]:
        """Pieces to sessions."""
        found: Found | None = None
        lines = _Lines()
        for answer in answers:
            if self._stopped:
                return
            told = False
            for task, sifted in answer:
                self.done += task.size
                found = found or Found(task.file)
                self._take(found, task.piece, sifted, lines)
                if not task.is_last:
                    continue
                self.sessions += 1
                if found.count and _is_session(found.file):
                    told = True
                    yield found
                found = None
            if not told:
                yield None

    def _take(self, found: Found, piece: Piece, sifted: Sifted, lines: "_Lines") -> None:
        if sifted.total and piece.path != found.file.path and _is_errand(piece.path):
            return
        found.count += sifted.total
        self.bulk += sifted.bulk
        if sifted.problem is not None:
            self.unreadable.append((piece.path, sifted.problem))
        room = self._sought.most - len(found.places)
        before = lines.before(piece) if sifted.hits and room > 0 else 0
        for hit in sifted.hits[: max(0, room)]:
            found.places.append(_placed(hit, piece, before))


def _placed(hit: Hit, piece: Piece, before: int) -> Place:
    return Place(piece.path, before + hit.line, hit.kind, hit.name, hit.text)


@dataclass(slots=True)
class _Task:
    """A piece of a session."""

    file: SessionFile
    piece: Piece
    size: int
    is_last: bool = False


_Answer = tuple[int, list[_Task], list[Sifted]]


def _cut(path: str, size: int) -> Iterator[tuple[Piece, int]]:
    """The pieces of a file. Only Claude Code's stand by themselves."""
    if size <= _AT_ONCE or is_packed(path) or not _can_be_cut(path):
        yield Piece(path), size
        return
    for start in range(0, size, _AT_ONCE):
        stop = start + _AT_ONCE if start + _AT_ONCE < size else None  # it may grow
        yield Piece(path, start, stop), min(size - start, _AT_ONCE)


def _can_be_cut(path: str) -> bool:
    from viewer.formats import claude
    from viewer.passages import form_of

    return form_of(read_head(path, HEAD)) is claude.FORMAT


def _batches(tasks: Iterable[_Task]) -> Iterator[list[_Task]]:
    """Pieces to be read together."""
    batch: list[_Task] = []
    size = 0
    for task in tasks:
        batch.append(task)
        size += task.size
        if size >= _AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _is_session(file: SessionFile) -> bool:
    """Whether it is one of its own, and not a sub-agent's; it is described then."""
    return ends.describe(file)


class _Lines:
    """Lines before the pieces of a file. The pieces come in order."""

    def __init__(self) -> None:
        self._path = ""
        self._counted = self._lines = 0

    def before(self, piece: Piece) -> int:
        if piece.path != self._path:
            self._path, self._counted, self._lines = piece.path, 0, 0
        if piece.start > self._counted:
            with suppress(OSError):
                fd = open_regular(piece.path)
                try:
                    self._lines += count_lines(fd, self._counted, piece.start)
                finally:
                    os.close(fd)
            self._counted = piece.start
        return self._lines


# Sub-agents


class _Beside:
    """The sub-agents' files that lie beside sessions (2.0.30 to 2.1.1), by folder and session."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, list[str]]] = {}

    def of(self, file: SessionFile) -> list[str]:
        folder = os.path.dirname(file.path)
        if folder not in self._folders:
            owners: dict[str, list[str]] = {}
            for path in _agents_in(folder):
                owners.setdefault(_owner(path), []).append(path)
            self._folders[folder] = owners
        return self._folders[folder].get(file.id, [])


def _agents_in(folder: str) -> list[str]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if _is_agent_file(name)]


def _is_agent_file(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl") and not _ERRAND.match(name)


def _owner(path: str) -> str:
    chunk = Chunk(1, 0, read_head(path).split(b"\n")[:1])
    return next((record.session_id for record in decode(chunk) if record.session_id), "")


def _is_errand(path: str) -> bool:
    """Whether the reader does not show it, as in viewer/load.py: the program warmed up, or asked
    for a title."""
    from viewer.session import Session

    if not _is_agent_file(os.path.basename(path)):
        return False
    session = Session()
    session.apply(decode(Chunk(1, 0, read_head(path).split(b"\n"))))
    prompt = session.facts.first_prompt
    return prompt == "Warmup" or (session.task is None and not session.calls and not prompt)


def _agent_files(file: SessionFile, beside: _Beside) -> Iterator[str]:
    for folder, _, names in os.walk(os.path.join(os.path.splitext(file.path)[0], "subagents")):
        for name in sorted(names):
            if _is_agent_file(name):
                yield os.path.join(folder, name)
    if rollouts.is_rollout(os.path.basename(file.path)):
        yield from rollouts.children(file.path, file.id)
    yield from beside.of(file)


# Processes


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return min(_MOST_PROCESSES, len(os.sched_getaffinity(0)))
    return min(_MOST_PROCESSES, os.cpu_count() or 1)


class _Process:
    """A process that sifts. Where there is none, the work is done here."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BEGIN],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            _send(self._process, sys.path)

    def sift(self, sought: Sought, tasks: list[_Task]) -> list[Sifted] | None:
        """What some pieces hold; None where it is not there any more."""
        pieces = [task.piece for task in tasks]
        process = self._process
        if process is None:
            return None
        try:
            _send(process, (sought, pieces))
            assert process.stdout is not None
            found: list[Sifted] = pickle.load(process.stdout)
            return found
        except (OSError, EOFError, ValueError, pickle.PickleError):
            self.end()
            return None

    def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError, ValueError):
                    pipe.close()


def _send(process: "subprocess.Popen[bytes]", value: object) -> None:
    assert process.stdin is not None
    pickle.dump(value, process.stdin)
    process.stdin.flush()
