"""Failed calls that later succeeded, found by what they were about: the same file, the same
command, the same address, the same MCP tool.

Told as the calls are answered, each at the price of itself. A failure is recovered by the first
success at the same thing that was asked for after it; the ones before it in a row are recovered by
the same success.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from viewer import causes, tools
from viewer.model import Call
from viewer.records import PREVIEW

READ_FIRST = "read before write"
SIMPLER = "simpler tool"  # MultiEdit to Edit to Write
RETRY = "retry"
OTHER_TOOL = "other tool"

_MOST_OPEN = 256  # failures at one thing that are remembered
_MOST_OTHERS = 8  # failures that a command is compared with
# From the tool that asks for most to the one that asks for least.
_DEGREES = {"MultiEdit": 0, "Edit": 1, "NotebookEdit": 1, "str_replace_editor": 1, "Write": 2,
            "apply_patch": 1}  # fmt: skip
_CD = re.compile(r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+")
_TRIMMED = re.compile(r"(?:\s*(?:\d?>&\d|\|\s*(?:head|tail|cat|grep|less|tee)\b[^|;&]*))+$")
# What a command that changes a file looks like, once what only looks so is taken away.
_WRITES = re.compile(r"sed -i|\btee\b|>|\bpatch\b|\bperl -i|\bmv\b|\bcp\b|apply_patch")
_NO_WRITE = re.compile(r"\d?>\s*(?:&\d|/dev/null)|[-=]>")

_COMMANDS = (tools.SHELLS | {"execute"}) - {"write_stdin"}  # ACP has commands without a name
_OF_FILES = frozenset(("read", "edit", "delete", "move"))

Subject = tuple[str, str]


class Recovery(NamedTuple):
    """How a failed call was made good."""

    by: Call
    pattern: str
    tries: int  # calls that failed at it, this one and those after it


@dataclass(slots=True)
class Streak:
    """The same thing failing again and again, with nothing at it succeeding in between."""

    subject: Subject
    calls: list[Call] = field(default_factory=list)


def subject_of(call: Call) -> Subject:
    """What a call is about, so that two calls at the same thing compare equal."""
    kind = call.kind
    if kind in _OF_FILES:
        return "file", call.summary
    if kind == "execute" and call.name in _COMMANDS:
        return "command", command_of(call.summary)
    if kind == "fetch":
        return "address", call.summary
    if server := tools.mcp(call.name):
        return "mcp", f"{server.server} · {server.tool}"
    return call.name, call.summary


def command_of(words: str) -> str:
    """A command without where it is run and what its output is cut down with."""
    words = words.strip()
    if words.startswith("cd"):
        words = _CD.sub("", words)
    if "|" in words or ">&" in words:
        words = _TRIMMED.sub("", words)
    return " ".join(words.split())


class Recoveries:
    """What failed in one session, and what made it good."""

    def __init__(self) -> None:
        self._news: list[Call] = []  # answered since somebody asked last
        self._found: dict[int, Recovery] = {}  # by the failed call
        self._made_good: dict[int, list[Call]] = {}  # by the call that did
        self._streaks: list[Streak] = []  # those of at least two, as they began
        self._open: dict[Subject, list[Call]] = {}
        self._running: dict[Subject, Streak] = {}
        self._reads: dict[str, Call] = {}  # the last read of a file that something failed at
        self._others: dict[str, Subject] = {}  # what other tools may make good, the latest

    def of(self, call: Call) -> Recovery | None:
        self._catch_up()
        return self._found.get(id(call))

    def by(self, call: Call) -> Sequence[Call]:
        """The failed calls that a call made good."""
        self._catch_up()
        return self._made_good.get(id(call), ())

    @property
    def streaks(self) -> Sequence[Streak]:
        self._catch_up()
        return self._streaks

    def answered(self, call: Call) -> None:
        """A call has its result."""
        self._news.append(call)

    def _catch_up(self) -> None:
        """Nobody asks while a file loads, so it is not compared then."""
        news, self._news = self._news, []
        for call in news:
            self._take(call)

    def _take(self, call: Call) -> None:
        if not call.summary or len(call.summary) >= PREVIEW:
            return  # what it is about is not told, or not all of it
        if call.failed:
            self._fail(call)
        elif self._open:
            self._succeed(call)

    def corrected(self, call: Call) -> None:
        """A later record says that a call failed after all, or did not."""
        if any(call is each for each in self._news[-8:]):
            return  # it is looked at when somebody asks
        self._catch_up()
        good = self._made_good.pop(id(call), ())
        if (recovery := self._found.pop(id(call), None)) is not None:
            others = [each for each in self.by(recovery.by) if each is not call]
            self._made_good[id(recovery.by)] = others
        subject = subject_of(call)
        waiting = [each for each in self._open.get(subject, ()) if each is not call]
        if waiting:
            self._open[subject] = waiting
        else:
            self._open.pop(subject, None)
            self._running.pop(subject, None)
        for streak in self._streaks:
            streak.calls = [each for each in streak.calls if each is not call]
        self._streaks = [streak for streak in self._streaks if len(streak.calls) > 1]
        for failed in good:
            del self._found[id(failed)]
            self._fail(failed)
        self._take(call)

    def _fail(self, call: Call) -> None:
        subject = subject_of(call)
        waiting = self._open.setdefault(subject, [])
        if any(each is call for each in waiting[-8:]):
            return
        waiting.append(call)
        del waiting[:-_MOST_OPEN]
        kind, about = subject
        if kind in ("file", "address") and len(about) >= 4:
            self._others[about] = subject
            if len(self._others) > _MOST_OTHERS:
                del self._others[next(iter(self._others))]
        streak = self._running.get(subject)
        if streak is None:
            streak = self._running[subject] = Streak(subject)
        streak.calls.append(call)
        if len(streak.calls) == 2:
            self._streaks.append(streak)

    def _succeed(self, call: Call) -> None:
        subject = subject_of(call)
        if subject[0] == "file" and call.kind == "read" and subject in self._open:
            self._reads[subject[1]] = call
            # Reading makes good what failed to read; what failed to write waits for a write.
            self._make_good(subject, call, _is_read)
            return
        if subject in self._open:
            self._running.pop(subject, None)
            self._make_good(subject, call, _any)
        if self._others and call.kind in ("execute", "search"):
            self._try_others(call)

    def _make_good(self, subject: Subject, call: Call, fits: Callable[[Call], bool]) -> None:
        waiting = self._open[subject]
        good = [failed for failed in waiting if fits(failed) and failed.row.is_before(call.row)]
        if not good:
            return
        left = [failed for failed in waiting if not any(failed is each for each in good)]
        if left:
            self._open[subject] = left
        else:
            del self._open[subject]
            self._running.pop(subject, None)
            self._others.pop(subject[1], None)
        for place, failed in enumerate(good):
            pattern = self._pattern(failed, call, subject)
            self._found[id(failed)] = Recovery(call, pattern, len(good) - place)
        self._made_good[id(call)] = [*self._made_good.get(id(call), ()), *good]

    def _pattern(self, failed: Call, call: Call, subject: Subject) -> str:
        read = self._reads.get(subject[1])
        if read is not None and failed.kind != "read" and call.kind != "read":
            if failed.row.is_before(read.row) and failed.answer is not None:
                cause = causes.of_failure(failed.name, failed.answer)
                if cause in ("READ_REQUIRED", "FILE_CHANGED", "VALIDATION_ERROR"):
                    return READ_FIRST
        if failed.name == call.name:
            return RETRY
        first, then = _DEGREES.get(failed.name), _DEGREES.get(call.name)
        return SIMPLER if first is not None and then is not None and first < then else OTHER_TOOL

    def _try_others(self, call: Call) -> None:
        """A command that names what another tool failed at: `cat` for Read, `curl` for WebFetch."""
        words = call.summary
        named = [subject for about, subject in self._others.items() if _names(words, about)]
        for subject in named:
            writes = _WRITES.search(_NO_WRITE.sub(" ", words)) is not None
            self._make_good(subject, call, _any if writes else _no_edit)


def _names(words: str, about: str) -> bool:
    """Whether a command names a path or an address, and not one that only begins or ends so."""
    at = words.find(about)
    if at < 0:
        return False
    around = words[max(0, at - 1) : at] + words[at + len(about) :][:1]
    return not any(each.isalnum() or each in "._-~" for each in around)


def _any(_: Call) -> bool:
    return True


def _is_read(failed: Call) -> bool:
    return failed.kind == "read"


def _no_edit(failed: Call) -> bool:
    return failed.kind != "edit"
