"""Why a call failed or has no result: the classes, how each is recognised, and what helps.

Structured fields beat text, and text counts only where the result is an error (format.md H). A new
class needs one line in ADVICE and one in _PATTERNS.
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

# First match wins. A pattern is sought at the beginning of the text; see _head.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (cause, re.compile(pattern, re.M))
    for cause, pattern in (
        ("PERMISSION_DENIED", _USER_SAID_NO.pattern),
        (
            "PERMISSION_DENIED",
            r"Claude requested permissions to|Permission to use .{0,200}has been denied"
            r"|Permission for this action has been denied|denied by the .{0,40}classifier"
            r"|haven't granted it yet|requires approval|was blocked\. For security"
            r"|Blocked by (?:policy|permission)",
        ),
        (
            "HOOK_BLOCKED",
            r"^(?:Pre|Post)ToolUse:\S+ hook (?:error|blocking error|stopped)"
            r"|operation blocked by hook|Stop hook feedback:|blocked by (?:a )?\S* ?hook",
        ),
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
            r"|No such file or directory|Path does not exist|cannot be found|is not a directory",
        ),
        (
            "TIMEOUT",
            r"[Cc]ommand timed out|timed out after|request timed out|Request timed out"
            r"|\btimed out\b|timeout of \d+ ?ms exceeded|TimeoutError|deadline exceeded",
        ),
        ("MCP_NO_RESPONSE", r"no response|not connected|Connection closed"),
        (
            "NETWORK_ERROR",
            r"fetch failed|ECONNRESET|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|socket hang up"
            r"|Unable to connect to API|Request failed with status code|network error"
            r"|getaddrinfo|Unable to verify if domain|maxContentLength",
        ),
        ("MCP_ERROR", r"MCP error -?\d+|MCP server|Error calling tool \("),
        ("API_ERROR", r"API Error|Repeated 529|Request rejected \(429\)|Prompt is too long"),
        (
            "VALIDATION_ERROR",
            r"String to replace not found|not found in file|Found \d+ matches of the string"
            r"|No changes to make|InputValidationError|No such tool available|Unknown skill"
            r"|Blocked: standalone sleep|Unknown (?:tool|command|agent|JSON)|not found\. Available"
            r"|[Ii]nvalid (?:input|arguments?|parameters?|url|URL|regex|tool|path|pages?)"
            r"|[Rr]equired|is not valid|must be|regex parse error|Cannot create new file"
            r"|No task found|not a valid|cannot be used|is not (?:enabled|available|running|in )"
            r"|already (?:exists|completed|in )|not found with (?:ID|id)|You are not in plan mode",
        ),
    )
)
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code -?\d+")
_TAGS = re.compile(r"</?tool_use_error>")


def of_failure(tool: str, answer: Answered) -> str:
    """The class of a failed result."""
    if cause := _structured(answer):
        return cause
    text = _TAGS.sub("", answer.text).lstrip()
    is_command = tools.kind(tool) == "execute"
    head = _head(text, is_command)
    if is_command and _EXIT_CODE.match(text):
        for cause, pattern in _PATTERNS:
            if cause in ("INTERRUPTED", "TIMEOUT") and pattern.search(head.partition("\n")[2]):
                return cause
        return "COMMAND_FAILED"
    for cause, pattern in _PATTERNS:
        if pattern.search(head):
            return cause
    if is_command:
        # Before ~2.0 a failed command's output was its whole result.
        return "COMMAND_FAILED"
    if answer.exit_code:
        return "COMMAND_FAILED"
    if tools.mcp(tool):
        return "MCP_ERROR"  # 2.1.326 prints only the server's own message
    return "OTHER"


def _structured(answer: Answered) -> str | None:
    match answer.denial:
        case "user-rejected" | "permission-rule" if answer.denied_by == "hook":
            return "HOOK_BLOCKED"
        case "user-rejected" if not answer.denied_before_run and _USER_SAID_NO.match(answer.text):
            # Esc during a running tool writes the words of a denial (2.1.326).
            return None if answer.denied_by else "INTERRUPTED"
        case "user-rejected" | "permission-rule" | "automode-blocked" | "automode-unavailable":
            return "PERMISSION_DENIED"
        case "interrupted" | "cancelled":
            return "INTERRUPTED"
    return "INTERRUPTED" if answer.interrupted else None


def _head(text: str, is_command: bool) -> str:
    """Where to look: a command's output may say anything after its first lines."""
    if not is_command:
        return text[:1000]
    first, _, rest = text.partition("\n")
    return f"{first[:300]}\n{rest.partition(chr(10))[0][:200]}"
