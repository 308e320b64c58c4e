"""The command, as a process: what it prints, and how it ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.build import Chain
from viewer import __version__

CHECKOUT = Path(__file__).parents[1]


def claude_view(
    *arguments: str | os.PathLike[str], stdin: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "viewer", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "LC_ALL": "C.UTF-8", **environ},
        timeout=60,
        check=False,
    )


def output(*arguments: str | os.PathLike[str], code: int = 0, stdin: bytes = b"") -> str:
    ran = claude_view(*arguments, stdin=stdin)
    assert ran.returncode == code, ran
    return ran.stdout.decode()


def failure(*arguments: str | os.PathLike[str]) -> str:
    """The one sentence that a refusal says."""
    ran = claude_view(*arguments)
    assert (ran.returncode, ran.stdout) == (2, b""), ran
    said = ran.stderr.decode()
    assert said.startswith("claude-view: ")
    assert said.count("\n") == 1
    return said


@pytest.fixture
def good(tmp_path: Path) -> Path:
    chain = Chain("good")
    chain.prompt("make it work")
    chain.call("a", command="make")
    chain.result("a")
    chain.reply("it works")
    return chain.write(tmp_path / "good.jsonl")


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    chain = Chain("bad")
    chain.prompt("make it work")
    chain.call("a", command="make")
    chain.result("a", "Exit code 2\nno rule", error=True)
    chain.call("b", "Read", file_path="/home/demo/x")
    chain.reply("on")
    path = chain.write(tmp_path / "bad.jsonl")
    with path.open("ab") as file:
        file.write(b"not json at all\n")
    return path


def test_version_and_help() -> None:
    assert output("--version") == f"claude-view {__version__}\n"
    assert "claude-view check" in output("--help")
    assert output("show", "--help") == output("-h")


def test_show_prints_the_outline(good: Path) -> None:
    shown = output("show", good)
    assert shown.startswith("make it work\n")
    assert "‣ Bash       make  ✓ 1.0s" in shown
    assert output("show", "-", stdin=good.read_bytes()).splitlines()[3:] == shown.splitlines()[3:]


def test_without_a_terminal_the_reader_names_the_command_that_prints(good: Path) -> None:
    ran = claude_view(good)
    assert ran.returncode == 2
    assert b"claude-view show" in ran.stderr
    assert ran.stdout == b""


def test_show_as_markdown_escapes_foreign_markup(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("# not a heading <script>")
    shown = output("show", chain.write(tmp_path / "s.jsonl"), "--markdown")
    assert "\\# not a heading \\<script\\>" in shown


def test_show_as_json_has_every_promised_field(bad: Path) -> None:
    shown: dict[str, Any] = json.loads(output("show", bad, "--json"))
    assert set(shown) >= set(
        """schema format path session_id title cwd git_branch versions models started ended entries
        records calls hooks problems branches agents compactions tokens""".split()
    )
    assert set(shown["records"]) == set("total unknown damaged salvaged duplicates by_type".split())
    assert set(shown["calls"][0]) >= set(
        """id name kind status cause error file line result_line started duration_ms agent branch
        parallel hooks""".split()
    )
    assert set(shown["problems"][0]) == set("kind cause line file call message".split())
    assert [(p["kind"], p["cause"], p["line"]) for p in shown["problems"]] == [
        ("failed_call", "COMMAND_FAILED", 2),
        ("missing_result", "UNKNOWN", 4),
        ("damaged", None, 6),
    ]


def test_check_tells_problems_by_its_exit_code(good: Path, bad: Path, tmp_path: Path) -> None:
    assert "no problems" in output("check", good)
    report = output("check", bad, code=1)
    for words in ("COMMAND_FAILED", "line 2", "missing results: 1", "damaged places: 1"):
        assert words in report
    ran = claude_view("check", good, tmp_path / "nothing.jsonl")
    assert ran.returncode == 2
    assert b"nothing.jsonl: no such file" in ran.stderr


def test_check_as_json(good: Path, bad: Path) -> None:
    found = json.loads(output("check", good, bad, "--json", code=1))
    assert [len(session["problems"]) for session in found["sessions"]] == [0, 3]


@pytest.mark.usefixtures("bad")
def test_list_shows_the_sessions_of_all_roots(good: Path) -> None:
    shown = output("list", "--root", good.parent)
    assert "good" in shown
    assert "make it work" in shown
    listed = json.loads(output("list", "--json", "--root", good.parent))["sessions"]
    assert {session["id"] for session in listed} == {"good", "bad"}


def test_where_there_is_no_session_the_samples_are_listed() -> None:
    ran = claude_view("list")
    assert ran.returncode == 0
    assert b"No sessions found" in ran.stderr
    assert ran.stdout.count(b"\n") > 10
    # Without their ages, which tick while the test runs.
    listed, demo = ran.stdout.splitlines(), claude_view("list", "--demo").stdout.splitlines()
    assert [line.split()[1:] for line in listed] == [line.split()[1:] for line in demo]


def test_a_session_is_found_by_the_beginning_of_its_id(good: Path) -> None:
    home = Path(os.environ["HOME"]) / ".claude" / "projects" / "-p"
    home.mkdir(parents=True)
    (home / "abcd-1.jsonl").write_bytes(good.read_bytes())
    (home / "abce-2.jsonl").write_bytes(good.read_bytes())
    assert output("show", "abcd").startswith("make it work")
    said = failure("show", "abc")
    assert "abcd-1" in said
    assert "abce-2" in said


@pytest.mark.parametrize(
    "arguments",
    [("show",), ("show", "x", "--json", "--text"), ("check",), ("--nonsense",), ("show", "x", "y")],
)
def test_wrong_usage_is_a_sentence(arguments: tuple[str, ...]) -> None:
    assert "see claude-view --help" in failure(*arguments)


def test_what_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    assert "no such file, folder or session id" in failure("show", tmp_path / "nothing")
    assert "no sessions in that folder" in failure("show", tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert "not a regular file" in failure("show", tmp_path / "pipe.jsonl")


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    chain = Chain()
    for number in range(5000):
        chain.prompt(f"prompt {number} " + "x" * 100)
    path = chain.write(tmp_path / "long.jsonl")
    process = subprocess.Popen(
        [sys.executable, "-m", "viewer", "show", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )
    assert process.stdout and process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_nothing_that_acts_on_a_terminal_is_printed(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("\x1b]0;owned\x07 \x9b31m \u202e bidi \x00 [bold]x[/]")
    chain.call("a", "\x1b[2JTool", command="\x1b[31mred\x1b[0m\r\n")
    chain.result("a", "\x1b[5m boom \x08", error=True)
    chain.state("custom-title", customTitle="\x1b[2Jtitle")
    path = chain.write(tmp_path / "\x1b[31mname.jsonl")
    for command in (
        "show {}",
        "show {} --markdown",
        "check {}",
        "list --root {}",
        "show {} --json",
    ):
        target = tmp_path if command.startswith("list") else path
        ran = claude_view(*(word.format(target) for word in command.split()))
        for data in (ran.stdout, ran.stderr):
            odd = [c for c in data.decode() if (c < " " and c != "\n") or "\x7f" <= c < "\xa0"]
            assert odd == []
            assert "\u202e" not in data.decode()


def test_the_c_locale_does_not_end_it(good: Path) -> None:
    ran = claude_view("show", good, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert ran.returncode == 0
    assert b"Bash" in ran.stdout


def test_a_folder_that_cannot_be_searched_is_told(good: Path, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    assert f"{nothing}: No such file or directory" in failure("list", "--root", nothing)
    assert f"{good}: Not a directory" in failure("list", "--root", good)
    ran = claude_view("list", "--root", good.parent, "--root", nothing)
    assert ran.returncode == 0
    assert ran.stdout and f"{nothing}: No such file or directory".encode() in ran.stderr
    ran = claude_view("list", "--json", "--root", nothing)
    assert (ran.returncode, json.loads(ran.stdout)["sessions"]) == (2, [])
    assert claude_view("search", "gold", "--root", nothing).returncode == 2


def test_what_it_suggests_outside_of_a_terminal_works(good: Path) -> None:
    for arguments in (("--demo",), ("--demo", "list"), ("--demo", "00000002-5a"), ("-f", "--demo")):
        said = failure(*arguments)
        suggested = re.findall(r"`claude-view ([^`]+)`", said)
        assert len(suggested) == 1
        assert output(*suggested[0].replace("TARGET", "00000002-5a").split())
    said = failure("--root", good.parent, "check")
    assert "the command comes first: `claude-view check --root DIR`" in said


def test_help_is_one_screen_and_names_every_option() -> None:
    shown = output("--help")
    assert len(shown.splitlines()) <= 30
    assert max(map(len, shown.splitlines())) <= 100
    for option in ("--fail-on", "-o FILE", "--redact", "--project", "--root", "--theme"):
        assert option in shown


def test_a_theme_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    from viewer.start import Start
    from viewer.ui import app

    assert app.run(Start(theme="non\x1b[31msense")) == 2
    said = capsys.readouterr().err
    assert said.startswith("claude-view: there is no theme nonsense; there are textual-dark, ")
    assert said.count("\n") == 1


# Search


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Three sessions in two projects; the newest says nothing of gold."""
    for age, id, prompt, cwd in (
        (30, "aaaa", "Find the gold", "/home/demo/mine"),
        (20, "bbbb", "Sell the GOLD \x1b[31mnow\x1b[0m", "/home/demo/shop"),
        (10, "cccc", "Take a walk", "/home/demo/shop"),
    ):
        chain = Chain(id)
        chain.defaults = {"cwd": cwd}
        chain.prompt(prompt)
        chain.call("c", command=f"echo {prompt}")
        chain.result("c", f"{prompt}!")
        path = chain.write(tmp_path / "projects" / "-x" / f"{id}.jsonl")
        os.utime(path, (1e9 - age, 1e9 - age))
    return tmp_path


