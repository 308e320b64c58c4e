"""Why a call failed or has no result: the classes, how each is recognised, and what helps.

Structured fields beat text, and text counts only where the result is an error (format.md H). A new
class needs one line in ADVICE and one in the patterns of those who write it.
"""

import re
from typing import NamedTuple

from viewer import tools
from viewer.records import Answered


class Advice(NamedTuple):
    means: str
    helps: str


ADVICE: dict[str, Advice] = {
    "TIMEOUT": Advice(
        "It took longer than it was allowed to.",
        "Give it more time, run it in the background, or use a simpler tool (Write for Edit).",
    ),
    "READ_REQUIRED": Advice(
        "A file was to be changed that had not been read in this session.",
        "Read the file first, then edit it.",
    ),
    "MCP_NO_RESPONSE": Advice(
        "The MCP server did not answer.",
        "Retry; if it stays silent, check that the server runs, or use another tool.",
    ),
    "MCP_ERROR": Advice(
        "The MCP server answered with an error.",
        "Read the server's message; check its log, its configuration and the arguments.",
    ),
    "NETWORK_ERROR": Advice(
        "The network or the other end failed.",
        "Check the connection and the address, then retry.",
    ),
    "VALIDATION_ERROR": Advice(
        "The arguments did not fit the tool or the file.",
        "Compare them with what the tool takes; for an edit, read the file again for its text.",
    ),
    "PERMISSION_DENIED": Advice(
        "The user or a rule did not allow it.",
        "Allow it in the permission rules, or ask for something that is allowed.",
    ),
    "HOOK_BLOCKED": Advice(
        "A hook said no.",
        "Read what the hook wrote; change the call, or the hook if it is wrong.",
    ),
    "INTERRUPTED": Advice(
        "The user stopped the agent while it ran.",
        "Nothing is wrong with the call itself; ask again if it is still wanted.",
    ),
    "SIBLING": Advice(
        "Another call of the same message failed, so this one was cancelled.",
        "Look at the call beside it that failed first.",
    ),
    "FILE_CHANGED": Advice(
        "The file changed after it was read.",
        "Read it again, then edit; see whether a formatter or another program writes it.",
    ),
    "FILE_NOT_FOUND": Advice(
        "No such file, or it is a directory.",
        "Check the path; list or search the directory first.",
    ),
    "TOO_LARGE": Advice(
        "The content is larger than the tool may return.",
        "Read a part (offset, limit), or search instead of reading.",
    ),
    "COMMAND_FAILED": Advice(
        "The command ended with an exit code other than 0.",
        "Read its output; the first error usually explains the others.",
    ),
    "API_ERROR": Advice(
        "The model's API failed or refused.",
        "429 and 529 pass with time, 401 and 403 need a login, 400 a smaller prompt.",
    ),
    "OTHER": Advice("It failed in a way that has no class.", "Read the text of the error."),
    # Reasons for a missing result
    "SESSION_ENDED": Advice(
        "The session ended before the result was written.",
        "It may have run to its end all the same: check what it did before running it again.",
    ),
    "ABANDONED_BRANCH": Advice(
        "The conversation was rewound, and this branch was left.",
        "Nothing to do, unless the call had effects outside the conversation.",
    ),
    "UNKNOWN": Advice(
        "The conversation went on without a result, and nothing says why.",
        "Look at the records around it; the file may have lost lines.",
    ),
}

_USER_SAID_NO = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action right now)"
    r"|User rejected tool use"
)

_PERMISSION = (
    rf"{_USER_SAID_NO.pattern}|Claude requested permissions to"
    r"|Permission to use .{0,200}has been denied"
    r"|Permission for this (?:action has been|tool use was) denied"
    r"|denied by the .{0,40}classifier|haven't granted it yet|requires approval"
    r"|was blocked\. For security|Blocked by (?:policy|permission)"
)
_HOOK = (
    r"^(?:Pre|Post)ToolUse:\S+ hook (?:error|blocking error|stopped)"
    r"|operation blocked by hook|Stop hook feedback:|blocked by (?:a )?\S* ?hook"
)


