"""The list of sessions in a real terminal."""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.build import Chain, lines
from tests.terminal import Terminal
from tests.writer import Writer

PROGRAM = str(Path(sys.executable).parent / "claude-view")
Open = Callable[..., Terminal]


def session(
    home: Path, id: str, prompt: str, *, cwd: str, age: float = 1000, results: str = "+",
    reply: str = "done", branch: str = "main",
) -> Path:  # fmt: skip
    """A session with calls that went well (+), failed (-) or have no result (0)."""
    chain = Chain(id)
    chain.defaults = {"cwd": cwd, "gitBranch": branch}
    chain.prompt(prompt)
    for number, result in enumerate(results):
        chain.call(f"{id}{number}")
        if result != "0":
            chain.result(f"{id}{number}", error=result == "-")
    if "0" not in results:
        chain.reply(reply)
    slug = re.sub("[^A-Za-z0-9]", "-", cwd)
    path = chain.write(home / ".claude" / "projects" / slug / f"{id}.jsonl")
    written = time.time() - age
    os.utime(path, (written, written))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    work = tmp_path / "shop"
    work.mkdir()
    session(folder, "aaaa1111", "fix the rounding bug", cwd=str(work), results="+--0", age=3000)
    session(folder, "aaaa2222", "add a currency", cwd=str(work), age=2000, reply="It is added.")
    tree = f"{work}/.claude/worktrees/x"
    session(folder, "aaaa3333", "try another way", cwd=tree, age=9000, branch="try")
    session(folder, "bbbb1111", "write the notes", cwd="/home/demo/notes", age=1000)
    return folder


@pytest.fixture
def opened(home: Path) -> Iterator[Open]:
    terminals: list[Terminal] = []

    def open_(*arguments: str, columns: int = 120, rows: int = 30, **env: str) -> Terminal:
        env = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **env}
        command = [PROGRAM, *arguments]
        cwd = str(home.parent / "shop")
        terminal = Terminal(command, columns, rows, env=env, cwd=cwd)
        terminals.append(terminal)
        terminal.__enter__()
        assert terminal.expect(": commands", 30) is not None, terminal.text()
        return terminal

    yield open_
    for terminal in terminals:
        terminal.close()


def row(terminal: Terminal, words: str) -> str:
    """The line of a session."""
    return next((line for line in terminal.text().split("\n") if words in line), "")


def sees(terminal: Terminal, *words: str) -> None:
    seen = terminal.until(lambda screen: all(word in screen for word in words), 15)
    assert seen is not None, f"no {words} in\n{terminal.text()}"


def lacks(terminal: Terminal, words: str) -> None:
    assert terminal.until(lambda screen: words not in screen, 15) is not None, terminal.text()


def cursor(terminal: Terminal) -> str:
    """What is marked in the list of sessions."""
    marked = [line.rpartition("▌")[2] for line in terminal.text().split("\n") if "▌" in line]
    return next((words for words in marked if "min" in words or "h " in words), "")


def test_the_project_of_the_folder_comes_first_with_its_worktrees(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "add a currency", "fix the rounding bug", "try another way")
    lacks(terminal, "write the notes")
    sees(terminal, "2 projects · 4 sessions", "newest first · 1 of 3")
    assert terminal.until(lambda _: "add a currency" in cursor(terminal), 10)
    sees(terminal, "❯ add a currency", "▪ It is added.")


def test_problems_and_calls_are_counted_in_the_background(opened: Open) -> None:
    terminal = opened(columns=140)
    assert terminal.until(lambda _: "✗2 ∅1" in row(terminal, "rounding bug"), 15), terminal.text()
    line = row(terminal, "rounding bug")
    assert re.search(r"∅ unclean +50min +fix the rounding bug +main +4 +[\d.]+ kB +✗2 ∅1", line)


