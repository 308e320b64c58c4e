"""Requests of the Messages API, in every way they are kept, and what the API would say of them."""

import json
import re
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.acceptance.shared import CORPUS
from tests.build import lines
from tests.samples import messages as samples
from tests.samples.messages import answer, assistant, body, call, response, text, user
from viewer import rules
from viewer.bodies import Source
from viewer.document import document, dump
from viewer.formats import Decoder, acp, claude, codex, codex_exec, messages_api, recognise
from viewer.formats.parse import Parsed, parse
from viewer.load import Transcript, load
from viewer.model import DEAD, Entry
from viewer.problems import Problem, find
from viewer.records import Invalid
from viewer.render import as_text
from viewer.search import Query, search
from viewer.session import Session
from viewer.tail import Chunk

Object = dict[str, Any]

ASK = user(text("How many mugs are left?"))
CALL = call("toolu_1", command="stock mug")
TOLD = user(answer("toolu_1", "12 mugs"))
TURN = (ASK, assistant(text("I'll look."), CALL), TOLD)
REFUSAL = {"type": "error", "error": {"type": "invalid_request_error", "message": "tools.0: no"}}


def opened(folder: Path, *records: object, name: str = "log.jsonl") -> Transcript:
    """A file with a record a line."""
    path = folder / name
    path.write_bytes(b"\n".join(lines(*records)) + b"\n")
    return load(str(path))


def outline(transcript: Transcript) -> list[str]:
    """The rows of the outline, without their clocks and the states at their ends."""
    shown = [line.strip() for line in as_text(transcript, DEAD, None)]
    rows = shown[shown.index("") + 1 :]
    rows = [row.rsplit("  ", 1)[0].strip() for row in rows[: rows.index("")]]
    return [re.sub(r" \d\d:\d\d:\d\d ", " ", row) for row in rows]


def invalid(transcript: Transcript) -> list[Problem]:
    return [problem for problem in find(transcript) if problem.kind == "invalid"]


def complaints(transcript: Transcript) -> list[str]:
    """What the API would say, in the order of the outline."""
    return [p.message.partition(". ")[0] for p in invalid(transcript)]


def kinds(transcript: Transcript) -> list[str]:
    return [row.type for row in transcript.session.rows]


def entries(transcript: Transcript, kind: str) -> list[Entry]:
    return [e for row in transcript.session.rows for e in row.entries if e.kind == kind]


SAID = [
    "· request claude-opus-5-5 · 3 messages · 2 tools",
    "❯ How many mugs are left?",
    "▪ I'll look.",
    "‣ bash       stock mug",
]


# The ways in which a request is kept


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("indent", [None, 1, 2, "\t"])
def test_one_request_is_a_session_on_one_line_and_on_many(
    indent: int | str | None, end: str, tmp_path: Path
) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(body(*TURN), indent=indent) + end)
    transcript = load(str(path))
    assert document(transcript)["format"] == "messages-api"
    assert outline(transcript) == SAID
    assert find(transcript) == []
    [each] = document(transcript)["calls"]
    assert (each["name"], each["status"]) == ("bash", "completed")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda request: {"request": request},
        lambda request: {"body": request},
        lambda request: {"request": {"method": "POST", "body": request}},
        lambda request: {"custom_id": "a", "params": request},
        lambda request: {"timestamp": "2026-09-01T10:00:00Z", "request": request},
        lambda request: {"request": request, "response": None},
        lambda request: {"request": request, "response": {"status": 200}},
    ],
)
def test_a_request_may_be_wrapped(wrap: Any, tmp_path: Path) -> None:
    transcript = opened(tmp_path, wrap(body(*TURN)))
    assert document(transcript)["format"] == "messages-api"
    assert outline(transcript)[:4] == SAID
    assert find(transcript) == []


def test_a_list_of_requests_in_one_pretty_printed_document_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps([body(ASK), body(*TURN)], indent=2))
    transcript = load(str(path))
    assert outline(transcript)[1:] == SAID[1:]
    assert kinds(transcript).count("request") == 2


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ({"timestamp": "2026-09-01T10:00:00Z"}, 1788256800),
        ({"ts": 1788256800}, 1788256800),
        ({"time": 1788256800500}, 1788256800.5),
        ({"logged_at": "2026-09-01T10:00:00+00:00"}, 1788256800),
        ({"timestamp": True}, None),
        ({"timestamp": -1}, None),
        ({"timestamp": 1e300}, None),
        ({}, None),
    ],
)
def test_the_time_of_a_request_is_read_as_loggers_write_it(
    stamp: Object, seconds: float | None, tmp_path: Path
) -> None:
    transcript = opened(tmp_path, {**stamp, "request": body(ASK)})
    assert transcript.session.started == seconds
    dump(document(transcript))


