"""User and assistant messages of Claude Code and of its stream-json output (format.md D, E, I)."""

import re
from typing import Any

from viewer import rules, tools
from viewer.formats.claude_text import classify, tag
from viewer.formats.fields import count, mapping, string, text_of, whole, word
from viewer.records import (
    ERROR_TEXT,
    PREVIEW,
    Answered,
    ApiFailed,
    Asked,
    Invalid,
    Learned,
    Part,
    Record,
    Said,
    SaidKind,
    Spent,
    Unread,
    task_key,
)

Object = dict[str, Any]

_EXIT_CODE = re.compile(r"Exit code (-?\d{1,6})\b")
_STATED_EXIT_CODE = re.compile(r"\[Exit code: (-?\d{1,6})\]\s*$")
SYNTHETIC = "<synthetic>"
_NO_RESPONSE = "No response requested."


def read_user(record: Record, value: Object) -> None:
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    meta = value.get("isMeta") is True or value.get("isSynthetic") is True
    summary = value.get("isCompactSummary") is True
    record.meta = meta or summary
    parts = record.parts
    if isinstance(content, str):
        parts.append(classify(content, meta=meta, summary=summary))
    elif isinstance(content, list):
        for block in content:
            _read_user_block(parts, block, value, meta=meta, summary=summary)
        if len(parts) > 1:
            _put_media_behind(parts)
    else:
        parts.append(Unread("message without content"))
    for part in parts:
        if part.__class__ is Said and part.kind in ("prompt", "notification"):
            if not record.meta:
                record.opens_turn = True
            if part.label == "task":
                text = text_of(content, ERROR_TEXT)
                tags = ("tool-use-id", "task-id", "status")
                parts.append(Learned("task", tuple(tag(text, name) for name in tags)))
                break
    if record.sidechain and record.opens_turn:
        record.task = task_key(text_of(content, 1 << 20))


def _read_user_block(
    parts: list[Part], block: object, value: Object, *, meta: bool, summary: bool
) -> None:
    if not isinstance(block, dict):
        if isinstance(block, str):
            parts.append(classify(block, meta=meta, summary=summary))
        else:
            parts.append(Unread(type(block).__name__))
        return
    match block.get("type"):
        case "tool_result":
            parts.append(_read_result(parts, block, value))
        case "text":
            text = block.get("text")
            if isinstance(text, str):
                parts.append(classify(text, meta=meta, summary=summary))
            else:
                parts.append(Unread("text block without text"))
        case "image" | "document" as kind:
            who: SaidKind = "context" if meta else "prompt"
            parts.append(Said(who, describe_media(block), str(kind), hidden=meta))
        case kind:
            parts.append(Unread(word(kind)[:40]))


def _put_media_behind(parts: list[Part]) -> None:
    """Images that come with a text belong to it, wherever they stand."""
    media = [part for part in parts if isinstance(part, Said) and part.label in _MEDIA]
    if media and len(media) < len(parts):
        for part in media:
            part.kind = "context"
        parts[:] = [*(part for part in parts if part not in media), *media]


_MEDIA = ("image", "document")


def describe_media(block: Object) -> str:
    """An image or document in words: its type and its size, never its content."""
    source = mapping(block.get("source"))
    media = string(source.get("media_type")) or string(source.get("type")) or "of unknown type"
    data = source.get("data")
    size = ""
    if isinstance(data, str):
        size = f", {len(data) * 3 // 4 - data[-2:].count('=')} bytes"
    return f"[{block.get('type')} {media[:60]}{size}]"


def _read_result(parts: list[Part], block: Object, value: Object) -> Answered:
    id = string(block.get("tool_use_id"))
    if id is None:
        block = _mend(parts, block)
        id = string(block.get("tool_use_id")) or string(block.get("id"))
    error = block.get("is_error") is True
    content = block.get("content")
    text = text_of(content, ERROR_TEXT if error else PREVIEW)
    answered = Answered(id, error, text)
    if error:
        match = _EXIT_CODE.match(text)
        if match:
            answered.exit_code = int(match[1])
    elif "is_error" not in block and isinstance(content, str) and content[-1:] in "]\n":
        # The documented shape; real files write is_error for commands.
        stated = _STATED_EXIT_CODE.search(content[-40:])
        if stated:
            answered.stated_exit = int(stated[1])
    if isinstance(content, list):
        for item in content:
            if isinstance(item, dict) and item.get("type") == "image":
                answered.images += 1
    _read_structured_result(answered, value)
    return answered


def _read_structured_result(answered: Answered, value: Object) -> None:
    """What Claude Code notes about a result beside the message."""
    result = value.get("toolUseResult", value.get("tool_use_result"))
    if result.__class__ is dict:
        if result.get("interrupted") is True or result.get("wasInterrupted") is True:
            answered.interrupted = True
        if "exitCode" in result:
            answered.exit_code = whole(result["exitCode"])
        if not _DURATIONS.keys().isdisjoint(result):
            for key, factor in _DURATIONS.items():
                if key in result:
                    answered.duration_ms = _scaled(result[key], factor)
        if "agentId" in result:
            answered.agent_id = string(result["agentId"])
            answered.agent_status = string(result.get("status"))
        if "structuredPatch" in result:
            answered.added, answered.removed = tools.patched_lines(result)
        if "backgroundTaskId" in result or result.get("isAsync") is True:
            answered.background = True
            answered.task_id = string(result.get("backgroundTaskId"))
    if "toolDenialKind" in value:
        answered.denial = string(value["toolDenialKind"])
        answered.denied_before_run = value.get("toolDenialBeforeRun") is True
    if "permissionDecision" in value:
        answered.denied_by = _denier(mapping(value["permissionDecision"]))
    meta = value.get("tool_result_meta")
    if isinstance(meta, list):
        for item in meta:
            if isinstance(item, dict) and item.get("id") == answered.id:
                answered.denial = string(item.get("non_execution_kind"))
                answered.denied_by = _denier(mapping(item.get("permission_decision")))


