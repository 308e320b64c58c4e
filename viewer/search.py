"""Searching all text of a session: prompts, replies, tool inputs and outputs, sub-agents.

The bytes of the files are searched first; only lines that may hold the words are parsed, and only
text that a person could read counts (not ids, times or signatures). Results come piece by piece.
"""

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from viewer.bodies import Changed, Source, blocks_of, records_in
from viewer.formats import claude, format_of
from viewer.load import Transcript
from viewer.model import Call, Hook, Row
from viewer.nodes import Thing
from viewer.outline import thing_of, thing_of_entry
from viewer.session import Session
from viewer.text import clean

_BLOCK = 1 << 20
# Characters that JSON writers may write in another way.
_PLAIN_RUN = re.compile(r"[ !#-.0-;=?-\[\]-~]+")
_NOT_TEXT = frozenset(
    """uuid parentUuid logicalParentUuid sessionId session_id timestamp version requestId signature
    id tool_use_id toolUseID parentToolUseID messageId leafUuid promptId agentId type role
    stop_reason stop_sequence usage gitBranch userType entrypoint cwd slug data media_type base64
    sourceToolAssistantUUID message_id model originalFile""".split()
)


_FOREIGN = frozenset(("input", "toolUseResult", "tool_use_result"))
_FOREIGN_OF_RESULT = frozenset(("content",))
_MEDIA = frozenset(("data", "media_type"))
_NONE: frozenset[str] = frozenset()


class Query:
    """Words to look for: literally, and in any case unless one letter is a capital."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.exact = words != words.lower()
        flags = re.NOFLAG if self.exact else re.IGNORECASE
        self._pattern = re.compile(re.escape(words), flags)
        runs = _PLAIN_RUN.findall(words)
        self.needle = max(runs, key=len, default="").encode()
        if not self.exact:
            self.needle = self.needle.lower()

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in self._pattern.finditer(text)] if self.words else []

    def is_in(self, text: str) -> bool:
        return self._pattern.search(text) is not None


class Hit(NamedTuple):
    thing: Thing
    session: Session
    bulk: bool  # stands in what only the model reads


def search(transcript: Transcript, query: Query) -> Iterator[list[Hit]]:
    """The hits, a list for each piece that was looked at."""
    seen: set[int] = set()
    for session, _ in transcript.sessions():
        yield from _search_rows(transcript, session, session.rows, query, seen)
        yield from _search_joined(transcript, session, query, seen)


def search_rows(
    transcript: Transcript, session: Session, rows: list[Row], query: Query
) -> list[Hit]:
    """The hits in some rows of a session."""
    found = _search_rows(transcript, session, rows, query, set())
    return [hit for hits in found for hit in hits]


def _search_rows(
    transcript: Transcript, session: Session, rows: list[Row], query: Query, seen: set[int]
) -> Iterator[list[Hit]]:
    try:
        fd = transcript.open(session)
    except OSError:
        return
    try:
        for candidates in _candidates(fd, rows, query):
            hits: list[Hit] = []
            for group, line in candidates:
                for thing in _things(group, line, query, session):
                    if id(thing) not in seen:
                        seen.add(id(thing))
                        hits.append(Hit(thing, session, _is_bulk(thing)))
            yield hits
    finally:
        os.close(fd)


def _search_joined(
    transcript: Transcript, session: Session, query: Query, seen: set[int]
) -> Iterator[list[Hit]]:
    """Texts that came in pieces: the words may stand across two of them."""
    source = Source(transcript)
    for entry in session.joined:
        if id(entry) in seen:
            continue
        try:
            found = query.is_in(source.text(entry, session))
        except Changed:
            continue
        if found:
            seen.add(id(entry))
            yield [Hit(entry, session, _is_bulk(entry))]
        else:
            yield []


def _is_bulk(thing: Thing) -> bool:
    return not isinstance(thing, (Call, Hook)) and bool(getattr(thing, "hidden", False))


def _candidates(fd: int, rows: list[Row], query: Query) -> Iterator[list[tuple[list[Row], bytes]]]:
    """Rows whose bytes may hold the words, block by block; rows of the same bytes together."""
    if not rows:
        return
    # The damage of a line comes behind the records that were saved from it.
    rows = sorted(rows, key=lambda row: (row.start, -row.end))
    starts = [row.start for row in rows]
    at, end = starts[0], max(row.end for row in rows)
    while at < end:
        index = bisect_right(starts, at) - 1
        last = max(index + 1, bisect_right(starts, at + _BLOCK) - 1)
        stop = starts[last] if last < len(rows) else end
        data = os.pread(fd, stop - at, at)
        if not data:
            return
        found: list[tuple[list[Row], bytes]] = []
        haystack = data if query.exact else data.lower()
        position = 0
        while (position := haystack.find(query.needle, position)) >= 0:
            each = max(0, bisect_right(starts, at + position) - 1)
            row = rows[each]
            first = each
            if row.part is not None:
                first = bisect_left(starts, row.start, 0, each)
            found.append((rows[first : each + 1], data[max(0, row.start - at) : row.end - at]))
            following = starts[each + 1] if each + 1 < len(rows) else end
            position = max(following - at, position + 1)
        yield found
        at = stop


def _things(rows: list[Row], line: bytes, query: Query, session: Session) -> Iterator[Thing]:
    records = records_in(line, session)
    if not records:
        # Damaged lines are searched as they are.
        thing = thing_of(rows[-1])
        if thing is not None and query.is_in(clean(line.decode("utf-8", "replace"))):
            yield thing
        return
    for row in rows:
        place = row.part or 0
        if place < len(records):
            yield from _things_of(row, records[place], query, session)


def _things_of(row: Row, record: dict[str, Any], query: Query, session: Session) -> list[Thing]:
    content = blocks_of(record, session)
    is_claude = format_of(session.format) is claude.FORMAT
    if len(content) > 1 and len(row.entries) == len(content):
        pairs = zip(row.entries, content, strict=True)
        things: list[Thing] = [thing_of_entry(e) for e, block in pairs if holds(block, query)]
        if things:
            return things
    answers = [block for block in content if "tool_use_id" in block]
    if len(answers) > 1:
        held = [block["tool_use_id"] for block in answers if holds(block, query)]
        calls = [session.calls[id] for id in held if isinstance(id, str) and id in session.calls]
        if calls:
            return [*calls]
    thing = thing_of(row)
    # Records of other formats say much about themselves; what they hold is in their blocks.
    searched = content if content and not is_claude else record
    return [thing] if thing is not None and holds(searched, query) else []


def holds(value: object, query: Query) -> bool:
    """Whether a text somewhere in a value holds the words. What a record says about itself (ids,
    times, versions) is no text; whatever stands in the input or result of a tool is."""
    stack: list[tuple[object, bool]] = [(value, True)]
    while stack:
        each, own = stack.pop()
        if isinstance(each, str):
            if query.is_in(each):
                return True
        elif isinstance(each, dict):
            foreign = _FOREIGN_OF_RESULT if each.get("type") == "tool_result" else _FOREIGN
            skipped = _NOT_TEXT if own else _MEDIA if "media_type" in each else _NONE
            stack += [
                (inner, own and key not in foreign)
                for key, inner in each.items()
                if key not in skipped or isinstance(inner, (dict, list))
            ]
        elif isinstance(each, list):
            stack += [(inner, own) for inner in each]
    return False