def test_the_model_s_words_may_come_as_a_plain_string(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    assert outline(opened(tmp_path, body(*messages)))[1:] == ["❯ Hi", "▪ Hello"]


# Responses


def test_a_response_is_the_next_message_with_its_tokens_and_its_model(tmp_path: Path) -> None:
    back = response(2, "end_turn", text("12 mugs."))
    transcript = opened(tmp_path, {"request": body(*TURN), "response": back})
    assert outline(transcript) == [*SAID, "▪ 12 mugs."]
    shown = document(transcript)
    assert shown["models"] == ["claude-opus-5-5"]
    assert shown["tokens"] == {
        "input": 800,
        "output": 32,
        "cache_read": 300,
        "cache_creation": 0,
        "messages": 1,
    }


@pytest.mark.parametrize(
    "log",
    [
        lambda request, back: [{"request": request, "response": back}],
        lambda request, back: [{"request": request, "response": {"status": 200, "body": back}}],
        lambda request, back: [request, back],
    ],
)
def test_a_response_stands_beside_its_request_or_on_the_next_line(log: Any, tmp_path: Path) -> None:
    back = response(1, "end_turn", text("12 mugs."))
    transcript = opened(tmp_path, *log(body(*TURN), back))
    assert outline(transcript)[3:] == [SAID[3], "▪ 12 mugs."]


def test_a_response_is_shown_once_though_the_next_request_repeats_it(tmp_path: Path) -> None:
    said = text("I'll look.", citations=None)
    asked = {**CALL, "caller": {"type": "direct"}}
    back = response(1, "tool_use", said, asked)
    transcript = opened(tmp_path, {"request": body(ASK), "response": back}, body(*TURN))
    assert outline(transcript)[1:] == SAID[1:]
    [each] = document(transcript)["calls"]
    assert each["status"] == "completed"


@pytest.mark.parametrize(
    "exchange",
    [
        {"request": body(ASK), "response": REFUSAL},
        {"request": body(ASK), "response": {"status": 400, "body": REFUSAL}},
        {"request": body(ASK), "error": REFUSAL["error"]},
    ],
)
def test_an_error_is_shown_in_the_api_s_words(exchange: Object, tmp_path: Path) -> None:
    transcript = opened(tmp_path, exchange)
    [problem] = find(transcript)
    assert (problem.kind, problem.message) == ("api_error", "invalid_request_error: tools.0: no")
    source = Source(transcript)
    [entry] = entries(transcript, "api_error")
    assert source.text(entry, transcript.session) == "invalid_request_error: tools.0: no"


@pytest.mark.parametrize(
    ("stop", "label"),
    [
        ("max_tokens", "limit"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "limit"),
        ("end_turn", None),
        ("tool_use", None),
    ],
)
def test_a_response_that_was_cut_short_says_so(
    stop: str, label: str | None, tmp_path: Path
) -> None:
    exchange = {"request": body(ASK), "response": response(1, stop, text("12"))}
    notes = [e.label for e in entries(opened(tmp_path, exchange), "note")]
    assert notes == (["request", label] if label else ["request"])


# Requests repeat the conversation


def test_history_is_shown_once_although_the_cache_moves(tmp_path: Path) -> None:
    transcript = opened(tmp_path, *map(json.loads, _file("proxy-log.jsonl").splitlines()))
    assert Counter(kinds(transcript)) == {"request": 3, "message/user": 3, "message/assistant": 3}
    assert len(document(transcript)["calls"]) == 2
    assert document(transcript)["branches"] == []
    assert [p.kind for p in find(transcript)] == ["failed_call"]


def _file(name: str) -> bytes:
    return next(data for path, data, _ in samples.files() if path.endswith(f"/{name}"))


@pytest.mark.parametrize(
    "again",
    [
        {"role": "user", "content": "How many mugs are left?"},
        user(text("How many mugs are left?", cache_control={"type": "ephemeral"})),
        {"content": ASK["content"], "role": "user"},
    ],
)
def test_a_message_is_the_same_however_it_is_written(again: Object, tmp_path: Path) -> None:
    transcript = opened(tmp_path, body(ASK), body(again, *TURN[1:]))
    assert kinds(transcript).count("message/user") == 2
    assert document(transcript)["branches"] == []


def test_a_result_is_the_same_as_a_string_and_as_a_block_with_the_cache(tmp_path: Path) -> None:
    block = text("12 mugs", cache_control={"type": "ephemeral"})
    same = user(answer("toolu_1", [block]))
    transcript = opened(tmp_path, body(*TURN), body(*TURN[:2], same))
    assert kinds(transcript).count("message/user") == 2


def test_the_same_words_again_are_another_message(tmp_path: Path) -> None:
    go, done = user(text("Go on")), assistant(text("Done"))
    transcript = opened(tmp_path, body(go, done, go, done))
    assert [row.lstrip() for row in outline(transcript)[1:]] == ["❯ Go on", "▪ Done"] * 2


def test_a_request_that_goes_on_from_an_earlier_message_is_a_branch(tmp_path: Path) -> None:
    mugs, cups = assistant(text("12 mugs.")), user(text("And cups?"))
    plates = user(text("And plates?"))
    few, none = assistant(text("A few.")), assistant(text("None."))
    transcript = opened(tmp_path, body(ASK, mugs, cups, few), body(ASK, mugs, plates, none))
    assert [b["reason"] for b in document(transcript)["branches"]] == ["rewound", "rewound"]
    shown = outline(transcript)
    left = shown.index("├ rewound here 2 records")
    assert shown[left + 1 : left + 3] == ["❯ And cups?", "▪ A few."]
    assert shown[-2:] == ["❯ And plates?", "▪ None."]


def test_a_request_with_another_answer_of_the_model_is_a_retry(tmp_path: Path) -> None:
    one, other = assistant(text("12.")), assistant(text("13."))
    transcript = opened(tmp_path, body(ASK, one), body(ASK, other))
    assert {b["reason"] for b in document(transcript)["branches"]} == {"retried"}


def test_two_conversations_that_take_turns_in_one_log_do_not_mix(tmp_path: Path) -> None:
    title = user(text("Name this conversation."))
    transcript = opened(tmp_path, body(ASK), body(title), body(*TURN), body(title, *TURN[1:2]))
    assert kinds(transcript).count("message/user") == 3
    assert kinds(transcript).count("message/assistant") == 2
    assert document(transcript)["records"]["duplicates"] == 0


def test_an_unchanged_frame_is_told_once_and_a_changed_one_again(tmp_path: Path) -> None:
    other = body(*TURN, system="Be loud.")
    transcript = opened(tmp_path, body(ASK), body(*TURN[:2]), other)
    assert [e.hidden for e in entries(transcript, "note")] == [False, True, False]
    assert [e.label for e in entries(transcript, "context")] == ["system", "tools"] * 2


# Calls


def test_calls_pair_with_their_results_also_across_requests(tmp_path: Path) -> None:
    calls = [call(f"toolu_{n}", command=f"run {n}") for n in (1, 2)]
    results = [answer("toolu_2", "Exit code 3", is_error=True), answer("toolu_1", "fine")]
    transcript = opened(tmp_path, body(ASK, assistant(*calls)), body(ASK, assistant(*calls),
                                                                      user(*results)))  # fmt: skip
    shown = document(transcript)["calls"]
    assert [(c["id"], c["status"], c["parallel"]) for c in shown] == [
        ("toolu_1", "completed", True),
        ("toolu_2", "failed", True),
    ]
    assert complaints(transcript) == []


def test_the_detail_of_each_message_of_a_large_request_is_its_own(tmp_path: Path) -> None:
    turns = []
    for n in range(300):
        reply = assistant(
            text(f"I'll run number {n}. " + "x" * 300), call(f"t{n}", command=f"c{n}")
        )
        turns += [reply, user(answer(f"t{n}", f"out {n}" * 100))]
    transcript = opened(tmp_path, body(ASK, *turns[:200]), body(ASK, *turns))
    session, source = transcript.session, Source(transcript)
    assert len({row.part for row in session.rows if row.line == 1}) == 202
    for n in (0, 1, 99, 100, 101, 299):
        each = source.call(session.calls[f"t{n}"], session)
        assert each.input == {"command": f"c{n}"}
        assert each.result is not None and each.result.text == f"out {n}" * 100
        reply_entry = entries(transcript, "reply")[n]
        assert source.text(reply_entry, session) == f"I'll run number {n}. " + "x" * 300


def test_the_system_prompt_and_the_tools_are_folded_away_and_can_be_read(tmp_path: Path) -> None:
    system = [text("Be brief. " + "Really. " * 100), text("And kind.")]
    transcript = opened(tmp_path, body(*TURN, system=system, temperature=0.5))
    assert outline(transcript) == SAID
    context = {entry.label: entry for entry in entries(transcript, "context")}
    assert all(entry.hidden for entry in context.values())
    source, session = Source(transcript), transcript.session
    assert source.text(context["system"], session) == f"{system[0]['text']}\nAnd kind."
    told = source.text(context["tools"], session)
    assert told.startswith("bash, stock")
    assert "How many of an article are left." in told and '"input_schema"' in told
    [note] = entries(transcript, "note")
    facts = source.text(note, session)
    assert '"temperature": 0.5' in facts and "mugs" not in facts and "Be brief" not in facts


# Breaches


def breached(transcript: Transcript) -> list[tuple[str, str]]:
    """The complaints, each with the type of the record that it is told at."""
    rows = transcript.session.rows
    return [(e.text.partition(":")[0], row.type) for row in rows for e in row.entries
            if e.kind == "invalid"]  # fmt: skip


def test_the_api_s_words_and_the_fix_are_told_at_the_message(tmp_path: Path) -> None:
    nested = {"type": "tool_use", "tool_use": CALL}
    transcript = opened(tmp_path, body(ASK, assistant(nested), TOLD))
    [problem] = find(transcript)
    assert problem.kind == "invalid"
    assert problem.message == (
        "messages.1.content.0.tool_use.id: Field required. Move id, name and input to the top level"
        " (the body is nested in `tool_use`)"
    )
    assert isinstance(problem.item, Entry)
    assert problem.item.row.type == "message/assistant"
    [each] = document(transcript)["calls"]
    assert (each["name"], each["status"]) == ("bash", "completed")


def test_a_body_with_every_breach_tells_each_once_where_it_belongs(tmp_path: Path) -> None:
    broken = samples.broken_body()
    path = tmp_path / "request.json"
    path.write_text(json.dumps(broken, indent=2))
    transcript = load(str(path))
    expected = Counter(f"{b.words}. {b.fix}" for b in rules.of_body(broken))
    assert Counter(problem.message for problem in invalid(transcript)) == expected
    assert set(expected.values()) == {1}
    place = {id(row): (row.part or 0) - 1 for row in transcript.session.rows}
    for breach in rules.of_body(broken):
        told = next(p for p in invalid(transcript) if p.message == f"{breach.words}. {breach.fix}")
        assert isinstance(told.item, Entry)
        at = place[id(told.item.row)]
        assert at == (-1 if breach.message is None else breach.message)


def test_every_rule_is_broken_by_the_sample_of_breaches() -> None:
    """A list that is empty or missing leaves no room for the others, so it has its own test."""
    said = {breach.rule for breach in rules.of_body(samples.broken_body())}
    wanted = """Field required|Extra inputs are not permitted|Input should be 'str_replace_editor'
        |Input tag '|Tool names must be unique|String should match pattern '^[a-zA-Z0-9_-]+$'
        |String should match pattern '^[a-zA-Z0-9_-]{1,128}$'|Input should be 'object'
        |Input should be a valid string|Input should be a valid integer
        |Input should be a valid boolean|Input should be a valid dictionary
        |Input should be a valid list|use the top-level 'system' parameter
        |text content blocks must be non-empty|`tool_use` ids were found without `tool_result`
        |each tool_use must have a single result|`tool_use` ids must be unique
        |unexpected `tool_use_id`|`tool_use` blocks can only be|`tool_result` blocks can only be
        |Unexpected role|all messages must have non-empty content"""
    for words in map(str.strip, wanted.split("|")):
        assert any(rule.startswith(words) for rule in said), words


def test_a_breach_is_told_once_however_often_the_request_is_sent(tmp_path: Path) -> None:
    tools = [{**samples.BASH, "parameters": {}}]
    nameless = assistant({"type": "tool_use", "name": "bash", "input": {}})
    sent = body(ASK, nameless, user(text("Go on")), tools=tools)
    later = body(*sent["messages"], assistant(text("Yes")), tools=tools)
    transcript = opened(tmp_path, sent, sent, later)
    assert breached(transcript) == [
        ("tools.0.bash_20250124.parameters", "request"),
        ("messages.1.content.0.tool_use.id", "message/assistant"),
    ]


def test_a_call_of_a_response_that_the_next_request_leaves_open_is_told(tmp_path: Path) -> None:
    """When the call was shown nothing was wrong with it: the breach came with what followed."""
    back = response(1, "tool_use", *TURN[1]["content"])
    left = body(*TURN[:2], user(text("Never mind.")))
    transcript = opened(tmp_path, {"request": body(ASK), "response": back}, left, left)
    assert breached(transcript) == [("messages.2", "message/user")]
    [problem] = invalid(transcript)
    assert "ids were found without `tool_result` blocks" in problem.message
    assert problem.line == 2


def test_a_breach_of_known_messages_alone_is_told_at_the_request(tmp_path: Path) -> None:
    transcript = opened(tmp_path, body(ASK), body(ASK, max_tokens="9"), body(ASK, {}))
    assert breached(transcript)[0] == ("max_tokens", "request")


def test_a_result_that_does_not_follow_its_call_is_told(tmp_path: Path) -> None:
    late = [*TURN[:2], user(text("Wait")), assistant(text("I do")), TOLD]
    found = complaints(opened(tmp_path, body(*late)))
    assert [each.partition(":")[0] for each in found] == ["messages.2", "messages.4.content.0"]


def test_a_mended_request_is_a_branch_without_breaches(tmp_path: Path) -> None:
    nested = assistant({"type": "tool_use", "tool_use": CALL})
    refused = {"request": body(ASK, nested, TOLD), "response": REFUSAL}
    mended = {"request": body(*TURN), "response": response(1, "end_turn", text("12."))}
    transcript = opened(tmp_path, refused, mended)
    assert [p.kind for p in find(transcript)] == ["invalid", "api_error"]
    assert outline(transcript)[-1] == "▪ 12."
    assert len(document(transcript)["branches"]) == 2


def test_requests_by_way_of_bedrock_need_no_model(tmp_path: Path) -> None:
    sent = {k: v for k, v in body(*TURN).items() if k != "model"}
    assert complaints(opened(tmp_path, sent)) == ["model: Field required"]
    sent["anthropic_version"] = "bedrock-2023-05-31"
    assert complaints(opened(tmp_path, sent)) == []


# Search


def _found(transcript: Transcript, words: str) -> list[object]:
    return [hit.thing for hits in search(transcript, Query(words)) for hit in hits]


def test_search_finds_the_message_that_holds_the_words(tmp_path: Path) -> None:
    turns = [m for n in range(50) for m in (assistant(text(f"word{n}.")), user(text(f"More {n}?")))]
    transcript = opened(tmp_path, body(ASK, *turns[:50]), body(ASK, *turns), body(*TURN))
    [found] = _found(transcript, "word37.")
    assert isinstance(found, Entry) and (found.kind, found.text) == ("reply", "word37.")
    [found] = _found(transcript, "12 mugs")
    assert found is transcript.session.calls["toolu_1"]
    assert _found(transcript, "word99") == []


def test_search_looks_into_the_system_prompt_and_the_tools(tmp_path: Path) -> None:
    transcript = opened(tmp_path, body(*TURN))
    for words, label in (("Be brief", "system"), ("of an article", "tools")):
        [found] = _found(transcript, words)
        assert isinstance(found, Entry) and found.label == label


def test_search_parses_a_request_once_however_many_of_its_messages_hold_the_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [
        message
        for n in range(2000)
        for message in (assistant(call(f"t{n}", command="ls")), user(answer(f"t{n}", "needle")))
    ]
    transcript = opened(tmp_path, body(ASK, *turns))
    lines_parsed: list[int] = []

    def counted(line: bytes) -> Parsed:
        lines_parsed.append(len(line))
        return parse(line)

    monkeypatch.setattr("viewer.bodies.parse", counted)
    assert len(_found(transcript, "needle")) == 2000
    assert len(lines_parsed) == 1


def test_a_request_is_read_in_one_pass_over_its_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[int] = []

    def counted(*arguments: Any, **named: Any) -> Any:
        hashed.append(1)
        return blake2b(*arguments, **named)

    monkeypatch.setattr(messages_api, "blake2b", counted)
    turns = [user(text("Go on")), assistant(text("Done"))] * 500
    opened(tmp_path, body(*turns), body(*turns, ASK))
    assert len(hashed) == 1000 + 1001 + 2  # and the frame of each request


# Transcripts


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        ({"type": "tool_use", "tool_use": CALL}, "tool_use.id: Field required"),
        ({**CALL, "id": None}, "tool_use.id: Input should be a valid string"),
        ({**CALL, "input": "ls"}, "tool_use.input: Input should be a valid dictionary"),
        ({"type": "tool_result", "id": "toolu_1"}, "tool_result.tool_use_id: Field required"),
        (
            answer(""),
            "tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
    ],
)
def test_transcripts_tell_a_breach_in_the_words_of_the_same_rules(block: Object, rule: str) -> None:
    kind = "assistant" if block["type"] == "tool_use" else "user"
    record = claude.read({"type": kind, "sessionId": "s", "message": {"content": [block]}})
    told = [part for part in record.parts if isinstance(part, Invalid)]
    assert [part.rule for part in told] == [rule]
    assert [(breach.words, breach.fix) for breach in rules.of_block(block)] == [
        (part.rule, part.fix) for part in told
    ]


