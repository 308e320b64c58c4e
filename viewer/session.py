"""A session: records in, model out.

`apply` is the only way in. Records come in file order, in batches of any size, and the result is
the same as if they had come at once; each costs what it touches. `apply` answers with a `Change`
for whoever draws the session.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from viewer import tools
from viewer.agents import Agents, agent_of
from viewer.facts import Facts
from viewer.files import Files
from viewer.hooks import Hooks
from viewer.model import (
    DUPLICATE,
    PROMPT,
    SIDECHAIN,
    Agent,
    Call,
    Change,
    Compaction,
    Counts,
    Entry,
    Progress,
    Row,
)
from viewer.records import (
    PREVIEW,
    Answered,
    ApiFailed,
    Asked,
    Compacted,
    Denied,
    HookFired,
    Interrupted,
    Invalid,
    Learned,
    Progressed,
    Record,
    Said,
    Spent,
    Touch,
    Unread,
    Updated,
)
from viewer.recovery import Recoveries
from viewer.retries import Retries
from viewer.tokens import Tokens
from viewer.tree import Tree

_MOST_JOINING = 64  # texts in pieces that grow at the same time


class Session:
    """One file's conversation: the main one and the sub-agents that speak in the same file."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.tree = Tree()
        self.calls: dict[str, Call] = {}
        self.unanswered: dict[str, Call] = {}
        self.failures: dict[int, Call] = {}
        self.interrupts: list[Entry] = []
        self.turn: Row | None = None  # the last prompt of the main conversation
        self.nameless_calls: list[Call] = []  # without an id: nothing can answer them
        self.orphans: dict[str, tuple[Entry, Answered]] = {}  # results whose call is not here (yet)
        self.nameless_results: list[tuple[Entry, Answered]] = []
        self.hooks = Hooks(self.calls, self.unanswered)
        self.agents = Agents(self.calls, self.tree, self._note_change, self._note_growth)
        self.tasks: dict[str, Call] = {}  # commands in the background of whose end nothing is known
        self.compactions: list[Compaction] = []
        self.trouble: list[
            Entry
        ] = []  # API errors, breaches of rules, damage: problems by themselves
        self.counts = Counts()
        self.tokens = Tokens()
        self.recoveries = Recoveries()
        self.facts = Facts()
        self.files = Files()
        self.joined: list[Entry] = []  # texts that came in pieces
        self._joining: dict[str, Entry] = {}  # those that may still grow
        self._context_rows: list[Row] = []
        self._context_sizes = array("q")
        self.format: str | None = None
        self.session_id: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.versions: list[str] = []
        self.models: list[str] = []
        self.started: float | None = None
        self.ended: float | None = None
        self.task: str | None = None  # a sub-agent's file: what it was asked first
        self.is_agent = False  # the file is a sub-agent's: every record is a sidechain there
        self.last_key: str | None = None  # the message or prompt that it stopped at
        self.leaf: Row | None = None  # where the program would go on from
        self._envelope: tuple[object, ...] = ()
        self._types: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._retries = Retries()
        self._change = Change()
        self._takers: dict[type, Callable[[Row, Record, Any], Entry | None]] = {
            Said: self._take_said,
            Asked: self._take_asked,
            Answered: self._take_answered,
            HookFired: self._take_hook,
            Progressed: self._take_progress,
            Updated: self._take_updated,
            Denied: self._take_denied,
            Interrupted: self._take_interrupted,
            Compacted: self._take_compacted,
            ApiFailed: self._take_api_failure,
            Spent: self._take_spent,
            Learned: self._take_learned,
            Invalid: self._take_invalid,
            Unread: self._take_unread,
        }

    def apply(self, records: Iterable[Record], *, more: bool = False) -> Change:
        """Take records in. With `more` to come at once, the tree may be left unfinished."""
        change = self._change = Change()
        self.tree.restructured = False
        for record in records:
            self._apply(record)
        if not more:
            self.tree.settle()
        change.restructured = self.tree.restructured
        return change

    def _note_change(self, call: Call) -> None:
        self._change.calls.append(call)

    def _note_growth(self, agent: Agent) -> None:
        self._change.agents.append(agent)

    # One record

    def _apply(self, record: Record) -> None:
        type = self._types.setdefault(record.type, record.type)
        row = Row(record.line, record.start, record.end, type, record.time)
        if record.part is not None:
            row.part = record.part
        self.rows.append(row)
        self._change.rows.append(row)
        if type == "damaged":
            self.counts.damaged += 1
            self.tree.hang(row)
            entry = Entry("damaged", row, record.damage or "", level="error")
            row.entries = (entry,)
            self.trouble.append(entry)
            return
        self.counts.types[type] += 1
        if record.linked:
            self._place(row, record)
        self._note_envelope(record)
        entries: list[Entry] = []
        takers = self._takers
        parts = record.parts
        if row.marks & DUPLICATE:
            # A replayed line says nothing new, but for calls and results, which pair by id.
            parts = [part for part in parts if isinstance(part, (Asked, Answered))]
            entries.append(Entry("duplicate", row, _words(record), type, hidden=True))
        for part in parts:
            made = takers[part.__class__](row, record, part)
            if made is not None:
                entries.append(made)
        if record.unknown or record.salvaged or record.damage:
            self._take_oddness(row, record, entries)
        if not entries and not record.linked:
            # A state record: seen only by those who want to see everything.
            words = next((p.value for p in parts if isinstance(p, Learned)), "")
            words = words if isinstance(words, str) else ""
            entries.append(Entry("state", row, words[:PREVIEW], type, hidden=True))
        if entries:
            row.entries = tuple(entries)
            if row.branch is None:
                self.tree.hang(row)

    def _take_oddness(self, row: Row, record: Record, entries: list[Entry]) -> None:
        counts = self.counts
        if record.salvaged:
            counts.salvaged += 1
        if record.damage:
            counts.damaged += 1
            entries.append(Entry("damaged", row, record.damage, level="error"))
            self.trouble.append(entries[-1])
        if record.unknown:
            counts.unknown += 1
            entries.append(Entry("unknown", row, "", row.type))

    def _note_envelope(self, record: Record) -> None:
        time = record.time
        if time is not None and record.linked:
            if self.ended is None or self.started is None:
                self.started = self.ended = time
            elif time > self.ended:
                self.ended = time
            elif time < self.started:
                self.started = time
        # The same on nearly every line of a file, so a comparison is all it takes.
        envelope = (record.format, record.session_id, record.cwd, record.branch, record.version)
        if envelope != self._envelope:
            self._envelope = envelope
            self._learn_envelope(record)

    def _learn_envelope(self, record: Record) -> None:
        self.format = self.format or record.format
        self.session_id = self.session_id or record.session_id
        if not record.sidechain or self.is_agent:
            self.cwd = self.cwd or record.cwd
        if record.branch and record.branch != "HEAD":  # what it says outside of git
            self.git_branch = record.branch
        version = record.version
        if version and version not in self.versions:
            self.versions.append(version)

    # Its place

    def _place(self, row: Row, record: Record) -> None:
        tree = self.tree
        if record.opens_turn:
            row.key = PROMPT
            self.task = self.task or record.task
        elif record.message_id is not None:
            row.key = self._keys.setdefault(record.message_id, record.message_id)
        elif record.type == "assistant":
            row.key = f"\0{record.line}"  # a message without an id is one by itself
        if record.sidechain and tree.trunk.last is None and not self.agents.all:
            self.is_agent = True
        agent = None
        is_sidechain = record.sidechain and not self.is_agent
        if record.agent_call is not None or is_sidechain or record.thread is not None:
            agent = self.agents.speaking(record)
        if agent is not None:
            assert agent.branch is not None
            row.marks |= SIDECHAIN
            tree.add(row, record, agent.branch)
            if row.key is not None:
                agent.last_key = row.key
        else:
            tree.add(row, record, tree.trunk)
            if row.key is not None:
                self.last_key = row.key
            if row.key == PROMPT:
                self.turn = row
            if record.spoken and not record.meta:
                if not row.marks & DUPLICATE:
                    self.leaf = row
        if row.marks & DUPLICATE:
            self.counts.duplicates += 1

    # Its parts

    def _take_said(self, row: Row, record: Record, part: Said) -> Entry | None:
        if part.kind != "note" or not part.hidden:
            self._retries.end()
        if part.kind in ("prompt", "queued", "notification"):
            if not record.meta and not row.marks & SIDECHAIN:
                self.facts.note_said(part)
        if part.joins is not None:
            return self._join(row, part)
        return Entry(part.kind, row, part.text, part.label, part.level, part.hidden)

    def _join(self, row: Row, part: Said) -> Entry | None:
        """A piece of a text: a new entry, or more of the one that the last piece was of."""
        assert part.joins is not None
        known = self._joining.get(part.joins)
        if known is None:
            entry = Entry(part.kind, row, part.text, part.label, part.level, part.hidden)
            self._joining[part.joins] = entry
            if len(self._joining) > _MOST_JOINING:
                del self._joining[next(iter(self._joining))]
            return entry
        if not known.more:
            self.joined.append(known)
            known.more = []
        assert isinstance(known.more, list)
        known.more.append(row)
        row.about = known
        if len(known.text) < PREVIEW:
            known.text = (known.text + part.text)[:PREVIEW]
        return None

    def _take_asked(self, row: Row, record: Record, part: Asked) -> Entry | None:
        id = part.id
        name = self._types.setdefault(part.name, part.name)
        call = Call(id, name, part.summary, row, part.kind or tools.kind(name))
        call.stated = part.status
        call.message_id = row.key if row.key != PROMPT else None
        call.agent_type = part.agent_type
        call.added, call.removed = part.added, part.removed
        if id is None:
            self.nameless_calls.append(call)
            return Entry("call", row, item=call)
        if (first := self.calls.get(id)) is not None:
            first.duplicates += 1
            return Entry("duplicate", row, part.summary, part.name, hidden=True, item=first)
        self.calls[id] = self.unanswered[id] = call
        if part.touches:
            call.touches = True
            self.files.touch(part.touches, row, call)
        if row.marks & SIDECHAIN and (agent := agent_of(row)) is not None:
            agent.spoken += 1
        if part.prompt is not None:
            self.agents.start(call, part.prompt)
        if id in self.orphans:
            orphan, answered = self.orphans.pop(id)
            result = orphan.row
            result.entries = tuple(each for each in result.entries if each is not orphan)
            self.tree.restructured = True
            self._answer(call, result, answered)
        if self.hooks.join(call):
            self.tree.restructured = True
        return Entry("call", row, item=call)

    def _take_answered(self, row: Row, record: Record, part: Answered) -> Entry | None:
        self._retries.end()
        id = part.id
        if id is None:
            orphan = Entry("orphan", row, part.text, "result that names no call", "error")
            self.nameless_results.append((orphan, part))
            return orphan
        call = self.calls.get(id)
        if call is None:
            if id in self.orphans:
                return Entry("duplicate", row, part.text, "result", hidden=True)
            orphan = Entry("orphan", row, part.text, "result", "error")
            self.orphans[id] = (orphan, part)
            return orphan
        if call.result is not None:
            call.duplicates += 1
            return Entry("duplicate", row, part.text, "result", hidden=True, item=call)
        self._answer(call, row, part)
        self._change.calls.append(call)
        return None

    def _answer(self, call: Call, row: Row, part: Answered) -> None:
        assert call.id is not None
        call.result, row.about = row, call
        if part.stated_exit is not None and call.kind == "execute":
            part.exit_code, part.error = part.stated_exit, part.stated_exit != 0
        if call.updated is not None:
            _complete(part, call.updated)
            call.updated = None
        call.stated = None
        del self.unanswered[call.id]
        if part.added or part.removed or call.added is None:
            call.added, call.removed = part.added, part.removed
        if call.progress is not None:
            call.progress = None
        if part.agent_id is not None:
            self.agents.name(call, part.agent_id, part.agent_status)
        elif part.task_id is not None:
            self.tasks[part.task_id] = call
        if part.error:
            call.answer = part
            self.failures[id(call)] = call
        elif (
            part.exit_code is not None
            or part.duration_ms is not None
            or part.interrupted
            or part.background
            or part.images
        ):
            part.text = ""
            call.answer = part
        self.files.answered(call)
        self.recoveries.answered(call)

    def _take_hook(self, row: Row, record: Record, part: HookFired) -> Entry | None:
        hook, is_new = self.hooks.take(row, part)
        row.about = hook.call or hook
        if hook.call is not None:
            self._change.calls.append(hook.call)
            return None  # it is shown with its call
        return Entry("hook", row, item=hook) if is_new else None

    def _take_progress(self, row: Row, record: Record, part: Progressed) -> Entry | None:
        call = self.calls.get(part.call_id) if part.call_id else None
        row.about = call
        if part.kind == "agent_progress":
            self.agents.progress(row, part, call)
        elif call is not None and call.result is None:
            call.progress = Progress(
                part.kind, part.text, part.elapsed_ms, part.timeout_ms, part.failed
            )
            self._change.calls.append(call)
        return None

    def _take_updated(self, row: Row, record: Record, part: Updated) -> Entry | None:
        """More about a call, in whatever order the records of it come."""
        call = self.calls.get(part.call_id)
        if call is None:
            return None
        row.about = call
        call.add_update(row)
        if part.name is not None:
            call.name = self._types.setdefault(part.name, part.name)
        call.summary = part.summary or call.summary
        call.kind = part.kind or call.kind
        if part.fate is not None:
            call.fate = part.fate or None  # an empty one takes back what was said before
        if part.added is not None:
            call.added, call.removed = part.added, part.removed
        if part.touches and (call.result is None or not call.touches):
            call.touches = True
            self.files.touch(part.touches, row, call)
        if part.agent_id is not None:
            self.agents.name(call, part.agent_id, "async_launched")
        if call.result is None:
            call.stated = part.status or call.stated
            call.updated = part if call.updated is None else _merged(call.updated, part)
        else:
            self._correct(call, part)
        self._change.calls.append(call)
        return None

    def _correct(self, call: Call, part: Updated) -> None:
        """What is known better of a call that has its result."""
        told = (part.failed, part.exit_code, part.duration_ms, part.fate)
        if all(each is None for each in told):
            return
        answer = call.answer or Answered(call.id, False, "")
        before = answer.error
        _complete(answer, part)
        call.answer = answer
        if answer.error == before:
            return
        if answer.error:
            self.failures[id(call)] = call
        else:
            del self.failures[id(call)]
        self.recoveries.corrected(call)

    def _take_denied(self, row: Row, record: Record, part: Denied) -> Entry | None:
        call = self.calls.get(part.call_id)
        if call is not None and call.result is None:
            call.fate = "PERMISSION_DENIED"
            self._change.calls.append(call)
        return None

    def _take_interrupted(self, row: Row, record: Record, part: Interrupted) -> Entry | None:
        # Whatever of the message before it was still running was stopped with it; another
        # conversation of the same file goes on.
        speaker = agent_of(row)
        for call in self._running() if speaker is None else ():
            if call.fate is None:
                call.fate = "INTERRUPTED"
                self._change.calls.append(call)
        entry = Entry("interrupt", row, part.text, level="warning")
        self.interrupts.append(entry)
        return entry

    def _running(self) -> list[Call]:
        """The calls of the last message that have no result, and those of their sub-agents."""
        found: list[Call] = []
        inside: list[Call] = []
        for call in reversed(self.unanswered.values()):
            if call.row.marks & SIDECHAIN:
                inside.append(call)
            elif call.message_id == self.last_key:
                found.append(call)
            else:
                break
        agents = {id(call.agent) for call in found}
        return found + [call for call in inside if id(agent_of(call.row)) in agents]

    def _take_compacted(self, row: Row, record: Record, part: Compacted) -> Entry | None:
        compaction = Compaction(row, part.trigger, part.tokens_before, part.tokens_after)
        self.compactions.append(compaction)
        return Entry("compaction", row, item=compaction)

    def _take_api_failure(self, row: Row, record: Record, part: ApiFailed) -> Entry | None:
        entry, is_new = self._retries.take(row, part)
        if is_new:
            self.trouble.append(entry)
        return entry

    def _take_spent(self, row: Row, record: Record, part: Spent) -> Entry | None:
        if part.message_id is not None:
            part.message_id = self._keys.setdefault(part.message_id, part.message_id)
        if self.tokens.add(part) and not row.marks & SIDECHAIN:
            self._note_context(row, part)
        if part.model is not None and part.model not in self.models:
            self.models.append(part.model)
        return None

    def _note_context(self, row: Row, part: Spent) -> None:
        """How full the model's window was: each message tells it with each of its lines."""
        size = part.context
        if size is None and not part.total:
            size = part.input + part.cache_read + part.cache_creation
        if size and (not self._context_sizes or size != self._context_sizes[-1]):
            self._context_rows.append(row)
            self._context_sizes.append(size)

    def contexts(self) -> Iterator[tuple[Row, int]]:
        """The tokens in the model's window, where they changed."""
        return zip(self._context_rows, self._context_sizes, strict=True)

    def _take_learned(self, row: Row, record: Record, part: Learned) -> Entry | None:
        match part.key, part.value:
            case "queue", (operation, Said() as said):
                self.facts.note_queue(operation, said)
            case "task", (str() | None as call_id, str() | None as task_id, str(status)):
                self.agents.report(call_id, task_id, status)
                self._end_task(task_id, status)
            case "model", str(model):
                self.facts.learn("model", model)
                if model not in self.models:
                    self.models.append(model)
            case "touched", tuple() as touches:
                self.files.touch((t for t in touches if isinstance(t, Touch)), row, None)
            case "leaf", (str(uuid), True):
                self.leaf = self.tree.find(uuid) or self.leaf
            case "permission_mode", mode:
                known = self.facts.get(part.key)
                self.facts.learn(part.key, mode)
                if known is not None and known != mode:
                    return Entry("note", row, f"{known} → {mode}", "permission mode")
            case key, value:
                self.facts.learn(key, value)
        return None

    def _end_task(self, task_id: str | None, status: str) -> None:
        """A command in the background has ended."""
        call = self.tasks.pop(task_id or "", None)
        if call is not None:
            call.task = status
            self._change.calls.append(call)

    def _take_invalid(self, row: Row, record: Record, part: Invalid) -> Entry | None:
        entry = Entry("invalid", row, part.rule, part.fix, "error")
        self.trouble.append(entry)
        return entry

    def _take_unread(self, row: Row, record: Record, part: Unread) -> Entry | None:
        return Entry("unknown", row, "", part.name)

    # What it says as a whole

    @property
    def title(self) -> str | None:
        """As the program itself titles it."""
        return self.facts.title(lambda leaf: self.tree.find(leaf) is not None)

    @property
    def at_rest(self) -> bool:
        """Whether the last word was the model's, or the user stopped it, and nothing runs that was
        asked for."""
        leaf = self.leaf
        if leaf is None:
            return False
        stopped = bool(self.interrupts) and not self.interrupts[-1].row.is_before(leaf)
        ends = bool(leaf.entries) and leaf.entries[-1].kind == "reply"
        return stopped or (ends and not self._running())

    @property
    def project(self) -> str | None:
        """Where it worked: as it began there, or where it was moved to."""
        return self.facts.string("relocated") or self.cwd

    def active_branches(self) -> set[int]:
        """The ids of the branches on the way to the leaf that the program would go on from."""
        active: set[int] = set()
        branch = self.leaf.branch if self.leaf else None
        while branch is not None:
            active.add(id(branch))
            branch = branch.parent
        return active


def _complete(answer: Answered, told: Updated) -> None:
    """Add to a result what another record told of it."""
    if told.exit_code is not None:
        answer.exit_code = told.exit_code
    if told.duration_ms is not None:
        answer.duration_ms = told.duration_ms
    if told.failed is not None:
        answer.error = told.failed
    if told.fate == "PERMISSION_DENIED":
        answer.error, answer.denial, answer.denied_before_run = True, "user-rejected", True


def _merged(first: Updated, second: Updated) -> Updated:
    for field in ("failed", "exit_code", "duration_ms", "fate"):
        if getattr(second, field) is None:
            setattr(second, field, getattr(first, field))
    return second


def _words(record: Record) -> str:
    return next((part.text for part in record.parts if isinstance(part, Said)), "")
