"""Where Codex keeps the sessions of sub-agents: as rollouts of their own, in the folder of the day
on which they were started. Each says in its first line who started it."""

import os
import re
from collections.abc import Iterator
from datetime import date, timedelta

import orjson

from viewer.formats.codex import parent_of
from viewer.formats.fields import mapping, string
from viewer.packed import is_packed
from viewer.tail import read_head

_NAME = re.compile(r"rollout-.*\.jsonl(?:\.zst)?")
_DAY = re.compile(r"(.*)/(\d{4})/(\d\d)/(\d\d)")
_MOST_DAYS = 14  # that a session goes on starting sub-agents
_LINE = 1 << 18

_PARENTS: dict[tuple[str, int], str | None] = {}  # asked again for every session of a folder


def is_rollout(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def children(path: str, thread: str | None) -> Iterator[str]:
    """The rollouts of the sub-agents that a session started."""
    if thread is None:
        return
    own = os.path.basename(path)
    for folder in _days(path, forwards=True):
        for name, inode in _rollouts(folder):
            # Names begin with the time: what is older than the session is no child of it.
            if name > own and _parent(os.path.join(folder, name), inode) == thread:
                yield os.path.join(folder, name)


def has_parent(path: str, thread: str) -> bool:
    """Whether the session that started this one is there to show it."""
    ends = (f"-{thread}.jsonl", f"-{thread}.jsonl.zst")
    folders = _days(path, forwards=False)
    return any(name.endswith(ends) for folder in folders for name, _ in _rollouts(folder))


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


def _rollouts(folder: str) -> Iterator[tuple[str, int]]:
    try:
        found = [(each.name, each.inode()) for each in os.scandir(folder) if is_rollout(each.name)]
    except OSError:
        return
    yield from sorted(found)


def _parent(path: str, inode: int) -> str | None:
    key = (path, inode)
    if key not in _PARENTS:
        line, newline, _ = (b"" if is_packed(path) else read_head(path, _LINE)).partition(b"\n")
        if not newline and not is_packed(path):
            return None  # its first line is still being written
        try:
            first = mapping(orjson.loads(line)) if b"thread" in line else {}
        except orjson.JSONDecodeError:
            first = {}
        _PARENTS[key] = string(parent_of(mapping(first.get("payload"))))
    return _PARENTS[key]
