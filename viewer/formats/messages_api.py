"""Request bodies of the Messages API: one JSON document, or one a line as a proxy logs them, with
the response where it was kept.

Each request repeats the conversation so far. A message is known by itself and all before it, so it
is shown once; where a request goes on from an earlier message, the conversation forks there. What
the API would refuse is said as the API says it, with the fix (viewer/rules.py).
"""

import marshal
from bisect import bisect_left
from collections import defaultdict
from hashlib import blake2b
from typing import Any

import orjson

from viewer import rules, text
from viewer.formats import documents
from viewer.formats.claude_messages import read_assistant, read_user
from viewer.formats.contract import Block, Format, Object
from viewer.formats.fields import count, mapping, number, string, text_of, time, word
from viewer.records import PREVIEW, ApiFailed, Invalid, Learned, Part, Record, Said, Spent, Unread

_REQUEST = ("request", "body", "params")
_FOREIGN = ("sessionId", "uuid", "parentUuid", "session_id", "jsonrpc")
_TIMES = ("timestamp", "ts", "time", "logged_at")
_TOLD_ELSEWHERE = ("messages", "system", "tools", "_time")
# What may differ where a message is repeated: where the cache ends, what only responses have.
_PASSING = frozenset(("cache_control", "citations", "caller"))
_EMPTY = "(empty)"
_MOST_SYSTEM = 1 << 20
_STOPS = {"max_tokens": "limit", "refusal": "refused", "model_context_window_exceeded": "limit"}


class _Request(Object):
    """The request but for its messages: the record that a body begins with."""


class _Message(Object):
    """One message of a body; `place` counts them from 0."""

    place = 0


class _Response(Object):
    """What came back."""


def _body(value: Object) -> Object | None:
    """The request body in an object of a log."""
    if any(key in value for key in _FOREIGN):
        return None
    for each in (value, *(mapping(value.get(key)) for key in _REQUEST)):
        inner = mapping(each.get("body")) if "messages" not in each else each
        if "messages" in inner:
            fields = sum(key in inner for key in ("model", "max_tokens", "tools", "system"))
            if fields >= (1 if _are_messages(inner["messages"]) else 2):
                return inner
    return None


def _are_messages(value: object) -> bool:
    return isinstance(value, list) and (not value or any(isinstance(m, dict) for m in value))


def _messages(body: Object) -> list[object]:
    """The messages of a body; what stands in their place is one."""
    value = body["messages"]
    return value if isinstance(value, list) else [] if value is None else [value]


def _is_response(value: Object) -> bool:
    return value.get("type") == "message" and value.get("role") == "assistant"


def _recognises(value: Object) -> bool:
    if _body(value) is not None:
        return True
    if any(key in value for key in _FOREIGN):
        return False
    return _is_response(value) and "content" in value


def _parts(value: Object) -> list[Object]:
    body = _body(value)
    if body is None:
        return [_Response(value)] if _is_response(value) else [value]
    request = mapping(value.get("request"))
    when = next((each[key] for each in (value, request) for key in _TIMES if key in each), None)
    parts: list[Object] = [_Request({**body, "_time": when})]
    for place, each in enumerate(_messages(body)):
        message = _Message(each if isinstance(each, dict) else {"content": each})
        message.place = place
        parts.append(message)
    response = mapping(value.get("response"))
    response = mapping(response.get("body")) or response
    if not response and "error" in value:
        response = {"error": value["error"]}
    if response:
        parts.append(_Response(response))
    return parts


