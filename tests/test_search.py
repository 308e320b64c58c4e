"""Finding things: every text that a person could read, every problem, every line."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Chain, result
from tests.test_nodes import Move, fired, moves, played
from tests.test_outline import Action, act, actions, nested, screen, things, unfold_all
from viewer import jumps, problems
from viewer import search as searching
from viewer.load import load
from viewer.model import Branch, Call, Entry, Hook, Row
from viewer.nodes import Forest, Node
from viewer.outline import Outline, thing_of
from viewer.search import Hit, Query, search

CANARY = "Canary"
PLACES = [
    *("prompt", "reply", "thinking", "call", "hook", "context", "note", "summary"),
    *("input", "nested input", "output", "output block", "second output", "structured output"),
    *("hook output", "attachment", "bulk", "queued", "orphan", "sub-agent", "sub-agent output"),
]


def write(folder: Path, place: str, words: str) -> Path:
    """A session with all kinds of texts, one of which holds the words."""

    def at(here: str) -> str:
        return f"before {words} after" if here == place else "nothing"

    chain = Chain("s")
    chain.prompt(at("prompt"))
    chain.reply(at("reply"))
    chain.said({"type": "thinking", "thinking": at("thinking"), "signature": "sig"})
    chain.call("a", "Bash", command=at("input"), more={"deep": [at("nested input")]})
    fired(chain, "a", at("hook"), stdout=at("hook output"))
    structured = {"stdout": at("structured output")}
    chain.result("a", at("output"), toolUseResult=structured)
    chain.call("b", "mcp__x__y")
    chain.call("c", "mcp__x__y")
    blocks = [{"type": "text", "text": at("output block")}]
    content = [{**result("b"), "content": blocks}, result("c", at("second output"))]
    chain.add("user", message={"role": "user", "content": content})
    chain.call("t", "Task", prompt="look", description=at("call"))
    chain.add("attachment", attachment={"type": "file", "content": at("attachment")})
    chain.add("attachment", attachment={"type": "skill_listing", "content": at("bulk")})
    chain.add("attachment", attachment={"type": "queued_command", "prompt": at("queued")})
    chain.prompt(at("context"), isMeta=True)
    chain.add("system", subtype="informational", content=at("note"))
    chain.prompt(at("summary"), isCompactSummary=True)
    chain.result("nobody", at("orphan"))
    agent = Chain("s")
    agent.prompt("look", isSidechain=True)
    agent.reply(at("sub-agent"), isSidechain=True)
    agent.call("i")
    agent.result("i", at("sub-agent output"), isSidechain=True)
    for record in agent.records:
        record["isSidechain"] = True
    agent.write(folder / "s" / "subagents" / "agent-a1.jsonl")
    return chain.write(folder / "s.jsonl")


def hits(path: Path, words: str) -> list[Hit]:
    transcript = load(str(path))
    return [hit for piece in search(transcript, Query(words)) for hit in piece]


@pytest.mark.parametrize("place", PLACES)
def test_a_text_is_found_wherever_it_stands(tmp_path: Path, place: str) -> None:
    path = write(tmp_path, place, CANARY)
    transcript = load(str(path))
    [hit] = [hit for piece in search(transcript, Query(CANARY)) for hit in piece]
    node = Forest(transcript).find(hit.thing, hit.session)
    assert node is not None and node.item is hit.thing
    assert hit.bulk == (place in ("context", "bulk"))
    assert (hit.session is transcript.session) == (not place.startswith("sub-agent"))


@pytest.mark.parametrize(
    ("place", "id"),
    [("input", "a"), ("output", "a"), ("output block", "b"), ("second output", "c"), ("call", "t")],
)
def test_what_a_call_was_asked_and_answered_is_found_at_the_call(
    tmp_path: Path, place: str, id: str
) -> None:
    [hit] = hits(write(tmp_path, place, CANARY), CANARY)
    assert isinstance(hit.thing, Call)
    assert hit.thing.id == id


def test_what_a_hook_said_is_found_at_the_hook_or_its_call(tmp_path: Path) -> None:
    [hit] = hits(write(tmp_path, "hook output", CANARY), CANARY)
    assert isinstance(hit.thing, (Hook, Call))


# Plain words, with everything that JSON writers write in another way.
words = st.text(
    st.one_of(
        st.characters(categories=["L", "N", "P", "S", "Zs"]), st.sampled_from('"\\/\n\t\x00<&')
    ),
    min_size=1,
    max_size=12,
)


@given(st.sampled_from(PLACES), words, st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_words_are_found_however_they_were_written(place: str, words: str, ascii: bool) -> None:
    words = f"q{words}z"
    with TemporaryDirectory() as folder:
        path = write(Path(folder), place, words)
        if not ascii:
            for each in Path(folder).rglob("*.jsonl"):
                records = [json.loads(line) for line in each.read_text().splitlines()]
                raw = [json.dumps(record, ensure_ascii=False) for record in records]
                each.write_bytes("\n".join(raw).encode())
        assert len(hits(path, words)) == 1


@pytest.mark.parametrize(
    ("written", "sought", "found"),
    [
        ("Fehler", "fehler", True),
        ("fehler", "Fehler", False),
        ("FEHLER", "fehler", True),
        ("Über", "über", True),
        ("über", "Über", False),
        ("[a.*]", "[a.*]", True),
        ("[aab]", "[a.*]", False),
        ("(x", "(x", True),
        ("a+b", "a+b", True),
        ("aab", "a+b", False),
        ('say "yes"', 'say "yes"', True),
        ("back\\slash", "back\\slash", True),
        ("two\nlines", "two\nlines", True),
        ("a/b", "a/b", True),
        ("日本語", "本", True),
        ("😀", "😀", True),
        ("straße", "straße", True),
    ],
)
@pytest.mark.parametrize("place", ["prompt", "output"])
def test_words_are_meant_literally_and_small_letters_mean_both(
    tmp_path: Path, place: str, written: str, sought: str, found: bool
) -> None:
    assert bool(hits(write(tmp_path, place, written), sought)) == found


@given(words, words)
@settings(max_examples=100)
def test_spans_are_what_was_sought(before: str, words: str) -> None:
    spans = Query(words).spans(f"{before}{words}{before}{words}")
    assert spans
    text = f"{before}{words}{before}{words}"
    assert all(text[start:end].casefold() == words.casefold() for start, end in spans)


def test_nothing_is_nowhere() -> None:
    assert Query("").spans("anything") == []


@pytest.mark.parametrize(
    "words",
    ["u1", "u4", "parentUuid", "2026-03-01", "sessionId", "2.1.326", "/home/demo", "sig", "m1",
     "tool_use", "assistant"],
)  # fmt: skip
def test_what_only_the_program_reads_is_not_found(tmp_path: Path, words: str) -> None:
    assert hits(write(tmp_path, "prompt", CANARY), words) == []


def test_a_damaged_line_is_searched_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "prompt", "nothing")
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"torn Canary\n')
    [hit] = hits(path, CANARY)
    assert isinstance(hit.thing, Entry) and hit.thing.kind == "damaged"


def test_the_second_record_of_a_line_is_searched_too(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    chain.prompt("two Canary")
    path = chain.write(tmp_path / "s.jsonl")
    path.write_bytes(path.read_bytes().replace(b"\n", b"", 1))
    found = [hit.thing for hit in hits(path, CANARY)]
    assert [thing.text for thing in found if isinstance(thing, Entry)] == ["two Canary"]


def test_a_file_of_many_blocks_is_searched_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_BLOCK", 500)
    chain = Chain()
    wanted = []
    for number in range(60):
        is_hit = number % 7 == 3
        chain.prompt(("x" * (number * 37 % 900)) + (CANARY if is_hit else ""))
        wanted += [number + 1] * is_hit
    found = hits(chain.write(tmp_path / "s.jsonl"), CANARY)
    assert [hit.thing.row.line for hit in found] == wanted


def test_a_file_that_is_gone_is_not_searched(tmp_path: Path) -> None:
    path = write(tmp_path, "prompt", CANARY)
    transcript = load(str(path))
    path.unlink()
    assert not any(search(transcript, Query(CANARY)))


# Jumps


@given(moves, actions)
@settings(max_examples=60, deadline=None)
def test_whatever_hides_a_thing_it_is_revealed(moves: list[Move], actions: list[Action]) -> None:
    with screen() as live:
        live.write(played(moves))
        outline = live.outline
        for thing, session in things(outline):
            for action, number in actions[:4]:
                act(live, action, number, [])
            assert outline.reveal(thing, session)
            assert outline.current is not None and outline.current.item is thing


def test_things_in_sub_agents_of_abandoned_branches_are_revealed(tmp_path: Path) -> None:
    outline = nested(tmp_path)
    assert [node.kind for node in outline.rows] == ["prompt", "branch", "prompt", "reply"]
    outline.switch("tools")
    outline.switch("prompts")
    [problem] = [each for each in problems.find(outline.transcript) if each.call == "n1"]
    assert problem.item is not None
    assert outline.reveal(problem.item, problem.session)
    assert outline.current is not None and outline.current.item is problem.item
    kinds = [above.kind for above in outline.current.above()]
    assert kinds == ["prompt", "call", "prompt", "call", "prompt", "branch", "prompt"]


def rounds(outline: Outline, direction: int) -> list[problems.Problem]:
    """What one comes by until one is where one began."""
    found = problems.find(outline.transcript)
    seen: list[problems.Problem] = []
    for _ in range(len(found) + 1):
        problem = jumps.next_problem(outline, found, direction)
        if problem is None or problem.item is None or any(problem is each for each in seen):
            break
        assert outline.reveal(problem.item, problem.session)
        seen.append(problem)
    return seen


@given(moves, st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_every_problem_is_visited_once_in_a_round(moves: list[Move], place: int) -> None:
    with screen() as live:
        live.write(played(moves))
        found = problems.find(live.outline.transcript)
        live.outline.move(place)
        down = rounds(live.outline, 1)
        assert sorted(map(str, down)) == sorted(map(str, found))
        unfold_all(live.outline)
        live.outline.move(place)
        up = rounds(live.outline, -1)
        assert sorted(map(str, up)) == sorted(map(str, found))


@given(moves)
@settings(max_examples=60, deadline=None)
def test_every_line_can_be_gone_to(moves: list[Move]) -> None:
    with screen() as live:
        live.write(played(moves))
        outline = live.outline
        rows: list[Row] = outline.transcript.session.rows
        for row in rows:
            shown = [each.line for each in rows if each.line <= row.line and thing_of(each)]
            assert jumps.go_to_line(outline, row.line) == (shown[-1] if shown else None)
            if shown and shown[-1] == row.line:
                things = [thing_of(each) for each in rows if each.line == row.line]
                assert outline.current is not None
                assert any(outline.current.item is thing for thing in things)
        assert jumps.go_to_line(outline, 0) is None


def test_seeking_goes_to_the_next_row_that_is_wanted(tmp_path: Path) -> None:
    outline = nested(tmp_path)

    def is_turn(node: Node) -> bool:
        return node.is_turn

    assert jumps.seek(outline, is_turn, 1)
    assert outline.cursor == 2
    assert not jumps.seek(outline, is_turn, 1)
    assert jumps.seek(outline, is_turn, -1)
    assert outline.cursor == 0
    assert jumps.seek(outline, lambda node: isinstance(node.item, Branch), 1)
