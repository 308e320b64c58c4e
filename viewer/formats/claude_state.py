"""Records of Claude Code that have no place in the conversation: the state records that are written
again and again (format.md B5), and the result that ends a captured turn (format.md I)."""

from typing import Any

from viewer.formats.claude_text import classify
from viewer.formats.fields import mapping, string, text_of, time
from viewer.records import PREVIEW, ApiFailed, Denied, Learned, Record, Said

Object = dict[str, Any]


def read_result(record: Record, value: Object) -> None:
    """The `result` record that ends each turn of a stream-json capture."""
    keys = ("total_cost_usd", "duration_ms", "num_turns", "modelUsage", "subtype", "is_error")
    record.parts.append(Learned("result", {key: value[key] for key in keys if key in value}))
    denials = value.get("permission_denials")
    for denial in denials if isinstance(denials, list) else ():
        if id := string(mapping(denial).get("tool_use_id")):
            record.parts.append(Denied(id))
    subtype = string(value.get("subtype")) or "result"
    text = text_of(value.get("result") or value.get("errors"), PREVIEW)
    if subtype.startswith("error_max"):
        words = f"{subtype.removeprefix('error_').replace('_', ' ')}: {text}".rstrip(": ")
        record.parts.append(Said("note", words, "limit", "warning"))
    elif value.get("is_error") is True or subtype.startswith("error"):
        record.parts.append(ApiFailed(text or subtype.replace("_", " ")))
    else:
        record.parts.append(Said("note", subtype, "turn ended", hidden=True))


# State records: the last one wins, none has a place in the tree.
_FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "custom-title": (("customTitle", "custom_title"),),
    "ai-title": (("aiTitle", "ai_title"),),
    "last-prompt": (("lastPrompt", "last_prompt"),),
    "permission-mode": (("permissionMode", "permission_mode"),),
    "agent-name": (("agentName", "agent_name"),),
    "tag": (("tag", "tag"),),
    "relocated": (("relocatedCwd", "relocated"),),
    "continued-in": (("continuedInSessionId", "continued_in"),),
    "pr-link": (("prUrl", "pr"),),
}
# Known to say nothing that is shown.
_SILENT = frozenset(
    """agent-color agent-setting mode file-history-snapshot file-history-delta worktree-state
    bridge-session content-replacement tools-used api-request-shape api-request-blob api-request
    atis-latch isolation-latch memory-mode dev-mods history-suppression ended-by-model observer-ref
    fork-context-ref frame-link artifact-comment-monitor artifact-autoreact-ledger
    attribution-snapshot speculation-accept task-summary marble-origami-commit
    marble-origami-snapshot marble-origami-reset agent_metadata stream_event tool_progress
    tool_use_summary rate_limit_event auth_status prompt_suggestion active_goal conversation_reset
    keep_alive control_request control_response control_cancel_request transcript_mirror
    launched started failed""".split()
)


def read_state(record: Record, value: Object) -> bool:
    """Read a state record; False where its type is unknown."""
    parts = record.parts
    match record.type:
        case "cost-state":
            keys = ("totalCostUSD", "totalDuration", "totalAPIDuration", "modelUsage")
            parts.append(Learned("cost", {key: value[key] for key in keys if key in value}))
        case "queue-operation":
            operation, content = value.get("operation"), text_of(value.get("content"), 4000)
            said = classify(content)
            if isinstance(said, Said):
                parts.append(Learned("queue", (operation, said)))
            record.time = record.time or time(value.get("timestamp"))
        case "last-prompt" if "leafUuid" in value:
            parts.append(Learned("leaf", (value.get("leafUuid"), value.get("explicit") is True)))
            if text := string(value.get("lastPrompt")):
                parts.append(Learned("last_prompt", text))
        case "summary":
            summary, leaf = string(value.get("summary")), string(value.get("leafUuid"))
            record.format = "claude"
            # Where the call that sums up failed, the error became the summary.
            if summary and leaf and not summary.startswith(("Invalid API key", "API Error")):
                parts.append(Learned("summary", (summary[:500], leaf)))
        case kind if kind in _FACTS:
            for field, key in _FACTS[kind]:
                fact = value.get(field)
                if isinstance(fact, str):
                    parts.append(Learned(key, fact[:500]))
        case kind:
            return kind in _SILENT
    return True
