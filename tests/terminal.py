"""A real terminal for tests: a pty, emulated by pyte. Every byte that was written is kept."""

import collections
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

import pyte

# Sequences that pyte does not know and would print as text.
_UNKNOWN = re.compile(
    rb"\x1b\[[>=<][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b[_P^][^\x1b]*\x1b\\|\x1b\[\?[0-9;]*u"
    rb"|\x1b\[[0-9;]*t|\x1b\[[0-9;]* q"
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*)?\Z|\x1b[\]P_^X][^\x07\x1b]*\Z")
# What a real terminal answers when it is asked.
_ANSWERS = (
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
)
KEYS = {
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H",
    "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "enter": "\r", "escape": "\x1b",
    "tab": "\t", "space": " ", "backspace": "\x7f",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
}  # fmt: skip


class Terminal:
    """Runs a command; `with Terminal([...]) as terminal: terminal.expect("words")`."""

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 120,
        rows: int = 40,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
    ) -> None:
        self.command = list(command)
        self.columns, self.rows, self.cwd = columns, rows, cwd
        known = {name: value for name, value in os.environ.items() if name not in _DROPPED}
        self.env = {
            **known, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8",
            "TZ": "UTC", **(env or {}),
        }  # fmt: skip
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._chunks: collections.deque[tuple[float, bytes]] = collections.deque()
        self._event = threading.Event()
        self._ended = False
        self._carry = b""  # the beginning of a sequence whose end is still to come
        self.raw = b""
        self.peak_rss_kb = 0
        self.first_paint_ms: float | None = None
        self.exit_status: int | None = None

    def __enter__(self) -> "Terminal":
        self._begun = self._since = time.perf_counter()
        size = struct.pack("HHHH", self.rows, self.columns, 0, 0)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                if self.cwd:
                    os.chdir(self.cwd)
                fcntl.ioctl(0, termios.TIOCSWINSZ, size)
                os.execvpe(self.command[0], self.command, self.env)
            except BaseException as error:
                os.write(2, f"exec failed: {error}".encode())
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._watch_memory, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read(self) -> None:
        sys.setswitchinterval(0.0005)
        while True:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            now = time.perf_counter()
            if not data:
                self._ended = True
                self._event.set()
                return
            self.raw += data
            for question, answer in _ANSWERS:
                if question in data:
                    self._write(answer)
            self._chunks.append((now, data))
            self._event.set()

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self.fd, data)

    def _watch_memory(self) -> None:
        while not self._ended:
            try:
                with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
                    found = re.search(r"VmHWM:\s+(\d+)", file.read())
            except OSError:
                return
            self.peak_rss_kb = max(self.peak_rss_kb, int(found[1]) if found else 0)
            self._event.wait(0.05)

    def _digest(self) -> float | None:
        if not self._chunks:
            return None
        when, data = self._chunks.popleft()
        while self._chunks and self._chunks[0][0] - when < 0.0005 and len(data) < 262144:
            data += self._chunks.popleft()[1]
        data = self._carry + data
        unfinished = _UNFINISHED.search(data)
        self._carry = unfinished.group() if unfinished else b""
        data = data[: len(data) - len(self._carry)]
        with contextlib.suppress(Exception):
            self._stream.feed(_UNKNOWN.sub(b"", data))
        if self.first_paint_ms is None and self.text().strip():
            self.first_paint_ms = (when - self._begun) * 1000
        return when

    def text(self) -> str:
        # pyte's own `display` fails on what is left of a wide character that was overwritten.
        lines = (self.screen.buffer[y] for y in range(self.rows))
        columns = range(self.columns)
        return "\n".join("".join(line[x].data for x in columns).rstrip() for line in lines)

    def until(self, condition: Callable[[str], bool], timeout: float = 60) -> float | None:
        """Milliseconds since the start or the last key until it holds; None at the limit."""
        limit = time.perf_counter() + timeout
        looked = False
        while True:
            when = self._digest()
            # Reading a large screen takes milliseconds: only when something was written.
            if (when is not None or not looked) and condition(self.text()):
                return ((when or time.perf_counter()) - self._since) * 1000
            looked = True
            if when is None:
                if (self._ended and not self._chunks) or time.perf_counter() > limit:
                    return None
                self._event.wait(0.005)
                self._event.clear()

    def expect(self, words: str, timeout: float = 60) -> float | None:
        return self.until(lambda screen: words in screen, timeout)

    def settle(self, quiet: float = 0.15, timeout: float = 20) -> None:
        """Until nothing was written for a moment."""
        now = time.perf_counter()
        end, limit = now + quiet, now + timeout
        while time.perf_counter() < min(end, limit):
            if self._digest() is not None:
                end = time.perf_counter() + quiet
            else:
                self._event.wait(0.01)
                self._event.clear()

    def send(self, *keys: str) -> None:
        """Keys by name, or words as they are."""
        while self._digest() is not None:
            pass
        self._since = time.perf_counter()
        for key in keys:
            self._write(KEYS.get(key, key).encode())

    def click(self, column: int, row: int) -> None:
        """Press and let go the left button; the first cell is 0, 0."""
        self.send(f"\x1b[<0;{column + 1};{row + 1}M", f"\x1b[<0;{column + 1};{row + 1}m")

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.screen.resize(rows, columns)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        os.kill(self.pid, signal.SIGWINCH)

    def wait_exit(self, timeout: float = 10) -> int | None:
        """The exit code (negative: the signal), or None while it still runs."""
        limit = time.perf_counter() + timeout
        while time.perf_counter() < limit and self.exit_status is None:
            self._digest()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit_status = os.waitstatus_to_exitcode(status)
            else:
                self._event.wait(0.01)
                self._event.clear()
        # What was written last may still be on its way.
        while self.exit_status is not None and not self._ended and time.perf_counter() < limit:
            self._event.wait(0.01)
            self._event.clear()
        while self._digest() is not None:
            pass
        return self.exit_status

    def close(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.exit_status is not None:
                break
            with contextlib.suppress(OSError):
                os.kill(self.pid, number)
            with contextlib.suppress(ChildProcessError):
                self.wait_exit(1.5)
        self._ended = True
        with contextlib.suppress(OSError):
            os.close(self.fd)


_DROPPED = ("TMUX", "NO_COLOR", "CI", "COLUMNS", "LINES", "CLAUDE_CONFIG_DIR", "PAGER", "EDITOR")
