"""Builds one session's file as Claude Code writes it: the uuids, the clock, the envelope.

Fields that no reader needs are left out of most records, to keep the samples small.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

Object = dict[str, Any]

MODEL = "claude-opus-5-5"


def to_json(value: Object) -> str:
    """One line of pure ASCII, so that no sample can harm a terminal that prints its file."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


class Log:
    """A session's file. Every method that writes a record returns what later records refer to."""

    def __init__(self, number: int, project: str, version: str, agent_id: str = "") -> None:
        self.number = number
        self.project = project
        self.version = version
        self.session_id = f"{number:08d}-5a00-4000-8000-{number:012d}"
        self.agent_id = agent_id
        self.place = ""  # of a sub-agent's file: "beside" its session or in "subagents"
        self.meta: Object | None = None
        self.agents: list[Log] = []
        self.cwd = f"/home/demo/{project}"
        self.last: str | None = None  # the uuid that the next record names as its parent
        self.sidechain = bool(agent_id)
        self.now = datetime(2026, 9, 1, 9, 0, tzinfo=UTC) + timedelta(days=number)
        self._lines: list[bytes] = []
        self._count = 0
        self._message = ""
        self._asked: dict[str, str] = {}  # the uuid of each call

    # Records

    def time(self, seconds: float = 1.5) -> str:
        self.now += timedelta(seconds=seconds)
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"

    def name(self, kind: str = "u") -> str:
        """The next uuid. Those of sub-agents differ from those of their session."""
        self._count += 1
        owner = sum(map(ord, self.agent_id)) + (1 if kind == "u" else 2)
        return f"{self.number:08d}-{owner:04x}-4000-8000-{self._count:012x}"

    def raw(self, line: bytes) -> None:
        self._lines.append(line)

    def object(self, value: Object) -> None:
        self.raw(to_json(value).encode())

    def state(self, type: str, **fields: Any) -> None:
        """A record without a place in the chain."""
        self.object({"type": type, **fields, "sessionId": self.session_id})

    def title(self, text: str, kind: str = "custom") -> None:
        self.state(f"{kind}-title", **{f"{kind}Title": text})

    def make(self, type: str, parent: str | None, **fields: Any) -> Object:
        record: Object = {"parentUuid": parent, "isSidechain": self.sidechain}
        if self.agent_id:
            record["agentId"] = self.agent_id
        record |= {"type": type, **fields, "uuid": self.name(), "timestamp": self.time()}
        record |= {"cwd": self.cwd, "sessionId": self.session_id}
        return record | {"version": self.version}

    def add(self, type: str, **fields: Any) -> str:
        """A record that follows the last one."""
        record = self.make(type, self.last, **fields)
        self.object(record)
        self.last = str(record["uuid"])
        return self.last

    def beside(self, type: str, **fields: Any) -> None:
        """A record that hangs on the last one without leading the chain on."""
        self.object(self.make(type, self.last, **fields))

    # Messages

    def prompt(self, content: str | list[Object], **fields: Any) -> str:
        message = {"role": "user", "content": content}
        return self.add("user", message=message, **fields, gitBranch="main")

    def say(self, text: str, *, same: bool = False) -> str:
        return self.block({"type": "text", "text": text}, same=same)

    def think(self, text: str) -> str:
        return self.block({"type": "thinking", "thinking": text, "signature": "c2FtcGxl"})

    def block(self, *blocks: Object, same: bool = False, stop: str | None = None) -> str:
        """A line of an assistant message; `same` continues the message of the line before."""
        if not same:
            self._message = f"msg_{self.number:02d}{self.agent_id}{self._count + 1:04d}"
        if stop is None:
            stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 12, "output_tokens": 40 + self._count}
        usage["cache_read_input_tokens"] = 9000
        message: Object = {"id": self._message, "role": "assistant"}
        message |= {"model": MODEL, "content": list(blocks), "stop_reason": stop, "usage": usage}
        return self.add("assistant", message=message)

    def new_call(self, tool: str, input: Object) -> Object:
        self._count += 1
        id = f"toolu_{self.number:02d}{self.agent_id}{self._count:04d}"
        return {"type": "tool_use", "id": id, "name": tool, "input": input}

    def call(self, tool: str, *, same: bool = False, **input: Any) -> str:
        """A call on a line of its own; its id."""
        return self.calls(self.new_call(tool, input), same=same)[0]

    def calls(self, *blocks: Object, same: bool = False) -> list[str]:
        """Several calls on one line; their ids."""
        uuid = self.block(*blocks, same=same)
        ids = [str(block["id"]) for block in blocks if block["type"] == "tool_use"]
        self._asked.update(dict.fromkeys(ids, uuid))
        return ids

    def result(self, id: str, content: Any, noted: Any = None, **fields: Any) -> None:
        """A result that follows its call. `noted` is what stands beside it as toolUseResult."""
        block: Object = {"tool_use_id": id, "type": "tool_result", "content": content}
        if "error" in fields:
            block["is_error"] = fields.pop("error")
        if noted is not None:
            fields["toolUseResult"] = noted
        self.last = self._asked[id]
        self.add("user", message={"role": "user", "content": [block]}, **fields)

    def fail(self, id: str, text: str, *, tagged: bool = False, **fields: Any) -> None:
        content = f"<tool_use_error>{text}</tool_use_error>" if tagged else text
        fields.setdefault("noted", f"Error: {text}"[:60])
        self.result(id, content, error=True, **fields)

    def bash(self, command: str, output: str, *, same: bool = False, **input: Any) -> str:
        """A command that ran, with its output."""
        id = self.call("Bash", same=same, command=command, **input)
        noted = {"stdout": output, "stderr": "", "interrupted": False}
        self.result(id, output, noted, error=False)
        return id

    def read(self, path: str, text: str, *, same: bool = False) -> str:
        """A file that was read."""
        id = self.call("Read", same=same, file_path=path)
        lines = text.split("\n")
        numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
        file = {"filePath": path, "content": text, "numLines": len(lines), "startLine": 1}
        file["totalLines"] = len(lines)
        self.result(id, numbered, {"type": "text", "file": file})
        return id

    # Everything else

    def attach(self, type: str, **fields: Any) -> None:
        self.beside("attachment", attachment={"type": type, **fields})

    def system(self, subtype: str, **fields: Any) -> str:
        return self.add("system", subtype=subtype, **fields)

    def progress(self, id: str, kind: str, run: str = "", **data: Any) -> None:
        data = {"type": kind, **data}
        self.beside("progress", data=data, toolUseID=run or id, parentToolUseID=id)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Records of a sub-agent in the same file, as up to 2.0.0."""
        before, self.last, self.sidechain = self.last, None, True
        yield
        self.last, self.sidechain = before, False

    def agent(self, agent_id: str, place: str, meta: Object | None = None) -> "Log":
        """The file of a sub-agent; its clock goes on from this one's."""
        agent = Log(self.number, self.project, self.version, agent_id)
        agent.place, agent.meta, agent.now = place, meta, self.now
        self.agents.append(agent)
        return agent

    # Files

    @property
    def path(self) -> str:
        folder = self.cwd.replace("/", "-")
        if not self.agent_id:
            return f"{folder}/{self.session_id}.jsonl"
        if self.place == "beside":
            return f"{folder}/agent-{self.agent_id}.jsonl"
        return f"{folder}/{self.session_id}/subagents/agent-{self.agent_id}.jsonl"

    def files(self) -> Iterator[tuple[str, bytes]]:
        yield self.path, b"".join(line + b"\n" for line in self._lines)
        if self.meta is not None:
            meta = json.dumps(self.meta, indent=1) + "\n"
            yield self.path.removesuffix(".jsonl") + ".meta.json", meta.encode()
        for agent in self.agents:
            yield from agent.files()
