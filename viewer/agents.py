"""Sub-agents that speak in a session's own file, each joined to the call that started it.

Up to 2.0.0 they stand in the file as sidechains, tied to their call by nothing but the text of the
task. stream-json names the call. From 2.0.30 on they have files of their own (see load.py), and the
result of the call, or its progress records, name them.
"""

from collections.abc import Callable

from viewer.model import SESSION, Agent, Call, Row
from viewer.records import PREVIEW, Answered, Asked, Progressed, Record, Said, task_key
from viewer.tree import Tree


class Agents:
    def __init__(
        self,
        calls: dict[str, Call],
        tree: Tree,
        changed: Callable[[Call], None],
        grown: Callable[[Agent], None],
    ) -> None:
        self.all: list[Agent] = []
        self._grown = grown
        self._calls = calls
        self._tree = tree
        self._changed = changed
        self._by_call: dict[str, Agent] = {}
        self._by_id: dict[str, Agent] = {}
        self._by_task: dict[str, list[Agent]] = {}  # those without a call
        self._starters: dict[str, list[Call]] = {}  # by task: calls without a sub-agent

    def speaking(self, record: Record) -> Agent | None:
        """The sub-agent that a record of the main file belongs to."""
        if record.agent_call is not None:
            return self._of_call(record.agent_call)
        if record.thread is not None:
            return self._of_thread(record.thread)
        return self._of_sidechain(record) if record.sidechain else None

    def start(self, call: Call, task: str) -> None:
        """A call that starts a sub-agent has come."""
        assert call.id is not None
        call.prompt = task[:PREVIEW]
        task = task_key(task)
        agent = self._by_call.get(call.id)
        if agent is None and (waiting := self._by_task.get(task)):
            agent = waiting.pop(0)
        if agent is not None:
            self._link(agent, call)
        else:
            self._starters.setdefault(task, []).append(call)

    def starter(self, task: str | None) -> Call | None:
        """A call of this task that has no sub-agent yet."""
        waiting = self._starters.get(task) if task else None
        while waiting and waiting[0].agent is not None:
            del waiting[0]
        return waiting[0] if waiting else None

    def name(self, call: Call, id: str, status: str | None) -> None:
        """A record of a call says which sub-agent it started."""
        if call.agent is None:
            agent = self._by_id.get(id) or self._new(id)
            self._link(agent, call)
        assert call.agent is not None
        call.agent.id = call.agent.id or id
        call.agent.status = status
        self._by_id.setdefault(id, call.agent)

    def report(self, call_id: str | None, agent_id: str | None, status: str | None) -> None:
        """A sub-agent in the background has ended."""
        agent = self._by_call.get(call_id or "") or self._by_id.get(agent_id or "")
        if agent is not None:
            agent.status = status
            if agent.call is not None:
                self._changed(agent.call)

    def progress(self, row: Row, part: Progressed, call: Call | None) -> None:
        """What a sub-agent does, told while it works: calls that may stand nowhere else."""
        if part.agent_id is None:
            return
        agent = self._by_id.get(part.agent_id)
        if agent is None:
            agent = self._by_id[part.agent_id] = self._new(part.agent_id)
        if agent.call is None and call is not None:
            self._link(agent, call)
        for inner in part.inside:
            if isinstance(inner, Asked) and inner.id and inner.id not in agent.calls:
                known = agent.calls[inner.id] = Call(inner.id, inner.name, inner.summary, row)
                known.source = "agent_progress"
                self._grown(agent)
            elif isinstance(inner, Answered) and inner.id:
                asked = agent.calls.get(inner.id)
                if asked is not None and asked.result is None:
                    asked.result = row
                    asked.answer = inner if inner.error else None

    def _of_call(self, call_id: str) -> Agent:
        agent = self._by_call.get(call_id)
        if agent is None:
            agent = self._by_call[call_id] = self._new(None)
            if call := self._calls.get(call_id):
                self._link(agent, call)
        if agent.branch is None:
            agent.branch = self._tree.new_lane(agent)
        return agent

    def _of_thread(self, id: str) -> Agent:
        """Another conversation of the same file, which no call has started."""
        agent = self._by_id.get(id)
        if agent is None:
            agent = self._by_id[id] = self._new(id)
            agent.type = SESSION
        if agent.branch is None:
            agent.branch = self._tree.new_lane(agent)
        return agent

    def _of_sidechain(self, record: Record) -> Agent:
        parent = self._tree.find(record.parent)
        if parent is not None and (agent := agent_of(parent)) is not None:
            return agent
        if record.parent is not None and self.all and self.all[-1].branch is not None:
            return self.all[-1]
        task = record.task
        agent = self._new(record.agent_id)
        agent.branch = self._tree.new_lane(agent)
        agent.prompt = next((part.text for part in record.parts if isinstance(part, Said)), None)
        if task is not None:
            if waiting := self._starters.get(task):
                self._link(agent, waiting.pop(0))
            else:
                self._by_task.setdefault(task, []).append(agent)
        return agent

    def _new(self, id: str | None) -> Agent:
        agent = Agent(id)
        self.all.append(agent)
        return agent

    def _link(self, agent: Agent, call: Call) -> None:
        if agent.call is None and (agent.calls or (agent.branch and agent.branch.rows)):
            self._tree.restructured = True  # it stood by itself until now
        agent.call = agent.call or call
        if call.agent is None:
            call.agent = agent
        if call.id is not None:
            self._by_call.setdefault(call.id, agent)
        self._changed(call)


def agent_of(row: Row) -> Agent | None:
    """The sub-agent of this file that a row belongs to."""
    return row.branch.lane.agent if row.branch else None
