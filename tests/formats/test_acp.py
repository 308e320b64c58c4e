"""ACP logs: every shape they come in, what is merged and joined, and how calls end."""

import io
import itertools
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.bodies import CallBody, Changed, Source
from viewer.describe import describe
from viewer.document import document, dump
from viewer.formats import Decoder, recognise
from viewer.load import Transcript, load, load_stream
from viewer.model import Liveness
from viewer.nodes import Forest
from viewer.search import Query, search
from viewer.session import Session
from viewer.tail import Chunk

Object = dict[str, Any]
Sent = tuple[str, Object]  # who sent what


class Talk:
    """Builds the messages of a conversation, both sides numbering their requests from 0."""

    def __init__(self, session: str = "sess_1") -> None:
        self.sent: list[Sent] = []
        self.session = session
        self._ids = {"client": itertools.count(), "agent": itertools.count()}
        self.prompts: list[int] = []

    def request(self, sender: str, method: str, **params: Any) -> int:
        id = next(self._ids[sender])
        body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        self.sent.append((sender, body))
        return id

    def answer(self, sender: str, id: int, result: Any) -> None:
        self.sent.append((sender, {"jsonrpc": "2.0", "id": id, "result": result}))

    def fail(self, sender: str, id: int, **error: Any) -> None:
        self.sent.append((sender, {"jsonrpc": "2.0", "id": id, "error": error}))

    def notify(self, sender: str, method: str, **params: Any) -> None:
        self.sent.append((sender, {"jsonrpc": "2.0", "method": method, "params": params}))

    def begin(self) -> "Talk":
        id = self.request("client", "initialize", protocolVersion=1)
        self.answer("agent", id, {"protocolVersion": 1, "agentInfo": {"name": "demo"}})
        id = self.request("client", "session/new", cwd="/home/demo/shop", mcpServers=[])
        self.answer("agent", id, {"sessionId": self.session})
        return self

    def prompt(self, *texts: str) -> "Talk":
        blocks = [text(each) for each in texts]
        id = self.request("client", "session/prompt", sessionId=self.session, prompt=blocks)
        self.prompts.append(id)
        return self

    def stop(self, reason: str = "end_turn", **more: Any) -> "Talk":
        self.answer("agent", self.prompts.pop(), {"stopReason": reason, **more})
        return self

    def update(self, kind: str, /, **fields: Any) -> "Talk":
        update = {"sessionUpdate": kind, **fields}
        self.notify("agent", "session/update", sessionId=self.session, update=update)
        return self

    def say(self, *pieces: str, kind: str = "agent_message_chunk", **more: Any) -> "Talk":
        for piece in pieces:
            self.update(kind, content=text(piece), **more)
        return self

    def call(self, id: str, title: str = "Look", **fields: Any) -> "Talk":
        return self.update("tool_call", toolCallId=id, title=title, **fields)

    def change(self, id: str, **fields: Any) -> "Talk":
        return self.update("tool_call_update", toolCallId=id, **fields)

    def ask(self, id: str | None, **more: Any) -> int:
        call = {"toolCallId": id} if id is not None else {}
        fields: Object = {"sessionId": self.session, "toolCall": call, "options": OPTIONS}
        return self.request("agent", "session/request_permission", **{**fields, **more})

    def decide(self, id: int, option: str | None) -> "Talk":
        outcome: Object = {"outcome": "selected", "optionId": option}
        outcome = outcome if option is not None else {"outcome": "cancelled"}
        self.answer("client", id, {"outcome": outcome})
        return self


