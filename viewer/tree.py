"""The tree by parentUuid: which rows follow which, and where the conversation forked.

Rows come in file order, one at a time, and each costs what it touches. A straight chain is one
branch. A child is light while its subtree holds only results, hooks, attachments and further
blocks of its parent's own API message; it is heavy once the subtree holds a prompt or another
message. A row with two heavy children is a true fork (format.md F4), and from then on each heavy
child has a branch of its own. Parallel calls, side leaves and hooks therefore never fork.

A row's subtree is known by at most two different keys (a message id, or PROMPT): "holds a key
other than my parent's" needs no more, and spreading keys upwards stops at the first row that
knows them, so a row is touched a bounded number of times.
"""

from viewer.model import CYCLE, DUPLICATE, GAP, LOOSE, PROMPT, Branch, Row
from viewer.records import Record


class Tree:
    """All linked rows of one file."""

    def __init__(self) -> None:
        self.trunk = Branch()
        self.branches: list[Branch] = []  # those that leave a fork, in the order of discovery
        self.restructured = False  # a fork or a late parent moved rows that had a place already
        self._by_uuid: dict[str, Row] = {}
        self._waiting: dict[str, list[Row]] = {}  # by the uuid of a parent that is not there yet

    def find(self, uuid: str | None) -> Row | None:
        return self._by_uuid.get(uuid) if uuid else None

    def add(self, row: Row, record: Record, before: Row | None, start: Branch) -> None:
        """Give a row its place. `before` is the row it follows if it names no parent; `start` is
        the branch it opens if nothing came before."""
        uuid, parent_uuid = record.uuid, record.parent
        duplicate = uuid is not None and uuid in self._by_uuid
        parent = self._by_uuid.get(parent_uuid) if parent_uuid else None
        if duplicate:
            # It keeps its place in the file but takes no part in the tree, or replayed lines
            # would fork every conversation.
            row.marks |= DUPLICATE | LOOSE
            row.key = None
            parent = before
        elif parent is None:
            row.marks |= LOOSE
            if parent_uuid is not None:
                row.marks |= CYCLE if parent_uuid == uuid else GAP
                if parent_uuid != uuid:
                    self._waiting.setdefault(parent_uuid, []).append(row)
            parent = self._logical_parent(record) or before
        children = self._waiting.pop(uuid, None) if uuid and not duplicate else None
        if children and parent is not None and not row.marks & LOOSE and _above(parent, children):
            row.marks |= LOOSE | CYCLE
            parent = before
        row.parent = parent
        if row.key is None and parent is not None and not row.marks & LOOSE:
            row.own = parent.own
        elif row.key != PROMPT:
            row.own = row.key
        branch = (parent.branch if parent else None) or start
        row.branch = branch
        if uuid and not duplicate:
            self._by_uuid[uuid] = row
        if children and row.marks & LOOSE:
            self._insert_above(row, children)
        else:
            branch.rows.append(row)
            if children:
                self._move_below(row, children)
        if row.key is not None:
            self._spread(row, row.key)
        for child in children or ():
            self._adopt(row, child)

    def hang(self, row: Row, before: Row | None, start: Branch) -> None:
        """Show a row that has no place in the tree after the one before it in the file."""
        row.marks |= LOOSE
        row.parent = before
        row.branch = (before.branch if before else None) or start
        row.branch.rows.append(row)

    def _logical_parent(self, record: Record) -> Row | None:
        # Only a boundary's logical parent counts, and only one that precedes it (format.md F5).
        if record.logical_parent and record.type == "system/compact_boundary":
            return self._by_uuid.get(record.logical_parent)
        return None

    def _insert_above(self, row: Row, children: list[Row]) -> None:
        """A late parent that itself follows nothing stands where its first child stood."""
        first = children[0]
        branch = first.branch
        assert branch is not None
        row.branch, row.parent = branch, first.parent
        branch.rows.insert(_position(branch.rows, first), row)
        self.restructured = True

    def _move_below(self, row: Row, children: list[Row]) -> None:
        """A late parent with a place of its own: its children move to behind it."""
        assert row.branch is not None
        for child in children:
            assert child.branch is not None
            moved = _subtree(child)
            top = _top(row)
            if any(each is top.parent for each in moved):
                # The row stands after its own child only because nothing else was there yet
                # (2.1.37 writes the reply on line 1 and its prompt on line 4).
                top.parent = child.parent
                moved = _subtree(child)
            _take(child.branch, moved)
            row.branch.rows.extend(moved)
            for each in moved:
                each.branch = row.branch
        self.restructured = True

    def _adopt(self, row: Row, child: Row) -> None:
        child.parent = row
        child.marks &= ~(LOOSE | GAP)
        for key in (child.first_key, child.second_key):
            if key is not None:
                self._lift(child, key)

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
            node = self._weigh(node)

    def _lift(self, child: Row, key: str) -> None:
        parent = self._weigh(child)
        if parent is not None:
            self._spread(parent, key)

    def _weigh(self, child: Row) -> Row | None:
        """The parent to go on with; forks it if this child is its second heavy one."""
        parent = child.parent
        if parent is None or child.marks & LOOSE:
            return None
        if child.first_key == parent.own and child.second_key is None:
            return parent
        if parent.heavy is None:
            parent.heavy = child
        elif parent.heavy is not child and child.branch is parent.branch:
            self._fork(parent, child)
        return parent

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


def _top(row: Row) -> Row:
    """The row that begins the chain which leads to this one."""
    while row.parent is not None and not row.marks & LOOSE:
        row = row.parent
    return row


def _above(row: Row | None, others: list[Row]) -> bool:
    """Whether one of the others is this row or stands above it."""
    wanted = set(map(id, others))
    while row is not None:
        if id(row) in wanted:
            return True
        row = None if row.marks & LOOSE else row.parent
    return False
