"""What was fetched or looked up. Addresses are shown as they are, and never opened from here."""

from viewer import text
from viewer.bodies import CallBody
from viewer.formats.fields import mapping, string, whole
from viewer.ui.renderers import values
from viewer.ui.renderers.page import Page


def fetch(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    page.line((string(input.get("url")) or "", "path"))
    if prompt := string(input.get("prompt")):
        page.bar(prompt)
    values.fields(input, page, ("url", "prompt"))


def fetch_answer(body: CallBody, page: Page) -> None:
    assert body.result is not None
    noted = mapping(body.result.structured)
    code, size = whole(noted.get("code")), whole(noted.get("bytes"))
    status = f"{code} {string(noted.get('codeText')) or ''}".strip() if code else ""
    page.fields([("status", status), ("size", text.size(size) if size else "")])
    page.markdown(string(noted.get("result")) or values.untagged(body.result.text))


def search(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    page.line((string(input.get("query")) or "", "pattern"))
    values.fields(input, page, ("query",))


def search_answer(body: CallBody, page: Page) -> None:
    assert body.result is not None
    results = mapping(body.result.structured).get("results")
    found = False
    for group in results if isinstance(results, list) else ():
        if isinstance(group, str) and group.strip():
            page.markdown(group)
            found = True
        links = mapping(group).get("content")
        for link in links if isinstance(links, list) else ():
            each = mapping(link)
            page.line((string(each.get("title")) or "(no title)", "name"))
            page.line(("  ", "dim"), (string(each.get("url")) or "", "path"))
            found = True
    if not found:
        page.markdown(values.untagged(body.result.text))
