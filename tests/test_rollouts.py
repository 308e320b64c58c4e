"""Sub-agents of Codex: rollouts of their own, found by their first lines."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.build import Json, lines
from viewer.document import document
from viewer.ends import describe_all
from viewer.library import find
from viewer.load import load
from viewer.rollouts import children, has_parent

PARENT, CHILD, GRANDCHILD = "aaaa", "bbbb", "cccc"
STAMP = "2026-03-01T10:00:00.000Z"


def line(wrapper: str, **payload: Any) -> Json:
    return {"timestamp": STAMP, "type": wrapper, "payload": payload}


def head(id: str, **fields: Any) -> Json:
    return line("session_meta", id=id, cwd="/home/demo/shop", **fields)


def spawned(id: str, parent: str) -> Json:
    """As 0.14x says whose sub-agent it is."""
    thread = {
        "parent_thread_id": parent,
        "depth": 1,
        "agent_nickname": "Ada",
        "agent_role": "scout",
    }
    return head(id, source={"subagent": {"thread_spawn": thread}})


def prompt(text: str) -> Json:
    content = [{"type": "input_text", "text": text}]
    return line("response_item", type="message", role="user", content=content)


def spawn(id: str, message: str) -> Json:
    arguments = json.dumps({"message": message, "agent_type": "explorer"})
    return line(
        "response_item", type="function_call", name="spawn_agent", arguments=arguments, call_id=id
    )


def output(id: str, text: str) -> Json:
    return line("response_item", type="function_call_output", call_id=id, output=text)


def activity(call: str, thread: str) -> Json:
    return line("event_msg", type="sub_agent_activity", kind="started", event_id=call,
                agent_thread_id=thread, agent_path="/root/scout")  # fmt: skip


class Sessions:
    """A sessions folder of Codex."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(
        self, thread: str, *records: Json, day: int = 1, hour: int = 10, suffix: str = ".jsonl"
    ) -> str:
        folder = self.root / "sessions/2026/03" / f"{day:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"rollout-2026-03-{day:02d}T{hour:02d}-00-00-{thread}{suffix}"
        data = b"".join(each + b"\n" for each in lines(*records))
        path.write_bytes(zstandard.compress(data, 3) if suffix.endswith(".zst") else data)
        return str(path)

    def listed(self) -> set[str]:
        return {file.id for file in describe_all(find([str(self.root)]))}


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    yield Sessions(tmp_path / "codex")


def agents(path: str) -> list[tuple[str | None, str | None]]:
    """The sub-agents of a session with the calls that started them."""
    return [(each["id"], each["call"]) for each in document(load(path))["agents"]]


def test_a_child_is_found_in_the_folder_of_the_day_and_of_later_days(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT))
    same = sessions.write("b1", head("b1", parent_thread_id=PARENT), hour=11)
    later = sessions.write("b2", spawned("b2", PARENT), day=3, hour=1)
    sessions.write("b3", spawned("b3", "another"), hour=12)
    sessions.write("b4", head("b4"), day=2)
    assert list(children(path, PARENT)) == [same, later]


def test_what_is_older_than_the_session_is_no_child_of_it(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT), day=2)
    sessions.write("b1", spawned("b1", PARENT), day=2, hour=9)
    sessions.write("b2", spawned("b2", PARENT), day=1)
    assert list(children(path, PARENT)) == []


def test_children_of_children_belong_to_the_session_too(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT), prompt("Go"), spawn("c1", "Look"))
    records = [spawned(CHILD, PARENT), prompt("Look"), spawn("c2", "Closer")]
    child = sessions.write(CHILD, *records, hour=11)
    last = sessions.write(GRANDCHILD, spawned(GRANDCHILD, CHILD), prompt("Closer"), hour=12)
    assert list(children(path, PARENT)) == [child, last]
    assert agents(path) == [(CHILD, "c1"), (GRANDCHILD, "c2")]
    assert agents(child) == [(GRANDCHILD, "c2")]
    assert sessions.listed() == {PARENT}


@pytest.mark.parametrize(
    "told",
    [
        [activity("c", CHILD), output("c", '{"task_name":"/root/scout"}')],
        [output("c", json.dumps({"nickname": "Ada", "agent_id": CHILD}))],
        [line("event_msg", type="collab_agent_spawn_end", call_id="c", new_thread_id=CHILD)],
        [line("event_msg", type="item_completed", item={"type": "CollabAgentToolCall", "id": "c",
              "tool": "spawnAgent", "receiver_thread_ids": [CHILD], "status": "completed"})],
    ],
    ids=["activity", "output", "event", "item"],
)  # fmt: skip
def test_the_session_says_which_call_started_a_child(told: list[Json], sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT), prompt("Go"), spawn("c", "(encrypted)"), *told)
    sessions.write(CHILD, spawned(CHILD, PARENT), prompt("Look at the cart"), hour=11)
    assert agents(path) == [(CHILD, "c")]
    [agent] = document(load(path))["agents"]
    assert (agent["type"], agent["description"]) == ("scout", "Ada")


