"""A session as rows: what `show` prints and the outline shows.

A straight chain is flat; indentation means "belongs to": turn, call, hook, sub-agent, branch that
was left. Everything is walked with a stack of iterators, never by recursion.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from viewer import text, tools
from viewer.agents import agent_of
from viewer.load import Transcript
from viewer.model import (
    DEAD,
    DUPLICATE,
    GAP,
    PROMPT,
    Agent,
    Branch,
    Call,
    Entry,
    Hook,
    Liveness,
    Row,
)
from viewer.session import Session
from viewer.status import Judge

GLYPHS = {
    "prompt": "❯",
    "queued": "❯",
    "notification": "◦",
    "reply": "▪",
    "thinking": "⋯",
    "call": "‣",
    "hook": "↳",
    "note": "·",
    "context": "·",
    "compaction": "┄",
    "branch": "├",
    "agent": "┊",
    "interrupt": "■",
    "api_error": "✗",
    "invalid": "✗",
    "damaged": "✗",
    "orphan": "✗",
    "unknown": "?",
    "duplicate": "=",
}
STATE_GLYPHS = {"completed": "✓", "failed": "✗", "missing": "∅", "in_progress": "⋯", "pending": "…"}


@dataclass(slots=True)
class OutlineRow:
    """One row: what it is, how deep, and in cleaned words what it says."""

    kind: str
    depth: int
    entry: Entry | None
    row: Row | None
    name: str
    text: str
    state: str = ""
    status: str | None = None  # of a call
    cause: str | None = None
    turn: bool = False  # opens one
    hidden: bool = False
    file: str | None = None


class _Walk:
    """The rows of one session of a transcript, at a depth."""

    def __init__(self, session: Session, liveness: Liveness, file: str | None) -> None:
        self.judge = Judge(session, liveness)
        self.active = session.active_branches()
        self.file = file
        self.forks: dict[int, list[Branch]] = defaultdict(list)
        for branch in session.tree.branches:
            self.forks[id(branch.fork)].append(branch)
        self.reasons = reasons(session) if self.forks else {}
        self.steps = (
            Counter(id(agent_of(call.row)) for call in session.calls.values())
            if (session.agents.all)
            else Counter()
        )
        self.session = session


def rows(transcript: Transcript, liveness: Liveness = DEAD) -> Iterator[OutlineRow]:
    """Every row of a transcript, in order."""
    walk = _Walk(transcript.session, liveness, None)
    shown: set[int] = set()
    stack = [_branch_rows(walk, transcript.session.tree.trunk, 0, liveness, shown)]
    yield from _unroll(stack)
    for agent in transcript.agents:
        if id(agent) not in shown:
            yield from _unroll([_agent_rows(walk, agent, 0, liveness, shown)])
    for said in transcript.session.facts.queue:
        words = text.one_line(said.text)
        yield OutlineRow("queued", 0, None, None, "queued", words, "not taken up")


_Step = OutlineRow | Iterator["_Step"]


def _unroll(stack: list[Iterator[_Step]]) -> Iterator[OutlineRow]:
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        elif isinstance(step, OutlineRow):
            yield step
        else:
            stack.append(step)


def _branch_rows(
    walk: _Walk, branch: Branch, depth: int, liveness: Liveness, shown: set[int]
) -> Iterator[_Step]:
    waiting: list[Branch] = []
    for row in branch.rows:
        while waiting and waiting[0].rows[0].line < row.line:
            yield _fork_rows(walk, waiting.pop(0), depth, liveness, shown)
        if row.entries:
            yield _entry_rows(walk, row, depth, liveness, shown)
        if id(row) in walk.forks:
            waiting += walk.forks[id(row)]
            waiting.sort(key=lambda each: (id(each) in walk.active, each.rows[0].line))
    for each in waiting:
        yield _fork_rows(walk, each, depth, liveness, shown)


def _fork_rows(
    walk: _Walk, branch: Branch, depth: int, liveness: Liveness, shown: set[int]
) -> Iterator[_Step]:
    if branch.agent is None and id(branch) in walk.active:
        yield _branch_rows(walk, branch, depth, liveness, shown)
        return
    label = f"{walk.reasons[id(branch)]} here: {text.plural(len(branch.rows), 'record')}"
    yield OutlineRow("branch", depth, None, branch.rows[0], "", label, file=walk.file)
    yield _branch_rows(walk, branch, depth + 1, liveness, shown)


def reasons(session: Session) -> dict[int, str]:
    """Why there are branches, by their ids: rewound, retried, or two programs in one session."""
    forks: dict[int, list[Branch]] = defaultdict(list)
    for branch in session.tree.branches:
        forks[id(branch.fork)].append(branch)
    found: dict[int, str] = {}
    for siblings in forks.values():
        siblings.sort(key=lambda each: each.rows[0].line)
        ends = list(accumulate((each.rows[-1].line for each in siblings), max))
        asked = False  # whether this one or a later one began with a prompt
        for number in reversed(range(len(siblings))):
            branch = siblings[number]
            asked = asked or any(row.key == PROMPT for row in branch.rows[:20])
            begins_inside = number > 0 and branch.rows[0].line < ends[number - 1]
            next_begins_inside = (
                number + 1 < len(siblings) and siblings[number + 1].rows[0].line < ends[number]
            )
            if begins_inside or next_begins_inside:
                found[id(branch)] = "concurrent"
            else:
                found[id(branch)] = "rewound" if asked else "retried"
    return found


def _entry_rows(
    walk: _Walk, row: Row, depth: int, liveness: Liveness, shown: set[int]
) -> Iterator[_Step]:
    for entry in row.entries:
        item = entry.item
        if entry.kind == "call" and isinstance(item, Call):
            yield call_row(walk, entry, item, depth + 1)
            for hook in item.hooks:
                yield hook_row(hook, depth + 2, walk.file)
            if item.agent is not None and id(item.agent) not in shown:
                yield _agent_rows(walk, item.agent, depth + 2, liveness, shown)
        elif isinstance(item, Hook):
            if item.call is None:
                yield hook_row(item, depth + 1, walk.file)
        else:
            yield _plain_row(walk, entry, depth)


def _agent_rows(
    walk: _Walk, agent: Agent, depth: int, liveness: Liveness, shown: set[int]
) -> Iterator[_Step]:
    shown.add(id(agent))
    session = agent.session
    calls = len(session.calls) if session else walk.steps[id(agent)] or len(agent.calls)
    words = [agent.type or "sub-agent", agent.description or agent.prompt or agent.id or ""]
    name = text.one_line(" · ".join(word for word in words if word), 80)
    file = agent.file if session else walk.file
    yield OutlineRow("agent", depth, None, None, "sub-agent", name, _steps(calls), file=file)
    if session is not None:
        inner = _Walk(session, liveness, agent.file)
        yield _branch_rows(inner, session.tree.trunk, depth + 1, liveness, shown)
    elif agent.branch is not None:
        yield _branch_rows(walk, agent.branch, depth + 1, liveness, shown)
    else:
        for call in agent.calls.values():
            entry = Entry("call", call.row, item=call)
            yield call_row(walk, entry, call, depth + 1)


def _steps(calls: int) -> str:
    return text.plural(calls, "step") if calls else ""


def _plain_row(walk: _Walk, entry: Entry, depth: int) -> OutlineRow:
    opens = entry.kind in ("prompt", "queued", "notification") and not entry.hidden
    words = text.one_line(entry.text)
    state = ""
    if entry.row.marks & GAP:
        state = "its parent is not in the file"
    name = entry.label
    match entry.kind:
        case "thinking":
            name, words = "thinking", words or f"({entry.label or 'hidden'})"
        case "compaction":
            item = entry.item
            before = getattr(item, "tokens_before", None)
            after = getattr(item, "tokens_after", None)
            sizes = [text.number(count) for count in (before, after) if count is not None]
            name = "compacted"
            words = " · ".join(w for w in (getattr(item, "trigger", ""), " → ".join(sizes)) if w)
        case "damaged":
            name, words = "damaged", f"line {entry.row.line}: {words}"
        case "api_error":
            name = "API error" + (f" ({entry.label})" if entry.label else "")
        case "invalid":
            name, words = "invalid", f"{words} - {entry.label}"
        case "queued":
            name = "queued"
        case "unknown":
            name, words = "unknown", text.one_line(entry.label)
        case "duplicate":
            name = f"again: {entry.label}"
    if entry.row.marks & DUPLICATE:
        state = "duplicate"
    return OutlineRow(
        entry.kind,
        depth if opens else depth + 1,
        entry,
        entry.row,
        text.one_line(name, 40),
        words,
        state,
        turn=opens,
        hidden=entry.hidden or bool(entry.row.marks & DUPLICATE) or not (words or name or state),
        file=walk.file,
    )


def call_row(walk: _Walk, entry: Entry, call: Call, depth: int) -> OutlineRow:
    status, cause = walk.judge.status(call), walk.judge.cause(call)
    return OutlineRow(
        "call",
        depth,
        entry,
        entry.row,
        call_name(call.name),
        text.one_line(relative(call, walk.session.cwd)),
        call_state(call, status, cause),
        status,
        cause,
        file=walk.file,
    )


def call_name(name: str) -> str:
    """`mcp__shop_db__query` reads as `shop_db · query`."""
    server = tools.mcp(name)
    return text.one_line(f"{server.server} · {server.tool}" if server else name, 60)


def relative(call: Call, cwd: str | None) -> str:
    """A path as seen from where the session worked."""
    summary = call.summary
    if cwd and summary.startswith(cwd):
        rest = summary[len(cwd) :]
        if rest[:1] in ("/", "\\") or cwd.endswith(("/", "\\")):
            return rest.lstrip("/\\")
    return summary


def call_state(call: Call, status: str, cause: str | None) -> str:
    """Glyph and word: readable without colour, and without knowing the glyph."""
    words = [STATE_GLYPHS[status]]
    match status:
        case "failed":
            code = call.answer.exit_code if call.answer else None
            words.append(f"exit {code}" if code is not None else cause or "failed")
        case "completed" if cause:
            words.append(cause.lower())
        case "completed":
            if call.answer and call.answer.background:
                words.append("in background")
        case "missing":
            words.append(f"missing · {cause}")
        case other:
            words.append(other.replace("_", " "))
    state = " ".join(words)
    took = text.duration(call.duration_ms)
    return f"{state} · {took}" if took and status != "completed" else f"{state} {took}".strip()


def hook_row(hook: Hook, depth: int, file: str | None) -> OutlineRow:
    state = {"success": "✓", "error": "✗", "blocked": "✗ blocked", "cancelled": "■ cancelled"}.get(
        hook.outcome, ""
    )
    if hook.outcome == "error":
        state += f" exit {hook.exit_code}" if hook.exit_code is not None else " error"
    took = text.duration(hook.duration_ms)
    name = hook.name if hook.name.startswith(hook.event) else f"{hook.event} {hook.name}".strip()
    words = hook.command or hook.text
    if hook.failed and hook.command and hook.text:
        words = f"{hook.command}: {hook.text.removeprefix(f'[{hook.command}]: ')}"
    return OutlineRow(
        "hook",
        depth,
        None,
        hook.row,
        text.one_line(f"hook {name}", 60),
        text.one_line(words),
        f"{state} {took}".strip(),
        file=file,
    )
