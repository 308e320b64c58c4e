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


# Lines of edits


@pytest.mark.parametrize(
    ("input", "changed"),
    [
        ({"old_string": "a\nb\nc", "new_string": "a\nx\ny\nc"}, (2, 1)),
        ({"old_string": "a", "new_string": "a"}, (0, 0)),
        ({"old_string": "a\na", "new_string": "a"}, (0, 1)),
        ({"old_string": "a", "new_string": "a\na"}, (1, 0)),
        ({"old_string": "a\nb", "new_string": ""}, (0, 2)),
        ({"old_string": "", "new_string": "a\nb\n"}, (2, 0)),
        ({"content": "a\nb"}, (2, 0)),
        ({"new_source": "x = 1"}, (1, 0)),
        ({"command": "create", "file_text": "a\n"}, (1, 0)),
        ({"edits": [{"old_string": "a", "new_string": "b"}, {"new_string": "c\nd"}]}, (3, 1)),
        ({"edits": [3, {"old_string": "a"}]}, (None, None)),
        ({"edits": []}, (None, None)),
        ({"old_string": "a"}, (None, None)),
        ({"old_string": 3, "new_string": "a"}, (1, 0)),
        ({}, (None, None)),
    ],
)
def test_an_edit_asks_to_change_lines(
    input: dict[str, Any], changed: tuple[int | None, int | None]
) -> None:
    assert tools.changed_lines(input) == changed


_LINES = st.lists(st.sampled_from("abc"), max_size=8)


@given(_LINES, _LINES)
def test_what_is_added_less_what_is_removed_is_what_it_grew(old: list[str], new: list[str]) -> None:
    edit = {"old_string": "\n".join(old), "new_string": "\n".join(new)}
    added, removed = tools.changed_lines(edit)
    assert added is not None and removed is not None
    assert added - removed == len(new) - len(old)
    assert 0 <= added <= len(new) and 0 <= removed <= len(old)
    assert tools.changed_lines({**edit, "new_string": edit["old_string"]}) == (0, 0)


@given(st.dictionaries(st.sampled_from("edits old_string new_string content".split()), json_values))
def test_any_input_of_an_edit_is_counted_or_not(input: dict[str, Any]) -> None:
    added, removed = tools.changed_lines(input)
    assert (added is None) == (removed is None)


@pytest.mark.parametrize(
    ("result", "changed"),
    [
        ({"structuredPatch": [{"lines": [" a", "-b", "+c", "+d"]}, {"lines": ["+e"]}]}, (3, 1)),
        ({"structuredPatch": []}, (0, 0)),
        ({"structuredPatch": [], "type": "create", "content": "a\nb"}, (2, 0)),
        ({"structuredPatch": [], "type": "update", "content": "a\nb"}, (0, 0)),
        ({"structuredPatch": [3, {"lines": 3}, {"lines": [3, "+a"]}]}, (1, 0)),
        ({"structuredPatch": None}, (None, None)),
    ],
)
def test_a_patch_tells_which_lines_were_changed(
    result: dict[str, Any], changed: tuple[int | None, int | None]
) -> None:
    assert tools.patched_lines(result) == changed


@given(json_values)
def test_any_patch_is_counted_or_not(patch: object) -> None:
    added, removed = tools.patched_lines({"structuredPatch": patch})
    assert (added is None) == (removed is None)