class _Conversation:
    def __init__(self) -> None:
        self._known: set[str] = set()
        self._last: str | None = None
        self._time: float | None = None
        self._keys: list[str] = []  # of the messages of the request at hand
        self._breaches: dict[int | None, list[rules.Breach]] = {}  # and where they are told
        self._told: set[tuple[str | None, str, str]] = set()  # breaches; requests repeat them
        self._frame = ""  # model, system and tools of the request before

    def read(self, value: Object) -> Record | None:
        match value:
            case _Request():
                record: Record | None = self._read_request(value)
            case _Message():
                record = self._read_message(value)
            case _Response():
                record = self._read_response(value)
            case _:
                record = Record(word(value.get("type"))[:60])
                record.unknown = True
        if record is not None:
            record.format = "messages-api"
            record.time = self._time
        return record

    def _read_request(self, body: Object) -> Record | None:
        record = Record("request")
        self._last = None
        self._time = _moment(body.get("_time"))
        self._keys = _keys(_messages(body))
        self._judge(body)
        facts, system, tools = _frame(body)
        frame = _key(None, [body.get("model"), system, tools])
        again, self._frame = frame == self._frame, frame
        record.parts.append(Said("note", facts[:PREVIEW], "request", hidden=again))
        if not again:
            if system:
                record.parts.append(Said("context", system[:PREVIEW], "system", hidden=True))
            if tools:
                record.parts.append(Said("context", tools[:PREVIEW], "tools", hidden=True))
        if model := string(body.get("model")):
            record.parts.append(Learned("model", model))
        self._add_breaches(record, None)
        return record

    def _judge(self, body: Object) -> None:
        """Find what is wrong with a request, and where to tell it: at its message, but only once;
        where that was shown before it was wrong, at what follows it."""
        self._breaches = defaultdict(list)
        new = [place for place, key in enumerate(self._keys) if key not in self._known]
        for breach in rules.of_body(body):
            place = breach.message
            whose = self._keys[place] if place is not None else None
            if (whose, *breach[:2]) not in self._told:
                self._told.add((whose, *breach[:2]))
                if place is not None:
                    at = bisect_left(new, place)
                    place = new[at] if at < len(new) else None
                self._breaches[place].append(breach)

    def _add_breaches(self, record: Record, place: int | None) -> None:
        for breach in self._breaches.get(place, ()):
            record.parts.append(Invalid(breach.words, breach.fix))

    def _read_message(self, message: _Message) -> Record | None:
        parent, key = self._last, self._keys[message.place]
        self._last = key
        if key in self._known:
            return None
        role = string(message.get("role")) or "no role"
        return self._new(message, key, parent, role, message.place)

    def _new(
        self, message: Object, key: str, parent: str | None, role: str, place: int | None
    ) -> Record:
        self._known.add(key)
        record = Record(f"message/{role[:20]}")
        record.uuid, record.parent = key, parent
        record.linked = True
        as_claude = {"message": {**message, "id": string(message.get("id")) or key}}
        if role == "assistant":
            record.spoken = True
            as_claude["message"].pop("usage", None)
            read_assistant(record, as_claude)
        elif role == "user":
            record.spoken = True
            read_user(record, as_claude)
        else:
            words = text_of(message.get("content"), PREVIEW)
            record.parts.append(Said("context", words, role[:40]) if words else Unread(role[:40]))
        _show_empty(record.parts, message.get("content"))
        # What is wrong with it is said by the rules, in the API's own words.
        record.parts = [part for part in record.parts if not isinstance(part, Invalid)]
        if place is not None:
            self._add_breaches(record, place)
        return record

    def _read_response(self, response: _Response) -> Record:
        error = response.get("error")
        if error is not None or response.get("type") == "error":
            record = Record("response/error")
            record.parts.append(ApiFailed(_words_of_error(response)[:PREVIEW]))
            return record
        if "content" not in response:
            record = Record("response")
            record.parts.append(Unread("response"))
            return record
        parent = self._last
        self._last = key = _key(parent, ["assistant", _normal(response["content"])])
        record = self._new(response, key, parent, "assistant", None)
        usage = mapping(response.get("usage"))
        if usage:
            record.parts.append(
                Spent(
                    string(response.get("id")),
                    string(response.get("model")),
                    count(usage.get("input_tokens")),
                    count(usage.get("output_tokens")),
                    count(usage.get("cache_read_input_tokens")),
                    count(usage.get("cache_creation_input_tokens")),
                )
            )
        stop = string(response.get("stop_reason"))
        if stop in _STOPS:
            words = stop.replace("_", " ")
            record.parts.append(Said("note", words, _STOPS[stop], "warning"))
        return record


