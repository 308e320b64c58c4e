"""Pairing, titles, tokens, queue: what a session makes of its records."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Chain, Json, apply, result, session_of
from viewer.document import document
from viewer.load import Transcript
from viewer.session import Session


def shown(session: Session) -> Json:
    agents = session.agents.all
    return document(Transcript("x", session, agents=agents))


def test_a_result_finds_its_call_and_both_know_their_lines() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", "Bash", command="make")
    chain.result("a")
    [call] = shown(session_of(chain))["calls"]
    assert (call["id"], call["line"], call["result_line"], call["status"]) == (
        "a", 2, 3, "completed",
    )  # fmt: skip
    assert call["summary"] == "make"
    assert call["duration_ms"] == 1000


def test_parallel_calls_pair_by_id_whatever_the_order_of_their_results() -> None:
    chain = Chain()
    chain.prompt("go")
    for id in "abc":
        chain.call(id, message="m")
    for id in "cab":
        chain.result(id, f"of {id}", error=id == "b")
    calls = {call["id"]: call for call in shown(session_of(chain))["calls"]}
    assert {id: call["result_line"] for id, call in calls.items()} == {"a": 6, "b": 7, "c": 5}
    assert calls["b"]["status"] == "failed"
    assert all(call["parallel"] for call in calls.values())


def test_several_blocks_in_one_line_are_all_calls() -> None:
    session = Session()
    blocks = [{"type": "tool_use", "id": id, "name": "Read", "input": {}} for id in "ab"]
    apply(session, [{"type": "assistant", "message": {"content": blocks}}])
    apply(session, [{"type": "user", "message": {"content": [result("b"), result("a")]}}], 2)
    assert [call["status"] for call in shown(session)["calls"]] == ["completed"] * 2


def test_a_result_may_come_before_its_call() -> None:
    chain = Chain()
    chain.result("a", "early")
    chain.call("a")
    document = shown(session_of(chain))
    assert document["calls"][0]["result_line"] == 1
    assert document["problems"] == []


def test_a_result_without_a_call_is_a_problem() -> None:
    chain = Chain()
    chain.result("ghost", "who asked?")
    [problem] = shown(session_of(chain))["problems"]
    assert (problem["kind"], problem["call"], problem["line"]) == ("orphan_result", "ghost", 1)


def test_the_first_of_two_results_counts_and_the_second_is_kept() -> None:
    chain = Chain()
    chain.call("a")
    chain.result("a", "first")
    chain.result("a", "second", error=True)
    session = session_of(chain)
    [call] = session.calls.values()
    assert not call.failed
    assert call.duplicates == 1
    assert session.rows[2].entries[0].kind == "duplicate"


def test_the_first_of_two_calls_of_one_id_counts() -> None:
    chain = Chain()
    chain.call("a", "Bash", command="one")
    chain.call("a", "Bash", command="two")
    session = session_of(chain)
    assert session.calls["a"].summary == "one"
    assert session.rows[1].entries[0].kind == "duplicate"


def test_tokens_count_once_for_each_message() -> None:
    usage = {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 100}
    chain = Chain()
    for text in "abc":
        chain.reply(text, "m")
        chain.records[-1]["message"]["usage"] = usage
    chain.reply("d", "n")
    chain.records[-1]["message"]["usage"] = {**usage, "output_tokens": 5}
    assert shown(session_of(chain))["tokens"] == {
        "input": 20, "output": 8, "cache_read": 200, "cache_creation": 0, "messages": 2,
    }  # fmt: skip


def test_titles_as_the_program_chooses_them() -> None:
    chain = Chain()
    chain.prompt("the first prompt")
    assert session_of(chain).title == "the first prompt"
    leaf = chain.reply("done")
    chain.state("summary", summary="of another session", leafUuid="elsewhere")
    assert session_of(chain).title == "the first prompt"
    chain.state("summary", summary="a summary", leafUuid=leaf)
    assert session_of(chain).title == "a summary"
    chain.state("last-prompt", lastPrompt="the last prompt")
    assert session_of(chain).title == "the last prompt"
    chain.state("ai-title", aiTitle="a made title")
    assert session_of(chain).title == "a made title"
    chain.state("custom-title", customTitle="my title")
    chain.state("ai-title", aiTitle="a newer title")
    assert session_of(chain).title == "my title"


def test_the_cwd_is_that_of_the_records() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.prompt("elsewhere", cwd="/tmp")
    assert session_of(chain).project == "/home/demo"
    chain.state("relocated", relocatedCwd="/home/demo/tree")
    assert session_of(chain).project == "/home/demo/tree"


def test_the_queue_holds_what_was_not_taken_up() -> None:
    chain = Chain()
    chain.state("queue-operation", operation="enqueue", content="first")
    chain.state("queue-operation", operation="enqueue", content="second")
    chain.state("queue-operation", operation="enqueue", content="third")
    chain.state("queue-operation", operation="dequeue")
    chain.prompt("third")
    assert [said.text for said in session_of(chain).facts.queue] == ["second"]


def test_retries_and_the_error_that_ends_them_are_one_api_error() -> None:
    chain = Chain()
    chain.prompt("go")
    for attempt in (1, 2, 3):
        chain.add("system", subtype="api_error", level="error", retryAttempt=attempt,
                  maxRetries=10, error={"status": 529})  # fmt: skip
    chain.reply("API Error: Repeated 529 Overloaded errors", isApiErrorMessage=True)
    problems = shown(session_of(chain))["problems"]
    assert [problem["kind"] for problem in problems] == ["api_error"]
    chain.prompt("again")
    chain.reply("API Error: 401 login", isApiErrorMessage=True)
    assert len(shown(session_of(chain))["problems"]) == 2


def test_apply_tells_which_older_calls_changed() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a")
    session = session_of(chain)
    [call] = session.calls.values()
    chain.result("a")
    change = apply(session, chain.records[2:], 3)
    assert change.calls == [call]
    assert [row.line for row in change.rows] == [3]
    assert not change.restructured


def test_unknown_types_and_blocks_are_counted_and_kept() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.records.append({"type": "from-the-future", "payload": [1, 2]})
    chain.said({"type": "hologram", "data": "x"})
    session = session_of(chain)
    assert session.counts.unknown == 1
    assert [entry.kind for row in session.rows for entry in row.entries] == [
        "prompt", "unknown", "unknown",
    ]  # fmt: skip


@given(st.integers(0, 10_000), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_batches_of_any_size_give_the_same_document(seed: int, batch: int) -> None:
    records = story(seed)
    assert shown(session_of(records, batch)) == shown(session_of(records))


def story(seed: int) -> list[Json]:
    """A random session of calls, hooks, sub-agents, errors and rewinds."""
    rng = random.Random(seed)
    chain = Chain()
    open_calls: list[str] = []
    for number in range(rng.randint(5, 40)):
        match rng.randrange(9):
            case 0:
                chain.prompt(f"prompt {number}", parent=rng.choice(["", "", f"u{number // 2}"]))
            case 1:
                chain.reply(f"reply {number}")
            case 2 | 3:
                open_calls.append(f"c{number}")
                chain.call(open_calls[-1], rng.choice(["Bash", "Task", "mcp__a__b"]),
                           prompt="task", description="d")  # fmt: skip
            case 4 | 5 if open_calls:
                chain.result(open_calls.pop(rng.randrange(len(open_calls))), "x",
                             error=rng.random() < 0.3)  # fmt: skip
            case 6:
                chain.prompt("task", isSidechain=True, parent=None)
            case 7:
                data = {"type": "hook_progress", "hookEvent": "PreToolUse", "hookName": "g"}
                chain.add("progress", data=data, toolUseID=f"c{rng.randrange(40)}")
            case 8:
                chain.prompt("[Request interrupted by user]")
    return chain.records


def test_a_session_that_was_interrupted_is_at_rest() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a")
    assert not session_of(chain).at_rest
    chain.prompt("[Request interrupted by user for tool use]")
    assert session_of(chain).at_rest
    chain.prompt("go on")
    assert not session_of(chain).at_rest
