"""`check` as a process of several: it ends, it loses no file, it says the same now and later."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.build import Chain
from tests.test_cli import claude_view, failure, output
from viewer import checking, registry
from viewer.load import load
from viewer.model import Liveness

CHECKOUT = Path(__file__).parents[1]
ENVIRON = {"PYTHONPATH": str(CHECKOUT), "LC_ALL": "C.UTF-8"}
KINDS = list(checking.CLASSES.values())


@pytest.fixture
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is too small for them."""
    monkeypatch.setattr(checking, "_ALONE", 0)
    monkeypatch.setattr(checking, "_processors", lambda: 2)


def sessions(folder: Path, count: int, *, size: int = 100) -> list[str]:
    """Files with a failed call each."""
    paths = []
    for number in range(count):
        chain = Chain(f"s{number}")
        chain.prompt("x" * size)
        chain.call("a")
        chain.result("a", "Exit code 1\n" + "no " * 100, error=True)
        chain.reply("well")
        paths.append(str(chain.write(folder / f"s{number:03}.jsonl")))
    return paths


def checked(paths: Sequence[str]) -> list[checking.Report]:
    return list(checking.check(paths, KINDS, as_json=False))


def started(*arguments: str, code: str = "") -> subprocess.Popen[bytes]:
    """A `check` by three processes, however many there are processors; `code` runs before it."""
    program = f"""
import sys
from viewer import checking, cli
checking._processors = lambda: 3
checking._ALONE = 0
{code}
sys.argv = ["claude-view", "check", *sys.argv[1:]]
cli.main()"""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **ENVIRON},
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """How it ended, and what it said. Who hangs is killed with all that it started."""
    try:
        _, said = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return process.returncode, said


def test_a_reader_that_has_seen_enough_ends_all_processes(tmp_path: Path) -> None:
    sessions(tmp_path, 400, size=2000)
    process = started(str(tmp_path))
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    assert ended(process) == (0, b"")


@pytest.mark.parametrize("to", [os.kill, os.killpg], ids=["it alone", "all"])
def test_an_interrupt_ends_all_processes(tmp_path: Path, to: Callable[[int, int], None]) -> None:
    """While nobody reads on, and so the processes wait for room in their pipes."""
    sessions(tmp_path, 400, size=2000)
    process = started(str(tmp_path), code="sys.stdout.reconfigure(line_buffering=True)")
    assert process.stdout is not None
    process.stdout.readline()
    to(process.pid, signal.SIGINT)
    assert ended(process) == (130, b"")


@pytest.mark.usefixtures("two_processors")
def test_several_processes_say_what_one_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sessions(tmp_path, 7)
    found = checked(paths)
    assert [report.path for report in found] == paths
    monkeypatch.setattr(checking, "_processors", lambda: 1)
    assert checked(paths) == found


@pytest.mark.usefixtures("two_processors")
def test_a_file_that_the_program_fails_on_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = sessions(tmp_path, 6)
    check = checking._check

    def fail_on_the_third(path: str, counted: Sequence[str], as_json: bool) -> checking.Report:
        if path == paths[2]:
            raise KeyError("\x1b[31mred")
        return check(path, counted, as_json)

    monkeypatch.setattr(checking, "_check", fail_on_the_third)
    found = checked(paths)
    assert [report.path for report in found if report.problem is None] == paths[:2] + paths[3:]
    assert found[2].problem == f"{paths[2]}: claude-view itself failed on it: KeyError"
    said = capfd.readouterr().err
    assert "Traceback" in said
    assert "\x1b" not in said


