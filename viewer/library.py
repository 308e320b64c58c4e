"""Which sessions there are: from names and stat. What stands in them is read in ends.py.

Roots are the homes of Claude Code (`$CLAUDE_CONFIG_DIR` or `~/.claude`) and Codex (`$CODEX_HOME` or
`~/.codex`), and any folder the user names. Links are followed only to files that are transcripts
by name, so that a link to a device or to /etc/passwd in a projects folder is never opened.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from viewer import resources
from viewer.ends import SessionFile, describe, is_transcript
from viewer.names import id_of
from viewer.packed import is_packed

_SUFFIXES = (".jsonl", ".jsonl.zst")


class NotFound(Exception):
    """A target that names no session, or several. The message is for the user, and clean."""


def homes(environ: Mapping[str, str]) -> list[str]:
    """The folders that Claude Code keeps its things in."""
    return _home(environ, "CLAUDE_CONFIG_DIR", ".claude")


def standard_roots(environ: Mapping[str, str]) -> list[str]:
    """Where the programs that are read keep their sessions."""
    return homes(environ) + _home(environ, "CODEX_HOME", ".codex")


def _home(environ: Mapping[str, str], variable: str, name: str) -> list[str]:
    home = environ.get(variable)
    if not home and environ.get("HOME"):
        home = os.path.join(environ["HOME"], name)
    return [home] if home else []


def find(roots: Iterable[str]) -> list[SessionFile]:
    """All sessions below the roots, newest first, each once. A name that ends in .json may be of
    anything, so that these are looked into."""
    found: list[SessionFile] = []
    seen: set[tuple[int, int]] = set()
    for root in roots:
        for folder in session_folders(root):
            found += files_in(folder, root, seen)
    return newest_first(without_stubs(filter(is_transcript, found)))


def without_stubs(files: Iterable[SessionFile]) -> list[SessionFile]:
    """A session that moved to a worktree leaves a stub of the same id behind, and Codex may leave
    the packed file beside the one it unpacked."""
    largest: dict[tuple[str, str], SessionFile] = {}
    for file in files:
        key = (file.root, file.id)
        known = largest.get(key)
        if known is None or _weight(file) > _weight(known):
            largest[key] = file
    return list(largest.values())


def _weight(file: SessionFile) -> tuple[bool, int, float]:
    """Codex unpacks what is gone on with; the packed file is older then."""
    return not is_packed(file.path), file.size, file.modified


def newest_first(files: Iterable[SessionFile]) -> list[SessionFile]:
    return sorted(files, key=lambda file: (-file.modified, file.path))


def session_folders(root: str) -> Iterator[str]:
    """A root is a home of Claude Code or Codex, a projects folder, or a folder of transcripts."""
    projects = os.path.join(root, "projects")
    if os.path.isdir(projects):
        yield projects
        yield from _folders(projects)
        return
    yield root
    days = os.path.join(root, "sessions")
    years = [folder for folder in _folders(days) if os.path.basename(folder).isdigit()]
    for folder in _folders(root):
        if not years or folder != days:
            yield folder
    for year in years:
        for month in _folders(year):
            yield from _folders(month)


def _folders(parent: str) -> list[str]:
    """The folders in a folder, each once whatever links lead to it."""
    found: list[str] = []
    seen: set[tuple[int, int]] = set()
    try:
        entries = sorted(os.scandir(parent), key=lambda entry: entry.name)
    except OSError:
        return []
    for entry in entries:
        try:
            if entry.is_dir():
                status = entry.stat()
                identity = (status.st_dev, status.st_ino)
                if identity not in seen:
                    seen.add(identity)
                    found.append(entry.path)
        except OSError:
            continue
    return found


def _is_home(root: str) -> bool:
    """A home of a program holds JSON of all kinds; any other folder, perhaps transcripts."""
    return any(os.path.isdir(os.path.join(root, name)) for name in ("projects", "sessions"))


@cache
def _is_bundled(root: str) -> bool:
    return os.path.realpath(root) == os.path.realpath(resources.sample_sessions())


def files_in(folder: str, root: str, seen: set[tuple[int, int]]) -> Iterator[SessionFile]:
    """The transcripts that lie in a folder, but for those that were seen elsewhere."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    bundled = _is_bundled(root)
    suffixes = _SUFFIXES if _is_home(root) else (*_SUFFIXES, ".json")
    for entry in entries:
        name = entry.name
        if not name.endswith(suffixes) or name.startswith("agent-"):
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
        written = status.st_mtime if not bundled else resources.SAMPLES_WRITTEN
        yield SessionFile(entry.path, id_of(name), status.st_size, written, root, identity)


def leads_astray(path: str) -> bool:
    """Whether a link leads to something that is no transcript by its name."""
    if not os.path.islink(path):
        return False
    try:
        return not os.path.realpath(path, strict=True).endswith((*_SUFFIXES, ".json"))
    except OSError:
        return True


# One session by name


def resolve(target: str, roots: Iterable[str]) -> list[str]:
    """The files that a target names: a file, all of a folder (newest first), or one by its id."""
    if os.path.isdir(target):
        files = [file.path for file in find([target])]
        return files or of_working_folder(target, roots)
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


def below(folder: str) -> list[str]:
    """All transcripts in a folder and whatever folders it holds, newest first. Links to folders
    are not followed, and the files of sub-agents belong to their sessions."""
    found: list[SessionFile] = []
    seen: set[tuple[int, int]] = set()
    for each, inside, _ in os.walk(folder):
        inside[:] = sorted(name for name in inside if name not in ("subagents", "tool-results"))
        found += files_in(each, folder, seen)
    return [file.path for file in newest_first(filter(is_transcript, found))]


def of_working_folder(folder: str, roots: Iterable[str]) -> list[str]:
    """The sessions that worked in a folder which holds none itself."""
    here = os.path.realpath(folder)
    files = []
    for file in find(roots):
        if describe(file) and file.cwd and os.path.normpath(file.cwd) == here:
            files.append(file.path)
    if not files:
        raise NotFound("no sessions in that folder, and none that worked there")
    return files
