"""Pieces of a transcript that stand by themselves, as documents and clipboards hold them: a
message, a call or a result, what a hook was told and answered, a list of tools."""

from viewer import tools
from viewer.formats.claude_messages import read_assistant, read_user
from viewer.formats.contract import Block, Object
from viewer.formats.fields import mapping, string, text_of, word
from viewer.records import PREVIEW, HookFired, Invalid, Learned, Record, Said

_ENVELOPE = frozenset(("sessionId", "uuid", "parentUuid"))
_BLOCKED = ("block", "deny")
_DECISIONS = ("allow", "approve", "ask", *_BLOCKED)


def read(value: Object) -> Record | None:
    """The record that such a piece is; None for anything else."""
    if (message := _message(value)) is not None:
        return _read_message(message, value)
    if "type" in value or _is_whole(value):
        return None
    if isinstance(value.get("hook_event_name"), str):
        return _read_hook_input(value)
    specific = mapping(value.get("hookSpecificOutput"))
    if value.get("decision") in _DECISIONS or isinstance(specific.get("hookEventName"), str):
        return _read_hook_answer(value, specific)
    names = value.get("tools")
    if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
        record = Record("tools")
        record.parts.append(Said("note", ", ".join(names)[:PREVIEW], "tools"))
        return record
    return None


def content(value: Object) -> list[Block] | None:
    """The blocks of a piece of a message; None for whole records, which hold their own."""
    if (message := _message(value)) is None:
        return None
    blocks = message["content"]
    if isinstance(blocks, str):
        return [{"type": "text", "text": blocks}]
    return [each if isinstance(each, dict) else {"type": "text", "text": word(each)}
            for each in blocks]  # fmt: skip


def _is_whole(value: Object) -> bool:
    return not _ENVELOPE.isdisjoint(value) or isinstance(value.get("message"), dict)


def _message(value: Object) -> Object | None:
    """The message that a piece is, or is a part of."""
    if _is_whole(value):
        return None
    kind, role, inner = value.get("type"), value.get("role"), value.get("content")
    if kind == "tool_use":
        is_call = "input" in value or isinstance(value.get("tool_use"), dict)
        return _holding(value, "assistant") if is_call else None
    if kind == "tool_result":
        is_result = "content" in value or isinstance(value.get("tool_result"), dict)
        return _holding(value, "user") if is_result else None
    if kind is not None:
        return None
    if role is not None:
        is_message = role in ("user", "assistant", "system") and isinstance(inner, (str, list))
        return value if is_message else None
    if isinstance(value.get("name"), str) and isinstance(value.get("input"), dict):
        return _holding({**value, "type": "tool_use"}, "assistant")
    if isinstance(value.get("is_error"), bool) and isinstance(inner, (str, list)):
        return _holding({**value, "type": "tool_result"}, "user")
    kinds = _kinds(inner)
    if "tool_result" in kinds:
        return {"role": "user", "content": inner}
    return {"role": "assistant", "content": inner} if "tool_use" in kinds else None


def _holding(block: Block, role: str) -> Object:
    return {"role": role, "content": [block]}


def _kinds(content: object) -> list[object]:
    return [mapping(each).get("type") for each in content] if isinstance(content, list) else []


def _read_message(message: Object, value: Object) -> Record:
    role = message["role"]
    record = Record(role)
    record.format = "claude"
    record.linked = True
    match role:
        case "assistant":
            record.spoken = True
            read_assistant(record, {"message": message})
        case "user":
            record.spoken = True
            read_user(record, {"message": message})
        case _:
            words = text_of(message["content"], PREVIEW)
            record.parts.append(Said("context", words, "system", hidden=True))
    if message["content"] is not value.get("content") and "type" not in value:
        # Shorthand for a block, which claims to be none that the API would take.
        record.parts = [part for part in record.parts if not isinstance(part, Invalid)]
    return record


def _read_hook_input(value: Object) -> Record:
    """What Claude Code tells a hook on its standard input."""
    record = Record("hook_input")
    record.format = "claude"
    record.linked = True
    record.session_id, record.cwd = string(value.get("session_id")), string(value.get("cwd"))
    if mode := string(value.get("permission_mode")):
        record.parts.append(Learned("permission_mode", mode))
    event, tool = value["hook_event_name"][:60], string(value.get("tool_name"))
    words = tools.summarize(tool, value.get("tool_input")) if tool else ""
    words = words or string(value.get("prompt")) or string(value.get("message")) or ""
    fired = HookFired(event, f"{event}:{tool}" if tool else event, outcome="unknown")
    fired.call_id, fired.text = string(value.get("tool_use_id")), words[:PREVIEW]
    record.parts.append(fired)
    return record


def _read_hook_answer(value: Object, specific: Object) -> Record:
    """What a hook answers on its standard output."""
    record = Record("hook_answer")
    record.format = "claude"
    record.linked = True
    decision = string(specific.get("permissionDecision")) or string(value.get("decision"))
    reasons = (
        specific.get("permissionDecisionReason"),
        value.get("reason"),
        specific.get("additionalContext"),
        value.get("additionalContext"),
    )
    words = next(filter(None, map(string, reasons)), "")
    event = string(specific.get("hookEventName")) or ""
    outcome = "blocked" if decision in _BLOCKED else "success"
    record.parts.append(
        HookFired(
            event, event or "answer", outcome=outcome, decision=decision, text=words[:PREVIEW]
        )
    )
    return record