OPTIONS = [
    {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "ever", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
]


def text(words: str) -> Object:
    return {"type": "text", "text": words}


def inside(words: str) -> Object:
    return {"type": "content", "content": text(words)}


def diff(path: str, old: str | None, new: str) -> Object:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def lines(values: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def raw(sent: list[Sent]) -> bytes:
    return lines(body for _, body in sent)


def read(talk: Talk | list[Sent], shape: Callable[[list[Sent]], bytes] = raw) -> Transcript:
    """The transcript of a conversation, from a file."""
    path = Path(tempfile.mkdtemp(dir=os.environ["HOME"])) / "log.jsonl"
    path.write_bytes(shape(talk.sent if isinstance(talk, Talk) else talk))
    return load(str(path))


ALIVE = Liveness(alive=True)


def words(transcript: Transcript, liveness: Liveness = Liveness(), **more: bool) -> list[str]:  # noqa: B008
    """The rows of the outline, without what is folded away, and without how long it took."""
    nodes = Forest(transcript, liveness).walk()
    shown = [node for node in nodes if more.get("hidden") or not node.hidden]
    return [re.sub(r" (· )?0ms$", "", describe(node).whole) for node in shown]


def outcomes(transcript: Transcript) -> dict[str, tuple[str, str | None]]:
    calls = document(transcript)["calls"]
    return {call["id"]: (call["status"], call["cause"]) for call in calls}


def body_of(transcript: Transcript, id: str) -> CallBody:
    session = transcript.session
    return Source(transcript).call(session.calls[id], session)


def whole_texts(transcript: Transcript, kind: str) -> list[str]:
    source = Source(transcript)
    session = transcript.session
    entries = [entry for row in session.rows for entry in row.entries if entry.kind == kind]
    return [source.text(entry, session) for entry in entries]


# The shapes of logs


def everything() -> Talk:
    """A conversation with one of each."""
    talk = Talk().begin().prompt("Make the tests", "pass again.")
    talk.say("First I ", "look arou", "nd.", kind="agent_thought_chunk")
    talk.call("c1", "Read cart.py", kind="read", locations=[{"path": "/home/demo/shop/cart.py"}])
    talk.change("c1", status="completed", content=[inside("total = 0")])
    talk.say("Now the fi", "x.")
    talk.call("c2", "Edit cart.py", kind="edit")
    talk.decide(talk.ask("c2"), "yes")
    talk.change("c2", status="completed", content=[diff("/home/demo/shop/cart.py", "a", "b")])
    talk.call("c3", "npm test", kind="execute", status="in_progress")
    talk.change("c3", status="failed", rawOutput={"exitCode": 2, "output": "1 failing"})
    talk.fail(
        "client", talk.request("agent", "fs/read_text_file", path="/x"), code=-1, message="no"
    )
    talk.update("plan", entries=[{"content": "Fix it", "status": "in_progress"}])
    talk.update("current_mode_update", currentModeId="ask")
    talk.decide(
        talk.ask("c4", toolCall={"toolCallId": "c4", "title": "rm", "kind": "delete"}), "no"
    )
    talk.change("c4", status="failed")
    return talk.say("Done.").stop()


def wrapped(**names: str) -> Callable[[list[Sent]], bytes]:
    """As loggers wrap messages: `direction` and `message` under the names they use."""
    client, agent = names["client"], names["agent"]

    def shape(sent: list[Sent]) -> bytes:
        called = {"client": client, "agent": agent}
        return lines(
            {"ts": 1.75e9, names["direction"]: called[sender], names["message"]: body}
            for sender, body in sent
        )

    return shape


def zed(indent: int | str | None = 2) -> Callable[[list[Sent]], bytes]:
    """What Zed copies: one array; answers have their result in `params`."""

    def shape(sent: list[Sent]) -> bytes:
        found: list[Object] = []
        methods: dict[tuple[str, Any], str] = {}
        for sender, body in sent:
            direction = "outgoing" if sender == "client" else "incoming"
            item: Object = {"_direction": direction}
            if "method" in body:
                item["_type"] = "request" if "id" in body else "notification"
                methods[sender, body.get("id")] = body["method"]
            else:
                item["_type"] = "response"
                other = "agent" if sender == "client" else "client"
                item["method"] = methods[other, body["id"]]
                item["params"] = body.get("result")
            more = {key: value for key, value in body.items() if key not in ("jsonrpc", "result")}
            found.append(item | more)
        return json.dumps(found, indent=indent).encode()

    return shape


def prefixed(client: str, agent: str) -> Callable[[list[Sent]], bytes]:
    said = {"client": client.encode(), "agent": agent.encode()}

    def shape(sent: list[Sent]) -> bytes:
        return b"".join(said[sender] + b" " + lines([body]) for sender, body in sent)

    return shape


def as_string(sent: list[Sent]) -> bytes:
    return lines({"dir": sender, "data": json.dumps(body)} for sender, body in sent)


def pretty(sent: list[Sent]) -> bytes:
    return b"\n".join(json.dumps(body, indent=2).encode() for _, body in sent)


SHAPES: dict[str, Callable[[list[Sent]], bytes]] = {
    "acp-debug": wrapped(direction="dir", message="msg", client="c2a", agent="a2c"),
    "OpenHands": wrapped(direction="dir", message="msg", client=">>>", agent="<<<"),
    "payload": wrapped(
        direction="direction", message="payload", client="client_to_agent", agent="agent_to_client"
    ),
    "message": wrapped(direction="direction", message="message", client="sent", agent="received"),
    "data": wrapped(direction="from", message="data", client="client", agent="agent"),
    "arrows": wrapped(direction="dir", message="msg", client="client→agent", agent="agent→client"),
    # A logger inside the agent: what comes in is what the client sent.
    "the agent's side": wrapped(direction="direction", message="msg", client="in", agent="out"),
    "Zed": zed(),
    "Zed with tabs": zed("\t"),
    "Zed on one line": zed(None),
    "prefixes": prefixed("[client]", "[agent]"),
    "prefixes with a time": prefixed("2026-09-01T09:00:00Z >>>", "2026-09-01T09:00:01Z <<<"),
    "prefixes of logs": prefixed("12:00:01 DEBUG client:", "12:00:02 DEBUG agent:"),
    "a message in a string": as_string,
    "one array": lambda sent: json.dumps([body for _, body in sent]).encode(),
    "jq": pretty,
    "CRLF": lambda sent: raw(sent).replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_a_log_gives_the_same_entries(name: str) -> None:
    talk = everything()
    transcript = read(talk, SHAPES[name])
    plain = read(talk)
    assert words(transcript, hidden=True) == words(plain, hidden=True)
    assert outcomes(transcript) == outcomes(plain)
    shown = document(transcript)
    assert (shown["format"], shown["session_id"]) == ("acp", "sess_1")
    assert shown["records"]["damaged"] == 0


def test_what_the_conversation_reads_like() -> None:
    assert words(read(everything())) == [
        "Make the tests pass again.",
        "thinking “First I look around.”",
        "read Read cart.py ✓",
        "Now the fix.",
        "edit Edit cart.py ✓ +1 −1",
        "permission Allow once ✓ allowed",
        "execute npm test ✗ exit 2",
        "refused fs/read_text_file: no (-1)",
        "plan 0/1 done: Fix it",
        "mode ask",
        "delete rm ✗ PERMISSION_DENIED",
        "permission Reject ■ rejected",
        "Done.",
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_the_details_hold_the_same_in_every_shape(name: str) -> None:
    transcript = read(everything(), SHAPES[name])
    assert whole_texts(transcript, "prompt") == ["Make the tests\npass again."]
    assert whole_texts(transcript, "reply") == ["Now the fix.", "Done."]
    result = body_of(transcript, "c2").result
    assert result and [each["newText"] for each in result.diffs] == ["b"]
    result = body_of(transcript, "c1").result
    assert result and result.text == "total = 0"


@pytest.mark.parametrize("name", SHAPES)
def test_logs_come_through_pipes_too(name: str) -> None:
    transcript = load_stream(io.BytesIO(SHAPES[name](everything().sent)))
    assert words(transcript) == words(read(everything()))


def test_the_time_of_a_wrapped_line_is_its_own_whatever_it_counts_in() -> None:
    for stamp in (1_750_000_000.5, 1_750_000_000_500, "2025-06-15T15:06:40.500Z"):
        body = Talk().prompt("go").sent[0][1]
        transcript = load_stream(io.BytesIO(lines([{"ts": stamp, "dir": "c2a", "msg": body}])))
        assert transcript.session.started == 1_750_000_000.5
    # Seconds since the program began tell no time of day.
    transcript = load_stream(io.BytesIO(lines([{"ts": 12.5, "dir": "c2a", "msg": body}])))
    assert transcript.session.started is None


def test_other_programs_files_are_no_acp_logs() -> None:
    for value in (
        {"type": "user", "message": {"role": "user", "content": "hi"}, "sessionId": "s"},
        {"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "x"}},
        {"id": "msg_1", "role": "assistant", "content": []},
        {"id": "1", "msg": {"type": "task_started"}},
    ):
        found = recognise(value)
        assert found is None or found.name != "acp"


# Requests and their answers


@pytest.mark.parametrize("shape", [raw, SHAPES["acp-debug"], SHAPES["the agent's side"], zed()])
def test_both_sides_number_from_0_and_answers_are_matched_per_direction(
    shape: Callable[[list[Sent]], bytes],
) -> None:
    talk = Talk()
    talk.call("a").prompt("go")  # the client's request 0
    asked = talk.ask("a")  # and the agent's
    assert talk.sent[-1][1]["id"] == talk.sent[-2][1]["id"] == asked == 0
    talk.decide(asked, "yes")
    transcript = read(talk, shape)
    assert "permission Allow once ✓ allowed" in words(transcript)
    assert not [entry for entry in words(transcript, hidden=True) if "turn ended" in entry]
    transcript = read(talk.stop(), shape)
    assert "turn ended" in words(transcript, hidden=True)


def test_without_any_direction_an_answer_goes_to_the_request_that_it_fits() -> None:
    talk = Talk()
    asked = talk.ask("a")
    talk.prompt("go")  # numbered 0 like the permission request that still waits
    talk.decide(asked, "no")
    talk.stop()
    found = words(read(talk), hidden=True)
    assert "permission Reject ■ rejected" in found and "turn ended" in found


def test_an_answer_to_no_request_in_the_log_ends_no_turn() -> None:
    talk = Talk()
    talk.call("a", status="in_progress").prompt("go")
    talk.answer("client", 0, {"outcome": {"outcome": "selected", "optionId": "yes"}})
    found = words(read(talk), hidden=True)
    assert "answer to no request" in found and "turn ended" not in found


def test_answers_that_zed_names_are_read_even_when_their_requests_are_cut_off() -> None:
    talk = Talk().begin().prompt("go").call("a")
    talk.decide(talk.ask("a"), "yes").stop()
    items = json.loads(zed()(talk.sent))
    answers = [item for item in items if item["_type"] == "response"]
    transcript = load_stream(io.BytesIO(json.dumps(answers, indent=1).encode()))
    assert "turn ended" in words(transcript, hidden=True)
    assert transcript.session.session_id == "sess_1"


def test_a_null_error_beside_a_result_is_none() -> None:
    talk = Talk().begin().prompt("go").stop()
    talk.sent[-1][1]["error"] = None
    assert document(read(talk))["problems"] == []


def test_a_json_rpc_error_says_all_it_knows_and_ends_the_turn() -> None:
    talk = Talk().begin().prompt("go").call("a", status="in_progress")
    data = {"details": "the model is overloaded"}
    talk.fail("agent", talk.prompts.pop(), code=-32603, message="Internal error", data=data)
    transcript = read(talk)
    problems = document(transcript)["problems"]
    said = "session/prompt: Internal error (-32603): the model is overloaded"
    assert said in [each["message"] for each in problems if each["kind"] == "api_error"]
    assert outcomes(transcript)["a"] == ("missing", "API_ERROR")


def test_a_call_goes_on_after_a_prompt_that_failed() -> None:
    talk = Talk().begin().prompt("go").call("a", status="in_progress")
    talk.fail("agent", talk.prompts.pop(), code=-32603, message="Internal error")
    talk.change("a", status="completed")
    assert outcomes(read(talk))["a"] == ("completed", None)


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create", "session/set_mode"])
def test_what_is_refused_beside_the_model_is_no_failure_of_its_api(method: str) -> None:
    talk = Talk().begin().prompt("go")
    is_agent = not method.startswith("session/")
    asker, other = ("agent", "client") if is_agent else ("client", "agent")
    id = talk.request(asker, method, sessionId="sess_1")
    talk.fail(other, id, code=-32002, message="Resource not found")
    transcript = read(talk.stop())
    assert f"refused {method}: Resource not found (-32002)" in words(transcript)
    assert document(transcript)["problems"] == []


# Several sessions


def two_sessions() -> list[Sent]:
    """Two sessions, message by message in turns, with calls of the same id."""
    first, second = Talk("one"), Talk("two")
    for talk, reply in ((first, ("Alp", "ha is", " right")), (second, ("Be", "ta is", " wrong"))):
        talk.prompt(f"Ask {talk.session}").say(*reply[:2])
        talk.call("call_1", f"Call of {talk.session}", kind="read").say(reply[2])
    first.change("call_1", status="completed")
    second.change("call_1", status="failed", content=[inside("the moon is full")])
    for number, (_, body) in enumerate(second.sent):
        if "id" in body:
            second.sent[number] = ("client", {**body, "id": 100 + body["id"]})
    return [each for pair in zip(first.sent, second.sent, strict=True) for each in pair]


def test_interleaved_sessions_stay_apart() -> None:
    transcript = read(two_sessions())
    assert words(transcript) == [
        "Ask one",
        "Alpha is",
        "read Call of one ✓",
        "right",
        "session two 1 step",
        "Ask two",
        "Beta is",
        "read Call of two ✗ OTHER",
        "wrong",
    ]
    assert transcript.session.session_id == "one"
    assert outcomes(transcript)["call_1"] == ("completed", None)
    assert outcomes(transcript)["two/call_1"][0] == "failed"
    agents = document(transcript)["agents"]
    assert [(agent["id"], agent["type"]) for agent in agents] == [("two", "session")]
    result = body_of(transcript, "two/call_1").result
    assert result and result.text == "the moon is full"


def test_what_another_session_says_of_itself_is_not_said_of_the_first() -> None:
    first, second = Talk("one"), Talk("two")
    first.prompt("Go").update("session_info_update", title="Carts")
    second.prompt("Go").update("session_info_update", title="Notes")
    second.update("usage_update", used=5, size=9, cost={"amount": 3, "currency": "USD"})
    transcript = read([*first.sent, *second.sent])
    shown = document(transcript)
    assert (shown["title"], shown["stated"]["cost_usd"]) == ("Carts", None)
    assert "title Notes" in words(transcript)


def test_a_prompt_that_is_cancelled_in_one_session_stops_nothing_in_another() -> None:
    first, second = Talk("one"), Talk("two")
    first.prompt("Go").call("a", status="in_progress")
    second.prompt("Go").call("b", status="in_progress").stop("cancelled")
    second.sent[0][1]["id"] = second.sent[-1][1]["id"] = 9
    ends = outcomes(read([*first.sent, *second.sent]))
    assert ends == {"a": ("missing", "SESSION_ENDED"), "two/b": ("missing", "INTERRUPTED")}


def test_sessions_that_are_only_listed_or_deleted_are_no_conversations() -> None:
    talk = Talk()
    talk.request("client", "session/delete", sessionId="old")
    talk.begin().prompt("Go").say("Well.")
    transcript = read(talk)
    assert transcript.session.session_id == "sess_1"
    assert transcript.agents == []


def test_wrapped_messages_may_stand_in_one_array_on_one_line() -> None:
    def shape(sent: list[Sent]) -> bytes:
        return json.dumps([{"ts": 1, "dir": sender, "msg": body} for sender, body in sent]).encode()

    assert words(read(everything(), shape)) == words(read(everything()))


# Texts


def test_chunks_are_one_message_and_found_across_their_borders() -> None:
    talk = Talk().begin().prompt("go").say("The ro", "und", "ing is ", "wr" + "o" * 200, "ng.")
    transcript = read(talk)
    assert words(transcript)[1].startswith("The rounding is wro")
    assert whole_texts(transcript, "reply") == ["The rounding is wr" + "o" * 200 + "ng."]
    hits = [hit for found in search(transcript, Query("rounding is wro")) for hit in found]
    assert [getattr(hit.thing, "kind", "") for hit in hits] == ["reply"]


def test_another_kind_or_another_message_id_begins_another_text() -> None:
    talk = Talk().prompt("go")
    talk.say("a", "b", messageId="1").say("c", messageId="2")
    talk.say("d", kind="agent_thought_chunk").say("e", "f")
    assert words(read(talk)) == ["go", "ab", "c", "thinking “d”", "ef"]


def test_messages_with_ids_that_come_in_turns_are_told_apart() -> None:
    talk = Talk().prompt("go")
    talk.say("Al", messageId="1").say("Be", messageId="2")
    talk.say("pha", messageId="1").say("ta", messageId="2")
    assert words(read(talk)) == ["go", "Alpha", "Beta"]


def test_a_call_ends_a_text_and_its_updates_do_not() -> None:
    talk = Talk().prompt("go").say("Before").call("a").say("Aft").change("a", status="completed")
    assert words(read(talk.say("er"))) == ["go", "Before", "other Look ✓", "After"]


def test_content_that_is_no_text_is_named() -> None:
    link = {"type": "resource_link", "uri": "file:///shop/cart.py", "name": "cart.py"}
    image = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    embedded = {"type": "resource", "resource": {"uri": "file:///x", "text": "inside of x"}}
    audio = {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}
    found = []
    for content in (link, image, embedded, audio, {"type": "hologram"}):
        named = words(read(Talk().prompt("go").update("agent_message_chunk", content=content)))
        found.append(named[1])
    assert found == [
        "[resource_link file:///shop/cart.py]", "[image image/png]", "inside of x",
        "[audio audio/wav]", "[hologram]",
    ]  # fmt: skip


def test_an_agent_that_repeats_the_prompt_asks_nothing_new() -> None:
    talk = Talk().begin().prompt("Fix the rounding")
    talk.say("Fix the ro", "unding", kind="user_message_chunk").say("Well.")
    assert words(read(talk)) == ["Fix the rounding", "Well."]
    assert "prompt again Fix the ro" in words(read(talk), hidden=True)


def test_a_session_that_is_loaded_replays_its_history() -> None:
    talk = Talk()
    id = talk.request("client", "session/load", sessionId="sess_1", cwd="/home/demo/shop")
    talk.say("Old ", "prompt", kind="user_message_chunk").say("Old reply")
    talk.call("a", "Old call", kind="read", status="completed", content=[inside("text")])
    talk.say("Second old prompt", kind="user_message_chunk").say("Second old reply")
    talk.answer("agent", id, {})
    talk.prompt("New prompt").say("New reply").stop()
    transcript = read(talk)
    assert words(transcript) == [
        "Old prompt", "Old reply", "read Old call ✓", "Second old prompt", "Second old reply",
        "New prompt", "New reply",
    ]  # fmt: skip
    assert transcript.session.session_id == "sess_1"
    assert document(transcript)["cwd"] == "/home/demo/shop"


# Calls


@pytest.mark.parametrize(
    "kind",
    "read edit delete move search execute think fetch switch_mode other teleport".split(),
)
def test_every_kind_is_kept(kind: str) -> None:
    transcript = read(Talk().prompt("go").call("a", "Do it", kind=kind, status="completed"))
    [call] = document(transcript)["calls"]
    assert (call["kind"], call["name"], call["summary"]) == (kind, kind, "Do it")
    assert words(transcript)[1] == f"{kind} Do it ✓"


@pytest.mark.parametrize(
    ("status", "shown", "cause"),
    [
        ("completed", "completed", None),
        ("failed", "failed", "OTHER"),
        ("cancelled", "failed", "INTERRUPTED"),  # v2 draft
        ("pending", "missing", "SESSION_ENDED"),
        ("in_progress", "missing", "SESSION_ENDED"),
        ("paused", "missing", "SESSION_ENDED"),  # v2 draft
        ("dreaming", "missing", "SESSION_ENDED"),
    ],
)
@pytest.mark.parametrize("later", [False, True])
def test_every_status(status: str, shown: str, cause: str | None, later: bool) -> None:
    talk = Talk().prompt("go")
    if later:
        talk.call("a", "Run", kind="execute").change("a", status=status)
    else:
        talk.call("a", "Run", kind="execute", status=status)
    assert outcomes(read(talk))["a"] == (shown, cause)


def test_a_status_that_nobody_knows_is_visible() -> None:
    talk = Talk().prompt("go").call("a", "Run").change("a", status="dreaming")
    assert "status dreaming: Run" in words(read(talk))


def test_kind_and_status_have_defaults() -> None:
    transcript = read(Talk().prompt("go").update("tool_call", toolCallId="a", title="Do it"))
    [call] = document(transcript)["calls"]
    assert (call["kind"], call["status"], call["cause"]) == ("other", "missing", "SESSION_ENDED")


def test_an_update_before_its_call_creates_it() -> None:
    talk = Talk().prompt("go").change("a", title="Early", kind="search", status="in_progress")
    talk.call("a", "In time", kind="search").change("a", status="completed")
    transcript = read(talk)
    assert words(transcript) == ["go", "search In time ✓"]
    assert document(transcript)["calls"][0]["line"] == 2


def test_fields_that_are_null_or_absent_stay_as_they_are() -> None:
    talk = Talk().prompt("go")
    talk.call("a", "Read", kind="read", locations=[{"path": "/x", "line": 3}],
              content=[inside("first")], rawInput={"path": "/x"})  # fmt: skip
    talk.change("a", status="in_progress")
    talk.change("a", title=None, kind=None, status=None, locations=None, content=None,
                rawInput=None, rawOutput=None)  # fmt: skip
    talk.change("a", status="completed")
    transcript = read(talk)
    assert words(transcript)[1] == "read Read ✓"
    body = body_of(transcript, "a")
    assert body.input == {"path": "/x"} and body.result and body.result.text == "first"
    [file] = document(transcript)["files"]
    assert (file["path"], file["at"], file["reads"], file["changes"]) == ("/x", 3, 1, 0)


def test_arrays_are_replaced_as_a_whole() -> None:
    talk = Talk().prompt("go").call("a", content=[inside("one"), inside("two")])
    talk.change("a", content=[inside("three")], status="completed")
    result = body_of(read(talk), "a").result
    assert result and result.text == "three"


def test_locations_name_the_files_that_a_call_reads_or_changes() -> None:
    talk = Talk().prompt("go")
    talk.call("a", kind="read", status="completed", locations=[{"path": "/r", "line": 42}])
    talk.call("b", kind="edit", status="completed", locations=[{"path": "/e"}])
    talk.call("c", kind="other", content=[diff("/d", None, "x\ny")])
    talk.change("c", status="completed")
    files = {file["path"]: file for file in document(read(talk))["files"]}
    assert (files["/r"]["reads"], files["/r"]["at"]) == (1, 42)
    assert files["/e"]["changes"] == 1
    assert (files["/d"]["changes"], files["/d"]["reads"], files["/d"]["added"]) == (1, 0, 2)


def test_diffs_are_counted_and_kept() -> None:
    new = diff("/home/demo/shop/new.py", None, "a\nb")
    old = diff("/home/demo/shop/old.py", "a\nb\nc", "a\nB\nc")
    talk = Talk().begin().prompt("go").call("a", "Edit", kind="edit", content=[new, old])
    talk.change("a", status="completed")
    transcript = read(talk)
    assert "edit Edit ✓ +3 −1" in words(transcript)
    result = body_of(transcript, "a").result
    assert result and result.diffs == [new, old]


def test_the_name_and_the_input_of_a_tool_come_from_where_adapters_put_them() -> None:
    meta = {"claudeCode": {"toolName": "Bash"}}
    talk = Talk().prompt("go")
    talk.call("a", "Terminal", kind="execute", rawInput={"command": "npm test"}, _meta=meta)
    done = {"claudeCode": {"toolName": "Bash", "toolResponse": {"stdout": "ok"}}}
    talk.change("a", status="completed", _meta=done)
    transcript = read(talk)
    assert words(transcript)[1] == "Bash npm test ✓"
    body = body_of(transcript, "a")
    assert body.input == {"command": "npm test"}
    assert body.result and body.result.text == "ok"


def test_terminal_output_is_shown_with_its_call_however_it_comes() -> None:
    terminal = [{"type": "terminal", "terminalId": "t1"}]
    talk = Talk().begin().prompt("go").call("a", "npm test", kind="execute", content=terminal)
    id = talk.request("agent", "terminal/output", sessionId="sess_1", terminalId="t1")
    talk.answer("client", id, {"output": "1 fail", "truncated": False})
    id = talk.request("agent", "terminal/output", sessionId="sess_1", terminalId="t1")
    talk.answer("client", id, {"output": "1 failing", "exitStatus": {"exitCode": 3}})
    talk.change("a", status="failed")
    talk.call("b", "npm run lint", kind="execute", content=terminal)
    for data in ("li", "nt"):
        talk.change("b", _meta={"terminal_output": {"terminal_id": "t1", "data": data}})
    talk.change("b", status="failed", _meta={"terminal_exit": {"exit_code": 4}})
    transcript = read(talk)
    first, second = body_of(transcript, "a").result, body_of(transcript, "b").result
    assert first and second and (first.text, second.text) == ("1 failing", "lint")
    assert "execute npm test ✗ exit 3" in words(transcript)
    assert "execute npm run lint ✗ exit 4" in words(transcript)
    errors = {call["id"]: call["error"] for call in document(transcript)["calls"]}
    assert errors["a"] == "1 failing"


def test_a_terminal_that_only_ends_tells_how() -> None:
    terminal = [{"type": "terminal", "terminalId": "t1"}]
    talk = Talk().begin().prompt("go").call("a", "make", kind="execute", content=terminal)
    id = talk.request("agent", "terminal/wait_for_exit", sessionId="sess_1", terminalId="t1")
    talk.answer("client", id, {"exitCode": 7, "signal": None})
    assert "execute make ✗ exit 7" in words(read(talk.change("a", status="failed")))


def test_what_a_call_showed_is_kept_when_it_never_ended() -> None:
    talk = Talk().prompt("go").call("a", content=[inside("half of it")]).stop()
    result = body_of(read(talk), "a").result
    assert result and result.text == "half of it"


def test_parallel_calls_are_one_group_and_later_ones_are_not() -> None:
    talk = Talk().prompt("go").call("a").call("b")
    talk.change("a", status="completed").change("b", status="completed").call("c")
    parallel = {call["id"]: call["parallel"] for call in document(read(talk))["calls"]}
    assert parallel == {"a": True, "b": True, "c": False}


def test_a_call_that_was_replayed_after_its_end_has_ended_once() -> None:
    talk = Talk().prompt("go").call("a", status="completed").call("a", status="pending").stop()
    transcript = read(talk)
    assert outcomes(transcript) == {"a": ("completed", None)}
    assert document(transcript)["problems"] == []


# Permissions and the end of turns


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ("yes", "permission Allow once ✓ allowed"),
        ("ever", "permission Always allow ✓ allowed"),
        ("no", "permission Reject ■ rejected"),
        ("never", "permission Never ■ rejected"),
        (None, "■ cancelled"),
    ],
)
def test_a_permission_request_stands_under_its_call_with_its_outcome(
    option: str | None, shown: str
) -> None:
    talk = Talk().prompt("go").call("a", "rm -rf dist", kind="execute")
    talk.decide(talk.ask("a"), option)
    transcript = read(talk)
    [hook] = transcript.session.calls["a"].hooks
    assert words(transcript)[2].startswith("permission") and words(transcript)[2].endswith(shown)
    assert hook.text == "Allow once · Always allow · Reject · Never"


def test_a_permission_request_without_an_answer_says_what_was_asked() -> None:
    talk = Talk().prompt("go").call("a")
    talk.ask("a")
    assert words(read(talk))[2] == "permission Allow once · Always allow · Reject · Never … asked"


def test_a_permission_request_brings_its_call_with_it() -> None:
    talk = Talk().prompt("go")
    call = {"toolCallId": "a", "title": "Write cart.py", "kind": "edit", "rawInput": {"x": 1}}
    talk.decide(talk.ask("a", toolCall=call), "yes").change("a", status="completed")
    transcript = read(talk)
    assert words(transcript)[1] == "edit Write cart.py ✓"
    assert body_of(transcript, "a").input == {"x": 1}


def test_a_permission_request_about_no_call_stands_alone() -> None:
    talk = Talk().prompt("go")
    talk.decide(talk.ask(None), "no")
    assert words(read(talk)) == ["go", "permission Reject ■ rejected"]


def finished(reason: str = "end_turn", option: str | None = "yes") -> Transcript:
    talk = Talk().prompt("go").call("a", status="pending")
    return read(talk.decide(talk.ask("a"), option).stop(reason))


def test_a_call_that_was_rejected_is_not_permitted() -> None:
    assert outcomes(finished(option="no"))["a"] == ("missing", "PERMISSION_DENIED")
    talk = Talk().prompt("go").call("a")
    talk.decide(talk.ask("a"), "no").change("a", status="failed", content=[inside("Rejected")])
    assert outcomes(read(talk.stop()))["a"] == ("failed", "PERMISSION_DENIED")


def test_a_call_whose_permission_was_cancelled_was_interrupted() -> None:
    assert outcomes(finished(option=None))["a"] == ("missing", "INTERRUPTED")
    assert outcomes(finished("cancelled", None))["a"] == ("missing", "INTERRUPTED")


def test_a_call_that_was_rejected_first_and_permitted_then_is_what_it_became() -> None:
    talk = Talk().prompt("go").call("a")
    talk.decide(talk.ask("a"), "no").decide(talk.ask("a"), "yes").change("a", status="completed")
    transcript = read(talk)
    assert outcomes(transcript)["a"] == ("completed", None)
    assert [hook.outcome for hook in transcript.session.calls["a"].hooks] == ["rejected", "allowed"]


def test_a_call_that_was_rejected_first_and_permitted_then_may_still_run() -> None:
    talk = Talk().prompt("go").call("a")
    talk.decide(talk.ask("a"), "no").decide(talk.ask("a"), "yes")
    assert words(read(talk), ALIVE)[1] == "other Look ⋯ running"
    assert outcomes(read(talk))["a"] == ("missing", "SESSION_ENDED")


def test_a_call_that_never_moved_on_is_missing_with_its_cause() -> None:
    talk = Talk().prompt("go").call("a", status="pending")
    assert outcomes(read(talk))["a"] == ("missing", "SESSION_ENDED")
    assert outcomes(read(talk.stop()))["a"] == ("missing", "UNKNOWN")
    talk = Talk().prompt("go").call("a", status="pending").prompt("next")
    assert outcomes(read(talk))["a"] == ("missing", "UNKNOWN")


def test_a_call_that_moves_on_after_its_turn_is_what_it_became() -> None:
    talk = (
        Talk().prompt("go").call("a", status="in_progress").stop().change("a", status="completed")
    )
    assert outcomes(read(talk))["a"] == ("completed", None)


def test_what_is_said_beside_a_running_call_does_not_end_it() -> None:
    talk = Talk().prompt("go").call("a", status="in_progress").say("Meanwhile")
    [_, call, _] = words(read(talk), ALIVE)
    assert call == "other Look ⋯ running"


def test_a_prompt_that_was_cancelled_stops_what_ran() -> None:
    talk = Talk().prompt("go").call("a", status="in_progress")
    talk.notify("client", "session/cancel", sessionId="sess_1")
    transcript = read(talk.stop("cancelled"))
    assert outcomes(transcript)["a"] == ("missing", "INTERRUPTED")
    assert words(transcript)[2:] == [
        "cancel the client asked the agent to stop",
        "interrupted the prompt was cancelled",
    ]


@pytest.mark.parametrize("reason", ["refusal", "max_tokens", "max_turn_requests", "boredom"])
def test_a_prompt_that_stopped_for_another_reason_says_so(reason: str) -> None:
    assert words(finished(reason))[-1] == f"stopped {reason.replace('_', ' ')}"


def test_a_prompt_that_just_ended_needs_no_row() -> None:
    talk = Talk().prompt("go").say("Well.").stop(usage={"inputTokens": 7, "outputTokens": 3})
    transcript = read(talk)
    assert words(transcript) == ["go", "Well."]
    assert document(transcript)["tokens"]["input"] == 7


# Everything else that is told


def test_plans_and_modes() -> None:
    entries = [
        {"content": "Find it", "status": "completed", "priority": "high"},
        {"content": "Fix it", "status": "in_progress", "priority": "high"},
        {"content": "Test it", "status": "pending", "priority": "low"},
    ]
    talk = Talk().prompt("go").update("plan", entries=entries)
    talk.request("client", "session/set_mode", sessionId="sess_1", modeId="code")
    talk.update("current_mode_update", currentModeId="code")
    transcript = read(talk)
    assert words(transcript) == ["go", "plan 1/3 done: Fix it", "mode code", "mode code"]
    assert whole_texts(transcript, "note")[0] == "✓ Find it\n▸ Fix it\n· Test it"


def test_updates_that_nobody_knows_are_kept_and_visible() -> None:
    talk = Talk().prompt("go").update("telepathy", waves=3)
    talk.notify("agent", "session/update", sessionId="sess_1", update={"x": 1})
    talk.notify("agent", "brain/scan", sessionId="sess_1")
    transcript = read(talk)
    assert words(transcript) == [
        "go", "unknown session/update/telepathy", "unknown session/update", "unknown brain/scan",
    ]  # fmt: skip
    assert document(transcript)["records"]["unknown"] == 3


def test_files_that_the_editor_reads_and_writes_for_the_agent() -> None:
    talk = Talk().begin().prompt("go")
    for method, path in (("fs/read_text_file", "/r"), ("fs/write_text_file", "/w")):
        id = talk.request("agent", method, sessionId="sess_1", path=path, content="text to write")
        talk.answer("client", id, None)
    transcript = read(talk)
    files = {
        file["path"]: (file["reads"], file["changes"]) for file in document(transcript)["files"]
    }
    assert files == {"/r": (1, 0), "/w": (0, 1)}
    assert whole_texts(transcript, "note")[-2:-1] == ["/w\ntext to write"]


def test_titles_costs_and_notices() -> None:
    talk = Talk().prompt("go").update("session_info_update", title="Carts")
    talk.update("usage_update", used=5, size=9, cost={"amount": 0.5, "currency": "USD"})
    talk.update("notice", severity="warning", title="Careful", description="it is late")
    talk.update("compaction_update", compactionId="c", status="completed")
    transcript = read(talk)
    shown = document(transcript)
    assert (shown["title"], shown["stated"]["cost_usd"]) == ("Carts", 0.5)
    assert words(transcript) == ["go", "notice Careful: it is late", "compacted auto"]


# The draft of version 2


def test_messages_of_the_draft_are_told_whole() -> None:
    talk = Talk().prompt("go")
    talk.update("agent_thought", messageId="1", content=[text("Think.")])
    talk.update("agent_message", messageId="2", content=[text("One."), text("Two.")])
    talk.say("Three", ".", messageId="3")
    talk.update("agent_message", messageId="3", content=[text("Three.")])  # as it was said
    transcript = read(talk)
    assert words(transcript) == ["go", "thinking “Think.”", "One. Two.", "Three."]
    talk.update("agent_message", messageId="3", content=[text("Four.")])
    talk.update("agent_message", messageId="2", content=None)
    assert words(read(talk))[4:] == ["in other words Four.", "reply a message was taken back"]


def test_calls_and_permissions_of_the_draft() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+newer\n"
    changes = [{"operation": "modify", "path": "/x"}, {"operation": "add", "path": "/y"}]
    change = {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": patch}}
    talk = Talk().prompt("go")
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "a", "title": "Patch"}}
    id = talk.request("agent", "session/request_permission", sessionId="sess_1",
                      title="Write two files?", subject=subject, options=OPTIONS)  # fmt: skip
    talk.decide(id, "yes").change("a", kind="edit", content=[change], status="completed")
    transcript = read(talk)
    assert words(transcript)[1:] == ["edit Patch ✓ +2 −1", "permission Allow once ✓ allowed"]
    assert transcript.session.calls["a"].hooks[0].text.startswith("Write two files? · Allow once")
    assert {f["path"]: f["changes"] for f in document(transcript)["files"]} == {"/x": 1, "/y": 1}


def test_turns_of_the_draft_end_with_a_state() -> None:
    talk = Talk().prompt("go")
    talk.answer("agent", talk.prompts.pop(), {})  # it was taken, no more
    talk.update("state_update", state="running").call("a", status="in_progress")
    assert outcomes(read(talk))["a"] == ("missing", "SESSION_ENDED")
    talk.update("state_update", state={"type": "idle", "stopReason": "cancelled"})
    assert outcomes(read(talk))["a"] == ("missing", "INTERRUPTED")
    talk.prompt("again").update("state_update", state="idle", stopReason="refusal")
    assert words(read(talk))[-1] == "stopped refusal"


def test_output_of_the_draft_comes_in_pieces() -> None:
    terminal = [{"type": "terminal", "terminalId": "t"}]
    talk = Talk().prompt("go").change("a", title="make", kind="execute", content=terminal)
    for data in ("all ", "built"):
        talk.update("terminal_output_chunk", terminalId="t", data=data)
    talk.change("a", status="completed")
    talk.change("b", title="think", status="in_progress")
    talk.update("tool_call_content_chunk", toolCallId="b", content=inside("half"))
    talk.change("b", status="completed")
    transcript = read(talk)
    first, second = body_of(transcript, "a").result, body_of(transcript, "b").result
    assert first and second and (first.text, second.text) == ("all built", "half")


# Live, and hostile


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5))
def test_a_log_read_line_by_line_is_the_log_read_at_once(size: int) -> None:
    for sent in (everything().sent, two_sessions()):
        rows = raw(sent).split(b"\n")[:-1]
        session, decoder, start = Session(), Decoder(), 0
        for at in range(0, len(rows), size):
            chunk = Chunk(at + 1, start, rows[at : at + size])
            session.apply(decoder.decode(chunk))
            start += sum(map(len, chunk.lines)) + len(chunk.lines)
        live, whole = Transcript("-", session, session.agents.all), read(sent)
        assert words(live, hidden=True) == words(whole, hidden=True)
        assert document(live) == {**document(whole), "path": "-"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)  # fmt: skip
