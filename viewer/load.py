"""Files to sessions: a transcript is a session's file with the files of its sub-agents.

No path comes from inside a transcript. Sub-agents are sought by name in the session's own folder
(`<session>/subagents/**/agent-*.jsonl`) and beside it (`agent-*.jsonl` of 2.0.30 to 2.1.1), and
each file is read as a session of its own.
"""

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import orjson

from viewer.formats import decode, decode_rest
from viewer.formats.fields import mapping, string
from viewer.model import Agent, Call
from viewer.session import Session
from viewer.tail import Chunk, Splitter, Tail, open_regular, read_head

Report = Callable[[int], None]  # told how many more bytes were read

_META = 1 << 16


@dataclass(slots=True)
class Transcript:
    """One session to look at, with everything that belongs to it."""

    path: str
    session: Session
    agents: list[Agent] = field(default_factory=list)  # of all depths
    pending: int = 0  # bytes of an unfinished last line

    def sessions(self) -> Iterator[tuple[Session, Agent | None]]:
        """The session itself, then those of its sub-agents' files."""
        yield self.session, None
        for agent in self.agents:
            if agent.session is not None:
                yield agent.session, agent


def load(path: str, report: Report | None = None) -> Transcript:
    """Read a transcript whole. Raises OSError where its file cannot be read."""
    # Nothing in here makes garbage in circles; looking for it costs a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        tail = Tail(path)
        session = Session()
        # Tail waits for files that are not there; here the file must be.
        os.close(open_regular(path))
        _read(session, tail.read(), report)
        pending = _read_rest(session, tail.take_rest())
        tail.close()
        transcript = Transcript(path, session, pending=pending)
        _load_agents(transcript, report)
    finally:
        if collecting:
            gc.enable()
    return transcript


def load_stream(stream: IO[bytes], name: str = "-") -> Transcript:
    """Read a transcript from a pipe."""
    session, splitter = Session(), Splitter()
    while data := stream.read(1 << 16):
        if chunk := splitter.feed(data):
            session.apply(decode(chunk))
    pending = _read_rest(session, splitter.take_rest())
    transcript = Transcript(name, session, pending=pending)
    transcript.agents = session.agents.all
    return transcript


def _read(session: Session, chunks: Iterator[Chunk], report: Report | None) -> None:
    offset = 0
    for chunk in chunks:
        session.apply(decode(chunk), more=True)
        if report:
            end = chunk.start + sum(map(len, chunk.lines))
            report(end - offset)
            offset = end
    session.apply(())


def _read_rest(session: Session, chunk: Chunk | None) -> int:
    """A last line without newline counts if it is whole; else it is still being written."""
    if chunk is None:
        return 0
    records = decode_rest(chunk)
    if records is None:
        return len(chunk.lines[0])
    session.apply(records)
    return 0


# Sub-agents


def _load_agents(transcript: Transcript, report: Report | None) -> None:
    main = transcript.session
    found: list[tuple[Agent, dict[str, Any]]] = []
    for path in _agent_files(transcript):
        session = Session()
        try:
            tail = Tail(path)
            os.close(open_regular(path))
            _read(session, tail.read(), report)
            _read_rest(session, tail.take_rest())
            tail.close()
        except OSError:
            continue
        if session.facts.first_prompt == "Warmup":
            continue  # 2.0.30 to 2.1.1 started agents that did nothing
        name = os.path.basename(path)
        agent = Agent(name.removeprefix("agent-").removesuffix(".jsonl"))
        agent.file, agent.session = name, session
        agent.prompt = session.facts.first_prompt
        found.append((agent, _read_meta(path)))
    sessions = [main, *(agent.session for agent, _ in found if agent.session)]
    calls: dict[str, Call] = {}
    for session in sessions:
        for call_id, call in session.calls.items():
            calls.setdefault(call_id, call)
    known = {agent.id: agent for session in sessions for agent in session.agents.all if agent.id}
    for own, meta in found:
        agent = _merge(known.get(own.id or ""), own)
        agent.type = string(meta.get("agentType"))
        agent.description = string(meta.get("description"))
        agent.finished = meta.get("finished") is True
        starter = agent.call or calls.get(string(meta.get("toolUseId")) or "")
        starter = starter or _call_by_prompt(calls, agent.prompt)
        if starter is not None:
            agent.call, starter.agent = starter, agent
        transcript.agents.append(agent)
    with_file = set(map(id, transcript.agents))
    for session in sessions:
        transcript.agents += [a for a in session.agents.all if id(a) not in with_file]
    for agent in transcript.agents:
        if agent.call is not None:
            agent.type = agent.type or agent.call.agent_type
            agent.description = agent.description or agent.call.summary


def _merge(known: Agent | None, agent: Agent) -> Agent:
    """One agent from what its parent's file says of it and its own file."""
    if known is None or known.session is not None:
        return agent
    known.file, known.session = agent.file, agent.session
    known.prompt = known.prompt or agent.prompt
    return known


def _call_by_prompt(calls: dict[str, Call], prompt: str | None) -> Call | None:
    """Files before 2.1.197 are tied to their call by nothing but the text of the task."""
    if not prompt:
        return None
    return next(
        (call for call in calls.values() if call.agent is None and call.prompt == prompt), None
    )


def _agent_files(transcript: Transcript) -> Iterator[str]:
    """The files of the session's sub-agents, by name and place."""
    path = transcript.path
    if transcript.session.is_agent:
        return
    own_folder = os.path.join(os.path.splitext(path)[0], "subagents")
    for folder, _, names in os.walk(own_folder):
        for name in sorted(names):
            if _is_agent_file(name):
                yield os.path.join(folder, name)
    ids = {transcript.session.session_id, os.path.splitext(os.path.basename(path))[0]}
    folder = os.path.dirname(path) or "."
    try:
        beside = sorted(entry.name for entry in os.scandir(folder) if _is_agent_file(entry.name))
    except OSError:
        return
    for name in beside:
        if _first_session_id(os.path.join(folder, name)) in ids:
            yield os.path.join(folder, name)


def _is_agent_file(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def _first_session_id(path: str) -> str | None:
    chunk = Chunk(1, 0, read_head(path).split(b"\n")[:1])
    return next((r.session_id for r in decode(chunk) if isinstance(r.session_id, str)), None)


def _read_meta(path: str) -> dict[str, Any]:
    data = read_head(path.removesuffix(".jsonl") + ".meta.json", _META)
    try:
        return mapping(orjson.loads(data))
    except orjson.JSONDecodeError:
        return {}