def _compiled(*patterns: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((cause, re.compile(pattern)) for cause, pattern in patterns)


# What the program itself writes, whatever the tool. First match wins (the order of format.md H).
_PROGRAM = _compiled(
    ("PERMISSION_DENIED", _PERMISSION),
    ("HOOK_BLOCKED", _HOOK),
    (
        "INTERRUPTED",
        r"\[Request interrupted by user|\[Tool call interrupted: the session ended"
        r"|^Interrupted by user|interrupted by the user|Tool execution was interrupted",
    ),
    (
        "SIBLING",
        r"Sibling tool call errored|Cancelled: parallel tool call"
        r"|Streaming fallback - tool execution discarded",
    ),
    ("VALIDATION_ERROR", r"InputValidationError|No such tool available|Blocked: standalone sleep"),
    ("TIMEOUT", r"^(?:Error: )?[Cc]ommand timed out"),
    # Codex
    ("INTERRUPTED", r"^aborted by user after"),
    ("PERMISSION_DENIED", r"^(?:exec command|patch) rejected by user"),
    ("VALIDATION_ERROR", r"^unsupported (?:custom tool )?call|^failed to parse function arguments"),
)
# What the built-in tools write.
_BUILT_IN = _compiled(
    ("READ_REQUIRED", r"has not been read yet"),
    ("FILE_CHANGED", r"has been modified since|has been unexpectedly modified"),
    (
        "TOO_LARGE",
        r"exceeds (?:the )?maximum allowed|File content \(.{0,60}\) exceeds|Output too large"
        r"|PDF has \d+ pages|too large to (?:read|process)",
    ),
    (
        "FILE_NOT_FOUND",
        r"File does not exist|File not found|ENOENT|Directory does not exist|EISDIR"
        r"|[Nn]o such (?:file|folder|directory)|Path does not exist"
        r"|cannot be found|is not a directory",
    ),
    (
        "VALIDATION_ERROR",
        r"apply_patch verification failed|Failed to find expected lines"
        r"|String to replace not found|not found in file|Found \d+ matches of the string"
        r"|No changes to make|Unknown skill",
    ),
)
# What the network and MCP servers do to any tool.
_REMOTE = _compiled(
    ("TIMEOUT", r"\b[Tt]imed out\b|timeout of \d+ ?ms exceeded|TimeoutError|deadline exceeded"),
    ("MCP_NO_RESPONSE", r"no response|not connected|Connection closed"),
    (
        "NETWORK_ERROR",
        r"fetch failed|ECONNRESET|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|socket hang up"
        r"|Unable to connect to API|Request failed with status code|network error"
        r"|getaddrinfo|Unable to verify if domain|maxContentLength",
    ),
    ("MCP_ERROR", r"MCP error -?\d+|MCP server|Error calling tool \("),
    ("API_ERROR", r"API Error|Repeated 529|Request rejected \(429\)|Prompt is too long"),
)
# Words that mean bad arguments where no better class was found.
_ARGUMENTS = _compiled(
    (
        "VALIDATION_ERROR",
        r"Unknown (?:tool|command|agent|JSON)|not found\. Available"
        r"|[Ii]nvalid (?:input|arguments?|parameters?|url|URL|regex|tool|path|pages?)"
        r"|[Rr]equired|is not valid|must be|regex parse error|Cannot create new file"
        r"|No task found|not a valid|cannot be used|is not (?:enabled|available|running|in )"
        r"|already (?:exists|completed|in )|not found with (?:ID|id)|You are not in plan mode",
    ),
)
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code -?\d+")
_AFTER_EXIT_CODE = _compiled(
    ("INTERRUPTED", r"^\[Request interrupted by user"),
    ("TIMEOUT", r"^Command timed out after \d"),
)
_TAGS = re.compile(r"</?tool_use_error>")


def of_failure(tool: str, answer: Answered) -> str:
    """The class of a failed result."""
    text = _TAGS.sub("", answer.text).lstrip()
    if cause := _structured(answer, text):
        return cause
    # An error says what it is in its first line; what follows may be code or output it quotes.
    first, _, rest = text.partition("\n")
    first = first[:400]
    if tool in tools.SHELLS:
        if _EXIT_CODE.match(text):
            return _match(rest[:200], _AFTER_EXIT_CODE) or "COMMAND_FAILED"
        # Before ~2.0 a failed command's output was its whole result.
        return _match(first, _PROGRAM) or "COMMAND_FAILED"
    if tools.mcp(tool):
        # 2.1.326 prints only the server's own message.
        return _match(first, _PROGRAM, _REMOTE) or "MCP_ERROR"
    cause = _match(first, _PROGRAM, _BUILT_IN, _REMOTE, _ARGUMENTS)
    cause = cause or _match(text[:1000], _PROGRAM, _BUILT_IN, _REMOTE, _ARGUMENTS)
    return cause or ("COMMAND_FAILED" if answer.exit_code else "OTHER")


def _match(text: str, *groups: tuple[tuple[str, re.Pattern[str]], ...]) -> str | None:
    for group in groups:
        for cause, pattern in group:
            if pattern.search(text):
                return cause
    return None


def _structured(answer: Answered, text: str) -> str | None:
    match answer.denial:
        case "user-rejected" | "permission-rule" if answer.denied_by == "hook":
            return "HOOK_BLOCKED"
        case "user-rejected" if not answer.denied_before_run and _USER_SAID_NO.match(text):
            # Esc during a running tool writes the words of a denial (2.1.326).
            return None if answer.denied_by else "INTERRUPTED"
        case "permission-rule" if not _EXIT_CODE.match(text):
            # 2.1.259 calls a hook's no by this name too; then the words are the hook's own.
            known = _match(text[:400], _PROGRAM, _BUILT_IN, _REMOTE)
            return "HOOK_BLOCKED" if known in (None, "HOOK_BLOCKED") else "PERMISSION_DENIED"
        case "user-rejected" | "permission-rule" | "automode-blocked" | "automode-unavailable":
            return "PERMISSION_DENIED"
        case "interrupted" | "cancelled":
            return "INTERRUPTED"
    return "INTERRUPTED" if answer.interrupted else None
