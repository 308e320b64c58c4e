"""Arguments to what is done, and exit codes: 0 fine, 1 problems found, 2 unreadable or misused.

Imports stand inside the functions that need them: `--version` and `--help` answer at once.
"""

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from viewer import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from viewer.load import Transcript
    from viewer.model import Liveness

USAGE = """\
claude-view shows what a coding agent did, from the transcripts it leaves on disk. It only reads.

  claude-view TARGET [--ascii] [--theme NAME]               read one session on the screen
  claude-view list   [--json]                               all sessions, newest first
  claude-view show   TARGET [--text | --markdown | --json]  one session as an outline
  claude-view check  TARGET... [--json]                     problems only

TARGET is a file, a folder, a session id or the beginning of one; for show and check also - for
standard input. Without arguments: the list, or the bundled samples where there is no session yet.

  --root DIR    look for sessions below DIR too (may be repeated)
  --demo        use the bundled samples instead of your own sessions; alone: open one of them
  --ascii       do without special characters
  --theme NAME  colours, such as textual-light or nord
  --version     print the version
  --help        print this

check exits with 0 where there is no problem, 1 where there is one, 2 for files that cannot be read.
Sessions are sought in $CLAUDE_CONFIG_DIR or ~/.claude."""


class Failure(Exception):
    """Something to tell the user in one sentence; exit code 2."""


def main() -> NoReturn:
    import os

    code = run(sys.argv[1:])
    sys.stderr.flush()
    # Taking a large model apart object by object takes a tenth of the time that building it took.
    os._exit(code)


