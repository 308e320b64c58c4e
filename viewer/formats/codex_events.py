"""Events of a Codex rollout (`event_msg`): what its screen was told while the model worked.

Most repeat an item of the conversation and add what only the program knows: how a command ended,
how long it took, what a patch changed, who approved. They are joined to their call by its id.
"""

from viewer import tools
from viewer.formats.codex_rollout import Rollout, Source
from viewer.formats.codex_text import as_text, failure, read_changes, read_output, request, texts_of
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
    Level,
    Record,
    Said,
    Updated,
)

_STEP = "exec-"  # how the ids of what a script called begin (0.14x)
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
_SEARCHES = {
    "web_search_end": "web_search",
    "WebSearch": "web_search",
    "image_generation_end": "image_generation",
    "ImageGeneration": "image_generation",
}
_ITEM = ("item_completed", "item_updated")
# Known to say nothing that is not said elsewhere.
_SILENT = frozenset(
    """thread_settings_applied thread_goal_updated turn_diff
    raw_response_item exec_command_output_delta agent_message_delta agent_reasoning_delta
    agent_reasoning_section_break session_configured mcp_startup_complete mcp_startup_update
    background_event shutdown_complete web_search_begin image_generation_begin item_started
    realtime_conversation_started plan_update collab_agent_spawn_begin collab_waiting_begin
    collab_close_begin get_history_entry_response skills_update_available deprecation_notice
    HookPrompt Extension Sleep terminal_interaction collab_agent_interaction_begin
    list_skills_response mcp_list_tools_response""".split()
)
NAMES = (
    frozenset(
        """user_message agent_message agent_reasoning agent_reasoning_raw_content token_count
        task_started turn_started task_complete turn_complete turn_aborted thread_rolled_back
        context_compacted error stream_error warning guardian_warning model_reroute
        entered_review_mode exited_review_mode thread_name_updated sub_agent_activity
        exec_approval_request apply_patch_approval_request request_permissions
        collab_agent_spawn_end item_completed item_updated""".split()
    )
    | _ENDS.keys()
    | _BEGINS.keys()
    | _SEARCHES.keys()
    | _SILENT
) - {"error", "warning"}  # which could be anybody's


def read(rollout: Rollout, record: Record, event: Object, kind: str) -> None:
    parts = record.parts
    if kind in _ITEM:
        _read_item(rollout, record, event)
        return
    match kind:
        case "user_message":
            rollout.prompt(record, string(event.get("message")) or "", "event")
        case "agent_message":
            rollout.reply(record, string(event.get("message")) or "", "event")
        case "agent_reasoning" | "agent_reasoning_raw_content":
            rollout.think(record, string(event.get("text")) or "", "event")
        case "token_count":
            rollout.spend(record, mapping(event.get("info")))
        case "task_started" | "turn_started":
            rollout.begins_turn()
        case "task_complete" | "turn_complete":
            _fail(rollout, record, failure(event.get("error")), "item")
            if not parts:
                parts.append(Said("note", "", "turn ended", hidden=True))
            rollout.leave_calls(record, "UNKNOWN")
        case "turn_aborted":
            rollout.leave_calls(record, "INTERRUPTED")
            rollout.is_answered()
            rollout.begins_turn()
            parts.append(Interrupted(f"the turn was {word(event.get('reason'))[:40]}"))
        case "thread_rolled_back":
            turns = whole(event.get("num_turns")) or 0
            rollout.roll_back(record, turns)
            words = f"the last {turns} turns" if turns != 1 else "the last turn"
            parts.append(Said("note", words, "rolled back", "warning"))
        case "context_compacted":
            rollout.compact(record)
        case "error":
            _fail(rollout, record, failure(event) or ApiFailed("error"), "event")
        case "stream_error":
            failed = failure(event) or ApiFailed("stream error")
            failed.attempt = failed.attempt or 1
            parts.append(failed)
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
        case _ if kind in _SEARCHES:
            rollout.search(record, event, _SEARCHES[kind], "event")
        case _ if kind in _ENDS:
            _end_call(rollout, record, event, kind, None)
        case _ if kind in _BEGINS:
            _begin_call(rollout, record, event, kind)
        case _ if kind.startswith("collab_") or kind in _SILENT:
            pass
        case _:
            record.unknown = True


def _fail(rollout: Rollout, record: Record, failed: ApiFailed | None, source: Source) -> None:
    """A turn that ends with an error tells it again."""
    if failed is not None and rollout.is_new("error", failed.text, source):
        record.parts.append(failed)


def _took(event: Object) -> int | None:
    begun, ended = whole(event.get("started_at_ms")), whole(event.get("completed_at_ms"))
    return max(0, ended - begun) if begun and ended and ended > begun else None


def _read_item(rollout: Rollout, record: Record, event: Object) -> None:
    """An item of the paginated history."""
    item = mapping(event.get("item"))
    kind = word(item.get("type"))
    record.type = f"{record.type}/{kind[:40]}"
    match kind:
        case "UserMessage":
            rollout.prompt(record, "\n".join(texts_of(item.get("content"))), "event")
        case "AgentMessage":
            for text in texts_of(item.get("content")):
                rollout.reply(record, text, "event")
        case "Reasoning":
            for text in _thoughts(item):
                rollout.think(record, text, "event")
        case "Plan":
            record.parts.append(Said("note", _plan(item)[:PREVIEW], "plan"))
        case "ContextCompaction":
            rollout.compact(record)
        case "EnteredReviewMode" | "ExitedReviewMode":
            words = "review begins" if kind.startswith("Entered") else "review ends"
            record.parts.append(Said("note", (string(item.get("review")) or "")[:PREVIEW], words))
        case _ if kind in _SEARCHES:
            rollout.search(record, item, _SEARCHES[kind], "event")
        case _ if kind in _ENDS:
            _end_call(rollout, record, item, kind, _took(event))
        case _ if kind in _SILENT:
            pass
        case _:
            record.unknown = True


