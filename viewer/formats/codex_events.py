"""Events of a Codex rollout (format.md J): what its screen was told while the model worked.

Most repeat an item of the conversation and add what only the program knows: how a command ended,
how long it took, what a patch changed, who approved. They are joined to their call by its id.
"""

import re
from typing import TYPE_CHECKING

from viewer import tools
from viewer.formats.codex_text import (
    as_text,
    failure,
    read_changes,
    read_output,
    request,
)
from viewer.formats.contract import Block, Object
from viewer.formats.fields import mapping, string, whole, word
from viewer.records import (
    ERROR_TEXT,
    PREVIEW,
    Answered,
    ApiFailed,
    Asked,
    HookFired,
    Interrupted,
    Learned,
    Record,
    Said,
    Updated,
)

if TYPE_CHECKING:
    from viewer.formats.codex import Rollout

_RETRY = re.compile(r"(\d+)/(\d+)")
# Events that end a call, older and newer names; the call is asked by an item or by them.
_ENDS = {
    "exec_command_end": "exec_command",
    "patch_apply_end": "apply_patch",
    "mcp_tool_call_end": "",
    "dynamic_tool_call_response": "",
    "view_image_tool_call": "view_image",
    "CommandExecution": "exec_command",
    "FileChange": "apply_patch",
    "McpToolCall": "",
    "DynamicToolCall": "",
    "CollabAgentToolCall": "collab",
    "ImageView": "view_image",
}
_BEGINS = {
    "exec_command_begin": "exec_command",
    "patch_apply_begin": "apply_patch",
    "mcp_tool_call_begin": "",
}
# Known to say nothing that is not said elsewhere.
_SILENT = frozenset(
    """task_started turn_started thread_settings_applied thread_goal_updated turn_diff
    raw_response_item exec_command_output_delta agent_message_delta agent_reasoning_delta
    agent_reasoning_section_break session_configured mcp_startup_complete mcp_startup_update
    background_event shutdown_complete web_search_begin image_generation_begin item_started
    realtime_conversation_started plan_update collab_agent_spawn_begin collab_waiting_begin
    collab_close_begin get_history_entry_response skills_update_available deprecation_notice
    HookPrompt Extension Sleep terminal_interaction collab_agent_interaction_begin
    list_skills_response mcp_list_tools_response""".split()
)


def read(rollout: "Rollout", record: Record, event: Object, kind: str) -> None:
    parts = record.parts
    if kind in ("item_completed", "item_updated"):
        item = mapping(event.get("item"))
        _read_item(rollout, record, item, word(item.get("type")), _took(event))
        return
    match kind:
        case "user_message":
            rollout.prompt(record, string(event.get("message")) or "", "event")
        case "agent_message":
            _say(rollout, record, "reply", string(event.get("message")))
        case "agent_reasoning" | "agent_reasoning_raw_content":
            _say(rollout, record, "thinking", string(event.get("text")))
        case "token_count":
            rollout.spend(record, mapping(event.get("info")))
        case "task_complete" | "turn_complete":
            failed = failure(event.get("error"))
            parts.append(failed or Said("note", "", "turn ended", hidden=True))
        case "turn_aborted":
            rollout.is_answered()
            parts.append(Interrupted(f"the turn was {word(event.get('reason'))[:40]}"))
        case "thread_rolled_back":
            turns = whole(event.get("num_turns")) or 0
            rollout.roll_back(record, turns)
            words = f"the last {turns} turns" if turns != 1 else "the last turn"
            parts.append(Said("note", words, "rolled back", "warning"))
        case "context_compacted":
            rollout.compacts(record)
        case "error":
            parts.append(ApiFailed((string(event.get("message")) or "error")[:PREVIEW]))
        case "stream_error":
            _read_retry(record, event)
        case "warning" | "guardian_warning" | "model_reroute":
            words = (string(event.get("message")) or as_text(event))[:PREVIEW]
            parts.append(Said("note", words, kind.replace("_", " "), "warning"))
        case "entered_review_mode":
            words = string(event.get("user_facing_hint")) or string(event.get("prompt")) or ""
            parts.append(Said("note", words[:PREVIEW], "review begins"))
        case "exited_review_mode":
            found = mapping(event.get("review_output")).get("findings")
            words = f"{len(found)} findings" if isinstance(found, list) else ""
            parts.append(Said("note", words, "review ends"))
        case "thread_name_updated":
            parts.append(Learned("custom_title", (string(event.get("thread_name")) or "")[:500]))
        case "exec_approval_request" | "apply_patch_approval_request" | "request_permissions":
            _read_approval(record, event)
        case "sub_agent_activity":
            call, agent = string(event.get("event_id")), string(event.get("agent_thread_id"))
            if call in rollout.calls and event.get("kind") == "started":
                parts.append(Updated(call, agent_id=agent))
        case "collab_agent_spawn_end":
            call, agent = string(event.get("call_id")), string(event.get("new_thread_id"))
            if call in rollout.calls and agent:
                parts.append(Updated(call, agent_id=agent))
        case "web_search_end" | "image_generation_end":
            rollout.read_search(record, event, kind, "event")
        case _ if kind in _ENDS:
            _end_call(rollout, record, event, kind, None)
        case _ if kind in _BEGINS:
            _begin_call(rollout, record, event, kind)
        case _ if kind.startswith("collab_") or kind in _SILENT:
            pass
        case _:
            record.unknown = True


