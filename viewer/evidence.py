"""Why a call has no result: what in the file says so, and what came next."""

from bisect import bisect_right
from typing import NamedTuple

from viewer import text
from viewer.model import PERMISSION, PROMPT, Call, Entry, Row
from viewer.outline import thing_of
from viewer.session import Session
from viewer.status import Judge

_FAR = 200  # records after which an interruption is not laid at a call any more


class Evidence(NamedTuple):
    words: str  # not cleaned
    item: Call | Entry | None  # where that is seen
    next: Row | None  # the record after the call


def of_missing(call: Call, session: Session, judge: Judge) -> Evidence:
    """What tells why a call has no result."""
    cause = judge.cause(call)
    following = _next(call.row, session)
    permission = next((hook for hook in call.hooks if hook.event == PERMISSION), None)
    words, item = "", None
    match cause:
        case "HOOK_BLOCKED":
            hook = next((hook for hook in call.hooks if hook.said_no), None)
            said = hook.text or hook.command if hook is not None else None
            words = f"the hook said no: {said}" if said else "the hook said no"
        case "INTERRUPTED":
            item = _interrupt(call.row, session)
            words = f"interrupted in line {item.row.line}" if item else "its turn was cancelled"
        case "PERMISSION_DENIED":
            choice = permission.decision if permission is not None else None
            words = f"the answer was: {choice}" if choice else "it was not permitted"
        case "ABANDONED_BRANCH":
            words = "the conversation went on elsewhere, and this branch was left"
        case "TIMEOUT" if call.progress is not None:
            words = f"it had run for {text.duration(call.progress.elapsed_ms)}"
        case "API_ERROR":
            words = "the prompt that it belongs to failed"
        case "SESSION_ENDED":
            words = _end(call, session)
            if permission is not None and permission.outcome == "asked":
                words = f"it was still waiting for approval; {words}"
        case _:
            line = f" in line {following.line}" if following is not None else ""
            words = f"the conversation went on{line} without a result"
            if call.stated:
                words = f"it stayed {call.stated.replace('_', ' ')}; {words}"
    return Evidence(words, item, following)


def _end(call: Call, session: Session) -> str:
    last, asked = session.ended, call.row.time
    if last is None or asked is None:
        return "nothing was written after it"
    later = last - asked
    return (
        f"the session ended {text.duration(round(later * 1000))} later"
        if later >= 0.001
        else ("nothing was written after it")
    )


def _index(row: Row, session: Session) -> int:
    return bisect_right(session.rows, _place(row), key=_place)


def _next(row: Row, session: Session) -> Row | None:
    """The next record that says something."""
    index = _index(row, session)
    for each in session.rows[index : index + 200]:
        if thing_of(each) is not None and not all(entry.hidden for entry in each.entries):
            return each
    return None


def _interrupt(row: Row, session: Session) -> Entry | None:
    """Where the turn of a call was interrupted."""
    found = bisect_right(session.interrupts, _place(row), key=lambda entry: _place(entry.row))
    if found == len(session.interrupts):
        return None
    entry = session.interrupts[found]
    begin, end = _index(row, session), _index(entry.row, session)
    if end - begin > _FAR or any(each.key == PROMPT for each in session.rows[begin : end - 1]):
        return None
    return entry


def _place(row: Row) -> tuple[int, int]:
    return row.line, row.start