@pytest.mark.parametrize("block", [CALL, answer("toolu_1"), text(""), {}, {"type": "image"}])
def test_a_right_block_breaks_no_rule(block: Object) -> None:
    assert rules.of_block(block) == []


# Other formats


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"type": "user", "message": {"role": "user", "content": "Hi"}, "uuid": "a"}, claude),
        ({"type": "assistant", "message": {**body(ASK)}, "sessionId": "s"}, claude),
        ({"sessionId": "s", "model": "m", "messages": [ASK]}, claude),
        ({"type": "response_item", "payload": {"type": "message", "content": []}}, codex),
        ({"type": "message", "role": "assistant", "content": [{"type": "output_text"}]}, codex),
        ({"type": "thread.started", "thread_id": "t"}, codex_exec),
        ({"jsonrpc": "2.0", "method": "session/prompt", "params": body(ASK)}, acp),
        (body(ASK), messages_api),
        (response(1, "end_turn", text("Hi")), messages_api),
        ({"messages": [ASK]}, None),
        ({"messages": "none", "model": "m"}, None),
        ({"role": "user", "content": "Hi"}, None),
    ],
)
def test_a_record_is_taken_for_what_it_is(value: Object, form: Any) -> None:
    assert recognise(value) is (form and form.FORMAT)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the checkout")
