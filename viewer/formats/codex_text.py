"""What stands in the texts of a Codex rollout: outputs of tools, patches, prompts with what Codex
itself put around them (format.md J)."""

import re
from typing import Any, NamedTuple

import orjson

from viewer.formats.fields import count, mapping, number, string, whole
from viewer.records import ERROR_TEXT, PREVIEW, ApiFailed, Spent, Touch

Object = dict[str, Any]

_HEADER = 400  # characters of an output in which its tool speaks, and not the command
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,6})\b", re.M)
_RUNNING = re.compile(r"^(?:Process running with session ID|Script running with cell ID) ", re.M)
_WALL_TIME = re.compile(r"^Wall time:? (\d{1,9}(?:\.\d{1,9})?) seconds$", re.M)
_TIMED_OUT = re.compile(r"(?:^|\n)command timed out after \d+ milliseconds")
# What Codex writes instead of an output; it has no flag that says so.
_FAILED = re.compile(
    r"command timed out after \d+ milliseconds|aborted by user after|exec command rejected by user"
    r"|patch rejected by user|unsupported (?:custom tool )?call|failed to parse function arguments"
    r"|Script failed\n"
)


class Output(NamedTuple):
    text: str  # without the header
    failed: bool | None = None  # None where it says nothing of that
    exit_code: int | None = None
    duration_ms: int | None = None
    running: bool = False  # it goes on in the background
    media: tuple[Object, ...] = ()


def read_output(value: object, limit: int | None = ERROR_TEXT) -> Output:
    """The output of a call: a text, pieces of content, or an object around them."""
    if isinstance(value, str):
        if value.startswith("{") and (packed := _unpack(value)) is not None:
            return _limited(packed, limit)
        return _limited(_from_text(value), limit)
    if isinstance(value, list):
        texts = [text for item in value if (text := _text_of(item)) is not None]
        media = tuple(item for item in value if isinstance(item, dict) and "image_url" in item)
        return _limited(_from_text("\n".join(texts))._replace(media=media), limit)
    if isinstance(value, dict):
        if "content" in value or "success" in value:
            inner = read_output(value.get("content"), limit)
            success = value.get("success")
            return inner._replace(failed=not success) if isinstance(success, bool) else inner
        return _limited(Output(as_text(value)), limit)
    return Output("" if value is None else as_text(value))


def _limited(output: Output, limit: int | None) -> Output:
    return output if limit is None else output._replace(text=output.text[:limit])


def _text_of(item: object) -> str | None:
    if isinstance(item, str):
        return item
    text = mapping(item).get("text")
    return text if isinstance(text, str) else None


def _unpack(value: str) -> Output | None:
    """2025 wrote an object as a text: {"output":"...","metadata":{"exit_code":0,...}}."""
    packed = loads(value)
    if not isinstance(packed, dict) or not isinstance(packed.get("output"), str):
        return None
    metadata = mapping(packed.get("metadata"))
    code = whole(metadata.get("exit_code"))
    seconds = number(metadata.get("duration_seconds"))
    text = packed["output"]
    failed = code != 0 if code is not None else bool(_FAILED.match(text)) or None
    return Output(text, failed, code, whole(seconds * 1000) if seconds is not None else None)


def _from_text(text: str) -> Output:
    header, found, body = text[:_HEADER].partition("Output:\n")
    if not found or not (_WALL_TIME.search(header) or _EXIT_CODE.search(header)):
        failed = True if _FAILED.match(text) else None
        return Output(text, failed)
    body = text[len(header) + len(found) :]
    code = _EXIT_CODE.search(header)
    took = _WALL_TIME.search(header)
    failed = None
    if code is not None:
        failed = int(code[1]) != 0
    elif _FAILED.match(header):
        failed = True
    return Output(
        body.lstrip("\n") if header.startswith("Script") else body,
        failed,
        int(code[1]) if code else None,
        round(float(took[1]) * 1000) if took else None,
        bool(_RUNNING.search(header)),
    )


def timed_out(text: str) -> bool:
    return bool(_TIMED_OUT.search(text[:_HEADER]))


def loads(text: str) -> object:
    """The value of a JSON text; None where it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def as_text(value: object) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return "(too deep to show)"


# Patches

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)


class Patch(NamedTuple):
    touches: tuple[Touch, ...]
    added: int
    removed: int


def read_patch(text: str) -> Patch | None:
    """What an apply_patch text changes; None where it holds no patch."""
    start = text.find("*** Begin Patch")
    if start < 0:
        return None
    body = text[start:]
    paths = dict.fromkeys((match[2] or match[3]).strip() for match in _FILE.finditer(body))
    return Patch(
        tuple(Touch(path, True) for path in paths if path),
        body.count("\n+"),
        body.count("\n-"),
    )


def read_changes(changes: object) -> Patch:
    """The same from the changes that were made: {path: {type, content | unified_diff, ...}}."""
    touches: list[Touch] = []
    added = removed = 0
    for path, change in mapping(changes).items():
        each = mapping(change)
        touches.append(Touch(path, True))
        if moved := string(each.get("move_path")):
            touches.append(Touch(moved, True))
        diff = each.get("unified_diff")
        if isinstance(diff, str):
            added += ("\n" + diff).count("\n+")
            removed += ("\n" + diff).count("\n-")
        elif isinstance(content := each.get("content"), str):
            lines = len(content.splitlines())
            added += lines if each.get("type") != "delete" else 0
            removed += lines if each.get("type") == "delete" else 0
    return Patch(tuple(touches), added, removed)


# Prompts

_REQUEST = "## My request for Codex:"  # what IDEs put before the prompt
# What Codex itself puts before and between the prompts of the user.
_INJECTED = re.compile(
    r"<(?:environment_context|user_instructions|permissions instructions|skills_instructions"
    r"|turn_aborted|user_shell_command|apps_instructions|plugins_instructions|skill|subagent"
    r"|model_switch|personality_spec|collaboration_mode|multi_agent_mode|recommended_plugins"
    r"|hook_prompt|goal_context|realtime_conversation|environments|INSTRUCTIONS)\b"
    r"|<[a-z_ ]+(?:instructions|context)>|# AGENTS\.md"
)
_CWD = re.compile(r"<cwd>([^<\n]{1,4096})</cwd>")


def injected(text: str) -> bool:
    """Whether Codex wrote a user message, and not the user."""
    return _INJECTED.match(text.lstrip()[:200]) is not None


def request(text: str) -> str:
    """A prompt without what an IDE put before it."""
    return text.rpartition(_REQUEST)[2].strip() if _REQUEST in text else text


def cwd_of(text: str) -> str | None:
    """Up to September 2025 only this message tells where the session worked."""
    found = _CWD.search(text[:4000])
    return found[1] if found else None


# Numbers and failures


def spent(usage: Object, model: str | None, *, total: bool = False, id: str | None = None) -> Spent:
    """Codex counts cached tokens as input, too."""
    cached = count(usage.get("cached_input_tokens"))
    return Spent(
        id,
        model,
        max(0, count(usage.get("input_tokens")) - cached),
        count(usage.get("output_tokens")),
        cached,
        count(usage.get("cache_write_input_tokens")),
        total,
    )


def _message(error: object) -> str:
    return string(mapping(error).get("message")) or (error if isinstance(error, str) else "")


def failure(error: object) -> ApiFailed | None:
    """What went wrong with a turn."""
    text = _message(error)
    return ApiFailed(text[:PREVIEW]) if text else None
