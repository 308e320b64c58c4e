"""What a text in a user message is: something a person typed, or one of the markers that Claude
Code wraps around commands, shell lines, notifications and injected context (format.md E2)."""

import re
from typing import NamedTuple

from viewer.records import PREVIEW, HookFired, Interrupted, Level, Part, Said, SaidKind

_TAG = re.compile(r"<(/?)([a-z][a-z_-]*)(?: [^>]*)?>")


class _Marker(NamedTuple):
    kind: SaidKind
    label: str
    hidden: bool = False
    level: Level = "info"


# By the first characters of the text, after blanks.
_MARKERS: dict[str, _Marker] = {
    "<local-command-stdout>": _Marker("note", "command output"),
    "<local-command-stderr>": _Marker("note", "command output", level="warning"),
    "<local-command-caveat>": _Marker("context", "caveat", hidden=True),
    "Caveat: The messages below": _Marker("context", "caveat", hidden=True),
    "<bash-stdout>": _Marker("note", "shell output"),
    "<bash-stderr>": _Marker("note", "shell output"),
    "<system-reminder>": _Marker("context", "reminder", hidden=True),
    "<teammate-message": _Marker("notification", "teammate"),
    "<user-prompt-submit-hook>": _Marker("note", "hook context"),
    "<session-start-hook>": _Marker("note", "hook context"),
    "<ide_opened_file>": _Marker("context", "file open in the IDE"),
    "<ide_selection>": _Marker("context", "selection in the IDE"),
    "<fork-boilerplate>": _Marker("context", "fork", hidden=True),
    "<tick>": _Marker("context", "tick", hidden=True),
    "<goal>": _Marker("context", "goal"),
    "[Subagent hand-back]": _Marker("notification", "sub-agent"),
    "This session is being continued from a previous conversation": _Marker(
        "note", "summary of what came before"
    ),
}
_INTERRUPTED = "[Request interrupted by user"
_FEEDBACK = re.compile(r"(Stop|SubagentStop) hook feedback:\s*(?:- )?(?:\[(.*?)\]: )?(.*)", re.S)
_COMMAND = ("<command-name>", "<command-message>", "<command-args>")
_SHELL = "<bash-input>"
_TASK = "<task-notification>"


def classify(text: str, *, meta: bool = False, summary: bool = False) -> Part:
    """The part that a text of a user message is."""
    start = text.lstrip()[:80]
    if start[:1] in "<[CST":
        if start.startswith(_INTERRUPTED):
            return Interrupted(text[:PREVIEW])
        if start.startswith(("Stop hook", "SubagentStop hook")) and (
            told := _FEEDBACK.match(text.lstrip())
        ):
            event, command, words = told.groups()
            words = words.strip()[:PREVIEW]
            return HookFired(
                event, event, command=command, outcome="blocked", text=words, feedback=True
            )
        if start.startswith(_COMMAND):
            return Said("prompt", _command(text), "command", hidden=meta)
        if start.startswith(_SHELL):
            return Said("prompt", "! " + (tag(text, "bash-input") or ""), "shell")
        if start.startswith(_TASK):
            return Said("notification", _task(text), "task")
        for marker, what in _MARKERS.items():
            if start.startswith(marker):
                words = _untag(text)
                hidden = what.hidden or not words
                return Said(what.kind, words, what.label, what.level, hidden)
    if summary:
        return Said("note", text[:PREVIEW], "summary of what came before")
    if meta:
        return Said("context", text[:PREVIEW], "context", hidden=True)
    return Said("prompt", text[:PREVIEW])


def tag(text: str, name: str) -> str | None:
    """What stands between <name> and </name>."""
    start = text.find(f"<{name}>")
    if start < 0:
        return None
    start += len(name) + 2
    end = text.find(f"</{name}>", start)
    return text[start : end if end >= 0 else len(text)].strip()[:PREVIEW]


def _command(text: str) -> str:
    # 1.0.0 wrote the name without its slash.
    name = "/" + (tag(text, "command-name") or tag(text, "command-message") or "").lstrip("/")
    return f"{name} {tag(text, 'command-args') or ''}".strip()


def _task(text: str) -> str:
    words = [tag(text, "status"), tag(text, "summary"), tag(text, "result")]
    return ": ".join(word for word in words if word)[:PREVIEW] or _untag(text)


def _untag(text: str) -> str:
    """The beginning of a text without the tags around it."""
    return _TAG.sub("", text[: PREVIEW * 2]).strip()[:PREVIEW]
