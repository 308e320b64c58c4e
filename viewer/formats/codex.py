"""Codex rollouts of all eras (format.md J): bare items, wrapped lines, paginated history.

A rollout says nearly everything twice: as the item that the model saw (`response_item`) and as an
event for the screen (`event_msg`). Whichever comes first is shown; the other only adds what it
knows better: exit codes, durations, patches. Lines follow one another; a rollback leaves a branch.
"""

from functools import partial
from typing import NamedTuple

from viewer.formats import codex_events, codex_items
from viewer.formats.codex_rollout import Rollout
from viewer.formats.codex_text import as_text
from viewer.formats.contract import Block, Format, Object, Read
from viewer.formats.fields import mapping, string, time, whole, word
from viewer.records import PREVIEW, Learned, Record, Said

_WRAPPERS = frozenset(
    """session_meta turn_context response_item event_msg compacted world_state token_usage_record
    inter_agent_communication inter_agent_communication_metadata security_risk_score""".split()
)


def _recognises(value: Object) -> bool:
    kind = value.get("type")
    if not isinstance(kind, str):
        is_header = {"id", "timestamp", "instructions"} <= value.keys()
        session = value.get("session")
        is_document = isinstance(session, dict) and isinstance(value.get("items"), list)
        return is_header or is_document or value.get("record_type") == "state"
    if kind in _WRAPPERS:
        return isinstance(value.get("payload"), dict) or kind not in ("event_msg", "compacted")
    if kind in codex_items.NAMES - codex_items.COMMON:
        return "sessionId" not in value
    if kind == "reasoning":
        return "summary" in value
    content = value.get("content")
    first = mapping(content[0]) if isinstance(content, list) and content else {}
    return kind == "message" and first.get("type") in ("input_text", "output_text")


def _parts(value: Object) -> list[Object]:
    """The TypeScript program of 2025 wrote one document: {session, items}."""
    items = value.get("items")
    if isinstance(value.get("session"), dict) and isinstance(items, list):
        return [value["session"], *(item for item in items if isinstance(item, dict))]
    return [value]


class _Line(NamedTuple):
    wrapper: str  # response_item and event_msg also where there is none; "" for a bare header
    kind: str  # of the item or event
    body: Object


def _open(value: Object) -> _Line:
    """What stands in a line: in a payload, or beside its type where it is flattened, or bare."""
    type, body = value.get("type"), value.get("payload")
    if not isinstance(body, dict):
        body = value
    if type == "event_msg":
        return _Line(type, word(body.get("type")), body)
    if type == "response_item":
        return _Line(type, codex_items.kind_of(body), body)
    if not isinstance(type, str):
        is_header = "instructions" in value or "record_type" in value
        is_header = is_header or (type is None and {"id", "timestamp"} <= value.keys())
        return _Line("" if is_header else "?", "", body)
    if type in codex_items.NAMES and not (type == "agent_message" and "message" in value):
        return _Line("response_item", type, value)
    if type in codex_events.NAMES:
        return _Line("event_msg", type, value)
    return _Line(type, "", body)


def _read(rollout: Rollout, value: Object) -> Record:
    wrapper, kind, body = _open(value)
    record = Record(_type(value, kind))
    record.format = "codex"
    record.time = time(value.get("timestamp"))
    ordinal = whole(value.get("ordinal"))
    if ordinal is not None and ordinal < rollout.copied_until:
        record.parts.append(Said("context", "", "of the session that started it", hidden=True))
        return record
    match wrapper:
        case "response_item":
            codex_items.read(rollout, record, body, kind)
        case "event_msg":
            codex_events.read(rollout, record, body, kind)
        case "session_meta" | "":
            _read_meta(rollout, record, body)
        case "turn_context":
            rollout.model = string(body.get("model")) or rollout.model
            record.cwd = string(body.get("cwd"))
        case "compacted":
            rollout.compact(record)
        case "inter_agent_communication" | "inter_agent_communication_metadata":
            codex_items.read_message_between(rollout, record, body)
        case _ if wrapper not in _WRAPPERS:
            record.unknown = True
    if record.parts:
        rollout.link(record)
    return record


def _type(value: Object, kind: str) -> str:
    type = value.get("type")
    if not isinstance(type, str):
        return "(no type)"
    return f"{type}/{kind[:60]}" if kind and kind != type else type[:60]


# The session


def _read_meta(rollout: Rollout, record: Record, meta: Object) -> None:
    id, label = string(meta.get("id")), "session"
    if rollout.id is None:
        rollout.id = record.session_id = id
        record.cwd = string(meta.get("cwd"))
        record.branch = string(mapping(meta.get("git")).get("branch"))
        record.version = string(meta.get("cli_version"))
        if parent := parent_of(meta):
            record.parts.append(Learned("parent_thread", parent))
            rollout.copied_until = whole(meta.get("subagent_history_start_ordinal")) or 0
        rollout.path = string(meta.get("agent_path")) or string(_spawned(meta).get("agent_path"))
        for key, fact in (("agent_nickname", "agent_name"), ("agent_role", "agent_role")):
            if name := string(meta.get(key)) or string(_spawned(meta).get(key)):
                record.parts.append(Learned(fact, name[:200]))
        if origin := string(meta.get("forked_from_id")):
            record.parts.append(Learned("forked_from", origin))
    elif id not in (None, rollout.id):
        label = "history of another session"  # a fork begins with its parent's lines
    record.parts.append(Said("context", (id or "")[:PREVIEW], label, hidden=True))


def parent_of(meta: Object) -> str | None:
    """The session that started this one as its sub-agent."""
    return string(meta.get("parent_thread_id")) or string(_spawned(meta).get("parent_thread_id"))


def _spawned(meta: Object) -> Object:
    return mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))


# Looking again


def _content(value: Object) -> list[Block]:
    """What a record says, as blocks of the Messages API."""
    wrapper, kind, body = _open(value)
    match wrapper:
        case "response_item":
            return codex_items.content(body, kind)
        case "event_msg":
            return codex_events.content(body, kind)
        case "inter_agent_communication":
            return codex_items.content(body, "agent_message")
        case "compacted":
            text = string(body.get("message")) or "(no summary was kept)"
            return [{"type": "text", "text": text}]
    return [{"type": "text", "text": as_text(body)}]


def _reader() -> Read:
    return partial(_read, Rollout())


FORMAT = Format("codex", "codex", _recognises, _reader, _content, _parts)