def test_no_record_of_a_real_transcript_is_taken_for_a_request() -> None:
    seen = 0
    for path in sorted(CORPUS.rglob("*.jsonl")):
        with path.open("rb") as file:
            for line in file.readlines(2_000_000)[:50]:
                for each in parse(line.rstrip(b"\n")).objects:
                    seen += 1
                    assert recognise(each.value) is not messages_api.FORMAT, path
    assert seen > 1000


# Anything


NAMES = (
    "model max_tokens messages tools system role content type id name input tool_use_id tool_use"
    " tool_result is_error text request response body params error message usage stop_reason"
    " timestamp ts source data input_tokens output_tokens thinking"
).split()
WORDS = (
    "user assistant system message error tool_use tool_result text thinking image custom bash"
    " bash_20250124 end_turn max_tokens refusal toolu_1 \ud800"
).split()
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=5)
    ),
    max_leaves=20,
)
any_block = st.fixed_dictionaries(
    {"type": st.sampled_from(["tool_use", "tool_result", "text", "image"]) | any_json},
    optional={name: any_json for name in NAMES if name != "type"},
)
any_message = any_json | st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "tool"]) | any_json,
        "content": st.lists(any_block | any_json, max_size=4) | any_json,
    }
)
any_request = st.fixed_dictionaries(
    {"messages": st.lists(any_message, max_size=4) | any_json, "model": any_json},
    optional=dict.fromkeys(("tools", "system", "max_tokens", "timestamp"), any_json),
)
any_exchange = any_request | st.fixed_dictionaries(
    {"request": any_request | any_json},
    optional=dict.fromkeys(("response", "error", "ts"), any_json),
)


