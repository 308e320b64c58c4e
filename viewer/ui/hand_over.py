"""What leaves the program on request: the clipboard, the pager, the editor.

Each answers with a sentence for the status bar. Commands are lists of arguments, never a shell's
line; the only path that is handed over is that of the transcript itself.
"""

import os
import shlex
import shutil
import subprocess

from textual.app import App, SuspendNotSupported

from viewer import text
from viewer.bodies import Changed, Source
from viewer.load import Transcript
from viewer.nodes import Node
from viewer.resume import resume_argv
from viewer.session import Session
from viewer.ui.entry_page import whole_text

MOST = 100_000  # bytes that terminals take by OSC 52


def _copy(app: App[object], words: str, what: str) -> str:
    size = len(words.encode("utf-8", "replace"))
    if size > MOST:
        return f"{what} is too large to copy ({text.size(size)}); o opens it in $PAGER"
    app.copy_to_clipboard(words.encode("utf-8", "replace").decode())
    return f"copied {what}, {text.size(size)}"


def copy_text(app: App[object], node: Node | None, source: Source) -> str:
    if node is None:
        return "nothing to copy"
    try:
        return _copy(app, whole_text(node, source), "the text")
    except Changed as problem:
        return str(problem)


def copy_json(app: App[object], node: Node | None, source: Source) -> str:
    if node is None or node.row is None:
        return "nothing to copy"
    try:
        raw = source.raw(node.row, node.scope.session)
    except Changed as problem:
        return str(problem)
    return _copy(app, raw.decode("utf-8", "replace"), f"line {node.row.line}")


def copy_resume(app: App[object], session: Session) -> str:
    argv = resume_argv(session.session_id)
    if argv is None:
        return "this session's id cannot be resumed"
    where = f"; run it in {text.one_line(session.project, 60)}" if session.project else ""
    _copy(app, shlex.join(argv), "the resume command")
    return f"copied: {shlex.join(argv)}{where}"


def page(app: App[object], node: Node | None, source: Source) -> str:
    if node is None:
        return "nothing to read"
    try:
        words = text.clean(whole_text(node, source))
    except Changed as problem:
        return str(problem)
    return _run(app, _command("PAGER", "less"), words)


def edit(app: App[object], node: Node | None, transcript: Transcript) -> str:
    command = _command("VISUAL", "") or _command("EDITOR", "")
    if not command:
        return "set $EDITOR to open the file"
    path = transcript.path
    line = 1
    if node is not None and node.row is not None:
        line = node.row.line
        if node.scope.agent is not None and node.scope.agent.path:
            path = node.scope.agent.path
    return _run(app, [*command, f"+{line}", os.path.abspath(path)], None)


def _command(variable: str, default: str) -> list[str]:
    try:
        return shlex.split(os.environ.get(variable) or default)
    except ValueError:
        return []


def _run(app: App[object], argv: list[str], words: str | None) -> str:
    if not argv or shutil.which(argv[0]) is None:
        return f"no such program: {text.one_line(argv[0], 60) if argv else '$PAGER'}"
    try:
        with app.suspend():
            data = None if words is None else words.encode("utf-8", "replace")
            subprocess.run(argv, input=data, check=False)
    except SuspendNotSupported:
        return "this terminal cannot be lent to another program"
    except OSError as error:
        return f"{text.one_line(argv[0], 60)}: {error.strerror}"
    return ""
