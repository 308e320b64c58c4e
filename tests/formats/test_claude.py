"""Claude Code's objects to records: the shapes of files and documents, and anything else."""

from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from viewer.document import document, dump
from viewer.formats import claude, decode
from viewer.formats.claude_text import classify
from viewer.load import Transcript
from viewer.records import (
    Answered,
    ApiFailed,
    Asked,
    Compacted,
    Denied,
    HookFired,
    Interrupted,
    Invalid,
    Learned,
    Part,
    Progressed,
    Record,
    Said,
    Spent,
    Touch,
    Unread,
)
from viewer.session import Session
from viewer.status import Judge
from viewer.tail import Chunk

Object = dict[str, Any]


def user(content: object, **fields: object) -> Record:
    return claude.read({"type": "user", "message": {"content": content}, **fields})


def assistant(content: object, message: Object | None = None, **fields: object) -> Record:
    return claude.read(
        {"type": "assistant", "message": {"content": content, **(message or {})}, **fields}
    )


def system(subtype: str, **fields: object) -> Record:
    return claude.read({"type": "system", "subtype": subtype, **fields})


def result(content: object = "ok", **fields: object) -> Object:
    return {"type": "tool_result", "tool_use_id": "t1", "content": content, **fields}


def only(record: Record) -> Part:
    [part] = record.parts
    return part


def answered(record: Record) -> Answered:
    part = only(record)
    assert isinstance(part, Answered)
    return part


def hook(record: Record) -> HookFired:
    part = only(record)
    assert isinstance(part, HookFired)
    return part


def applied(*objects: Object) -> Session:
    session = Session()
    session.apply(decode(Chunk(1, 0, [orjson.dumps(each) for each in objects])))
    return session


# Any JSON value at all

_TYPES = """user assistant system attachment progress result summary last-prompt queue-operation
permission-mode custom-title cost-state stream_event tag unheard-of""".split()
_SUBTYPES = """compact_boundary stop_hook_summary api_error api_retry local_command hook_started
hook_response hook_progress init permission_denied task_notification turn_duration bash_progress
agent_progress informational tool_use tool_result text thinking image fallback server_tool_use
hook_success hook_blocking_error queued_command max_turns_reached file""".split()
_KEYS = """type subtype message content uuid parentUuid logicalParentUuid timestamp sessionId
session_id isSidechain agentId isMeta id name input tool_use_id tool_use tool_result is_error text
thinking source data attachment toolUseID parentToolUseID hookEvent hookName status decision
toolUseResult tool_use_result toolDenialKind permissionDecision tool_result_meta hookInfos
hookErrors error cause retryAttempt usage input_tokens output_tokens model prompt operation leafUuid
explicit summary permission_denials hook_id exit_code stdout outcome level elapsedTimeSeconds
durationMs compactMetadata preTokens parent_tool_use_id blockingError origin
subagent_type""".split()
_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*_TYPES, *_SUBTYPES, "u1", "u2", "t1", "", "2026-11-01T10:00:01Z"]),
    st.text(max_size=6),
)
_values = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=6)
    ),
    max_leaves=15,
)
_types = st.sampled_from(_TYPES) | _values
_records = st.builds(
    lambda value, type, subtype: {**value, "type": type, "subtype": subtype},
    st.dictionaries(st.sampled_from(_KEYS), _values, max_size=6),
    _types,
    st.sampled_from(_SUBTYPES) | _values,
)
_messages = st.builds(
    lambda value, type, blocks: {**value, "type": type, "message": {"content": blocks}},
    st.dictionaries(st.sampled_from(_KEYS), _values, max_size=3),
    st.sampled_from(["user", "assistant"]),
    st.lists(
        st.builds(
            lambda block, type: {**block, "type": type},
            st.dictionaries(st.sampled_from(_KEYS), _values, max_size=4),
            st.sampled_from(_SUBTYPES) | _values,
        ),
        max_size=3,
    ),
)