def test_search_prints_the_hits_of_all_sessions_newest_first(sessions: Path) -> None:
    shown = re.sub(r" \d+y ", " 9y ", output("search", "gold", "--root", sessions))
    assert shown == (
        "bbbb  9y  /home/demo/shop  Sell the GOLD now  3 hits\n"
        "       1  prompt: Sell the GOLD now\n"
        "       2  Bash: echo Sell the GOLD now\n"
        "       3  result Bash echo Sell the GOLD …: Sell the GOLD now!\n"
        "\n"
        "aaaa  9y  /home/demo/mine  Find the gold  3 hits\n"
        "       1  prompt: Find the gold\n"
        "       2  Bash: echo Find the gold\n"
        "       3  result Bash echo Find the gold: Find the gold!\n"
    )


def test_search_for_machines(sessions: Path) -> None:
    arguments = ("search", "--json", "--project", "Mine", "--root", sessions, "the", "gold")
    shown: dict[str, Any] = json.loads(output(*arguments))
    [session] = shown.pop("sessions")
    assert shown == {
        "schema": 1, "words": "the gold", "project": "Mine", "hits": 3, "bulk": 0, "searched": 1,
        "unreadable": [],
    }  # fmt: skip
    path = str(sessions / "projects" / "-x" / "aaaa.jsonl")
    assert session.pop("lines")[0] == {
        "line": 1, "file": path, "kind": "prompt", "name": "", "text": "Find the gold",
    }  # fmt: skip
    assert session == {
        "id": "aaaa", "path": path, "agent": "claude", "title": "Find the gold",
        "cwd": "/home/demo/mine", "modified": "2001-09-09T01:46:10.000Z", "hits": 3,
    }  # fmt: skip


