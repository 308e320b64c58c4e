"""Arguments to what is done, and exit codes: 0 fine, 1 problems found, 2 unreadable or misused.

Imports stand inside the functions that need them: `--version` and `--help` answer at once.
"""

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from viewer import __version__

if TYPE_CHECKING:
    import argparse

    from viewer.load import Transcript
    from viewer.model import Liveness

USAGE = """\
claude-view shows what a coding agent did and does, from the transcripts it leaves on disk. It only
reads.

  claude-view                                               browse all sessions
  claude-view TARGET                                        read one session
  claude-view -f [TARGET]                                   follow one as it is written
  claude-view list   [--json]                               all sessions, newest first
  claude-view show   TARGET [--text | --markdown | --json]  one session as an outline
  claude-view check  TARGET... [--json]                     problems only

TARGET is a file, a folder, a session id or the beginning of one, or - for standard input. Without
one, -f follows the newest session of this folder, and waits for it where there is none yet.

  --root DIR    look for sessions below DIR too (may be repeated)
  --demo        use the bundled samples instead of your own sessions
  --switch      with -f: when a newer session starts here, follow that one at once
  --ascii       do without special characters
  --theme NAME  colours, such as textual-light or nord
  --version     print the version
  --help        print this

check exits with 0 where there is no problem, 1 where there is one, 2 for files that cannot be read.
Sessions are sought in $CLAUDE_CONFIG_DIR or ~/.claude, and in $CODEX_HOME or ~/.codex."""


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
        if sys.stdout is not None:
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
    if command == "browse":
        return _browse(arguments)
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
    parser.add_argument("-f", "--follow", action="store_true")
    parser.add_argument("--switch", action="store_true")
    parser.add_argument("--ascii", action="store_true")
    parser.add_argument("--theme")
    arguments = parser.parse_args(argv)
    if arguments.switch and not arguments.follow:
        raise Failure("--switch goes with -f; see claude-view --help")
    arguments.command = "browse" if arguments.target is None else "read"
    return arguments


_COMMANDS = ("list", "show", "check")


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

    from viewer import ends, library, printing, registry, resources
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
                "agent": file.agent,
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
    printing.print_table(files, now, printing.columns())
    return 0


# the screen


def _browse(arguments: "argparse.Namespace") -> int:

    _must_be_a_terminal("claude-view list", _is_terminal(sys.stdin))
    return _run_screen(arguments, here=_here() if arguments.follow else None)


def _read(arguments: "argparse.Namespace") -> int:
    import os

    name = "--demo" if arguments.demo else "TARGET"
    if arguments.target == "-":
        _must_be_a_terminal("claude-view show -", True)
        return _run_screen(arguments, pipe=_pipe())
    _must_be_a_terminal(f"claude-view show {name}", _is_terminal(sys.stdin))
    from viewer.tail import open_regular
    from viewer.text import one_line

    if arguments.follow and arguments.target.endswith(".jsonl"):
        if not os.path.lexists(arguments.target):
            return _run_screen(arguments, path=os.path.join(_here(), arguments.target))
    path = _resolve(arguments.target, arguments)[0]
    try:
        os.close(open_regular(path))
    except OSError as error:
        reason = error.strerror or str(error).partition(":")[0]
        raise Failure(f"{one_line(path, 200)}: {one_line(reason)}") from None
    return _run_screen(arguments, path=path)


def _must_be_a_terminal(instead: str, keys: bool) -> None:
    import os

    if not (keys and _is_terminal(sys.stdout)) or os.environ.get("TERM") in ("dumb", ""):
        raise Failure(f"this is no terminal to read in; `{instead}` prints instead")


def _is_terminal(stream: Any) -> bool:
    """Somebody may have closed it."""
    return stream is not None and stream.isatty()


def _here() -> str:
    import os

    try:
        return os.getcwd()
    except OSError:
        raise Failure("this folder is gone") from None


def _pipe() -> int:
    """Standard input by another number: keys come from the terminal itself from now on."""
    import os

    if _is_terminal(sys.stdin):
        raise Failure("standard input is the terminal; pipe a transcript into `claude-view -`")
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        raise Failure("there is no terminal to take keys from; try `claude-view show -`") from None
    try:
        pipe = os.dup(0)
    except OSError:
        raise Failure("standard input is closed") from None
    os.dup2(terminal, 0)
    os.close(terminal)
    return pipe


def _run_screen(arguments: "argparse.Namespace", **wanted: Any) -> int:
    import os

    from viewer import counts, library
    from viewer.start import Start
    from viewer.ui import app

    return app.run(
        Start(
            roots=_roots(arguments),
            homes=[] if arguments.demo else [*library.homes(os.environ), *arguments.root],
            follow=arguments.follow,
            switch=arguments.switch,
            cache=counts.cache_folder(os.environ),
            ascii=arguments.ascii,
            theme=arguments.theme,
            **wanted,
        )
    )


def _liveness(path: str) -> "Liveness":
    import os
    import time

    from viewer import library, registry
    from viewer.model import Liveness
    from viewer.names import id_of
    from viewer.start import is_sample

    if is_sample(path):
        return Liveness()  # however fresh the checkout
    return registry.liveness(id_of(path), path, library.homes(os.environ), time.time())


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
    from viewer import printing, render

    if arguments.form == "markdown":
        lines = render.as_markdown(transcript, liveness)
    else:
        lines = render.as_text(transcript, liveness, printing.columns())
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
    from viewer import load, printing
    from viewer.model import Liveness
    from viewer.text import one_line

    if path == "-":
        return load.load_stream(sys.stdin.buffer), Liveness()
    try:
        with printing.Progress(path) as progress:
            transcript = load.load(path, progress.report)
    except OSError as error:
        reason = error.strerror or str(error).partition(":")[0]
        raise Failure(f"{one_line(path, 200)}: {one_line(reason)}") from None
    return transcript, _liveness(path)


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
