"""Hooks of a session, each joined to the call it wrapped.

The programs tell of one run in up to three records (it started, it ended, it had something to
say), which are one Hook here. Records of the same call and event whose name and command agree
belong together; stream-json numbers its runs and names only the tool.
"""

from collections.abc import Sequence
from itertools import islice

from viewer.model import Call, Hook, Row
from viewer.records import HookFired

_OPEN = ("running", "unknown", "asked")  # how it ended is still to be told
_MOST_AT_ONCE = 32  # hooks or calls that run at the same time; keeps each record's cost bounded
_OF_A_CALL = ("PreToolUse", "PostToolUse", "PermissionRequest", "PermissionDenied")


class Hooks:
    def __init__(self, calls: dict[str, Call], waiting: dict[str, Call]) -> None:
        self.all: list[Hook] = []
        self.failing: dict[int, Hook] = {}
        self._calls = calls
        self._waiting = waiting  # calls without a result
        self._texts: dict[str, str] = {}  # the same few hooks fire thousands of times
        self._early: dict[str, list[Hook]] = {}  # by the id of a call that is not there yet
        self._by_key: dict[str, list[Hook]] = {}  # runs outside calls, and numbered ones

    def take(self, row: Row, fired: HookFired) -> tuple[Hook, bool]:
        """The hook this is about, and whether it is a new one."""
        call = self._call(fired)
        for hook in reversed(self._candidates(call, fired)):
            if _same_run(hook, fired):
                _complete(hook, fired)
                self._note_failure(hook)
                return hook, False
        same = self._texts.setdefault
        hook = Hook(
            row,
            same(fired.event, fired.event),
            same(fired.name, fired.name),
            same(fired.command, fired.command) if fired.command else None,
            fired.outcome,
            fired.exit_code,
            fired.duration_ms,
            fired.decision,
            fired.text,
            told=fired.feedback,
        )
        self.all.append(hook)
        self._note_failure(hook)
        if call is not None:
            hook.call = call
            call.add_hook(hook)
        elif fired.call_id and fired.event.startswith(_OF_A_CALL):
            self._early.setdefault(fired.call_id, []).append(hook)
        if fired.key and (call is None or fired.call_id is None):
            self._by_key.setdefault(fired.key, []).append(hook)
        return hook, True

    def _note_failure(self, hook: Hook) -> None:
        if hook.failed:
            self.failing[id(hook)] = hook

    def join(self, call: Call) -> bool:
        """A call has come; whether hooks were there before it, which are shown with it now."""
        assert call.id is not None
        early = self._early.pop(call.id, ())
        for hook in early:
            hook.call = call
            call.add_hook(hook)
        return bool(early)

    def _candidates(self, call: Call | None, fired: HookFired) -> Sequence[Hook]:
        """Those that a record may be about, the likeliest last."""
        if call is not None:
            return call.hooks[-_MOST_AT_ONCE:] if call.hooks else ()
        if fired.key is not None:
            return self._by_key.get(fired.key, ())[-_MOST_AT_ONCE:]
        if fired.feedback:
            # What a hook at the end of a turn told the model names no run: it was the last one
            # that failed and of which the model was not told yet.
            for hook in reversed(self.all[-_MOST_AT_ONCE:]):
                if hook.event == fired.event and hook.failed and not hook.told:
                    return [hook] if hook.command in (None, fired.command) else ()
        return ()

    def _call(self, fired: HookFired) -> Call | None:
        if fired.call_id is not None:
            return self._calls.get(fired.call_id)
        if fired.key is None or not fired.event.startswith(_OF_A_CALL):
            return None
        if known := self._by_key.get(fired.key):
            return known[0].call
        return self._call_by_tool(fired.name.partition(":")[2])

    def _call_by_tool(self, name: str) -> Call | None:
        """The oldest call of that tool that still waits and had the fewest hooks so far: the calls
        of one message run side by side, and stream-json does not say which of them a run is of."""
        latest = islice(reversed(self._waiting.values()), _MOST_AT_ONCE)
        waiting = [call for call in latest if call.name == name]
        return min(reversed(waiting), key=lambda call: len(call.hooks), default=None)


def _same_run(hook: Hook, fired: HookFired) -> bool:
    if hook.event != fired.event:
        return False
    if fired.outcome == "message" or hook.outcome == "message":
        # What a hook says comes in a record of its own, which does not repeat the command.
        return hook.name == fired.name and (hook.outcome == "message") != (
            fired.outcome == "message"
        )
    if hook.outcome in _OPEN and fired.outcome not in _OPEN:
        return hook.command is None or fired.command is None or hook.command == fired.command
    # Told twice: as an attachment and in the summary at the end of the turn, or to the model too.
    return fired.feedback or (
        fired.outcome not in _OPEN
        and hook.command is not None
        and (hook.name, hook.command) == (fired.name, fired.command)
    )


def _complete(hook: Hook, fired: HookFired) -> None:
    if fired.outcome != "message" and hook.outcome != "blocked":
        hook.outcome = fired.outcome
    hook.command = hook.command or fired.command
    hook.exit_code = fired.exit_code if fired.exit_code is not None else hook.exit_code
    hook.duration_ms = fired.duration_ms if fired.duration_ms is not None else hook.duration_ms
    hook.decision = fired.decision or hook.decision
    hook.text = fired.text or hook.text
    hook.told = hook.told or fired.feedback
