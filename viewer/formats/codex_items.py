"""Items of a Codex rollout: what the model saw and wrote (`response_item`)."""

from viewer import tools
from viewer.formats.codex_rollout import Rollout, Source
from viewer.formats.codex_text import (
    as_text,
    cwd_of,
    injected,
    is_tag,
    loads,
    read_output,
    read_patch,
    request,
    texts_of,
)
from viewer.formats.contract import Block, Object
from viewer.formats.fields import mapping, string, word
from viewer.records import PREVIEW, Answered, Asked, Invalid, Part, Record, Said, SaidKind, Unread

_CALLS = frozenset("function_call custom_tool_call local_shell_call tool_search_call".split())
# function_call_result: a documented name that no known version writes.
_OUTPUTS = frozenset(
    """function_call_output function_call_result custom_tool_call_output local_shell_call_output
    tool_search_output""".split()
)
_SEARCHES = {"web_search_call": "web_search", "image_generation_call": "image_generation"}
_COMPACTIONS = frozenset(("compaction", "context_compaction", "compaction_summary"))
# Items whose name another program's records could have, too.
COMMON = frozenset(("message", "agent_message", "reasoning"))
NAMES = _CALLS | _OUTPUTS | _SEARCHES.keys() | _COMPACTIONS | COMMON | {"ghost_snapshot"}


def kind_of(item: Object) -> str:
    """What an item is. Some files flatten it over the type of its wrapper: then by its fields."""
    kind = item.get("type")
    if kind != "response_item":
        return word(kind)
    for field, kind in (
        ("role", "message"),
        ("output", "function_call_output"),
        ("result", "function_call_result"),
        ("arguments", "function_call"),
        ("input", "custom_tool_call"),
        ("summary", "reasoning"),
    ):
        if field in item:
            return kind
    return "response_item"


def read(rollout: Rollout, record: Record, item: Object, kind: str) -> None:
    id = _id(item)
    match kind:
        case "message":
            _read_message(rollout, record, item)
        case "reasoning":
            _read_reasoning(rollout, record, item)
        case "agent_message":
            read_message_between(rollout, record, item, "item")
        case "ghost_snapshot":
            pass
        case _ if kind in _CALLS:
            asked = _read_call(item, kind, id, record.parts)
            if id is not None and asked.touches and asked.name in tools.PATCHES:
                rollout.patched[id] = [touch.path for touch in asked.touches]
            rollout.ask(record, asked)
        case _ if kind in _OUTPUTS:
            rollout.is_answered(id)
            record.spoken = True
            record.parts.append(_read_answer(item, id, kind))
        case _ if kind in _SEARCHES:
            rollout.search(record, item, _SEARCHES[kind], "item")
        case _ if kind in _COMPACTIONS:
            rollout.compact(record)
        case _:
            record.unknown = True


def _id(item: Object) -> str | None:
    return string(item.get("call_id")) or string(item.get("id"))


# Messages


def _read_message(rollout: Rollout, record: Record, item: Object) -> None:
    role, content = item.get("role"), item.get("content")
    blocks = content if isinstance(content, list) else [content]
    texts = [text for text in texts_of(blocks) if not is_tag(text)]
    if role == "assistant":
        for text in texts:
            rollout.reply(record, text, "item")
        return
    asked: list[str] = []
    for text in texts:
        record.cwd = record.cwd or cwd_of(text)
        if role == "user" and not injected(text):
            asked.append(text)
        else:
            label = "context" if role == "user" else word(role)[:40]
            record.parts.append(Said("context", text[:PREVIEW], label, hidden=True))
    rollout.prompt(record, "\n".join(asked), "item")
    for block in blocks:
        if "image_url" in mapping(block):
            kind: SaidKind = "prompt" if role == "user" else "context"
            record.parts.append(Said(kind, "[image]", "image"))
            record.opens_turn = record.opens_turn or (role == "user" and not asked)
    if not texts and not record.parts:
        record.parts.append(Unread(f"message of {word(role)[:20]}"))


def _read_reasoning(rollout: Rollout, record: Record, item: Object) -> None:
    texts = _thoughts(item)
    for text in texts:
        rollout.think(record, text, "item")
    if not texts:
        rollout.speaks(record)
        record.parts.append(Said("thinking", "", "encrypted", hidden=True))


def _thoughts(item: Object) -> list[str]:
    return [*texts_of(item.get("summary")), *texts_of(item.get("content"))]