@given(st.lists(_records | _messages, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_object_is_a_record_of_a_session(objects: list[Object]) -> None:
    assert len(applied(*objects).rows) == len(objects)


@given(_records | _messages)
@settings(max_examples=50, deadline=None)
def test_a_record_read_twice_is_read_the_same(value: Object) -> None:
    before = orjson.dumps(value)
    first, second = claude.read(value), claude.read(value)
    assert (first.type, first.parts, vars(first)) == (second.type, second.parts, vars(second))
    assert orjson.dumps(value) == before


_DEEP = b"[" * 1_015 + b"]" * 1_015  # orjson reads 1,024 levels, Python's repr and == fewer


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"user","sessionId":%s}',
        b'{"type":"user","message":{"content":[{"type":%s}]}}',
        b'{"type":"assistant","message":{"content":[{"type":%s}]}}',
        b'{"type":"assistant","message":{"content":[{"type":"fallback","from":{"model":%s}}]}}',
        b'{"type":"system","level":%s}',
        b'{"type":"system","subtype":"hook_response","outcome":%s}',
        b'{"type":"system","subtype":"stop_hook_summary","hookInfos":[{}],"hookErrors":[{"a":%s}]}',
        b'{"type":"queue-operation","operation":%s,"content":"x"}',
        b'{"type":"cost-state","totalCostUSD":%s,"modelUsage":{"m":{"costUSD":%s}}}',
        b'{"type":"result","subtype":"success","total_cost_usd":1,"modelUsage":%s}',
    ],
)
def test_a_deeply_nested_value_where_a_word_should_be_is_survived(line: bytes) -> None:
    session = Session()
    session.apply(decode(Chunk(1, 0, [line.replace(b"%s", _DEEP)] * 2)))
    assert len(session.rows) == 2
    assert dump(document(Transcript("x", session)))


# Which format it is


@pytest.mark.parametrize(
    ("value", "format"),
    [
        ({"type": "user", "sessionId": "S", "parentUuid": None, "message": {}}, "claude"),
        ({"type": "user", "sessionId": "S", "session_id": "S", "message": {}}, "claude"),
        ({"type": "user", "session_id": "S", "message": {}}, "stream-json"),
        ({"type": "assistant", "message": {"content": []}}, "claude"),
        ({"type": "system", "subtype": "init", "tools": []}, "stream-json"),
        ({"type": "result", "subtype": "success", "duration_ms": 5}, "stream-json"),
        ({"type": "summary", "summary": "Title", "leafUuid": "u1"}, "claude"),
        ({"type": "ai-title", "aiTitle": "Title", "sessionId": "S"}, "claude"),
        ({"type": "unheard-of"}, None),
    ],
)
def test_the_content_tells_the_format(value: Object, format: str | None) -> None:
    assert claude.read(value).format == format


def test_the_envelope_of_a_record_is_read() -> None:
    record = user(
        "hi",
        uuid="u1",
        parentUuid="u0",
        timestamp="2026-11-01T10:00:01.500Z",
        sessionId="S",
        cwd="/w",
        gitBranch="main",
        version="2.1.326",
        isSidechain=True,
        agentId="g1",
    )
    assert (record.uuid, record.parent, record.session_id) == ("u1", "u0", "S")
    assert (record.cwd, record.branch, record.version) == ("/w", "main", "2.1.326")
    assert (record.sidechain, record.agent_id, record.linked) == (True, "g1", True)
    assert record.time == 1793527201.5


def test_a_capture_names_the_call_whose_sub_agent_speaks() -> None:
    assert assistant([], session_id="S", parent_tool_use_id="t1").agent_call == "t1"
    assert assistant([], session_id="S", parent_tool_use_id=None).agent_call is None


# Unknown things


def test_a_type_that_nobody_knows_is_a_record() -> None:
    session = applied({"type": "brand-new", "sessionId": "S", "payload": 1})
    assert session.counts.unknown == 1
    assert session.rows[0].entries[0].kind == "unknown"


@pytest.mark.parametrize("value", [{}, {"type": None}, {"type": 5}, {"type": ["user"]}])
def test_an_object_without_a_type_is_a_record(value: Object) -> None:
    record = claude.read(value)
    assert (record.type, record.unknown) == ("(no type)", True)


