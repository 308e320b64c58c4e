"""The complete new lines of one growing file.

Whatever the writer does - append, stop in the middle of a line, truncate, rewrite in place,
replace by rename, delete and come back - every complete line is delivered once. Watch events are
only hints; size, identity and fingerprints of both ends of what was read are the truth.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

READ_SIZE = 1 << 18
FINGERPRINT = 256


class NotRegular(OSError):
    """The path is a pipe, a device or a directory: opening it could block or never end."""


@dataclass(slots=True)
class Chunk:
    """Consecutive lines, without their newlines; the first has `number` and begins at `start`."""

    number: int
    start: int
    lines: list[bytes]
    reset: bool = False


class Splitter:
    """Cuts a stream of bytes into lines, on b"\\n" only, whatever the sizes of the pieces."""

    def __init__(self) -> None:
        self.offset = 0  # of the next byte to come
        self._number = 1  # of the line under construction
        self._start = 0  # where that line begins
        self._pieces: list[bytes] = []
        self._skipped = 0  # bytes of holes that are not in the pieces
        self._taken = False  # the unfinished line was handed out early by take_rest()

    def feed(self, data: bytes) -> Chunk | None:
        """The lines that `data` completes."""
        self.offset += len(data)
        lines = data.split(b"\n")
        rest = lines.pop()
        if not lines:
            self._hold(data)
            return None
        if self._pieces:
            self._pieces.append(lines[0])
            lines[0] = b"".join(self._pieces)
            self._pieces = []
        # A line with a hole in it is shorter than its place; what stands behind the hole is exact.
        chunk = Chunk(self._number, self._start + self._skipped, lines)
        self._skipped = 0
        if self._taken and not lines[0].strip(b"\0 \t\r"):
            # Nothing but the newline of a line that was already handed out.
            chunk.start += len(lines[0]) + 1
            chunk.number += 1
            del lines[0]
            self._number += 1
        self._taken = False
        self._number += len(lines)
        self._start = self.offset - len(rest)
        if rest:
            self._hold(rest)
        return chunk

    def _hold(self, data: bytes) -> None:
        # A hole in a sparse file reads as gigabytes of NULs: one of them says all there is to say.
        if len(data) > 4096 and not data.strip(b"\0"):
            self._skipped += len(data) - 1
            data = b"\0"
        self._pieces.append(data)

    @property
    def rest(self) -> bytes:
        """The unfinished last line."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""

    def take_rest(self) -> Chunk | None:
        """Hand out the unfinished last line now; its newline, when it comes, adds nothing."""
        if not self._pieces:
            return None
        chunk = Chunk(self._number, self._start + self._skipped, [self.rest])
        self._pieces, self._skipped = [], 0
        self._start = self.offset
        self._taken = True
        return chunk


class Tail:
    """Follows one path. `read` yields what is new; a chunk with `reset` starts the file afresh."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.fd: int | None = None
        self.gone = False
        self._identity = (0, 0)
        self._seen = (-1, -1)
        self._begin()

    def _begin(self) -> None:
        self._splitter = Splitter()
        self._head = b""
        self._last = b""
        self._fresh = True  # nothing of this incarnation of the file was delivered yet
        self._seen = (-1, -1)

    def read(self) -> Iterator[Chunk]:
        """All complete lines that were written since the last call."""
        if self.fd is None and (not self._has_changed() or not self._open()):
            return
        assert self.fd is not None
        status = os.fstat(self.fd)
        if (status.st_size, status.st_mtime_ns) != self._seen:
            if status.st_size < self._splitter.offset or not self._unchanged():
                self._begin()
            self._seen = (status.st_size, status.st_mtime_ns)
            yield from self._drain()
        if self._identity == _identity(self.path):
            return
        # Deleted, or another file has taken the name. What the old one still got comes first.
        yield from self._drain()
        self.close()
        if self._open():
            yield from self.read()

    def take_rest(self) -> Chunk | None:
        """The unfinished last line, for a file at rest (see Splitter.take_rest)."""
        chunk = self._splitter.take_rest()
        return self._mark(chunk) if chunk else None

    @property
    def rest(self) -> bytes:
        return self._splitter.rest

    @property
    def offset(self) -> int:
        """Bytes read of the present file."""
        return self._splitter.offset

    def close(self) -> None:
        """Keep the place but no descriptor; `read` opens the file again once it has changed."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def _open(self) -> bool:
        try:
            fd = open_regular(self.path)
        except FileNotFoundError:
            self.gone = True
            return False
        status = os.fstat(fd)
        self.fd, self.gone = fd, False
        if self._identity != (status.st_dev, status.st_ino):
            self._identity = (status.st_dev, status.st_ino)
            self._begin()
        # Else it was closed at rest, or moved away and back: `read` compares what it holds.
        self._seen = (-1, -1)
        return True

    def _has_changed(self) -> bool:
        """Whether there is anything to open the file for."""
        try:
            status = os.stat(self.path)
        except OSError:
            return True
        same = self._identity == (status.st_dev, status.st_ino)
        return self.gone or not same or self._seen != (status.st_size, status.st_mtime_ns)

    def _drain(self) -> Iterator[Chunk]:
        if self.fd is None:
            return
        while data := os.pread(self.fd, READ_SIZE, self._splitter.offset):
            if len(self._head) < FINGERPRINT:
                self._head = (self._head + data)[:FINGERPRINT]
            self._last = (self._last + data if len(data) < FINGERPRINT else data)[-FINGERPRINT:]
            if chunk := self._splitter.feed(data):
                yield self._mark(chunk)

    def _mark(self, chunk: Chunk) -> Chunk:
        chunk.reset, self._fresh = self._fresh, False
        return chunk

    def _unchanged(self) -> bool:
        """Whether what was read is still what the file begins with, as far as both ends tell."""
        assert self.fd is not None
        last_at = self._splitter.offset - len(self._last)
        return (
            os.pread(self.fd, len(self._head), 0) == self._head
            and os.pread(self.fd, len(self._last), last_at) == self._last
        )


def open_regular(path: str | os.PathLike[str]) -> int:
    """A descriptor for reading a regular file; never blocks on a pipe, never touches a device."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRegular(f"not a regular file: {os.fspath(path)}")
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotRegular(f"not a regular file: {os.fspath(path)}")
    return fd


def read_head(path: str, limit: int = 1 << 16) -> bytes:
    """The first bytes of a regular file; none where it cannot be read."""
    try:
        fd = open_regular(path)
    except OSError:
        return b""
    try:
        return os.pread(fd, limit, 0)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
