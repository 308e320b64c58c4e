"""The lines of files that may hold some words, by their bytes; and what is really found in them.

Reading gigabytes is the work of processes of their own (`serve`), so that whoever waits for them
has the processor to itself. They begin within milliseconds: what is needed to parse a line is
imported when there is a line to parse. Nothing here knows which files belong to a session.
"""

import os
import pickle
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from viewer.tail import open_regular

if TYPE_CHECKING:
    from viewer.passages import Passage
    from viewer.search import Query

_BLOCK = 1 << 18  # bytes that are looked at together: they stay in the processor's cache
HEAD = 1 << 16  # bytes by which a file is told apart
_LONGEST = 256 << 20  # bytes of a line that are parsed
_MOST_UNPACKED = 200  # times its size that a packed file may hold; and at least this many bytes:
_AT_LEAST = 64 << 20
_TELLING = 3  # bytes that stand in too many lines, where there is a rarer letter


class Sought(NamedTuple):
    words: str
    needles: tuple[bytes, ...]  # one of them stands in every line that holds the words
    exact: bool  # else lines are compared in small letters
    most: int  # hits of a piece that are told; the others are counted


class Piece(NamedTuple):
    """A file, or what of it begins between two places."""

    path: str
    start: int = 0
    stop: int | None = None


class Hit(NamedTuple):
    """A line that holds the words."""

    line: int  # in a piece of a file: counted from where the piece begins
    kind: str  # prompt reply thinking call result hook note ...
    name: str  # of the tool or hook; what it is where the kind does not say
    text: str  # what stands around the words: cleaned, on one line


class Sifted(NamedTuple):
    """What a piece holds."""

    hits: list[Hit]
    total: int = 0  # hits, told or not
    bulk: int = 0  # more of them, in what only the model reads
    problem: str | None = None  # why it could not be read


class Found:
    """Gathers hits."""

    def __init__(self, most: int) -> None:
        self.problem: str | None = None
        self._most = most
        self._hits: list[Hit] = []
        self._count = self._bulk = 0

    @property
    def tells(self) -> bool:
        """Whether the next hit is told, or only counted."""
        return self._count < self._most

    def take(self, line: int, passage: "Passage | None") -> None:
        if passage is None:
            return
        if passage.bulk:
            self._bulk += 1
            return
        if self.tells:
            self._hits.append(Hit(line, passage.kind, passage.name, passage.text))
        self._count += 1

    def sifted(self) -> Sifted:
        return Sifted(self._hits, self._count, self._bulk, self.problem)


class Candidate(NamedTuple):
    number: int  # of the line, from the beginning of the piece
    start: int
    line: bytes


def sift(piece: Piece, sought: Sought) -> Sifted:
    """Look for the words in a piece. Total: what is gone holds nothing."""
    try:
        fd = open_regular(piece.path)
    except FileNotFoundError:
        return Sifted([])
    except OSError as error:
        return Sifted([], problem=error.strerror or str(error).partition(":")[0])
    try:
        return _sift(fd, piece, sought)
    except OSError as error:
        return Sifted([], problem=error.strerror or "unreadable")
    except MemoryError:
        return Sifted([], problem="it is too large to be searched")
    finally:
        os.close(fd)


def _sift(fd: int, piece: Piece, sought: Sought) -> Sifted:
    packed = piece.path.endswith(".zst")
    if not packed and piece.start == 0 and _is_odd(head := os.pread(fd, HEAD, 0)):
        from viewer.passages import of_odd

        if (whole := of_odd(fd, head, sought)) is not None:
            return whole
    found = Found(sought.most)
    lines = _unpacked(fd, sought) if packed else candidates(fd, piece, sought)
    reader = None
    try:
        for number, start, line in lines:
            if reader is None:
                from viewer.passages import Passages

                reader = Passages(fd, sought, packed=packed)
            found.take(number, reader.look(line, start, told=found.tells))
    except OSError as error:
        found.problem = error.strerror or "unreadable"
    return found.sifted()


