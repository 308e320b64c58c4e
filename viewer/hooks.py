"""Hooks of a session, each joined to the call it wrapped.

The programs tell of one run in up to three records (it started, it ended, it had something to
say), which are one Hook here. Records of the same call and event whose name and command agree
belong together; stream-json numbers its runs and names only the tool.
"""

from viewer.model import Call, Hook, Row
from viewer.records import HookFired

_OF_A_CALL = ("PreToolUse", "PostToolUse", "PermissionRequest", "PermissionDenied")


class Hooks:
    def __init__(self, calls: dict[str, Call]) -> None:
        self.all: list[Hook] = []
        self.failing: dict[int, Hook] = {}
        self._calls = calls
        self._texts: dict[str, str] = {}  # the same few hooks fire thousands of times
        self._early: dict[str, list[Hook]] = {}  # by the id of a call that is not there yet
        self._by_key: dict[str, list[Hook]] = {}  # runs outside calls, and numbered ones

    def take(self, row: Row, fired: HookFired) -> tuple[Hook, bool]:
        """The hook this is about, and whether it is a new one."""
        call = self._call(fired)
        known = call.hooks if call else self._by_key.get(fired.key, ()) if fired.key else ()
        for hook in reversed(known):
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
        )
        self.all.append(hook)
        self._note_failure(hook)
        if call is not None:
            hook.call = call
            call.hooks = (*call.hooks, hook)
        elif fired.call_id and fired.event.startswith(_OF_A_CALL):
            self._early.setdefault(fired.call_id, []).append(hook)
        if fired.key and (call is None or fired.call_id is None):
            self._by_key.setdefault(fired.key, []).append(hook)
        return hook, True

    def _note_failure(self, hook: Hook) -> None:
        if hook.failed:
            self.failing[id(hook)] = hook

    def join(self, call: Call) -> None:
        """A call has come whose hooks were there before it."""
        assert call.id is not None
        for hook in self._early.pop(call.id, ()):
            hook.call = call
            call.hooks = (*call.hooks, hook)

    def _call(self, fired: HookFired) -> Call | None:
        if fired.call_id is not None:
            return self._calls.get(fired.call_id)
        if fired.key is None or not fired.event.startswith(_OF_A_CALL):
            return None
        if known := self._by_key.get(fired.key):
            return known[0].call
        return self._call_by_tool(fired.name.partition(":")[2])

    def _call_by_tool(self, name: str) -> Call | None:
        """The oldest call of that tool that still waits; answered ones end the search, since
        the calls of one message stand together at the end."""
        found = None
        for call in reversed(self._calls.values()):
            if call.result is not None:
                if found is not None or call.name == name:
                    break
            elif call.name == name:
                found = call
        return found


def _same_run(hook: Hook, fired: HookFired) -> bool:
    if hook.event != fired.event:
        return False
    if fired.outcome == "message" or hook.outcome == "message":
        # What a hook says comes in a record of its own, which does not repeat the command.
        return hook.name == fired.name and (hook.outcome == "message") != (
            fired.outcome == "message"
        )
    if hook.outcome in ("running", "unknown") and fired.outcome not in ("running", "unknown"):
        return hook.command is None or fired.command is None or hook.command == fired.command
    return False


def _complete(hook: Hook, fired: HookFired) -> None:
    if fired.outcome != "message":
        hook.outcome = fired.outcome
    hook.command = hook.command or fired.command
    hook.exit_code = fired.exit_code if fired.exit_code is not None else hook.exit_code
    hook.duration_ms = fired.duration_ms if fired.duration_ms is not None else hook.duration_ms
    hook.decision = fired.decision or hook.decision
    hook.text = fired.text or hook.text
