"""Arguments to what is done, and exit codes: 0 fine, 1 problems found, 2 unreadable or misused.

Imports stand inside the functions that need them: `--version` and `--help` answer at once.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from viewer import __version__
from viewer.commands import COMMANDS, Failure

if TYPE_CHECKING:
    import argparse

USAGE = """\
claude-view shows what coding agents did and do, from the transcripts they leave. It only reads.

  claude-view                                               browse all sessions
  claude-view TARGET                                        read one session
  claude-view -f [TARGET]                                   follow one as it is written
  claude-view list   [--json]                               all sessions, newest first
  claude-view search TEXT [--project WORDS] [--json]        words in all sessions
  claude-view show   TARGET [--text | --markdown | --json]  one session as an outline
  claude-view show   TARGET --html -o FILE                  all of it as one page for a browser
  claude-view check  TARGET... [--json]                     problems only

TARGET is a file, a folder, a session id or the beginning of one, or - for standard input. Without
one, -f follows the newest session of this folder, and waits for it where there is none yet.

  --root DIR    look for sessions below DIR too (may be repeated)
  --demo        use the bundled samples instead of your own sessions
  --switch      with -f: when a newer session starts here, follow that one at once
  -o FILE       with show: write FILE, whole or not at all
  --redact      with show: mask known secrets; --html does, unless --no-redact is given
  --fail-on K   with check: only K are problems: some of error,missing,hook,invalid,damaged
  --ascii       do without special characters
  --theme NAME  colours, such as textual-light or nord
  --version     print the version
  --help        print this

check exits with 0 where there is no problem, 1 where there is one, 2 for files that cannot be read.
Sessions are sought in $CLAUDE_CONFIG_DIR or ~/.claude, and in $CODEX_HOME or ~/.codex."""


def main() -> NoReturn:
    import os

    code = run(sys.argv[1:])
    sys.stderr.flush()
    # Taking a large model apart object by object takes a tenth of the time that building it took.
    os._exit(code)


def run(argv: list[str]) -> int:
    """Do what the arguments say; the exit code."""
    import os

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by `>&-`
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
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
    if argv and argv[0] in COMMANDS:
        # Each command knows its own options.
        command = import_module(f"viewer.commands.{argv[0]}")
        parser = _parser(f"claude-view {argv[0]}")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", dest="form", action="store_const", const="json")
        command.options(parser, form)
        code: int = command.run(parser.parse_args(argv[1:]))
        return code
    from viewer.commands import screen

    parser = _parser("claude-view")
    screen.options(parser)
    return screen.run(parser.parse_args(argv))


def _parser(name: str) -> "argparse.ArgumentParser":
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            from viewer.text import one_line

            raise Failure(f"{one_line(message, 300)}; see claude-view --help")

    parser = Parser(prog=name, add_help=False)
    parser.add_argument("--root", action="append", default=[])
    parser.add_argument("--demo", action="store_true")
    return parser
