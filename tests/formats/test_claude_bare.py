"""Pieces of a transcript in a file of their own, as one copies them from a document."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Chain
from viewer.bodies import Source
from viewer.document import document, dump
from viewer.formats import claude, claude_bare, decode
from viewer.load import Transcript, load
from viewer.records import Answered, Asked, HookFired, Invalid, Part, Said, Touch
from viewer.session import Session
from viewer.tail import Chunk

Object = dict[str, Any]

READ: Object = {"name": "Read", "input": {"file_path": "/a"}}
CALL: Object = {"type": "tool_use", "id": "t1", **READ}
RESULT: Object = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
FAILED: Object = {"content": "<tool_use_error>no</tool_use_error>", "is_error": True}
ASKED = Asked("t1", "Read", "/a", touches=(Touch("/a"),))
NAMELESS = Asked(None, "Read", "/a", touches=(Touch("/a"),))
HOOK: Object = {
    "session_id": "s1",
    "cwd": "/home/demo",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -r x"},
}


def parts(value: Object) -> list[Part]:
    record = claude.read(value)
    assert not record.unknown
    return record.parts


def opened(folder: Path, *values: object, indent: int | None = None) -> Transcript:
    path = folder / "piece.json"
    path.write_text("\n".join(json.dumps(value, indent=indent) for value in values))
    return load(str(path))


# Calls, results and messages


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (CALL, [ASKED]),
        (READ, [NAMELESS]),
        (RESULT, [Answered("t1", False, "ok")]),
        (FAILED, [Answered(None, True, FAILED["content"])]),
        ({"content": [CALL, CALL]}, [ASKED, ASKED]),
        ({"content": [RESULT]}, [Answered("t1", False, "ok")]),
        ({"role": "user", "content": "Hi"}, [Said("prompt", "Hi")]),
        ({"role": "assistant", "content": "Hello"}, [Said("reply", "Hello")]),
        ({"role": "assistant", "content": [CALL]}, [ASKED]),
        (
            {"role": "system", "content": "Be kind"},
            [Said("context", "Be kind", "system", hidden=True)],
        ),
    ],
)
def test_a_piece_of_a_message_says_what_the_message_would_say(
    value: Object, said: list[Part]
) -> None:
    assert parts(value) == said


def test_what_the_api_would_refuse_is_told_of_blocks_and_not_of_shorthand() -> None:
    invalid, asked = parts({"type": "tool_use", **READ})
    assert invalid == Invalid("tool_use.id: Field required", "Add id")
    assert asked == NAMELESS
    invalid, _ = parts({"type": "tool_result", "content": "ok"})
    assert isinstance(invalid, Invalid)
    assert invalid.rule == "tool_result.tool_use_id: Field required"
    invalid, asked = parts({"type": "tool_use", "tool_use": {"id": "t1", **READ}})
    assert isinstance(invalid, Invalid) and asked == ASKED
    assert NAMELESS in parts({"content": [{"type": "tool_use", **READ}]})
    assert any(isinstance(p, Invalid) for p in parts({"content": [{"type": "tool_use", **READ}]}))


@pytest.mark.parametrize("indent", [None, 2])
def test_pieces_that_follow_each_other_are_a_session(indent: int | None, tmp_path: Path) -> None:
    prompt = {"role": "user", "content": "What is in it?"}
    transcript = opened(tmp_path, prompt, CALL, RESULT, indent=indent)
    shown = document(transcript)
    assert shown["title"] == "What is in it?"
    assert [(c["id"], c["status"]) for c in shown["calls"]] == [("t1", "completed")]
    assert shown["problems"] == []


def test_the_whole_of_a_piece_is_read_again_for_the_detail(tmp_path: Path) -> None:
    long = "word " * 200
    transcript = opened(
        tmp_path, {"role": "user", "content": long}, CALL, {**RESULT, "content": long}
    )
    session, source = transcript.session, Source(transcript)  # fmt: skip
    assert source.text(session.rows[0].entries[0], session) == long
    body = source.call(session.calls["t1"], session)
    assert body.input == {"file_path": "/a"}
    assert body.result is not None and body.result.text == long


def test_a_result_without_its_call_can_be_read_whole(tmp_path: Path) -> None:
    transcript = opened(tmp_path, {**FAILED, "content": "word " * 1000})
    [entry] = transcript.session.rows[0].entries
    assert entry.kind == "orphan"
    assert Source(transcript).text(entry, transcript.session) == "word " * 1000


def test_a_piece_inside_a_transcript_joins_it(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("Read it")
    chain.call("t1", "Read", file_path="/a")
    transcript = opened(tmp_path, *chain.records, RESULT)
    [call] = document(transcript)["calls"]
    assert call["status"] == "completed"


# Hooks


def test_the_input_of_a_hook_says_which_hook_and_of_what() -> None:
    record = claude.read(HOOK)
    assert (record.session_id, record.cwd) == ("s1", "/home/demo")
    [fired] = record.parts
    assert fired == HookFired("PreToolUse", "PreToolUse:Bash", outcome="unknown", text="rm -r x")


def test_the_input_of_a_hook_stands_with_its_call(tmp_path: Path) -> None:
    bash = {**CALL, "name": "Bash", "input": HOOK["tool_input"]}
    transcript = opened(tmp_path, bash, {**HOOK, "tool_use_id": "t1"})
    assert [hook.event for hook in transcript.session.calls["t1"].hooks] == ["PreToolUse"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"hook_event_name": "UserPromptSubmit", "prompt": "Hi"}, "Hi"),
        ({"hook_event_name": "Notification", "message": "Claude waits"}, "Claude waits"),
        ({"hook_event_name": "Stop", "stop_hook_active": False}, ""),
    ],
)
def test_hooks_that_wrap_no_call_say_what_they_were_told(value: Object, words: str) -> None:
    [fired] = parts(value)
    assert isinstance(fired, HookFired)
    assert (fired.event, fired.name, fired.text) == (value["hook_event_name"],) * 2 + (words,)


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ({"decision": "allow", "reason": "fine"}, "success", "fine"),
        ({"decision": "approve"}, "success", ""),
        ({"decision": "block", "reason": "no"}, "blocked", "no"),
        ({"decision": "deny", "additionalContext": "later"}, "blocked", "later"),
        (
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "not here",
                }
            },
            "blocked",
            "not here",
        ),
        (
            {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "so"}},
            "success",
            "so",
        ),
    ],
)
def test_the_answer_of_a_hook_says_how_it_decided(answer: Object, outcome: str, words: str) -> None:
    [fired] = parts(answer)
    assert isinstance(fired, HookFired)
    assert (fired.outcome, fired.text) == (outcome, words)


def test_a_list_of_tools_is_named() -> None:
    assert parts({"tools": ["Task", "Bash"]}) == [Said("note", "Task, Bash", "tools")]


# What is none


@pytest.mark.parametrize(
    "value",
    [
        {"file_path": "/a", "content": "text"},
        {"file_path": "/a", "offset": 100},
        {"pattern": "fn", "type": "rust"},
        {"type": "tool_use", "tool_name": "bash", "tool_id": "1"},  # another program's
        {"type": "permission", "decision": "allow"},
        {"decision": "maybe"},
        {"decision": ["allow"]},
        {"role": "tool", "content": "ok"},
        {"role": "user", "content": None},
        {"name": "a", "input": "b"},
        {"content": [{"type": "text", "text": "a"}]},
        {"tools": []},
        {"tools": [{"name": "bash"}]},
        {},
    ],
)
def test_what_says_nothing_of_itself_is_an_unknown_record(value: Object) -> None:
    assert claude.read(value).unknown
    assert claude_bare.read(value) is None and claude_bare.content(value) is None


@pytest.mark.parametrize(
    "envelope", [{"message": {}}, {"sessionId": "a"}, {"uuid": "a"}, {"parentUuid": None}]
)
def test_whole_records_are_no_pieces(envelope: Object) -> None:
    for value in (CALL, RESULT, READ, HOOK):
        assert claude_bare.read({**value, **envelope}) is None


NAMES = (
    "type role content name input id is_error tool_use tool_use_id tool_result decision reason"
    " hook_event_name tool_name tool_input hookSpecificOutput hookEventName prompt tools"
).split()
WORDS = "tool_use tool_result user assistant system text allow deny PreToolUse Bash".split()
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(NAMES), any_json, max_size=6))
def test_anything_is_read(value: Object) -> None:
    claude_bare.read(value)
    assert all(isinstance(block, dict) for block in claude_bare.content(value) or ())
    session = Session()
    session.apply(decode(Chunk(1, 0, [json.dumps(value).encode()] * 2)))
    dump(document(Transcript("any.json", session)))