def _took(event: Object) -> int | None:
    begun, ended = whole(event.get("started_at_ms")), whole(event.get("completed_at_ms"))
    return max(0, ended - begun) if begun and ended and ended > begun else None


def _read_item(
    rollout: "Rollout", record: Record, item: Object, kind: str, took: int | None
) -> None:
    """An item of the paginated history."""
    record.type = f"{record.type}/{kind[:40]}"
    match kind:
        case "UserMessage":
            rollout.prompt(record, _text_of(item), "event")
        case "AgentMessage":
            _say(rollout, record, "reply", _text_of(item))
        case "Reasoning":
            for key in ("summary_text", "raw_content"):
                for text in texts_of(item.get(key)):
                    _say(rollout, record, "thinking", text)
        case "Plan":
            text = string(item.get("text")) or _text_of(item)
            record.parts.append(Said("note", text[:PREVIEW], "plan"))
        case "ContextCompaction":
            rollout.compacts(record)
        case "WebSearch":
            rollout.read_search(record, item, kind, "event")
        case "EnteredReviewMode" | "ExitedReviewMode":
            words = "review begins" if kind.startswith("Entered") else "review ends"
            record.parts.append(Said("note", _text_of(item)[:PREVIEW], words))
        case _ if kind in _ENDS:
            _end_call(rollout, record, item, kind, took)
        case _ if kind in _SILENT:
            pass
        case _:
            record.unknown = True


