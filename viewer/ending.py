"""How a session ended, as far as its file and the programs that run can tell."""

import re
from typing import NamedTuple

from viewer import text
from viewer.describe import call_name
from viewer.load import Transcript
from viewer.model import DEAD, Call, Entry, Liveness, Row
from viewer.session import Session
from viewer.status import Judge

# What the programs and the API say where the user has used up what he may use.
_LIMIT = re.compile(
    r"usage limit|[Yy]ou've (?:hit|reached) your|out of (?:usage|extra)|[Cc]redit balance"
    r"|[Rr]ate.?limit|\b429\b|quota|[Pp]rompt is too long|context.?window|max.?turns|budget"
)
_LIMIT_LABELS = ("limit", "stopped", "refused")

KINDS = {
    "running": "still running",
    "waiting": "waits for approval",
    "idle": "waits for the next prompt",
    "finished": "finished",
    "interrupted": "interrupted by the user",
    "killed": "killed or cut off",
    "limit": "out of limits",
    "failed": "stopped by an error",
    "unanswered": "ended before an answer",
    "empty": "nothing was said",
}


class Ending(NamedTuple):
    kind: str
    words: str  # what tells; foreign text, not cleaned
    time: float | None
    item: Call | Entry | None  # where that is seen
    good: Call | Entry | None  # the last thing before it that went well


def ending(transcript: Transcript, judge: Judge, liveness: Liveness = DEAD) -> Ending:
    session = transcript.session
    kind, words, item = _last_word(session, judge)
    if liveness.alive:
        kind, words = _living(session, judge, liveness)
    elif liveness.killed and kind != "interrupted":
        kind, words = "killed", "; ".join(w for w in ("its program was killed", words) if w)
    return Ending(kind, words, session.ended, item, _last_good(session, item))


def _living(session: Session, judge: Judge, liveness: Liveness) -> tuple[str, str]:
    if liveness.waiting:
        return "waiting", liveness.waits_for
    if liveness.idle:
        return "idle", ""
    running = [call for call in session.unanswered.values() if judge.status(call) != "missing"]
    return "running", ", ".join(_name(call) for call in running[:3])


def _last_word(session: Session, judge: Judge) -> tuple[str, str, Call | Entry | None]:
    """What the last thing that was said or done says of the end."""
    for row in reversed(session.rows):
        if isinstance(row.about, Call) and row.about.result is row and row.branch is not None:
            call = row.about
            if open := _unanswered(session, judge):
                return open
            return "killed", f"nothing was said after the result of {_name(call)}", call
        for entry in reversed(row.entries):
            found = _of_entry(entry, session, judge)
            if found is not None:
                return found
    return "empty", "", None


def _unanswered(session: Session, judge: Judge) -> tuple[str, str, Call | Entry | None] | None:
    """Calls that were running when nothing more was written."""
    waiting = session.unanswered.values()
    missing = (call for call in waiting if judge.status(call) == "missing")
    open = [call for call in missing if judge.cause(call) == "SESSION_ENDED"]
    if not open:
        return None
    last = open[-1]
    if any(hook.outcome == "asked" for hook in last.hooks):
        return "waiting", f"{_name(last)} was never approved", last
    words = f"{text.plural(len(open), 'call')} unanswered: {_name(last)}"
    return "killed", words, last


def _of_entry(
    entry: Entry, session: Session, judge: Judge
) -> tuple[str, str, Call | Entry | None] | None:
    match entry.kind:
        case "interrupt":
            return "interrupted", "", entry
        case "api_error":
            is_limit = _LIMIT.search(entry.text) is not None
            return "limit" if is_limit else "failed", entry.text, entry
        case "note" if entry.label in _LIMIT_LABELS:
            return "limit", entry.text, entry
        case "reply" if not entry.hidden:
            return _unanswered(session, judge) or ("finished", "", entry)
        case "call":
            call = entry.item
            assert isinstance(call, Call)
            if (open := _unanswered(session, judge)) is not None:
                return open
            if call.fate == "INTERRUPTED":
                return "interrupted", "", call
            return "killed", f"nothing was said after {_name(call)}", call
        case "prompt" | "queued" | "notification" if not entry.hidden:
            return "unanswered", entry.text, entry
        case "thinking" if not entry.hidden:
            return "killed", "cut off while the model was thinking", entry
    return None


def _last_good(session: Session, end: Call | Entry | None) -> Call | Entry | None:
    """The last call that worked, or what was said, before the end."""
    for row in reversed(session.rows):
        thing = _good(row)
        if thing is not None and (thing is not end or isinstance(thing, Call)):
            return thing
    return None


def _good(row: Row) -> Call | Entry | None:
    about = row.about
    if isinstance(about, Call) and about.result is row and not about.failed:
        return about
    return next((entry for entry in row.entries if entry.kind == "reply"), None)


def _name(call: Call) -> str:
    return f"{call_name(call.name)} {call.summary[:80]}".strip()
