"""What comes through a pipe, kept in a file without a name so that details can be read again.

The file is gone when the program is, however it ends. A `Spool` is read like a `Tail`.
"""

import os
import select
import weakref
from collections.abc import Iterator

from viewer.packed import Inflow
from viewer.tail import READ_SIZE, Chunk, Splitter


class Spool:
    """Reads a pipe without waiting for it."""

    def __init__(self, fd: int) -> None:
        import tempfile  # it imports much, and few need it

        self.fd = fd
        self.path = ""
        self.ended = False
        self.problem: str | None = None  # why what came could not be kept
        self.gone = False
        self.file: int | None = None  # where it is kept, if there is room for it
        try:
            with tempfile.TemporaryFile() as file:
                self.file = os.dup(file.fileno())
            weakref.finalize(self, os.close, self.file)
        except OSError as error:
            self.problem = error.strerror
        self._inflow = Inflow()
        self._splitter = Splitter()

    def read(self) -> Iterator[Chunk]:
        """All complete lines that have come by now."""
        while not self.ended and select.select([self.fd], [], [], 0)[0]:
            try:
                data = os.read(self.fd, READ_SIZE)
            except OSError as error:
                self.problem, data = error.strerror, b""
            self.ended = not data
            for piece in self._inflow.feed(data):
                self._keep(piece)
                if chunk := self._splitter.feed(piece):
                    yield chunk

    def _keep(self, data: bytes) -> None:
        at = self._splitter.offset
        if self.file is None:
            return
        try:
            while data:
                written = os.pwrite(self.file, data, at)
                data, at = data[written:], at + written
        except OSError as error:  # the disk is full: the outline goes on, details are missing
            self.problem = error.strerror

    def take_rest(self) -> Chunk | None:
        return self._splitter.take_rest()

    def take_problem(self) -> str | None:
        """Why what was packed ends too early, once."""
        return self._inflow.take_problem()

    @property
    def rest(self) -> bytes:
        return self._splitter.rest

    @property
    def offset(self) -> int:
        return self._splitter.offset

    def close(self) -> None:
        """Nothing to do: it is kept until the program ends."""
