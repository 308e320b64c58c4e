"""What the Messages API would refuse: its own words, and nothing that it would accept."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer import rules
from viewer.rules import Breach, of_body, of_message, of_tools

Object = dict[str, Any]

BASH = {"type": "bash_20250124", "name": "bash"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = {"name": "weather", "input_schema": SCHEMA}


def call(id: str = "toolu_1", **more: Any) -> Object:
    return {"type": "tool_use", "id": id, "name": "bash", "input": {}, **more}


def result(id: str = "toolu_1", **more: Any) -> Object:
    return {"type": "tool_result", "tool_use_id": id, "content": "ok", **more}


def text(words: str = "Look here") -> Object:
    return {"type": "text", "text": words}


def without(value: Object, *fields: str) -> Object:
    return {field: value[field] for field in value if field not in fields}


def user(*blocks: object) -> Object:
    return {"role": "user", "content": list(blocks) or "Go on"}


def assistant(*blocks: object) -> Object:
    return {"role": "assistant", "content": list(blocks) or "Done"}


def body(*messages: object, **more: Any) -> Object:
    return {"model": "claude", "max_tokens": 9, "messages": list(messages), **more}


def words(breaches: list[Breach]) -> list[str]:
    return [breach.words for breach in breaches]


def of_call(block: Object) -> list[Breach]:
    """What is said of a call as the last message, where no result is due."""
    return of_message(assistant(block), 1, user(), None, last=True)


def of_result(block: Object) -> list[Breach]:
    return of_message(user(block), 2, assistant(call()), None, last=True)


def unanswered(index: int, ids: str) -> str:
    return (
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately"
        f" after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in"
        " the next message."
    )


def unexpected(where: str, id: str) -> str:
    return (
        f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result`"
        " block must have a corresponding `tool_use` block in the previous message."
    )


# The whole request


def test_a_right_request_breaks_no_rule() -> None:
    messages = [
        user(text()),
        assistant(
            {"type": "thinking", "text": ""},
            call("toolu_1"),
            call("call-2", cache_control={"type": "ephemeral"}),
        ),
        user(result("call-2", is_error=True), result("toolu_1", content=[text("")]), text()),
        assistant(call("toolu_3", caller={"type": "direct"})),
        {"role": "user", "content": [without(result("toolu_3"), "content")]},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": ""},
    ]
    assert of_body(body(*messages, tools=[BASH, WEATHER], system="Be kind.", stream=True)) == []


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (
            body(user(), assistant({"type": "tool_use", "tool_use": without(call(), "type")})),
            "messages.1.content.0.tool_use.id: Field required",
        ),
        (
            body(
                user(),
                assistant(call()),
                user({"type": "tool_result", "tool_result": without(result(), "type")}),
            ),
            "messages.2.content.0.tool_result.tool_use_id: Field required",
        ),
        (
            body(user(), tools=[{**BASH, "parameters": {}}]),
            "tools.0.bash_20250124.parameters: Extra inputs are not permitted",
        ),
        (
            body(user(), tools=[{"type": "text_editor_20250124", "name": "editor"}]),
            "tools.0.text_editor_20250124.name: Input should be 'str_replace_editor'",
        ),
    ],
)
def test_the_common_errors_come_out_in_the_words_of_the_document(
    broken: Object, complaint: str
) -> None:
    assert words(of_body(broken)) == [complaint]


def test_a_request_needs_a_model_a_limit_and_messages() -> None:
    assert words(of_body({})) == [
        "model: Field required",
        "max_tokens: Field required",
        "messages: Field required",
    ]
    assert words(of_body(body())) == ["messages: at least one message is required"]
    assert words(of_body({**body(), "messages": {}})) == [
        "messages: Input should be a valid list",
    ]
    assert words(of_body(body(user(), tools={}))) == ["tools: Input should be a valid list"]


def test_the_id_of_a_call_is_unique_in_the_whole_request() -> None:
    again = body(user(), assistant(call()), user(result()), assistant(text(), call()))
    assert of_body(again) == [
        Breach(
            "messages.3.content.1",
            "`tool_use` ids must be unique",
            "Give each call an id of its own, and its result the same",
            3,
        )
    ]


def test_a_breach_knows_its_message_and_those_of_tools_have_none() -> None:
    wrong = body(user(text("")), assistant(call("a b")), user(result("a b")), tools=[{}])
    assert [(breach.message, breach.where) for breach in of_body(wrong)] == [
        (None, "tools.0.custom.name"),
        (None, "tools.0.custom.input_schema"),
        (0, "messages.0.content.0"),
        (1, "messages.1.content.0.tool_use.id"),
    ]


# Calls


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        (without(call(), "id"), "id: Field required"),
        (without(call(), "name"), "name: Field required"),
        (without(call(), "input"), "input: Field required"),
        (call(id="toolu:1"), "id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        (call(id="toolu_1\n"), "id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        (call(id="tooluü"), "id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        (call(id=""), "id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        ({**call(), "id": None}, "id: Input should be a valid string"),
        (call(name=7), "name: Input should be a valid string"),
        (call(input="ls"), "input: Input should be a valid dictionary"),
        (call(input=None), "input: Input should be a valid dictionary"),
        (call(arguments={}), "arguments: Extra inputs are not permitted"),
    ],
)
def test_a_call_has_an_id_a_name_and_an_input_and_nothing_else(
    block: Object, complaint: str
) -> None:
    assert words(of_call(block)) == [f"messages.1.content.0.tool_use.{complaint}"]


def test_a_nested_call_is_one_breach_that_says_where_the_body_is() -> None:
    (breach,) = of_call({"type": "tool_use", "tool_use": {"id": "toolu_1"}})
    assert breach.rule == "Field required"
    assert (
        breach.fix == "Move id, name and input to the top level (the body is nested in `tool_use`)"
    )


def test_a_nested_call_can_still_be_answered() -> None:
    nested = {"type": "tool_use", "tool_use": without(call(), "type")}
    assert len(of_body(body(user(), assistant(nested), user(result())))) == 1
    assert unanswered(2, "toolu_1") in words(of_body(body(user(), assistant(nested), user())))


def test_a_result_that_calls_its_id_by_another_name_still_answers() -> None:
    misnamed = {"type": "tool_result", "id": "toolu_1", "content": "ok"}
    assert words(of_body(body(user(), assistant(call()), user(misnamed)))) == [
        "messages.2.content.0.tool_result.tool_use_id: Field required"
    ]


def test_a_nested_body_beside_a_whole_one_is_a_field_too_many() -> None:
    assert words(of_call(call(tool_use={}))) == [
        "messages.1.content.0.tool_use.tool_use: Extra inputs are not permitted"
    ]


# Results


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        (result(is_error="no"), "is_error: Input should be a valid boolean"),
        (result(content=7), "content: Input should be a valid list"),
        (result(content={"stdout": ""}), "content: Input should be a valid list"),
        (result(content=[text(), "ok"]), "content.1: Input should be a valid dictionary"),
        (result(name="bash"), "name: Extra inputs are not permitted"),
        ({**result(), "id": "toolu_1"}, "id: Extra inputs are not permitted"),
        (result(tool_use_id=None), "tool_use_id: Input should be a valid string"),
        (without(result(), "tool_use_id"), "tool_use_id: Field required"),
    ],
)
def test_a_result_names_its_call_and_has_text_or_blocks(block: Object, complaint: str) -> None:
    assert words(of_result(block)) == [f"messages.2.content.0.tool_result.{complaint}"]


@pytest.mark.parametrize(
    ("block", "fix"),
    [
        (
            {"type": "tool_result", "id": "toolu_1", "content": "ok"},
            "Name the call in tool_use_id (it is called `id` here)",
        ),
        (
            {"type": "tool_result", "tool_result": {"tool_use_id": "toolu_1"}},
            "Use a flat block with tool_use_id (the body is nested in `tool_result`)",
        ),
    ],
)
def test_the_fix_says_where_the_id_is_instead(block: Object, fix: str) -> None:
    assert [breach.fix for breach in of_result(block)] == [fix]


# Calls and their results


def test_every_call_is_answered_in_the_next_message() -> None:
    calls = assistant(call("a"), call("b"), call("c"))
    breaches = of_body(body(user(), calls, user(result("b"))))
    # The API points at the message that lacks the results; the breach is of the calls.
    assert words(breaches) == [unanswered(2, "a, c")]
    assert [breach.message for breach in breaches] == [1]


def test_an_id_given_twice_is_missed_once() -> None:
    (breach,) = of_message(assistant(call(), call()), 1, user(), user(), last=False)
    assert breach.words == unanswered(2, "toolu_1")


@pytest.mark.parametrize("after", [user(), user(text()), assistant(), None, 7, {}])
def test_a_call_is_unanswered_whatever_else_comes_next(after: object) -> None:
    breaches = of_message(assistant(call()), 4, user(), after, last=False)
    assert words(breaches) == [unanswered(5, "toolu_1")]


def test_the_calls_of_the_last_message_may_wait() -> None:
    assert of_body(body(user(), assistant(call()))) == []


def test_a_result_answers_a_call_of_the_message_before() -> None:
    late = body(user(), assistant(call()), user(result()), assistant(), user(result()))
    assert words(of_body(late)) == [unexpected("messages.4.content.0", "toolu_1")]
    first = body(user(text(), result("x")))
    assert words(of_body(first)) == [unexpected("messages.0.content.1", "x")]


def test_results_in_a_message_of_their_own_do_not_count() -> None:
    split = body(user(), assistant(call("a"), call("b")), user(result("a")), user(result("b")))
    assert words(of_body(split)) == [
        unanswered(2, "b"),
        unexpected("messages.3.content.0", "b"),
    ]


def test_results_come_before_all_other_blocks() -> None:
    mixed = user(result("a"), text(), result("b"))
    breaches = of_body(body(user(), assistant(call("a"), call("b")), mixed))
    assert words(breaches) == [unanswered(2, "b")]
    assert breaches[0].fix == "Put the tool_result blocks before all other blocks"
    assert breaches[0].message == 2


def test_a_call_has_a_single_result() -> None:
    twice = body(user(), assistant(call()), user(result(), result()))
    assert words(of_body(twice)) == [
        "messages.2.content.1: each tool_use must have a single result. Found multiple"
        " `tool_result` blocks with id: toolu_1"
    ]


def test_calls_are_the_assistants_and_results_the_users() -> None:
    assert words(of_body(body(user(call())))) == [
        "messages.0: `tool_use` blocks can only be in `assistant` messages"
    ]
    assert words(of_body(body(user(), assistant(result())))) == [
        "messages.1: `tool_result` blocks can only be in `user` messages"
    ]


# Messages


@pytest.mark.parametrize(
    ("message", "complaint", "fix"),
    [
        (7, ": Input should be a valid dictionary", "Give the message as an object"),
        ({"content": "hi"}, ".role: Field required", 'Write "user" or "assistant"'),
        (
            {"role": 7, "content": "hi"},
            ".role: Input should be a valid string",
            'Write "user" or "assistant"',
        ),
        (
            {"role": "bot", "content": "hi"},
            ': Unexpected role "bot". Allowed roles are "user" or "assistant"',
            'Write "user" or "assistant"',
        ),
        (
            {"role": "tool", "content": "hi"},
            ': Unexpected role "tool". Allowed roles are "user" or "assistant"',
            "Send the result as a tool_result block of a user message",
        ),
        (
            {"role": "system", "content": "hi"},
            ": use the top-level 'system' parameter for the initial system prompt",
            "Use the top-level system field",
        ),
        ({"role": "user"}, ".content: Field required", ""),
        (
            {"role": "user", "content": None},
            ".content: Input should be a valid list",
            "Give the content as a string or a list of blocks",
        ),
        (user("hi"), ".content.0: Input should be a valid dictionary", ""),
        (user(text("")), ".content.0: text content blocks must be non-empty", ""),
    ],
)
def test_a_message_has_a_role_and_content(message: object, complaint: str, fix: str) -> None:
    (breach,) = of_body(body(message))
    assert breach.words == f"messages.0{complaint}"
    assert breach.fix.startswith(fix)


@pytest.mark.parametrize("nothing", ["", []])
def test_only_the_assistants_last_message_may_be_empty(nothing: object) -> None:
    empty = (
        "all messages must have non-empty content except for the optional final assistant message"
    )
    of_user = {"role": "user", "content": nothing}
    of_assistant = {"role": "assistant", "content": nothing}
    assert words(of_body(body(of_user))) == [f"messages.0: {empty}"]
    assert words(of_body(body(user(), of_assistant, user()))) == [f"messages.1: {empty}"]
    assert of_body(body(user(), of_assistant)) == []


def test_a_system_message_inside_the_conversation_is_let_pass() -> None:
    # The API takes it since Opus 4.8, and Claude Code sends it.
    system = {"role": "system", "content": "Be brief."}
    directive = {"role": "system", "content": [], "output_config": {}}
    assert of_body(body(user(), system, assistant(), directive, user())) == []


# Tools


@pytest.mark.parametrize("type", sorted(rules.STANDARD))
def test_every_standard_tool_is_right_with_its_name_and_what_it_needs(type: str) -> None:
    name, needs, _ = rules.STANDARD[type]
    tool = {**dict.fromkeys(needs, 1), "type": type, "cache_control": {"type": "ephemeral"}}
    assert of_tools([{**tool, "name": name} if name else tool]) == []


@pytest.mark.parametrize(
    ("type", "name"),
    [
        ("bash_20241022", "bash"),
        ("text_editor_20241022", "str_replace_editor"),
        ("text_editor_20250124", "str_replace_editor"),
        ("text_editor_20250429", "str_replace_based_edit_tool"),
        ("text_editor_20250728", "str_replace_based_edit_tool"),
        ("memory_20250818", "memory"),
        ("web_search_20250305", "web_search"),
        ("web_fetch_20250910", "web_fetch"),
        ("code_execution_20250825", "code_execution"),
        ("tool_search_tool_regex_20251119", "tool_search_tool_regex"),
        ("tool_search_tool_bm25", "tool_search_tool_bm25"),
    ],
)
def test_a_standard_tool_has_one_name_only(type: str, name: str) -> None:
    assert of_tools([{"type": type, "name": name}]) == []
    assert of_tools([{"type": type, "name": name.upper()}]) == [
        Breach(f"tools.0.{type}.name", f"Input should be '{name}'", f"Name it {name}")
    ]
    assert of_tools([{"type": type}]) == [
        Breach(f"tools.0.{type}.name", "Field required", f"Name it {name}")
    ]


@pytest.mark.parametrize("field", ["description", "parameters", "input_schema", "max_uses"])
def test_a_standard_tool_takes_no_fields_of_other_tools(field: str) -> None:
    assert of_tools([WEATHER, {**BASH, field: 1}]) == [
        Breach(
            f"tools.1.bash_20250124.{field}",
            "Extra inputs are not permitted",
            f"Remove {field}: bash_20250124 does not take it",
        )
    ]


@pytest.mark.parametrize(
    "tool",
    [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": 5,
            "allowed_domains": ["example.com"],
            "blocked_domains": None,
            "user_location": {"type": "approximate"},
        },
        {
            "type": "text_editor_20250728",
            "name": "str_replace_based_edit_tool",
            "max_characters": 9,
        },
        {
            "type": "computer_20251124",
            "name": "computer",
            "display_width_px": 1024,
            "display_height_px": 768,
            "display_number": 1,
            "enable_zoom": True,
        },
    ],
)
def test_a_standard_tool_takes_its_own_fields(tool: Object) -> None:
    assert of_tools([tool]) == []


def test_a_screen_has_a_size() -> None:
    assert words(of_tools([{"type": "computer_20250124", "name": "computer"}])) == [
        "tools.0.computer_20250124.display_width_px: Field required",
        "tools.0.computer_20250124.display_height_px: Field required",
    ]


def test_a_set_of_tools_goes_by_no_name() -> None:
    tool = {"type": "browser_toolset_20260801", "name": "browser"}
    (breach,) = of_tools([tool])
    assert breach.where == "tools.0.browser_toolset_20260801.name"
    assert breach.fix.startswith("Remove name")


@pytest.mark.parametrize(
    ("type", "fix"),
    [
        ("bash_20250101", "Write bash_20241022 or bash_20250124"),
        ("bash", "Write bash_20241022 or bash_20250124"),
        ("str_replace_editor", "Write text_editor_20241022 or text_editor_20250124"),
        ("memory_20250817", "Write memory_20250818"),
        ("magic_20250101", 'Write "custom" for a tool of your own'),
        ("bash_2025", 'Write "custom" for a tool of your own'),
        ("", 'Write "custom" for a tool of your own'),
    ],
)
def test_an_unknown_type_is_told_the_versions_of_its_family(type: str, fix: str) -> None:
    (breach,) = of_tools([{"type": type, "name": "bash"}])
    assert breach.where == "tools.0"
    assert breach.rule.startswith(
        f"Input tag '{type}' found using 'type' does not match any of the expected tags: "
    )
    assert "'custom'" in breach.rule and "'bash_20250124'" in breach.rule
    assert breach.fix == fix


@pytest.mark.parametrize("type", ["bash_20290101", "web_search_20260319", "magic_20290101"])
def test_a_type_newer_than_this_program_may_be_right(type: str) -> None:
    assert of_tools([{"type": type, "anything": 1}]) == []


def test_the_form_of_openai_is_recognised() -> None:
    function = {"name": "weather", "parameters": SCHEMA}
    (breach,) = of_tools([{"type": "function", "function": function}])
    assert breach.rule.startswith("Input tag 'function' found using 'type'")
    assert breach.fix.startswith("Flatten OpenAI's form")


@pytest.mark.parametrize(
    ("tool", "complaint"),
    [
        (without(WEATHER, "name"), "name: Field required"),
        ({**WEATHER, "name": 7}, "name: Input should be a valid string"),
        (
            {**WEATHER, "name": "a.b"},
            "name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        ),
        (
            {**WEATHER, "name": "a" * 129},
            "name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        ),
        (without(WEATHER, "input_schema"), "input_schema: Field required"),
        ({**WEATHER, "input_schema": "object"}, "input_schema: Input should be a valid dictionary"),
        ({**WEATHER, "input_schema": {}}, "input_schema.type: Field required"),
        (
            {**WEATHER, "input_schema": {"type": "array"}},
            "input_schema.type: Input should be 'object'",
        ),
        ({**WEATHER, "returns": {}}, "returns: Extra inputs are not permitted"),
    ],
)
@pytest.mark.parametrize("type", [{}, {"type": "custom"}, {"type": None}])
def test_a_custom_tool_has_a_name_and_a_schema(tool: Object, complaint: str, type: Object) -> None:
    assert words(of_tools([{**tool, **type}])) == [f"tools.0.custom.{complaint}"]


def test_a_custom_tool_may_have_more_that_the_api_knows() -> None:
    more: Object = {
        "description": "",
        "cache_control": None,
        "strict": True,
        "input_examples": [{}],
    }
    assert of_tools([{**WEATHER, **more, "name": "a" * 128}]) == []


def test_parameters_are_told_their_name() -> None:
    assert of_tools([{"type": "custom", "name": "weather", "parameters": SCHEMA}]) == [
        Breach(
            "tools.0.custom.parameters",
            "Extra inputs are not permitted",
            "Call the schema input_schema, not parameters",
        )
    ]


@pytest.mark.parametrize(
    ("tool", "complaint"),
    [
        ("bash", "tools.0: Input should be a valid dictionary"),
        ({"type": ["custom"]}, "tools.0.type: Input should be a valid string"),
    ],
)
def test_a_tool_is_an_object_with_a_type_in_words(tool: object, complaint: str) -> None:
    assert words(of_tools([tool])) == [complaint]


def test_tool_names_are_unique() -> None:
    assert of_tools([WEATHER, BASH, WEATHER, WEATHER]) == [
        Breach("tools", "Tool names must be unique.", "Keep one tool of each name: weather")
    ]


# Foreign values


NAMES = (
    "model max_tokens messages tools role content type id name input tool_use_id tool_use"
    " tool_result is_error text parameters input_schema function output_config"
).split()
WORDS = (
    "user assistant system tool text tool_use tool_result custom function bash bash_20250124"
    " bash_20200101 computer_20251124 mcp_toolset toolu_1"
).split()
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=6)
    ),
    max_leaves=30,
)
any_block = st.fixed_dictionaries(
    {"type": st.sampled_from(["tool_use", "tool_result", "text"])},
    optional={name: any_json for name in NAMES if name != "type"},
)
any_message = any_json | st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system"]) | any_json,
        "content": st.lists(any_block | any_json, max_size=4) | any_json,
    }
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "model": any_json,
            "messages": st.lists(any_message, max_size=5) | any_json,
            "tools": st.lists(any_block | any_json, max_size=4) | any_json,
        },
    )
)
def test_any_json_is_judged_and_nothing_raises(foreign: Object) -> None:
    for breach in of_body(foreign):
        assert breach.where and breach.rule and breach.fix
        assert breach.message is None or 0 <= breach.message < len(foreign["messages"])


def test_deep_values_are_not_walked_into() -> None:
    deep: object = "end"
    for turn in range(100_000):
        deep = [deep] if turn % 2 else {"type": deep}
    places = [*NAMES, "where ever"]
    block = {**dict.fromkeys(places, deep), "type": "tool_use"}
    answer = {**dict.fromkeys(places, deep), "type": "tool_result"}
    odd = dict.fromkeys(places, deep)
    messages = [odd, deep, user(block, answer, odd, deep), assistant(block), user(answer)]
    tools = [deep, odd, {**odd, "type": "custom"}, {**odd, "type": "bash_20250124"}]
    assert of_body(body(*messages, tools=tools, model=deep))
    assert of_body({"messages": deep, "tools": deep, "max_tokens": deep})


def test_long_foreign_words_are_clipped() -> None:
    long = "x" * 100_000
    calls = [call(f"{long}{number}") for number in range(20)]
    messages = [user(result(long)), {"role": long, "content": ""}, assistant(*calls), user()]
    messages[0][long] = messages[2]["content"][0][long] = long
    tools = [{**WEATHER, long: long}, {"type": long}, {**BASH, long: 1}, {**WEATHER, "name": long}]
    breaches = of_body(body(*messages, tools=[*tools, *tools]))
    assert len(breaches) > 10
    tags = len(", ".join(rules.STANDARD)) + 200
    assert all(len(part) < tags + 700 for breach in breaches for part in breach[:3])
    assert any("and 10 more" in breach.rule for breach in breaches)


def test_a_long_conversation_is_judged_in_one_pass() -> None:
    turns = [
        message
        for number in range(50_000)
        for message in (assistant(call(f"toolu_{number}")), user(result(f"toolu_{number}")))
    ]
    assert of_body(body(user(), *turns)) == []
    blocks = [call(f"toolu_{number}") for number in range(50_000)]
    answers = [result(f"toolu_{number}") for number in range(50_000)]
    # Were each looked up in a list of the others, this would take hours.
    assert of_body(body(user(), assistant(*blocks), user(*answers))) == []


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (5, ["system: Input should be a valid list"]),
        ({"text": "Be brief"}, ["system: Input should be a valid list"]),
        (["Be brief"], ["system.0: Input should be a valid dictionary"]),
        ("Be brief", []),
        ([text("Be brief")], []),
    ],
)
def test_the_system_prompt_is_a_text_or_blocks(system: object, said: list[str]) -> None:
    body = {"model": "m", "max_tokens": 1, "system": system, "messages": [user()]}
    assert [breach.words for breach in of_body(body)] == said
