"""`search`: words in all sessions, newest first. Exit code 0 where there are hits, 1 where there
are none."""

import sys
from typing import TYPE_CHECKING, Any

from viewer.commands import Failure, missing_roots, roots_of

if TYPE_CHECKING:
    import argparse

    from viewer.everywhere import Found, Search

_SHOWN = 5  # hits of a session
_MOST = 10_000  # and of those that are written for machines


def options(parser: "argparse.ArgumentParser", _: "argparse._MutuallyExclusiveGroup") -> None:
    parser.add_argument("words", nargs="+")
    parser.add_argument("--project", default="")


def run(arguments: "argparse.Namespace") -> int:
    from viewer.everywhere import Search
    from viewer.text import one_line

    words = " ".join(arguments.words)
    if not words.strip():
        raise Failure("search needs words to look for; see claude-view --help")
    as_json = arguments.form == "json"
    most = _MOST if as_json else _SHOWN
    search = Search(roots_of(arguments), words, project=arguments.project, most=most)
    missing = missing_roots(arguments)
    for problem in missing:
        print(f"claude-view: {problem}", file=sys.stderr)
    total = _print_json(search) if as_json else _print_text(search)
    for path, reason in search.unreadable:
        print(f"claude-view: {one_line(path, 200)}: {one_line(reason)}", file=sys.stderr)
    if missing and not search.sessions:
        return 2
    return 0 if total else 1


def _print_text(search: "Search") -> int:
    import time

    from viewer import printing
    from viewer.text import one_line, plural

    columns, now = printing.columns(), time.time()
    sessions = hits = 0
    progress = _Progress(search)
    try:
        for found in search.run():
            if found is None:
                progress.draw()
                continue
            progress.wipe()
            if sessions:
                print()
            for line in _lines(found, now, columns):
                print(line)
            sys.stdout.flush()
            sessions, hits = sessions + 1, hits + found.count
    finally:
        progress.wipe()
    where = f"{plural(sessions, 'session')} of {search.sessions}"
    bulk = f"; {search.bulk} more in what only the model reads" if search.bulk else ""
    if not hits:
        words = one_line(search.query.words, 60)
        looked = plural(search.sessions, "session")
        print(f"“{words}” is in none of {looked}{bulk}", file=sys.stderr)
    elif sys.stderr.isatty():
        print(f"{plural(hits, 'hit')} in {where}{bulk}", file=sys.stderr)
    return hits


def _lines(found: "Found", now: float, columns: int | None) -> list[str]:
    from viewer.projects import project_of
    from viewer.text import age, clip, one_line, plural, shorten_home

    file = found.file
    id = one_line(file.id, 36 if not columns or columns >= 130 else 8).removesuffix("…")
    words = [id, age(now - file.modified), one_line(shorten_home(project_of(file)), 40)]
    title = one_line(file.title or "(no prompt)")
    count = plural(found.count, "hit")
    head = "  ".join(words)
    room = columns - len(head) - len(count) - 4 if columns else None
    lines = [f"{head}  {title if room is None else clip(title, max(8, room))}  {count}"]
    for place in found.places:
        mark = "*" if found.is_inside(place) else " "
        kind = "" if place.kind == "call" and place.name else place.kind
        what = " ".join(word for word in (kind, place.name) if word)
        line = f"{place.line:>8}{mark} {clip(what, 32)}: "
        lines.append(
            line + place.text if columns is None else line + _fit(place.text, line, columns)
        )
    if more := found.count - len(found.places):
        lines.append(f"{'':9} and {more} more")
    return lines


def _fit(text: str, line: str, columns: int) -> str:
    from viewer.text import clip, width

    return clip(text, max(10, columns - width(line)))


def _print_json(search: "Search") -> int:
    """One document, written as it is found."""
    from viewer.document import dump

    head = dump({"schema": 1, "words": search.query.words, "project": search.project})
    print(f'{head.removesuffix("}").rstrip()},\n  "sessions": [', end="")
    hits, between = 0, ""
    for found in search.run():
        if found is not None:
            print(f"{between}\n{dump(_session(found))}", end="", flush=True)
            hits, between = hits + found.count, ","
    rest = {
        "hits": hits,
        "bulk": search.bulk,
        "searched": search.sessions,
        "unreadable": [{"path": path, "reason": reason} for path, reason in search.unreadable],
    }
    print(f"\n  ],{dump(rest).removeprefix('{')}")
    return hits


def _session(found: "Found") -> dict[str, Any]:
    from viewer.text import iso

    file = found.file
    return {
        "id": file.id,
        "path": file.path,
        "agent": file.agent,
        "title": file.title,
        "cwd": file.cwd,
        "modified": iso(file.modified),
        "hits": found.count,
        "lines": [
            {"line": each.line, "file": each.file, "kind": each.kind, "name": each.name,
             "text": each.text}
            for each in found.places
        ],
    }  # fmt: skip


class _Progress:
    """A line on standard error while a person waits for the next hit."""

    def __init__(self, search: "Search") -> None:
        import time

        self._clock = time.monotonic
        self._next = self._clock() + 0.5
        self._search = search
        self._shows = sys.stderr.isatty()
        self._drawn = False

    def draw(self) -> None:
        if not self._shows or self._clock() < self._next:
            return
        self._next, self._drawn = self._clock() + 0.1, True
        part = min(1.0, self._search.done / max(1, self._search.total))
        bar = "#" * int(part * 30)
        print(f"\rsearching [{bar:30}] {part:4.0%}", end="", file=sys.stderr, flush=True)

    def wipe(self) -> None:
        if self._drawn:
            self._drawn = False
            print("\r" + " " * 48 + "\r", end="", file=sys.stderr, flush=True)
