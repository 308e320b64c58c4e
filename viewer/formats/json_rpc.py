"""JSON-RPC messages in the lines of a log, however the logger wrapped them (format.md K).

Loggers name the sender in many words, or not at all, and some see the world from the agent's side:
what they call incoming is what the client sent. A known method tells who asks for it, so that is
believed first.
"""

import re
from typing import NamedTuple

import orjson

from viewer.formats.contract import Object
from viewer.formats.fields import mapping, number, string, time

_INSIDE = ("msg", "message", "payload", "data", "body")  # where loggers put the message
_DIRECTION = ("direction", "dir", "_direction", "from", "side")
_TIME = ("ts", "timestamp", "time", "_timestamp")
CLIENT, AGENT = "client", "agent"
_OTHER = {CLIENT: AGENT, AGENT: CLIENT}
_SENDERS = {
    CLIENT: (">>>", ">>", ">", "->", "→", "outgoing", "out", "sent", "send", "stdin", "editor"),
    AGENT: ("<<<", "<<", "<", "<-", "←", "incoming", "in", "received", "recv", "stdout", "server"),
}
_SENDER = {word: sender for sender, words in _SENDERS.items() for word in words}
# `client`, `c2a`, `client_to_agent`, `fromClient`, but not `agent_servers::acp`.
_NAMED = re.compile(
    r"(?:from[_ -]?)?(client|agent|editor|c2a|a2c)(?:[_ -]*(?:to|2|->|→|>).*)?", re.I
)

METHODS = ("session/", "fs/", "terminal/", "elicitation/", "initialize", "authenticate", "$/")
_OF_AGENT = ("session/update", "session/request_permission", "fs/", "terminal/", "elicitation/")
_BARE = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
# What only the result of one method has.
_TELLS = {
    "stopReason": "session/prompt",
    "outcome": "session/request_permission",
    "protocolVersion": "initialize",
}


class Message(NamedTuple):
    body: Object
    sender: str | None  # client or agent, where the log tells
    time: float | None
    method: str | None

    @property
    def id(self) -> str | None:
        id = self.body.get("id")
        return str(id) if isinstance(id, (int, str)) and not isinstance(id, bool) else None

    @property
    def is_answer(self) -> bool:
        if "_type" in self.body:  # Zed names the method of an answer, too
            return bool(self.body["_type"] == "response")
        return self.method is None and ("result" in self.body or "error" in self.body)

    @property
    def result(self) -> Object:
        """What it answers; Zed keeps that where requests have their parameters."""
        inside = "params" if "_type" in self.body and "result" not in self.body else "result"
        return mapping(self.body.get(inside))


def unwrap(value: Object) -> Message | None:
    """The JSON-RPC message in an object of a log."""
    body: Object | None = value if _is_rpc(value) else None
    if body is None:
        for key in _INSIDE:
            if (inner := _object(value.get(key))) is not None and _is_rpc(inner):
                body = inner
                break
    if body is None:
        return None
    sender = stamp = None
    if body is not value or not _BARE.issuperset(value):
        words = next((value[key] for key in _DIRECTION if isinstance(value.get(key), str)), "")
        sender = sender_of(words)
        stamp = next((value[key] for key in _TIME if key in value), None)
    return Message(body, sender, _moment(stamp), string(body.get("method")))


def _object(value: object) -> Object | None:
    """An object, also one that was written as a string."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return value if isinstance(value, dict) else None


def _is_rpc(value: Object) -> bool:
    if "jsonrpc" in value or "_direction" in value:
        return True
    if "role" in value or "content" in value:
        return False
    if isinstance(method := value.get("method"), str):
        return "params" in value or "id" in value or method.startswith(METHODS)
    return "id" in value and ("result" in value or isinstance(value.get("error"), dict))


def sender_of(words: str) -> str | None:
    words = words.strip()
    if (match := _NAMED.fullmatch(words)) is not None:
        return AGENT if match[1].lower() in ("agent", "a2c") else CLIENT
    return _SENDER.get(words.lower())


def _moment(value: object) -> float | None:
    """A time in seconds, also written in milliseconds or less. Those of before 1973 count from the
    start of the program, and tell nothing."""
    if (stamp := number(value)) is None:
        return time(value)
    if not 1e8 < stamp < 1e20:
        return None
    seconds = float(stamp)
    while seconds > 1e11:
        seconds /= 1000
    return seconds


def with_direction(value: Object, words: str) -> Object:
    """What a prefix such as `[client]` or `12:00:01 <<<` says."""
    said = re.sub(r"[\[\]()]", " ", words).split()
    found: Object = {}
    for word in said:
        if (sender := sender_of(word.strip(":,;|"))) is not None:
            found.setdefault("direction", sender)
        elif len(word) > 10 and time(word) is not None:
            found.setdefault("timestamp", word)
    return {**value, **found}


class Request(NamedTuple):
    method: str
    params: Object


class Requests:
    """Those that wait for an answer. Both sides number theirs from 0, so an answer is to a request
    of the other side."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], Request] = {}
        self._mirrored = False  # the log calls the client what is the agent

    def note(self, message: Message) -> None:
        method, id = message.method or "", message.id
        sender = _asker(method)
        if sender is not None and message.sender is not None:
            self._mirrored = sender != message.sender
        sender = sender or self._sender(message) or CLIENT
        if id is not None:
            params = mapping(message.body.get("params"))
            self._waiting.pop((sender, id), None)
            self._waiting[sender, id] = Request(method, params)

    def answered(self, message: Message) -> Request | None:
        """The request that an answer is to."""
        sender = self._sender(message)
        askers = (CLIENT, AGENT) if sender is None else (_OTHER[sender],)
        found = [key for key in self._waiting if key[0] in askers and key[1] == message.id]
        told = message.method or next((_TELLS[key] for key in _TELLS if key in message.result), "")
        fitting = [key for key in found if self._waiting[key].method == told]
        if not fitting:
            known = {*_TELLS.values()} if told else set()
            fitting = [key for key in found if self._waiting[key].method not in known]
        return self._waiting.pop(fitting[-1]) if fitting else None

    def _sender(self, message: Message) -> str | None:
        sender = message.sender
        return _OTHER[sender] if sender is not None and self._mirrored else sender


def _asker(method: str) -> str | None:
    """Who asks for a method."""
    if method.startswith(_OF_AGENT):
        return AGENT
    return CLIENT if method.startswith(METHODS) and not method.startswith("$/") else None