def _show_empty(parts: list[Part], content: object) -> None:
    """A message without a word in it is a mistake that is worth seeing."""
    if content == []:
        parts.append(Said("note", _EMPTY, "message"))
    for part in parts:
        if isinstance(part, Said) and part.kind in ("prompt", "reply") and not part.text:
            part.text = _EMPTY


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _moment(value: object) -> float | None:
    """A time in words, or in seconds or milliseconds since the epoch."""
    seconds = number(value)
    if seconds is None:
        return time(value)
    seconds = seconds / 1000 if seconds > 1e11 else seconds
    return float(seconds) if 0 < seconds < 1e11 else None


def _frame(body: Object) -> tuple[str, str, str]:
    """What a request says besides its messages: in a line, its system prompt, and its tools."""
    tools = _list(body.get("tools"))
    facts = [string(body.get("model")) or "no model"]
    facts += [text.plural(len(_messages(body)), "message")]
    facts += [text.plural(len(tools), "tool")] if tools else []
    named = ", ".join(string(mapping(each).get("name")) or "?" for each in tools)
    return " · ".join(facts), text_of(body.get("system"), _MOST_SYSTEM), named


def _normal(content: object) -> object:
    """The content without what changes from request to request."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return content
    return [_normal_block(block) if isinstance(block, dict) else block for block in content]


def _normal_block(block: Block) -> Block:
    normal = {key: v for key, v in block.items() if key not in _PASSING and v is not None}
    if normal.get("type") == "tool_result":
        normal["content"] = _normal(normal.get("content"))
    return normal


def _keys(messages: list[object]) -> list[str]:
    keys: list[str] = []
    for each in messages:
        message = each if isinstance(each, dict) else {"content": each}
        told = [message.get("role"), _normal(message.get("content"))]
        keys.append(_key(keys[-1] if keys else None, told))
    return keys


def _key(before: str | None, value: object) -> str:
    """Tells a message by itself and all before it."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # too deep, too large a number, or text that is none
        data = marshal.dumps(value, 2)  # type: ignore[arg-type]
    return blake2b((before or "").encode() + b"\0" + data, digest_size=12).hexdigest()


def _places(data: bytes) -> list[int]:
    """Where the parts of a body begin in its bytes: the request, and each message."""
    return [0, *documents.elements(data, "messages", _REQUEST)]


def _content(value: Object) -> list[Block] | None:
    if isinstance(value, _Request):
        return _content_of_request(value)
    if value.get("type") == "error" or "error" in value:
        return [{"type": "text", "text": _words_of_error(value)}]
    content = value.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block if isinstance(block, dict) else {"type": "text", "text": word(block)}
            for block in _list(content)]  # fmt: skip


def _content_of_request(body: Object) -> list[Block]:
    """Its entries as texts: all else that it says, its system prompt, its tools."""
    facts, system, tools = _frame(body)
    rest = {
        key: v for key, v in body.items() if key not in ("messages", "system", "tools", "_time")
    }
    texts = [f"{facts}\n\n{_json(rest)}"]
    texts += [system] if system else []
    texts += [f"{tools}\n\n{_json(body.get('tools'))}"] if tools else []
    return [{"type": "text", "text": each} for each in texts]


def _json(value: object) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return "(cannot be written as JSON)"


def _words_of_error(response: Object) -> str:
    error = response.get("error")
    words = (string(error), *map(string, map(mapping(error).get, ("type", "message"))))
    return ": ".join(each for each in words if each) or "an error without a message"


FORMAT = Format(
    "messages-api",
    "api",
    _recognises,
    lambda: _Conversation().read,
    _content,
    _parts,
    places=_places,
)