def test_a_block_that_nobody_knows_survives_beside_its_neighbours() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "hologram"}, 7]
    assert assistant(blocks).parts == [Said("reply", "one"), Unread("hologram"), Unread("int")]
    assert user(blocks).parts == [Said("prompt", "one"), Unread("hologram"), Unread("int")]


@pytest.mark.parametrize("message", [None, "words", 5, {}, {"content": 5}, {"content": None}])
@pytest.mark.parametrize("type", ["user", "assistant"])
def test_a_message_without_content_says_so(type: str, message: object) -> None:
    record = claude.read({"type": type, "message": message})
    assert record.parts == [Unread("message without content")]


# Markers in the text of users (format.md E2)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "[Request interrupted by user for tool use]",
            Interrupted("[Request interrupted by user for tool use]"),
        ),
        ("[Request interrupted by user]", Interrupted("[Request interrupted by user]")),
        (
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
            "<command-args>the API</command-args>",
            Said("prompt", "/review the API", "command"),
        ),
        (
            "<command-name>clear</command-name>\n<command-message>clear</command-message>",
            Said("prompt", "/clear", "command"),
        ),
        (
            "<local-command-stdout>Set model</local-command-stdout>",
            Said("note", "Set model", "command output"),
        ),
        (
            "<local-command-stdout></local-command-stdout>",
            Said("note", "", "command output", hidden=True),
        ),
        (
            "<local-command-stderr>no such command</local-command-stderr>",
            Said("note", "no such command", "command output", "warning"),
        ),
        (
            "<local-command-caveat>Do not answer</local-command-caveat>",
            Said("context", "Do not answer", "caveat", hidden=True),
        ),
        (
            "Caveat: The messages below were generated",
            Said("context", "Caveat: The messages below were generated", "caveat", hidden=True),
        ),
        ("<bash-input>ls -l</bash-input>", Said("prompt", "! ls -l", "shell")),
        (
            "<bash-stdout>total 0</bash-stdout><bash-stderr></bash-stderr>",
            Said("note", "total 0", "shell output"),
        ),
        ("<bash-stderr>oops</bash-stderr>", Said("note", "oops", "shell output")),
        (
            "<system-reminder>Be brief</system-reminder>",
            Said("context", "Be brief", "reminder", hidden=True),
        ),
        (
            '<teammate-message teammate_id="lead">Hello</teammate-message>',
            Said("notification", "Hello", "teammate"),
        ),
        (
            "<user-prompt-submit-hook>branch: main</user-prompt-submit-hook>",
            Said("note", "branch: main", "hook context"),
        ),
        (
            "<session-start-hook>hello</session-start-hook>",
            Said("note", "hello", "hook context"),
        ),
        (
            "Stop hook feedback:\nRun the tests",
            HookFired("Stop", "Stop", outcome="blocked", text="Run the tests", feedback=True),
        ),
        (
            "Stop hook feedback:\n[lint.sh]: too long",
            HookFired(
                "Stop", "Stop", command="lint.sh", outcome="blocked", text="too long", feedback=True
            ),
        ),
        (
            "<ide_opened_file>The user opened a.py</ide_opened_file>",
            Said("context", "The user opened a.py", "file open in the IDE"),
        ),
        (
            "<ide_selection>Lines 1 to 3</ide_selection>",
            Said("context", "Lines 1 to 3", "selection in the IDE"),
        ),
        (
            "<fork-boilerplate>You are a fork</fork-boilerplate>",
            Said("context", "You are a fork", "fork", hidden=True),
        ),
        (
            "[Subagent hand-back] done",
            Said("notification", "[Subagent hand-back] done", "sub-agent"),
        ),
        ("[Image #1] what is this?", Said("prompt", "[Image #1] what is this?")),
        ("Tell me about <system-reminder>", Said("prompt", "Tell me about <system-reminder>")),
        ("<div> does not close", Said("prompt", "<div> does not close")),
        ("", Said("prompt", "")),
    ],
)
def test_a_marker_tells_what_a_text_is(text: str, part: Part) -> None:
    assert classify(text) == part
    assert only(user(text)) == part
    assert only(user([{"type": "text", "text": text}])) == part