def _thoughts(item: Object) -> list[str]:
    return [*texts_of(item.get("summary_text")), *texts_of(item.get("raw_content"))]


def _plan(item: Object) -> str:
    return string(item.get("text")) or "\n".join(texts_of(item.get("content")))


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


def _asked(event: Object, kind: str, id: str) -> Asked:
    name, input = _input(event, kind)
    asked = Asked(id, name, tools.summarize(name, input), touches=tools.touches(name, input))
    if "changes" in event:
        asked.touches, asked.added, asked.removed = read_changes(event["changes"])
        asked.summary = ", ".join(touch.path for touch in asked.touches)[:PREVIEW]
    return asked


def _begin_call(rollout: Rollout, record: Record, event: Object, kind: str) -> None:
    id = string(event.get("call_id"))
    if id is not None and id not in rollout.calls and not id.startswith(_STEP):
        rollout.ask(record, _asked(event, kind, id))


def _end_call(rollout: Rollout, record: Record, event: Object, kind: str, took: int | None) -> None:
    id = string(event.get("call_id")) or string(event.get("id"))
    if id is None:
        return
    took = _duration(event.get("duration")) or took
    code, failed = whole(event.get("exit_code")), _failed(event)
    declined = event.get("status") == "declined"
    if id in rollout.calls:
        told = Updated(id, failed=failed, exit_code=code, duration_ms=took)
        if "changes" in event:
            told.touches, told.added, told.removed = read_changes(event["changes"])
            named = tuple(rollout.patched.pop(id, ()))
            told.touches = tuple(each for each in told.touches if not _is_named(each.path, named))
        if declined:
            told.fate = "PERMISSION_DENIED"
        told.agent_id = _started(event)
        record.parts.append(told)
    elif id.startswith(_STEP):
        if id not in rollout.steps:
            rollout.steps.add(id)
            _read_step(record, event, kind, failed=failed is True)
    else:
        rollout.ask(record, _asked(event, kind, id))
        answered = Answered(id, failed is True, _said_by(event)[:ERROR_TEXT])
        answered.exit_code, answered.duration_ms = code, took
        if declined:
            answered.denial, answered.denied_before_run = "user-rejected", True
        if (agent := _started(event)) is not None:
            answered.agent_id, answered.agent_status = agent, "async_launched"
        record.parts.append(answered)
        rollout.is_answered(id)


def _is_named(path: str, named: tuple[str, ...]) -> bool:
    """Whether a patch names a file: mostly from where it works, where events have whole paths."""
    return any(f"/{path}".endswith(f"/{each.removeprefix('./')}") for each in named)


def _started(event: Object) -> str | None:
    """The sub-agent that a call has started."""
    threads = event.get("receiver_thread_ids")
    is_start = event.get("tool") in ("spawnAgent", "spawn_agent")
    return string(threads[0]) if is_start and isinstance(threads, list) and threads else None


def _read_step(record: Record, event: Object, kind: str, *, failed: bool) -> None:
    """What a script that the model wrote did by itself: a part of the call that runs it."""
    asked = _asked(event, kind, "")
    words = asked.summary
    if asked.added is not None:
        words = f"{words} +{asked.added} −{asked.removed}"
    if asked.touches:
        record.parts.append(Learned("touched", asked.touches))
    server = tools.mcp(asked.name)
    label = f"{server.server} · {server.tool}" if server else asked.name
    if failed:
        words = f"{words}: {_said_by(event)}"
    level: Level = "error" if failed else "info"
    record.parts.append(Said("note", words[:PREVIEW], label[:60], level))


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
        return inner if isinstance(inner, str) else read_output(inner, None).text
    if texts := texts_of(event.get("content_items")):
        return "\n".join(texts)
    failed = event.get("error")
    return string(mapping(failed).get("message")) or string(failed) or ""


# Looking again


def content(event: Object, kind: str) -> list[Block]:
    if kind in _ITEM:
        event = mapping(event.get("item"))
        kind = word(event.get("type"))
    match kind:
        case "user_message" | "agent_message" | "error" | "warning" | "stream_error":
            return [{"type": "text", "text": request(string(event.get("message")) or "")}]
        case "UserMessage":
            text = "\n".join(texts_of(event.get("content")))
            return [{"type": "text", "text": request(text)}]
        case "AgentMessage":
            return [{"type": "text", "text": text} for text in texts_of(event.get("content"))]
        case "agent_reasoning" | "agent_reasoning_raw_content":
            return [{"type": "thinking", "thinking": string(event.get("text")) or ""}]
        case "Reasoning":
            return [{"type": "thinking", "thinking": text} for text in _thoughts(event)]
        case "Plan":
            return [{"type": "text", "text": _plan(event)}]
        case _ if kind in _SEARCHES:
            action = event.get("action") or {"query": event.get("query")}
            return [{"type": "tool_use", "id": None, "name": _SEARCHES[kind], "input": action}]
        case _ if kind in _ENDS or kind in _BEGINS:
            id = string(event.get("call_id")) or string(event.get("id"))
            name, input = _input(event, kind)
            blocks: list[Block] = [{"type": "tool_use", "id": id, "name": name, "input": input}]
            if text := _said_by(event):  # else the item may know more
                is_error = _failed(event) is True
                blocks.append(
                    {
                        "type": "tool_result",
                        "tool_use_id": id,
                        "content": text,
                        "is_error": is_error,
                    }
                )
            return blocks
    return [{"type": "text", "text": as_text(event)}]
