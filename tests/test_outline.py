"""The outline on the screen: rows, folds, filters and the cursor, while the file grows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Chain
from tests.test_nodes import MAIN, Move, Written, append, fired, moves, played
from viewer.describe import describe
from viewer.load import Reading, load
from viewer.model import DEAD, Liveness
from viewer.nodes import CATEGORIES, Thing
from viewer.outline import Outline, thing_of_entry
from viewer.session import Session

ALIVE = Liveness(alive=True)


class Screen:
    """An outline of files that are being written."""

    def __init__(self, folder: str, liveness: Liveness = DEAD) -> None:
        self.folder = folder
        self.liveness = liveness
        self.path = Path(folder, MAIN)
        self.path.touch()
        self._reading = Reading(str(self.path))
        self.outline = Outline(self._reading.transcript, liveness)

    def write(self, written: Written, *, late: bool = False) -> None:
        """Write lines and take them in; the outline is refreshed at once, or late."""
        append(self.folder, written)
        for step in self._reading.steps():
            self.outline.apply(step, self.liveness)
            if not late:
                self._refresh()
        self._refresh()

    def _refresh(self) -> None:
        if self.outline.stale:
            self.outline.refresh()

    def close(self) -> None:
        self._reading.close()

    def fresh(self) -> Outline:
        return Outline(load(str(self.path)), self.liveness)


@contextmanager
def screen(liveness: Liveness = DEAD) -> Iterator[Screen]:
    with TemporaryDirectory() as folder:
        made = Screen(folder, liveness)
        try:
            yield made
        finally:
            made.close()


def outline_of(chain: Chain, folder: Path) -> Outline:
    return Outline(load(str(chain.write(folder / MAIN))))


def said(outline: Outline) -> list[tuple[int, str, str, int]]:
    """What can be read on the screen."""
    return [(row.level, row.kind, describe(row).whole, row.group) for row in outline.rows]


def unfold_all(outline: Outline) -> None:
    index = 0
    while index < len(outline.rows):
        outline.set_fold(index, True)
        index += 1


def names(outline: Outline) -> list[str]:
    return [describe(node).text for node in outline.rows]


def things(outline: Outline) -> list[tuple[Thing, Session]]:
    found: list[tuple[Thing, Session]] = []
    for session, _ in outline.transcript.sessions():
        for row in session.rows:
            found += [(thing_of_entry(entry), session) for entry in row.entries]
        found += [(hook, session) for hook in session.hooks.all]
    return list({id(thing): (thing, session) for thing, session in found}.values())


def batches(written: Written, sizes: list[int]) -> Iterator[Written]:
    for size in sizes:
        if written:
            yield written[:size]
        written = written[size:]
    yield written


sizes = st.lists(st.integers(1, 6), max_size=8)
liveness = st.sampled_from([DEAD, ALIVE])


# Growing


@given(moves, sizes, liveness, st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_file_that_grew_looks_like_one_that_was_there(
    moves: list[Move], sizes: list[int], liveness: Liveness, late: bool
) -> None:
    with screen(liveness) as live:
        for batch in batches(played(moves), sizes):
            live.write(batch, late=late)
        fresh = live.fresh()
        assert said(live.outline) == said(fresh)
        for outline in (live.outline, fresh):
            outline.show_all()
        assert said(live.outline) == said(fresh)


@given(moves, sizes, liveness, st.booleans())
@settings(max_examples=100, deadline=None)
def test_an_unfolded_file_that_grew_looks_like_one_that_was_there(
    moves: list[Move], sizes: list[int], liveness: Liveness, bulk: bool
) -> None:
    with screen(liveness) as live:
        if bulk:
            live.outline.show_all()
        for batch in batches(played(moves), sizes):
            live.write(batch)
            unfold_all(live.outline)
        fresh = live.fresh()
        if bulk:
            fresh.show_all()
        unfold_all(fresh)
        assert said(live.outline) == said(fresh)
        assert live.outline.forest.counts == fresh.forest.counts


def test_an_answer_appears_below_the_prompt_that_waited_for_it() -> None:
    with screen() as live:
        for line in played([("prompt", 0, 0), ("reply", 0, 0)]):
            live.write([line])
        assert names(live.outline) == ["prompt 0", "reply 0"]


def test_a_file_that_begins_anew_is_looked_at_anew() -> None:
    with screen() as live:
        live.write(played([("prompt", 0, 0), ("reply", 0, 0), ("prompt", 1, 0)]))
        live.outline.move(2)
        live.path.write_bytes(b"")
        live.write(played([("prompt", 2, 0)]))
        assert names(live.outline) == ["prompt 2"]
        assert live.outline.cursor == 0


# Folds, filters, cursor

Action = tuple[str, int]
ACTIONS = "move toggle leave enter switch show_all only not_only write reveal restore".split()
actions = st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 30)), max_size=14)


def act(live: Screen, action: str, number: int, rest: Written) -> None:
    outline = live.outline
    size = len(outline.rows)
    match action:
        case "move":
            outline.move(number % size if size else 0)
        case "toggle" if size:
            outline.toggle(number % size)
        case "leave":
            outline.fold_or_leave()
        case "enter":
            outline.unfold_or_enter()
        case "switch":
            outline.switch(CATEGORIES[number % len(CATEGORIES)])
        case "show_all":
            outline.show_all()
        case "only":
            outline.show_only(things(outline)[:: number + 1])
        case "not_only":
            outline.show_only(None)
        case "write":
            live.write(rest[: number // 3])
            del rest[: number // 3]
        case "reveal" if found := things(outline):
            assert outline.reveal(*found[number % len(found)])
        case "restore":
            outline.restore(outline.view())


def check(outline: Outline) -> None:
    rows, cursor = list(outline.rows), outline.cursor
    assert 0 <= cursor < max(1, len(rows))
    assert len({id(node) for node in rows}) == len(rows)
    outline._flatten_all()
    assert outline.rows == rows
    assert outline.cursor == cursor


@given(moves, actions)
@settings(max_examples=200, deadline=None)
def test_the_rows_are_always_what_the_folds_and_filters_say(
    moves: list[Move], actions: list[Action]
) -> None:
    with screen() as live:
        written = played(moves)
        half = len(written) // 2
        live.write(written[:half])
        rest = written[half:]
        live.outline.move(0)
        for action, number in actions:
            act(live, action, number, rest)
            check(live.outline)


STILL = [action for action in ACTIONS if action not in ("move", "leave", "enter", "reveal")]


@given(moves, st.integers(0, 30), st.lists(st.tuples(st.sampled_from(STILL), st.integers(0, 30))))
@settings(max_examples=150, deadline=None)
def test_the_cursor_stays_on_its_node_while_that_is_seen(
    moves: list[Move], place: int, actions: list[Action]
) -> None:
    with screen() as live:
        written = played(moves)
        half = len(written) // 2
        live.write(written[:half])
        rest, outline = written[half:], live.outline
        outline.move(place)
        for action, number in actions:
            outline.move(outline.cursor)
            before = outline.current
            act(live, action, number, rest)
            items = [node.item for node in outline.rows]
            if before is not None and any(item is before.item for item in items):
                assert items[outline.cursor] is before.item


def test_the_cursor_stays_with_a_sub_agent_whose_branch_is_left() -> None:
    turns: list[Move] = [("prompt", 0, 0), ("prompt", 1, 0), ("task", 1, 0), ("agent", 1, 0)]
    with screen() as live:
        live.write(played(turns))
        unfold_all(live.outline)
        live.outline.move(3)
        live.write(played([*turns, ("rewind", 0, 0), ("reply", 3, 0)])[4:])
        assert live.outline.rows[live.outline.cursor].kind == "branch"


def test_the_cursor_stays_on_its_node_although_nobody_moved_it(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("bulk", isMeta=True)
    chain.prompt("one")
    outline = outline_of(chain, tmp_path)
    outline.show_all()
    assert names(outline)[outline.cursor] == "one"


def test_the_cursor_comes_back_when_what_it_was_on_is_shown_again(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    chain.reply("a")
    chain.call("c")
    outline = outline_of(chain, tmp_path)
    outline.move(2)
    outline.switch("tools")
    assert outline.cursor < 2
    outline.switch("tools")
    assert outline.cursor == 2


def test_without_prompts_the_replies_are_still_there(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    chain.reply("a")
    chain.prompt("two")
    chain.reply("b")
    outline = outline_of(chain, tmp_path)
    outline.move(2)
    outline.switch("prompts")
    assert (names(outline), outline.cursor) == (["a", "b"], 0)


def test_showing_everything_goes_round(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    chain.prompt("bulk", isMeta=True)
    outline = outline_of(chain, tmp_path)
    outline.switch("prompts")
    seen = []
    for _ in range(3):
        outline.show_all()
        seen.append(len(outline.rows))
    assert seen == [1, 2, 1]


def test_a_call_whose_hook_failed_opens_by_itself_and_stays_as_it_is_put(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a")
    fired(chain, "a", "fine.sh")
    chain.result("a")
    chain.call("b")
    fired(chain, "b", "lint.sh", "hook_non_blocking_error", exitCode=1)
    outline = outline_of(chain, tmp_path)
    assert [node.kind for node in outline.rows] == ["prompt", "call", "call", "hook"]
    outline.move(3)
    outline.fold_or_leave()
    outline.fold_or_leave()
    outline.refresh()
    assert (len(outline.rows), outline.cursor) == (3, 2)
    outline.unfold_or_enter()
    outline.unfold_or_enter()
    assert outline.cursor == 3
    outline.unfold_or_enter()
    assert outline.cursor == 3


def nested(folder: Path) -> Outline:
    """A sub-agent's sub-agent, started on a branch that was left."""
    chain = Chain("s")
    fork = chain.prompt("one")
    chain.prompt("left")
    chain.call("t0", "Task", prompt="task 0", description="outer")
    chain.prompt("taken", parent=fork)
    chain.reply("end")
    for which, task in ((0, "task 1"), (1, "")):
        agent = Chain("s")
        agent.prompt(f"task {which}", isSidechain=True)
        agent.call(f"n{which}", "Task" if task else "Bash", prompt=task)
        agent.result(f"n{which}", "Exit code 1", error=not task, isSidechain=True)
        agent.write(folder / "s" / "subagents" / f"agent-a{which}.jsonl")
    return outline_of(chain, folder)


def test_a_view_is_come_back_to(tmp_path: Path) -> None:
    outline = nested(tmp_path)
    outline.move(3)
    outline.set_fold(0, False)
    before, view = said(outline), outline.view()
    outline.switch("replies")
    outline.show_only(things(outline)[:1])
    unfold_all(outline)
    outline.restore(view)
    assert said(outline) == before
    assert names(outline)[outline.cursor] == "end"
