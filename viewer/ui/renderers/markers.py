"""Prompts and injected texts: the tags that Claude Code wraps around them, as what they mean."""

import re

from viewer.ui.renderers.page import Page

_PART = re.compile(
    r"<(command-name|command-message|command-args|local-command-stdout|local-command-stderr"
    r"|bash-input|bash-stdout|bash-stderr|system-reminder|task-notification|persisted-output"
    r"|user-prompt-submit-hook|session-start-hook|ide_opened_file|ide_selection|teammate-message"
    r"|local-command-caveat)(?: [^>]{0,300})?>(.*?)</\1>",
    re.S,
)
_NAMES = {
    "command-name": "command",
    "command-message": "",
    "command-args": "arguments",
    "local-command-stdout": "what the command said",
    "local-command-stderr": "what the command said (stderr)",
    "bash-input": "shell command",
    "bash-stdout": "output",
    "bash-stderr": "stderr",
    "system-reminder": "reminder to the model",
    "task-notification": "a task in the background reports",
    "persisted-output": "output that was kept in a file",
    "user-prompt-submit-hook": "from a hook",
    "session-start-hook": "from a hook",
    "ide_opened_file": "open in the IDE",
    "ide_selection": "selected in the IDE",
    "teammate-message": "from a teammate",
    "local-command-caveat": "note to the model",
}
_FIELD = re.compile(r"<([a-z-]{2,30})>(.*?)</\1>", re.S)
_MOST = 200_000


def render_text(words: str, page: Page) -> None:
    """A text of a user message."""
    position = 0
    for match in _PART.finditer(words[:_MOST]):
        _plain(words[position : match.start()], page)
        _part(match[1], match[2].strip(), page)
        position = match.end()
    _plain(words[position:], page)


def _plain(words: str, page: Page) -> None:
    if words.strip():
        page.markdown(words.strip("\n"))


def _part(tag: str, inside: str, page: Page) -> None:
    name = _NAMES[tag]
    if not name or not inside:
        return
    if tag == "task-notification":
        page.line((name, "heading"))
        fields = _FIELD.findall(inside)
        page.fields([(key, value) for key, value in fields if key != "result"])
        for key, value in fields:
            if key == "result":
                page.markdown(value)
        return
    if tag in ("command-name", "command-args", "bash-input"):
        sign = "! " if tag == "bash-input" else ""
        page.line((f"{name}  ", "dim"), (f"{sign}{inside}", "name"))
        return
    page.line((name, "dim"))
    page.bar(inside, "warning" if tag.endswith("stderr") else "dim")
