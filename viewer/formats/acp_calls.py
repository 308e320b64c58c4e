"""Tool calls of the Agent Client Protocol: fields merged over updates, content in all its kinds."""

from typing import Any

from viewer import tools
from viewer.formats.contract import Block, Object
from viewer.formats.fields import mapping, string, whole, word
from viewer.records import ERROR_TEXT, PREVIEW, Answered, Touch

_DONE = ("completed", "failed", "cancelled")


class Known:
    """What is known of a call by now."""

    def __init__(self) -> None:
        self.name = "other"
        self.summary = ""
        self.kind = "other"
        self.status = "pending"
        self.touches: tuple[Touch, ...] = ()
        self.added: int | None = None
        self.removed: int | None = None
        self.terminals: list[str] = []
        self.fate: str | None = None  # why it will not run, once that was said
        self.answered = False
        self._named = False
        self._text = ""
        self._exit_code: int | None = None
        self._paths: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.status not in (*_DONE, "missing")

    def take(self, update: Object) -> None:
        """Fields that are given replace what was there; null and absent ones change nothing."""
        if kind := string(update.get("kind")):
            self.kind = kind[:40]
        if status := string(update.get("status")):
            self.status = status[:40]
        about = mapping(mapping(update.get("_meta")).get("claudeCode"))
        name = string(update.get("name")) or string(about.get("toolName"))
        if name:
            self.name, self._named = name, True
        elif not self._named:
            self.name = self.kind
        input = update.get("rawInput")
        summary = tools.summarize(self.name, input) if self._named and input else ""
        self.summary = summary or (string(update.get("title")) or "")[:PREVIEW] or self.summary
        self._take_places(update)
        if isinstance(content := update.get("content"), list):
            self._take_content(content)
        output = update.get("rawOutput", about.get("toolResponse"))
        if output is not None:
            self._take_output(output)
        ended = mapping(mapping(update.get("_meta")).get("terminal_exit"))
        if (code := whole(ended.get("exit_code"))) is not None:
            self._exit_code = code

    def _take_places(self, update: Object) -> None:
        places = update.get("locations")
        changes = self.kind in ("edit", "delete", "move")
        if isinstance(places, list):
            found = [mapping(place) for place in places]
            paths = [(path, whole(each.get("line"))) for each in found
                     if (path := string(each.get("path")))]  # fmt: skip
            self.touches = tuple(Touch(path, changes, line) for path, line in paths)
        else:
            self.touches = tuple(touch._replace(changes=changes) for touch in self.touches)

    def _take_content(self, content: list[Any]) -> None:
        blocks = [mapping(each) for each in content]
        self._text = "\n".join(text for each in blocks for text in texts_of(each.get("content")))
        self.terminals = [id for each in blocks if (id := string(each.get("terminalId")))]
        diffs = [each for each in blocks if each.get("type") == "diff"]
        if diffs:
            changed = [tools.changed_lines(_as_edit(each)) for each in diffs]
            self.added = sum(added or 0 for added, _ in changed)
            self.removed = sum(removed or 0 for _, removed in changed)
            named = {touch.path for touch in self.touches}
            paths = [path for each in diffs if (path := string(each.get("path")))]
            self.touches += tuple(Touch(path, True) for path in paths if path not in named)

    def _take_output(self, output: object) -> None:
        fields = mapping(output)
        for key in ("exitCode", "exit_code"):
            if (code := whole(fields.get(key))) is not None:
                self._exit_code = code
        if not self._text:
            self._text = output if isinstance(output, str) else _output_text(fields)

    def answer(self, id: str | None) -> Answered:
        """Its result, now that it is done."""
        answered = Answered(id, self.status != "completed", self._text[:ERROR_TEXT])
        if self._exit_code is not None:
            answered.exit_code = self._exit_code
        if self.status == "cancelled":
            answered.denial = "cancelled"
        elif self.fate == "PERMISSION_DENIED":
            answered.denial, answered.denied_before_run = "user-rejected", True
        return answered


def _output_text(fields: Object) -> str:
    for key in ("output", "stdout", "formatted_output", "error", "message", "text", "content"):
        if text := string(fields.get(key)):
            return text
    return ""


def _as_edit(diff: Object) -> Object:
    return {"old_string": diff.get("oldText"), "new_string": diff.get("newText")}


def texts_of(content: object) -> list[str]:
    """Content blocks in words: texts as they are, everything else by its type and name."""
    items = content if isinstance(content, list) else [content]
    return [words for item in items if (words := _in_words(item)) is not None]


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


# Looking again


def content(update: Object) -> list[Block]:
    """What an update says of its call. Later ones replace what earlier ones said."""
    id = string(update.get("toolCallId"))
    about = mapping(mapping(update.get("_meta")).get("claudeCode"))
    name = string(update.get("name")) or string(about.get("toolName"))
    blocks: list[Block] = []
    asked: Block = {"type": "tool_use", "id": id, "replaces": True}
    if name:
        asked["name"] = name
    if update.get("rawInput") is not None:
        asked["input"] = update["rawInput"]
    shown = {key: update[key] for key in ("title", "kind", "locations") if update.get(key)}
    if shown:
        asked["shown"] = shown
    blocks.append(asked)
    output = update.get("rawOutput", about.get("toolResponse"))
    given = update.get("content")
    if isinstance(given, list) or output is not None:
        inner = [_block(mapping(each)) for each in given] if isinstance(given, list) else None
        if inner is None:
            text = output if isinstance(output, str) else _output_text(mapping(output))
            inner = [{"type": "text", "text": text}] if text else None
        result: Block = {"type": "tool_result", "tool_use_id": id, "replaces": True}
        if inner is not None:
            result["content"] = inner
        result["structured"] = output
        blocks.append(result)
    output_meta = mapping(mapping(update.get("_meta")).get("terminal_output"))
    if data := string(output_meta.get("data")):
        blocks.append({"type": "terminal_output", "text": data})
    return blocks


def _block(item: Object) -> Block:
    kind = item.get("type")
    if kind in ("diff", "terminal"):
        return item
    inner = item.get("content")
    if isinstance(inner, dict):
        if isinstance(inner.get("text"), str):
            return {"type": "text", "text": inner["text"]}
        return inner if inner.get("type") == "image" else {"type": "text", "text": _words(inner)}
    return {"type": "text", "text": _words(item)}


def _words(block: Object) -> str:
    return "\n".join(texts_of(block)) or f"[{word(block.get('type'))[:40]}]"


def content_of_answer(result: Object, error: object) -> list[Block]:
    if error is not None:
        message = string(mapping(error).get("message")) or ""
        return [{"type": "text", "text": message}]
    if text := string(result.get("output")):
        return [{"type": "terminal_output", "text": text, "whole": True}]
    if isinstance(text := result.get("content"), str):
        return [{"type": "text", "text": text}]
    return []
