"""Logs of the Agent Client Protocol, in the shapes in which editors and proxies write them.

The last one holds the examples of acp-tool-calls.md, in their order and with their values.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from tests.samples.log import Object, to_json

FOLDER = "-other-acp"
SHOP = "/home/demo/shop"
KINDS = "read edit delete move search execute think fetch switch_mode other".split()
OPTIONS: list[Object] = [
    {"optionId": "allow-once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "reject-once", "name": "Reject", "kind": "reject_once"},
    {"optionId": "reject-always", "name": "Never allow", "kind": "reject_always"},
]
Sent = tuple[str, Object]  # who sent what


def files() -> Iterator[tuple[str, bytes, str]]:
    """Path below the samples, bytes, and what the file shows."""
    about = "All kinds, statuses, contents and permission outcomes of ACP, as raw JSON-RPC"
    yield f"{FOLDER}/everything.jsonl", _raw(_everything().sent), about
    about = "A wrapped log: two sessions in turns, with calls of the same id"
    yield f"{FOLDER}/two-sessions.jsonl", _wrapped(_two_sessions()), about
    yield f"{FOLDER}/zed.json", _zed(_short().sent), "What Zed copies from its ACP logs: one array"
    about = "Lines that begin with [client] or [agent]; the session was loaded, not begun"
    yield f"{FOLDER}/prefixed.jsonl", _prefixed(_loaded().sent), about
    about = "A session that still waits for approval where its log ends"
    yield f"{FOLDER}/waiting.jsonl", _wrapped(_waiting().sent), about
    about = "The examples of acp-tool-calls.md"
    yield f"{FOLDER}/acp-tool-calls.jsonl", _raw(_spec().sent), about


# The shapes


def _raw(sent: list[Sent]) -> bytes:
    return b"".join(to_json(body).encode() + b"\n" for _, body in sent)


def _wrapped(sent: list[Sent]) -> bytes:
    begun = datetime(2026, 9, 20, 9, tzinfo=UTC).timestamp()
    arrows = {"client": "c2a", "agent": "a2c"}
    wrapped = (
        {"ts": begun + 1.5 * number, "dir": arrows[sender], "msg": body}
        for number, (sender, body) in enumerate(sent)
    )
    return b"".join(to_json(line).encode() + b"\n" for line in wrapped)


def _zed(sent: list[Sent]) -> bytes:
    """An answer names its method and has its result where requests have their parameters."""
    methods: dict[tuple[str, int], str] = {}
    items: list[Object] = []
    for sender, body in sent:
        item: Object = {"_direction": "outgoing" if sender == "client" else "incoming"}
        if "method" in body:
            item["_type"] = "request" if "id" in body else "notification"
            methods[sender, body.get("id", -1)] = body["method"]
        else:
            item["_type"] = "response"
            item["method"] = methods["agent" if sender == "client" else "client", body["id"]]
            item["params"] = body["result"]
        items.append(item | {key: body[key] for key in ("id", "method", "params") if key in body})
    return json.dumps(items, indent=2).encode() + b"\n"


def _prefixed(sent: list[Sent]) -> bytes:
    return b"".join(f"[{sender}] {to_json(body)}\n".encode() for sender, body in sent)


# The conversations


class _Talk:
    """One session; both sides number their requests from 0."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.sent: list[Sent] = []
        self.next = {"client": 0, "agent": 0}
        self._prompt = 0

    def request(self, sender: str, method: str, **params: object) -> int:
        id = self.next[sender]
        self.next[sender] += 1
        self.send(sender, id=id, method=method, params=params)
        return id

    def send(self, sender: str, **body: object) -> None:
        self.sent.append((sender, {"jsonrpc": "2.0", **body}))

    def begin(self) -> None:
        capabilities = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
        fields: Object = {"protocolVersion": 1, "clientCapabilities": capabilities}
        id = self.request("client", "initialize", **fields)
        info = {"name": "demo-agent", "version": "1.2.0"}
        self.send("agent", id=id, result={"protocolVersion": 1, "agentInfo": info})
        id = self.request("client", "session/new", cwd=SHOP, mcpServers=[])
        self.send("agent", id=id, result={"sessionId": self.session})

    def prompt(self, words: str) -> None:
        blocks = [_text(words)]
        params: Object = {"sessionId": self.session, "prompt": blocks}
        self._prompt = self.request("client", "session/prompt", **params)

    def stop(self, reason: str = "end_turn", **more: object) -> None:
        self.send("agent", id=self._prompt, result={"stopReason": reason, **more})

    def update(self, kind: str, /, **fields: object) -> None:
        update = {"sessionUpdate": kind, **fields}
        params = {"sessionId": self.session, "update": update}
        self.send("agent", method="session/update", params=params)

    def say(self, *pieces: str, who: str = "agent_message") -> None:
        for piece in pieces:
            self.update(f"{who}_chunk", content=_text(piece))

    def call(self, id: str, title: str, **fields: object) -> None:
        self.update("tool_call", **{"toolCallId": id, "title": title, **fields})

    def change(self, id: str, **fields: object) -> None:
        self.update("tool_call_update", **{"toolCallId": id, **fields})

    def ask(self, call: str, option: str | None) -> None:
        """Permission for a call, and what the user said; nothing for a prompt that was stopped."""
        fields: Object = {"toolCall": {"toolCallId": call}, "options": OPTIONS}
        id = self.request("agent", "session/request_permission", sessionId=self.session, **fields)
        outcome: Object = {"outcome": "selected", "optionId": option}
        self.send("client", id=id, result={"outcome": outcome if option else _CANCELLED})


