"""A node in words: what it is, what it says and how it went, safe for any terminal."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from tests.build import Chain
from tests.test_nodes import Move, fired, moves, transcript_of
from tests.test_text import any_text, is_safe
from viewer.ascii import ascii_only
from viewer.describe import GLYPHS, Words, call_name, describe, relative
from viewer.load import load
from viewer.model import DEAD, Liveness
from viewer.nodes import Forest
from viewer.text import width


def words_of(chain: Chain, folder: Path, liveness: Liveness = DEAD) -> list[Words]:
    forest = Forest(load(str(chain.write(folder / "s.jsonl"))), liveness)
    return [describe(node) for node in forest.walk()]


def last(chain: Chain, folder: Path, liveness: Liveness = DEAD) -> str:
    return words_of(chain, folder, liveness)[-1].whole


def started(name: str = "Bash", **input: Any) -> Chain:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", name, **input)
    return chain


@pytest.mark.parametrize(
    ("error", "text", "structured", "words"),
    [
        (False, "fine", {}, "Bash ls ✓ 1.0s"),
        (False, "fine", {"durationMs": 8}, "Bash ls ✓ 8ms"),
        (False, "fine", {"interrupted": True}, "Bash ls ✓ interrupted · 1.0s"),
        (False, "fine", {"backgroundTaskId": "b"}, "Bash ls ✓ in background · 1.0s"),
        (True, "Exit code 3\nno", {"durationMs": 3400}, "Bash ls ✗ exit 3 · 3.4s"),
        (True, "no", {}, "Bash ls ✗ COMMAND_FAILED · 1.0s"),
    ],
)
def test_how_a_call_went(
    tmp_path: Path, error: bool, text: str, structured: dict[str, Any], words: str
) -> None:
    chain = started()
    chain.result("a", text, error=error, toolUseResult=structured)
    assert last(chain, tmp_path) == words


@pytest.mark.parametrize(
    ("liveness", "words", "tone"),
    [
        (DEAD, "Bash ls ∅ missing · SESSION_ENDED", "missing"),
        (Liveness(alive=True), "Bash ls ⋯ running", "running"),
        (Liveness(alive=True, now=1772359262.9), "Bash ls ⋯ running · 1m00s", "running"),
        (Liveness(alive=True, now=1.0), "Bash ls ⋯ running", "running"),
        (Liveness(alive=True, waiting=True), "Bash ls … waits for approval", "running"),
    ],
)
def test_a_call_without_a_result(tmp_path: Path, liveness: Liveness, words: str, tone: str) -> None:
    found = words_of(started(), tmp_path, liveness)[-1]
    assert (found.whole, found.tone) == (words, tone)


def test_an_edit_tells_how_many_lines_it_changed_and_paths_are_short(tmp_path: Path) -> None:
    chain = started(
        "Edit", file_path="/home/demo/src/a.py", old_string="a\nb", new_string="a\nc\nd"
    )
    chain.result("a", toolUseResult={"durationMs": 5})
    assert last(chain, tmp_path) == "Edit src/a.py ✓ +2 −1 · 5ms"


@pytest.mark.parametrize(
    ("path", "cwd", "shown"),
    [
        ("/home/demo/a", "/home/demo", "a"),
        ("/home/demo2/a", "/home/demo", "/home/demo2/a"),
        ("/etc/a", "/", "etc/a"),
        ("C:\\work\\a", "C:\\work", "a"),
        ("/a", None, "/a"),
        ("/a", "", "/a"),
        ("/home/demo", "/home/demo", "/home/demo"),
    ],
)
def test_a_path_is_seen_from_where_the_session_worked(
    path: str, cwd: str | None, shown: str
) -> None:
    assert relative(path, cwd) == shown


def test_a_hook_tells_its_command_and_what_it_said(tmp_path: Path) -> None:
    chain = started()
    error = {"blockingError": "[guard.sh]: not here", "command": "guard.sh"}
    fired(chain, "a", "guard.sh", "hook_blocking_error", blockingError=error)
    assert last(chain, tmp_path) == "hook PreToolUse:Bash guard.sh: not here ✗ blocked"


@pytest.mark.parametrize(
    ("kind", "more", "state"),
    [
        ("hook_success", {"durationMs": 12}, "✓ 12ms"),
        ("hook_non_blocking_error", {"exitCode": 1}, "✗ exit 1"),
        ("hook_error_during_execution", {}, "✗ error"),
        ("hook_cancelled", {}, "■ cancelled"),
    ],
)
def test_how_a_hook_went(tmp_path: Path, kind: str, more: dict[str, Any], state: str) -> None:
    chain = started()
    fired(chain, "a", "h.sh", kind, **more)
    assert words_of(chain, tmp_path)[-1].state == state


def test_everything_that_can_happen_has_a_name(tmp_path: Path) -> None:
    chain = Chain()
    fork = chain.prompt("one\n  two")
    chain.prompt("left")
    chain.said({"type": "thinking", "thinking": "hm"}, parent=fork)
    chain.said({"type": "redacted_thinking"})
    chain.result("nobody", "lost")
    chain.prompt("[Request interrupted by user for tool use]")
    data = {"trigger": "auto", "preTokens": 155_000, "postTokens": 12_000}
    chain.add("system", subtype="compact_boundary", compactMetadata=data)
    chain.state("never-heard-of")
    chain.state("queue-operation", operation="enqueue", content="later")
    assert [words.whole for words in words_of(chain, tmp_path)] == [
        "one two",
        "rewound here 1 record",
        "left",
        "thinking “hm”",
        "thinking (redacted)",
        "result lost ✗ names no call",
        "interrupted by user for tool use",
        "compacted auto · 155k → 12k",
        "unknown never-heard-of",
        "queue-operation",
        "queued later not taken up",
    ]


def test_tools_of_servers_read_as_server_and_tool() -> None:
    assert call_name("mcp__shop_db__query") == "shop_db · query"
    assert call_name("Bash") == "Bash"
    assert width(call_name("x" * 500)) <= 60


def test_every_glyph_is_one_cell_and_has_an_ascii_form() -> None:
    for glyph in GLYPHS.values():
        assert width(glyph) == 1
        assert ascii_only(glyph).isascii() and len(ascii_only(glyph)) == 1
    assert ascii_only("✓ +4 −1 ∅ … “é”") == '+ +4 -1 0 . "é"'


@given(moves)
@settings(max_examples=50, deadline=None)
def test_our_own_words_can_be_written_in_ascii(moves: list[Move]) -> None:
    with transcript_of(moves) as transcript:
        for node in Forest(transcript).walk():
            words = describe(node)
            assert ascii_only(words.glyph + words.whole).replace("→", "").isascii()


@given(any_text, any_text)
@settings(max_examples=60, deadline=None)
def test_no_word_acts_on_the_terminal_or_takes_a_second_line(first: str, second: str) -> None:
    chain = started(second or "Bash", command=first, file_path=first)
    chain.prompt(first)
    chain.reply(second)
    fired(chain, "a", first, "hook_non_blocking_error", stderr=second, hookName=second)
    chain.result("a", second, error=True)
    chain.add("system", subtype=first, content=second)
    chain.state(second, x=first)
    chain.add("attachment", attachment={"type": first, "content": second})
    chain.call("t", "Task", prompt=first, description=second, subagent_type=first)
    chain.prompt(first, isSidechain=True, parent=None)
    with TemporaryDirectory() as folder:
        path = Path(folder, "s.jsonl")
        path.write_text("\n".join(json.dumps(record) for record in chain.records))
        for node in Forest(load(str(path))).walk():
            words = describe(node)
            assert all(map(is_safe, words.whole)), words
            assert "\n" not in words.whole
