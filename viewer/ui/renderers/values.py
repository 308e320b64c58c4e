"""Any JSON value, readable: short fields beside their names, long texts below them."""

import json

from viewer import text
from viewer.bodies import CallBody, Json, Result
from viewer.formats.claude_messages import describe_media
from viewer.ui.renderers.page import Page

_SHORT = 200
_DEPTH = 40


def anything(body: CallBody, page: Page) -> None:
    fields(body.input, page)


def fields(value: object, page: Page, skip: tuple[str, ...] = ()) -> None:
    """The input of a call."""
    if not isinstance(value, dict):
        if value is not None:
            page.code(pretty(value), "json")
        return
    short: list[tuple[str, str]] = []
    long: list[tuple[str, str]] = []
    for key, each in value.items():
        if key in skip or each is None:
            continue
        words = each if isinstance(each, str) else pretty(each)
        (short if len(words) <= _SHORT and "\n" not in words else long).append((key, words))
    page.fields(short)
    for name, words in long:
        page.line((f"  {text.one_line(name, 40)}", "dim"))
        page.bar(words)


def shown(value: Json, page: Page) -> None:
    """Title and places of a call, where the program tells them beside its input."""
    if title := value.get("title"):
        page.line((title if isinstance(title, str) else pretty(title), "name"))
    places = value.get("locations")
    for place in places if isinstance(places, list) else ():
        each = place if isinstance(place, dict) else {}
        path, line = each.get("path"), each.get("line")
        if isinstance(path, str):
            at = f":{line}" if isinstance(line, int) else ""
            page.line(("  ", "dim"), (f"{path}{at}", "path"))


def result(answer: Result | None, page: Page) -> None:
    if answer is None:
        return
    words = untagged(answer.text)
    parsed = as_json(words)
    if parsed is not None:
        page.code(pretty(parsed), "json")
    elif words.strip():
        page.bar(words, "error" if answer.error else "dim")
    media(answer.media, page)


def media(blocks: list[Json], page: Page) -> None:
    for block in blocks:
        kind = block.get("type")
        if kind in ("image", "document"):
            page.line((describe_media(block), "media"))
        else:
            page.code(pretty(block), "json")


def untagged(words: str) -> str:
    return words.replace("<tool_use_error>", "").replace("</tool_use_error>", "")


def as_json(words: str) -> object:
    """What a text means if it is a JSON object or array."""
    start = words.lstrip()[:1]
    if start not in ("{", "[") or len(words) > 1 << 20:
        return None
    try:
        value = json.loads(words)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) and value else None


def pretty(value: object) -> str:
    """JSON for people. Values nest as deep as they like; this does not."""
    try:
        return json.dumps(_pruned(value), indent=2, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply to be shown)"


def _pruned(value: object, depth: int = 0) -> object:
    if depth > _DEPTH and isinstance(value, (dict, list)):
        return "…"
    if isinstance(value, dict):
        return {str(key): _pruned(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_pruned(each, depth + 1) for each in value]
    return value
