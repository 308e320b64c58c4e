"""Writing a file whole or not at all: into one beside it, which then takes its name."""

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress


def write_whole(path: str, pieces: Iterable[str]) -> None:
    """Write a file. Raises OSError, and then what was there before is as it was."""
    path = os.path.realpath(path)  # a link stays a link
    before = _mode(path)
    if before is not None and stat.S_ISDIR(before):
        raise IsADirectoryError(21, "Is a directory")
    if before is not None and not stat.S_ISREG(before):
        _write(os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC), pieces)
        return  # a device or a pipe has nothing to lose, and must not be replaced by a file
    folder = os.path.dirname(path)
    beside = os.path.join(folder, f".claude-view-{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(beside, flags, 0o600)
    try:
        if before is not None:
            with suppress(OSError):
                os.fchmod(fd, stat.S_IMODE(before))
        _write(fd, pieces, sync=True)
        os.rename(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(folder)


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _write(fd: int, pieces: Iterable[str], *, sync: bool = False) -> None:
    with open(fd, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(pieces)
        file.flush()
        if sync:
            os.fsync(fd)


def _sync_folder(folder: str) -> None:
    """So that the new name outlives a power cut; where that cannot be had, the file is good."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
