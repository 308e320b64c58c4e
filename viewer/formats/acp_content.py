"""What messages of the Agent Client Protocol hold, in words, and as blocks of the Messages API when
somebody looks at them again."""

from typing import Any

import orjson

from viewer.formats.contract import Block, Object
from viewer.formats.fields import mapping, string, word
from viewer.formats.json_rpc import Message, unwrap


def texts_of(content: object) -> list[str]:
    """Content blocks in words: texts as they are, everything else by its type and name."""
    items = content if isinstance(content, list) else [content]
    return [words for item in items if (words := _in_words(item)) is not None]


def text_of(content: object) -> str:
    return "\n".join(texts_of(content))


def _in_words(item: object) -> str | None:
    if isinstance(item, str):
        return item
    block = mapping(item)
    if isinstance(text := block.get("text"), str):
        return text
    inner = block.get("content")  # a block of a call holds another one
    if isinstance(inner, dict):
        text = inner.get("text")
        return text if isinstance(text, str) else _name_of(inner)
    return _name_of(block)


def _name_of(block: Object) -> str | None:
    """What stands for a block that is no text."""
    kind = string(block.get("type"))
    if kind is None or kind in ("diff", "terminal"):
        return None
    inside = mapping(block.get("resource"))
    if isinstance(text := inside.get("text"), str):
        return text
    name = string(block.get("uri")) or string(inside.get("uri")) or string(block.get("mimeType"))
    return f"[{kind[:40]} {name[:200]}]" if name else f"[{kind[:40]}]"


def plan_of(update: Object) -> tuple[int, list[tuple[str, str]]]:
    """How many entries are done, and all of them with their states."""
    entries = update.get("entries", mapping(update.get("plan")).get("entries"))
    found = [mapping(each) for each in entries] if isinstance(entries, list) else []
    pairs = [(string(each.get("content")) or "", word(each.get("status"))) for each in found]
    return sum(status == "completed" for _, status in pairs), pairs


def error_text(error: Object, method: str) -> str:
    """A JSON-RPC error with all that it says."""
    words = string(error.get("message")) or "error"
    code = error.get("code")
    text = f"{method}: {words}" if method else words
    if isinstance(code, (int, str)) and not isinstance(code, bool):
        text += f" ({str(code)[:40]})"
    data = error.get("data")
    detail = string(mapping(data).get("details")) or string(data)
    if detail is None and data:
        detail = _dump(data)
    return f"{text}: {detail}" if detail else text


