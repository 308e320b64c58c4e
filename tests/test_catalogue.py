"""The list of sessions while one looks at it."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.build import Chain
from viewer.catalogue import Catalogue, Listed, by_project, read_all_ends
from viewer.counts import Counts, Memory, cache_folder
from viewer.projects import repository


class Shelf:
    """A home with sessions, and the list of it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.memory = str(folder / "cache")
        self.now = 5_000.0
        (self.home / "projects").mkdir(parents=True)
        self.list = self.fresh()

    def fresh(self) -> Catalogue:
        return Catalogue([str(self.home)], [str(self.home)], Memory(self.memory))

    def write(self, name: str, chain: Chain, modified: float = 1000.0) -> Path:
        path = chain.write(self.home / "projects" / f"{name}.jsonl")
        os.utime(path, (modified, modified))
        return path

    def register(self, id: str, status: str, pid: int | None = None) -> None:
        folder = self.home / "sessions"
        folder.mkdir(exist_ok=True)
        pid = pid or os.getpid()
        entry = {"pid": pid, "sessionId": id, "status": status}
        (folder / f"{pid}.json").write_text(json.dumps(entry))

    def look(self) -> list[Listed]:
        look(self.list, self.now)
        while (listed := self.list.next_to_count(self.now)) is not None:
            run(self.list.count(listed, lambda: self.now))
        return self.list.sessions


def look(list: Catalogue, now: float) -> None:
    list.take(list.scan(), now)
    describe(list)
    list.all_described()


def describe(list: Catalogue) -> None:
    batch = list.undescribed()
    run(list.describe(batch, read_all_ends(batch)))


def run(work: Iterable[None]) -> None:
    for _ in work:
        pass


def ran(*results: str, cwd: str = "/home/demo/shop") -> Chain:
    """A session with calls: ok, bad, or none for no result."""
    chain = Chain("s")
    chain.prompt("go", cwd=cwd)
    for number, result in enumerate(results):
        chain.call(f"c{number}")
        if result != "none":
            chain.result(f"c{number}", error=result == "bad")
    return chain


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_sessions_are_counted_and_told_apart_by_how_they_stand(shelf: Shelf) -> None:
    shelf.write("-a/left", ran("ok", "bad", "none"), 1000)
    shelf.write("-a/fine", ran("ok"), 2000)
    shelf.write("-a/works", ran("ok", "none"), 4990)
    reply = ran("ok")
    reply.reply("done")
    shelf.write("-a/rests", reply, 4980)
    shelf.write("-a/waits", ran("none"), 900)
    shelf.register("waits", "waiting")
    found = {each.file.id: (each.state, each.problems) for each in shelf.look()}
    assert found == {
        "left": ("unclean", (1, 1)),
        "fine": ("", (0, 0)),
        "works": ("working", (0, 0)),
        "rests": ("idle", (0, 0)),
        "waits": ("waiting", (0, 0)),
    }


def test_a_program_that_was_killed_ended_uncleanly(shelf: Shelf) -> None:
    shelf.write("-a/x", ran("ok"), 1000)
    shelf.register("x", "busy", pid=999_999_999)
    assert shelf.look()[0].state == "unclean"


def test_new_sessions_appear_and_growing_ones_are_read_again(shelf: Shelf) -> None:
    chain = ran("ok")
    shelf.write("-a/x", chain, 1000)
    assert [each.file.id for each in shelf.look()] == ["x"]
    shelf.write("-b/y", ran(), 1100)
    assert [each.file.id for each in shelf.look()] == ["y", "x"]
    chain.call("more")
    chain.result("more", error=True)
    chain.state("ai-title", aiTitle="a title")
    shelf.write("-a/x", chain, 1200)
    shelf.now += 100
    first = shelf.look()[0]
    assert (first.file.id, first.file.title, first.problems) == ("x", "a title", (1, 0))
    (shelf.home / "projects/-b/y.jsonl").unlink()
    assert [each.file.id for each in shelf.look()] == ["x"]


def test_a_session_that_grows_all_the_time_is_counted_now_and_then(shelf: Shelf) -> None:
    chain = ran("ok")
    path = shelf.write("-a/x", chain, 1000)
    shelf.look()
    chain.call("more")
    shelf.write("-a/x", chain, 1200)
    assert shelf.list.touch(str(path))
    describe(shelf.list)
    assert shelf.list.next_to_count(shelf.now + 1) is None
    assert shelf.list.next_to_count(shelf.now + 10) is not None


