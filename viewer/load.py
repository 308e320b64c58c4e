"""Files to sessions: a transcript is a session's file with the files of its sub-agents.

A `Reading` takes in what is new, piece by piece, so that a screen can be drawn after the first one
and keys are answered between them; `load` does it all at once. No path comes from inside a
transcript. Sub-agents are sought by name in the session's own folder
(`<session>/subagents/**/agent-*.jsonl`) and beside it (`agent-*.jsonl` of 2.0.30 to 2.1.1), and
each file is read as a session of its own.
"""

import errno
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from viewer.collection import without_collection
from viewer.formats import Decoder, decode
from viewer.formats.fields import string
from viewer.model import Agent, Call, Change
from viewer.names import id_of
from viewer.packed import Inflow, Packed, is_packed
from viewer.records import Record
from viewer.rollouts import children, is_rollout
from viewer.session import Session
from viewer.sidecars import read_json, sidecar_title
from viewer.spool import Spool
from viewer.tail import Chunk, Splitter, Tail, open_regular, read_head

Report = Callable[[int], None]  # told how many more bytes were read

_LONG = 1 << 16
_ERRAND = re.compile(r"agent-a[a-z]+(?:_[a-z]+)*-")  # sub-agents proper have hex digits here


@dataclass(slots=True)
class Transcript:
    """One session to look at, with everything that belongs to it."""

    path: str
    session: Session
    agents: list[Agent] = field(default_factory=list)  # of all depths
    pending: int = 0  # bytes of an unfinished last line
    helpers: int = 0  # files of the program's own errands, which are not shown
    spool: Spool | None = None  # what came through a pipe
    kept: dict[int, Packed] = field(default_factory=dict)  # what was unpacked, by session

    def sessions(self) -> Iterator[tuple[Session, Agent | None]]:
        """The session itself, then those of its sub-agents' files."""
        yield self.session, None
        for agent in self.agents:
            if agent.session is not None:
                yield agent.session, agent

    def open(self, session: Session) -> int:
        """A descriptor of the file that a session was read from. Raises OSError."""
        packed = self.kept.get(id(session))
        if packed is not None and packed.file is not None:
            return os.dup(packed.file)
        if session is self.session:
            if self.spool is None:
                return open_regular(self.path)
            if self.spool.file is None:
                raise OSError(errno.ENOENT, "what came through the pipe could not be kept")
            return os.dup(self.spool.file)
        for agent in self.agents:
            if agent.session is session and agent.path is not None:
                return open_regular(agent.path)
        return open_regular(self.path)

    def home_of(self, agent: Agent) -> Session | None:
        """The session that holds the call which started a sub-agent."""
        call = agent.call
        if call is None:
            return None
        for session, _ in self.sessions():
            if call.id is not None and session.calls.get(call.id) is call:
                return session
        return None


@dataclass(slots=True)
class Step:
    """A piece of a transcript was taken in."""

    session: Session
    change: Change
    bytes: int = 0
    reset: bool = False  # the main file begins anew: everything from before is void