def test_a_notification_tells_how_a_task_in_the_background_ended() -> None:
    text = (
        "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n"
        "<summary>Build done</summary>\n</task-notification>"
    )
    assert user(text).parts == [
        Said("notification", "completed: Build done", "task"),
        Learned("task", (None, "b1", "completed")),
    ]


def test_the_summary_after_a_compaction_is_a_note() -> None:
    text = "This session is being continued from a previous conversation that ran out of context."
    record = user(text, isCompactSummary=True)
    assert only(record) == Said("note", text, "summary of what came before")
    assert not record.opens_turn


@given(st.text(" \t\n", max_size=120))
@example(" " * 70)
def test_blanks_before_a_marker_do_not_hide_it(blanks: str) -> None:
    part = classify(blanks + "<system-reminder>Be brief</system-reminder>")
    assert part == Said("context", "Be brief", "reminder", hidden=True)


def test_injected_text_is_hidden_context_and_opens_no_turn() -> None:
    record = user("for the model only", isMeta=True)
    assert only(record) == Said("context", "for the model only", "context", hidden=True)
    assert not record.opens_turn


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("do it", True),
        ("<command-name>/review</command-name>", True),
        ("<task-notification><status>completed</status></task-notification>", True),
        ("<system-reminder>x</system-reminder>", False),
        ("[Request interrupted by user]", False),
        ("<local-command-stdout>x</local-command-stdout>", False),
    ],
)
def test_a_turn_is_opened_by_what_was_asked(text: str, opens: bool) -> None:
    assert user(text).opens_turn is opens


@given(st.text())
def test_any_text_of_a_user_is_something(text: str) -> None:
    assert isinstance(classify(text), Said | Interrupted)


# Results


@pytest.mark.parametrize(
    "content", ["ok", [{"type": "text", "text": "ok"}], ["ok"], {"type": "text", "text": "ok"}]
)
def test_the_content_of_a_result_may_have_any_shape(content: object) -> None:
    assert answered(user([result(content)])) == Answered("t1", False, "ok")


@pytest.mark.parametrize("content", [None, [], "", 5])
def test_a_result_without_content_is_a_result(content: object) -> None:
    assert answered(user([result(content)])) == Answered("t1", False, "")


@pytest.mark.parametrize(
    "beside", ["Error: it broke", "User rejected tool use", [{"type": "text"}], [], None, 5]
)
def test_what_stands_beside_a_result_need_not_be_an_object(beside: object) -> None:
    record = user([result("it broke", is_error=True)], toolUseResult=beside)
    assert answered(record) == Answered("t1", True, "it broke")


@pytest.mark.parametrize("key", ["toolUseResult", "tool_use_result"])
def test_an_object_beside_a_result_tells_more_of_it(key: str) -> None:
    beside = {"interrupted": True, "exitCode": 130, "durationMs": 12.0, "backgroundTaskId": "b"}
    assert answered(user([result()], **{key: beside})) == Answered(
        "t1",
        False,
        "ok",
        interrupted=True,
        exit_code=130,
        duration_ms=12,
        background=True,
        task_id="b",
    )


def test_a_search_tells_its_duration_in_seconds() -> None:
    record = user([result()], toolUseResult={"durationSeconds": 1.5})
    assert answered(record).duration_ms == 1500


def test_the_result_of_a_sub_agent_names_it() -> None:
    beside = {"agentId": "g1", "status": "completed", "totalDurationMs": 900}
    part = answered(user([result()], toolUseResult=beside))
    assert (part.agent_id, part.agent_status, part.duration_ms) == ("g1", "completed", 900)


def test_a_denial_is_read_from_its_fields() -> None:
    part = answered(
        user(
            [result("no", is_error=True)],
            toolDenialKind="permission-rule",
            toolDenialBeforeRun=True,
            permissionDecision={"decision": "deny", "source": "hook"},
        )
    )
    assert (part.denial, part.denied_before_run, part.denied_by) == (
        "permission-rule",
        True,
        "hook",
    )


