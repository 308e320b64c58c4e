"""From lines to records. `decode` is total: no input raises, none costs its neighbours."""

from collections.abc import Iterator

import orjson

from viewer.formats import claude
from viewer.formats.parse import parse
from viewer.records import Record
from viewer.tail import Chunk


def decode(chunk: Chunk) -> list[Record]:
    """The records of consecutive lines, each with its line number and byte span."""
    loads, read = orjson.loads, claude.read
    number, start = chunk.number - 1, chunk.start
    records: list[Record] = []
    for line in chunk.lines:
        number += 1
        end = start + len(line)
        try:
            value = loads(line)
        except orjson.JSONDecodeError:
            value = None
        if value.__class__ is dict:
            record = read(value)
            record.line, record.start, record.end = number, start, end
            records.append(record)
        else:
            records += _decode_odd(line, number, start)
        start = end + 1
    return records


def _decode_odd(line: bytes, number: int, start: int) -> Iterator[Record]:
    parsed = parse(line)
    for found in parsed.objects:
        record = claude.read(found.value)
        record.line, record.start, record.end = number, start + found.start, start + found.end
        record.salvaged = not parsed.whole
        if parsed.whole:
            record.damage = parsed.damage
        yield record
    if parsed.damage and not (parsed.whole and parsed.objects):
        record = Record("damaged")
        record.line, record.start, record.end = number, start, start + len(line)
        record.damage = parsed.damage
        yield record


def decode_rest(chunk: Chunk) -> list[Record] | None:
    """The records of an unfinished last line of a file at rest, or None while it should wait.

    A line that begins like a record is being written, or was cut off while it was; that is no
    damage. Anything else will not become a record any more.
    """
    records = decode(chunk)
    if any(record.type != "damaged" for record in records):
        return records
    starts_like_a_record = chunk.lines[0].lstrip(b" \t\r").startswith(b"{")
    return None if starts_like_a_record or not records else records
