"""What the commands without a screen print: the table of sessions, a bar while one waits."""

import os
import sys
import time
from collections.abc import Iterable

from viewer.ends import SessionFile
from viewer.text import age, clip, one_line, pad, shorten_home, size, width


def print_table(files: Iterable[SessionFile], now: float, columns: int | None) -> None:
    """Sessions, a line each."""
    rows = [
        (
            age(now - file.modified),
            size(file.size),
            one_line(file.id, 36),
            one_line(file.agent, 6),
            one_line(shorten_home(file.cwd or ""), 40),
            one_line(f"({file.problem})" if file.problem else file.title or "(no prompt)"),
        )
        for file in files
    ]
    heads = ("age", "size", "session", "agent", "project", "title")
    widths = [max([width(row[i]) for row in rows] + [width(heads[i])]) for i in range(5)]
    if columns:
        # A narrow terminal has room for the part of the id that `show` needs.
        widths[2] = min(widths[2], 36 if columns >= 130 else 8)
        widths[4] = min(widths[4], max(8, columns // 4))
    for row in (heads, *rows):
        cells = [pad(row[0], widths[0]), pad(row[1], widths[1])]
        cells += [row[2][: widths[2]].ljust(widths[2]), pad(row[3], widths[3])]
        cells += [pad(row[4], widths[4]), row[5]]
        line = "  ".join(cells).rstrip()
        print(clip(line, columns) if columns else line)


def columns() -> int | None:
    """The width of the terminal; None in a pipe, where nothing is cut."""
    if not sys.stdout.isatty():
        return None
    try:
        return max(20, os.get_terminal_size(sys.stdout.fileno()).columns)
    except OSError:
        return None


class Progress:
    """A bar on standard error, once a person has waited for half a second."""

    def __init__(self, path: str) -> None:
        self._clock = time.monotonic
        self._next = self._clock() + 0.5
        self._done = 0
        self._drawn = False
        self._shows = sys.stderr.isatty()
        self._total = os.stat(path).st_size if self._shows else 0

    def __enter__(self) -> "Progress":
        return self

    def report(self, more: int) -> None:
        self._done += more
        if self._shows and self._clock() >= self._next:
            self._next = self._clock() + 0.1
            self._drawn = True
            part = min(1.0, self._done / max(1, self._total))
            bar = "#" * int(part * 30)
            print(f"\rreading [{bar:30}] {part:4.0%}", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            print("\r" + " " * 46 + "\r", end="", file=sys.stderr, flush=True)


class Counting:
    """How many of several things are done, on standard error, once a person has waited."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._next = time.monotonic() + 0.5
        self._drawn = False
        self._shows = total > 1 and sys.stderr.isatty()

    def __enter__(self) -> "Counting":
        return self

    def report(self) -> None:
        self._done += 1
        if self._shows and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            self._drawn = True
            part = self._done / self._total
            bar = f"\rchecking [{'#' * int(part * 30):30}] {self._done}/{self._total}"
            print(bar, end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Make room for a line."""
        if self._drawn:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
            self._drawn = False

    def __exit__(self, *_: object) -> None:
        self.clear()
