"""Prompts and injected texts: the tags that Claude Code wraps around them, as what they mean."""

import re

from viewer.tagged import NAMES, TYPED, tagged
from viewer.ui.renderers.page import Page

_FIELD = re.compile(r"<([a-z-]{2,30})>(.*?)</\1>", re.S)
_MOST = 200_000
_TYPED = {"command-name": "command", "command-args": "arguments", "bash-input": "shell command"}


def render_text(words: str, page: Page) -> None:
    """A text of a user message."""
    position = 0
    for part in tagged(words[:_MOST]):
        _plain(words[position : part.start], page)
        _part(part.tag, part.inside, page)
        position = part.end
    _plain(words[position:], page)


def _plain(words: str, page: Page) -> None:
    if words.strip():
        page.markdown(words.strip("\n"))


def _part(tag: str, inside: str, page: Page) -> None:
    name = NAMES[tag]
    if not inside or not (name or tag in TYPED):
        return
    if tag == "task-notification":
        page.line((name, "heading"))
        fields = _FIELD.findall(inside)
        page.fields([(key, value) for key, value in fields if key != "result"])
        for key, value in fields:
            if key == "result":
                page.markdown(value)
        return
    if tag in TYPED:
        page.line((f"{_TYPED[tag]}  ", "dim"), (f"{TYPED[tag]}{inside}", "name"))
        return
    page.line((name, "dim"))
    page.bar(inside, "warning" if tag.endswith("stderr") else "dim")
