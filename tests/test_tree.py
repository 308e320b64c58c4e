"""The tree by parentUuid: every record in it exactly once, whatever the parents say."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Chain, Json, session_of
from viewer.model import CYCLE, DUPLICATE, GAP, Branch, Row
from viewer.session import Session


def branches(session: Session) -> list[Branch]:
    return [session.tree.trunk, *session.tree.branches, *_agents(session)]


def _agents(session: Session) -> list[Branch]:
    return [agent.branch for agent in session.agents.all if agent.branch is not None]


def lines_of(rows: Sequence[Row]) -> list[int]:
    return [row.line for row in rows]


def test_a_straight_chain_is_one_branch() -> None:
    chain = Chain()
    chain.prompt("one")
    chain.reply("two")
    chain.prompt("three")
    session = session_of(chain)
    assert lines_of(session.tree.trunk.rows) == [1, 2, 3]
    assert session.tree.branches == []


def test_parallel_calls_with_results_on_each_call_do_not_fork() -> None:
    chain = Chain()
    chain.prompt("go")
    first = chain.call("a", message="m")
    second = chain.call("b", message="m")
    chain.result("a", parent=first)
    chain.result("b", parent=second)
    chain.reply("done")
    assert session_of(chain).tree.branches == []


def test_two_prompts_on_one_parent_fork_and_the_later_is_active() -> None:
    chain = Chain()
    chain.prompt("one")
    fork = chain.reply("answer")
    chain.prompt("left behind")
    chain.reply("left behind too")
    chain.prompt("taken instead", parent=fork)
    chain.reply("end")
    session = session_of(chain)
    assert lines_of(session.tree.trunk.rows) == [1, 2]
    left, taken = session.tree.branches
    assert lines_of(left.rows) == [3, 4]
    assert lines_of(taken.rows) == [5, 6]
    assert session.active_branches() == {id(session.tree.trunk), id(taken)}


def test_an_explicit_leaf_chooses_the_branch() -> None:
    chain = Chain()
    chain.prompt("one")
    fork = chain.reply("answer")
    chain.prompt("first")
    wanted = chain.reply("first end")
    chain.prompt("second", parent=fork)
    chain.reply("second end")
    chain.state("last-prompt", lastPrompt="first", leafUuid=wanted, explicit=True)
    session = session_of(chain)
    assert id(session.tree.branches[0]) in session.active_branches()


def test_a_missing_parent_is_marked_and_the_record_keeps_its_place() -> None:
    chain = Chain()
    chain.prompt("one")
    chain.reply("two", parent="nowhere")
    chain.reply("three")
    session = session_of(chain)
    assert lines_of(session.tree.trunk.rows) == [1, 2, 3]
    assert session.rows[1].marks & GAP


def test_a_late_parent_goes_above_its_children() -> None:
    chain = Chain()
    chain.reply("answer", parent="late")
    chain.prompt("question", parent=None, uuid="late")
    session = session_of(chain)
    assert lines_of(session.tree.trunk.rows) == [2, 1]
    assert not session.rows[0].marks & GAP


def test_cycles_are_cut() -> None:
    chain = Chain()
    chain.prompt("one", uuid="a", parent="c")
    chain.prompt("two", uuid="b", parent="a")
    chain.prompt("three", uuid="c", parent="b")
    chain.prompt("self", uuid="d", parent="d")
    session = session_of(chain)
    assert sorted(line for branch in branches(session) for line in lines_of(branch.rows)) == [
        1, 2, 3, 4,
    ]  # fmt: skip
    assert any(row.marks & CYCLE for row in session.rows)


def test_a_repeated_uuid_is_counted_and_does_not_fork() -> None:
    chain = Chain()
    chain.prompt("one", uuid="a")
    chain.reply("two", uuid="b")
    chain.prompt("one", uuid="a", parent=None)
    chain.reply("two", uuid="b", parent="a")
    chain.prompt("three", parent="b")
    session = session_of(chain)
    assert session.counts.duplicates == 2
    assert session.tree.branches == []
    assert [bool(row.marks & DUPLICATE) for row in session.rows] == [
        False, False, True, True, False,
    ]  # fmt: skip


def test_a_compaction_follows_its_logical_parent() -> None:
    chain = Chain()
    chain.prompt("one")
    before = chain.reply("two")
    chain.add(
        "system",
        parent=None,
        subtype="compact_boundary",
        logicalParentUuid=before,
        compactMetadata={"trigger": "auto", "preTokens": 155_000},
    )
    chain.prompt("summary", isCompactSummary=True)
    session = session_of(chain)
    assert lines_of(session.tree.trunk.rows) == [1, 2, 3, 4]
    [compaction] = session.compactions
    assert (compaction.trigger, compaction.tokens_before) == ("auto", 155_000)


def test_a_hundred_thousand_levels_are_no_deeper_than_one() -> None:
    chain = Chain()
    for number in range(100_000):
        chain.prompt(str(number))
    assert len(session_of(chain).tree.trunk.rows) == 100_000


def test_thousands_of_branches_of_one_parent() -> None:
    chain = Chain()
    root = chain.prompt("root")
    for number in range(3000):
        chain.prompt(str(number), parent=root)
    session = session_of(chain)
    assert len(session.tree.branches) == 3000


_KINDS = st.sampled_from(["prompt", "reply", "call", "result", "side", "meta"])


@st.composite
def tangled_files(draw: st.DrawFn) -> list[Json]:
    """Records with any map of parents: forwards, backwards, in circles, into nothing."""
    size = draw(st.integers(1, 14))
    chain = Chain()
    names = [f"u{number}" for number in range(size)]
    for number in range(size):
        uuid = draw(st.sampled_from([names[number], names[number], names[number], "u0"]))
        parent = draw(st.sampled_from([*names, None, "nowhere"]))
        match draw(_KINDS):
            case "prompt":
                chain.prompt("p", uuid=uuid, parent=parent)
            case "reply":
                chain.reply("r", draw(st.sampled_from("mn")), uuid=uuid, parent=parent)
            case "call":
                chain.call(draw(st.sampled_from("ab")), message=draw(st.sampled_from("mn")))
                chain.records[-1].update(uuid=uuid, parentUuid=parent)
            case "result":
                chain.result(draw(st.sampled_from("abc")), uuid=uuid, parent=parent)
            case "side":
                chain.prompt("s", uuid=uuid, parent=parent, isSidechain=True)
            case "meta":
                chain.prompt("m", uuid=uuid, parent=parent, isMeta=True)
    return chain.records


def shape(session: Session) -> object:
    """Everything about a session's rows that anybody can see."""
    places = {id(branch): number for number, branch in enumerate(branches(session))}
    return (
        [lines_of(branch.rows) for branch in branches(session)],
        [
            (row.line, row.marks, row.parent.line if row.parent else None, places[id(row.branch)])
            for row in session.rows
        ],
        {places[each] for each in session.active_branches() if each in places},
        sorted((call.id, call.row.line, bool(call.result)) for call in session.calls.values()),
        session.counts,
    )


@given(tangled_files())
@settings(max_examples=400, deadline=None)
def test_every_record_stands_in_the_tree_exactly_once(records: list[Json]) -> None:
    session = session_of(records)
    placed = [line for branch in branches(session) for line in lines_of(branch.rows)]
    assert sorted(placed) == list(range(1, len(records) + 1))
    for branch in branches(session):
        assert all(row.branch is branch for row in branch.rows)


@given(tangled_files(), st.integers(1, 5))
@settings(max_examples=300, deadline=None)
def test_batches_of_any_size_give_the_same_tree(records: list[Json], batch: int) -> None:
    assert shape(session_of(records, batch)) == shape(session_of(records))


@given(tangled_files())
@settings(max_examples=200, deadline=None)
def test_walking_up_from_any_row_ends(records: list[Json]) -> None:
    for row in session_of(records).rows:
        seen = 0
        node: Row | None = row
        while node is not None:
            node = node.parent
            seen += 1
            assert seen <= len(records)
