"""Which sessions there are: from names, stat and the two ends of each file, never the whole.

Roots are `$CLAUDE_CONFIG_DIR` or `~/.claude`, and any folder the user names. Links are followed
only to files that are transcripts by name, so that a link to a device or to /etc/passwd in a
projects folder is never opened.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from viewer.formats import decode
from viewer.formats.fields import mapping, string
from viewer.load import sidecar_title
from viewer.model import Liveness
from viewer.records import Learned, Record, Said
from viewer.tail import Chunk, open_regular, read_head

END = 1 << 16
RECENT = 120.0  # seconds after its last write in which a session without a registry entry is alive
_SUFFIXES = (".jsonl",)


class NotFound(Exception):
    """A target that names no session, or several. The message is for the user, and clean."""


@dataclass(slots=True)
class SessionFile:
    path: str
    id: str
    size: int
    modified: float
    title: str | None = None
    cwd: str | None = None
    problem: str | None = None  # why it cannot be read
    stated: bool = False  # the title is one that the program or the user gave
    leaf: str | None = None  # the last record's uuid
    summaries: dict[str, str] = field(default_factory=dict)  # of any session, by its leaf


def homes(environ: Mapping[str, str]) -> list[str]:
    """The folders that Claude Code keeps its things in."""
    home = environ.get("CLAUDE_CONFIG_DIR")
    if not home and environ.get("HOME"):
        home = os.path.join(environ["HOME"], ".claude")
    return [home] if home else []


def find(roots: Iterable[str]) -> list[SessionFile]:
    """All sessions below the roots, newest first, each once."""
    newest: dict[tuple[str, str], SessionFile] = {}
    seen: set[tuple[int, int]] = set()
    for root in roots:
        for folder in _project_folders(root):
            for file in _session_files(folder, seen):
                # A session that moved to a worktree leaves a stub of the same id behind.
                key = (root, file.id)
                known = newest.get(key)
                if known is None or (file.size, file.modified) > (known.size, known.modified):
                    newest[key] = file
    return sorted(newest.values(), key=lambda file: (-file.modified, file.path))


def _project_folders(root: str) -> Iterator[str]:
    """A root is a home of Claude Code, a projects folder, or a folder of transcripts."""
    projects = os.path.join(root, "projects")
    if os.path.isdir(projects):
        root = projects
    yield root
    seen: set[tuple[int, int]] = set()
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir():
                status = entry.stat()
                identity = (status.st_dev, status.st_ino)
                if identity not in seen:
                    seen.add(identity)
                    yield entry.path
        except OSError:
            continue


def _session_files(folder: str, seen: set[tuple[int, int]]) -> Iterator[SessionFile]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        name = entry.name
        if not name.endswith(_SUFFIXES) or name.startswith("agent-"):
            continue
        try:
            status = entry.stat()
        except OSError:
            continue
        identity = (status.st_dev, status.st_ino)
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0 or identity in seen:
            continue
        if entry.is_symlink() and leads_astray(entry.path):
            continue
        seen.add(identity)
        yield SessionFile(entry.path, name[:-6], status.st_size, status.st_mtime)


def leads_astray(path: str) -> bool:
    """Whether a link leads to something that is no transcript by its name."""
    if not os.path.islink(path):
        return False
    try:
        return not os.path.realpath(path, strict=True).endswith((*_SUFFIXES, ".json"))
    except OSError:
        return True


# What the ends of a file say


def describe(file: SessionFile) -> bool:
    """Fill in title and cwd from the ends of the file; False where it is no session of its own."""
    try:
        fd = open_regular(file.path)
    except OSError as error:
        file.problem = error.strerror or "unreadable"
        return True
    try:
        head = os.pread(fd, END, 0)
        tail = os.pread(fd, END, file.size - END) if file.size > END else head
    except OSError as error:
        file.problem = error.strerror or "unreadable"
        return True
    finally:
        os.close(fd)
    begun = _read_beginning(file, head)
    if begun is None:
        return False
    stated = _stated(tail)
    title = stated.get("customTitle") or _sidecar(file.path)
    if title is None and tail is not head:
        earlier = _stated(head)
        title = earlier.get("customTitle") or stated.get("aiTitle") or earlier.get("aiTitle")
    title = title or stated.get("aiTitle") or stated.get("lastPrompt") or _own_summary(tail)
    file.stated = title is not None
    file.title = title or begun
    file.cwd = stated.get("relocatedCwd") or file.cwd
    if title is None:
        found = tail.rfind(b'"uuid":"')
        file.leaf = tail[found + 8 : found + 44].decode("latin-1") if found >= 0 else None
    return True


def _read_beginning(file: SessionFile, head: bytes) -> str | None:
    """What was asked first, or nothing; None for the file of a sub-agent. Notes the cwd."""
    prompt, command = "", ""
    for line in _lines(head):
        for record in decode(Chunk(1, 0, [line])):
            if record.linked and record.sidechain and file.cwd is None:
                return None
            if file.cwd is None and isinstance(record.cwd, str) and record.cwd:
                file.cwd = record.cwd
            for part in record.parts:
                match part:
                    case Said("prompt", text, "command"):
                        command = command or text
                    case Said("prompt", _, "image" | "document"):
                        pass
                    case Said("prompt", text) if _is_main_prompt(record):
                        prompt = prompt or text
                    case Learned("summary", (str(summary), str(leaf))):
                        file.summaries[leaf] = summary
        if prompt and file.cwd:
            break
    return prompt or command


def _is_main_prompt(record: Record) -> bool:
    return record.opens_turn and not record.sidechain and record.agent_call is None


def _lines(head: bytes) -> Iterator[bytes]:
    """The lines of the beginning of a file, without the last one if it may be cut off."""
    start = 0
    while (end := head.find(b"\n", start)) >= 0:
        yield head[start:end]
        start = end + 1
    if len(head) < END or start == 0:
        yield head[start:]


def describe_all(files: list[SessionFile]) -> list[SessionFile]:
    """Those that are sessions of their own, described.

    Up to 2.0.0 the title of a session, made later, stands in the files of other sessions.
    """
    sessions = [file for file in files if describe(file)]
    summaries: dict[str, str] = {}
    for file in sessions:
        summaries.update(file.summaries)
    if summaries:
        for file in sessions:
            if not file.stated and file.leaf is not None:
                file.title = summaries.get(file.leaf, file.title)
    return sessions


# State records by their first bytes, and what each states.
_STATES = {
    b'{"type":"custom-title"': "customTitle",
    b'{"type":"ai-title"': "aiTitle",
    b'{"type":"last-prompt"': "lastPrompt",
    b'{"type":"relocated"': "relocatedCwd",
}


def _stated(data: bytes) -> dict[str, str]:
    """What the last state records say. Looks at the first bytes of lines, parses few of them."""
    found: dict[str, str] = {}
    start = 0
    while True:
        if data.startswith(b'{"type":"', start):
            for begin, key in _STATES.items():
                if data.startswith(begin, start):
                    end = data.find(b"\n", start)
                    text = _field(data[start : end if end >= 0 else len(data)], key)
                    if text:
                        found[key] = text
        start = data.find(b"\n", start) + 1
        if start == 0:
            return found


def _own_summary(tail: bytes) -> str | None:
    """A summary at the end of the file that speaks of this file itself."""
    start = tail.rfind(b'{"type":"summary"')
    if start < 0 or (start > 0 and tail[start - 1 : start] != b"\n"):
        return None
    line = tail[start:].partition(b"\n")[0]
    leaf, summary = _field(line, "leafUuid"), _field(line, "summary")
    is_own = leaf is not None and b'"uuid":"%s"' % leaf.encode() in tail
    return summary if is_own else None


def _sidecar(path: str) -> str | None:
    return sidecar_title(path) if os.path.isdir(path[:-6]) else None


def _field(line: bytes, key: str) -> str | None:
    try:
        value = string(mapping(orjson.loads(line)).get(key))
    except orjson.JSONDecodeError:
        return None
    return value[:500] if value else None


# One session by name


def resolve(target: str, roots: Iterable[str]) -> list[str]:
    """The files that a target names: a file, all of a folder (newest first), or one by its id."""
    if os.path.isdir(target):
        files = [file.path for file in find([target])]
        return files or _of_working_folder(target, roots)
    if os.path.lexists(target):
        if leads_astray(target):
            raise NotFound("it is a link that leads to no transcript")
        return [target]
    found = [file for file in find(roots) if file.id.startswith(target)]
    exact = [file for file in found if file.id == target]
    if len(found) == 1 or exact:
        return [(exact or found)[0].path]
    if not found:
        raise NotFound("no such file, folder or session id")
    ids = ", ".join(file.id for file in found[:8])
    more = f" and {len(found) - 8} more" if len(found) > 8 else ""
    raise NotFound(f"several sessions begin like that: {ids}{more}")


def _of_working_folder(folder: str, roots: Iterable[str]) -> list[str]:
    """The sessions that worked in a folder which holds none itself."""
    here = os.path.realpath(folder)
    files = []
    for file in find(roots):
        if describe(file) and file.cwd and os.path.normpath(file.cwd) == here:
            files.append(file.path)
    if not files:
        raise NotFound("no sessions in that folder, and none that worked there")
    return files


# Which are alive


def registry(homes: Iterable[str]) -> dict[str, Liveness]:
    """What the programs that run now say of their sessions, by session id."""
    found: dict[str, Liveness] = {}
    for home in homes:
        try:
            names = os.listdir(os.path.join(home, "sessions"))
        except OSError:
            continue
        for name in names:
            if name.endswith(".json") and name[:-5].isdigit():
                entry = _registry_entry(os.path.join(home, "sessions", name))
                if (id := string(entry.get("sessionId"))) and _runs(entry):
                    found[id] = Liveness(alive=True, waiting=entry.get("status") == "waiting")
    return found


def _registry_entry(path: str) -> dict[str, Any]:
    try:
        return mapping(orjson.loads(read_head(path)))
    except orjson.JSONDecodeError:
        return {}


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
    if (entry := registry(homes).get(id)) is not None:
        return entry
    try:
        written = os.stat(path).st_mtime
    except OSError:
        return Liveness()
    return Liveness(alive=0 <= now - written < RECENT)
