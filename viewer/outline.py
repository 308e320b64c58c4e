"""What is on the screen of the outline: nodes with folds, filters and a cursor, as flat rows.

Changes come in as steps of a reading. What is appended costs what it adds; only when rows have
moved, or a filter changes, is the list made anew. The cursor stays on its node whatever happens:
where that node cannot be seen, it stands on the nearest row above.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from viewer.load import Step, Transcript
from viewer.model import DEAD, SESSION, Agent, Call, Entry, Liveness, Row
from viewer.nodes import Forest, Node, Thing
from viewer.session import Session


class View(NamedTuple):
    """How an outline was looked at, to come back to."""

    folds: dict[int, bool]
    off: set[str]
    everything: bool
    only: set[int] | None
    current: Node | None


class Outline:
    def __init__(self, transcript: Transcript, liveness: Liveness = DEAD) -> None:
        self.forest = Forest(transcript, liveness)
        self.rows: list[Node] = []
        self.cursor = 0
        self.off: set[str] = set()  # categories that are not shown
        self.everything = False  # show the bulk for the model too
        self.only: set[int] | None = None  # ids of things: show these, and what they stand in
        self.stale = False  # rows have moved, and `refresh` was not called since
        self.arrived = 0  # rows that came by themselves; whoever counts them sets it back
        self._current: Node | None = None
        self._folds: dict[int, bool] = {}  # by the id of a thing: what the user chose
        self._folds_of_only: dict[int, bool] = {}  # the same while only some things are shown
        self._rest_shown = 0
        self.refresh()

    @property
    def transcript(self) -> Transcript:
        return self.forest.transcript

    @property
    def current(self) -> Node | None:
        """The node under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    # Change

    def apply(self, step: Step, liveness: Liveness) -> None:
        """Take in a step. Where rows have moved the outline is stale until it is refreshed, so
        that the caller decides how often that is done."""
        if step.reset:
            self._folds.clear()
            self._current = None
            self.rows, self.cursor, self._rest_shown = [], 0, 0
            self.stale = True
        self.judge(liveness)
        if step.change.restructured:
            self.stale = True
        if self.stale:
            return
        for agent in step.change.agents:
            self._update_agent(agent)
        for row in step.change.rows:
            container = self.forest.container(row) if row.entries else None
            if container is not None:
                for node in self.forest.add_row(row, container):
                    self._show(node)
        for call in step.change.calls:
            self._update_call(call)
        if self.forest.rest or self.forest.has_rest:
            self._update_rest()

    def judge(self, liveness: Liveness) -> None:
        """Time has passed, or the program behind the session does something else."""
        if self.forest.judge_anew(liveness):
            self.stale = True

    def refresh(self) -> None:
        """Make everything anew: rows have moved."""
        here = self._current or self.current
        before, self.rows = len(self.rows), []
        self.stale = False
        self.forest.begin()
        # It may stand in a part that is made only when somebody looks.
        self._current = self.forest.find(here.item, here.scope.session) if here else None
        self._flatten_all()
        self.arrived += max(0, len(self.rows) - before)

    def _update_call(self, call: Call) -> None:
        node = self.forest.made(call)
        if node is None:
            return
        for hook in self.forest.add_hooks(node):
            self._show(hook)
        if node.can_unfold and node.open != self._is_open(node) and node in self.rows:
            self._unfold(node) if self._is_open(node) else self._fold(node)

    def _update_agent(self, agent: Agent) -> None:
        """A sub-agent was tied to its call, or is known to have made another call."""
        forest = self.forest
        node = forest.made(agent.call) if agent.call is not None else forest.made(agent)
        if node is None:
            return  # it is made when somebody looks
        if forest.is_filled(agent) and forest.has_moved(agent, node):
            self.stale = True
        elif node.children is None:
            return
        elif not forest.is_filled(agent):
            forest.fill_agent(node, agent)
            if node.open:
                self._fold(node)
                self._unfold(node)
        else:
            for call in forest.add_agent_calls(node, agent):
                self._show(call)

    def _update_rest(self) -> None:
        start = len(self.rows) - self._rest_shown
        inside = bool(self.rows) and self.cursor >= start
        if inside and self._current is None:
            self._current = self.current
        del self.rows[start:]
        self.forest.update_rest()
        rest = self._flatten(self.forest.rest)
        self._rest_shown = len(rest)
        self.rows += rest
        if inside:
            self._place_cursor()

    def _show(self, node: Node) -> None:
        """Put a new node where it belongs, if it is to be seen."""
        node.open = self._is_open(node)
        if not self._passes(node) or not all(above.open for above in node.above()):
            return
        index = len(self.rows) - self._rest_shown
        if not self._is_last(node):
            before = self._before(node)
            at = self.index(before)
            if at is None:
                self._flatten_all()
                return
            index = at + 1 if before is node.parent else self._end_of(at)
        inside = self._flatten(self.forest.children(node)) if node.open and node.can_unfold else []
        alone = not self.rows
        self.arrived += 1 + len(inside)
        self._insert(index, [node, *inside])
        if alone:
            self.cursor = 0

    def _before(self, node: Node) -> Node | None:
        """The sibling before a node, or else what it stands in."""
        siblings = (node.parent.children if node.parent else None) or []
        index = next(i for i in reversed(range(len(siblings))) if siblings[i] is node)
        return siblings[index - 1] if index else node.parent

    def _insert(self, index: int, nodes: list[Node]) -> None:
        if index > len(self.rows) - self._rest_shown:
            self._rest_shown += len(nodes)
        self.rows[index:index] = nodes
        if index <= self.cursor:
            self.cursor += len(nodes)

    def _is_last(self, node: Node) -> bool:
        while node.parent is not None:
            children = node.parent.children
            if not children or children[-1] is not node:
                return False
            node = node.parent
        return True

    # What is seen

    def _passes(self, node: Node) -> bool:
        if self.only is not None:
            return id(node.item) in self.only
        return (self.everything or not node.hidden) and node.category not in self.off

    def _is_open(self, node: Node) -> bool:
        if self.only is not None:
            return self._folds_of_only.get(id(node.item), id(node.item) in self.only)
        chosen = self._folds.get(id(node.item))
        if chosen is not None:
            return chosen
        call = node.call
        if call is None:
            other_session = isinstance(node.item, Agent) and node.item.type == SESSION
            return node.is_turn or other_session
        # Reads never open by themselves, failures do.
        failed = call.failed or any(hook.failed for hook in call.hooks)
        return bool(call.hooks) and call.agent is None and failed

    def _flatten_all(self) -> None:
        if self._current is None:
            self._current = self.current
        self.rows = self._flatten(self.forest.root.children or ())
        rest = self._flatten(self.forest.rest)
        self._rest_shown = len(rest)
        self.rows += rest
        self._place_cursor()

    def _flatten(self, nodes: Sequence[Node]) -> list[Node]:
        found: list[Node] = []
        passes, is_open, children = self._passes, self._is_open, self.forest.children
        stack = [iter(nodes)]
        while stack:
            for node in stack[-1]:
                if passes(node):
                    found.append(node)
                node.open = is_open(node)
                if node.open and node.can_unfold:
                    stack.append(iter(children(node)))
                    break
            else:
                stack.pop()
        return found

    def index(self, node: Node | None) -> int | None:
        """Where a node is; it is mostly one of the last."""
        rows = self.rows
        for index in range(len(rows) - 1, max(-1, len(rows) - 200), -1):
            if rows[index] is node:
                return index
        try:
            return rows.index(node) if node is not None else None
        except ValueError:
            return None

    def _end_of(self, index: int) -> int:
        """Behind the last row that is inside the one at `index`."""
        node, end = self.rows[index], index + 1
        while end < len(self.rows) and any(each is node for each in self.rows[end].above()):
            end += 1
        return end

    # Cursor

    def move(self, index: int) -> None:
        if self.rows:
            self.cursor = max(0, min(index, len(self.rows) - 1))
            self._current = self.rows[self.cursor]

    def _place_cursor(self) -> None:
        node: Node | None = self._current
        while node is not None and node.parent is not None:
            if (index := self.index(node)) is not None:
                self.cursor = index
                return
            node = node.parent
        if self._current is not None and self.rows:
            # Nothing that holds it is seen: the last row before it is.
            place = self._current.order()
            before = bisect_right(self.rows, place, key=Node.order)
            self.cursor = max(0, before - 1)
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))

    # Folds

    def toggle(self, index: int) -> None:
        node = self.rows[index]
        self.set_fold(index, not node.open)

    def set_fold(self, index: int, open: bool) -> None:
        node = self.rows[index]
        if not node.can_unfold or node.open == open:
            return
        self._current = self.current  # not what was hidden since the cursor was put there
        self._choose(node, open)
        if open:
            self._unfold(node)
        else:
            self._fold(node)

    def _choose(self, node: Node, open: bool) -> None:
        folds = self._folds if self.only is None else self._folds_of_only
        folds[id(node.item)] = open

    def _unfold(self, node: Node) -> None:
        index = self.index(node)
        if index is None:
            return
        node.open = True
        inside = self._flatten(self.forest.children(node))
        self._insert(index + 1, inside)

    def _fold(self, node: Node) -> None:
        index = self.index(node)
        if index is None:
            return
        node.open = False
        end = self._end_of(index)
        if end > len(self.rows) - self._rest_shown:
            self._rest_shown -= end - index - 1
        del self.rows[index + 1 : end]
        if index < self.cursor < end:
            self.move(index)
        elif self.cursor >= end:
            self.cursor -= end - index - 1

    def fold_or_leave(self) -> None:
        """Fold what is open; from anything else, go to what it stands in."""
        node = self.current
        if node is None:
            return
        if node.open and node.can_unfold:
            self.set_fold(self.cursor, False)
            return
        for above in node.above():
            if (index := self.index(above)) is not None:
                self.move(index)
                return

    def unfold_or_enter(self) -> None:
        node = self.current
        if node is None or not node.can_unfold:
            return
        if not node.open:
            self.set_fold(self.cursor, True)
        elif self._end_of(self.cursor) > self.cursor + 1:
            self.move(self.cursor + 1)

    # Filters

    def switch(self, category: str) -> None:
        """Show a category, or stop showing it."""
        self.off ^= {category}
        self._flatten_all()

    def show_all(self) -> None:
        """All categories; if they are all shown, the bulk too, and then no longer."""
        self.everything = not self.everything and not self.off
        self.off.clear()
        self._flatten_all()

    def show_only(self, items: Iterable[tuple[Thing, Session]] | None) -> None:
        """Only these things and what they stand in; None for everything again."""
        self._folds_of_only.clear()
        if items is None:
            self.only = None
        else:
            self.only = set()
            for item, session in items:
                node = self.forest.find(item, session)
                if node is not None:
                    self.only.update(id(each.item) for each in (node, *node.above()))
        self._flatten_all()

    def show_also(self, item: Thing, session: Session) -> None:
        """Where only some things are shown: this one too."""
        node = self.forest.find(item, session)
        if self.only is None or node is None:
            return
        line = [*reversed(list(node.above())), node]
        new = [each for each in line if id(each.item) not in self.only]
        self.only.update(id(each.item) for each in new)
        if new:
            self._show(new[0])

    # Jumps

    def view(self) -> "View":
        """What the user chose to see, and where the cursor is."""
        only = set(self.only) if self.only is not None else None
        return View(dict(self._folds), set(self.off), self.everything, only, self.current)

    def restore(self, view: "View") -> None:
        self._folds, self.off = dict(view.folds), set(view.off)
        self.everything, self.only = view.everything, view.only
        self._current = view.current
        self._flatten_all()

    def reveal(self, item: Thing, session: Session) -> bool:
        """Put the cursor on a thing, unfolding and unfiltering what hides it."""
        node = self.forest.find(item, session)
        if node is None:
            return False
        hidden = self.only is not None and id(node.item) not in self.only
        if hidden or node.category in self.off or (node.hidden and not self.everything):
            self.only = None if hidden else self.only
            self.off.discard(node.category)
            self.everything = self.everything or node.hidden
            self._flatten_all()
        for above in reversed(list(node.above())):
            if not above.open:
                self._choose(above, True)
                if self.index(above) is None:
                    self._flatten_all()
                else:
                    self._unfold(above)
        index = self.index(node)
        if index is None:
            return False
        self.move(index)
        return True


def thing_of(row: Row) -> Thing | None:
    """What a record is shown as."""
    for entry in row.entries:
        return thing_of_entry(entry)
    return row.about  # a call, a hook, or the entry whose text it is a piece of


def thing_of_entry(entry: Entry) -> Thing:
    is_itself = entry.kind in ("call", "hook", "compaction") and entry.item is not None
    return entry.item if is_itself and entry.item is not None else entry