@pytest.mark.usefixtures("two_processors")
def test_what_a_dead_process_leaves_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "a\x1b[31mb"
    paths = sessions(odd, 8)
    check, parent = checking._check, os.getpid()

    def die(path: str, counted: Sequence[str], as_json: bool) -> checking.Report:
        if path == paths[3]:
            assert os.getpid() != parent
            os.kill(os.getpid(), signal.SIGKILL)
        return check(path, counted, as_json)

    monkeypatch.setattr(checking, "_check", die)
    found = checked(paths)
    lost = [report for report in found if report.problem is not None]
    assert [report.path for report in lost] == [paths[3]]
    assert lost[0].problem is not None
    assert lost[0].problem.endswith("s003.jsonl: the process that read it has died")
    assert "\x1b" not in lost[0].problem
    assert sum(report.counted for report in found) == 7


@pytest.mark.usefixtures("two_processors")
@pytest.mark.parametrize("after", [0, 1])
def test_where_no_process_can_be_started_one_reads_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    paths = sessions(tmp_path, 5)
    fork = os.fork
    forked: list[None] = []

    def refuse() -> int:
        if len(forked) >= after:
            raise BlockingIOError(errno.EAGAIN, "no more processes")
        forked.append(None)
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    before = os.listdir("/proc/self/fd")
    found = checked(paths)
    assert [report.counted for report in found] == [1] * 5
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_it_knows_how_many_processors_there_are_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    assert checking._processors() == os.cpu_count()


