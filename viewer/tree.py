"""The tree by parentUuid: which rows follow which, and where the conversation forked.

Rows come in file order, one at a time, and each costs what it touches. A straight chain is one
branch. A child is light while its subtree holds only results, hooks, attachments and further
blocks of its parent's own API message; it is heavy once the subtree holds a prompt or another
message. A row with two heavy children is a true fork (format.md F4), and from then on each heavy
child has a branch of its own. Parallel calls, side leaves and hooks therefore never fork.

A row's subtree is known by at most two different keys (a message id, or PROMPT): "holds a key
other than my parent's" needs no more, and spreading keys upwards stops at the first row that
knows them, so a row is touched a bounded number of times.

The one thing that is not done row by row is a parent that comes after its children: it makes the
tree stale, and `settle` builds it once more, parents first. A row keeps its lane (the main
conversation, or one sub-agent) all its life; a parent in another lane is none.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

from viewer.model import CYCLE, DUPLICATE, GAP, HUNG, LOGICAL, LOOSE, PROMPT, Agent, Branch, Row
from viewer.records import Record


class Tree:
    """All rows of one file that have a place."""

    def __init__(self) -> None:
        self.trunk = Branch()
        self.branches: list[Branch] = []  # those that leave a fork, in the order of discovery
        self.restructured = False  # rows that had a place already have moved
        self._lanes: list[Branch] = [self.trunk]
        self._stale = False
        self._by_uuid: dict[str, Row] = {}
        self._waiting: dict[str, list[Row]] = {}  # by the uuid of a parent that is not there yet
        self._tops: dict[int, Row] = {}  # short cuts upwards, made while looking for circles

    def find(self, uuid: str | None) -> Row | None:
        return self._by_uuid.get(uuid) if uuid else None

    def new_lane(self, agent: Agent) -> Branch:
        """The trunk of a sub-agent."""
        lane = Branch(agent=agent)
        self._lanes.append(lane)
        return lane

    def add(self, row: Row, record: Record, lane: Branch) -> None:
        """Give a row its place."""
        uuid, parent_uuid = record.uuid, record.parent
        by_uuid = self._by_uuid
        if uuid is not None and uuid in by_uuid:
            # It keeps its place in the file but takes no part in the tree, or replayed lines
            # would fork every conversation.
            row.marks |= DUPLICATE | LOOSE
            row.key = None
            self._place(row, lane)
            return
        parent = by_uuid.get(parent_uuid) if parent_uuid else None
        if parent is not None and parent.branch.lane is lane:  # type: ignore[union-attr]
            row.parent = parent
        else:
            self._leave_loose(row, record, lane)
        if uuid is not None:
            by_uuid[uuid] = row
            if self._waiting and (children := self._waiting.pop(uuid, None)):
                self._adopt(row, children, lane)
        self._place(row, lane)

    def hang(self, row: Row) -> None:
        """Show a row that has no parent after the one before it in the file."""
        row.marks |= LOOSE | HUNG
        self._place(row, self.trunk)

    def settle(self) -> None:
        """Build the tree once more if parents came after their children."""
        if not self._stale:
            return
        self._stale = False
        self.restructured = True
        branches = (*self._lanes, *self.branches)
        placed = [(branch.lane, row) for branch in branches for row in branch.rows]
        placed.sort(key=lambda each: (each[1].line, each[1].start))
        self.branches.clear()
        for lane in self._lanes:
            lane.rows, lane.last = [], None
        waiting: dict[int, list[tuple[Branch, Row]]] = {}
        for _, row in placed:
            row.branch = row.heavy = row.own = row.first_key = row.second_key = None
        for first in placed:
            stack = [first]
            while stack:
                lane, row = stack.pop()
                parent = row.parent
                if parent is not None and not row.marks & LOOSE and parent.branch is None:
                    waiting.setdefault(id(parent), []).append((lane, row))
                    continue
                self._place(row, lane)
                stack += reversed(waiting.pop(id(row), ()))

    def _leave_loose(self, row: Row, record: Record, lane: Branch) -> None:
        row.marks |= LOOSE
        parent_uuid = record.parent
        if parent_uuid is not None and parent_uuid not in self._by_uuid:
            if parent_uuid == record.uuid:
                row.marks |= CYCLE
            else:
                row.marks |= GAP
                self._waiting.setdefault(parent_uuid, []).append(row)
        elif record.logical_parent and record.type == "system/compact_boundary":
            # Only a boundary's logical parent counts, and only one before it (format.md F5).
            parent = self._by_uuid.get(record.logical_parent)
            if parent is not None and parent.branch.lane is lane:  # type: ignore[union-attr]
                row.parent = parent
                row.marks |= LOGICAL
                if parent.heavy is None:
                    row.marks &= ~LOOSE  # nothing else followed: it carries the conversation on

    def _adopt(self, row: Row, children: list[Row], lane: Branch) -> None:
        if not row.marks & LOOSE and any(self._top(row.parent) is child for child in children):
            row.marks |= LOOSE | CYCLE
            row.parent = None
        for child in children:
            if child.branch.lane is lane:  # type: ignore[union-attr]
                child.parent = row
                child.marks &= ~(LOOSE | GAP)
                self._stale = True

    def _top(self, row: Row | None) -> Row | None:
        """The first row of the chain that a row stands in."""
        passed: list[Row] = []
        while row is not None and not row.marks & LOOSE and row.parent is not None:
            passed.append(row)
            row = self._tops.get(id(row), row.parent)
        if row is not None:
            for each in passed:
                self._tops[id(each)] = row
        return row

    def _place(self, row: Row, lane: Branch) -> None:
        parent = row.parent
        if row.marks & LOOSE and not row.marks & LOGICAL:
            parent = row.parent = lane.last
        if row.key is None:
            if parent is not None and not row.marks & LOOSE:
                row.own = parent.own
        elif row.key != PROMPT:
            row.own = row.key
        row.branch = branch = (parent.branch if parent else None) or lane
        branch.rows.append(row)
        if not row.marks & HUNG:
            lane.last = row
        if row.key is not None and not self._stale:
            self._spread(row, row.key)

    def _spread(self, row: Row, key: str) -> None:
        """Tell a row and those above it that `key` is in their subtree."""
        node: Row | None = row
        while node is not None:
            if node.first_key is None:
                node.first_key = key
            elif node.first_key == key or node.second_key is not None:
                return
            else:
                node.second_key = key
            parent = node.parent
            if parent is None or node.marks & LOOSE:
                return
            if node.second_key is not None or node.first_key != parent.own:
                if parent.heavy is None:
                    parent.heavy = node
                elif parent.heavy is not node and node.branch is parent.branch:
                    self._fork(parent, node)
            node = parent

    def _fork(self, row: Row, child: Row) -> None:
        first = row.heavy
        assert first is not None
        for each in (first, child):
            if each.branch is row.branch:
                assert each.branch is not None
                branch = Branch(row)
                branch.rows = _subtree(each)
                _take(each.branch, branch.rows)
                for member in branch.rows:
                    member.branch = branch
                self.branches.append(branch)
        self.restructured = True


def _position(rows: list[Row], row: Row) -> int:
    """Where a row stands; late parents concern the latest rows, so look there first."""
    for index in range(len(rows) - 1, max(-1, len(rows) - 65), -1):
        if rows[index] is row:
            return index
    return rows.index(row)


def _subtree(row: Row) -> list[Row]:
    """The row and all that hangs on it in its own branch, in order."""
    branch = row.branch
    assert branch is not None
    members = [row]
    inside = {id(row)}
    for index in range(_position(branch.rows, row) + 1, len(branch.rows)):
        each = branch.rows[index]
        if id(each.parent) in inside:
            inside.add(id(each))
            members.append(each)
    return members


def _take(branch: Branch, rows: list[Row]) -> None:
    """Remove rows, which stand in order, from a branch."""
    first = _position(branch.rows, rows[0])
    if branch.rows[first : first + len(rows)] == rows:
        del branch.rows[first : first + len(rows)]
        return
    gone = set(map(id, rows))
    branch.rows[first:] = [row for row in branch.rows[first:] if id(row) not in gone]


def reasons(tree: Tree) -> dict[int, str]:
    """Why there are branches, by their ids: rewound, retried, or two programs in one session."""
    forks: dict[int, list[Branch]] = defaultdict(list)
    for branch in tree.branches:
        forks[id(branch.fork)].append(branch)
    found: dict[int, str] = {}
    for siblings in forks.values():
        siblings.sort(key=lambda each: each.rows[0].line)
        ends = list(accumulate((each.rows[-1].line for each in siblings), max))
        asked = False  # whether this one or a later one began with a prompt
        for number in reversed(range(len(siblings))):
            branch = siblings[number]
            asked = asked or any(row.key == PROMPT for row in branch.rows[:20])
            begins_inside = number > 0 and branch.rows[0].line < ends[number - 1]
            next_begins_inside = (
                number + 1 < len(siblings) and siblings[number + 1].rows[0].line < ends[number]
            )
            if begins_inside or next_begins_inside:
                found[id(branch)] = "concurrent"
            else:
                found[id(branch)] = "rewound" if asked else "retried"
    return found


# The order of the rows

_Step = Row | Branch | Iterator["_Step"]


def follow(tree: Tree, branch: Branch, active: set[int]) -> Iterator[Row | Branch]:
    """The rows of a branch with those of the branches in use that go on from it; branches that
    were left come as they are."""
    forks: dict[int, list[Branch]] = defaultdict(list)
    for each in tree.branches:
        forks[id(each.fork)].append(each)
    stack: list[Iterator[_Step]] = [_steps(branch, active, forks)]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        elif isinstance(step, (Row, Branch)):
            yield step
        else:
            stack.append(step)


def _steps(branch: Branch, active: set[int], forks: dict[int, list[Branch]]) -> Iterator[_Step]:
    waiting: list[Branch] = []

    def enter(each: Branch) -> _Step:
        is_in_use = each.agent is None and id(each) in active
        return _steps(each, active, forks) if is_in_use else each

    for row in branch.rows:
        while waiting and waiting[0].rows[0].line < row.line:
            yield enter(waiting.pop(0))
        yield row
        if id(row) in forks:
            waiting += forks[id(row)]
            waiting.sort(key=lambda each: (id(each) in active, each.rows[0].line))
    for each in waiting:
        yield enter(each)
