"""Which session to follow, and what is known of it while it grows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.build import Chain
from viewer.document import document
from viewer.feed import Feed
from viewer.load import Reading, load
from viewer.lookout import Here, Lookout, moved
from viewer.resources import sample_sessions


def write(path: Path, cwd: str, modified: float = 1000.0, reply: bool = True) -> Path:
    chain = Chain(path.stem)
    chain.prompt("go", cwd=cwd)
    if reply:
        chain.reply("gone", cwd=cwd)
    chain.write(path)
    os.utime(path, (modified, modified))
    return path


# The newest session here


def test_the_newest_session_of_the_folder_is_found(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    write(tmp_path / "root/projects/-a/old.jsonl", str(work), 1000)
    newest = write(tmp_path / "root/projects/-b/new.jsonl", str(work), 2000)
    write(tmp_path / "root/projects/-c/other.jsonl", "/elsewhere", 3000)
    found = Here([str(tmp_path / "root")], str(work)).newest()
    assert found is not None and found.path == str(newest)


def test_inside_a_repository_its_sessions_are_those_of_the_folder(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    inside = top / "src" / "deep"
    inside.mkdir(parents=True)
    (top / ".git").mkdir()
    root = tmp_path / "root"
    write(root / "projects/-a/top.jsonl", str(top), 2000)
    here = Here([str(root)], str(inside))
    found = here.newest()
    assert found is not None and found.id == "top"
    write(root / "projects/-b/own.jsonl", str(inside), 1000)  # nearer, though older
    found = Here([str(root)], str(inside)).newest()
    assert found is not None and found.id == "own"


def test_folders_above_that_are_no_repository_do_not_count(tmp_path: Path) -> None:
    write(tmp_path / "root/projects/-a/above.jsonl", str(tmp_path), 2000)
    below = tmp_path / "below"
    below.mkdir()
    here = Here([str(tmp_path / "root"), "/nowhere"], str(below))
    assert here.newest() is None
    write(tmp_path / "root/projects/-b/later.jsonl", str(below), 3000)
    found = here.newest()
    assert found is not None and found.id == "later"


def test_of_several_new_sessions_the_newest_is_offered_once(tmp_path: Path) -> None:
    first = write(tmp_path / "first.jsonl", "/w", 1000)
    lookout = Lookout(str(first), "/w")
    assert lookout.look() is None
    write(tmp_path / "second.jsonl", "/w", 2000)
    third = write(tmp_path / "third.jsonl", "/w", 3000)
    write(tmp_path / "foreign.jsonl", "/x", 4000)
    assert lookout.look() == str(third)
    os.utime(tmp_path / "second.jsonl", (9000, 9000))  # older ones that go on are not new
    assert lookout.look() == str(third)


def test_a_file_that_moved_is_found_under_the_roots(tmp_path: Path) -> None:
    path = write(tmp_path / "root/projects/-a/x.jsonl", "/w")
    assert moved(str(path), [str(tmp_path / "root")]) is None
    other = tmp_path / "root/projects/-b/x.jsonl"
    other.parent.mkdir()
    path.rename(other)
    assert moved(str(path), [str(tmp_path / "root")]) == str(other)


# How it stands


def feed_of(path: Path, home: Path, now: float) -> Feed:
    feed = Feed(Reading(str(path)), [], [str(home)], clock=lambda: now)
    for _ in feed.reading.steps():
        pass
    feed.look()
    return feed


@pytest.mark.parametrize(
    ("age", "reply", "state", "ended"),
    [
        (10, True, "idle", ""),
        (10, False, "working", ""),
        (1000, True, "", "last record"),
    ],
)
def test_without_a_registry_recent_writes_and_the_last_word_tell(
    tmp_path: Path, age: float, reply: bool, state: str, ended: str
) -> None:
    path = write(tmp_path / "s.jsonl", "/w", 5000, reply=reply)
    feed = feed_of(path, tmp_path, 5000 + age)
    assert feed.liveness.state == state
    assert feed.ended.startswith(ended) and bool(feed.ended) == bool(ended)


def test_the_registry_has_the_last_word(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", "/w", 5000, reply=False)
    entry = tmp_path / "sessions" / f"{os.getpid()}.json"
    entry.parent.mkdir()
    entry.write_text(json.dumps({"pid": os.getpid(), "sessionId": "s", "status": "idle"}))
    feed = feed_of(path, tmp_path, 9_000)
    assert feed.liveness.state == "idle"
    entry.unlink()
    assert feed.look()
    assert feed.ended == "its program has left it"


def test_a_file_that_is_gone_is_told_and_comes_back(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", "/w", 5000)
    feed = feed_of(path, tmp_path, 5010)
    path.unlink()
    assert list(feed.reading.steps()) == []
    assert feed.look() and feed.ended == "its file is gone"
    write(path, "/w", 5000)
    list(feed.reading.steps())
    assert feed.look() and feed.ended == ""


def test_reading_many_sub_agents_holds_one_descriptor(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", "/w")
    for number in range(30):
        write(tmp_path / "s" / "subagents" / f"agent-a{number}.jsonl", "/w")
    before = len(os.listdir("/proc/self/fd"))
    reading = Reading(str(path))
    for _ in range(3):
        for _ in reading.steps():
            pass
        assert len(os.listdir("/proc/self/fd")) == before + 1
    assert len(reading.transcript.agents) == 30
    reading.close()


# The writer


def test_a_transcript_that_is_written_again_is_the_same_session(tmp_path: Path) -> None:
    source = next(sample_sessions().glob("*/00000018*.jsonl"))
    target = tmp_path / source.name
    command = [sys.executable, "-m", "tests.replay", str(source), str(target)]
    subprocess.run([*command, "--speed", "1e9", "--as-it-was"], check=True)
    made, wanted = document(load(str(target))), document(load(str(source)))
    assert made.pop("path") != wanted.pop("path")
    assert made == wanted
    again = subprocess.run(command, check=False, capture_output=True)
    assert b"exists" in again.stderr
