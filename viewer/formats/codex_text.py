"""What stands in the texts of a Codex rollout: outputs of tools, patches, prompts with what Codex
itself put around them (format.md J)."""

import re
from typing import Any, NamedTuple

import orjson

from viewer.formats.fields import count, mapping, number, string, whole
from viewer.records import ERROR_TEXT, PREVIEW, ApiFailed, Spent, Touch

Object = dict[str, Any]

_HEADER = 400  # characters of an output in which its tool speaks, and not the command
_BEGINS = re.compile(r"Chunk ID: |Exit code: |Wall time|Process |Script |Total output lines: ")
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,6})\b", re.M)
_RUNNING = re.compile(r"^(?:Process running with session ID|Script running with cell ID) ", re.M)
_WALL_TIME = re.compile(r"^Wall time:? (\d{1,9}(?:\.\d{1,9})?) seconds$", re.M)
# What Codex writes instead of an output; it has no flag that says so.
_FAILED = re.compile(
    r"command timed out after \d+ milliseconds|(?:Wall time: [\d.]+ seconds\n)?aborted by user"
    r"|(?:exec command|patch) rejected by user|unsupported (?:custom tool )?call"
    r"|failed to parse function arguments|exec_command failed for |write_stdin failed: "
    r"|apply_patch verification failed|Script failed\n"
)
_INTERRUPTED = re.compile(r"(?:Wall time: [\d.]+ seconds\n)?aborted by user")
_DENIED = re.compile(
    r"(?:exec command|patch) rejected by user|exec_command failed for .{1,4000}Rejected\(", re.S
)


class Output(NamedTuple):
    text: str  # without the header
    failed: bool | None = None  # None where it says nothing of that
    exit_code: int | None = None
    duration_ms: int | None = None
    running: bool = False  # it goes on in the background
    interrupted: bool = False
    denied: bool = False
    media: tuple[Object, ...] = ()


def read_output(value: object, limit: int | None = ERROR_TEXT) -> Output:
    """The output of a call: a text, pieces of content, or an object around them."""
    success: object = None
    while isinstance(value, dict) and ("content" in value or "success" in value):
        success = value.get("success")  # as 2025 wrote it: {content, success}
        value = value.get("content")
    output = _read_output(value)
    if isinstance(success, bool):
        output = output._replace(failed=not success)
    return output if limit is None else output._replace(text=output.text[:limit])


def _read_output(value: object) -> Output:
    if isinstance(value, str):
        packed = _unpack(value) if value.startswith("{") else None
        return packed or _from_text(value)
    if isinstance(value, list):
        texts = [text for item in value if (text := _text_of(item)) is not None]
        media = tuple(item for item in value if isinstance(item, dict) and "image_url" in item)
        return _from_text("\n".join(texts))._replace(media=media)
    return Output("" if value is None else as_text(value))


def _text_of(item: object) -> str | None:
    text = item if isinstance(item, str) else mapping(item).get("text")
    return text if isinstance(text, str) else None


def _unpack(value: str) -> Output | None:
    """2025 wrote an object as a text: {"output":"...","metadata":{"exit_code":0,...}}."""
    packed = mapping(loads(value))
    if not isinstance(text := packed.get("output"), str):
        return None
    metadata = mapping(packed.get("metadata"))
    code = whole(metadata.get("exit_code"))
    seconds = number(metadata.get("duration_seconds"))
    took = whole(seconds * 1000) if seconds is not None else None
    output = _from_text(text)
    if code is not None:
        output = Output(text, code != 0, code)
    return output._replace(duration_ms=took)


def _from_text(text: str) -> Output:
    header, found, _ = text[:_HEADER].partition("Output:\n")
    if not found or not _BEGINS.match(header):
        return _without_header(text)
    body = text[len(header) + len(found) :]
    if header.startswith("Script "):
        body = body.lstrip("\n")
    code, took = _EXIT_CODE.search(header), _WALL_TIME.search(header)
    output = _without_header(body)
    if code is not None:
        output = Output(body, int(code[1]) != 0, int(code[1]))
    elif header.startswith("Script failed\n"):
        output = output._replace(failed=True)
    # Times are written to a tenth of a second: nothing is known of those that round to 0.
    took_ms = round(float(took[1]) * 1000) if took else 0
    return output._replace(duration_ms=took_ms or None, running=bool(_RUNNING.search(header)))


def _without_header(text: str) -> Output:
    if not _FAILED.match(text):
        return Output(text)
    interrupted, denied = _INTERRUPTED.match(text), _DENIED.match(text)
    return Output(text, True, interrupted=bool(interrupted), denied=bool(denied))


def texts_of(value: object) -> list[str]:
    """The texts of a list of pieces, or of one."""
    pieces = value if isinstance(value, list) else [value]
    return [text for piece in pieces if (text := _text_of(piece))]


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
            diff = diff[max(0, diff.find("@@")) :]  # what stands before it names the files
            added += ("\n" + diff).count("\n+")
            removed += ("\n" + diff).count("\n-")
        elif isinstance(content := each.get("content"), str):
            lines = len(content.splitlines())
            added += lines if each.get("type") != "delete" else 0
            removed += lines if each.get("type") == "delete" else 0
    return Patch(tuple(touches), added, removed)


# Prompts

_TAG = re.compile(r"\s*(?:<image\b[^<>]*>|</image>)\s*")  # around an image of a prompt
_REQUEST = "## My request for Codex:"  # what IDEs put before the prompt
# What Codex itself puts before and between the prompts of the user.
_INJECTED = re.compile(
    r"<(?:environment_context|user_instructions|permissions instructions|skills_instructions"
    r"|turn_aborted|user_action|user_shell_command|apps_instructions|plugins_instructions|skill|subagent"
    r"|model_switch|personality_spec|collaboration_mode|multi_agent_mode|recommended_plugins"
    r"|hook_prompt|goal_context|realtime_conversation|environments|INSTRUCTIONS)\b"
    r"|<[a-z_ -]+(?:instructions|context)>|# AGENTS\.md"
)
_CWD = re.compile(r"<cwd>([^<\n]{1,4096})</cwd>")


def injected(text: str) -> bool:
    """Whether Codex wrote a user message, and not the user."""
    return _INJECTED.match(text.lstrip()[:200]) is not None


def is_tag(text: str) -> bool:
    """Whether Codex wrote it to say where an image begins or ends."""
    return _TAG.fullmatch(text[:_HEADER]) is not None and len(text) < _HEADER


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


_RETRY = re.compile(r"(?:Reconnecting\.\.\.|retrying) (\d{1,4})/(\d{1,4})\b")


def failure(error: object) -> ApiFailed | None:
    """What went wrong with a turn, or with one of several tries."""
    text = string(mapping(error).get("message")) or string(error)
    if text is None:
        return None
    retry = _RETRY.search(text[:PREVIEW])
    attempt, most = (int(retry[1]), int(retry[2])) if retry else (None, None)
    return ApiFailed(text[:PREVIEW], attempt, most)
