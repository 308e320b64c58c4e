"""The outline as a tree of nodes: turns hold their entries, calls their hooks and sub-agents.

Nodes hold no words (see describe.py), so that a hundred thousand of them cost little. What is
inside a sub-agent or a branch that was left is made when somebody looks. Nothing here recurses:
files nest as deep as they like.
"""

from collections import Counter
from collections.abc import Iterator

from viewer.load import Transcript
from viewer.model import (
    DEAD,
    DUPLICATE,
    Agent,
    Branch,
    Call,
    Compaction,
    Entry,
    Hook,
    Liveness,
    Row,
)
from viewer.records import Said
from viewer.session import Session
from viewer.status import Court
from viewer.tree import follow

Thing = Entry | Call | Hook | Compaction  # what a record is shown as
Item = Thing | Agent | Branch | Said | None

# What a filter chip stands for.
CATEGORIES = ("prompts", "replies", "thinking", "tools", "hooks", "system")
_CATEGORY = {
    "prompt": "prompts",
    "queued": "prompts",
    "notification": "prompts",
    "reply": "replies",
    "thinking": "thinking",
    "call": "tools",
    "agent": "tools",
    "orphan": "tools",
    "hook": "hooks",
}
TURNS = ("prompt", "queued", "notification")

ALONE, FIRST, MIDDLE, LAST = range(4)  # places in a group of parallel calls


class Scope:
    """One session of a transcript, and how its calls are judged."""

    def __init__(self, session: Session, agent: Agent | None, court: Court) -> None:
        self.session = session
        self.agent = agent  # whose file it is
        self.file = agent.file if agent else None
        self.court = court
        self.judge = court.judge(session)

    @property
    def active(self) -> set[int]:
        return self.judge.active


class Node:
    """One thing in the outline."""

    __slots__ = ("children", "group", "hidden", "item", "kind", "level", "open", "parent", "place",
                 "scope")  # fmt: skip

    def __init__(
        self, kind: str, item: Item, parent: "Node | None", level: int, scope: Scope
    ) -> None:
        self.kind = kind
        self.item = item
        self.parent = parent
        self.level = level  # of indentation
        self.scope = scope
        self.group = ALONE
        self.place = (0, 0)  # among its siblings: hooks of a call, then all others, then the rest
        self.hidden = False  # bulk that only the model needs
        self.open = False  # its children are on the screen
        self.children: list[Node] | None = None  # None until they are made

    @property
    def row(self) -> Row | None:
        item = self.item
        if isinstance(item, (Entry, Call, Hook, Compaction)):
            return item.row
        if isinstance(item, Branch):
            return item.rows[0]
        return None

    @property
    def call(self) -> Call | None:
        return self.item if isinstance(self.item, Call) else None

    @property
    def category(self) -> str:
        return _CATEGORY.get(self.kind, "system")

    @property
    def is_turn(self) -> bool:
        return self.kind in TURNS and not self.hidden

    @property
    def can_unfold(self) -> bool:
        match self.item:
            case Call() as call:
                return bool(call.hooks) or call.agent is not None
            case Agent() | Branch():
                return True
        return bool(self.children)

    def above(self) -> "Iterator[Node]":
        """Its ancestors, the nearest first, without the root."""
        node = self.parent
        while node is not None and node.parent is not None:
            yield node
            node = node.parent

    def order(self) -> tuple[tuple[int, int], ...]:
        """Compares as the outline is ordered."""
        keys = [node.place for node in (self, *self.above())]
        return tuple(reversed(keys))

    def __repr__(self) -> str:
        return f"<Node {self.kind} {self.item!r}>"


class Container:
    """Where the rows of one branch go, and the turn that they belong to at the moment."""

    __slots__ = ("level", "parent", "scope", "turn")

    def __init__(self, parent: Node, level: int, scope: Scope) -> None:
        self.parent = parent
        self.level = level
        self.scope = scope
        self.turn: Node | None = None


