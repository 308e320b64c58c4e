"""Why calls failed: real-looking texts of every class, and what beats them."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer import causes
from viewer.formats import decode
from viewer.records import Answered
from viewer.session import Session
from viewer.status import Judge
from viewer.tail import Chunk

TEXTS: list[tuple[str, str, str]] = [
    (
        "PERMISSION_DENIED",
        "Bash",
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it"
        " was a file edit, the new_string was NOT written to the file).",
    ),
    ("PERMISSION_DENIED", "Edit", "User rejected tool use"),
    (
        "PERMISSION_DENIED",
        "Write",
        "Claude requested permissions to write to /etc/hosts, but you haven't granted it yet.",
    ),
    ("PERMISSION_DENIED", "Bash", "Permission to use Bash with command rm -rf / has been denied."),
    ("HOOK_BLOCKED", "Bash", "PreToolUse:Bash hook error: [guard.sh]: no force pushes here"),
    ("HOOK_BLOCKED", "Edit", "Edit operation blocked by hook:\n- protected file"),
    ("INTERRUPTED", "Read", "[Request interrupted by user for tool use]"),
    ("INTERRUPTED", "Bash", "Exit code 137\n[Request interrupted by user for tool use]"),
    ("INTERRUPTED", "Bash", "[Tool call interrupted: the session ended before it finished]"),
    ("SIBLING", "Read", "<tool_use_error>Sibling tool call errored</tool_use_error>"),
    (
        "SIBLING",
        "Bash",
        "<tool_use_error>Cancelled: parallel tool call Bash(npm test) errored</tool_use_error>",
    ),
    (
        "READ_REQUIRED",
        "Edit",
        "<tool_use_error>File has not been read yet. Read it first before writing to it."
        "</tool_use_error>",
    ),
    ("READ_REQUIRED", "Write", "File has not been read yet. Read it first before writing to it."),
    (
        "FILE_CHANGED",
        "Edit",
        "File has been modified since read, either by the user or by a linter. Read it again.",
    ),
    ("FILE_CHANGED", "Write", "File has been unexpectedly modified. Read it again."),
    (
        "TOO_LARGE",
        "Read",
        "File content (31291 tokens) exceeds maximum allowed tokens (25000). Use offset and limit.",
    ),
    ("TOO_LARGE", "Read", "File content (12.3MB) exceeds maximum allowed size (256KB)."),
    ("FILE_NOT_FOUND", "Read", "File does not exist. Did you mean main.go?"),
    ("FILE_NOT_FOUND", "Read", "EISDIR: illegal operation on a directory, read"),
    ("FILE_NOT_FOUND", "Read", "Error: File not found: /src/auth/login.ts"),
    ("FILE_NOT_FOUND", "Glob", "Directory does not exist: /nowhere"),
    ("TIMEOUT", "Bash", "Command timed out after 2m 0.0s"),
    ("TIMEOUT", "Bash", "Exit code 143\nCommand timed out after 2m 0.0s\nstill building"),
    (
        "TIMEOUT",
        "MultiEdit",
        "<tool_use_error>Error calling tool (MultiEdit): MCP error -32603: failed to evaluate"
        " permission: request timed out after 2m0s</tool_use_error>",
    ),
    (
        "MCP_NO_RESPONSE",
        "Edit",
        "<tool_use_error>Error calling tool (Edit): MCP error -32603: failed to evaluate"
        " permission: no response received</tool_use_error>",
    ),
    ("MCP_NO_RESPONSE", "mcp__db__query", 'MCP server "db" is not connected'),
    (
        "NETWORK_ERROR",
        "Edit",
        "<tool_use_error>Error calling tool (Edit): fetch failed</tool_use_error>",
    ),
    ("NETWORK_ERROR", "WebFetch", "getaddrinfo ENOTFOUND example.invalid"),
    ("NETWORK_ERROR", "WebFetch", "Request failed with status code 404"),
    ("MCP_ERROR", "mcp__db__query", "MCP error -32602: unknown table"),
    ("MCP_ERROR", "Edit", "Error calling tool (Edit): something odd"),
    ("MCP_ERROR", "mcp__db__query", 'relation "orders" is gone'),
    ("API_ERROR", "Task", "API Error: 529 Overloaded"),
    ("API_ERROR", "Task", "Prompt is too long"),
    ("VALIDATION_ERROR", "Edit", "<tool_use_error>old_string not found in file</tool_use_error>"),
    ("VALIDATION_ERROR", "Edit", "String to replace not found in file.\nString: x = 1"),
    (
        "VALIDATION_ERROR",
        "Edit",
        "Found 3 matches of the string to replace, but replace_all is false.",
    ),
    ("VALIDATION_ERROR", "Read", "InputValidationError: [{'code': 'invalid_type'}]"),
    ("VALIDATION_ERROR", "Frobnicate", "Error: No such tool available: Frobnicate"),
    ("COMMAND_FAILED", "Bash", "Exit code 1\nnpm ERR! missing script: tset"),
    ("COMMAND_FAILED", "Bash", "Exit code 2\nls: cannot access 'x': No such file or directory"),
    ("COMMAND_FAILED", "Bash", "error: pathspec 'mian' did not match any file(s) known to git"),
    ("OTHER", "Read", "Something went sideways"),
    ("OTHER", "Unheard", ""),
]


def failed(text: str = "", **fields: Any) -> Answered:
    return Answered("toolu_1", True, text, **fields)


@pytest.mark.parametrize(("cause", "tool", "text"), TEXTS)
def test_the_text_of_an_error_tells_its_class(cause: str, tool: str, text: str) -> None:
    assert causes.of_failure(tool, failed(text)) == cause


@pytest.mark.parametrize("cause", sorted({cause for cause, _, _ in TEXTS}))
def test_every_class_is_shown_by_two_texts(cause: str) -> None:
    assert sum(1 for known, _, _ in TEXTS if known == cause) >= 2


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["Bash", "Read", "mcp__a__b", "Unheard", ""]))
def test_any_text_has_a_class_and_every_class_has_advice(text: str, tool: str) -> None:
    advice = causes.ADVICE[causes.of_failure(tool, failed(text))]
    assert advice.means and advice.helps


@pytest.mark.parametrize(
    "text",
    [
        "Exit code 1\nFAIL test_timeout\nassert 'Command timed out after' in output",
        "Exit code 1\none\ntwo\n[Request interrupted by user]",
        "Exit code 1\ncurl: (7) ECONNREFUSED",
        "compiling\nlinking\nFile has not been read yet",
    ],
)
def test_the_output_of_a_command_may_say_anything(text: str) -> None:
    assert causes.of_failure("Bash", failed(text)) == "COMMAND_FAILED"


def test_an_exit_code_makes_any_tool_a_failed_command() -> None:
    assert causes.of_failure("Unheard", failed("went wrong", exit_code=3)) == "COMMAND_FAILED"


# Structured fields beat text


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"denial": "permission-rule"}, "PERMISSION_DENIED"),
        ({"denial": "permission-rule", "denied_by": "hook"}, "HOOK_BLOCKED"),
        ({"denial": "user-rejected"}, "PERMISSION_DENIED"),
        ({"denial": "user-rejected", "denied_by": "hook"}, "HOOK_BLOCKED"),
        ({"denial": "automode-blocked"}, "PERMISSION_DENIED"),
        ({"denial": "automode-unavailable"}, "PERMISSION_DENIED"),
        ({"denial": "interrupted"}, "INTERRUPTED"),
        ({"denial": "cancelled"}, "INTERRUPTED"),
        ({"interrupted": True}, "INTERRUPTED"),
    ],
)
@pytest.mark.parametrize(
    "text", ["Command timed out after 2m", "File does not exist.", "Exit code 1"]
)
def test_structured_fields_beat_text(fields: dict[str, Any], cause: str, text: str) -> None:
    assert causes.of_failure("Bash", failed(text, **fields)) == cause


def test_a_denial_of_an_unheard_kind_leaves_it_to_the_text() -> None:
    assert (
        causes.of_failure("Read", failed("File does not exist.", denial="new")) == "FILE_NOT_FOUND"
    )


def test_escape_in_a_running_call_is_an_interruption_though_it_reads_like_a_denial() -> None:
    text = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    running = failed(text, denial="user-rejected")
    asked = failed(text, denial="user-rejected", denied_before_run=True)
    assert causes.of_failure("Bash", running) == "INTERRUPTED"
    assert causes.of_failure("Bash", asked) == "PERMISSION_DENIED"


# Text counts only where the result is an error


def judged(tool: str, result: dict[str, Any]) -> tuple[str, str | None]:
    """Status and cause of a call that was answered so."""
    call = {"type": "tool_use", "id": "t", "name": tool, "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t", **result}
    lines = [
        orjson.dumps({"type": "assistant", "uuid": "a", "message": {"id": "m", "content": [call]}}),
        orjson.dumps(
            {"type": "user", "uuid": "u", "parentUuid": "a", "message": {"content": [answer]}}
        ),
    ]
    session = Session()
    session.apply(decode(Chunk(1, 0, lines)))
    judge = Judge(session)
    return judge.status(session.calls["t"]), judge.cause(session.calls["t"])


@pytest.mark.parametrize(("cause", "tool", "text"), TEXTS)
def test_the_text_of_a_successful_result_tells_nothing(cause: str, tool: str, text: str) -> None:
    assert judged(tool, {"content": text, "is_error": False}) == ("completed", None)
    assert judged(tool, {"content": text}) == ("completed", None)
    assert judged(tool, {"content": text, "is_error": True}) == ("failed", cause)


@pytest.mark.parametrize("text", ["No files found", "No matches found"])
def test_a_search_that_finds_nothing_is_no_failure(text: str) -> None:
    assert judged("Grep", {"content": text}) == ("completed", None)


def test_a_text_in_blocks_is_classified_like_a_plain_one() -> None:
    content = [{"type": "text", "text": "File does not exist."}]
    assert judged("Read", {"content": content, "is_error": True}) == ("failed", "FILE_NOT_FOUND")


def test_a_stated_exit_code_decides_where_nothing_else_does() -> None:
    assert judged("Bash", {"content": "ok\n\n[Exit code: 0]"}) == ("completed", None)
    assert judged("Bash", {"content": "bad\n\n[Exit code: 1]"}) == ("failed", "COMMAND_FAILED")