_CANCELLED: Object = {"outcome": "cancelled"}


def _text(words: str) -> Object:
    return {"type": "text", "text": words}


def _content(words: str) -> Object:
    return {"type": "content", "content": _text(words)}


def _everything() -> _Talk:
    talk = _Talk("sess_everything")
    talk.begin()
    talk.prompt("Rounding is wrong in the cart. Find it and fix it.")
    talk.update("session_info_update", title="Everything that ACP can tell")
    talk.say("The total is a fl", "oat, I sup", "pose.", who="agent_thought")
    _plan(talk, "in_progress", "pending", "pending")
    talk.say("I'll look at the ca", "rt first.")
    _kinds(talk)
    _plan(talk, "completed", "in_progress", "pending")
    _contents(talk)
    _permissions(talk)
    talk.say("The cart rounds half up now.")
    usage = {"inputTokens": 5200, "outputTokens": 410, "cachedReadTokens": 4100}
    talk.update("usage_update", used=9300, size=200000, cost={"amount": 0.12, "currency": "USD"})
    talk.stop(usage=usage)
    _ends(talk)
    return talk


def _waiting() -> _Talk:
    talk = _Talk("sess_waiting")
    talk.begin()
    talk.prompt("Publish the new prices.")
    talk.call("call_1", "Check prices.json", kind="read", status="completed")
    talk.say("They are all there.")
    talk.call("call_2", "npm run publish", kind="execute", status="pending")
    fields: Object = {"toolCall": {"toolCallId": "call_2"}, "options": OPTIONS}
    talk.request("agent", "session/request_permission", sessionId=talk.session, **fields)
    return talk


def _plan(talk: _Talk, *states: str) -> None:
    steps = ("Find the rounding", "Fix it", "Run the tests")
    entries = [
        {"content": step, "priority": "high", "status": state}
        for step, state in zip(steps, states, strict=True)
    ]
    talk.update("plan", entries=entries)