def test_images_in_a_result_are_counted() -> None:
    content = [{"type": "image", "source": {"data": "AAAA"}}, {"type": "text", "text": "ok"}]
    assert answered(user([result(content)])).images == 1


@pytest.mark.parametrize(
    ("content", "fields", "error", "code"),
    [
        ("Exit code 127\nnot found", {"is_error": True}, True, 127),
        ("Exit code 127\nnot found", {"is_error": False}, False, None),
    ],
)
def test_exit_codes_are_read_where_they_are_stated(
    content: str, fields: Object, error: bool, code: int | None
) -> None:
    part = answered(user([result(content, **fields)]))
    assert (part.error, part.exit_code) == (error, code)


@pytest.mark.parametrize(
    ("tool", "content", "fields", "status"),
    [
        ("Bash", "Coverage: 85%\n\n[Exit code: 0]", {}, "completed"),
        ("Bash", "1 failed\n\n[Exit code: 2]\n", {}, "failed"),
        ("Bash", "[Exit code: 1]", {"is_error": False}, "completed"),
        ("Bash", "see [Exit code: 1] above", {}, "completed"),
        ("Read", "a file that ends in\n[Exit code: 1]", {}, "completed"),
    ],
)
def test_a_stated_exit_code_counts_for_commands(
    tool: str, content: str, fields: Object, status: str
) -> None:
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": {}}
    session = applied(
        {"type": "assistant", "message": {"content": [call]}},
        {"type": "user", "message": {"content": [result(content, **fields)]}},
    )
    assert Judge(session).status(session.calls["t1"]) == status


# The documented shapes: no uuid, no time, no session, several blocks on one line