@given(st.lists(any_exchange | any_json, max_size=4))
def test_anything_in_the_place_of_a_request_is_read(records: list[Any]) -> None:
    written = b"\n".join(json.dumps(record).encode() for record in records)
    session, decoder = Session(), Decoder()
    session.apply(decoder.decode(Chunk(1, 0, written.split(b"\n"))))
    session.apply(decoder.finish())
    transcript = Transcript("any.jsonl", session)
    dump(document(transcript))
    for _ in as_text(transcript, DEAD, 80):
        pass
    form = decoder.format
    for record in records if form is messages_api.FORMAT else ():
        if isinstance(record, dict):
            for part in messages_api.FORMAT.parts(record):
                messages_api.FORMAT.content(part)


def test_deep_values_are_read_and_told_apart(tmp_path: Path) -> None:
    def deep(end: str) -> Object:
        value: object = end
        for _ in range(400):
            value = [value]
        return assistant(call("toolu_1", deep=value))

    transcript = opened(tmp_path, body(ASK, deep("a")), body(ASK, deep("b")), body(ASK, deep("a")))
    assert kinds(transcript).count("message/assistant") == 2


# Messages that are none


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("hello", "messages: Input should be a valid list"),
        ({"role": "user", "content": "hi"}, "messages: Input should be a valid list"),
        (None, "messages: Input should be a valid list"),
        ([5], "messages.0: Input should be a valid dictionary"),
        ([None], "messages.0: Input should be a valid dictionary"),
        ([1, ASK], "messages.0: Input should be a valid dictionary"),
        ([ASK, None], "messages.1: Input should be a valid dictionary"),
    ],
)
def test_a_request_with_odd_messages_is_one_and_is_told_so(
    messages: object, said: str, tmp_path: Path
) -> None:
    request = {"model": "x", "max_tokens": 5, "messages": messages}
    transcript = opened(tmp_path, request)
    assert transcript.session.format == "messages-api"
    assert complaints(transcript) == [said]
    is_asked = isinstance(messages, list) and ASK in messages
    assert ("❯ How many mugs are left?" in outline(transcript)) == is_asked