def test_each_file_is_checked_once_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path] = sessions(tmp_path, 1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(path)
    found = json.loads(
        output("check", "--json", "s000.jsonl", "./s000.jsonl", path, "link.jsonl", code=1)
    )
    assert [session["path"] for session in found["sessions"]] == ["s000.jsonl"]


@pytest.mark.parametrize("kinds", ["", ",", " ", "errors"])
def test_to_fail_on_nothing_is_refused(tmp_path: Path, kinds: str) -> None:
    [path] = sessions(tmp_path, 1)
    said = failure("check", path, "--fail-on", kinds)
    assert "--fail-on takes some of error, missing, hook, invalid, damaged, not" in said


def test_what_does_not_count_is_told_in_grammar(tmp_path: Path) -> None:
    [path] = sessions(tmp_path, 1)
    assert "  1 that does not count here\n" in output("check", path, "--fail-on", "missing")


# Whether it still runs


def test_that_a_file_is_fresh_is_no_excuse(tmp_path: Path) -> None:
    """The same file says the same now and in an hour."""
    chain = Chain()
    chain.prompt("make it")
    chain.call("a", command="make")
    path = chain.write(tmp_path / "s.jsonl")
    fresh = output("check", path, code=1)
    assert "missing results: 1" in fresh
    os.utime(path, (1e9, 1e9))
    assert output("check", path, code=1) == fresh


def test_what_a_living_program_says_counts(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("make it")
    chain.call("a", command="make")
    path = chain.write(tmp_path / "s.jsonl")
    os.utime(path, (1e9, 1e9))
    entries = Path(os.environ["HOME"]) / ".claude" / "sessions"
    entries.mkdir(parents=True)
    entry = {"pid": os.getpid(), "sessionId": "s", "status": "busy"}
    (entries / f"{os.getpid()}.json").write_text(json.dumps(entry))
    assert "still running" in output("check", path)


def shown_ending(path: Path) -> str:
    kind: str = json.loads(output("show", "--json", path))["summary"]["ending"]["kind"]
    return kind


def stream(*records: object, path: Path) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


SAID = {"type": "assistant", "session_id": "p", "message": {"id": "m", "role": "assistant"}}
CALL = {
    **SAID,
    "message": {
        **SAID["message"],  # type: ignore[dict-item]
        "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {}}],
    },
}
RESULT = {"type": "result", "subtype": "success", "session_id": "p", "duration_ms": 1}


def test_a_capture_runs_until_its_result(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    assert shown_ending(stream(CALL, path=path)) == "running"
    assert shown_ending(stream(CALL, RESULT, path=path)) != "running"
    prompt = {"type": "user", "session_id": "p", "message": {"role": "user", "content": "on"}}
    assert shown_ending(stream(CALL, RESULT, prompt, path=path)) == "running"


def test_codex_runs_until_its_turn_ends(tmp_path: Path) -> None:
    def event(type: str, **fields: object) -> dict[str, object]:
        return {"timestamp": "2026-03-01T10:00:00.000Z", "type": "event_msg",
                "payload": {"type": type, **fields}}  # fmt: skip

    meta = {"timestamp": "2026-03-01T10:00:00.000Z", "type": "session_meta",
            "payload": {"id": "c", "cwd": "/x"}}  # fmt: skip
    begun = [meta, event("task_started"), event("user_message", message="go")]
    said = [*begun, event("agent_message", message="I look first.")]
    path = tmp_path / "rollout.jsonl"
    assert shown_ending(stream(*begun, path=path)) == "running"
    assert shown_ending(stream(*said, path=path)) == "running"
    assert shown_ending(stream(*said, event("task_complete"), path=path)) == "finished"
    aborted = stream(*said, event("turn_aborted", reason="interrupted"), path=path)
    assert shown_ending(aborted) == "interrupted"


def test_a_session_that_waits_for_nobody_is_over(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("make it")
    assert shown_ending(chain.write(tmp_path / "s.jsonl")) == "running"
    chain.reply("made")
    assert shown_ending(chain.write(tmp_path / "s.jsonl")) == "finished"
    chain.prompt("test it")
    chain.prompt("[Request interrupted by user]")
    assert shown_ending(chain.write(tmp_path / "s.jsonl")) == "interrupted"


@pytest.mark.parametrize("name", ["-other-acp/waiting.jsonl", "-other-api/request.json"])
def test_logs_and_requests_are_never_alive_for_being_fresh(tmp_path: Path, name: str) -> None:
    copy = tmp_path / Path(name).name
    copy.write_bytes((CHECKOUT / "sample_sessions" / name).read_bytes())
    assert registry.judge(None, copy.stat().st_mtime, time.time()) == Liveness(alive=True)
    assert registry.is_over(load(str(copy)).session)
    assert shown_ending(copy) != "running"


# Hopeless input


@pytest.mark.parametrize("content", [b"", b"\n", b" \n\n\t\n"])
def test_a_file_without_records_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    assert output("show", path).splitlines()[-1] == "the file has no records"
    assert output("check", path).splitlines()[-1] == "  no records"


def test_an_unfinished_line_is_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"type":"user","mess')
    words = "20 B of an unfinished last line"
    assert output("show", path).splitlines()[-1] == f"the file has no records · {words}"
    assert (
        output("check", path).splitlines()[1:]
        == [
            "  ended: nothing was said",
            f"  {words}",
            "  no records",
        ][-2:]
    )


# Closed descriptors


@pytest.mark.parametrize("command", ["check", "show", "list", "search"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_nobody_listens(tmp_path: Path, command: str, closed: str) -> None:
    [path] = sessions(tmp_path, 1)
    target = {"list": "", "search": f"--root {tmp_path} well"}.get(command, path)
    ran = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m viewer {command} {target} {closed}"],
        capture_output=True,
        env={**os.environ, **ENVIRON},
        timeout=60,
        check=False,
    )
    assert ran.returncode == (1 if command == "check" else 0), ran
    assert not re.search(rb"Traceback|claude-view:", ran.stderr + ran.stdout)


def test_many_files_are_checked_where_nobody_listens(tmp_path: Path) -> None:
    paths = sessions(tmp_path, 9)
    process = started(*paths, code="sys.stdout = None")
    assert ended(process) == (1, b"")


def test_standard_input_is_closed(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m viewer check - <&-"],
        capture_output=True, env={**os.environ, **ENVIRON}, timeout=60, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 2
    assert b"claude-view: standard input is closed\n" in ran.stderr


def test_nothing_of_a_path_acts_on_the_terminal(tmp_path: Path) -> None:
    ran = claude_view("check", tmp_path / "\x1b[31mnothing.jsonl", tmp_path / "a\x1b[2J")
    assert ran.returncode == 2
    assert b"\x1b" not in ran.stderr + ran.stdout
