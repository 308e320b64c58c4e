"""Which sessions are alive, and what their programs do: from the registry that Claude Code keeps
(`sessions/<pid>.json`, 2.1.326) and from recent writes; never from the mere existence of a file.
"""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

from viewer.formats.fields import mapping, string, whole
from viewer.model import DEAD, PROMPT, Liveness
from viewer.tail import read_head

if TYPE_CHECKING:
    from viewer.session import Session

_SKEW = 60.0  # seconds that another machine's clock may be ahead
RECENT = 120.0  # seconds after its last write in which a session without an entry is alive
# Formats that programs write while they work; the others are logs and copies.
_GROWING = ("claude", "stream-json", "codex", "codex-exec")
# Records that end a turn: of `claude -p`, of Codex, of `codex exec`.
_ENDS = frozenset(
    ("result", "task_complete", "turn_complete", "turn_aborted", "turn.completed", "turn.failed")
)
_BEGINS = frozenset(("task_started", "turn_started", "turn.started"))


def registry(homes: Iterable[str]) -> dict[str, Liveness]:
    """What the programs say of their sessions, by session id. An entry whose program does not run
    any more was left behind by one that was killed."""
    found: dict[str, Liveness] = {}
    for home in homes:
        for path in _entries(home):
            entry = _read(path)
            if id := string(entry.get("sessionId")):
                known = found.get(id)
                if known is None or not known.alive:
                    found[id] = _liveness_of(entry)
    return found


def folder(home: str) -> str:
    """Where the registry of a home is."""
    return os.path.join(home, "sessions")


def _entries(home: str) -> list[str]:
    try:
        names = os.listdir(folder(home))
    except OSError:
        return []
    # Beside them lie <pid>.<hash>.key files with secrets in them, which are not read.
    return [
        os.path.join(folder(home), name)
        for name in names
        if name.endswith(".json") and name[:-5].isdigit()
    ]


def _read(path: str) -> dict[str, Any]:
    try:
        return mapping(orjson.loads(read_head(path)))
    except orjson.JSONDecodeError:
        return {}


def _liveness_of(entry: dict[str, Any]) -> Liveness:
    updated = whole(entry.get("updatedAt")) or 0
    if not _runs(entry):
        return Liveness(killed=True, registered=True, updated=updated / 1000)
    status = string(entry.get("status"))
    return Liveness(
        alive=True,
        waiting=status == "waiting",
        idle=status == "idle",
        waits_for=(string(entry.get("waitingFor")) or "")[:80],
        registered=True,
    )


def _runs(entry: dict[str, Any]) -> bool:
    """The entry is left behind after kill -9, and pids are used again: the start must agree."""
    pid = entry.get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return False
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            started = file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return not os.path.isdir("/proc/self") and _answers(pid)
    stated = entry.get("procStart")
    return stated is None or str(stated) == started


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def liveness(id: str, path: str, homes: Iterable[str], now: float) -> Liveness:
    """From the registry; without an entry, from how long ago the file was written."""
    try:
        written = os.stat(path).st_mtime
    except OSError:
        written = 0.0
    return judge(registry(homes).get(id), written, now)


def judge(entry: Liveness | None, written: float, now: float) -> Liveness:
    """What an entry, or its absence, says of a session that was written at some time."""
    recent = -_SKEW < now - written < RECENT
    if entry is None:
        return Liveness(alive=True) if recent else DEAD
    if entry.killed and recent and written > entry.updated + RECENT:
        return Liveness(alive=True)  # resumed by a program that keeps no registry
    return entry


def is_over(session: "Session") -> bool:
    """Whether a session's own file says that nobody works on it, however fresh it is."""
    if session.format not in _GROWING or session.leaf is None:
        return True
    for row in reversed(session.rows):
        kind = row.type.rpartition("/")[2]
        if kind in _ENDS:
            return True
        if kind in _BEGINS:
            return False
        if kind == "user" and row.key == PROMPT:
            break  # a prompt to Claude; it tells of the turns of `claude -p` only how they end
    return session.at_rest
