"""Every transcript on a real terminal: `make screens`.

Each file of the corpus and each hostile case is opened, paged to the end, read in three places,
summed up, searched, and left, at two sizes. The program must end with 0, without a traceback, and
must have written nothing to the terminal that a well-behaved program does not write.

usage: python -m tests.acceptance.screens [corpus] [hostile] [--only WORD]
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tests.acceptance.corpus import transcripts
from tests.acceptance.hostile import case_path
from tests.acceptance.shared import CORPUS, SHARED, module, must_exist
from tests.terminal import Terminal

SIZES = ((80, 24), (200, 60))
PROGRAM = str(Path(sys.executable).parent / "claude-view")
Oracle = Callable[..., list[str]]


class Job(NamedTuple):
    name: str
    path: str
    canaries: list[str]
    must_open: bool


def run(job: Job, size: tuple[int, int], oracle: Oracle, home: str) -> list[str]:
    """What went wrong with one file at one size."""
    columns, rows = size
    faults: list[str] = []
    with Terminal([PROGRAM, job.path], columns, rows, env={"HOME": home}) as terminal:
        if terminal.expect(": commands", 20) is None:
            code = terminal.wait_exit(5)
            refused = code == 2 and "claude-view:" in terminal.text()
            if not refused or job.must_open:
                faults.append(f"did not open (exit {code}): {terminal.text()[-300:]!r}")
            return faults + _judge(terminal, oracle, rows, columns)
        terminal.until(lambda screen: "reading" not in screen, 30)
        for _ in range(4):
            terminal.send("pagedown")
            terminal.settle(0.05)
        terminal.send("G")
        terminal.settle(0.05)
        for keys in (("enter",), ("g", "enter", "]", "]", "]"), ("e", "enter")):
            for key in keys:
                terminal.send(key)
                if key == "enter":
                    terminal.until(lambda screen: "esc back" in screen, 5)
                terminal.settle(0.08)
            # An escape and a key right behind it would be one key.
            terminal.send("escape")
            terminal.until(lambda screen: "/ find" in screen, 5)
        faults += _sum_up(terminal)
        faults += _find(terminal, job.canaries)
        terminal.send("q")
        code = terminal.wait_exit(10)
        if code != 0:
            faults.append(f"exit {code}")
        faults += _judge(terminal, oracle, rows, columns)
    return faults


def _sum_up(terminal: Terminal) -> list[str]:
    """Open the summary, walk through it, and leave it."""
    terminal.send("S")
    if terminal.until(lambda screen: "Summary" in screen, 10) is None:
        return ["no summary"]
    for key in ("l", "}", "G", "g", "q"):
        terminal.send(key)
        terminal.settle(0.05)
    gone = terminal.until(lambda screen: "Summary" not in screen, 5)
    return [] if gone is not None else ["the summary stayed"]


def browse(home: str, size: tuple[int, int], oracle: Oracle, cache: str) -> list[str]:
    """What went wrong with the list of all sessions of a home: each project and each session is
    passed, the last words of each are shown, some are opened."""
    columns, rows = size
    faults: list[str] = []
    env = {"HOME": home, "XDG_CACHE_HOME": cache}
    with Terminal([PROGRAM], columns, rows, env=env, cwd="/") as terminal:
        listed = re.compile(r"(\d+) sessions?\b")
        if terminal.until(lambda screen: listed.search(screen) is not None, 20) is None:
            return [f"no list: {terminal.text()[-300:]!r}"]
        terminal.until(lambda screen: "counting" not in screen, 60)
        found = listed.search(terminal.text())
        for number in range(int(found[1]) if found else 0):
            terminal.send("j")
            if number % 8 == 7:
                terminal.settle(0.07, 0.3)  # time enough for the preview
            if number % 40 == 39:
                terminal.send("enter")
                terminal.until(lambda screen: "y copy" in screen or "cannot be" in screen, 10)
                terminal.send("escape")
                terminal.until(lambda screen: "s sort" in screen, 10)
        terminal.send("tab")
        for _ in range(30):
            terminal.send("j")
            terminal.settle(0.02, 0.1)
        terminal.send("q")
        if (code := terminal.wait_exit(10)) != 0:
            faults.append(f"exit {code}: {terminal.text()[-300:]!r}")
        faults += _judge(terminal, oracle, rows, columns)
    return faults


def _find(terminal: Terminal, canaries: list[str]) -> list[str]:
    if not canaries or canaries[0] in terminal.text():
        return []
    terminal.send("0", "/")
    if terminal.until(lambda screen: ": commands" not in screen, 10) is None:
        return ["the line to find with did not open"]
    terminal.send(canaries[0])
    found = terminal.until(
        lambda screen: " of " in screen.split("\n")[-2] or "not found" in screen, 10
    )
    missing = found is None or "not found" in terminal.text()
    terminal.send("enter")
    terminal.until(lambda screen: ": commands" in screen, 5)
    return [f"did not find {canaries[0]}"] if missing else []


def _judge(terminal: Terminal, oracle: Oracle, rows: int, columns: int) -> list[str]:
    faults = [f"wire: {fault}" for fault in oracle(terminal.raw, rows, columns)[:3]]
    if b"Traceback" in terminal.raw or "Traceback (most recent" in terminal.text():
        faults.append(f"traceback: {terminal.text()[-600:]}")
    return faults


def corpus_jobs() -> Iterator[Job]:
    folder = must_exist(CORPUS)
    for path in transcripts(folder):
        if path.suffix == ".jsonl":
            yield Job(str(path.relative_to(folder)), str(path), [], True)


def hostile_jobs(folder: Path) -> Iterator[Job]:
    generator = must_exist(SHARED / "hostile" / "gen_hostile.py")
    subprocess.run(
        [sys.executable, generator, folder, "--fs"], check=True, stdout=subprocess.DEVNULL
    )
    cases: list[dict[str, Any]] = json.loads((folder / "MANIFEST.json").read_text())["cases"]
    for case in cases:
        path, expect = case_path(folder, case), case["expect"]
        opens = expect.get("good", 0) + expect.get("recover", 0) > 0
        is_claude = "/.claude/" in path and not os.path.isdir(path)
        canaries = [c for c in expect.get("show", []) if c.isascii() and " " not in c]
        yield Job(case["id"], path, canaries if is_claude and opens else [], opens and is_claude)


def main() -> int:
    words = sys.argv[1:]
    only = words[words.index("--only") + 1] if "--only" in words else ""
    oracle: Oracle = module(must_exist(SHARED / "hostile" / "wire_oracle.py")).check
    both = not {"corpus", "hostile"} & set(words)
    with tempfile.TemporaryDirectory() as made:
        jobs: list[Job] = []
        if both or "corpus" in words:
            jobs += corpus_jobs()
        if both or "hostile" in words:
            jobs += hostile_jobs(Path(made) / "cases")
        jobs = [job for job in jobs if only in job.name]
        home = str(Path(made) / "home")
        os.mkdir(home)
        wrong = 0
        if (Path(made) / "cases").exists():
            for size in SIZES:
                faults = browse(str(Path(made) / "cases" / "home"), size, oracle, home)
                wrong += bool(faults)
                print(f"the list of the hostile sessions at {size[0]}x{size[1]}: {faults}")
        tasks = [(job, size) for size in SIZES for job in jobs]
        with ThreadPoolExecutor(3) as pool:
            results = pool.map(lambda task: run(task[0], task[1], oracle, home), tasks)
            for (job, size), faults in zip(tasks, results, strict=True):
                if faults:
                    wrong += 1
                    print(f"{job.name} at {size[0]}x{size[1]}:", flush=True)
                    for fault in faults:
                        print(f"  {fault}", flush=True)
    print(f"{len(jobs)} transcripts at {len(SIZES)} sizes; {wrong} runs wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
