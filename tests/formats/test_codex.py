"""What Codex writes, in all its eras, as the viewer understands it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Json, lines, session_of
from viewer.bodies import Source
from viewer.document import document
from viewer.formats import decode
from viewer.load import Transcript, load
from viewer.model import Entry, Liveness, Row
from viewer.problems import find
from viewer.session import Session
from viewer.tail import Chunk

HIDDEN = ("context", "state", "duplicate")


# Building


def line(type: str, payload: Json | None, **more: Any) -> Json:
    return {"timestamp": "2026-03-01T10:00:00.000Z", "type": type, "payload": payload, **more}


def item(type: str, **fields: Any) -> Json:
    return line("response_item", {"type": type, **fields})


def event(type: str, **fields: Any) -> Json:
    return line("event_msg", {"type": type, **fields})


def completed(type: str, **fields: Any) -> Json:
    return event("item_completed", thread_id="t", turn_id="1", item={"type": type, **fields})


def meta(id: str = "t", **fields: Any) -> Json:
    about = {"id": id, "cwd": "/home/demo/shop", "cli_version": "0.169.0", **fields}
    return line("session_meta", about)


def message(role: str, *texts: str) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def prompt(text: str) -> list[Json]:
    return [message("user", text), event("user_message", message=text, images=[])]


def reply(text: str) -> list[Json]:
    return [event("agent_message", message=text), message("assistant", text)]


def call(id: str, cmd: str = "ls", name: str = "exec_command", **arguments: Any) -> Json:
    arguments = arguments or {"cmd": cmd}
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=id)


def output(id: str, text: Any = "ok") -> Json:
    return item("function_call_output", call_id=id, output=text)


def ran(code: int | None, text: str = "", took: str = "0.1") -> str:
    """An output as unified exec words it."""
    state = f"exited with code {code}" if code is not None else "running with session ID 7"
    return f"Chunk ID: abc\nWall time: {took} seconds\nProcess {state}\nOutput:\n{text}"


def ended(id: str, code: int | None, **fields: Any) -> Json:
    status = "failed" if code else "completed"
    about = {"command": ["bash", "-lc", "ls"], "status": status, "exit_code": code, **fields}
    return completed("CommandExecution", id=id, **about)


# Reading


def shown(session: Session) -> list[tuple[str, str]]:
    """Kind and text of what an outline shows."""
    return [(entry.kind, _words(entry)) for entry in entries(session)
            if entry.kind not in HIDDEN and not entry.hidden]  # fmt: skip


def entries(session: Session) -> list[Entry]:
    return [entry for row in session.rows for entry in row.entries]


def _words(entry: Entry) -> str:
    return getattr(entry.item, "summary", "") if entry.kind == "call" else entry.text


def of(*records: Json | list[Json]) -> Session:
    return session_of(flat(*records))


def flat(*records: Json | list[Json]) -> list[Json]:
    return [each for one in records for each in (one if isinstance(one, list) else [one])]


def transcript_of(*records: Json | list[Json]) -> Transcript:
    return Transcript("rollout.jsonl", of(*records))


def calls_of(*records: Json | list[Json]) -> dict[str, Json]:
    """The calls as `show --json` tells them, by id."""
    return {each["id"]: each for each in document(transcript_of(*records))["calls"]}


def written(folder: Path, *records: Json | list[Json], name: str = "rollout-a.jsonl") -> Transcript:
    path = folder / name
    path.write_bytes(b"".join(each + b"\n" for each in lines(*flat(*records))))
    return load(str(path))


# The eras


BARE: list[Json] = [
    {"id": "t", "timestamp": "2025-08-01T10:00:00Z", "instructions": None, "git": {"branch": "x"}},
    {"record_type": "state"},
    {
        "type": "message",
        "role": "user",
        "content": [
            {
                "type": "input_text",
                "text": "<environment_context>\n<cwd>/home/demo/shop</cwd>\n</environment_context>",
            }
        ],
    },
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]},
    {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm"}]},
    {
        "type": "function_call",
        "name": "shell",
        "arguments": '{"command":["bash","-lc","make"]}',
        "call_id": "c",
    },
    {
        "type": "function_call_output",
        "call_id": "c",
        "output": '{"output":"no rule","metadata":{"exit_code":2,"duration_seconds":0.3}}',
    },
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done"}]},
]
SAID = [("prompt", "Fix it"), ("thinking", "Hm"), ("call", "make"), ("reply", "Done")]


def test_bare_items_of_2025_are_a_session() -> None:
    session = of(BARE)
    assert shown(session) == SAID
    assert session.format == "codex"
    assert (session.session_id, session.cwd, session.git_branch) == ("t", "/home/demo/shop", "x")


def test_wrapped_items_say_the_same() -> None:
    session = of(meta(), [line("response_item", each) for each in BARE[2:]])
    assert shown(session) == SAID


def test_items_may_lie_flat_beside_timestamp_and_type() -> None:
    stamp = {"timestamp": "2025-09-10T10:00:00Z"}
    head = {**stamp, "type": "session_meta", "id": "t", "cwd": "/home/demo/shop"}
    assert shown(of(head, [{**stamp, **each} for each in BARE[2:]])) == SAID
    over = [{**stamp, **each, "type": "response_item"} for each in BARE[2:]]
    assert shown(of(head, over)) == SAID
    told = [{**stamp, "type": "user_message", "message": "Fix it"}]
    assert shown(of(head, told)) == [("prompt", "Fix it")]


def test_the_document_of_the_typescript_program_is_a_session(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-05-01-t.json"
    path.write_text(json.dumps({"session": BARE[0], "items": BARE[2:]}, indent=2))
    transcript = load(str(path))
    assert shown(transcript.session) == SAID
    call = transcript.session.calls["c"]
    body = Source(transcript).call(call, transcript.session)
    assert body.input == {"command": ["bash", "-lc", "make"]}
    assert body.result is not None and body.result.text == "no rule"


def test_a_paginated_rollout_tells_everything_by_items_and_events() -> None:
    session = of(
        meta(history_mode="paginated"),
        completed("UserMessage", id="u", content=[{"type": "text", "text": "Fix it"}]),
        message("user", "Fix it"),
        completed("Reasoning", id="rs", summary_text=["Hm"], raw_content=[]),
        item("reasoning", id="rs", summary=[{"type": "summary_text", "text": "Hm"}]),
        call("c", "make"),
        ended("c", 2),
        output("c", ran(2, "no rule")),
        message("assistant", "Done"),
        completed("AgentMessage", id="m", content=[{"type": "Text", "text": "Done"}]),
    )
    assert shown(session) == SAID


def test_an_exec_capture_is_a_session(tmp_path: Path) -> None:
    command = {"id": "item_1", "type": "command_execution", "command": "/bin/bash -lc 'make all'"}
    begun = command | {"aggregated_output": "", "exit_code": None, "status": "in_progress"}
    done = command | {"aggregated_output": "no rule\n", "exit_code": 2, "status": "failed"}
    patch: Json = {"id": "item_2", "type": "file_change", "status": "completed"}
    patch["changes"] = [{"path": "/home/demo/shop/cart.py", "kind": "update"}]
    asked: Json = {"id": "item_3", "type": "mcp_tool_call", "server": "db", "tool": "query"}
    asked |= {"status": "failed", "error": {"message": "no table"}, "arguments": {"sql": "select"}}
    transcript = written(
        tmp_path,
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i", "type": "reasoning", "text": "Hm"}},
        {"type": "item.started", "item": begun},
        {"type": "item.completed", "item": done},
        {"type": "item.completed", "item": patch},
        {"type": "item.completed", "item": asked},
        {"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "Done"}},
        {"type": "turn.completed", "usage": {"input_tokens": 30, "cached_input_tokens": 10,
                                             "output_tokens": 5}},
    )  # fmt: skip
    session = transcript.session
    assert shown(session) == [
        ("thinking", "Hm"),
        ("call", "make all"),
        ("call", "/home/demo/shop/cart.py"),
        ("call", "select"),
        ("reply", "Done"),
    ]
    told = document(transcript)
    assert (told["format"], told["session_id"]) == ("codex-exec", "t")
    states = [(each["name"], each["cause"], each["exit_code"]) for each in told["calls"]]
    assert states == [
        ("exec_command", "COMMAND_FAILED", 2),
        ("apply_patch", None, None),
        ("mcp__db__query", "MCP_ERROR", None),
    ]
    assert [file["path"] for file in told["files"]] == ["/home/demo/shop/cart.py"]
    assert (told["tokens"]["input"], told["tokens"]["cache_read"]) == (20, 10)
    body = Source(transcript).call(session.calls["item_1"], session)
    assert body.result is not None and body.result.text == "no rule\n"


def test_an_exec_capture_tells_retries_and_the_failure_of_the_turn_once() -> None:
    session = of(
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "error", "message": "Reconnecting... 2/5"},
        {"type": "error", "message": "stream disconnected"},
        {"type": "turn.failed", "error": {"message": "stream disconnected"}},
    )
    assert [entry.text for entry in session.trouble] == ["stream disconnected"]


# Nothing is shown twice


@pytest.mark.parametrize("order", [1, -1], ids=["item first", "event first"])
def test_what_item_and_event_both_tell_is_shown_once(order: int) -> None:
    searched = {"action": {"type": "search", "query": "decimal rounding"}}
    pairs = [
        prompt("Fix it"),
        [
            item("reasoning", summary=[{"type": "summary_text", "text": "Hm"}]),
            event("agent_reasoning", text="Hm"),
        ],
        reply("Let me see"),
        [
            item("web_search_call", status="completed", **searched),
            event("web_search_end", call_id="ws", query="decimal rounding", **searched),
        ],
        reply("Done"),
    ]
    session = of(meta(), *[pair[::order] for pair in pairs])
    assert shown(session) == [
        ("prompt", "Fix it"),
        ("thinking", "Hm"),
        ("reply", "Let me see"),
        ("call", "decimal rounding"),
        ("reply", "Done"),
    ]


def test_events_alone_are_enough() -> None:
    session = of(
        meta(),
        event("user_message", message="Fix it"),
        event("exec_command_begin", call_id="c", command=["bash", "-lc", "make"], cwd="/home/demo"),
        event("exec_command_end", call_id="c", exit_code=2, aggregated_output="no rule",
              command=["bash", "-lc", "make"], duration={"secs": 1, "nanos": 500_000_000}),
        event("agent_message", message="Done"),
    )  # fmt: skip
    assert shown(session) == [("prompt", "Fix it"), ("call", "make"), ("reply", "Done")]


def test_a_call_that_an_event_told_first_is_not_shown_again() -> None:
    end = event("exec_command_end", call_id="c", exit_code=0, command=["bash", "-lc", "ls"])
    session = of(meta(), prompt("Look"), end, call("c"), output("c", ran(0, "a.py")))
    assert [kind for kind, _ in shown(session)] == ["prompt", "call"]
    assert not session.orphans


def test_the_same_prompt_in_two_turns_is_shown_twice() -> None:
    session = of(meta(), prompt("go on"), reply("Yes"), prompt("go on"), reply("Yes"))
    assert [text for _, text in shown(session)] == ["go on", "Yes", "go on", "Yes"]


def test_the_same_prompt_is_shown_again_when_the_first_turn_came_to_nothing() -> None:
    session = of(
        meta(),
        event("task_started"),
        event("user_message", message="go on"),
        event("turn_aborted", reason="interrupted"),
        event("task_started"),
        event("user_message", message="go on"),
    )
    assert [kind for kind, _ in shown(session)] == ["prompt", "interrupt", "prompt"]


def test_a_review_tells_its_prompt_twice_and_it_is_shown_once() -> None:
    told = event("user_message", message="Review the changes")
    session = of(meta(), event("entered_review_mode", user_facing_hint="changes"), told, told)
    assert [kind for kind, _ in shown(session)] == ["note", "prompt"]


def test_items_of_one_response_that_repeat_a_thought_are_shown_once() -> None:
    thought = item("reasoning", summary=[{"type": "summary_text", "text": "Hm"}])
    told = event("agent_reasoning", text="Hm")
    session = of(meta(), told, thought, told, thought, call("c"), output("c"), told, thought)
    assert [kind for kind, _ in shown(session)] == ["thinking", "call", "thinking"]


def test_texts_that_differ_in_blanks_only_are_the_same() -> None:
    session = of(
        meta(), message("user", "Fix", "it"), event("user_message", message="Fix it\n"),
        message("assistant", "One", "Two"), event("agent_message", message="One"),
        event("agent_message", message="Two"),
    )  # fmt: skip
    assert [text for _, text in shown(session)] == ["Fix\nit", "One", "Two"]


def test_an_error_that_ends_a_turn_is_told_once() -> None:
    session = of(
        meta(),
        prompt("Fix it"),
        event("error", message="usage limit"),
        event("task_complete", error={"message": "usage limit"}),
    )
    assert [entry.text for entry in session.trouble] == ["usage limit"]


def test_retries_are_one_entry() -> None:
    tries = [event("stream_error", message=f"Reconnecting... {n}/5") for n in (1, 2, 3)]
    assert [kind for kind, _ in shown(of(meta(), prompt("Fix it"), tries))] == [
        "prompt",
        "api_error",
    ]


@pytest.mark.parametrize("middle", [[], [item("compaction", encrypted_content="x")]])
def test_a_compaction_is_one_entry_and_knows_how_full_the_window_was(middle: list[Json]) -> None:
    count = {"total_token_usage": {"input_tokens": 9000}, "last_token_usage": {"total_tokens": 700}}
    session = of(
        meta(),
        prompt("Fix it"),
        event("token_count", info=count),
        line("compacted", {"message": "what was said", "replacement_history": []}),
        middle,
        event("context_compacted"),
        reply("Done"),
        line("compacted", {"message": ""}),
    )
    assert [each.tokens_before for each in session.compactions] == [700, 700]


# Context that nobody said


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/home/demo</cwd>\n</environment_context>",
        "<user_instructions>\nBe brief\n</user_instructions>",
        "# AGENTS.md instructions for /home/demo\n\n<INSTRUCTIONS>\nBe brief\n</INSTRUCTIONS>",
        "<permissions instructions>\nread-only\n</permissions instructions>",
        "<skills_instructions>\n</skills_instructions>",
        "<turn_aborted>\nThe user interrupted\n</turn_aborted>",
        "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
        "<user_action>\n<context>a review</context>\n</user_action>",
        "<app-context>\n</app-context>",
        "<image name=[Image #1]>",
    ],
)
def test_injected_context_is_folded_away(text: str) -> None:
    session = of(meta(), message("user", text))
    assert shown(session) == [] or shown(session) == [("unknown", "")]
    assert session.facts.first_prompt is None


def test_what_developers_say_is_folded_away() -> None:
    session = of(meta(), message("developer", "You are careful"), message("system", "Really"))
    assert shown(session) == []
    assert [entry.label for entry in entries(session)][1:] == ["developer", "system"]


def test_a_prompt_beside_injected_context_is_shown() -> None:
    session = of(meta(), message("user", "<environment_context>\n</environment_context>", "Fix it"))
    assert shown(session) == [("prompt", "Fix it")]


def test_an_ide_puts_its_context_before_the_prompt(tmp_path: Path) -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix"
    transcript = written(tmp_path, meta(), prompt(text))
    assert shown(transcript.session) == [("prompt", "Fix")]
    entry = next(each for each in entries(transcript.session) if each.kind == "prompt")
    assert Source(transcript).text(entry, transcript.session) == "Fix"


def test_an_image_stands_in_words_and_its_tags_do_not() -> None:
    content = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "What is this?"},
    ]
    session = of(
        meta(),
        item("message", role="user", content=content),
        event("user_message", message="What is this?", local_images=["a.png"]),
    )
    assert shown(session) == [("prompt", "What is this?"), ("prompt", "[image]")]


# Calls


def test_an_exit_code_of_the_output_makes_a_failure() -> None:
    calls = calls_of(meta(), call("a"), output("a", ran(0)), call("b"), output("b", ran(3)))
    assert [(each["status"], each["exit_code"]) for each in calls.values()] == [
        ("completed", 0),
        ("failed", 3),
    ]
    assert calls["b"]["cause"] == "COMMAND_FAILED"


@pytest.mark.parametrize("late", [False, True], ids=["before the output", "after it"])
def test_an_exit_code_that_only_the_event_tells_makes_a_failure(late: bool) -> None:
    told = [ended("c", 3, duration={"secs": 2, "nanos": 0}), output("c", "boom")]
    found = calls_of(meta(), call("c"), told[::-1] if late else told)["c"]
    assert (found["status"], found["exit_code"], found["duration_ms"]) == ("failed", 3, 2000)


def test_exit_code_and_duration_may_stand_in_an_output_that_is_json() -> None:
    packed = json.dumps({"output": "boom", "metadata": {"exit_code": 1, "duration_seconds": 1.5}})
    found = calls_of(meta(), call("c"), output("c", packed))["c"]
    assert (found["exit_code"], found["duration_ms"], found["error"]) == (1, 1500, "boom")


def test_an_output_may_be_an_object_with_its_success() -> None:
    found = calls_of(meta(), call("c"), output("c", {"content": "boom", "success": False}))["c"]
    assert (found["status"], found["error"]) == ("failed", "boom")


def test_the_shell_tool_has_a_header_of_its_own() -> None:
    text = "Exit code: 2\nWall time: 1.2 seconds\nTotal output lines: 1\nOutput:\nboom"
    found = calls_of(meta(), call("c", name="shell"), output("c", text))["c"]
    assert (found["exit_code"], found["duration_ms"], found["error"]) == (2, 1200, "boom")


def test_a_header_that_a_command_prints_itself_is_none() -> None:
    text = "from the log:\nExit code: 2\nOutput:\nboom"
    assert calls_of(meta(), call("c"), output("c", text))["c"]["status"] == "completed"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("command timed out after 1000 milliseconds\nhalf", "TIMEOUT"),
        ("Exit code: 124\nWall time: 1 seconds\nOutput:\ncommand timed out after 1000 milliseconds",
         "TIMEOUT"),
        ("aborted by user after 29.7s", "INTERRUPTED"),
        ("Wall time: 29.7 seconds\naborted by user", "INTERRUPTED"),
        ("exec command rejected by user", "PERMISSION_DENIED"),
        ("patch rejected by user", "PERMISSION_DENIED"),
        ('exec_command failed for `rm`: CreateProcess { message: "Rejected(\\"by user\\")" }',
         "PERMISSION_DENIED"),
        ("failed to parse function arguments: missing field `cmd`", "VALIDATION_ERROR"),
    ],
)  # fmt: skip
def test_what_codex_writes_instead_of_an_output_is_a_failure(text: str, cause: str) -> None:
    found = calls_of(meta(), call("c"), output("c", text))["c"]
    assert (found["status"], found["cause"]) == ("failed", cause)


def test_a_tool_that_is_not_there_is_a_failure() -> None:
    unknown = item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="p")
    said = item("custom_tool_call_output", call_id="p", output="unsupported custom tool call: x")
    found = calls_of(
        meta(), call("c", name="update_plan"), output("c", "unsupported call: x"), unknown, said
    )
    assert [each["cause"] for each in found.values()] == ["VALIDATION_ERROR"] * 2


def test_an_approval_that_was_declined_is_a_denial() -> None:
    declined = ended("c", None, status="declined")
    asked = event("exec_approval_request", call_id="c", command=["rm"], reason="deletes")
    found = calls_of(meta(), call("c", "rm"), asked, declined, output("c", "not run"))["c"]
    assert (found["status"], found["cause"]) == ("failed", "PERMISSION_DENIED")
    assert [hook["outcome"] for hook in found["hooks"]] == ["asked"]
    without_item = calls_of(meta(), declined)["c"]
    assert (without_item["status"], without_item["cause"]) == ("failed", "PERMISSION_DENIED")


def test_a_command_that_goes_on_is_no_failure() -> None:
    session = of(meta(), call("c", "npm run dev"), output("c", ran(None, "ready")))
    call_ = session.calls["c"]
    assert not call_.failed
    assert call_.answer is not None and call_.answer.background


def test_calls_that_are_made_before_an_answer_are_parallel() -> None:
    together = calls_of(meta(), call("a"), call("b"), output("a"), output("b"))
    assert [each["parallel"] for each in together.values()] == [True, True]
    apart = calls_of(meta(), call("a"), output("a"), call("b"), output("b"))
    assert [each["parallel"] for each in apart.values()] == [False, False]


def test_a_call_without_an_output_is_missing() -> None:
    found = calls_of(meta(), call("a"), prompt("never mind"), reply("Fine"))["a"]
    assert (found["status"], found["cause"]) == ("missing", "UNKNOWN")


def test_an_interrupted_turn_interrupts_the_calls_that_run() -> None:
    found = calls_of(
        meta(),
        prompt("Fix it"),
        call("a"),
        call("b"),
        output("a", ran(0)),
        event("turn_aborted", reason="interrupted"),
        message("user", "<turn_aborted>\n</turn_aborted>"),
    )
    assert [each["cause"] for each in found.values()] == [None, "INTERRUPTED"]


def test_broken_arguments_are_shown_as_they_are_and_are_a_breach() -> None:
    broken = item("function_call", name="exec_command", arguments='{"cmd": "ls', call_id="c")
    transcript = transcript_of(meta(), broken, output("c", "failed to parse function arguments"))
    assert shown(transcript.session)[0] == ("invalid", "function_call.arguments: not JSON")
    assert transcript.session.calls["c"].summary == '{"cmd": "ls'
    assert [problem.kind for problem in find(transcript)] == ["failed_call", "invalid"]


def test_a_call_that_names_no_id_is_a_breach() -> None:
    session = of(meta(), item("function_call", name="exec_command", arguments="{}"))
    assert [entry.text for entry in session.trouble] == ["function_call.call_id: missing"]


@pytest.mark.parametrize(
    ("record", "name", "summary"),
    [
        (item("local_shell_call", call_id="c", status="completed",
              action={"type": "exec", "command": ["bash", "-lc", "make"]}), "local_shell", "make"),
        (item("custom_tool_call", call_id="c", name="exec", input="text(1)"), "exec", "text(1)"),
        (item("tool_search_call", call_id="c", arguments={"query": "github"}), "tool_search",
         "github"),
        (item("function_call", call_id="c", name="_fetch_pr", namespace="mcp__github",
              arguments='{"number":7,"query":"x"}'), "mcp__github__fetch_pr", "x"),
    ],
)  # fmt: skip
def test_every_kind_of_call_has_its_name_and_its_summary(
    record: Json, name: str, summary: str
) -> None:
    call = of(meta(), record).calls["c"]
    assert (call.name, call.summary) == (name, summary)


@pytest.mark.parametrize(
    "type",
    ["function_call_output", "function_call_result", "custom_tool_call_output",
     "local_shell_call_output"],
)  # fmt: skip
def test_every_kind_of_output_answers_its_call(type: str, tmp_path: Path) -> None:
    key = "result" if type.endswith("result") else "output"
    transcript = written(tmp_path, meta(), call("c"), item(type, call_id="c", **{key: ran(0, "x")}))
    session = transcript.session
    body = Source(transcript).call(session.calls["c"], session)
    assert body.result is not None and body.result.text == "x"


def test_the_tools_that_a_search_found_are_its_output(tmp_path: Path) -> None:
    search = item("tool_search_call", call_id="c", arguments={"query": "pull"})
    found = item("tool_search_output", call_id="c", tools=[{"name": "fetch_pr"}, {"name": "list"}])
    transcript = written(tmp_path, meta(), search, found)
    body = Source(transcript).call(transcript.session.calls["c"], transcript.session)
    assert body.result is not None and body.result.text == "fetch_pr\nlist"


def test_an_mcp_call_has_its_duration_and_its_error_from_the_event() -> None:
    asked = item("function_call", call_id="c", name="query", namespace="mcp__db", arguments="{}")
    end = event("mcp_tool_call_end", call_id="c", duration={"secs": 0, "nanos": 250_000_000},
                invocation={"server": "db", "tool": "query", "arguments": {}},
                result={"Ok": {"content": [{"type": "text", "text": "no table"}],
                               "isError": True}})  # fmt: skip
    found = calls_of(meta(), asked, end, output("c", "no table"))["c"]
    assert (found["status"], found["cause"], found["duration_ms"]) == ("failed", "MCP_ERROR", 250)
    alone = calls_of(meta(), end)["c"]
    assert (alone["name"], alone["status"], alone["error"]) == (
        "mcp__db__query",
        "failed",
        "no table",
    )


PATCH = """*** Begin Patch
*** Update File: src/cart.py
@@
-total = 0
+total = Decimal(0)
+count = 0
*** Add File: src/money.py
+from decimal import Decimal
*** End Patch"""


def test_a_patch_names_its_files_and_counts_its_lines(tmp_path: Path) -> None:
    transcript = written(
        tmp_path,
        meta(),
        item("custom_tool_call", name="apply_patch", input=PATCH, call_id="p"),
        item("custom_tool_call_output", call_id="p", output="Exit code: 0\nOutput:\nSuccess."),
    )
    patch = transcript.session.calls["p"]
    assert (patch.summary, patch.added, patch.removed) == ("src/cart.py, src/money.py", 3, 1)
    files = {each["path"]: each["changes"] for each in document(transcript)["files"]}
    assert files == {"src/cart.py": 1, "src/money.py": 1}
    body = Source(transcript).call(patch, transcript.session)
    assert body.input == {"input": PATCH}


def test_a_patch_that_was_applied_counts_as_the_event_tells() -> None:
    changes = {
        "/home/demo/a.py": {"type": "add", "content": "1\n2\n"},
        "/home/demo/b.py": {"type": "delete", "content": "1\n"},
        "/home/demo/c.py": {"type": "update", "move_path": "/home/demo/d.py",
                            "unified_diff": "--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n"},
    }  # fmt: skip
    end = event("patch_apply_end", call_id="p", success=True, changes=changes, status="completed")
    transcript = transcript_of(meta(), end)
    patch = transcript.session.calls["p"]
    assert (patch.added, patch.removed) == (3, 2)
    assert [Path(each["path"]).name for each in document(transcript)["files"]] == [
        "a.py",
        "b.py",
        "c.py",
        "d.py",
    ]


def test_what_a_script_does_by_itself_is_shown_once_below_it_and_counts_its_files() -> None:
    script = item("custom_tool_call", name="exec", input="await tools.apply_patch(p)", call_id="c")
    step = event("patch_apply_end", call_id="exec-1", success=True, status="completed",
                 changes={"/home/demo/a.py": {"type": "add", "content": "1\n"}})  # fmt: skip
    asked = event("mcp_tool_call_end", call_id="exec-2", result={"Err": "no table"},
                  invocation={"server": "db", "tool": "query", "arguments": {"sql": "select"}},
                  )  # fmt: skip
    done = item("custom_tool_call_output", call_id="c", output=[
        {"type": "input_text", "text": "Script completed\nWall time 0.2 seconds\nOutput:\n"},
        {"type": "input_text", "text": "fine"},
    ])  # fmt: skip
    transcript = transcript_of(meta(), script, step, asked, step, done)
    assert shown(transcript.session) == [
        ("call", "await tools.apply_patch(p)"),
        ("note", "/home/demo/a.py +1 −0"),
        ("note", "select: no table"),
    ]
    told = document(transcript)
    assert [each["path"] for each in told["files"]] == ["/home/demo/a.py"]
    assert [each["status"] for each in told["calls"]] == ["completed"]


def test_a_script_that_failed_is_a_failure() -> None:
    script = item("custom_tool_call", name="exec", input="boom()", call_id="c")
    done = item("custom_tool_call_output", call_id="c", output=[
        {"type": "input_text", "text": "Script failed\nWall time 0.2 seconds\nOutput:\n"},
        {"type": "input_text", "text": "ReferenceError"},
    ])  # fmt: skip
    found = calls_of(meta(), script, done)["c"]
    assert (found["status"], found["error"]) == ("failed", "ReferenceError")


def test_the_detail_shows_the_whole_command_its_output_and_its_images(tmp_path: Path) -> None:
    long = "x" * 5000
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    transcript = written(
        tmp_path,
        meta(),
        call("c", long),
        ended("c", 0),
        output("c", [{"type": "input_text", "text": long}, image]),
    )
    session = transcript.session
    body = Source(transcript).call(session.calls["c"], session)
    assert body.input == {"cmd": long}
    assert body.result is not None
    assert (body.result.text, len(body.result.media)) == (long, 1)


def test_the_detail_of_an_event_alone_shows_what_was_run_and_said(tmp_path: Path) -> None:
    end = ended("c", 1, aggregated_output="boom")
    transcript = written(tmp_path, meta(), event("agent_message", message="m" * 500), end)
    session = transcript.session
    body = Source(transcript).call(session.calls["c"], session)
    assert body.input == {"command": ["bash", "-lc", "ls"]}
    assert body.result is not None and (body.result.text, body.result.error) == ("boom", True)
    said = next(each for each in entries(session) if each.kind == "reply")
    assert Source(transcript).text(said, session) == "m" * 500


# The session


def test_a_fork_is_the_session_of_its_first_line() -> None:
    session = of(meta("mine", forked_from_id="theirs"), meta("theirs"), prompt("Fix it"))
    assert session.session_id == "mine"
    assert session.facts.string("forked_from") == "theirs"
    labels = [entry.label for entry in entries(session) if entry.kind == "context"]
    assert labels == ["session", "history of another session"]


def test_a_sub_agent_does_not_repeat_the_lines_of_its_parent() -> None:
    first = meta("child", parent_thread_id="t", subagent_history_start_ordinal=3)
    copied = [{**each, "ordinal": n} for n, each in enumerate(prompt("Fix it"), 1)]
    own = [{**each, "ordinal": n} for n, each in enumerate(prompt("Only look"), 3)]
    session = of({**first, "ordinal": 0}, copied, own)
    assert shown(session) == [("prompt", "Only look")]


def test_tokens_are_the_last_total_of_the_file() -> None:
    def count(input: int, out: int) -> Json:
        total = {"input_tokens": input, "cached_input_tokens": 10, "output_tokens": out}
        return event("token_count", info={"total_token_usage": total}, rate_limits=None)

    silent = event("token_count", info=None)
    context = line("turn_context", {"model": "gpt-demo", "cwd": "/home/demo/shop"})
    transcript = transcript_of(meta(), context, count(50, 5), count(90, 8), count(90, 8), silent)
    tokens = document(transcript)["tokens"]
    assert (tokens["input"], tokens["cache_read"], tokens["output"]) == (80, 10, 8)
    assert transcript.session.models == ["gpt-demo"]


def test_a_rollback_leaves_a_branch_and_what_follows_is_active() -> None:
    transcript = transcript_of(
        meta(),
        prompt("One"),
        reply("First"),
        prompt("Two"),
        call("c"),
        prompt("Three"),
        reply("Third"),
        event("thread_rolled_back", num_turns=2),
        prompt("Four"),
        reply("Fourth"),
    )
    branches = document(transcript)["branches"]
    assert [(each["reason"], each["active"]) for each in branches] == [
        ("rewound", False),
        ("rewound", True),
    ]
    session = transcript.session
    left, active = session.tree.branches
    texts = [[e.text for row in branch.rows for e in row.entries if e.kind in ("prompt", "reply")]
             for branch in (left, active)]  # fmt: skip
    assert texts == [["Two", "Three", "Third"], ["Four", "Fourth"]]
    assert calls_by_cause(transcript) == {"c": "ABANDONED_BRANCH"}


def calls_by_cause(transcript: Transcript) -> dict[str, str]:
    return {each["id"]: each["cause"] for each in document(transcript)["calls"]}


def test_rollbacks_one_after_the_other_each_leave_what_was_there() -> None:
    session = of(
        meta(), prompt("One"), reply("First"), event("thread_rolled_back", num_turns=1),
        prompt("Two"), reply("Second"), event("thread_rolled_back", num_turns=99),
        prompt("Three"), reply("Third"),
    )  # fmt: skip
    active = session.active_branches()
    said = [entry.text for row in session.rows if id(row.branch) in active
            for entry in row.entries if entry.kind in ("prompt", "reply")]  # fmt: skip
    assert said == ["Three", "Third"]


def test_the_name_that_a_thread_was_given_is_its_title() -> None:
    session = of(meta(), prompt("Fix it"), event("thread_name_updated", thread_name="The cart"))
    assert session.title == "The cart"


def test_what_agents_say_to_each_other_is_told_once() -> None:
    text = "No findings"
    said = {"author": "/root/a", "recipient": "/root", "content": text}
    session = of(
        meta(),
        line("inter_agent_communication_metadata", {"trigger_turn": False}),
        item("agent_message", **{**said, "content": [{"type": "input_text", "text": text}]}),
        line("inter_agent_communication", said),
    )
    assert shown(session) == [("note", text)]


def test_what_a_sub_agent_is_told_by_another_is_its_prompt() -> None:
    told = item("agent_message", author="/root", recipient="/root/scout", content="Look left")
    session = of(meta("child", parent_thread_id="t", agent_path="/root/scout"), told, reply("Yes"))
    assert shown(session) == [("prompt", "Look left"), ("reply", "Yes")]
    assert session.facts.first_prompt == "Look left"


def test_types_of_tomorrow_are_kept_and_counted() -> None:
    session = of(meta(), line("dream", {"a": 1}), item("vision"), event("telepathy"),
                 completed("Hologram"))  # fmt: skip
    assert session.counts.unknown == 4


# Whatever it holds

_WORDS = st.sampled_from(
    """type payload id call_id item content text message output result arguments input action
    role summary name changes status error info session_meta response_item event_msg compacted
    turn_context function_call function_call_output custom_tool_call local_shell_call reasoning
    item_completed CommandExecution FileChange McpToolCall AgentMessage UserMessage Reasoning
    exec_command_end patch_apply_end mcp_tool_call_end web_search_end web_search_call user
    assistant thread_rolled_back num_turns token_count total_token_usage duration secs exec-1
    item.completed thread.started command_execution file_change todo_list items session
    instructions timestamp ordinal subagent_history_start_ordinal source subagent git""".split()
)
_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | _WORDS
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=6),
    max_leaves=12,
)
_RECORDS = st.fixed_dictionaries(
    {"type": _WORDS | _VALUES},
    optional={
        "payload": st.fixed_dictionaries(
            {"type": _WORDS},
            optional={
                "item": st.fixed_dictionaries({"type": _WORDS, "id": _VALUES, "changes": _VALUES}),
                "call_id": _WORDS,
                "content": _VALUES,
                "arguments": _VALUES,
                "output": _VALUES,
                "result": _VALUES,
                "num_turns": _VALUES,
                "info": _VALUES,
                "changes": _VALUES,
            },
        )
        | _VALUES,
        "item": st.fixed_dictionaries({"type": _WORDS}, optional={"id": _WORDS, "error": _VALUES}),
        "ordinal": _VALUES,
        "session": _VALUES,
        "items": _VALUES,
    },
)


class Remembered(Source):
    """Reads records again from memory."""

    def __init__(self, transcript: Transcript, data: list[bytes]) -> None:
        super().__init__(transcript)
        self._bytes = b"\n".join(data)

    def raw(self, row: Row, session: Session) -> bytes:
        return self._bytes[row.start : row.end]


def survives(data: list[bytes]) -> None:
    session = Session()
    session.apply(decode(Chunk(1, 0, data)))
    transcript = Transcript("rollout.jsonl", session)
    document(transcript)
    source = Remembered(transcript, data)
    for row in session.rows:
        source.blocks(row, session)
    for call in session.calls.values():
        source.call(call, session)


@given(st.lists(_RECORDS, max_size=6), st.sampled_from([meta(), {"type": "thread.started",
                                                                "thread_id": "t"}]))  # fmt: skip
def test_no_record_of_any_shape_raises(records: list[Json], first: Json) -> None:
    survives(lines(first, *records))


@pytest.mark.parametrize("key", ["content", "item", "payload", "output", "status", "action"])
def test_no_depth_raises(key: str) -> None:
    depth = 900
    deep = f'{{"type":"item_completed","{key}":' * depth + "1" + "}" * depth
    records = [
        f'{{"type":"{wrapper}","payload":{{"type":"{kind}","call_id":"c","{key}":{deep}}}}}'.encode()
        for wrapper, kind in (
            ("response_item", "function_call_output"),
            ("response_item", "web_search_call"),
            ("response_item", "message"),
            ("event_msg", "item_completed"),
            ("event_msg", "exec_command_end"),
            ("event_msg", "turn_aborted"),
            ("compacted", "x"),
        )
    ]
    survives([*lines(meta()), *records])


# Calls that a turn leaves open


def asked_for_approval(*after: Json | list[Json]) -> Transcript:
    asks = event("exec_approval_request", call_id="c", command=["rm"], reason="may I?")
    return transcript_of(meta(), prompt("Fix it"), call("c"), asks, *after)


ALIVE = Liveness(alive=True)


def fate(transcript: Transcript) -> tuple[str, str | None]:
    found = document(transcript, ALIVE)["calls"][0]
    return found["status"], found["cause"]


def test_a_call_that_waits_for_approval_is_pending() -> None:
    assert fate(asked_for_approval()) == ("pending", None)


@pytest.mark.parametrize(
    ("after", "cause"),
    [
        (prompt("Never mind"), "UNKNOWN"),
        ([event("task_complete", last_agent_message="")], "UNKNOWN"),
        ([event("turn_aborted", reason="interrupted")], "INTERRUPTED"),
    ],
)
def test_a_call_without_a_result_is_left_where_its_turn_ends(after: list[Json], cause: str) -> None:
    assert fate(asked_for_approval(after)) == ("missing", cause)


def test_an_output_that_comes_after_its_turn_counts() -> None:
    late = asked_for_approval(prompt("Never mind"), output("c", ran(0, "ok")))
    assert fate(late) == ("completed", None)
    failed = asked_for_approval(event("task_complete"), output("c", ran(2, "no")))
    assert fate(failed) == ("failed", "COMMAND_FAILED")


def test_a_call_in_the_background_has_its_output_when_its_turn_ends() -> None:
    transcript = transcript_of(
        meta(), prompt("Serve"), call("c"), output("c", ran(None)), event("task_complete")
    )
    assert fate(transcript)[0] == "completed"


# Files of a patch


def test_a_file_that_the_patch_names_is_not_told_again_by_its_whole_path() -> None:
    text = "*** Begin Patch\n*** Update File: a.py\n-1\n+2\n*** Add File: ./lib/b.py\n+3\n"
    patch = item("custom_tool_call", name="apply_patch", input=text, call_id="p")
    paths = ("/home/demo/shop/a.py", "/home/demo/shop/lib/b.py", "/home/demo/shop/data.py")
    changes = {path: {"type": "add", "content": "x\n"} for path in paths}
    end = event("patch_apply_end", call_id="p", success=True, changes=changes)
    session = of(meta(), prompt("Fix it"), patch, end, output("p", "Exit code: 0\nOutput:\n"))
    touched = [each.path for each in session.files.all()]
    assert touched == ["a.py", "./lib/b.py", "/home/demo/shop/data.py"]
