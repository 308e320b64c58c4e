"""What leaves the program on request: the clipboard, the pager, the editor.

Each answers with a sentence for the status bar. Commands are lists of arguments, never a shell's
line; the only path that is handed over is that of the transcript itself.
"""

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass

from textual.app import App, SuspendNotSupported

from viewer import text
from viewer.bodies import Changed, Source
from viewer.formats import format_of
from viewer.load import Transcript
from viewer.nodes import Node
from viewer.resume import resume_argv
from viewer.ui.entry_page import whole_text

MOST = 100_000  # bytes that terminals take by OSC 52


@dataclass(frozen=True, slots=True)
class HandOver:
    """What is under the cursor, and ways to take it out."""

    app: App[object]
    node: Node | None
    source: Source
    transcript: Transcript
    tab: str

    def copy_text(self) -> str:
        try:
            return self._copy(self._text(), "the text")
        except Changed as problem:
            return str(problem)

    def copy_json(self) -> str:
        node = self.node
        if node is None or node.row is None:
            return "there is no record to copy"
        try:
            raw = self.source.raw(node.row, node.scope.session)
        except Changed as problem:
            return str(problem)
        return self._copy(raw.decode("utf-8", "replace"), f"line {node.row.line}")

    def copy_resume(self) -> str:
        session = self.transcript.session
        argv = resume_argv(session.session_id, format_of(session.format).agent)
        if argv is None:
            return "there is no command that goes on with this session"
        self._copy(shlex.join(argv), "the resume command")
        where = f"; run it in {text.one_line(session.project, 60)}" if session.project else ""
        return f"copied: {shlex.join(argv)}{where}"

    def page(self) -> str:
        try:
            words = text.clean(self._text())
        except Changed as problem:
            return str(problem)
        return self._run(_command("PAGER", "less"), words)

    def edit(self) -> str:
        command = _command("VISUAL", "") or _command("EDITOR", "")
        if not command:
            return "set $EDITOR to open the file"
        path, line = self.transcript.path, 1
        if self.node is not None and self.node.row is not None:
            line = self.node.row.line
            agent = self.node.scope.agent
            path = agent.path if agent is not None and agent.path else path
        return self._run([*command, f"+{line}", os.path.abspath(path)], None)

    def _text(self) -> str:
        return whole_text(self.node, self.source, self.tab) if self.node is not None else ""

    def _copy(self, words: str, what: str) -> str:
        data = words.encode("utf-8", "replace")
        if len(data) > MOST:
            return f"{what} is too large to copy ({text.size(len(data))}); o opens it in $PAGER"
        self.app.copy_to_clipboard(data.decode())
        return f"copied {what}, {text.size(len(data))}"

    def _run(self, argv: list[str], words: str | None) -> str:
        if not argv or shutil.which(argv[0]) is None:
            return f"no such program: {text.one_line(argv[0], 60) if argv else '$PAGER'}"
        try:
            with self.app.suspend():
                data = None if words is None else words.encode("utf-8", "replace")
                subprocess.run(argv, input=data, check=False)
        except SuspendNotSupported:
            return "this terminal cannot be lent to another program"
        except OSError as error:
            return f"{text.one_line(argv[0], 60)}: {error.strerror}"
        return ""


def _command(variable: str, default: str) -> list[str]:
    try:
        return shlex.split(os.environ.get(variable) or default)
    except ValueError:
        return []
