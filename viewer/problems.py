"""Everything `e` jumps to: what went wrong in a transcript, in the order of its lines."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from viewer import text, tools
from viewer.causes import ADVICE
from viewer.load import Transcript
from viewer.model import DEAD, Call, Entry, Hook, Liveness
from viewer.session import Session
from viewer.status import Court, Judge

# In the order in which a report shows them.
KINDS = {
    "failed_call": "failed calls",
    "missing_result": "missing results",
    "hook": "hooks that failed or blocked",
    "api_error": "API errors",
    "orphan_result": "results without a call",
    "invalid": "breaches of the API's rules",
    "damaged": "damaged places",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """`message` is foreign text and not cleaned."""

    kind: str
    cause: str | None
    line: int
    file: str | None  # None for the session's own
    call: str | None
    message: str
    item: Call | Hook | Entry | None  # where it is in the outline
    session: Session


def find(transcript: Transcript, liveness: Liveness = DEAD) -> list[Problem]:
    problems: list[Problem] = []
    court = Court(transcript, liveness)
    for session, agent in transcript.sessions():
        own = _of_session(session, court.judge(session), agent.file if agent else None)
        problems += sorted(own, key=lambda problem: problem.line)
    judge = court.judge(transcript.session)
    for agent in transcript.agents:
        if agent.session is None:
            for call in agent.calls.values():
                problems += _of_call(judge, call, "agent_progress", transcript.session)
    return problems


def _of_session(session: Session, judge: Judge, file: str | None) -> list[Problem]:
    problems: list[Problem] = []
    for call in (*session.failures.values(), *session.unanswered.values(), *session.nameless_calls):
        problems += _of_call(judge, call, file, session)
    problems += [_of_hook(hook, file, session) for hook in session.hooks.failing.values()]
    problems += [_of_entry(entry, file, session) for entry in session.trouble]
    orphans = [(id, *orphan) for id, orphan in session.orphans.items()]
    nameless = [(None, *result) for result in session.nameless_results]
    for id, entry, answered in (*orphans, *nameless):
        line = entry.row.line
        problems.append(
            Problem("orphan_result", None, line, file, id, answered.text, entry, session)
        )
    return problems


def _of_call(judge: Judge, call: Call, file: str | None, session: Session) -> list[Problem]:
    status = judge.status(call)
    if status == "failed":
        assert call.answer is not None
        message = call.answer.text or "failed without a word"
        message, cause, line = _named(call, message), judge.cause(call), call.row.line
        return [Problem("failed_call", cause, line, file, call.id, message, call, session)]
    if status == "missing":
        cause = judge.cause(call)
        message = _named(call, ADVICE[cause].means if cause else "no result")
        line = call.row.line
        return [Problem("missing_result", cause, line, file, call.id, message, call, session)]
    return []


_TAGS = re.compile(r"</?tool_use_error>")


def _named(call: Call, message: str) -> str:
    server = tools.mcp(call.name)
    name = f"{server.server} · {server.tool}" if server else call.name
    what = f"{name} {call.summary[:80]}".strip()
    return f"{what}: {_TAGS.sub('', message)}"


def _of_hook(hook: Hook, file: str | None, session: Session) -> Problem:
    cause = "HOOK_BLOCKED" if hook.outcome == "blocked" else None
    words = (hook.name or hook.event, hook.command or "", hook.text)
    message = ": ".join(word for word in words if word)
    call = hook.call.id if hook.call else None
    return Problem("hook", cause, hook.row.line, file, call, message, hook, session)


def _of_entry(entry: Entry, file: str | None, session: Session) -> Problem:
    kind, cause, message = "damaged", None, entry.text
    if entry.kind == "api_error":
        kind, cause = "api_error", "API_ERROR"
    elif entry.kind == "invalid":
        kind, message = "invalid", f"{entry.text}. {entry.label}"
    return Problem(kind, cause, entry.row.line, file, None, message, entry, session)


_WORDS = {
    "failed_call": "failed call",
    "missing_result": "missing result",
    "hook": "hook problem",
    "api_error": "API error",
    "orphan_result": "orphan result",
    "invalid": "broken rule",
    "damaged": "damaged place",
}


def summarize(problems: list[Problem]) -> str:
    """2 failed calls, 1 missing result."""
    return in_words(Counter(problem.kind for problem in problems)) or "no problems"


def in_words(counts: Mapping[str, int]) -> str:
    """The same from how many there are of each kind; empty where there are none."""
    return ", ".join(text.plural(counts[kind], _WORDS[kind]) for kind in KINDS if counts.get(kind))