def _kinds(talk: _Talk) -> None:
    """A call of every kind, and of one that nobody knows."""
    titles = (
        "Read src/cart.py", "Format src/cart.py", "Delete dist", "Move tax.py to src",
        "Search for round(", "npm run lint", "Think about half cents", "Fetch the tax table",
        "Switch to code mode", "Ask the shop's calendar",
    )  # fmt: skip
    for number, (kind, title) in enumerate(zip(KINDS, titles, strict=True), 1):
        id = f"call_{number:02d}"
        talk.call(id, title, kind=kind, status="pending")
        talk.change(id, status="in_progress")
        talk.change(id, status="completed", content=[_content(f"{title}: done")])
    talk.update("current_mode_update", currentModeId="code")
    talk.call("call_11", "Dream of a cart", kind="dream", status="asleep")
    talk.change("call_11", status="completed")
    talk.update("premonition", content=_text("an update that this version does not know"))


def _contents(talk: _Talk) -> None:
    """Diffs, places, a terminal, images and links, a failure and an error."""
    cart = f"{SHOP}/src/cart.py"
    old = "def total(items):\n    return round(sum(items), 2)\n"
    new = "def total(items):\n    return sum(items).quantize(CENT, ROUND_HALF_UP)\n"
    places = [{"path": cart, "line": 2}]
    talk.call("call_12", "Edit src/cart.py", kind="edit", locations=places)
    diffs = [
        {"type": "diff", "path": cart, "oldText": old, "newText": new},
        {"type": "diff", "path": f"{SHOP}/src/cent.py", "oldText": None, "newText": "CENT = 2\n"},
    ]
    talk.change("call_12", status="completed", content=diffs)

    terminal = [{"type": "terminal", "terminalId": "term_1"}]
    command: Object = {"command": "npm", "args": ["test"], "cwd": SHOP}
    id = talk.request("agent", "terminal/create", sessionId=talk.session, **command)
    talk.send("client", id=id, result={"terminalId": "term_1"})
    talk.call("call_13", "npm test", kind="execute", status="in_progress", content=terminal)
    shown: Object = {"sessionId": talk.session, "terminalId": "term_1"}
    id = talk.request("agent", "terminal/output", **shown)
    ended = {"exitCode": 1, "signal": None}
    output = "1 failing: total() rounds half up\n"
    talk.send("client", id=id, result={"output": output, "truncated": False, "exitStatus": ended})
    talk.change("call_13", status="failed", rawOutput={"exitCode": 1})

    image = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    link = {"type": "resource_link", "uri": f"file://{SHOP}/receipt.pdf", "name": "receipt.pdf"}
    given = [{"type": "content", "content": each} for each in (image, link)]
    talk.call("call_14", "Print a receipt", kind="other", status="completed", content=given)

    file: Object = {"sessionId": talk.session, "path": f"{SHOP}/src/cents.py", "line": 1}
    id = talk.request("agent", "fs/read_text_file", **file)
    error = {"code": -32002, "message": "Resource not found", "data": {"uri": file["path"]}}
    talk.send("client", id=id, error=error)


def _permissions(talk: _Talk) -> None:
    for number, (option, status) in enumerate(
        (("allow-once", "completed"), ("allow-always", "completed"),
         ("reject-once", "failed"), ("reject-always", None)), 15
    ):  # fmt: skip
        id = f"call_{number}"
        talk.call(id, f"Write receipt {number - 14}", kind="edit", status="pending")
        talk.ask(id, option)
        if status:
            talk.change(id, status=status)


def _ends(talk: _Talk) -> None:
    """Turns that end in other ways, and a call that never moved on."""
    talk.prompt("Publish it.")
    talk.call("call_19", "npm publish", kind="execute", status="pending")
    talk.ask("call_19", None)
    talk.send("client", method="session/cancel", params={"sessionId": talk.session})
    talk.stop("cancelled")
    talk.prompt("Write a poem about every cent.")
    talk.stop("max_tokens")
    talk.prompt("Tell me the customers' passwords.")
    talk.stop("refusal")
    talk.prompt("Then watch the log.")
    talk.call("call_20", "tail -f cart.log", kind="execute", status="pending")


