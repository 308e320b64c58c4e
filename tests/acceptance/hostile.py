"""The program on every hostile case: `make hostile`.

Each case must end without a traceback, in time and memory; count what its manifest says; print no
control character but newline; open nothing that the transcript names, and write nothing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from tests.acceptance.shared import CHECKOUT, SHARED, must_exist

SECONDS = 5.0
MEGABYTES = 400
# For root no file is unreadable, unless it gives that up.
AS_USER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: bytes
    err: bytes
    seconds: float
    megabytes: float
    opened: str


def run(home: Path, log: Path, *arguments: str) -> Ran:
    """One run of the program."""
    log.write_text("")
    env = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{SHARED / 'hostile' / 'audit'}:{CHECKOUT}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "AUDIT_LOG": str(log),
        "LC_ALL": "C.UTF-8",
    }
    before = AS_USER if os.geteuid() == 0 and shutil.which("setpriv") else []
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "viewer", *arguments],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd="/",
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begun
        out.seek(0)
        err.seek(0)
        return Ran(
            process.returncode,
            out.read(),
            err.read(),
            seconds,
            usage.ru_maxrss / 1024,
            log.read_text(errors="replace"),
        )


_OWN_WORKER = re.compile(r"os\.fork \(\)|open W \d+")


def faults_of_run(ran: Ran, forbidden: list[str], *, machine: bool) -> list[str]:
    """What no run may do, whatever it is asked."""
    faults = []
    if b"Traceback" in ran.err or ran.code not in (0, 1, 2):
        faults.append(f"exit {ran.code}: {ran.err[-300:]!r}")
    if ran.code == 2 and not ran.err.strip():
        faults.append("failed without a word")
    if ran.seconds > SECONDS:
        faults.append(f"{ran.seconds:.1f} s")
    if ran.megabytes > MEGABYTES:
        faults.append(f"{ran.megabytes:.0f} MB")
    for name, data in (("stdout", ran.out), ("stderr", ran.err)):
        text = data.decode("utf-8", "surrogateescape")
        odd = {c for c in text if unsafe(c)}
        if odd:
            faults.append(f"{name} has {sorted(map(ascii, odd))[:5]}")
    if machine and ran.code == 0:
        json.loads(ran.out)
    for line in ran.opened.splitlines():
        if _OWN_WORKER.fullmatch(line):
            continue  # `check` reads many files by several processes, and hears of them by pipes
        if line.startswith("open W") or not line.startswith("open"):
            faults.append(f"did: {line[:120]}")
        if any(repr(path) == line.removeprefix("open r ") for path in forbidden):
            faults.append(f"opened {line[:120]}")
    return faults


def unsafe(character: str) -> bool:
    code = ord(character)
    if character == "\n":
        return False
    bidi = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x61C, 0x200E, 0x200F)
    surrogate = 0xD800 <= code <= 0xDFFF
    return code < 32 or 0x7F <= code < 0xA0 or bidi or surrogate or 0xE0000 <= code <= 0xE007F


def faults_of_counts(ran: Ran, expect: dict[str, Any]) -> list[str]:
    """Whether `show --json` counted what the manifest says."""
    good = expect.get("good", 0) + expect.get("recover", 0)
    if ran.code == 2:
        return [f"refused, but holds {good} records"] if good else []
    shown = json.loads(ran.out)
    records = shown["records"]
    faults = []
    if records["total"] != good:
        faults.append(f"{records['total']} records, not {good}")
    said = records["damaged"] > 0 or bool(shown["problems"])
    bad = max(expect.get("bad", 0), expect.get("bad_min", 0))
    if bad > 0 and not said:
        faults.append(f"{bad} bad, but nothing says so")
    if bad == 0 and records["damaged"] > 0:
        faults.append(f"nothing is bad, but {records['damaged']} are said to be damaged")
    return faults


def check_case(folder: Path, case: dict[str, Any], log: Path) -> list[str]:
    expect = case["expect"]
    forbidden = expect.get("forbid_open", [])
    path = case_path(folder, case)
    faults: list[str] = []
    for arguments in (["show", path, "--json"], ["show", path, "--text"],
                      ["show", path, "--markdown"], ["check", path]):  # fmt: skip
        ran = run(folder / "home", log, *arguments)
        machine = "--json" in arguments
        own = faults_of_run(ran, forbidden, machine=machine)
        if machine and not own and not os.path.isdir(path):
            own += faults_of_counts(ran, expect)
        faults += [f"{' '.join(arguments[::2])}: {fault}" for fault in own]
    return faults


def case_path(folder: Path, case: dict[str, Any]) -> str:
    path = folder / os.fsdecode(re.sub(rb"\\x(..)", _byte, case["path"].encode()))
    if case["id"] == "fs-non-utf8-name":
        # The manifest leaves out the escape sequence that stands in this name too.
        path = next(each for each in path.parent.iterdir() if each.name.startswith(path.stem))
    return str(path)


def _byte(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match.group(1).decode())


def main() -> int:
    generator = must_exist(SHARED / "hostile" / "gen_hostile.py")
    with tempfile.TemporaryDirectory() as made:
        folder, log = Path(made) / "cases", Path(made) / "log"
        subprocess.run(
            [sys.executable, generator, folder, "--fs", *sys.argv[1:]], check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        cases = json.loads((folder / "MANIFEST.json").read_text())["cases"]
        wrong = 0
        with ThreadPoolExecutor(2) as pool:
            logs = [log.with_suffix(f".{number}") for number in range(len(cases))]
            found = list(pool.map(check_case, repeat(folder), cases, logs))
        for case, faults in zip(cases, found, strict=True):
            if faults:
                wrong += 1
                print(f"{case['id']} ({case['why']}):")
                for fault in faults:
                    print(f"  {fault}")
        for arguments in (["list"], ["list", "--json"], []):
            ran = run(folder / "home", log, *arguments)
            if faults := faults_of_run(ran, [], machine="--json" in arguments):
                wrong += 1
                print(f"{' '.join(arguments)}: {faults}")
    print(f"{len(cases)} hostile cases; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