def texts_of(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    found = (each if isinstance(each, str) else mapping(each).get("text") for each in items)
    return [text for text in found if isinstance(text, str) and text]


def _text_of(item: Object) -> str:
    return "\n".join(texts_of(item.get("content")))


def _say(rollout: "Rollout", record: Record, kind: str, text: str | None) -> None:
    if not text:
        return
    if rollout.is_new("assistant" if kind == "reply" else kind, text, "event"):
        rollout.speaks(record)
        said = "reply" if kind == "reply" else "thinking"
        record.parts.append(Said(said, text[:PREVIEW]))  # type: ignore[arg-type]


def _read_retry(record: Record, event: Object) -> None:
    text = string(event.get("message")) or "stream error"
    attempt = _RETRY.search(text)
    number, most = (int(attempt[1]), int(attempt[2])) if attempt else (1, None)
    record.parts.append(ApiFailed(text[:PREVIEW], number, most))


def _read_approval(record: Record, event: Object) -> None:
    id = string(event.get("call_id"))
    if id is None:
        return
    reason = string(event.get("reason")) or ""
    record.parts.append(
        HookFired("Permission", "approval", id, outcome="asked", text=reason[:PREVIEW])
    )
    record.parts.append(Updated(id, status="pending"))


# Calls


def _input(event: Object, kind: str) -> tuple[str, object]:
    """Name and input of the call that an event is about."""
    name = _ENDS.get(kind) or _BEGINS.get(kind) or ""
    invocation = mapping(event.get("invocation")) or event
    if not name:
        server, tool = string(invocation.get("server")), string(invocation.get("tool"))
        name = f"mcp__{server}__{tool}" if server else tool or "tool"
        return name, invocation.get("arguments")
    if "changes" in event:
        return name, {"changes": event.get("changes")}
    keys = ("command", "path", "prompt", "tool", "receiver_thread_ids")
    return name, {key: event[key] for key in keys if key in event}


def _asked(rollout: "Rollout", record: Record, event: Object, kind: str, id: str) -> None:
    name, input = _input(event, kind)
    asked = Asked(id, name, tools.summarize(name, input), touches=tools.touches(name, input))
    if "changes" in event:
        patch = read_changes(event["changes"])
        asked.touches, asked.added, asked.removed = patch
        asked.summary = ", ".join(touch.path for touch in patch.touches)[:PREVIEW]
    rollout.asks(record, asked)


def _begin_call(rollout: "Rollout", record: Record, event: Object, kind: str) -> None:
    id = string(event.get("call_id"))
    if id is not None and id not in rollout.calls:
        _asked(rollout, record, event, kind, id)


def _end_call(
    rollout: "Rollout", record: Record, event: Object, kind: str, took: int | None
) -> None:
    id = string(event.get("call_id")) or string(event.get("id"))
    if id is None:
        return
    took = _duration(event.get("duration")) or took
    code, failed = whole(event.get("exit_code")), _failed(event)
    if id in rollout.calls:
        told = Updated(id, failed=failed, exit_code=code, duration_ms=took)
        if "changes" in event:
            patch = read_changes(event["changes"])
            told.touches, told.added, told.removed = patch
        if event.get("status") == "declined":
            told.fate = "PERMISSION_DENIED"
        record.parts.append(told)
        return
    if id.startswith("exec-"):
        _read_step(record, event, kind, failed=failed is True)
        return
    _asked(rollout, record, event, kind, id)
    answered = Answered(id, failed is True, _said_by(event)[:ERROR_TEXT])
    answered.exit_code, answered.duration_ms = code, took
    if event.get("status") == "declined":
        answered.denial = "user-rejected"
        answered.denied_before_run = True
    record.parts.append(answered)
    rollout.is_answered()


def _read_step(record: Record, event: Object, kind: str, *, failed: bool) -> None:
    """What a script that the model wrote did by itself: a part of the call that runs it."""
    name, input = _input(event, kind)
    words = tools.summarize(name, input)
    if "changes" in event:
        patch = read_changes(event["changes"])
        paths = ", ".join(touch.path for touch in patch.touches)
        words = f"{paths} +{patch.added} −{patch.removed}"
        record.parts.append(Learned("touched", patch.touches))
    server = tools.mcp(name)
    label = f"{server.server} · {server.tool}" if server else name
    if failed:
        words = f"{words}: {_said_by(event)}"
    level = "error" if failed else "info"
    record.parts.append(Said("note", words[:PREVIEW], label[:60], level))  # type: ignore[arg-type]


def _failed(event: Object) -> bool | None:
    code, status = whole(event.get("exit_code")), event.get("status")
    if code is not None:
        return code != 0
    result = event.get("result")
    if isinstance(result, dict):
        if "Err" in result:
            return True
        ok = mapping(result.get("Ok", result))
        return ok.get("isError") is True or ok.get("is_error") is True
    if event.get("error"):
        return True
    if isinstance(success := event.get("success"), bool):
        return not success
    return status in ("failed", "declined") if isinstance(status, str) else None


def _duration(value: object) -> int | None:
    """{secs, nanos}, or milliseconds."""
    if isinstance(value, dict):
        secs, nanos = whole(value.get("secs")), whole(value.get("nanos"))
        return (secs or 0) * 1000 + (nanos or 0) // 1_000_000
    return whole(value)


def _said_by(event: Object) -> str:
    """What came out of it."""
    for key in ("aggregated_output", "formatted_output", "stdout", "stderr", "output"):
        if text := string(event.get(key)):
            return text
    result = event.get("result")
    if isinstance(result, dict):
        inner = result.get("Err") or mapping(result.get("Ok", result)).get("content")
        return inner if isinstance(inner, str) else read_output(inner).text
    return failure_text(event.get("error"))


def failure_text(error: object) -> str:
    failed = failure(error)
    return failed.text if failed else ""


# Looking again


def content(event: Object, kind: str) -> list[Block]:
    if kind in ("item_completed", "item_updated"):
        item = mapping(event.get("item"))
        return content(item, word(item.get("type")))
    match kind:
        case "user_message" | "agent_message" | "error" | "warning" | "stream_error":
            return [{"type": "text", "text": request(string(event.get("message")) or "")}]
        case "UserMessage" | "AgentMessage":
            return [{"type": "text", "text": request(_text_of(event))}]
        case "agent_reasoning" | "agent_reasoning_raw_content":
            return [{"type": "thinking", "thinking": string(event.get("text")) or ""}]
        case "Reasoning":
            texts = [*texts_of(event.get("summary_text")), *texts_of(event.get("raw_content"))]
            return [{"type": "thinking", "thinking": text} for text in texts]
        case "Plan":
            return [{"type": "text", "text": string(event.get("text")) or _text_of(event)}]
        case "web_search_end" | "WebSearch":
            action = event.get("action") or {"query": event.get("query")}
            return [{"type": "tool_use", "id": None, "name": "web_search", "input": action}]
        case _ if kind in _ENDS or kind in _BEGINS:
            id = string(event.get("call_id")) or string(event.get("id"))
            name, input = _input(event, kind)
            asked: Block = {"type": "tool_use", "id": id, "name": name, "input": input}
            said: Block = {"type": "tool_result", "tool_use_id": id, "content": _said_by(event),
                           "is_error": _failed(event) is True}  # fmt: skip
            return [asked, said] if kind in _ENDS else [asked]
    return [{"type": "text", "text": as_text(event)}]
