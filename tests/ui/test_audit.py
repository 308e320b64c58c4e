"""What the program does to the machine while one browses and follows: it reads, and nothing else.

The judge is the audit hook of the shared material, which notes every file that is opened, every
process and every connection.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.acceptance.shared import CHECKOUT, SHARED
from tests.build import Chain, lines
from tests.terminal import Terminal
from tests.writer import Writer

AUDIT = SHARED / "hostile" / "audit"
needs_audit = pytest.mark.skipif(not AUDIT.is_dir(), reason="no shared material beside it")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@needs_audit
def test_browsing_and_following_write_nothing_connect_to_nothing_and_start_nothing(
    tmp_path: Path,
) -> None:
    home, log = tmp_path / "home", tmp_path / "log"
    projects = home / ".claude" / "projects" / "-p"
    for number in range(3):
        chain = Chain(f"s{number}")
        chain.prompt(f"prompt {number}")
        chain.call("a", "Read", file_path="/etc/passwd")
        chain.call("b", "WebFetch", url="http://127.0.0.1:9/")
        chain.result("a")
        chain.write(projects / f"s{number}.jsonl")
    log.touch()
    cache = tmp_path / "cache"
    env = {
        "HOME": str(home), "XDG_CACHE_HOME": str(cache), "AUDIT_LOG": str(log),
        "PYTHONPATH": f"{AUDIT}:{CHECKOUT}", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "viewer"]
    with Terminal(command, 120, 30, env=env) as terminal, Writer() as writer:
        ready = "3 sessions · 3 live "  # and nothing is left to count
        assert terminal.until(lambda screen: "prompt 0" in screen and ready in screen, 30)
        before = tree(home)
        terminal.send("F")
        assert terminal.expect("LIVE following", 15) is not None, terminal.text()
        terminal.send("/", *"prompt")
        assert terminal.expect("“prompt” 1 of", 15) is not None, terminal.text()
        terminal.send("enter")
        terminal.settle()
        after = tree(home)
        chain = Chain("s9")
        chain.prompt("a newer one")
        writer.append(projects / "s9.jsonl", lines(*chain.records)[0] + b"\n")
        assert terminal.expect("a newer session", 15) is not None, terminal.text()
        terminal.send("f")
        assert terminal.expect("a newer one", 15) is not None, terminal.text()
        terminal.send("q")
        assert terminal.wait_exit() == 0
    assert after == before
    done = log.read_text(errors="replace").splitlines()
    read = [line for line in done if line.startswith("open r")]
    assert any("s0.jsonl" in line for line in read)  # the hook was at work
    assert not any("/etc/passwd" in line for line in read)
    # The cache may be written; the event loop makes a socket pair, which connects to nothing.
    allowed = re.compile(rf"^open r |{re.escape(str(cache))}|'/dev/(null|tty)'")
    assert [line for line in done if not allowed.search(line)] == []
    assert os.listdir(cache / "claude-view") == ["counts.json"]
