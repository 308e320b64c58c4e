"""Small helpers that build records, files and sessions for tests."""

import json
from pathlib import Path
from typing import Any

from viewer.formats import decode
from viewer.model import Change
from viewer.session import Session
from viewer.tail import Chunk

Json = dict[str, Any]
_ONE_SECOND = "2026-03-01T10:{:02}:{:02}.000Z"


class Chain:
    """Builds the records of a file one after the other, each the child of the one before."""

    def __init__(self, session: str = "s") -> None:
        self.records: list[Json] = []
        self.session = session
        self.last: str | None = None
        self.defaults: Json = {}  # fields of every record from now on
        self.written = 0  # records that a test has written to a file

    def add(
        self, type: str, *, parent: str | None = "", uuid: str | None = None, **more: Any
    ) -> str:
        """Append a record and answer with its uuid."""
        number = len(self.records) + 1
        uuid = uuid or f"u{number}"
        record = {
            "parentUuid": self.last if parent == "" else parent,
            "isSidechain": False,
            "type": type,
            "uuid": uuid,
            "timestamp": _ONE_SECOND.format(number // 60 % 60, number % 60),
            "sessionId": self.session,
            "cwd": "/home/demo",
            "version": "2.1.326",
            **self.defaults,
            **more,
        }
        self.records.append(record)
        self.last = uuid
        return uuid

    def prompt(self, text: str, **more: Any) -> str:
        return self.add("user", message={"role": "user", "content": text}, **more)

    def reply(self, text: str, message: str | None = None, **more: Any) -> str:
        return self.said({"type": "text", "text": text}, message, **more)

    def call(self, id: str, name: str = "Bash", message: str | None = None, **input: Any) -> str:
        block = {"type": "tool_use", "id": id, "name": name, "input": input or {"command": "ls"}}
        return self.said(block, message)

    def said(self, block: Json, message: str | None = None, **more: Any) -> str:
        message = message or f"m{len(self.records)}"
        content = {"id": message, "role": "assistant", "content": [block]}
        return self.add("assistant", message=content, **more)

    def result(self, id: str, text: str = "ok", *, error: bool = False, **more: Any) -> str:
        return self.add(
            "user", message={"role": "user", "content": [result(id, text, error)]}, **more
        )

    def state(self, type: str, **fields: Any) -> None:
        self.records.append({"type": type, "sessionId": self.session, **fields})

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line + b"\n" for line in lines(*self.records)))
        return path


def result(id: str, text: str = "ok", error: bool = False) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error}


def lines(*records: Any) -> list[bytes]:
    return [json.dumps(record, separators=(",", ":")).encode() for record in records]


def session_of(chain: Chain | list[Json], batch: int | None = None) -> Session:
    """The session of some records, applied at once or in batches."""
    records = chain.records if isinstance(chain, Chain) else chain
    session = Session()
    size = batch or max(1, len(records))
    for start in range(0, len(records), size):
        apply(session, records[start : start + size], start + 1)
    return session


def apply(session: Session, records: list[Json], line: int = 1) -> Change:
    return session.apply(decode(Chunk(line, line * 100_000, lines(*records))))
