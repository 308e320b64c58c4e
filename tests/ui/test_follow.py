"""Following a session in a real terminal, while another process writes it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.build import Chain, lines
from tests.terminal import Terminal
from tests.writer import Writer

PROGRAM = str(Path(sys.executable).parent / "claude-view")
Follow = Callable[..., Terminal]
UUID = "00000000-0000-4000-8000-00000000000{}"


class Live:
    """A session that is being written in a home of its own."""

    def __init__(self, folder: Path, writer: Writer) -> None:
        self.home = folder / "home"
        self.work = folder / "work"
        self.work.mkdir()
        self.root = self.home / ".claude"
        self.path = self.root / "projects" / "-work" / f"{UUID.format(1)}.jsonl"
        self.writer = writer
        self.chain = self.new_chain(1)

    def new_chain(self, number: int) -> Chain:
        chain = Chain(UUID.format(number))
        chain.defaults = {"cwd": str(self.work)}
        return chain

    def take(self) -> bytes:
        """The bytes of the records that were built since the last call."""
        new, self.chain.written = self.chain.records[self.chain.written :], len(self.chain.records)
        return b"".join(line + b"\n" for line in lines(*new))

    def append(self) -> None:
        self.writer.append(self.path, self.take())

    def prompt(self, words: str) -> None:
        self.chain.prompt(words)
        self.append()

    def reply(self, words: str) -> None:
        self.chain.reply(words)
        self.append()

    def register(self, status: str, number: int = 1, **more: object) -> None:
        """As Claude Code says what it does; the process is this one."""
        entry = {"pid": os.getpid(), "sessionId": UUID.format(number), "status": status, **more}
        data = json.dumps(entry).encode()
        path = self.root / "sessions" / f"{os.getpid()}.json"
        if path.exists():
            self.writer.replace(path, data)
        else:
            self.writer.append(path, data)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with Writer() as writer:
        yield Live(tmp_path, writer)


@pytest.fixture(params=["watching", "blind"])
def watching(request: pytest.FixtureRequest) -> dict[str, str]:
    """With events of the file system, and without any."""
    return {"CLAUDE_VIEW_NO_WATCH": "1"} if request.param == "blind" else {}


@pytest.fixture
def follow(live: Live) -> Iterator[Follow]:
    terminals: list[Terminal] = []

    def open_(*arguments: str, columns: int = 120, rows: int = 30, **env: str) -> Terminal:
        terminal = Terminal(
            [PROGRAM, *(arguments or ("-f",))], columns, rows,
            env={"HOME": str(live.home), **env}, cwd=str(live.work),
        )  # fmt: skip
        terminals.append(terminal)
        terminal.__enter__()
        return terminal

    yield open_
    for terminal in terminals:
        terminal.close()


def sees(terminal: Terminal, *words: str) -> None:
    """Each of these is in the outline, once."""

    def shown(screen: str) -> bool:
        outline = outline_of(screen)
        return all(outline.count(word) == 1 for word in words)

    assert terminal.until(shown, 15) is not None, f"not once: {words} in\n{terminal.text()}"


def outline_of(screen: str) -> str:
    return "\n".join(line[:59] for line in screen.split("\n")[2:-2])


def says(terminal: Terminal, *words: str) -> None:
    """The bars say this."""

    def said(screen: str) -> bool:
        shown = screen.split("\n")
        return all(word in "\n".join([*shown[:2], *shown[-2:]]) for word in words)

    assert terminal.until(said, 15) is not None, f"{words} not said in\n{terminal.text()}"


def press(terminal: Terminal, *keys: str) -> None:
    for key in keys:
        terminal.send(key)


# What a writer may do


def test_what_is_appended_appears_once(
    live: Live, follow: Follow, watching: dict[str, str]
) -> None:
    live.prompt("the first prompt")
    terminal = follow(**watching)
    sees(terminal, "the first prompt")
    says(terminal, "LIVE following")
    for number in range(5):
        live.reply(f"answer-{number}")
        sees(terminal, *(f"answer-{each}" for each in range(number + 1)))


def test_a_line_in_pieces_appears_when_it_is_whole(live: Live, follow: Follow) -> None:
    live.prompt("begin")
    terminal = follow()
    sees(terminal, "begin")
    live.chain.reply("größer als 宽字符 – done")
    data = json.dumps(live.chain.records[-1], ensure_ascii=False).encode() + b"\n"
    middle = data.index("宽".encode()) + 1  # inside of a character
    live.writer.append(live.path, data[:20])
    live.writer.append(live.path, data[20:middle])
    says(terminal, "LIVE")
    assert "damaged" not in terminal.text()
    live.writer.append(live.path, data[middle:-1])
    live.writer.append(live.path, data[-1:])
    sees(terminal, "größer als 宽")
    assert "�" not in terminal.text()


def test_a_burst_of_lines_is_there_to_the_last(
    live: Live, follow: Follow, watching: dict[str, str]
) -> None:
    live.prompt("begin")
    terminal = follow(**watching)
    sees(terminal, "begin")
    for number in range(300):
        live.chain.reply(f"line-{number:03}")
    live.append()
    sees(terminal, "line-299", "line-290")
    says(terminal, "301/301")


def test_a_file_that_is_cut_begins_anew(
    live: Live, follow: Follow, watching: dict[str, str]
) -> None:
    live.prompt("the old prompt")
    live.reply("the old answer")
    terminal = follow(**watching)
    sees(terminal, "the old answer")
    live.chain = live.new_chain(1)
    live.chain.prompt("new")
    live.writer.rewrite(live.path, live.take())
    sees(terminal, "❯ 10:00:01  new")
    gone = terminal.until(lambda screen: "the old" not in outline_of(screen), 10)
    assert gone is not None, terminal.text()  # once the frame is drawn whole
    live.reply("and on it goes")
    sees(terminal, "❯ 10:00:01  new", "and on it goes")


def test_a_file_that_is_replaced_is_followed(
    live: Live, follow: Follow, watching: dict[str, str]
) -> None:
    live.prompt("the old prompt")
    terminal = follow(**watching)
    sees(terminal, "the old prompt")
    live.chain = live.new_chain(1)
    live.chain.prompt("another prompt that is longer than the old one was")
    live.writer.replace(live.path, live.take())
    sees(terminal, "another prompt that is")
    assert "the old" not in outline_of(terminal.text())
    live.reply("and on it goes")
    sees(terminal, "another prompt that is", "and on it goes")


def test_a_file_that_is_deleted_stays_on_the_screen_and_may_return(
    live: Live, follow: Follow
) -> None:
    live.prompt("here for now")
    terminal = follow()
    sees(terminal, "here for now")
    live.writer.delete(live.path)
    says(terminal, "ENDED its file is gone")
    sees(terminal, "here for now")
    live.chain = live.new_chain(1)
    live.prompt("back again")
    sees(terminal, "back again")
    says(terminal, "LIVE following")
    assert "here for now" not in outline_of(terminal.text())


def test_a_session_that_moves_to_a_worktree_is_followed_there(live: Live, follow: Follow) -> None:
    live.prompt("in the repository")
    terminal = follow()
    sees(terminal, "in the repository")
    other = live.path.parents[1] / "-work--claude-worktrees-x" / live.path.name
    live.writer.move(live.path, other)
    live.path = other
    live.reply("in the worktree")
    sees(terminal, "in the repository", "in the worktree")


def test_a_sub_agent_in_a_new_folder_grows_under_its_call(
    live: Live, follow: Follow, watching: dict[str, str]
) -> None:
    live.prompt("begin")
    terminal = follow(**watching)
    live.chain.call("t1", "Agent", description="find callers", prompt="look for callers")
    live.append()
    sees(terminal, "find callers", "running")
    agent = Chain(live.chain.session)
    agent.defaults = {"isSidechain": True, "agentId": "a1"}
    agent.prompt("look for callers")
    agent.call("g1", "Grep", pattern="round_total")
    folder = live.path.with_suffix("") / "subagents"
    live.writer.append(
        folder / "agent-a1.jsonl", b"".join(x + b"\n" for x in lines(*agent.records))
    )
    sees(terminal, "1 step")
    press(terminal, "s")
    sees(terminal, "Grep", "look for callers")
    agent.result("g1")
    agent.reply("it is called twice")
    more = lines(*agent.records[-2:])
    live.writer.append(folder / "agent-a1.jsonl", b"".join(x + b"\n" for x in more))
    sees(terminal, "it is called twice")
    nested = folder / "deep" / "er" / "agent-a2.jsonl"
    inner = Chain(live.chain.session)
    inner.defaults = {"isSidechain": True, "agentId": "a2"}
    inner.prompt("another errand")
    live.writer.append(nested, b"".join(x + b"\n" for x in lines(*inner.records)))
    says(terminal, "2 sub-agents")


def test_a_root_that_is_made_later_is_waited_for(live: Live, follow: Follow) -> None:
    terminal = follow()
    assert terminal.expect("Waiting for a session", 15) is not None, terminal.text()
    assert not live.home.exists()
    live.prompt("at last")
    sees(terminal, "at last")
    says(terminal, "LIVE following")


def test_a_file_that_is_made_later_is_waited_for(live: Live, follow: Follow) -> None:
    terminal = follow("-f", str(live.path))
    assert terminal.expect("Waiting for", 15) is not None, terminal.text()
    live.prompt("at last")
    sees(terminal, "at last")


# How a call comes to its result


def test_a_call_runs_with_its_hooks_until_its_result_lands(live: Live, follow: Follow) -> None:
    live.prompt("begin")
    terminal = follow()
    live.chain.call("b1", "Bash", command="make slow")
    live.append()
    assert terminal.until(lambda s: re.search(r"make slow.*⋯ running", s) is not None, 15)
    live.chain.add(
        "progress", toolUseID="bash-progress-0", parentToolUseID="b1",
        data={"type": "bash_progress", "output": "step 2", "fullOutput": "step 1\nstep 2"},
    )  # fmt: skip
    live.append()
    assert terminal.until(lambda s: "┃ step 1" in s and "┃ step 2" in s, 15), terminal.text()
    live.chain.add(
        "attachment",
        attachment={"type": "hook_success", "hookEvent": "PostToolUse", "exitCode": 0,
                    "hookName": "PostToolUse:Bash", "toolUseID": "b1", "command": "lint.sh"},
    )  # fmt: skip
    live.append()
    assert terminal.until(lambda s: "PostToolUse:Bash" in s, 15), terminal.text()
    live.chain.result("b1", "all done")
    live.append()
    assert terminal.until(lambda s: re.search(r"make slow.*✓", s) is not None, 15)
    assert terminal.until(lambda s: "┃ all done" in s, 15), terminal.text()


def test_waiting_for_approval_is_told_apart_from_running(live: Live, follow: Follow) -> None:
    live.register("busy")
    live.prompt("begin")
    live.chain.call("b1", "Bash", command="rm -r build")
    live.append()
    terminal = follow()
    says(terminal, "LIVE following · working")
    sees(terminal, "running")
    live.register("waiting", waitingFor="Bash")
    says(terminal, "waiting for approval: Bash")
    sees(terminal, "waits for approval")
    live.register("idle")
    says(terminal, "LIVE following · idle")


def test_the_end_of_the_program_is_told_with_its_reason(live: Live, follow: Follow) -> None:
    live.register("busy")
    live.prompt("begin")
    live.chain.call("b1", "Bash", command="sleep 100")
    live.append()
    terminal = follow()
    says(terminal, "LIVE following")
    live.writer.delete(live.root / "sessions" / f"{os.getpid()}.json")
    says(terminal, "ENDED its program has left it")
    sees(terminal, "SESSION_ENDED")


def test_a_killed_program_is_told_as_such(live: Live, follow: Follow) -> None:
    live.prompt("begin")
    path = live.root / "sessions" / "999999999.json"
    entry = {"pid": 999999999, "sessionId": UUID.format(1), "status": "busy"}
    live.writer.append(path, json.dumps({**entry, "updatedAt": 4e12}).encode())
    says(follow(), "ENDED its program was killed")


# Standing still


def test_following_pauses_on_the_way_up_and_goes_on_at_the_end(live: Live, follow: Follow) -> None:
    for number in range(60):
        live.chain.reply(f"old-{number:02}")
    live.append()
    terminal = follow()
    sees(terminal, "old-59")
    press(terminal, "k")
    says(terminal, "PAUSED")
    before = outline_of(terminal.text())
    for number in range(3):
        live.reply(f"new-{number}")
    says(terminal, "PAUSED +3", "/63")
    after = outline_of(terminal.text())
    assert strip_bar(after) == strip_bar(before)
    for key in ("F", "G", "end"):
        press(terminal, "k", "k")
        says(terminal, "PAUSED")
        press(terminal, key)
        says(terminal, "LIVE following")
    sees(terminal, "new-2")
    live.reply("after all")
    sees(terminal, "after all")
    press(terminal, "\x1b[<64;10;10M")  # the wheel
    says(terminal, "PAUSED")


def strip_bar(outline: str) -> list[str]:
    """The rows without the scrollbar, which tells of the whole, and the borders."""
    return [re.sub(r"[▁▂▃▄▅▆▇█ ]*┃*$", "", line) for line in outline.split("\n")[1:-1]]


def test_what_is_read_does_not_change_under_the_eyes(live: Live, follow: Follow) -> None:
    live.prompt("begin")
    live.reply("a long answer to be read in peace")
    terminal = follow(columns=80)
    says(terminal, "LIVE")
    press(terminal, "enter")
    assert terminal.until(lambda s: "esc back" in s and "in peace" in s, 15), terminal.text()
    live.reply("something new")
    assert terminal.until(lambda s: "PAUSED +1" in s, 15), terminal.text()
    assert "in peace" in terminal.text()


def test_folds_filters_and_searches_stay_while_it_grows(live: Live, follow: Follow) -> None:
    live.prompt("first prompt")
    live.reply("an answer with needle")
    live.prompt("second prompt")
    terminal = follow()
    sees(terminal, "second prompt")
    press(terminal, "g", "space")
    assert terminal.until(lambda s: "an answer" not in outline_of(s), 15)
    press(terminal, "2")
    says(terminal, "replies −1")
    live.reply("hidden for now")
    live.prompt("third prompt")
    sees(terminal, "first prompt", "second prompt", "third prompt")
    says(terminal, "replies −2")
    press(terminal, "2", "/", *"needle")
    says(terminal, "“needle” 1 of 1")
    press(terminal, "enter")
    says(terminal, ": commands")
    live.reply("a second needle")
    says(terminal, "“needle” 1 of 2")
    press(terminal, "&")
    says(terminal, "only hits")
    live.reply("nothing of the kind")
    live.reply("the third needle")
    sees(terminal, "the third needle")
    assert "nothing of the kind" not in outline_of(terminal.text())


# Another session


def test_a_newer_session_is_offered_and_taken_with_one_key(live: Live, follow: Follow) -> None:
    live.prompt("the first session")
    terminal = follow()
    sees(terminal, "the first session")
    live.chain, live.path = live.new_chain(2), live.path.with_stem(UUID.format(2))
    live.prompt("the second session")
    says(terminal, "a newer session started here: f follows it")
    sees(terminal, "the first session")
    press(terminal, "f")
    sees(terminal, "the second session")
    says(terminal, "LIVE following")
    live.reply("it goes on")
    sees(terminal, "it goes on")


def test_a_newer_session_is_taken_at_once_with_switch(live: Live, follow: Follow) -> None:
    live.prompt("the first session")
    terminal = follow("-f", "--switch")
    sees(terminal, "the first session")
    live.chain, live.path = live.new_chain(2), live.path.with_stem(UUID.format(2))
    live.prompt("the second session")
    sees(terminal, "the second session")


def test_switching_waits_until_a_dialog_is_closed(live: Live, follow: Follow) -> None:
    live.prompt("the first session")
    terminal = follow("-f", "--switch")
    sees(terminal, "the first session")
    press(terminal, "?")
    assert terminal.expect("─ Help ─", 15) is not None, terminal.text()
    live.chain, live.path = live.new_chain(2), live.path.with_stem(UUID.format(2))
    live.prompt("the second session")
    live.reply("it goes on")
    terminal.settle(1.2, 3)
    assert "─ Help ─" in terminal.text()
    press(terminal, "escape")
    sees(terminal, "the second session", "it goes on")


def test_a_session_of_another_folder_is_not_offered(live: Live, follow: Follow) -> None:
    live.prompt("the first session")
    terminal = follow()
    sees(terminal, "the first session")
    first, path = live.chain, live.path
    live.chain, live.path = live.new_chain(2), live.path.with_stem(UUID.format(2))
    live.chain.defaults = {"cwd": "/somewhere/else"}
    live.prompt("the second session")
    live.chain, live.path = first, path
    live.reply("time has passed")
    sees(terminal, "time has passed")
    assert "newer session" not in terminal.text()


# A pipe


def test_a_pipe_is_shown_while_it_comes_and_stays_when_it_ends(live: Live) -> None:
    first = {"type": "system", "subtype": "init", "session_id": "p", "cwd": "/x", "tools": []}
    fifo = live.work / "fifo"
    os.mkfifo(fifo)
    command = f"exec {PROGRAM} - < {fifo}"
    env = {"HOME": str(live.home)}
    with Terminal(["/bin/sh", "-c", command], 120, 30, env=env, cwd=str(live.work)) as terminal:
        with fifo.open("wb", buffering=0) as pipe:
            call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls -l"}}
            said = {"type": "assistant", "session_id": "p", "message": {"content": [call]}}
            pipe.write(b"".join(line + b"\n" for line in lines(first, said)))
            assert terminal.until(lambda s: re.search("ls -l.*⋯ running", s) is not None, 15)
            answer = {"type": "tool_result", "tool_use_id": "c", "content": "total 0"}
            got = {"type": "user", "session_id": "p", "message": {"content": [answer]}}
            whole = lines(got)[0] + b"\n"
            pipe.write(whole[:30])
            pipe.write(whole[30:])
            assert terminal.until(lambda s: re.search("ls -l.*✓", s) is not None, 15)
            assert terminal.until(lambda s: "┃ total 0" in s, 15), terminal.text()
        says(terminal, "ENDED the pipe has ended")
        press(terminal, "k")
        assert terminal.until(lambda s: "1/2" in s or "1/1" in s, 15), terminal.text()
        press(terminal, "q")
        assert terminal.wait_exit() == 0


def test_what_still_ran_when_a_pipe_ended_before_it_was_drawn_is_missing(live: Live) -> None:
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls -l"}}
    said = {"type": "assistant", "session_id": "p", "message": {"content": [call]}}
    file = live.work / "capture"
    file.write_bytes(lines(said)[0] + b"\n")
    command = f"cat {file} | {PROGRAM} -"
    env = {"HOME": str(live.home)}
    with Terminal(["/bin/sh", "-c", command], 120, 30, env=env, cwd=str(live.work)) as terminal:
        says(terminal, "ENDED the pipe has ended")
        assert terminal.until(lambda s: re.search("ls -l.*∅ missing", s) is not None, 15)
        press(terminal, "q")


def test_a_pipe_that_brings_nothing_to_read_says_so(live: Live) -> None:
    command = f"echo this is no transcript | {PROGRAM} -"
    env = {"HOME": str(live.work)}
    with Terminal(["/bin/sh", "-c", command], 120, 30, env=env) as terminal:
        says(terminal, "ENDED the pipe has ended", "1 damaged")


def test_without_a_terminal_a_pipe_is_refused_with_a_sentence(live: Live) -> None:
    ran = subprocess.run(
        [PROGRAM, "-"], input=b"{}", capture_output=True, check=False,
        env={"HOME": str(live.work), "PATH": os.environ["PATH"]}, start_new_session=True,
    )  # fmt: skip
    assert ran.returncode == 2
    assert b"show -" in ran.stderr