def test_documented_messages_need_no_envelope() -> None:
    calls = [
        {"type": "tool_use", "id": id, "name": "Grep", "input": {"pattern": id}} for id in "ABC"
    ]
    results = [{"type": "tool_result", "tool_use_id": id, "content": f"of {id}"} for id in "CAB"]
    session = applied(
        {"type": "user", "message": {"role": "user", "content": "find them"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Yes"}, *calls]}},
        {"type": "user", "message": {"content": results}},
    )
    assert session.format == "claude"
    assert [call.summary for call in session.calls.values()] == ["A", "B", "C"]
    assert all(call.result is session.rows[2] for call in session.calls.values())
    assert not session.orphans and not session.trouble


def test_the_blocks_of_a_reply_are_read_in_order() -> None:
    record = assistant(
        [
            {"type": "thinking", "thinking": "hm"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": "Yes"},
            {
                "type": "tool_use",
                "id": "t1",
                "name": "Task",
                "input": {
                    "description": "Look",
                    "prompt": "Look at it",
                    "subagent_type": "Explore",
                },
            },
        ],
        {"id": "m1", "model": "opus", "usage": {"input_tokens": 3, "output_tokens": 109}},
    )
    assert record.message_id == "m1"
    assert record.parts == [
        Said("thinking", "hm"),
        Said("thinking", "", "redacted"),
        Said("reply", "Yes"),
        Asked("t1", "Task", "Look", "Look at it", "Explore"),
        Spent("m1", "opus", 3, 109, 0, 0),
    ]


def test_a_nested_call_is_read_and_its_breach_of_the_rules_is_said() -> None:
    body = {"id": "t1", "name": "Read", "input": {"file_path": "/a"}}
    invalid, asked = assistant([{"type": "tool_use", "tool_use": body}]).parts
    assert isinstance(invalid, Invalid) and invalid.rule.startswith("tool_use.id: Field required")
    assert asked == Asked("t1", "Read", "/a", touches=(Touch("/a"),))


def test_a_nested_result_is_read_and_its_breach_of_the_rules_is_said() -> None:
    body = {"tool_use_id": "t1", "content": "no", "is_error": True}
    invalid, part = user([{"type": "tool_result", "tool_result": body}]).parts
    assert isinstance(invalid, Invalid)
    assert invalid.rule.startswith("tool_result.tool_use_id: Field required")
    assert part == Answered("t1", True, "no")


def test_a_result_that_says_id_instead_of_tool_use_id_is_paired_all_the_same() -> None:
    invalid, part = user([{"type": "tool_result", "id": "t1", "content": "ok"}]).parts
    assert isinstance(invalid, Invalid) and "`id`" in invalid.fix
    assert part == Answered("t1", False, "ok")


@pytest.mark.parametrize("field", ["id", "name", "input"])
def test_a_call_without_a_field_says_which(field: str) -> None:
    block = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/a"}}
    del block[field]
    invalid, asked = assistant([block]).parts
    assert isinstance(invalid, Invalid) and invalid.rule == f"tool_use.{field}: Field required"
    assert isinstance(asked, Asked)


# Hooks


def progress(data: Object, **fields: object) -> Record:
    return claude.read({"type": "progress", "data": data, "parentToolUseID": "t1", **fields})


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("running", "running"),
        ("completed", "success"),
        ("failed", "error"),
        ("blocked", "blocked"),
        ("cancelled", "cancelled"),
        ("dancing", "unknown"),
        (None, "unknown"),
        ({}, "unknown"),
    ],
)
def test_a_hook_in_progress_may_state_its_status(status: object, outcome: str) -> None:
    data = {"type": "hook_progress", "hookEvent": "PreToolUse", "hookName": "check"}
    fired = hook(progress({**data, "status": status}))
    assert (fired.event, fired.name, fired.call_id) == ("PreToolUse", "check", "t1")
    assert fired.outcome == outcome


def test_real_files_do_not_tell_how_a_hook_in_progress_ended() -> None:
    data = {"type": "hook_progress", "hookEvent": "Stop", "hookName": "Stop", "command": "a.sh"}
    fired = hook(progress(data))
    assert (fired.outcome, fired.command, fired.decision) == ("unknown", "a.sh", None)


def test_a_hook_in_progress_may_state_its_decision() -> None:
    assert hook(progress({"type": "hook_progress", "decision": "block"})).decision == "block"


@pytest.mark.parametrize(
    ("stdout", "decision", "outcome"),
    [
        ('{"decision":"block","reason":"no"}', "block", "blocked"),
        ('{"decision":"allow","reason":"File read permitted"}', "allow", "success"),
        ('{"hookSpecificOutput":{"permissionDecision":"deny"}}', "deny", "blocked"),
        ("{broken", None, "success"),
        ("words", None, "success"),
        ("", None, "success"),
    ],
)
def test_a_capture_tells_what_a_hook_decided(
    stdout: str, decision: str | None, outcome: str
) -> None:
    fired = hook(
        system("hook_response", hook_id="h", hook_event="PreToolUse", stdout=stdout, exit_code=0)
    )
    assert (fired.decision, fired.outcome, fired.key) == (decision, outcome, "h")


@pytest.mark.parametrize(("code", "outcome"), [(0, "success"), (1, "error"), (2, "blocked")])
def test_the_exit_code_of_a_hook_tells_its_outcome(code: int, outcome: str) -> None:
    assert hook(system("hook_response", exit_code=code)).outcome == outcome


@pytest.mark.parametrize(
    ("kind", "fields", "outcome", "text"),
    [
        ("hook_success", {"stdout": "fine", "exitCode": 0}, "success", "fine"),
        ("hook_non_blocking_error", {"stderr": "oops", "stdout": "x"}, "error", "oops"),
        ("hook_blocking_error", {"blockingError": {"blockingError": "no"}}, "blocked", "no"),
        ("hook_cancelled", {}, "cancelled", ""),
        ("hook_additional_context", {"content": ["a", "b"]}, "message", "a\nb"),
    ],
)
def test_an_attachment_tells_how_a_hook_ended(
    kind: str, fields: Object, outcome: str, text: str
) -> None:
    data = {"type": kind, "hookEvent": "PostToolUse", "toolUseID": "t1", **fields}
    fired = hook(claude.read({"type": "attachment", "attachment": data}))
    assert (fired.outcome, fired.text, fired.call_id) == (outcome, text, "t1")


def test_the_hooks_at_the_end_of_a_turn_are_told_together() -> None:
    record = system(
        "stop_hook_summary",
        hookInfos=[{"command": "a", "durationMs": 5}, {"command": "b"}],
        hookErrors=["a failed"],
    )
    hooks = [part for part in record.parts if isinstance(part, HookFired)]
    assert [(each.command, each.outcome) for each in hooks] == [("a", "error"), ("b", "success")]


# Everything else


def test_a_running_command_gives_signs_of_life() -> None:
    record = progress({"type": "bash_progress", "output": "2", "elapsedTimeSeconds": 2})
    assert only(record) == Progressed("t1", "bash_progress", "2", 2000)


def test_a_sub_agent_in_progress_tells_its_calls() -> None:
    call = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/a"}}
    message = {"type": "assistant", "message": {"content": [call]}}
    part = only(progress({"type": "agent_progress", "agentId": "g1", "message": message}))
    assert isinstance(part, Progressed)
    assert (part.agent_id, part.inside) == (
        "g1",
        [Asked("t2", "Read", "/a", touches=(Touch("/a"),))],
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"compactMetadata": {"trigger": "auto", "preTokens": 155_917, "postTokens": 12_000}},
        {"compact_metadata": {"trigger": "auto", "pre_tokens": 155_917, "post_tokens": 12_000}},
    ],
)
def test_a_compaction_tells_what_it_saved(fields: Object) -> None:
    record = system("compact_boundary", logicalParentUuid="u9", **fields)
    assert only(record) == Compacted("auto", 155_917, 12_000)
    assert record.logical_parent == "u9"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"error": {"status": 529, "formatted": "529 Overloaded"}}, "529 Overloaded"),
        ({"error": {"status": 529, "message": "Overloaded"}}, "529 Overloaded"),
        ({"error": {"cause": {"code": "ECONNRESET"}}}, "ECONNRESET"),
        ({"error": "rate_limit", "error_status": 429}, "429 rate_limit"),
        ({}, "API error"),
    ],
)
def test_a_retry_tells_why_the_api_failed(fields: Object, text: str) -> None:
    record = system("api_error", retryAttempt=2, maxRetries=10, **fields)
    assert only(record) == ApiFailed(text, 2, 10)


