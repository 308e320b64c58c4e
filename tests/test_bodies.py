"""The whole of what a record says, read again from the file it was read from."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Chain, Json, result
from viewer.bodies import Changed, Source, read_result
from viewer.load import Transcript, load
from viewer.model import Call, Entry

LONG = "".join(f"line {number}\n" for number in range(400))


def opened(chain: Chain, folder: Path) -> tuple[Transcript, Source]:
    transcript = load(str(chain.write(folder / "s.jsonl")))
    return transcript, Source(transcript)


def texts(chain: Chain, folder: Path) -> list[str]:
    transcript, source = opened(chain, folder)
    session = transcript.session
    entries = [entry for row in session.rows for entry in row.entries if entry.item is None]
    return [source.text(entry, session) for entry in entries]


def blocks(*found: Json) -> Json:
    return {"id": "m", "role": "assistant", "content": list(found)}


def test_a_long_text_comes_whole(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt(LONG)
    chain.reply(LONG + "reply")
    chain.said({"type": "thinking", "thinking": LONG + "thought"})
    chain.add("system", subtype="informational", content=LONG)
    chain.add("attachment", attachment={"type": "queued_command", "prompt": LONG})
    assert texts(chain, tmp_path) == [LONG, LONG + "reply", LONG + "thought", LONG, LONG]


def test_each_entry_of_a_message_has_its_own_block(tmp_path: Path) -> None:
    chain = Chain()
    chain.add(
        "assistant",
        message=blocks(
            {"type": "thinking", "thinking": "think " + LONG},
            {"type": "text", "text": "say " + LONG},
            {"type": "text", "text": "and " + LONG},
        ),
    )
    assert texts(chain, tmp_path) == ["think " + LONG, "say " + LONG, "and " + LONG]


def test_blocks_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    chain = Chain()
    found = [{"type": "text", "text": LONG + end} for end in ("one", "two")]
    chain.add("assistant", message=blocks(*found))
    assert texts(chain, tmp_path) == [LONG + "one", LONG + "two"]


def test_a_call_has_its_input_and_its_result(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    inputs = [{"command": LONG + id} for id in "ab"]
    calls = [
        {"type": "tool_use", "id": id, "name": "Bash", "input": input}
        for id, input in zip("ab", inputs, strict=True)
    ]
    chain.add("assistant", message=blocks(*calls))
    content = [result("b", LONG + "b", error=True), result("a", LONG + "a")]
    chain.add("user", message={"role": "user", "content": content}, toolUseResult={"x": 1})
    transcript, source = opened(chain, tmp_path)
    session = transcript.session
    for id, input in zip("ab", inputs, strict=True):
        body = source.call(session.calls[id], session)
        assert (body.name, body.input) == ("Bash", input)
        assert body.result is not None
        assert (body.result.text, body.result.error) == (LONG + id, id == "b")
        assert body.result.structured == {"x": 1}
        assert body.result.sender["uuid"] == "u3"


def test_a_call_that_waits_has_no_result(tmp_path: Path) -> None:
    chain = Chain()
    chain.call("a")
    transcript, source = opened(chain, tmp_path)
    body = source.call(transcript.session.calls["a"], transcript.session)
    assert (body.input, body.result) == ({"command": "ls"}, None)


def test_a_call_that_breaks_the_rules_is_read_as_well_as_can_be(tmp_path: Path) -> None:
    chain = Chain()
    inner = {"id": "a", "name": "Bash", "input": {"command": "pwd"}}
    chain.said({"type": "tool_use", "tool_use": inner})
    transcript, source = opened(chain, tmp_path)
    body = source.call(transcript.session.calls["a"], transcript.session)
    assert body.input == {"command": "pwd"}


def test_calls_of_sub_agents_are_read_from_their_own_files(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go " + LONG)
    chain.call("t", "Task", prompt="look", description="d")
    agent = Chain("s")
    agent.prompt("look", isSidechain=True)
    agent.call("i", command="inner")
    agent.records[-1]["isSidechain"] = True
    agent.write(tmp_path / "s" / "subagents" / "agent-a1.jsonl")
    transcript, source = opened(chain, tmp_path)
    [_, (session, _)] = transcript.sessions()
    assert source.call(session.calls["i"], session).input == {"command": "inner"}
    [entry] = session.rows[0].entries
    assert source.text(entry, session) == "look"


def test_calls_known_from_progress_have_their_input(tmp_path: Path) -> None:
    chain = Chain()
    chain.call("t", "Task", prompt="look", description="d")
    block = {"type": "tool_use", "id": "p", "name": "Read", "input": {"file_path": "a"}}
    data: Json = {"type": "agent_progress", "agentId": "x"}
    data["message"] = {"type": "assistant", "message": {"content": [block]}}
    chain.add("progress", data=data, parentToolUseID="t")
    transcript, source = opened(chain, tmp_path)
    [agent] = transcript.agents
    assert source.call(agent.calls["p"], transcript.session).input == {"file_path": "a"}


def test_images_and_references_are_kept_apart_from_text() -> None:
    image = {"type": "image", "source": {"media_type": "image/png", "data": "AA"}}
    reference = {"type": "tool_reference", "tool_name": "WebFetch"}
    content: list[Any] = [{"type": "text", "text": "one"}, image, "two", reference, 3, None]
    block = {"type": "tool_result", "tool_use_id": "a", "content": content}
    found = read_result({"message": {"content": [block]}}, "a")
    assert (found.text, found.media) == ("one\ntwo\nWebFetch", [image])


@pytest.mark.parametrize("record", [{}, {"message": 1}, {"message": {"content": "x"}}])
def test_a_record_without_a_result_has_none(record: Json) -> None:
    assert read_result(record, "a").text == ""


def test_an_orphan_has_its_whole_text(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    chain.result("nobody", LONG)
    assert texts(chain, tmp_path) == ["go", LONG]


def test_orphans_of_one_record_have_their_own_texts(tmp_path: Path) -> None:
    chain = Chain()
    content = [result(id, f"{id} {LONG}") for id in "xy"]
    chain.add("user", message={"role": "user", "content": content})
    assert texts(chain, tmp_path) == ["x " + LONG, "y " + LONG]


@pytest.mark.parametrize("content", [b"", b"\n" * 400, b"{}" + b" " * 400])
def test_a_file_that_has_changed_says_so_or_stays_quiet(tmp_path: Path, content: bytes) -> None:
    chain = Chain()
    chain.prompt("before")
    transcript, source = opened(chain, tmp_path)
    (tmp_path / "s.jsonl").write_bytes(content)
    [entry] = transcript.session.rows[0].entries
    try:
        assert source.text(entry, transcript.session) == entry.text
    except Changed:
        pass


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("before")
    transcript, source = opened(chain, tmp_path)
    (tmp_path / "s.jsonl").unlink()
    with pytest.raises(Changed, match="cannot be read"):
        source.raw(transcript.session.rows[0], transcript.session)


_KEYS = st.sampled_from(
    "type text thinking content message data input id tool_use_id tool_result attachment prompt"
    " summary subtype user assistant system tool_use".split()
)
_VALUES = st.recursive(
    st.none() | st.integers() | _KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)
_TYPES = st.sampled_from("user assistant system attachment progress summary".split())


@given(st.lists(st.tuples(_TYPES, st.dictionaries(_KEYS, _VALUES)), max_size=4))
@settings(max_examples=80, deadline=None)
def test_anything_that_was_read_can_be_read_again(records: list[tuple[str, Json]]) -> None:
    chain = Chain()
    for type, fields in records:
        chain.add(type, **{key: fields[key] for key in fields if key != "type"})
    with TemporaryDirectory() as folder:
        transcript, source = opened(chain, Path(folder))
        session = transcript.session
        for row in session.rows:
            for entry in row.entries:
                if isinstance(entry.item, Call):
                    source.call(entry.item, session)
                else:
                    assert isinstance(entry, Entry)
                    assert isinstance(source.text(entry, session), str)