KEYS = """jsonrpc method params result error update sessionUpdate content toolCallId title kind
    status locations rawInput rawOutput _meta options optionId outcome stopReason usage prompt
    entries state message code data sessionId terminalId path line type text diff changes patch
    oldText newText toolCall subject messageId claudeCode terminal_output terminal_exit exit_code
    id ts dir msg _direction _type name exitStatus agentInfo cost amount used""".split()
VALUES = """2.0 session/update session/prompt session/request_permission session/new initialize
    terminal/output fs/read_text_file tool_call tool_call_update agent_message_chunk agent_message
    user_message_chunk plan usage_update state_update compaction_update terminal_output_chunk idle
    tool_call_content_chunk completed failed cancelled selected yes a s diff content text terminal
    response request c2a a2c edit""".split()
messages = st.recursive(
    st.sampled_from(VALUES) | json_values,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=7)
    ),
    max_leaves=25,
)
likely = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": st.sampled_from([0, 1, "a", None, 1.5, True]),
        "method": st.sampled_from(VALUES) | json_values,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "sessionId": st.sampled_from(["s", "t", None, 3]),
                "update": st.fixed_dictionaries(
                    {"sessionUpdate": st.sampled_from(VALUES) | json_values},
                    optional=dict.fromkeys(KEYS[7:20], messages),
                ),
                "toolCall": messages,
                "options": messages,
                "prompt": messages,
                "terminalId": messages,
            },
        )
        | messages,
        "result": messages,
        "error": messages,
    },
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(likely | st.dictionaries(st.sampled_from(KEYS), messages, max_size=5), max_size=8))
def test_no_object_whatever_its_shape_raises(tmp_path_factory: Any, objects: list[Object]) -> None:
    path = tmp_path_factory.mktemp("any") / "log.jsonl"
    first = {"jsonrpc": "2.0", "method": "session/new", "params": {}}
    path.write_bytes(lines([first, *objects]))
    transcript = load(str(path))
    dump(document(transcript))
    assert all(isinstance(each, str) for each in words(transcript, hidden=True))
    source = Source(transcript)
    session = transcript.session
    for row in session.rows:
        try:
            source.blocks(row, session)
            for entry in row.entries:
                assert isinstance(source.text(entry, session), str)
        except Changed:
            assert row.type == "damaged"
    for call in (*session.calls.values(), *session.nameless_calls):
        source.call(call, session)
    list(search(transcript, Query("a")))
