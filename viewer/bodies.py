"""The whole of what a record says, read again by its byte span when somebody looks at it.

The model keeps only the beginnings of texts. Nothing here opens a path that a transcript names;
the only files read are those the transcript was read from.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from viewer.formats import format_of
from viewer.formats.parse import parse
from viewer.load import Transcript
from viewer.model import Call, Entry, Row
from viewer.session import Session

Json = dict[str, Any]

_MOST_ROWS = 2_000  # records of one call that are read to be shown
_MOST = 64 << 20  # bytes of one record that are read to be shown


class Changed(Exception):
    """The file no longer holds what was read from it."""


@dataclass(slots=True)
class Result:
    """What a call answered."""

    text: str
    error: bool = False
    media: list[Json] = field(default_factory=list)  # what is no text: images, ...
    diffs: list[Json] = field(default_factory=list)  # of files, as ACP has them: path, old and new
    structured: object = None  # what the program notes beside the message
    sender: Json = field(default_factory=dict)  # the whole record


@dataclass(slots=True)
class CallBody:
    name: str
    input: object
    result: Result | None
    kind: str = "other"
    notes: list[Json] = field(default_factory=list)  # what other records tell of it


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
        record = record_in(self.raw(row, session), row, session)
        if record is None:
            raise Changed("the file has changed since it was read")
        return record

    def blocks(self, row: Row, session: Session) -> list[Json]:
        """What a record says, as blocks of the Messages API."""
        return blocks_of(self.record(row, session), session)

    def call(self, call: Call, session: Session) -> CallBody:
        body = CallBody(call.name, None, None, call.kind)
        rows = [call.row, *call.updates]
        if call.result is not None and call.result not in rows:
            rows.append(call.result)
        if len(rows) > _MOST_ROWS:
            left = len(rows) - _MOST_ROWS
            body.notes.append({"title": f"{left} records of its progress are left out here"})
            rows = [*rows[: _MOST_ROWS // 2], *rows[-_MOST_ROWS // 2 :]]
        output: list[str] = []  # of its terminal, which comes in pieces
        for row in rows:
            record = self.record(row, session)
            _take_call(body, blocks_of(record, session), call, record, output)
        if output:
            body.result = body.result or Result("")
            body.result.text = "".join(output)
        if call.result is None and call.stated is None:
            body.result = None
        elif body.result is None:
            body.result = _result({}, record)
        return body

    def _pieces(self, entry: Entry, session: Session) -> Iterator[list[Json]]:
        """What the records of a text in pieces say. They stand close together: one look at the
        file is enough."""
        rows = (entry.row, *entry.more)
        begin, end = rows[0].start, rows[-1].end
        if end - begin > _MOST:
            yield from (self.blocks(row, session) for row in rows)
            return
        span = Row(entry.row.line, begin, end, "", None)
        data = self.raw(span, session)
        for row in rows:
            record = record_in(data[row.start - begin : row.end - begin], row, session)
            if record is None:
                raise Changed("the file has changed since it was read")
            yield blocks_of(record, session)

    def step(self, entry: Entry, session: Session) -> CallBody | None:
        """What a note tells of a call that is none of the conversation's own."""
        record = self.record(entry.row, session)
        blocks = blocks_of(record, session) if session.format != "claude" else []
        asked = _find(blocks, "tool_use", "id", None)
        if entry.kind != "note" or asked is None:
            return None
        body = CallBody(str(asked.get("name")), asked.get("input"), None)
        answer = _find(blocks, "tool_result", "tool_use_id", None)
        body.result = _result(answer, record) if answer is not None else None
        return body

    def text(self, entry: Entry, session: Session) -> str:
        """The whole text of an entry."""
        if entry.more:
            return "".join(map(_first_text, self._pieces(entry, session)))
        record = self.record(entry.row, session)
        blocks = format_of(session.format).content(record)
        if blocks is None:
            return entry_text(record, entry)
        return _text_of_block(blocks, entry)


def record_in(raw: bytes, row: Row, session: Session) -> Json | None:
    """The record of a row in its bytes: all of them, or one of several things they hold."""
    records = records_in(raw, session)
    place = row.part or 0
    return records[place] if place < len(records) else None


def records_in(raw: bytes, session: Session) -> list[Json]:
    """The records that some bytes hold: mostly one."""
    parts = format_of(session.format).parts
    return [part for each in parse(raw).objects for part in parts(each.value)]


def blocks_of(record: Json, session: Session) -> list[Json]:
    blocks = format_of(session.format).content(record)
    if blocks is None:
        content = _content(record)
        blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


def _first_text(blocks: list[Json]) -> str:
    for block in blocks:
        text = block.get(_FIELDS.get(str(block.get("type")), ""))
        if isinstance(text, str):
            return text
    return ""


def _take_call(
    body: CallBody, blocks: list[Json], call: Call, record: Json, output: list[str]
) -> None:
    """Add what a record tells of a call. What was asked and answered first counts, unless the
    format says that later records replace it."""
    asked = _find(blocks, "tool_use", "id", call.id)
    if asked is not None:
        if "input" in asked and (body.input is None or asked.get("replaces")):
            body.input = asked["input"]
        if "shown" in asked:
            body.notes.append(asked["shown"])
    answer = _find(blocks, "tool_result", "tool_use_id", call.id)
    if answer is not None and (body.result is None or answer.get("replaces")):
        known = body.result
        body.result = _result(answer, record)
        if known is not None and "content" not in answer:
            known.structured, known.sender = body.result.structured, record
            body.result = known
    for block in blocks:
        if block.get("type") == "noted":
            body.notes.append(block)
        elif block.get("type") == "terminal_output" and isinstance(block.get("text"), str):
            if block.get("whole"):
                output.clear()
            output.append(block["text"])


def _content(record: Json) -> object:
    message = record.get("message")
    if not isinstance(message, dict):
        data = record.get("data")
        quoted = data.get("message") if isinstance(data, dict) else None
        message = quoted.get("message") if isinstance(quoted, dict) else None
    return message.get("content") if isinstance(message, dict) else None


def _find(blocks: list[Json], type: str, key: str, id: str | None) -> Json | None:
    of_type = [block for block in blocks if block.get("type") == type]
    for block in of_type:
        nested = block.get(type)
        body = nested if isinstance(nested, dict) and key not in block else block
        if body.get(key) == id:
            return body
    return of_type[0] if len(of_type) == 1 else None


def read_result(record: Json, id: str | None) -> Result:
    """What one of Claude Code's records answers to a call."""
    content = _content(record)
    blocks = (
        [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    )
    block = _find(blocks, "tool_result", "tool_use_id", id)
    return _result(block or {}, record)


def _result(block: Json, record: Json) -> Result:
    structured = record.get("toolUseResult", record.get("tool_use_result"))
    structured = block.get("structured", structured)
    content = block.get("content")
    media: list[Json] = []
    diffs: list[Json] = []
    texts: list[str] = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            texts.append(item["text"])
        elif isinstance(item, dict) and item.get("type") == "tool_reference":
            texts.append(str(item.get("tool_name"))[:200])
        elif isinstance(item, dict):
            (diffs if item.get("type") == "diff" else media).append(item)
    return Result("\n".join(texts), block.get("is_error") is True, media, diffs, structured, record)


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
