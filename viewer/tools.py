"""What is known about tools: their kind, and the one line that tells one call from the next.

A new tool needs one entry here and nothing else.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from viewer.records import PREVIEW, Touch

Input = dict[str, Any]


class Tool(NamedTuple):
    """`about` names the input fields that tell what the call is about, the first present wins."""

    kind: str
    about: tuple[str, ...] = ()
    describe: Callable[[Input], str] | None = None  # where a field alone does not say it


def _todos(input: Input) -> str:
    todos = input.get("todos")
    if not isinstance(todos, list):
        return ""
    states = [todo.get("status") for todo in todos if isinstance(todo, dict)]
    return f"{states.count('completed')}/{len(todos)} done"


def _questions(input: Input) -> str:
    questions = input.get("questions")
    if isinstance(questions, list) and questions and isinstance(questions[0], dict):
        return _text(questions[0].get("question"))
    return ""


def _task_update(input: Input) -> str:
    task = _text(input.get("taskId"))
    words = _text(input.get("status") or input.get("subject"))
    return f"#{task} {words}".strip() if task else words


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, (int, float)) else ""


def command_words(input: Input) -> str:
    """A command as one types it: without the shell that runs it."""
    command = input.get("command", input.get("cmd"))
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if len(words) == 3 and words[1] in ("-c", "-lc") and words[0].endswith("sh"):
            return words[2]
        return " ".join(words)
    return _text(command) or _text(input.get("description"))


def _stdin(input: Input) -> str:
    session = _text(input.get("session_id") or input.get("cell_id"))
    return f"{_text(input.get('chars')).rstrip() or 'wait'} → {session}"


def _patch(input: Input) -> str:
    paths = [match.strip() for match in _PATCHED.findall(patch_text(input)[:100_000])]
    changes = input.get("changes")
    return ", ".join(paths or ([*changes] if isinstance(changes, dict) else []))


def _plan(input: Input) -> str:
    steps = input.get("plan")
    found = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    now = next((s.get("step") for s in found if s.get("status") == "in_progress"), None)
    done = sum(step.get("status") == "completed" for step in found)
    return f"{done}/{len(found)} done" + (f": {now}" if isinstance(now, str) else "")


def _script(input: Input) -> str:
    return " ".join(_text(input.get("input")).split())


_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)
_FILE = ("file_path", "notebook_path", "path", "filePath")
_TASK = ("task_id", "taskId", "shell_id", "bash_id", "subject")
_AGENT = Tool("think", ("description", "prompt", "name"))
_SHELL = Tool("execute", ("command", "description"))

TOOLS: dict[str, Tool] = {
    "Read": Tool("read", _FILE),
    "NotebookRead": Tool("read", _FILE),
    "ReadMcpResource": Tool("read", ("uri",)),
    "ReadMcpResourceTool": Tool("read", ("uri",)),
    "ReadMcpResourceDirTool": Tool("read", ("uri",)),
    "ListMcpResources": Tool("read", ("server",)),
    "ListMcpResourcesTool": Tool("read", ("server",)),
    "Edit": Tool("edit", _FILE),
    "MultiEdit": Tool("edit", _FILE),
    "Write": Tool("edit", _FILE),
    "NotebookEdit": Tool("edit", _FILE),
    "str_replace_editor": Tool("edit", _FILE),
    "Glob": Tool("search", ("pattern",)),
    "Grep": Tool("search", ("pattern",)),
    "LS": Tool("search", ("path",)),
    "LSP": Tool("search", ("operation", "filePath")),
    "ToolSearch": Tool("search", ("query",)),
    "Bash": _SHELL,
    "bash": _SHELL,
    "PowerShell": _SHELL,
    "Monitor": Tool("execute", ("description", "command")),
    "BashOutput": Tool("execute", _TASK),
    "TaskOutput": Tool("execute", _TASK),
    "AgentOutputTool": Tool("execute", _TASK),
    "KillShell": Tool("execute", _TASK),
    "KillBash": Tool("execute", _TASK),
    "TaskStop": Tool("execute", _TASK),
    "WebFetch": Tool("fetch", ("url",)),
    "WebSearch": Tool("fetch", ("query",)),
    "Agent": _AGENT,
    "Task": _AGENT,
    "Workflow": Tool("think", ("name", "scriptPath")),
    "TodoWrite": Tool("think", (), _todos),
    "TodoRead": Tool("think"),
    "TaskCreate": Tool("think", ("subject",)),
    "TaskUpdate": Tool("think", (), _task_update),
    "TaskList": Tool("think"),
    "TaskGet": Tool("think", _TASK),
    "Skill": Tool("think", ("skill", "command")),
    "SlashCommand": Tool("think", ("command",)),
    "SubagentHandback": Tool("think"),
    "EnterPlanMode": Tool("switch_mode"),
    "ExitPlanMode": Tool("switch_mode", ("plan",)),
    "exit_plan_mode": Tool("switch_mode", ("plan",)),
    "EnterWorktree": Tool("switch_mode", ("name", "path")),
    "ExitWorktree": Tool("switch_mode", ("action",)),
    "AskUserQuestion": Tool("other", (), _questions),
    "SendMessage": Tool("other", ("to", "message")),
    # Codex
    "exec_command": Tool("execute", (), command_words),
    "shell": Tool("execute", (), command_words),
    "shell_command": Tool("execute", (), command_words),
    "container.exec": Tool("execute", (), command_words),
    "local_shell": Tool("execute", (), command_words),
    "exec": Tool("execute", (), _script),
    "js_repl": Tool("execute", (), _script),
    "write_stdin": Tool("execute", (), _stdin),
    "wait": Tool("execute", (), _stdin),
    "apply_patch": Tool("edit", (), _patch),
    "update_plan": Tool("think", (), _plan),
    "view_image": Tool("read", _FILE),
    "read_file": Tool("read", _FILE),
    "list_dir": Tool("search", ("dir_path", "path")),
    "grep_files": Tool("search", ("pattern",)),
    "web_search": Tool("fetch", ("query", "queries", "url", "pattern")),
    "tool_search": Tool("search", ("query",)),
    "image_generation": Tool("other", ("prompt", "query")),
    "spawn_agent": Tool("think", ("task_name", "message", "prompt")),
    "send_input": Tool("think", ("message", "id")),
    "send_message": Tool("think", ("target", "message")),
    "followup_task": Tool("think", ("target", "message")),
    "wait_agent": Tool("think", ("ids", "timeout_ms")),
    "list_agents": Tool("think"),
    "close_agent": Tool("think", ("id",)),
    "resume_agent": Tool("think", ("id",)),
    "request_user_input": Tool("other", (), _questions),
}
_OTHER = Tool(
    "other",
    ("query", "text", "prompt", "message", "url", "path", "command", "code", "description", "name"),
)

EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "str_replace_editor"})
AGENT_TOOLS = frozenset({"Agent", "Task", "spawn_agent"})
SHELLS = frozenset(
    {"Bash", "bash", "PowerShell", "exec_command", "shell", "shell_command", "container.exec",
     "local_shell", "write_stdin"}
)  # fmt: skip
PATCHES = frozenset({"apply_patch", "shell", "shell_command", "container.exec", "exec_command"})


class Server(NamedTuple):
    """An MCP tool's name, taken apart."""

    server: str
    tool: str


