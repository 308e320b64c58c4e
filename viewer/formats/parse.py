"""One line of bytes to JSON objects, whatever was done to the line.

orjson first, because it is fast and nearly always right. Then a tolerant second try, because real
programs wrote lone surrogates, raw control characters and numbers that orjson refuses. Then
salvage: the objects that stand whole on a damaged line (two on one line, a torn prefix, NUL runs).
What cannot be read is reported, never dropped. Nothing here raises.
"""

import json
import re
from typing import Any, NamedTuple

import orjson

Object = dict[str, Any]

_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"

# A salvaged object must begin with a key that whole records begin with. Text that merely quotes a
# record has its quotes escaped inside a JSON string, so it cannot match.
_RECORD_START = re.compile(
    r'\{\s*"(?:parentUuid|type|uuid|sessionId|session_id|timestamp|isSidechain|logicalParentUuid'
    r'|leafUuid|messageId|duration_api_ms|duration_ms|jsonrpc|message|summary|cwd|agentId)"'
)
# ... and must carry one of these, unless it fills the rest of the line: a content block inside a
# torn record begins with "type" too.
_ENVELOPE = ("parentUuid", "sessionId", "session_id", "leafUuid", "messageId", "payload", "jsonrpc")

# Failed attempts may each scan to the end of the line; this keeps salvage linear.
_MOST_ATTEMPTS = 64
_MOST_REPEATED_READING = 16
_READ_AT_LEAST = 1 << 20


class Found(NamedTuple):
    """A JSON object, and where it stands in its line."""

    value: Object
    start: int
    end: int


class Parsed(NamedTuple):
    objects: list[Found]
    damage: str | None  # what is wrong with the line, if anything
    whole: bool  # the line is one whole object


_EMPTY = Parsed([], None, False)


def parse(line: bytes) -> Parsed:
    """The objects of a line. Blank lines have none and are no damage."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _parse_odd(line)
    if isinstance(value, dict):
        return Parsed([Found(value, 0, len(line))], None, True)
    return _not_an_object(value, len(line))


_TELLING = frozenset(("type", "_type", "jsonrpc", "method", "messages", "msg", "payload", "dir"))


def _not_an_object(value: object, length: int) -> Parsed:
    # `claude -p --output-format json --verbose` is an array of records, and so are copied logs.
    if (
        isinstance(value, list)
        and value
        and all(isinstance(item, dict) and not _TELLING.isdisjoint(item) for item in value)
    ):
        return Parsed([Found(item, 0, length) for item in value], None, True)
    return Parsed([], f"JSON, but not an object: {_kind(value)}", False)


def _parse_odd(line: bytes) -> Parsed:
    stripped = line.strip(_BLANK)
    if not stripped:
        return _EMPTY
    if not stripped.strip(b"\0 \t\r"):
        return Parsed([], "NUL bytes instead of a record", False)
    body = stripped.removeprefix(_BOM)
    text = body.decode("utf-8", "replace")
    broken_utf8 = "\ufffd" in text and _is_broken_utf8(body)
    try:
        value = _TOLERANT.decode(text)
    except RecursionError:
        return Parsed([], "nested too deeply", False)
    except ValueError as error:
        reason = _reason(error, text)
    else:
        damage = "invalid UTF-8, replaced by U+FFFD" if broken_utf8 else None
        if isinstance(value, dict):
            return Parsed([Found(value, 0, len(line))], damage, True)
        return _not_an_object(value, len(line))
    return _salvage(line, reason)


def _is_broken_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _salvage(line: bytes, reason: str) -> Parsed:
    # latin-1 keeps one character per byte, so that the positions found are byte positions.
    text = line.decode("latin-1")
    found: list[Found] = []
    position, attempts, scanned = 0, 0, 0
    while (match := _RECORD_START.search(text, position)) and attempts < _MOST_ATTEMPTS:
        attempts += 1
        start = match.start()
        end = _object_end(text, start)
        scanned += (end or len(text)) - start
        value = _load(line[start:end]) if end else None
        if value is not None and end and _is_record(value, text, end):
            found.append(Found(value, start, end))
            position = end
            attempts = 0
        else:
            position = start + 1
        if scanned > _MOST_REPEATED_READING * len(text) + _READ_AT_LEAST:
            break
    if len(found) > 1 and _only_blank_between(line, found):
        reason = f"{len(found)} records on one line"
    elif found and not line[: found[0].start].strip(b"\0 \t\r"):
        reason = "NUL bytes beside a record"
    elif found:
        reason = "a torn record beside a whole one"
    return Parsed(found, reason, False)


# Possessive, and an unterminated string is one token to the end: linear on every input.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[{}\[\]]', re.S)


def _object_end(text: str, start: int) -> int | None:
    """Where the object that begins at `start` closes; None if it never does."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text, start):
        token = match.group()
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _load(data: bytes) -> Object | None:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            value = _TOLERANT.decode(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _is_record(value: Object, text: str, end: int) -> bool:
    after = text[end : end + 1]
    if not after.strip("\0 \t\r") and not text[end:].strip("\0 \t\r"):
        return True
    return after == "{" or any(key in value for key in _ENVELOPE)


def _only_blank_between(line: bytes, found: list[Found]) -> bool:
    edges = [0, *(edge for item in found for edge in (item.start, item.end)), len(line)]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return not any(line[start:end].strip(b"\0 \t\r") for start, end in gaps)


def _reason(error: ValueError, text: str) -> str:
    if not text.startswith("{"):
        return "not JSON"
    if isinstance(error, json.JSONDecodeError):
        what = error.msg.removesuffix(" at")  # "Unterminated string starting at"
        return f"broken JSON: {what} at character {error.pos + 1}"
    return "broken JSON: a number too long to read"


def _bounded_int(digits: str) -> int | float:
    # int() refuses more than 4,300 digits, and nothing here counts that far.
    return int(digits) if len(digits) < 400 else float(digits)


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


_TOLERANT = json.JSONDecoder(strict=False, parse_int=_bounded_int)
