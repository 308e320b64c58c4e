"""Texts of user messages: the tags that Claude Code wraps around their parts, as what they mean."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

# What a part is called. Those that a person typed need no name: they speak for themselves.
NAMES = {
    "command-name": "",
    "command-message": "",
    "command-args": "",
    "local-command-stdout": "what the command said",
    "local-command-stderr": "what the command said (stderr)",
    "bash-input": "",
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
TYPED = {"command-name": "", "command-args": "", "bash-input": "! "}  # by a person, and its sign
_TAG = re.compile(rf"<({'|'.join(NAMES)})(?: [^>]{{0,300}})?>")
_MOST = 1000


class Part(NamedTuple):
    tag: str
    start: int
    inside: str
    end: int


def tagged(words: str) -> Iterator[Part]:
    """The tagged parts of a text. Linear, also where tags are never closed."""
    end, unclosed = 0, set[str]()
    for match in islice(_TAG.finditer(words), _MOST):
        tag = match[1]
        if match.start() < end or tag in unclosed:
            continue
        close = words.find(f"</{tag}>", match.end())
        if close < 0:
            unclosed.add(tag)
            continue
        end = close + len(tag) + 3
        yield Part(tag, match.start(), words[match.end() : close].strip(), end)
