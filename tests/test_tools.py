"""What is known about tools: their kinds and the one line that tells one call from the next."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer import tools
from viewer.records import PREVIEW

# ACP's words, which every format shares.
_KINDS = {
    *("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"),
    "other",
}
_FIELDS = sorted({field for tool in tools.TOOLS.values() for field in tool.about} | {"todos"})

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
inputs = json_values | st.dictionaries(
    st.sampled_from([*_FIELDS, "questions", "taskId", "status"]), json_values
)
names = st.sampled_from([*tools.TOOLS, "mcp__server__tool", "Unheard"]) | st.text()


def test_every_tool_is_of_a_known_kind() -> None:
    assert {tool.kind for tool in tools.TOOLS.values()} <= _KINDS


@given(names, inputs)
@settings(max_examples=50, deadline=None)
def test_any_input_of_any_tool_has_a_short_summary(name: str, input: object) -> None:
    assert len(tools.summarize(name, input)) <= PREVIEW


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Read", "read"),
        ("MultiEdit", "edit"),
        ("Grep", "search"),
        ("Bash", "execute"),
        ("WebFetch", "fetch"),
        ("Task", "think"),
        ("Agent", "think"),
        ("ExitPlanMode", "switch_mode"),
        ("mcp__github__search", "other"),
        ("Unheard", "other"),
        ("", "other"),
    ],
)
def test_a_tool_has_a_kind(name: str, kind: str) -> None:
    assert tools.kind(name) == kind


@pytest.mark.parametrize(
    ("name", "input", "summary"),
    [
        ("Read", {"limit": 200, "file_path": "/src/login.ts"}, "/src/login.ts"),
        ("NotebookEdit", {"notebook_path": "/a.ipynb", "new_source": "x"}, "/a.ipynb"),
        ("Bash", {"description": "Run tests", "command": "npm test"}, "npm test"),
        ("Grep", {"path": "src", "pattern": "TODO"}, "TODO"),
        ("WebFetch", {"prompt": "what", "url": "https://example.org"}, "https://example.org"),
        ("Task", {"prompt": "Explore it all", "description": "Research"}, "Research"),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, "#3 completed"),
        ("TaskUpdate", {"taskId": 3, "subject": "Write tests"}, "#3 Write tests"),
        ("TaskUpdate", {"status": "completed"}, "completed"),
        ("AskUserQuestion", {"questions": [{"question": "Which one?"}]}, "Which one?"),
        ("AskUserQuestion", {"questions": []}, ""),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}]}, "1/2 done"),
        ("TodoWrite", {"todos": "none"}, ""),
        ("TodoRead", {}, ""),
        ("mcp__db__query", {"limit": 5, "query": "select 1"}, "select 1"),
        ("Unheard", {"nested": {}, "how": "so"}, "so"),
    ],
)
def test_a_summary_says_what_the_call_is_about(
    name: str, input: dict[str, Any], summary: str
) -> None:
    assert tools.summarize(name, input) == summary


def test_a_field_of_the_wrong_type_or_empty_gives_way_to_the_next() -> None:
    assert tools.summarize("Bash", {"command": "", "description": "Run"}) == "Run"
    assert tools.summarize("Bash", {"command": ["a"], "description": "Run"}) == "Run"


@pytest.mark.parametrize(("input", "summary"), [("raw words", "raw words"), (None, ""), ([1], "")])
def test_an_input_that_is_no_object_still_has_a_summary(input: object, summary: str) -> None:
    assert tools.summarize("Read", input) == summary


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("mcp__shop_db__query", ("shop_db", "query")),
        ("mcp__a__b__c", ("a", "b__c")),
        ("mcp__alone", ("alone", "")),
        ("mcp__", ("", "")),
        ("Read", None),
        ("not_mcp__a__b", None),
    ],
)
def test_the_name_of_an_mcp_tool_comes_apart(name: str, server: tuple[str, str] | None) -> None:
    assert tools.mcp(name) == server


@given(st.text(), st.text())
def test_any_server_and_tool_without_a_double_underscore_come_back(server: str, tool: str) -> None:
    if "__" in f"{server}_" or tool.startswith("_"):
        return
    assert tools.mcp(f"mcp__{server}__{tool}") == (server, tool)
