"""Requests of the Messages API, as a proxy logs them and as one saves them to study a refusal."""

import json
from collections.abc import Iterator

from tests.samples.log import MODEL, Object, to_json

FOLDER = "-other-api"
SYSTEM = "You answer questions about the shop's repository. Be brief."
BASH: Object = {"type": "bash_20250124", "name": "bash"}
STOCK: Object = {
    "name": "stock",
    "description": "How many of an article are left.",
    "input_schema": {
        "type": "object",
        "properties": {"article": {"type": "string"}},
        "required": ["article"],
    },
}


def files() -> Iterator[tuple[str, bytes, str]]:
    """Path below the samples, bytes, and what the file shows."""
    log = b"".join(to_json(each).encode() + b"\n" for each in _exchanges())
    yield f"{FOLDER}/proxy-log.jsonl", log, "Three logged requests with their responses, one a line"
    yield f"{FOLDER}/request.json", _pretty(request_body()), "One pretty-printed request body"
    about = "A request body that breaks every rule the API has for tools"
    yield f"{FOLDER}/every-breach.json", _pretty(broken_body()), about


def _pretty(value: Object) -> bytes:
    return json.dumps(value, indent=2).encode() + b"\n"


def text(words: str, **more: object) -> Object:
    return {"type": "text", "text": words, **more}


def call(id: str, name: str = "bash", **input: object) -> Object:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def answer(id: str, content: object = "ok", **more: object) -> Object:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def user(*content: object) -> Object:
    return {"role": "user", "content": list(content)}


def assistant(*content: object) -> Object:
    return {"role": "assistant", "content": list(content)}


def body(*messages: object, **more: object) -> Object:
    head: Object = {"model": MODEL, "max_tokens": 4096, "system": SYSTEM, "tools": [BASH, STOCK]}
    return {**head, "messages": list(messages), **more}


def response(number: int, stop: str, *content: Object) -> Object:
    usage = {"input_tokens": 400 * number, "output_tokens": 30 + number}
    usage |= {"cache_read_input_tokens": 300 * (number - 1), "cache_creation_input_tokens": 0}
    said: Object = {"id": f"msg_api{number}", "type": "message", "role": "assistant"}
    said |= {"model": MODEL, "content": list(content), "stop_reason": stop, "usage": usage}
    return said


def _exchanges() -> Iterator[Object]:
    """The cache moves to the last message of each request, as clients have it."""
    cache: Object = {"cache_control": {"type": "ephemeral"}}
    question = "How many mugs are left, and do the tests of the stock pass?"
    asked = [
        text("I'll look at both."),
        call("toolu_api1", "stock", article="mug"),
        call("toolu_api2", command="pytest -q tests/test_stock.py"),
    ]
    failed = "Exit code 1\n1 failed: test_stock.py::test_none_left"
    results = [answer("toolu_api1", "12"), answer("toolu_api2", failed, is_error=True)]
    told = text("There are 12 mugs. One test fails: `test_none_left`.")
    thanks = text("Thank you. Which line?")
    last = text("Line 8 of `tests/test_stock.py`.")
    requests = [
        body(user(text(question, **cache))),
        body(user(text(question)), assistant(*asked), user(results[0], {**results[1], **cache})),
        body(
            user(text(question)),
            assistant(*asked),
            user(*results),
            assistant(told),
            user({**thanks, **cache}),
        ),
    ]
    responses = [
        response(1, "tool_use", *asked),
        response(2, "end_turn", told),
        response(3, "end_turn", last),
    ]
    for number, (request, back) in enumerate(zip(requests, responses, strict=True), 1):
        when = f"2026-09-20T09:0{number}:00.000Z"
        yield {"timestamp": when, "request": request, "response": back}


def request_body() -> Object:
    command = "git log --oneline -3"
    return body(
        user(text("What were the last three commits?")),
        assistant(text("I'll ask git."), call("toolu_api3", command=command)),
        user(answer("toolu_api3", "4f1 Count mugs\n3aa Fix prices\n201 Begin")),
    )


def broken_body() -> Object:
    """Nearly every rule once; a list that is missing or empty would leave no room for the rest."""
    schema = STOCK["input_schema"]
    tools = [
        {**BASH, "parameters": {"command": "string"}},
        {"type": "text_editor_20250124", "name": "editor"},
        {"type": "bash_20250101", "name": "bash"},
        {"type": "computer_20250124", "name": "computer", "display_width_px": 1024},
        {"type": "custom", "name": "prices", "parameters": schema},
        {"type": "custom", "name": "two words", "input_schema": schema},
        {"type": "custom", "description": "It has no name.", "input_schema": schema},
        {"type": "custom", "name": "no_schema"},
        {"type": "custom", "name": "a_list", "input_schema": {"type": "array"}},
        {"type": "custom", "name": "anything", "input_schema": {}},
        {"type": "function", "function": {"name": "openai", "parameters": schema}},
        {"type": 7, "name": "seven"},
        "bash",
        STOCK,
        STOCK,
    ]
    nested_call = {"type": "tool_use", "tool_use": call("toolu_1", command="ls")}
    nested_answer = {"type": "tool_result", "tool_result": answer("toolu_1")}
    nameless = {"type": "tool_use", "name": "bash", "input": {"command": "pwd"}}
    messages = [
        {"role": "system", "content": SYSTEM},
        user(text("Do everything wrong."), text("")),
        assistant(nested_call, call("toolu_2"), call("toolu_3"), call("toolu_4")),
        user(nested_answer, answer("toolu_2"), answer("toolu_2"), text("Late:"), answer("toolu_3")),
        assistant(nameless, {**call("toolu_5"), "input": "ls"}, {**call("toolu_6"), "why": "?"}),
        user({"type": "tool_result", "id": "toolu_5", "content": "ok"}, answer("toolu_6", 7)),
        assistant(call("not a word"), call("toolu_2")),
        user(answer("not a word"), answer("toolu_2", ["ok"], is_error="no"), "Now what?"),
        assistant(answer("toolu_7")),
        user(call("toolu_8")),
        user({"type": "tool_result", "content": "whose?"}, answer("toolu_9")),
        {"role": "tool", "content": "ok"},
        {"role": "user", "content": ""},
        {"role": "user"},
        {"content": "Who says so?"},
        {"role": "user", "content": 7},
        "no message",
    ]
    return {"max_tokens": "many", "tools": tools, "messages": messages}