def test_search_that_finds_nothing(sessions: Path) -> None:
    ran = claude_view("search", "silver", "--root", sessions)
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert ran.stderr.decode() == "“silver” is in none of 3 sessions\n"
    nothing: dict[str, Any] = json.loads(
        output("search", "silver", "--json", "--root", sessions, code=1)
    )
    assert (nothing["sessions"], nothing["hits"], nothing["searched"]) == ([], 0, 3)


@pytest.mark.parametrize("arguments", [(), ("  ",), ("x", "--nonsense"), ("x", "--project")])
def test_search_that_is_misused(arguments: tuple[str, ...]) -> None:
    assert "--help" in failure("search", *arguments)


def test_search_tells_what_could_not_be_read(sessions: Path) -> None:
    broken = sessions / "projects" / "-x" / "dddd.jsonl.zst"
    broken.write_bytes(b"this is no zstd")
    ran = claude_view("search", "gold", "--root", sessions)
    assert ran.returncode == 0
    said = ran.stderr.decode()
    assert said.startswith(f"claude-view: {broken}: ") and said.count("\n") == 1


def test_search_ends_quietly_when_nobody_reads_on(sessions: Path) -> None:
    command = f"{sys.executable} -m viewer search gold --root {sessions} | head -n 1"
    ran = subprocess.run(
        command, shell=True, capture_output=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )  # fmt: skip
    assert (ran.stdout.count(b"\n"), ran.stderr) == (1, b"")


def test_search_needs_no_screen() -> None:
    program = (
        "import sys; from viewer.cli import run; run(['search', 'rounding', '--demo']);"
        "assert not {'textual', 'rich'} & set(sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=CHECKOUT)
    assert ran.returncode == 0, ran.stderr
