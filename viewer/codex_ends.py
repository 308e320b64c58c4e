"""What the ends of a Codex rollout say: where it worked, what was asked, what was answered."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson

from viewer.formats.fields import mapping, string

# What Codex itself puts before and between the prompts of the user.
_INJECTED = ("<", "# AGENTS.md")
_REQUEST = "## My request for Codex:"  # what IDEs put before the prompt


class Beginning(NamedTuple):
    cwd: str | None
    branch: str | None
    prompt: str


def is_codex(head: bytes) -> bool:
    """Whether a file begins like a rollout: wrapped, or bare as until September 2025."""
    first = _parse(head.partition(b"\n")[0])
    if first.get("type") == "session_meta" and isinstance(first.get("payload"), dict):
        return True
    return {"id", "timestamp", "instructions"} <= first.keys() and "type" not in first


def read_beginning(lines: Iterable[bytes]) -> Beginning:
    cwd = branch = None
    prompt = ""
    for line in lines:
        record = _parse(line)
        body = mapping(record.get("payload")) or record
        cwd = cwd or string(body.get("cwd"))
        branch = branch or string(mapping(body.get("git")).get("branch"))
        for role, words in _said(body):
            if role == "user" and not prompt:
                prompt = words
        if prompt and cwd:
            break
    return Beginning(cwd, branch, prompt)


def conversation(lines: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Who said what: ("user" or "assistant", words)."""
    for line in lines:
        record = _parse(line)
        yield from _said(mapping(record.get("payload")) or record)


def _said(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    role, content = body.get("role"), body.get("content")
    if body.get("type") != "message" or role not in ("user", "assistant"):
        return
    for block in content if isinstance(content, list) else ():
        words = (string(mapping(block).get("text")) or "").strip()
        if role == "user":
            words = words.rpartition(_REQUEST)[2].strip()
            if words.startswith(_INJECTED):
                continue
        if words:
            yield role, words


def _parse(line: bytes) -> dict[str, Any]:
    try:
        return mapping(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {}
