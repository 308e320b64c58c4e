"""System and progress records and attachments of Claude Code (format.md B2-B4), and the events of a
stream-json capture (format.md I)."""

from typing import Any

from viewer.formats.claude_messages import read_inside
from viewer.formats.claude_text import classify
from viewer.formats.fields import mapping, string, text_of, whole, word
from viewer.records import (
    LAST_OUTPUT,
    PREVIEW,
    ApiFailed,
    Compacted,
    Denied,
    HookFired,
    Learned,
    Level,
    Part,
    Progressed,
    Record,
    Said,
)

Object = dict[str, Any]

_LEVELS: dict[str, Level] = {"warning": "warning", "error": "error"}

# Notes that only matter to somebody who looks for them.
_QUIET = frozenset(
    """turn_duration init status thinking_tokens session_state_changed files_persisted task_started
    task_progress task_updated background_tasks_changed plugin_install memory_recall
    per_turn_effort_changed post_turn_summary file_snapshot keep_alive""".split()
)


def read_system(record: Record, value: Object) -> None:
    parts = record.parts
    subtype = value.get("subtype")
    content = value.get("content")
    text = content[:PREVIEW] if isinstance(content, str) else text_of(content, PREVIEW)
    match subtype:
        case "compact_boundary":
            data = mapping(value.get("compactMetadata") or value.get("compact_metadata"))
            parts.append(
                Compacted(
                    string(data.get("trigger")) or "unknown",
                    whole(data.get("preTokens", data.get("pre_tokens"))),
                    whole(data.get("postTokens", data.get("post_tokens"))),
                )
            )
        case "stop_hook_summary":
            _read_stop_hooks(parts, value)
        case "api_error" | "api_retry":
            parts.append(_read_api_error(value))
        case "local_command" | "local_command_output":
            parts.append(classify(content if isinstance(content, str) else text))
        case "hook_started" | "hook_response" | "hook_progress":
            parts.append(_read_stream_hook(value, word(subtype)))
        case "init":
            _read_init(parts, value)
        case "permission_denied":
            if id := string(value.get("tool_use_id")):
                parts.append(Denied(id, text or string(value.get("message")) or ""))
        case "task_notification":
            words = (string(value.get("status")), string(value.get("summary")))
            parts.append(
                Learned(
                    "task",
                    tuple(string(value.get(k)) for k in ("tool_use_id", "task_id", "status")),
                )
            )
            parts.append(Said("notification", ": ".join(w for w in words if w)[:PREVIEW], "task"))
        case "turn_duration":
            parts.append(Said("note", f"{whole(value.get('durationMs'))} ms", "turn", hidden=True))
        case _:
            text = (
                text or (string(value.get("text")) or string(value.get("message")) or "")[:PREVIEW]
            )
            name = string(subtype) or ""
            level = _LEVELS.get(word(value.get("level")), "info")
            if name.startswith("model_") and "fallback" in name:
                level = "warning"
            label = "" if name == "informational" else name.replace("_", " ")[:40]
            parts.append(Said("note", text, label or "note", level, name in _QUIET))


def _read_stop_hooks(parts: list[Part], value: Object) -> None:
    key = string(value.get("toolUseID"))
    errors = value.get("hookErrors")
    messages = (
        [text_of(_error_text(e), PREVIEW) for e in errors] if isinstance(errors, list) else []
    )
    prevented = value.get("preventedContinuation") is True
    infos = value.get("hookInfos")
    infos = [info for info in infos if isinstance(info, dict)] if isinstance(infos, list) else []
    commands = [string(info.get("command")) or string(info.get("promptText")) for info in infos]
    # An error begins with its command in brackets; one that does not is laid at the first hook.
    named = {message: _whose(message, commands) for message in messages}
    for number, (info, command) in enumerate(zip(infos, commands, strict=True)):
        own = [message for message, whose in named.items() if whose == number]
        parts.append(
            HookFired(
                "Stop",
                "Stop",
                key=key,
                command=command,
                outcome="blocked" if prevented else "error" if own else "success",
                duration_ms=whole(info.get("durationMs")),
                text=own[0] if own else (string(value.get("stopReason")) or "")[:PREVIEW],
            )
        )


