"""A tool call of the Agent Client Protocol: its fields, merged over updates."""

from typing import Any

from viewer import tools
from viewer.formats.acp_content import name_in, output_in, output_text, texts_of
from viewer.formats.contract import Object
from viewer.formats.fields import mapping, string, whole
from viewer.records import ERROR_TEXT, PREVIEW, Answered, Touch

STATUSES = ("pending", "in_progress", "completed", "failed", "cancelled", "paused")
_DONE = ("completed", "failed", "cancelled")
_CHANGING = ("edit", "delete", "move")


class Known:
    """What is known of a call by now."""

    __slots__ = (
        *("name", "summary", "kind", "status", "added", "removed", "exit_code", "terminals"),
        *("fate", "answered", "_named", "_text", "_output", "_places", "_diffs"),
    )

    def __init__(self) -> None:
        self.name = "other"
        self.summary = ""
        self.kind = "other"
        self.status = "pending"
        self.added: int | None = None
        self.removed: int | None = None
        self.exit_code: int | None = None
        self.terminals: list[str] = []
        self.fate: str | None = None  # why it will not run, once that was said
        self.answered = False
        self._named = False
        self._text = ""
        self._output = ""  # of its terminal
        self._places: tuple[Touch, ...] = ()
        self._diffs: tuple[Touch, ...] = ()

    @property
    def is_done(self) -> bool:
        return self.status in _DONE

    @property
    def failed(self) -> bool:
        return self.is_done and self.status != "completed"

    @property
    def touches(self) -> tuple[Touch, ...]:
        """The files it is about: those it names, and those that its diffs are of."""
        changed = {touch.path for touch in self._diffs}
        changes = self.kind in _CHANGING
        named = [each._replace(changes=changes or each.path in changed) for each in self._places]
        paths = {touch.path for touch in self._places}
        return (*named, *(touch for touch in self._diffs if touch.path not in paths))

    def take(self, update: Object) -> None:
        """Fields that are given replace what was there; null and absent ones change nothing."""
        if kind := string(update.get("kind")):
            self.kind = kind[:40]
        if status := string(update.get("status")):
            self.status = status[:40]
        if name := name_in(update):
            self.name, self._named = name, True
        elif not self._named:
            self.name = self.kind
        input = update.get("rawInput")
        summary = tools.summarize(self.name, input) if self._named and input else ""
        summary = summary or (string(update.get("title")) or "")[:PREVIEW] or self.summary
        self.summary = summary or tools.summarize(self.name, input)
        if isinstance(places := update.get("locations"), list):
            found = [(string(mapping(each).get("path")), mapping(each)) for each in places]
            self._places = tuple(Touch(p, False, whole(each.get("line"))) for p, each in found if p)
        if isinstance(content := update.get("content"), list):
            self._take_content(content)
        if (output := output_in(update)) is not None:
            self._take_output(output)
        self.take_exit(mapping(mapping(update.get("_meta")).get("terminal_exit")))

    def _take_content(self, content: list[Any]) -> None:
        blocks = [mapping(each) for each in content]
        texts = (text for each in blocks for text in texts_of(each.get("content")))
        self._text = "\n".join(texts)[:ERROR_TEXT]
        self.terminals = [id for each in blocks if (id := string(each.get("terminalId")))]
        diffs = [each for each in blocks if each.get("type") == "diff"]
        counts = [_changed_lines(each) for each in diffs]
        known = [count for count in counts if count is not None]
        self.added = sum(added for added, _ in known) if known else None
        self.removed = sum(removed for _, removed in known) if known else None
        self._diffs = tuple(Touch(path, True) for each in diffs for path in _paths(each))

    def _take_output(self, output: object) -> None:
        self.take_exit(mapping(output))
        self._text = self._text or output_text(output)[:ERROR_TEXT]

    def take_exit(self, fields: Object) -> None:
        for key in ("exitCode", "exit_code"):
            if (code := whole(fields.get(key))) is not None:
                self.exit_code = code

    def take_terminal(self, result: Object) -> None:
        """What its terminal shows by now, and how the command there ended."""
        output = string(result.get("output")) or self._output + (string(result.get("data")) or "")
        self._output = output[-ERROR_TEXT:]
        self.take_exit(result)
        self.take_exit(mapping(result.get("exitStatus")))

    def answer(self, id: str) -> Answered:
        """Its result, now that it is done."""
        answered = Answered(id, self.failed, self._text or self._output)
        self._text = self._output = ""  # a log has tens of thousands of calls
        if self.exit_code is not None:
            answered.exit_code = self.exit_code
        if self.status == "cancelled":
            answered.denial = "cancelled"
        elif self.failed and self.fate == "PERMISSION_DENIED":
            answered.denial, answered.denied_before_run = "user-rejected", True
        return answered


def _paths(diff: Object) -> list[str]:
    """The files that a diff is of. The draft of version 2 has several in one."""
    changes = diff.get("changes")
    each = [mapping(change) for change in changes] if isinstance(changes, list) else [diff]
    return [path for change in each if (path := string(change.get("path")))]


def _changed_lines(diff: Object) -> tuple[int, int] | None:
    patch = string(mapping(diff.get("patch")).get("text"))
    if patch is not None:
        lines = patch.split("\n")
        signs = [line[0] for line in lines if line[:1] in ("+", "-") and line[:3] not in _HEADS]
        return signs.count("+"), signs.count("-")
    old, new = diff.get("oldText"), diff.get("newText")
    added, removed = tools.changed_lines({"old_string": old, "new_string": new})
    return (added, removed or 0) if added is not None else None


_HEADS = ("+++", "---")
