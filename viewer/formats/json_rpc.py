"""JSON-RPC messages in the lines of a log, however the logger wrapped them (format.md K)."""

from typing import NamedTuple

from viewer.formats.contract import Object
from viewer.formats.fields import number, string, time

_INSIDE = ("msg", "message", "payload", "data", "body")  # where loggers put the message
_DIRECTION = ("direction", "dir", "_direction", "from", "side")
CLIENT, AGENT = "client", "agent"
_SENDERS = {
    CLIENT: ("c2a", "client", ">>>", "->", "outgoing", "out", "sent", "send", "stdin", "editor"),
    AGENT: ("a2c", "agent", "<<<", "<-", "incoming", "in", "received", "recv", "stdout", "server"),
}
_TIME = ("ts", "timestamp", "time", "_timestamp")
METHODS = ("session/", "fs/", "terminal/", "elicitation/", "initialize", "authenticate", "$/")


class Message(NamedTuple):
    body: Object
    sender: str | None  # client or agent, where the log tells
    time: float | None

    @property
    def method(self) -> str | None:
        return string(self.body.get("method"))

    @property
    def is_answer(self) -> bool:
        if "_type" in self.body:  # Zed names the method of an answer, too
            return bool(self.body["_type"] == "response")
        return "method" not in self.body and ("result" in self.body or "error" in self.body)


def unwrap(value: Object) -> Message | None:
    """The JSON-RPC message in an object of a log."""
    found: Object | None = value if _is_rpc(value) else None
    if found is None:
        for key in _INSIDE:
            if isinstance(inner := value.get(key), dict) and _is_rpc(inner):
                found = inner
                break
    if found is None:
        return None
    words = next((value[key] for key in _DIRECTION if isinstance(value.get(key), str)), "")
    stamp = next((value[key] for key in _TIME if key in value), None)
    return Message(found, sender_of(words), _moment(stamp))


def _is_rpc(value: Object) -> bool:
    if "jsonrpc" in value or "_direction" in value:
        return True
    if "role" in value or "content" in value:
        return False
    if isinstance(method := value.get("method"), str):
        return "params" in value or "id" in value or method.startswith(METHODS)
    return "id" in value and ("result" in value or isinstance(value.get("error"), dict))


def sender_of(words: str) -> str | None:
    words = words.lower().strip()
    for sender, names in _SENDERS.items():
        if words in names or words.startswith((f"{names[0]}_", f"{names[1]}_", f"{names[1]}-")):
            return sender
    return None


def _moment(value: object) -> float | None:
    if (seconds := number(value)) is not None:
        return seconds / 1000 if seconds > 1e11 else float(seconds)
    return time(value)


def with_direction(value: Object, words: str) -> Object:
    """What a prefix such as `[client]` or `12:00:01 <<<` says."""
    for part in words.lower().replace("[", " ").replace("]", " ").split():
        if (sender := sender_of(part.strip(":,;()"))) is not None:
            return {**value, "direction": sender}
    return value
