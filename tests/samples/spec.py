"""Every example of the documents on tool calls, in the order in which a session would hold them.

The examples keep their values; what they leave out (an id, the record around a block) is added.
tests/test_spec_examples.py compares them with the documents.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.samples.log import Object, to_json
from tests.samples.messages import answer, assistant, body, call, text, user

FOLDER = "-other-spec"


def files() -> Iterator[tuple[str, bytes, str]]:
    """Path below the samples, bytes, and what the file shows."""
    for name, records, about in (
        ("tool-call-lifecycle", _lifecycle(), "The examples of tool-call-lifecycle.md"),
        ("tool-call-lifecycle-codex", _codex(), "Codex's examples of tool-call-lifecycle.md"),
        ("tool-call-reference", _reference(), "The examples of tool-call-reference.md"),
        ("tool-input-schemas", _inputs(), "A call of every tool of tool-input-schemas.md"),
        ("api-format-lessons", _lessons(), "What api-format-lessons.md has right, and wrong"),
    ):
        data = b"".join(to_json(record).encode() + b"\n" for record in records)
        yield f"{FOLDER}/{name}.jsonl", data, about


# tool-call-lifecycle.md


def _lifecycle() -> Iterator[Object]:
    path = "/src/auth/login.ts"
    first = call("toolu_01ReadFile123", "Read", file_path=path, limit=200)
    said: Object = {**assistant(text("I'll read that file for you."), first), "stop_reason": None}
    yield {"type": "user", "message": user(text("Why does the login fail?")), "uuid": "msg-000"}
    yield {"type": "assistant", "message": said, "uuid": "msg-001", "parentUuid": "msg-000"}
    yield {
        "session_id": "abc123",
        "transcript_path": "/Users/.../.claude/projects/.../session.jsonl",
        "cwd": "/Users/dev/myproject",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": path},
    }
    hook = {"type": "hook_progress", "hookEvent": "PreToolUse", "hookName": "security_check"}
    yield {
        "type": "progress",
        "data": {**hook, "status": "running"},
        "parentToolUseID": "toolu_01ReadFile123",
        "toolUseID": "toolu_01ReadFile123",
        "uuid": "prog-001",
    }
    yield {
        "decision": "allow",
        "reason": "File read permitted",
        "additionalContext": "Note: This file was recently modified",
    }
    lines = "1\texport async function login(email: string, password: string) {\n"
    lines += "2\t const user = await db.users.findByEmail(email);\n..."
    found = user(answer("toolu_01ReadFile123", lines))
    yield {"type": "user", "message": found, "uuid": "msg-002", "parentUuid": "msg-001"}
    # The other end that the same call may come to.
    yield answer("toolu_01ReadFile123", f"Error: File not found: {path}", is_error=True)
    thought = "The login function looks correct. The issue might be in the middleware..."
    third = assistant(
        {"type": "thinking", "thinking": thought},
        text("I see the login function. Let me check the middleware next."),
        call("toolu_01ReadMiddleware", "Read", file_path="/src/auth/middleware.ts"),
    )
    yield {"type": "assistant", "message": third, "uuid": "msg-003", "parentUuid": "msg-002"}
    found = user(answer("toolu_01ReadMiddleware", "1\texport function auth() {}"))
    yield {"type": "user", "message": found}
    patterns = {"A": ("Grep", "TODO"), "B": ("Grep", "FIXME"), "C": ("Glob", "**/*.test.ts")}
    calls = [call(f"toolu_01{key}", name, pattern=p) for key, (name, p) in patterns.items()]
    yield {"type": "assistant", "message": assistant(*calls)}
    found = user(
        answer("toolu_01A", "Found 15 TODOs"),
        answer("toolu_01B", "Found 3 FIXMEs"),
        answer("toolu_01C", "tests/auth.test.ts\ntests/api.test.ts"),
    )
    yield {"type": "user", "message": found}
    tests: Object = {"command": "npm test -- --coverage", "timeout": 120000}
    tests["description"] = "Run tests with coverage"
    yield {"type": "assistant", "message": assistant(call("toolu_01Bash", "Bash", **tests))}
    told = "PASS src/auth.test.ts\n...\nCoverage: 85%\n\n[Exit code: 0]"
    yield {"type": "user", "message": user(answer("toolu_01Bash", told))}
    task = {
        "description": "Research auth patterns",
        "prompt": "Explore authentication implementations...",
        "subagent_type": "Explore",
    }
    yield {"type": "assistant", "message": assistant(call("toolu_01Task", "Task", **task))}
    told = "## Research Findings\n\n1. JWT patterns...\n\nagentId: agent-abc123"
    yield {"type": "user", "message": user(answer("toolu_01Task", told))}


def _codex() -> Iterator[Object]:
    meta: Object = {"id": "5a000000-0000-4000-8000-000000000001", "cwd": "/home/demo/shop"}
    yield {"type": "session_meta", "payload": meta}
    arguments = '{"file_path": "/src/auth/login.ts"}'
    asked: Object = {"type": "function_call", "call_id": "call_abc123", "name": "Read"}
    yield {"type": "response_item", "payload": {**asked, "arguments": arguments}}
    told: Object = {"type": "function_call_result", "call_id": "call_abc123"}
    yield {"type": "response_item", "payload": {**told, "result": "File contents..."}}


# tool-call-reference.md

_SESSION = "f2c0fab9-66f2-49ae-8b20-b2566f10de6a"
_GO = "/private/tmp/CustomClaude/main.go"
_TOOLS = """Task Bash Glob Grep LS ExitPlanMode Read Edit MultiEdit Write NotebookEdit WebFetch
TodoWrite WebSearch""".split()
_NOT_READ = "File has not been read yet. Read it first before writing to it."
_MCP = "Error calling tool ({}): MCP error -32603: failed to evaluate permission: {}"


def _asked(*blocks: Object, **more: Any) -> Object:
    return {"type": "assistant", "message": {**assistant(*blocks), **more}, "session_id": _SESSION}


def _told(*blocks: Object) -> Object:
    return {"type": "user", "message": user(*blocks), "session_id": _SESSION}


def _failed(id: str, words: str) -> Object:
    return _told(answer(id, f"<tool_use_error>{words}</tool_use_error>", is_error=True))


def _reference() -> Iterator[Object]:
    yield {"type": "system", "subtype": "init", "session_id": _SESSION, "tools": _TOOLS}
    todo = {"id": "1", "content": "Create basic HTTP server", "status": "pending"}
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 18958}
    usage |= {"cache_read_input_tokens": 0, "output_tokens": 109}
    yield _asked(
        call("toolu_013LHPsoMnbQ1KZdhLWDZDJV", "TodoWrite", todos=[todo]),
        id="msg_01HUTBuxg8F2NmTFZC2NUTZW",
        type="message",
        model="claude-sonnet-4-20250514",
        stop_reason="tool_use",
        usage=usage,
    )
    done = "Todos have been modified successfully..."
    yield _told(answer("toolu_013LHPsoMnbQ1KZdhLWDZDJV", done, is_error=False))
    content = "complete file content here"
    write: Object = {"file_path": _GO, "content": content}
    yield _asked(call("toolu_01DDR48QUDmxRWrGSdSifpGA", "Write", **write))
    yield _failed("toolu_01DDR48QUDmxRWrGSdSifpGA", _NOT_READ)

    old = 'import (\n\t"fmt"\n\t"net/http"\n)'
    new = 'import (\n\t"flag"\n\t"fmt"\n\t"net/http"\n)'
    first: Object = {"old_string": "first replacement", "new_string": "new content"}
    other: Object = {"old_string": "second replacement", "new_string": "other content"}
    edits = [{**first, "replace_all": False}, {**other, "replace_all": True}]
    edit: Object = {"file_path": _GO, "old_string": old, "new_string": new, "replace_all": False}
    todo = {"id": "1", "content": "Task description", "status": "pending"}
    folder = "/private/tmp/CustomClaude"
    read = "     1→package main\n     2→\n     3→import ("
    updated = f"The file {_GO} has been updated."
    listed = f"- {folder}/\n  - config.json\n  - go.mod\n  - main.go\n  - out1.json"
    steps: list[tuple[str, Object, str]] = [
        ("TodoWrite", {"todos": [todo]}, "Todos have been modified successfully."),
        ("Read", {"file_path": _GO, "limit": 2000, "offset": 0}, read),
        ("Edit", edit, updated),
        ("MultiEdit", {"file_path": _GO, "edits": edits}, updated),
        ("Write", write, updated),
        ("LS", {"path": folder, "ignore": ["*.tmp", "node_modules"]}, listed),
        ("Read", {"file_path": "..."}, read),
        ("Edit", {"old_string": "...", "new_string": "..."}, updated),
        ("TodoWrite", {"todos": [{"status": "completed"}]}, "Todos have been modified."),
    ]
    for number, (name, input, told) in enumerate(steps, 1):
        yield _asked(call(f"toolu_step{number}", name, **input))
        yield _told(answer(f"toolu_step{number}", told))
    failures = [
        ("Edit", edit, _NOT_READ),
        ("MultiEdit", steps[3][1], _MCP.format("MultiEdit", "request timed out after 2m0s")),
        ("Edit", edit, _MCP.format("Edit", "no response received")),
        ("Edit", edit, "Error calling tool (Edit): fetch failed"),
        ("Edit", edit, "old_string not found in file"),
    ]
    for number, (name, input, words) in enumerate(failures, 1):
        yield _asked(call(f"toolu_fail{number}", name, **input))
        yield _failed(f"toolu_fail{number}", words)
    yield _asked(
        call("toolu_1", "Read", file_path=_GO),
        call("toolu_2", "LS", path=folder),
        call("toolu_3", "Grep", pattern="import"),
    )
    yield _told(answer("toolu_1", read), answer("toolu_2", listed), answer("toolu_3", "3:import ("))


# tool-input-schemas.md

_FILE = "/absolute/path/to/file.txt"
_INPUTS: tuple[tuple[str, Object], ...] = (
    ("Read", {"file_path": _FILE, "offset": 100, "limit": 50}),
    ("Write", {"file_path": _FILE, "content": "file contents here"}),
    (
        "Edit",
        {
            "file_path": _FILE,
            "old_string": "text to find",
            "new_string": "replacement text",
            "replace_all": False,
        },
    ),
    (
        "MultiEdit",
        {
            "file_path": _FILE,
            "edits": [
                {
                    "old_string": "first match",
                    "new_string": "first replacement",
                    "replace_all": False,
                },
                {"old_string": "second match", "new_string": "second replacement"},
            ],
        },
    ),
    (
        "NotebookEdit",
        {
            "notebook_path": "/absolute/path/to/notebook.ipynb",
            "new_source": "print('hello')",
            "cell_id": "abc123",
            "cell_type": "code",
            "edit_mode": "replace",
        },
    ),
    ("Glob", {"pattern": "**/*.rs", "path": "/optional/search/directory"}),
    (
        "Grep",
        {
            "pattern": "fn\\s+main",
            "path": "/search/directory",
            "glob": "*.rs",
            "type": "rust",
            "output_mode": "content",
            "-A": 3,
            "-B": 3,
            "-C": 5,
            "-i": True,
            "-n": True,
            "multiline": False,
            "head_limit": 100,
        },
    ),
    ("LS", {"path": "/absolute/path/to/directory", "ignore": ["node_modules", "*.log"]}),
    (
        "Bash",
        {
            "command": "cargo build --release",
            "description": "Build release binary",
            "timeout": 120000,
            "run_in_background": False,
        },
    ),
    ("BashOutput", {"bash_id": "shell-abc123", "filter": "error|warning"}),
    ("KillShell", {"shell_id": "shell-abc123"}),
    (
        "Task",
        {
            "description": "Search for auth code",
            "prompt": "Find all authentication-related code in the codebase",
            "subagent_type": "Explore",
            "model": "haiku",
            "resume": "agent-id-123",
        },
    ),
    (
        "WebFetch",
        {"url": "https://example.com/docs", "prompt": "Extract the API endpoints from this page"},
    ),
    (
        "WebSearch",
        {
            "query": "rust async tutorial 2025",
            "allowed_domains": ["docs.rs", "rust-lang.org"],
            "blocked_domains": ["pinterest.com"],
        },
    ),
    (
        "TodoWrite",
        {
            "todos": [
                {
                    "content": "Implement feature X",
                    "activeForm": "Implementing feature X",
                    "status": "in_progress",
                }
            ]
        },
    ),
)


def _inputs() -> Iterator[Object]:
    numbers = count(1)
    envelope: Object = {"sessionId": "spec-inputs", "cwd": "/absolute/path/to"}

    def record(type: str, message: Object) -> Object:
        number = next(numbers)
        parent = f"u{number - 1}" if number > 1 else None
        when = f"2026-09-21T09:00:{number:02}.000Z"
        place: Object = {"uuid": f"u{number}", "parentUuid": parent, "timestamp": when}
        return {"type": type, "message": message, **place, **envelope}

    yield record("user", user(text("Use every tool once, with every field it has.")))
    for number, (name, input) in enumerate(_INPUTS, 1):
        yield record("assistant", assistant(call(f"toolu_{number}", name, **input)))
        yield record("user", user(answer(f"toolu_{number}")))


# api-format-lessons.md


def _lessons() -> Iterator[Object]:
    bash: Object = {"type": "bash_20250124", "name": "bash"}
    editor: Object = {"type": "text_editor_20250124", "name": "str_replace_editor"}
    schema = {"type": "object", "properties": {"param1": {"type": "string"}}, "required": []}
    custom: Object = {"type": "custom", "name": "computer", "description": "..."}
    id = "toolu_unique_id"
    use = call(id, "tool_name", param1="value1", param2="value2")
    result = answer(id, "Result content", is_error=False)
    tools = [bash, {**custom, "input_schema": schema}, editor]
    question = user(text("Does the format hold?"))
    yield body(question, assistant(use), user(result), tools=tools)
    wrong = [
        {**bash, "parameters": {"type": "object"}},
        {**custom, "parameters": schema},
        {**editor, "name": "text_editor"},
    ]
    yield body(question, tools=wrong)
    id = "toolu_nested"
    nested_use = {"type": "tool_use", "tool_use": {**use, "id": id}}
    nested_result = {"type": "tool_result", "tool_result": {**result, "tool_use_id": id}}
    again = user(text("And this one?"))
    yield body(again, assistant(nested_use), user(nested_result), tools=tools)