def _whose(message: str, commands: list[str | None]) -> int:
    for number, command in enumerate(commands):
        if command and message.startswith(f"[{command}]"[:PREVIEW]):
            return number
    return 0


def _error_text(error: object) -> object:
    if isinstance(error, dict):
        return string(error.get("message")) or string(error.get("error")) or "(no message)"
    return error


def _read_api_error(value: Object) -> ApiFailed:
    error = value.get("error")
    data = mapping(error)
    cause = mapping(data.get("cause") or value.get("cause"))
    text = (
        string(data.get("formatted"))
        or string(data.get("message"))
        or string(cause.get("code"))
        or (string(error) if isinstance(error, str) else None)
        or string(value.get("content"))
        or "API error"
    )
    status = whole(data.get("status", value.get("error_status")))
    if status and str(status) not in text:
        text = f"{status} {text}"
    return ApiFailed(
        text[:PREVIEW],
        whole(value.get("retryAttempt", value.get("attempt"))) or 0,
        whole(value.get("maxRetries", value.get("max_retries"))),
    )


def _read_stream_hook(value: Object, subtype: str) -> HookFired:
    name = string(value.get("hook_name")) or "hook"
    outcome = "running"
    exit_code = whole(value.get("exit_code"))
    stdout = string(value.get("stdout")) or ""
    decision = None
    if subtype == "hook_response":
        outcome = {"success": "success", "error": "error", "cancelled": "cancelled"}.get(
            word(value.get("outcome")), "success" if exit_code == 0 else "error"
        )
        if exit_code == 2:
            outcome = "blocked"
        decision = _stated_decision(stdout)
        if decision in ("deny", "block"):
            outcome = "blocked"
    return HookFired(
        string(value.get("hook_event")) or "",
        name,
        key=string(value.get("hook_id")),
        outcome=outcome,
        exit_code=exit_code,
        decision=decision,
        text=(string(value.get("stderr")) or stdout)[:PREVIEW],
    )


def _stated_decision(stdout: str) -> str | None:
    """The decision in a hook's JSON answer."""
    if not stdout.lstrip().startswith("{"):
        return None
    from viewer.formats.parse import parse

    found = parse(stdout.encode("utf-8", "replace")).objects
    if not found:
        return None
    specific = mapping(found[0].value.get("hookSpecificOutput"))
    return string(specific.get("permissionDecision")) or string(found[0].value.get("decision"))


def _read_init(parts: list[Part], value: Object) -> None:
    for key, name in (("model", "model"), ("permissionMode", "permission_mode")):
        if text := string(value.get(key)):
            parts.append(Learned(name, text))
    parts.append(Said("note", string(value.get("model")) or "", "session start", hidden=True))


def read_progress(record: Record, value: Object) -> None:
    data = mapping(value.get("data"))
    run_id = string(value.get("toolUseID"))
    call_id = string(value.get("parentToolUseID")) or run_id
    kind = string(data.get("type")) or "progress"
    match kind:
        case "hook_progress":
            record.parts.append(_read_hook_progress(data, call_id, run_id))
        case "agent_progress":
            message = mapping(data.get("message"))
            record.parts.append(
                Progressed(
                    call_id,
                    kind,
                    agent_id=string(data.get("agentId")),
                    prompt=string(data.get("prompt")),
                    inside=read_inside(message),
                )
            )
        case _:
            elapsed = whole(data.get("elapsedTimeMs"))
            if elapsed is None and (seconds := whole(data.get("elapsedTimeSeconds"))) is not None:
                elapsed = seconds * 1000
            output = data.get("fullOutput") or data.get("output")
            text = output[-LAST_OUTPUT:] if isinstance(output, str) else _first_text(data)
            record.parts.append(
                Progressed(
                    call_id,
                    kind,
                    text,
                    elapsed,
                    whole(data.get("timeoutMs")),
                    data.get("status") == "failed",
                )
            )


