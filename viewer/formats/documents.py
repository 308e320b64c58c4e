"""Files that are one JSON document over many lines, not one object a line: what an editor copies
to the clipboard, a request body saved for study, the output of `jq .`.

An array's elements are its records, and so are objects that stand one behind the other. Each keeps
its own bytes, so that it can be read again without the others. Pretty-printers indent, and a JSON
string holds no newline: the elements of a document are found by the indentation of the first one.
Where that does not lead to the end, the elements are parsed one by one.
"""

import json
import re
from collections.abc import Generator, Iterator

import orjson

from viewer.formats.parse import Found, Object

_FIRST = re.compile(rb"\[\s*?\n?([ \t]*)\{")
_BETWEEN = re.compile(r"[\s,\[]*")
_SCAN = json.JSONDecoder(strict=False)


def begins(lines: list[bytes]) -> bool:
    """Whether a file that begins with these lines is a document and not a file of lines."""
    shown = [line.strip() for line in lines[:50] if line.strip()]
    if not shown:
        return False
    first = shown[0].removeprefix(b"\xef\xbb\xbf")
    if first in (b"[", b"{", b"[{"):
        return True
    if not first.startswith((b"{", b"[")) or not first.endswith((b"{", b"[", b",")):
        return False
    # A record that was cut off is followed by another one, which is not indented.
    second = next((line for line in lines[1:50] if line.strip()), b"")
    return second[:1] in (b" ", b"\t")


def split(data: bytes) -> Generator[Found, None, str | None]:
    """The objects of a document, each with its place; at last, what is wrong with the rest."""
    end = count = 0
    for found in _by_indentation(data):
        yield found
        end, count = found.end, count + 1
    if count and not _is_left_over(data, end):
        return None
    odd = 0
    for _, start, stop in _one_by_one(data, end):
        end = stop
        if (loaded := _load(data[start:stop])) is not None:
            yield Found(loaded, start, stop)
            count += 1
        else:
            odd += 1
    if _is_left_over(data, end):
        return "the JSON document is broken, or ends too early"
    if count == 0:
        return "JSON, but no transcript"
    return f"{odd} of its elements are no objects" if odd else None


def _is_left_over(data: bytes, end: int) -> bool:
    return bool(data[end:].strip(b" \t\r\n,[]\0"))


def _by_indentation(data: bytes) -> Iterator[Found]:
    match = _FIRST.match(data.lstrip())
    indent = match.group(1) if match else b""
    position = data.find(b"{") - len(indent)
    opening, closing = b"\n" + indent + b"{", b"\n" + indent + b"}"
    while position >= 0:
        start = position + len(indent)
        line_end = data.find(b"\n", start)
        line_end = line_end if line_end >= 0 else len(data)
        value, end = None, len(data[start:line_end].rstrip(b", \t\r]")) + start
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
        position = following + 1 if following >= 0 else -1


def _load(data: bytes) -> Object | None:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _one_by_one(data: bytes, start: int) -> Iterator[tuple[object, int, int]]:
    """The values from a place on, as far as they can be parsed, each with its place."""
    # latin-1 keeps one character per byte, so that the positions found are byte positions.
    text = data[start:].decode("latin-1")
    position = 0
    while True:
        match = _BETWEEN.match(text, position)
        position = match.end() if match else position
        try:
            value, end = _SCAN.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        yield value, start + position, start + end
        position = end
