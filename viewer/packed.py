"""Transcripts that Codex has compressed: `.jsonl.zst`, after some days without a change.

What is inside is kept in a file without a name while it is looked at, so that records can be read
again; it is gone when the program is. A `Packed` is read like a `Tail`.
"""

import os
from collections.abc import Iterator
from typing import IO

from viewer.tail import READ_SIZE, Chunk, Splitter, open_regular

SUFFIX = ".zst"
_MOST = 16 << 30  # bytes: a small file can hold endless ones


class Damaged(OSError):
    """It is no zstd, or broken."""


def is_packed(path: str) -> bool:
    return path.endswith(SUFFIX)


def unpack(fd: int) -> Iterator[bytes]:
    """What a compressed file holds, piece by piece. Raises Damaged."""
    import zstandard  # few files are packed

    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(0)
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            file, read_across_frames=True
        )
        try:
            while data := reader.read(READ_SIZE):
                yield data
        except zstandard.ZstdError as error:
            raise Damaged(f"it cannot be unpacked: {error}") from None


def beginning(fd: int, most: int) -> bytes:
    """The first bytes of what is inside; fewer where it is broken. Raises Damaged."""
    found = b""
    for data in unpack(fd):
        found += data
        if len(found) >= most:
            break
    return found[:most]


class Packed:
    """Reads a compressed transcript. It is written in one go and does not grow."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.gone = False
        self.problem: str | None = None  # why it ends too early
        self.file: int | None = None  # where what is inside is kept
        self._kept: IO[bytes] | None = None
        self._splitter = Splitter()
        self._seen = (-1, -1, -1)

    def read(self) -> Iterator[Chunk]:
        """All lines, once, and again where the file was replaced. Raises OSError."""
        import tempfile

        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self.gone = True
            return
        seen = (status.st_ino, status.st_size, status.st_mtime_ns)
        if seen == self._seen:
            return
        fd = open_regular(self.path)
        self.gone, self._seen, self._splitter = False, seen, Splitter()
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as it is looked at
        self.file = self._kept.fileno()
        reset = True
        try:
            for data in unpack(fd):
                os.pwrite(self.file, data, self._splitter.offset)
                if (chunk := self._splitter.feed(data)) is not None:
                    chunk.reset, reset = reset, False
                    yield chunk
                if self._splitter.offset > _MOST:
                    self.problem = f"only the first {_MOST >> 30} GB of what is inside were read"
                    return
        except Damaged as error:
            self.problem = str(error)
            if reset:
                raise
        finally:
            os.close(fd)

    def take_rest(self) -> Chunk | None:
        return self._splitter.take_rest()

    @property
    def rest(self) -> bytes:
        return self._splitter.rest

    @property
    def offset(self) -> int:
        return self._splitter.offset

    def close(self) -> None:
        """Nothing to do: what was unpacked is kept until the program ends."""
