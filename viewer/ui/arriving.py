"""Opening a session at a place that a search has found: the cursor goes there as soon as that is
read, and the other hits are found when all is."""

import asyncio
import os
import time
from bisect import bisect_left
from typing import TYPE_CHECKING

from viewer.everywhere import Place
from viewer.load import Transcript
from viewer.model import Call
from viewer.nodes import Node, Thing
from viewer.outline import thing_of
from viewer.session import Session
from viewer.ui.pace import SLICE, breathe

if TYPE_CHECKING:
    from viewer.ui.reader import Reader

_LOOK_EVERY = 0.03


async def arrive(reader: "Reader", at: Place, words: str) -> None:
    """Go to a place, unless the reader goes somewhere else meanwhile."""
    reader.seek(words)
    reader.brought = query = reader.finder.query
    outline, transcript = reader.outline, reader.feed.reading.transcript
    begun = outline.current.item if outline.current is not None else None

    def is_free() -> bool:
        if reader.finder.query is not query:
            return False
        return begun is None or (outline.current is not None and outline.current.item is begun)

    while (found := _thing_at(transcript, at)) is None and reader.busy:
        await asyncio.sleep(_LOOK_EVERY)
    if found is not None and is_free() and outline.reveal(*found):
        reader.arrived()
        begun = outline.current.item if outline.current is not None else None
    while reader.busy:
        await asyncio.sleep(_LOOK_EVERY)
    worked = time.perf_counter()
    steps = reader.finder.steps(outline)
    while reader.finder.query is query and next(steps, steps) is not steps:
        if time.perf_counter() - worked > SLICE:
            reader.say()
            await breathe(reader.app)
            worked = time.perf_counter()
    if is_free() and (found := _thing_at(transcript, at)) is not None:
        # Its file may have been tied to its call since; and it may share the line with others.
        outline.reveal(*found)
        hits = [node for node in reader.finder.hits if _is_of(node, found[1], at.line)]
        if hits and not any(node is outline.current for node in hits):
            reader.finder.show(outline, hits[0])
        reader.arrived()
    if found is None and reader.finder.query is query:
        reader.note = f"line {at.line} shows nothing by itself"
    reader.say()


def _is_of(node: Node, session: Session, line: int) -> bool:
    """Whether a line says something of a node."""
    if node.scope.session is not session:
        return False
    item = node.item
    rows = [node.row, item.result, *item.updates] if isinstance(item, Call) else [node.row]
    return any(row is not None and row.line == line for row in rows)


def _thing_at(transcript: Transcript, at: Place) -> tuple[Thing, Session] | None:
    """What is shown for a line of a file, once it was read."""
    for session, agent in transcript.sessions():
        path = transcript.path if agent is None else agent.path
        if path is None or os.path.abspath(path) != os.path.abspath(at.file):
            continue
        index = bisect_left(session.rows, at.line, key=lambda row: row.line)
        for row in session.rows[index:]:
            if row.line != at.line:
                break
            if (thing := thing_of(row)) is not None:
                return thing, session
    return None
