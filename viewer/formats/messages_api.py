"""Request bodies of the Messages API: one JSON document, or one a line as a proxy logs them, with
the response where it was kept.

Each request repeats the conversation so far. A message is known by itself and all before it, so it
is shown once; where a request goes on from an earlier message, the conversation forks there. What
the API would refuse is said as the API says it, with the fix (viewer/rules.py).
"""

from hashlib import blake2b
from typing import Any

import orjson

from viewer import rules
from viewer.formats.claude_messages import read_assistant, read_user
from viewer.formats.contract import Block, Format, Object
from viewer.formats.fields import count, mapping, string, text_of, time, word
from viewer.records import PREVIEW, ApiFailed, Invalid, Record, Said, Spent, Unread

_REQUEST = ("request", "body", "params")
_FOREIGN = ("sessionId", "uuid", "parentUuid", "session_id", "jsonrpc")
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
        messages = inner.get("messages")
        if isinstance(messages, list) and all(isinstance(m, dict) for m in messages[:3]):
            if any(key in inner for key in ("model", "max_tokens", "tools", "system")):
                return inner
    return None


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
    parts: list[Object] = [_Request({**body, "_time": value.get("timestamp", value.get("ts"))})]
    for place, each in enumerate(body["messages"]):
        message = _Message(each if isinstance(each, dict) else {"content": each})
        message.place = place
        parts.append(message)
    response = mapping(value.get("response"))
    response = mapping(response.get("body")) or response
    if response:
        parts.append(_Response(response))
    return parts


class _Conversation:
    def __init__(self) -> None:
        self._known: set[str] = set()
        self._last: str | None = None
        self._time: float | None = None
        self._breaches: dict[int | None, list[rules.Breach]] = {}
        self._told: set[tuple[str, str]] = set()  # breaches of tools, repeated by each request
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
        self._time = time(body.get("_time"))
        self._breaches = {}
        for breach in rules.of_body({key: v for key, v in body.items() if key != "_time"}):
            self._breaches.setdefault(breach.message, []).append(breach)
        tools = body.get("tools")
        names = [string(mapping(each).get("name")) or "?" for each in _list(tools)]
        model = string(body.get("model"))
        facts = [model or "no model", f"{len(_list(body['messages']))} messages"]
        facts += [f"{len(names)} tools"] if names else []
        frame = _key("", [model, names, text_of(body.get("system"), 4000)])
        again, self._frame = frame == self._frame, frame
        record.parts.append(Said("note", " · ".join(facts), "request", hidden=again))
        if not again:
            if system := text_of(body.get("system"), PREVIEW):
                record.parts.append(Said("context", system, "system", hidden=True))
            if names:
                words = ", ".join(names)[:PREVIEW]
                record.parts.append(Said("context", words, "tools", hidden=True))
        if model:
            record.parts.append(Spent("\0model", model, 0, 0, 0, 0))
        self._add_breaches(record, None)
        return record

    def _add_breaches(self, record: Record, message: int | None) -> None:
        for breach in self._breaches.get(message, ()):
            key = (breach.words, breach.fix)
            if message is not None or key not in self._told:
                self._told.add(key)
                record.parts.append(Invalid(breach.words, breach.fix))

    def _read_message(self, message: _Message) -> Record | None:
        parent = self._last
        self._last = key = _key(parent, [message.get("role"), _normal(message.get("content"))])
        if key in self._known:
            return None
        return self._new(message, key, parent, word(message.get("role")), message.place)

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
            text = text_of(message.get("content"), PREVIEW)
            record.parts.append(Said("context", text, role[:40]) if text else Unread(role[:40]))
        # What is wrong with it is said by the rules, in the API's own words.
        record.parts = [part for part in record.parts if not isinstance(part, Invalid)]
        if place is not None:
            self._add_breaches(record, place)
        return record

    def _read_response(self, response: _Response) -> Record:
        error = response.get("error")
        if error is not None or response.get("type") == "error":
            record = Record("response/error")
            kind, text = word(mapping(error).get("type")), string(mapping(error).get("message"))
            record.parts.append(ApiFailed(f"{kind}: {text or 'no message'}"[:PREVIEW]))
            return record
        parent = self._last
        content = _normal(response.get("content"))
        self._last = key = _key(parent, ["assistant", content])
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


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _normal(content: object) -> object:
    """The content without what changes from request to request: where the cache is to end."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return content
    return [{key: v for key, v in block.items() if key not in ("cache_control", "citations")}
            if isinstance(block, dict) else block for block in content]  # fmt: skip


def _key(before: str | None, value: object) -> str:
    """Tells a message by itself and all before it."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except TypeError:  # too deep, or text that is none
        data = str(id(value)).encode()
    return blake2b((before or "").encode() + b"\0" + data, digest_size=12).hexdigest()


def _content(value: Object) -> list[Block] | None:
    if isinstance(value, _Request):
        rest = {key: v for key, v in value.items() if key not in ("messages", "_time")}
        blocks: list[Block] = []
        if system := text_of(rest.pop("system", None), 1 << 20):
            blocks.append({"type": "text", "text": system})
        tools = _list(rest.pop("tools", None))
        try:
            blocks.append({"type": "text", "text": orjson.dumps(
                {**rest, "tools": tools}, option=orjson.OPT_INDENT_2).decode()})  # fmt: skip
        except TypeError:
            pass
        return blocks
    if value.get("type") == "error" or "error" in value:
        return [{"type": "text", "text": string(mapping(value.get("error")).get("message")) or ""}]
    content = value.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block if isinstance(block, dict) else {"type": "text", "text": word(block)}
            for block in _list(content)]  # fmt: skip


FORMAT = Format("messages-api", "api", _recognises, lambda: _Conversation().read, _content, _parts)
