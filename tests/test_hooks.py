"""Hooks, joined to the call they wrapped."""

from collections.abc import Sequence
from typing import Any

from tests.build import Chain, session_of
from viewer.model import Hook
from viewer.session import Session


def hooks_of(session: Session, id: str) -> Sequence[Hook]:
    return session.calls[id].hooks


def progress(chain: Chain, event: str, call: str, **data: Any) -> None:
    fields = {"type": "hook_progress", "hookEvent": event, "hookName": f"{event}:Bash", **data}
    chain.add("progress", data=fields, toolUseID=call, parentToolUseID=call)


def attachment(chain: Chain, kind: str, call: str | None, event: str, **more: Any) -> None:
    fields = {"type": kind, "hookEvent": event, "hookName": f"{event}:Bash", **more}
    chain.add("attachment", attachment={**fields, "toolUseID": call})


def test_progress_records_join_their_call() -> None:
    chain = Chain()
    chain.call("a")
    progress(chain, "PreToolUse", "a", command="guard.sh")
    progress(chain, "PostToolUse", "a", command="lint.sh")
    session = session_of(chain)
    assert [(hook.event, hook.command) for hook in hooks_of(session, "a")] == [
        ("PreToolUse", "guard.sh"),
        ("PostToolUse", "lint.sh"),
    ]


def test_a_hook_may_come_before_its_call() -> None:
    chain = Chain()
    progress(chain, "PreToolUse", "a", command="guard.sh")
    chain.call("a")
    [hook] = hooks_of(session_of(chain), "a")
    assert hook.command == "guard.sh"


def test_start_and_end_of_one_run_are_one_hook() -> None:
    chain = Chain()
    chain.call("a")
    progress(chain, "PreToolUse", "a", command="guard.sh", status="running")
    attachment(chain, "hook_success", "a", "PreToolUse", command="guard.sh", exitCode=0,
               durationMs=41, stdout="fine")  # fmt: skip
    [hook] = hooks_of(session_of(chain), "a")
    assert (hook.outcome, hook.exit_code, hook.duration_ms) == ("success", 0, 41)


def test_a_failing_hook_tells_its_exit_code() -> None:
    chain = Chain()
    chain.call("a")
    attachment(chain, "hook_non_blocking_error", "a", "PostToolUse", command="lint.sh",
               exitCode=1, stderr="E501")  # fmt: skip
    [hook] = hooks_of(session_of(chain), "a")
    assert hook.failed
    assert (hook.outcome, hook.exit_code) == ("error", 1)


def test_a_blocking_hook_is_blocked() -> None:
    chain = Chain()
    chain.call("a")
    attachment(chain, "hook_blocking_error", "a", "PreToolUse",
               blockingError={"blockingError": "no", "command": "guard.sh"})  # fmt: skip
    [hook] = hooks_of(session_of(chain), "a")
    assert hook.outcome == "blocked"


def test_a_hook_of_the_session_stands_by_itself() -> None:
    chain = Chain()
    attachment(chain, "hook_success", "start", "SessionStart", command="hello.sh", exitCode=0)
    session = session_of(chain)
    [hook] = session.hooks.all
    assert hook.call is None
    assert session.rows[0].entries[0].item is hook


def test_a_stop_hook_summary_lists_each_hook() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.reply("done")
    chain.add(
        "system",
        subtype="stop_hook_summary",
        hookCount=2,
        hookInfos=[{"command": "a.sh", "durationMs": 5}, {"command": "b.sh"}],
        hookErrors=[],
        preventedContinuation=False,
    )
    hooks = session_of(chain).hooks.all
    assert [(hook.event, hook.command) for hook in hooks] == [("Stop", "a.sh"), ("Stop", "b.sh")]


def test_stream_json_hooks_find_the_call_of_their_tool() -> None:
    base = {"session_id": "s", "type": "system", "hook_id": "h1", "hook_event": "PreToolUse",
            "hook_name": "PreToolUse:Bash"}  # fmt: skip
    call = {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}
    session = session_of(
        [
            {"type": "assistant", "session_id": "s", "message": {"id": "m", "content": [call]}},
            {**base, "subtype": "hook_started"},
            {**base, "subtype": "hook_response", "exit_code": 2, "outcome": "error", "stderr": "x"},
        ]
    )
    [hook] = hooks_of(session, "a")
    assert hook.failed
    assert hook.exit_code == 2