class Forest:
    """All nodes of a transcript, as far as they were made."""

    def __init__(self, transcript: Transcript, liveness: Liveness = DEAD) -> None:
        self.transcript = transcript
        self.liveness = liveness
        self.begin()

    def begin(self) -> None:
        """Make it anew: rows have moved."""
        self._court = Court(self.transcript, self.liveness)
        self._running: int | None = None  # sub-agents at work, once somebody asked
        self._scopes: dict[int, Scope] = {}
        self._by_item: dict[int, Node] = {}
        self._containers: dict[int, Container] = {}  # by branch
        # By sub-agent: the node that holds what it did, and from where that was taken.
        self._filled: dict[int, tuple[Node, object]] = {}
        self.counts: Counter[str] = Counter()  # nodes made, by category; bulk by itself
        main = self.scope(self.transcript.session, None)
        self.root = Node("root", None, None, -1, main)
        self.root.children = []
        trunk = self.transcript.session.tree.trunk
        self._fill(self.root, trunk, 0, main)
        self.rest: list[Node] = []  # what stands behind the conversation
        self.update_rest()

    def scope(self, session: Session, agent: Agent | None) -> Scope:
        known = self._scopes.get(id(session))
        if known is None:
            known = self._scopes[id(session)] = Scope(session, agent, self._court)
        return known

    def judge_anew(self, liveness: Liveness) -> bool:
        """Look at all sessions as they are now; True if a conversation goes on in another
        branch, so that the outline has to be made anew."""
        self.liveness = liveness
        self._court = Court(self.transcript, liveness)
        self._running = None
        moved = False
        for scope in self._scopes.values():
            judge = self._court.judge(scope.session)
            moved = moved or judge.active != scope.active
            scope.court, scope.judge = self._court, judge
        return moved

    def running_agents(self) -> int:
        """How many sub-agents are at work."""
        if self._running is None:
            court, agents = self._court, self.transcript.agents
            found = (court.of_agent(agent)[0] for agent in agents if self.liveness.alive)
            self._running = sum(status == "in_progress" for status in found)
        return self._running

    @property
    def has_rest(self) -> bool:
        """Whether something stands behind the conversation."""
        agents = self.transcript.agents
        return bool(self.root.scope.session.facts.queue) or any(a.call is None for a in agents)

    def update_rest(self) -> None:
        """Sub-agents that no call is known of, and prompts that were not taken up."""
        rest: list[Node] = []
        scope = self.root.scope
        for agent in self.transcript.agents:
            if agent.call is None:
                node = self._by_item.get(id(agent))
                if node is None:
                    node = self._by_item[id(agent)] = Node("agent", agent, self.root, 0, scope)
                rest.append(node)
        for said in scope.session.facts.queue:
            node = self._by_item.get(id(said))
            if node is None:
                node = self._by_item[id(said)] = Node("queued", said, self.root, 0, scope)
            rest.append(node)
        for number, node in enumerate(rest):
            node.place = (2, number)
        self.rest = rest

    # Making nodes

    def children(self, node: Node) -> list[Node]:
        """What is inside a node."""
        if node.children is None:
            node.children = []
            match node.item:
                case Call() as call:
                    hooks = enumerate(call.hooks)
                    node.children += [self._hook(hook, node, n) for n, hook in hooks]
                    if call.agent is not None:
                        self.fill_agent(node, call.agent)
                case Agent() as agent:
                    self.fill_agent(node, agent)
                case Branch() as branch:
                    self._fill(node, branch, node.level + 1, node.scope)
        return node.children

    def _hook(self, hook: Hook, parent: Node, number: int) -> Node:
        node = Node("hook", hook, parent, parent.level + 1, parent.scope)
        node.place = (0, number)
        self._by_item[id(hook)] = node
        self.counts["hooks"] += 1
        return node

    def fill_agent(self, node: Node, agent: Agent) -> None:
        """Make what a sub-agent did, inside a node whose children are made."""
        if self.is_filled(agent):
            return  # an agent that claims to have started itself
        self._filled[id(agent)] = (node, agent.session or agent.branch)
        self._by_item.setdefault(id(agent), node)
        level = node.level + 1
        if agent.session is not None:
            scope = self.scope(agent.session, agent)
            self._fill(node, agent.session.tree.trunk, level, scope)
        elif agent.branch is not None:
            self._fill(node, agent.branch, level, node.scope)
        else:
            self.add_agent_calls(node, agent)

    def is_filled(self, agent: Agent) -> bool:
        return id(agent) in self._filled

    def has_moved(self, agent: Agent, node: Node) -> bool:
        """Whether it was filled in elsewhere, or from something else than it would be now: it
        was tied to its call only then, or its file came up."""
        place, source = self._filled[id(agent)]
        return place is not node or source is not (agent.session or agent.branch)

    def add_agent_calls(self, node: Node, agent: Agent) -> list[Node]:
        """The calls of a sub-agent of which only progress records tell."""
        if agent.session is not None or agent.branch is not None:
            return []
        assert node.children is not None
        new: list[Node] = []
        for number, call in enumerate(agent.calls.values()):
            if id(call) not in self._by_item:
                inner = Node("call", call, node, node.level + 1, node.scope)
                inner.place = (1, number)
                self._by_item[id(call)] = inner
                new.append(inner)
        node.children += new
        return new

    def _fill(self, parent: Node, branch: Branch, level: int, scope: Scope) -> None:
        container = Container(parent, level, scope)
        for step in follow(scope.session.tree, branch, scope.active):
            if isinstance(step, Branch):
                self._add(container, Node("branch", step, None, level, scope), step)
            else:
                assert step.branch is not None
                self._containers[id(step.branch)] = container
                for _ in self.add_row(step, container):
                    pass
        # Where nothing was said yet, what comes will find its place all the same.
        self._containers.setdefault(id(branch), container)

    def container(self, row: Row) -> Container | None:
        """Where a new row goes; None if that part of the outline was not made yet."""
        return self._containers.get(id(row.branch))

    def add_row(self, row: Row, container: Container) -> Iterator[Node]:
        """Make the nodes of a row, one by one."""
        again = bool(row.marks & DUPLICATE)
        for entry in row.entries:
            item: Item = entry
            if entry.kind in ("call", "hook", "compaction"):
                item = entry.item
            if isinstance(item, Hook) and item.call is not None:
                continue  # it came before its call and is shown there
            node = Node(entry.kind, item, None, container.level, container.scope)
            node.hidden = entry.hidden or (again and entry.kind != "call")
            if node.is_turn:
                container.turn = None
            self._add(container, node, item)
            if node.is_turn:
                container.turn = node
                node.children = []
            elif entry.kind == "call" and isinstance(item, Call):
                _group(container, node, item)
            yield node

    def _add(self, container: Container, node: Node, item: Item) -> None:
        parent = container.turn or container.parent
        node.parent = parent
        assert parent.children is not None
        node.place = (1, len(parent.children))
        parent.children.append(node)
        self._by_item[id(item)] = node
        self.counts["bulk" if node.hidden else node.category] += 1

    def add_hooks(self, node: Node) -> list[Node]:
        """The hooks that a call got since its children were made."""
        call = node.call
        if call is None or node.children is None:
            return []
        known = sum(child.kind == "hook" for child in node.children[: len(call.hooks)])
        hooks = enumerate(call.hooks[known:], known)
        new = [self._hook(hook, node, number) for number, hook in hooks]
        node.children[known:known] = new
        return new

    # Finding nodes

    def made(self, item: object) -> Node | None:
        return self._by_item.get(id(item))

    def find(self, item: Item, session: Session) -> Node | None:
        """The node of a thing, made if need be, with all that stands above it."""
        wanted: list[tuple[object, Session]] = [(item, session)]
        while wanted and len(wanted) < 1000:
            thing, place = wanted[-1]
            if id(thing) in self._by_item:
                wanted.pop()
                self.children(self._by_item[id(thing)])
                continue
            above = self._above(thing, place)
            if above is None or any(above[0] is known for known, _ in wanted):
                break
            if id(above[0]) in self._by_item:
                self.children(self._by_item[id(above[0])])
                if id(thing) not in self._by_item:
                    break
            else:
                wanted.append(above)
        return self._by_item.get(id(item))

    def _above(self, thing: object, session: Session) -> tuple[object, Session] | None:
        """What must be made first: the call, the branch or the sub-agent that a thing is in."""
        if isinstance(thing, Hook) and thing.call is not None:
            return thing.call, session
        agent: Agent | None = None
        if isinstance(thing, Agent):
            home = self.transcript.home_of(thing)
            return (thing.call, home) if thing.call is not None and home is not None else None
        row = thing.fork if isinstance(thing, Branch) else getattr(thing, "row", None)
        if isinstance(thing, Call) and thing.source is not None:
            known = (each for each in self.transcript.agents if thing.id in each.calls)
            agent = next(known, None)
        elif row is not None and row.branch is not None:
            scope = self._scopes.get(id(session))
            branch: Branch | None = row.branch
            active = scope.active if scope else session.active_branches()
            while branch is not None and branch.parent is not None:
                if id(branch) not in active:
                    return branch, session
                branch = branch.parent
            agent = branch.agent if branch else None
        if agent is None:
            agent = next((a for s, a in self.transcript.sessions() if s is session), None)
        return (agent, session) if agent is not None else None

    def walk(self) -> Iterator[Node]:
        """Every node, in order."""
        stack = [iter((*(self.root.children or ()), *self.rest))]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                continue
            yield node
            if node.can_unfold:
                stack.append(iter(self.children(node)))


def _group(container: Container, node: Node, call: Call) -> None:
    """Calls of one message are one group."""
    siblings = (container.turn or container.parent).children
    assert siblings is not None
    for before in reversed(siblings[-64:-1]):
        if before.kind == "call":
            other = before.call
            if other and call.message_id is not None and other.message_id == call.message_id:
                before.group = FIRST if before.group in (ALONE, FIRST) else MIDDLE
                node.group = LAST
            return
