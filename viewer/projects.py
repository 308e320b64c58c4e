"""Sessions by the folder they worked in, worktrees of a repository together with it.

The folder is what the records say. It is never looked at: it may be a claim of anybody's.
"""

import os
import re

from viewer.ends import SessionFile

# Where Claude Code, and people, put the worktrees of a repository inside of it.
_WORKTREE = re.compile(r"[/\\]\.(?:claude[/\\])?worktrees[/\\].*", re.DOTALL)
NOWHERE = "(no folder named)"


def project_of(file: SessionFile) -> str:
    """The folder of the repository, or the folder itself."""
    return repository(file.origin or file.cwd or "")


def repository(path: str) -> str:
    path = _WORKTREE.sub("", path, count=1)
    return path.rstrip("/\\") or path or NOWHERE


def containing(folder: str) -> list[str]:
    """A folder and those above it, up to the top of its repository: where the sessions of
    somebody who stands in it may have been started."""
    folder = os.path.realpath(folder)
    found = [folder]
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return found[:1]  # no repository: only the folder itself
        folder = above
        found.append(folder)
    return found
