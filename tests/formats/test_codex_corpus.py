"""Every real rollout agrees with the plainest count of its calls."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.corpus import transcripts
from tests.acceptance.shared import CORPUS
from viewer.load import load

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")
EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.M)
PHRASES = (
    "Script failed\n",
    "aborted by user",
    "command timed out after",
    "exec command rejected by user",
    "failed to parse function arguments",
    "patch rejected by user",
    "unsupported call: ",
    "unsupported custom tool call: ",
)
# Events that tell of a failure.
FAILS: dict[str, Callable[[Any], bool]] = {
    "exec_command_end": lambda event: event["exit_code"] != 0,
    "patch_apply_end": lambda event: not event["success"],
    "mcp_tool_call_end": lambda event: "Err" in event["result"],
}


def rollouts() -> list[Path]:
    return [path for path in transcripts(CORPUS) if b'"session_meta"' in _head(path)]


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(400)


def count(path: Path) -> dict[str, set[str]]:
    """The ids of calls, of those with an output, and of those that failed."""
    called: set[str] = set()
    answered: set[str] = set()
    failed: set[str] = set()
    searches = 0
    for line in path.read_text().split("\n"):
        payload: Any = json.loads(line).get("payload", {}) if line else {}
        type, id = payload.get("type"), payload.get("call_id")
        if type in CALLS:
            called.add(id)
        elif type == "web_search_call":
            searches += 1
        elif type in OUTPUTS:
            answered.add(id)
            if has_failed(payload.get("output", "")):
                failed.add(id)
        elif type in FAILS and FAILS[type](payload):
            failed.add(id)
        elif type == "item_completed" and payload["item"].get("exit_code"):
            failed.add(payload["item"]["id"])
    done = {f"search {number}" for number in range(searches)}
    return {
        "calls": called | done,
        "answered": (answered & called) | done,
        "failed": failed & called,
    }


def has_failed(output: Any) -> bool:
    if isinstance(output, list):
        output = "\n".join(piece.get("text", "") for piece in output)
    if not isinstance(output, str):
        return False
    head = output[:400].partition("Output:\n")[0]
    code = EXIT.search(head) if head != output[:400] else None
    return int(code[1]) != 0 if code else output.startswith(PHRASES)


@pytest.mark.skipif(not CORPUS.exists(), reason=f"the corpus is not here: {CORPUS.name}")
def test_every_rollout_of_the_corpus_agrees_with_a_plain_count() -> None:
    found = rollouts()
    assert found
    for path in found:
        session, expected = load(str(path)).session, count(path)
        calls = session.calls.values()
        ours = {
            "calls": {call.id for call in calls},
            "answered": {call.id for call in calls if call.result is not None},
            "failed": {call.id for call in calls if call.failed},
        }
        # Searches have no ids that items and events share: they are counted.
        for key, ids in expected.items():
            assert {id for id in ids if not id.startswith("search ")} <= ours[key], (path, key)
        assert {key: len(ids) for key, ids in ours.items()} == {
            key: len(ids) for key, ids in expected.items()
        }, path


@pytest.mark.skipif(not CORPUS.exists(), reason=f"the corpus is not here: {CORPUS.name}")
def test_no_rollout_of_the_corpus_has_a_record_that_is_not_understood() -> None:
    for path in rollouts():
        counts = load(str(path)).session.counts
        assert (counts.unknown, counts.damaged) == (0, 0), path
