"""A line that may hold the words that are sought: whether a person can read them in it, in what,
and what stands around them.

The rule is that of the search in one session (viewer/search.py): ids, times and what a record says
about itself do not count, nor do lines that show nothing; what only the model reads is counted
apart. What is remembered of other lines is only what the format's own reader remembers.
"""

import os
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from viewer.formats import Decoder, acp, claude, documents
from viewer.formats.contract import Format
from viewer.formats.parse import parse
from viewer.records import (
    Answered,
    ApiFailed,
    Asked,
    Compacted,
    Denied,
    HookFired,
    Interrupted,
    Invalid,
    Learned,
    Part,
    Progressed,
    Record,
    Said,
    Spent,
    Unread,
)
from viewer.search import Query, holds
from viewer.sieve import HEAD, Found, Piece, Sifted, Sought, candidates
from viewer.tail import Chunk
from viewer.text import clean, one_line

Json = dict[str, Any]

_BEFORE, _AFTER = 60, 240  # characters around the words
_ASKED_AT_MOST = 1 << 20  # bytes before a result in which its call is looked for
_AT_ONCE = 500  # lines
_KINDS: dict[type, str] = {
    Answered: "result",
    Progressed: "progress",
    Interrupted: "interrupt",
    Compacted: "compaction",
    ApiFailed: "API error",
    Invalid: "invalid",
}
_TEXTS = ("text", "thinking")
_NOT_SHOWN = (Learned, Spent, Denied)  # by themselves


class Passage(NamedTuple):
    kind: str
    name: str
    text: str
    bulk: bool = False  # stands in what only the model reads


class _Catch(Query):
    """Remembers the text in which the words were found."""

    caught = ""

    def is_in(self, text: str) -> bool:
        found = super().is_in(text)
        if found:
            self.caught = text
        return found


class Passages:
    """Reads lines of one file."""

    def __init__(self, fd: int, sought: Sought, *, packed: bool = False) -> None:
        self._fd = None if packed else fd
        self._query = _Catch(sought.words)
        self.decoder = Decoder()
        if not packed and form_of(os.pread(fd, HEAD, 0)) is claude.FORMAT:
            # A line that looks like another format's is none; the others tell what they are.
            self.decoder.format = claude.FORMAT

    def look(self, line: bytes, start: int = 0, *, told: bool = True) -> Passage | None:
        """Where a line holds the words, if it does. Only what is to be told is put into words."""
        if self.decoder.format is claude.FORMAT:
            objects = parse(line).objects
            if len(objects) == 1:
                value = objects[0].value
                return self._find(claude.read(value), value, start, told=told)
        bulk: Passage | None = None
        for record in self.decoder.decode(Chunk(1, 0, [line])):
            found = self.of_record(record, line, start, told=told)
            if found is not None and not found.bulk:
                return found
            bulk = bulk or found
        return bulk

    def of_record(
        self, record: Record, data: bytes, start: int, *, told: bool = True
    ) -> Passage | None:
        """The same for one of the records that some bytes hold."""
        raw = data[record.start : record.end]
        if record.type == "damaged":
            # Damaged lines are searched as they are, unless something was saved from them.
            words = clean(raw.decode("utf-8", "replace"))
            if parse(raw).objects or not self._query.is_in(words):
                return None
            return self._passage("damaged", "", told=told)
        value = value_of(record, raw, self.decoder.format or claude.FORMAT)
        return self._find(record, value, start, told=told) if value is not None else None

    def _find(self, record: Record, value: Json, start: int, *, told: bool) -> Passage | None:
        form = self.decoder.format or claude.FORMAT
        blocks = blocks_of(value, form)
        bulk: Passage | None = None
        for block in blocks:
            if holds(block, self._query):
                found = self._of_part(record, _part(record, block), start, told=told)
                if found is None or not found.bulk:
                    return found
                bulk = found
        # Records of other formats say much about themselves; what they hold is in their blocks.
        only_blocks = bool(blocks) and form is not claude.FORMAT
        if bulk is not None or only_blocks or not holds(value, self._query):
            return bulk
        return self._of_part(record, _part(record, None), start, told=told)

    def _of_part(
        self, record: Record, part: Part | None, start: int, *, told: bool
    ) -> Passage | None:
        if part is None:
            if record.unknown:
                return self._passage("unknown", record.type, told=told)
            return None if record.linked else Passage("state", record.type, "", bulk=True)
        if isinstance(part, Said) and part.hidden:
            return Passage(part.kind, part.label, "", bulk=True)
        kind, name = _words(part)
        if told and isinstance(part, Answered) and part.id is not None:
            name = self._asked(part.id, start)
        elif told and isinstance(part, Asked):
            # Where the words are not what tells this call from others, that is said, too.
            summary = one_line(part.summary)
            is_seen = summary[:24] in excerpt(self._query, self._query.caught)
            name = part.name if is_seen else f"{part.name} {summary}"
        return self._passage(kind, name, told=told)

    def _passage(self, kind: str, name: str, *, told: bool) -> Passage:
        if not told:
            return Passage(kind, "", "")
        words = one_line(name, 60)
        return Passage(kind, words, excerpt(self._query, self._query.caught))

    def _asked(self, id: str, start: int) -> str:
        """What a result is the answer to: mostly its call stands just before it."""
        if self._fd is None:
            return ""
        before = max(0, start - _ASKED_AT_MOST)
        data = os.pread(self._fd, start - before, before)
        place = data.rfind(b'"id":"%s"' % id.encode("utf-8", "replace"))
        if place < 0:
            return ""
        line = data[data.rfind(b"\n", 0, place) + 1 : data.find(b"\n", place)]
        for record in Decoder().decode(Chunk(1, 0, [line])):
            for part in record.parts:
                if isinstance(part, Asked) and part.id == id:
                    return f"{part.name} {part.summary}"
        return ""