def _dump(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # lone surrogates, numbers of more than 64 bits
        return "…"


# Calls


def name_in(update: Object) -> str | None:
    """The tool's own name, where an adapter tells it."""
    return string(update.get("name")) or string(_of_claude(update).get("toolName"))


def output_in(update: Object) -> object:
    output = update.get("rawOutput")
    return output if output is not None else _of_claude(update).get("toolResponse")


def _of_claude(update: Object) -> Object:
    return mapping(mapping(update.get("_meta")).get("claudeCode"))


def output_text(output: object) -> str:
    if isinstance(output, str):
        return output
    fields = mapping(output)
    for key in ("output", "stdout", "formatted_output", "error", "message", "text", "content"):
        if text := string(fields.get(key)):
            return text
    return ""


def permission_call(params: Object) -> Object:
    """The call that a permission is asked for. The draft of version 2 has it in a subject."""
    call = mapping(params.get("toolCall")) or mapping(
        mapping(params.get("subject")).get("toolCall")
    )
    return call or {key: params[key] for key in ("toolCallId",) if key in params}


def call_id(update: Object) -> str | None:
    id = update.get("toolCallId")
    return str(id) if id.__class__ is int else string(id)


def call_blocks(update: Object) -> list[Block]:
    """What an update says of its call. Later ones replace what earlier ones said."""
    id = call_id(update)
    asked: Block = {"type": "tool_use", "id": id, "replaces": True}
    if name := name_in(update):
        asked["name"] = name
    if update.get("rawInput") is not None:
        asked["input"] = update["rawInput"]
    shown = {key: update[key] for key in ("title", "kind", "locations") if update.get(key)}
    if shown:
        asked["shown"] = shown
    blocks: list[Block] = [asked]
    output, given = output_in(update), update.get("content")
    inner: list[Block] | None = None
    if isinstance(given, list):
        inner = [_block(mapping(each)) for each in given]
    elif text := output_text(output):
        inner = [{"type": "text", "text": text}]
    if inner is not None or output is not None:
        result: Block = {"type": "tool_result", "tool_use_id": id, "replaces": True}
        if inner is not None:
            result["content"] = inner
        blocks.append({**result, "structured": output})
    streamed = mapping(mapping(update.get("_meta")).get("terminal_output"))
    if data := string(streamed.get("data")):
        blocks.append({"type": "terminal_output", "text": data})
    return blocks


def _block(item: Object) -> Block:
    if item.get("type") in ("diff", "terminal"):
        return item
    inner = item.get("content")
    block = inner if isinstance(inner, dict) else item
    if isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if block.get("type") == "image" and isinstance(data := block.get("data"), str):
        source = {"type": "base64", "media_type": word(block.get("mimeType")), "data": data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": text_of(block) or f"[{word(block.get('type'))[:40]}]"}


# Looking again


def content(value: Object) -> list[Block]:
    """What a message says, as blocks of the Messages API."""
    message = unwrap(value)
    if message is None:
        return []
    if message.is_answer:
        return _of_answer(message)
    params = mapping(message.body.get("params"))
    if message.method == "session/request_permission":
        return call_blocks(permission_call(params))
    update = mapping(params.get("update"))
    kind = word(update.get("sessionUpdate"))
    match kind:
        case "tool_call" | "tool_call_update":
            return call_blocks(update)
        case "tool_call_content_chunk":
            text = text_of(update.get("content"))
            return [{"type": "terminal_output", "text": text}] if text else []
        case "terminal_output_chunk" | "terminal_update":
            data, whole = string(update.get("data")), string(update.get("output"))
            block: Block = {"type": "terminal_output", "text": whole or data or ""}
            return [{**block, "whole": True} if whole else block] if whole or data else []
        case "plan" | "plan_update":
            marks = {"completed": "✓", "in_progress": "▸"}
            lines = [f"{marks.get(status, '·')} {words}" for words, status in plan_of(update)[1]]
            return [{"type": "text", "text": "\n".join(lines)}]
    said: Any = update.get("content", params.get("prompt"))
    type = "thinking" if kind.startswith("agent_thought") else "text"
    texts = texts_of(said) or _other_words(message.method, params, update)
    return [{"type": type, type: "\n".join(texts)}] if texts else []


def command_of(params: Object) -> str:
    arguments = params.get("args")
    words = [params.get("command"), *(arguments if isinstance(arguments, list) else [])]
    return " ".join(word for word in words if isinstance(word, str))


def notice_of(update: Object) -> str:
    return ": ".join(w for key in ("title", "description") if (w := string(update.get(key))))


def _other_words(method: str | None, params: Object, update: Object) -> list[str]:
    match method:
        case "fs/write_text_file":
            words = [string(params.get("path")), string(params.get("content"))]
        case "terminal/create":
            words = [command_of(params)]
        case "elicitation/create":
            words = [string(params.get("message"))]
        case _:
            words = [notice_of(update), string(update.get("error"))]
    return [each for each in words if each]


def _of_answer(message: Message) -> list[Block]:
    if (error := message.body.get("error")) is not None:
        return [{"type": "text", "text": error_text(mapping(error), "")}]
    result = message.result
    if text := string(result.get("output")):
        return [{"type": "terminal_output", "text": text, "whole": True}]
    if isinstance(text := result.get("content"), str):
        return [{"type": "text", "text": text}]
    return []
