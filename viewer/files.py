"""The files that a session touches, one after the other: read and changed how often, where last."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from viewer.model import Call, Row
from viewer.records import Touch


@dataclass(slots=True)
class Touched:
    path: str
    row: Row  # of the last call
    call: Call | None
    reads: int = 0
    changes: int = 0
    line: int | None = None  # in the file: where it was looked at last, if that was told
    edits: list[Call] = field(default_factory=list)  # that changed it

    @property
    def lines(self) -> tuple[int, int]:
        """How many lines were added and removed, as far as that is known. A call that changed
        several files is counted with each of them by itself only where it says so."""
        done = [call for call in self.edits if call.result is not None and not call.failed]
        return sum(call.added or 0 for call in done), sum(call.removed or 0 for call in done)


class Files:
    def __init__(self) -> None:
        self._touched: dict[str, Touched] = {}  # the one touched last at the end
        # Of calls that have no result yet: the files they were counted for, and whether as changed.
        self._counted: dict[int, dict[str, bool]] = {}

    def touch(self, touches: Iterable[Touch], row: Row, call: Call | None) -> None:
        """Several records of a call may name the same files; each counts once for it."""
        touches = list(touches)
        counted = self._counted.setdefault(id(call), {}) if call is not None else {}
        for path, changes, line in touches:
            known = self._touched.pop(path, None) or Touched(path, row, call)
            self._touched[path] = known
            before = counted.get(path)
            known.line = line if line is not None or before is None else known.line
            known.row, known.call = call.row if call is not None else row, call
            if before is None:
                known.changes += changes
                known.reads += not changes
            elif changes and not before:
                known.reads -= 1  # another record says that it was more than a look
                known.changes += 1
            if call is not None and changes and not before and len(touches) == 1:
                known.edits.append(call)
            counted[path] = changes or bool(before)

    def answered(self, call: Call) -> None:
        """Nothing more is to be told of a call."""
        self._counted.pop(id(call), None)

    def all(self) -> Sequence[Touched]:
        """In the order in which they were touched last."""
        return list(self._touched.values())

    @property
    def current(self) -> Touched | None:
        return next(reversed(self._touched.values()), None)

    def __len__(self) -> int:
        return len(self._touched)
