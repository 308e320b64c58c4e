"""Status and cause of calls, with the liveness as a parameter."""

import pytest

from tests.build import Chain, session_of
from viewer.model import DEAD, Liveness
from viewer.status import Judge

ALIVE = Liveness(alive=True)
WAITING = Liveness(alive=True, waiting=True)


def judged(chain: Chain, id: str, liveness: Liveness = DEAD) -> tuple[str, str | None]:
    session = session_of(chain)
    judge = Judge(session, liveness)
    return judge.status(session.calls[id]), judge.cause(session.calls[id])


def asked() -> Chain:
    chain = Chain()
    chain.prompt("go")
    chain.call("a")
    return chain


@pytest.mark.parametrize(
    ("liveness", "expected"),
    [
        (ALIVE, ("in_progress", None)),
        (WAITING, ("pending", None)),
        (DEAD, ("missing", "SESSION_ENDED")),
    ],
)
def test_the_last_call_is_as_alive_as_its_session(
    liveness: Liveness, expected: tuple[str, str | None]
) -> None:
    assert judged(asked(), "a", liveness) == expected


def test_a_result_decides_whatever_the_liveness() -> None:
    chain = asked()
    chain.result("a")
    assert judged(chain, "a", ALIVE) == judged(chain, "a") == ("completed", None)


def test_an_error_has_a_class() -> None:
    chain = asked()
    chain.result("a", "Exit code 2\nboom", error=True)
    assert judged(chain, "a") == ("failed", "COMMAND_FAILED")


def test_a_call_that_the_conversation_moved_past_is_missing_even_in_a_live_session() -> None:
    chain = asked()
    chain.reply("I went on")
    assert judged(chain, "a", ALIVE) == ("missing", "UNKNOWN")


def test_both_parallel_calls_of_the_last_message_are_in_progress() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", message="m")
    chain.call("b", message="m")
    chain.result("b")
    assert judged(chain, "a", ALIVE) == ("in_progress", None)


def test_interrupted_by_the_user() -> None:
    chain = asked()
    chain.prompt("[Request interrupted by user for tool use]")
    assert judged(chain, "a", ALIVE) == ("missing", "INTERRUPTED")


def test_a_blocking_hook_explains_a_missing_result() -> None:
    chain = asked()
    data = {"type": "hook_progress", "hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash",
            "command": "guard.sh", "status": "blocked", "decision": "block"}  # fmt: skip
    chain.add("progress", data=data, toolUseID="a", parentToolUseID="a")
    chain.reply("on")
    assert judged(chain, "a") == ("missing", "HOOK_BLOCKED")


def test_a_time_limit_that_was_reached_explains_a_missing_result() -> None:
    chain = asked()
    data = {"type": "bash_progress", "elapsedTimeSeconds": 120, "timeoutMs": 120_000}
    chain.add("progress", data=data, toolUseID="x", parentToolUseID="a")
    assert judged(chain, "a") == ("missing", "TIMEOUT")


def test_a_call_on_a_branch_that_was_left() -> None:
    chain = Chain()
    chain.prompt("go")
    fork = chain.reply("hm")
    chain.prompt("try this")
    chain.call("a")
    chain.prompt("try that", parent=fork)
    chain.reply("done")
    assert judged(chain, "a", ALIVE) == ("missing", "ABANDONED_BRANCH")


def test_a_documented_exit_code_tells_success_from_failure() -> None:
    chain = Chain()
    for id, code in (("a", 0), ("b", 3)):
        chain.call(id)
        block = {"type": "tool_result", "tool_use_id": id, "content": f"out\n[Exit code: {code}]"}
        chain.add("user", message={"content": [block]})
    assert judged(chain, "a") == ("completed", None)
    assert judged(chain, "b") == ("failed", "COMMAND_FAILED")


def test_interrupted_but_not_an_error_is_completed_with_the_cause() -> None:
    chain = asked()
    chain.result("a", toolUseResult={"stdout": "", "interrupted": True})
    assert judged(chain, "a") == ("completed", "INTERRUPTED")