def form_of(head: bytes) -> Format | None:
    """What a file is, by its first lines."""
    decoder = Decoder()
    for line in head.split(b"\n")[:-1] or [head]:
        decoder.decode(Chunk(1, 0, [line]))
        if decoder.format is not None or decoder.is_document:
            break
    return decoder.format


def value_of(record: Record, raw: bytes, form: Format) -> Json | None:
    """The JSON of a record: all of its bytes, or one of several things that they hold."""
    objects = [found.value for found in parse(raw).objects]
    if len(objects) == 1:
        objects = form.parts(objects[0])
    place = record.part or 0
    return objects[place] if place < len(objects) else None


def blocks_of(value: Json, form: Format) -> list[Json]:
    """What a record says, as blocks of the Messages API."""
    blocks: object = form.content(value)
    if blocks is None:
        message = value.get("message")
        blocks = message.get("content") if isinstance(message, dict) else None
    return [each for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []


def _part(record: Record, block: Json | None) -> Part | None:
    """What of a record a block is; without one, what shows first."""
    shown = [part for part in record.parts if not isinstance(part, _NOT_SHOWN)]
    if block is None or len(shown) < 2:
        return shown[0] if shown else None
    for part in shown:
        match part:
            case Asked(id):
                if block.get("id") == id:
                    return part
            case Answered(id=id):
                if block.get("tool_use_id") == id:
                    return part
            case Said("thinking"):
                if block.get("type") == "thinking":
                    return part
            case Said(_, text):
                if block.get("type") == "text" and text[:40] in str(block.get("text"))[:400]:
                    return part
    return shown[0]


def _words(part: Part) -> tuple[str, str]:
    match part:
        case Said(kind, _, label):
            return kind, label
        case Asked():
            return "call", part.name
        case HookFired():
            return "hook", part.name or part.event
        case Unread():
            return "unknown", part.name
    return _KINDS.get(type(part), "call"), ""


def excerpt(query: Query, text: str) -> str:
    """The words with what stands around them."""
    start, end = next(iter(query.spans(text)), (0, 0))
    first, last = max(0, start - _BEFORE), end + _AFTER
    before = "…" if first else ""
    return before + one_line(text[first:last]) + ("…" if last < len(text) else "")


# Files that are more than lines


def of_odd(fd: int, head: bytes, sought: Sought) -> Sifted | None:
    """What a document holds, or a log whose texts come in pieces; None for any other file."""
    is_document = documents.begins(head.split(b"\n")[:50])
    if not is_document and form_of(head) is not acp.FORMAT:
        return None
    os.lseek(fd, 0, os.SEEK_SET)
    data = b"".join(iter(lambda: os.read(fd, 1 << 24), b""))
    if b"_chunk" not in data and next(candidates(fd, Piece(""), sought), None) is None:
        return Sifted([])
    passages, found = Passages(fd, sought, packed=True), Found(sought.most)
    hits: list[tuple[int, Passage | None]] = []
    runs: dict[str, _Run] = {}
    for record, around in _records(passages.decoder, data):
        said = next((p for p in record.parts if isinstance(p, Said) and p.joins), None)
        if said is None:
            hits.append((record.line, passages.of_record(record, around, 0)))
            continue
        # The words may stand across two of them.
        value = value_of(record, around[record.start : record.end], acp.FORMAT) or {}
        run = runs.setdefault(said.joins or "", _Run(said, [], []))
        run.lines.append(record.line)
        run.texts.append(_first_text(blocks_of(value, acp.FORMAT)))
    hits += [run.look(Query(sought.words)) for run in runs.values()]
    for line, passage in sorted(hits, key=lambda hit: hit[0]):
        found.take(line, passage)
    return found.sifted()


def _records(decoder: Decoder, data: bytes) -> Iterator[tuple[Record, bytes]]:
    """All records, each with the bytes that its place is in."""
    lines = data.split(b"\n")
    if documents.begins(lines[:50]):
        decoder.decode(Chunk(1, 0, lines))
        for record in decoder.finish():
            yield record, data
        return
    for first in range(0, len(lines), _AT_ONCE):
        some = lines[first : first + _AT_ONCE]
        around = b"\n".join(some)
        for record in decoder.decode(Chunk(first + 1, 0, some)):
            yield record, around


class _Run(NamedTuple):
    """A text that came in pieces."""

    said: Said
    lines: list[int]
    texts: list[str]

    def look(self, query: Query) -> tuple[int, Passage | None]:
        """Where it holds the words, if it does: at the piece in which they begin."""
        whole = "".join(self.texts)
        spans = query.spans(whole)
        if not spans:
            return self.lines[0], None
        piece = bisect_right(list(accumulate(map(len, self.texts))), spans[0][0])
        said = self.said
        return self.lines[piece], Passage(
            said.kind, said.label, excerpt(query, whole), bulk=said.hidden
        )


def _first_text(blocks: list[Json]) -> str:
    for block in blocks:
        for key in _TEXTS:
            if isinstance(text := block.get(key), str):
                return text
    return ""
