"""Files to sessions: sub-agents of all generations, unfinished lines, pipes."""

import io
import json
from pathlib import Path

import pytest

from tests.build import Chain, lines
from viewer.document import document
from viewer.load import Transcript, load, load_stream
from viewer.model import Agent
from viewer.tail import NotRegular


def agent_chain(session: str, agent: str, task: str, call: str) -> Chain:
    """The file of a sub-agent."""
    chain = Chain(session)
    common = {"isSidechain": True, "agentId": agent}
    chain.prompt(task, **common)
    chain.call(call, "Grep", pattern="x")
    chain.result(call)
    chain.reply("found")
    for record in chain.records:
        record.update(common, uuid=f"{agent}-{record['uuid']}")
        if record["parentUuid"]:
            record["parentUuid"] = f"{agent}-{record['parentUuid']}"
    return chain


def only_agent(transcript: Transcript) -> Agent:
    [agent] = transcript.agents
    return agent


def test_an_inline_sub_agent_is_found_by_its_task(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("t", "Task", prompt="find callers", description="callers", subagent_type="scout")
    chain.prompt("find callers", parent=None, isSidechain=True)
    chain.call("inner", "Grep", pattern="x")
    chain.records[-1]["isSidechain"] = True
    chain.result("inner", isSidechain=True)
    chain.result("t", parent="u2")
    chain.reply("done")
    transcript = load(str(chain.write(tmp_path / "s.jsonl")))
    agent = only_agent(transcript)
    assert agent.call is transcript.session.calls["t"]
    shown = document(transcript)
    assert shown["agents"][0] == {
        "id": "of t", "call": "t", "type": "scout", "description": "callers", "file": None,
        "calls": 1, "status": "completed",
    }  # fmt: skip
    assert {call["id"]: call["agent"] for call in shown["calls"]} == {"t": None, "inner": "of t"}


def test_a_sub_agent_file_beside_the_session_is_found_by_its_session_id(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go")
    chain.call("t", "Task", prompt="look", description="look")
    chain.result("t", toolUseResult={"agentId": "abc", "status": "completed"})
    agent_chain("s", "abc", "look", "inner").write(tmp_path / "agent-abc.jsonl")
    agent_chain("other", "def", "look", "foreign").write(tmp_path / "agent-def.jsonl")
    transcript = load(str(chain.write(tmp_path / "s.jsonl")))
    agent = only_agent(transcript)
    assert (agent.file, agent.call) == ("agent-abc.jsonl", transcript.session.calls["t"])
    calls = {call["id"]: call["file"] for call in document(transcript)["calls"]}
    assert calls == {"t": None, "inner": "agent-abc.jsonl"}


def test_sub_agents_of_sub_agents_are_linked_through_their_meta_files(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go")
    chain.call("t", "Agent", prompt="outer task", description="outer")
    chain.result("t", toolUseResult={"agentId": "out", "status": "completed"})
    folder = tmp_path / "s" / "subagents"
    outer = agent_chain("s", "out", "outer task", "inner-call")
    outer.call("deep", "Agent", prompt="inner task", description="inner")
    outer.write(folder / "agent-out.jsonl")
    agent_chain("s", "in", "inner task", "deepest").write(folder / "agent-in.jsonl")
    meta = {"agentType": "scout", "description": "inner", "toolUseId": "deep"}
    (folder / "agent-in.meta.json").write_text(json.dumps(meta))
    transcript = load(str(chain.write(tmp_path / "s.jsonl")))
    agents = {agent.id: agent for agent in transcript.agents}
    assert agents["out"].call and agents["out"].call.id == "t"
    assert agents["in"].call and agents["in"].call.id == "deep"
    assert agents["in"].type == "scout"


def test_calls_known_only_from_progress_are_listed_as_such(tmp_path: Path) -> None:
    chain = Chain()
    chain.call("t", "Task", prompt="look", description="look")
    block = {"type": "tool_use", "id": "p", "name": "Read", "input": {"file_path": "a"}}
    message = {"type": "assistant", "message": {"content": [block]}}
    data = {"type": "agent_progress", "agentId": "abc", "message": message}
    chain.add("progress", data=data, toolUseID="x", parentToolUseID="t")
    shown = document(load(str(chain.write(tmp_path / "s.jsonl"))))
    call = next(call for call in shown["calls"] if call["id"] == "p")
    assert (call["file"], call["agent"]) == ("agent_progress", "abc")


def test_agents_that_only_warmed_up_are_left_out(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go")
    agent_chain("s", "abc", "Warmup", "x").write(tmp_path / "agent-abc.jsonl")
    assert load(str(chain.write(tmp_path / "s.jsonl"))).agents == []


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_whole_last_line_counts_with_and_without_its_newline(
    tmp_path: Path, ending: bytes
) -> None:
    chain = Chain()
    chain.prompt("one")
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(*chain.records)[0] + ending)
    transcript = load(str(path))
    assert transcript.session.counts.total == 1
    assert transcript.pending == 0


def test_an_unfinished_last_line_waits_and_is_no_damage(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    path = chain.write(tmp_path / "s.jsonl")
    with path.open("ab") as file:
        file.write(b'{"type":"user","mess')
    transcript = load(str(path))
    assert transcript.session.counts.total == 1
    assert transcript.session.counts.damaged == 0
    assert transcript.pending == 20


def test_a_pipe_is_read_to_its_end() -> None:
    chain = Chain()
    chain.prompt("one")
    chain.reply("two")
    stream = io.BytesIO(b"\n".join(lines(*chain.records)))
    assert load_stream(stream).session.counts.total == 2


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotRegular):
        load(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        load(str(tmp_path / "nothing.jsonl"))
