"""Transcripts that Codex has compressed: `.jsonl.zst`, after some days without a change.

What is inside is kept in a file without a name while it is looked at, so that records can be read
again; it is gone when the program is. A `Packed` is read like a `Tail`.

A small file can hold endless ones: what is unpacked at a time, the length of a line and the size
as a whole are bounded.
"""

import errno
import os
import weakref
from collections.abc import Iterator

from viewer.tail import READ_SIZE, Chunk, Splitter, open_regular

SUFFIX = ".zst"
_MAGIC = b"\x28\xb5\x2f\xfd"
# Bytes that are unpacked at a time. In the worst case 4 bytes hold 128 kB, so these hold 32 MB;
# of a real transcript, 10 kB.
_PIECE = 1 << 10
_WINDOW = 1 << 27
_RATIO = 200  # real ones are up to 12 times as large as they are packed (levels 3 to 19)
_AT_LEAST = 64 << 20  # bytes that are read whatever the ratio
_LONGEST = 256 << 20  # bytes of a line


class Damaged(OSError):
    """It is no zstd, or broken."""

    def __init__(self, words: str) -> None:
        super().__init__(errno.EIO, f"it cannot be unpacked: {words}")


def is_packed(path: str) -> bool:
    return path.endswith(SUFFIX)


def unpack(fd: int) -> Iterator[bytes]:
    """What a compressed file holds, in pieces of one size. Raises Damaged after the last one."""
    held = bytearray()
    try:
        for data in _frames(fd):
            held += data
            while len(held) >= READ_SIZE:
                yield bytes(held[:READ_SIZE])
                del held[:READ_SIZE]
    except Damaged:
        if held:
            yield bytes(held)
        raise
    if held:
        yield bytes(held)


def _frames(fd: int) -> Iterator[bytes]:
    frames = _Frames()
    at = 0
    while packed := os.pread(fd, _PIECE, at):
        at += len(packed)
        yield from frames.feed(packed)
    frames.end()


class _Frames:
    """Unpacks what it is fed."""

    def __init__(self) -> None:
        import zstandard  # few files are packed

        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        self._error = zstandard.ZstdError
        self._frame = self._unpacker.decompressobj()
        self._open = True

    def feed(self, packed: bytes) -> Iterator[bytes]:
        try:
            while packed:  # a file may hold several frames, one behind the other
                self._open = True
                yield self._frame.decompress(packed)
                packed = b""
                if self._frame.eof:
                    packed, self._open = self._frame.unused_data, False
                    self._frame = self._unpacker.decompressobj()
        except self._error as error:
            raise Damaged(str(error)) from None

    def end(self) -> None:
        if self._open:
            raise Damaged("it ends too early")


class Inflow:
    """What comes through a pipe, unpacked where it begins as packed files do."""

    def __init__(self) -> None:
        self.problem: str | None = None  # why it ends too early
        self._head: bytes | None = b""  # until it is known whether it is packed
        self._frames: _Frames | None = None
        self._packed = self._size = 0  # bytes
        self._is_over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What some bytes hold; nothing at all is their end."""
        ended = not data
        if self._head is not None:
            data = self._head + data
            if not ended and len(data) < len(_MAGIC) and _MAGIC.startswith(data):
                self._head = data
                return
            self._head = None
            self._frames = _Frames() if data.startswith(_MAGIC) else None
        if self._frames is not None:
            yield from self._unpack(self._frames, data, ended)
        elif data:
            yield data

    def _unpack(self, frames: _Frames, data: bytes, ended: bool) -> Iterator[bytes]:
        if self._is_over:
            return
        try:
            for at in range(0, len(data), _PIECE):
                packed = data[at : at + _PIECE]
                self._packed += len(packed)
                most = max(_AT_LEAST, _RATIO * self._packed)
                for piece in _slices(frames.feed(packed)):
                    self._size += len(piece)
                    yield piece
                    if self._size > most:
                        self.problem, self._is_over = _too_much(self._size), True
                        return
            if ended:
                frames.end()
        except Damaged as error:
            self.problem, self._is_over = error.strerror, True

    def take_problem(self) -> str | None:
        """Why it ends too early, once."""
        problem, self.problem = self.problem, None
        return problem


def beginning(fd: int, most: int) -> bytes:
    """The first bytes of what is inside; fewer where it is broken. Raises Damaged where it holds
    none."""
    found = b""
    try:
        for data in unpack(fd):
            found += data
            if len(found) >= most:
                break
    except Damaged:
        if not found:
            raise
    return found[:most]


def _slices(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for at in range(0, len(piece), READ_SIZE):
            yield piece[at : at + READ_SIZE]


def _too_much(size: int) -> str:
    return f"it holds too much: only the first {size >> 20} MB were read"


class Packed:
    """Reads a compressed transcript. It is written in one go and does not grow."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.gone = False
        self.problem: str | None = None  # why it ends too early
        self.file: int | None = None  # where what is inside is kept
        self._splitter = Splitter()
        self._seen = (-1, -1, -1)

    def read(self) -> Iterator[Chunk]:
        """All lines, once, and again where the file was replaced. Raises OSError where that cannot
        be opened; what is wrong with what it holds is its problem."""
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self.gone = True
            return
        seen = (status.st_ino, status.st_size, status.st_mtime_ns)
        if seen == self._seen:
            return
        fd = open_regular(self.path)
        self.gone, self.problem, self._seen, self._splitter = False, None, seen, Splitter()
        most = max(_AT_LEAST, _RATIO * status.st_size)
        reset = True
        try:
            self._keep_anew()
            for chunk in self._chunks(fd, most):
                chunk.reset, reset = reset, False
                yield chunk
        except OSError as error:
            self.problem = error.strerror
        finally:
            os.close(fd)

    def _chunks(self, fd: int, most: int) -> Iterator[Chunk]:
        line = 0  # bytes of the line under construction
        for data in unpack(fd):
            self._keep(data)
            chunk = self._splitter.feed(data)
            if chunk is not None:
                line = len(data) - data.rfind(b"\n") - 1
                yield chunk
            else:
                line += len(data)
            if self.offset > most or line > _LONGEST:
                self.problem = _too_much(self.offset)
                return

    def _keep_anew(self) -> None:
        import tempfile

        with tempfile.TemporaryFile() as file:
            self.file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self.file)

    def _keep(self, data: bytes) -> None:
        assert self.file is not None
        at = self.offset
        while data:
            written = os.pwrite(self.file, data, at)
            data, at = data[written:], at + written

    def take_rest(self) -> Chunk | None:
        return self._splitter.take_rest()

    def take_problem(self) -> str | None:
        """Why it ends too early, once."""
        problem, self.problem = self.problem, None
        return problem

    @property
    def rest(self) -> bytes:
        return self._splitter.rest

    @property
    def offset(self) -> int:
        return self._splitter.offset

    def close(self) -> None:
        """Nothing to do: what was unpacked is kept until nobody looks at it any more."""