def _read_hook_progress(data: Object, call_id: str | None, run_id: str | None) -> HookFired:
    event, name = string(data.get("hookEvent")) or "", string(data.get("hookName")) or ""
    command = string(data.get("command")) or string(data.get("promptText"))
    # Only the end of a turn has a second record to join (stop_hook_summary).
    fired = HookFired(event, name, call_id, run_id, command, "unknown")
    if "status" in data:
        fired.outcome = _HOOK_STATUS.get(string(data["status"]) or "", "unknown")
    if "statusMessage" in data:
        fired.text = (string(data["statusMessage"]) or "")[:PREVIEW]
    if "decision" in data:
        fired.decision = string(data["decision"])
    return fired


_HOOK_STATUS = {
    "running": "running",
    "started": "running",
    "completed": "success",
    "success": "success",
    "failed": "error",
    "error": "error",
    "blocked": "blocked",
    "cancelled": "cancelled",
}


def _first_text(data: Object) -> str:
    for key in ("query", "taskDescription", "toolName", "statusMessage"):
        if text := string(data.get(key)):
            return text[:PREVIEW]
    return ""


# Attachments of hooks: what each says about the run.
_HOOK_OUTCOMES = {
    "hook_success": "success",
    "hook_non_blocking_error": "error",
    "hook_blocking_error": "blocked",
    "hook_cancelled": "cancelled",
    "hook_error_during_execution": "error",
    "hook_stopped_continuation": "blocked",
    "hook_system_message": "message",
    "hook_additional_context": "message",
    "hook_permission_decision": "message",
    "hook_deferred_tool": "message",
    "async_hook_response": "success",
}
# Attachments that a person put there or would ask about; all others are bulk for the model.
_SHOWN = frozenset(
    """file directory selected_lines_in_ide opened_file_in_ide at_mention_reference pdf_reference
    mcp_resource edited_text_file edited_image_file diagnostics agent_mention inlined_image_paths
    plan_mode plan_mode_exit plan_mode_reentry plan_file_reference auto_mode auto_mode_exit
    goal_status max_turns_reached budget_usd task_status structured_output read_truncation_notice
    unknown_command_fallback teammate_mailbox""".split()
)


def read_attachment(record: Record, value: Object) -> None:
    data = mapping(value.get("attachment"))
    kind = string(data.get("type")) or "attachment"
    if kind in _HOOK_OUTCOMES:
        record.parts.append(_read_hook_attachment(kind, data))
        return
    if kind == "queued_command":
        _read_queued(record, data)
        return
    if kind == "max_turns_reached":
        text = (
            f"stopped after {whole(data.get('turnCount'))} of {whole(data.get('maxTurns'))} turns"
        )
        record.parts.append(Said("note", text, "limit", "warning"))
        return
    text = ""
    for key in ("displayPath", "filename", "path", "planFilePath", "name", "content", "text"):
        if found := string(data.get(key)):
            text = found[:PREVIEW]
            break
    shown = kind in _SHOWN
    record.parts.append(Said("context", text, kind.replace("_", " ")[:40], hidden=not shown))


def _read_hook_attachment(kind: str, data: Object) -> HookFired:
    blocking = data.get("blockingError")
    texts = (
        string(mapping(blocking).get("blockingError") if isinstance(blocking, dict) else blocking),
        string(data.get("stderr")),
        string(data.get("stdout")),
        string(data.get("message")),
        text_of(data.get("content"), PREVIEW),
    )
    return HookFired(
        string(data.get("hookEvent")) or "",
        string(data.get("hookName")) or "",
        string(data.get("toolUseID")),
        key=string(data.get("toolUseID")),
        command=string(data.get("command")) or string(mapping(blocking).get("command")),
        outcome=_HOOK_OUTCOMES[kind],
        exit_code=whole(data.get("exitCode")),
        duration_ms=whole(data.get("durationMs")),
        decision=string(data.get("decision")),
        text=next((text for text in texts if text), "")[:PREVIEW],
    )


def _read_queued(record: Record, data: Object) -> None:
    prompt = data.get("prompt")
    text = prompt if isinstance(prompt, str) else text_of(prompt, 4000)
    origin = string(mapping(data.get("origin")).get("kind"))
    part = classify(text, meta=data.get("isMeta") is True)
    if isinstance(part, Said) and part.kind == "prompt" and origin in (None, "human"):
        part = Said("queued", part.text, part.label)
    record.parts.append(part)
