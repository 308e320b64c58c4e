"""What has to be remembered of a Codex rollout while it is read.

Its lines name no parents: each that says something follows the one before, until a rollback. And
nearly everything is told twice, by an item and by an event (see codex.py): what was told by the
one is not shown again when the other tells it.
"""

from collections import Counter
from typing import Literal

from viewer import tools
from viewer.formats.codex_text import request, spent
from viewer.formats.contract import Object
from viewer.formats.fields import mapping, string, whole
from viewer.records import PREVIEW, Answered, Asked, Compacted, Record, Said, Updated, task_key

Source = Literal["item", "event"]

_OTHER: dict[Source, Source] = {"item": "event", "event": "item"}
_RUNNING = ("in_progress", "open", "searching", "generating")


class Rollout:
    def __init__(self) -> None:
        self.id: str | None = None
        self.path: str | None = None  # of a sub-agent: as the others call it
        self.model: str | None = None
        self.calls: set[str] = set()
        self.patched: dict[str, list[str]] = {}  # the files of patches, as the model named them
        self.steps: set[str] = set()  # what scripts of the model did by themselves
        self.copied_until = 0  # lines before this ordinal are those of the session it began in
        self._context: int | None = None  # tokens in the model's window
        self._told: Counter[tuple[str, int, Source]] = Counter()  # and not yet by the other source
        self._open: dict[str, None] = {}  # calls without an output, in this turn
        self._left: list[tuple[int, str]] = []  # in the turns before: the turn and the call
        self._number = 0
        self._last: str | None = None  # uuid of the record before
        self._turns: list[str | None] = []  # after which record each turn began
        self._response = 0
        self._speaks = False  # the model, since something was answered to it
        self._thoughts: set[int] = set()  # of this response
        self._prompt: str | None = None  # the last one, where nothing came after it
        self._compacted = False  # and nothing was said since

    # Places

    def link(self, record: Record) -> None:
        """Each record that says something follows the one before."""
        if record.opens_turn:
            self._turns.append(self._last)
        record.linked = True
        self._number += 1
        record.uuid = str(self._number)
        record.parent = record.parent or self._last
        self._last = record.uuid

    def roll_back(self, record: Record, turns: int) -> None:
        """The last turns are left, and the conversation goes on from before them."""
        turns = min(turns, len(self._turns))
        if turns <= 0:
            return
        record.parent = self._turns[-turns]
        del self._turns[-turns:]
        record.message_id = f"rollback {self._number}"
        record.spoken = True
        left = [id for turn, id in self._left if turn > len(self._turns)]
        record.parts += [Updated(id, fate="") for id in left]  # that they were left says it all
        self._open.clear()
        self.is_answered()

    def speaks(self, record: Record) -> None:
        """The model says something: part of one response until it is answered."""
        if not self._speaks:
            self._response += 1
            self._speaks = True
        self._prompt, self._compacted = None, False
        record.message_id = f"response {self._response}"
        record.spoken = True

    def is_answered(self, call: str | None = None) -> None:
        self._speaks = False
        self._thoughts.clear()
        self._open.pop(call or "", None)

    def begins_turn(self) -> None:
        self._prompt = None

    # What is said

    def is_new(self, who: str, text: str, source: Source) -> bool:
        """Whether something was not told by the other source before. The two differ in blanks."""
        key = who, hash("".join(text.split()))
        if self._told.pop((*key, _OTHER[source]), 0):
            return False
        self._told[(*key, source)] += 1
        return True

    def prompt(self, record: Record, text: str, source: Source) -> None:
        """What the user asks."""
        text = request(text)
        self.is_answered()
        self._compacted = False
        if not text.strip():
            return
        # A review tells its prompt by two events in a row, and by no item (0.144).
        if source == "event" and text == self._prompt:
            return
        if self.is_new("user", text, source):
            self._prompt = text if source == "event" else None
            self.leave_calls(record, "UNKNOWN")
            record.parts.append(Said("prompt", text[:PREVIEW]))
            record.task = task_key(text)
            record.opens_turn = record.spoken = True

    def reply(self, record: Record, text: str, source: Source) -> None:
        if text.strip() and self.is_new("assistant", text, source):
            self.speaks(record)
            record.parts.append(Said("reply", text[:PREVIEW]))

    def think(self, record: Record, text: str, source: Source) -> None:
        """Items of one response may repeat each other's thoughts."""
        if not text.strip() or not self.is_new("thinking", text, source):
            return
        self.speaks(record)
        if hash(text) not in self._thoughts:
            self._thoughts.add(hash(text))
            record.parts.append(Said("thinking", text[:PREVIEW]))

    def ask(self, record: Record, asked: Asked) -> None:
        """The model calls a tool."""
        self.speaks(record)
        record.parts.append(asked)
        if asked.id is not None and asked.id not in self.calls:
            self.calls.add(asked.id)
            self._open[asked.id] = None

    def leave_calls(self, record: Record, fate: str) -> None:
        """The turn is over: outputs may still come, but nothing waits for them."""
        record.parts += [Updated(id, fate=fate) for id in self._open]
        if fate == "UNKNOWN":
            self._left += [(len(self._turns), id) for id in self._open]
        self._open.clear()

    def search(self, record: Record, item: Object, name: str, source: Source) -> None:
        """A call that the API ran by itself; it has a state, but no output."""
        action = mapping(item.get("action"))
        about = action or {"query": item.get("query") or item.get("revised_prompt")}
        summary = tools.summarize(name, about)
        if not self.is_new(name, summary, source):
            return
        id = string(item.get("call_id")) or string(item.get("id")) or f"{name} {self._number + 1}"
        if id in self.calls:
            return
        self.ask(record, Asked(id, name, summary))
        status = string(item.get("status")) or "completed"
        if status not in _RUNNING:
            record.parts.append(Answered(id, status in ("failed", "incomplete"), status))
            self._open.pop(id, None)

    def compact(self, record: Record) -> None:
        """Told up to three times in a row: by the new history, an item and an event."""
        if not self._compacted:
            self._compacted = True
            record.parts.append(Compacted("auto", self._context))

    def spend(self, record: Record, info: Object) -> None:
        """The file's own totals."""
        total, last = mapping(info.get("total_token_usage")), mapping(info.get("last_token_usage"))
        self._context = whole(last.get("total_tokens")) or self._context
        if total:
            said = spent(total, self.model, total=True)
            said.context = self._context
            record.parts.append(said)
