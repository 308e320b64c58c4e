"""What a session's file says at its two ends: title, place, branch, the last words.

A list of thousands of sessions is made from these, so little is parsed: the first lines until the
first prompt, and of the last 64 kB only the state records. `preview` reads more, for the one
session that is looked at.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from viewer import packed
from viewer.formats import Decoder, documents
from viewer.formats.fields import mapping, string
from viewer.records import Answered, Asked, Interrupted, Learned, Record, Said
from viewer.rollouts import has_parent
from viewer.sidecars import sidecar_title
from viewer.tail import Chunk, open_regular

END = 1 << 16
_FIRST_LINE = 1 << 22  # bytes of a first line that are read where it is longer than that
_JSON = 1 << 20  # bytes of a JSON document: it may begin with all its tools
CLAUDE = "claude"
UNKNOWN = "?"


@dataclass(slots=True)
class SessionFile:
    path: str
    id: str
    size: int
    modified: float
    root: str = ""  # the folder that was searched
    identity: tuple[int, int] = (0, 0)  # device and inode
    title: str | None = None
    cwd: str | None = None
    branch: str | None = None
    agent: str = "claude"  # whose session it is: claude codex acp api, or ? where nothing says so
    origin: str | None = None  # where the repository is, for a session in a worktree of it
    problem: str | None = None  # why it cannot be read
    stated: bool = False  # the title is one that the program or the user gave
    leaf: str | None = None  # the last record's uuid
    summaries: dict[str, str] = field(default_factory=dict)  # of any session, by its leaf


Ends = tuple[bytes, bytes] | str  # both ends of a file, or why it cannot be read


def describe(file: SessionFile, ends: Ends | None = None) -> bool:
    """Fill in title and place from the ends of the file; False where it is no session of its
    own."""
    ends = ends if ends is not None else read_ends(file)
    if isinstance(ends, str):
        file.problem, file.agent = ends, UNKNOWN
        return True
    head, tail = ends
    file.problem, file.agent = None, CLAUDE
    begun = _read_beginning(file, head)
    if begun is None:
        return False
    if file.agent not in (CLAUDE, UNKNOWN):
        file.title = file.title or begun
        return True
    stated = _stated(tail)
    if stated:
        file.agent = CLAUDE
    title = stated.get("customTitle") or _sidecar(file.path)
    if title is None and tail is not head:
        earlier = _stated(head)
        title = earlier.get("customTitle") or stated.get("aiTitle") or earlier.get("aiTitle")
    title = title or stated.get("aiTitle") or stated.get("lastPrompt") or _own_summary(tail)
    file.stated = title is not None
    file.title = title or begun
    file.cwd = stated.get("relocatedCwd") or file.cwd
    file.origin = stated.get("originalCwd") or None
    file.branch = _branch(tail)
    if title is None:
        found = tail.rfind(b'"uuid":"')
        file.leaf = tail[found + 8 : found + 44].decode("latin-1") if found >= 0 else None
    return True


def is_transcript(file: SessionFile) -> bool:
    """Whether a file is one by its content, where its name may be that of anything."""
    if not file.path.endswith(".json"):
        return True
    looked_at = SessionFile(file.path, file.id, file.size, file.modified)
    return describe(looked_at) and looked_at.problem is None


def describe_all(files: list[SessionFile]) -> list[SessionFile]:
    """Those that are sessions of their own, described."""
    sessions = [file for file in files if describe(file)]
    give_titles(sessions)
    return sessions


def give_titles(sessions: list[SessionFile]) -> None:
    """Up to 2.0.0 the title of a session, made later, stands in the files of other sessions."""
    summaries: dict[str, str] = {}
    for file in sessions:
        summaries.update(file.summaries)
    if summaries:
        for file in sessions:
            if not file.stated and file.leaf is not None:
                file.title = summaries.get(file.leaf, file.title)


def read_ends(file: SessionFile) -> Ends:
    """The first and the last 64 kB; the same for a small file."""
    try:
        fd = open_regular(file.path)
    except OSError as error:
        return error.strerror or "unreadable"
    try:
        if packed.is_packed(file.path):
            head = packed.beginning(fd, END)
            if len(head) == END and b"\n" not in head:
                head = packed.beginning(fd, _FIRST_LINE)
            return head, head
        is_document = file.path.endswith(".json")
        head = os.pread(fd, _JSON if is_document else END, 0)
        if is_document and file.size > len(head):
            head = documents.closed(head)
        elif file.size > END and b"\n" not in head:
            head = os.pread(fd, _FIRST_LINE, 0)
        return head, os.pread(fd, END, file.size - END) if file.size > END else head
    except OSError as error:
        return error.strerror or "unreadable"
    finally:
        os.close(fd)


# The beginning


def _read_beginning(file: SessionFile, head: bytes) -> str | None:
    """What was asked first, or nothing; None where it is no session of its own: a sub-agent's file,
    or JSON of another kind. Notes the cwd, and whose session it is."""
    prompt, command, begun = "", "", False
    joined: str | None = None
    decoder = Decoder()
    for record in _records(decoder, head, file.path):
        if decoder.format is not None and not begun:
            begun = True
            file.agent = decoder.format.agent
        if record.linked and record.sidechain and file.cwd is None:
            return None
        if file.cwd is None and isinstance(record.cwd, str) and record.cwd:
            file.cwd = record.cwd
        if file.agent != CLAUDE and record.branch:
            file.branch = file.branch or record.branch
        for part in record.parts:
            match part:
                case Said("prompt", text, "command"):
                    command = command or text
                case Said("prompt", _, "image" | "document"):
                    pass
                case Said("prompt", text, joins=joins) if _is_main_prompt(record):
                    if not prompt or (joins is not None and joins == joined):
                        prompt += text  # pieces of one text are put together again
                        joined = joins
                case Learned("summary", (str(summary), str(leaf))):
                    file.summaries[leaf] = summary
                case Learned("custom_title" | "ai_title", str(title)) if file.agent != CLAUDE:
                    file.title = title
                case Learned("parent_thread", str(parent)) if has_parent(file.path, parent):
                    return None
        if prompt and file.cwd and joined is None:
            break
    if not begun:
        if file.path.endswith(".json"):
            return None  # all kinds of things are written as JSON
        file.agent = CLAUDE if prompt or command else UNKNOWN
    return prompt or command


def _records(decoder: Decoder, head: bytes, path: str) -> Iterator[Record]:
    """The records of the beginning of a file, one by one."""
    is_cut = len(head) >= END and not path.endswith(".json")
    for line in _lines(head, is_cut):
        yield from decoder.decode(Chunk(1, 0, [line]))
    yield from decoder.finish()


def _is_main_prompt(record: Record) -> bool:
    return record.opens_turn and not record.sidechain and record.agent_call is None


def _lines(head: bytes, is_cut: bool) -> Iterator[bytes]:
    """The lines of the beginning of a file, without the last one if it may be cut off."""
    start = 0
    while (end := head.find(b"\n", start)) >= 0:
        yield head[start:end]
        start = end + 1
    if not is_cut or start == 0:
        yield head[start:]


# The end

Line = dict[str, Any]


def _text_at(key: str) -> Callable[[Line], str | None]:
    return lambda line: string(line.get(key))


def _original_cwd(line: Line) -> str:
    """Where the repository of a worktree is; nothing once the worktree was left."""
    return string(mapping(line.get("worktreeSession")).get("originalCwd")) or ""


# State records by their first bytes, and what each states.
_STATES: dict[bytes, tuple[str, Callable[[Line], str | None]]] = {
    b'{"type":"custom-title"': ("customTitle", _text_at("customTitle")),
    b'{"type":"ai-title"': ("aiTitle", _text_at("aiTitle")),
    b'{"type":"last-prompt"': ("lastPrompt", _text_at("lastPrompt")),
    b'{"type":"relocated"': ("relocatedCwd", _text_at("relocatedCwd")),
    b'{"type":"worktree-state"': ("originalCwd", _original_cwd),
}


def _stated(data: bytes) -> dict[str, str]:
    """What the last state records say. Looks at the first bytes of lines, parses few of them."""
    found: dict[str, str] = {}
    start = 0
    while True:
        if data.startswith(b'{"type":"', start):
            for begin, (key, read) in _STATES.items():
                if data.startswith(begin, start):
                    end = data.find(b"\n", start)
                    text = read(_parse(data[start : end if end >= 0 else len(data)]))
                    if text or key == "originalCwd":
                        found[key] = (text or "")[:500]
        start = data.find(b"\n", start) + 1
        if start == 0:
            return found


def _branch(tail: bytes) -> str | None:
    """The git branch that the last record names."""
    found = tail.rfind(b'"gitBranch":"')
    if found < 0:
        return None
    try:
        name = orjson.loads(tail[found + 12 : tail.find(b'"', found + 13) + 1])
    except orjson.JSONDecodeError:
        return None
    # What it says outside of git.
    return name if isinstance(name, str) and name != "HEAD" else None


def _own_summary(tail: bytes) -> str | None:
    """A summary at the end of the file that speaks of this file itself."""
    start = tail.rfind(b'{"type":"summary"')
    if start < 0 or (start > 0 and tail[start - 1 : start] != b"\n"):
        return None
    line = _parse(tail[start:].partition(b"\n")[0])
    leaf, summary = string(line.get("leafUuid")), string(line.get("summary"))
    is_own = bool(leaf) and b'"uuid":"%s"' % (leaf or "").encode("utf-8", "replace") in tail
    return summary[:500] if is_own and summary else None


def _sidecar(path: str) -> str | None:
    return sidecar_title(path) if os.path.isdir(path[:-6]) else None


def _parse(line: bytes) -> Line:
    try:
        return mapping(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {}


# The last words


@dataclass(frozen=True, slots=True)
class Preview:
    """What was said last, uncleaned; and whether the agent still has something to do."""

    prompt: str = ""
    reply: str = ""
    busy: bool = False


def preview(file: SessionFile) -> Preview:
    """What the last 64 kB say; nothing where they cannot be read."""
    ends = read_ends(file)
    if isinstance(ends, str):
        return Preview()
    head, tail = ends
    lines = tail.split(b"\n")
    if tail is not head:
        del lines[0]  # its beginning is cut off
    decoder = Decoder()
    if tail is not head:
        for _ in zip(_records(decoder, head, file.path), range(3), strict=False):
            pass  # it tells how the last lines are to be read
    prompt = reply = ""
    busy = False
    open_calls: set[str | None] = set()
    joined: str | None = None
    for line in [*lines, None]:
        found = decoder.finish() if line is None else decoder.decode(Chunk(1, 0, [line]))
        for record in found:
            if record.sidechain or record.meta or record.agent_call or record.thread:
                continue
            for part in record.parts:
                match part:
                    case Said("prompt", text, label) if label not in ("image", "document"):
                        prompt, reply = text, ""
                        busy, open_calls = label != "command", set()
                    case Said("reply", text, joins=joins):
                        # Pieces of one text are put together again.
                        is_more = joins is not None and joins == joined
                        reply, busy, joined = (reply if is_more else "") + text, False, joins
                    case Asked(id):
                        open_calls.add(id)
                    case Answered(id=id):
                        open_calls.discard(id)
                        busy = True  # the model goes on from it
                    case Interrupted():
                        busy, open_calls = False, set()
    return Preview(prompt, reply, busy or bool(open_calls))
