"""Browsing, reading and following: what needs a terminal."""

import sys
from typing import TYPE_CHECKING, Any

from viewer.commands import COMMANDS, Failure, resolve, roots_of

if TYPE_CHECKING:
    import argparse


def options(parser: "argparse.ArgumentParser") -> None:
    parser.add_argument("target", nargs="?")
    parser.add_argument("-f", "--follow", action="store_true")
    parser.add_argument("--switch", action="store_true")
    parser.add_argument("--ascii", action="store_true")
    parser.add_argument("--theme")


def run(arguments: "argparse.Namespace") -> int:
    import os

    if arguments.switch and not arguments.follow:
        raise Failure("--switch goes with -f; see claude-view --help")
    if (name := arguments.target) in COMMANDS and not os.path.lexists(name):
        raise Failure(f"the command comes first: `claude-view {name}{_options(arguments)}`")
    return _browse(arguments) if arguments.target is None else _read(arguments)


def _options(arguments: "argparse.Namespace") -> str:
    """Those that say where sessions are sought, to be given again."""
    return "".join([" --demo" if arguments.demo else "", *(" --root DIR" for _ in arguments.root)])


def _browse(arguments: "argparse.Namespace") -> int:
    _must_be_a_terminal(f"claude-view list{_options(arguments)}", _is_terminal(sys.stdin))
    return _run_screen(arguments, here=_here() if arguments.follow else None)


def _read(arguments: "argparse.Namespace") -> int:
    import os

    if arguments.target == "-":
        _must_be_a_terminal("claude-view show -", True)
        return _run_screen(arguments, pipe=_pipe())
    _must_be_a_terminal(f"claude-view show TARGET{_options(arguments)}", _is_terminal(sys.stdin))
    from viewer.tail import open_regular
    from viewer.text import one_line

    if arguments.follow and arguments.target.endswith(".jsonl"):
        if not os.path.lexists(arguments.target):
            return _run_screen(arguments, path=os.path.join(_here(), arguments.target))
    path = resolve(arguments.target, arguments)[0]
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
            roots=roots_of(arguments),
            homes=[] if arguments.demo else [*library.homes(os.environ), *arguments.root],
            follow=arguments.follow,
            switch=arguments.switch,
            cache=counts.cache_folder(os.environ),
            ascii=arguments.ascii,
            theme=arguments.theme,
            **wanted,
        )
    )
