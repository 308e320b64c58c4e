"""Another process that writes files, for tests of following: `Writer` tells it what to do.

Run as a program it reads one JSON command a line and answers each with a line when it is done.
"""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any


def do(op: str, path: str, data: bytes = b"") -> None:
    if op == "append":
        os.makedirs(os.path.dirname(path), exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(fd, data)
        os.close(fd)
    elif op == "rewrite":  # in place
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
        os.write(fd, data)
        os.close(fd)
    elif op == "replace":  # by rename, as editors do
        draft = f"{path}.draft"
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(fd, data)
        os.close(fd)
        os.replace(draft, path)
    elif op == "delete":
        os.unlink(path)
    elif op == "move":
        other = os.fsdecode(data)
        os.makedirs(os.path.dirname(other), exist_ok=True)
        os.rename(path, other)


def main() -> None:
    for line in sys.stdin:
        command = json.loads(line)
        do(command["op"], command["path"], base64.b64decode(command["data"]))
        print("done", flush=True)


class Writer:
    """A process that writes; each call returns when it was done."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _do(self, op: str, path: Path, data: bytes = b"") -> None:
        assert self._process.stdin and self._process.stdout
        command: dict[str, Any] = {"op": op, "path": str(path)}
        command["data"] = base64.b64encode(data).decode()
        print(json.dumps(command), file=self._process.stdin, flush=True)
        assert self._process.stdout.readline() == "done\n"

    def append(self, path: Path, data: bytes) -> None:
        self._do("append", path, data)

    def rewrite(self, path: Path, data: bytes) -> None:
        self._do("rewrite", path, data)

    def replace(self, path: Path, data: bytes) -> None:
        self._do("replace", path, data)

    def delete(self, path: Path) -> None:
        self._do("delete", path)

    def move(self, path: Path, other: Path) -> None:
        self._do("move", path, os.fsencode(other))


if __name__ == "__main__":
    main()