def _denier(decision: Object) -> str | None:
    accepted = decision.get("decision") in ("accept", "allow")
    return None if accepted else string(decision.get("source"))


_DURATIONS = {"durationMs": 1, "totalDurationMs": 1, "durationSeconds": 1000}


def _scaled(value: object, factor: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return whole(value * factor)


def read_assistant(record: Record, value: Object) -> None:
    message = value.get("message")
    if not isinstance(message, dict):
        record.parts.append(Unread("message without content"))
        return
    record.message_id = string(message.get("id")) or record.uuid
    content = message.get("content")
    parts = record.parts
    model = string(message.get("model"))
    if value.get("isApiErrorMessage") is True or value.get("is_api_error_message") is True:
        parts.append(ApiFailed(text_of(content, PREVIEW) or string(value.get("error")) or ""))
    elif isinstance(content, str):
        parts.append(Said("reply", content[:PREVIEW]))
    elif isinstance(content, list):
        for block in content:
            _read_assistant_block(parts, block)
        if model == SYNTHETIC and text_of(content, 40) == _NO_RESPONSE:
            parts[:] = [Said("context", _NO_RESPONSE, "filler", hidden=True)]
    else:
        parts.append(Unread("message without content"))
    usage = message.get("usage")
    if usage.__class__ is dict and model != SYNTHETIC:
        parts.append(
            Spent(
                record.message_id,
                model,
                count(usage.get("input_tokens")),
                count(usage.get("output_tokens")),
                count(usage.get("cache_read_input_tokens")),
                count(usage.get("cache_creation_input_tokens")),
            )
        )


def _read_assistant_block(parts: list[Part], block: object) -> None:
    if not isinstance(block, dict):
        parts.append(
            Said("reply", block[:PREVIEW])
            if isinstance(block, str)
            else Unread(type(block).__name__)
        )
        return
    match block.get("type"):
        case "tool_use":
            parts.append(read_call(parts, block))
        case "text":
            text = block.get("text")
            parts.append(
                Said("reply", text[:PREVIEW])
                if isinstance(text, str)
                else Unread("text block without text")
            )
        case "thinking":
            text = block.get("thinking")
            parts.append(Said("thinking", text[:PREVIEW] if isinstance(text, str) else ""))
        case "redacted_thinking":
            parts.append(Said("thinking", "", "redacted"))
        case "server_tool_use":
            name = string(block.get("name")) or "server tool"
            parts.append(Said("note", tools.summarize(name, block.get("input")), name[:40]))
        case "fallback":
            models = (mapping(block.get(end)).get("model") for end in ("from", "to"))
            text = " → ".join(string(model) or "?" for model in models)
            parts.append(Said("note", text[:PREVIEW], "model fallback", "warning"))
        case "image" | "document":
            parts.append(Said("reply", describe_media(block), "image"))
        case str() as kind if kind.endswith("_tool_result"):
            parts.append(Said("context", "", kind[:40], hidden=True))
        case kind:
            parts.append(Unread(word(kind)[:40]))


def read_call(parts: list[Part], block: Object) -> Asked:
    id, name, input = block.get("id"), block.get("name"), block.get("input")
    if not (id.__class__ is str and name.__class__ is str and input.__class__ is dict):
        block = _mend(parts, block)
        id, name = string(block.get("id")), string(block.get("name")) or "(no name)"
        input = block.get("input")
    asked = Asked(id or None, name, tools.summarize(name, input))
    asked.touches = tools.touches(name, input)
    if name in tools.EDITS and isinstance(input, dict):
        asked.added, asked.removed = tools.changed_lines(input)
    if name in tools.AGENT_TOOLS and isinstance(input, dict):
        asked.prompt = string(input.get("prompt"))
        asked.agent_type = string(input.get("subagent_type"))
    return asked


def _mend(parts: list[Part], block: Object) -> Object:
    """Read a call or result that breaks the API's rules as well as can be; say which it breaks."""
    parts += [Invalid(breach.words, breach.fix) for breach in rules.of_block(block)]
    nested = block.get(block["type"])
    return {**block, **nested, "type": block["type"]} if isinstance(nested, dict) else block


def read_inside(message: Object) -> list[Part]:
    """The calls and results in a message that a progress record quotes from a sub-agent."""
    content = mapping(message.get("message")).get("content")
    parts: list[Part] = []
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                parts.append(read_call([], block))
            elif isinstance(block, dict) and block.get("type") == "tool_result":
                parts.append(_read_result([], block, message))
    return parts
