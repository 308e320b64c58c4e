"""Calls and problems of a session: what needs its whole file, counted piece by piece and
remembered between runs.

The memory lies in the user's cache folder. It is a help, never the truth: where it is damaged, of
another version, read-only or gone, everything is counted again and nothing is said.
"""

import os
from collections.abc import Generator, Mapping
from contextlib import suppress
from typing import NamedTuple

import orjson

from viewer import __version__
from viewer.ends import SessionFile
from viewer.tail import read_head

_MOST = 20_000  # sessions that are remembered
_SCHEMA = 1

Key = tuple[int, int, int, float, int]  # device, inode, size, time, size of its sub-agents' files


class Counts(NamedTuple):
    calls: int
    failed: int
    missing: int  # calls without a result
    ended: int  # of these, those that the end of the session left open
    other: int  # hooks, API errors, damage and the like

    def problems(self, *, alive: bool) -> tuple[int, int]:
        """What went wrong and what is missing. What a running session left open just runs."""
        return self.failed + self.other, self.missing - (self.ended if alive else 0)


def key_of(file: SessionFile) -> Key:
    return (*file.identity, file.size, file.modified, _agents_size(file.path))


def _agents_size(path: str) -> int:
    """The bytes of the files of a session's sub-agents."""
    total = 0
    for folder, _, names in os.walk(os.path.join(os.path.splitext(path)[0], "subagents")):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(folder, name)).st_size + 1
    return total


def count(file: SessionFile) -> Generator[None, None, Counts]:
    """Reads a session, piece by piece. Raises OSError."""
    # Imported here: the list is on the screen before anything is counted.
    from viewer import problems
    from viewer.load import Reading

    reading = Reading(file.path)
    try:
        for _ in reading.steps():
            yield
        transcript = reading.transcript
        found = problems.find(transcript)
        kinds = [problem.kind for problem in found]
        failed, missing = kinds.count("failed_call"), kinds.count("missing_result")
        return Counts(
            calls=sum(len(session.calls) for session, _ in transcript.sessions()),
            failed=failed,
            missing=missing,
            ended=sum(p.kind == "missing_result" and p.cause == "SESSION_ENDED" for p in found),
            other=len(found) - failed - missing,
        )
    finally:
        reading.close()


def cache_folder(environ: Mapping[str, str]) -> str | None:
    """$XDG_CACHE_HOME/claude-view or ~/.cache/claude-view."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME")
        base = os.path.join(home, ".cache") if home else ""
    return os.path.join(base, "claude-view") if base else None


class Memory:
    """What was counted before."""

    def __init__(self, folder: str | None) -> None:
        self._path = os.path.join(folder, "counts.json") if folder else None
        self._known: dict[Key, Counts] = self._read()
        self._new: dict[Key, Counts] = {}

    def get(self, key: Key) -> Counts | None:
        return self._new.get(key) or self._known.get(key)

    def put(self, key: Key, counts: Counts) -> None:
        self._new[key] = counts

    def _read(self) -> dict[Key, Counts]:
        if self._path is None:
            return {}
        try:
            kept = orjson.loads(read_head(self._path, 64 << 20))
            if kept["schema"] != _SCHEMA or kept["version"] != __version__:
                return {}
            return {_key(row[:5]): _counts(row[5:]) for row in kept["counts"]}
        except (OSError, ValueError, TypeError, KeyError, IndexError):
            return {}

    def save(self) -> None:
        """Written whole or not at all. Another run may have saved something meanwhile."""
        if not self._new or self._path is None:
            return
        known = {**self._read(), **self._new}
        newest = {key[:2]: key for key in known}  # the last of each file
        rows = [[*key, *known[key]] for key in list(newest.values())[-_MOST:]]
        document = {"schema": _SCHEMA, "version": __version__, "counts": rows}
        draft = f"{self._path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with open(draft, "wb", opener=_private) as file:
                file.write(orjson.dumps(document))
            os.replace(draft, self._path)
        except OSError:
            with suppress(OSError):
                os.unlink(draft)
            return
        self._known, self._new = known, {}


def _private(path: str, flags: int) -> int:
    """A file for the user alone, and not one that a link leads to."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)


def _key(values: list[object]) -> Key:
    device, inode, size, time, agents = values
    if not isinstance(time, (int, float)):
        raise TypeError
    return _whole(device), _whole(inode), _whole(size), float(time), _whole(agents)


def _counts(values: list[object]) -> Counts:
    return Counts(*(_whole(value) for value in values))


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value