def _is_odd(head: bytes) -> bool:
    """Whether it may be more than lines that stand by themselves: one JSON document, or a log
    whose texts come in pieces. Looked at closely only then."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].rstrip()
    return first[-1:] in (b"{", b"[", b",") or b"session/" in head or b"jsonrpc" in head


# Lines


def needles(query: "Query") -> tuple[bytes, ...]:
    """Bytes of which one stands in every line that holds the words, in small letters unless the
    words are meant exactly. Writers of JSON may escape what is no ASCII."""
    foreign = [character for character in query.words if character > "\x7f"]
    if not foreign or len(query.needle) > _TELLING:
        return (query.needle,)
    # A letter without case is written in two ways only.
    one = next((each for each in foreign if each.lower() == each.upper()), foreign[0])
    forms = {one} if query.exact else {one, one.lower(), one.upper(), one.title()}
    found: set[bytes] = set()
    for form in forms:
        code = form.encode("utf-16-be", "surrogatepass").hex()
        escaped = "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))
        found |= {form.encode("utf-8", "surrogatepass"), escaped.encode()}
        if query.exact:
            found.add(escaped.upper().replace("\\U", "\\u").encode())
    return tuple(sorted(found))


def candidates(fd: int, piece: Piece, sought: Sought) -> Iterator[Candidate]:
    """The lines in which a needle begins between both places of a piece."""
    at = counted = piece.start
    number = 1
    overlap = max(1, *map(len, sought.needles)) - 1
    end = os.fstat(fd).st_size if piece.stop is None else piece.stop
    block = bytearray(min(_BLOCK, max(0, end - at)) + overlap)
    view = memoryview(block)
    while at < end:
        size = os.preadv(fd, [view[: min(_BLOCK, end - at) + overlap]], at)
        if size == 0:
            return
        searched = block if sought.exact else block.lower()
        limit = min(size, end - at, _BLOCK)  # needles that begin behind it belong to what follows
        last = limit + overlap if limit + overlap < size else size
        places = [searched.find(needle, 0, last) for needle in sought.needles]
        position = 0
        while (place := min((p for p in places if p >= 0), default=limit)) < limit:
            start, line = _line_around(fd, block, at, place, size)
            if start >= piece.start or not _holds(
                os.pread(fd, piece.start - start + overlap, start), sought
            ):
                number += count_lines(fd, counted, start)
                counted = max(counted, start)
                yield Candidate(number, start, line)
            # Else its beginning, which holds the words too, belongs to the piece before.
            position = start + len(line) + 1 - at
            if position >= limit:
                break
            places = [
                p if p < 0 or p >= position else searched.find(needle, position, last)
                for p, needle in zip(places, sought.needles, strict=True)
            ]
        at += max(limit, position)


def _line_around(fd: int, block: bytearray, at: int, place: int, size: int) -> tuple[int, bytes]:
    """The line that holds a place of a block, and where it starts. It may be longer than that."""
    begin = block.rfind(b"\n", 0, place) + 1
    end = block.find(b"\n", place, size)
    if end >= 0 and (begin or at == 0):
        return at + begin, bytes(block[begin:end])
    start = at + begin
    while begin == 0 and start > 0:
        before = max(0, start - _BLOCK)
        found = os.pread(fd, start - before, before).rfind(b"\n")
        if found >= 0:
            start = before + found + 1
            break
        start = before
    stop = at + (end if end >= 0 else size)
    while end < 0 and (data := os.pread(fd, _BLOCK, stop)):
        found = data.find(b"\n")
        stop += found if found >= 0 else len(data)
        if found >= 0:
            break
    if stop - start > _LONGEST:
        raise OSError(0, "a line is too long to be searched")
    return start, os.pread(fd, stop - start, start)


def _holds(data: bytes, sought: Sought) -> bool:
    data = data if sought.exact else data.lower()
    return any(needle in data for needle in sought.needles)


def count_lines(fd: int, start: int, stop: int) -> int:
    """How many lines end between two places."""
    count = 0
    while start < stop and (data := os.pread(fd, min(_BLOCK, stop - start), start)):
        count += data.count(b"\n")
        start += len(data)
    return count


def _unpacked(fd: int, sought: Sought) -> Iterator[Candidate]:
    """The same of a compressed file, which is read as it is unpacked."""
    from viewer.packed import unpack
    from viewer.tail import Splitter

    splitter = Splitter()
    most = os.fstat(fd).st_size * _MOST_UNPACKED + _AT_LEAST
    for data in unpack(fd):
        if (chunk := splitter.feed(data)) is not None:
            yield from _of_lines(chunk.lines, chunk.number, chunk.start, sought)
        if splitter.offset > most:
            return
    if (rest := splitter.take_rest()) is not None:
        yield from _of_lines(rest.lines, rest.number, rest.start, sought)


def _of_lines(lines: list[bytes], number: int, start: int, sought: Sought) -> Iterator[Candidate]:
    if not _holds(b"\n".join(lines), sought):
        return
    for place, line in enumerate(lines, number):
        if _holds(line, sought):
            yield Candidate(place, start, line)
        start += len(line) + 1


# In a process of its own


def serve() -> None:
    """Sift whatever comes through standard input until it ends."""
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            sought, pieces = pickle.load(asked)
        except EOFError:
            return
        pickle.dump([sift(piece, sought) for piece in pieces], answers)
        answers.flush()
