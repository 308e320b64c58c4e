"""Codex rollouts of all eras (format.md J): bare items, wrapped lines, paginated history.

A rollout says nearly everything twice: as the item that the model saw (`response_item`) and as an
event for the screen (`event_msg`). Whichever comes first is shown; the other only adds what it
knows better: exit codes, durations, patches. Lines follow one another; a rollback leaves a branch.
"""

from collections import Counter
from typing import Any

from viewer import tools
from viewer.formats import codex_events
from viewer.formats.claude_messages import describe_media
from viewer.formats.codex_text import (
    as_text,
    cwd_of,
    injected,
    loads,
    read_output,
    read_patch,
    request,
    spent,
    timed_out,
)
from viewer.formats.contract import Block, Format, Object
from viewer.formats.fields import mapping, string, time, whole, word
from viewer.records import (
    PREVIEW,
    Answered,
    Asked,
    Compacted,
    Invalid,
    Learned,
    Part,
    Record,
    Said,
    Unread,
    task_key,
)

_WRAPPERS = frozenset(
    """session_meta turn_context response_item event_msg compacted world_state token_usage_record
    inter_agent_communication inter_agent_communication_metadata security_risk_score""".split()
)
_ITEMS = frozenset(
    """function_call function_call_output function_call_result custom_tool_call
    custom_tool_call_output local_shell_call local_shell_call_output web_search_call
    image_generation_call tool_search_call tool_search_output reasoning message agent_message
    compaction context_compaction ghost_snapshot""".split()
)
# Items whose name another program's records could have, too.
_COMMON = frozenset(("message", "agent_message", "reasoning"))
_OUTPUTS = frozenset(
    """function_call_output function_call_result custom_tool_call_output local_shell_call_output
    tool_search_output""".split()
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
    if kind in _ITEMS - _COMMON:
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


class Rollout:
    """What has to be remembered of a rollout while it is read."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.cwd: str | None = None
        self.model: str | None = None
        self.calls: set[str] = set()
        self.context: int | None = None  # tokens in the model's window
        self._copied_until = 0  # lines before this ordinal are its parent's
        self._said: Counter[tuple[str, str, str]] = Counter()  # waiting for its second telling
        self._number = 0
        self._last: str | None = None  # uuid of the record before
        self._turns: list[str | None] = []  # after which record each turn began
        self._response = 0
        self._speaks = False  # the model, since something was answered to it

    def read(self, value: Object) -> Record:
        kind, body = value.get("type"), value.get("payload")
        if body.__class__ is not dict:
            body = value
        if kind in _WRAPPERS:
            inner = body.get("type") if body is not value else None
            record = Record(f"{kind}/{inner[:60]}" if isinstance(inner, str) else str(kind))
        else:
            inner, kind = kind, "response_item" if kind in _ITEMS else kind
            record = Record(inner[:60] if isinstance(inner, str) else "(no type)")
        record.format = "codex"
        record.time = time(value.get("timestamp"))
        if self._copied_until and (whole(value.get("ordinal")) or self._copied_until) < (
            self._copied_until
        ):
            record.parts.append(Said("context", "", "of the session that started it", hidden=True))
            return record
        match kind:
            case "response_item":
                self._read_item(record, body, word(inner))
            case "event_msg":
                codex_events.read(self, record, body, word(inner))
            case "compacted":
                self._read_compaction(record, "history")
            case "turn_context":
                self.model = string(body.get("model")) or self.model
                record.cwd = string(body.get("cwd"))
            case "session_meta":
                self._read_meta(record, body)
            case "token_usage_record" | "world_state" | "security_risk_score":
                pass
            case "inter_agent_communication" | "inter_agent_communication_metadata":
                self._read_message_between(record, body)
            case _ if "instructions" in value or value.get("record_type") == "state":
                self._read_meta(record, body)
            case _ if "id" in value and isinstance(kind, type(None)) and "timestamp" in value:
                self._read_meta(record, body)
            case _:
                record.unknown = True
        if record.parts or record.linked:
            self._link(record)
        return record

    def _link(self, record: Record) -> None:
        """Each record that says something follows the one before."""
        if record.opens_turn:
            self._turns.append(self._last)
        record.linked = True
        self._number += 1
        record.uuid = str(self._number)
        record.parent = record.parent or self._last
        self._last = record.uuid

    def speaks(self, record: Record) -> None:
        """The model says something: part of one response until it is answered."""
        if not self._speaks:
            self._response += 1
            self._speaks = True
        record.message_id = f"response {self._response}"
        record.spoken = True

    def is_answered(self) -> None:
        self._speaks = False

    def is_new(self, who: str, text: str, source: str) -> bool:
        """Whether a text was not told by the other source before."""
        text = text.strip()
        other = "event" if source == "item" else "item"
        if self._said[who, text, other]:
            self._said[who, text, other] -= 1
            return False
        self._said[who, text, source] += 1
        return True

    def roll_back(self, record: Record, turns: int) -> None:
        """The last turns are left, and the conversation goes on from before them."""
        turns = min(turns, len(self._turns))
        if turns == 0:
            return
        record.parent = self._turns[-turns]
        del self._turns[-turns:]
        record.message_id = f"rollback {self._number}"
        record.spoken = True

    def compacts(self, record: Record) -> None:
        self._read_compaction(record, "event")

    # Items

    def _read_item(self, record: Record, item: Object, kind: str) -> None:
        parts = record.parts
        id = string(item.get("call_id")) or string(item.get("id"))
        if kind in _OUTPUTS:
            self.is_answered()
            record.spoken = True
            parts.append(_read_answer(item, id, kind))
            return
        match kind:
            case "message":
                self._read_message(record, item)
            case "reasoning":
                self._read_reasoning(record, item)
            case "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call":
                self.asks(record, read_call(item, kind, id, parts))
            case "web_search_call" | "image_generation_call":
                self.read_search(record, item, kind, "item")
            case "agent_message":
                self._read_message_between(record, item)
            case "compaction" | "context_compaction":
                self._read_compaction(record, "item")
            case "ghost_snapshot":
                pass
            case _:
                record.unknown = True

    def asks(self, record: Record, asked: Asked) -> None:
        self.speaks(record)
        record.parts.append(asked)
        if asked.id is not None:
            self.calls.add(asked.id)

    def read_search(self, record: Record, item: Object, kind: str, source: str) -> None:
        """A search that the API did by itself; it has a state, but no output."""
        action = mapping(item.get("action"))
        name = "image_generation" if kind.startswith("image") else "web_search"
        about = action or {"query": item.get("query") or item.get("revised_prompt")}
        summary = tools.summarize(name, about)
        if not self.is_new(name, summary, source):
            return
        id = string(item.get("call_id")) or string(item.get("id")) or f"{name} {self._number + 1}"
        status = string(item.get("status")) or "completed"
        if id in self.calls:
            return
        self.asks(record, Asked(id, name, summary))
        if status not in ("in_progress", "open", "searching", "generating"):
            record.parts.append(Answered(id, status in ("failed", "incomplete"), status))

    def _read_message(self, record: Record, item: Object) -> None:
        role, content = item.get("role"), item.get("content")
        blocks = content if isinstance(content, list) else [content]
        texts = [text for block in blocks if (text := _text(block))]
        if role == "assistant":
            self.speaks(record)
            whole_text = "\n".join(texts)
            if self.is_new("assistant", whole_text, "item"):
                record.parts += [Said("reply", text[:PREVIEW]) for text in texts]
            return
        for text in texts:
            record.cwd = record.cwd or cwd_of(text)
            if role != "user" or injected(text):
                label = "context" if role == "user" else word(role)[:40]
                record.parts.append(Said("context", text[:PREVIEW], label, hidden=True))
        asked = [text for text in texts if role == "user" and not injected(text)]
        if asked:
            self.prompt(record, "\n".join(asked), "item")
        for block in blocks:
            if isinstance(block, dict) and not _text(block) and "image_url" in block:
                record.parts.append(Said("context", "[image]", "image"))
        if not record.parts and not asked:
            record.parts.append(Unread(f"message of {word(role)[:20]}"))

    def prompt(self, record: Record, text: str, source: str) -> None:
        """What the user asks."""
        text = request(text)
        self.is_answered()
        record.spoken = True
        if self.is_new("user", text, source):
            record.parts.append(Said("prompt", text[:PREVIEW]))
            record.opens_turn = True
            record.task = task_key(text)

    def _read_reasoning(self, record: Record, item: Object) -> None:
        self.speaks(record)
        texts = [t for key in ("summary", "content") for each in _list(item.get(key))
                 if (t := _text(each))]  # fmt: skip
        if not texts:
            record.parts.append(Said("thinking", "", "encrypted", hidden=True))
            return
        new = [text for text in texts if self.is_new("thinking", text, "item")]
        record.parts += [Said("thinking", text[:PREVIEW]) for text in new]

    def _read_message_between(self, record: Record, item: Object) -> None:
        names = (string(item.get("author")), string(item.get("recipient")))
        texts = [text for each in _list(item.get("content")) if (text := _text(each))]
        text = "\n".join(texts) or string(item.get("content")) or ""
        label = " → ".join(name for name in names if name)
        if label or text:
            record.parts.append(
                Said("note", text[:PREVIEW] or "(encrypted)", label[:60] or "agent")
            )

    def _read_compaction(self, record: Record, source: str) -> None:
        # Told up to three times in a row: the new history, an item, an event.
        if self.is_new("compaction", "", "item" if source == "history" else "event"):
            record.parts.append(Compacted("auto", self.context))

    # The session

    def _read_meta(self, record: Record, meta: Object) -> None:
        id = string(meta.get("id"))
        git = mapping(meta.get("git"))
        label = "session"
        if self.id is None:
            self.id = id
            record.session_id = id
            record.cwd = self.cwd = string(meta.get("cwd"))
            record.branch = string(git.get("branch"))
            record.version = string(meta.get("cli_version"))
            if parent := parent_of(meta):
                record.parts.append(Learned("parent_thread", parent))
                self._copied_until = whole(meta.get("subagent_history_start_ordinal")) or 0
            for key, field in (("agent_nickname", "agent_name"), ("agent_role", "agent_role")):
                if name := string(_spawned(meta).get(key)) or string(meta.get(key)):
                    record.parts.append(Learned(field, name[:200]))
            if origin := string(meta.get("forked_from_id")):
                record.parts.append(Learned("forked_from", origin))
        elif id not in (None, self.id):
            label = "history of another session"  # a fork begins with its parent's lines
        record.parts.append(Said("context", (id or "")[:PREVIEW], label, hidden=True))

    def spend(self, record: Record, info: Object) -> None:
        """The file's own totals."""
        total, last = mapping(info.get("total_token_usage")), mapping(info.get("last_token_usage"))
        self.context = whole(last.get("total_tokens")) or self.context
        if total:
            record.parts.append(spent(total, self.model, total=True))


def parent_of(meta: Object) -> str | None:
    """The session that started this one as its sub-agent."""
    return string(meta.get("parent_thread_id")) or string(_spawned(meta).get("parent_thread_id"))


def _spawned(meta: Object) -> Object:
    return mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(block: object) -> str:
    text = block if isinstance(block, str) else mapping(block).get("text")
    return text if isinstance(text, str) else ""


# Calls and their answers


def call_name(item: Object) -> str:
    name, space = string(item.get("name")) or "", string(item.get("namespace"))
    if space and space.startswith("mcp__"):
        return f"{space}__{name.lstrip('_')}"
    return name or ("local_shell" if "action" in item else "tool_search")


def call_input(item: Object, kind: str) -> tuple[object, bool]:
    """What a tool was asked, and whether that could be read."""
    if kind == "local_shell_call":
        return mapping(item.get("action")), True
    if kind == "custom_tool_call":
        return {"input": item.get("input")}, True
    arguments = item.get("arguments")
    if not isinstance(arguments, str):
        return arguments, True
    if not arguments.strip():
        return {}, True
    value = loads(arguments)
    return (value, True) if value is not None else (arguments, arguments.strip() == "null")


def read_call(item: Object, kind: str, id: str | None, parts: list[Part]) -> Asked:
    name = call_name(item)
    input, is_json = call_input(item, kind)
    if not is_json:
        rule = f"{kind}.arguments: not JSON"
        parts.append(Invalid(rule, "The model wrote broken arguments; Codex tells it so"))
    if id is None:
        parts.append(Invalid(f"{kind}.call_id: missing", "Nothing can answer this call"))
    asked = Asked(id, name, tools.summarize(name, input))
    touches = tools.touches(name, input)
    if isinstance(input, dict):
        if name in tools.EDITS:
            asked.added, asked.removed = tools.changed_lines(input)
        patch = read_patch(tools.patch_text(input)) if name in tools.PATCHES else None
        if patch is not None:
            touches = patch.touches
            asked.added, asked.removed = patch.added, patch.removed
        if name in tools.AGENT_TOOLS:
            asked.prompt = string(input.get("message")) or string(input.get("prompt"))
            asked.agent_type = string(input.get("agent_type"))
    asked.touches = touches
    return asked


def _read_answer(item: Object, id: str | None, kind: str) -> Answered:
    output = read_output(_output_of(item, kind))
    answered = Answered(id, output.failed is True, output.text)
    if output.exit_code is not None:
        answered.exit_code = output.exit_code
    if output.duration_ms is not None:
        answered.duration_ms = output.duration_ms
    if output.running:
        answered.background = True
    if output.media:
        answered.images = len(output.media)
    if timed_out(output.text):
        answered.error = True
    if output.text.startswith('{"agent_id"'):
        answered.agent_id = string(mapping(loads(output.text)).get("agent_id"))
        answered.agent_status = "async_launched" if answered.agent_id else None
    return answered


def _output_of(item: Object, kind: str) -> object:
    if kind == "tool_search_output":
        names = [string(mapping(each).get("name")) for each in _list(item.get("tools"))]
        return "\n".join(name for name in names if name)
    return item.get("output", item.get("result"))


# Looking again


def _content(value: Object) -> list[Block]:
    """What a record says, as blocks of the Messages API."""
    body = value.get("payload")
    item = body if isinstance(body, dict) else value
    kind = word(item.get("type"))
    id = string(item.get("call_id")) or string(item.get("id"))
    if kind in _OUTPUTS:
        output = read_output(_output_of(item, kind), None)
        images = [{"type": "image", **each} for each in output.media]
        content: list[Block] = [{"type": "text", "text": output.text}, *images]
        return [{"type": "tool_result", "tool_use_id": id, "content": content,
                 "is_error": output.failed is True}]  # fmt: skip
    match kind:
        case "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call":
            name, (input, _) = call_name(item), call_input(item, kind)
            return [{"type": "tool_use", "id": id, "name": name, "input": input}]
        case "web_search_call" | "image_generation_call":
            action = item.get("action") or {k: v for k, v in item.items() if k != "result"}
            return [
                {"type": "tool_use", "id": id, "name": kind.removesuffix("_call"), "input": action},
                {"type": "tool_result", "tool_use_id": id, "content": str(item.get("status"))},
            ]
        case "reasoning":
            texts = [*_list(item.get("summary")), *_list(item.get("content"))]
            return [{"type": "thinking", "thinking": t} for each in texts if (t := _text(each))]
        case "message" | "agent_message" if "content" in item:
            blocks = item["content"] if isinstance(item["content"], list) else [item["content"]]
            return [_block(each) for each in blocks]
    if value.get("type") == "event_msg":
        return codex_events.content(item, kind)
    if value.get("type") == "compacted":
        return [{"type": "text", "text": string(item.get("message")) or "(no summary was kept)"}]
    return [{"type": "text", "text": as_text(item)}]


def _block(block: object) -> Block:
    if text := _text(block):
        return {"type": "text", "text": request(text)}
    image = mapping(block)
    return {"type": "text", "text": describe_media({"type": word(image.get("type"))[:20]})}


FORMAT = Format("codex", "codex", _recognises, lambda: Rollout().read, _content, _parts)
