"""What a session is made of: rows, entries, calls, hooks, branches and sub-agents.

These are kept for the whole life of a session, hundreds of thousands of them for a large one, so
they are slotted, hold short texts only, and name the bytes of their record instead of its JSON.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from viewer.records import Answered, Level, Updated

if TYPE_CHECKING:
    from viewer.session import Session

# How a row got its place in the tree, where that was not plainly by its parentUuid.
LOOSE = 1  # stands after the row before it; it names no parent
GAP = 2  # it names a parent that is not in the file (yet)
CYCLE = 4  # its parent would have made a circle, which was cut here
DUPLICATE = 8  # its uuid was there before
SIDECHAIN = 16
LOGICAL = 32  # it follows its logicalParentUuid
HUNG = 64  # it is no part of the chain; nothing follows it

SESSION = "session"  # the type of an "agent" that is another conversation in the same file
PERMISSION = "Permission"  # the event of a "hook" that is a request for the user's approval
PROMPT = "\0prompt"  # the key of a row that opens a turn


class Row:
    """One record's place in the session: its line, its bytes, its links."""

    __slots__ = (
        "about",
        "branch",
        "end",
        "entries",
        "first_key",
        "heavy",
        "key",
        "line",
        "marks",
        "own",
        "parent",
        "part",
        "second_key",
        "start",
        "time",
        "type",
    )

    def __init__(self, line: int, start: int, end: int, type: str, time: float | None) -> None:
        self.line = line
        self.start = start
        self.end = end
        self.type = type
        self.time = time
        self.marks = 0
        self.parent: Row | None = None
        self.branch: Branch | None = None  # None for records that have no place in the tree
        self.key: str | None = None  # PROMPT, or the id of the API message it is a part of
        self.own: str | None = None  # the message it belongs to: its own, or that of the call above
        # Up to two different keys in the subtree below and including this row: see tree.py.
        self.first_key: str | None = None
        self.second_key: str | None = None
        self.heavy: Row | None = None  # the child that carries the conversation on
        self.entries: tuple[Entry, ...] = ()
        self.about: Call | Hook | Entry | None = None  # what it adds to, if it is no entry itself
        self.part: int | None = None  # which of the things that its object stands for

    @property
    def asks(self) -> bool:
        """Whether somebody asks something of the agent: a prompt may have several parts."""
        asked = (e.kind in ("prompt", "queued") and not e.hidden for e in self.entries)
        return any(asked) and not self.marks & SIDECHAIN

    def is_before(self, other: "Row") -> bool:
        """In the file."""
        mine = (self.line, self.start, self.part or 0)
        return mine < (other.line, other.start, other.part or 0)

    def __repr__(self) -> str:
        return f"<Row {self.line} {self.type}>"


class Entry:
    """One thing in the outline."""

    __slots__ = ("hidden", "item", "kind", "label", "level", "more", "row", "text")

    def __init__(
        self,
        kind: str,
        row: Row,
        text: str = "",
        label: str = "",
        level: Level = "info",
        hidden: bool = False,
        item: "Call | Hook | Compaction | None" = None,
    ) -> None:
        self.kind = kind
        self.row = row
        self.text = text
        self.label = label
        self.level = level
        self.hidden = hidden
        self.item = item
        self.more: Sequence[Row] = ()  # further records with pieces of the same text

    def __repr__(self) -> str:
        return f"<Entry {self.kind} {self.text[:30]!r} of {self.row}>"


class Call:
    """A tool call: request, result, hooks, progress and sub-agent in one place."""

    __slots__ = (
        "added",
        "agent",
        "agent_type",
        "answer",
        "duplicates",
        "fate",
        "hooks",
        "id",
        "kind",
        "message_id",
        "name",
        "progress",
        "prompt",
        "removed",
        "result",
        "row",
        "source",
        "stated",
        "summary",
        "task",
        "touches",
        "updated",
        "updates",
    )

    def __init__(
        self, id: str | None, name: str, summary: str, row: Row, kind: str = "other"
    ) -> None:
        self.id = id
        self.name = name
        self.summary = summary
        self.row = row
        self.message_id: str | None = None
        self.result: Row | None = None
        self.answer: Answered | None = None  # only where there is more to say than "it worked"
        self.hooks: Sequence[Hook] = ()
        self.agent: Agent | None = None
        self.agent_type: str | None = None
        self.prompt: str | None = None
        self.progress: Progress | None = None
        self.fate: str | None = None  # why it will have no result, once that is known
        self.task: str | None = None  # how it goes on, or ended, in the background
        self.duplicates = 0
        self.added: int | None = None  # lines, of an edit
        self.removed: int | None = None
        self.source: str | None = None  # "agent_progress" where only a progress record tells of it
        self.kind = kind  # in ACP's words
        self.stated: str | None = None  # pending or in_progress, where the program says so itself
        self.touches = False  # it names files
        self.updates: Sequence[Row] = ()  # records that told more of it
        self.updated: Updated | None = None  # what they said of a result that was still to come

    def add_update(self, row: Row) -> None:
        if isinstance(self.updates, list):
            self.updates.append(row)
        else:
            self.updates = [row]

    def add_hook(self, hook: "Hook") -> None:
        if isinstance(self.hooks, list):
            self.hooks.append(hook)
        else:
            self.hooks = [hook]

    @property
    def failed(self) -> bool:
        return self.answer is not None and self.answer.error

    @property
    def duration_ms(self) -> int | None:
        if self.answer and self.answer.duration_ms is not None:
            return self.answer.duration_ms
        if self.result and self.result.time is not None and self.row.time is not None:
            return max(0, round((self.result.time - self.row.time) * 1000))
        return None

    def __repr__(self) -> str:
        return f"<Call {self.name} {self.id}>"


