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

    def touch(self, touches: Iterable[Touch], row: Row, call: Call | None) -> None:
        touches = list(touches)
        for path, changes, line in touches:
            known = self._touched.pop(path, None) or Touched(path, row, call)
            self._touched[path] = known
            again = call is not None and known.call is call and bool(known.reads + known.changes)
            known.line = line if line is not None or not again else known.line
            if not again:
                known.row, known.call = row, call
                known.changes += changes
                known.reads += not changes
            elif changes and not any(each is call for each in known.edits[-1:]):
                # Another record of the same call says that it was more than a look.
                known.reads -= 1
                known.changes += 1
            alone = call is not None and changes and len(touches) == 1
            if call is not None and alone and not any(each is call for each in known.edits[-1:]):
                known.edits.append(call)

    def all(self) -> Sequence[Touched]:
        """In the order in which they were touched last."""
        return list(self._touched.values())

    @property
    def current(self) -> Touched | None:
        return next(reversed(self._touched.values()), None)

    def __len__(self) -> int:
        return len(self._touched)