def read_message_between(
    rollout: Rollout, record: Record, item: Object, source: Source = "event"
) -> None:
    """What one agent says to another: to this one, it is a prompt."""
    author, recipient = string(item.get("author")), string(item.get("recipient"))
    text = "\n".join(texts_of(item.get("content")))
    label = " → ".join(name for name in (author, recipient) if name)
    if not (label or text) or not rollout.is_new(label, text, source):
        return
    said = text[:PREVIEW] or "(encrypted)"
    if recipient is not None and recipient == rollout.path:
        rollout.is_answered()
        record.parts.append(Said("prompt", said, f"of {author}"[:60]))
        record.opens_turn = record.spoken = True
    else:
        record.parts.append(Said("note", said, label[:60] or "agent"))


# Calls and their answers


def _name(item: Object) -> str:
    name, space = string(item.get("name")) or "", string(item.get("namespace"))
    if space and space.startswith("mcp__"):
        return f"{space}__{name.lstrip('_')}"
    return name or ("local_shell" if "action" in item else "tool_search")


def _input(item: Object, kind: str) -> tuple[object, bool]:
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


def _read_call(item: Object, kind: str, id: str | None, parts: list[Part]) -> Asked:
    name = _name(item)
    input, is_json = _input(item, kind)
    if not is_json:
        rule = f"{kind}.arguments: not JSON"
        parts.append(Invalid(rule, "The model wrote broken arguments; Codex tells it so"))
    if id is None:
        parts.append(Invalid(f"{kind}.call_id: missing", "Nothing can answer this call"))
    asked = Asked(id, name, tools.summarize(name, input), touches=tools.touches(name, input))
    if isinstance(input, dict):
        if name in tools.EDITS:
            asked.added, asked.removed = tools.changed_lines(input)
        if name in tools.PATCHES and (patch := read_patch(tools.patch_text(input))) is not None:
            asked.touches, asked.added, asked.removed = patch
        if name in tools.AGENT_TOOLS:
            asked.prompt = string(input.get("message")) or string(input.get("prompt"))
            asked.agent_type = string(input.get("agent_type"))
    return asked


def _read_answer(item: Object, id: str | None, kind: str) -> Answered:
    output = read_output(_output(item, kind))
    answered = Answered(id, output.failed is True, output.text)
    # Only what differs from the default is set: there are very many of these.
    if output.exit_code is not None:
        answered.exit_code = output.exit_code
    if output.duration_ms is not None:
        answered.duration_ms = output.duration_ms
    if output.running:
        answered.background = True
    if output.interrupted:
        answered.interrupted = True
    if output.denied:
        answered.denial, answered.denied_before_run = "user-rejected", True
    if output.media:
        answered.images = len(output.media)
    if '"agent_id"' in output.text[:200] and output.text.startswith("{"):
        answered.agent_id = string(mapping(loads(output.text)).get("agent_id"))
        answered.agent_status = "async_launched" if answered.agent_id else None
    return answered


def _output(item: Object, kind: str) -> object:
    if kind == "tool_search_output":
        found = item.get("tools")
        names = (mapping(each).get("name") for each in (found if isinstance(found, list) else ()))
        return "\n".join(name for name in names if isinstance(name, str))
    return item.get("output", item.get("result"))


# Looking again


def content(item: Object, kind: str) -> list[Block]:
    id = _id(item)
    match kind:
        case "message" | "agent_message":
            blocks = item.get("content")
            return [_block(each) for each in (blocks if isinstance(blocks, list) else [blocks])]
        case "reasoning":
            return [{"type": "thinking", "thinking": text} for text in _thoughts(item)]
        case _ if kind in _CALLS:
            name, (input, _) = _name(item), _input(item, kind)
            return [{"type": "tool_use", "id": id, "name": name, "input": input}]
        case _ if kind in _OUTPUTS:
            output = read_output(_output(item, kind), None)
            images = [{"type": "image", **each} for each in output.media]
            said: list[Block] = [{"type": "text", "text": output.text}, *images]
            answer: Block = {"type": "tool_result", "tool_use_id": id, "content": said}
            answer["is_error"] = output.failed is True
            if images:
                answer["replaces"] = True  # events tell texts only
            return [answer]
        case _ if kind in _SEARCHES:
            # The result of an image is the image itself.
            rest = {key: value for key, value in item.items() if key != "result"}
            action = item.get("action") or rest
            status = string(item.get("status")) or "completed"
            return [
                {"type": "tool_use", "id": id, "name": _SEARCHES[kind], "input": action},
                {"type": "tool_result", "tool_use_id": id, "content": status},
            ]
    return [{"type": "text", "text": as_text(item)}]


def _block(block: object) -> Block:
    for text in texts_of(block):
        return {"type": "text", "text": request(text)}
    return {"type": "text", "text": f"[{word(mapping(block).get('type'))[:20]}]"}