def test_an_api_error_in_place_of_a_reply_is_no_reply() -> None:
    record = assistant([{"type": "text", "text": "API Error: 500"}], isApiErrorMessage=True)
    assert only(record) == ApiFailed("API Error: 500")


def test_filler_replies_are_hidden_and_cost_nothing() -> None:
    record = assistant(
        [{"type": "text", "text": "No response requested."}],
        {"model": "<synthetic>", "usage": {"output_tokens": 5}},
    )
    assert only(record) == Said("context", "No response requested.", "filler", hidden=True)


def test_a_prompt_typed_while_the_agent_worked_is_queued() -> None:
    data = {"type": "queued_command", "prompt": "also lint", "origin": {"kind": "human"}}
    assert only(claude.read({"type": "attachment", "attachment": data})) == Said(
        "queued", "also lint"
    )


def test_the_end_of_a_captured_turn_tells_what_was_denied_and_what_failed() -> None:
    record = claude.read(
        {
            "type": "result",
            "subtype": "error_max_turns",
            "num_turns": 3,
            "permission_denials": [{"tool_use_id": "t1"}, {}, None],
        }
    )
    assert record.parts == [
        Learned("result", {"num_turns": 3, "subtype": "error_max_turns"}),
        Denied("t1"),
        Said("note", "max turns", "limit", "warning"),
    ]


def test_the_last_title_wins() -> None:
    session = applied(
        {"type": "ai-title", "aiTitle": "made up", "sessionId": "S"},
        {"type": "custom-title", "customTitle": "first", "sessionId": "S"},
        {"type": "custom-title", "customTitle": "last", "sessionId": "S"},
    )
    assert session.title == "last"


def test_an_image_is_described_and_not_kept() -> None:
    block = {"type": "image", "source": {"media_type": "image/png", "data": "A" * 4000}}
    assert only(user([block])) == Said("prompt", "[image image/png, 3000 bytes]", "image")