class _File:
    """One file of a transcript and how far it was read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.tail: Tail | Spool | Packed = Packed(path) if is_packed(path) else Tail(path)
        self.session = Session()
        self.decoder = Decoder()
        self.pending = 0
        self.is_void = False  # it is packed, and nothing of it could be read
        self._tried = 0  # how long the unfinished line was when it was last looked at

    def steps(self) -> Iterator[Step]:
        offset = self.tail.offset
        for chunk in self.tail.read():
            if self.decoder.is_finished and not chunk.reset:
                # A document that was read to its end has grown: read it from its beginning.
                self.tail.close()
                self.tail = Tail(self.path)
                yield from self.steps()
                return
            reset = chunk.reset and bool(self.session.rows)
            if chunk.reset:
                self.decoder = Decoder()
            if reset:
                self.session = Session()
                offset = 0
            self._tried = 0
            change = self.session.apply(self.decoder.decode(chunk), more=True)
            end = chunk.start + sum(map(len, chunk.lines)) + len(chunk.lines)
            yield Step(self.session, change, max(0, end - offset), reset)
            offset = end
        if self.decoder.is_document:
            yield from self._take_document()
        else:
            if (change := self.session.apply(())).restructured:
                yield Step(self.session, change)
            yield from self._take_rest()
        if not isinstance(self.tail, Tail):
            yield from self._take_problem(self.tail)

    def _take_problem(self, tail: Packed | Spool) -> Iterator[Step]:
        if (words := tail.take_problem()) is not None:
            self.is_void = tail.offset == 0
            record = _cut_off(words, self.session, tail.offset - len(tail.rest), tail.offset)
            yield Step(self.session, self.session.apply([record]))

    def _take_document(self) -> Iterator[Step]:
        """A file that is one JSON document is read as far as it is there."""
        if isinstance(self.tail, Spool) and not self.tail.ended:
            return
        if (rest := self.tail.take_rest()) is not None:
            self.decoder.decode(rest)
        if not self.decoder.is_finished:
            yield Step(self.session, self.session.apply(self.decoder.finish()))

    def _take_rest(self) -> Iterator[Step]:
        """A last line without newline counts if it is whole; else it is still being written."""
        before, self.pending = self.pending, len(self.tail.rest)
        grows = self.pending > _LONG and before not in (0, self.pending)
        if self.pending == self._tried or grows:
            return  # a long line is not parsed again for each of its pieces
        self._tried = self.pending
        if self.pending and self.decoder.is_whole(self.tail.rest):
            chunk = self.tail.take_rest()
            assert chunk is not None
            self.pending = self._tried = 0
            records = self.decoder.decode(chunk)
            yield Step(self.session, self.session.apply(records), len(chunk.lines[0]))
            if self.decoder.is_document:
                yield from self._take_document()


class _AgentFile(_File):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.name = os.path.basename(path)
        id = id_of(path) if is_rollout(self.name) else self.name.removesuffix(".jsonl")
        self.agent = Agent(id.removeprefix("agent-"))
        self.meta: dict[str, Any] = {}
        self._meta_seen = -1

    @property
    def is_helper(self) -> bool:
        """The program's own errands: warming up (2.0.30 to 2.1.1), titles, suggestions, and the
        copy of the conversation that a compaction reads."""
        session = self.session
        if session.task is None and not session.calls and not session.facts.first_prompt:
            return True
        return session.facts.first_prompt == "Warmup" or bool(_ERRAND.match(self.name))

    def read_meta(self) -> bool:
        """Take in what its sidecar says; True where that is new. 2.1.326 notes its end there."""
        path = self.path.removesuffix(".jsonl") + ".meta.json"
        try:
            written = os.stat(path).st_mtime_ns
        except OSError:
            return False
        if written == self._meta_seen:
            return False
        self._meta_seen = written
        before, self.meta = self.meta, read_json(path)
        return self.meta != before


class Reading:
    """Takes in a transcript as far as it is written, whenever it is asked to."""

    def __init__(self, path: str) -> None:
        # Tail waits for files that are not there; here the file must be.
        os.close(open_regular(path))
        self._begin(path)

    def _begin(self, path: str) -> None:
        self._main = _File(path)
        self._agents: dict[str, _AgentFile] = {}
        self._foreign: set[str] = set()  # files beside it that belong to other sessions
        self._beside = _Folder(os.path.dirname(path) or ".")
        self.transcript = Transcript(path, self._main.session)
        self._sidecar_title = sidecar_title(path)

    @classmethod
    def of_pipe(cls, fd: int, name: str = "-") -> "Reading":
        """Reads what comes through a pipe. It is kept in a file without a name, so that it can
        be read again."""
        reading = cls.__new__(cls)
        reading._begin(name)
        spool = Spool(fd)
        reading._main.tail = reading.transcript.spool = spool
        return reading

    @property
    def gone(self) -> bool:
        """The file is not there any more."""
        return self._main.tail.gone

    @property
    def is_void(self) -> bool:
        """Nothing of it could be read; the only record says why."""
        return self._main.is_void

    @property
    def files(self) -> list[str]:
        """All files that it is read from."""
        return [self._main.path, *self._agents]

    def steps(self) -> Iterator[Step]:
        """Take in what is new: the main file first, then its sub-agents' files."""
        transcript = self.transcript
        arrived = False
        for step in self._main_steps():
            arrived = True
            yield step
        if transcript.spool is None:
            arrived = self._find_agents() or arrived
        for file in self._agents.values():
            try:
                for step in file.steps():
                    if step.reset:
                        step.reset, step.change.restructured = False, True  # only it begins anew
                    arrived = True
                    yield step
            except OSError:
                pass  # it was replaced by something unreadable: what was read of it stays
            arrived = file.read_meta() or arrived
            file.tail.close()  # a session may have hundreds
        if arrived:
            yield from self._link_steps()

    def _main_steps(self) -> Iterator[Step]:
        main, transcript = self._main, self.transcript
        for step in main.steps():
            if step.reset:
                self._agents.clear()
                transcript.agents = []
            transcript.session = main.session
            if isinstance(main.tail, Packed):
                transcript.kept[id(main.session)] = main.tail
            main.session.facts.learn("sidecar_title", self._sidecar_title)
            transcript.pending = main.pending
            yield step
        transcript.pending = main.pending

    def _link_steps(self) -> Iterator[Step]:
        """Tell whose sub-agents were tied to their calls, or came up."""
        transcript = self.transcript
        before = {id(agent): _ties(agent) for agent in transcript.agents}
        self._link()
        now = transcript.agents
        changed = [agent for agent in now if before.pop(id(agent), None) != _ties(agent)]
        if changed or before:
            yield Step(transcript.session, Change(agents=changed, restructured=bool(before)))

    def move_to(self, path: str) -> None:
        """The same file has another name now."""
        self._main.path = self._main.tail.path = self.transcript.path = path
        self._beside = _Folder(os.path.dirname(path) or ".")

    def close(self) -> None:
        for file in (self._main, *self._agents.values()):
            file.tail.close()

    # Sub-agents

    def _find_agents(self) -> bool:
        if self.transcript.session.is_agent:
            # A sub-agent's own file has none; its first line may have come after the others.
            found = bool(self._agents)
            self._agents.clear()
            return found
        found = False
        for path in self._agent_paths():
            if path not in self._agents and not self._has_moved(path):
                file = _AgentFile(path)
                try:
                    os.close(open_regular(path))
                except OSError:
                    continue
                self._agents[path] = file
                found = True
        return found

    def _has_moved(self, path: str) -> bool:
        """Whether a known sub-agent's file has this name now: its session's folder was moved."""
        for known, file in self._agents.items():
            if os.path.basename(known) == os.path.basename(path) and not os.path.exists(known):
                file.path = file.tail.path = path
                self._agents[path] = self._agents.pop(known)
                return True
        return False

    def _agent_paths(self) -> Iterator[str]:
        """The files of the session's sub-agents, by name and place."""
        path, session = self.transcript.path, self.transcript.session
        own_folder = os.path.join(os.path.splitext(path)[0], "subagents")
        for folder, _, names in os.walk(own_folder):
            for name in sorted(names):
                if _is_agent_file(name):
                    yield os.path.join(folder, name)
        if session.format == "codex":
            yield from children(path, session.session_id)
        ids = {session.session_id, os.path.splitext(os.path.basename(path))[0]}
        for each in self._beside.agent_files():
            if each in self._foreign:
                continue
            first = _first_session_id(each, _inode(each))
            if first in ids:
                yield each
            elif first is not None:
                self._foreign.add(each)

    def _link(self) -> None:
        """Tie each sub-agent to the call that started it. Does no harm when done again."""
        transcript = self.transcript
        files = [file for _, file in sorted(self._agents.items()) if not file.is_helper]
        transcript.helpers = len(self._agents) - len(files)
        sessions = [transcript.session, *(file.session for file in files)]
        known: dict[str, Agent] = {}
        for session in sessions:
            for agent in session.agents.all:
                if agent.id:
                    known.setdefault(agent.id, agent)
        agents: list[Agent] = []
        for file in files:
            agent = known.get(file.agent.id or "") or file.agent
            if agent.session is not None and agent.session is not file.session:
                agent = file.agent if agent.file != file.name else agent
            agent.file, agent.path, agent.session = file.name, file.path, file.session
            agent.prompt = agent.prompt or file.session.facts.first_prompt
            agent.type = agent.type or string(file.meta.get("agentType"))
            agent.description = string(file.meta.get("description")) or agent.description
            facts = file.session.facts
            agent.type = agent.type or facts.string("agent_role")
            if not agent.description:
                agent.description = facts.string("agent_name")
            if isinstance(file.tail, Packed):
                transcript.kept[id(file.session)] = file.tail
            agent.finished = file.meta.get("finished") is True
            if agent.call is None:
                self._find_starter(agent, string(file.meta.get("toolUseId")), sessions)
            agents.append(agent)
        with_file = set(map(id, agents))
        for session in sessions:
            agents += [agent for agent in session.agents.all if id(agent) not in with_file]
        for agent in agents:
            if agent.call is not None:
                agent.type = agent.type or agent.call.agent_type
                agent.description = agent.description or agent.call.summary
        transcript.agents = agents

    def _find_starter(self, agent: Agent, call_id: str | None, sessions: list[Session]) -> None:
        call: Call | None = None
        for session in sessions:
            if session is agent.session:
                continue
            call = session.calls.get(call_id or "")
            # Files before 2.1.197 are tied to their call by nothing but the text of the task.
            call = call or session.agents.starter(agent.session.task if agent.session else None)
            if call is not None and call.agent is None:
                agent.call, call.agent = call, agent
                return