def test_moving_filtering_and_sorting(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "add a currency")
    terminal.send("j")
    assert terminal.until(lambda _: "rounding" in cursor(terminal), 10), terminal.text()
    terminal.send("s")
    sees(terminal, "most problems first · 1 of 3")  # the cursor stays on its session
    terminal.send("s", "s")
    sees(terminal, "by title · 2 of 3")
    terminal.send("/", *"NOTES")
    sees(terminal, "write the notes", "“NOTES” · by title · 1 of 1")
    lacks(terminal, "add a currency")
    terminal.send("enter")
    sees(terminal, "esc show all")
    terminal.send("escape")
    sees(terminal, "add a currency")
    terminal.send("h", "g")
    sees(terminal, "All projects", "write the notes", "try another way")
    terminal.send("j")
    lacks(terminal, "add a currency")
    terminal.send("/", *"nothing of the kind")
    sees(terminal, "no session has these words")
    terminal.send("escape")
    sees(terminal, "write the notes")


def test_a_session_is_opened_and_left_to_the_same_row(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "add a currency")
    terminal.send("j", "enter")
    sees(terminal, "Outline", "missing 1", "ENDED last record")
    terminal.send("escape")
    sees(terminal, "Projects", "2 of 3")
    assert terminal.until(lambda _: "rounding" in cursor(terminal), 10)
    terminal.send("enter")
    sees(terminal, "Outline", "missing 1")
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_sessions_can_be_clicked(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "fix the rounding bug")
    shown = terminal.text().split("\n")
    y = next(number for number, line in enumerate(shown) if "fix the rounding" in line)
    terminal.click(60, y)
    assert terminal.until(lambda _: "rounding" in cursor(terminal), 10), terminal.text()
    terminal.click(60, y)
    sees(terminal, "Outline")


def test_the_newest_is_followed_with_one_key(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "add a currency")
    terminal.send("F")
    sees(terminal, "Outline", "It is added.", "3/3 · 100%")


def test_everything_changes_while_one_looks(opened: Open, home: Path) -> None:
    terminal = opened()
    sees(terminal, "add a currency", "2 projects · 4 sessions")
    with Writer() as writer:
        work = str(home.parent / "shop")
        chain = Chain("cccc1111")
        chain.defaults = {"cwd": work}
        chain.prompt("a new session")
        folder = home / ".claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", work)
        path = folder / "cccc1111.jsonl"
        writer.append(path, lines(*chain.records)[0] + b"\n")
        sees(terminal, "a new session", "5 sessions · 1 live")
        assert terminal.until(lambda _: "▪ working" in row(terminal, "a new session"), 10)
        # Where it was, once the frame is drawn whole.
        assert terminal.until(lambda _: "add a currency" in cursor(terminal), 10)
        chain.reply("that was quick")
        writer.append(path, lines(chain.records[-1])[0] + b"\n")
        assert terminal.until(lambda _: "▪ idle" in row(terminal, "a new session"), 10)
        entry = {"pid": os.getpid(), "sessionId": "cccc1111", "status": "waiting"}
        registered = home / ".claude" / "sessions" / f"{os.getpid()}.json"
        writer.append(registered, json.dumps(entry).encode())
        assert terminal.until(lambda _: "▪ waiting" in row(terminal, "a new session"), 10)
        other = home / ".claude" / "projects" / "-brand-new" / "dddd1111.jsonl"
        chain = Chain("dddd1111")
        chain.defaults = {"cwd": "/brand/new"}
        chain.prompt("elsewhere")
        writer.append(other, lines(*chain.records)[0] + b"\n")
        sees(terminal, "/brand/new", "3 projects · 6 sessions")
        writer.delete(other)
        sees(terminal, "2 projects · 5 sessions")


