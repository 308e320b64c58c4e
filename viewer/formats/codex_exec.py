"""What `codex exec --json` prints (format.md J): threads, turns and items by name."""

import shlex

from viewer import tools
from viewer.formats.codex_text import failure, spent, texts_of
from viewer.formats.contract import Block, Format, Object
from viewer.formats.fields import mapping, string, whole, word
from viewer.records import (
    ERROR_TEXT,
    PREVIEW,
    Answered,
    ApiFailed,
    Asked,
    Record,
    Said,
    Touch,
)

_CALLS = {
    "command_execution": "exec_command",
    "file_change": "apply_patch",
    "mcp_tool_call": "mcp",
    "web_search": "web_search",
    "collab_tool_call": "collab",
}
_LONG = 4000  # characters of a command that is not taken apart


def _recognises(value: Object) -> bool:
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    if kind == "thread.started":
        return isinstance(value.get("thread_id"), str)
    return kind.startswith("item.") and isinstance(value.get("item"), dict)


class _Reader:
    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._response = 0
        self._speaks = False
        self._failed = ""  # the last error: a turn that fails repeats it

    def read(self, value: Object) -> Record:
        kind = word(value.get("type"))[:60]
        item = mapping(value.get("item"))
        record = Record(f"{kind}/{word(item['type'])[:40]}" if "type" in item else kind)
        record.format = "codex-exec"
        match kind:
            case "thread.started":
                record.session_id = string(value.get("thread_id"))
            case "turn.started":
                self._speaks, self._failed = False, ""
            case "turn.completed":
                record.parts.append(spent(mapping(value.get("usage")), None, total=True))
            case "turn.failed":
                self._fail(record, failure(value.get("error")) or ApiFailed("the turn failed"))
            case "error":
                self._fail(record, failure(value) or ApiFailed("error"))
            case "item.started" | "item.updated" | "item.completed":
                self._read_item(record, item, is_done=kind == "item.completed")
            case _:
                record.unknown = True
        record.linked = bool(record.parts)
        return record

    def _fail(self, record: Record, failed: ApiFailed) -> None:
        if failed.text != self._failed:
            record.parts.append(failed)
        self._failed = failed.text

    def _speak(self, record: Record) -> None:
        if not self._speaks:
            self._response += 1
            self._speaks = True
        record.message_id = f"response {self._response}"
        record.spoken = True

    def _read_item(self, record: Record, item: Object, *, is_done: bool) -> None:
        parts, kind = record.parts, word(item.get("type"))
        text = string(item.get("text")) or ""
        if kind in _CALLS:
            self._read_call(record, item, kind, is_done=is_done)
            return
        if not is_done and kind != "todo_list":
            return
        match kind:
            case "agent_message":
                self._speak(record)
                parts.append(Said("reply", text[:PREVIEW]))
            case "reasoning":
                self._speak(record)
                parts.append(Said("thinking", text[:PREVIEW]))
            case "todo_list":
                words = "; ".join(_todos(item))
                parts.append(Said("note", words[:PREVIEW], "plan", hidden=not is_done))
            case "error":
                words = string(item.get("message")) or "error"
                parts.append(Said("note", words[:PREVIEW], "warning", "warning"))
            case _:
                record.unknown = True

    def _read_call(self, record: Record, item: Object, kind: str, *, is_done: bool) -> None:
        id = string(item.get("id"))
        if id is None or id not in self._asked:
            self._speak(record)
            name, input = _asked(item, kind)
            asked = Asked(id, name, tools.summarize(name, _unwrapped(input)))
            asked.touches = _touches(item)
            if asked.touches:
                asked.summary = ", ".join(touch.path for touch in asked.touches)[:PREVIEW]
            record.parts.append(asked)
            if id is not None:
                self._asked.add(id)
        if is_done:
            self._speaks = False
            code, status = whole(item.get("exit_code")), item.get("status")
            failed = code not in (None, 0) or status in ("failed", "declined")
            answered = Answered(id, failed or bool(item.get("error")), _said(item)[:ERROR_TEXT])
            if code is not None:
                answered.exit_code = code
            if status == "declined":
                answered.denial, answered.denied_before_run = "user-rejected", True
            record.parts.append(answered)


def _unwrapped(input: Object) -> Object:
    """Without the shell that runs a command: `/bin/bash -lc '...'` is told as one text."""
    command = input.get("command")
    if not isinstance(command, str) or len(command) > _LONG:
        return input
    try:
        words = shlex.split(command)
    except ValueError:
        return input
    is_shell = len(words) == 3 and words[1] in ("-c", "-lc") and words[0].endswith("sh")
    return {**input, "command": words[2]} if is_shell else input


def _asked(item: Object, kind: str) -> tuple[str, Object]:
    name = _CALLS[kind]
    if kind == "mcp_tool_call":
        server, tool = string(item.get("server")), string(item.get("tool"))
        return f"mcp__{server}__{tool}", mapping(item.get("arguments"))
    keys = ("command", "changes", "query", "tool", "prompt")
    return name, {key: item[key] for key in keys if key in item}


def _touches(item: Object) -> tuple[Touch, ...]:
    changes = item.get("changes")
    paths = (
        string(mapping(each).get("path")) for each in (changes if isinstance(changes, list) else ())
    )
    return tuple(Touch(path, True) for path in paths if path)


def _todos(item: Object) -> list[str]:
    items = item.get("items")
    found = [mapping(each) for each in items] if isinstance(items, list) else []
    return [f"{'✓' if each.get('completed') else '·'} {string(each.get('text')) or ''}"
            for each in found]  # fmt: skip


def _said(item: Object) -> str:
    if text := string(item.get("aggregated_output")):
        return text
    if problem := failure(item.get("error")):
        return problem.text
    return "\n".join(texts_of(mapping(item.get("result")).get("content")))


def _content(value: Object) -> list[Block]:
    item = mapping(value.get("item")) or value
    kind = word(item.get("type"))
    if kind in _CALLS:
        name, input = _asked(item, kind)
        id = string(item.get("id"))
        blocks: list[Block] = [{"type": "tool_use", "id": id, "name": name, "input": input}]
        if value.get("type") == "item.completed":
            blocks.append({"type": "tool_result", "tool_use_id": id, "content": _said(item)})
        return blocks
    if kind == "todo_list":
        return [{"type": "text", "text": "\n".join(_todos(item))}]
    text = string(item.get("text")) or string(item.get("message")) or ""
    return [{"type": "thinking", "thinking": text} if kind == "reasoning"
            else {"type": "text", "text": text}]  # fmt: skip


FORMAT = Format("codex-exec", "codex", _recognises, lambda: _Reader().read, _content)