def test_where_it_does_not_the_text_of_the_task_tells(sessions: Sessions) -> None:
    path = sessions.write(
        PARENT, head(PARENT), prompt("Go"), spawn("c1", "Look left"), spawn("c2", "Look right")
    )
    sessions.write("b1", spawned("b1", PARENT), prompt("Look right"), hour=11)
    sessions.write("b2", spawned("b2", PARENT), prompt("Look left"), hour=12)
    assert agents(path) == [("b1", "c2"), ("b2", "c1")]


def test_a_packed_child_is_found_and_read(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT), prompt("Go"), spawn("c", "Look"))
    child = sessions.write(
        CHILD, spawned(CHILD, PARENT), prompt("Look"), spawn("d", "x"), hour=11, suffix=".jsonl.zst"
    )
    assert list(children(path, PARENT)) == [child]
    assert agents(path) == [(CHILD, "c")]
    assert [call["file"] for call in document(load(path))["calls"]] == [
        None,
        os.path.basename(child),
    ]
    assert sessions.listed() == {PARENT}


def test_a_broken_packed_file_beside_it_does_no_harm(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT), prompt("Go"))
    Path(path).with_name("rollout-2026-03-01T12-00-00-dddd.jsonl.zst").write_bytes(b"no zstd")
    assert agents(path) == []


def test_a_child_that_was_unpacked_is_shown_once(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT), prompt("Go"))
    sessions.write(CHILD, spawned(CHILD, PARENT), hour=11, suffix=".jsonl.zst")
    plain = sessions.write(CHILD, spawned(CHILD, PARENT), hour=11)
    assert list(children(path, PARENT)) == [plain]


def test_a_first_line_may_be_long(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT))
    long = head(CHILD, parent_thread_id=PARENT, base_instructions={"text": "x" * 500_000})
    child = sessions.write(CHILD, long, hour=11)
    assert list(children(path, PARENT)) == [child]


def test_a_first_line_that_is_still_being_written_is_looked_at_again(sessions: Sessions) -> None:
    path = sessions.write(PARENT, head(PARENT))
    child = Path(sessions.write(CHILD, spawned(CHILD, PARENT), hour=11))
    whole = child.read_bytes()
    child.write_bytes(whole[:50])
    assert list(children(path, PARENT)) == []
    child.write_bytes(whole)
    assert list(children(path, PARENT)) == [str(child)]


def test_no_file_outside_the_sessions_folder_is_ever_opened(
    sessions: Sessions, tmp_path: Path
) -> None:
    outside = tmp_path / "rollout-2026-03-01T11-00-00-evil.jsonl"
    outside.write_bytes(lines(spawned("evil", PARENT))[0] + b"\n")
    told = activity("c", f"../../../../{outside}")
    path = sessions.write(PARENT, head(PARENT), prompt("Go"), spawn("c", "Look"), told)
    Path(path).with_name("rollout-2026-03-01T11-00-00-link.jsonl").symlink_to(outside)
    assert list(children(path, PARENT)) == []
    assert load(path).agents[0].session is None


@pytest.mark.parametrize("thread", ["../x", ".*", "", "a\0b"])
def test_an_id_is_only_ever_compared(thread: str, sessions: Sessions) -> None:
    path = sessions.write(CHILD, spawned(CHILD, thread))
    assert not has_parent(path, thread)


def test_a_child_is_listed_where_its_parent_is_not_there(sessions: Sessions) -> None:
    sessions.write(CHILD, spawned(CHILD, PARENT), prompt("Look"))
    assert sessions.listed() == {CHILD}


def test_a_child_is_not_listed_where_its_parent_is(sessions: Sessions) -> None:
    sessions.write(PARENT, head(PARENT), prompt("Go"), day=1)
    sessions.write(CHILD, spawned(CHILD, PARENT), prompt("Look"), day=2)
    assert sessions.listed() == {PARENT}


@pytest.mark.parametrize("suffix", [".jsonl.zst", "_eeee.jsonl"], ids=["packed", "reverted"])
def test_a_parent_counts_whatever_its_file_is_called(suffix: str, sessions: Sessions) -> None:
    sessions.write(PARENT, head(PARENT), prompt("Go"), suffix=suffix)
    path = sessions.write(CHILD, spawned(CHILD, PARENT), hour=11)
    assert has_parent(path, PARENT)
