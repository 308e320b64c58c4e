"""The one vocabulary that every format is read into.

A decoder turns a JSON object into a `Record` with `parts`: what the object says, in words that do
not depend on the program that wrote it. Records pass through `Session.apply` and are thrown away;
the session keeps compact rows and byte spans. Plain classes, not frozen ones, and where there are
many fields these stand in the class until they are set: hundreds of thousands are made while a
file loads.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

PREVIEW = 160  # characters of a text that the model keeps; the rest is read again by byte span
ERROR_TEXT = 4000
LAST_OUTPUT = 2000  # characters of what a running command said last

SaidKind = Literal["prompt", "queued", "reply", "thinking", "context", "note", "notification"]
Level = Literal["info", "warning", "error"]


@dataclass(slots=True)
class Said:
    """Text of somebody: the user, the model, or the program (a note)."""

    kind: SaidKind
    text: str
    label: str = ""  # what it is, where the kind does not say: "command", "hook feedback", ...
    level: Level = "info"
    hidden: bool = False  # bulk for the model only; folded away by default
    joins: str | None = None  # a piece of a text; pieces with the same key that follow are one


class Touch(NamedTuple):
    """A file that a call reads or changes."""

    path: str
    changes: bool = False
    line: int | None = None  # in that file


@dataclass(slots=True)
class Asked:
    """The request of a tool call."""

    id: str | None
    name: str
    summary: str  # one line that tells this call from others: the command, the path, the pattern
    prompt: str | None = None  # for a sub-agent: its task, the only link to an inline sidechain
    agent_type: str | None = None
    added: int | None = None  # lines, of an edit
    removed: int | None = None
    touches: tuple[Touch, ...] = ()  # the files it is about
    kind: str | None = None  # where the program says so itself, and not by the tool's name
    status: str | None = None  # pending or in_progress, where the program says so itself


@dataclass(init=False)
class Answered:
    """The result of a tool call."""

    id: str | None
    error: bool
    text: str  # the first part of it
    denial: str | None = None  # toolDenialKind
    denied_before_run: bool = False
    denied_by: str | None = None  # permissionDecision.source
    interrupted: bool = False
    exit_code: int | None = None
    duration_ms: int | None = None
    stated_exit: int | None = None  # `[Exit code: 1]` at the end of its text
    agent_id: str | None = None
    agent_status: str | None = None
    background: bool = False
    task_id: str | None = None  # of a command in the background
    images: int = 0
    added: int | None = None  # lines, of an edit as it was made
    removed: int | None = None

    def __init__(self, id: str | None, error: bool, text: str, **more: Any) -> None:
        self.id, self.error, self.text = id, error, text
        if more:
            self.__dict__.update(more)


@dataclass(init=False)
class HookFired:
    """A hook: started, answered, or both."""

    event: str
    name: str
    call_id: str | None = None  # the call it wrapped
    key: str | None = None  # joins the start and the answer of one run
    command: str | None = None
    outcome: str = "running"  # running success error blocked cancelled message unknown
    exit_code: int | None = None
    duration_ms: int | None = None
    decision: str | None = None
    text: str = ""
    feedback: bool = False  # only what the model was told of it

    def __init__(
        self,
        event: str,
        name: str,
        call_id: str | None = None,
        key: str | None = None,
        command: str | None = None,
        outcome: str = "running",
        **more: Any,
    ) -> None:
        self.event, self.name, self.call_id = event, name, call_id
        self.key, self.command, self.outcome = key, command, outcome
        if more:
            self.__dict__.update(more)


@dataclass(slots=True)
class Progressed:
    """A sign of life of a running call."""

    call_id: str | None
    kind: str
    text: str = ""
    elapsed_ms: int | None = None
    timeout_ms: int | None = None
    failed: bool = False
    agent_id: str | None = None
    prompt: str | None = None
    inside: list["Part"] = field(default_factory=list)  # what the sub-agent asked or answered


@dataclass(slots=True)
class Updated:
    """What a later record says of a call; None leaves what is known."""

    call_id: str
    name: str | None = None
    summary: str | None = None
    kind: str | None = None
    status: str | None = None
    failed: bool | None = None
    exit_code: int | None = None
    duration_ms: int | None = None
    added: int | None = None
    removed: int | None = None
    touches: tuple[Touch, ...] = ()
    fate: str | None = None  # why it will have no result
    agent_id: str | None = None


@dataclass(slots=True)
class Denied:
    """The program says that a call was not permitted."""

    call_id: str
    reason: str = ""


@dataclass(slots=True)
class Interrupted:
    """The user stopped the agent."""

    text: str


@dataclass(slots=True)
class Compacted:
    trigger: str
    tokens_before: int | None
    tokens_after: int | None = None


@dataclass(slots=True)
class ApiFailed:
    """The API refused or failed. `attempt` is set on retries, of which runs are one entry."""

    text: str
    attempt: int | None = None
    most: int | None = None


@dataclass(slots=True)
class Spent:
    """Tokens of one API message; repeated on each line of it."""

    message_id: str | None
    model: str | None
    input: int
    output: int
    cache_read: int
    cache_creation: int
    total: bool = False  # of the whole session so far, as the program counts them
    context: int | None = None  # tokens in the model's window, where that is told by itself


@dataclass(slots=True)
class Learned:
    """A fact about the session as a whole; the last one of a key wins."""

    key: str
    value: object


@dataclass(slots=True)
class Invalid:
    """A breach of the Messages API's rules."""

    rule: str
    fix: str


@dataclass(slots=True)
class Unread:
    """A block that this version does not know."""

    name: str


Part = (
    Said
    | Asked
    | Answered
    | HookFired
    | Progressed
    | Updated
    | Denied
    | Interrupted
    | Compacted
    | ApiFailed
    | Spent
    | Learned
    | Invalid
    | Unread
)


def task_key(text: str) -> str:
    """Tells one task of a sub-agent from others: long ones often share their beginning."""
    return text if len(text) <= PREVIEW else f"{text[:PREVIEW]}\0{hash(text)}"


class Record:
    """One JSON object of a file, or one damaged place in it.

    Most fields of most records keep their defaults, so these stand in the class: making one costs
    a third of what a dataclass costs.
    """

    line: int = 0
    start: int = 0
    end: int = 0
    format: str | None = None
    uuid: str | None = None
    parent: str | None = None
    logical_parent: str | None = None
    linked: bool = False  # has a place in the tree of parents
    time: float | None = None  # seconds since the epoch
    message_id: str | None = None  # of the API message this line is a part of
    opens_turn: bool = False  # a person or program asked for something new
    spoken: bool = False  # said by the user or the model: the conversation can go on from it
    meta: bool = False  # injected by the program, or a companion of another record
    sidechain: bool = False
    agent_id: str | None = None
    agent_call: str | None = None  # stream-json: the call whose sub-agent says this
    thread: str | None = None  # another conversation that stands in the same file
    task: str | None = None  # of a sub-agent: what it was asked, as `task_key` has it
    session_id: str | None = None
    cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    part: int | None = None  # which of the things that its object stands for, where it is several
    unknown: bool = False
    salvaged: bool = False
    damage: str | None = None

    def __init__(self, type: str) -> None:
        self.type = type  # as in the file, "system/compact_boundary" with a subtype; "damaged"
        self.parts: list[Part] = []
