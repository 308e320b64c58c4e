"""A node of the outline in words: what it is, what it says, how it went. All of it is cleaned.

States are a glyph and a word, so that they can be read without colour and without knowing the
glyph. Each glyph is one cell wide in DejaVu Sans Mono and has an ASCII form.
"""

import re
from dataclasses import dataclass

from viewer import text, tools
from viewer.model import (
    DUPLICATE,
    GAP,
    PERMISSION,
    SESSION,
    Agent,
    Branch,
    Call,
    Compaction,
    Entry,
    Hook,
)
from viewer.nodes import Node, Scope
from viewer.records import Said
from viewer.tree import reasons

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
_STATES = {"completed": "✓", "failed": "✗", "missing": "∅", "in_progress": "⋯", "pending": "…"}
_TONES = {"failed": "error", "missing": "missing", "in_progress": "running", "pending": "running"}
_MARKS = re.compile(r"(?:(?<=^)|(?<= ))#{1,6} |\*\*|```\w*")  # of Markdown


@dataclass(slots=True)
class Words:
    """What a row of the outline says, cleaned and on one line."""

    glyph: str
    name: str
    text: str
    state: str = ""
    tone: str = ""  # error missing running warning dim ok: how the state is to be taken
    time: float | None = None
    short: str = ""  # the state where there is little room; empty where it is short anyway

    @property
    def whole(self) -> str:
        return " ".join(word for word in (self.name, self.text, self.state) if word)


def describe(node: Node) -> Words:
    match node.item:
        case Call() as call:
            return _call(node.scope, call)
        case Hook() as hook:
            return hook_words(hook)
        case Agent() as agent:
            kind = agent.type if agent.type != SESSION else None
            names = (text.one_line(agent_name(agent)), text.one_line(kind or "", 30))
            words = " · ".join(name for name in names if name)
            name = "session" if agent.type == SESSION else "sub-agent"
            return Words(GLYPHS["agent"], name, words, _steps(agent.steps))
        case Branch() as branch:
            why = reasons(node.scope.session.tree)[id(branch)]
            count = text.plural(branch.size, "record")
            time = branch.rows[0].time
            return Words(GLYPHS["branch"], f"{why} here", count, tone="dim", time=time)
        case Compaction() as compaction:
            return _compaction(compaction)
        case Said() as said:
            return Words(GLYPHS["queued"], "queued", text.one_line(said.text), "not taken up")
        case Entry() as entry:
            return _entry(entry)
    return Words("", "", "")


def _entry(entry: Entry) -> Words:
    words = text.one_line(entry.text)
    name, state, tone = entry.label, "", ""
    match entry.kind:
        case "reply":
            words = _MARKS.sub("", words)
        case "thinking":
            name, tone = "thinking", "dim"
            words = f"“{words}”" if words else f"({entry.label or 'hidden'})"
        case "damaged":
            name, words, tone = "damaged", f"line {entry.row.line}: {words}", "error"
        case "api_error":
            name, tone = "API error" + (f" ({entry.label})" if entry.label else ""), "error"
        case "invalid":
            name, words, tone = "invalid", f"{words} - {entry.label}", "error"
        case "orphan":
            name, tone = "result", "error"
            state = "✗ names no call"
        case "queued":
            name = "queued"
        case "interrupt":
            name, tone, words = (
                "interrupted",
                "warning",
                words.strip("[]").removeprefix("Request interrupted "),
            )
        case "unknown":
            name, words, tone = "unknown", text.one_line(entry.label), "dim"
        case "state":
            tone = "dim"
        case "duplicate":
            name, tone = f"again: {entry.label}", "dim"
        case "note" | "context":
            tone = "dim" if entry.level == "info" else entry.level
    if entry.row.marks & GAP:
        state = "its parent is not in the file"
    if entry.row.marks & DUPLICATE:
        state, tone = "duplicate", "dim"
    glyph = GLYPHS.get(entry.kind, "·")
    return Words(glyph, text.one_line(name, 40), words, state, tone, entry.row.time)


def _compaction(item: Compaction) -> Words:
    sizes = [text.number(n) for n in (item.tokens_before, item.tokens_after) if n is not None]
    words = " · ".join(word for word in (item.trigger, " → ".join(sizes)) if word)
    name = "compacted"
    return Words(
        GLYPHS["compaction"], name, text.one_line(words), tone="warning", time=item.row.time
    )


