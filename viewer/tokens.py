"""Tokens, counted once per API message.

Every line of a message repeats its usage, older versions with placeholders until the last line, and
resumed or forked files repeat whole messages: the largest output of a message id counts.
"""

from array import array
from dataclasses import dataclass

from viewer.records import Spent


@dataclass(frozen=True, slots=True)
class Total:
    input: int
    output: int
    cache_read: int
    cache_creation: int
    messages: int


_TOTAL = "\0total"


class Tokens:
    """Columns of numbers instead of objects: large sessions have tens of thousands of messages."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._last_id: str | None = None
        self._last: tuple[int, ...] = ()
        self._columns = tuple(array("q") for _ in range(4))
        self._sums = [0, 0, 0, 0]  # of the columns: asked for on every key press
        self._told = 0  # messages that a program has only told the totals of

    def add(self, spent: Spent) -> None:
        numbers = (spent.input, spent.output, spent.cache_read, spent.cache_creation)
        if spent.total:
            # The program counts for itself, and may tell the same numbers again.
            if numbers != self._last:
                self._told += 1
                self._last = numbers
                self._put(_TOTAL, numbers, anew=True)
            return
        id = spent.message_id
        if id is not None and id == self._last_id and numbers == self._last:
            return  # the next line of the same message
        self._last_id, self._last = id, numbers
        self._put(id or f"\0{len(self._place)}", numbers)

    def _put(self, id: str, numbers: tuple[int, ...], *, anew: bool = False) -> None:
        place = self._place.get(id)
        if place is None:
            self._place[id] = len(self._columns[0])
            for index, number in enumerate(numbers):
                self._columns[index].append(number)
                self._sums[index] += number
        elif anew or numbers[1] >= self._columns[1][place]:
            for index, number in enumerate(numbers):
                column = self._columns[index]
                self._sums[index] += number - column[place]
                column[place] = number

    def merge(self, other: "Tokens") -> None:
        """Count the messages of another file too, those of both files once."""
        self._told += other._told
        for id, place in other._place.items():
            if id.startswith("\0"):  # no id: the other file's own
                id = f"\0{len(self._place)}"
            self._put(id, tuple(column[place] for column in other._columns))

    def total(self) -> Total:
        input, output, read, creation = self._sums
        return Total(input, output, read, creation, self._told or len(self._place))
