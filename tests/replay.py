"""Writes a transcript again, at its own pace, to see following at work.

usage: python -m tests.replay SOURCE TARGET [--speed 10] [--longest 5] [--as-it-was]

Each line of SOURCE comes into TARGET when it was written then, --speed times faster, with no pause
longer than --longest seconds; the files of its sub-agents come into TARGET's folder likewise.
Times in the records become those of now, unless --as-it-was. In another terminal:
claude-view -f TARGET
"""

import argparse
import heapq
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import orjson


class Line(NamedTuple):
    time: float  # when it was written, as far as the file tells
    number: int
    target: Path
    data: bytes


def lines_of(source: Path, target: Path) -> Iterator[Line]:
    """The lines of a file; one without a time comes with the one before it."""
    last = 0.0
    for number, data in enumerate(source.read_bytes().splitlines(keepends=True)):
        last = max(last, time_of(data) or last)
        yield Line(last, number, target, data)


def time_of(line: bytes) -> float | None:
    try:
        stated = orjson.loads(line)["timestamp"]
        return datetime.fromisoformat(stated).timestamp()
    except (ValueError, TypeError, KeyError):
        return None


def all_lines(source: Path, target: Path) -> list[Line]:
    """Those of a session and of its sub-agents, in the order of their times."""
    files = {source: target}
    inside = source.with_suffix("")
    for path in sorted(inside.glob("subagents/**/agent-*.jsonl")):
        files[path] = target.with_suffix("") / path.relative_to(inside)
    streams = [lines_of(path, place) for path, place in files.items()]
    return list(heapq.merge(*streams, key=lambda line: line.time))


def moved_to_now(line: bytes) -> bytes:
    """The same record, written now."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    if isinstance(record, dict) and "timestamp" in record:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        record["timestamp"] = now.replace("+00:00", "Z")
        return orjson.dumps(record) + b"\n"
    return line


def write(line: Line, data: bytes) -> None:
    """As Claude Code writes: open for appending, write whole lines at once, close."""
    line.target.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(line.target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--longest", type=float, default=5.0)
    parser.add_argument("--as-it-was", action="store_true")
    arguments = parser.parse_args()
    if arguments.target.exists():
        parser.error(f"{arguments.target} exists")
    last = None
    for line in all_lines(arguments.source, arguments.target):
        if last is not None and line.time > last:
            time.sleep(min((line.time - last) / arguments.speed, arguments.longest))
        last = line.time or last
        if not line.target.exists():
            copy_sidecar(arguments.source, arguments.target, line.target)
        write(line, line.data if arguments.as_it_was else moved_to_now(line.data))


def copy_sidecar(source: Path, target: Path, file: Path) -> None:
    """What a sub-agent's file has beside it, which ties it to its call."""
    if file != target:
        name = file.relative_to(target.with_suffix("")).with_suffix(".meta.json")
        sidecar = source.with_suffix("") / name
        if sidecar.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(sidecar, file.with_suffix(".meta.json"))


if __name__ == "__main__":
    main()
