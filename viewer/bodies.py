"""The whole of what a record says, read again by its byte span when somebody looks at it.

The model keeps only the beginnings of texts. Nothing here opens a path that a transcript names;
the only files read are those the transcript was read from.
"""

import os
from dataclasses import dataclass, field
from typing import Any

from viewer.formats.parse import parse
from viewer.load import Transcript
from viewer.model import Call, Entry, Row
from viewer.session import Session

Json = dict[str, Any]

_MOST = 64 << 20  # bytes of one record that are read to be shown


class Changed(Exception):
    """The file no longer holds what was read from it."""


@dataclass(slots=True)
class Result:
    """What a call answered."""

    text: str
    error: bool = False
    media: list[Json] = field(default_factory=list)  # images and documents, as their blocks
    structured: object = None  # what the program notes beside the message
    sender: Json = field(default_factory=dict)  # the whole record


@dataclass(slots=True)
class CallBody:
    name: str
    input: object
    result: Result | None


class Source:
    """Reads records of a transcript again."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def raw(self, row: Row, session: Session) -> bytes:
        """The bytes of a record."""
        try:
            fd = self._transcript.open(session)
        except OSError as error:
            raise Changed(f"the file cannot be read: {error.strerror}") from None
        try:
            return os.pread(fd, min(row.end - row.start, _MOST), row.start)
        finally:
            os.close(fd)

    def record(self, row: Row, session: Session) -> Json:
        found = parse(self.raw(row, session)).objects
        if not found:
            raise Changed("the file has changed since it was read")
        # Records of an array on one line share its span; the right one is not told apart here.
        return found[0].value

    def call(self, call: Call, session: Session) -> CallBody:
        asked = _block(self.record(call.row, session), "tool_use", "id", call.id)
        input = asked.get("input") if asked else None
        result = None
        if call.result is not None:
            result = read_result(self.record(call.result, session), call.id)
        return CallBody(call.name, input, result)

    def text(self, entry: Entry, session: Session) -> str:
        """The whole text of an entry."""
        return entry_text(self.record(entry.row, session), entry)


def _content(record: Json) -> object:
    message = record.get("message")
    if not isinstance(message, dict):
        data = record.get("data")
        quoted = data.get("message") if isinstance(data, dict) else None
        message = quoted.get("message") if isinstance(quoted, dict) else None
    return message.get("content") if isinstance(message, dict) else None


def _block(record: Json, type: str, key: str, id: str | None) -> Json | None:
    content = _content(record)
    blocks = (
        [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    )
    of_type = [block for block in blocks if block.get("type") == type]
    for block in of_type:
        nested = block.get(type)
        body = nested if isinstance(nested, dict) and key not in block else block
        if body.get(key) == id:
            return body
    return of_type[0] if len(of_type) == 1 else None


def read_result(record: Json, id: str | None) -> Result:
    block = _block(record, "tool_result", "tool_use_id", id)
    structured = record.get("toolUseResult", record.get("tool_use_result"))
    if block is None:
        return Result("", structured=structured, sender=record)
    content = block.get("content")
    media: list[Json] = []
    texts: list[str] = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            texts.append(item["text"])
        elif isinstance(item, dict) and item.get("type") == "tool_reference":
            texts.append(str(item.get("tool_name"))[:200])
        elif isinstance(item, dict):
            media.append(item)
    return Result("\n".join(texts), block.get("is_error") is True, media, structured, record)


_FIELDS = {"text": "text", "thinking": "thinking"}


def entry_text(record: Json, entry: Entry) -> str:
    content = _content(record)
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return _text_of_block(content, entry)
    for key in ("content", "text", "message", "summary"):
        if isinstance(value := record.get(key), str):
            return value
    attachment = record.get("attachment")
    if isinstance(attachment, dict):
        for key in ("prompt", "content", "snippet", "planContent", "message", "text"):
            value = attachment.get(key)
            if isinstance(value, str):
                return value
            if isinstance(value, list):
                return "\n".join(each if isinstance(each, str) else str(each.get("text", ""))
                                 for each in value if isinstance(each, (str, dict)))  # fmt: skip
    return entry.text


def _text_of_block(content: list[Any], entry: Entry) -> str:
    """The block that an entry was made of: of those with a text, the one that begins like it."""
    start = entry.text[:40]
    texts: list[str] = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            field = _FIELDS.get(str(block.get("type")))
            if field and isinstance(block.get(field), str):
                texts.append(block[field])
            elif block.get("type") == "tool_result" and entry.kind == "orphan":
                texts.append(read_result({"message": {"content": [block]}}, None).text)
    if len(texts) == 1 or not start:
        return texts[0] if texts else entry.text
    # Blocks that begin alike stand in the order of their entries.
    alike = [each for each in entry.row.entries if each.text[:40] == start]
    number = next((n for n, each in enumerate(alike) if each is entry), 0)
    found = [text for text in texts if start in text[:400]]
    return found[min(number, len(found) - 1)] if found else entry.text