def run(argv: list[str]) -> int:
    """Do what the arguments say; the exit code."""
    import os

    if hasattr(sys.stdout, "reconfigure"):
        # In the C locale a glyph that cannot be written must not end the program.
        sys.stdout.reconfigure(errors="replace")
    try:
        code = _dispatch(argv)
        sys.stdout.flush()
        return code
    except Failure as failure:
        print(f"claude-view: {failure}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # `| head` has seen enough. Python would complain once more while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _dispatch(argv: list[str]) -> int:
    if argv[:1] == ["--version"]:
        print(f"claude-view {__version__}")
        return 0
    if any(word in ("-h", "--help") for word in argv):
        print(USAGE)
        return 0
    arguments = _parse(argv)
    command: str = arguments.command
    if command == "list":
        return _list(arguments)
    if command == "check":
        return _check(arguments)
    return _read(arguments) if command == "read" else _show(arguments)


def _parse(argv: list[str]) -> "argparse.Namespace":
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            from viewer.text import one_line

            raise Failure(f"{one_line(message, 300)}; see claude-view --help")

    common = Parser(add_help=False)
    common.add_argument("--root", action="append", default=[])
    common.add_argument("--demo", action="store_true")
    if argv and argv[0] in _COMMANDS:
        parser = Parser(prog=f"claude-view {argv[0]}", parents=[common], add_help=False)
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", dest="form", action="store_const", const="json")
        if argv[0] == "show":
            form.add_argument("--text", dest="form", action="store_const", const="text")
            form.add_argument("--markdown", dest="form", action="store_const", const="markdown")
            parser.add_argument("target")
        elif argv[0] == "check":
            parser.add_argument("targets", nargs="+")
        arguments = parser.parse_args(argv[1:])
        arguments.command = argv[0]
        return arguments
    parser = Parser(prog="claude-view", parents=[common], add_help=False)
    parser.add_argument("target", nargs="?")
    parser.add_argument("--ascii", action="store_true")
    parser.add_argument("--theme")
    arguments = parser.parse_args(argv)
    if arguments.demo and arguments.target is None:
        arguments.target = _SHOWCASE
    arguments.command = "list" if arguments.target is None else "read"
    arguments.form = None
    return arguments


_COMMANDS = ("list", "show", "check")
_SHOWCASE = "00000018"  # the sample that has a bit of everything


def _roots(arguments: "argparse.Namespace") -> list[str]:
    import os

    from viewer import library, resources

    if arguments.demo:
        return [str(resources.sample_sessions())]
    return [*library.standard_roots(os.environ), *arguments.root]


# list


def _list(arguments: "argparse.Namespace") -> int:
    import os
    import time

    from viewer import ends, library, registry, resources
    from viewer.text import one_line

    roots = _roots(arguments)
    files = ends.describe_all(library.find(roots))
    if not files and arguments.form != "json":
        where = ", ".join(one_line(root) for root in roots) or "no folder: HOME is not set"
        print(f"No sessions found in {where}. These are the bundled samples:", file=sys.stderr)
        files = ends.describe_all(library.find([str(resources.sample_sessions())]))
    now = time.time()
    if arguments.form == "json":
        from viewer.document import dump
        from viewer.text import iso

        live = registry.registry(library.homes(os.environ))
        rows: list[dict[str, Any]] = [
            {
                "id": file.id,
                "path": file.path,
                "title": file.title,
                "cwd": file.cwd,
                "size": file.size,
                "modified": iso(file.modified),
                "alive": registry.judge(live.get(file.id), file.modified, now).alive,
                "problem": file.problem,
            }
            for file in files
        ]
        print(dump({"schema": 1, "sessions": rows}))
        return 0
    _print_table(files, now, _columns())
    return 0


def _print_table(files: "Iterable[Any]", now: float, columns: int | None) -> None:
    from viewer.text import age, clip, one_line, pad, size, width

    rows = [
        (
            age(now - file.modified),
            size(file.size),
            one_line(file.id, 36),
            one_line(_short(file.cwd or ""), 40),
            one_line(f"({file.problem})" if file.problem else file.title or "(no prompt)"),
        )
        for file in files
    ]
    heads = ("age", "size", "session", "project", "title")
    widths = [max([width(row[i]) for row in rows] + [width(heads[i])]) for i in range(4)]
    if columns:
        # A narrow terminal has room for the part of the id that `show` needs.
        widths[2] = min(widths[2], 36 if columns >= 130 else 8)
        widths[3] = min(widths[3], max(8, columns // 4))
    for row in (heads, *rows):
        cells = [pad(row[0], widths[0]), pad(row[1], widths[1])]
        cells += [row[2][: widths[2]].ljust(widths[2]), pad(row[3], widths[3]), row[4]]
        line = "  ".join(cells).rstrip()
        print(clip(line, columns) if columns else line)


def _short(path: str) -> str:
    import os

    home = os.environ.get("HOME", "").rstrip("/")
    return "~" + path[len(home) :] if home and (path + "/").startswith(home + "/") else path


def _columns() -> int | None:
    """The width of the terminal; None in a pipe, where nothing is cut."""
    import os

    if not sys.stdout.isatty():
        return None
    try:
        return max(20, os.get_terminal_size(sys.stdout.fileno()).columns)
    except OSError:
        return None


# the reader


def _read(arguments: "argparse.Namespace") -> int:
    import os

    if arguments.target == "-":
        raise Failure("reading standard input needs `claude-view show -`")
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") in ("dumb", ""):
        name = "--demo" if arguments.demo else "TARGET"
        raise Failure(f"this is no terminal to read in; `claude-view show {name}` prints instead")
    from viewer.tail import open_regular
    from viewer.text import one_line

    paths = _resolve(arguments.target, arguments)
    try:
        os.close(open_regular(paths[0]))
        from viewer.ui import app

        return app.run(paths[0], _liveness(paths[0]), ascii=arguments.ascii, theme=arguments.theme)
    except OSError as error:
        reason = error.strerror or str(error).partition(":")[0]
        raise Failure(f"{one_line(paths[0], 200)}: {one_line(reason)}") from None


def _liveness(path: str) -> "Liveness":
    import os
    import time

    from viewer import library, registry, resources
    from viewer.model import Liveness

    if os.path.realpath(path).startswith(os.path.realpath(resources.sample_sessions()) + os.sep):
        return Liveness()  # however fresh the checkout
    return registry.liveness(library.id_of(path), path, library.homes(os.environ), time.time())


# show


def _show(arguments: "argparse.Namespace") -> int:
    from viewer.text import one_line

    paths = _resolve(arguments.target, arguments)
    if len(paths) > 1:
        print(
            f"The newest of {len(paths)} sessions in {one_line(arguments.target)}", file=sys.stderr
        )
    transcript, liveness = _load(paths[0])
    if arguments.form == "json":
        from viewer.document import document, dump

        print(dump(document(transcript, liveness)))
        return 0
    from viewer import render

    if arguments.form == "markdown":
        lines = render.as_markdown(transcript, liveness)
    else:
        lines = render.as_text(transcript, liveness, _columns())
    for line in lines:
        print(line)
    return 0


def _resolve(target: str, arguments: "argparse.Namespace") -> list[str]:
    from viewer import library
    from viewer.text import one_line

    if target == "-":
        return ["-"]
    if "\0" in target:
        raise Failure("a target cannot hold a NUL character")
    try:
        paths = library.resolve(target, _roots(arguments))
    except library.NotFound as problem:
        raise Failure(f"{one_line(target, 120)}: {one_line(str(problem))}") from None
    if not paths:
        raise Failure(f"{one_line(target, 120)}: no sessions in that folder")
    return paths


def _load(path: str) -> "tuple[Transcript, Liveness]":
    from viewer import load
    from viewer.model import Liveness
    from viewer.text import one_line

    if path == "-":
        return load.load_stream(sys.stdin.buffer), Liveness()
    try:
        with _Progress(path) as progress:
            transcript = load.load(path, progress.report)
    except OSError as error:
        reason = error.strerror or str(error).partition(":")[0]
        raise Failure(f"{one_line(path, 200)}: {one_line(reason)}") from None
    return transcript, _liveness(path)


class _Progress:
    """A bar on standard error, once a person has waited for half a second."""

    def __init__(self, path: str) -> None:
        import os
        import time

        self._clock = time.monotonic
        self._next = self._clock() + 0.5
        self._done = 0
        self._drawn = False
        self._shows = sys.stderr.isatty()
        self._total = os.stat(path).st_size if self._shows else 0

    def __enter__(self) -> "_Progress":
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


# check


def _check(arguments: "argparse.Namespace") -> int:
    from viewer import problems, render
    from viewer.text import plural

    as_json = arguments.form == "json"
    if as_json:
        from viewer.document import dump, problem

    reports: list[dict[str, Any]] = []
    unreadable: list[str] = []
    total = 0
    for target in arguments.targets:
        try:
            paths = _resolve(target, arguments)
        except Failure as failure:
            unreadable.append(str(failure))
            continue
        for path in paths:
            try:
                transcript, liveness = _load(path)
            except Failure as failure:
                unreadable.append(str(failure))
                continue
            found = problems.find(transcript, liveness)
            total += len(found)
            if as_json:
                session = transcript.session
                reports.append(
                    {
                        "path": path,
                        "session_id": session.session_id,
                        "title": session.title,
                        "records": session.counts.total,
                        "problems": [problem(each) for each in found],
                    }
                )
            else:
                for line in render.as_report(transcript, found, path):
                    print(line)
    for reason in unreadable:
        print(f"claude-view: {reason}", file=sys.stderr)
    if as_json:
        print(dump({"schema": 1, "sessions": reports, "unreadable": unreadable}))
    elif unreadable:
        print(f"{plural(len(unreadable), 'target')} could not be read", file=sys.stderr)
    return 2 if unreadable else 1 if total else 0