def mcp(name: str) -> Server | None:
    """`mcp__shop_db__query` is tool `query` of server `shop_db`; the server may hold `_`."""
    if not name.startswith("mcp__"):
        return None
    server, _, tool = name[5:].partition("__")
    return Server(server, tool)


def kind(name: str) -> str:
    """ACP's word for what a tool does."""
    tool = TOOLS.get(name)
    return tool.kind if tool else "other"


def summarize(name: str, input: object) -> str:
    """What the call is about, raw and at most PREVIEW characters long."""
    if not isinstance(input, dict):
        return _text(input)[:PREVIEW]
    tool = TOOLS.get(name, _OTHER)
    if tool.describe:
        return tool.describe(input)[:PREVIEW]
    for field in tool.about:
        value = input.get(field)
        if value.__class__ is str and value:
            return value[:PREVIEW]
    for value in input.values():
        if text := _text(value):
            return text[:PREVIEW]
    return ""


def patch_text(input: Input) -> str:
    """The text that may hold a patch: of the tool for them, or of a command that calls it."""
    for field in ("input", "patch", "command", "cmd"):
        value = input.get(field)
        if isinstance(value, list):
            value = next((v for v in value if isinstance(v, str) and "*** Begin" in v), None)
        if isinstance(value, str) and "*** Begin Patch" in value:
            return value
    return ""


def touches(name: str, input: object) -> tuple[Touch, ...]:
    """The file that a call reads or changes, where its input names it."""
    tool = TOOLS.get(name)
    if tool is None or tool.kind not in ("read", "edit", "delete", "move"):
        return ()
    if not isinstance(input, dict):
        return ()
    for field in _FILE:
        path = input.get(field)
        if path.__class__ is str and path:
            line = input.get("offset")
            at = line if line.__class__ is int else None
            return (Touch(path, tool.kind != "read", at),)
    return ()


def changed_lines(input: Input) -> tuple[int | None, int | None]:
    """How many lines an edit asks to add and to remove; None where the input does not tell."""
    edits = input.get("edits")
    added = removed = 0
    known = False
    for edit in edits if isinstance(edits, list) else (input,):
        old, new = _edited(edit) if isinstance(edit, dict) else (None, None)
        if new is None:
            continue
        known = True
        before, after = old.splitlines() if old else [], new.splitlines()
        same = 0
        for one, other in zip(before, after, strict=False):
            if one != other:
                break
            same += 1
        end = 0
        while end < min(len(before), len(after)) - same and before[~end] == after[~end]:
            end += 1
        added += len(after) - same - end
        removed += len(before) - same - end
    return (added, removed) if known else (None, None)


def _edited(edit: Input) -> tuple[str | None, str | None]:
    old = edit.get("old_string", edit.get("old_str"))
    for field in ("new_string", "content", "new_source", "new_str", "file_text"):
        new = edit.get(field)
        if isinstance(new, str):
            return old if isinstance(old, str) else None, new
    return None, None


def patched_lines(result: Input) -> tuple[int | None, int | None]:
    """How many lines an edit added and removed, from the patch that it left."""
    patch = result["structuredPatch"]
    if not isinstance(patch, list):
        return None, None
    if result.get("type") == "create" and isinstance(content := result.get("content"), str):
        return len(content.splitlines()), 0  # a new file has no patch
    added = removed = 0
    for hunk in patch:
        lines = hunk.get("lines") if isinstance(hunk, dict) else None
        if isinstance(lines, list):
            signs = "".join([line[:1] for line in lines if line.__class__ is str])
            added += signs.count("+")
            removed += signs.count("-")
    return added, removed
