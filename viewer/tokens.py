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
_MOST_MODELS = 200


class Tokens:
    """Columns of numbers instead of objects: large sessions have tens of thousands of messages."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._last_id: str | None = None
        self._last: tuple[int, ...] = ()
        self._columns = tuple(array("q") for _ in range(4))
        self._models = array("h")  # of each message, by its place in the names
        self._names: list[str | None] = []
        self._sums = [0, 0, 0, 0]  # of the columns: asked for on every key press
        self._told = 0  # messages that a program has only told the totals of

    def add(self, spent: Spent) -> bool:
        """Whether it says more than the last one did."""
        numbers = (spent.input, spent.output, spent.cache_read, spent.cache_creation)
        if spent.total:
            # The program counts for itself, and may tell the same numbers again.
            if numbers == self._last:
                return False
            self._told += 1
            self._last = numbers
            self._put(_TOTAL, numbers, spent.model, anew=True)
            return True
        id = spent.message_id
        if id is not None and id == self._last_id and numbers == self._last:
            return False  # the next line of the same message
        self._last_id, self._last = id, numbers
        self._put(id or f"\0{len(self._place)}", numbers, spent.model)
        return True

    def _put(
        self, id: str, numbers: tuple[int, ...], model: str | None, *, anew: bool = False
    ) -> None:
        place = self._place.get(id)
        if place is None:
            self._place[id] = len(self._columns[0])
            self._models.append(self._number(model))
            for index, number in enumerate(numbers):
                self._columns[index].append(number)
                self._sums[index] += number
        elif anew or numbers[1] >= self._columns[1][place]:
            for index, number in enumerate(numbers):
                column = self._columns[index]
                self._sums[index] += number - column[place]
                column[place] = number

    def _number(self, model: str | None) -> int:
        """A model by its number; there are few, but a hostile file may name a thousand."""
        names = self._names
        if names and names[-1] == model:
            return len(names) - 1
        if model not in names:
            if len(names) > _MOST_MODELS:
                return 0
            names.append(model)
        return names.index(model)

    def merge(self, other: "Tokens") -> None:
        """Count the messages of another file too, those of both files once."""
        self._told += other._told
        for id, place in other._place.items():
            if id.startswith("\0"):  # no id: the other file's own
                id = f"\0{len(self._place)}"
            model = other._names[other._models[place]]
            self._put(id, tuple(column[place] for column in other._columns), model)

    def total(self) -> Total:
        input, output, read, creation = self._sums
        return Total(input, output, read, creation, self._told or len(self._place))

    def by_model(self) -> dict[str | None, Total]:
        """The same for each model. Costs what there are of messages."""
        sums: dict[str | None, list[int]] = {}
        for place, number in enumerate(self._models):
            known = sums.setdefault(self._names[number], [0, 0, 0, 0, 0])
            for index, column in enumerate(self._columns):
                known[index] += column[place]
            known[4] += 1
        return {model: Total(*numbers) for model, numbers in sums.items()}