def test_what_stands_in_the_place_of_the_messages_is_shown(tmp_path: Path) -> None:
    request: Object = {"model": "x", "max_tokens": 5, "messages": "hello"}
    assert "· no role hello" in outline(opened(tmp_path, request))
    request["messages"] = {"role": "user", "content": "hi"}
    assert "❯ hi" in outline(opened(tmp_path, request))


@pytest.mark.parametrize("value", [{"messages": "hello"}, {"model": "x", "messages": [5]}, {}])
def test_what_has_odd_messages_and_nothing_of_a_request_is_none(value: Object) -> None:
    assert recognise(value) is None


def test_messages_without_a_word_say_that_they_are_empty(tmp_path: Path) -> None:
    rows = outline(opened(tmp_path, body(user(text("")), {"role": "assistant", "content": ""})))
    assert "❯ (empty)" in rows and "▪ (empty)" in rows
    rows = outline(opened(tmp_path, body({"role": "user", "content": []})))
    assert "· message (empty)" in rows


# Bodies over many lines


@pytest.mark.parametrize(
    "wrap", [lambda each: each, lambda each: {"url": "/v1", "request": {"body": each}}]
)
def test_each_message_of_a_pretty_body_has_its_own_line(wrap: Any, tmp_path: Path) -> None:
    value = wrap({"metadata": {"messages": [1]}, **body(*TURN), "stream": True})
    path = tmp_path / "request.json"
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False))
    transcript = load(str(path))
    written = path.read_text().split("\n")
    first, *rows = transcript.session.rows
    assert first.line == 1
    assert [written[row.line].strip() for row in rows] == [
        f'"role": "{role}",' for role in ("user", "assistant", "user")
    ]
    source = Source(transcript)
    records = [source.record(row, transcript.session) for row in rows]
    assert [record["content"] for record in records] == [each["content"] for each in TURN]


def test_a_breach_in_a_pretty_body_names_the_line_of_its_message(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    data = json.dumps(body(ASK, assistant(text("")), user(text("Go on"))), indent=1)
    path.write_text(data)
    [problem] = invalid(load(str(path)))
    assert data.split("\n")[problem.line].strip() == '"role": "assistant",'
