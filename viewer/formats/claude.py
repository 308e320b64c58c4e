"""Claude Code transcripts of every version, and stream-json captures: a JSON object to a Record."""

from typing import Any

from viewer.formats import claude_bare
from viewer.formats.claude_events import read_attachment, read_progress, read_system
from viewer.formats.claude_messages import read_assistant, read_user
from viewer.formats.claude_state import read_result, read_state
from viewer.formats.contract import Format
from viewer.formats.fields import mapping, string, time
from viewer.records import Record

Object = dict[str, Any]

_LINKED = {
    "user": read_user,
    "assistant": read_assistant,
    "system": read_system,
    "attachment": read_attachment,
    "progress": read_progress,
}


def read(value: Object) -> Record:
    """The record that an object is. Unknown ones are records too."""
    kind = value.get("type")
    reader = _LINKED.get(kind) if kind.__class__ is str else None
    if reader is None:
        return _read_other(value, kind)
    get = value.get
    uuid, parent = get("uuid"), get("parentUuid")
    record = Record(kind)  # type: ignore[arg-type]
    if uuid.__class__ is str and uuid:
        record.uuid = uuid
    if parent.__class__ is str and parent:
        record.parent = parent
    record.linked = True
    record.spoken = kind == "user" or kind == "assistant"
    record.time = time(get("timestamp"))
    if "sessionId" in value:
        record.format = "claude"
        session_id, cwd = get("sessionId"), get("cwd")
        branch, version = get("gitBranch"), get("version")
        # `string` written out: on every line of every file its calls can be measured.
        if session_id.__class__ is str:
            record.session_id = session_id
        if cwd.__class__ is str:
            record.cwd = cwd
        if branch.__class__ is str:
            record.branch = branch
        if version.__class__ is str:
            record.version = version
        if get("isSidechain") is True:
            record.sidechain = True
        if "agentId" in value:
            record.agent_id = string(get("agentId"))
    else:
        _read_stream_envelope(record, value)
    if kind == "system":
        subtype = get("subtype")
        if isinstance(subtype, str):
            record.type = f"system/{subtype[:60]}"
        logical = get("logicalParentUuid")
        if isinstance(logical, str):
            record.logical_parent = logical
    reader(record, value)
    return record


def _read_stream_envelope(record: Record, value: Object) -> None:
    """stream-json has no chain of parents; neither have the hand-made records of the documents."""
    get = value.get
    if "session_id" in value:
        record.format = "stream-json"
        record.session_id = string(get("session_id"))
        record.cwd = string(get("cwd"))
        record.version = string(get("claude_code_version"))
    elif "parentUuid" in value or "message" in value:
        record.format = "claude"
        record.cwd = string(get("cwd"))
        record.branch = string(get("gitBranch"))
        record.version = string(get("version"))
        record.sidechain = get("isSidechain") is True
        record.agent_id = string(get("agentId"))
    call = get("parent_tool_use_id")
    if isinstance(call, str):
        record.agent_call = call
    if record.type == "system" and get("subtype") == "init":
        record.format = "stream-json"


def _read_other(value: Object, kind: object) -> Record:
    if (bare := claude_bare.read(value)) is not None:
        return bare
    if not isinstance(kind, str):
        record = Record("(no type)")
        record.unknown = True
        return record
    record = Record(kind[:60])
    record.time = time(value.get("timestamp"))
    if "sessionId" in value:
        record.format = "claude"
        record.session_id = string(value.get("sessionId"))
    elif "session_id" in value:
        record.format = "stream-json"
        record.session_id = string(value.get("session_id"))
    if kind == "result" and ("duration_ms" in value or "subtype" in value):
        record.format = record.format or "stream-json"
        read_result(record, value)
    elif kind == "stream_event" and isinstance(value.get("parent_tool_use_id"), str):
        record.agent_call = value["parent_tool_use_id"]
    elif not read_state(record, value):
        record.unknown = True
        record.session_id = record.session_id or string(mapping(value.get("payload")).get("id"))
    return record


def _recognises(value: Object) -> bool:
    kind = value.get("type")
    if isinstance(kind, str) and kind in _LINKED and ("message" in value or "uuid" in value):
        return True
    return any(key in value for key in ("sessionId", "session_id", "parentUuid", "leafUuid"))


FORMAT = Format("claude", "claude", _recognises, lambda: read, claude_bare.content)
