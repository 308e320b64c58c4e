"""Any JSON value, readable: short fields beside their names, long texts below them."""

from viewer import text
from viewer.bodies import CallBody, Json, Result
from viewer.formats.claude_messages import describe_media
from viewer.pretty import as_json, pretty
from viewer.ui.renderers.page import Page

_SHORT = 200


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