def _call(scope: Scope, call: Call) -> Words:
    status, cause = scope.judge.status(call), scope.judge.cause(call)
    words = text.one_line(relative(call.summary, scope.session.cwd))
    if call.agent is not None:
        agent = call.agent
        failed = len(agent.session.failures) if agent.session is not None else 0
        facts = [_steps(agent.steps), f"{failed} failed" if failed else ""]
        facts.append(text.one_line(agent.type or "", 30))
        name = text.one_line(agent_name(agent), 40)
        words = " · ".join(word for word in (name, *facts) if word)
        if call.answer is not None and call.answer.background:
            running = scope.court.of_agent(agent)[0]
            words += f" · {running.replace('_', ' ')}"
        else:
            running = status
        if running == "in_progress" and (doing := _doing(agent)):
            words += f" · {doing}"
    elif call.task is not None:
        words += f" · {text.one_line(call.task, 20)}"
    elif call.answer is not None and call.answer.task_id and scope.judge.liveness.alive:
        words += " · running"
    elif status == "in_progress" and call.progress is not None and call.progress.text:
        words += f" · {text.one_line(call.progress.text.rstrip().rpartition(chr(10))[2], 60)}"
    state = call_state(call, status, cause, scope.judge.liveness.now)
    short = ""
    if (recovery := scope.session.recoveries.of(call)) is not None:
        short = f"{state} · fixed"
        state += f" · recovered by {call_name(recovery.by.name)}"
    tone, time = _TONES.get(status, "ok"), call.row.time
    return Words(GLYPHS["call"], call_name(call.name), words, state, tone, time, short)


def _doing(agent: Agent) -> str:
    """What a sub-agent asked for last."""
    calls = agent.session.calls if agent.session is not None else agent.calls
    last = next(reversed(calls.values()), None)
    if last is None:
        return ""
    cwd = agent.session.cwd if agent.session is not None else None
    return text.one_line(f"{call_name(last.name)} {relative(last.summary, cwd)}", 50)


def agent_name(agent: Agent) -> str:
    """Its description, or what else tells it from others; and its type."""
    return agent.description or agent.prompt or agent.id or ""


def _steps(calls: int) -> str:
    return text.plural(calls, "step") if calls else ""


def call_name(name: str) -> str:
    """`mcp__shop_db__query` reads as `shop_db · query`."""
    server = tools.mcp(name)
    return text.one_line(f"{server.server} · {server.tool}" if server else name, 60)


def relative(path: str, cwd: str | None) -> str:
    """A path as seen from where the session worked."""
    if cwd and path.startswith(cwd):
        rest = path[len(cwd) :]
        if rest[:1] in ("/", "\\") or cwd.endswith(("/", "\\")):
            return rest.lstrip("/\\")
    return path


def call_state(call: Call, status: str, cause: str | None, now: float | None = None) -> str:
    """✓ 8ms, ✗ exit 1 · 3.4s, ∅ missing · INTERRUPTED, ✓ +4 −1, ⋯ running · 12s."""
    words = [_STATES[status]]
    match status:
        case "failed":
            code = call.answer.exit_code if call.answer else None
            is_exit = code is not None and cause in ("COMMAND_FAILED", None)
            words.append(f"exit {code}" if is_exit else cause or "failed")
        case "completed" if cause:
            words.append(cause.lower())
        case "completed" if call.added is not None:
            words.append(f"+{call.added} −{call.removed}")
        case "completed":
            if call.answer and call.answer.background:
                words.append("in background")
        case "missing":
            words.append(f"missing · {cause}")
        case "pending":
            words.append("waits for approval")
        case _:
            words.append("running")
    state = " ".join(words)
    took = text.duration(call.duration_ms)
    if status in ("pending", "in_progress"):
        took = running_for(call, now)
    return f"{state} · {took}" if took and len(words) > 1 else f"{state} {took}".strip()


def running_for(call: Call, now: float | None) -> str:
    """How long a call runs by now, in whole seconds: by the clock, or as it said last."""
    seconds: int | None = None
    if now is not None and call.row.time is not None and now >= call.row.time:
        seconds = int(now - call.row.time)
    elif call.progress is not None and call.progress.elapsed_ms is not None:
        seconds = call.progress.elapsed_ms // 1000
    if seconds is None:
        return ""
    return f"{seconds}s" if seconds < 60 else text.duration(seconds * 1000)


_OUTCOMES = {
    "success": "✓",
    "error": "✗",
    "blocked": "✗ blocked",
    "cancelled": "■ cancelled",
    "running": "⋯ running",
    "asked": "… asked",
    "allowed": "✓ allowed",
    "rejected": "■ rejected",
}


def hook_words(hook: Hook) -> Words:
    state = _OUTCOMES.get(hook.outcome, "")
    if hook.outcome == "error":
        state += f" exit {hook.exit_code}" if hook.exit_code is not None else " error"
    took = text.duration(hook.duration_ms)
    name = hook.name if hook.name.startswith(hook.event) else f"{hook.event} {hook.name}".strip()
    words = hook.command or hook.text
    if hook.failed and hook.command and hook.text:
        words = f"{hook.command}: {hook.text.removeprefix(f'[{hook.command}]: ')}"
    name = f"hook {name}"
    if hook.event == PERMISSION:
        name = "permission"
        words = hook.decision or hook.text
    tone = "warning" if hook.outcome in ("cancelled", "rejected") else "ok"
    return Words(
        GLYPHS["hook"],
        text.one_line(name, 60),
        text.one_line(words),
        f"{state} {took}".strip(),
        "error" if hook.failed else tone,
        hook.row.time,
    )
