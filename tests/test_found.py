"""Bugs that were found by looking at sessions, each a case of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.build import Chain, Json, apply, lines, result, session_of
from viewer import causes
from viewer.counts import Memory
from viewer.document import document
from viewer.load import Reading, Transcript, load
from viewer.lookout import Lookout
from viewer.model import DEAD, Liveness
from viewer.records import Answered
from viewer.session import Session
from viewer.tail import read_head

ALIVE = Liveness(alive=True)


def shown(chain: Chain | list[Json], liveness: Liveness = DEAD) -> Json:
    session = session_of(chain)
    return document(Transcript("x", session, session.agents.all), liveness)


def causes_of(document: Json) -> dict[str, str | None]:
    return {call["id"]: call["cause"] for call in document["calls"]}


def started() -> Chain:
    chain = Chain()
    chain.prompt("go")
    return chain


# Causes


@pytest.mark.parametrize(
    ("tool", "text", "cause"),
    [
        ("Edit", 'String to replace not found in file.\nString: raise TimeoutError("timed out")',
         "VALIDATION_ERROR"),
        ("Edit", 'String to replace not found in file.\nString: "[Request interrupted by user"',
         "VALIDATION_ERROR"),
        ("Bash", "Exit code 28\ncurl: (28) Connection timed out after 5001 ms", "COMMAND_FAILED"),
        ("Bash", "fatal: this operation must be run in a work tree", "COMMAND_FAILED"),
        ("mcp__gh__pr", "Authentication required", "MCP_ERROR"),
    ],
)  # fmt: skip
def test_words_that_an_error_quotes_are_not_its_cause(tool: str, text: str, cause: str) -> None:
    assert causes.of_failure(tool, Answered("a", True, text)) == cause


@pytest.mark.parametrize("text", ["PreToolUse:Write hook error: [guard.sh]: no", "nope"])
def test_a_hooks_no_is_the_hooks_although_the_program_calls_it_a_rule(text: str) -> None:
    answered = Answered("a", True, text, denial="permission-rule")
    assert causes.of_failure("Write", answered) == "HOOK_BLOCKED"


@pytest.mark.parametrize("source", ["hook", "config"])
def test_who_allowed_a_call_is_not_who_stopped_it(source: str) -> None:
    chain = started()
    chain.call("a")
    chain.result(
        "a",
        "The user doesn't want to proceed with this tool use.",
        error=True,
        toolDenialKind="user-rejected",
        permissionDecision={"decision": "accept", "source": source},
    )
    assert causes_of(shown(chain)) == {"a": "INTERRUPTED"}


def test_messages_without_ids_end_and_are_interrupted_like_others() -> None:
    blocks = [{"type": "tool_use", "id": id, "name": "Bash", "input": {}} for id in "ab"]
    records: list[Json] = [
        {"type": "user", "message": {"content": "hi"}},
        {"type": "assistant", "message": {"content": blocks}},
        {"type": "user", "message": {"content": [result("a")]}},
    ]
    assert causes_of(shown(records)) == {"a": None, "b": "SESSION_ENDED"}
    stop = {"type": "user", "message": {"content": "[Request interrupted by user for tool use]"}}
    assert causes_of(shown([*records, stop])) == {"a": None, "b": "INTERRUPTED"}


def test_an_interrupt_reaches_into_a_sub_agent_of_the_same_file() -> None:
    chain = started()
    chain.call("task", "Task", prompt="look", description="d")
    task = chain.last
    chain.prompt("look", parent=None, isSidechain=True)
    block = {"type": "tool_use", "id": "inner", "name": "Bash", "input": {"command": "ls"}}
    chain.said(block, isSidechain=True)
    chain.prompt("[Request interrupted by user for tool use]", parent=task)
    assert causes_of(shown(chain)) == {"task": "INTERRUPTED", "inner": "INTERRUPTED"}


def test_a_turn_limit_is_no_failure_of_the_api() -> None:
    records = [
        {"type": "result", "subtype": "error_max_turns", "is_error": True, "session_id": "s"}
    ]
    assert shown(records)["problems"] == []


# Replayed lines, hooks


def hook(
    chain: Chain, call: str | None, command: str, kind: str = "hook_success", **more: Any
) -> None:
    fields = {"type": kind, "hookEvent": "PostToolUse", "hookName": "PostToolUse:Bash"}
    chain.add("attachment", attachment={**fields, "toolUseID": call, "command": command, **more})


def test_lines_that_are_replayed_do_nothing_a_second_time() -> None:
    chain = started()
    chain.call("a")
    hook(chain, "a", "lint.sh", "hook_non_blocking_error", exitCode=1)
    chain.result("a")
    chain.prompt("[Request interrupted by user]")
    replayed = list(chain.records)
    chain.prompt("again")
    chain.call("b")
    document = shown([*chain.records, *replayed])
    assert [problem["kind"] for problem in document["problems"]] == ["hook", "missing_result"]
    assert causes_of(document)["b"] == "SESSION_ENDED"
    assert document["records"]["duplicates"] == len(replayed)


def test_a_stop_hook_that_is_told_of_twice_ran_once_and_errors_are_whose_they_name() -> None:
    chain = started()
    fields = {"hookEvent": "Stop", "hookName": "Stop", "toolUseID": "run"}
    error = {"blockingError": "[c.sh]: no", "command": "c.sh"}
    chain.add(
        "attachment",
        attachment={"type": "hook_blocking_error", "blockingError": error, **fields},
    )
    infos = [{"command": f"{name}.sh"} for name in "abc"]
    chain.add(
        "system", subtype="stop_hook_summary", hookInfos=infos, hookErrors=["[c.sh]: no"],
        toolUseID="run",
    )  # fmt: skip
    chain.prompt("Stop hook feedback:\n[c.sh]: no", isMeta=True)
    hooks = {hook["command"]: hook["outcome"] for hook in shown(chain)["hooks"]}
    assert hooks == {"a.sh": "success", "b.sh": "success", "c.sh": "blocked"}
    assert len(shown(chain)["problems"]) == 1


def test_a_stop_hook_that_only_the_model_was_told_of_is_a_problem() -> None:
    chain = started()
    chain.prompt("Stop hook feedback:\n[lint.sh]: line 3", isMeta=True)
    [problem] = shown(chain)["problems"]
    assert (problem["kind"], problem["cause"]) == ("hook", "HOOK_BLOCKED")


def test_captured_hooks_of_parallel_calls_go_to_one_call_each() -> None:
    session = Session()
    blocks = [{"type": "tool_use", "id": id, "name": "Bash", "input": {}} for id in "ab"]
    run = {"type": "system", "hook_event": "PreToolUse", "hook_name": "PreToolUse:Bash"}
    records: list[Json] = [{"type": "assistant", "message": {"id": "m", "content": blocks}}]
    for id in ("1", "2"):
        records.append({**run, "subtype": "hook_started", "hook_id": id})
    records.append({**run, "subtype": "hook_response", "hook_id": "2", "exit_code": 2})
    apply(session, [{"session_id": "s", **record} for record in records])
    outcomes = {id: [hook.outcome for hook in call.hooks] for id, call in session.calls.items()}
    assert outcomes == {"a": ["running"], "b": ["blocked"]}


# Sub-agents


def agent_file(folder: Path, name: str, prompt: str, call: str | None = None) -> None:
    chain = Chain("s")
    chain.prompt(prompt, isSidechain=True)
    if call:
        block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}}
        chain.said(block, isSidechain=True)
    chain.write(folder / "s" / "subagents" / f"agent-{name}.jsonl")


def test_sub_agents_whose_tasks_begin_alike_are_told_apart(tmp_path: Path) -> None:
    chain = started()
    for id in "ab":
        chain.call(id, "Agent", prompt="x" * 200 + id, description=id)
    path = chain.write(tmp_path / "s.jsonl")
    for id in "ba":
        agent_file(tmp_path, f"a{ord(id)}", "x" * 200 + id, f"in {id}")
    agents = {agent["call"]: agent["id"] for agent in document(load(str(path)))["agents"]}
    assert agents == {"a": "a97", "b": "a98"}


def test_a_sub_agent_whose_call_was_stopped_is_not_in_progress(tmp_path: Path) -> None:
    chain = started()
    chain.call("a", "Agent", prompt="look", description="d")
    chain.result("a", "[Request interrupted by user for tool use]", error=True)
    chain.prompt("then do this")
    path = chain.write(tmp_path / "s.jsonl")
    agent_file(tmp_path, "a1", "look", "inner")
    calls = {call["id"]: call for call in document(load(str(path)), ALIVE)["calls"]}
    assert (calls["inner"]["status"], calls["inner"]["cause"]) == ("missing", "INTERRUPTED")


def test_a_nested_sub_agent_is_as_alive_as_the_one_that_started_it(tmp_path: Path) -> None:
    chain = started()
    chain.call("a", "Agent", prompt="outer", description="d")
    path = chain.write(tmp_path / "s.jsonl")
    outer = Chain("s")
    outer.prompt("outer", isSidechain=True)
    block = {"type": "tool_use", "id": "b", "name": "Agent", "input": {"prompt": "inner"}}
    outer.said(block, isSidechain=True)
    outer.write(tmp_path / "s" / "subagents" / "agent-a1.jsonl")
    agent_file(tmp_path, "a2", "inner", "c")
    shown = document(load(str(path)), ALIVE)
    assert {agent["id"]: agent["status"] for agent in shown["agents"]} == {
        "a1": "in_progress",
        "a2": "in_progress",
    }
    assert {call["status"] for call in shown["calls"]} == {"in_progress"}


def test_a_notification_tells_that_a_sub_agent_in_the_background_failed() -> None:
    chain = started()
    chain.call("a", "Agent", prompt="look", description="d")
    launched = {"isAsync": True, "status": "async_launched", "agentId": "a1"}
    chain.result("a", "started", toolUseResult=launched)
    chain.prompt(
        "<task-notification><task-id>a1</task-id><tool-use-id>a</tool-use-id>"
        "<status>failed</status></task-notification>"
    )
    assert [agent["status"] for agent in shown(chain)["agents"]] == ["failed"]


def test_errands_of_the_program_are_no_sub_agents(tmp_path: Path) -> None:
    chain = started()
    chain.call("a")
    path = chain.write(tmp_path / "s.jsonl")
    for name in ("acompact-12ab", "aprompt_suggestion-34cd"):
        agent_file(tmp_path, name, "go", "a")
    transcript = load(str(path))
    assert (transcript.agents, transcript.helpers) == ([], 2)
    assert len(document(transcript)["calls"]) == 1


# Titles and branches


def test_an_image_before_the_text_is_neither_title_nor_turn() -> None:
    chain = Chain()
    image = {"type": "image", "source": {"media_type": "image/png", "data": "AAAA"}}
    chain.add(
        "user", message={"role": "user", "content": [image, {"type": "text", "text": "what?"}]}
    )
    session = session_of(chain)
    assert session.title == "what?"
    assert [entry.kind for entry in session.rows[0].entries] == ["prompt", "context"]


def test_head_is_no_branch() -> None:
    chain = Chain()
    chain.prompt("go", gitBranch="HEAD")
    assert session_of(chain).git_branch is None


def test_a_rewind_to_before_a_compaction_leaves_a_branch() -> None:
    chain = started()
    answer = chain.reply("one")
    chain.add("system", subtype="compact_boundary", parent=None, logicalParentUuid=answer)
    chain.prompt("two")
    chain.call("a")
    chain.prompt("three", parent=answer)
    chain.reply("done")
    document = shown(chain)
    assert [branch["reason"] for branch in document["branches"]] == ["rewound", "rewound"]
    assert causes_of(document) == {"a": "ABANDONED_BRANCH"}


def test_an_orphan_that_finds_its_call_later_is_no_problem_any_more() -> None:
    chain = started()
    chain.result("a")
    session = session_of(chain)
    assert [entry.kind for row in session.rows for entry in row.entries] == ["prompt", "orphan"]
    chain.call("a")
    apply(session, chain.records[2:], 3)
    assert [entry.kind for row in session.rows for entry in row.entries] == ["prompt", "call"]


# Cost: the work per record must not grow with what was there before


def cost(records: list[Json]) -> float:
    from tests.build import lines
    from viewer.formats import decode
    from viewer.tail import Chunk

    decoded = decode(Chunk(1, 0, lines(*records)))
    begun = time.process_time()
    Session().apply(decoded)
    return time.process_time() - begun


def many_hooks(count: int) -> list[Json]:
    chain = started()
    chain.call("a")
    for number in range(count):
        hook(chain, "a", f"h{number}.sh")
    return chain.records


def late_parents(count: int) -> list[Json]:
    chain = Chain()
    for number in range(count):
        chain.prompt(str(number))
    records = chain.records
    return [records[each ^ 1] for each in range(count)]


@pytest.mark.parametrize("records", [many_hooks, late_parents])
def test_ten_times_the_records_cost_about_ten_times_as_much(records: Any) -> None:
    small, large = records(400), records(4_000)
    ratio = min(cost(large) for _ in range(3)) / min(cost(small) for _ in range(3))
    assert ratio < 40


# Found by a review of following and browsing


def test_a_sub_agent_that_became_unreadable_costs_no_other(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go")
    path = chain.write(tmp_path / "s.jsonl")
    folder = tmp_path / "s" / "subagents"
    agents = {}
    for name in ("a1", "b2"):
        agents[name] = Chain("s")
        agents[name].prompt(name, isSidechain=True)
        agents[name].write(folder / f"agent-{name}.jsonl")
    reading = Reading(str(path))
    list(reading.steps())
    (folder / "agent-a1.jsonl").unlink()
    (folder / "agent-a1.jsonl").mkdir()
    agents["b2"].reply("more", isSidechain=True)
    agents["b2"].write(folder / "agent-b2.jsonl")
    agents["b2"].write(folder / "agent-c3.jsonl")
    list(reading.steps())
    found = {agent.id: len(agent.session.rows) for agent in reading.transcript.agents
             if agent.session is not None}  # fmt: skip
    assert found == {"a1": 1, "b2": 2, "c3": 2}
    reading.close()


def test_sub_agents_of_a_session_that_moved_are_not_doubled(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go")
    path = chain.write(tmp_path / "a" / "s.jsonl")
    agent = Chain("s")
    agent.prompt("look", isSidechain=True)
    agent.write(tmp_path / "a" / "s" / "subagents" / "agent-a1.jsonl")
    reading = Reading(str(path))
    list(reading.steps())
    (tmp_path / "a").rename(tmp_path / "b")
    list(reading.steps())
    reading.move_to(str(tmp_path / "b" / "s.jsonl"))
    list(reading.steps())
    assert [agent.id for agent in reading.transcript.agents] == ["a1"]
    reading.close()


def test_last_lines_of_the_same_length_are_all_taken(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    chain = Chain("s")
    for word in ("one", "two"):
        chain.prompt(word)
    first, second = lines(*chain.records)
    second = second.ljust(len(first))
    path.write_bytes(first)
    reading = Reading(str(path))
    list(reading.steps())
    with path.open("ab") as stream:
        stream.write(b"\n" + second)
    list(reading.steps())
    assert len(reading.transcript.session.rows) == 2
    reading.close()


def test_a_session_that_says_where_it_works_only_later_is_offered_then(tmp_path: Path) -> None:
    chain = Chain("first")
    chain.prompt("go", cwd="/w")
    lookout = Lookout(str(chain.write(tmp_path / "first.jsonl")), "/w")
    new = tmp_path / "second.jsonl"
    new.touch()
    os.utime(tmp_path, (1000, 1000))
    lookout._looked = 2000.0
    assert lookout.look() is None
    os.utime(tmp_path, (5000, 5000))
    assert lookout.look() is None  # it is empty
    os.utime(tmp_path, (1000, 1000))
    chain.write(new)
    os.utime(tmp_path, (1000, 1000))
    assert lookout.look() == str(new)


def test_what_cannot_be_read_is_empty_and_blocks_nobody(tmp_path: Path) -> None:
    (tmp_path / "mem.json").symlink_to("/proc/self/mem")
    assert read_head(str(tmp_path / "mem.json")) == b""
    os.mkfifo(tmp_path / "counts.json")
    Memory(str(tmp_path))


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_streams_are_no_terminal(closed: str) -> None:
    for arguments in ("", "-f", "x.jsonl", "-"):
        command = f"{sys.executable} -m viewer {arguments} {closed}"
        ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
        assert ran.returncode == 2, ran
        assert b"Traceback" not in ran.stderr