@dataclass(slots=True)
class Progress:
    """The last sign of life of a call."""

    kind: str
    text: str
    elapsed_ms: int | None = None
    timeout_ms: int | None = None
    failed: bool = False


@dataclass(slots=True)
class Hook:
    """One run of one hook."""

    row: Row
    event: str
    name: str
    command: str | None
    outcome: str
    exit_code: int | None = None
    duration_ms: int | None = None
    decision: str | None = None
    text: str = ""
    call: Call | None = None
    told: bool = False  # the model was told of it

    @property
    def failed(self) -> bool:
        return self.outcome in ("error", "blocked")

    @property
    def said_no(self) -> bool:
        """A hook that did not let its call run. What the user said to a request is no hook."""
        no = self.outcome == "blocked" or self.decision in ("deny", "block")
        return no and self.event != PERMISSION


@dataclass(slots=True)
class Compaction:
    row: Row
    trigger: str
    tokens_before: int | None
    tokens_after: int | None


class Branch:
    """Rows that follow one another. All but the trunk leave another branch at a fork."""

    __slots__ = ("agent", "fork", "lane", "last", "rows")

    def __init__(self, fork: Row | None = None, agent: "Agent | None" = None) -> None:
        self.fork = fork
        self.agent = agent
        self.rows: list[Row] = []
        # The main conversation's trunk, or a sub-agent's, and there its last row.
        self.lane: Branch = fork.branch.lane if fork and fork.branch else self
        self.last: Row | None = None

    @property
    def size(self) -> int:
        """How many of its rows are part of the conversation."""
        return sum(not row.marks & HUNG for row in self.rows)

    @property
    def parent(self) -> "Branch | None":
        return self.fork.branch if self.fork else None

    def __repr__(self) -> str:
        return f"<Branch at {self.fork} of {len(self.rows)} rows>"


@dataclass(slots=True)
class Agent:
    """A sub-agent: what its parent's file says of it, and its own file where it has one."""

    id: str | None
    call: Call | None = None  # the one that started it
    prompt: str | None = None
    branch: Branch | None = None  # where its rows stand in the parent's own file
    last_key: str | None = None
    calls: dict[str, Call] = field(default_factory=dict)  # known only from progress records
    spoken: int = 0  # calls that stand in the parent's own file
    status: str | None = None
    type: str | None = None
    description: str | None = None
    finished: bool = False
    file: str | None = None  # the name of its own file
    path: str | None = None
    session: "Session | None" = None  # and what stands in it

    @property
    def steps(self) -> int:
        """How many calls it made, as far as is known."""
        return len(self.session.calls) if self.session else self.spoken or len(self.calls)


@dataclass(frozen=True, slots=True)
class Liveness:
    """What is known about the program behind a session."""

    alive: bool = False
    waiting: bool = False  # for the user's approval
    idle: bool = False  # for the user's next prompt
    killed: bool = False  # it left its entry in the registry behind
    waits_for: str = ""  # what it says it waits for; foreign text
    registered: bool = False  # the program itself says so, in its registry
    updated: float = field(default=0.0, compare=False)  # when the registry was written
    now: float | None = field(default=None, compare=False)  # when this was looked at

    @property
    def state(self) -> str:
        """In a word; empty for a session that nobody works on."""
        if not self.alive:
            return "killed" if self.killed else ""
        return "waiting" if self.waiting else "idle" if self.idle else "working"


DEAD = Liveness()


@dataclass(slots=True)
class Change:
    """What an `apply` did."""

    rows: list[Row] = field(default_factory=list)  # new ones
    calls: list[Call] = field(
        default_factory=list
    )  # older ones that got a result or a sign of life
    agents: list[Agent] = field(default_factory=list)  # tied to a call, or with a call more
    restructured: bool = False  # rows that were there before have moved


@dataclass(slots=True)
class Counts:
    unknown: int = 0
    damaged: int = 0
    salvaged: int = 0
    duplicates: int = 0
    types: Counter[str] = field(default_factory=Counter)  # with their subtypes

    @property
    def total(self) -> int:
        return self.types.total()

    @property
    def by_type(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for type, number in self.types.items():
            found[type.partition("/")[0]] += number
        return dict(sorted(found.items()))
