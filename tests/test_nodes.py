"""The outline's nodes: everything that was said stands in exactly one of them, in order."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Chain, Json, lines, result
from viewer.load import Transcript, load
from viewer.model import Agent, Branch, Call, Compaction, Entry, Hook
from viewer.nodes import ALONE, FIRST, LAST, MIDDLE, Forest, Node
from viewer.records import Said

Move = tuple[str, int, int]
Written = list[tuple[str, bytes]]  # files and the lines they get, in the order of writing

MAIN = "s.jsonl"
SPEECH = "prompt reply thinking meta note api_error interrupt compaction unknown silent".split()
TOOLS = "call failing result failure results both progress".split()
HOOKS = "hook bad_hook stop_hooks stray_hook".split()
AGENTS = "task side_task side side_call side_result agent agent_call agent_task inside".split()
ODD = "again late damage rewind queue take_queued queued".split()
moves = st.lists(
    st.tuples(
        st.sampled_from([*SPEECH, *TOOLS, *HOOKS, *AGENTS, *ODD, "prompt", "call", "result"]),
        st.integers(0, 3),
        st.integers(0, 9),
    ),
    max_size=24,
)


class Script:
    """Writes the files of a session: a number says which call is meant, another which parent."""

    def __init__(self) -> None:
        self.written: Written = []
        self.main = Chain("s")
        self.agents: dict[int, Chain] = {}

    def play(self, kind: str, which: int, place: int) -> None:
        chain = self.main
        if kind in ("agent", "agent_call", "agent_task"):
            chain = self.agents.setdefault(which, Chain("s"))
            self._agent(chain, kind, which)
            self._write(f"s/subagents/agent-a{which}.jsonl", chain)
            return
        before = len(chain.records)
        if kind == "damage":
            self.written.append((MAIN, b"{torn" if which else b"\0\0"))
        elif kind == "again" and chain.records:
            self.written.append((MAIN, lines(chain.records[place % len(chain.records)])[0]))
        elif kind.startswith("side") and kind != "side_task":
            if not chain.records:
                return  # a file that begins so is that of a sub-agent
            self._side(chain, kind, which)
        else:
            getattr(self, f"_{kind}", self._say)(chain, kind, which, place)
        if len(chain.records) > before:
            self._write(MAIN, chain)

    def _write(self, file: str, chain: Chain) -> None:
        self.written.append((file, lines(chain.records[-1])[0]))

    def _parent(self, chain: Chain, place: int) -> str | None:
        known = [each["uuid"] for each in chain.records if "uuid" in each]
        if place == 7 and known:
            return str(known[len(known) // 2])
        return {8: f"late{len(known) % 2}", 9: None}.get(place, chain.last)

    def _say(self, chain: Chain, kind: str, which: int, place: int) -> None:
        more: Json = {"parent": self._parent(chain, place)}
        match kind:
            case "prompt":
                chain.prompt(f"prompt {which}", **more)
            case "reply":
                chain.reply(f"reply {which}", f"m{which}", **more)
            case "thinking":
                chain.said({"type": "thinking", "thinking": "hm"}, f"m{which}", **more)
            case "meta":
                chain.prompt("for the model", isMeta=True, **more)
            case "interrupt":
                chain.prompt("[Request interrupted by user]", **more)
            case "note":
                chain.add("system", subtype="informational", content="note", **more)
            case "api_error":
                chain.add("system", subtype="api_error", error="529", retryAttempt=which, **more)
            case "compaction":
                chain.add("system", subtype="compact_boundary", logicalParentUuid=chain.last)
            case "unknown":
                chain.state("never-heard-of")
            case "silent":
                chain.state("mode", mode="x")
            case "late":
                chain.reply("late parent", uuid=f"late{which % 2}")
            case "rewind":
                known = [each["uuid"] for each in chain.records if "uuid" in each]
                chain.prompt("rewound", parent=known[place % len(known)] if known else None)

    def _call(self, chain: Chain, kind: str, which: int, place: int) -> None:
        block = {"type": "tool_use", "id": f"c{which}", "name": "Bash", "input": {"command": "ls"}}
        chain.said(block, f"m{place % 3}", parent=self._parent(chain, place))

    def _failing(self, chain: Chain, kind: str, which: int, place: int) -> None:
        self._call(chain, kind, which + 4, place)

    def _both(self, chain: Chain, kind: str, which: int, place: int) -> None:
        blocks: list[Json] = [{"type": "text", "text": "both"}]
        for id in (f"c{which}", f"c{which + 1}"):
            blocks.append({"type": "tool_use", "id": id, "name": "Read", "input": {}})
        chain.add("assistant", message={"id": f"m{place}", "role": "assistant", "content": blocks})

    def _result(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.result(f"c{which}", parent=self._parent(chain, place))

    def _failure(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.result(f"c{which + place % 2 * 4}", "Exit code 1\nno", error=True)

    def _results(self, chain: Chain, kind: str, which: int, place: int) -> None:
        content = [result(f"c{which}", error=place > 4), result(f"c{which + 1}")]
        chain.add("user", message={"role": "user", "content": content})

    def _progress(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.add("progress", data={"type": "bash_progress"}, parentToolUseID=f"c{which}")

    def _hook(self, chain: Chain, kind: str, which: int, place: int) -> None:
        fired(chain, f"c{which}", f"h{place}.sh")

    def _bad_hook(self, chain: Chain, kind: str, which: int, place: int) -> None:
        fired(chain, f"c{which}", f"h{place}.sh", "hook_non_blocking_error", exitCode=1)

    def _stray_hook(self, chain: Chain, kind: str, which: int, place: int) -> None:
        fired(chain, None, f"h{place}.sh", hookEvent="SessionStart", hookName="SessionStart")

    def _stop_hooks(self, chain: Chain, kind: str, which: int, place: int) -> None:
        infos = [{"command": f"{name}.sh"} for name in "abc"]
        errors = ["[b.sh]: no", "[c.sh]: no"][: place % 3]
        chain.add("system", subtype="stop_hook_summary", hookInfos=infos, hookErrors=errors)

    def _queue(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.state("queue-operation", operation="enqueue", content=f"later {which}")

    def _take_queued(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.state("queue-operation", operation="dequeue" if place else "popAll")

    def _queued(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.add("attachment", attachment={"type": "queued_command", "prompt": f"later {which}"})

    # Sub-agents: 0 and 1 are started by the main conversation, 2 and 3 by these.

    def _task(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.call(f"t{which}", "Task", prompt=f"task {which % 2}", description=f"sub {which}")

    def _side_task(self, chain: Chain, kind: str, which: int, place: int) -> None:
        chain.call(f"s{which}", "Task", prompt=f"side task {which}", description=f"side {which}")

    def _side(self, chain: Chain, kind: str, which: int) -> None:
        side = [each["uuid"] for each in chain.records if each.get("isSidechain")]
        main = chain.last
        more: Json = {"isSidechain": True, "parent": side[-1] if side else None}
        match kind:
            case "side":
                chain.prompt(f"side task {which}", isSidechain=True, parent=None)
            case "side_call":
                block = {"type": "tool_use", "id": f"i{which}", "name": "Grep", "input": {}}
                chain.said(block, **more)
            case "side_result":
                chain.result(f"i{which}", error=which > 1, **more)
        chain.last = main

    def _inside(self, chain: Chain, kind: str, which: int, place: int) -> None:
        blocks = [
            {"type": "tool_use", "id": f"p{which}{place}{name}", "name": "Read", "input": {}}
            for name in "ab"[: which + 1]
        ]
        message = {"type": "assistant", "message": {"content": blocks}}
        data = {"type": "agent_progress", "agentId": f"p{which}", "message": message}
        chain.add("progress", data=data, parentToolUseID=f"c{which}")

    def _agent(self, chain: Chain, kind: str, which: int) -> None:
        if not chain.records:
            chain.prompt(f"task {which}", isSidechain=True, uuid=f"a{which}")
        elif kind == "agent":
            chain.result("i", error=True, isSidechain=True)
        elif kind == "agent_call":
            chain.call("i")
        else:
            chain.call(f"n{which}", "Task", prompt=f"task {which + 2}", description="nested")
        chain.records[-1]["isSidechain"] = True


def fired(
    chain: Chain, call: str | None, command: str, kind: str = "hook_success", **more: Any
) -> str:
    fields = {"type": kind, "hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", **more}
    return chain.add("attachment", attachment={"toolUseID": call, "command": command, **fields})


def played(moves: list[Move]) -> Written:
    script = Script()
    for move in moves:
        script.play(*move)
    return script.written


def append(folder: str, written: Written) -> None:
    for file, line in written:
        path = Path(folder, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.write(line + b"\n")


@contextmanager
def transcript_of(moves: list[Move]) -> Iterator[Transcript]:
    with TemporaryDirectory() as folder:
        append(folder, [*played(moves)])
        Path(folder, MAIN).touch()
        yield load(str(Path(folder, MAIN)))


def things(transcript: Transcript) -> Iterator[object]:
    """Everything that somebody may want to see, as the sessions know it."""
    for session, _ in transcript.sessions():
        for row in session.rows:
            for entry in row.entries:
                own = entry.kind in ("call", "hook", "compaction")
                yield entry.item if own else entry
        yield from (hook for hook in session.hooks.all if hook.call is not None)
    for agent in transcript.agents:
        if agent.session is None and agent.branch is None:
            yield from agent.calls.values()


@given(moves)
@settings(max_examples=150, deadline=None)
def test_everything_stands_in_exactly_one_node(moves: list[Move]) -> None:
    with transcript_of(moves) as transcript:
        wanted = {id(thing): thing for thing in things(transcript)}
        nodes = list(Forest(transcript).walk())
        found = Counter(id(node.item) for node in nodes)
        assert [thing for key, thing in wanted.items() if not found[key]] == []
        assert [node for node in nodes if found[id(node.item)] > 1] == []
        for node in nodes:
            is_more = isinstance(node.item, (Agent, Branch, Said))
            assert is_more or id(node.item) in wanted


@given(moves)
@settings(max_examples=100, deadline=None)
def test_every_thing_is_found_before_anything_was_unfolded(moves: list[Move]) -> None:
    with transcript_of(moves) as transcript:
        for session, _ in transcript.sessions():
            for row in session.rows:
                for entry in row.entries:
                    own = entry.kind in ("call", "hook", "compaction")
                    thing = entry.item if own and entry.item is not None else entry
                    node = Forest(transcript).find(thing, session)
                    assert node is not None and node.item is thing


@given(moves)
@settings(max_examples=100, deadline=None)
def test_the_order_of_nodes_is_that_of_the_outline(moves: list[Move]) -> None:
    with transcript_of(moves) as transcript:
        nodes = [node for node in Forest(transcript).walk() if not isinstance(node.item, Said)]
        orders = [node.order() for node in nodes]
        assert orders == sorted(orders)
        assert [node for node in nodes if orders.count(node.order()) > 1] == []


def forest_of(chain: Chain, tmp_path: Path) -> Forest:
    return Forest(load(str(chain.write(tmp_path / MAIN))))


def kinds(nodes: list[Node]) -> list[str]:
    return [node.kind for node in nodes]


def test_turns_hold_what_follows_them(tmp_path: Path) -> None:
    chain = Chain()
    chain.reply("before anybody asked")
    chain.prompt("one")
    chain.reply("yes")
    chain.call("a")
    chain.prompt("for the model", isMeta=True)
    chain.prompt("two")
    forest = forest_of(chain, tmp_path)
    top = forest.children(forest.root)
    assert kinds(top) == ["reply", "prompt", "prompt"]
    assert [kinds(node.children or []) for node in top[1:]] == [["reply", "call", "context"], []]
    assert [node.level for node in forest.walk()] == [0] * 6
    assert forest.counts == {"prompts": 2, "replies": 2, "tools": 1, "bulk": 1}


def test_calls_of_one_message_are_a_group(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    for id, message in (("a", "m"), ("b", "m"), ("c", "m"), ("d", "n")):
        chain.call(id, message=message)
    nodes = [node for node in forest_of(chain, tmp_path).walk() if node.kind == "call"]
    assert [node.group for node in nodes] == [FIRST, MIDDLE, LAST, ALONE]


def test_a_branch_that_was_left_is_one_node_until_somebody_looks(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    fork = chain.reply("answer")
    chain.prompt("left")
    chain.reply("left too")
    chain.prompt("taken", parent=fork)
    forest = forest_of(chain, tmp_path)
    [turn, taken] = forest.children(forest.root)
    assert kinds(turn.children or []) == ["reply", "branch"]
    assert isinstance(taken.item, Entry) and taken.item.text == "taken"
    [branch] = [node for node in forest.walk() if node.kind == "branch"]
    assert kinds(forest.children(branch)) == ["prompt"]
    assert [node.level for node in forest.walk()] == [0, 0, 0, 1, 1, 0]


def test_a_call_holds_its_hooks_and_then_its_sub_agent(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("t", "Task", prompt="look", description="look")
    fired(chain, "t", "one.sh")
    chain.prompt("look", parent=None, isSidechain=True)
    chain.reply("found", isSidechain=True)
    forest = forest_of(chain, tmp_path)
    [call] = [node for node in forest.walk() if isinstance(node.item, Call)]
    assert kinds(forest.children(call)) == ["hook", "prompt"]
    assert all(not isinstance(node.item, (Hook, Compaction)) for node in call.above())


def test_a_sub_agent_that_says_it_started_itself_does_not_go_round(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    agent = Chain()
    agent.prompt("loop", isSidechain=True)
    agent.call("t", "Task", prompt="loop", description="loop")
    agent.write(tmp_path / "s" / "subagents" / "agent-a1.jsonl")
    (tmp_path / "s" / "subagents" / "agent-a1.meta.json").write_text('{"toolUseId": "t"}')
    assert kinds(list(forest_of(chain, tmp_path).walk())) == ["prompt", "agent", "prompt", "call"]
