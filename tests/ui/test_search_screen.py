"""Words in all sessions, in a real terminal: from the list to the hit and back."""

import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.build import Chain
from tests.terminal import Terminal
from tests.ui.test_browser import PROGRAM, Open, lacks, sees


def deep(home: Path, id: str, age: float, *, agent: bool = False, needle: str = "Gold") -> Path:
    """A session with a hit far down, and one in what a tool answered."""
    chain = Chain(id)
    chain.defaults = {"cwd": "/home/demo/mine"}
    chain.prompt(f"Dig in {id}")
    for number in range(60):
        chain.call(f"{id}{number}", command=f"dig {number}")
        chain.result(f"{id}{number}", f"{needle} at {number}" if number == 40 else "earth")
    chain.call("t", "Task", prompt="look inside", description="look")
    chain.result("t")
    chain.reply(f"All the {needle} was found.")
    path = chain.write(home / ".claude" / "projects" / "-home-demo-mine" / f"{id}.jsonl")
    if agent:
        inside = Chain(id)
        inside.defaults = {"isSidechain": True, "agentId": "a1"}
        inside.prompt("look inside")
        inside.reply("nothing here")
        inside.reply(f"{needle} inside")
        inside.write(path.with_suffix("") / "subagents" / "agent-a1.jsonl")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    deep(folder, "aaaa1111", 3000, agent=True)
    deep(folder, "bbbb2222", 2000)
    deep(folder, "cccc3333", 1000, needle="Silver")
    return folder


@pytest.fixture
def opened(home: Path) -> Iterator[Open]:
    terminals: list[Terminal] = []

    def open_(*arguments: str, columns: int = 120, rows: int = 30, **env: str) -> Terminal:
        env = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **env}
        terminal = Terminal([PROGRAM, *arguments], columns, rows, env=env, cwd=str(home))
        terminals.append(terminal)
        terminal.__enter__()
        sees(terminal, ": commands")
        return terminal

    yield open_
    for terminal in terminals:
        terminal.close()


def marked(terminal: Terminal) -> str:
    """The line under the cursor."""
    found = [line.partition("▌")[2] for line in terminal.text().split("\n") if "▌" in line]
    return found[0].strip(" ┃│") if found else ""


def is_on(terminal: Terminal, words: str) -> None:
    assert terminal.until(lambda _: words in marked(terminal), 15) is not None, terminal.text()


def search(terminal: Terminal, words: str) -> None:
    terminal.send("ctrl+f")
    sees(terminal, "search in all sessions")
    terminal.send(*words)


def test_from_the_list_to_a_hit_and_back(opened: Open) -> None:
    terminal = opened()
    search(terminal, "gold")
    sees(terminal, "5 hits in 2 sessions", "3 sessions searched", "1 of 7")
    shown = terminal.text()
    assert shown.index("Dig in bbbb2222") < shown.index("Dig in aaaa1111")
    assert "Silver" not in shown
    terminal.send("down")
    is_on(terminal, "83  → Bash dig 40")
    terminal.send("enter")
    # The call that answered it, deep in the session, with the words sought there, too.
    sees(terminal, "Outline", "“gold” 1 of 2")
    is_on(terminal, "dig 40")
    terminal.send("n")
    sees(terminal, "“gold” 2 of 2")
    is_on(terminal, "All the Gold was found.")
    terminal.send("escape")
    sees(terminal, "5 hits in 2 sessions")
    is_on(terminal, "83  → Bash dig 40")
    terminal.send("escape")
    sees(terminal, "Projects", ": commands")
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_a_hit_in_a_sub_agent_s_file_is_opened_there(opened: Open) -> None:
    terminal = opened()
    search(terminal, "gold inside")
    sees(terminal, "1 hit in 1 session")
    terminal.send("enter")
    sees(terminal, "Outline", "“gold inside” 1 of 1")
    is_on(terminal, "Gold inside")


def test_every_key_starts_anew(opened: Open) -> None:
    terminal = opened()
    search(terminal, "Gold")
    sees(terminal, "5 hits in 2 sessions")
    terminal.send(*" at")
    sees(terminal, "2 hits in 2 sessions")
    terminal.send(*"zzz")
    sees(terminal, "nothing found")
    lacks(terminal, "hits in")
    terminal.send("enter")  # there is nothing to open
    terminal.send(*["backspace"] * 12)
    sees(terminal, "type the words to look for")
    terminal.send(*"silver")
    sees(terminal, "2 hits in 1 session", "Dig in cccc3333")


def test_what_was_typed_to_filter_by_is_sought(opened: Open) -> None:
    terminal = opened()
    terminal.send("/")
    sees(terminal, "ctrl+f searches all texts")
    terminal.send(*"silver")
    sees(terminal, "no session has these words")
    terminal.send("ctrl+f")
    sees(terminal, "2 hits in 1 session", "All the Silver was found.")


def test_sessions_are_gone_through_with_tab_and_hits_are_clicked(opened: Open) -> None:
    terminal = opened()
    search(terminal, "gold")
    sees(terminal, "5 hits in 2 sessions")
    terminal.send("tab")
    is_on(terminal, "Dig in aaaa1111")
    terminal.send("\x1b[Z")
    is_on(terminal, "Dig in bbbb2222")
    rows = terminal.text().split("\n")
    y = next(number for number, line in enumerate(rows) if "All the Gold" in line)
    terminal.click(60, y)
    is_on(terminal, "All the Gold was found.")
    terminal.click(60, y)
    sees(terminal, "Outline", "“gold” 2 of 2")


def test_a_session_that_is_gone_is_not_opened(opened: Open, home: Path) -> None:
    terminal = opened()
    search(terminal, "silver")
    sees(terminal, "2 hits in 1 session")
    next(home.rglob("cccc3333.jsonl")).unlink()
    terminal.send("enter")
    sees(terminal, "cannot be opened: No such file")


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (60, 20), (80, 24), (200, 50)])
def test_any_size_shows_the_words(opened: Open, columns: int, rows: int) -> None:
    terminal = opened(columns=columns, rows=rows)
    search(terminal, "gold")
    sees(terminal, "5 hits in 2", "Gold at 40")
    terminal.resize(120, 30)
    sees(terminal, "┏━ 5 hits in 2 sessions")


def test_without_glyphs(opened: Open) -> None:
    terminal = opened("--ascii")
    search(terminal, "gold")
    sees(terminal, "5 hits in 2 sessions", "Gold at 40")
    odd = [line for line in terminal.text().split("\n") if not line.isascii()]
    assert odd == []


def test_leaving_ends_the_processes_that_read(home: Path) -> None:
    filler = "x" * 4000
    chain = Chain("large")
    chain.defaults = {"cwd": "/home/demo/mine"}
    for number in range(6000):
        chain.prompt(f"{number} {filler}")
    chain.write(home / ".claude" / "projects" / "-home-demo-mine" / "large.jsonl")
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    with Terminal([PROGRAM], 120, 30, env=env, cwd=str(home)) as terminal:
        sees(terminal, ": commands")
        search(terminal, "xx")
        sees(terminal, "hits in 1 session")
        terminal.send("escape")
        sees(terminal, "Projects")
        command = ["ps", "--ppid", str(terminal.pid), "-o", "pid="]
        left = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        for pid in left.split():
            try:
                process = os.pidfd_open(int(pid))
            except ProcessLookupError:
                continue  # it has ended meanwhile
            ended, _, _ = select.select([process], [], [], 10)
            os.close(process)
            assert ended, f"process {pid} goes on"