def test_where_there_is_nothing_it_says_where_it_looked_and_offers_the_samples(
    tmp_path: Path,
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    env = {"HOME": str(empty)}
    with Terminal([PROGRAM], 120, 30, env=env, cwd=str(tmp_path)) as terminal:
        sees(terminal, "No sessions found in ~/.claude, ~/.codex.", "d shows the bundled samples")
        terminal.send("d")
        sees(terminal, "the bundled samples", "Fix the rounding bug in")
        terminal.send("d")
        sees(terminal, "No sessions found")
        with Writer() as writer:
            chain = Chain("eeee1111")
            chain.prompt("the first one ever")
            path = empty / ".claude" / "projects" / "-x" / "eeee1111.jsonl"
            writer.append(path, lines(*chain.records)[0] + b"\n")
            sees(terminal, "the first one ever")
        terminal.send("q")
        assert terminal.wait_exit() == 0
    with Terminal([PROGRAM], 120, 30, env={"HOME": ""}, cwd=str(tmp_path)) as terminal:
        sees(terminal, "HOME is not set", "d shows the bundled samples")


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (60, 20), (80, 24), (200, 60)])
def test_any_size_shows_the_sessions(opened: Open, columns: int, rows: int) -> None:
    terminal = opened(columns=columns, rows=rows)
    sees(terminal, "add a")
    terminal.send("tab")
    sees(terminal, "all projects", "notes")
    terminal.send("tab", "enter")
    sees(terminal, "ENDED")


def test_without_glyphs(opened: Open) -> None:
    terminal = opened("--ascii")
    sees(terminal, "0 unclean", "x2 01")
    odd = [line for line in terminal.text().split("\n") if not line.isascii()]
    assert odd == []


def test_a_second_start_has_counted_before_it_looks(opened: Open, home: Path) -> None:
    terminal = opened()
    sees(terminal, "✗2 ∅1")
    terminal.send("q")
    assert terminal.wait_exit() == 0
    kept = home / "cache" / "claude-view" / "counts.json"
    assert len(json.loads(kept.read_bytes())["counts"]) == 4
    sees(opened(), "✗2 ∅1")


def test_help_and_palette(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "add a currency")
    terminal.send("?")
    sees(terminal, "Follow the newest session of the project")
    terminal.send("escape")
    sees(terminal, "add a currency", ": commands")
    terminal.send(":")
    sees(terminal, "Order: newest, problems, size, title")
    terminal.send("escape")
    terminal.send("r")
    sees(terminal, "add a currency")


def test_the_samples_come_and_go_under_the_cursor(opened: Open, home: Path) -> None:
    for number in range(30):
        session(home, f"eeee{number:04}", f"session {number}", cwd="/home/demo/many")
    terminal = opened(rows=40)
    terminal.send("h", "g")
    sees(terminal, "session 1")
    for _ in range(3):
        terminal.send("d", "j", "d", "k")
    sees(terminal, "34 sessions")
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_a_session_can_be_left_while_it_loads(opened: Open, home: Path) -> None:
    chain = Chain("big")
    chain.prompt("a large one", cwd=str(home.parent / "shop"))
    for number in range(1500):
        chain.call(f"c{number}", command="x" * 4000)
        chain.result(f"c{number}", "y" * 4000)
    folder = next((home / ".claude" / "projects").glob("*shop"))
    chain.write(folder / "big.jsonl")
    terminal = opened()
    sees(terminal, "a large one")
    for _ in range(4):
        terminal.send("g", "enter")
        sees(terminal, "Outline")
        lacks(terminal, "Projects")  # the frame is drawn whole: the keys go to the reader
        terminal.send("escape")
        sees(terminal, "Projects")
        lacks(terminal, "Outline")
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_deleted_sessions_and_strange_files_cost_nothing(opened: Open, home: Path) -> None:
    terminal = opened()
    sees(terminal, "add a currency", "4 sessions")
    folder = next((home / ".claude" / "projects").glob("*shop"))
    (folder / "aaaa1111.jsonl").unlink()
    (folder / "empty.jsonl").touch()
    (folder / "agent-x.jsonl").write_text("{}\n")
    sees(terminal, "3 sessions")
    terminal.settle(0.5, 5)
    written = len(terminal.raw)
    assert terminal.until(lambda _: False, 3) is None
    assert len(terminal.raw) - written < 20_000  # a screen full is 10 kB, ages tick
