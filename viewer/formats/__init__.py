"""From lines to records, whatever program wrote them. Total: no input raises, none costs its
neighbours.

The first object that a format recognises decides for the whole file. Until then, and where no
format does, objects are read as Claude Code's: most files are, and unknown ones stay records.
"""

import re
from collections.abc import Iterator

import orjson

from viewer.formats import acp, claude, codex, codex_exec, documents, messages_api
from viewer.formats.contract import Format, Object, Read
from viewer.formats.parse import Found, parse
from viewer.records import Record
from viewer.tail import Chunk

FORMATS = (codex.FORMAT, codex_exec.FORMAT, acp.FORMAT, messages_api.FORMAT, claude.FORMAT)

_BY_NAME = {each.name: each for each in FORMATS}
_PREFIX = re.compile(rb'[^{"\0]{1,200}(?=\{)')
_MOST_TRIES = 200  # records after which a file is what it was taken for


def format_of(name: str | None) -> Format:
    return _BY_NAME.get(name or "", claude.FORMAT)


def recognise(value: Object) -> Format | None:
    return next((each for each in FORMATS if each.recognises(value)), None)


class Decoder:
    """Reads one file."""

    def __init__(self) -> None:
        self.format: Format | None = None  # once it is known
        self._read: Read = claude.read
        self._tries = 0
        # Lines of a file that is one JSON document over many lines; None for a file of lines.
        self._document: list[bytes] | None = None
        self._begun = False
        self._start = self._number = 0
        self.is_finished = False  # a document was read to its end

    @property
    def is_document(self) -> bool:
        return self._document is not None

    def decode(self, chunk: Chunk) -> list[Record]:
        """The records of consecutive lines, each with its line number and byte span."""
        if not self._begun and documents.begins(chunk.lines):
            self._document, self._start, self._number = [], chunk.start, chunk.number
        self._begun = self._begun or any(map(bytes.strip, chunk.lines))
        if self._document is not None:
            self._document += chunk.lines
            return []
        number, start = chunk.number - 1, chunk.start
        records: list[Record] = []
        loads = orjson.loads
        is_claude = self.format is claude.FORMAT
        for line in chunk.lines:
            number += 1
            end = start + len(line)
            try:
                value = loads(line)
            except orjson.JSONDecodeError:
                value = None
            if value.__class__ is not dict:
                records += self._decode_odd(line, number, start)
            elif is_claude:
                record = claude.read(value)
                record.line, record.start, record.end = number, start, end
                records.append(record)
            elif self.format is not None and len(parts := self.format.parts(value)) == 1:
                if (read := self._read(parts[0])) is not None:
                    read.line, read.start, read.end = number, start, end
                    records.append(read)
            else:
                records += self._take(value, number, start, end)
                is_claude = self.format is claude.FORMAT
            start = end + 1
        return records

    def finish(self) -> Iterator[Record]:
        """The records of a document, once all of it is there."""
        if self._document is None or self.is_finished:
            return
        self.is_finished = True
        data, self._document = b"\n".join(self._document), []
        line, at = self._number, 0
        pieces = documents.split(data)
        while True:
            try:
                found = next(pieces)
            except StopIteration as end:
                damage: str | None = end.value
                break
            line += data.count(b"\n", at, found.start)
            at = found.start
            start, stop = self._start + found.start, self._start + found.end
            records = self._take(found.value, line, start, stop)
            yield from self._on_own_lines(records, data[found.start : found.end])
        if damage is not None:
            line += data.count(b"\n", at)
            yield _damaged(damage, line, self._start + at, self._start + len(data))

    def _on_own_lines(self, records: Iterator[Record], data: bytes) -> Iterator[Record]:
        """The records of one object, each with the line in which its part of it begins."""
        places: list[int] | None = None
        lines = at = 0
        for record in records:
            if record.part is not None and self.format is not None:
                places = self.format.places(data) if places is None else places
                place = places[record.part] if record.part < len(places) else at
                lines, at = lines + data.count(b"\n", at, place), max(at, place)
                record.line += lines
            yield record

    def is_whole(self, rest: bytes) -> bool:
        """Whether the unfinished last line of a file at rest will not become another record.

        A line that begins like a record is being written, or was cut off while it was; that is no
        damage. Anything else will not become a record any more.
        """
        records = decode(Chunk(1, 0, [rest]))
        if any(record.type != "damaged" for record in records):
            return True
        begun = rest.lstrip(b" \t\r").startswith(b"{")
        if self.format is not None and self.format.direction is not None:
            begun = begun or _PREFIX.match(rest) is not None
        return bool(records) and not begun

    def _take(self, value: Object, line: int, start: int, end: int) -> Iterator[Record]:
        """The records that an object stands for."""
        if self.format is None and self._tries < _MOST_TRIES:
            self._tries += 1
            self.format = recognise(value)
            if self.format is not None:
                self._read = self.format.reader()
        parts = self._parts(value)
        for number, part in enumerate(parts):
            record = self._read(part)
            if record is not None:
                record.line, record.start, record.end = line, start, end
                if len(parts) > 1:
                    record.part = number
                yield record

    def _parts(self, value: Object) -> list[Object]:
        return self.format.parts(value) if self.format is not None else [value]

    def _decode_odd(self, line: bytes, number: int, start: int) -> Iterator[Record]:
        if (prefixed := self._prefixed(line)) is not None:
            at = start + prefixed.start
            yield from self._take(prefixed.value, number, at, start + prefixed.end)
            return
        parsed = parse(line)
        several = parsed.whole and len(parsed.objects) > 1
        before = 0
        for found in parsed.objects:
            for record in self._take(found.value, number, start + found.start, start + found.end):
                record.salvaged = not parsed.whole
                if several:
                    record.part = before + (record.part or 0)
                if parsed.whole:
                    record.damage = parsed.damage
                yield record
            before += len(self._parts(found.value))
        if parsed.damage and not (parsed.whole and parsed.objects):
            yield _damaged(parsed.damage, number, start, start + len(line))

    def _prefixed(self, line: bytes) -> Found | None:
        """An object behind words that a logger put before it: `[client] {...}`."""
        if (prefix := _PREFIX.match(line)) is None:
            return None
        try:
            value = orjson.loads(line[prefix.end() :])
        except orjson.JSONDecodeError:
            return None
        form = self.format or recognise(value)
        if form is None or form.direction is None or not form.recognises(value):
            return None
        words = prefix.group().decode("utf-8", "replace")
        return Found(form.direction(value, words), prefix.end(), len(line))


def _damaged(what: str, line: int, start: int, end: int) -> Record:
    record = Record("damaged")
    record.line, record.start, record.end = line, start, end
    record.damage = what
    return record


def decode(chunk: Chunk) -> list[Record]:
    """The records of lines that stand by themselves."""
    decoder = Decoder()
    return [*decoder.decode(chunk), *decoder.finish()]
