"""Where Codex keeps the sessions of sub-agents: as rollouts of their own, in the folder of the day
on which they were started. Each says in its first line who started it.

Nothing here opens a path that a transcript names: files are found by listing folders, links among
them are left alone, and ids are only compared.
"""

import os
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

import orjson

from viewer.formats.codex import parent_of
from viewer.formats.fields import mapping, string
from viewer.packed import beginning, is_packed
from viewer.tail import open_regular, read_head

_NAME = re.compile(r"rollout-.*\.jsonl(?:\.zst)?")
_DAY = re.compile(r"(.*)/(\d{4})/(\d\d)/(\d\d)")
_MOST_DAYS = 14  # that a session goes on starting sub-agents
_LINES = (1 << 16, 1 << 22)  # bytes of a first line: first those of most, then those of all


class _Thread(NamedTuple):
    id: str | None
    parent: str | None


_NOBODY = _Thread(None, None)
_KNOWN: dict[tuple[str, int], _Thread] = {}  # asked again for every session of a folder


def is_rollout(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def children(path: str, thread: str | None) -> Iterator[str]:
    """The rollouts of the sub-agents that a session started, and of those that they started."""
    if thread is None:
        return
    own = os.path.basename(path)
    family = {thread}
    for folder in _days(path, forwards=True):
        is_own = folder == (os.path.dirname(path) or ".")
        for name, inode in _rollouts(folder):
            # Names begin with the time: what is older than the session is no child of it.
            if is_own and name <= own:
                continue
            found = _first_line(os.path.join(folder, name), inode)
            if found.parent in family:
                if found.id is not None:
                    family.add(found.id)
                yield os.path.join(folder, name)


def has_parent(path: str, thread: str) -> bool:
    """Whether the session that started this one is there to show it."""
    # A thread that was reverted has the id of its new rollout behind its own.
    end = re.compile(rf"-{re.escape(thread)}(?:_[^/]*)?\.jsonl(?:\.zst)?")
    folders = _days(path, forwards=False)
    return any(end.search(name) for folder in folders for name, _ in _rollouts(folder))


def _days(path: str, *, forwards: bool) -> Iterator[str]:
    """The folder of a rollout and those of the days after it, or before."""
    folder = os.path.dirname(path) or "."
    yield folder
    match = _DAY.fullmatch(folder)
    if match is None:
        return
    try:
        day = date(int(match[2]), int(match[3]), int(match[4]))
        for _ in range(_MOST_DAYS):
            day += timedelta(1 if forwards else -1)
            other = f"{match[1]}/{day:%Y/%m/%d}"
            if os.path.isdir(other):
                yield other
    except (ValueError, OverflowError):
        return


def _rollouts(folder: str) -> list[tuple[str, int]]:
    """Names and inodes of the rollouts in a folder, each session once."""
    try:
        entries = [each for each in os.scandir(folder) if is_rollout(each.name)]
        found = {each.name: each.inode() for each in entries if each.is_file(follow_symlinks=False)}
    except OSError:
        return []
    # Where both are there, Codex has unpacked the session to go on with it.
    return sorted(each for each in found.items() if each[0].removesuffix(".zst") == each[0]
                  or each[0].removesuffix(".zst") not in found)  # fmt: skip


def _first_line(path: str, inode: int) -> _Thread:
    """Whose rollout it is; its first line stays as it is."""
    key = (path, inode)
    if (known := _KNOWN.get(key)) is not None:
        return known
    for most in _LINES:
        head = _head(path, most)
        line, newline, _ = head.partition(b"\n")
        if newline:
            found = _KNOWN[key] = _read(line)
            return found
        if len(head) < most and not is_packed(path):
            return _NOBODY  # its first line is still being written
    _KNOWN[key] = _NOBODY
    return _NOBODY


def _head(path: str, most: int) -> bytes:
    if not is_packed(path):
        return read_head(path, most)
    try:
        fd = open_regular(path)
    except OSError:
        return b""
    try:
        return beginning(fd, most)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _read(line: bytes) -> _Thread:
    try:
        first = mapping(orjson.loads(line))
    except orjson.JSONDecodeError:
        return _NOBODY
    meta = mapping(first.get("payload", first))
    return _Thread(string(meta.get("id")), parent_of(meta))
