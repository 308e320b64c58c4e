"""A session: records in, model out.

`apply` is the only way in. Records come in file order, in batches of any size, and the result is
the same as if they had come at once; each costs what it touches. `apply` answers with a `Change`
for whoever draws the session.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from viewer.hooks import Hooks
from viewer.model import (
    DUPLICATE,
    PROMPT,
    SIDECHAIN,
    Agent,
    Branch,
    Call,
    Compaction,
    Entry,
    Progress,
    Row,
)
from viewer.records import (
    Answered,
    ApiFailed,
    Asked,
    Compacted,
    Denied,
    HookFired,
    Interrupted,
    Invalid,
    Learned,
    Part,
    Progressed,
    Record,
    Said,
    Spent,
    Unread,
)
from viewer.tokens import Tokens
from viewer.tree import Tree


@dataclass(slots=True)
class Change:
    """What an `apply` did."""

    rows: list[Row] = field(default_factory=list)  # new ones
    calls: list[Call] = field(default_factory=list)  # older ones that got a result or a sign of life
    restructured: bool = False  # rows that were there before have moved


@dataclass(slots=True)
class Counts:
    total: int = 0
    unknown: int = 0
    damaged: int = 0
    salvaged: int = 0
    duplicates: int = 0
    by_type: Counter[str] = field(default_factory=Counter)


class Session:
    """One file's conversation: the main one and the sub-agents that speak in the same file."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.tree = Tree()
        self.calls: dict[str, Call] = {}
        self.nameless_calls: list[Call] = []  # without an id: nothing can answer them
        self.orphans: dict[str, tuple[Row, Answered]] = {}  # results whose call is not here (yet)
        self.hooks = Hooks(self.calls)
        self.agents: list[Agent] = []
        self.compactions: list[Compaction] = []
        self.trouble: list[Entry] = []  # API errors, breaches of rules, damage: problems by themselves
        self.counts = Counts()
        self.tokens = Tokens()
        self.facts: dict[str, Any] = {}
        self.queue: list[str] = []  # prompts typed and not yet taken up
        self.format: str | None = None
        self.session_id: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.versions: list[str] = []
        self.models: list[str] = []
        self.first_prompt: str | None = None
        self.first_command: str | None = None
        self.started: float | None = None
        self.ended: float | None = None
        self.is_agent = False  # the file is a sub-agent's: every record is a sidechain there
        self.last: Row | None = None  # the last row of the main conversation, in file order
        self.last_key: str | None = None  # the message or prompt that it stopped at
        self.leaf: Row | None = None  # where the program would go on from
        self._agents_by_call: dict[str, Agent] = {}
        self._agents_by_id: dict[str, Agent] = {}
        self._prompts: dict[str, Call] = {}  # calls of sub-agents that none was found for yet
        self._types: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._retries: Entry | None = None
        self._change = Change()
        self._takers: dict[type, Callable[[Row, Record, Any], Entry | None]] = {
            Said: self._take_said,
            Asked: self._take_asked,
            Answered: self._take_answered,
            HookFired: self._take_hook,
            Progressed: self._take_progress,
            Denied: self._take_denied,
            Interrupted: self._take_interrupted,
            Compacted: self._take_compacted,
            ApiFailed: self._take_api_failure,
            Spent: self._take_spent,
            Learned: self._take_learned,
            Invalid: self._take_invalid,
            Unread: self._take_unread,
        }

    def apply(self, records: Iterable[Record]) -> Change:
        change = self._change = Change()
        self.tree.restructured = False
        for record in records:
            self._apply(record)
        change.restructured = self.tree.restructured
        return change

    # One record

    def _apply(self, record: Record) -> None:
        type = self._types.setdefault(record.type, record.type)
        row = Row(record.line, record.start, record.end, type, record.time)
        self.rows.append(row)
        self._change.rows.append(row)
        if type == "damaged":
            self.counts.damaged += 1
            self.tree.hang(row, self.last, self.tree.trunk)
            entry = Entry("damaged", row, record.damage or "", level="error")
            row.entries = (entry,)
            self.trouble.append(entry)
            return
        self._count(record)
        self._note_envelope(record)
        if record.linked:
            self._place(row, record)
        elif record.unknown:
            self.tree.hang(row, self.last, self.tree.trunk)
        entries: list[Entry] = []
        takers = self._takers
        for part in record.parts:
            entry = takers[part.__class__](row, record, part)
            if entry is not None:
                entries.append(entry)
        if record.damage:
            entries.append(Entry("damaged", row, record.damage, level="error"))
            self.trouble.append(entries[-1])
        if record.unknown:
            entries.append(Entry("unknown", row, "", type))
        if entries:
            row.entries = tuple(entries)
            if row.branch is None:
                self.tree.hang(row, self.last, self.tree.trunk)

    def _count(self, record: Record) -> None:
        counts = self.counts
        counts.total += 1
        counts.by_type[record.type.partition("/")[0]] += 1
        if record.unknown:
            counts.unknown += 1
        if record.salvaged:
            counts.salvaged += 1
        if record.damage:
            counts.damaged += 1

    def _note_envelope(self, record: Record) -> None:
        if record.format is not None and self.format is None:
            self.format = record.format
        time = record.time
        if time is not None and record.linked:
            if self.started is None or time < self.started:
                self.started = time
            if self.ended is None or time > self.ended:
                self.ended = time
        # Checked for identity of value first: these repeat on every line of a file.
        if record.session_id != self.session_id and self.session_id is None:
            self.session_id = _string(record.session_id)
        if record.cwd != self.cwd and not record.sidechain and self.cwd is None:
            self.cwd = _string(record.cwd)
        if record.branch != self.git_branch and _string(record.branch):
            self.git_branch = record.branch
        version = record.version
        if version is not None and version not in self.versions and isinstance(version, str):
            self.versions.append(version)

    # Its place

    def _place(self, row: Row, record: Record) -> None:
        tree = self.tree
        if record.opens_turn:
            row.key = PROMPT
        elif record.message_id is not None:
            row.key = self._keys.setdefault(record.message_id, record.message_id)
        if record.sidechain and self.last is None and not self.agents:
            self.is_agent = True
        agent = None
        if record.agent_call is not None:
            agent = self._agent_of_call(record.agent_call)
        elif record.sidechain and not self.is_agent:
            agent = self._agent_of_sidechain(row, record)
        if agent is not None:
            assert agent.branch is not None
            row.marks |= SIDECHAIN
            tree.add(row, record, agent.last, agent.branch)
            agent.last = row
            if row.key is not None:
                agent.last_key = row.key
        else:
            tree.add(row, record, self.last, tree.trunk)
            self.last = row
            if row.key is not None:
                self.last_key = row.key
            if not record.meta and record.type in ("user", "assistant"):
                if not row.marks & DUPLICATE:
                    self.leaf = row
        if row.marks & DUPLICATE:
            self.counts.duplicates += 1

    def _agent_of_call(self, call_id: str) -> Agent:
        """stream-json names the call whose sub-agent says something."""
        agent = self._agents_by_call.get(call_id)
        if agent is None:
            agent = self._new_agent(None, self.calls.get(call_id))
            self._agents_by_call[call_id] = agent
        if agent.branch is None:
            agent.branch = Branch(agent=agent)
        return agent

    def _agent_of_sidechain(self, row: Row, record: Record) -> Agent:
        """Up to 2.0.0 sub-agents speak in the main file, each from a root of its own, tied to
        its call by nothing but the text of the task."""
        parent = self.tree.find(record.parent)
        if parent is not None and parent.branch is not None:
            if (agent := agent_of(parent)) is not None:
                return agent
        if record.parent is not None and self.agents and self.agents[-1].branch is not None:
            return self.agents[-1]
        prompt = next((p.text for p in record.parts if isinstance(p, Said)), None)
        agent = self._new_agent(record.agent_id, None)
        agent.branch = Branch(agent=agent)
        agent.prompt = prompt
        if prompt is not None and (call := self._prompts.pop(prompt, None)):
            self._link(agent, call)
        return agent

    def _new_agent(self, id: str | None, call: Call | None) -> Agent:
        agent = Agent(id)
        self.agents.append(agent)
        if call is not None:
            self._link(agent, call)
        return agent

    def _link(self, agent: Agent, call: Call) -> None:
        agent.call = call
        if call.agent is None:
            call.agent = agent
        self._change.calls.append(call)

    # Its parts

    def _take_said(self, row: Row, record: Record, part: Said) -> Entry | None:
        if part.kind == "prompt" and not record.meta and not row.marks & SIDECHAIN:
            if part.label == "command":
                self.first_command = self.first_command or part.text
            else:
                self.first_prompt = self.first_prompt or part.text
        if part.kind != "note" or not part.hidden:
            self._retries = None
        return Entry(part.kind, row, part.text, part.label, part.level, part.hidden)

    def _take_asked(self, row: Row, record: Record, part: Asked) -> Entry | None:
        id = part.id
        name = self._types.setdefault(part.name, part.name)
        call = Call(id, name, part.summary, row)
        call.message_id = row.key if row.key != PROMPT else None
        call.agent_type = part.agent_type
        if id is None:
            self.nameless_calls.append(call)
            return Entry("call", row, item=call)
        if (first := self.calls.get(id)) is not None:
            first.duplicates += 1
            return Entry("duplicate", row, part.summary, part.name, hidden=True, item=first)
        self.calls[id] = call
        if part.prompt is not None:
            call.prompt = part.prompt[:160]
            self._seek_agent(call)
        if id in self.orphans:
            result, answered = self.orphans.pop(id)
            self._answer(call, result, answered)
        self.hooks.join(call)
        return Entry("call", row, item=call)

    def _seek_agent(self, call: Call) -> None:
        assert call.id is not None and call.prompt is not None
        agent = self._agents_by_call.get(call.id)
        if agent is None:
            agent = next((a for a in self.agents if not a.call and a.prompt == call.prompt), None)
        if agent is not None:
            self._link(agent, call)
        else:
            self._prompts.setdefault(call.prompt, call)

    def _take_answered(self, row: Row, record: Record, part: Answered) -> Entry | None:
        self._retries = None
        id = part.id
        if id is None:
            return Entry("orphan", row, part.text, "result that names no call", "error")
        call = self.calls.get(id)
        if call is None:
            if id in self.orphans:
                return Entry("duplicate", row, part.text, "result", hidden=True)
            self.orphans[id] = (row, part)
            return None
        if call.result is not None:
            call.duplicates += 1
            return Entry("duplicate", row, part.text, "result", hidden=True, item=call)
        self._answer(call, row, part)
        self._change.calls.append(call)
        return None

    def _answer(self, call: Call, row: Row, part: Answered) -> None:
        call.result = row
        if call.progress is not None:
            call.progress = None
        if part.agent_id is not None:
            self._name_agent(call, part.agent_id, part.agent_status)
        if part.error:
            call.answer = part
        elif (
            part.exit_code is not None
            or part.duration_ms is not None
            or part.interrupted
            or part.background
            or part.images
        ):
            part.text = ""
            call.answer = part

    def _name_agent(self, call: Call, id: str, status: str | None) -> None:
        if call.agent is None:
            call.agent = self._agents_by_id.get(id) or self._new_agent(id, call)
        call.agent.id = call.agent.id or id
        call.agent.call = call.agent.call or call
        call.agent.status = status
        self._agents_by_id.setdefault(id, call.agent)

    def _take_hook(self, row: Row, record: Record, part: HookFired) -> Entry | None:
        hook, is_new = self.hooks.take(row, part)
        if hook.call is not None:
            self._change.calls.append(hook.call)
            return None  # it is shown with its call
        return Entry("hook", row, item=hook) if is_new else None

    def _take_progress(self, row: Row, record: Record, part: Progressed) -> Entry | None:
        call = self.calls.get(part.call_id) if part.call_id else None
        if part.kind == "agent_progress":
            self._take_agent_progress(row, part, call)
        elif call is not None and call.result is None:
            call.progress = Progress(
                part.kind, part.text, part.elapsed_ms, part.timeout_ms, part.failed
            )
            self._change.calls.append(call)
        return None

    def _take_agent_progress(self, row: Row, part: Progressed, call: Call | None) -> None:
        if part.agent_id is None:
            return
        agent = self._agents_by_id.get(part.agent_id)
        if agent is None:
            agent = self._new_agent(part.agent_id, call)
            self._agents_by_id[part.agent_id] = agent
        for inner in part.inside:
            if isinstance(inner, Asked) and inner.id and inner.id not in agent.calls:
                known = agent.calls[inner.id] = Call(inner.id, inner.name, inner.summary, row)
                known.source = "agent_progress"
            elif isinstance(inner, Answered) and inner.id:
                asked = agent.calls.get(inner.id)
                if asked is not None and asked.result is None:
                    asked.result = row
                    asked.answer = inner if inner.error else None

    def _take_denied(self, row: Row, record: Record, part: Denied) -> Entry | None:
        call = self.calls.get(part.call_id)
        if call is not None and call.result is None:
            call.fate = "PERMISSION_DENIED"
            self._change.calls.append(call)
        return None

    def _take_interrupted(self, row: Row, record: Record, part: Interrupted) -> Entry | None:
        # Whatever of the message before it was still running was stopped with it.
        for call in self._calls_of_last_message():
            if call.result is None and call.fate is None:
                call.fate = "INTERRUPTED"
                self._change.calls.append(call)
        return Entry("interrupt", row, part.text, level="warning")

    def _calls_of_last_message(self) -> list[Call]:
        found: list[Call] = []
        for call in reversed(self.calls.values()):
            if call.message_id is None or call.message_id != self.last_key:
                break
            found.append(call)
        return found

    def _take_compacted(self, row: Row, record: Record, part: Compacted) -> Entry | None:
        compaction = Compaction(row, part.trigger, part.tokens_before, part.tokens_after)
        self.compactions.append(compaction)
        return Entry("compaction", row, item=compaction)

    def _take_api_failure(self, row: Row, record: Record, part: ApiFailed) -> Entry | None:
        attempt = part.attempt
        label = f"retry {attempt}" + (f"/{part.most}" if part.most else "") if attempt else ""
        if self._retries is not None:
            # A run of retries, and the message that ends it, are one thing that happened.
            self._retries.text, self._retries.label = part.text, label or self._retries.label
            if attempt is None:
                self._retries = None
            return Entry("duplicate", row, part.text, "retry", hidden=True)
        entry = Entry("api_error", row, part.text, label, "error")
        self.trouble.append(entry)
        self._retries = entry
        return entry

    def _take_spent(self, row: Row, record: Record, part: Spent) -> Entry | None:
        if part.message_id is not None:
            part.message_id = self._keys.setdefault(part.message_id, part.message_id)
        self.tokens.add(part)
        if part.model is not None and part.model not in self.models:
            self.models.append(part.model)
        return None

    def _take_learned(self, row: Row, record: Record, part: Learned) -> Entry | None:
        if part.key == "queue":
            self._take_queue(*part.value)  # type: ignore[misc]
        elif part.key == "leaf":
            uuid, explicit = part.value  # type: ignore[misc]
            if explicit and (leaf := self.tree.find(uuid if isinstance(uuid, str) else None)):
                self.leaf = leaf
        elif part.key == "permission_mode":
            known = self.facts.get(part.key)
            self.facts[part.key] = part.value
            if known is not None and known != part.value:
                return Entry("note", row, f"{known} → {part.value}", "permission mode")
        else:
            self.facts[part.key] = part.value
        return None

    def _take_queue(self, operation: object, content: str) -> None:
        match operation:
            case "enqueue":
                self.queue.append(content)
            case "dequeue" if self.queue:
                del self.queue[0]
            case "remove" if content in self.queue:
                self.queue.remove(content)
            case "remove" | "popAll":
                self.queue.clear()

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
        facts = self.facts
        for key in ("custom_title", "ai_title"):
            if title := _string(facts.get(key)):
                return title
        return (
            self.first_prompt
            or _string(facts.get("last_prompt"))
            or _string(facts.get("summary"))
            or self.first_command
        )

    @property
    def project(self) -> str | None:
        """Where it worked: as it began there, or where it was moved to."""
        return _string(self.facts.get("relocated")) or self.cwd

    def active_branches(self) -> set[int]:
        """The ids of the branches on the way to the leaf that the program would go on from."""
        active: set[int] = set()
        branch = self.leaf.branch if self.leaf else None
        while branch is not None:
            active.add(id(branch))
            branch = branch.parent
        return active


def agent_of(row: Row) -> Agent | None:
    """The sub-agent of this file that a row belongs to."""
    branch = row.branch
    while branch is not None:
        if branch.agent is not None:
            return branch.agent
        branch = branch.parent
    return None


def _string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
