"""Files that are one JSON document over many lines, not one object a line: what an editor copies
to the clipboard, a request body saved for study, the output of `jq .`.

An array's elements are its records, and so are objects that stand one behind the other. Each keeps
its own bytes, so that it can be read again without the others. Pretty-printers indent, and a JSON
string holds no newline: the elements of a document are found by the indentation of the first one.
Where that does not lead to the next one, the elements are parsed one by one.
"""

import json
import re
from collections.abc import Generator, Iterator

import orjson

from viewer.formats.parse import Found, Object, parse

_BOM = b"\xef\xbb\xbf"
_ARRAY = re.compile(rb"\[\s*(?:[\[{]|$)")  # and not `[client] {...}`
_FIRST = re.compile(rb"(?:\[\s*?)?\n?([ \t]*)\{")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],"]', re.S)
_BETWEEN = re.compile(r"[ \t\r\n,\[\]\0]*")
_WITHIN = re.compile(r"[ \t\r\n,:]*")
_NOTHING = b" \t\r\n,[]\0"  # what may stand between elements
# Only to find where a value ends: whatever number it is.
_SCAN = json.JSONDecoder(strict=False, parse_int=float)


def begins(lines: list[bytes]) -> bool:
    """Whether a file that begins with these lines is a document and not a file of lines."""
    shown = [line for line in lines[:50] if line.strip()]
    if not shown:
        return False
    first = shown[0].removeprefix(_BOM).strip()
    if _ARRAY.match(first):
        return not first.endswith(b"]")
    if not first.startswith(b"{") or not first.endswith((b"{", b"[", b",")):
        return False
    # A record that was cut off is followed by another one, which is not indented.
    if len(shown) == 1:
        return first == b"{"
    return shown[1][:1] in (b" ", b"\t") or (first == b"{" and shown[1][:1] in (b'"', b"}"))


def split(data: bytes) -> Generator[Found, None, str | None]:
    """The objects of a document, each with its place; at last, what is wrong with the rest."""
    end = len(_BOM) if data.startswith(_BOM) else 0
    count = odd = opened = 0
    for found in _by_indentation(data, end):
        opened += _opened(data, end, found.start)
        yield found
        end, count = found.end, count + 1
    if not count or data[end:].strip(_NOTHING):
        for start, stop in _one_by_one(data, end):
            opened += _opened(data, end, start)
            end = stop
            if (loaded := _load(data[start:stop])) is not None:
                yield Found(loaded, start, stop)
                count += 1
            else:
                odd += 1
    if data[end:].strip(_NOTHING):
        return "the JSON document is broken, or ends too early"
    if opened + _opened(data, end, len(data)) > 0:
        return "the JSON document ends too early"
    if count == 0:
        return "JSON, but no transcript"
    return f"{odd} of its elements are no objects" if odd else None


def closed(data: bytes) -> bytes:
    """A document of which only the beginning is there, closed behind what is whole of it."""
    opened: list[bytes] = []
    end, closing = len(data), b""
    for match in _TOKEN.finditer(data):
        token = match.group()
        if token in (b"{", b"["):
            opened.append(b"}" if token == b"{" else b"]")
        elif token in (b"}", b"]"):
            del opened[-1:]
        elif token == b",":
            end, closing = match.start(), b"".join(reversed(opened))
        elif token == b'"':  # of a string that does not end
            break
    return data[:end] + closing if opened else data


def _opened(data: bytes, start: int, end: int) -> int:
    """How many more arrays are opened than closed between elements."""
    return data.count(b"[", start, end) - data.count(b"]", start, end)


def _by_indentation(data: bytes, end: int) -> Iterator[Found]:
    match = _FIRST.match(data, end + len(data[end:]) - len(data[end:].lstrip()))
    if match is None:
        return
    indent = match[1]
    opening, closing = b"\n" + indent + b"{", b"\n" + indent + b"}"
    start = match.end() - 1
    while True:
        line_end = data.find(b"\n", start)
        line_end = line_end if line_end >= 0 else len(data)
        value, end = None, start + len(data[start:line_end].rstrip(b", \t\r]"))
        if data[end - 1 : end] == b"}":
            value = _load(data[start:end])
        if value is None:
            close = data.find(closing, start)
            if close < 0:
                return
            end = close + len(closing)
            value = _load(data[start:end])
        if value is None:
            return
        yield Found(value, start, end)
        following = data.find(opening, end)
        if following < 0 or data[end:following].strip(_NOTHING):
            return
        start = following + len(opening) - 1


def _load(data: bytes) -> Object | None:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        parsed = parse(data)
        if not parsed.whole or len(parsed.objects) != 1:
            return None
        value = parsed.objects[0].value
    return value if isinstance(value, dict) else None


def elements(data: bytes, key: str, inside: tuple[str, ...]) -> list[int]:
    """Where the elements of an array begin that an object holds under a key, at its top level or
    in the objects under other keys."""
    text = data.decode("latin-1")
    try:
        at = _member(text, 0, key, inside)
        return [place for place, _ in _values(text, at + 1)] if text[at : at + 1] == "[" else []
    except (ValueError, RecursionError):
        return []


def _member(text: str, at: int, key: str, inside: tuple[str, ...]) -> int:
    """Where the value under a key begins. Raises ValueError where there is none."""
    within: list[int] = []
    values = _values(text, text.index("{", at) + 1)
    for name, (place, _) in zip(values, values, strict=False):
        word = text[name[0] + 1 : name[1] - 1]
        if word == key:
            return place
        if word in inside and text[place] == "{":
            within.append(place)
    for place in within:
        try:
            return _member(text, place, key, inside)
        except ValueError:
            continue
    raise ValueError


def _values(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The places of what an array or object holds; of an object, of keys and values in turn."""
    while (match := _WITHIN.match(text, at)) is not None:
        at = match.end()
        if text[at : at + 1] in ("]", "}", ""):
            return
        _, end = _SCAN.raw_decode(text, at)
        yield at, end
        at = end


def _one_by_one(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """The places of the values from a place on, as far as they can be parsed."""
    # latin-1 keeps one character per byte, so that the positions found are byte positions.
    text = data[start:].decode("latin-1")
    position = 0
    while True:
        match = _BETWEEN.match(text, position)
        position = match.end() if match else position
        try:
            _, end = _SCAN.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        yield start + position, start + end
        position = end