def load(path: str, report: Report | None = None) -> Transcript:
    """Read a transcript whole. Raises OSError where its file cannot be read."""
    reading = Reading(path)
    with without_collection():
        for step in reading.steps():
            if report:
                report(step.bytes)
    reading.close()
    if reading.is_void:
        [entry] = reading.transcript.session.trouble
        raise OSError(errno.EIO, entry.text)
    return reading.transcript


def load_stream(stream: IO[bytes], name: str = "-") -> Transcript:
    """Read a transcript from a pipe to its end."""
    session, splitter, decoder, inflow = Session(), Splitter(), Decoder(), Inflow()
    data = b"-"
    while data:
        data = stream.read(1 << 16)
        for piece in inflow.feed(data):
            if chunk := splitter.feed(piece):
                session.apply(decoder.decode(chunk))
    pending = 0
    if (rest := splitter.take_rest()) is not None:
        if decoder.is_document or decoder.is_whole(rest.lines[0]):
            session.apply(decoder.decode(rest))
        else:
            pending = len(rest.lines[0])
    session.apply(decoder.finish())
    if (words := inflow.take_problem()) is not None:
        session.apply([_cut_off(words, session, splitter.offset, splitter.offset)])
    return Transcript(name, session, session.agents.all, pending)


def _cut_off(words: str, session: Session, start: int, end: int) -> Record:
    """What is packed may be broken: what stands before is shown, and that it is not all."""
    record = Record("damaged")
    record.damage = words
    record.line = session.rows[-1].line + 1 if session.rows else 1
    record.start, record.end = start, end
    return record


class _Folder:
    """The sub-agents' files that lie in a folder; it is looked at again only when it changed."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen = 0.0
        self._found: list[str] = []

    def agent_files(self) -> list[str]:
        try:
            written = os.stat(self._path).st_mtime
            # What was made in the same instant as the last look may not have been seen.
            if written + 2 > self._seen:
                self._seen = time.time()
                names = sorted(e.name for e in os.scandir(self._path) if _is_agent_file(e.name))
                self._found = [os.path.join(self._path, name) for name in names]
        except OSError:
            self._found = []
        return self._found


def _ties(agent: Agent) -> tuple[int, int, bool]:
    return id(agent.call), id(agent.session), agent.finished


def _is_agent_file(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


_OWNERS: dict[tuple[str, int], str] = {}  # asked again for every session of a folder


def _first_session_id(path: str, inode: int) -> str | None:
    """Whose file it is; its first line stays as it is."""
    if (known := _OWNERS.get((path, inode))) is not None:
        return known
    chunk = Chunk(1, 0, read_head(path).split(b"\n")[:1])
    found = next((record.session_id for record in decode(chunk) if record.session_id), None)
    if found is not None:
        _OWNERS[path, inode] = found
    return found