def _two_sessions() -> list[Sent]:
    cart, notes = _Talk("sess_cart"), _Talk("sess_notes")
    notes.next["client"], notes.next["agent"] = 100, 100
    cart.begin()
    begun = len(cart.sent)
    id = notes.request("client", "session/new", cwd="/home/demo/notes", mcpServers=[])
    notes.send("agent", id=id, result={"sessionId": "sess_notes"})
    cart.prompt("Which file rounds?")
    cart.say("Let me lo", "ok.")
    cart.call("call_1", "Search for round(", kind="search", status="in_progress")
    cart.change("call_1", status="completed", content=[_content("src/cart.py:2")])
    cart.say("`src/cart.py` ", "does.")
    cart.stop()
    notes.prompt("Which notes are about roses?")
    notes.say("I search the ", "notes.")
    notes.call("call_1", "Search for roses", kind="search", status="in_progress")
    notes.change("call_1", status="failed", content=[_content("no such folder")])
    notes.say("There are no ", "notes.")
    notes.stop()
    one, other = iter(cart.sent[begun:]), iter(notes.sent)
    mixed = [each for pair in zip(one, other, strict=False) for each in pair]
    return [*cart.sent[:begun], *mixed, *other]


def _short() -> _Talk:
    talk = _Talk("sess_zed")
    talk.begin()
    talk.prompt("Rename total() to sum_up().")
    talk.say("Only `src/cart.py` ", "has it.")
    path = f"{SHOP}/src/cart.py"
    change = {"type": "diff", "path": path, "oldText": "def total(", "newText": "def sum_up("}
    talk.call("call_1", "Edit src/cart.py", kind="edit", content=[change])
    talk.ask("call_1", "allow-once")
    talk.change("call_1", status="completed", locations=[{"path": path, "line": 1}])
    talk.say("Done.")
    talk.stop()
    return talk


def _loaded() -> _Talk:
    talk = _Talk("sess_loaded")
    fields: Object = {"sessionId": talk.session, "cwd": SHOP, "mcpServers": []}
    id = talk.request("client", "session/load", **fields)
    talk.say("What did I ask ", "yesterday?", who="user_message")
    talk.say("For the tax ", "table.")
    talk.call("call_1", "Fetch the tax table", kind="fetch", status="completed")
    talk.send("agent", id=id, result=None)
    talk.prompt("Fetch it again.")
    talk.call("call_2", "Fetch the tax table", kind="fetch", status="in_progress")
    talk.send("agent", id=1, error={"code": -32603, "message": "Internal error"})
    return talk


# acp-tool-calls.md


def _spec() -> _Talk:
    talk = _Talk("sess_abc123def456")
    talk.prompt("Check the configuration.")
    first: Object = {"title": "Reading configuration file", "kind": "read", "status": "pending"}
    talk.update("tool_call", toolCallId="call_001", **first)
    found = _content("Found 3 configuration files...")
    talk.change("call_001", status="in_progress", content=[found])
    talk.change("call_001", content=[_content("Analysis complete. Found 3 issues.")])
    change: Object = {"type": "diff", "path": "/home/user/project/src/config.json"}
    change |= {"oldText": '{\n  "debug": false\n}', "newText": '{\n  "debug": true\n}'}
    talk.change("call_001", content=[change])
    talk.change("call_001", content=[{"type": "terminal", "terminalId": "term_xyz789"}])
    for outcome in ({"outcome": "selected", "optionId": "allow-once"}, _CANCELLED):
        params: Object = {"sessionId": talk.session, "toolCall": {"toolCallId": "call_001"}}
        params["options"] = [OPTIONS[0], OPTIONS[2]]
        talk.send("agent", id=5, method="session/request_permission", params=params)
        talk.send("client", id=5, result={"outcome": outcome})
    place = {"path": "/home/user/project/src/main.py", "line": 42}
    talk.change("call_001", locations=[place])
    talk.stop("cancelled")
    return talk