def test_worktrees_stand_with_their_repository(shelf: Shelf) -> None:
    shelf.write("-a/main", ran(), 1000)
    shelf.write("-b/tree", ran(cwd="/home/demo/shop/.claude/worktrees/fix"), 2000)
    moved = ran(cwd="/somewhere/else")
    moved.state("worktree-state", worktreeSession={"originalCwd": "/home/demo/shop"})
    shelf.write("-c/moved", moved, 3000)
    left = ran(cwd="/home/demo/api")
    left.state("worktree-state", worktreeSession={"originalCwd": "/home/demo/shop"})
    left.state("worktree-state", worktreeSession=None)
    shelf.write("-d/left", left, 500)
    found = {p.path: [s.file.id for s in p.sessions] for p in by_project(shelf.look())}
    assert found == {"/home/demo/shop": ["moved", "tree", "main"], "/home/demo/api": ["left"]}
    assert list(found) == ["/home/demo/shop", "/home/demo/api"]


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/a/b", "/a/b"),
        ("/a/b/", "/a/b"),
        ("/", "/"),
        ("/a/.worktrees/x/deep", "/a"),
        ("C:\\a\\.claude\\worktrees\\x", "C:\\a"),
        ("/a/worktrees/x", "/a/worktrees/x"),
    ],
)
def test_the_folder_of_a_repository(path: str, folder: str) -> None:
    assert repository(path) == folder


# What is remembered


def test_counts_are_remembered_between_runs_by_file_and_size(shelf: Shelf) -> None:
    chain = ran("ok", "bad")
    path = shelf.write("-a/x", chain)
    shelf.look()
    shelf.list.memory.save()
    os.utime(path, (1000, 1000))
    shelf.list = again = shelf.fresh()
    look(again, shelf.now)
    listed = again.next_to_count(shelf.now)
    assert listed is not None
    assert list(again.count(listed, lambda: 0.0)) == []  # nothing to read
    assert listed.counts == Counts(calls=2, failed=1, missing=0, ended=0, other=0)
    chain.call("more")
    shelf.write("-a/x", chain)
    shelf.list = shelf.fresh()
    assert shelf.look()[0].counts == Counts(calls=3, failed=1, missing=1, ended=1, other=0)


def test_a_sub_agent_that_went_on_is_counted_again(shelf: Shelf) -> None:
    chain = ran()
    chain.call("t", "Task", prompt="look")
    shelf.write("-a/x", chain)
    agent = Chain("x")
    agent.prompt("look", isSidechain=True)
    shelf.write("-a/x/subagents/agent-a1", agent)
    assert shelf.look()[0].counts == Counts(1, 0, 1, 1, 0)
    shelf.list.memory.save()
    agent.call("inner")
    agent.result("inner", error=True, isSidechain=True)
    shelf.write("-a/x/subagents/agent-a1", agent)
    shelf.list = shelf.fresh()
    assert shelf.look()[0].counts == Counts(2, 1, 1, 1, 0)


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[1]", b'{"schema":1}', b'{"schema":1,"version":"0","counts":[]}', b"\xff" * 99,
     b'{"schema":1,"version":"%s","counts":[[1,2,"x"]]}'],
)  # fmt: skip
def test_a_damaged_memory_is_made_anew(shelf: Shelf, damage: bytes) -> None:
    from viewer import __version__

    shelf.write("-a/x", ran("bad"))
    shelf.look()
    shelf.list.memory.save()
    kept = Path(shelf.memory, "counts.json")
    kept.write_bytes(damage.replace(b"%s", __version__.encode()))
    shelf.list = shelf.fresh()
    assert shelf.look()[0].problems == (1, 0)
    shelf.list.memory.save()
    assert json.loads(kept.read_bytes())["counts"]


def test_without_a_place_to_remember_everything_works(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("-a/x", ran("bad"))
    (tmp_path / "file").touch()
    for folder in (None, "/dev/null/cache", str(tmp_path / "file")):
        shelf.list = Catalogue([str(shelf.home)], [], Memory(folder))
        assert shelf.look()[0].problems == (1, 0)
        shelf.list.memory.save()


def test_two_runs_do_not_forget_what_the_other_learned(shelf: Shelf) -> None:
    first, second = Memory(shelf.memory), Memory(shelf.memory)
    first.put((1, 1, 1, 1.0, 0), Counts(1, 0, 0, 0, 0))
    second.put((1, 2, 1, 1.0, 0), Counts(2, 0, 0, 0, 0))
    first.save()
    second.save()
    third = Memory(shelf.memory)
    assert third.get((1, 1, 1, 1.0, 0)) == Counts(1, 0, 0, 0, 0)
    assert third.get((1, 2, 1, 1.0, 0)) == Counts(2, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h"}, "/h/.cache/claude-view"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/c"}, "/c/claude-view"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "/h/.cache/claude-view"),
        ({}, None),
    ],
)
def test_where_it_is_remembered(environ: dict[str, str], folder: str | None) -> None:
    assert cache_folder(environ) == folder
