"""Finding: the hits."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from viewer import text
from viewer.load import Step, Transcript
from viewer.nodes import Node, Thing
from viewer.outline import Outline
from viewer.search import Hit, Query, search, search_rows
from viewer.session import Session


class Finder:
    """What is sought, and the nodes that hold it, in the order of the outline."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self.query: Query | None = None
        self.hits: list[Node] = []
        self.bulk = 0  # hits in what only the model reads
        self.running = False
        self._things: dict[int, tuple[Thing, Session]] = {}

    def begin(self, words: str | None) -> None:
        self.query = Query(words) if words else None
        self.hits = []
        self.bulk = 0
        self.running = False
        self._things = {}

    def steps(self, outline: Outline) -> Iterator[None]:
        """Search; each step has looked at a piece."""
        if self.query is None:
            return
        self.running = True
        for found in search(self._transcript, self.query):
            for hit in found:
                self._take(hit, outline)
            yield
        self.running = False

    def grow(self, outline: Outline, step: Step) -> None:
        """Look for the words in what has come, too."""
        if self.query is None or not step.change.rows:
            return
        if step.reset:
            self.begin(self.query.words)
        for hit in search_rows(self._transcript, step.session, step.change.rows, self.query):
            self._take(hit, outline)
            if outline.only is not None and id(hit.thing) in self._things:
                outline.show_also(hit.thing, hit.session)

    def _take(self, hit: Hit, outline: Outline) -> None:
        if hit.bulk and not outline.everything:
            self.bulk += 1
            return
        node = outline.forest.find(hit.thing, hit.session)
        if node is not None and id(node.item) not in self._things:
            self._things[id(node.item)] = (hit.thing, hit.session)
            insort(self.hits, node, key=Node.order)

    def things(self) -> list[tuple[Thing, Session]]:
        return list(self._things.values())

    def first_from(self, place: tuple[tuple[int, int], ...]) -> Node | None:
        """The first hit at a place in the outline or behind it, as far as was looked."""
        index = bisect_left(self.hits, place, key=Node.order)
        return self.hits[index] if index < len(self.hits) else None

    def next(self, outline: Outline, direction: int) -> Node | None:
        """The hit behind the cursor, or before it, round the end."""
        if not self.hits or outline.current is None:
            return self.hits[0] if self.hits else None
        here = outline.current.order()
        if direction > 0:
            index = bisect_right(self.hits, here, key=Node.order)
        else:
            index = bisect_left(self.hits, here, key=Node.order) - 1
        return self.hits[index % len(self.hits)]

    def show(self, outline: Outline, node: Node) -> bool:
        """Put the cursor on a hit."""
        thing, session = self._things[id(node.item)]
        return outline.reveal(thing, session)

    def words(self, outline: Outline) -> str:
        """3 of 17."""
        if self.query is None:
            return ""
        total = len(self.hits)
        here = 0
        if outline.current is not None and id(outline.current.item) in self._things:
            here = bisect_left(self.hits, outline.current.order(), key=Node.order) + 1
        more = "…" if self.running else ""
        bulk = f" (+{self.bulk} in bulk, 0 shows it)" if self.bulk else ""
        sought = text.clip(self.query.words, 24)
        if not total:
            return f"“{sought}” {'…' if self.running else 'not found'}{bulk}"
        return f"“{sought}” {here or '–'} of {total}{more}{bulk}"
